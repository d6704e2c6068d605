/* The name somebody probably meant. */
#ifndef CMD_SUGGEST_H
#define CMD_SUGGEST_H

/* The name nearest to `word`, or NULL when none is near enough to be a slip of the fingers. */
const char *suggest(const char *word, const char *const *names, int count);

#endif
