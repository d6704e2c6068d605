#include "base/file.h"
#include "cmd/here.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "tune/store.h"

struct exporting {
	struct report report;
	struct here here;
};

static int visit(void *context, const struct stored *stored)
{
	struct exporting *exporting = context;

	report_add_stored(&exporting->report, stored)->origin->freshness =
		here_freshness(&exporting->here, stored);
	return 0;
}

int export_run(const struct options *options, struct err *err)
{
	struct exporting exporting = {0};
	struct str text = {0};
	struct store *store = NULL;
	int result = -1;

	if (out_check(options->output, err) || !(store = store_open(options->db, STORE_READ, err)))
		goto out;
	here_look(&exporting.here);
	if (store_each(store, options->trials, visit, &exporting, err) < 0)
		goto out;
	options->format->write(&exporting.report, &text);
	if (!file_write(options->output, text.text, text.length, err))
		result = EXIT_FINE;
out:
	store_close(store);
	report_release(&exporting.report);
	str_release(&text);
	return result;
}
