# Every recorded run follows the report's schema.
source "$ROOT/tests/cli/lib.sh"
needs jsonschema
validate "$ROOT"/data/runs/*.json
