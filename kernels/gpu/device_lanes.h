/* Where a thread is in its warp, and which rows and columns of a product are its own. */
#ifndef KERNELS_GPU_DEVICE_LANES_H
#define KERNELS_GPU_DEVICE_LANES_H

#include "kernels/gpu/device.h"

DEVICE int lane_index()
{
	return thread_index() % WARP;
}

/* The first of the 16 rows that are this thread's warp's. */
DEVICE int warp_row()
{
	return thread_index() / WARP * 16;
}

/* Row and column of c[n][e] are those of c[0][0] and an offset that is a constant: ROW_OF,
 * COLUMN_OF. */
DEVICE int lane_row()
{
	return GFX ? lane_index() % 16 : lane_index() / SHARE_TO;
}

DEVICE int lane_column()
{
	return (GFX ? lane_index() / SHARE_FROM : lane_index() % SHARE_TO) * LANE_COLUMNS;
}

#endif
