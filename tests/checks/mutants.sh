# A kernel broken on purpose is caught by `verify` and never stored as a winner by `tune`. One that
# crashes or hangs is an outcome too: the others go on, and it is not run again unasked.
set -u
fault=0
# complain MUTANT WORDS
complain() {
	echo "$1: $2"
	fault=1
}

for mutant in skipped_mask nan_output unwritten far_key; do
	broken=$ROOT/build/release/mutants/$mutant/pattn
	"$broken" verify --device cpu --quiet >verify.out 2>verify.err
	status=$?
	((status == 1)) || { complain $mutant "verify exits $status"; cat verify.err; }
	grep -q wrong verify.out || complain $mutant "verify does not say wrong"
	"$broken" tune --device cpu --lens test --heads 2 --window 8 --limit 1 --db $mutant.db --quiet \
		>tune.out 2>tune.err
	status=$?
	((status == 1)) || { complain $mutant "tune exits $status"; cat tune.err; }
	stored=$("$PATTN" export --db $mutant.db --format csv | tail -n +2 | wc -l)
	((stored == 0)) || complain $mutant "$stored winners stored"
done

# r16_c16 and c16 do not come back; the other six schedules of the CPU do.
for mutant in crash:run-failed hang:timed-out; do
	outcome=${mutant#*:} mutant=${mutant%:*}
	broken=$ROOT/build/release/mutants/$mutant/pattn
	"$broken" verify --device cpu --window 8 --patience 1 --quiet >verify.out
	status=$?
	((status == 1)) || complain $mutant "verify exits $status"
	(($(grep -c " $outcome " verify.out) == 2)) || complain $mutant "verify does not say $outcome twice"
	(($(grep -c " ok " verify.out) == 6)) || complain $mutant "verify does not go on"
	tune() {
		"$broken" tune --device cpu --lens test --heads 2 --window 8 --rounds 3 --patience 1 \
			--db $mutant.db --quiet "$@" >tune.out
		status=$?
		((status == 1)) || complain $mutant "tune $* exits $status"
	}
	tune
	(($(grep -c "16 * $outcome: [^q]" tune.out) == 2)) || complain $mutant "tune does not say $outcome"
	stored=$("$broken" export --db $mutant.db --format csv | tail -n +2 | wc -l)
	((stored == 6)) || complain $mutant "$stored schedules ranked, not 6"
	tune --retune
	quarantined=$(grep -c "16 * $outcome: quarantined since [0-9-]\{10\}: " tune.out)
	((quarantined == 2)) || complain $mutant "$quarantined schedules quarantined, not 2"
	tune --retune --retry
	(($(grep -c quarantined tune.out) == 0)) || complain $mutant "--retry does not run it"
	failures=$("$broken" export --db $mutant.db --trials --format csv | grep -c ",$outcome,")
	((failures == 4)) || complain $mutant "$failures failures stored, not 4"
done

# Ctrl-C does not wait for a kernel that hangs.
"$ROOT/build/release/mutants/hang/pattn" verify --device cpu --window 8 --patience 600 --quiet \
	>verify.out 2>verify.err &
sleep 1
kill -INT $!
for i in {1..50}; do
	kill -0 $! 2>/dev/null || break
	sleep 0.1
done
kill -9 $! 2>/dev/null && complain hang "Ctrl-C is not heard"
wait $!
status=$?
((status == 130)) || complain hang "interrupted, verify exits $status"
exit $fault
