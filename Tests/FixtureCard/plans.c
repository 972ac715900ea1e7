/* The cards. Their names, types and properties are those of real ones. */
#include <stdio.h>
#include <string.h>

#include "plan.h"

#define YES SPA_PARAM_AVAILABILITY_yes
#define NO SPA_PARAM_AVAILABILITY_no
#define UNKNOWN SPA_PARAM_AVAILABILITY_unknown
#define OUT SPA_DIRECTION_OUTPUT
#define IN SPA_DIRECTION_INPUT

static const struct card_plan plans[] = {
    /* One sink behind two plugs: pulling one moves the sound without touching the sink. */
    {
        .kind = "laptop",
        .name = "alsa_card.pci-0000_00_1f.3",
        .description = "Built-in Audio",
        .api = "alsa",
        .properties = {{"device.bus", "pci"},
                       {"device.form-factor", "internal"},
                       {"device.icon-name", "audio-card-analog-pci"}},
        .ports = {{"speaker", "analog-output-speaker", "Speakers", "speaker", OUT, 10000, UNKNOWN, ONLY(0), ONLY(1)},
                  {"headphones", "analog-output-headphones", "Headphones", "headphones", OUT, 9900, YES, ONLY(0),
                   ONLY(1)},
                  {"internal-mic", "analog-input-internal-mic", "Internal Microphone", "mic", IN, 8900, UNKNOWN,
                   ONLY(1), ONLY(1), 310},
                  {"headset-mic", "analog-input-headset-mic", "Headset Microphone", "headset-mic", IN, 8800, NO,
                   ONLY(1), ONLY(1), 530}},
        .devices = {{"alsa_output", "analog-stereo", "Analog Stereo", OUT, {{"device.profile.name", "analog-stereo"}}},
                    {"alsa_input", "analog-stereo", "Analog Stereo", IN, {{"device.profile.name", "analog-stereo"}}}},
        .profiles = {{"off", "Off", 0, 0},
                     {"output:analog-stereo+input:analog-stereo", "Analog Stereo Duplex", 6565, ONLY(0) | ONLY(1)}},
        .port_count = 4,
        .device_count = 2,
        .profile_count = 2,
    },
    /* The same with a profile for each plug, as use case manager files have it: pulling one takes the sink away. */
    {
        .kind = "ucm",
        .name = "alsa_card.pci-0000_00_1f.3-platform-skl_hda_dsp_generic",
        .description = "Smart Sound Technology",
        .api = "alsa",
        .properties = {{"device.bus", "pci"},
                       {"device.form-factor", "internal"},
                       {"device.icon-name", "audio-card-analog-pci"}},
        .ports = {{"ucm-speaker", "[Out] Speaker", "Speaker", "speaker", OUT, 100, UNKNOWN, ONLY(0), ONLY(1)},
                  {"ucm-headphones", "[Out] Headphones", "Headphones", "headphones", OUT, 200, YES, ONLY(1), ONLY(2)},
                  {"ucm-mic", "[In] Mic1", "Digital Microphone", "mic", IN, 100, UNKNOWN, ONLY(2), ONLY(1) | ONLY(2),
                   310}},
        .devices = {{"alsa_output",
                     "HiFi__hw_sofhdadsp__sink",
                     "Speaker",
                     OUT,
                     {{"device.profile.name", "HiFi: hw:sofhdadsp:sink"}}},
                    {"alsa_output",
                     "HiFi__hw_sofhdadsp_1__sink",
                     "Headphones",
                     OUT,
                     {{"device.profile.name", "HiFi: hw:sofhdadsp,1:sink"}}},
                    {"alsa_input",
                     "HiFi__hw_sofhdadsp_6__source",
                     "Digital Microphone",
                     IN,
                     {{"device.profile.name", "HiFi: hw:sofhdadsp,6:source"}}}},
        .profiles = {{"off", "Off", 0, 0},
                     {"HiFi (Mic1, Speaker)", "Play HiFi quality Music (Mic1, Speaker)", 8100, ONLY(0) | ONLY(2)},
                     {"HiFi (Headphones, Mic1)", "Play HiFi quality Music (Headphones, Mic1)", 8200, ONLY(1) | ONLY(2),
                      "ucm-headphones"}},
        .port_count = 3,
        .device_count = 3,
        .profile_count = 3,
    },
    /* A headset that comes and goes as a whole. */
    {
        .kind = "usb",
        .name = "alsa_card.usb-Fixture_USB_Headset-00",
        .description = "USB Headset",
        .api = "alsa",
        .properties = {{"device.bus", "usb"},
                       {"device.form-factor", "headset"},
                       {"device.icon-name", "audio-headset-usb"}},
        .ports = {{"usb-output", "analog-output-headphones", "Headphones", "headphones", OUT, 9900, UNKNOWN, ONLY(0),
                   ONLY(1)},
                  {"usb-input", "analog-input-mic", "Microphone", "mic", IN, 8700, UNKNOWN, ONLY(1), ONLY(1), 710}},
        .devices = {{"alsa_output",
                     "analog-stereo",
                     "Analog Stereo",
                     OUT,
                     {{"device.profile.name", "analog-stereo"}, {"priority.session", "1209"}}},
                    {"alsa_input",
                     "mono-fallback",
                     "Mono",
                     IN,
                     {{"device.profile.name", "mono-fallback"}, {"priority.session", "2209"}}}},
        .profiles = {{"off", "Off", 0, 0},
                     {"output:analog-stereo+input:mono-fallback", "Analog Stereo Output + Mono Input", 6501,
                      ONLY(0) | ONLY(1)}},
        .port_count = 2,
        .device_count = 2,
        .profile_count = 2,
    },
    {
        .kind = "hdmi",
        .name = "alsa_card.pci-0000_01_00.1",
        .description = "HDMI Audio Controller",
        .api = "alsa",
        .properties = {{"device.bus", "pci"}, {"device.icon-name", "audio-card-analog-pci"}},
        .ports = {{"hdmi-output",
                   "hdmi-output-0",
                   "HDMI / DisplayPort",
                   "hdmi",
                   OUT,
                   5900,
                   YES,
                   ONLY(0),
                   ONLY(1),
                   0,
                   {{"device.product.name", "Television"}}}},
        .devices = {{"alsa_output",
                     "hdmi-stereo",
                     "Digital Stereo (HDMI)",
                     OUT,
                     {{"device.profile.name", "hdmi-stereo"}, {"priority.session", "1300"}}}},
        .profiles = {{"off", "Off", 0, 0},
                     {"output:hdmi-stereo", "Digital Stereo (HDMI) Output", 5900, ONLY(0), "hdmi-output"}},
        .port_count = 1,
        .device_count = 1,
        .profile_count = 2,
    },
    /* Music in one profile, calls in the other: a sink of the same name, made anew, and a source. */
    {
        .kind = "bluetooth",
        .name = "bluez_card.00_11_22_33_44_55",
        .description = "Bluetooth Headset",
        .api = "bluez5",
        .properties = {{"device.bus", "bluetooth"},
                       {"device.form-factor", "headset"},
                       {"device.icon-name", "audio-headset-bluetooth"},
                       {"api.bluez5.address", "00:11:22:33:44:55"},
                       {"api.bluez5.icon", "audio-headset"}},
        .ports = {{"bluetooth-output", "headset-output", "Headset", "headset", OUT, 0, YES, ONLY(0), ONLY(1)},
                  {"handsfree-output", "headset-hf-output", "Handsfree", "headset", OUT, 0, YES, ONLY(1), ONLY(2)},
                  {"handsfree-input", "headset-hf-input", "Handsfree", "headset", IN, 0, YES, ONLY(2), ONLY(2), 910}},
        .devices = {{"bluez_output",
                     "1",
                     "Bluetooth Headset",
                     OUT,
                     {{"api.bluez5.profile", "a2dp-sink"}, {"api.bluez5.codec", "sbc"}, {"priority.session", "1210"}}},
                    {"bluez_output",
                     "1",
                     "Bluetooth Headset",
                     OUT,
                     {{"api.bluez5.profile", "headset-head-unit"},
                      {"api.bluez5.codec", "msbc"},
                      {"priority.session", "1210"}}},
                    {"bluez_input",
                     "0",
                     "Bluetooth Headset",
                     IN,
                     {{"api.bluez5.profile", "headset-head-unit"},
                      {"api.bluez5.codec", "msbc"},
                      {"priority.session", "2210"}}}},
        .profiles = {{"off", "Off", 0, 0},
                     {"a2dp-sink", "High Fidelity Playback (A2DP Sink)", 16, ONLY(0)},
                     {"headset-head-unit", "Headset Head Unit (HSP/HFP)", 1, ONLY(1) | ONLY(2)}},
        .port_count = 3,
        .device_count = 3,
        .profile_count = 3,
    },
    {
        .kind = "phone",
        .name = "alsa_card.platform-sound",
        .description = "Telephone",
        .api = "alsa",
        .properties = {{"device.bus", "platform"},
                       {"device.form-factor", "internal"},
                       {"device.icon-name", "audio-card-analog"}},
        .ports = {{"phone-earpiece", "[Out] Earpiece", "Internal Earpiece", "earpiece", OUT, 100, UNKNOWN, ONLY(0),
                   ONLY(1)},
                  {"phone-speaker", "[Out] Speaker", "Internal Speaker", "speaker", OUT, 200, UNKNOWN, ONLY(0),
                   ONLY(1)},
                  {"phone-headphones", "[Out] Headphones", "Headphones", "headphones", OUT, 300, NO, ONLY(0), ONLY(1)},
                  {"phone-mic", "[In] Mic", "Internal Microphone", "mic", IN, 100, UNKNOWN, ONLY(1), ONLY(1), 310},
                  {"phone-headset-mic", "[In] Headset", "Headset Microphone", "headset", IN, 200, NO, ONLY(1), ONLY(1),
                   530}},
        .devices =
            {{"alsa_output", "HiFi__hw_sound__sink", "Playback", OUT, {{"device.profile.name", "HiFi: hw:sound:sink"}}},
             {"alsa_input",
              "HiFi__hw_sound__source",
              "Capture",
              IN,
              {{"device.profile.name", "HiFi: hw:sound:source"}}}},
        .profiles = {{"off", "Off", 0, 0}, {"HiFi", "Play HiFi quality Music", 8000, ONLY(0) | ONLY(1)}},
        .port_count = 5,
        .device_count = 2,
        .profile_count = 2,
    },
    /* A port of a type that nobody has heard of. */
    {
        .kind = "odd",
        .name = "alsa_card.fixture-odd",
        .description = "Odd Card",
        .api = "odd",
        .ports = {{"odd-output", "plasma-output", "Plasma Tweeter", "plasma", OUT, 100, UNKNOWN, ONLY(0), ONLY(1)}},
        .devices = {{"odd_output", "stereo", "Odd Stereo", OUT}},
        .profiles = {{"off", "Off", 0, 0}, {"output:stereo", "Stereo Output", 100, ONLY(0)}},
        .port_count = 1,
        .device_count = 1,
        .profile_count = 2,
    },
};

const struct card_plan *find_plan(const char *kind) {
    for (size_t index = 0; index < sizeof(plans) / sizeof(plans[0]); index++)
        if (strcmp(plans[index].kind, kind) == 0) return &plans[index];
    return NULL;
}

void print_plans(FILE *file) {
    for (size_t index = 0; index < sizeof(plans) / sizeof(plans[0]); index++)
        fprintf(file, "%s%s", index > 0 ? ", " : "", plans[index].kind);
}

int find_port(const struct card_plan *plan, const char *key) {
    for (uint32_t port = 0; port < plan->port_count; port++)
        if (strcmp(plan->ports[port].key, key) == 0) return (int)port;
    return -1;
}

int find_profile(const struct card_plan *plan, const char *name) {
    for (uint32_t profile = 0; profile < plan->profile_count; profile++)
        if (strcmp(plan->profiles[profile].name, name) == 0) return (int)profile;
    return -1;
}

uint32_t best_port(const struct card_plan *plan, const enum spa_param_availability *available, uint32_t device) {
    int best = -1;
    uint32_t best_rank = 0;
    for (uint32_t port = 0; port < plan->port_count; port++) {
        if ((plan->ports[port].devices & ONLY(device)) == 0) continue;
        uint32_t rank = plan->ports[port].priority;
        if (available[port] == UNKNOWN) rank += 1 << 20;
        if (available[port] == YES) rank += 1 << 21;
        if (best < 0 || rank > best_rank) best = (int)port, best_rank = rank;
    }
    return (uint32_t)best;
}

enum spa_param_availability profile_availability(
    const struct card_plan *plan, const enum spa_param_availability *available, uint32_t profile) {
    const char *needs = plan->profiles[profile].needs;
    int port = needs != NULL ? find_port(plan, needs) : -1;
    if (port >= 0 && available[port] == NO) return NO;
    return plan->profiles[profile].devices == 0 ? YES : UNKNOWN;
}

const char *availability_name(enum spa_param_availability value) {
    return value == YES ? "yes" : value == NO ? "no" : "unknown";
}
