# The tar runs from an empty folder, on its own libraries, and is the same when made again.
set -u
fail() {
	echo "$*"
	exit 1
}
[ "$(uname -m)" = x86_64 ] || { echo "the tar is for x86_64"; exit 77; }

# The whole environment of the test, with the repository out of the way.
unset LD_LIBRARY_PATH PATTN_DB
export PATTN_CACHE=$PWD/cache
make -s -C "$ROOT" dist || exit 1
tar=$(ls "$ROOT"/build/dist/pattn-*-linux-x86_64.tar.gz) && cp "$tar" first.tar.gz
make -s -C "$ROOT" dist && cmp "$tar" first.tar.gz || fail "another tar the second time"
tar xzf first.tar.gz && cd pattn-*/ || exit 1

for file in README.md device.sh docs/pattn.1 data/report.schema.json data/lens/manual_pages.txt \
	peers/torch_attention.py; do
	[ -s "$file" ] || fail "no $file"
done
for library in libsqlite3.so.0 libcjson.so.1; do
	ldd "$PWD/pattn" | grep -q "$library => $PWD/$library " ||
		fail "$library is not the one beside the tool"
done

# hidden COMMAND...: runs it where the system's copies are empty files, which the loader refuses.
hidden() {
	"${unshare[@]}" bash -c 'for library in $0; do mount --bind /dev/null "$library" || exit 99; done
		"$@"' "$copies" "$@"
}
copies=$(ldconfig -p | sed -n 's/.*libc6,x86-64.* => \(.*lib\(sqlite3\|cjson\)\.so\.[0-9]*\)$/\1/p')
unshare=(unshare -m)
[ "$(id -u)" = 0 ] || unshare=(unshare -rm)
if [ -z "$copies" ] || ! hidden true 2>/dev/null; then
	echo "the system's copies cannot be hidden here" >&2
	hidden() { "$@"; }
else
	! hidden "$PATTN" devices >/dev/null 2>&1 || fail "the system's copies are not hidden"
fi
hidden ./pattn devices | grep -q '^  cuda-emu:0: emulated' || fail "no emulator"
hidden ./pattn verify --quiet --device cuda-emu --lens 5,40 --window 8 >emu || fail "$(cat emu)"
grep -q ' ok ' emu || fail "nothing was verified"
hidden ./pattn verify --quiet --device cpu >cpu || fail "$(cat cpu)"
hidden ./pattn bench --quiet --device cpu --lens 5,40 --rounds 2 --db kept.db --json run.json \
	>bench || fail "$(cat bench)"
[ -s kept.db ] && [ -s run.json ] || fail "no store or no report"
