#include "cmd/escape.h"

void escape_add(struct str *str, const char *text, char special, const char *instead)
{
	for (; *text; text++)
		if (*text == special)
			str_add(str, instead);
		else
			str_add_bytes(str, text, 1);
}
