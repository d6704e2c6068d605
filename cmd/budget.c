#include "cmd/budget.h"

#include <math.h>

double budget_deadline(const struct budget *budget, double now)
{
	double share;

	if (!(budget->end > 0))
		return 0;
	share = (budget->end - now) / fmax(budget->left, 1);
	return now + fmax(share - budget->tail, 0);
}

void budget_spend(struct budget *budget, double deadline, double now)
{
	budget->left--;
	budget->tail = fmax(now - deadline, 0);
}
