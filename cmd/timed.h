/* How bench and tune show what they measure. */
#ifndef CMD_TIMED_H
#define CMD_TIMED_H

#include "cmd/session.h"

void timed_head(struct session *session);
void timed_entry(struct session *session, const struct entry *entry);

#endif
