# Eight processes tune into one new file at a time: all rows are there, none twice.
. "$ROOT/tests/cli/lib.sh"
for window in {0..7}; do
	"$PATTN" tune $SHAPE --rounds 3 --pass forward --window $window,99 --quiet >out$window 2>&1 &
	pids+=($!)
done
for pid in "${pids[@]}"; do
	wait "$pid" || fail "one exits with $?"
done
"$PYTHON" -c '
import sqlite3
db = sqlite3.connect("tuning.db")
ask = lambda sql: db.execute(sql).fetchone()[0]
print(ask("PRAGMA integrity_check"))
print(ask("SELECT count(*) FROM decision"), "decisions")
ranked = "SELECT count(*) FROM ranking JOIN trial ON trial.id = trial JOIN shape ON shape.id = trial.shape"
print(ask(ranked + " WHERE window = 99"), "ranked at the window of all")
print(ask(ranked + " WHERE window != 99"), "at those of one")
print(ask("SELECT count(*) FROM trial JOIN shape ON shape.id = shape WHERE window != 99 AND outcome = '"'ok'"'"), "trials there")
print(ask("SELECT count(*) - count(DISTINCT uid) FROM trial"), "twice")
print(ask("SELECT count(*) FROM checkpoint"), "checkpoints left")'
want 0 tune $SHAPE --pass forward --window 0,1,2,3,4,5,6,7,99 | grep -c cached
