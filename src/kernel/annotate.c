/* SPDX-License-Identifier: Apache-2.0 */
#include "base/order.h"

#include "kernel/kernel.h"

/* A zone's statistics with the place they belong to. */
struct placed {
    const struct ttp_line_stat *stat;
    enum ttp_kernel_risc risc;
    ttp_str kernel, file, part;
    int64_t line;
    bool implicit;
};

static int compare(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    int order = compare(x->risc, y->risc);

    if (order == 0)
        order = ttp_str_cmp(x->kernel, y->kernel);
    if (order == 0 && x->kernel.len == 0) /* generated files differ from run to run */
        order = ttp_str_cmp(x->file, y->file);
    if (order == 0)
        order = compare(x->line, y->line);
    if (order == 0)
        order = compare(x->implicit, y->implicit);
    return order ? order : ttp_str_cmp(x->part, y->part);
}

static bool same_thread(const struct placed *a, const struct placed *b)
{
    return a->risc == b->risc && ttp_str_eq(a->kernel, b->kernel) &&
           (a->kernel.len || ttp_str_eq(a->file, b->file));
}

static bool place(struct placed *out, const struct ttp_kernel_profile *p,
                  const struct ttp_line_stat *l)
{
    const struct ttp_zone_site *site = &p->log.site[l->site];
    const struct ttp_line_name *name = &p->name[l->site];
    const ttp_str zone = ttp_sym_name(&p->log.names, site->name);

    *out = (struct placed){.stat = l,
                           .risc = (enum ttp_kernel_risc)l->risc,
                           .file = ttp_sym_name(&p->log.names, site->file)};
    if (name->line) {
        out->kernel = name->kernel;
        out->line = name->line;
        out->part = name->op;
        out->implicit = name->implicit;
        return true;
    }
    if (ttp_str_starts(zone, TTP_STR("PROFILER-")) || site->dispatch)
        return false;
    out->line = site->line;
    out->part = zone;
    return true;
}

static void add(struct ttp_cycle_count *c, const struct ttp_line_stat *l)
{
    c->min = c->count == 0 || l->min < c->min ? l->min : c->min;
    c->max = l->max > c->max ? l->max : c->max;
    c->count += l->count;
    c->sum += l->sum;
}

static void add_part(struct ttp_annotated_line *line, const struct placed *p)
{
    add(&line->all, p->stat);
    if (p->part.len == 0) {
        add(&line->plain, p->stat);
        return;
    }
    if (line->nparts == 0 || line->part[line->nparts - 1].implicit != p->implicit ||
        !ttp_str_eq(line->part[line->nparts - 1].name, p->part))
        line->part[line->nparts++] =
            (struct ttp_line_part){.name = p->part, .implicit = p->implicit};
    add(&line->part[line->nparts - 1].cycles, p->stat);
}

static void finish_thread(struct ttp_annotated_thread *t)
{
    for (size_t i = 0; i < t->nlines; i++) {
        const uint64_t sum = t->line[i].all.sum;
        t->zones += t->line[i].all.count;
        t->zone_cycles += sum;
        if (sum > t->hottest) {
            t->second = t->hottest;
            t->hottest = sum;
        } else if (sum > t->second) {
            t->second = sum;
        }
    }
}

/* Cores and cycles of those programs in which the thread has a line. */
static void measure_thread(struct ttp_annotated_thread *t, const struct ttp_kernel_report *r,
                           const struct placed *from, const struct placed *to)
{
    for (size_t i = 0; i < r->nprograms; i++) {
        const struct ttp_kernel_program *m = &r->program[i];
        bool has = false;
        for (const struct placed *p = from; p < to && !has; p++)
            has = m->lines == &r->lines->invocation[p->stat->invocation];
        if (!has)
            continue;
        const uint64_t cores = m->thread[t->risc].kernel_cycles.count;
        t->cores += cores;
        t->invocations++;
        t->most_cores = cores > t->most_cores ? cores : t->most_cores;
        t->kernel_cycles += ttp_kernel_cycles_of_lines(&m->thread[t->risc]);
    }
}

static void make_thread(struct ttp_annotated_thread *t, const struct ttp_kernel_report *r,
                        const struct placed *from, const struct placed *to, struct ttp_arena *arena)
{
    const size_t n = (size_t)(to - from);
    struct ttp_line_part *part = TTP_NEW(arena, struct ttp_line_part, n);

    *t = (struct ttp_annotated_thread){.risc = from->risc,
                                       .kernel = from->kernel,
                                       .file = from->file,
                                       .line = TTP_NEW(arena, struct ttp_annotated_line, n)};
    for (const struct placed *p = from; p < to; p++) {
        if (p == from || p->line != p[-1].line) {
            t->line[t->nlines++] = (struct ttp_annotated_line){.line = p->line, .part = part};
        }
        struct ttp_annotated_line *line = &t->line[t->nlines - 1];
        add_part(line, p);
        part = line->part + line->nparts > part ? line->part + line->nparts : part;
    }
    measure_thread(t, r, from, to);
    finish_thread(t);
}

void ttp_kernel_annotate(struct ttp_annotation *out, const struct ttp_kernel_report *report,
                         struct ttp_arena *arena)
{
    const struct ttp_kernel_profile *p = report->lines;
    size_t lines = 0, n = 0;

    *out = (struct ttp_annotation){.invocations = report->nprograms};
    for (size_t i = 0; i < report->nprograms; i++)
        lines += report->program[i].lines ? report->program[i].lines->lines : 0;
    struct placed *placed = TTP_NEW(arena, struct placed, lines + 1);
    for (size_t i = 0; i < report->nprograms; i++) {
        const struct ttp_invocation *v = report->program[i].lines;
        for (uint32_t at = v ? v->first_line : 0; at; at = p->line[at - 1].next)
            n += place(&placed[n], p, &p->line[at - 1]);
    }
    if (n == 0)
        return;
    TTP_SORT(placed, n, by_place);
    size_t threads = 1;
    for (size_t i = 1; i < n; i++)
        threads += !same_thread(&placed[i - 1], &placed[i]);
    out->thread = TTP_NEW(arena, struct ttp_annotated_thread, threads);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && same_thread(&placed[from], &placed[to]); to++)
            ;
        make_thread(&out->thread[out->nthreads++], report, &placed[from], &placed[to], arena);
    }
}

const struct ttp_annotated_line *ttp_kernel_find_line(const struct ttp_annotated_thread *t,
                                                      int64_t line)
{
    for (size_t i = 0; i < t->nlines; i++)
        if (t->line[i].line == line)
            return &t->line[i];
    return NULL;
}
