/* A polite stop: Ctrl-C and SIGTERM set a flag that long loops look at. */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <stdbool.h>

/* The first SIGINT or SIGTERM sets the flag; a second one ends the process at once. */
void stop_listen(void);
bool stop_asked(void);

#endif
