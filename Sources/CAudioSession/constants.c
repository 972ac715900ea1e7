/* Constant texts: each is one value, as long as the program runs. */
#include "values.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct constant {
    struct constant *next;
    AudioSessionValueRef value;
};

/* The newest first. The list only grows, so that it needs no lock, also after fork(). */
static _Atomic(struct constant *) constants;

/* More references than a program releases: CFRelease(CFSTR("text")) does nothing on the phone. */
static const UInt32 always = UINT32_MAX / 2;

static struct constant *make(const char *text) {
    struct constant *made = malloc(sizeof *made);
    if (made == NULL) return NULL;
    made->value = AudioSessionValueCreateString(text);
    if (made->value != NULL) return made;
    free(made);
    return NULL;
}

AudioSessionValueRef AudioSessionValueConstantString(const char *inText) {
    struct constant *added = NULL, *first = atomic_load(&constants), *known = NULL;
    if (inText == NULL) return NULL;
    for (;;) {
        /* The texts that have been added since the last search. */
        for (struct constant *one = first; one != known; one = one->next) {
            if (strcmp(AudioSessionValueGetString(one->value), inText) != 0) continue;
            if (added != NULL) {
                as_value_count((struct AudioSessionValue *)added->value, 1);
                AudioSessionValueRelease(added->value);
                free(added);
            }
            return one->value;
        }
        known = first;
        if (added == NULL && (added = make(inText)) == NULL) return NULL;
        as_value_count((struct AudioSessionValue *)added->value, always);
        added->next = first;
        if (atomic_compare_exchange_strong(&constants, &first, added)) return added->value;
    }
}
