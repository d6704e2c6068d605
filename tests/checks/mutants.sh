# A kernel broken on purpose is caught by `verify` and never stored by `tune`.
set -u
fault=0
for mutant in skipped_mask nan_output unwritten far_key; do
	broken=$ROOT/build/release/mutants/$mutant/pattn
	"$broken" verify --device cpu --quiet >verify.out 2>verify.err
	status=$?
	((status == 1)) || { echo "$mutant: verify exits $status"; cat verify.err; fault=1; }
	grep -q wrong verify.out || { echo "$mutant: verify does not say wrong"; fault=1; }
	"$broken" tune --device cpu --lens test --heads 2 --window 8 --limit 1 --db $mutant.db --quiet \
		>tune.out 2>tune.err
	status=$?
	((status == 1)) || { echo "$mutant: tune exits $status"; cat tune.err; fault=1; }
	stored=$("$PATTN" export --db $mutant.db --format csv | tail -n +2 | wc -l)
	((stored == 0)) || { echo "$mutant: $stored winners stored"; fault=1; }
done
exit $fault
