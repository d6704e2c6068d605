# Random problems; the same seed draws the same, and each only depends on its number.
. "$ROOT/tests/cli/lib.sh"
CPU="--device cpu --isa scalar --dtype f32,bf16,f16"
want 0 verify $CPU --fuzz 25 --seed 1 | mask
want 0 verify $CPU --fuzz 25 --seed 1 --schedule r16_c16 | tail -n 1
want 0 verify $CPU --fuzz 25 --seed 1 --pass backward --schedule c16 | tail -n 1
