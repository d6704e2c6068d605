#include "cmd/missing.h"

#include <string.h>

#include "tune/store_miss.h"

struct gathering {
	struct agenda *agenda;
	const char *device; /* fingerprint */
	bool cold;
	int *others;
	struct err *err;
	bool failed;
};

static int visit(void *context, const struct miss *miss)
{
	struct gathering *gathering = context;
	const struct key *key = &miss->key;
	bool passes[PASS_COUNT] = {0};

	if (strcmp(key->device, gathering->device) || key->cold != gathering->cold ||
		key->dim != HEAD_DIM) {
		++*gathering->others;
		return 0;
	}
	passes[key->pass] = true;
	gathering->failed = agenda_add(gathering->agenda,
				    &(struct sweep){
					    .spec = miss->lens,
					    .heads = key->heads,
					    .windows = &key->window,
					    .window_count = 1,
					    .dtypes = &key->dtype,
					    .dtype_count = 1,
					    .passes = passes,
					    .seed = (int64_t)miss->seed,
				    },
				    gathering->err) != 0;
	return gathering->failed;
}

int missing_add(struct agenda *agenda, const struct options *options,
	const struct device_info *device, int *others, struct err *err)
{
	char fingerprint[320];
	struct gathering gathering = {.agenda = agenda,
		.device = fingerprint,
		.cold = options->cold,
		.others = others,
		.err = err};
	struct store *store = store_open(options->db, STORE_READ, err);
	int result = -1;

	*others = 0;
	key_device(fingerprint, device);
	if (store && store_each_miss(store, visit, &gathering, err) >= 0 && !gathering.failed)
		result = 0;
	store_close(store);
	return result;
}
