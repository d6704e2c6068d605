/* A plan: problems to be tuned, in a file that several machines share (data/plan.schema.json). */
#ifndef CMD_PLAN_JSON_H
#define CMD_PLAN_JSON_H

#include "cmd/agenda.h"

/* Adds the problems of the plan at `path` ("-": standard input), with `seed`. What is malformed
 * fails with ERR_USAGE and the problem's number, from 1. */
int plan_read(struct agenda *agenda, const char *path, int64_t seed, struct err *err);

#endif
