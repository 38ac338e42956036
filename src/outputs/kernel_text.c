/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel verb for people: sections in order, marker words at the start of lines. */
#include <stdlib.h>

#include "base/shell_lines.h"
#include "outputs/columns_text.h"
#include "outputs/kernel_parts.h"
#include "outputs/paint.h"

static bool wants(const struct ttp_kernel_view *v, enum ttp_kernel_section s)
{
    return v->sections >> s & 1;
}

static void put_pct(struct ttp_sink *out, double part, size_t width)
{
    ttp_put_fixed_right(out, 100 * part, 1, width);
    ttp_sink_char(out, '%');
}

/* --- which programs --- */

struct chosen {
    const struct ttp_kernel_program *program;
};
struct choice {
    struct chosen *at;
    size_t n;
};

static int by_duration(const void *a, const void *b)
{
    const struct ttp_kernel_program *p = ((const struct chosen *)a)->program,
                                    *q = ((const struct chosen *)b)->program;

    if (p->duration_cycles != q->duration_cycles)
        return p->duration_cycles > q->duration_cycles ? -1 : 1;
    return p < q ? -1 : p > q;
}

static int by_position(const void *a, const void *b)
{
    const struct ttp_kernel_program *p = ((const struct chosen *)a)->program,
                                    *q = ((const struct chosen *)b)->program;
    return p < q ? -1 : p > q;
}

/* The longest ones, in their own order. */
static struct choice choose(const struct ttp_kernel_view *v, struct ttp_arena *arena)
{
    const struct ttp_kernel_report *r = v->report;
    struct choice c = {TTP_NEW(arena, struct chosen, r->nprograms), r->nprograms};

    for (size_t i = 0; i < r->nprograms; i++)
        c.at[i].program = &r->program[i];
    if (v->shown == 0 || v->shown >= c.n)
        return c;
    qsort(c.at, c.n, sizeof(*c.at), by_duration);
    c.n = v->shown;
    qsort(c.at, c.n, sizeof(*c.at), by_position);
    return c;
}

/* --- PERF SUMMARY --- */

static void put_overview(struct ttp_sink *out, const struct ttp_kernel_view *v,
                         const struct choice *c)
{
    const struct ttp_kernel_report *r = v->report;

    ttp_sink_printf(out, "PERF SUMMARY\narch: %.*s, freq: %llu MHz, compute cores: ",
                    r->arch.len ? (int)r->arch.len : 7, r->arch.len ? r->arch.ptr : "unknown",
                    (unsigned long long)r->clock_mhz);
    if (r->cores_available)
        ttp_sink_printf(out, "%lld\n", (long long)r->cores_available);
    else
        ttp_sink_own(out, "unknown\n");
    ttp_sink_printf(out, "programs: %zu", r->nprograms);
    if (v->invocations > r->nprograms)
        ttp_sink_printf(out, " of %zu in the log", v->invocations);
    if (c->n < r->nprograms)
        ttp_sink_printf(
            out, "; the %zu longest in the order they ran, --program all shows the rest", c->n);
    ttp_sink_own(out, "\n\n");
}

static bool uneven(const struct ttp_kernel_program *m)
{
    return m->core_cycles.max * 10 > m->core_cycles.median * 11;
}

/* Of a printed line profile only lines and threads are known. */
static bool has_perf(const struct ttp_kernel_program *m)
{
    return m->traffic || m->ncores || m->duration_cycles;
}

static void put_perf_section(struct ttp_sink *out, const struct ttp_kernel_view *v,
                             const struct choice *c, struct ttp_arena *arena)
{
    put_overview(out, v, c);
    for (size_t i = 0; i < c->n; i++) {
        if (!has_perf(c->at[i].program))
            continue;
        ttp_put_perf(out, v, c->at[i].program);
        if (c->at[i].program->invocation && (c->n <= 4 || uneven(c->at[i].program)))
            ttp_put_heat(out, v, c->at[i].program, arena);
        ttp_sink_char(out, '\n');
    }
}

/* --- THREAD SUMMARY --- */

static void put_thread(struct ttp_sink *out, const struct ttp_kernel_program *m,
                       enum ttp_kernel_risc risc, struct ttp_arena *arena)
{
    const struct ttp_kernel_thread *t = &m->thread[risc];
    const struct ttp_cycle_spread *s = &t->kernel_cycles;
    const double all = s->sum ? (double)s->sum : 1;

    ttp_sink_put(out, TTP_STR("  "));
    ttp_put_left(out, ttp_str_from(ttp_kernel_risc_name(risc)), 8);
    ttp_put_left(out, t->kernel.len ? ttp_paint_shorten(t->kernel, 13, arena) : TTP_STR("-"), 14);
    ttp_sink_printf(out, "%5zu ", s->count);
    ttp_put_grouped_right(out, (int64_t)s->min, 9);
    ttp_sink_char(out, ' ');
    ttp_put_grouped_right(out, (int64_t)s->median, 9);
    ttp_sink_char(out, ' ');
    ttp_put_grouped_right(out, (int64_t)s->max, 9);
    if (m->verdict.from_waits || t->wait || t->reserve || t->barrier) {
        put_pct(out, (double)t->wait / all, 6);
        put_pct(out, (double)t->reserve / all, 6);
        put_pct(out, (double)t->barrier / all, 6);
    } else {
        ttp_sink_put(out, TTP_STR("      -      -      -"));
    }
    ttp_sink_char(out, '\n');
}

/* Cycles a core that a thread neither waited for data nor for room. */
static double work_of(const struct ttp_kernel_program *m, enum ttp_kernel_role role)
{
    const struct ttp_role_time *t = &m->verdict.role[role];
    const size_t cores = m->thread[t->risc].kernel_cycles.count;

    return cores ? t->busy * (double)t->cycles / (double)cores : 0;
}

static void put_work(struct ttp_sink *out, const char *what, double cycles, const char *who)
{
    ttp_sink_put(out, ttp_str_from(what));
    ttp_put_grouped_right(out, (int64_t)cycles, 10);
    ttp_sink_printf(out, " cycles of work a core  (%s)\n", who);
}

static void put_bar(struct ttp_sink *out, const struct ttp_kernel_program *m)
{
    const struct ttp_role_time *role = m->verdict.role;
    const double in = work_of(m, TTP_ROLE_READER), to = work_of(m, TTP_ROLE_WRITER);
    const double memory = in > to ? in : to, compute = work_of(m, TTP_ROLE_COMPUTE);
    const double more = memory > compute ? memory : compute;

    if (more <= 0)
        return;
    put_work(out, "  Memory:  ", memory,
             ttp_kernel_risc_name(role[in >= to ? TTP_ROLE_READER : TTP_ROLE_WRITER].risc));
    put_work(out, "  Compute: ", compute, "TRISC");
    if (!m->verdict.from_waits) {
        ttp_sink_own(out, "  waits are not in this log: all time counts as work\n");
        return;
    }
    ttp_sink_put(out, TTP_STR("  "));
    ttp_sink_fixed(out, 100 * (memory > compute ? memory - compute : compute - memory) / more, 0,
                   false);
    ttp_sink_printf(out, "%% %s bound\n", memory > compute ? "memory" : "compute");
    ttp_put_balance(out, compute, memory);
}

static bool has_threads(const struct ttp_kernel_program *m)
{
    for (size_t i = 0; i < TTP_KERNEL_RISCS && m->invocation; i++)
        if (m->thread[i].kernel_cycles.count)
            return true;
    return false;
}

static void put_threads_section(struct ttp_sink *out, const struct ttp_kernel_view *v,
                                const struct choice *c, struct ttp_arena *arena)
{
    bool any = false;

    for (size_t i = 0; i < c->n; i++)
        any |= has_threads(c->at[i].program);
    if (!any && !v->asked)
        return;
    ttp_sink_own(out, "THREAD SUMMARY\n");
    if (!any)
        ttp_sink_own(out, "  no zones: profile_log_device.csv is not there\n");
    for (size_t i = 0; i < c->n; i++) {
        const struct ttp_kernel_program *m = c->at[i].program;
        if (!has_threads(m))
            continue;
        ttp_sink_put(out, TTP_STR("--- "));
        ttp_put_program_title(out, m);
        ttp_sink_own(out, " ---\n"
                          "  cycles of the kernel on its cores; % of them that wait for "
                          "data, room, DMA\n"
                          "  thread  kernel        cores       min    median       max   "
                          "data   room    DMA\n");
        for (size_t risc = 0; risc < TTP_KERNEL_RISCS; risc++)
            if (m->thread[risc].kernel_cycles.count)
                put_thread(out, m, (enum ttp_kernel_risc)risc, arena);
        put_bar(out, m);
        ttp_sink_char(out, '\n');
    }
    if (!any)
        ttp_sink_char(out, '\n');
}

/* --- SIGNPOST PROFILE --- */

static void put_user_zone(struct ttp_sink *out, const struct ttp_user_zone *z, size_t width)
{
    const struct ttp_line_stat *s = z->stat;

    ttp_sink_put(out, TTP_STR("  "));
    ttp_put_left(out, z->name, width);
    ttp_sink_printf(out, " %-8s %6llu ", ttp_kernel_risc_name(z->risc),
                    (unsigned long long)s->count);
    ttp_put_grouped_right(out, (int64_t)s->sum, 12);
    ttp_put_grouped_right(out, (int64_t)(s->sum / s->count), 11);
    ttp_put_grouped_right(out, (int64_t)s->min, 11);
    ttp_put_grouped_right(out, (int64_t)s->max, 11);
    ttp_sink_char(out, '\n');
}

static void put_signposts_section(struct ttp_sink *out, const struct ttp_kernel_view *v,
                                  const struct choice *c, struct ttp_arena *arena)
{
    bool title = false;

    for (size_t i = 0; i < c->n; i++) {
        struct ttp_user_zone *zone;
        const size_t n = ttp_kernel_user_zones(&zone, v->report, c->at[i].program, arena);
        size_t width = 4;

        if (n == 0)
            continue;
        if (!title)
            ttp_sink_own(out, "SIGNPOST PROFILE\n");
        title = true;
        for (size_t k = 0; k < n; k++) {
            const size_t len = ttp_str_code_points(zone[k].name);
            width = len > width ? len : width;
        }
        ttp_sink_put(out, TTP_STR("--- "));
        ttp_put_program_title(out, c->at[i].program);
        ttp_sink_own(out, " ---\n  ");
        ttp_put_left(out, TTP_STR("name"), width);
        ttp_sink_own(out, " thread    count        total        avg        min        max\n");
        for (size_t k = 0; k < n; k++)
            put_user_zone(out, &zone[k], width);
        ttp_sink_char(out, '\n');
    }
    if (!title && v->asked)
        ttp_sink_own(out, "SIGNPOST PROFILE\n  no signposts and no zones of the user\n\n");
}

/* --- BOTTLENECK, TARGETS, REPEAT --- */

static void put_bottleneck_section(struct ttp_sink *out, const struct ttp_kernel_view *v,
                                   const struct choice *c, struct ttp_arena *arena)
{
    ttp_sink_own(out, "BOTTLENECK\n");
    for (size_t i = 0; i < c->n; i++) {
        struct ttp_sink text;
        ttp_sink_to_arena(&text, arena);
        if (c->n > 1) {
            ttp_put_program_title(&text, c->at[i].program);
            ttp_sink_put(&text, TTP_STR(": "));
        }
        ttp_sink_printf(&text,
                        "%s: ", ttp_kernel_bottleneck_name(c->at[i].program->verdict.bottleneck));
        ttp_sink_put(&text, ttp_kernel_sentence(c->at[i].program, arena));
        ttp_sink_put(out, TTP_STR("  "));
        ttp_paint_wrapped(out, ttp_sink_text(&text), v->width, 2, 2);
    }
    ttp_sink_char(out, '\n');
}

static void put_core_target(struct ttp_sink *out, const struct ttp_targets *t)
{
    if (t->cores_used == 0) {
        ttp_sink_put(out, TTP_STR("not known: nothing says on how many it ran"));
        return;
    }
    ttp_sink_printf(out, "%llu", (unsigned long long)t->cores_used);
    if (t->cores_available == 0) {
        ttp_sink_put(out, TTP_STR(" used; how many there are is not known: --arch"));
        return;
    }
    ttp_sink_printf(out, " of %llu used", (unsigned long long)t->cores_available);
    if (t->cores_used >= t->cores_available) {
        ttp_sink_put(out, TTP_STR(": met"));
        return;
    }
    ttp_sink_printf(out, ": %llu idle, up to ",
                    (unsigned long long)(t->cores_available - t->cores_used));
    ttp_sink_fixed(out, (double)t->cores_available / (double)t->cores_used, 1, false);
    ttp_sink_put(out, TTP_STR(" times as fast"));
}

static void put_dram_target(struct ttp_sink *out, const struct ttp_targets *t)
{
    if (t->dram_bytes == 0) {
        ttp_sink_put(out, TTP_STR("not known: no NoC trace"));
        return;
    }
    ttp_sink_put(out, t->dram_at_least ? TTP_STR("at least ") : TTP_STR(""));
    ttp_put_volume(out, t->dram_bytes);
    ttp_sink_put(out, TTP_STR(" moved"));
    if (t->ideal_bytes) {
        ttp_sink_put(out, TTP_STR(", ideal "));
        ttp_put_volume(out, t->ideal_bytes);
        if (t->dram_bytes > t->ideal_bytes) {
            ttp_sink_put(out, TTP_STR(": "));
            ttp_put_volume(out, t->dram_bytes - t->ideal_bytes);
            ttp_sink_put(out, TTP_STR(" too many, "));
            ttp_sink_fixed(out, (double)t->dram_bytes / (double)t->ideal_bytes, 2, false);
            ttp_sink_put(out, TTP_STR(" times the ideal"));
        } else {
            ttp_sink_put(out, t->dram_bytes * 10 < t->ideal_bytes * 9
                                  ? TTP_STR(": met, and not all of the tensors")
                                  : TTP_STR(": met"));
        }
    } else {
        ttp_sink_put(out, TTP_STR(", the ideal is not known: --ideal-bytes"));
    }
    if (t->peak_gbs > 0) {
        ttp_sink_put(out, TTP_STR("; "));
        ttp_sink_fixed(out, t->dram_gbs, 1, false);
        ttp_sink_put(out, TTP_STR(" of "));
        ttp_sink_fixed(out, t->peak_gbs, 0, false);
        ttp_sink_put(out, TTP_STR(" GB/s"));
    }
}

static void put_block_target(struct ttp_sink *out, const struct ttp_targets *t)
{
    if (t->block_bytes == 0 || t->l1_bytes == 0) {
        ttp_sink_put(out, TTP_STR("not known: no NoC trace of the reader"));
        return;
    }
    ttp_put_volume(out, t->block_bytes);
    ttp_sink_put(out, TTP_STR(" a block"));
    if (t->buffers)
        ttp_sink_printf(out, " of %llu buffers", (unsigned long long)t->buffers);
    ttp_sink_put(out, TTP_STR("; two blocks take "));
    ttp_put_volume(out, 2 * t->block_bytes);
    ttp_sink_put(out, TTP_STR(" of "));
    ttp_put_volume(out, t->l1_bytes);
    ttp_sink_put(out, TTP_STR(" L1 ("));
    ttp_sink_fixed(out, 200.0 * (double)t->block_bytes / (double)t->l1_bytes, 1, false);
    ttp_sink_put(out, TTP_STR(" %)"));
    const uint64_t times = t->l1_bytes / (2 * t->block_bytes);
    if (times > 1)
        ttp_sink_printf(out, ": blocks could be %llu times as large", (unsigned long long)times);
}

static void put_target(struct ttp_sink *out, const char *name, int width,
                       void (*put)(struct ttp_sink *, const struct ttp_targets *),
                       const struct ttp_targets *t, struct ttp_arena *arena)
{
    enum { COLUMN = 17 };
    struct ttp_sink line;

    ttp_sink_to_arena(&line, arena);
    put(&line, t);
    ttp_sink_printf(out, "  %-*s", COLUMN - 2, name);
    ttp_paint_wrapped(out, ttp_sink_text(&line), width, COLUMN, COLUMN);
}

static void put_targets_section(struct ttp_sink *out, const struct ttp_kernel_view *v,
                                const struct choice *c, struct ttp_arena *arena)
{
    ttp_sink_own(out, "TARGETS\n");
    for (size_t i = 0; i < c->n; i++) {
        const struct ttp_targets *t = &c->at[i].program->targets;
        if (c->n > 1) {
            ttp_sink_put(out, TTP_STR("--- "));
            ttp_put_program_title(out, c->at[i].program);
            ttp_sink_own(out, " ---\n");
        }
        put_target(out, "1. cores", v->width, put_core_target, t, arena);
        put_target(out, "2. DRAM bytes", v->width, put_dram_target, t, arena);
        put_target(out, "3. DFB blocks", v->width, put_block_target, t, arena);
    }
    ttp_sink_char(out, '\n');
}

static void put_command(struct ttp_sink *out, const char *name, const char *command, int width)
{
    enum { COLUMN = 17, HANG = 4 };

    ttp_sink_printf(out, "  %-*s", COLUMN - 2, name);
    ttp_shell_put_lines(out, ttp_str_from(command), width > 0 ? (size_t)width : 0, COLUMN, HANG);
}

static void put_repeat_section(struct ttp_sink *out, const struct ttp_kernel_view *v)
{
    ttp_sink_own(out, "REPEAT on the machine with the card\n");
    if (v->repeat_perf)
        put_command(out, "this summary:", v->repeat_perf, v->width);
    if (v->repeat_lines)
        put_command(out, "line by line:", v->repeat_lines, v->width);
}

void ttp_out_kernel_text(struct ttp_sink *out, const struct ttp_kernel_view *v,
                         struct ttp_arena *arena)
{
    const struct choice c = choose(v, arena);

    if (wants(v, TTP_SECTION_PERF))
        put_perf_section(out, v, &c, arena);
    if (wants(v, TTP_SECTION_THREADS))
        put_threads_section(out, v, &c, arena);
    if (wants(v, TTP_SECTION_SIGNPOSTS))
        put_signposts_section(out, v, &c, arena);
    if (wants(v, TTP_SECTION_FLOW))
        ttp_put_flow(out, v, arena);
    if (wants(v, TTP_SECTION_PIPES))
        ttp_put_pipes(out, v);
    if (wants(v, TTP_SECTION_BOTTLENECK) && c.n)
        put_bottleneck_section(out, v, &c, arena);
    if (wants(v, TTP_SECTION_TARGETS) && c.n)
        put_targets_section(out, v, &c, arena);
    if (wants(v, TTP_SECTION_REPEAT))
        put_repeat_section(out, v);
}
