#include "kernels/gpu/library.h"

#include <dlfcn.h>

const char *library_symbols(void *library, const struct library_symbol *symbols, void *api)
{
	for (const struct library_symbol *symbol = symbols; symbol->name; symbol++) {
		void **slot = (void **)((char *)api + symbol->offset);

		*slot = dlsym(library, symbol->name);
		if (!*slot)
			return symbol->name;
	}
	return NULL;
}
