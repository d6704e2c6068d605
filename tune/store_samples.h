/* Samples as a store keeps them: a JSON array of numbers that read back as they were, and a digit
 * for the marks of each. */
#ifndef TUNE_STORE_SAMPLES_H
#define TUNE_STORE_SAMPLES_H

#include "tune/store_sqlite.h"

/* Binds :samples, :marks and :sample_count. */
void put_samples(sqlite3_stmt *statement, const struct trial *trial);

struct samples {
	double *seconds;      /* [count] */
	unsigned char *marks; /* [count] */
	int count;
};

/* Reads what put_samples bound; `whose` they are, should the row be damaged. Zero-initialise
 * `samples`; samples_release frees it, also after a failure. */
int samples_read(const struct store *store, const char *whose, const char *seconds,
	const char *marks, int count, struct samples *samples, struct err *err);
void samples_release(struct samples *samples);

#endif
