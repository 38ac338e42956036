/* SPDX-License-Identifier: Apache-2.0 */
/* history_page.c - runs of the history for human readers. */
#include <math.h>

#include "base/quantity.h"
#include "outputs/history/history_words.h"
#include "outputs/show/measure_text.h"
#include "outputs/show/paint.h"

/* ---- list ---- */

/* Commits are short in tables; '*' marks those of a tree that had changes. */
static bool list_cell(ttp_str *text, const void *arg, const struct ttp_field *field,
                      const void *row, struct ttp_arena *arena)
{
    const struct ttp_history_run *r = row;

    (void)arg;
    if (!ttp_str_eq(ttp_str_from(field->id), TTP_STR("commit")))
        return false;
    *text = ttp_out_history_commit(r->commit, r->dirty, arena);
    return true;
}

static void put_list(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *chosen)
{
    const struct ttp_history_about *about = arg;
    struct ttp_table table = *chosen;

    (void)part;
    table.cell = show->columns ? NULL : list_cell;
    if (table.count)
        ttp_show_table(show, &table);
    else
        ttp_sink_own(show->out, "no runs\n");
    if (about->more)
        ttp_sink_own(show->out, "there are more: --limit N shows N, 0 shows all\n");
}

ttp_code ttp_out_history_list(const struct ttp_show *show, const struct ttp_history_about *about,
                              const struct ttp_history_runs *runs, struct ttp_err *err)
{
    const struct ttp_page page = {.arg = about, .body = put_list};
    struct ttp_document doc;

    ttp_document_init(&doc, &ttp_history_list_document, show->arena);
    doc.more = about->more;
    ttp_document_object(&doc, TTP_HISTORY_PART_ABOUT, NULL, about);
    ttp_document_rows(&doc, TTP_HISTORY_PART_MAIN, NULL, runs->run, runs->count);
    return ttp_show_document(show, &doc, &page, err);
}

/* ---- settings of ops ---- */

static bool same_op(const struct ttp_run_op *a, const struct ttp_run_op *b)
{
    return ttp_str_eq(a->name, b->name) && ttp_str_eq(a->datatypes, b->datatypes) &&
           ttp_str_eq(a->chip, b->chip);
}

/* Configs are too long for a column. */
static void put_settings(const struct ttp_show *show, const struct ttp_best_op *b)
{
    static const struct ttp_run_op none = {.cores = -1};
    struct ttp_sink line;

    ttp_sink_to_arena(&line, show->arena);
    ttp_sink_printf(&line, "  %9.*s  %.*s run %lld (%.*s): %.*s",
                    TTP_FMT(ttp_time_us_text(b->op.time_ns / 1e3, show->arena)),
                    TTP_FMT(ttp_out_history_time(b->run_time_ns, true, show->arena)),
                    (long long)b->run, TTP_FMT(b->run_name),
                    TTP_FMT(ttp_history_op_settings(&none, &b->op, show->arena)));
    ttp_paint_wrapped(show->out, ttp_sink_text(&line), show->width, 0, 13);
}

static void put_best(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    const struct ttp_best_op *before = NULL;

    (void)arg;
    (void)part;
    if (show->form == TTP_FORM_MARKDOWN || show->columns)
        ttp_show_table(show, table);
    for (size_t i = 0; show->form == TTP_FORM_TEXT && !show->columns && i < table->count; i++) {
        const struct ttp_best_op *b = ttp_records_at(table->rows, table->index[i]);

        if (!before || !same_op(&before->op, &b->op)) {
            ttp_sink_repeat(show->out, '\n', before != NULL);
            ttp_paint_wrapped(show->out,
                              ttp_sink_format(show->arena, "%.*s, %.*s, on %.*s",
                                              TTP_FMT(b->op.name), TTP_FMT(b->op.datatypes),
                                              TTP_FMT(b->op.chip)),
                              show->width, 0, 2);
        }
        put_settings(show, b);
        before = b;
    }
    if (table->count < table->rows->count && !show->selection.where)
        ttp_sink_printf(show->out, "%s%zu more: --limit N shows N, 0 shows all\n",
                        show->form == TTP_FORM_MARKDOWN ? "\n" : "",
                        table->rows->count - table->count);
}

ttp_code ttp_out_history_best(const struct ttp_show *show, const struct ttp_history_about *about,
                              const struct ttp_best_ops *best, struct ttp_err *err)
{
    const struct ttp_page page = {.arg = about, .body = put_best};
    struct ttp_document doc;

    ttp_document_init(&doc, &ttp_history_best_document, show->arena);
    ttp_document_object(&doc, TTP_HISTORY_PART_ABOUT, NULL, about);
    ttp_document_rows(&doc, TTP_HISTORY_PART_MAIN, NULL, best->item, best->count);
    return ttp_show_document(show, &doc, &page, err);
}

/* ---- one run ---- */

static void put_fact(const struct ttp_show *show, const char *what, ttp_str text)
{
    if (text.len == 0)
        return;
    if (show->form == TTP_FORM_MARKDOWN) {
        ttp_sink_printf(show->out, "- %s: %.*s\n", what, TTP_FMT(text));
        return;
    }
    ttp_sink_printf(show->out, "%-9s ", what);
    ttp_paint_wrapped(show->out, text, show->width, 10, 10);
}

static void put_facts(const struct ttp_show *show, const struct ttp_history_run *r)
{
    struct ttp_arena *arena = show->arena;
    struct ttp_sink line;

    ttp_sink_printf(show->out,
                    show->form == TTP_FORM_MARKDOWN ? "## Run %lld: %.*s\n\n" : "run %lld  %.*s\n",
                    (long long)r->id, TTP_FMT(r->name));
    put_fact(show, "time", ttp_out_history_time(r->time_ns, false, arena));
    put_fact(show, "kind", r->kind);
    put_fact(show, "source", r->source);
    put_fact(show, "project", r->project);
    put_fact(show, "branch", r->branch);
    ttp_sink_to_arena(&line, arena);
    ttp_sink_put(&line, r->commit);
    if (r->dirty)
        ttp_sink_put(&line, TTP_STR(" with changes"));
    put_fact(show, "commit", r->commit.len ? ttp_sink_text(&line) : (ttp_str){0});
    put_fact(show, "host", r->host);
    put_fact(show, "board", r->board);
    put_fact(show, "machine", ttp_out_history_machine(r->machine_key, arena));
    if (r->op_count) {
        ttp_sink_to_arena(&line, arena);
        ttp_sink_printf(&line, "%lld, %.*s on the device, %.*s between them",
                        (long long)r->op_count,
                        TTP_FMT(ttp_out_measure_text(r->device_s, "s", arena)),
                        TTP_FMT(ttp_out_measure_text(r->gap_s, "s", arena)));
        put_fact(show, "ops", ttp_sink_text(&line));
    }
    for (size_t i = 0; i < r->notes; i++) {
        ttp_sink_to_arena(&line, arena);
        ttp_sink_printf(&line, "%.*s: %.*s",
                        TTP_FMT(ttp_out_history_time(r->note[i].time_ns, true, arena)),
                        TTP_FMT(r->note[i].text));
        put_fact(show, "note", ttp_sink_text(&line));
    }
}

static void put_run(const struct ttp_show *show, const void *arg, size_t part,
                    const struct ttp_table *table)
{
    const struct ttp_history_run *run = arg;

    if (part == TTP_SHOW_PART_RUN) {
        put_facts(show, run);
        return;
    }
    if (table->rows->count == 0)
        return;
    ttp_sink_char(show->out, '\n');
    ttp_show_table(show, table);
    if (table->count < table->rows->count && !show->selection.where)
        ttp_sink_printf(show->out, "%s%zu more: --limit N shows N, 0 shows all\n",
                        show->form == TTP_FORM_MARKDOWN ? "\n" : "",
                        table->rows->count - table->count);
}

static struct ttp_history_measure *make_measures(const struct ttp_history_run *run,
                                                 struct ttp_arena *arena)
{
    struct ttp_history_measure *out = TTP_NEW(arena, struct ttp_history_measure, run->measures);

    for (size_t i = 0; i < run->measures; i++) {
        const struct ttp_run_measure *m = &run->measure[i];
        const struct ttp_sample s = ttp_stats_sample(m->sample, m->count, 0.95, arena);

        out[i] = (struct ttp_history_measure){.metric = m->metric,
                                              .variant = m->variant,
                                              .unit = ttp_arena_zstr(arena, m->unit),
                                              .better = m->better,
                                              .sample = m->sample,
                                              .samples = m->count,
                                              .median = s.median,
                                              .min = m->count > 1 ? s.min : NAN,
                                              .max = m->count > 1 ? s.max : NAN,
                                              .target = m->target};
    }
    return out;
}

/* A row for each sample of each metric, as `bench --format csv` has them. */
static void fill_values(struct ttp_document *doc, const struct ttp_history_measure *measure,
                        size_t count, struct ttp_arena *arena)
{
    size_t room = 0, n = 0;

    for (size_t i = 0; i < count; i++)
        room += measure[i].samples;
    struct ttp_history_value *value = TTP_NEW(arena, struct ttp_history_value, room);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < measure[i].samples; k++)
            value[n++] = (struct ttp_history_value){
                measure[i].metric,   measure[i].variant, measure[i].unit, measure[i].better, k,
                measure[i].sample[k]};
    ttp_document_rows(doc, TTP_SHOW_PART_VALUES, NULL, value, n);
}

static void fill_ops(struct ttp_document *doc, const struct ttp_history_run *run,
                     struct ttp_arena *arena)
{
    struct ttp_history_op *op = TTP_NEW(arena, struct ttp_history_op, run->ops);

    for (size_t i = 0; i < run->ops; i++)
        op[i] =
            (struct ttp_history_op){i, run->op[i].device >= 0, run->op[i].cores >= 0, run->op[i]};
    ttp_document_rows(doc, TTP_SHOW_PART_OPS, NULL, op, run->ops);
}

ttp_code ttp_out_history_run(const struct ttp_show *show, const struct ttp_history_about *about,
                             const struct ttp_history_run *run, struct ttp_err *err)
{
    const struct ttp_page page = {.arg = run, .body = put_run};
    struct ttp_arena *arena = show->arena;
    const struct ttp_history_measure *measure = make_measures(run, arena);
    struct ttp_history_whole whole = {.run = *run};
    struct ttp_document doc;

    ttp_document_init(&doc,
                      run->ops                    ? &ttp_history_ops_document
                      : ttp_form_flat(show->form) ? &ttp_history_values_document
                                                  : &ttp_history_show_document,
                      arena);
    ttp_document_object(&doc, TTP_HISTORY_PART_ABOUT, NULL, about);
    ttp_document_rows(&doc, TTP_SHOW_PART_MEASURES, NULL, measure, run->measures);
    fill_ops(&doc, run, arena);
    if (ttp_form_flat(show->form))
        fill_values(&doc, measure, run->measures, arena);
    whole.measures = doc.part[TTP_SHOW_PART_MEASURES].rows;
    whole.ops = doc.part[TTP_SHOW_PART_OPS].rows;
    if (show->form == TTP_FORM_JSON) {
        struct ttp_records *main = run->ops ? &whole.ops : &whole.measures;
        const struct ttp_records all = *main;

        TTP_TRY(ttp_show_choose(main, show, &all, err));
    }
    ttp_document_object(&doc, TTP_SHOW_PART_RUN, NULL, &whole);
    return ttp_show_document(show, &doc, &page, err);
}
