#include "cmd/timed.h"

#include "cmd/format_table.h"

void timed_head(struct session *session)
{
	struct str text = {0};

	table_device(&session->device->info, session->colour, &text);
	session_show(session, &text);
}

void timed_entry(struct session *session, const struct entry *entry)
{
	struct str text = {0};

	table_entry(entry, session->colour, &text);
	session_show(session, &text);
}
