#!/bin/bash
# Runs every test and prints, last, "N passed, N failed, N skipped".
#
#   tests/run.sh [PATTERN]     only tests whose name matches the shell pattern
#
# A test is a case of a unit program (cmocka's TAP output), a script of tests/cli (its standard
# output is compared with the .out file beside it) or a script of tests/checks. Scripts exit 0 when
# they pass and 77 with a reason when they must be skipped.
set -u
cd "$(dirname "$0")/.."
ROOT=$PWD
PATTN=$ROOT/build/release/pattn
export ROOT PATTN
pattern=${1:-*}
passed=0 failed=0 skipped=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# report RESULT NAME [LOG]: counts it; a failure shows its log.
report() {
	case $1 in
	ok) passed=$((passed + 1)) ;;
	skip) skipped=$((skipped + 1)) && echo "skip $2: $(tail -n 1 "$3")" ;;
	*)
		failed=$((failed + 1))
		echo "FAIL $2"
		sed 's/^/    /' "$3"
		;;
	esac
}

# run_unit PROGRAM SUITE: each TAP line is a test.
run_unit() {
	local name log=$scratch/log status ok bad skip
	name=$2/$(basename "$1")
	[[ $name == $pattern ]] || return
	CMOCKA_MESSAGE_OUTPUT=TAP $RUNNER "$1" >"$log" 2>&1
	status=$?
	ok=$(grep -c '^ok ' "$log") bad=$(grep -c '^not ok ' "$log")
	skip=$(grep -ci '^not ok .*# skip\|^ok .*# skip' "$log")
	passed=$((passed + ok - $(grep -ci '^ok .*# skip' "$log")))
	skipped=$((skipped + skip))
	bad=$((bad - $(grep -ci '^not ok .*# skip' "$log")))
	if ((bad || status || !(ok + skip))); then
		failed=$((failed + (bad ? bad : 1)))
		echo "FAIL $name (exit status $status)"
		grep -v '^ok ' "$log" | tail -n 60 | sed 's/^/    /'
	else
		echo "  ok $name: $ok tests"
	fi
}

# run_script FILE: in a folder of its own.
run_script() {
	local name=${1#tests/} status expected=${1%.sh}.out
	name=${name%.sh}
	[[ $name == $pattern ]] || return
	rm -rf "$scratch/work" && mkdir "$scratch/work"
	(cd "$scratch/work" && exec bash "$ROOT/$1") >"$scratch/out" 2>"$scratch/log" </dev/null
	status=$?
	if ((status == 77)); then
		cat "$scratch/out" "$scratch/log" >"$scratch/both"
		report skip "$name" "$scratch/both"
	elif ((status)); then
		cat "$scratch/out" >>"$scratch/log"
		echo "exit status $status" >>"$scratch/log"
		report fail "$name" "$scratch/log"
	elif [[ -f $expected ]] && ! diff -u "$expected" "$scratch/out" >>"$scratch/log"; then
		report fail "$name" "$scratch/log"
	else
		report ok "$name"
		echo "  ok $name"
	fi
}

# Address-space randomisation can place memory where ThreadSanitizer keeps its shadow.
RUNNER=
for program in build/release/tests/test_*; do
	[[ $program == *.d ]] || run_unit "$program" release
done
for program in build/asan/tests/test_*; do
	[[ $program == *.d ]] || run_unit "$program" asan
done
RUNNER="setarch $(uname -m) -R"
for program in build/tsan/tests/test_*; do
	[[ $program == *.d ]] || run_unit "$program" tsan
done
for program in build/tsan-emu/tests/test_*; do
	[[ $program == *.d ]] || run_unit "$program" tsan-emu
done
for script in tests/cli/*.sh tests/checks/*.sh; do
	[[ $script == */lib.sh ]] || run_script "$script"
done

echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
