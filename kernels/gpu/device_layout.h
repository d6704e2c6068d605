/* How a product of 16 rows lies in the registers of a warp, by the matrix unit it comes from.
 *
 * Strip n of a product is its columns from STRIP n on. Of each strip a lane has CELLS numbers:
 * ROW_CELLS of each of its LANE_ROWS rows, COLUMN_STEP columns apart. Lanes whose indices differ in
 * the bits from SHARE_FROM to below SHARE_TO have the same rows. An operand of 16 columns is
 * FRAGMENT words of two 16-bit elements.
 *
 * AMD's units (GFX, the generation) hold products turned: a product's rows are the unit's columns,
 * so that a lane has one row, and what a product of scores leaves is the next product's operand as
 * it lies, or, on gfx11, after a swap with the lane 16 away. */
#ifndef KERNELS_GPU_DEVICE_LAYOUT_H
#define KERNELS_GPU_DEVICE_LAYOUT_H

#ifndef GFX /* the emulator says which */
#if defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) ||    \
	defined(__gfx950__)
#define GFX 9
#elif defined(__gfx1100__) || defined(__gfx1101__) || defined(__gfx1102__) ||                      \
	defined(__gfx1103__) || defined(__gfx1150__) || defined(__gfx1151__) ||                    \
	defined(__gfx1152__) || defined(__gfx1153__)
#define GFX 11
#elif defined(__gfx1200__) || defined(__gfx1201__)
#define GFX 12
#else
#define GFX 0 /* NVIDIA: mma m16n8k16 */
#endif
#endif

#if GFX == 0
#define WARP         32
#define STRIP        8
#define CELLS        4
#define LANE_ROWS    2
#define LANE_COLUMNS 2
#define COLUMN_STEP  1
#define SHARE_FROM   1
#define SHARE_TO     4
#define FRAGMENT     4
#else
#define STRIP      16
#define LANE_ROWS  1
#define SHARE_FROM 16
#define SHARE_TO   WARP
#endif

#if GFX == 9 /* MFMA: lane 16g + i has columns 4g to 4g + 3 of row i */
#define WARP         64
#define CELLS        4
#define LANE_COLUMNS 4
#define COLUMN_STEP  1
#define FRAGMENT     2
#elif GFX == 11 /* WMMA: columns g, g + 2, ... g + 14; operands have all columns, in both halves   \
		 */
#define WARP         32
#define CELLS        8
#define LANE_COLUMNS 1
#define COLUMN_STEP  2
#define FRAGMENT     8
#elif GFX == 12 /* WMMA: columns 8g to 8g + 7 */
#define WARP         32
#define CELLS        8
#define LANE_COLUMNS 8
#define COLUMN_STEP  1
#define FRAGMENT     4
#endif

#define ROW_CELLS       (CELLS / LANE_ROWS)
#define ROW_INDEX(e)    ((e) / ROW_CELLS) /* which of the lane's rows a cell is of */
#define ROW_OF(r)       (8 * (r))
#define COLUMN_OF(n, e) (STRIP * (n) + COLUMN_STEP * ((e) % ROW_CELLS))

#endif
