/* NVIDIA GPUs through the driver API and NVRTC, both found at run time. */
#ifndef KERNELS_CUDA_CUDA_H
#define KERNELS_CUDA_CUDA_H

#include "kernels/backend.h"
#include "kernels/gpu/gpu_driver.h"

extern const struct gpu_driver cuda_driver;
extern const struct backend cuda_backend;

#endif
