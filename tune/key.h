/* What a stored winner is looked up by: the device and the shape's class. */
#ifndef TUNE_KEY_H
#define TUNE_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/backend.h"

struct key {
	char device[320]; /* fingerprint: "cpu | AMD EPYC | avx512 | 2 units" */
	enum pass pass;
	enum dtype dtype;
	int64_t heads;
	int64_t dim;
	int64_t window;  /* NO_WINDOW: none */
	int64_t tokens;  /* rounded up to a power of two; 0 stays 0 */
	int64_t longest; /* likewise */
	bool cold;
};

void key_make(struct key *key, const struct device_info *device, const struct problem *problem,
	enum pass pass, bool cold);
/* The fingerprint alone. */
void key_device(char text[320], const struct device_info *device);

#endif
