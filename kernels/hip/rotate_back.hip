#include "kernels/gpu/device_rotate_back.h"
