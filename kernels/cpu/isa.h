/* One rung of the instruction-set ladder: the same kernels (kernels/cpu/body.h) compiled for one
 * instruction set. Adding a rung: a header vec_NAME.h, a two-line isa_NAME.c, a row in
 * kernels/cpu/ladder.c and its flags in the Makefile. */
#ifndef KERNELS_CPU_ISA_H
#define KERNELS_CPU_ISA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "data/problem.h"

/* Softmax runs in base 2: scores carry a factor log2(e), which one product undoes. */
#define LOG2_E 1.4426950408889634f
#define LN_2   0.6931471805599453f

/* A share of a pass: rows of one head of one sequence. Forward, rows are queries; backward, keys.
 */
struct cpu_item {
	int64_t sequence;
	int64_t head;
	int64_t first, end; /* rows, within the sequence */
	int64_t part;       /* backward: which share of this head, of `parts` */
	int64_t parts;
	int64_t group;   /* backward: index of the head's counter in cpu_pass.pending */
	int64_t partial; /* backward: offset of the head's first partial dQ in cpu_pass.partials */
	double work;     /* pairs, for the order */
};

/* What all items of a pass share. Tensors as in data/problem.h. */
struct cpu_pass {
	const struct problem *problem;
	const void *qkv, *dout, *out; /* out: an input of the backward pass */
	const float *cos, *sin;
	void *out_written; /* the forward pass's outputs */
	float *lse;        /* written forward, read backward */
	void *dqkv;
	int tile_rows, tile_keys; /* the schedule's */
	float *partials;          /* dQ of heads that several items share, [parts][len][D] each */
	atomic_int *pending;      /* [heads that several items share] items still at work */
};

struct cpu_isa {
	const char *name;
	int lanes; /* f32 elements of a vector */
	bool (*runs)(void);
	/* Floats of scratch a thread needs for items of at most `rows` rows. */
	int64_t (*forward_scratch)(const struct cpu_pass *pass, int64_t rows);
	int64_t (*backward_scratch)(const struct cpu_pass *pass, int64_t rows);
	/* One item; `next` is likely to be this thread's next one, or NULL. */
	void (*forward)(const struct cpu_pass *pass, const struct cpu_item *item,
		const struct cpu_item *next, float *scratch);
	void (*backward)(const struct cpu_pass *pass, const struct cpu_item *item,
		const struct cpu_item *next, float *scratch);
	/* Multiplies and adds as fast as the units go, 2 * lanes * `steps` * (a small number)
	 * flops, which it returns. */
	double (*multiply_add)(int64_t steps);
	/* to[i] = 2^from[i] for `count` floats (a multiple of 16), as the softmax takes it. */
	void (*exponentials)(const float *from, float *to, int64_t count);
	/* Reads `count` floats (a multiple of 128) and adds them up. */
	float (*read)(const float *memory, int64_t count);
};

/* Best rung first; NULL at the end. */
extern const struct cpu_isa *const cpu_ladder[];

#endif
