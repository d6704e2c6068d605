#include "kernels/gpu/device_peak_exponent.h"
