# What the scripts share. Source it first; $PATTN is the binary, $ROOT the repository.
unset PATTN_DB NO_COLOR
export LC_ALL=C
SHAPE="--device cpu --isa scalar --threads 1 --lens 5,33 --heads 1"
QUICK="$SHAPE --rounds 5"
PYTHON=/usr/bin/python3

# show ARGS...: the command, what it says on either stream, and its exit status.
show() {
	echo "\$ pattn $*"
	"$PATTN" "$@" 2>&1
	echo "[$?]"
}

# want STATUS ARGS...: runs it; another exit status ends the test. Streams are left alone.
want() {
	local status want=$1
	shift
	"$PATTN" "$@"
	status=$?
	((status == want)) || fail "exit status $status, not $want: pattn $*"
}

fail() {
	echo "$*" >&2
	exit 1
}

# skip REASON: cannot run here.
skip() {
	echo "$*"
	exit 77
}

# needs MODULE: a Python module of Debian's.
needs() {
	"$PYTHON" -c "import $1" 2>/dev/null || skip "no $1 for $PYTHON; apt install python3-$1"
}

# Nothing was written.
empty() {
	[ -z "$(ls -A)" ] || fail "left behind: $(ls -A)"
}

# until_true SECONDS COMMAND...: waits for it.
until_true() {
	local left=$(($1 * 10))
	shift
	until "$@"; do
		((left-- > 0)) || fail "waited in vain: $*"
		sleep 0.1
	done
}

# trials FILE: how many a store holds.
trials() {
	"$PATTN" export --db "$1" --trials --format csv 2>/dev/null | tail -n +2 | wc -l
}

has_trials() {
	(($(trials "$1") > 0))
}

# Rounds that the contest in flight has kept in tuning.db.
rounds() {
	"$PYTHON" -c '
import sqlite3
print(sqlite3.connect("tuning.db").execute("SELECT max(done) FROM checkpoint").fetchone()[0] or 0)'
}
has_rounds() {
	[ -e tuning.db ] && (($(rounds) > 0))
}

# Figures of a device, and its name, become words.
mask() {
	sed -E -e 's/^cpu: .*/DEVICE/' -e 's/^measured peak: .*/PEAK/' \
		-e 's/[0-9.]+e[-+][0-9]+/ERROR/g' \
		-e 's/[0-9]+ unsupported$/N unsupported/' \
		-e 's/^  ([rcm][0-9]+(_c[0-9]+)?) +[0-9].*/  \1 FIGURES/'
}

# Without what a busy machine makes pattn warn of.
steady() {
	grep -Ev '^pattn: [a-z0-9_]+: ([0-9]+ of [0-9]+ samples|[0-9]+ % of the floor)'
}

# Escape sequences on standard input.
escapes() {
	tr -cd '\033' | wc -c
}

# validate FILE...: against the schema of reports, or $SCHEMA.
validate() {
	"$PYTHON" - "$ROOT/data/${SCHEMA:-report.schema.json}" "$@" <<-'END' || exit 1
		import json, sys, jsonschema
		schema = json.load(open(sys.argv[1]))
		jsonschema.Draft7Validator.check_schema(schema)
		for path in sys.argv[2:]:
		    errors = list(jsonschema.Draft7Validator(schema).iter_errors(json.load(open(path))))
		    for error in errors[:5]:
		        print(path, list(error.path), error.message[:200], file=sys.stderr)
		    if errors:
		        sys.exit(1)
		    print(path, "follows the schema")
	END
}

# report FILE EXPRESSION: a Python expression over the report `r`.
report() {
	"$PYTHON" -c "import json, sys; r = json.load(open(sys.argv[1])); print($2)" "$1"
}
