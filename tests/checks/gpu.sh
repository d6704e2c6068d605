# Every GPU kernel compiles for every architecture, without a spill and within its shared memory.
"$ROOT/build/release/tests/check_gpu" >table || { cat table && exit 1; }
tail -n 1 table
! grep -q 'check-gpu: skipped' table || exit 77
