/* A libcuda.so.1 of host memory that runs no kernel: enough to walk every call of the CUDA driver
 * where there is no GPU. It is strict about order (capture, events, what is live) and fails the
 * call named by `stub_fails`. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FAULT    719
#define INVALID  1
#define EXTERNAL 1

const char *stub_fails = ""; /* the symbol to fail */
int stub_live;               /* objects made and not yet destroyed */
int stub_launches;           /* kernels run, by themselves or in a graph */
uint64_t stub_filled;        /* bytes of the last fill */

struct object {
	int kernels; /* of a graph */
};

static bool capturing;
static int captured;

#define ENTER(symbol)                                                                              \
	do {                                                                                       \
		if (!strcmp(stub_fails, symbol))                                                   \
			return FAULT;                                                              \
	} while (0)

static int make(void **slot, int kernels)
{
	struct object *object = calloc(1, sizeof *object);

	object->kernels = kernels;
	*slot = object;
	stub_live++;
	return 0;
}

static int destroy(void *object)
{
	free(object);
	stub_live--;
	return 0;
}

int cuInit(unsigned flags)
{
	ENTER("cuInit");
	return flags ? INVALID : 0;
}

/* NVRTC asks the driver for tables of private functions: there are none. */
int cuGetExportTable(const void **table, const void *id)
{
	(void)id;
	*table = NULL;
	return INVALID;
}

int cuDriverGetVersion(int *version)
{
	ENTER("cuDriverGetVersion");
	*version = 13000;
	return 0;
}

int cuGetErrorName(int error, const char **text)
{
	*text = error == FAULT ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_INVALID_VALUE";
	return 0;
}

int cuGetErrorString(int error, const char **text)
{
	*text = error == FAULT ? "unspecified launch failure" : "invalid argument";
	return 0;
}

int cuDeviceGetCount(int *count)
{
	ENTER("cuDeviceGetCount");
	*count = 1;
	return 0;
}

int cuDeviceGet(int *device, int index)
{
	ENTER("cuDeviceGet");
	*device = index;
	return 0;
}

int cuDeviceGetName(char *name, int room, int device)
{
	(void)device;
	ENTER("cuDeviceGetName");
	strncpy(name, "Stub H200", (size_t)room);
	return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	static const struct {
		int attribute, value;
	} values[] = {{10, 32}, {16, 132}, {38, 8 << 20}, {75, 9}, {76, 0}, {97, 232448}};

	(void)device;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (values[i].attribute == attribute) {
			*value = values[i].value;
			return 0;
		}
	return INVALID;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	(void)device;
	ENTER("cuDeviceTotalMem_v2");
	*bytes = (size_t)141 << 30;
	return 0;
}

int cuDeviceGetPCIBusId(char *text, int room, int device)
{
	(void)device;
	strncpy(text, "0000:00:00.0", (size_t)room);
	return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
	(void)device;
	ENTER("cuDevicePrimaryCtxRetain");
	*context = context;
	stub_live++;
	return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
	(void)device;
	stub_live--;
	return 0;
}

int cuCtxSetCurrent(void *context)
{
	(void)context;
	ENTER("cuCtxSetCurrent");
	return 0;
}

int cuMemAlloc_v2(uint64_t *memory, size_t bytes)
{
	ENTER("cuMemAlloc_v2");
	*memory = (uint64_t)(uintptr_t)malloc(bytes);
	stub_live++;
	return bytes ? 0 : INVALID;
}

int cuMemFree_v2(uint64_t memory)
{
	return destroy((void *)(uintptr_t)memory);
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream)
{
	(void)stream;
	ENTER("cuMemcpyHtoDAsync_v2");
	memcpy((void *)(uintptr_t)to, from, bytes);
	return capturing;
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream)
{
	(void)stream;
	ENTER("cuMemcpyDtoHAsync_v2");
	memcpy(to, (const void *)(uintptr_t)from, bytes);
	return capturing;
}

int cuMemsetD8Async(uint64_t memory, unsigned char byte, size_t bytes, void *stream)
{
	(void)stream;
	ENTER("cuMemsetD8Async");
	memset((void *)(uintptr_t)memory, byte, bytes);
	stub_filled = bytes;
	return 0;
}

int cuModuleLoadData(void **module, const void *image)
{
	ENTER("cuModuleLoadData");
	return memcmp(image, "\177ELF", 4) ? INVALID : make(module, 0);
}

int cuModuleUnload(void *module)
{
	return destroy(module);
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
	ENTER("cuModuleGetFunction");
	*function = module;
	return *name ? 0 : INVALID;
}

int cuFuncSetAttribute(void *function, int attribute, int value)
{
	ENTER("cuFuncSetAttribute");
	return !function || attribute != 8 || value > 232448 ? INVALID : 0;
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream,
	void **arguments, void **extra)
{
	(void)stream;
	ENTER("cuLaunchKernel");
	if (!function || !grid_x || !grid_y || grid_y > 65535 || grid_z != 1 || block_x % 32 ||
		block_x > 1024 || block_y != 1 || block_z != 1 || shared > 232448 ||
		!arguments[0] || extra)
		return INVALID;
	*(capturing ? &captured : &stub_launches) += 1;
	return 0;
}

int cuStreamCreate(void **stream, unsigned flags)
{
	(void)flags;
	ENTER("cuStreamCreate");
	return make(stream, 0);
}

int cuStreamDestroy_v2(void *stream)
{
	return destroy(stream);
}

int cuStreamSynchronize(void *stream)
{
	(void)stream;
	ENTER("cuStreamSynchronize");
	return capturing;
}

int cuEventCreate(void **event, unsigned flags)
{
	(void)flags;
	ENTER("cuEventCreate");
	return make(event, 0);
}

int cuEventDestroy_v2(void *event)
{
	return destroy(event);
}

int cuEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
	(void)event, (void)stream;
	ENTER("cuEventRecordWithFlags");
	return flags != (capturing ? EXTERNAL : 0);
}

int cuEventElapsedTime(float *milliseconds, void *start, void *stop)
{
	ENTER("cuEventElapsedTime");
	*milliseconds = 2;
	return start == stop;
}

int cuStreamBeginCapture_v2(void *stream, int mode)
{
	(void)stream, (void)mode;
	ENTER("cuStreamBeginCapture_v2");
	if (capturing)
		return INVALID;
	capturing = true;
	captured = 0;
	return 0;
}

int cuStreamEndCapture(void *stream, void **graph)
{
	(void)stream;
	if (!capturing)
		return INVALID;
	capturing = false;
	ENTER("cuStreamEndCapture");
	return make(graph, captured);
}

int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags)
{
	ENTER("cuGraphInstantiateWithFlags");
	return flags ? INVALID : make(exec, ((struct object *)graph)->kernels);
}

int cuGraphLaunch(void *exec, void *stream)
{
	(void)stream;
	ENTER("cuGraphLaunch");
	stub_launches += ((struct object *)exec)->kernels;
	return capturing;
}

int cuGraphExecDestroy(void *exec)
{
	return destroy(exec);
}

int cuGraphDestroy(void *graph)
{
	return destroy(graph);
}
