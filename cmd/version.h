/* Which build this is. */
#ifndef CMD_VERSION_H
#define CMD_VERSION_H

extern const char version_text[];   /* "0.1.0" */
extern const char version_commit[]; /* "c9941c6-dirty" */

#endif
