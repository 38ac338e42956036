/* SPDX-License-Identifier: Apache-2.0 */
/* run_from_ops.c - the operations of a report as they are kept. */
#include <math.h>

#include "config/config.h"
#include "history/run_documents.h"

#define NS_PER_US 1e3
#define US_PER_S  1e6

struct text_columns {
    const enum ttp_ops_text *column;
    size_t count;
};

/* Texts of several cells with `sep` between them; empty if all are. */
static ttp_str join(const struct ttp_report *report, const struct ttp_op *op,
                    struct text_columns of, char sep, struct ttp_arena *arena)
{
    struct ttp_sink out;
    bool any = false;

    ttp_sink_to_arena(&out, arena);
    for (size_t i = 0; i < of.count; i++) {
        const ttp_str s = ttp_analysis_text(report, op, of.column[i]);

        if (i)
            ttp_sink_char(&out, sep);
        ttp_sink_put(&out, s);
        any = any || s.len;
    }
    return any ? ttp_sink_text(&out) : (ttp_str){0};
}

/* "1x1x32x64,1x1x64x64,1x1x32x64": input 0, input 1, output 0. */
static ttp_str shapes_of(const struct ttp_report *report, const struct ttp_op *op,
                         struct ttp_arena *arena)
{
    struct ttp_sink out;
    bool any = false;

    ttp_sink_to_arena(&out, arena);
    for (unsigned tensor = 0; tensor < 3; tensor++) {
        enum ttp_ops_text dim[4], old[4];

        for (unsigned d = 0; d < 4; d++) {
            dim[d] = (enum ttp_ops_text)(TTP_OPS_DIMS + tensor * 4 + d);
            old[d] = (enum ttp_ops_text)(TTP_OPS_LEGACY_DIMS + tensor * 4 + d);
        }
        ttp_str s = join(report, op, (struct text_columns){dim, 4}, 'x', arena);
        if (s.len == 0)
            s = join(report, op, (struct text_columns){old, 4}, 'x', arena);
        if (tensor)
            ttp_sink_char(&out, ',');
        ttp_sink_put(&out, s);
        any = any || s.len;
    }
    return any ? ttp_sink_text(&out) : (ttp_str){0};
}

/* A collective is another op on other numbers of devices. */
static ttp_str chip_of(const struct ttp_report *report, const struct ttp_op *op,
                       struct ttp_arena *arena)
{
    if (!report->arch)
        return (ttp_str){0};
    if (op->category != TTP_CATEGORY_CCL)
        return ttp_sink_format(arena, "%s, %lld cores", report->arch->name,
                               (long long)report->worker_cores);
    return ttp_sink_format(arena, "%s, %lld cores, %zu devices", report->arch->name,
                           (long long)report->worker_cores, report->window.devices);
}

struct ttp_run_op ttp_history_run_op_of(const struct ttp_report *report, const struct ttp_op *op,
                                        struct ttp_arena *arena)
{
    static const enum ttp_ops_text types[] = {TTP_OPS_IN0_DATATYPE, TTP_OPS_IN1_DATATYPE,
                                              TTP_OPS_OUT_DATATYPE};
    static const enum ttp_ops_text memory[] = {TTP_OPS_IN0_MEMORY, TTP_OPS_IN1_MEMORY,
                                               TTP_OPS_OUT_MEMORY};
    double cores;

    return (struct ttp_run_op){
        .code = ttp_sym_name(report->syms, op->raw_code),
        .shapes = shapes_of(report, op, arena),
        .datatypes = join(report, op, (struct text_columns){types, TTP_COUNT(types)}, ',', arena),
        .memory = join(report, op, (struct text_columns){memory, TTP_COUNT(memory)}, ',', arena),
        .fidelity = ttp_analysis_text(report, op, TTP_OPS_FIDELITY),
        .device = op->has & TTP_HAS_DEVICE ? op->device : -1,
        .cores = ttp_cell_f64(op->cores, &cores) && cores >= 0 && cores < 1e6 ? (int64_t)cores : -1,
        .time_ns = op->has & TTP_HAS_TIME ? op->time_us * NS_PER_US : NAN,
        .gap_ns = op->has & TTP_HAS_GAP ? op->gap_us * NS_PER_US : NAN,
        .name = ttp_sym_name(report->syms, op->name),
        .chip = chip_of(report, op, arena),
        .config =
            ttp_config_of_attributes(ttp_analysis_text(report, op, TTP_OPS_ATTRIBUTES), arena),
    };
}

static void add_measure(struct ttp_history_run *run, ttp_str metric, ttp_str unit, double value,
                        struct ttp_arena *arena)
{
    struct ttp_run_measure *m = ttp_history_run_add_measure(run, arena);
    double *v = TTP_NEW(arena, double, 1);

    *v = value;
    m->metric = metric;
    m->unit = unit;
    m->sample = v;
    m->count = 1;
}

/* Time of each op code, in the order of their first op. */
static void add_codes(struct ttp_history_run *run, struct ttp_arena *arena)
{
    struct ttp_symtab codes = {.arena = arena};
    double *time_s = TTP_NEW(arena, double, run->ops);

    for (size_t i = 0; i < run->ops; i++) {
        const ttp_sym code = ttp_sym_intern(&codes, run->op[i].code);
        if (isfinite(run->op[i].time_ns))
            time_s[code] += run->op[i].time_ns / 1e9;
    }
    for (ttp_sym c = 0; c < codes.count; c++) {
        add_measure(run, ttp_sink_format(arena, "op/%.*s", TTP_FMT(ttp_sym_name(&codes, c))),
                    TTP_STR("s"), time_s[c], arena);
    }
}

void ttp_history_run_from_report(struct ttp_history_run *out, const struct ttp_report *report,
                                 struct ttp_arena *arena)
{
    out->kind = TTP_STR("ops");
    out->op = TTP_NEW(arena, struct ttp_run_op, report->count);
    for (size_t i = 0; i < report->count; i++)
        if (report->op[i].kind != TTP_OP_SIGNPOST)
            out->op[out->ops++] = ttp_history_run_op_of(report, &report->op[i], arena);
    out->op_count = (int64_t)out->ops;
    /* rows of several devices do not add up to the time of one */
    const struct ttp_window *w = &report->window;
    out->device_s = (w->devices ? w->device_us : report->time_us) / US_PER_S;
    out->gap_s = (w->devices ? w->gap_us : report->gap_us) / US_PER_S;
    if (report->arch && out->board.len == 0)
        out->board = ttp_str_from(report->arch->name);
    add_measure(out, TTP_STR("device-time"), TTP_STR("s"), out->device_s, arena);
    add_measure(out, TTP_STR("gap-time"), TTP_STR("s"), out->gap_s, arena);
    add_measure(out, TTP_STR("ops"), TTP_STR(""), (double)out->ops, arena);
    add_codes(out, arena);
}

static void add_figure(struct ttp_history_run *run, const char *metric, ttp_str variant, double us,
                       struct ttp_arena *arena)
{
    if (!isfinite(us))
        return;
    add_measure(run, ttp_str_from(metric), TTP_STR("s"), us / US_PER_S, arena);
    run->measure[run->measures - 1].variant = variant;
}

/* The slowest device of each rank, and what its devices wait. */
static void add_ranks(struct ttp_history_run *out, const struct ttp_mesh *m,
                      struct ttp_arena *arena)
{
    const double iterations = (double)m->window.iterations;

    for (size_t p = 0; p < m->parts && m->parts > 1; p++) {
        const ttp_str rank = ttp_sink_format(arena, "rank %lld", (long long)m->rank[p].rank);
        double compute = 0, wait = 0;

        for (size_t d = 0; d < m->devices; d++) {
            if (m->device[d].part != p)
                continue;
            compute = fmax(compute, m->window.device[d].busy_us);
            wait += m->window.device[d].wait_us / (double)m->rank[p].devices;
        }
        if (m->rank[p].devices == 0)
            continue;
        add_figure(out, "mesh/compute", rank, compute / iterations, arena);
        add_figure(out, "mesh/wait", rank, wait / iterations, arena);
    }
}

void ttp_history_run_add_mesh(struct ttp_history_run *out, const struct ttp_mesh *mesh,
                              struct ttp_arena *arena)
{
    const ttp_str all = {0};
    struct ttp_mesh_summary s;

    ttp_mesh_summarise(&s, mesh);
    add_figure(out, "mesh/compute", all, s.compute_us, arena);
    add_figure(out, "mesh/wait", all, s.wait_us, arena);
    add_figure(out, "mesh/transfer", all, s.transfer_us, arena);
    add_figure(out, "mesh/exposed", all, s.exposed_us, arena);
    add_figure(out, "mesh/skew", all, s.skew_median_us, arena);
    add_figure(out, "mesh/skew-p95", all, s.skew_p95_us, arena);
    add_figure(out, "mesh/imbalance", all, s.imbalance_us, arena);
    add_figure(out, "mesh/straggler", all, s.straggler_us, arena);
    add_ranks(out, mesh, arena);
}
