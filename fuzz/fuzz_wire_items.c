/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a block of items, in the dialect that the first byte chooses: what passes the walk
 * is decoded, and what is decoded gives entries that can be read back. */
#include <stdlib.h>

#include "capture/trace_build.h"
#include "capture/wire_items.h"
#include "fuzz.h"

static void take_block(void *ctx, ttp_str block)
{
    ttp_str entries;

    if (ttp_capture_journal_block(block, &entries) != block.len ||
        !ttp_capture_builder_add_block(ctx, entries))
        abort();
}

static void take_zone(void *arg, const struct ttp_device_zone *zone)
{
    size_t *bytes = arg;

    *bytes += zone->context.len + zone->name.len + zone->file.len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ttp_trace_reading how[] = {{.zones = TTP_ZONES_ALL},
                                                   {.zones = TTP_ZONES_OPS}};
    struct ttp_arena arena = {0};
    struct ttp_trace trace = {0};
    struct ttp_trace_builder b;
    struct ttp_journal journal;
    size_t n, names = 0;
    struct ttp_wire w = {.journal = &journal,
                         .arena = &arena,
                         .gpu = {.use = take_zone, .arg = &names, .arena = &arena}};
    const struct ttp_dialect *d = ttp_capture_dialect_all(&n);
    unsigned staged = TTP_STAGED_ANY;
    uint64_t items = 0;

    if (size < 2)
        return 0;
    const ttp_str block = {(const char *)data + 1, size - 1};
    w.dialect = &d[data[0] / 2 % n];
    w.zones = how[data[0] % 2].zones;
    w.welcome = (struct ttp_welcome){.timer_mul = 1};
    if (!ttp_capture_dialect_walk(w.dialect, block, (struct ttp_dialect_seen){&staged, &items},
                                  NULL, NULL))
        return 0;
    ttp_capture_builder_init(&b, &trace, &how[data[0] % 2], &arena);
    ttp_capture_journal_init(&journal, take_block, &b, &arena);
    ttp_wire_start(&w);
    ttp_wire_block(&w, block);
    if (w.items != items)
        abort();
    ttp_wire_finish(&w);
    ttp_wire_write_state(&w, false);
    ttp_capture_journal_flush(&journal);
    ttp_capture_builder_finish(&b);
    if (trace.zone.count > w.zones_kept || trace.nmessages != w.messages)
        abort();
    for (size_t i = 0; i < trace.zone.count; i++)
        if (trace.zone.source[i] >= trace.nsources || trace.zone.thread[i] >= trace.nthreads ||
            (trace.zone.parent[i] != TTP_ZONE_NONE && trace.zone.parent[i] >= i))
            abort();
    ttp_arena_free(&arena);
    return 0;
}
