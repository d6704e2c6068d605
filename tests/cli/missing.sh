# What pick asks for in vain is remembered, the nearest is named, and tune --missing fills the gaps.
. "$ROOT/tests/cli/lib.sh"
no_device() {
	sed -E 's/, on cpu.* units/, on DEVICE/'
}
BOTH="--window 8 --pass both"
want 3 tune --missing --quiet 2>&1
# Without a store a question makes none.
want 4 pick $SHAPE $BOTH --quiet
empty
want 0 tune $QUICK --window 8 --pass forward >/dev/null
want 4 pick ${SHAPE/5,33/5,65} --window 9 --pass forward 2>&1 | no_device
want 4 pick ${SHAPE/5,33/5,65} --window 9 --pass forward --quiet
want 4 pick $SHAPE --window 8 --pass both --hot --quiet
# Those of another mode and of another device are left for another run.
want 4 pick ${SHAPE/threads 1/threads 2} $BOTH --quiet
want 0 tune --missing --device cpu --isa scalar --threads 1 --rounds 3 --json report.json 2>&1 | steady |
	mask | grep -v FIGURES | sort -u
report report.json 'r["problem"], sorted((x["workload"]["lens"], x["workload"]["tokens"]) for x in r["results"])[0]'
want 0 pick ${SHAPE/5,33/5,65} --window 9 --pass forward >/dev/null
want 0 tune --missing --device cpu --isa scalar --threads 1 --rounds 3 --hot --quiet | grep -c '^f32'
want 0 tune --missing --device cpu --isa scalar --threads 1 --hot 2>&1 | mask
# A store that cannot be written answers all the same.
[ "$(id -u)" = 0 ] && exit
chmod a-w tuning.db
want 4 pick $SHAPE --window 3 --quiet
