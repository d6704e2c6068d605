/* Compiling for AMD GPUs at run time. */
#ifndef KERNELS_HIP_HIPRTC_H
#define KERNELS_HIP_HIPRTC_H

#include "kernels/gpu/gpu_driver.h"

/* Options of every compilation; NULL at the end. */
extern const char *const hiprtc_options[];

int hiprtc_compiler(char text[96], struct err *err);
/* In a process of its own: some releases abort for architectures they do not know. */
int hiprtc_compile(const struct gpu_source *source, const char *architecture, struct gpu_code *code,
	struct str *log, struct err *err);

#endif
