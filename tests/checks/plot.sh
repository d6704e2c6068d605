# The picture in README.md is drawn from the run it tells of.
cd "$ROOT" || exit 1
command -v python3 >/dev/null || { echo "no python3; install it"; exit 77; }
python3 docs/plot.py data/runs/epyc-zen4_avx512_1-thread_bench.json | cmp - docs/bench.svg
