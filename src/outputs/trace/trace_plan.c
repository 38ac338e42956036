/* SPDX-License-Identifier: Apache-2.0 */
/* Before anything is written: executions under their keys, which of them are asked for, and how the
 * clocks of devices and host relate. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/vec.h"

#include "base/order.h"
#include "outputs/trace/trace_run.h"

/* What TT-Lang's tools assume of a log that does not say its clock. */
#define MHZ_DEFAULT 1000u
#define MHZ_MAX     1000000u

/* ---- executions ---- */

static bool take_span(struct ttp_trace_op *op, const struct ttp_span *s)
{
    if (s->count < 2)
        return false;
    op->start_cycle = s->first;
    op->end_cycle = s->last;
    return true;
}

static void take_exec(struct ttp_trace_op *op, const struct ttp_exec *e)
{
    const struct ttp_span *kernel = &e->span[TTP_SPAN_KERNEL];

    *op = (struct ttp_trace_op){.key = {e->device, e->run_id, e->trace_id, e->replay},
                                .start_cycle = e->first_cycle,
                                .end_cycle = e->last_cycle,
                                .kernel_cycles = TTP_NO_ID,
                                .sub_device = e->sub_device,
                                .row = TTP_NPOS};
    if (kernel->count >= 2)
        op->kernel_cycles = (int64_t)(kernel->last - kernel->first);
    for (int k = TTP_SPAN_BRISC; k <= TTP_SPAN_ERISC; k++)
        op->threads += e->span[k].count > 0;
    if (!take_span(op, &e->span[TTP_SPAN_FW]) && !take_span(op, &e->span[TTP_SPAN_TRACE_FW]))
        (void)take_span(op, kernel);
}

static void gather_execs(struct ttp_tracing *t, const struct ttp_device_log *log)
{
    t->op = TTP_NEW(t->arena, struct ttp_trace_op, log->nexecs);
    t->nops = log->nexecs;
    t->device = TTP_NEW(t->arena, struct ttp_trace_device_state, log->ndevices);
    t->ndevices = log->ndevices;
    for (size_t i = 0; i < log->ndevices; i++)
        t->device[i] = (struct ttp_trace_device_state){
            .id = log->device[i],
            .mhz = log->clock_mhz && log->clock_mhz <= MHZ_MAX ? log->clock_mhz : MHZ_DEFAULT};
    for (size_t i = 0; i < log->nexecs; i++)
        take_exec(&t->op[i], &log->exec[i]);
    for (size_t i = 0; i < log->nparts; i++)
        t->op[log->part[i].exec].cores += log->part[i].has_fw;
}

static uint32_t add_device(struct ttp_tracing *t, int64_t id)
{
    size_t i = 0;

    while (i < t->ndevices && t->device[i].id != id)
        i++;
    if (i == t->ndevices) {
        *TTP_PUSH(t->arena, t->device, t->ndevices) =
            (struct ttp_trace_device_state){.id = id, .mhz = MHZ_DEFAULT};
    }
    return (uint32_t)i;
}

static int64_t or_none(int64_t number)
{
    return number == TTP_CPP_EMPTY ? TTP_NO_ID : number;
}

static void gather_cpp(struct ttp_tracing *t, const struct ttp_cpp_report *cpp)
{
    t->op = TTP_NEW(t->arena, struct ttp_trace_op, cpp->nrows);
    t->nops = cpp->nrows;
    for (size_t i = 0; i < cpp->nrows; i++) {
        const int64_t *n = cpp->row[i].number;
        const bool fw = n[TTP_CPP_FW_START] >= 0 && n[TTP_CPP_FW_END] >= 0;
        const int64_t start = n[fw ? TTP_CPP_FW_START : TTP_CPP_KERNEL_START];
        const int64_t end = n[fw ? TTP_CPP_FW_END : TTP_CPP_KERNEL_END];

        t->op[i] = (struct ttp_trace_op){
            .key = {.device = add_device(t, n[TTP_CPP_DEVICE]),
                    .run_id = (uint64_t)n[TTP_CPP_RUN_ID],
                    .trace_id = or_none(n[TTP_CPP_TRACE_ID]),
                    .replay = or_none(n[TTP_CPP_REPLAY])},
            /* an op without times cannot be shown: begin after its end */
            .start_cycle = start >= 0 && end >= 0 ? (uint64_t)start : 1,
            .end_cycle = start >= 0 && end >= 0 ? (uint64_t)end : 0,
            .kernel_cycles = n[TTP_CPP_KERNEL_START] >= 0 && n[TTP_CPP_KERNEL_END] >= 0
                                 ? n[TTP_CPP_KERNEL_END] - n[TTP_CPP_KERNEL_START]
                                 : TTP_NO_ID,
            .cores = n[TTP_CPP_CORE_COUNT] > 0 ? (uint32_t)n[TTP_CPP_CORE_COUNT] : 0,
            .sub_device = TTP_NO_ID,
            .row = TTP_NPOS,
        };
    }
}

/* ---- rows of the report ---- */

struct window {
    size_t from, to; /* rows, both included */
    bool found;
};

static ttp_str signpost_name(const struct ttp_signpost *s)
{
    ttp_str text = s->text;
    size_t at;

    while ((at = ttp_str_find(text, TTP_STR(": "))) != TTP_NPOS)
        text = ttp_str_slice(text, at + 2, text.len);
    return ttp_str_trim(ttp_str_slice(text, 0, ttp_str_find_char(text, '\n')));
}

/* The first signpost of that name at or after row `from`. */
static ttp_code find_signpost(size_t *out, const struct ttp_tracing *t, size_t from,
                              const char *name, struct ttp_err *err)
{
    const struct ttp_ops_report *report = t->run->report;
    struct ttp_row_parts parts;
    bool any = false;

    for (size_t i = 0; i < report->nrows; i++) {
        ttp_ops_row_parts(&parts, report, i);
        any = any || parts.signpost;
        if (i < from || !parts.signpost ||
            !ttp_str_eq(signpost_name(parts.signpost), ttp_str_trim(ttp_str_from(name))))
            continue;
        *out = i;
        return TTP_OK;
    }
    ttp_fail(err, TTP_EUSAGE, "no signpost '%s'%s", name, from ? " after the start" : "");
    ttp_err_hint(err, any ? "'tt-perf report --print-signposts' lists them"
                          : "the run has no signposts");
    return TTP_EUSAGE;
}

/* The ID of a row is its line in the CSV: 2 for the first. */
static ttp_code narrow_to_ids(struct window *out, const struct ttp_trace_filter *f, size_t nrows,
                              struct ttp_err *err)
{
    const int64_t first = f->ops.from - 2, last = f->ops.to - 2;

    out->found = true;
    if (first > (int64_t)out->from)
        out->from = (size_t)first;
    if (last < (int64_t)out->to)
        out->to = last < 0 ? 0 : (size_t)last;
    if (last >= 0 && out->from <= out->to && out->from < nrows)
        return TTP_OK;
    ttp_fail(err, TTP_ENOTFOUND, "no op with an ID in that range");
    ttp_err_hint(err, "IDs of this run are 2 to %zu, as 'tt-perf report' shows them", nrows + 1);
    return TTP_ENOTFOUND;
}

static ttp_code choose_rows(struct window *out, const struct ttp_tracing *t, struct ttp_err *err)
{
    const struct ttp_trace_filter *f = &t->options->filter;
    const size_t nrows = t->run->report->nrows;
    size_t at;

    *out = (struct window){0, nrows, false};
    if (f->start_signpost) {
        TTP_TRY(find_signpost(&at, t, 0, f->start_signpost, err));
        out->from = at;
        out->found = true;
    }
    if (f->end_signpost) {
        TTP_TRY(find_signpost(&at, t, f->start_signpost ? out->from + 1 : 0, f->end_signpost, err));
        out->to = at;
        out->found = true;
    }
    return f->has_ops ? narrow_to_ids(out, f, nrows, err) : TTP_OK;
}

static int64_t host_start(const struct ttp_host_op *op)
{
    return op->has_time ? op->start_ns : op->message_ns;
}

/* The execution that a row is about; NULL: none. */
static struct ttp_trace_op *op_of(const struct ttp_tracing *t, const struct ttp_row_parts *p)
{
    const struct ttp_run_logs *logs = &t->run->report->logs;

    if (p->exec && logs->device)
        return &t->op[p->exec - logs->device->exec];
    if (p->cpp && logs->cpp && !logs->device)
        return &t->op[p->cpp - logs->cpp->row];
    return NULL;
}

/* Each execution learns its row, and the host's window is drawn around those chosen. */
static void read_rows(struct ttp_tracing *t, const struct window *rows)
{
    const struct ttp_ops_report *report = t->run->report;

    t->from_ns = INT64_MAX;
    t->to_ns = INT64_MIN;
    for (size_t i = 0; i < report->nrows; i++) {
        const bool inside = i >= rows->from && i <= rows->to;
        struct ttp_row_parts p;

        ttp_ops_row_parts(&p, report, i);
        struct ttp_trace_op *op = op_of(t, &p);
        if (op) {
            op->row = i;
            op->host_ns = p.replay || !p.op ? p.time_ns : host_start(p.op);
            op->wanted = inside;
        }
        if (op && p.cpp && p.mhz >= 1 && p.mhz <= MHZ_MAX)
            t->device[op->key.device].mhz = (uint64_t)llround(p.mhz);
        if (!inside || report->device_only)
            continue;
        const bool timed = p.op && p.op->has_time && !p.replay;
        const int64_t end = timed ? p.op->start_ns + p.op->duration_ns : p.time_ns;
        t->from_ns = p.time_ns < t->from_ns ? p.time_ns : t->from_ns;
        t->to_ns = end > t->to_ns ? end : t->to_ns;
    }
}

/* ---- clocks ---- */

static bool is_sane(const struct ttp_trace_op *op)
{
    return op->start_cycle <= op->end_cycle && op->end_cycle < TTP_TRACE_CYCLE_MAX;
}

/* The largest lead of the host, per device; devices it says nothing about begin with the others. */
static void align_clocks(struct ttp_tracing *t)
{
    bool *aligned = TTP_NEW(t->arena, bool, t->ndevices);
    int64_t first_ns = INT64_MAX, least = 0;

    for (size_t i = 0; i < t->nops; i++) {
        const struct ttp_trace_op *op = &t->op[i];
        struct ttp_trace_device_state *d = &t->device[op->key.device];
        const bool known = op->host && op->row != TTP_NPOS && op->host_ns >= 0 &&
                           op->host_ns < TTP_TRACE_HOST_NS_MAX;

        if (!known)
            continue;
        /* 1 more: an arrow must not end before it begins, not even at the same moment */
        const int64_t lead = op->host_ns - ttp_trace_cycles_to_ns(op->start_cycle, d->mhz) + 1;
        if (!aligned[op->key.device] || lead > d->shift_ns) {
            d->shift_ns = lead;
            aligned[op->key.device] = true;
        }
    }
    for (size_t i = 0; i < t->ndevices; i++) {
        const int64_t first = ttp_trace_device_ns(&t->device[i], t->device[i].first_cycle);
        if (aligned[i] && first < first_ns)
            first_ns = first;
    }
    for (size_t i = 0; i < t->ndevices; i++) {
        struct ttp_trace_device_state *d = &t->device[i];
        if (!aligned[i])
            d->shift_ns = (first_ns == INT64_MAX ? 0 : first_ns) -
                          ttp_trace_cycles_to_ns(d->first_cycle, d->mhz);
        least = d->shift_ns < least ? d->shift_ns : least;
    }
    /* whatever a log holds, no time is negative: cycle 0 is not */
    for (size_t i = 0; i < t->ndevices; i++)
        t->device[i].shift_ns -= least;
    t->host_shift_ns = -least;
}

/* ---- order and keys ---- */

/* qsort() has no argument of its own: devices have been put in order by now. */
TTP_ORDER(by_device_and_start, struct ttp_trace_op, TTP_UP(key.device), TTP_UP(start_cycle),
          TTP_DOWN(end_cycle), TTP_UP(key.run_id), TTP_UP(key.trace_id), TTP_UP(key.replay))

static void order_devices(struct ttp_tracing *t)
{
    uint32_t *place = TTP_NEW(t->arena, uint32_t, t->ndevices);
    struct ttp_trace_device_state *sorted =
        TTP_NEW(t->arena, struct ttp_trace_device_state, t->ndevices);

    for (size_t i = 0; i < t->ndevices; i++) {
        for (size_t k = 0; k < t->ndevices; k++)
            place[i] += t->device[k].id < t->device[i].id;
        sorted[place[i]] = t->device[i];
    }
    for (size_t i = 0; i < t->nops; i++)
        t->op[i].key.device = place[t->op[i].key.device];
    t->device = sorted;
}

static void index_ops(struct ttp_tracing *t)
{
    t->by_key.arena = t->arena;
    for (size_t i = 0; i < t->nops; i++)
        ttp_map_add(&t->by_key, ttp_exec_key_hash(&t->op[i].key), (uint32_t)i);
}

const struct ttp_trace_op *ttp_out_tracing_find(const struct ttp_tracing *t,
                                                const struct ttp_exec_key *key)
{
    uint32_t at;

    TTP_MAP_EACH (at, &t->by_key, ttp_exec_key_hash(key))
        if (ttp_exec_key_eq(&t->op[at].key, key))
            return &t->op[at];
    return NULL;
}

size_t ttp_out_tracing_device(const struct ttp_tracing *t, int64_t id)
{
    for (size_t i = 0; i < t->ndevices; i++)
        if (t->device[i].id == id)
            return i;
    return TTP_NPOS;
}

/* Keep executions that can be shown, and see what the host knows about them. */
static void settle_ops(struct ttp_tracing *t)
{
    const struct ttp_host_log *host = t->run->report->logs.host;
    size_t n = 0;

    for (size_t i = 0; i < t->ndevices; i++) {
        t->device[i].wanted = ttp_out_trace_wants_device(&t->options->filter, t->device[i].id);
        t->device[i].first_cycle = UINT64_MAX;
    }
    for (size_t i = 0; i < t->nops; i++) {
        struct ttp_trace_op op = t->op[i];
        struct ttp_trace_device_state *d = &t->device[op.key.device];

        if (!is_sane(&op))
            continue;
        op.host = host ? ttp_logs_find_op(host, op.key.run_id) : NULL;
        op.wanted = d->wanted && (op.wanted || !t->narrowed);
        d->first_cycle = op.start_cycle < d->first_cycle ? op.start_cycle : d->first_cycle;
        t->op[n++] = op;
    }
    t->nops = n;
    for (size_t i = 0; i < t->ndevices; i++)
        if (t->device[i].first_cycle == UINT64_MAX)
            t->device[i].first_cycle = 0;
}

/* Devices that were asked for and are missing are a mistake. */
static ttp_code check_devices(const struct ttp_tracing *t, struct ttp_err *err)
{
    bool any = t->options->filter.ndevices == 0;

    for (size_t i = 0; i < t->ndevices; i++)
        any = any || t->device[i].wanted;
    if (any)
        return TTP_OK;
    ttp_fail(err, TTP_ENOTFOUND, "no such device in the logs");
    if (t->ndevices)
        ttp_err_hint(err, "their ids are %" PRId64 " to %" PRId64, t->device[0].id,
                     t->device[t->ndevices - 1].id);
    return TTP_ENOTFOUND;
}

ttp_code ttp_out_tracing_plan(struct ttp_tracing *t, struct ttp_err *err)
{
    const struct ttp_run_logs *logs = &t->run->report->logs;
    struct window rows;

    if (logs->device)
        gather_execs(t, logs->device);
    else if (logs->cpp)
        gather_cpp(t, logs->cpp);
    TTP_TRY(choose_rows(&rows, t, err));
    t->narrowed = rows.found;
    read_rows(t, &rows);
    t->has_window = t->narrowed && t->from_ns <= t->to_ns;
    settle_ops(t);
    order_devices(t);
    TTP_TRY(check_devices(t, err));
    align_clocks(t);
    TTP_SORT(t->op, t->nops, by_device_and_start);
    index_ops(t);
    return TTP_OK;
}

ttp_str ttp_out_tracing_field(const struct ttp_host_op *op, const char *key)
{
    for (size_t i = 0; op && i < op->info->nfields; i++)
        if (ttp_str_eq(op->info->field[i].key, ttp_str_from(key)))
            return op->info->field[i].text;
    return TTP_STR("");
}

ttp_str ttp_out_tracing_op_name(const struct ttp_tracing *t, const struct ttp_trace_op *op,
                                char *buf, size_t size)
{
    const ttp_str code = ttp_out_tracing_field(op->host, "op_code");

    if (t->run->fact && op->row != TTP_NPOS && t->run->fact[op->row].name.len)
        return t->run->fact[op->row].name;
    if (code.len)
        return code;
    return (ttp_str){buf, (size_t)snprintf(buf, size, "op %" PRIu64, op->key.run_id)};
}
