/* What a run found on its machine: facts that explain a figure, none that name the machine. */
#ifndef TUNE_HOST_H
#define TUNE_HOST_H

struct host {
	int processors;    /* this process may run on */
	int online;        /* there are */
	double load;       /* mean of ready tasks in the minute before; NaN: unknown */
	char governor[32]; /* of the clock: "performance"; "mixed"; empty: unknown */
	double steal;      /* share of processor time that a hypervisor took; NaN: unknown */

	double stolen, spent; /* ticks by the start of the run */
};

/* At the start and at the end of a run; /proc and /sys are looked for under `root`, "" but in
 * tests. */
void host_begin(struct host *host, const char *root);
void host_end(struct host *host, const char *root);

#endif
