#include "kernels/emu/simt/fault.h"

#include "kernels/emu/simt/block.h"
#include "kernels/emu/simt/sanitizer.h"

static struct sigaction other_segv, other_bus;

static bool watched(void)
{
	return __asan_poison_memory_region || __tsan_create_fiber;
}

/* Leaving for another fiber ends the handler: the signal is not blocked in it. A fault outside
 * kernels happens again on return, with the handler that was there before. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (simt_self)
		simt_fail("touches memory that is not there or not its own, at %p", info->si_addr);
	sigaction(signal, signal == SIGSEGV ? &other_segv : &other_bus, NULL);
}

void fault_catch(struct fault_trap *trap)
{
	struct sigaction action = {
		.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	if (watched())
		return;
	sigemptyset(&action.sa_mask);
	sigaction(SIGSEGV, &action, &trap->segv);
	sigaction(SIGBUS, &action, &trap->bus);
	other_segv = trap->segv;
	other_bus = trap->bus;
}

void fault_release(const struct fault_trap *trap)
{
	if (watched())
		return;
	sigaction(SIGSEGV, &trap->segv, NULL);
	sigaction(SIGBUS, &trap->bus, NULL);
}

void fault_stack(void *stack, size_t bytes)
{
	stack_t description = {
		.ss_sp = stack, .ss_size = bytes, .ss_flags = stack ? 0 : SS_DISABLE};
	if (!watched())
		sigaltstack(&description, NULL);
}
