# What makes no sense is refused in one line with exit status 2, before anything is written.
. "$ROOT/tests/cli/lib.sh"
show benhc
show xyzzy
show help benhc
show --lens 5 bench
show bench --devcie cpu
show bench --xyzzy
show bench --fuzz 3
show bench 5,40
show bench --heads
show bench --json --quiet
show bench --cold=yes
show bench -x
show bench --heads 0
show bench --heads 3000000000
show bench --threads 0
show bench --rounds 1e3
show bench --limit 0
show bench --seed -5
show bench --window 8,,9
show bench --window -1
show bench --dtype f32,fp8
show bench --pass sideways
show bench --schedule 'z*'
show bench --schedule c16 --pass forward
show bench --device gpu
show bench --device cpu:x
show bench --device cpu --isa sse9 | sed 's/build has .*/build has .../'
show bench --lens ''
show bench --lens 5,,7 | sed 's/; write .*/; write .../'
show bench --lens 0x5 | sed 's/; write .*/; write .../'
show bench --lens -5 | sed 's/; write .*/; write .../'
show bench --lens 9..5x3 | sed 's/; write .*/; write .../'
show export --format xml
show workload --window 1,2
show workload --dtype f32,bf16
show workload --cu int16
show verify --fuzz 3 --lens 5
show verify --fuzz 0
show tune --budget 5 --limit 3
show tune --plan nowhere.json
show tune --plan - --lens 5
echo '{"problems": [{"lens": "5", "windows": [8, "nine"]}]}' | show tune --plan -
show tune --shard 1/2
show tune --plan - --shard 3/2
show tune --missing --heads 3
show bench --patience 0
show import
PATTN_DB= show tune
empty
