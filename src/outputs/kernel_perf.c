/* SPDX-License-Identifier: Apache-2.0 */
/* PERF SUMMARY of one program: the lines TT-Lang prints, and what it cannot say. */
#include <stdlib.h>

#include "outputs/columns_text.h"
#include "outputs/kernel_parts.h"
#include "outputs/paint.h"

static void put_label(struct ttp_sink *out, const char *label)
{
    ttp_sink_put(out, TTP_STR("  "));
    ttp_put_left(out, ttp_str_from(label), 16);
}

static void put_transfers(struct ttp_sink *out, const char *label, const struct ttp_transfers *t)
{
    put_label(out, label);
    if (t->saturated)
        ttp_sink_put(out, TTP_STR("at least "));
    ttp_put_volume(out, t->bytes);
    ttp_sink_printf(out, "  (%llu transfer%s", (unsigned long long)t->count,
                    t->count == 1 ? "" : "s");
    if (t->saturated)
        ttp_sink_printf(out, ", %llu of %d B or more", (unsigned long long)t->saturated,
                        TTP_KERNEL_SATURATED);
    ttp_sink_own(out, ")\n");
}

static uint64_t payload(const struct ttp_traffic *t)
{
    uint64_t bytes = t->multicast.bytes + t->fabric.bytes;

    for (size_t i = 0; i < TTP_TRAFFIC_ENDS; i++)
        bytes += t->read[i].bytes + t->write[i].bytes;
    return bytes;
}

static bool saturated(const struct ttp_traffic *t)
{
    uint64_t n = t->multicast.saturated + t->fabric.saturated;

    for (size_t i = 0; i < TTP_TRAFFIC_ENDS; i++)
        n += t->read[i].saturated + t->write[i].saturated;
    return n > 0;
}

static void put_sizes(struct ttp_sink *out, const struct ttp_sizes *s)
{
    enum { SHOWN = 6 };
    size_t first = s->count && s->size[0].bytes == 0, shown = 0;

    if (s->count == first)
        return;
    if (s->count - first == 1) {
        put_label(out, "transfer size:");
        ttp_put_volume(out, s->size[first].bytes);
        ttp_sink_own(out, " (uniform)\n");
        return;
    }
    put_label(out, "transfer sizes:");
    for (size_t i = first; i < s->count && shown < SHOWN; i++, shown++) {
        ttp_sink_put(out, shown ? TTP_STR(", ") : TTP_STR(""));
        ttp_put_volume(out, s->size[i].bytes);
        ttp_sink_printf(out, " x%llu", (unsigned long long)s->size[i].count);
    }
    if (s->count - first > SHOWN)
        ttp_sink_printf(out, ", %zu more sizes", s->count - first - SHOWN);
    ttp_sink_char(out, '\n');
}

static void put_barrier(struct ttp_sink *out, const char *kind, uint64_t n, uint64_t transfers)
{
    ttp_sink_printf(out, "%llu %s", (unsigned long long)n, kind);
    if (n == 0 || transfers == 0)
        return;
    ttp_sink_put(out, TTP_STR(" (1 per "));
    ttp_sink_fixed(out, (double)transfers / (double)n, 0, false);
    ttp_sink_printf(out, " %ss)", kind);
}

static void put_barriers(struct ttp_sink *out, const struct ttp_traffic *t, uint64_t reads,
                         uint64_t writes)
{
    put_label(out, "barriers:");
    put_barrier(out, "read", t->read_barriers, reads);
    ttp_sink_put(out, TTP_STR(", "));
    put_barrier(out, "write", t->write_barriers, writes);
    ttp_sink_char(out, '\n');
    if (t->read_barrier_cycles + t->write_barrier_cycles == 0)
        return;
    put_label(out, "barrier time:");
    ttp_put_grouped(out,
                    (int64_t)(t->read_barriers ? t->read_barrier_cycles / t->read_barriers : 0));
    ttp_sink_put(out, TTP_STR(" cycles a read, "));
    ttp_put_grouped(out,
                    (int64_t)(t->write_barriers ? t->write_barrier_cycles / t->write_barriers : 0));
    ttp_sink_own(out, " a write\n");
}

static uint64_t count_of(const struct ttp_transfers t[TTP_TRAFFIC_ENDS])
{
    uint64_t n = 0;

    for (size_t i = 0; i < TTP_TRAFFIC_ENDS; i++)
        n += t[i].count;
    return n;
}

static void put_nocs(struct ttp_sink *out, const char *label, const uint64_t n[TTP_KERNEL_NOCS])
{
    static const char *const name[] = {"NOC_0", "NOC_1", "not said"};
    const char *comma = "";

    if (n[0] + n[1] + n[2] == 0)
        return;
    put_label(out, label);
    for (size_t i = 0; i < TTP_KERNEL_NOCS; i++)
        if (n[i]) {
            ttp_sink_printf(out, "%s%s=%llu", comma, name[i], (unsigned long long)n[i]);
            comma = ", ";
        }
    ttp_sink_char(out, '\n');
}

static void put_other_ends(struct ttp_sink *out, const struct ttp_traffic *t)
{
    static const struct {
        const char *read, *write;
    } label[TTP_TRAFFIC_ENDS] = {{"DRAM read:", "DRAM write:"},
                                 {"L1 read:", "L1 write:"},
                                 {"eth read:", "eth write:"},
                                 {"other read:", "other write:"}};

    for (size_t i = TTP_END_L1; i < TTP_TRAFFIC_ENDS; i++) {
        if (t->read[i].count)
            put_transfers(out, label[i].read, &t->read[i]);
        if (t->write[i].count)
            put_transfers(out, label[i].write, &t->write[i]);
    }
    if (t->l1_targets.count) {
        size_t cols, rows;
        ttp_kernel_core_grid(&t->l1_targets, &cols, &rows);
        put_label(out, "L1 targets:");
        ttp_sink_printf(out, "%zu core%s (%zux%zu)\n", t->l1_targets.count,
                        t->l1_targets.count == 1 ? "" : "s", cols, rows);
    }
    if (t->multicast.count) {
        put_transfers(out, "L1 multicast:", &t->multicast);
        if (t->multicast_received) {
            put_label(out, "");
            ttp_put_volume(out, t->multicast_received);
            ttp_sink_own(out, " arrived, over all receivers\n");
        }
    }
    if (t->fabric.count)
        put_transfers(out, "fabric write:", &t->fabric);
}

static void put_traffic(struct ttp_sink *out, const struct ttp_kernel_view *v,
                        const struct ttp_kernel_program *m)
{
    const struct ttp_traffic *t = m->traffic;

    put_transfers(out, "DRAM read:", &t->read[TTP_END_DRAM]);
    put_transfers(out, "DRAM write:", &t->write[TTP_END_DRAM]);
    put_other_ends(out, t);
    if (m->duration_cycles) {
        put_label(out, "effective BW:");
        ttp_sink_put(out, saturated(t) ? TTP_STR("at least ") : TTP_STR(""));
        ttp_sink_fixed(out,
                       (double)payload(t) /
                           ((double)m->duration_cycles / (double)v->report->clock_mhz * 1e3),
                       1, false);
        ttp_sink_own(out, " GB/s (total payload / duration)\n");
    }
    put_sizes(out, &t->sizes);
    if (t->read_barriers + t->write_barriers)
        put_barriers(out, t, count_of(t->read), count_of(t->write) + t->multicast.count);
    if (t->semaphores) {
        put_label(out, "semaphores:");
        ttp_sink_printf(out, "%llu event%s\n", (unsigned long long)t->semaphores,
                        t->semaphores == 1 ? "" : "s");
    }
    put_nocs(out, "noc reads:", t->noc_reads);
    put_nocs(out, "noc writes:", t->noc_writes);
    if (t->dram_channels) {
        put_label(out, "DRAM channels:");
        ttp_sink_printf(out, "%d\n", __builtin_popcount(t->dram_channels));
    }
    if (t->with_state) {
        put_label(out, "reused targets:");
        ttp_sink_printf(out, "%llu transfers go where an earlier one was set to",
                        (unsigned long long)t->with_state);
        if (t->lost_state)
            ttp_sink_printf(out, ", of %llu that is not in the trace",
                            (unsigned long long)t->lost_state);
        ttp_sink_char(out, '\n');
    }
}

static void put_kernel_times(struct ttp_sink *out, const struct ttp_kernel_view *v,
                             const struct ttp_kernel_program *m)
{
    bool any = false;

    for (size_t i = 0; i < TTP_KERNEL_RISCS; i++) {
        const struct ttp_cycle_spread *s = &m->thread[i].kernel_cycles;
        if (s->count == 0)
            continue;
        if (!any)
            ttp_sink_own(out, "  kernel time:\n");
        any = true;
        ttp_sink_printf(out, "    %-8s ", ttp_kernel_risc_name((enum ttp_kernel_risc)i));
        ttp_put_time(out, s->min, v->report->clock_mhz);
        if (s->min != s->max) {
            ttp_sink_put(out, TTP_STR(" - "));
            ttp_put_time(out, s->max, v->report->clock_mhz);
        }
        ttp_sink_char(out, '\n');
    }
}

static void put_cores(struct ttp_sink *out, const struct ttp_kernel_view *v,
                      const struct ttp_kernel_program *m)
{
    const struct ttp_cycle_spread *s = &m->core_cycles;

    if (s->count < 2)
        return;
    const struct ttp_core *slowest = &v->report->profile->log.core[m->slowest->core];
    put_label(out, "core time:");
    ttp_sink_put(out, TTP_STR("min "));
    ttp_put_grouped(out, (int64_t)s->min);
    ttp_sink_put(out, TTP_STR(", median "));
    ttp_put_grouped(out, (int64_t)s->median);
    ttp_sink_put(out, TTP_STR(", max "));
    ttp_put_grouped(out, (int64_t)s->max);
    ttp_sink_own(out, " cycles\n");
    put_label(out, "slowest core:");
    ttp_sink_printf(out, "(%d,%d)", slowest->x, slowest->y);
    if (s->median) {
        ttp_sink_put(out, TTP_STR(", "));
        ttp_sink_fixed(out, (double)s->max / (double)s->median, 2, false);
        ttp_sink_put(out, TTP_STR(" times the median"));
    }
    ttp_sink_char(out, '\n');
}

void ttp_put_perf(struct ttp_sink *out, const struct ttp_kernel_view *v,
                  const struct ttp_kernel_program *m)
{
    ttp_sink_put(out, TTP_STR("--- "));
    ttp_put_program_title(out, m);
    ttp_sink_printf(out, " ---\ngrid: %zux%zu (%llu", m->grid_cols, m->grid_rows,
                    (unsigned long long)m->targets.cores_used);
    if (m->targets.cores_available)
        ttp_sink_printf(out, " of %llu", (unsigned long long)m->targets.cores_available);
    ttp_sink_own(out, " cores)\nduration: ");
    ttp_put_time(out, m->duration_cycles, v->report->clock_mhz);
    ttp_sink_char(out, '\n');
    if (m->traffic)
        put_traffic(out, v, m);
    put_kernel_times(out, v, m);
    put_cores(out, v, m);
}

/* --- heat map --- */

struct axis {
    int *at;
    size_t n;
};

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The coordinates that occur, each once. */
static struct axis make_axis(const struct ttp_kernel_view *v, const struct ttp_kernel_program *m,
                             bool rows, struct ttp_arena *arena)
{
    struct axis a = {TTP_NEW(arena, int, m->ncores), 0};

    for (size_t i = 0; i < m->ncores; i++) {
        const struct ttp_core *c = &v->report->profile->log.core[m->core[i]->core];
        a.at[i] = rows ? c->y : c->x;
    }
    qsort(a.at, m->ncores, sizeof(*a.at), by_number);
    for (size_t i = 0; i < m->ncores; i++)
        if (a.n == 0 || a.at[a.n - 1] != a.at[i])
            a.at[a.n++] = a.at[i];
    return a;
}

/* The shade is of the slowest; only cores that take longer than most have a colour. */
static void put_cell(struct ttp_sink *out, const struct ttp_kernel_view *v,
                     const struct ttp_kernel_core *c, const struct ttp_kernel_program *m)
{
    static const char *const shade[] = {"░", "▒", "▓", "█"};
    const double cycles = (double)(c->last_cycle - c->first_cycle);
    const double most = (double)m->core_cycles.max, median = (double)m->core_cycles.median;
    const double part = most > 0 ? cycles / most : 0;
    const enum ttp_color color = cycles > 1.25 * median  ? TTP_RED
                                 : cycles > 1.1 * median ? TTP_YELLOW
                                                         : TTP_PLAIN;
    const size_t level = part > 0.9 ? 3 : part > 0.75 ? 2 : part > 0.5 ? 1 : 0;
    char text[16];
    size_t n = strlen(shade[level]);

    memcpy(text, shade[level], n);
    n += ttp_num_fixed(text + n, 100 * part, 0, false);
    ttp_sink_repeat(out, ' ', 5 - (n - 2) > 0 && n < 7 ? 7 - n : 1);
    ttp_paint_themed(out, v->color ? color : TTP_PLAIN, (ttp_str){text, n});
}

void ttp_put_heat(struct ttp_sink *out, const struct ttp_kernel_view *v,
                  const struct ttp_kernel_program *m, struct ttp_arena *arena)
{
    if (m->ncores < 2)
        return;
    const struct axis x = make_axis(v, m, false, arena), y = make_axis(v, m, true, arena);
    size_t at = 0;

    ttp_sink_own(out, "  time of each core, % of the slowest:\n       x");
    for (size_t i = 0; i < x.n; i++)
        ttp_sink_printf(out, "%5d", x.at[i]);
    ttp_sink_char(out, '\n');
    for (size_t row = 0; row < y.n; row++) {
        ttp_sink_printf(out, "  y %3d ", y.at[row]);
        for (size_t col = 0; col < x.n && at < m->ncores; col++) {
            const struct ttp_core *c = &v->report->profile->log.core[m->core[at]->core];
            if (c->y == y.at[row] && c->x == x.at[col])
                put_cell(out, v, m->core[at++], m);
            else
                ttp_sink_put(out, TTP_STR("    ·"));
        }
        ttp_sink_char(out, '\n');
    }
}
