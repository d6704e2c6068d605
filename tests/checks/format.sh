# Every C file is as clang-format leaves it.
cd "$ROOT" || exit 1
command -v clang-format >/dev/null || { echo "no clang-format; install it"; exit 77; }
git ls-files '*.[ch]' | xargs clang-format --dry-run --Werror
