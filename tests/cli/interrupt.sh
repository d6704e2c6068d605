# Ctrl-C: what was measured is stored, shown and reported.
. "$ROOT/tests/cli/lib.sh"
"$PATTN" tune --device cpu --lens 5,33 --heads 1 --window none,8 --rounds 1000000 --limit 60 \
	--json report.json >out 2>err &
until_true 60 has_rounds
kill -INT $!
wait $!
echo "[$?] $(steady <err)"
grep -o '^f32.*' out | sed -E 's/: .*, /: /; s/after [0-9]+ rounds/after N rounds/'
has_trials tuning.db || fail "nothing was stored"
echo "$("$PATTN" export --format csv | tail -n +2 | wc -l) winners"
report report.json 'any(x["samples"] for x in r["results"])'

# The next tune goes on from there.
"$PATTN" tune --device cpu --lens 5,33 --heads 1 --window none --pass forward --rounds 1000000 --limit 1 \
	>out 2>err
grep -o 'taken up again after' err
