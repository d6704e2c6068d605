# CUDA without a GPU: why it is absent, and its kernels judged on the emulated one.
. "$ROOT/tests/cli/lib.sh"
export PATTN_CACHE=$PWD/cache
"$PATTN" devices | grep -oE '^(cpu|cuda|cuda-emu),'
if ! "$PATTN" devices | grep -q '^  cuda:0'; then
	want 3 bench --device cuda 2>message
	(($(wc -l <message) == 1)) && grep -q install message || fail "$(cat message)"
fi
want 2 bench --device cuda-emu --db times.db 2>&1 | grep -o 'not stored'
want 2 tune --device cuda-emu 2>&1 | grep -o 'not stored'
want 0 verify --device cuda-emu --dtype bf16,f16,f32 --window none,0,8,64 --lens test >table
tail -n 1 table
awk '$5 == "ok" { print $3, $4 }' table | sort | uniq -c
awk '$5 == "unsupported" { print $3, $4, $6, $7, $8 }' table | sort | uniq -c

# broken KERNEL SCHEDULE SED: the kernel with one fault is caught, and its schedule named.
broken() {
	mkdir -p kernels && rm -f kernels/*
	sed "$3" "$ROOT/kernels/cuda/$1.cu" >"kernels/$1.cu"
	! cmp -s "$ROOT/kernels/cuda/$1.cu" "kernels/$1.cu" || fail "$1 was left whole"
	want 1 verify --device cuda-emu --kernel-dir kernels --dtype bf16 --lens 5,40,70 --window 8 \
		--schedule "$2" >table
	awk '/ wrong | failed | run-failed / { print $4, $5 }' table
}
broken attend_mma m64_c64 '0,/^\t\tbarrier();$/s///'
broken attend_mma m64_c32 's/scores_mask<[a-z]*>(scores, field, patch);//'
broken delta c32 's/token = tile.start + tile.first + row;/token = tile.start + tile.first + row + 1;/'
