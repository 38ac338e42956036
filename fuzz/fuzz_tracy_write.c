/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a block of items, in the dialect and for the version that the first byte chooses:
 * whatever is decoded can be written as a .tracy file, and that file is whole and has all of it. */
#include "capture/tracy_write.h"
#include "fuzz.h"
#include "memfile.h"

static void take_block(void *ctx, ttp_str block)
{
    ttp_str entries;

    must(ttp_capture_journal_block(block, &entries) == block.len &&
         ttp_capture_builder_add_block(ctx, entries));
}

/* Files in memory, because each one is synced. */
static char folder[] = "/dev/shm/fuzz_tracy_write_XXXXXX", path[64];

static void clean_up(void)
{
    (void)unlink(path);
    (void)rmdir(folder);
}

static const char *output(void)
{
    if (!path[0]) {
        must(mkdtemp(folder) != NULL && atexit(clean_up) == 0);
        snprintf(path, sizeof(path), "%s/out.tracy", folder);
    }
    return path;
}

static void check_file(const struct ttp_tracy_plan *plan)
{
    static const struct ttp_trace_reading how = {
        .zones = TTP_ZONES_ALL, .devices = true, .plots = true};
    struct ttp_arena arena = {0};
    struct ttp_trace t;
    size_t points = 0;

    for (size_t i = 0; i < plan->keep->nplots; i++)
        points += plan->keep->plot[i].count;
    must(ttp_capture_trace_read(&t, path, &how, &arena, NULL) == TTP_OK);
    must(t.lost_bytes == 0 && t.zone.count == plan->trace->zone.count);
    must(t.nmessages == plan->trace->nmessages && t.nthreads == plan->trace->nthreads);
    must(t.device.count <= plan->keep->nzones && t.plot.count == points);
    ttp_arena_free(&arena);
}

static void write_and_check(struct ttp_trace *trace, const struct ttp_wire_keep *keep, bool old,
                            struct ttp_arena *arena)
{
    const unsigned version = old ? TTP_TRACY_VERSION(0, 10, 0) : TTP_TRACY_VERSION(0, 13, 2);
    struct ttp_tracy_plan plan = {.trace = trace, .keep = keep, .arena = arena};
    struct ttp_err err = {0};

    const ttp_code rc = ttp_tracy_plan_make(&plan, &err);
    must(rc == TTP_OK || (rc == TTP_ELIMIT && err.text[0]));
    if (rc != TTP_OK)
        return;
    must(ttp_tracy_write_file(&plan, output(), version, &err) == TTP_OK);
    check_file(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ttp_trace_reading how = {.zones = TTP_ZONES_ALL, .memory = true};
    struct ttp_arena arena = {0}, wire_arena = {0};
    struct ttp_trace trace = {0};
    struct ttp_trace_builder b;
    struct ttp_journal journal;
    struct ttp_wire_keep keep = {.arena = &arena};
    struct ttp_wire w = {.journal = &journal, .arena = &wire_arena, .keep = &keep};
    unsigned staged = TTP_STAGED_ANY;
    uint64_t items = 0;
    size_t n;
    const struct ttp_dialect *d = ttp_capture_dialect_all(&n);

    if (size < 2 || !ttp_capture_supports("lz4"))
        return 0;
    const ttp_str block = {(const char *)data + 1, size - 1};
    w.dialect = &d[data[0] / 2 % n];
    w.zones = TTP_ZONES_ALL;
    w.welcome = (struct ttp_welcome){.timer_mul = 1};
    if (!ttp_capture_dialect_walk(w.dialect, block, (struct ttp_dialect_seen){&staged, &items},
                                  NULL, NULL))
        return 0;
    ttp_capture_keep_init(&keep);
    ttp_capture_builder_init(&b, &trace, &how, &arena);
    b.keep = &keep;
    ttp_capture_journal_init(&journal, take_block, &b, &wire_arena);
    ttp_wire_start(&w);
    ttp_wire_block(&w, block);
    ttp_wire_finish(&w);
    ttp_capture_keep_finish(&w);
    ttp_wire_write_state(&w, false);
    ttp_capture_journal_flush(&journal);
    ttp_capture_builder_finish(&b);
    write_and_check(&trace, &keep, data[0] % 2, &arena);
    ttp_arena_free(&wire_arena);
    ttp_arena_free(&arena);
    return 0;
}
