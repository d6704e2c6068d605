/* Probabilities far from a row's maximum are subnormal, and each would cost a trap of a hundred
 * cycles; at these magnitudes they weigh nothing. */
static inline unsigned subnormals_flush(void)
{
	unsigned saved = _mm_getcsr();
	_mm_setcsr(saved | 0x8040); /* flush to zero, denormals are zero */
	return saved;
}

static inline void subnormals_restore(unsigned saved)
{
	_mm_setcsr(saved);
}
