/* The daemon's hooks, clock, messages and log. */
#define _GNU_SOURCE
#include "layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

pa_hook_slot *cpc_connect(pa_core *core, enum cpc_hook hook, int priority, cpc_callback callback, void *userdata) {
    if (!CPC_CAN_READ(core, pa_core) || callback == NULL || (unsigned)hook >= CPC_HOOKS) return NULL;
    size_t offset = cpc_layout->pa_core_hooks + (size_t)cpc_layout->hooks[hook] * cpc_layout->hook_size;
    return pa_hook_connect((pa_hook *)((char *)core + offset), priority, callback, userdata);
}

void cpc_disconnect(pa_hook_slot *slot) {
    if (slot != NULL) pa_hook_slot_free(slot);
}

pa_time_event *cpc_timer(pa_core *core, pa_usec_t at, pa_time_event_cb_t callback, void *userdata) {
    if (cpc_mainloop(core) == NULL || callback == NULL) return NULL;
    return pa_core_rttime_new(core, at, callback, userdata);
}

void cpc_timer_restart(pa_core *core, pa_time_event *event, pa_usec_t at) {
    if (cpc_mainloop(core) != NULL && event != NULL) pa_core_rttime_restart(core, event, at);
}

int64_t cpc_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A message handler of ours, passed as userdata of the daemon's own handler. */
struct answerer {
    cpc_message_callback callback;
    void *userdata;
};

static int answer(
    const char *path, const char *message, const pa_json_object *parameters, char **response, void *userdata) {
    const struct answerer *answerer = userdata;
    char digits[24];
    const char *text = NULL;
    (void)path;
    if (parameters != NULL) {
        switch (pa_json_object_get_type(parameters)) {
        case CPC_JSON_NULL: break;
        case CPC_JSON_STRING: text = pa_json_object_get_string(parameters); break;
        case CPC_JSON_BOOLEAN: text = pa_json_object_get_bool(parameters) ? "true" : "false"; break;
        case CPC_JSON_INTEGER:
            snprintf(digits, sizeof digits, "%" PRId64, pa_json_object_get_int(parameters));
            text = digits;
            break;
        default: return -PA_ERR_INVALID;
        }
    }
    /* The callback may unregister the handler, so the answerer may be freed after this. */
    int result = answerer->callback(message, text, response, answerer->userdata);
    if (result < 0) {
        /* The daemon does not free the response of a failed message. */
        free(*response);
        *response = NULL;
    }
    return result;
}

/* Applies the daemon's own rules for a path. */
static bool is_path(const char *path) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";
    if (path == NULL || path[0] != '/' || strstr(path, "//") != NULL) return false;
    size_t length = strlen(path);
    return strspn(path, letters) == length && path[length - 1] != '/';
}

bool cpc_handle_messages(
    pa_core *core, const char *path, const char *description, cpc_message_callback callback, void *userdata) {
    if (!CPC_CAN_READ(core, pa_core) || callback == NULL || !is_path(path) || cpc_layout->major < 15) return false;
    if (pa_hashmap_get(CPC_FIELD(core, pa_core, message_handlers), path) != NULL) return false;
    struct answerer *answerer = malloc(sizeof *answerer);
    if (answerer == NULL) return false;
    *answerer = (struct answerer){.callback = callback, .userdata = userdata};
    pa_message_handler_register(core, path, description == NULL ? "" : description, answer, answerer);
    return true;
}

void cpc_handle_messages_no_more(pa_core *core, const char *path) {
    if (!CPC_CAN_READ(core, pa_core) || path == NULL || cpc_layout->major < 15) return;
    void *handler = pa_hashmap_get(CPC_FIELD(core, pa_core, message_handlers), path);
    if (handler == NULL || !cpc_prove_handler(handler, path) || CPC_FIELD(handler, pa_message_handler, callback) != answer) return;
    struct answerer *answerer = CPC_FIELD(handler, pa_message_handler, userdata);
    pa_message_handler_unregister(core, path);
    free(answerer);
}

void cpc_log(int level, const char *text) {
    unsigned known = level < CPC_LOG_ERROR ? CPC_LOG_ERROR : level > CPC_LOG_DEBUG ? CPC_LOG_DEBUG : (unsigned)level;
    if (text != NULL) pa_log_level_meta(known, "audio-session", 0, "", "%s", text);
}
