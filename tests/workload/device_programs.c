/* SPDX-License-Identifier: Apache-2.0 */
#include "device_programs.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

/* Numbers of the items; contexts have 16 bits. */
enum {
    GPU_BEGIN = 40,
    GPU_END = 42,
    GPU_TIME = 48,
    CONTEXT_NAME = 49,
    NEW_CONTEXT = 79,
    SINGLE_STRING = 96,
    SOURCE_PAYLOAD = 102
};
enum { PERIOD_MS = 20, RUN_NS = 10000000 };

static int64_t last_time; /* of any context: times are reported as differences */

static void put_context(struct tc_client *c, uint16_t chip)
{
    const float period = 1;
    char name[32];
    const uint16_t n = (uint16_t)snprintf(name, sizeof(name), "Device %u:", chip);
    unsigned char *at = tc_item(c, 29);

    memset(at, 0, 29);
    at[0] = NEW_CONTEXT;
    memcpy(at + 21, &period, sizeof(period));
    memcpy(at + 25, &chip, sizeof(chip));
    at = tc_item(c, 3 + (size_t)n);
    at[0] = SINGLE_STRING;
    memcpy(at + 1, &n, sizeof(n));
    memcpy(at + 3, name, n);
    at = tc_item(c, 3);
    at[0] = CONTEXT_NAME;
    memcpy(at + 1, &chip, sizeof(chip));
}

static void put_zone(struct tc_client *c, uint8_t type, uint16_t chip, uint16_t query)
{
    unsigned char *at = tc_item(c, 17);

    memset(at, 0, 17);
    at[0] = type;
    memcpy(at + 13, &query, sizeof(query));
    memcpy(at + 15, &chip, sizeof(chip));
}

static void put_time(struct tc_client *c, uint16_t chip, uint16_t query, int64_t ns)
{
    const int64_t delta = ns - last_time;
    unsigned char *at = tc_item(c, 13);

    last_time = ns;
    at[0] = GPU_TIME;
    memcpy(at + 1, &delta, sizeof(delta));
    memcpy(at + 9, &query, sizeof(query));
    memcpy(at + 11, &chip, sizeof(chip));
}

/* Payload: u32 colour, u32 line, function NUL, file NUL, name. */
static void put_source(struct tc_client *c, uint32_t id, const char *sources)
{
    char text[256] = {0};
    const size_t more = sizeof(text) - 8;
    const uint16_t n =
        (uint16_t)(8 + snprintf(text + 8, more, "OP ID:%u%c%s%cProgram_%u", id, 0, sources, 0, id));
    unsigned char *at = tc_item(c, 11 + (size_t)n);

    memset(at, 0, 11);
    at[0] = SOURCE_PAYLOAD;
    memcpy(at + 9, &n, sizeof(n));
    memcpy(at + 11, text, n);
}

static void put_program(struct tc_client *c, uint16_t chip, uint32_t id, int64_t start_ns)
{
    static const char *const sources[] = {
        "ttnn/cpp/ttnn/operations/matmul/device/kernels/compute/bmm.cpp,\nreader.cpp",
        "ttnn/cpp/ttnn/operations/eltwise/binary_ng/device/kernels/compute/eltwise.cpp",
    };
    const uint16_t query = (uint16_t)(id * 2);

    put_source(c, id, sources[id % 4 == 0]);
    put_zone(c, GPU_BEGIN, chip, query);
    put_zone(c, GPU_END, chip, (uint16_t)(query + 1));
    put_time(c, chip, query, start_ns);
    put_time(c, chip, (uint16_t)(query + 1), start_ns + RUN_NS);
}

void device_programs_send(struct tc_client *c, uint16_t chips, int64_t ms)
{
    const uint64_t start = ttp_clock_ns();
    uint32_t id = 1;

    for (uint16_t chip = 0; chip < chips; chip++)
        put_context(c, chip);
    while (ttp_clock_ns() - start < (uint64_t)ms * 1000000) {
        for (uint16_t chip = 0; chip < chips; chip++)
            put_program(c, chip, id, (int64_t)(ttp_clock_ns() - start));
        id++;
        if (!tc_flush(c))
            return;
        usleep(PERIOD_MS * 1000);
    }
}
