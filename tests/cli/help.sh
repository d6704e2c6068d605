# Help goes to standard output and exits with 0; only a bare `pattn` is a mistake.
. "$ROOT/tests/cli/lib.sh"
show help
for command in devices bench tune verify pick export workload help; do
	show help $command | grep -v '^  modernbert'
done
"$PATTN" --help | cmp - <("$PATTN" help) || fail "--help is not help"
"$PATTN" tune --rounds 3 -h | cmp - <("$PATTN" help tune) || fail "tune -h is not help tune"
"$PATTN" --version | grep -Eqx 'pattn [0-9]+\.[0-9]+\.[0-9]+ \(.+\)' || fail "--version"
"$PATTN" >out 2>err
echo "[$?] $(wc -c <out) bytes: $(head -n 1 err)"
