# kill -9 at 20 random moments of a tune: the store is whole each time, what was shown is in it, no
# process is left behind, and the rerun finishes the rest.
set -u
HOW="--device cpu --lens 5,33 --heads 1 --pass forward --window none,0,1,2,3,4,5,6,7,8,9 --limit 1"
RANDOM=4
workers=()

ask() {
	/usr/bin/python3 -c 'import sqlite3, sys
print(sqlite3.connect("tuning.db").execute(sys.argv[1]).fetchone()[0])' "$1"
}
fail() {
	echo "$*"
	exit 1
}

before=0
for i in {1..20}; do
	"$PATTN" tune $HOW --quiet >out 2>err &
	pid=$!
	sleep $((RANDOM % 3)).$((RANDOM % 1000))
	workers=($(cat /proc/$pid/task/$pid/children 2>/dev/null))
	kill -9 $pid
	wait $pid 2>/dev/null
	[ -e tuning.db ] || continue
	[ "$(ask 'PRAGMA integrity_check')" = ok ] || fail "kill $i: damaged"
	shown=$(grep -c '^f32' out)
	decided=$(ask 'SELECT count(*) FROM decision')
	((shown <= decided)) || fail "kill $i: $shown contests were shown, $decided are stored"
	((decided >= before)) || fail "kill $i: $((before - decided)) decisions are gone"
	before=$decided
	sleep 0.1
	for worker in "${workers[@]}"; do
		state=$(sed -n 's/^State:\t\(.\).*/\1/p' /proc/$worker/status 2>/dev/null)
		[[ $state = '' || $state = Z ]] || fail "kill $i: process $worker lives on"
	done
done
"$PATTN" tune $HOW >out 2>err || fail "the rerun fails: $(cat err)"
echo "$before of 11 decided by the last kill; taken up again: $(grep -c 'taken up' err)"
(($(grep -c '^f32' out) == 11)) || fail "the rerun does not finish"
(($(ask 'SELECT count(*) FROM decision') == 11)) || fail "not all are decided"
(($(ask 'SELECT count(*) FROM checkpoint') == 0)) || fail "checkpoints are left"
(($("$PATTN" tune $HOW | grep -c cached) == 11)) || fail "not all are cached"
