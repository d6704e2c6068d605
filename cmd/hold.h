/* One contest of a session: held, watched, stored and shown. */
#ifndef CMD_HOLD_H
#define CMD_HOLD_H

#include "cmd/session.h"
#include "cmd/stage.h"

/* Holds the contest of `key` and adds it to the report. Fails as session_problem does. */
int hold_contest(struct session *session, const struct task *task, const struct problem *problem,
	const struct key *key, const struct stage *stage, struct err *err);

#endif
