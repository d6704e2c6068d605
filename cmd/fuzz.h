/* Random problems against the oracle. */
#ifndef CMD_FUZZ_H
#define CMD_FUZZ_H

#include "base/err.h"
#include "cmd/options.h"

/* One problem of a run: it depends on the run's seed and its number alone. */
struct draw {
	struct lens lens;
	int64_t heads;
	int64_t window;
	enum dtype dtype;
	int64_t seed; /* of its tensors */
};

/* The `number`th problem of the run of `seed`, of one of `dtypes[0..dtype_count)`.
 * lens_release(&draw->lens) is due also after a failure. */
int draw_problem(struct draw *draw, int64_t seed, int64_t number, const enum dtype *dtypes,
	int dtype_count, struct err *err);

/* Checks options->fuzz problems; an exit status, or -1 and `err`. */
int fuzz_run(const struct options *options, struct err *err);

#endif
