/* How a session divides the seconds of --budget among its contests. */
#ifndef CMD_BUDGET_H
#define CMD_BUDGET_H

struct budget {
	double end;  /* clock_seconds() by which the command ends; 0: there is no budget */
	int left;    /* contests to come, the next one included */
	double tail; /* seconds the last contest took after its rounds: checks, storing */
};

/* When the rounds of the next contest end, which begins `now`: what time is left is shared equally,
 * and what oracle and gate take of a share is its own. 0 when there is no budget. */
double budget_deadline(const struct budget *budget, double now);

/* That contest is over; its rounds were to end by `deadline`. */
void budget_spend(struct budget *budget, double deadline, double now);

#endif
