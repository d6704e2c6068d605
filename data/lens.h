/* Sequence lengths and the grammar that names them on the command line. */
#ifndef DATA_LENS_H
#define DATA_LENS_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* The lengths of sequences laid end to end; a length of 0 is legal. */
struct lens {
	int64_t *len; /* [count] */
	int64_t count;
	int64_t room;
};

/* Parses
 *   SPEC  := item ("," item)*
 *   item  := LEN | COUNT "x" LEN | LOW ".." HIGH "x" COUNT | "@" FILE | "@-" | preset
 * `LOW..HIGHxCOUNT` draws COUNT lengths uniformly from [LOW, HIGH] by base/rng.h from `seed`,
 * ranges of one spec one after the other. The name of a FILE has no comma in it; it holds numbers
 * separated by white space or commas with `#` comments, or one JSON array of whole numbers; "@-"
 * is standard input. Presets (lens_presets) name lists. Zero-initialise `lens`; lens_release frees
 * it, also after a failure. A malformed item fails with ERR_USAGE and the offending text, an
 * unreadable file with ERR_UNAVAILABLE; too many or too long sequences are refused before anything
 * large is allocated. At least one sequence results. */
int lens_parse(struct lens *lens, const char *spec, uint64_t seed, struct err *err);
void lens_release(struct lens *lens);

/* Appends `count` sequences of `len` tokens. */
int lens_add(struct lens *lens, int64_t count, int64_t len, struct err *err);

/* The list as a SPEC with repeats folded ("3x512,40"), onto `text`. */
void lens_format(const struct lens *lens, struct str *text);

#define LENS_MAX_COUNT (INT64_C(1) << 24) /* sequences */
#define LENS_MAX_LEN   (INT64_C(1) << 30) /* tokens in one */

/* A named list, one row each in data/presets.def. */
struct lens_preset {
	const char *name;
	const char *spec; /* in the grammar above; NULL: the reference's bench formula */
	const char *summary;
};
extern const struct lens_preset lens_presets[];
extern const int lens_preset_count;

#endif
