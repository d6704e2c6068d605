# kill -9 in the middle: the store is whole, and the next tune goes on from there.
. "$ROOT/tests/cli/lib.sh"
MANY="--device cpu --isa scalar --lens 5,33 --heads 1 --window none,1,2,3,4,5,6,7,8,9 --limit 2"
"$PATTN" tune $MANY --rounds 200 >/dev/null 2>&1 &
until_true 30 has_trials tuning.db
kill -9 $!
wait $! 2>/dev/null
"$PYTHON" -c '
import sqlite3
print(sqlite3.connect("tuning.db").execute("PRAGMA integrity_check").fetchone()[0])'
want 0 tune $MANY --rounds 3 >out 2>err
steady <err
grep '^f32' out | sed 's/.*, //' | sort | uniq -c | grep -q cached && echo "some were cached"
want 0 tune $MANY | grep -c '^f32.*, cached$'
