/* One packed-attention problem: what is computed, its sizes and its least work. */
#ifndef DATA_PROBLEM_H
#define DATA_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/dtype.h"
#include "data/lens.h"

enum pass { PASS_FORWARD, PASS_BACKWARD };
#define PASS_COUNT 2
const char *pass_name(enum pass pass); /* "forward", "backward" */

#define HEAD_DIM  64 /* D */
#define HALF_DIM  (HEAD_DIM / 2)
#define NO_WINDOW INT64_C(-1)

/* Shapes: T = tokens, H = heads, D = HEAD_DIM, S = count.
 *   qkv [T, 3*H*D], out and dout [T, H*D], lse [H, T] f32, dqkv [T, 3*H*D],
 *   cos and sin [longest, D/2] f32. All offsets are 64-bit. */
struct problem {
	enum dtype dtype;
	int64_t heads;
	int64_t window; /* a query sees |i - j| <= window; NO_WINDOW: its whole sequence */
	int64_t count;  /* sequences */
	int64_t *lens;  /* [count] */
	int64_t *cu;    /* [count + 1] first token of each sequence; cu[count] = tokens */
	int64_t tokens;
	int64_t longest;
};

/* Copies `lens`. Refuses heads < 1, a window outside [NO_WINDOW, LENS_MAX_LEN] (so that a position
 * plus the window never wraps) and tensors whose f64 copies' byte sizes do not fit 63 bits.
 * problem_release frees it, also after a failure. */
int problem_init(struct problem *problem, const struct lens *lens, int64_t heads, int64_t window,
	enum dtype dtype, struct err *err);
void problem_release(struct problem *problem);

/* Elements of each tensor. */
int64_t problem_qkv_count(const struct problem *problem); /* also dqkv */
int64_t problem_out_count(const struct problem *problem); /* also dout */
int64_t problem_lse_count(const struct problem *problem);
int64_t problem_table_count(const struct problem *problem); /* cos, and sin */

/* (query, key) pairs within the window, of one head, summed over sequences; INT64_MAX when it
 * overflows. */
int64_t problem_pairs(const struct problem *problem);
/* Matrix work: 4*D flops a pair and head forward, 2.5 times that backward. */
double problem_flops(const struct problem *problem, enum pass pass);
/* Exponentials of a pass: one a pair and head. */
double problem_exponentials(const struct problem *problem);
/* The least bytes a pass moves: each input read once, each output written once. */
int64_t problem_bytes(const struct problem *problem, enum pass pass);

/* Host bytes needed to hold inputs, outputs, f64 results and the workspace of `threads` threads
 * for a pass; INT64_MAX when it overflows. */
int64_t problem_memory(const struct problem *problem, enum pass pass, int threads);
/* Fails with ERR_UNAVAILABLE, the bytes needed and the bytes had, when the problem cannot fit. */
int problem_fits(const struct problem *problem, enum pass pass, int threads, struct err *err);

/* "none" or the number. Returns `text`. */
const char *window_name(int64_t window, char text[32]);
/* "none" or a whole number in [0, LENS_MAX_LEN]. */
bool window_parse(const char *text, int64_t *window);

#endif
