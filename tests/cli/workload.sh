# A problem's sizes, and its tensors as NumPy reads them, with the oracle's results.
. "$ROOT/tests/cli/lib.sh"
want 0 workload --lens 5,0,40 --heads 2 --window 8 --dump dump | sed 's/^memory .*/memory/'
ls dump
needs numpy
"$PYTHON" "$ROOT/tests/cli/attention.py" dump 2 8 || exit 1
want 0 workload --lens 3x7,2 --heads 1 --dtype bf16 --seed 3 --cu int64 --dump wide >/dev/null
"$PYTHON" "$ROOT/tests/cli/attention.py" wide 1 none || exit 1
