/* SPDX-License-Identifier: Apache-2.0 */
/* From executions to ops. An execution is known by its key, so in good data an op is an execution.
 * process_device_log.py knows no key: it opens an op, takes in markers of one run id after the
 * other, and closes it when the firmware has started and ended on every core that the run id ever
 * appears on. In damaged data the two differ; where the rules ask for it that procedure is
 * replayed on executions instead of markers. */
#include "ops/device_ops.h"
#include "base/order.h"
#include "base/vec.h"

#include <inttypes.h>

enum core_state { NOT_STARTED, STARTED, FINISHED };

struct finding {
    struct ttp_device_ops *out;
    const struct ttp_device_log *log;
    const struct ttp_part_index *parts;
    struct ttp_problem *problem;
    struct ttp_arena *arena;
    uint32_t *exec; /* of the device, groups of one run id together, in order of time */
    size_t nexecs;
    uint8_t *state;     /* of each core: enum core_state */
    uint32_t *seen;     /* of each core: number of the group it was last seen in */
    uint32_t *core_set; /* cores of the group */
    size_t ncores;
};

void ttp_ops_part_index_build(struct ttp_part_index *out, const struct ttp_device_log *log,
                              struct ttp_arena *arena)
{
    out->first = TTP_NEW(arena, uint32_t, log->nexecs + 2);
    out->part = TTP_NEW(arena, uint32_t, log->nparts);
    for (size_t i = 0; i < log->nparts; i++)
        out->first[log->part[i].exec + 2]++;
    for (size_t e = 1; e <= log->nexecs; e++)
        out->first[e + 1] += out->first[e];
    for (size_t i = 0; i < log->nparts; i++)
        out->part[out->first[log->part[i].exec + 1]++] = (uint32_t)i;
}

struct sort_key {
    uint64_t group_first, run_id, first;
    uint32_t exec;
};

TTP_ORDER(by_group, struct sort_key, TTP_UP(group_first), TTP_UP(run_id), TTP_UP(first),
          TTP_UP(exec))

TTP_ORDER(by_run_id, struct sort_key, TTP_UP(run_id), TTP_UP(first))

/* Dispatch cores name the ops they hand out; that alone is not an execution. */
static bool ran_somewhere(const struct finding *f, size_t exec)
{
    for (uint32_t k = f->parts->first[exec]; k < f->parts->first[exec + 1]; k++)
        if (!f->log->core[f->log->part[f->parts->part[k]].core].dispatch)
            return true;
    return false;
}

/* Groups in order of their first marker, executions of a group in order of time. */
static void order_execs(struct finding *f, uint32_t device, bool swallow)
{
    const struct ttp_device_log *log = f->log;
    struct sort_key *key = TTP_NEW(f->arena, struct sort_key, log->nexecs);
    size_t n = 0;

    for (size_t e = 0; e < log->nexecs; e++)
        if (log->exec[e].device == device && log->exec[e].first_cycle != UINT64_MAX &&
            (swallow || ran_somewhere(f, e)))
            key[n++] =
                (struct sort_key){0, log->exec[e].run_id, log->exec[e].first_cycle, (uint32_t)e};
    TTP_SORT(key, n, by_run_id);
    for (size_t i = 0; i < n; i++)
        key[i].group_first =
            i && key[i].run_id == key[i - 1].run_id ? key[i - 1].group_first : key[i].first;
    TTP_SORT(key, n, by_group);
    f->exec = TTP_NEW(f->arena, uint32_t, n);
    f->nexecs = n;
    for (size_t i = 0; i < n; i++)
        f->exec[i] = key[i].exec;
}

static const struct ttp_exec *exec_at(const struct finding *f, size_t i)
{
    return &f->log->exec[f->exec[i]];
}

/* From the first marker of the first execution that has any to the last of the last. */
static struct ttp_measure measure(const struct finding *f, size_t from, size_t to,
                                  enum ttp_span_kind start, enum ttp_span_kind end)
{
    const struct ttp_span *first = NULL, *last = NULL;
    uint64_t count = 0;

    for (size_t i = from; i < to; i++) {
        const struct ttp_exec *e = exec_at(f, i);
        if (!first && e->span[start].count)
            first = &e->span[start];
        if (e->span[end].count)
            last = &e->span[end];
        count += e->span[end].count;
    }
    /* One marker is not a span; the end must lie after the start. */
    if (!first || !last || count < 2)
        return (struct ttp_measure){0};
    return (struct ttp_measure){true, (int64_t)first->first, (int64_t)last->last,
                                (int64_t)(last->last - first->first)};
}

static struct ttp_measure sum(const struct finding *f, size_t from, size_t to, bool wait)
{
    uint64_t cycles = 0;

    for (size_t i = from; i < to; i++)
        cycles += wait ? exec_at(f, i)->cb_wait_cycles : exec_at(f, i)->cb_reserve_cycles;
    return (struct ttp_measure){.valid = cycles != 0, .cycles = (int64_t)cycles};
}

static const struct {
    enum ttp_analysis analysis;
    enum ttp_span_kind start, end;
} spans[] = {
    {TTP_AN_FW, TTP_SPAN_FW, TTP_SPAN_FW},
    {TTP_AN_KERNEL, TTP_SPAN_KERNEL, TTP_SPAN_KERNEL},
    {TTP_AN_KERNEL_DM_START, TTP_SPAN_KERNEL_DM, TTP_SPAN_KERNEL},
    {TTP_AN_FIRST_TO_LAST_START, TTP_SPAN_KERNEL_STARTS, TTP_SPAN_KERNEL_STARTS},
    {TTP_AN_BRISC, TTP_SPAN_BRISC, TTP_SPAN_BRISC},
    {TTP_AN_NCRISC, TTP_SPAN_NCRISC, TTP_SPAN_NCRISC},
    {TTP_AN_TRISC0, TTP_SPAN_TRISC0, TTP_SPAN_TRISC0},
    {TTP_AN_TRISC1, TTP_SPAN_TRISC1, TTP_SPAN_TRISC1},
    {TTP_AN_TRISC2, TTP_SPAN_TRISC2, TTP_SPAN_TRISC2},
    {TTP_AN_ERISC, TTP_SPAN_ERISC, TTP_SPAN_ERISC},
    {TTP_AN_TRACE_FW, TTP_SPAN_TRACE_FW, TTP_SPAN_TRACE_FW},
    {TTP_AN_TRACE_KERNEL, TTP_SPAN_TRACE_KERNEL, TTP_SPAN_TRACE_KERNEL},
};

/* Kernel cycles of one core, from its first execution in the op to its last. */
struct core_time {
    uint32_t core;
    uint64_t appears, first, last, markers;
};

TTP_ORDER(by_core, struct core_time, TTP_UP(core))

static void add_markers(struct core_time *core, const struct ttp_exec_core *p)
{
    if (p->kernel_markers == 0)
        return;
    if (core->markers == 0)
        core->first = p->kernel_first_cycle;
    core->last = p->kernel_last_cycle;
    core->markers += p->kernel_markers;
}

/* One entry for each core of the op, whose parts lie in executions from .. to. */
static size_t collect_cores(const struct finding *f, size_t from, size_t to, struct core_time *core,
                            uint32_t *cores_with_fw)
{
    size_t n = 0;

    for (size_t i = from; i < to; i++) {
        const uint32_t e = f->exec[i];
        for (uint32_t k = f->parts->first[e]; k < f->parts->first[e + 1]; k++) {
            const struct ttp_exec_core *p = &f->log->part[f->parts->part[k]];
            size_t at = n;

            /* More than one execution is rare (damage): search only then. */
            for (size_t s = 0; i > from && s < n && at == n; s++)
                if (core[s].core == p->core)
                    at = s;
            if (at == n)
                core[n++] = (struct core_time){.core = p->core, .appears = p->first_cycle};
            add_markers(&core[at], p);
            if ((p->has_fw || (f->log->streaming && p->kernel_markers)) &&
                f->seen[p->core] != UINT32_MAX) {
                f->seen[p->core] = UINT32_MAX;
                ++*cores_with_fw;
            }
        }
    }
    return n;
}

static void measure_cores(struct finding *f, struct ttp_device_op *op, size_t from, size_t to)
{
    const struct ttp_mark mark = ttp_arena_mark(f->arena);
    size_t nparts = 0, ncounted = 0;
    const struct core_time *earliest = NULL;
    double total = 0;

    for (size_t i = from; i < to; i++)
        nparts += f->parts->first[f->exec[i] + 1] - f->parts->first[f->exec[i]];
    struct core_time *core = TTP_NEW(f->arena, struct core_time, nparts);
    const size_t n = collect_cores(f, from, to, core, &op->cores);
    TTP_SORT(core, n, by_core);
    op->core_min = INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        const int64_t cycles = (int64_t)(core[i].last - core[i].first);

        f->seen[core[i].core] = 0;
        if (core[i].markers < 2)
            continue;
        ncounted++;
        total += (double)cycles;
        op->core_min = cycles < op->core_min ? cycles : op->core_min;
        op->core_max = cycles > op->core_max ? cycles : op->core_max;
        if (!earliest || core[i].appears < earliest->appears)
            earliest = &core[i];
    }
    op->has_per_core = ncounted > 0;
    if (earliest) {
        op->core_first = (int64_t)(earliest->last - earliest->first);
        op->core_mean = total / (double)ncounted;
    }
    ttp_arena_rewind(f->arena, mark);
}

/* Executions from .. to are one op. */
static void close_op(struct finding *f, size_t from, size_t to)
{
    const struct ttp_exec *first = exec_at(f, from);
    struct ttp_device_op op = {.exec = first,
                               .first_id = first->run_id,
                               .last_id = exec_at(f, to - 1)->run_id,
                               .first_cycle = first->first_cycle,
                               .device = first->device};

    for (size_t i = 0; i < TTP_COUNT(spans); i++)
        op.span[spans[i].analysis] = measure(f, from, to, spans[i].start, spans[i].end);
    op.span[TTP_AN_CB_WAIT] = sum(f, from, to, true);
    op.span[TTP_AN_CB_RESERVE] = sum(f, from, to, false);
    measure_cores(f, &op, from, to);
    *TTP_PUSH(f->arena, f->out->op, f->out->nops) = op;
}

static ttp_code second_zone(const struct finding *f, const struct ttp_exec_core *p,
                            const struct ttp_exec *e, bool start, struct ttp_err *err)
{
    const struct ttp_core *core = &f->log->core[p->core];

    ttp_fail(err, TTP_EPARSE,
             "core (%d, %d) of device %" PRId64 " reports a second firmware %s for op %" PRIu64
             " before the op is finished",
             core->x, core->y, f->log->device[e->device], start ? "start" : "end", e->run_id);
    ttp_err_hint(err, "markers were lost or damaged: profile fewer ops, or read the profiler more "
                      "often");
    ttp_err_where(err, "profile_log_device.csv",
                  f->log->repeated_exec == e - f->log->exec && f->log->repeated_firmware.line
                      ? f->log->repeated_firmware.line
                      : e->line);
    return TTP_EPARSE;
}

/* One execution: what its firmware zones do to the state of each core. */
static ttp_code advance(struct finding *f, const struct ttp_exec_core *p, const struct ttp_exec *e,
                        struct ttp_err *err)
{
    uint8_t *state = &f->state[p->core];

    if (p->fw_starts) {
        if (p->fw_starts > 1 || *state != NOT_STARTED)
            return second_zone(f, p, e, true, err);
        *state = STARTED;
    }
    if (p->fw_ends && *state != NOT_STARTED) {
        if (p->fw_ends > 1 || *state == FINISHED)
            return second_zone(f, p, e, false, err);
        *state = FINISHED;
    }
    return TTP_OK;
}

/* The cores on which the group's run id appears, none of them started. */
static void begin_group(struct finding *f, size_t from, size_t to)
{
    f->ncores = 0;
    for (size_t i = from; i < to; i++) {
        const uint32_t e = f->exec[i];
        for (uint32_t k = f->parts->first[e]; k < f->parts->first[e + 1]; k++) {
            const uint32_t core = f->log->part[f->parts->part[k]].core;
            if (f->seen[core] != 1) {
                f->seen[core] = 1;
                f->state[core] = NOT_STARTED;
                f->core_set[f->ncores++] = core;
            }
        }
    }
    for (size_t c = 0; c < f->ncores; c++)
        f->seen[f->core_set[c]] = 0;
}

static bool all_finished(const struct finding *f)
{
    for (size_t c = 0; c < f->ncores; c++)
        if (f->state[f->core_set[c]] != FINISHED)
            return false;
    return true;
}

static ttp_code find_swallowing(struct finding *f, struct ttp_err *err)
{
    size_t open = 0; /* first execution of the op that is open */

    for (size_t from = 0, to; from < f->nexecs; from = to) {
        const uint64_t run_id = exec_at(f, from)->run_id;

        for (to = from + 1; to < f->nexecs && exec_at(f, to)->run_id == run_id; to++)
            ;
        begin_group(f, from, to);
        for (size_t i = from; i < to; i++) {
            const uint32_t e = f->exec[i];
            for (uint32_t k = f->parts->first[e]; k < f->parts->first[e + 1]; k++)
                TTP_TRY(advance(f, &f->log->part[f->parts->part[k]], exec_at(f, i), err));
            if (!all_finished(f))
                continue;
            close_op(f, open, i + 1);
            open = i + 1;
            for (size_t c = 0; c < f->ncores; c++)
                f->state[f->core_set[c]] = NOT_STARTED;
        }
    }
    return TTP_OK; /* what is still open is dropped */
}

static void count_damage(struct finding *f, const struct ttp_exec *e, uint32_t index)
{
    size_t lost_end = 0, repeated = 0;
    const struct ttp_exec_core *first = NULL;

    for (uint32_t k = f->parts->first[index]; k < f->parts->first[index + 1]; k++) {
        const struct ttp_exec_core *p = &f->log->part[f->parts->part[k]];

        if (f->log->core[p->core].dispatch)
            continue;
        lost_end += p->fw_starts == 1 && p->fw_ends == 0;
        repeated += p->fw_starts > 1 || p->fw_ends > 1;
        if (!first && (p->fw_starts != 1 || p->fw_ends != 1))
            first = p;
    }
    if (!first)
        return;
    const enum ttp_problem_kind kind = repeated   ? TTP_PROBLEM_REPEATED_FW
                                       : lost_end ? TTP_PROBLEM_LOST_FW_END
                                                  : TTP_PROBLEM_LOST_FW_START;
    const struct ttp_core *core = &f->log->core[first->core];
    ttp_ops_problem_add(&f->problem[kind], "profile_log_device.csv", e->line,
                        "op %" PRIu64 " on core (%d, %d) of device %" PRId64, e->run_id, core->x,
                        core->y, f->log->device[e->device]);
}

static void count_zero_length(struct finding *f, const struct ttp_device_op *op)
{
    for (int a = 0; a < TTP_AN_SPANS; a++)
        if (op->span[a].valid && op->span[a].cycles == 0)
            ttp_ops_problem_add(&f->problem[TTP_PROBLEM_ZERO_LENGTH], "profile_log_device.csv",
                                op->exec->line, "%s of op %" PRIu64 " on device %" PRId64,
                                ttp_ops_analysis_name((enum ttp_analysis)a), op->first_id,
                                f->log->device[op->device]);
}

ttp_code ttp_ops_device_find(struct ttp_device_ops *out, const struct ttp_device_search *in,
                             struct ttp_arena *arena, struct ttp_err *err)
{
    struct finding f = {
        .out = out, .log = in->log, .parts = in->parts, .problem = in->problem, .arena = arena};

    *out = (struct ttp_device_ops){0};
    f.state = TTP_NEW(arena, uint8_t, in->log->ncores);
    f.seen = TTP_NEW(arena, uint32_t, in->log->ncores);
    f.core_set = TTP_NEW(arena, uint32_t, in->log->ncores);
    order_execs(&f, in->device, in->swallow);
    if (in->swallow)
        return find_swallowing(&f, err);
    for (size_t i = 0; i < f.nexecs; i++) {
        if (!in->log->streaming)
            count_damage(&f, exec_at(&f, i), f.exec[i]);
        close_op(&f, i, i + 1);
        count_zero_length(&f, &out->op[out->nops - 1]);
    }
    return TTP_OK;
}

void ttp_ops_device_mask(struct ttp_device_ops *ops, uint32_t wanted)
{
    for (size_t i = 0; i < ops->nops; i++) {
        for (unsigned a = 0; a < TTP_AN_SPANS; a++)
            ops->op[i].span[a].valid &= (wanted >> a & 1) != 0;
        ops->op[i].has_per_core &= (wanted >> TTP_AN_PER_CORE & 1) != 0;
    }
}
