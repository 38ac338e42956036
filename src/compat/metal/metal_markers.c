/* SPDX-License-Identifier: Apache-2.0 */
#include "compat/metal/metal_markers.h"

#include <inttypes.h>
#include <math.h>

#include "base/order.h"
#include "base/vec.h"
#include "compat/compat.h"

#define DEVICE_LOG "profile_log_device.csv"

/* Ids that no number is, for run ids and devices that are text. */
#define TEXT_ID (UINT64_C(1) << 62)

static int by_run_and_time(const void *a, const void *b)
{
    const struct ttp_exec *x = *(const struct ttp_exec *const *)a;
    const struct ttp_exec *y = *(const struct ttp_exec *const *)b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->run_id != y->run_id)
        return x->run_id < y->run_id ? -1 : 1;
    return x->first_cycle < y->first_cycle ? -1 : x->first_cycle > y->first_cycle;
}

/* Do executions of one run id overlap? */
static bool overlap(const struct ttp_device_log *log, struct ttp_arena *arena)
{
    const struct ttp_mark mark = ttp_arena_mark(arena);
    const struct ttp_exec **exec = TTP_NEW(arena, const struct ttp_exec *, log->nexecs);
    bool yes = false;

    for (size_t i = 0; i < log->nexecs; i++)
        exec[i] = &log->exec[i];
    if (log->nexecs)
        /* pointers are sorted. NOLINTNEXTLINE(bugprone-sizeof-expression) */
        TTP_SORT(exec, log->nexecs, by_run_and_time);
    for (size_t i = 1; i < log->nexecs && !yes; i++)
        yes = exec[i]->device == exec[i - 1]->device && exec[i]->run_id == exec[i - 1]->run_id &&
              exec[i]->first_cycle <= exec[i - 1]->last_cycle;
    ttp_arena_rewind(arena, mark);
    return yes;
}

bool ttp_original_needed(const struct ttp_device_log *log, struct ttp_arena *arena)
{
    if (log->odd || log->bad_rows.count)
        return true;
    for (size_t i = 0; i < log->ncores; i++)
        if (log->core[i].dispatch)
            return true;
    for (size_t i = 0; i < log->nparts; i++)
        if (log->part[i].fw_starts != 1 || log->part[i].fw_ends != 1)
            return true;
    for (size_t i = 0; i < log->nexecs; i++)
        if (log->exec[i].last_cycle != log->exec[i].fw_end_cycle)
            return true;
    return overlap(log, arena);
}

/* ---- Order ---- */

struct sort_key {
    uint32_t group; /* a core, device or group of a run id */
    int64_t time;
    uint32_t core, lane, row;
};

TTP_ORDER(by_key, struct sort_key, TTP_UP(group), TTP_UP(time), TTP_UP(core), TTP_UP(lane),
          TTP_UP(row))

/* Rows by core or device, then time; lists were merged core by core and RISC by RISC, and
 * sorts are stable. first[g] is where group g begins. */
static uint32_t *order_rows(const struct ttp_marker_table *t, bool cores, uint32_t *first,
                            struct ttp_arena *arena)
{
    uint32_t *out = TTP_NEW(arena, uint32_t, t->nrows);
    const struct ttp_mark mark = ttp_arena_mark(arena);
    struct sort_key *key = TTP_NEW(arena, struct sort_key, t->nrows);

    for (size_t i = 0; i < t->nrows; i++) {
        const struct ttp_table_row *row = &t->row[i];
        const uint32_t group = cores ? row->core : row->device;

        key[i] = (struct sort_key){group, row->time, row->core, row->lane, (uint32_t)i};
        first[group + 1]++;
    }
    for (size_t g = 0; g < (cores ? t->ncores : t->ndevices); g++)
        first[g + 1] += first[g];
    TTP_SORT(key, t->nrows, by_key);
    for (size_t i = 0; i < t->nrows; i++)
        out[i] = key[i].row;
    ttp_arena_rewind(arena, mark);
    return out;
}

/* ---- Ops of a device ---- */

enum core_state { NOT_STARTED, STARTED, FINISHED };

struct finding {
    struct ttp_original *o;
    struct ttp_arena *arena;
    uint32_t device;
    struct ttp_device_ops *found;
    uint32_t *row; /* of the device, groups of one run id together */
    size_t nrows;
    uint32_t *open; /* rows of the op that is open */
    size_t nopen;
    uint8_t *state; /* of each core */
    uint32_t *seen; /* of each core: the group it was last seen in, from 1 */
    uint32_t *core; /* of the group */
    size_t ncores, nfinished;
};

static const struct ttp_table_row *row_at(const struct finding *f, uint32_t row)
{
    return &f->o->table.row[row];
}

/* Groups in order of their first marker, inside them the order of time. */
static void group_rows(struct finding *f, const uint32_t *ordered, size_t n)
{
    const struct ttp_marker_table *t = &f->o->table;
    uint32_t *group = TTP_NEW(f->arena, uint32_t, t->nvalues);
    uint32_t *first = TTP_NEW(f->arena, uint32_t, t->nvalues + 2);
    uint32_t ngroups = 0;

    for (size_t i = 0; i < n; i++) {
        const uint32_t run = t->row[ordered[i]].run;

        if (!group[run])
            group[run] = ++ngroups;
        first[group[run] + 1]++;
    }
    for (size_t g = 1; g <= ngroups; g++)
        first[g + 1] += first[g];
    f->row = TTP_NEW(f->arena, uint32_t, n);
    f->nrows = n;
    for (size_t i = 0; i < n; i++)
        f->row[first[group[t->row[ordered[i]].run]]++] = ordered[i];
}

/* Positions of the first marker of a kind and of the last one after it. */
struct reach {
    size_t first, last;
    bool any, valid;
};

static void extend(struct reach *r, size_t at, bool start, bool end)
{
    if (r->any && end) {
        r->last = at;
        r->valid = true;
    }
    if (!r->any && start) {
        r->first = at;
        r->any = true;
    }
}

static int own_analysis(enum ttp_risc risc)
{
    switch (risc) {
    case TTP_RISC_BRISC:
        return TTP_AN_BRISC;
    case TTP_RISC_NCRISC:
        return TTP_AN_NCRISC;
    case TTP_RISC_TRISC0:
        return TTP_AN_TRISC0;
    case TTP_RISC_TRISC1:
        return TTP_AN_TRISC1;
    case TTP_RISC_TRISC2:
        return TTP_AN_TRISC2;
    default:
        return TTP_AN_ERISC;
    }
}

static void reach_of(struct reach *reach, const struct ttp_table_row *row,
                     const struct ttp_zone *zone, enum ttp_risc risc, size_t at)
{
    const bool start = row->type == TTP_ROW_START, agg = risc == TTP_RISC_AGG;

    extend(&reach[TTP_AN_FW], at, zone->fw, zone->fw);
    extend(&reach[TTP_AN_KERNEL], at, zone->kernel, zone->kernel);
    extend(&reach[TTP_AN_KERNEL_DM_START], at, zone->data_movement, zone->kernel);
    extend(&reach[TTP_AN_FIRST_TO_LAST_START], at, zone->kernel && start, zone->kernel && start);
    extend(&reach[TTP_AN_TRACE_FW], at, zone->trace_fw && agg, zone->trace_fw && agg);
    extend(&reach[TTP_AN_TRACE_KERNEL], at, zone->trace_kernel && agg, zone->trace_kernel && agg);
    if (zone->kernel && ttp_logs_zone_is_own(zone, risc))
        extend(&reach[own_analysis(risc)], at, true, true);
}

static void measure(struct ttp_measure *out, const struct finding *f, const struct reach *r)
{
    if (!r->valid)
        return;
    const int64_t from = row_at(f, f->open[r->first])->time, to = row_at(f, f->open[r->last])->time;
    *out = (struct ttp_measure){true, from, to, to - from};
}

static void measure_cores(struct finding *f, struct ttp_device_op *op)
{
    const struct ttp_mark mark = ttp_arena_mark(f->arena);
    const size_t ncores = f->o->table.ncores;
    struct reach *reach = TTP_NEW(f->arena, struct reach, ncores);
    uint8_t *met = TTP_NEW(f->arena, uint8_t, ncores); /* 1: in the op, 2: with firmware */
    uint32_t *order = TTP_NEW(f->arena, uint32_t, ncores);
    size_t n = 0, counted = 0;
    double total = 0;

    for (size_t i = 0; i < f->nopen; i++) {
        const struct ttp_table_row *row = row_at(f, f->open[i]);
        const struct ttp_zone *zone = ttp_original_zone(f->o, row);

        if (!met[row->core])
            order[n++] = row->core;
        met[row->core] |= 1;
        if (zone->has_fw && !(met[row->core] & 2)) {
            met[row->core] |= 2;
            op->cores++;
        }
        extend(&reach[row->core], i, zone->kernel, zone->kernel);
    }
    op->core_min = INT64_MAX;
    op->core_max = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        struct ttp_measure m = {0};

        measure(&m, f, &reach[order[i]]);
        if (!m.valid)
            continue;
        if (counted++ == 0)
            op->core_first = m.cycles;
        total += (double)m.cycles;
        op->core_min = m.cycles < op->core_min ? m.cycles : op->core_min;
        op->core_max = m.cycles > op->core_max ? m.cycles : op->core_max;
    }
    op->has_per_core = counted > 0;
    op->core_mean = counted ? total / (double)counted : 0;
    ttp_arena_rewind(f->arena, mark);
}

uint64_t ttp_original_id(const struct ttp_marker_table *t, uint32_t value)
{
    const struct ttp_table_value *v = &t->value[value];

    return v->number && v->whole ? (uint64_t)v->i : TEXT_ID | value;
}

ttp_code ttp_original_fail(const struct ttp_table_row *row, const char *why, struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE, "%s", why);
    ttp_err_where(err, DEVICE_LOG, row->line);
    return TTP_EPARSE;
}

static ttp_code sum_up(struct finding *f, struct ttp_device_op *op, struct ttp_err *err)
{
    static const enum ttp_analysis analysis[] = {TTP_AN_CB_WAIT, TTP_AN_CB_RESERVE};

    for (size_t k = 0; k < 2; k++) {
        struct ttp_measure *m = &op->span[analysis[k]];
        double total = 0;

        for (size_t i = 0; i < f->nopen && (f->o->wanted >> analysis[k] & 1); i++) {
            const struct ttp_table_row *row = row_at(f, f->open[i]);
            const struct ttp_zone *zone = ttp_original_zone(f->o, row);
            const enum ttp_risc risc = f->o->table.lane[row->lane];

            if (k == 0 ? !(zone->cb_wait && risc == TTP_RISC_TRISC0)
                       : !(zone->cb_reserve && risc == TTP_RISC_TRISC2))
                continue;
            if (f->o->table.text_data)
                return ttp_original_fail(
                    row, "some cell of the column 'data' is not a number, so none is", err);
            total += row->data;
        }
        *m = (struct ttp_measure){.valid = total != 0, .cycles = (int64_t)total};
    }
    return TTP_OK;
}

static ttp_code close_op(struct finding *f, struct ttp_err *err)
{
    const struct ttp_marker_table *t = &f->o->table;
    const struct ttp_table_row *first = row_at(f, f->open[0]);
    const struct ttp_table_row *last = row_at(f, f->open[f->nopen - 1]);
    struct reach reach[TTP_AN_SPANS] = {{0}};
    struct ttp_exec *exec = TTP_NEW(f->arena, struct ttp_exec, 1);
    struct ttp_device_op op = {.exec = exec,
                               .first_id = ttp_original_id(t, first->run),
                               .last_id = ttp_original_id(t, last->run),
                               .last_run = last->run,
                               .id_text = t->value[last->run].text,
                               .first_cycle = (uint64_t)first->time,
                               .device = f->device};

    *exec = (struct ttp_exec){.device = f->device,
                              .run_id = op.first_id,
                              .line = first->line,
                              .trace_id = TTP_NO_ID,
                              .replay = TTP_NO_ID,
                              .sub_device = TTP_NO_ID};
    for (size_t i = 0; i < f->nopen; i++) {
        const struct ttp_table_row *row = row_at(f, f->open[i]);
        reach_of(reach, row, ttp_original_zone(f->o, row), t->lane[row->lane], i);
    }
    for (int a = 0; a < TTP_AN_SPANS; a++)
        measure(&op.span[a], f, &reach[a]);
    TTP_TRY(sum_up(f, &op, err));
    measure_cores(f, &op);
    *TTP_PUSH(f->arena, f->found->op, f->found->nops) = op;
    f->nopen = 0;
    return TTP_OK;
}

static ttp_code second_zone(const struct finding *f, const struct ttp_table_row *row, bool start,
                            struct ttp_err *err)
{
    const struct ttp_marker_table *t = &f->o->table;
    const struct ttp_table_core *core = &t->core[row->core];

    ttp_fail(err, TTP_EPARSE,
             "core (%.*s, %.*s) of device %.*s reports a second firmware %s for op %.*s before the "
             "op is finished",
             TTP_FMT(t->value[core->x].text), TTP_FMT(t->value[core->y].text),
             TTP_FMT(t->value[t->device[row->device]].text), start ? "start" : "end",
             TTP_FMT(t->value[row->run].text));
    ttp_err_hint(err, "markers were lost or damaged: profile fewer ops, read the profiler more "
                      "often");
    ttp_err_where(err, DEVICE_LOG, row->line);
    return TTP_EPARSE;
}

/* What a marker does to its core; *done: that was the last core of the op. */
static ttp_code advance(struct finding *f, const struct ttp_table_row *row, bool *done,
                        struct ttp_err *err)
{
    const struct ttp_zone *zone = ttp_original_zone(f->o, row);
    const enum ttp_risc risc = f->o->table.lane[row->lane];
    uint8_t *state = &f->state[row->core];

    *done = false;
    if (zone->master != risc || risc == TTP_RISC_OTHER)
        return TTP_OK;
    if (row->type == TTP_ROW_START) {
        if (*state != NOT_STARTED)
            return second_zone(f, row, true, err);
        *state = STARTED;
    } else if (row->type == TTP_ROW_END && *state != NOT_STARTED) {
        if (*state == FINISHED)
            return second_zone(f, row, false, err);
        *state = FINISHED;
        *done = ++f->nfinished == f->ncores;
    }
    return TTP_OK;
}

static void begin_op(struct finding *f)
{
    for (size_t c = 0; c < f->ncores; c++)
        f->state[f->core[c]] = NOT_STARTED;
    f->nfinished = 0;
}

static ttp_code find_in_group(struct finding *f, size_t from, size_t to, struct ttp_err *err)
{
    f->ncores = 0;
    for (size_t i = from; i < to; i++) {
        const uint32_t core = row_at(f, f->row[i])->core;

        if (f->seen[core] != from + 1) {
            f->seen[core] = (uint32_t)from + 1;
            f->core[f->ncores++] = core;
        }
    }
    begin_op(f);
    for (size_t i = from; i < to; i++) {
        const struct ttp_table_row *row = row_at(f, f->row[i]);
        bool done;

        if (row->zero_timer)
            continue;
        TTP_TRY(advance(f, row, &done, err));
        f->open[f->nopen++] = f->row[i];
        if (done) {
            TTP_TRY(close_op(f, err));
            begin_op(f);
        }
    }
    return TTP_OK;
}

static ttp_code find_ops(struct finding *f, struct ttp_err *err)
{
    const struct ttp_marker_table *t = &f->o->table;

    f->open = TTP_NEW(f->arena, uint32_t, f->nrows);
    f->state = TTP_NEW(f->arena, uint8_t, t->ncores);
    f->seen = TTP_NEW(f->arena, uint32_t, t->ncores);
    f->core = TTP_NEW(f->arena, uint32_t, t->ncores);
    for (size_t from = 0, to; from < f->nrows; from = to) {
        const uint32_t run = row_at(f, f->row[from])->run;
        const struct ttp_table_value *v = &t->value[run];

        for (to = from + 1; to < f->nrows && row_at(f, f->row[to])->run == run; to++)
            ;
        if (v->number && v->whole && v->i == 0) /* no op */
            continue;
        TTP_TRY(find_in_group(f, from, to, err));
    }
    return TTP_OK; /* what is still open is dropped */
}

/* The original looks into the analyses of every op, and fails if there is none. */
static ttp_code check_ops(const struct ttp_original *o, const struct ttp_device_ops *found,
                          bool device_only, struct ttp_err *err)
{
    for (size_t i = 0; i < found->nops; i++) {
        const struct ttp_device_op *op = &found->op[i];

        if (!ttp_device_op_has_any(op, o->wanted)) {
            ttp_fail(err, TTP_EPARSE, "op %.*s has none of the analyses asked for",
                     TTP_FMT(op->id_text));
            ttp_err_where(err, DEVICE_LOG, op->exec->line);
            return TTP_EPARSE;
        }
        if (device_only && !o->table.value[op->last_run].whole) {
            ttp_fail(err, TTP_EPARSE, "run host ID '%.*s' is not a number", TTP_FMT(op->id_text));
            ttp_err_where(err, DEVICE_LOG, op->exec->line);
            return TTP_EPARSE;
        }
    }
    return TTP_OK;
}

/* ---- All of it ---- */

static void describe(struct ttp_original *o, const struct ttp_device_log *log,
                     struct ttp_arena *arena)
{
    const struct ttp_marker_table *t = &o->table;

    o->log = (struct ttp_device_log){.arch = log->arch,
                                     .clock_mhz = log->clock_mhz,
                                     .max_compute_cores = log->max_compute_cores,
                                     .counters = {.arena = arena},
                                     .columns = log->columns,
                                     .version = log->version,
                                     .rows = t->nrows,
                                     .has_op_ids = true,
                                     .has_replays = true};
    o->log.device = TTP_NEW(arena, int64_t, t->ndevices);
    o->log.ndevices = t->ndevices;
    for (size_t d = 0; d < t->ndevices; d++)
        o->log.device[d] = (int64_t)ttp_original_id(t, t->device[d]);
    o->log.core = TTP_NEW(arena, struct ttp_core, t->ncores);
    o->log.ncores = t->ncores;
    for (size_t c = 0; c < t->ncores; c++)
        o->log.core[c] = (struct ttp_core){.device = t->core[c].device,
                                           .x = (int32_t)t->value[t->core[c].x].i,
                                           .y = (int32_t)t->value[t->core[c].y].i,
                                           .dispatch = t->core[c].dispatch};
    o->found = TTP_NEW(arena, struct ttp_device_ops, t->ndevices);
}

static ttp_code analyse(struct ttp_original *o, bool device_only, struct ttp_arena *arena,
                        struct ttp_err *err)
{
    const struct ttp_marker_table *t = &o->table;
    uint32_t *device_from = TTP_NEW(arena, uint32_t, t->ndevices + 1);

    o->core_from = TTP_NEW(arena, uint32_t, t->ncores + 1);
    o->by_core = order_rows(t, true, o->core_from, arena);
    TTP_TRY(ttp_original_dispatch(o, arena, err));
    const uint32_t *by_device = order_rows(t, false, device_from, arena);
    for (uint32_t d = 0; d < t->ndevices; d++) {
        struct finding f = {.o = o, .arena = arena, .device = d, .found = &o->found[d]};

        group_rows(&f, by_device + device_from[d], device_from[d + 1] - device_from[d]);
        TTP_TRY(find_ops(&f, err));
        if (device_only && f.found->nops && !t->value[t->device[d]].whole)
            return ttp_original_fail(&t->row[by_device[device_from[d]]], "device is not a number",
                                     err);
        if (device_only)
            TTP_TRY(check_ops(o, f.found, true, err));
    }
    TTP_TRY(ttp_original_find_samples(o, by_device, arena, err));
    return device_only ? ttp_original_check_cores(o, err) : TTP_OK;
}

static const struct ttp_original *original_of(const struct ttp_device_look *look)
{
    return (const struct ttp_original *)(const void *)look;
}

static int64_t sub_device(const struct ttp_device_look *look, const struct ttp_exec_key *key)
{
    return ttp_marker_table_sub_device(&original_of(look)->table, key);
}

static int64_t op_sub_device(const struct ttp_device_look *look, uint32_t device,
                             const struct ttp_device_op *op)
{
    const struct ttp_marker_table *t = &original_of(look)->table;

    const struct ttp_exec_key key = {t->value[t->device[device]].i,
                                     (uint64_t)t->value[op->last_run].i, TTP_NO_ID, TTP_NO_ID};

    return ttp_marker_table_sub_device(t, &key);
}

static const struct ttp_exec *counters(const struct ttp_device_look *look, uint32_t device,
                                       const struct ttp_device_op *op, int64_t replay)
{
    return ttp_original_counters(original_of(look), device, op->last_run, replay);
}

static void write_per_core(struct ttp_sink *out, const struct ttp_device_look *look,
                           struct ttp_arena *scratch)
{
    ttp_original_write_per_core(out, original_of(look), scratch);
}

ttp_code ttp_original_look(const struct ttp_device_look **out, const struct ttp_run_logs *logs,
                           uint32_t wanted, bool alone, struct ttp_arena *arena,
                           struct ttp_err *err)
{
    const char *path = ttp_logs_path_of(logs->paths, DEVICE_LOG);
    const bool cpp = logs->cpp != NULL;

    *out = NULL;
    if (!(cpp ? logs->device->odd : ttp_original_needed(logs->device, arena)))
        return TTP_OK;
    struct ttp_original *o = TTP_NEW(arena, struct ttp_original, 1);
    o->wanted = wanted;
    TTP_TRY(ttp_compat_marker_table_read(&o->table, path,
                                         cpp ? TTP_TABLE_SUB_DEVICES : TTP_TABLE_ALL, arena, err));
    describe(o, logs->device, arena);
    if (!cpp)
        TTP_TRY(analyse(o, alone, arena, err));
    o->look = (struct ttp_device_look){.log = cpp ? NULL : &o->log,
                                       .found = o->found,
                                       .float_cycles = o->table.float_times,
                                       .sub_device = sub_device,
                                       .op_sub_device = op_sub_device,
                                       .counters = counters,
                                       .write_per_core = write_per_core};
    *out = &o->look;
    return TTP_OK;
}

const struct ttp_join_rules ttp_compat_joining = {
    .strict = true,
    .by_position = true,
    .gaps_by_row = true,
    .rates_by_core = true,
    .stock_columns = true,
    .any_analysis = true,
    .look = ttp_original_look,
};
