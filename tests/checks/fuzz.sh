# A few seconds of coverage-guided fuzzing for every parser of outside bytes.
cd "$ROOT" || exit 1
command -v clang >/dev/null || { echo "no clang; install it"; exit 77; }
echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' >build/probe_fuzz.c
clang -fsanitize=fuzzer build/probe_fuzz.c -o build/probe_fuzz 2>/dev/null ||
	{ echo "no libFuzzer; install libclang-rt-14-dev"; exit 77; }
make -s fuzz SECONDS_EACH=5
