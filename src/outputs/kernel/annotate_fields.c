/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/kernel/annotate_fields.h"

#include <math.h>

double ttp_out_annotate_pct(const struct ttp_annotated_thread *t, uint64_t cycles)
{
    const uint64_t all = t->kernel_cycles ? t->kernel_cycles : t->zone_cycles;

    return all ? 100.0 * (double)cycles / (double)all : 0;
}

double ttp_out_annotate_per_core(const struct ttp_annotated_thread *t,
                                 const struct ttp_annotated_line *l)
{
    return l ? (double)l->all.sum / (double)(t->cores ? t->cores : 1) : 0;
}

const struct ttp_annotated_thread *ttp_out_annotate_other(const struct ttp_annotate_view *view,
                                                          const struct ttp_annotated_thread *t)
{
    for (size_t i = 0; view->other && i < view->other->nthreads; i++) {
        const struct ttp_annotated_thread *o = &view->other->thread[i];

        if (o->risc == t->risc && ttp_str_eq(o->kernel, t->kernel) &&
            (t->kernel.len || ttp_str_eq(o->file, t->file)))
            return o;
    }
    return NULL;
}

static ttp_str path_of(const struct ttp_annotated_thread *t)
{
    return t->source ? ttp_str_from(t->source->path) : t->file;
}

static void make_waits(struct ttp_annotate_row *row, const struct ttp_flow_waits *waits,
                       struct ttp_arena *arena)
{
    const struct ttp_dma_barrier *barrier =
        ttp_kernel_find_barrier(waits, row->kernel, row->of.line);
    const struct ttp_wait_source *s;

    row->barrier = barrier ? barrier->buffer : -1;
    while (ttp_kernel_find_source(waits, row->kernel, row->of.line, row->waits))
        row->waits++;
    row->wait = TTP_NEW(arena, struct ttp_annotate_wait_row, row->waits);
    for (size_t i = 0; i < row->waits; i++) {
        s = ttp_kernel_find_source(waits, row->kernel, row->of.line, i);
        row->wait[i] = (struct ttp_annotate_wait_row){s->dma ? "DMA" : "compute", s, s->from_kernel,
                                                      s->from_line, s->buffer};
    }
}

/* Zones of one line that follow each other, such as a wait and the release of what it waited for,
 * are one execution. Its extremes lie between the sums of theirs. */
static struct ttp_cycle_count executions_of(const struct ttp_annotated_line *l)
{
    struct ttp_cycle_count out = l->plain;

    out.sum = l->all.sum;
    for (size_t i = 0; i < l->nparts; i++) {
        const struct ttp_cycle_count *c = &l->part[i].cycles;

        out.count = c->count > out.count ? c->count : out.count;
        out.min += c->min;
        out.max += c->max;
    }
    return out;
}

static void make_row(struct ttp_annotate_row *row, const struct ttp_annotate_view *view,
                     const struct ttp_annotated_thread *t, const struct ttp_annotated_line *l)
{
    const struct ttp_annotated_thread *other = ttp_out_annotate_other(view, t);
    const struct ttp_annotated_line *before = other ? ttp_kernel_find_line(other, l->line) : NULL;
    const bool has_text = t->source && l->line > 0 && l->line <= (int64_t)t->source->nlines;

    *row = (struct ttp_annotate_row){
        .in = t,
        .thread = ttp_kernel_risc_name(t->risc),
        .kernel = t->kernel,
        .path = path_of(t),
        .of = *l,
        .source = has_text ? t->source->line[l->line - 1] : (ttp_str){0},
        .time_pct = ttp_out_annotate_pct(t, l->all.sum),
        .executions = executions_of(l),
        .per_core = view->other ? ttp_out_annotate_per_core(t, l) : NAN,
        .per_core_before = before ? ttp_out_annotate_per_core(other, before) : NAN};
    row->mean_cycles =
        row->executions.count ? (double)row->executions.sum / (double)row->executions.count : NAN;
    row->change_pct = 100 * (row->per_core / row->per_core_before - 1);
}

struct ttp_annotate_row *ttp_out_annotate_rows(size_t *count, const struct ttp_annotate_view *view,
                                               struct ttp_arena *arena)
{
    const struct ttp_annotation *a = view->run;
    size_t n = 0;

    for (size_t i = 0; i < a->nthreads; i++)
        n += a->thread[i].nlines;
    struct ttp_annotate_row *row = TTP_NEW(arena, struct ttp_annotate_row, n);
    *count = 0;
    for (size_t i = 0; i < a->nthreads; i++)
        for (size_t k = 0; k < a->thread[i].nlines; k++) {
            struct ttp_annotate_row *r = &row[(*count)++];

            make_row(r, view, &a->thread[i], &a->thread[i].line[k]);
            make_waits(r, view->waits, arena);
        }
    return row;
}

struct ttp_annotate_thread_row *ttp_out_annotate_threads(const struct ttp_annotate_view *view,
                                                         struct ttp_arena *arena)
{
    struct ttp_annotate_thread_row *row =
        TTP_NEW(arena, struct ttp_annotate_thread_row, view->run->nthreads);

    for (size_t i = 0; i < view->run->nthreads; i++) {
        const struct ttp_annotated_thread *t = &view->run->thread[i];

        row[i] = (struct ttp_annotate_thread_row){ttp_kernel_risc_name(t->risc), t->kernel,
                                                  path_of(t), t->source != NULL, *t};
    }
    return row;
}

/* ---- fields ---- */

/* Of `cycles`, a struct ttp_cycle_count in a row of type `row`.
 * NOLINTBEGIN(bugprone-macro-parentheses): it is a member */
#define CYCLES_FIELDS(row, cycles)                                                                 \
    TTP_REAL_COLUMN("count", "Count", "", 0, 1, TTP_FIGURE(row, cycles.count)),                    \
        TTP_INT_COLUMN("total_cycles", "Total", "cycles", 0, TTP_FIGURE(row, cycles.sum)),         \
        TTP_INT_COLUMN("min_cycles", "Min", "cycles", 2, TTP_FIGURE(row, cycles.min)),             \
        TTP_INT_COLUMN("max_cycles", "Max", "cycles", 2, TTP_FIGURE(row, cycles.max))
/* NOLINTEND(bugprone-macro-parentheses) */

static const struct ttp_field part_fields[] = {
    TTP_WORDS("name", TTP_FIGURE(struct ttp_line_part, name)),
    TTP_FLAG("implicit", TTP_FIGURE(struct ttp_line_part, implicit),
             .help = "implicit at the end of a `with` block"),
    CYCLES_FIELDS(struct ttp_line_part, cycles),
};
static const struct ttp_fields part = {TTP_FIELDS(part_fields)};

#define WAIT(member) TTP_FIGURE(struct ttp_annotate_wait_row, member)
static const struct ttp_field wait_fields[] = {
    TTP_WORDS("what", WAIT(what), .help = "DMA or compute"),
    TTP_WORDS("kernel", WAIT(kernel)),
    TTP_INT("line", "", WAIT(line), .is_id = true),
    TTP_INT("buffer", "", WAIT(buffer), .is_id = true),
};
static const struct ttp_fields wait = {TTP_FIELDS(wait_fields)};

#define ROW(member) TTP_FIGURE(struct ttp_annotate_row, member)
static const struct ttp_field line_fields[] = {
    TTP_WORDS_COLUMN("thread", "Thread", 0, ROW(thread)),
    TTP_WORDS_COLUMN("kernel", "Kernel", 3, ROW(kernel)),
    TTP_WORDS("path", ROW(path)),
    TTP_INT_COLUMN("line", "Line", "", 0, ROW(of.line)),
    TTP_REAL_COLUMN("share_percent", "Time", "%", 1, 0, ROW(time_pct),
                    .help = "share of the thread's kernel cycles"),
    CYCLES_FIELDS(struct ttp_annotate_row, executions),
    TTP_REAL("mean_cycles", "cycles", 1, ROW(mean_cycles)),
    TTP_REAL_COLUMN("base_cycles_per_core", "Before", "cycles", 0, 1, ROW(per_core_before),
                    .optional = true, .help = "with --vs: on a core of the other run"),
    TTP_REAL_COLUMN("cycles_per_core", "Now", "cycles", 0, 1, ROW(per_core), .optional = true,
                    .help = "with --vs: on a core of this run"),
    TTP_REAL_COLUMN("change_percent", "Change", "%", 1, 1, ROW(change_pct), .optional = true,
                    .plus = true, .help = "with --vs: from before to now"),
    TTP_WORDS_COLUMN("source", "Source", 1, ROW(source)),
    TTP_INT("dma_barrier_buffer", "", ROW(barrier), .is_id = true,
            .help = "buffer whose transfers the line waits for"),
    {.id = "ops",
     TTP_ROWS_AT(struct ttp_annotate_row, of.part, of.nparts, part),
     .help = "buffer operations of the line, and user-defined zones"},
    {.id = "waits_for", TTP_ROWS_AT(struct ttp_annotate_row, wait, waits, wait)},
};
const struct ttp_fields ttp_annotate_fields = {
    TTP_FIELDS(line_fields), .hint = "tt-perf annotate --columns help lists them"};

#define THREAD(member) TTP_FIGURE(struct ttp_annotate_thread_row, member)
static const struct ttp_field thread_fields[] = {
    TTP_WORDS("thread", THREAD(thread)),
    TTP_WORDS("kernel", THREAD(kernel)),
    TTP_WORDS("path", THREAD(path)),
    TTP_FLAG("has_source", THREAD(has_source)),
    TTP_INT("cores", "", THREAD(of.cores), .help = "times invocations"),
    TTP_INT("invocations", "", THREAD(of.invocations)),
    TTP_INT("kernel_cycles", "cycles", THREAD(of.kernel_cycles)),
    TTP_INT("zone_cycles", "cycles", THREAD(of.zone_cycles)),
    TTP_INT("zones", "", THREAD(of.zones)),
};
const struct ttp_fields ttp_annotate_thread_fields = {TTP_FIELDS(thread_fields)};
