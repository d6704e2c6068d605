# PyTorch's attention agrees with the oracle, its report follows the schema, and a result that is
# wrong is said. PEERS_PYTHON names a Python that has PyTorch.
. "$ROOT/tests/cli/lib.sh"
PEERS_PYTHON=${PEERS_PYTHON-python3}
"$PEERS_PYTHON" -c 'import torch' 2>/dev/null || skip "no PyTorch for $PEERS_PYTHON"
needs jsonschema
peers() {
	"$PEERS_PYTHON" "$ROOT/peers/torch_attention.py" --rounds 2 --limit 1 --threads 1 "$@"
}
for dtype in f32 bf16; do
	want 0 workload --lens 5,0,40,1 --heads 2 --dtype $dtype --window 8 --dump $dtype >/dev/null
done
peers --spec 5,0,40,1 --json peers.json f32:8:f32 bf16:8:bf16 >table 2>errors ||
	fail "$(cat table errors)"
validate peers.json
for peer in torch-sdpa-seq torch-sdpa-padded; do
	(($(grep -c "$peer .* ms$" table) == 6)) || fail "$(cat table)"
done
# The wrong window is a wrong result, and not timed.
peers --json wrong.json f32:3:f32 >table 2>errors
(($? == 1)) && grep -q 'torch-sdpa-seq .* wrong: ' table || fail "$(cat table errors)"
# A type that the dump was not written for, and a dump that is none.
peers bf16:8:f32 2>errors
(($? == 2)) && grep -q 'not bf16' errors || fail "$(cat errors)"
peers f32:8:nowhere 2>errors
(($? == 2)) && grep -q nowhere errors || fail "$(cat errors)"
