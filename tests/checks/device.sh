# What a device is asked comes to an end on the emulated one and leaves its reports; a wrong result
# and a device that is not there are an exit status of 1.
set -u
fail() {
	echo "$*"
	exit 1
}
export PYTHON=/nonexistent
bash "$ROOT/tests/device.sh" --small cuda-emu reports >said || fail "$(cat said)"
for step in devices verify verify-fuzz bench-small-hot bench-small-cold; do
	grep -q "^$step: ok" said || fail "$step: $(cat said)"
done
for step in memcheck peers-small tune; do
	grep -q "^$step.*: skipped: ." said || fail "$step: $(cat said)"
done
for report in verify bench-small-hot bench-small-cold; do
	[ -s "reports/$report.json" ] || fail "no report of $report"
done
[ ! -e reports/tuning.db ] || fail "times of an emulator are stored"

bash "$ROOT/tests/device.sh" --small cpu reports >said || fail "$(cat said)"
grep -q '^tune-small: ok' said && [ -s reports/tuning.db ] || fail "$(cat said)"

export PATTN=$ROOT/build/release/mutants/far_key/pattn
bash "$ROOT/tests/device.sh" --small cpu reports >said
[ $? = 1 ] && grep -q '^verify: FAILED, exit status 1' said && grep -q '^bench-small-cold: ' said ||
	fail "a wrong kernel: $(cat said)"
bash "$ROOT/tests/device.sh" --small nonesuch reports >said
[ $? = 1 ] && grep -q 'nonesuch' said || fail "no device: $(cat said)"
bash "$ROOT/tests/device.sh" 2>said
[ $? = 2 ] && grep -q DEVICE said || fail "no usage"
