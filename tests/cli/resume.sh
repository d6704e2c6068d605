# A contest that kill -9 cut short is taken up again where it was.
. "$ROOT/tests/cli/lib.sh"
ONE="$SHAPE --pass forward --window 8 --rounds 1000000"
"$PATTN" tune $ONE --limit 60 >/dev/null 2>&1 &
until_true 30 has_rounds
kill -9 $!
wait $! 2>/dev/null
before=$(rounds)
want 0 tune $ONE --limit 0.5 2>err >out
taken=$(sed -nE 's/^pattn: f32, window 8, forward: taken up again after ([0-9]+) rounds?$/\1/p' err)
((taken == before)) || fail "took up $taken rounds, not $before"
after=$(sed -nE 's/.*time limit after ([0-9]+) rounds$/\1/p' out)
((after > taken)) && echo "went on"
"$PATTN" export --format csv | tail -n +2 | cut -d , -f 15 | sort -u | sed "s/^$after$/all rounds/"
"$PYTHON" -c '
import sqlite3
print(sqlite3.connect("tuning.db").execute("SELECT count(*) FROM checkpoint").fetchone()[0], "checkpoints left")'
# Once decided there is nothing to take up.
want 0 tune $ONE --limit 0.5 --retune 2>&1 >/dev/null | grep -c taken
exit 0
