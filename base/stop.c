#include "base/stop.h"

#include <signal.h>
#include <stdatomic.h>

static atomic_bool asked;

static void on_signal(int number)
{
	if (!atomic_exchange(&asked, true))
		return;
	signal(number, SIG_DFL);
	raise(number);
}

void stop_listen(void)
{
	/* No SA_RESTART: a read that waits on a terminal or pipe must end too. */
	struct sigaction action = {.sa_handler = on_signal};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool stop_asked(void)
{
	return atomic_load_explicit(&asked, memory_order_relaxed);
}
