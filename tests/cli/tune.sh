# Tuning decides and stores; the second time it says cached and times nothing; pick agrees.
. "$ROOT/tests/cli/lib.sh"
want 0 tune $QUICK --json first.json | grep -c '^f32.*cold'
kept=$(trials tuning.db)
want 0 tune $QUICK --json second.json | grep -c '^f32.*cached$'
[ "$(trials tuning.db)" = "$kept" ] || fail "the second time measured"
winners='sorted((w["window"] or 0, w["pass"], w["schedule"]) for w in r["winners"])'
[ "$(report first.json "$winners")" = "$(report second.json "$winners")" ] || fail "winners differ"
want 0 pick $SHAPE --json pick.json >pick.out
[ "$(report first.json "$winners")" = "$(report pick.json "$winners")" ] || fail "pick differs"
sed -E 's/ [rc][0-9].*/ .../' pick.out

# The same class of shape is served by the same ranking, another is not.
want 0 pick ${SHAPE/5,33/6,34} >/dev/null
want 4 pick ${SHAPE/5,33/5,65} --pass forward --window 8 2>err
sed -E 's/, on cpu.*; fill/, on DEVICE; fill/' err
# The command it prints fills the gap.
eval "$(sed 's/.*fill it with: pattn/"$PATTN"/' err) --rounds 3" >/dev/null || fail "filling"
want 0 pick ${SHAPE/5,33/5,65} --pass forward --window 8 >/dev/null
# Cold and hot are kept apart, and --retune measures again.
want 4 pick $SHAPE --hot --quiet
before=$(trials tuning.db)
want 0 tune $QUICK --retune --pass forward --window none | grep -c cached
(($(trials tuning.db) > before)) || fail "--retune measured nothing"
# Some schedules only: trials, no winner.
want 0 tune $QUICK --db some.db --schedule r16_c16 --pass forward --window none 2>&1 >/dev/null | steady
echo "$(trials some.db) trial, $("$PATTN" export --db some.db --format csv | tail -n +2 | wc -l) winners"
# bench keeps what it measures only where it is told to.
rm tuning.db
want 0 bench $QUICK --pass forward --window none >/dev/null
[ ! -e tuning.db ] || fail "bench made a store"
PATTN_DB=mine.db want 0 bench $QUICK --pass forward --window none >/dev/null
has_trials mine.db || fail "PATTN_DB was left out"
# Without any store nothing has been tuned.
want 4 pick $SHAPE --quiet
