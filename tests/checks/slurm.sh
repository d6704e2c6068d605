# The array job of docs/sharding.md, run by a Slurm of one node on this machine: three shards whose
# files merge into what one run finds.
set -u
for tool in munged slurmctld slurmd sbatch sinfo squeue; do
	command -v $tool >/dev/null ||
		{ echo "no $tool; install munge, slurmctld, slurmd and slurm-client"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "slurmd starts jobs as root alone"; exit 77; }
. "$ROOT/tests/cli/lib.sh"
HERE=$PWD HOST=$(hostname -s) PORT=$((20000 + RANDOM % 20000))
chmod 755 .
mkdir ctld d
trap 'kill $(cat ./*.pid) 2>/dev/null; wait' EXIT

head -c 1024 /dev/urandom >munge.key
chmod 400 munge.key
munged --force --foreground --socket="$HERE/munge.sock" --key-file="$HERE/munge.key" \
	--pid-file="$HERE/munged.pid" --seed-file="$HERE/munge.seed" --log-file="$HERE/munged.log" \
	>munged.out 2>&1 &
cat >slurm.conf <<END
ClusterName=pattn
SlurmctldHost=$HOST(127.0.0.1)
SlurmUser=root
SlurmctldPort=$PORT
SlurmdPort=$((PORT + 1))
AuthInfo=socket=$HERE/munge.sock
StateSaveLocation=$HERE/ctld
SlurmdSpoolDir=$HERE/d
SlurmctldPidFile=$HERE/slurmctld.pid
SlurmdPidFile=$HERE/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
NodeName=$HOST NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
PartitionName=main Nodes=$HOST Default=YES State=UP
END
export SLURM_CONF=$HERE/slurm.conf
until_true 10 test -S munge.sock
slurmctld -D >slurmctld.log 2>&1 &
slurmd -D -N "$HOST" >slurmd.log 2>&1 &
is_idle() {
	[ "$(sinfo -h -o %t 2>/dev/null)" = idle ]
}
until_true 30 is_idle

cat >plan.json <<'END'
{"problems": [
	{"lens": "5,33", "heads": 1, "windows": ["none", 0, 8], "passes": ["forward"]},
	{"lens": "3x7", "heads": 2, "windows": [0], "dtypes": ["f32", "bf16"], "passes": ["forward"]}
]}
END
mkdir bin
ln -s "$PATTN" bin/pattn
PATH=$HERE/bin:$PATH
sed -n '/^```sh$/,/^```$/{/^```/!p}' "$ROOT/docs/sharding.md" >job.sh
sbatch --parsable job.sh >id || fail "sbatch: $(cat slurmctld.log)"
is_done() {
	[ -z "$(squeue -h -j "$(cat id)" 2>/dev/null)" ]
}
until_true 120 is_done
for shard in 1 2 3; do
	[ -e part$shard.db ] || fail "shard $shard left nothing: $(cat slurm-*_$shard.out slurmd.log)"
done
pattn import part*.db
(($(pattn export --format csv | tail -n +2 | cut -d , -f 1-8 | sort -u | wc -l) == 5)) ||
	fail "not all problems are decided"
(($(pattn tune --plan plan.json | grep -c cached) == 5)) || fail "not all are cached"
