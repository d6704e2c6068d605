#include "kernels/gpu/device_delta.h"
