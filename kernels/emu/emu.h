/* The emulator: a GPU that is threads of this process. */
#ifndef KERNELS_EMU_EMU_H
#define KERNELS_EMU_EMU_H

#include "kernels/backend.h"
#include "kernels/gpu/gpu_driver.h"

/* Runs the CUDA kernels with the limits of the architecture that device_options.emu names.
 * PATTN_EMU_SEED in the environment has threads run in the random order of that seed. */
extern const struct backend cuda_emu_backend;
/* The HIP kernels likewise. */
extern const struct backend hip_emu_backend;

/* Options of every compilation, as far as the driver's table goes: those of this very build, so
 * that a kernel compiled at run time is watched by the same sanitizer. */
extern const char *const emu_options[];
/* The generation of an AMD architecture, 11 for "gfx1100"; 0 for another's. */
int emu_gfx(const char *architecture);
int emu_compiler(char text[96], struct err *err);
int emu_compile(const struct gpu_source *source, const char *architecture, struct gpu_code *code,
	struct str *log, struct err *err);

#endif
