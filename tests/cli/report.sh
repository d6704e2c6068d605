# Every command's report follows the schema, and on standard output it is alone.
. "$ROOT/tests/cli/lib.sh"
needs jsonschema
want 0 bench $QUICK --json - >bench.json
want 0 verify --device cpu --isa scalar --json verify.json >/dev/null
want 0 tune $QUICK --json tune.json >/dev/null
want 0 tune $QUICK --json cached.json >/dev/null
want 0 pick $SHAPE --json pick.json >/dev/null
want 0 export -o export.json
want 0 export --trials >trials.json
validate ./*.json
report bench.json '[r["device"]["name"], r["problem"]["lens"], r["protocol"]["mode"]]'
report bench.json 'sorted({(x["window"] or 0, x["pass"]) for x in r["results"]})'
report bench.json 'all(len(x["samples"]) == x["statistics"]["count"] for x in r["results"] if x["outcome"] == "ok")'
report bench.json 'all(0 < x["rates"]["floor_fraction"] for x in r["results"] if x["outcome"] == "ok")'
report tune.json '[w["cached"] for w in r["winners"]]'
report cached.json '[w["cached"] for w in r["winners"]]'
report cached.json 'all(x["stored"] for x in r["results"])'
sed 's/"pass":\t*"backward"/"pass": "forward+backward"/' bench.json >peer.json
! cmp -s bench.json peer.json || fail "no pass was renamed"
validate peer.json
sed 's/"pass":\t*"backward"/"pass": "sideways"/' bench.json >sideways.json
! (validate sideways.json) 2>/dev/null || fail "any pass follows the schema"
