/* The device that a command was asked to use. */
#ifndef CMD_DEVICE_H
#define CMD_DEVICE_H

#include "cmd/options.h"
#include "kernels/backend.h"

/* In this process. */
struct device *device_ask(const struct options *options, struct err *err);
/* In a process of its own, unless the options say otherwise: for commands that run kernels.
 * `options` must outlive it. */
struct device *device_ask_isolated(const struct options *options, struct err *err);

#endif
