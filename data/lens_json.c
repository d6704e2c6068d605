#include "data/lens_json.h"

#include <cjson/cJSON.h>
#include <math.h>

static int64_t count_of(const char *text, const char *end, char wanted)
{
	int64_t count = 0;

	for (; *text && text != end; text++)
		count += *text == wanted;
	return count;
}

static int add_element(struct lens *lens, const cJSON *element, struct err *err)
{
	double value = cJSON_IsNumber(element) ? element->valuedouble : -1.0;

	if (!(value >= 0.0 && value <= (double)LENS_MAX_LEN && value == floor(value))) {
		char *text = cJSON_PrintUnformatted(element);

		err_set(err, ERR_USAGE, "'%.60s' is not a whole number from 0 to %lld",
			text ? text : "", (long long)LENS_MAX_LEN);
		cJSON_free(text);
		return -1;
	}
	return lens_add(lens, 1, (int64_t)value, err);
}

int lens_parse_json(struct lens *lens, const char *text, const char *path, struct err *err)
{
	cJSON *array = NULL;
	const cJSON *element;
	const char *end = NULL;
	int64_t index = 0; /* from 1, as lines and items are */
	int result = -1;

	/* Before the parser makes an object of each element. */
	if (count_of(text, NULL, ',') >= LENS_MAX_COUNT) {
		err_set(err, ERR_USAGE, "%s: more than %lld sequences; use fewer", path,
			(long long)LENS_MAX_COUNT);
		goto out;
	}
	array = cJSON_ParseWithOpts(text, &end, 1);
	if (!array) {
		err_set(err, ERR_USAGE, "%s, line %lld: malformed JSON; write one array of numbers",
			path, (long long)(1 + count_of(text, end, '\n')));
		goto out;
	}
	if (!cJSON_IsArray(array)) {
		err_set(err, ERR_USAGE, "%s: not a JSON array; write one array of numbers", path);
		goto out;
	}
	cJSON_ArrayForEach(element, array)
	{
		index++;
		if (add_element(lens, element, err)) {
			err_prefix(err, "%s, element %lld", path, (long long)index);
			goto out;
		}
	}
	result = 0;
out:
	cJSON_Delete(array);
	return result;
}
