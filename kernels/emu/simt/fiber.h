/* Contexts that switch by hand: one for each emulated GPU thread, one for the OS thread below. */
#ifndef KERNELS_EMU_SIMT_FIBER_H
#define KERNELS_EMU_SIMT_FIBER_H

#include <stddef.h>

struct fiber {
	void *context; /* where it stopped */
	const void *stack;
	size_t bytes;
	void *tsan, *fake; /* the sanitizers' views of it */
};

/* Makes `fiber` stand for the OS thread that calls, so that others can switch back to it. */
void fiber_adopt(struct fiber *fiber);
/* Readies `fiber` to call `entry`, which never returns, on `stack`. `tsan` and, with ucontext,
 * `context` carry over from an earlier start. */
void fiber_start(struct fiber *fiber, void *stack, size_t bytes, void (*entry)(void));
void fiber_switch(struct fiber *from, struct fiber *to);
/* As fiber_switch, for the last time: `from` is never resumed. */
_Noreturn void fiber_leave(struct fiber *from, struct fiber *to);
/* Frees what a started fiber holds beside its stack. */
void fiber_release(struct fiber *fiber);

#endif
