#include "kernels/schedule.h"

#include <string.h>

const struct schedule schedules[] = {
#define SCHEDULE(pass, name, rows, keys, matrix, split)                                            \
	{PASS_##pass, name, rows, keys, matrix, split},
#include "kernels/schedule.def"
#undef SCHEDULE
};

const int schedule_count = sizeof schedules / sizeof *schedules;

const struct schedule *schedule_find(enum pass pass, const char *name)
{
	for (int i = 0; i < schedule_count; i++)
		if (schedules[i].pass == pass && !strcmp(schedules[i].name, name))
			return &schedules[i];
	return NULL;
}

const struct schedule *schedule_default(enum pass pass)
{
	return schedule_find(pass, pass == PASS_FORWARD ? "r64_c64" : "c64");
}
