/* SPDX-License-Identifier: Apache-2.0 */
/* run_start.c - waits of a device before its first steady iteration, from the ops and phases of a
 * run. */
#include <math.h>

#include "base/file.h"
#include "base/order.h"
#include "base/vec.h"
#include "run/run_start.h"

/* As in the logs of the inspector: shorter silence is not worth telling. */
#define GAP_US 500e3

const char *ttp_run_start_part_name(enum ttp_start_part part, enum ttp_start_source source)
{
    static const char *const names[][2] = {
        [TTP_START_OPEN] = {"open device", "open device"},
        [TTP_START_COMPILE] = {"compiling", "first runs"},
        [TTP_START_UPLOAD] = {"writing buffers", "writing buffers"},
        [TTP_START_CAPTURE] = {"trace capture", "trace capture"},
        [TTP_START_RUN] = {"op calls", "ops on the device"},
        [TTP_START_OTHER] = {"no zone", "other gaps"},
    };
    return names[part][source == TTP_START_OPS];
}

TTP_ORDER(by_wait, struct ttp_start_program, TTP_DOWN(wait_us), TTP_UP(at_us), TTP_UP(id))
TTP_ORDER(by_length, struct ttp_start_gap, TTP_DOWN(us), TTP_UP(at_us))

void ttp_run_start_settle(struct ttp_start *s)
{
    TTP_SORT(s->program, s->programs, by_wait);
    TTP_SORT(s->gap, s->gaps, by_length);
    for (size_t i = 0; i < s->programs; i++) {
        const bool late = s->program[i].late && !s->program[i].kernel;

        s->kernels += s->program[i].kernel;
        s->late += late;
        s->late_us += late ? s->program[i].wait_us : 0;
    }
}

void ttp_run_start_add_gap(struct ttp_start *s, const struct ttp_start_gap *gap,
                           struct ttp_arena *arena)
{
    if (gap->us >= GAP_US)
        *TTP_PUSH(arena, s->gap, s->gaps) = *gap;
}

/* ---- ops ---- */

struct reading {
    struct ttp_start *out;
    const struct ttp_ops *ops;
    const struct ttp_report *report;
    struct ttp_arena *arena;
    struct ttp_device_choice choice;
    int64_t device;
    double at_us;
    size_t captured; /* calls that went into a trace since the last op */
    bool steady;     /* the first iteration has begun */
};

static double number(const struct ttp_ops *ops, enum ttp_ops_number column, size_t row)
{
    double v;

    return ttp_cell_f64(ttp_ops_cell(ops, column, row), &v) && isfinite(v) ? v : NAN;
}

static double gap_us(const struct ttp_ops *ops, size_t row)
{
    const double ns = number(ops, TTP_OPS_GAP_NS, row);

    return ns > 0 ? ns / 1000 : 0;
}

/* An op of a device that may be looked at. */
static bool is_chosen(const struct reading *r, size_t row)
{
    return r->report->program_of[row] && ttp_ops_is_chosen(r->ops, &r->choice, row);
}

static bool is_of(const struct reading *r, size_t row)
{
    return is_chosen(r, row) && number(r->ops, TTP_OPS_DEVICE, row) == (double)r->device;
}

/* What a device waited for programs that it ran for the first time: report says the same. */
static double first_runs_us(const struct reading *r)
{
    double sum = 0;

    for (size_t i = 0; i < r->ops->rows; i++)
        if (is_of(r, i) && r->report->first_run[i])
            sum += gap_us(r->ops, i);
    return sum;
}

static void choose_device(struct reading *r)
{
    double most = -1;
    int64_t chosen = 0, last = INT64_MIN;

    for (;;) {
        int64_t next = INT64_MAX;

        for (size_t i = 0; i < r->ops->rows; i++) {
            const double d = number(r->ops, TTP_OPS_DEVICE, i);
            if (is_chosen(r, i) && d > (double)last && d < (double)next)
                next = (int64_t)d;
        }
        if (next == INT64_MAX)
            break;
        r->device = last = next;
        r->out->devices++;
        const double waited = first_runs_us(r);
        if (waited > most) {
            most = waited;
            chosen = next;
        }
    }
    r->device = r->out->device = chosen;
    if (chosen >= 0 && (size_t)chosen < r->ops->devices) {
        r->out->rank = r->ops->device[chosen].rank;
        r->out->device = r->ops->device[chosen].id;
    }
}

static ttp_str text(const struct ttp_ops *ops, enum ttp_ops_text column, size_t row)
{
    const ttp_sym sym = ttp_ops_sym(ops, column, row);

    return sym == TTP_SYM_MISSING ? TTP_STR("") : ttp_sym_name(&ops->syms, sym);
}

static ttp_str cached(const struct ttp_ops *ops, size_t row)
{
    const ttp_str said = text(ops, TTP_OPS_CACHE_HIT, row);

    if (said.len == 0)
        return TTP_STR("");
    return ttp_str_eq_any_case(said, TTP_STR("true")) || ttp_str_eq(said, TTP_STR("1"))
               ? TTP_STR("yes")
               : TTP_STR("no");
}

static void add_program(struct reading *r, size_t row, double gap)
{
    const double host_ns = number(r->ops, TTP_OPS_HOST_NS, row);

    *TTP_PUSH(r->arena, r->out->program, r->out->programs) =
        (struct ttp_start_program){.op = text(r->ops, TTP_OPS_CODE, row),
                                   .id = (uint32_t)row + 2,
                                   .at_us = r->at_us,
                                   .wait_us = gap,
                                   .host_us = host_ns >= 0 ? host_ns / 1000 : NAN,
                                   .late = r->steady,
                                   .cached = cached(r->ops, row)};
}

static void take_op(struct reading *r, size_t row)
{
    struct ttp_start *out = r->out;
    const double gap = gap_us(r->ops, row);
    const double kernel_ns = number(r->ops, TTP_OPS_KERNEL_NS, row);
    const bool first = r->report->first_run[row];
    const enum ttp_start_part part = first         ? TTP_START_COMPILE
                                     : r->captured ? TTP_START_CAPTURE
                                                   : TTP_START_OTHER;

    if (!r->steady) { /* the wait for the first iteration is part of the start */
        out->part_us[part] += gap;
        out->count[part] += gap > 0 || first;
        if (part == TTP_START_OTHER)
            ttp_run_start_add_gap(
                out, &(struct ttp_start_gap){r->at_us, gap, text(r->ops, TTP_OPS_CODE, row)},
                r->arena);
    }
    r->steady |= out->steady && row >= r->report->window.first_row;
    if (first)
        add_program(r, row, gap);
    r->at_us += gap + (kernel_ns > 0 ? kernel_ns / 1000 : 0);
    r->captured = 0;
    if (r->steady)
        return;
    out->part_us[TTP_START_RUN] += kernel_ns > 0 ? kernel_ns / 1000 : 0;
    out->count[TTP_START_RUN]++;
    out->hits += ttp_str_eq(cached(r->ops, row), TTP_STR("yes"));
    out->misses += ttp_str_eq(cached(r->ops, row), TTP_STR("no"));
}

static ttp_code read_ops(struct ttp_start *out, const struct ttp_start_request *wanted,
                         struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_run_request request = {
        .path = wanted->path,
        .analysis = {.no_merge_devices = true, .rank = wanted->rank, .device = wanted->device}};
    struct ttp_run_input run;

    TTP_TRY(ttp_run_analyse(&run, &request, arena, err));
    struct reading r = {.out = out, .ops = &run.ops, .report = &run.report, .arena = arena};
    TTP_TRY(ttp_ops_parse_choice(&r.choice, wanted->rank, wanted->device, err));
    out->source = TTP_START_OPS;
    out->rank = -1;
    out->steady = run.report.window.kind != TTP_WINDOW_WHOLE;
    choose_device(&r);
    for (size_t i = 0; i < run.ops.rows; i++) {
        if (run.report.captured && run.report.captured[i])
            r.captured++;
        else if (is_of(&r, i))
            take_op(&r, i);
    }
    for (size_t i = 0; i < TTP_START_PARTS; i++)
        out->total_us += out->part_us[i];
    ttp_run_start_settle(out);
    return TTP_OK;
}

ttp_code ttp_run_read_start(struct ttp_start *out, const struct ttp_start_request *request,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    const enum ttp_start_source *source = request->source;
    const char *path = request->path;
    struct ttp_err why = {0};
    bool any = false;

    *out = (struct ttp_start){.path = path};
    if (!source || *source == TTP_START_ZONES) {
        const ttp_code rc = ttp_run_start_read_zones(out, &any, path, arena, source ? err : &why);
        if (any || source)
            return rc;
        if (rc == TTP_EIO || rc == TTP_ELIMIT) {
            if (err)
                *err = why;
            return rc;
        }
    }
    *out = (struct ttp_start){.path = path};
    return read_ops(out, request, arena, err);
}

bool ttp_run_has_start(const char *path, struct ttp_arena *arena)
{
    struct ttp_log_paths paths = {0};
    const char *csv;

    if (!ttp_file_is_dir(path))
        return ttp_file_exists(path);
    return (ttp_logs_find(&paths, path, arena, NULL) == TTP_OK &&
            (paths.zones || paths.messages)) ||
           ttp_run_find_csv(&csv, path, arena, NULL) == TTP_OK;
}
