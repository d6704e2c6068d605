/* CUDA C++ to code, at run time, by NVRTC. */
#ifndef KERNELS_CUDA_NVRTC_H
#define KERNELS_CUDA_NVRTC_H

#include "kernels/gpu/gpu_driver.h"

/* Options of every compilation. */
extern const char *const nvrtc_options[];

/* As the slots of struct gpu_driver say. With a `log` the assembler's resource report is in it. */
int nvrtc_compiler(char text[96], struct err *err);
int nvrtc_compile(const struct gpu_source *source, const char *architecture, struct gpu_code *code,
	struct str *log, struct err *err);

#endif
