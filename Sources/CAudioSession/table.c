/* The table of properties, from properties.def. */
#include "values.h"

static const struct as_property properties[] = {
#define PROPERTY(id, characters, kind, get, set, listen, source) { id, kind, get, set, listen, source },
#include "properties.def"
#undef PROPERTY
};

const struct as_property *as_property_known(AudioSessionPropertyID id) {
    for (size_t index = 0; index < sizeof properties / sizeof *properties; index++) {
        if (properties[index].id == id) return &properties[index];
    }
    return NULL;
}

UInt32 as_kind_size(enum as_kind kind) {
    switch (kind) {
    case UINT32: return sizeof(UInt32);
    case FLOAT32: return sizeof(Float32);
    case FLOAT64: return sizeof(Float64);
    case VALUE: return sizeof(AudioSessionValueRef);
    }
    return 0;
}
