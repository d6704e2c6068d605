/* The emulated GPUs that kernels are judged on: one a matrix unit. */
#ifndef TESTS_KERNELS_MACHINES_H
#define TESTS_KERNELS_MACHINES_H

#include "kernels/backend.h"
#include "tests/kernels/bench_of.h"

struct machine {
	const char *device, *architecture;
	int usable[DTYPE_COUNT]; /* schedules of both passes */
};

static struct machine machines[] = {
	{"cuda-emu", "sm_90", {8, 15, 15}},
	{"hip-emu", "gfx942", {6, 15, 15}},
	{"hip-emu", "gfx1100", {6, 15, 15}},
	{"hip-emu", "gfx1201", {6, 15, 15}},
};

static inline struct device *machine_open(const struct machine *machine, int threads)
{
	struct device_options options = {.emu = machine->architecture, .threads = threads};
	struct err err = {0};
	struct device *device = device_open(machine->device, options, &err);

	must(!device, &err);
	return device;
}

/* A test once on each machine, which it finds in its state. */
#define ON_EACH_MACHINE(test)                                                                      \
	cmocka_unit_test_prestate(test, &machines[0]),                                             \
		cmocka_unit_test_prestate(test, &machines[1]),                                     \
		cmocka_unit_test_prestate(test, &machines[2]),                                     \
		cmocka_unit_test_prestate(test, &machines[3])

#endif
