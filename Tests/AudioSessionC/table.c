/* Every property of the table, used in every way, in every state; and the table against the rules. */
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum kind { UINT32, FLOAT32, FLOAT64, VALUE };
enum source { KEPT, SERVICE, INTERRUPTION, ENDING, NOWHERE };

static const struct row {
    AudioSessionPropertyID id;
    const char *characters;
    enum kind kind;
    bool is_read, is_set, is_listened;
    enum source source;
} rows[] = {
#define PROPERTY(id, characters, kind, get, set, listen, source) { id, characters, kind, get, set, listen, source },
#include "properties.def"
#undef PROPERTY
};
enum { ROWS = sizeof rows / sizeof *rows };

static const UInt32 sizes[] = { [UINT32] = 4, [FLOAT32] = 4, [FLOAT64] = 8, [VALUE] = sizeof(void *) };

static bool is_in(const char *list, const char *characters) { return strstr(list, characters) != NULL; }

/* R67, R68, R69, written from the rules and not from the table; and what is ours. */
static void compare_with_rules(const struct row *row) {
    const char *read_and_set = "hwsr iobd acat duck cmix cspk cblu mode isrc odst igsc iord";
    const char *read = "chsr chic choc chov cilt colt chbd othr aiav type srcs dsts igav crar rout irsn iwho";
    const char *set = "ovrd", *listened = "chov aiav igsc srcs dsts igav roch died chsr chbd chic choc";
    const char *characters = row->characters;
    EXPECT(row->id, (UInt32)characters[0] << 24 | (UInt32)characters[1] << 16 | (UInt32)characters[2] << 8 |
                        (UInt32)characters[3]);
    EXPECT(row->is_read, is_in(read_and_set, characters) || is_in(read, characters));
    EXPECT(row->is_set, is_in(read_and_set, characters) || is_in(set, characters));
    EXPECT(row->is_listened, is_in(listened, characters));
    const char *values = "roch srcs dsts isrc odst crar rout iwho", *doubles = "hwsr chsr";
    const char *floats = "iobd chov cilt colt chbd igsc";
    EXPECT(row->kind, is_in(values, characters)    ? VALUE
                      : is_in(doubles, characters) ? FLOAT64
                      : is_in(floats, characters)  ? FLOAT32
                                                   : UINT32);
}

static OSStatus get(const struct row *row, UInt32 *size) {
    union {
        AudioSessionValueRef value;
        char bytes[32];
    } data;
    memset(&data, 0x55, sizeof data);
    OSStatus status = AudioSessionGetProperty(row->id, size, &data);
    /* Nothing is written beyond the size, nor with an error. */
    for (size_t index = status == 0 ? sizes[row->kind] : 0; index < sizeof data; index++) {
        EXPECT(data.bytes[index], 0x55);
    }
    if (status == 0 && row->kind == VALUE) AudioSessionValueRelease(data.value);
    return status;
}

/* A value that the property takes; 0 is its size. */
static OSStatus set(const struct row *row, UInt32 size) {
    union {
        UInt32 number;
        Float32 fraction;
        Float64 real;
        AudioSessionValueRef value;
        char bytes[32];
    } data = { .real = 0 };
    AudioSessionValueRef number = NULL;
    if (row->kind == UINT32) data.number = 1;
    if (row->kind == FLOAT32) data.fraction = 0.5f;
    if (row->kind == FLOAT64) data.real = 44100;
    if (row->id == kAudioSessionProperty_AudioCategory) data.number = kAudioSessionCategory_PlayAndRecord;
    if (row->id == kAudioSessionProperty_Mode) data.number = kAudioSessionMode_Measurement;
    if (row->id == kAudioSessionProperty_OverrideAudioRoute) data.number = kAudioSessionOverrideAudioRoute_Speaker;
    if (row->kind == VALUE) {
        AudioSessionValueRef list = NULL;
        UInt32 room = sizeof list;
        bool is_input = row->id == kAudioSessionProperty_InputSource;
        AudioSessionGetProperty(
            is_input ? kAudioSessionProperty_InputSources : kAudioSessionProperty_OutputDestinations, &room, &list);
        AudioSessionValueRef first = AudioSessionValueGetElement(list, 0);
        Float64 id = AudioSessionValueGetNumber(AudioSessionValueGetMember(first, kAudioSession_InputSourceKey_ID));
        data.value = number = AudioSessionValueCreateNumber(id);
        AudioSessionValueRelease(list);
    }
    OSStatus status = AudioSessionSetProperty(row->id, size == 0 ? sizes[row->kind] : size, &data);
    AudioSessionValueRelease(number);
    return status;
}

static void no_listener(void *data, AudioSessionPropertyID id, UInt32 size, const void *value) {
    (void)data, (void)id, (void)size, (void)value;
}

/* All that can be done, where everything gives the same error. */
static void refuse_all(AudioSessionPropertyID id, OSStatus expected) {
    char data[32] = { 0 };
    UInt32 size = sizeof data;
    EXPECT(AudioSessionGetProperty(id, &size, data), expected);
    EXPECT(AudioSessionGetPropertySize(id, &size), expected);
    EXPECT(AudioSessionSetProperty(id, 4, data), expected);
    EXPECT(AudioSessionAddPropertyListener(id, no_listener, NULL), expected);
    EXPECT(AudioSessionRemovePropertyListener(id), expected);
    EXPECT(AudioSessionRemovePropertyListenerWithUserData(id, no_listener, NULL), expected);
}

static void use(const struct row *row, OSStatus read, OSStatus written) {
    UInt32 right = sizes[row->kind], size = 99;
    OSStatus unread = row->is_read ? ERROR_SIZE : ERROR_PROPERTY, unset = row->is_set ? ERROR_SIZE : ERROR_PROPERTY;
    /* R83, R84 */
    EXPECT(AudioSessionGetPropertySize(row->id, &size), row->is_read ? 0 : ERROR_PROPERTY);
    EXPECT(size, row->is_read ? right : 99);
    EXPECT(AudioSessionGetPropertySize(row->id, NULL), row->is_read ? ERROR_WHAT : ERROR_PROPERTY);
    /* R70: more room than needed is as good. */
    for (UInt32 room = 0; room < right; room++) {
        size = room;
        EXPECT(get(row, &size), unread);
        EXPECT(size, room);
    }
    for (UInt32 room = right; room < 32; room += 5) {
        size = room;
        EXPECT(get(row, &size), row->is_read ? read : ERROR_PROPERTY);
        EXPECT(size, row->is_read && read == 0 ? right : room);
    }
    EXPECT(AudioSessionGetProperty(row->id, NULL, &size), row->is_read ? ERROR_WHAT : ERROR_PROPERTY);
    EXPECT(AudioSessionSetProperty(row->id, right, NULL), row->is_set ? ERROR_WHAT : ERROR_PROPERTY);
    for (UInt32 wrong = 1; wrong < 20; wrong++) {
        if (wrong != right) EXPECT(set(row, wrong), unset);
    }
    EXPECT(AudioSessionSetProperty(row->id, 0, &size), unset);
    EXPECT(set(row, 0), row->is_set ? written : ERROR_PROPERTY);
    OSStatus listened = row->is_listened ? 0 : ERROR_PROPERTY;
    EXPECT(AudioSessionAddPropertyListener(row->id, NULL, NULL), row->is_listened ? ERROR_WHAT : ERROR_PROPERTY);
    EXPECT(AudioSessionRemovePropertyListenerWithUserData(row->id, no_listener, NULL), ERROR_PROPERTY);
    EXPECT(AudioSessionAddPropertyListener(row->id, no_listener, NULL), listened);
    EXPECT(AudioSessionRemovePropertyListenerWithUserData(row->id, no_listener, NULL), listened);
    EXPECT(AudioSessionRemovePropertyListener(row->id), listened);
}

void test_table_uninitialized(void) {
    EXPECT(ROWS, 32);
    for (int index = 0; index < ROWS; index++) {
        compare_with_rules(&rows[index]);
        /* R3 */
        refuse_all(rows[index].id, kAudioSessionNotInitialized);
    }
    refuse_all(0x7a7a7a7a, kAudioSessionNotInitialized);
    EXPECT(AudioSessionSetActive(1), kAudioSessionNotInitialized);
    EXPECT(AudioSessionSetActiveWithFlags(0, 99), kAudioSessionNotInitialized);
    EXPECT(AudioSessionUninitialize(), kAudioSessionNotInitialized);
    EXPECT(AudioSessionDispatch(), kAudioSessionNotInitialized);
    EXPECT(AudioSessionGetPollFD(), -1);
}

static OSStatus readable(const struct row *row, bool knows_hardware, bool has_accessory) {
    if (row->source == ENDING || row->source == INTERRUPTION) return ERROR_PROPERTY;
    if (is_in("isrc odst", row->characters)) return has_accessory ? 0 : kAudioServicesNoHardwareError;
    return is_in("chic choc chov cilt colt", row->characters) && !knows_hardware ? ERROR_WHAT : 0;
}

void test_table_ready(void) {
    initialize();
    refuse_all(0x7a7a7a7a, ERROR_PROPERTY);
    refuse_all(0, ERROR_PROPERTY);
    for (int index = 0; index < ROWS; index++) {
        EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_PlayAndRecord), 0);
        use(&rows[index], readable(&rows[index], false, false), 0);
    }
    play("set OutputVolume 0.5");
    play("set InputLatency 0.01");
    play("set OutputLatency 0.02");
    play("set InputChannels 1");
    play("set OutputChannels 2");
    UInt32 size = sizeof size, channels = 0;
    SOON((size = sizeof size, AudioSessionGetProperty(kAudioSessionProperty_CurrentHardwareOutputNumberChannels, &size,
                                                      &channels)) == 0);
    EXPECT(channels, 2);
    for (int index = 0; index < ROWS; index++) use(&rows[index], readable(&rows[index], true, true), 0);
    EXPECT(AudioSessionUninitialize(), 0);
    for (int index = 0; index < ROWS; index++) refuse_all(rows[index].id, kAudioSessionNotInitialized);
}

void test_table_away(void) {
    initialize();
    EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_PlayAndRecord), 0);
    EXPECT(AudioSessionAddPropertyListener(kAudioSessionProperty_ServerDied, hear_property, NULL), 0);
    play("stop");
    HEARD("died=1");
    for (int index = 0; index < ROWS; index++) {
        const struct row *row = &rows[index];
        bool is_port = is_in("isrc odst", row->characters);
        OSStatus read = is_port                ? kAudioServicesNoHardwareError
                        : row->source == KEPT   ? 0
                        : row->source == ENDING || row->source == INTERRUPTION ? ERROR_PROPERTY
                                                : ERROR_WHAT;
        /* Without the options that former rows have set, which would keep the mode from changing. */
        EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_MediaPlayback), 0);
        EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_PlayAndRecord), 0);
        /* What is set is kept, but which ports there are is not known. */
        use(row, read, is_port ? ERROR_WHAT : 0);
    }
    EXPECT(AudioSessionSetActive(1), ERROR_WHAT);
    EXPECT(AudioSessionSetActive(0), 0);
}
