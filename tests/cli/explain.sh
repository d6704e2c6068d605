# Why it came out so: told under the table and in the report; a budget is spent on rounds.
. "$ROOT/tests/cli/lib.sh"
ONE="--pass forward --window 8"
story() {
	sed -nE 's/^  (round|stopped|r[0-9]+_c[0-9]+ against|tie|winner).*/\1/p' | grep -v against | sort -u
}
want 0 bench $QUICK $ONE | story
want 0 bench $QUICK $ONE --explain | grep -v falls | story | sed 's/tie\|winner/DECISION/'
want 0 tune $SHAPE $ONE --budget 2 --json report.json | grep -o 'budget spent after'
report report.json '[line for line in r["winners"][0]["story"] if line.startswith("stopped: budget spent")] != []'
report report.json 'r["winners"][0]["story"][-1].split(":")[0] in ("tie", "winner")'
# Nothing is left to do, and no budget holds it up.
want 0 tune $SHAPE $ONE --budget 600 | grep -c cached
