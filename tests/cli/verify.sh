# Every schedule of both passes in every type and window against the oracle, a line each.
. "$ROOT/tests/cli/lib.sh"
want 0 verify --device cpu --isa scalar --dtype f32,bf16,f16 --window none,0,8,64 --lens test | mask
# What f32 claims, in figures.
want 0 verify --device cpu --lens test --window none,0,8,64 --json report.json >/dev/null
report report.json 'all(t["rel"] <= 1e-5 and t["sequence_rel"] <= 1e-5
	for x in r["results"] if x["verdict"] for t in x["verdict"]["tensors"])' | tr -d '\n'
report report.json '" of", sum(x["outcome"] == "ok" for x in r["results"]) >= 32'
# Lengths of nothing, of one token, and of a tile and its neighbours.
want 0 verify --device cpu --isa scalar --lens 0 --heads 1 | tail -n 1 | mask
want 0 verify --device cpu --isa scalar --lens 0,1,0,15,16,17,0,63,64,65,0 --heads 3 | tail -n 1 | mask
