# clang finds no more to warn of than gcc.
cd "$ROOT" || exit 1
command -v clang >/dev/null || { echo "no clang; install it"; exit 77; }
make -s CC=clang OPT=-O0 BUILD=build/clang check-warnings
