/* The card as an object that the daemon and the session manager see: its profiles, its routes, and setting them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spa/monitor/utils.h>
#include <spa/param/audio/raw.h>
#include <spa/param/profile.h>
#include <spa/param/props.h>
#include <spa/param/route.h>
#include <spa/pod/builder.h>
#include <spa/pod/filter.h>
#include <spa/pod/parser.h>
#include <spa/utils/keys.h>
#include <spa/utils/result.h>
#include <spa/utils/string.h>

#include "model.h"

static const uint32_t parameter_ids[] = {SPA_PARAM_EnumProfile, SPA_PARAM_Profile, SPA_PARAM_EnumRoute,
                                         SPA_PARAM_Route};
static const char *const parameter_names[] = {"EnumProfile", "Profile", "EnumRoute", "Route"};

static void build_class(struct spa_pod_builder *builder, const struct card *card, uint32_t devices,
                        enum spa_direction direction) {
    uint32_t numbers[MOST_DEVICES], count = 0;
    for (uint32_t number = 0; number < card->plan->device_count; number++)
        if ((devices & ONLY(number)) != 0 && card->plan->devices[number].direction == direction)
            numbers[count++] = number;
    if (count == 0) return;
    spa_pod_builder_add_struct(
        builder, SPA_POD_String(direction == SPA_DIRECTION_OUTPUT ? "Audio/Sink" : "Audio/Source"), SPA_POD_Int(count),
        SPA_POD_String("card.profile.devices"), SPA_POD_Array(sizeof(uint32_t), SPA_TYPE_Int, count, numbers));
}

static int class_count(const struct card *card, uint32_t devices) {
    uint32_t directions = 0;
    for (uint32_t number = 0; number < card->plan->device_count; number++)
        if ((devices & ONLY(number)) != 0) directions |= ONLY(card->plan->devices[number].direction);
    return (directions & 1) + (directions >> 1);
}

static struct spa_pod *build_profile(struct spa_pod_builder *builder, const struct card *card, uint32_t id,
                                     uint32_t number) {
    const struct profile_plan *profile = &card->plan->profiles[number];
    struct spa_pod_frame frame, classes;
    spa_pod_builder_push_object(builder, &frame, SPA_TYPE_OBJECT_ParamProfile, id);
    spa_pod_builder_add(
        builder, SPA_PARAM_PROFILE_index, SPA_POD_Int(number), SPA_PARAM_PROFILE_name, SPA_POD_String(profile->name),
        SPA_PARAM_PROFILE_description, SPA_POD_String(profile->description), SPA_PARAM_PROFILE_priority,
        SPA_POD_Int(profile->priority), SPA_PARAM_PROFILE_available, SPA_POD_Id(profile_available(card, number)), 0);
    spa_pod_builder_prop(builder, SPA_PARAM_PROFILE_classes, 0);
    spa_pod_builder_push_struct(builder, &classes);
    spa_pod_builder_int(builder, class_count(card, profile->devices));
    build_class(builder, card, profile->devices, SPA_DIRECTION_INPUT);
    build_class(builder, card, profile->devices, SPA_DIRECTION_OUTPUT);
    spa_pod_builder_pop(builder, &classes);
    if (id == SPA_PARAM_Profile) {
        spa_pod_builder_prop(builder, SPA_PARAM_PROFILE_save, 0);
        spa_pod_builder_bool(builder, card->profile_saved);
    }
    return spa_pod_builder_pop(builder, &frame);
}

static void build_numbers(struct spa_pod_builder *builder, const struct card *card, uint32_t key, uint32_t set) {
    struct spa_pod_frame frame;
    spa_pod_builder_prop(builder, key, 0);
    /* A card that lies of the size that its numbers have. */
    if (card->shared->lies) {
        static struct {
            struct spa_pod_array array;
            uint8_t numbers[16384];
        } lie;
        memset(lie.numbers, 0x41, sizeof(lie.numbers));
        lie.array = (struct spa_pod_array){{sizeof(lie) - sizeof(struct spa_pod), SPA_TYPE_Array}, {{4096, SPA_TYPE_Int}}};
        spa_pod_builder_primitive(builder, &lie.array.pod);
        return;
    }
    spa_pod_builder_push_array(builder, &frame);
    for (uint32_t number = 0; number < 32; number++)
        if ((set & ONLY(number)) != 0) spa_pod_builder_int(builder, number);
    spa_pod_builder_pop(builder, &frame);
}

/* A port, and if a device is given, as the route in use of that device. */
static struct spa_pod *build_route(struct spa_pod_builder *builder, const struct card *card, uint32_t id,
                                   uint32_t number, const struct device *device) {
    const struct port_plan *port = &card->plan->ports[number];
    struct spa_pod_frame frame, inner;
    int properties = 0;
    while (properties < MOST_PROPERTIES && port->properties[properties].key != NULL) properties++;
    spa_pod_builder_push_object(builder, &frame, SPA_TYPE_OBJECT_ParamRoute, id);
    spa_pod_builder_add(builder, SPA_PARAM_ROUTE_index, SPA_POD_Int(number), SPA_PARAM_ROUTE_direction,
                        SPA_POD_Id(port->direction), SPA_PARAM_ROUTE_name, SPA_POD_String(port->name),
                        SPA_PARAM_ROUTE_description, SPA_POD_String(port->description), SPA_PARAM_ROUTE_priority,
                        SPA_POD_Int(port->priority), SPA_PARAM_ROUTE_available, SPA_POD_Id(card->shared->available[number]), 0);
    spa_pod_builder_prop(builder, SPA_PARAM_ROUTE_info, SPA_POD_PROP_FLAG_HINT_DICT);
    spa_pod_builder_push_struct(builder, &inner);
    spa_pod_builder_int(builder, properties + 1);
    spa_pod_builder_add(builder, SPA_POD_String("port.type"), SPA_POD_String(port->type), NULL);
    for (int index = 0; index < properties; index++)
        spa_pod_builder_add(builder, SPA_POD_String(port->properties[index].key),
                            SPA_POD_String(port->properties[index].value), NULL);
    spa_pod_builder_pop(builder, &inner);
    build_numbers(builder, card, SPA_PARAM_ROUTE_profiles, port->profiles);
    if (device != NULL) {
        static const uint32_t positions[CHANNELS] = {SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR};
        spa_pod_builder_add(builder, SPA_PARAM_ROUTE_device, SPA_POD_Int(device->number), 0);
        spa_pod_builder_prop(builder, SPA_PARAM_ROUTE_props, 0);
        spa_pod_builder_push_object(builder, &inner, SPA_TYPE_OBJECT_Props, id);
        spa_pod_builder_add(builder, SPA_PROP_mute, SPA_POD_Bool(device->muted), SPA_PROP_channelVolumes,
                            SPA_POD_Array(sizeof(float), SPA_TYPE_Float, CHANNELS, device->volumes),
                            SPA_PROP_channelMap, SPA_POD_Array(sizeof(uint32_t), SPA_TYPE_Id, CHANNELS, positions),
                            SPA_PROP_softVolumes,
                            SPA_POD_Array(sizeof(float), SPA_TYPE_Float, CHANNELS, device->volumes), 0);
        spa_pod_builder_pop(builder, &inner);
    }
    build_numbers(builder, card, SPA_PARAM_ROUTE_devices, port->devices);
    if (device != NULL)
        spa_pod_builder_add(builder, SPA_PARAM_ROUTE_profile, SPA_POD_Int(card->profile), SPA_PARAM_ROUTE_save,
                            SPA_POD_Bool(device->saved), 0);
    return spa_pod_builder_pop(builder, &frame);
}

/* The parameter of a number at or after `*index`; NULL when there is none. */
static struct spa_pod *build_parameter(struct spa_pod_builder *builder, const struct card *card, uint32_t id,
                                       uint32_t *index) {
    const struct card_plan *plan = card->plan;
    switch (id) {
    case SPA_PARAM_EnumProfile: return *index < plan->profile_count ? build_profile(builder, card, id, *index) : NULL;
    case SPA_PARAM_Profile: return *index < 1 ? build_profile(builder, card, id, card->profile) : NULL;
    case SPA_PARAM_EnumRoute: return *index < plan->port_count ? build_route(builder, card, id, *index, NULL) : NULL;
    case SPA_PARAM_Route:
        for (; *index < plan->device_count; ++*index)
            if ((plan->profiles[card->profile].devices & ONLY(*index)) != 0)
                return build_route(builder, card, id, card->devices[*index].port, &card->devices[*index]);
        return NULL;
    default: return NULL;
    }
}

static int enum_params(void *data, int sequence, uint32_t id, uint32_t start, uint32_t number,
                       const struct spa_pod *filter) {
    struct card *card = data;
    struct spa_result_device_params result = {.id = id, .next = start};
    for (int index = 0; index < 4; index++)
        if (parameter_ids[index] == id) note("asked for %s", parameter_names[index]);
    for (uint32_t count = 0; count < number;) {
        uint8_t buffer[262144];
        struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
        result.index = result.next;
        struct spa_pod *parameter = build_parameter(&builder, card, id, &result.index);
        if (parameter == NULL) break;
        result.next = result.index + 1;
        if (spa_pod_filter(&builder, &result.param, parameter, filter) < 0) continue;
        spa_device_emit_result(&card->hooks, sequence, 0, SPA_RESULT_TYPE_DEVICE_PARAMS, &result);
        count++;
    }
    return 0;
}

/* Whether anything is new. */
static bool set_properties(struct device *device, struct spa_pod *properties) {
    float volumes[8];
    uint32_t count = 0;
    bool muted = device->muted, is_new = false;
    struct spa_pod_prop *property;
    if (!spa_pod_is_object_type(properties, SPA_TYPE_OBJECT_Props)) return false;
    SPA_POD_OBJECT_FOREACH((struct spa_pod_object *)properties, property) {
        if (property->key == SPA_PROP_mute) spa_pod_get_bool(&property->value, &muted);
        if (property->key == SPA_PROP_channelVolumes)
            count = spa_pod_copy_array(&property->value, SPA_TYPE_Float, volumes, 8);
    }
    for (uint32_t channel = 0; count > 0 && channel < CHANNELS; channel++) {
        float volume = volumes[channel < count ? channel : 0];
        is_new |= device->volumes[channel] != volume;
        device->volumes[channel] = volume;
    }
    is_new |= device->muted != muted;
    device->muted = muted;
    return is_new;
}

static int set_param(void *data, uint32_t id, uint32_t flags, const struct spa_pod *parameter) {
    struct card *card = data;
    uint32_t index, number;
    bool save = false;
    struct spa_pod *properties = NULL;
    (void)flags;
    if (parameter == NULL) return -EINVAL;
    if (id == SPA_PARAM_Profile) {
        if (spa_pod_parse_object(parameter, SPA_TYPE_OBJECT_ParamProfile, NULL, SPA_PARAM_PROFILE_index,
                                 SPA_POD_Int(&index), SPA_PARAM_PROFILE_save, SPA_POD_OPT_Bool(&save)) < 0 ||
            index >= card->plan->profile_count)
            return -EINVAL;
        note("told Profile %s", card->plan->profiles[index].name);
        set_profile(card, index, save);
        return 0;
    }
    if (id != SPA_PARAM_Route) return -ENOENT;
    if (spa_pod_parse_object(parameter, SPA_TYPE_OBJECT_ParamRoute, NULL, SPA_PARAM_ROUTE_index, SPA_POD_Int(&index),
                             SPA_PARAM_ROUTE_device, SPA_POD_Int(&number), SPA_PARAM_ROUTE_props,
                             SPA_POD_OPT_Pod(&properties), SPA_PARAM_ROUTE_save, SPA_POD_OPT_Bool(&save)) < 0 ||
        index >= card->plan->port_count || number >= card->plan->device_count ||
        (card->plan->ports[index].devices & ONLY(number)) == 0)
        return -EINVAL;
    struct device *device = &card->devices[number];
    set_port(card, number, index, save);
    bool is_new = properties != NULL && set_properties(device, properties);
    note("told Route %s volume %.4f%s", card->plan->ports[index].key, device->volumes[0],
         device->muted ? " muted" : "");
    /* Its node may be a new one. */
    if (properties != NULL) apply_volumes(device);
    if (is_new) changed(card, ONLY(ROUTE));
    return 0;
}

static int sync_device(void *data, int sequence) {
    struct card *card = data;
    spa_device_emit_result(&card->hooks, sequence, 0, 0, NULL);
    return 0;
}

void describe(const struct card *card, struct description *description) {
    struct spa_dict_item *items = description->items;
    uint32_t count = 0;
    card_name(card->shared, card->plan, description->name, sizeof(description->name));
    items[count++] = SPA_DICT_ITEM_INIT(SPA_KEY_DEVICE_NAME, description->name);
    items[count++] = SPA_DICT_ITEM_INIT(SPA_KEY_DEVICE_DESCRIPTION, card->plan->description);
    items[count++] = SPA_DICT_ITEM_INIT(SPA_KEY_DEVICE_NICK, card->plan->description);
    items[count++] = SPA_DICT_ITEM_INIT(SPA_KEY_DEVICE_API, card->plan->api);
    items[count++] = SPA_DICT_ITEM_INIT(SPA_KEY_MEDIA_CLASS, "Audio/Device");
    for (int index = 0; index < MOST_PROPERTIES && card->plan->properties[index].key != NULL; index++)
        items[count++] = SPA_DICT_ITEM_INIT(card->plan->properties[index].key, card->plan->properties[index].value);
    /* No key twice: PipeWire 1.6 keeps both then, and who changes one has the other win. */
    for (uint32_t more = describe_more(card, items + count); more > 0; more--) {
        struct spa_dict_item item = items[count], *same = items;
        while (same < items + count && !spa_streq(same->key, item.key)) same++;
        if (same < items + count) {
            *same = item;
            memmove(items + count, items + count + 1, (more - 1) * sizeof(*items));
        } else {
            count++;
        }
    }
    description->dictionary = SPA_DICT_INIT(items, count);
}

static int add_listener(void *data, struct spa_hook *listener, const struct spa_device_events *events, void *user) {
    struct card *card = data;
    struct spa_hook_list save;
    struct description description;
    describe(card, &description);
    spa_hook_list_isolate(&card->hooks, &save, listener, events, user);
    card->info.change_mask =
        SPA_DEVICE_CHANGE_MASK_FLAGS | SPA_DEVICE_CHANGE_MASK_PROPS | SPA_DEVICE_CHANGE_MASK_PARAMS;
    card->info.props = &description.dictionary;
    spa_device_emit_info(&card->hooks, &card->info);
    card->info.props = NULL;
    card->info.change_mask = 0;
    if (events->object_info != NULL) tell_nodes(card);
    spa_hook_list_join(&card->hooks, &save);
    return 0;
}

void changed(struct card *card, uint32_t parameters) {
    if (!card->shared->present) return;
    for (uint32_t index = 0; index < 4; index++)
        if ((parameters & ONLY(index)) != 0) card->parameters[index].flags ^= SPA_PARAM_INFO_SERIAL;
    card->info.change_mask = SPA_DEVICE_CHANGE_MASK_PARAMS;
    spa_device_emit_info(&card->hooks, &card->info);
    card->info.change_mask = 0;
}

static const struct spa_device_methods methods = {
    SPA_VERSION_DEVICE_METHODS, .add_listener = add_listener, .sync = sync_device,
    .enum_params = enum_params, .set_param = set_param,
};

void device_init(struct card *card) {
    static const uint32_t access[] = {SPA_PARAM_INFO_READ, SPA_PARAM_INFO_READWRITE, SPA_PARAM_INFO_READ,
                                      SPA_PARAM_INFO_READWRITE};
    for (uint32_t index = 0; index < 4; index++)
        card->parameters[index] = SPA_PARAM_INFO(parameter_ids[index], access[index]);
    card->info = SPA_DEVICE_INFO_INIT();
    card->info.params = card->parameters;
    card->info.n_params = 4;
    spa_hook_list_init(&card->hooks);
    card->object.iface = SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_Device, SPA_VERSION_DEVICE, &methods, card);
}
