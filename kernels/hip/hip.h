/* AMD GPUs through HIP and hipRTC, both found at run time. */
#ifndef KERNELS_HIP_HIP_H
#define KERNELS_HIP_HIP_H

#include "kernels/backend.h"
#include "kernels/gpu/gpu_driver.h"

extern const struct gpu_driver hip_driver;
extern const struct backend hip_backend;

#endif
