# Every HIP kernel compiles for every architecture, without a register spilled and without scratch memory:
# with the newest clang found, which needs neither ROCm nor a GPU.
#
#   hip.sh [TABLE.md]   also writes what it prints as a table; without, one architecture a generation
set -u
cd "$ROOT" || exit 1
table=${1:-}
targets="gfx90a gfx1100 gfx1201"
[[ ! $table ]] || targets="gfx90a gfx942 gfx950 gfx1100 gfx1151 gfx1200 gfx1201"
options="-x hip --cuda-device-only --no-gpu-bundle-output -nogpulib -nogpuinc -std=c++17 -O3
	-munsafe-fp-atomics -fno-strict-aliasing -Wall -Wextra -Werror -Wno-unused-function -I."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The newest clang that links for AMD's GPUs: it wants the lld of its own version.
for version in 23 22 21 20 19 18 17 16 15; do
	command -v clang-$version >/dev/null && command -v ld.lld-$version >/dev/null &&
		clang=clang-$version && break
done
readelf=$(compgen -c llvm-readelf | sort -V | tail -n 1)
[[ ${clang:-} && $readelf ]] || {
	echo "no clang 15 or later with its lld and llvm-readelf; run make deps-gpu"
	exit 77
}

# Of the targets, those this compiler knows.
able= skipped=
known=$($clang --target=amdgcn-amd-amdhsa --print-supported-cpus 2>&1)
for target in $targets; do
	if grep -qw "$target" <<<"$known"; then
		able+=" $target"
	else
		skipped+=" $target"
	fi
done

# number FIELD NOTES: of a kernel's metadata; 0 where it has none.
number() {
	sed -n "s/^[ -]*\.$1: *//p" <<<"$2" | head -n 1 | grep . || echo 0
}

# check NAME SHARED ENTRY TARGET DEFINES...: leaves one cell of the table in NAME.TARGET.
check() {
	local cell=$scratch/$1.$4 notes scratch_bytes spills
	if ! $clang $options --offload-arch=$4 "${@:5}" -c "kernels/hip/$3.hip" -o "$cell.o" 2>"$cell.log"; then
		echo "**does not compile**" >"$cell"
		head -n 5 "$cell.log" >&2
		return
	fi
	notes=$($readelf --notes "$cell.o")
	rm "$cell.o"
	scratch_bytes=$(number private_segment_fixed_size "$notes")
	spills=$(($(number vgpr_spill_count "$notes") + $(number sgpr_spill_count "$notes")))
	echo "$(number vgpr_count "$notes")" >"$cell"
	((spills + scratch_bytes == 0)) ||
		echo "$(number vgpr_count "$notes") **spills $spills, scratch $scratch_bytes**" >"$cell"
}
export -f check number
export scratch clang readelf options

instances=$scratch/instances
"${CHECK_GPU:-build/release/tests/check_gpu}" --list-hip >"$instances" || exit 1
while read -r name shared entry defines; do
	for target in $able; do
		echo "$name $shared $entry $target $defines"
	done
done <"$instances" | xargs -P 2 -I{} bash -c 'check {}'

{
	echo "# Resources of the HIP kernels"
	echo
	echo "Written by \`make check-gpu\` with $($clang --version | head -n 1): vector registers a lane"
	echo "(architectural and accumulation registers together). No kernel spills one or uses scratch memory."
	[[ ! ${skipped:-} ]] || echo "This compiler does not know${skipped}."
	echo
	echo "| instance | shared bytes |${able// / | } |" | sed 's/| |/|/'
	echo "|---|---|$(for _ in $able; do echo -n '---|'; done)"
	while read -r name shared _; do
		echo -n "| \`$name\` | $shared |"
		for target in $able; do
			echo -n " $(cat "$scratch/$name.$target") |"
		done
		echo
	done <"$instances"
} >"$scratch/table"
cat "$scratch/table"
compiled=$(grep -lE '^[0-9]+$' "$scratch"/*.gfx* | wc -l)
bad=$(grep -l '\*\*' "$scratch"/*.gfx* | wc -l)
echo "$compiled compiled, $bad failed"
((bad == 0 && compiled > 0)) || exit 1
[[ ! $table ]] || cp "$scratch/table" "$table"
