#include "tune/key.h"

#include <stdio.h>
#include <string.h>

/* The least power of two that is not less; 0 stays 0. */
static int64_t round_up(int64_t value)
{
	int64_t power = value > 0;

	while (power < value)
		power *= 2;
	return power;
}

void key_device(char text[320], const struct device_info *device)
{
	/* Which of several like devices it is does not matter: "cuda:1" is "cuda". */
	int backend = (int)strcspn(device->name, ":");

	snprintf(text, 320, "%.*s | %s | %s | %d units", backend, device->name, device->model,
		device->architecture, device->units);
}

void key_make(struct key *key, const struct device_info *device, const struct problem *problem,
	enum pass pass, bool cold)
{
	*key = (struct key){
		.pass = pass,
		.dtype = problem->dtype,
		.heads = problem->heads,
		.dim = HEAD_DIM,
		.window = problem->window,
		.tokens = round_up(problem->tokens),
		.longest = round_up(problem->longest),
		.cold = cold,
	};
	key_device(key->device, device);
}
