# Static analysis finds nothing.
cd "$ROOT" || exit 1
command -v clang-tidy >/dev/null || { echo "no clang-tidy; install it"; exit 77; }
make -s tidy
