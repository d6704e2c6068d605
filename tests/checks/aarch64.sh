# The scalar rung builds for AArch64 and is right there, under emulation.
cd "$ROOT" || exit 1
command -v aarch64-linux-gnu-gcc >/dev/null || { echo "no aarch64-linux-gnu-gcc; install gcc-aarch64-linux-gnu"; exit 77; }
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) ||
	{ echo "no qemu-aarch64; install qemu-user"; exit 77; }
make -s CC=aarch64-linux-gnu-gcc BUILD=build/aarch64 OPT='-O2 -ffunction-sections' LDFLAGS=-Wl,--gc-sections \
	build/aarch64/tests/cross_verify >/dev/null || exit 1
"$emulator" -L /usr/aarch64-linux-gnu build/aarch64/tests/cross_verify
