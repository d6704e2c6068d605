/* How the kernels that find a device's rates divide their work, for host and device. */
#ifndef KERNELS_GPU_PEAK_H
#define KERNELS_GPU_PEAK_H

#define PEAK_THREADS 256 /* a block */
#define PEAK_CHAINS                                                                                \
	8 /* independent operations a warp or thread, enough to hide the latency of one */

#define THREADS_peak_multiply(rows, keys)   PEAK_THREADS
#define THREADS_peak_exponent(rows, keys)   PEAK_THREADS
#define THREADS_peak_read(rows, keys)       PEAK_THREADS
#define REGISTERS_peak_multiply(rows, keys) 64
#define REGISTERS_peak_exponent(rows, keys) 64
#define REGISTERS_peak_read(rows, keys)     64

#endif
