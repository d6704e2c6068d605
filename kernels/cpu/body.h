/* The kernels of one rung, written once over the vectors of vec_NAME.h. */
#include "kernels/cpu/mutant.h"
#include "kernels/cpu/span.h"

#include "kernels/cpu/product.h"
#include "kernels/cpu/pack.h"
#include "kernels/cpu/ahead.h"
#include "kernels/cpu/forward.h"
#include "kernels/cpu/backward.h"
#include "kernels/cpu/rates.h"

#define NAME_OF(isa)   #isa
#define TEXT_OF(isa)   NAME_OF(isa)
#define SYMBOL_OF(isa) cpu_isa_##isa
#define TABLE_OF(isa)  SYMBOL_OF(isa)

extern const struct cpu_isa TABLE_OF(ISA);

const struct cpu_isa TABLE_OF(ISA) = {
	.name = TEXT_OF(ISA),
	.lanes = LANES,
	.runs = isa_runs,
	.forward_scratch = forward_scratch,
	.backward_scratch = backward_scratch,
	.forward = forward,
	.backward = backward,
	.multiply_add = multiply_add,
	.exponentials = exponentials,
	.read = read_memory,
};
