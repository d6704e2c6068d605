#include "cmd/suggest.h"

#include <string.h>

#define MAX_WORD 32

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* Edits from one word to the other: insert, delete, replace, or swap two neighbours (the optimal
 * string alignment distance). */
static int edit_distance(const char *a, const char *b)
{
	int rows = (int)strlen(a), columns = (int)strlen(b);
	int cost[MAX_WORD + 1][MAX_WORD + 1];

	for (int i = 0; i <= rows; i++)
		cost[i][0] = i;
	for (int j = 0; j <= columns; j++)
		cost[0][j] = j;
	for (int i = 1; i <= rows; i++)
		for (int j = 1; j <= columns; j++) {
			int edit = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			edit = least(edit, least(cost[i - 1][j], cost[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				edit = least(edit, cost[i - 2][j - 2] + 1);
			cost[i][j] = edit;
		}
	return cost[rows][columns];
}

const char *suggest(const char *word, const char *const *names, int count)
{
	const char *near = NULL;
	int length = (int)strlen(word), best = 1 + (length < 9 ? length : 9) / 3;

	if (length > MAX_WORD)
		return NULL;
	for (int i = 0; i < count; i++) {
		int distance = edit_distance(word, names[i]);
		if (distance < best) {
			best = distance;
			near = names[i];
		}
	}
	return near;
}
