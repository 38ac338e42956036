/* SPDX-License-Identifier: Apache-2.0 */
/* history_text.c - runs of the history as text and CSV. */
#include <math.h>

#include "base/gate.h"
#include "outputs/bench/bench_words.h"
#include "outputs/cells.h"
#include "outputs/history_words.h"
#include "outputs/json_time.h"
#include "outputs/paint.h"

static ttp_str number(int64_t v, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_i64(&out, v);
    return ttp_sink_text(&out);
}

static ttp_str fixed(double v, int digits, struct ttp_arena *arena)
{
    struct ttp_sink out;

    if (!isfinite(v))
        return TTP_STR("");
    ttp_sink_to_arena(&out, arena);
    ttp_sink_fixed(&out, v, digits, true);
    return ttp_sink_text(&out);
}

static ttp_str measure(double v, ttp_str unit, struct ttp_arena *arena)
{
    return ttp_out_measure_text(v, ttp_arena_zstr(arena, unit), arena);
}

/* ---- list ---- */

enum {
    LIST_ID,
    LIST_TIME,
    LIST_NAME,
    LIST_KIND,
    LIST_BRANCH,
    LIST_COMMIT,
    LIST_HOST,
    LIST_BOARD,
    LIST_OPS,
    LIST_TIME_MS,
    LIST_COLUMNS
};
static const struct ttp_cell_column list_columns[LIST_COLUMNS] = {
    [LIST_ID] = {"ID", false, 0},        [LIST_TIME] = {"TIME (UTC)", true, 1},
    [LIST_NAME] = {"NAME", true, 0},     [LIST_KIND] = {"KIND", true, 4},
    [LIST_BRANCH] = {"BRANCH", true, 3}, [LIST_COMMIT] = {"COMMIT", true, 2},
    [LIST_HOST] = {"HOST", true, 6},     [LIST_BOARD] = {"BOARD", true, 5},
    [LIST_OPS] = {"OPS", false, 7},      [LIST_TIME_MS] = {"DEVICE [ms]", false, 1},
};

static void list_text(struct ttp_sink *out, const struct ttp_history_runs *runs,
                      const struct ttp_history_style *style, struct ttp_arena *arena)
{
    struct ttp_cells c;

    if (runs->count == 0) {
        ttp_sink_own(out, "no runs\n");
        return;
    }
    ttp_cells_init(&c, list_columns, LIST_COLUMNS, arena);
    for (size_t i = 0; i < runs->count; i++) {
        const struct ttp_history_run *r = &runs->run[i];

        ttp_cells_add_row(&c);
        ttp_cells_set(&c, LIST_ID, number(r->id, arena));
        ttp_cells_set(&c, LIST_TIME, ttp_history_time(r->time_ns, false, arena));
        ttp_cells_set(&c, LIST_NAME, ttp_paint_shorten(r->name, 40, arena));
        ttp_cells_set(&c, LIST_KIND, r->kind);
        ttp_cells_set(&c, LIST_BRANCH, ttp_paint_shorten(r->branch, 24, arena));
        ttp_cells_set(&c, LIST_COMMIT, ttp_history_commit(r->commit, r->dirty, arena));
        ttp_cells_set(&c, LIST_HOST, ttp_paint_shorten(r->host, 20, arena));
        ttp_cells_set(&c, LIST_BOARD, ttp_paint_shorten(r->board, 16, arena));
        if (r->op_count) {
            ttp_cells_set(&c, LIST_OPS, number(r->op_count, arena));
            ttp_cells_set(&c, LIST_TIME_MS, fixed(r->device_s * 1e3, 3, arena));
        }
    }
    ttp_cells_text(out, &c, style->width, style->color);
    if (style->more)
        ttp_sink_own(out, "there are more: --limit N shows N of them, 0 all\n");
}

static void put_csv_number(struct ttp_sink *out, double v)
{
    ttp_sink_char(out, ',');
    if (isfinite(v))
        ttp_sink_f64(out, v, TTP_NUM_JSON);
}

static void put_csv_text(struct ttp_sink *out, ttp_str text)
{
    ttp_sink_char(out, ',');
    ttp_gate_put_csv(out, text);
}

static void put_csv_time(struct ttp_sink *out, int64_t unix_ns)
{
    char text[TTP_ISO_TIME_MAX];

    put_csv_text(out, (ttp_str){text, ttp_iso_time(text, unix_ns > 0 ? unix_ns : 0)});
}

static void list_csv(struct ttp_sink *out, const struct ttp_history_runs *runs)
{
    ttp_sink_own(out, "id,time,name,kind,project,branch,commit,dirty,host,board,ops,"
                      "device_s,gap_s,source\n");
    for (size_t i = 0; i < runs->count; i++) {
        const struct ttp_history_run *r = &runs->run[i];

        ttp_sink_i64(out, r->id);
        put_csv_time(out, r->time_ns);
        put_csv_text(out, r->name);
        put_csv_text(out, r->kind);
        put_csv_text(out, r->project);
        put_csv_text(out, r->branch);
        put_csv_text(out, r->commit);
        put_csv_text(out, r->dirty ? TTP_STR("true") : TTP_STR("false"));
        put_csv_text(out, r->host);
        put_csv_text(out, r->board);
        put_csv_number(out, (double)r->op_count);
        put_csv_number(out, r->device_s);
        put_csv_number(out, r->gap_s);
        put_csv_text(out, r->source);
        ttp_sink_char(out, '\n');
    }
}

void ttp_out_history_list(struct ttp_sink *out, const struct ttp_history_runs *runs,
                          const struct ttp_history_style *style, struct ttp_arena *arena)
{
    if (style->form == TTP_HISTORY_JSON)
        ttp_history_list_json(out, runs, style);
    else if (style->form == TTP_HISTORY_CSV)
        list_csv(out, runs);
    else
        list_text(out, runs, style, arena);
}

/* ---- one run ---- */

static void put_fact(struct ttp_sink *out, const char *what, ttp_str text)
{
    if (text.len)
        ttp_sink_printf(out, "%-9s %.*s\n", what, TTP_FMT(text));
}

static void put_facts(struct ttp_sink *out, const struct ttp_history_run *r, int width,
                      struct ttp_arena *arena)
{
    struct ttp_sink line;

    ttp_sink_printf(out, "run %lld  %.*s\n", (long long)r->id, TTP_FMT(r->name));
    put_fact(out, "time", ttp_history_time(r->time_ns, false, arena));
    put_fact(out, "kind", r->kind);
    put_fact(out, "source", r->source);
    put_fact(out, "project", r->project);
    put_fact(out, "branch", r->branch);
    ttp_sink_to_arena(&line, arena);
    ttp_sink_put(&line, r->commit);
    if (r->dirty)
        ttp_sink_put(&line, TTP_STR(" with changes"));
    put_fact(out, "commit", r->commit.len ? ttp_sink_text(&line) : (ttp_str){0});
    put_fact(out, "host", r->host);
    put_fact(out, "board", r->board);
    if (r->machine_key.len) {
        ttp_sink_printf(out, "%-9s ", "machine");
        ttp_paint_wrapped(out, ttp_history_machine(r->machine_key, arena), width, 10, 10);
    }
    if (r->op_count) {
        ttp_sink_to_arena(&line, arena);
        ttp_sink_printf(&line, "%lld, %.*s on the device, %.*s between them",
                        (long long)r->op_count, TTP_FMT(measure(r->device_s, TTP_STR("s"), arena)),
                        TTP_FMT(measure(r->gap_s, TTP_STR("s"), arena)));
        put_fact(out, "ops", ttp_sink_text(&line));
    }
    for (size_t i = 0; i < r->notes; i++) {
        ttp_sink_to_arena(&line, arena);
        ttp_sink_printf(&line, "%.*s: %.*s",
                        TTP_FMT(ttp_history_time(r->note[i].time_ns, true, arena)),
                        TTP_FMT(r->note[i].text));
        put_fact(out, "note", ttp_sink_text(&line));
    }
}

static void put_measures(struct ttp_sink *out, const struct ttp_history_run *r,
                         const struct ttp_history_style *style, struct ttp_arena *arena)
{
    static const struct ttp_cell_column columns[] = {
        {"METRIC", true, 0}, {"VARIANT", true, 1}, {"RUNS", false, 2},   {"MEDIAN", false, 0},
        {"MIN", false, 3},   {"MAX", false, 3},    {"TARGET", false, 2}, {"BETTER", true, 4}};
    struct ttp_cells c;

    if (r->measures == 0)
        return;
    ttp_cells_init(&c, columns, TTP_COUNT(columns), arena);
    for (size_t i = 0; i < r->measures; i++) {
        const struct ttp_run_measure *m = &r->measure[i];
        const struct ttp_sample s = ttp_stats_sample(m->sample, m->count, 0.95, arena);

        ttp_cells_add_row(&c);
        ttp_cells_set(&c, 0, ttp_paint_shorten(m->metric, 48, arena));
        ttp_cells_set(&c, 1, ttp_paint_shorten(m->variant, 32, arena));
        ttp_cells_set(&c, 2, number((int64_t)m->count, arena));
        ttp_cells_set(&c, 3, measure(s.median, m->unit, arena));
        if (m->count > 1) {
            ttp_cells_set(&c, 4, measure(s.min, m->unit, arena));
            ttp_cells_set(&c, 5, measure(s.max, m->unit, arena));
        }
        if (isfinite(m->target))
            ttp_cells_set(&c, 6, measure(m->target, m->unit, arena));
        ttp_cells_set(&c, 7, ttp_str_from(ttp_better_word(m->better)));
    }
    ttp_sink_char(out, '\n');
    ttp_cells_text(out, &c, style->width, style->color);
}

static void put_ops(struct ttp_sink *out, const struct ttp_history_run *r,
                    const struct ttp_history_style *style, struct ttp_arena *arena)
{
    static const struct ttp_cell_column columns[] = {
        {"OP", false, 0},       {"CODE", true, 0},       {"DEVICE", false, 5},
        {"CORES", false, 4},    {"TIME [us]", false, 0}, {"GAP [us]", false, 1},
        {"DATATYPES", true, 3}, {"SHAPES", true, 6}};
    const size_t shown = style->limit && style->limit < r->ops ? style->limit : r->ops;
    struct ttp_cells c;

    if (r->ops == 0)
        return;
    ttp_cells_init(&c, columns, TTP_COUNT(columns), arena);
    for (size_t i = 0; i < shown; i++) {
        const struct ttp_run_op *o = &r->op[i];

        ttp_cells_add_row(&c);
        ttp_cells_set(&c, 0, number((int64_t)i, arena));
        ttp_cells_set(&c, 1, ttp_paint_shorten(o->code, 40, arena));
        ttp_cells_set(&c, 2, o->device < 0 ? TTP_STR("") : number(o->device, arena));
        ttp_cells_set(&c, 3, o->cores < 0 ? TTP_STR("") : number(o->cores, arena));
        ttp_cells_set(&c, 4, fixed(o->time_ns / 1e3, 3, arena));
        ttp_cells_set(&c, 5, fixed(o->gap_ns / 1e3, 3, arena));
        ttp_cells_set(&c, 6, o->datatypes);
        ttp_cells_set(&c, 7, o->shapes);
    }
    ttp_sink_char(out, '\n');
    ttp_cells_text(out, &c, style->width, style->color);
    if (shown < r->ops)
        ttp_sink_printf(out, "%zu more ops: --limit N shows N of them, 0 all\n", r->ops - shown);
}

static void ops_csv(struct ttp_sink *out, const struct ttp_history_run *r)
{
    ttp_sink_own(out, "op,code,device,cores,time_ns,gap_ns,datatypes,memory,fidelity,"
                      "shapes\n");
    for (size_t i = 0; i < r->ops; i++) {
        const struct ttp_run_op *o = &r->op[i];

        ttp_sink_u64(out, i);
        put_csv_text(out, o->code);
        put_csv_number(out, o->device < 0 ? NAN : (double)o->device);
        put_csv_number(out, o->cores < 0 ? NAN : (double)o->cores);
        put_csv_number(out, o->time_ns);
        put_csv_number(out, o->gap_ns);
        put_csv_text(out, o->datatypes);
        put_csv_text(out, o->memory);
        put_csv_text(out, o->fidelity);
        put_csv_text(out, o->shapes);
        ttp_sink_char(out, '\n');
    }
}

/* A row for each sample of each metric, as `bench --format csv` has them. */
static void measures_csv(struct ttp_sink *out, const struct ttp_history_run *r)
{
    ttp_sink_own(out, "metric,unit,variant,better,iteration,value\n");
    for (size_t i = 0; i < r->measures; i++)
        for (size_t k = 0; k < r->measure[i].count; k++) {
            const struct ttp_run_measure *m = &r->measure[i];

            ttp_gate_put_csv(out, m->metric);
            put_csv_text(out, m->unit);
            put_csv_text(out, m->variant);
            put_csv_text(out, ttp_str_from(ttp_better_word(m->better)));
            put_csv_number(out, (double)k);
            put_csv_number(out, m->sample[k]);
            ttp_sink_char(out, '\n');
        }
}

void ttp_out_history_run(struct ttp_sink *out, const struct ttp_history_run *run,
                         const struct ttp_history_style *style, struct ttp_arena *arena)
{
    if (style->form == TTP_HISTORY_JSON) {
        ttp_history_run_json(out, run, style);
    } else if (style->form == TTP_HISTORY_CSV && run->ops) {
        ops_csv(out, run);
    } else if (style->form == TTP_HISTORY_CSV) {
        measures_csv(out, run);
    } else {
        put_facts(out, run, style->width, arena);
        put_measures(out, run, style, arena);
        put_ops(out, run, style, arena);
    }
}
