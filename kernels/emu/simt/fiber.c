#include "kernels/emu/simt/fiber.h"

#include <stdlib.h>

#include "kernels/emu/simt/sanitizer.h"

static __thread struct fiber *current, *previous;
static __thread void (*starting)(void);

static void arrive(void *fake)
{
	if (__sanitizer_finish_switch_fiber)
		__sanitizer_finish_switch_fiber(fake, &previous->stack, &previous->bytes);
}

#if defined(__x86_64__) && !defined(FIBER_UCONTEXT)

/* The callee-saved registers are all a call may expect to survive. */
void fiber_exchange(void **save, void *load);
__asm__(".text\n"
	".globl fiber_exchange\n"
	".hidden fiber_exchange\n"
	".type fiber_exchange,@function\n"
	"fiber_exchange:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size fiber_exchange, .-fiber_exchange\n");

static void begin(void);

/* A new context looks like one that stopped in fiber_exchange, called by begin's caller. */
static void context_make(struct fiber *fiber, char *stack, size_t bytes)
{
	enum { REGISTERS = 6, ENTRY = REGISTERS, CALLER, SLOTS };
	void **slots = (void **)(stack + bytes) - SLOTS;
	for (int i = 0; i < SLOTS; i++)
		slots[i] = NULL;
	*(void (**)(void)) & slots[ENTRY] = begin;
	fiber->context = slots;
}

static void context_switch(struct fiber *from, struct fiber *to)
{
	fiber_exchange(&from->context, to->context);
}

static void context_free(struct fiber *fiber)
{
	fiber->context = NULL;
}

#else

#include <ucontext.h>

static void begin(void);

static void *context_room(struct fiber *fiber)
{
	if (!fiber->context)
		fiber->context = malloc(sizeof(ucontext_t));
	return fiber->context;
}

static void context_make(struct fiber *fiber, char *stack, size_t bytes)
{
	ucontext_t *context = context_room(fiber);
	getcontext(context);
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = bytes;
	context->uc_link = NULL;
	makecontext(context, begin, 0);
}

static void context_switch(struct fiber *from, struct fiber *to)
{
	swapcontext(context_room(from), to->context);
}

static void context_free(struct fiber *fiber)
{
	free(fiber->context);
	fiber->context = NULL;
}

#endif

static void begin(void)
{
	arrive(NULL);
	starting();
	abort();
}

void fiber_adopt(struct fiber *fiber)
{
	*fiber = (struct fiber){0};
	if (__tsan_get_current_fiber)
		fiber->tsan = __tsan_get_current_fiber();
	current = fiber;
}

void fiber_start(struct fiber *fiber, void *stack, size_t bytes, void (*entry)(void))
{
	fiber->stack = stack;
	fiber->bytes = bytes;
	fiber->fake = NULL;
	starting = entry;
	context_make(fiber, stack, bytes);
}

static void depart(struct fiber *to, void **fake)
{
	if (__sanitizer_start_switch_fiber)
		__sanitizer_start_switch_fiber(fake, to->stack, to->bytes);
	if (__tsan_switch_to_fiber)
		__tsan_switch_to_fiber(to->tsan, TSAN_NO_SYNC);
	previous = current;
	current = to;
}

void fiber_switch(struct fiber *from, struct fiber *to)
{
	depart(to, &from->fake);
	context_switch(from, to);
	arrive(from->fake);
}

void fiber_leave(struct fiber *from, struct fiber *to)
{
	depart(to, NULL);
	context_switch(from, to);
	abort();
}

void fiber_release(struct fiber *fiber)
{
	context_free(fiber);
}
