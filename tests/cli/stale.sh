# A winner that another build of the kernels made is never used silently.
. "$ROOT/tests/cli/lib.sh"
command -v sqlite3 >/dev/null || skip "no sqlite3; apt install sqlite3"
ONE="--pass forward --window none"
no_names() {
	tr -s ' ' | sed -E 's/r[0-9]+_c[0-9]+ ([0-9.]+ ms|is)/SCHEDULE \1/; s/[0-9.]+ ms [a-z]+/TIME DECISION/; s/, on cpu.* units/, on DEVICE/'
}
want 0 tune $QUICK $ONE >/dev/null
want 0 pick $SHAPE $ONE --fail-stale | no_names
sqlite3 tuning.db "UPDATE trial SET driver = 'another'" || fail "the store's schema has changed"
want 0 pick $SHAPE $ONE --fail-stale 2>&1 | no_names
want 0 tune $QUICK $ONE 2>&1 | grep -o 'due, measured.*'
sqlite3 tuning.db "UPDATE trial SET code = 'another'; UPDATE decision SET code = 'another'"
want 0 pick $SHAPE $ONE 2>&1 | no_names
want 1 pick $SHAPE $ONE --fail-stale --quiet >/dev/null
"$PATTN" export --format csv | tail -n +2 | tr -d '\r' | rev | cut -d , -f 1-3 | rev | sort -u
want 0 tune $QUICK $ONE 2>&1 >out | steady | no_names
grep -c cached out
want 0 tune $QUICK $ONE | grep -c cached
want 0 pick $SHAPE $ONE --fail-stale | no_names
