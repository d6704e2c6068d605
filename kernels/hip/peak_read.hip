#include "kernels/gpu/device_peak_read.h"
