/* A libamdhip64.so.7, and with -DHIPRTC a libhiprtc.so.7, of host memory that runs no kernel and
 * compiles nothing: enough to walk every call of the HIP driver where there is no GPU. It is strict
 * about order (capture, what is live), fails the call named by `stub_fails`, and its compiler does
 * to a source what the source's first word says. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define FAULT   719
#define INVALID 1

#ifdef HIPRTC

struct program {
	const char *text;
	bool knows; /* the architecture and every option it should */
};

int hiprtcVersion(int *major, int *minor)
{
	*major = 7, *minor = 1;
	return 0;
}

int hiprtcCreateProgram(struct program **program, const char *text, const char *name, int count,
	const char **headers, const char **names)
{
	(void)name, (void)headers, (void)names;
	*program = calloc(1, sizeof **program);
	(*program)->text = count >= 0 ? text : NULL;
	return 0;
}

int hiprtcDestroyProgram(struct program **program)
{
	free(*program);
	return 0;
}

int hiprtcCompileProgram(struct program *program, int count, const char **options)
{
	for (int i = 0; i < count; i++)
		program->knows |= !strcmp(options[i], "--offload-arch=gfx942");
	if (!strncmp(program->text, "abort", 5))
		abort();
	return strncmp(program->text, "nonsense", 8) && program->knows ? 0 : 6;
}

static const char said[] =
	"a warning\nprobe.hip:3:1: error: unknown type name 'nonsense'\n1 error\n";

int hiprtcGetProgramLogSize(struct program *program, size_t *bytes)
{
	(void)program;
	*bytes = sizeof said;
	return 0;
}

int hiprtcGetProgramLog(struct program *program, char *text)
{
	(void)program;
	memcpy(text, said, sizeof said);
	return 0;
}

int hiprtcGetCodeSize(struct program *program, size_t *bytes)
{
	*bytes = strlen(program->text) + 1;
	return 0;
}

int hiprtcGetCode(struct program *program, char *code)
{
	memcpy(code, program->text, strlen(program->text) + 1);
	return 0;
}

#else

const char *stub_fails = ""; /* the symbol to fail */
int stub_live;               /* objects made and not yet destroyed */
int stub_launches;           /* kernels run, by themselves or in a graph */
int stub_wave = 64;
const char *stub_architecture = "gfx942:sramecc+:xnack-";
size_t stub_filled; /* bytes of the last fill */

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
	stub_live -= object != NULL;
	free(object);
	return 0;
}

int hipInit(unsigned flags)
{
	ENTER("hipInit");
	return flags ? INVALID : 0;
}

int hipRuntimeGetVersion(int *version)
{
	ENTER("hipRuntimeGetVersion");
	*version = 70125424;
	return 0;
}

const char *hipGetErrorName(int error)
{
	return error == FAULT ? "hipErrorLaunchFailure" : "hipErrorInvalidValue";
}

const char *hipGetErrorString(int error)
{
	return error == FAULT ? "unspecified launch failure" : "invalid argument";
}

int hipGetDeviceCount(int *count)
{
	ENTER("hipGetDeviceCount");
	*count = 1;
	return 0;
}

int hipSetDevice(int device)
{
	ENTER("hipSetDevice");
	return device ? INVALID : 0;
}

int hipDeviceGetName(char *name, int room, int device)
{
	(void)device;
	ENTER("hipDeviceGetName");
	strncpy(name, "Stub MI300X", (size_t)room);
	return 0;
}

int hipDeviceGetAttribute(int *value, int attribute, int device)
{
	ENTER("hipDeviceGetAttribute");
	(void)device;
	switch (attribute) {
	case 19: *value = 4 << 20; return 0;
	case 63: *value = 304; return 0;
	case 74: *value = 65536; return 0;
	case 87: *value = stub_wave; return 0;
	default: return INVALID;
	}
}

int hipDeviceTotalMem(size_t *bytes, int device)
{
	(void)device;
	ENTER("hipDeviceTotalMem");
	*bytes = (size_t)192 << 30;
	return 0;
}

int hipGetDevicePropertiesR0600(void *properties, int device)
{
	(void)device;
	ENTER("hipGetDevicePropertiesR0600");
	memset(properties, 0, 1472);
	strcpy((char *)properties + 1160, stub_architecture);
	return 0;
}

int hipMalloc(void **memory, size_t bytes)
{
	ENTER("hipMalloc");
	*memory = malloc(bytes ? bytes : 1);
	stub_live++;
	return 0;
}

int hipFree(void *memory)
{
	return destroy(memory);
}

int hipMemcpyHtoDAsync(void *to, const void *from, size_t bytes, void *stream)
{
	ENTER("hipMemcpyHtoDAsync");
	memcpy(to, from, bytes);
	return stream ? 0 : INVALID;
}

int hipMemcpyDtoHAsync(void *to, const void *from, size_t bytes, void *stream)
{
	ENTER("hipMemcpyDtoHAsync");
	memcpy(to, from, bytes);
	return stream ? 0 : INVALID;
}

int hipMemsetD8Async(void *memory, unsigned char byte, size_t bytes, void *stream)
{
	ENTER("hipMemsetD8Async");
	memset(memory, byte, bytes);
	stub_filled = bytes;
	return stream ? 0 : INVALID;
}

int hipModuleLoadData(void **module, const void *image)
{
	ENTER("hipModuleLoadData");
	return image ? make(module, 0) : INVALID;
}

int hipModuleUnload(void *module)
{
	return destroy(module);
}

int hipModuleGetFunction(void **function, void *module, const char *name)
{
	ENTER("hipModuleGetFunction");
	*function = module;
	return module && *name ? 0 : INVALID;
}

int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream,
	void **arguments, void **extra)
{
	ENTER("hipModuleLaunchKernel");
	if (!function || !grid_x || !grid_y || grid_z != 1 || block_x % (unsigned)stub_wave ||
		block_y != 1 || block_z != 1 || shared > 65536 || !stream || !arguments || extra)
		return INVALID;
	*(capturing ? &captured : &stub_launches) += 1;
	return 0;
}

int hipStreamCreateWithFlags(void **stream, unsigned flags)
{
	ENTER("hipStreamCreateWithFlags");
	return flags == 1 ? make(stream, 0) : INVALID;
}

int hipStreamDestroy(void *stream)
{
	return destroy(stream);
}

int hipStreamSynchronize(void *stream)
{
	ENTER("hipStreamSynchronize");
	return stream && !capturing ? 0 : INVALID;
}

int hipEventCreate(void **event)
{
	ENTER("hipEventCreate");
	return make(event, 0);
}

int hipEventDestroy(void *event)
{
	return destroy(event);
}

/* A recording that became part of a graph could not be read. */
int hipEventRecord(struct object *event, void *stream)
{
	ENTER("hipEventRecord");
	event->kernels = 1;
	return stream && !capturing ? 0 : INVALID;
}

int hipEventElapsedTime(float *milliseconds, struct object *start, struct object *stop)
{
	ENTER("hipEventElapsedTime");
	*milliseconds = 2;
	return start->kernels && stop->kernels ? 0 : INVALID;
}

int hipStreamBeginCapture(void *stream, int mode)
{
	ENTER("hipStreamBeginCapture");
	capturing = true;
	captured = 0;
	return stream && mode == 1 ? 0 : INVALID;
}

int hipStreamEndCapture(void *stream, void **graph)
{
	bool valid = capturing && stream;

	capturing = false;
	ENTER("hipStreamEndCapture");
	return valid ? make(graph, captured) : INVALID;
}

int hipGraphInstantiate(void **exec, struct object *graph, void *node, char *log, size_t room)
{
	(void)node, (void)log, (void)room;
	ENTER("hipGraphInstantiate");
	return make(exec, graph->kernels);
}

int hipGraphLaunch(struct object *exec, void *stream)
{
	ENTER("hipGraphLaunch");
	stub_launches += exec->kernels;
	return stream ? 0 : INVALID;
}

int hipGraphExecDestroy(void *exec)
{
	return destroy(exec);
}

int hipGraphDestroy(void *graph)
{
	return destroy(graph);
}

#endif
