# Data on standard output, the rest on standard error; colours and progress on a terminal only.
. "$ROOT/tests/cli/lib.sh"
ONE="$QUICK --pass forward --window none"
want 0 bench $ONE 2>err | mask | sort
steady <err | wc -c
"$PATTN" bench $ONE | escapes
want 0 bench $ONE --json - --quiet 2>&1 | head -c 1
echo
command -v script >/dev/null || skip "no script; apt install bsdutils"
on_terminal() {
	script -qec "$PATTN bench $ONE $*" /dev/null </dev/null
}
on_terminal >coloured
grep -q $'\033\\[1m' coloured && echo "colour on a terminal"
grep -q 'checking\|timing\|warming' coloured && echo "progress on a terminal"
NO_COLOR=1 on_terminal --quiet | escapes
TERM=dumb on_terminal --quiet | escapes
