#include "base/file.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "tune/store.h"

static int visit(void *context, const struct stored *stored)
{
	report_add_stored(context, stored);
	return 0;
}

int export_run(const struct options *options, struct err *err)
{
	struct report report = {0};
	struct str text = {0};
	struct store *store = NULL;
	int result = -1;

	if (out_check(options->output, err) ||
		!(store = store_open(options->db, STORE_READ, err)) ||
		store_each(store, options->trials, visit, &report, err) < 0)
		goto out;
	options->format->write(&report, &text);
	if (!file_write(options->output, text.text, text.length, err))
		result = EXIT_FINE;
out:
	store_close(store);
	report_release(&report);
	str_release(&text);
	return result;
}
