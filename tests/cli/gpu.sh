# CUDA and HIP without a GPU: why they are absent, and their kernels judged on emulated ones.
. "$ROOT/tests/cli/lib.sh"
export PATTN_CACHE=$PWD/cache
"$PATTN" devices | grep -oE '^(cpu|cuda|hip|cuda-emu|hip-emu),'
for vendor in cuda hip; do
	"$PATTN" devices | grep -q "^  $vendor:0" && continue
	want 3 bench --device $vendor 2>message
	(($(wc -l <message) == 1)) && grep -qE 'install|look at' message || fail "$(cat message)"
done
want 2 bench --device cuda-emu --db times.db 2>&1 | grep -o 'not stored'
want 2 tune --device cuda-emu 2>&1 | grep -o 'not stored'
want 0 verify --device cuda-emu --dtype bf16,f16,f32 --window none,0,8,64 --lens test >table
tail -n 1 table
awk '$5 == "ok" { print $3, $4 }' table | sort | uniq -c
awk '$5 == "unsupported" { print $3, $4, $6, $7, $8 }' table | sort | uniq -c

for architecture in gfx942 gfx1100 gfx1201; do
	want 0 verify --device hip-emu --emu $architecture --dtype bf16,f16,f32 --window none,0,8,64 \
		--lens test >table
	echo "$architecture: $(tail -n 1 table)"
done
awk '$5 == "unsupported" && $1 == "f32" { print $3, $4, $6, $7, $8 }' table | sort | uniq -c

# broken DEVICE SOURCE SCHEDULE SED: the kernel with one fault is caught, and its schedule named.
broken() {
	local device=$1 source=$2 name=${2##*/}
	shift
	mkdir -p kernels && rm -f kernels/*
	sed "$3" "$ROOT/kernels/$source" >"kernels/$name"
	! cmp -s "$ROOT/kernels/$source" "kernels/$name" || fail "$source was left whole"
	want 1 verify --device $device --kernel-dir kernels --dtype bf16 --lens 5,40,70 --window 8 \
		--schedule "$2" >table
	awk '/ wrong | failed | run-failed / { print $4, $5 }' table
}
broken cuda-emu cuda/attend_mma.cu m64_c64 '0,/^\t\tbarrier();$/s///'
broken cuda-emu cuda/attend_mma.cu m64_c32 's/scores_mask<[a-z]*>(scores, field, patch);//'
broken cuda-emu gpu/device_delta.h c32 's/token = tile.start + tile.first + row;/token = tile.start + tile.first + row + 1;/'
broken hip-emu hip/attend_mma.hip m64_c64 '0,/^\t\tbarrier();$/s///'
broken hip-emu gpu/device_wave.h m32 's/lane_row() \* pitch + lane_slot()/lane_row() * pitch/'
