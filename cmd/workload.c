#include "base/file.h"
#include "base/mem.h"
#include "base/team.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/stage.h"
#include "data/npy.h"

static void add_memory(struct str *text, const struct problem *problem, enum pass pass)
{
	int64_t bytes = problem_memory(problem, pass, team_processors());
	char size[32];

	str_addf(text, "%16s", bytes == INT64_MAX ? "beyond 8 EiB" : str_bytes(bytes, size));
}

static void show_problem(const struct problem *problem, const struct lens *lens)
{
	struct str text = {0};
	char window[32], size[32];

	str_add(&text, "lens        ");
	lens_format(lens, &text);
	str_addf(&text, "\nsequences   %lld\ntokens      %lld\nlongest     %lld\n",
		(long long)problem->count, (long long)problem->tokens, (long long)problem->longest);
	str_addf(&text, "heads       %lld\ndimension   %d\nwindow      %s\ndtype       %s\n",
		(long long)problem->heads, HEAD_DIM, window_name(problem->window, window),
		dtype_name(problem->dtype));
	str_addf(&text, "pairs       %lld a head\n\n", (long long)problem_pairs(problem));
	str_addf(&text, "%12s%16s%16s\n", "", pass_name(PASS_FORWARD), pass_name(PASS_BACKWARD));
	str_addf(&text, "%-12s%16.6g%16.6g\n", "flops", problem_flops(problem, PASS_FORWARD),
		problem_flops(problem, PASS_BACKWARD));
	str_addf(&text, "%-12s%16s", "least bytes",
		str_bytes(problem_bytes(problem, PASS_FORWARD), size));
	str_addf(&text, "%16s\n", str_bytes(problem_bytes(problem, PASS_BACKWARD), size));
	str_addf(&text, "%-12s", "memory");
	add_memory(&text, problem, PASS_FORWARD);
	add_memory(&text, problem, PASS_BACKWARD);
	str_add(&text, "\n");
	out(text.text);
	str_release(&text);
}

/* A matrix to be written as f32: of doubles, or else of a tensor's type. */
struct matrix {
	const char *name;
	int64_t rows, columns;
	const double *doubles;
	const void *tensor;
	enum dtype dtype;
};

static int write_array(const char *folder, const char *name, enum npy_type type, const void *values,
	const int64_t *shape, int rank, struct err *err)
{
	struct str path = {0};

	str_addf(&path, "%s/%s.npy", folder, name);
	int result = npy_write(path.text, type, values, shape, rank, err);
	str_release(&path);
	return result;
}

static int write_matrix(const char *folder, const struct matrix *matrix, struct err *err)
{
	const int64_t shape[] = {matrix->rows, matrix->columns};
	int64_t count = matrix->rows * matrix->columns;
	float *floats = mem_new(count, sizeof *floats, matrix->name, err);

	for (int64_t i = 0; floats && i < count; i++)
		floats[i] = matrix->doubles ? (float)matrix->doubles[i]
					    : dtype_load(matrix->dtype, matrix->tensor, i);
	int result =
		floats ? write_array(folder, matrix->name, NPY_F32, floats, shape, 2, err) : -1;
	mem_free(floats);
	return result;
}

static int write_cu(
	const char *folder, const struct problem *problem, enum npy_type type, struct err *err)
{
	int64_t count = problem->count + 1;

	if (type == NPY_I64)
		return write_array(folder, "cu_seqlens", type, problem->cu, &count, 1, err);
	int32_t *narrow = mem_new(count, sizeof *narrow, "cu_seqlens", err);
	for (int64_t i = 0; narrow && i < count; i++)
		narrow[i] = (int32_t)problem->cu[i];
	int result = narrow ? write_array(folder, "cu_seqlens", type, narrow, &count, 1, err) : -1;
	mem_free(narrow);
	return result;
}

static int write_all(const struct options *options, const struct problem *problem,
	const struct stage *stage, struct err *err)
{
	const struct tensors *tensors = &stage->tensors;
	const struct oracle *oracle = &stage->oracle;
	int64_t tokens = problem->tokens, heads = problem->heads, width = heads * HEAD_DIM;
	enum dtype dtype = problem->dtype;
	const struct matrix matrices[] = {
		{"qkv", tokens, 3 * width, NULL, tensors->qkv, dtype},
		{"dout", tokens, width, NULL, tensors->dout, dtype},
		{"cos", problem->longest, HALF_DIM, NULL, tensors->cos, DTYPE_F32},
		{"sin", problem->longest, HALF_DIM, NULL, tensors->sin, DTYPE_F32},
		{"out", tokens, width, oracle->out, NULL, DTYPE_F32},
		{"lse", heads, tokens, oracle->lse, NULL, DTYPE_F32},
		{"dqkv", tokens, 3 * width, oracle->dqkv, NULL, DTYPE_F32},
	};

	if (file_make_dir(options->dump, err))
		return -1;
	for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
		if (write_matrix(options->dump, &matrices[i], err))
			return -1;
	return write_cu(options->dump, problem, options->cu, err);
}

static int dump_problem(
	const struct options *options, const struct problem *problem, struct err *err)
{
	struct stage stage = {0};
	struct team *team = NULL;
	int result = -1;

	if (options->cu == NPY_I32 && problem->tokens > INT32_MAX)
		return err_set(err, ERR_USAGE,
			"--cu: %lld tokens do not fit int32; write --cu int64",
			(long long)problem->tokens);
	if (problem_fits(problem, PASS_BACKWARD, team_processors(), err) ||
		!(team = team_new(team_processors(), err)) ||
		stage_make(
			&stage, problem, (uint64_t)options->seed, PASS_BACKWARD, false, team, err))
		goto out;
	result = write_all(options, problem, &stage, err);
out:
	stage_release(&stage);
	team_free(team);
	return result;
}

int workload_run(const struct options *options, struct err *err)
{
	struct lens lens = {0};
	struct problem problem = {0};
	int result = -1;

	if (lens_parse(&lens, options->lens, (uint64_t)options->seed, err) ||
		problem_init(&problem, &lens, options->heads, options->windows[0],
			options->dtypes[0], err))
		goto out;
	show_problem(&problem, &lens);
	result = options->dump ? dump_problem(options, &problem, err) : EXIT_FINE;
out:
	problem_release(&problem);
	lens_release(&lens);
	return result;
}
