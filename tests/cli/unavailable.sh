# What cannot be had exits with 3 and one line, before anything is measured or written.
. "$ROOT/tests/cli/lib.sh"
show bench --lens @missing
show bench --json missing/report.json
show bench --device cpu:7
show export --db missing.db
show pick --db missing.db --device cpu
show export -o missing/report.json
show tune --db missing/tuning.db --device cpu
show tune --db . --device cpu
show verify --schedule 'm*' --device cpu --isa scalar --quiet | tail -n 2
# Beyond any memory, but not beyond 64 bits.
show tune --device cpu --lens 1000000x100000 | sed -E 's/needs .* free/needs MORE/'
show workload --lens 1000000x100000 --dump dump | tail -n 2 | sed -E 's/needs .* free/needs MORE/'
# Beyond 64 bits.
show tune --device cpu --lens 16777216x1073741824 2>&1 | grep -c '^pattn: '
empty
