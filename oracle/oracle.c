#include "oracle/oracle.h"

#include "base/mem.h"
#include "base/stop.h"
#include "oracle/block.h"

/* An item is a block of rows of one head of one sequence. Each is computed alone and in one order,
 * so that it matters neither how many threads there are nor which takes it. */
struct work {
	const struct problem *problem;
	const struct tensors *tensors;
	const struct oracle *oracle;
	int64_t *blocks;               /* [count + 1] blocks of one head before each sequence */
	struct block_scratch *scratch; /* one a thread */
	block_job *const *jobs;        /* ending with NULL */
};

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The sequence that block `block` is of: the last that begins at or before it, as sequences
 * without tokens have no blocks. */
static int64_t sequence_of(const struct work *work, int64_t block)
{
	int64_t low = 0, high = work->problem->count;

	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;

		if (work->blocks[middle] <= block)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* A hidden pair weighs zero, but zero times a value that is not finite is not a number: where one
 * turns up beside a window's edge the block is done row by row, which leaves no hidden pairs. */
static void run_job(block_job *job, struct block_scratch *scratch, const struct head *head,
	int64_t first, int count)
{
	if (job(scratch, head, first, count) || head->reach == head->len)
		return;
	for (int i = 0; i < count; i++)
		job(scratch, head, first + i, 1);
}

static void run_item(void *context, int64_t item, int thread)
{
	const struct work *work = context;
	const struct problem *problem = work->problem;
	int64_t block = item / problem->heads;
	int64_t sequence = sequence_of(work, block), len = problem->lens[sequence];
	int64_t first = (block - work->blocks[sequence]) * BLOCK_ROWS;
	struct head head = {.problem = problem,
		.tensors = work->tensors,
		.oracle = work->oracle,
		.start = problem->cu[sequence],
		.len = len,
		.index = item % problem->heads,
		.reach = problem->window == NO_WINDOW ? len : least(problem->window, len)};

	if (stop_asked())
		return;
	for (block_job *const *job = work->jobs; *job; job++)
		run_job(*job, &work->scratch[thread], &head, first,
			(int)least(len - first, BLOCK_ROWS));
}

static int work_init(struct work *work, struct team *team, struct err *err)
{
	const struct problem *problem = work->problem;
	int64_t count = problem->count;

	work->blocks = mem_new(count + 1, sizeof *work->blocks, "the oracle's blocks", err);
	work->scratch =
		mem_new(team_size(team), sizeof *work->scratch, "the oracle's workspace", err);
	if (!work->blocks || !work->scratch)
		return -1;
	for (int64_t i = 0; i < count; i++)
		work->blocks[i + 1] =
			work->blocks[i] + (problem->lens[i] + BLOCK_ROWS - 1) / BLOCK_ROWS;
	for (int i = 0; i < team_size(team); i++)
		work->scratch[i].lanes = lanes_best();
	return 0;
}

static void work_release(struct work *work)
{
	mem_free(work->blocks);
	mem_free(work->scratch);
}

static int oracle_init(
	struct oracle *oracle, const struct problem *problem, enum pass pass, struct err *err)
{
	int64_t outs = problem_out_count(problem), lses = problem_lse_count(problem);

	*oracle = (struct oracle){0};
	if (!(oracle->out = mem_new(outs, sizeof *oracle->out, "the oracle's out", err)) ||
		!(oracle->lse = mem_new(lses, sizeof *oracle->lse, "the oracle's lse", err)))
		return -1;
	if (pass == PASS_BACKWARD && !(oracle->dqkv = mem_new(problem_qkv_count(problem),
					       sizeof *oracle->dqkv, "the oracle's dqkv", err)))
		return -1;
	return 0;
}

int oracle_run(struct oracle *oracle, const struct problem *problem, const struct tensors *tensors,
	enum pass pass, struct team *team, struct err *err)
{
	static block_job *const forward[] = {block_attend, NULL};
	static block_job *const backward[] = {block_query_gradient, block_key_gradient, NULL};
	block_job *const *const phases[] = {forward, backward};
	struct work work = {.problem = problem, .tensors = tensors, .oracle = oracle};
	int failed = -1;

	if (oracle_init(oracle, problem, pass, err) || work_init(&work, team, err))
		goto out;
	for (int phase = 0; phase <= (pass == PASS_BACKWARD); phase++) {
		work.jobs = phases[phase];
		team_run(team, work.blocks[problem->count] * problem->heads, run_item, &work);
	}
	failed = stop_asked() ? err_set(err, ERR_INTERRUPTED, "stopped in the oracle") : 0;
out:
	work_release(&work);
	return failed;
}

void oracle_release(struct oracle *oracle)
{
	mem_free(oracle->out);
	mem_free(oracle->lse);
	mem_free(oracle->dqkv);
	*oracle = (struct oracle){0};
}
