# A plan tuned in three shards and merged has the winners' keys of one run, whatever the order.
. "$ROOT/tests/cli/lib.sh"
HOW="--device cpu --isa scalar --threads 1 --rounds 3 --quiet"
cat >plan.json <<'END'
{"problems": [
	{"lens": "5,33", "heads": 1, "windows": ["none", 8], "passes": ["forward"]},
	{"lens": "3x7", "heads": 2, "windows": [0], "dtypes": ["f32", "bf16"]},
	{"lens": "40", "heads": 3, "windows": [8]}
]}
END
# keys FILE: device, mode, type, window, pass, heads and sizes of each winner.
keys() {
	"$PATTN" export --db "$1" --format csv | tail -n +2 | cut -d , -f 1-8 | sort -u
}
want 0 tune $HOW --plan plan.json --db whole.db --json whole.json | grep -c '^f32\|^bf16'
for shard in 1 2 3; do
	want 0 tune $HOW --plan plan.json --shard $shard/3 --db part$shard.db |
		sed -nE 's/^((f32|bf16), .* heads?),.*/'$shard': \1/p'
done
want 0 tune --plan - --shard 6/6 --db part4.db <plan.json 2>&1 >/dev/null
want 0 import --db merged.db part[123].db | sed -E 's/trials: [0-9]+ new/trials: N new/'
want 0 import --db again.db part3.db part1.db part2.db --quiet >/dev/null
keys whole.db >whole.keys
wc -l <whole.keys
cmp <(keys merged.db) whole.keys && cmp <(keys again.db) whole.keys && echo "the same keys"
cmp <("$PATTN" export --db merged.db --format md) <("$PATTN" export --db again.db --format md)
# What is tuned already is cached.
want 0 tune $HOW --plan plan.json --db merged.db | grep -c ', cached$'
report whole.json 'r["problem"], sorted({(x["workload"]["lens"], x["workload"]["heads"], x["dtype"]) for x in r["results"]})'
"$PYTHON" -c 'import jsonschema' 2>/dev/null || exit 0
validate whole.json >/dev/null
SCHEMA=plan.schema.json validate plan.json
