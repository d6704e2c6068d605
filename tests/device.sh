#!/bin/bash
# Everything that a real device is asked, in one call of less than eight minutes:
#
#   device.sh [--small] DEVICE [FOLDER]
#
# DEVICE is what `pattn --device` takes: cuda, cuda:1, cuda-emu, cpu. FOLDER ($OUT, or device-report)
# gets log.txt and a JSON report of each step. --small asks the same of a tiny problem.
# A step that is missing, fails or takes too long is said and does not stop the rest.
# Exit status: 0; 1 when a result was wrong or verify did not get to the end; 2: usage.
set -u
small= && [ "${1-}" = --small ] && small=1 && shift
device=${1-} folder=${2-${OUT-device-report}}
if [ -z "$device" ] || [ $# -gt 2 ]; then
	sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
	exit 2
fi

root=$(cd "$(dirname "$0")" && pwd)
[ -d "$root/data" ] || root=${root%/*}
PATTN=${PATTN-$root/pattn} PYTHON=${PYTHON-python3}
scratch=$(mktemp -d) && mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 2
trap 'rm -rf "$scratch"' EXIT
log=$folder/log.txt
: >"$log"
unset PATTN_DB
export PATTN_CACHE=$scratch/cache

status=0
deadline=$((SECONDS + 460))

say() { echo "$*" | tee -a "$log"; }

# step NAME SECONDS COMMAND...: its output goes to the log; its exit status is returned, 124 when it
# took too long. pattn reports what it had when it is interrupted.
step() {
	local name=$1 limit=$2 left=$((deadline - SECONDS)) begin=$SECONDS result
	shift 2
	((limit > left)) && limit=$left
	((limit > 0)) || { say "$name: skipped: no time left" && return 124; }
	printf '\n== %s: %s\n' "$name" "$*" >>"$log"
	timeout -s INT -k 5 "$limit" "$@" >>"$log" 2>&1
	result=$?
	case $result in
	0) say "$name: ok, $((SECONDS - begin)) s" ;;
	77) say "$name: skipped: $(tail -n 1 "$log")" ;;
	124 | 137) say "$name: stopped after $limit s" ;;
	*) say "$name: FAILED, exit status $result: $(tail -n 1 "$log")" ;;
	esac
	return $result
}

# What must be right, and heard to the end.
check() { step "$@" || status=1; }

# What may be missing or slow; status 1 says that a result was wrong.
try() {
	step "$@"
	[ $? != 1 ] || status=1
}

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
case $device in
cuda | cuda:*) kind=cuda torch=$device ;;
hip | hip:*) kind=hip torch=cuda${device#hip} ;;
*-emu*) kind=emu torch=cpu ;;
*) kind=cpu torch=cpu ;;
esac
if [ $kind = cuda ]; then
	# The compiler that came with a PyTorch will do where there is no toolkit.
	nvrtc=$("$PYTHON" -c 'import glob, os, sysconfig
found = glob.glob(sysconfig.get_path("purelib") + "/nvidia/*/lib/libnvrtc.so.*")
print(os.path.dirname(max(found, default="")))' 2>/dev/null)
	export LD_LIBRARY_PATH=${LD_LIBRARY_PATH-}${nvrtc:+:$nvrtc}
	nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm,power.limit --format=csv \
		>>"$log" 2>&1
fi

# Rows: a set's name and lengths; then, of a peers' run: name, lengths, types.
lens=$root/data/lens
sets=("bench bench" "paragraphs @$lens/manual_paragraphs.txt" "pages @$lens/manual_pages.txt")
# The oracle of a dump sees every pair, so the long set has a stand-in.
peers=("bench bench f32,bf16" "paragraphs @$lens/manual_paragraphs.txt bf16" "long 4x2048 bf16")
dtypes=f32,bf16 windows=none,64 heads=12 rounds=10 fuzz=50
checks=(--lens test --dtype "f32,bf16,f16" --window "none,0,8,64")
if [ $small ]; then
	sets=("small 5,40") peers=("small 5,40 f32")
	windows=none,8 heads=1 rounds=3 fuzz=3
	checks=(--lens "5,40" --heads 1 --dtype bf16 --window 8)
fi

# dump LENS DTYPES: a folder for each type and window; prints the cases.
dump() {
	local dtype window
	for dtype in ${2//,/ }; do
		for window in ${windows//,/ }; do
			"$PATTN" workload --lens "$1" --heads $heads --dtype "$dtype" --window "$window" \
				--dump "$scratch/$dtype-$window" >/dev/null || return
			echo "$dtype:$window:$scratch/$dtype-$window"
		done
	done
}

# peer NAME LENS DTYPES: PyTorch's attention on the tensors of that workload.
peer() {
	local cases
	"$PYTHON" -c 'import torch' 2>/dev/null ||
		{ say "peers-$1: skipped: no PyTorch for $PYTHON" && return; }
	cases=$(dump "$2" "$3" 2>>"$log") || { say "peers-$1: skipped: no dump" && return; }
	# shellcheck disable=SC2086
	step "peers-$1" 80 "$PYTHON" "$root/peers/torch_attention.py" --device "$torch" --spec "$2" \
		--rounds $rounds --limit 1 --json "$folder/peers-$1.json" $cases
	rm -rf "$scratch"/*-*
}

check devices 20 "$PATTN" devices
check verify 120 "$PATTN" verify --device "$device" "${checks[@]}" --json "$folder/verify.json"
check verify-fuzz 60 "$PATTN" verify --device "$device" --fuzz $fuzz --seed 3
if [ $kind = cuda ] && [ -n "$sanitizer" ]; then
	for tool in memcheck racecheck; do
		try "$tool" 40 "$sanitizer" --tool $tool --error-exitcode 1 "$PATTN" verify --in-process \
			--device "$device" --lens 5,40 --heads 1 --window 8 --dtype f32,bf16
	done
else
	say "memcheck, racecheck: skipped: they need compute-sanitizer and a CUDA device"
fi
for mode in hot cold; do
	for row in "${sets[@]}"; do
		read -r name spec <<<"$row"
		try "bench-$name-$mode" 40 "$PATTN" bench --device "$device" --lens "$spec" --heads $heads \
			--dtype $dtypes --window $windows --$mode --rounds $rounds --limit 2 \
			--json "$folder/bench-$name-$mode.json"
	done
	[ $mode = hot ] && for row in "${peers[@]}"; do
		# shellcheck disable=SC2086
		peer $row
	done
done
if [ $kind = emu ]; then
	say "tune: skipped: the times of an emulator are not stored"
else
	for row in "${sets[@]}"; do
		read -r name spec <<<"$row"
		try "tune-$name" 50 "$PATTN" tune --device "$device" --lens "$spec" --heads $heads \
			--dtype $dtypes --window $windows --budget $((small ? 5 : 40)) \
			--db "$folder/tuning.db" --json "$folder/tune-$name.json"
	done
fi
say "took $SECONDS s; $([ $status = 0 ] && echo every check passed || echo a check FAILED)"
exit $status
