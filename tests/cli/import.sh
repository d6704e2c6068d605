# Stores are merged whole or not at all, and a dry run changes nothing.
. "$ROOT/tests/cli/lib.sh"
ONE="--pass forward --window 8 --quiet"
want 0 tune $QUICK $ONE --db a.db >/dev/null
want 0 tune ${QUICK/5,33/5,65} $ONE --db b.db >/dev/null
want 0 import --dry-run a.db b.db
ls
want 0 import a.db
want 0 import a.db b.db
"$PATTN" export --format csv | tail -n +2 | tr -d '\r' | rev | cut -d , -f 1-3 | rev | sort | uniq -c | sed 's/^ *//'
want 0 pick $SHAPE --pass forward --window 8 | tr -s ' ' | cut -d ' ' -f 8-
# A local winner stands before an imported one.
want 0 tune $QUICK $ONE --retune >/dev/null
want 0 import --dry-run a.db
want 0 pick $SHAPE --pass forward --window 8 | tr -s ' ' | cut -d ' ' -f 8-
# One bad file among good ones: nothing is imported.
want 0 tune ${QUICK/5,33/5,130} $ONE --db c.db >/dev/null
head -c 6000 b.db >cut.db
cp tuning.db before.db
want 3 import c.db cut.db 2>&1
want 3 import c.db nowhere.db 2>&1
cmp tuning.db before.db && echo "as it was"
want 2 import 2>&1
