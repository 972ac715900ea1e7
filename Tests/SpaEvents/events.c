#include "SpaEvents.h"

#include <stdlib.h>

#include <spa/utils/json.h>

struct reader {
    spa_events_take take;
    void *data;
    int depth;
};

static int read_text(struct reader *reader, char kind, const char *text, int length)
{
    // One more than the length, as the library wants it: the text gets a zero at its end.
    char *decoded = malloc((size_t)length + 1);
    if (decoded == NULL)
        return -1;
    int result = spa_json_parse_stringn(text, length, decoded, length + 1);
    if (result > 0)
        reader->take(reader->data, kind, decoded, strlen(decoded));
    free(decoded);
    return result > 0 ? 0 : -1;
}

static int read_object(struct reader *reader, struct spa_json *iterator);
static int read_array(struct reader *reader, struct spa_json *iterator);

static int read_value(struct reader *reader, struct spa_json *iterator, const char *value, int length)
{
    bool is_object = spa_json_is_object(value, length);
    if (!is_object && !spa_json_is_array(value, length))
        return read_text(reader, 'v', value, length);
    if (++reader->depth > 1000)
        return -1;
    struct spa_json inner;
    spa_json_enter(iterator, &inner);
    reader->take(reader->data, is_object ? '{' : '[', NULL, 0);
    int result = is_object ? read_object(reader, &inner) : read_array(reader, &inner);
    reader->take(reader->data, is_object ? '}' : ']', NULL, 0);
    reader->depth--;
    return result;
}

static int read_object(struct reader *reader, struct spa_json *iterator)
{
    const char *text;
    int length;
    while ((length = spa_json_next(iterator, &text)) > 0) {
        if (spa_json_is_container(text, length) || read_text(reader, 'k', text, length) < 0)
            return -1;
        if ((length = spa_json_next(iterator, &text)) <= 0)
            return -1;
        if (read_value(reader, iterator, text, length) < 0)
            return -1;
    }
    return length;
}

static int read_array(struct reader *reader, struct spa_json *iterator)
{
    const char *text;
    int length;
    while ((length = spa_json_next(iterator, &text)) > 0) {
        if (read_value(reader, iterator, text, length) < 0)
            return -1;
    }
    return length;
}

int spa_events_read(const char *text, size_t size, spa_events_take take, void *data)
{
    struct reader reader = { take, data, 0 };
    struct spa_json outer, inner;
    spa_json_init(&outer, text, size);
    // As pw_properties_update_string() does it.
    if (spa_json_enter_object(&outer, &inner) <= 0)
        spa_json_init(&inner, text, size);
    return read_object(&reader, &inner);
}
