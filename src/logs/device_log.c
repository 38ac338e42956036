/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/device_log.h"

#include <assert.h>

#include "base/vec.h"
#include "logs/exec_index.h"
#include "logs/row_blocks.h"

/* Small, so that few bytes of a large log are in memory at a time. */
#define WINDOW ((size_t)256 << 10)

struct reading {
    struct ttp_device_log *log;
    struct ttp_device_header header;
    const struct ttp_logs_options *options;
    enum ttp_device_part part;
    struct ttp_arena *arena;
    struct ttp_dispatch_state dispatch;
    uint64_t lines; /* before the block that is merged next */

    struct ttp_arena scratch;
    struct ttp_marker_run *untagged; /* runs of a log without op ids */
    size_t nuntagged;

    struct ttp_exec_index index;
};

struct item {
    struct ttp_row_block text;
    struct ttp_device_block rows;
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void join_span(struct ttp_span *into, const struct ttp_span *from)
{
    if (from->count == 0)
        return;
    into->first = into->count ? smaller(into->first, from->first) : from->first;
    into->last = into->count ? larger(into->last, from->last) : from->last;
    into->count += from->count;
}

static uint8_t count_up(uint8_t count, uint64_t more)
{
    return (uint8_t)smaller(count + more, UINT8_MAX);
}

static void join_part(struct ttp_device_log *log, uint32_t part, const struct ttp_marker_run *run)
{
    struct ttp_exec_core *p = &log->part[part];

    if (log->times) {
        struct ttp_core_times *t = &log->times[part];

        t->dm_start_cycle = smaller(t->dm_start_cycle, run->dm_start_cycle);
        t->kernel_end_cycle = larger(t->kernel_end_cycle, run->kernel_end_cycle);
    }
    p->first_cycle = smaller(p->first_cycle, run->first_cycle);
    if (run->kernel.count) {
        p->kernel_first_cycle = smaller(p->kernel_first_cycle, run->kernel.first);
        p->kernel_last_cycle = larger(p->kernel_last_cycle, run->kernel.last);
    }
    p->kernel_markers = count_up(p->kernel_markers, run->kernel.count);
    log->odd |= run->fw_starts > run->fw_ends ? p->fw_ends > p->fw_starts
                                              : run->fw_ends > run->fw_starts && !p->fw_starts;
    p->fw_starts = count_up(p->fw_starts, run->fw_starts);
    p->fw_ends = count_up(p->fw_ends, run->fw_ends);
    p->has_fw |= run->has_fw;
    p->has_brisc_fw_start |= run->has_brisc_fw_start;
    if (run->begins)
        p->begun = (uint8_t)(p->begun | ttp_logs_exec_risc_bit(run->risc));
}

/* The span of kernels of that RISC alone. */
static int own_span(unsigned risc)
{
    switch (risc) {
    case TTP_RISC_BRISC:
        return TTP_SPAN_BRISC;
    case TTP_RISC_NCRISC:
        return TTP_SPAN_NCRISC;
    case TTP_RISC_TRISC0:
        return TTP_SPAN_TRISC0;
    case TTP_RISC_TRISC1:
        return TTP_SPAN_TRISC1;
    case TTP_RISC_TRISC2:
        return TTP_SPAN_TRISC2;
    default:
        return TTP_SPAN_ERISC;
    }
}

static void join_exec(struct reading *r, struct ttp_exec *e, const struct ttp_marker_run *run)
{
    const bool lines = r->part != TTP_DEVICE_SUB_DEVICES; /* else they are not counted */

    e->line = e->line || !lines ? e->line : r->lines + run->line;
    e->first_cycle = smaller(e->first_cycle, run->first_cycle);
    e->last_cycle = larger(e->last_cycle, run->last_cycle);
    e->fw_end_cycle = larger(e->fw_end_cycle, run->fw_end_cycle);
    e->cb_wait_cycles += run->cb_wait_cycles;
    e->cb_reserve_cycles += run->cb_reserve_cycles;
    join_span(&e->span[TTP_SPAN_FW], &run->fw);
    join_span(&e->span[TTP_SPAN_KERNEL], &run->kernel);
    join_span(&e->span[TTP_SPAN_KERNEL_STARTS], &run->kernel_starts);
    join_span(&e->span[TTP_SPAN_TRACE_FW], &run->trace_fw);
    join_span(&e->span[TTP_SPAN_TRACE_KERNEL], &run->trace_kernel);
    if (run->data_movement)
        join_span(&e->span[TTP_SPAN_KERNEL_DM], &run->kernel);
    if (run->own)
        join_span(&e->span[own_span(run->risc)], &run->kernel);
    if (run->repeated_line && r->log->repeated_firmware.count++ == 0) {
        r->log->repeated_firmware.line = r->lines + run->repeated_line;
        r->log->repeated_exec = (uint32_t)(e - r->log->exec);
    }
    if (run->sub_device == TTP_NO_ID)
        return;
    if (run->sub_device_conflict ||
        (e->sub_device != TTP_NO_ID && e->sub_device != run->sub_device)) {
        struct ttp_fault *fault = &r->log->sub_device_conflicts;
        if (fault->count++ == 0)
            fault->line = !lines                     ? 0
                          : run->sub_device_conflict ? r->lines + run->sub_device_line
                                                     : r->lines + run->line;
    }
    e->sub_device = run->sub_device;
}

static uint32_t find_device(struct reading *r, int64_t id)
{
    struct ttp_device_log *log = r->log;

    for (size_t i = log->ndevices; i-- > 0;)
        if (log->device[i] == id)
            return (uint32_t)i;
    TTP_ROOM(r->arena, log->device, log->ndevices);
    log->device[log->ndevices] = id;
    return (uint32_t)log->ndevices++;
}

static uint32_t find_or_add_core(struct reading *r, const struct ttp_block_core *core)
{
    struct ttp_device_log *log = r->log;
    const uint32_t device = find_device(r, core->device);

    for (size_t i = log->ncores; i-- > 0;)
        if (log->core[i].x == core->x && log->core[i].y == core->y && log->core[i].device == device)
            return (uint32_t)i;
    TTP_ROOM(r->arena, log->core, log->ncores);
    log->core[log->ncores] = (struct ttp_core){.device = device, .x = core->x, .y = core->y};
    return (uint32_t)log->ncores++;
}

static ttp_code place_run(struct reading *r, uint32_t core, const struct ttp_marker_run *run,
                          struct ttp_exec_place *out, struct ttp_err *err)
{
    struct ttp_exec_key key = {r->log->core[core].device, run->run_id, run->trace_id, run->replay};

    *out = (struct ttp_exec_place){UINT32_MAX, UINT32_MAX};
    if (run->run_id == 0) /* no op: firmware start, clock sync, dispatch */
        return TTP_OK;
    if (r->log->nexecs >= UINT32_MAX / 2 || r->log->nparts >= UINT32_MAX / 2)
        return ttp_fail(err, TTP_ELIMIT, "more than 2^31 executions");
    if (TTP_UNLIKELY(r->header.split_firmware) && r->index.parts && r->log->has_op_ids)
        key.replay = ttp_logs_exec_index_count_turns(&r->index, key, core, run);
    *out = ttp_logs_exec_index_find(&r->index, &key, core);
    return TTP_OK;
}

static void join_place(struct reading *r, struct ttp_exec_place at,
                       const struct ttp_marker_run *run)
{
    if (at.exec == UINT32_MAX)
        return;
    join_exec(r, &r->log->exec[at.exec], run);
    if (at.part != UINT32_MAX)
        join_part(r->log, at.part, run);
}

/* The rest of a run whose beginning was in the block before. */
static void join_halves(struct ttp_marker_run *into, const struct ttp_marker_run *from)
{
    into->data_movement |= from->data_movement;
    into->own |= from->own;
    into->has_fw |= from->has_fw;
    into->has_brisc_fw_start |= from->has_brisc_fw_start;
    into->first_cycle = smaller(into->first_cycle, from->first_cycle);
    into->last_cycle = larger(into->last_cycle, from->last_cycle);
    into->fw_starts += from->fw_starts;
    into->fw_ends += from->fw_ends;
    into->fw_end_cycle = larger(into->fw_end_cycle, from->fw_end_cycle);
    into->cb_wait_cycles += from->cb_wait_cycles;
    into->cb_reserve_cycles += from->cb_reserve_cycles;
    into->dm_start_cycle = smaller(into->dm_start_cycle, from->dm_start_cycle);
    into->kernel_end_cycle = larger(into->kernel_end_cycle, from->kernel_end_cycle);
    join_span(&into->fw, &from->fw);
    join_span(&into->kernel, &from->kernel);
    join_span(&into->kernel_starts, &from->kernel_starts);
}

/* Rows that do not say their op wait until all of them are known. */
static void put_aside(struct reading *r, uint32_t core, const struct ttp_marker_run *run)
{
    struct ttp_marker_run *last = r->nuntagged ? &r->untagged[r->nuntagged - 1] : NULL;

    if (last && !run->begins && last->core == core && last->risc == run->risc) {
        join_halves(last, run);
        return;
    }
    TTP_ROOM(&r->scratch, r->untagged, r->nuntagged);
    assert(r->untagged);
    last = &r->untagged[r->nuntagged++];
    *last = *run;
    last->core = core;
    last->line += r->lines;
    if (last->repeated_line)
        last->repeated_line += r->lines;
}

/* Executions are far apart in memory: those of the next runs are on their way while one is joined.
 */
static void fetch_exec(const struct ttp_exec *e)
{
    for (size_t at = 0; at < sizeof(*e); at += 64)
        __builtin_prefetch((const char *)e + at, 1);
}

#define BATCH 16

struct run_batch {
    const struct ttp_marker_run *run;
    size_t n;
};

static ttp_code join_batch(struct reading *r, struct run_batch batch, const uint32_t *core,
                           uint32_t *part, struct ttp_err *err)
{
    struct ttp_exec_place at[BATCH];

    for (size_t i = 0; i < batch.n; i++) {
        TTP_TRY(place_run(r, core[batch.run[i].core], &batch.run[i], &at[i], err));
        part[i] = at[i].part;
        if (at[i].exec != UINT32_MAX)
            fetch_exec(&r->log->exec[at[i].exec]);
    }
    for (size_t i = 0; i < batch.n; i++)
        join_place(r, at[i], &batch.run[i]);
    return TTP_OK;
}

static ttp_code join_runs(struct reading *r, const struct ttp_device_block *b, const uint32_t *core,
                          uint32_t *part, struct ttp_err *err)
{
    /* counting replays depends on earlier joins */
    const size_t batch = r->header.split_firmware ? 1 : BATCH;

    for (size_t i = 0; i < b->nruns && r->log->has_op_ids; i += batch)
        TTP_TRY(join_batch(
            r, (struct run_batch){&b->run[i], b->nruns - i < batch ? b->nruns - i : batch}, core,
            &part[i], err));
    for (size_t i = 0; i < b->nruns && !r->log->has_op_ids; i++) {
        part[i] = UINT32_MAX;
        put_aside(r, core[b->run[i].core], &b->run[i]);
    }
    return TTP_OK;
}

static ttp_code join_untagged(struct reading *r, struct ttp_err *err)
{
    struct ttp_exec_place at;

    r->lines = 0; /* theirs are those of the file */
    ttp_logs_device_log_tell_ops(r->untagged, r->nuntagged, r->log, &r->scratch);
    for (size_t i = 0; i < r->nuntagged; i++) {
        const struct ttp_marker_run *run = &r->untagged[i];

        TTP_TRY(place_run(r, run->core, run, &at, err));
        join_place(r, at, run);
    }
    return TTP_OK;
}

static void join_samples(struct reading *r, const struct ttp_device_block *b, const uint32_t *part,
                         struct ttp_arena *scratch)
{
    struct ttp_device_log *log = r->log;
    ttp_sym *map = TTP_NEW(scratch, ttp_sym, b->counters.count);

    ttp_sym_merge(&log->counters, &b->counters, map);
    for (size_t i = 0; i < b->nsamples; i++) {
        const struct ttp_block_sample *s = &b->sample[i];
        if (part[s->run] == UINT32_MAX)
            continue;
        *TTP_PUSH(r->arena, log->sample, log->nsamples) = (struct ttp_counter_sample){
            part[s->run], map[s->counter], s->value, s->reference, s->cycle};
    }
}

static ttp_code merge(void *ctx, void *item, struct ttp_err *err)
{
    struct reading *r = ctx;
    struct item *it = item;
    struct ttp_device_block *b = &it->rows;
    struct ttp_fault *bad = &r->log->bad_rows;
    uint32_t *core = TTP_NEW(b->arena, uint32_t, b->ncores);
    uint32_t *part = TTP_NEW(b->arena, uint32_t, b->nruns);

    if (b->bad.count) {
        if (bad->count == 0)
            bad->line = r->lines + b->bad.line + 1;
        bad->count += b->bad.count;
    }
    r->log->truncated |= ttp_row_block_is_cut(&it->text, &b->bad);
    r->log->odd |= b->odd;
    for (size_t i = 0; i < b->ncores; i++)
        core[i] = find_or_add_core(r, &b->core[i]);
    TTP_TRY(join_runs(r, b, core, part, err));
    join_samples(r, b, part, b->arena);
    for (size_t i = 0; i < b->ndispatch; i++) {
        const uint32_t at = core[b->dispatch[i].core];
        r->log->core[at].dispatch |= b->dispatch[i].zone;
        b->dispatch[i].line += r->lines;
        ttp_logs_dispatch_add(&r->dispatch, at, &b->dispatch[i], r->arena);
    }
    r->log->rows += b->rows;
    r->lines += b->lines;
    return TTP_OK;
}

/* Strictly, sub-devices alone need nothing but the places of columns. */
static ttp_code skip_header(struct reading *r, ttp_str text, size_t *bytes, struct ttp_err *err)
{
    ttp_str rest = text, line, field[TTP_DEVICE_MAX_COLUMNS];

    r->log->max_compute_cores = TTP_NO_ID;
    r->log->has_op_ids = r->log->has_replays = true;
    r->header.lines = 2;
    if (ttp_str_next_line(&rest, &line))
        r->log->arch = ttp_arena_copy(r->arena, line); /* it may be a Quasar's */
    r->header.columns =
        ttp_str_next_line(&rest, &line) ? ttp_str_split(line, ',', field, TTP_COUNT(field)) : 0;
    for (size_t c = 0; c < TTP_DEVICE_COLUMNS; c++)
        r->header.at[c] = c;
    *bytes = (size_t)(rest.ptr - text.ptr);
    if (r->header.columns >= TTP_DEVICE_COLUMNS || *bytes == text.len)
        return TTP_OK;
    ttp_fail(err, TTP_EPARSE, "%zu columns, not %d: an older version", r->header.columns,
             TTP_DEVICE_COLUMNS);
    ttp_err_where(err, "", 2);
    return TTP_EPARSE;
}

static ttp_code read_header(void *ctx, ttp_str text, size_t *bytes, struct ttp_err *err)
{
    struct reading *r = ctx;

    if (r->options->strict && r->part == TTP_DEVICE_SUB_DEVICES)
        return skip_header(r, text, bytes, err);
    r->header.strict = r->options->strict;
    const ttp_code rc = ttp_logs_device_log_read_header(r->log, &r->header, text, r->arena, err);
    *bytes = r->header.bytes;
    r->lines = r->header.lines;
    if (rc != TTP_OK && err)
        ttp_err_where(err, "", err->offset ? 2 : 1);
    return rc;
}

static void work(const void *ctx, void *item)
{
    const struct reading *r = ctx;
    struct item *it = item;

    it->rows.arena = &it->text.arena;
    if (r->part == TTP_DEVICE_SUB_DEVICES) {
        ttp_logs_device_log_read_sub_devices(&it->rows, it->text.rows, &r->header);
        if (r->options->strict)
            ttp_logs_device_log_check_rows(&it->rows, it->text.rows, r->header.columns);
    } else
        ttp_logs_device_log_read_rows(&it->rows, it->text.rows, &r->header);
}

ttp_code ttp_logs_read_device(struct ttp_device_log *out, const char *path,
                              enum ttp_device_part part, const struct ttp_logs_options *options,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    static const struct ttp_row_reader reader = {.what = "reading profile_log_device.csv",
                                                 .window = WINDOW,
                                                 .header_lines = 2,
                                                 .item_size = sizeof(struct item),
                                                 .header = read_header,
                                                 .work = work,
                                                 .merge = merge};
    struct reading r = {.log = out, .options = options, .part = part, .arena = arena};

    *out = (struct ttp_device_log){.counters = {.arena = arena}};
    r.index = (struct ttp_exec_index){.log = out,
                                      .arena = arena,
                                      .parts = part != TTP_DEVICE_SUB_DEVICES,
                                      .times = part == TTP_DEVICE_ALL};
    ttp_code rc = ttp_logs_row_blocks_read(&reader, &r, path, options, err);
    if (rc == TTP_OK)
        rc = join_untagged(&r, err);
    if (rc == TTP_OK && !out->has_replays)
        ttp_logs_exec_index_settle_turns(&r.index);
    if (rc == TTP_OK)
        ttp_logs_dispatch_finish(out, &r.dispatch, arena);
    ttp_logs_exec_index_clear(&r.index);
    ttp_arena_free(&r.scratch);
    return rc;
}
