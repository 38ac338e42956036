/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces that several sections of the kernel verb's output share. */
#include <stdlib.h>

#include "outputs/columns_text.h"
#include "outputs/kernel_parts.h"

void ttp_put_volume(struct ttp_sink *out, uint64_t bytes)
{
    if (bytes < 1024) {
        ttp_sink_printf(out, "%llu B", (unsigned long long)bytes);
        return;
    }
    static const char *const unit[] = {" KB", " MB", " GB"};
    double v = (double)bytes / 1024;
    size_t i = 0;
    for (; v >= 1024 && i + 1 < TTP_COUNT(unit); i++)
        v /= 1024;
    ttp_sink_fixed(out, v, 1, false);
    ttp_sink_put(out, ttp_str_from(unit[i]));
}

void ttp_put_time(struct ttp_sink *out, uint64_t cycles, uint64_t mhz)
{
    const double us = mhz ? (double)cycles / (double)mhz : 0;

    ttp_put_grouped(out, (int64_t)cycles);
    ttp_sink_put(out, TTP_STR(" cycles ("));
    ttp_sink_fixed(out, us >= 1000 ? us / 1000 : us, us >= 1000 ? 2 : 1, false);
    ttp_sink_put(out, us >= 1000 ? TTP_STR(" ms)") : TTP_STR(" us)"));
}

void ttp_put_program_title(struct ttp_sink *out, const struct ttp_kernel_program *m)
{
    ttp_sink_printf(out, "Program %llu", (unsigned long long)m->run_id);
    if (m->name.len)
        ttp_sink_printf(out, " (%.*s)", TTP_FMT(m->name));
    ttp_sink_printf(out, ", device %lld", (long long)m->device);
    if (m->trace_id != TTP_NO_ID)
        ttp_sink_printf(out, ", trace %lld, replay %lld", (long long)m->trace_id,
                        (long long)m->replay);
}

void ttp_put_balance(struct ttp_sink *out, double compute, double memory)
{
    enum { CELLS = 40 };
    const double sum = compute + memory;
    const int at = sum > 0 ? (int)(memory / sum * (CELLS - 1)) : (CELLS - 1) / 2;

    ttp_sink_put(out, TTP_STR("  Compute ├"));
    for (int i = 0; i < CELLS; i++)
        ttp_sink_put(out, i == at ? TTP_STR("●") : TTP_STR("─"));
    ttp_sink_own(out, "┤ Memory\n");
}

static bool is_user_zone(const struct ttp_kernel_profile *p, const struct ttp_line_stat *l)
{
    const ttp_str zone = ttp_sym_name(&p->log.names, p->log.site[l->site].name);

    return p->name[l->site].line == 0 && zone.len && !ttp_str_starts(zone, TTP_STR("PROFILER-")) &&
           !p->log.site[l->site].dispatch;
}

static int by_risc(const void *a, const void *b)
{
    const struct ttp_user_zone *x = a, *y = b;

    if (x->risc != y->risc)
        return x->risc < y->risc ? -1 : 1;
    return x->stat->site < y->stat->site ? -1 : x->stat->site > y->stat->site;
}

size_t ttp_kernel_user_zones(struct ttp_user_zone **out, const struct ttp_kernel_report *report,
                             const struct ttp_kernel_program *m, struct ttp_arena *arena)
{
    const struct ttp_kernel_profile *p = report->profile;
    size_t n = 0;

    *out = NULL;
    if (!m->invocation)
        return 0;
    *out = TTP_NEW(arena, struct ttp_user_zone, m->invocation->lines);
    for (uint32_t at = m->invocation->first_line; at; at = p->line[at - 1].next) {
        const struct ttp_line_stat *l = &p->line[at - 1];
        ttp_str name = ttp_sym_name(&p->log.names, p->log.site[l->site].name);
        if (!is_user_zone(p, l))
            continue;
        if (ttp_str_starts(name, TTP_STR("ttl_")))
            name = ttp_str_slice(name, 4, name.len);
        (*out)[n++] = (struct ttp_user_zone){name, (enum ttp_kernel_risc)l->risc, l};
    }
    if (n)
        qsort(*out, n, sizeof(**out), by_risc);
    return n;
}

bool ttp_kernel_line_wait(struct ttp_line_wait *out, const struct ttp_kernel_report *report,
                          ttp_str kernel, int64_t line, const char *op)
{
    const struct ttp_kernel_profile *p = report->profile;
    struct ttp_line_wait wait[TTP_KERNEL_RISCS] = {{0}};
    uint64_t all[TTP_KERNEL_RISCS] = {0};
    bool found = false;

    for (size_t i = 0; p && i < report->nprograms; i++) {
        const struct ttp_kernel_program *m = &report->program[i];
        for (size_t risc = 0; risc < TTP_KERNEL_RISCS; risc++)
            all[risc] += m->thread[risc].kernel_cycles.sum;
        for (uint32_t at = m->invocation ? m->invocation->first_line : 0; at;
             at = p->line[at - 1].next) {
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
        out->risc = (enum ttp_kernel_risc)risc;
        out->part = all[risc] ? (double)out->cycles / (double)all[risc] : 0;
        found = true;
    }
    return found;
}
