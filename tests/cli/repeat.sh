# The command that a random failure prints repeats it: on a kernel broken on purpose.
. "$ROOT/tests/cli/lib.sh"
PATTN=$ROOT/build/release/mutants/far_key/pattn
[ -x "$PATTN" ] || skip "no broken kernel; make $PATTN"
want 1 verify --device cpu --fuzz 8 --seed 3 --schedule r16_c16 >out
grep -c '^f32 .* wrong' out
repeat=$(sed -n 's/^ *repeat: pattn //p' out | head -n 1)
[ -n "$repeat" ] || fail "no command to repeat it"
eval "want 1 $repeat" >again
cmp <(grep -m 1 -A 2 wrong out) <(grep -m 1 -A 2 wrong again) && echo "the same to the last figure"
