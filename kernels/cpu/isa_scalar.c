#include "kernels/cpu/vec_scalar.h"
#include "kernels/cpu/body.h"
