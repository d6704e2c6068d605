#include <stddef.h>

#include "kernels/cpu/cpu.h"
#include "kernels/cpu/isa.h"

extern const struct cpu_isa cpu_isa_avx512, cpu_isa_avx2, cpu_isa_scalar;

const struct cpu_isa *const cpu_ladder[] = {
#if defined(__x86_64__)
	&cpu_isa_avx512,
	&cpu_isa_avx2,
#endif
	&cpu_isa_scalar,
	NULL,
};

const char *cpu_isa_name(int rung)
{
	return cpu_ladder[rung] ? cpu_ladder[rung]->name : NULL;
}

bool cpu_isa_runs(int rung)
{
	return cpu_ladder[rung]->runs();
}
