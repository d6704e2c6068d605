# A full disk loses no result silently: it is shown all the same, and the error is told.
. "$ROOT/tests/cli/lib.sh"
ONE="$QUICK --quiet --pass forward --window none"
exec 2>&1
echo "to standard output:"
"$PATTN" bench $ONE >/dev/full
echo "[$?]"
"$PATTN" bench $ONE --json - >/dev/full
echo "[$?]"
"$PATTN" help >/dev/full
echo "[$?]"
echo "to a closed pipe:"
"$PATTN" bench $ONE --window none,8 | head -n 1 | sed 's/.*/one line/'
echo "[${PIPESTATUS[0]}]"
echo "to a report:"
"$PATTN" bench $ONE --json /dev/full >out
echo "[$?] $(grep -c r16_c16 out) row"
echo "to the store:"
want 0 tune $ONE >/dev/null
(
	# Room for a little more than is there: bash counts in KiB.
	ulimit -f $(($(stat -c %s tuning.db) / 1024 + 8))
	"$PATTN" tune $ONE --window none,8,9,10,11,12,13,14 --json report.json >out 2>err
	echo "[$?] $(grep -c r16_c16 out) rows, $(report report.json 'len(r["winners"])') reported"
)
sed -E 's/change the store: .*/change the store/' err
"$PYTHON" -c '
import sqlite3
print(sqlite3.connect("tuning.db").execute("PRAGMA integrity_check").fetchone()[0])'
