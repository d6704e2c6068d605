# The manual page is what its generator writes, and troff has nothing to say against it.
cd "$ROOT" || exit 1
make -s build/release/man || exit 1
build/release/man | diff -u docs/pattn.1 - || { echo "run 'make man'"; exit 1; }
command -v man >/dev/null || { echo "no man; install man-db"; exit 77; }
said=$(LC_ALL=C.UTF-8 MANWIDTH=90 man --warnings -E UTF-8 -l -Tutf8 -Z docs/pattn.1 2>&1 >/dev/null)
[ -z "$said" ] || { echo "$said"; exit 1; }
