# Dependencies run one way: a file includes from its own layer and those below, and each library
# is included by the files that may.
cd "$ROOT" || exit 1
fault=0

# LAYER: what its files may include besides itself.
may_include() {
	case $1 in
	base) echo ;;
	data) echo base ;;
	oracle | kernels) echo base data ;;
	tune) echo base data oracle kernels ;;
	cmd) echo base data oracle kernels tune ;;
	esac
}

for layer in base data oracle kernels tune cmd; do
	for file in $(git ls-files "$layer" | grep '\.[ch]$'); do
		for from in $(sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' "$file" | sort -u); do
			case " $layer $(may_include $layer) " in
			*" $from "*) ;;
			*) echo "$file includes from $from/, which is not below $layer/" && fault=1 ;;
			esac
		done
	done
done

# only HEADER PATTERN: files that include HEADER must match PATTERN.
only() {
	for file in $(git grep -l "#include <$1>" -- '*.c' '*.h' | grep -v '^tests/'); do
		[[ $file =~ $2 ]] || { echo "$file includes $1" && fault=1; }
	done
}
only sqlite3.h '^tune/store.*\.[ch]$'
only cjson/cJSON.h '^(data/lens_json|cmd/format_json|cmd/[a-z_]*json[a-z_]*)\.[ch]$'
only dlfcn.h '^kernels/(cuda|hip|emu|gpu)/[a-z_]*\.[ch]$'
exit $fault
