#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"

struct worker {
	struct team *team;
	pthread_t thread;
	int index;
};

struct team {
	int size;
	struct worker *workers; /* [size - 1]; the caller is thread 0 and has none */

	/* The run under way: written by the caller while no worker looks, published by `round`. */
	int64_t items;
	void (*work)(void *context, int64_t item, int thread); /* NULL: the workers go home */
	void *context;

	pthread_mutex_t lock;
	pthread_cond_t started, finished;
	_Atomic unsigned round; /* changes under `lock` */
	_Atomic int busy;       /* workers not yet through with the round */

	_Alignas(64) _Atomic int64_t next;
};

/* A few microseconds of spinning, less than a sleep and a wake-up cost. */
#define SPINS 128

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void take_items(struct team *team, int thread)
{
	int64_t item;

	while ((item = atomic_fetch_add_explicit(&team->next, 1, memory_order_relaxed)) <
		team->items)
		team->work(team->context, item, thread);
}

static unsigned await_round(struct team *team, unsigned seen)
{
	unsigned round;

	for (int i = 0; i < SPINS; i++) {
		round = atomic_load_explicit(&team->round, memory_order_acquire);
		if (round != seen)
			return round;
		relax();
	}
	pthread_mutex_lock(&team->lock);
	while ((round = atomic_load(&team->round)) == seen)
		pthread_cond_wait(&team->started, &team->lock);
	pthread_mutex_unlock(&team->lock);
	return round;
}

static void *worker_main(void *argument)
{
	struct worker *worker = argument;
	struct team *team = worker->team;
	unsigned round = 0;

	for (;;) {
		round = await_round(team, round);
		if (!team->work)
			return NULL;
		take_items(team, worker->index);
		if (atomic_fetch_sub_explicit(&team->busy, 1, memory_order_acq_rel) == 1) {
			pthread_mutex_lock(&team->lock);
			pthread_cond_signal(&team->finished);
			pthread_mutex_unlock(&team->lock);
		}
	}
}

static void start_round(struct team *team, int64_t items,
	void (*work)(void *context, int64_t item, int thread), void *context)
{
	team->items = items;
	team->work = work;
	team->context = context;
	atomic_store_explicit(&team->next, 0, memory_order_relaxed);
	atomic_store_explicit(&team->busy, team->size - 1, memory_order_relaxed);
	pthread_mutex_lock(&team->lock);
	atomic_fetch_add_explicit(&team->round, 1, memory_order_release);
	pthread_cond_broadcast(&team->started);
	pthread_mutex_unlock(&team->lock);
}

static void await_workers(struct team *team)
{
	for (int i = 0; i < SPINS; i++) {
		if (!atomic_load_explicit(&team->busy, memory_order_acquire))
			return;
		relax();
	}
	pthread_mutex_lock(&team->lock);
	while (atomic_load(&team->busy))
		pthread_cond_wait(&team->finished, &team->lock);
	pthread_mutex_unlock(&team->lock);
}

void team_run(struct team *team, int64_t items,
	void (*work)(void *context, int64_t item, int thread), void *context)
{
	if (team->size == 1 || items <= 1) {
		for (int64_t item = 0; item < items; item++)
			work(context, item, 0);
		return;
	}
	start_round(team, items, work, context);
	take_items(team, 0);
	await_workers(team);
}

struct team *team_new(int threads, struct err *err)
{
	struct team *team;
	int error = 0;

	if (threads < 1) {
		err_set(err, ERR_USAGE, "%d threads are too few; use at least 1", threads);
		return NULL;
	}
	team = mem_new(1, sizeof *team, "thread team", err);
	if (!team)
		return NULL;
	team->size = 1;
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->started, NULL);
	pthread_cond_init(&team->finished, NULL);
	team->workers = mem_new(threads - 1, sizeof *team->workers, "thread team", err);
	if (!team->workers)
		goto failed;
	while (team->size < threads && !error) {
		struct worker *worker = &team->workers[team->size - 1];

		*worker = (struct worker){.team = team, .index = team->size};
		error = pthread_create(&worker->thread, NULL, worker_main, worker);
		team->size += !error;
	}
	if (!error)
		return team;
	err_set(err, ERR_UNAVAILABLE, "cannot start thread %d of %d: %s; use fewer threads",
		team->size + 1, threads, strerror(error));
failed:
	team_free(team);
	return NULL;
}

void team_free(struct team *team)
{
	if (!team)
		return;
	start_round(team, 0, NULL, NULL);
	for (int i = 0; i < team->size - 1; i++)
		pthread_join(team->workers[i].thread, NULL);
	pthread_cond_destroy(&team->finished);
	pthread_cond_destroy(&team->started);
	pthread_mutex_destroy(&team->lock);
	mem_free(team->workers);
	mem_free(team);
}

int team_size(const struct team *team)
{
	return team->size;
}

int team_processors(void)
{
	int processors = 0;

	/* The kernel refuses a set smaller than its own. */
	for (int room = 1024; !processors && room <= 1 << 20; room *= 2) {
		cpu_set_t *set = CPU_ALLOC(room);

		if (!set)
			break;
		if (!sched_getaffinity(0, CPU_ALLOC_SIZE(room), set))
			processors = CPU_COUNT_S(CPU_ALLOC_SIZE(room), set);
		CPU_FREE(set);
	}
	return processors > 0 ? processors : 1;
}
