#include "kernels/cpu/vec_avx512.h"
#include "kernels/cpu/body.h"
