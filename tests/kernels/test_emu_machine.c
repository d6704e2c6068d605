/* The emulated machine: its matrix unit against the PTX documentation's tables, and every misuse it
 * promises to refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "kernels/emu/simt/half.h"
#include "kernels/emu/simt/simt.h"

#if defined(__has_feature)
#define FEATURE(name) __has_feature(name)
#else
#define FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || FEATURE(address_sanitizer) || FEATURE(thread_sanitizer)
#define WATCHED 1
#else
#define WATCHED 0
#endif

static int run(void (*kernel)(struct args), struct simt_launch launch, void *out, char error[512])
{
	struct args args = {.out = out};

	launch.kernel = kernel;
	launch.name = "kernel";
	launch.args = &args;
	launch.grid_x = launch.grid_x ? launch.grid_x : 1;
	launch.grid_y = launch.grid_y ? launch.grid_y : 1;
	launch.threads = launch.threads ? launch.threads : 32;
	error[0] = '\0';
	return simt_run(&launch, error, 512);
}

/* Runs a kernel that does what no kernel may; the error must say `what`. */
static void refused(void (*kernel)(struct args), struct simt_launch launch, const char *what)
{
	char error[512];
	float out[1024] = {0};

	assert_int_equal(run(kernel, launch, out, error), -1);
	if (!strstr(error, what))
		fail_msg("the error is '%s', not '%s'", error, what);
}

/* PTX ISA, "Matrix fragments for mma.m16n8k16 with floating point type": the row and column of
 * element i of a lane's fragment. */
struct spot {
	int row, column;
};

static struct spot spot_a(int lane, int i)
{
	int group = lane >> 2, in_group = lane % 4;

	return (struct spot){(i < 2 || (i >= 4 && i < 6)) ? group : group + 8,
		i < 4 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8};
}

static struct spot spot_b(int lane, int i)
{
	int group = lane >> 2, in_group = lane % 4;

	return (struct spot){i < 2 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8, group};
}

static struct spot spot_c(int lane, int i)
{
	int group = lane >> 2, in_group = lane % 4;

	return (struct spot){i < 2 ? group : group + 8, in_group * 2 + (i & 1)};
}

static struct {
	float a[16][16], b[16][8], c[16][8], d[16][8];
	enum simt_elem elem;
} product;

static uint32_t element(float value)
{
	return product.elem == SIMT_BF16 ? bf16_bits(value) : f16_bits(value);
}

static void multiply(struct args args)
{
	int lane = (int)simt_place().thread;
	uint32_t a[4] = {0}, b[2] = {0};
	float c[4];

	(void)args;
	for (int i = 0; i < 8; i++)
		a[i / 2] |= element(product.a[spot_a(lane, i).row][spot_a(lane, i).column])
			    << 16 * (i % 2);
	for (int i = 0; i < 4; i++)
		b[i / 2] |= element(product.b[spot_b(lane, i).row][spot_b(lane, i).column])
			    << 16 * (i % 2);
	for (int i = 0; i < 4; i++)
		c[i] = product.c[spot_c(lane, i).row][spot_c(lane, i).column];
	simt_mma(c, a, b, product.elem, "here");
	for (int i = 0; i < 4; i++)
		product.d[spot_c(lane, i).row][spot_c(lane, i).column] = c[i];
}

/* Small whole numbers are exact in every type, and their sums too. */
static void fill_whole(float *values, int count, struct rng *rng)
{
	for (int i = 0; i < count; i++)
		values[i] = (float)(int)(rng_next(rng) >> 33 & 15) - 8;
}

static void test_mma_matches_ptx_tables(void **state)
{
	struct rng rng = {5};
	char error[512];

	(void)state;
	for (int elem = SIMT_BF16; elem <= SIMT_F16; elem++) {
		product.elem = (enum simt_elem)elem;
		fill_whole(&product.a[0][0], 16 * 16, &rng);
		fill_whole(&product.b[0][0], 16 * 8, &rng);
		fill_whole(&product.c[0][0], 16 * 8, &rng);
		assert_int_equal(run(multiply, (struct simt_launch){0}, NULL, error), 0);
		for (int m = 0; m < 16; m++)
			for (int n = 0; n < 8; n++) {
				float want = product.c[m][n];

				for (int k = 0; k < 16; k++)
					want += product.a[m][k] * product.b[k][n];
				assert_true(product.d[m][n] == want);
			}
	}
}

/* Four matrices one below the other, each element its own index, rows 24 bytes longer than they
 * need be. */
#define MATRIX_PITCH 24

static void load(struct args args, int transposed)
{
	int lane = (int)simt_place().thread;
	uint16_t *tile = simt_shared("tile", 32 * MATRIX_PITCH * sizeof *tile);
	uint32_t r[4];

	for (int i = 0; i < 8; i++)
		tile[lane * MATRIX_PITCH + i] = (uint16_t)(lane * 8 + i);
	simt_warp_barrier("filled");
	simt_ldmatrix(r, tile + lane * MATRIX_PITCH, transposed, "here");
	memcpy((uint32_t *)args.out + 4 * lane, r, sizeof r);
}

static void load_plain(struct args args)
{
	load(args, 0);
}

static void load_transposed(struct args args)
{
	load(args, 1);
}

/* PTX ISA, ldmatrix: lane 4 row + pair holds elements 2 pair and 2 pair + 1 of its row, or, with
 * .trans, of its column. */
static void test_ldmatrix_matches_ptx_tables(void **state)
{
	struct simt_launch launch = {.shared = 32 * MATRIX_PITCH * sizeof(uint16_t)};
	uint32_t got[2][32][4];
	char error[512];

	(void)state;
	assert_int_equal(run(load_plain, launch, got[0], error), 0);
	assert_int_equal(run(load_transposed, launch, got[1], error), 0);
	for (int lane = 0; lane < 32; lane++)
		for (int matrix = 0; matrix < 4; matrix++)
			for (int i = 0; i < 2; i++) {
				int down = lane / 4, along = 2 * (lane % 4) + i;
				uint32_t plain = got[0][lane][matrix] >> 16 * i & 0xffffu;
				uint32_t turned = got[1][lane][matrix] >> 16 * i & 0xffffu;

				assert_int_equal(plain, matrix * 64 + down * 8 + along);
				assert_int_equal(turned, matrix * 64 + along * 8 + down);
			}
}

/* Rows of 128 bytes are eight to a bank; padded by 16 bytes they are all apart. */
static void count_conflicts(struct args args)
{
	int lane = (int)simt_place().thread, pitch = *(int *)args.out;
	uint16_t *tile = simt_shared("tile", 32 * 72 * sizeof *tile);
	uint32_t r[4];

	for (int i = 0; i < 72; i++)
		tile[lane * 72 + i] = 0;
	simt_warp_barrier("filled");
	simt_ldmatrix(r, tile + lane * pitch, 0, "here");
}

static void test_conflicts_are_counted(void **state)
{
	static const struct {
		int pitch;
		uint64_t conflicts;
	} cases[] = {{64, 4 * 7}, {72, 0}};

	(void)state;
	for (int i = 0; i < 2; i++) {
		int pitch = cases[i].pitch;
		struct args args = {.out = &pitch};
		struct simt_launch launch = {.kernel = count_conflicts,
			.name = "kernel",
			.args = &args,
			.grid_x = 1,
			.grid_y = 1,
			.threads = 32,
			.shared = 32 * 72 * sizeof(uint16_t)};
		char error[512];

		assert_int_equal(simt_run(&launch, error, sizeof error), 0);
		assert_int_equal(launch.counts.conflicts, cases[i].conflicts);
	}
}

#define SUM_THREADS 256

/* A sum over the block by halves, then its square by shuffles: wrong in any order of threads that
 * the barriers allow but a device would not. */
static void sum(struct args args)
{
	int *parts = simt_shared("parts", SUM_THREADS * sizeof *parts);
	struct simt_place place = simt_place();
	float value;

	parts[place.thread] = (int)place.thread;
	for (unsigned half = SUM_THREADS / 2; half; half /= 2) {
		simt_barrier("halve");
		if (place.thread < half)
			parts[place.thread] += parts[place.thread + half];
	}
	simt_barrier("summed");
	value = (float)parts[0];
	for (unsigned mask = 1; mask < 32; mask *= 2)
		value += simt_shuffle_xor(value, mask, "shuffle");
	if (place.thread % 32 == 0)
		((float *)args.out)[(place.block_y * place.grid_x + place.block_x) * 8 +
				    place.thread / 32] = value;
}

static void test_any_order_gives_the_same(void **state)
{
	char error[512];
	float out[15 * 8];

	(void)state;
	for (uint64_t seed = 0; seed < 4; seed++)
		for (int workers = 1; workers <= 3; workers += 2) {
			struct simt_launch launch = {.grid_x = 5,
				.grid_y = 3,
				.threads = SUM_THREADS,
				.shared = SUM_THREADS * sizeof(int),
				.seed = seed,
				.workers = workers};

			memset(out, 0, sizeof out);
			assert_int_equal(run(sum, launch, out, error), 0);
			for (int i = 0; i < 15 * 8; i++)
				assert_true(out[i] == 32640.0f * 32);
		}
}

static void fill_shared(struct args args)
{
	float *values = simt_shared("values", 64);
	float value = values[simt_place().thread % 16];

	if (simt_place().thread == 0)
		((float *)args.out)[0] = value;
}

static void test_shared_memory_is_nan_at_first(void **state)
{
	char error[512];
	float out = 0;

	(void)state;
	assert_int_equal(run(fill_shared, (struct simt_launch){.shared = 64}, &out, error), 0);
	assert_true(out != out);
}

static void copy_late(struct args args)
{
	static _Alignas(16) const float source[4] = {1, 2, 3, 4};
	float *to = simt_shared("to", 32);
	float *out = args.out;

	if (simt_place().thread)
		return;
	to[0] = 5;
	simt_copy(to, source, 1, "here");
	simt_copy(to + 4, source, 0, "here");
	out[0] = to[0];
	simt_copy_wait();
	out[1] = to[3];
	out[2] = to[7];
}

static void test_copy_comes_with_the_wait(void **state)
{
	char error[512];
	float out[3] = {0};

	(void)state;
	assert_int_equal(run(copy_late, (struct simt_launch){.shared = 32}, out, error), 0);
	assert_true(out[0] != out[0]);
	assert_true(out[1] == 4);
	assert_true(out[2] == 0);
}

static void diverge_at_barriers(struct args args)
{
	(void)args;
	if (simt_place().thread < 32)
		simt_barrier("first");
	else
		simt_barrier("second");
}

static void skip_barrier(struct args args)
{
	(void)args;
	if (simt_place().thread < 32)
		simt_barrier("first");
}

static void diverge_in_warp(struct args args)
{
	(void)args;
	if (simt_place().thread & 1)
		simt_shuffle_xor(0, 1, "odd");
	else
		simt_shuffle_xor(0, 1, "even");
}

static void return_from_shuffle(struct args args)
{
	(void)args;
	if (simt_place().thread)
		simt_shuffle_xor(0, 1, "others");
}

static void wait_crosswise(struct args args)
{
	(void)args;
	if (simt_place().thread & 1)
		simt_warp_barrier("odd");
	else
		simt_barrier("even");
}

static void forget_copy(struct args args)
{
	static _Alignas(16) const float source[4];

	(void)args;
	simt_copy(simt_shared("to", 16), source, 1, "forgotten");
}

static void copy_outside(struct args args)
{
	static _Alignas(16) const float source[4];
	char *to = simt_shared("to", 16);

	(void)args;
	simt_copy(to + 16, source, 1, "here");
}

static void load_outside(struct args args)
{
	char *tile = simt_shared("tile", 256);
	uint32_t r[4];

	(void)args;
	simt_ldmatrix(r, tile + 16 * simt_place().thread, 0, "here");
}

static void load_crooked(struct args args)
{
	char *tile = simt_shared("tile", 1024);
	uint32_t r[4];

	(void)args;
	simt_ldmatrix(r, tile + 8, 0, "here");
}

static void take_too_much(struct args args)
{
	(void)args;
	simt_shared("first", 64);
	simt_shared("second", 64);
}

static void take_differently(struct args args)
{
	(void)args;
	simt_shared("array", simt_place().thread ? 32 : 64);
}

static void write_past_shared(struct args args)
{
	char *array = simt_shared("array", 64);

	(void)args;
	array[64 + simt_place().thread] = 0;
}

static void touch_unmapped(struct args args)
{
	if (simt_place().thread == 3)
		*(volatile char *)args.out = 0;
}

static void test_misuse_is_refused(void **state)
{
	struct simt_launch shared = {.shared = 1024}, wide = {.threads = 64};

	(void)state;
	refused(diverge_at_barriers, wide,
		"barrier at second while others are at the one at first");
	refused(skip_barrier, wide, "returned while others wait in the barrier at first");
	refused(diverge_in_warp, wide, "the warp has diverged: a shuffle at odd");
	refused(return_from_shuffle, wide, "after a lane has returned");
	refused(wait_crosswise, wide, "no thread can run");
	refused(forget_copy, shared, "a copy from forgotten not waited for");
	refused(copy_outside, shared, "an asynchronous copy at here is outside every shared array");
	refused(load_outside, shared, "ldmatrix at here is outside every shared array");
	refused(load_crooked, shared, "not a multiple of 16 bytes");
	refused(take_too_much, (struct simt_launch){.shared = 100},
		"takes 128 bytes of shared memory by 'second', the launch gives 100");
	refused(take_differently, shared, "the shared array 'array'");
	refused(sum, (struct simt_launch){.threads = 48}, "whole warps");
}

/* What a sanitizer would end the process for. */
static void test_stray_access_is_refused(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char error[512];
	void *nothing;

	(void)state;
	if (WATCHED)
		skip();
	refused(write_past_shared, (struct simt_launch){.shared = 64},
		"wrote past the end of the shared array 'array'");
	nothing = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(nothing, MAP_FAILED);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(
			run(touch_unmapped, (struct simt_launch){.workers = 2, .grid_x = 4},
				nothing, error),
			-1);
		assert_non_null(strstr(error, "thread 3: touches memory that is not there"));
	}
	munmap(nothing, page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mma_matches_ptx_tables),
		cmocka_unit_test(test_ldmatrix_matches_ptx_tables),
		cmocka_unit_test(test_conflicts_are_counted),
		cmocka_unit_test(test_any_order_gives_the_same),
		cmocka_unit_test(test_shared_memory_is_nan_at_first),
		cmocka_unit_test(test_copy_comes_with_the_wait),
		cmocka_unit_test(test_misuse_is_refused),
		cmocka_unit_test(test_stray_access_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
