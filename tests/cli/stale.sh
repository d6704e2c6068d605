# A winner that another build of the kernels made is never used silently.
. "$ROOT/tests/cli/lib.sh"
command -v sqlite3 >/dev/null || skip "no sqlite3; apt install sqlite3"
ONE="--pass forward --window none"
no_names() {
	sed -E 's/r[0-9]+_c[0-9]+ is/SCHEDULE is/; s/, on cpu.* units/, on DEVICE/'
}
want 0 tune $QUICK $ONE >/dev/null
sqlite3 tuning.db "UPDATE trial SET code = 'another'" || fail "the store's schema has changed"
want 4 pick $SHAPE $ONE 2>&1 | no_names
want 0 tune $QUICK $ONE 2>&1 >out | steady | no_names
grep -c cached out
want 0 tune $QUICK $ONE | grep -c cached
