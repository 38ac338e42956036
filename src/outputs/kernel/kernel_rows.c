/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_rows.c - all data of a report about a program in one row. */
#include "base/order.h"

#include "outputs/kernel/kernel_fields.h"

static bool wants(const struct ttp_kernel_view *v, enum ttp_kernel_section s)
{
    return v->sections >> s & 1;
}

/* --- zones --- */

static bool is_user_zone(const struct ttp_kernel_profile *p, const struct ttp_line_stat *l)
{
    const ttp_str zone = ttp_sym_name(&p->log.names, p->log.site[l->site].name);

    return p->name[l->site].line == 0 && zone.len && !ttp_str_starts(zone, TTP_STR("PROFILER-")) &&
           !p->log.site[l->site].dispatch;
}

/* By RISC, then by their first appearance. */
TTP_ORDER(by_risc, struct ttp_kernel_zone_row, TTP_UP(risc), TTP_UP(site))

static void make_zones(struct ttp_kernel_row *row, const struct ttp_kernel_profile *p,
                       struct ttp_arena *arena)
{
    const struct ttp_invocation *i = row->of.invocation;

    row->zone = TTP_NEW(arena, struct ttp_kernel_zone_row, 1 + (i ? i->lines : 0));
    for (uint32_t at = i ? i->first_line : 0; at; at = p->line[at - 1].next) {
        const struct ttp_line_stat *l = &p->line[at - 1];
        ttp_str name = ttp_sym_name(&p->log.names, p->log.site[l->site].name);

        if (!is_user_zone(p, l))
            continue;
        if (ttp_str_starts(name, TTP_STR("ttl_")))
            name = ttp_str_slice(name, 4, name.len);
        row->zone[row->zones++] = (struct ttp_kernel_zone_row){
            .name = name,
            .thread = ttp_kernel_risc_name((enum ttp_kernel_risc)l->risc),
            .risc = l->risc,
            .site = l->site,
            .cycles = {l->count, l->sum, l->min, l->max},
            .mean_cycles = (double)l->sum / (double)l->count};
    }
    TTP_SORT(row->zone, row->zones, by_risc);
}

/* --- threads --- */

static void make_threads(struct ttp_kernel_row *row, struct ttp_arena *arena)
{
    row->thread = TTP_NEW(arena, struct ttp_kernel_thread_row, TTP_KERNEL_RISCS);
    for (size_t i = 0; i < TTP_KERNEL_RISCS; i++) {
        const struct ttp_kernel_thread *t = &row->of.thread[i];
        const double all = (double)ttp_kernel_cycles_of_lines(t) / 100;

        if (t->kernel_cycles.count == 0 && t->zones == 0)
            continue;
        row->thread[row->threads++] = (struct ttp_kernel_thread_row){
            .thread = ttp_kernel_risc_name((enum ttp_kernel_risc)i),
            .of = *t,
            .has_waits = t->kernel_cycles.count &&
                         (row->of.verdict.from_waits || t->wait || t->reserve || t->barrier),
            .wait_pct = all > 0 ? (double)t->wait / all : 0,
            .reserve_pct = all > 0 ? (double)t->reserve / all : 0,
            .barrier_pct = all > 0 ? (double)t->barrier / all : 0};
    }
}

static void make_verdict(struct ttp_kernel_row *row, struct ttp_arena *arena)
{
    struct ttp_kernel_verdict_row *v = &row->verdict;

    v->of = row->of.verdict;
    v->bottleneck = ttp_kernel_bottleneck_name(v->of.bottleneck);
    v->thread = ttp_kernel_bottleneck_name(v->of.thread);
    v->limit = ttp_diagnosis_limit_name(v->of.bottleneck);
    v->sentence = ttp_kernel_sentence(row->program, arena);
    for (size_t i = 0; i < TTP_KERNEL_ROLES; i++)
        if (v->of.role[i].known)
            v->role[v->roles++] = (struct ttp_kernel_role_row){
                ttp_kernel_role_name((enum ttp_kernel_role)i),
                ttp_kernel_risc_name(v->of.role[i].risc), v->of.role[i]};
}

static void make_cores(struct ttp_kernel_row *row, const struct ttp_kernel_report *r,
                       struct ttp_arena *arena)
{
    row->core = TTP_NEW(arena, struct ttp_kernel_core_row, row->of.ncores + 1);
    for (size_t i = 0; i < row->of.ncores; i++) {
        const struct ttp_kernel_core *part = row->of.core[i];
        const struct ttp_core *c = &r->profile->log.core[part->core];

        row->core[i] =
            (struct ttp_kernel_core_row){c->x, c->y, part->last_cycle - part->first_cycle};
        if (part == row->of.slowest)
            row->slowest = &row->core[i];
    }
}

/* In either pass, where lines have their own. */
static uint64_t full_buffers(const struct ttp_kernel_program *m)
{
    const uint64_t own = m->invocation ? m->invocation->full_buffers : 0;

    return m->lines && m->lines != m->invocation ? own + m->lines->full_buffers : own;
}

void ttp_out_kernel_make_row(struct ttp_kernel_row *row, const struct ttp_kernel_view *view,
                             const struct ttp_kernel_program *m, struct ttp_arena *arena)
{
    const struct ttp_kernel_report *r = view->report;

    *row = (struct ttp_kernel_row){
        .program = m,
        .of = *m,
        .number = m->key.run_id >> 10,
        .device_time_us = r->clock_mhz ? (double)m->duration_cycles / (double)r->clock_mhz : 0,
        .full_buffers = full_buffers(m),
        .grid = {m->grid_cols, m->grid_rows},
    };
    make_cores(row, r, arena);
    make_verdict(row, arena);
    if (wants(view, TTP_SECTION_PERF))
        row->perf = row;
    if (wants(view, TTP_SECTION_THREADS))
        make_threads(row, arena);
    if (wants(view, TTP_SECTION_SIGNPOSTS))
        make_zones(row, r->profile, arena);
    if (wants(view, TTP_SECTION_BOTTLENECK))
        row->bottleneck = &row->verdict;
    if (wants(view, TTP_SECTION_TARGETS))
        row->targets = &row->of.targets;
}

/* --- buffers --- */

/* How long a kernel waited at a line in one way, over all programs of the report: the RISC that
 * waited longest, and which part of its kernels' time that was. False: it did not. */
struct line_wait {
    uint64_t cycles, count;
    double part;
};

static bool find_wait(struct line_wait *out, const struct ttp_kernel_report *report, ttp_str kernel,
                      int64_t line, const char *op)
{
    const struct ttp_kernel_profile *p = report->lines;
    struct line_wait wait[TTP_KERNEL_RISCS] = {{0}};
    uint64_t all[TTP_KERNEL_RISCS] = {0};
    bool found = false;

    for (size_t i = 0; p && i < report->nprograms; i++) {
        const struct ttp_kernel_program *m = &report->program[i];
        for (size_t risc = 0; risc < TTP_KERNEL_RISCS; risc++)
            all[risc] += ttp_kernel_cycles_of_lines(&m->thread[risc]);
        for (uint32_t at = m->lines ? m->lines->first_line : 0; at; at = p->line[at - 1].next) {
            const struct ttp_line_stat *l = &p->line[at - 1];
            const struct ttp_line_name *name = &p->name[l->site];
            if (name->line != line || !ttp_str_eq(name->kernel, kernel) || name->implicit ||
                !ttp_str_ends(name->op, ttp_str_from(op)) || (!op[0] && name->op.len))
                continue;
            wait[l->risc].cycles += l->sum;
            wait[l->risc].count += l->count;
        }
    }
    for (size_t risc = 0; risc < TTP_KERNEL_RISCS; risc++) {
        if (wait[risc].count == 0 || (found && wait[risc].cycles <= out->cycles))
            continue;
        *out = wait[risc];
        out->part = all[risc] ? (double)out->cycles / (double)all[risc] : 0;
        found = true;
    }
    return found;
}

static const char *const wait_of[TTP_FLOW_LISTS] = {"reserve", "wait", "", ""};

struct ttp_flow_row *ttp_out_kernel_flow_rows(const struct ttp_kernel_report *report,
                                              struct ttp_arena *arena)
{
    const struct ttp_flow_graph *g = report->flow;
    struct ttp_flow_row *row = TTP_NEW(arena, struct ttp_flow_row, g->nbuffers);

    for (size_t i = 0; i < g->nbuffers; i++) {
        const struct ttp_flow_buffer *b = &g->buffer[i];

        row[i].index = b->index;
        row[i].dfb_id = b->dfb_id;
        for (size_t k = 0; k < TTP_FLOW_LISTS; k++) {
            row[i].nops[k] = b->nops[k];
            row[i].op[k] = TTP_NEW(arena, struct ttp_flow_op_row, b->nops[k]);
            for (size_t n = 0; n < b->nops[k]; n++) {
                struct ttp_flow_op_row *op = &row[i].op[k][n];
                struct line_wait found = {0};

                op->of = b->op[k][n];
                op->waits = find_wait(&found, report, op->of.kernel, op->of.line, wait_of[k]);
                op->wait_cycles = found.cycles;
                op->wait_pct = 100 * found.part;
            }
        }
    }
    return row;
}
