/* SPDX-License-Identifier: Apache-2.0 */
/* PERF SUMMARY of one program: the lines that TT-Lang prints, and further ones. */
#include "base/order.h"
#include "base/quantity.h"
#include "outputs/kernel/kernel_parts.h"
#include "outputs/show/columns_text.h"
#include "outputs/show/paint.h"

/* "1,500 cycles (1.5 μs)" */
static void put_time(struct ttp_sink *out, uint64_t cycles, uint64_t mhz)
{
    ttp_put_grouped(out, (int64_t)cycles);
    ttp_sink_put(out, TTP_STR(" cycles"));
    if (!mhz)
        return;
    ttp_sink_put(out, TTP_STR(" ("));
    ttp_put_time_us(out, (double)cycles / (double)mhz);
    ttp_sink_char(out, ')');
}

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
    ttp_put_bytes(out, (double)t->bytes);
    ttp_sink_printf(out, "  (%llu transfer%s", (unsigned long long)t->count,
                    t->count == 1 ? "" : "s");
    if (t->saturated)
        ttp_sink_printf(out, ", %llu of %d B or more", (unsigned long long)t->saturated,
                        TTP_KERNEL_SATURATED);
    ttp_sink_own(out, ")\n");
}

/* All bytes that were moved; of transfers that the trace could not say, at least as many. */
static struct ttp_transfers sum_of(const struct ttp_traffic *t)
{
    struct ttp_transfers all = {.bytes = t->multicast.bytes + t->fabric.bytes,
                                .saturated = t->multicast.saturated + t->fabric.saturated};

    for (size_t i = 0; i < TTP_TRAFFIC_ENDS; i++) {
        all.bytes += t->read[i].bytes + t->write[i].bytes;
        all.saturated += t->read[i].saturated + t->write[i].saturated;
    }
    return all;
}

static void put_sizes(struct ttp_sink *out, const struct ttp_sizes *s)
{
    enum { SHOWN = 6 };
    size_t first = s->count && s->size[0].bytes == 0, shown = 0;

    if (s->count == first)
        return;
    if (s->count - first == 1) {
        put_label(out, "transfer size:");
        ttp_put_bytes(out, (double)s->size[first].bytes);
        ttp_sink_own(out, " (uniform)\n");
        return;
    }
    put_label(out, "transfer sizes:");
    for (size_t i = first; i < s->count && shown < SHOWN; i++, shown++) {
        ttp_sink_printf(out, "%s", shown ? ", " : "");
        ttp_put_bytes(out, (double)s->size[i].bytes);
        ttp_sink_printf(out, " x%llu", (unsigned long long)s->size[i].count);
    }
    if (s->count - first > SHOWN)
        ttp_sink_printf(out, ", %zu more sizes", s->count - first - SHOWN);
    ttp_sink_char(out, '\n');
}

static void put_barrier(struct ttp_sink *out, const char *kind, uint64_t n, uint64_t transfers)
{
    ttp_sink_printf(out, "%llu %s", (unsigned long long)n, kind);
    if (n && transfers)
        ttp_sink_printf(out, " (1 per %.0f %ss)", (double)transfers / (double)n, kind);
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
    ttp_sink_put(out, TTP_STR(" cycles per read, "));
    ttp_put_grouped(out,
                    (int64_t)(t->write_barriers ? t->write_barrier_cycles / t->write_barriers : 0));
    ttp_sink_own(out, " per write\n");
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
    static const char *const name[] = {"NOC_0", "NOC_1", "unknown"};
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
            ttp_put_bytes(out, (double)t->multicast_received);
            ttp_sink_own(out, " arrived, over all receivers\n");
        }
    }
    if (t->fabric.count)
        put_transfers(out, "fabric write:", &t->fabric);
}

static void put_traffic(const struct ttp_kernel_page *p, const struct ttp_kernel_row *row)
{
    const struct ttp_traffic *t = row->of.traffic;
    const struct ttp_transfers all = sum_of(t);
    struct ttp_sink *out = p->out;

    put_transfers(out, "DRAM read:", &t->read[TTP_END_DRAM]);
    put_transfers(out, "DRAM write:", &t->write[TTP_END_DRAM]);
    put_other_ends(out, t);
    const double gbs = row->device_time_us > 0 ? (double)all.bytes / (row->device_time_us * 1e3)
                                               : row->of.payload_gbs;
    if (gbs > 0) {
        put_label(out, "effective BW:");
        ttp_sink_printf(out, "%s%.1f GB/s (total payload / duration)\n",
                        all.saturated ? "at least " : "", gbs);
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
        ttp_sink_printf(out, "%llu transfers use the target of an earlier one",
                        (unsigned long long)t->with_state);
        if (t->lost_state)
            ttp_sink_printf(out, ", for %llu it is not in the trace",
                            (unsigned long long)t->lost_state);
        ttp_sink_char(out, '\n');
    }
}

/* Of all cores: no time of the device. */
static void put_sum(struct ttp_sink *out, const struct ttp_cycle_spread *s)
{
    ttp_put_grouped(out, (int64_t)s->sum);
    ttp_sink_own(out, " cycles");
    if (s->count > 1)
        ttp_sink_printf(out, " on %zu cores together", s->count);
}

static void put_kernel_times(const struct ttp_kernel_page *p, const struct ttp_kernel_program *m)
{
    const uint64_t mhz = p->view->report->clock_mhz;
    struct ttp_sink *out = p->out;
    bool any = false;

    for (size_t i = 0; i < TTP_KERNEL_RISCS; i++) {
        const struct ttp_cycle_spread *s = &m->thread[i].kernel_cycles;
        if (s->count == 0)
            continue;
        if (!any)
            ttp_sink_own(out, "  kernel time:\n");
        any = true;
        ttp_sink_printf(out, "    %-8s ", ttp_kernel_risc_name((enum ttp_kernel_risc)i));
        if (s->max)
            put_time(out, s->min, mhz);
        else
            put_sum(out, s);
        if (s->min != s->max) {
            ttp_sink_put(out, TTP_STR(" - "));
            put_time(out, s->max, mhz);
        }
        ttp_sink_char(out, '\n');
    }
}

static void put_cores(struct ttp_sink *out, const struct ttp_kernel_row *row)
{
    const struct ttp_cycle_spread *s = &row->of.core_cycles;

    if (s->count < 2)
        return;
    put_label(out, "core time:");
    ttp_sink_put(out, TTP_STR("min "));
    ttp_put_grouped(out, (int64_t)s->min);
    ttp_sink_put(out, TTP_STR(", median "));
    ttp_put_grouped(out, (int64_t)s->median);
    ttp_sink_put(out, TTP_STR(", max "));
    ttp_put_grouped(out, (int64_t)s->max);
    ttp_sink_own(out, " cycles\n");
    put_label(out, "slowest core:");
    ttp_sink_printf(out, "(%d,%d)", row->slowest->x, row->slowest->y);
    if (s->median)
        ttp_sink_printf(out, ", %.2f times the median", (double)s->max / (double)s->median);
    ttp_sink_char(out, '\n');
}

void ttp_out_put_perf(const struct ttp_kernel_page *p, const struct ttp_kernel_row *row)
{
    const struct ttp_kernel_program *m = &row->of;
    struct ttp_sink *out = p->out;

    ttp_out_put_program_heading(p, m);
    if (m->tensors.len) {
        const ttp_str text = ttp_sink_format(p->show->arena, "tensors: %.*s", TTP_FMT(m->tensors));
        ttp_paint_wrapped(out, text, p->show->width, 0, 9);
    }
    ttp_sink_printf(out, "grid: %zux%zu (%llu", m->grid_cols, m->grid_rows,
                    (unsigned long long)m->targets.cores_used);
    if (m->targets.cores_available)
        ttp_sink_printf(out, " of %llu", (unsigned long long)m->targets.cores_available);
    ttp_sink_own(out, " cores)\n");
    if (m->duration_cycles) {
        ttp_sink_own(out, "duration: ");
        put_time(out, m->duration_cycles, p->view->report->clock_mhz);
        ttp_sink_char(out, '\n');
    }
    if (m->traffic)
        put_traffic(p, row);
    put_kernel_times(p, m);
    put_cores(out, row);
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
static struct axis make_axis(const struct ttp_kernel_row *row, bool rows, struct ttp_arena *arena)
{
    const size_t cores = row->of.ncores;
    struct axis a = {TTP_NEW(arena, int, cores), 0};

    for (size_t i = 0; i < cores; i++)
        a.at[i] = rows ? row->core[i].y : row->core[i].x;
    TTP_SORT(a.at, cores, by_number);
    for (size_t i = 0; i < cores; i++)
        if (a.n == 0 || a.at[a.n - 1] != a.at[i])
            a.at[a.n++] = a.at[i];
    return a;
}

/* The shade is of the slowest; only cores that take longer than most have a colour. */
static void put_cell(const struct ttp_kernel_page *p, const struct ttp_cycle_spread *all,
                     uint64_t taken)
{
    static const char *const shade[] = {"░", "▒", "▓", "█"};
    const double cycles = (double)taken, most = (double)all->max, median = (double)all->median;
    const double part = most > 0 ? cycles / most : 0;
    const enum ttp_color color = cycles > 1.25 * median  ? TTP_RED
                                 : cycles > 1.1 * median ? TTP_YELLOW
                                                         : TTP_PLAIN;
    const size_t level = part > 0.9 ? 3 : part > 0.75 ? 2 : part > 0.5 ? 1 : 0;
    char text[16];
    size_t n = strlen(shade[level]);

    memcpy(text, shade[level], n);
    n += ttp_num_fixed(text + n, 100 * part, 0, false);
    ttp_sink_repeat(p->out, ' ', 5 - (n - 2) > 0 && n < 7 ? 7 - n : 1);
    ttp_paint_themed(p->out, p->show->color ? color : TTP_PLAIN, (ttp_str){text, n});
}

void ttp_out_put_heat(const struct ttp_kernel_page *p, const struct ttp_kernel_row *row)
{
    if (row->of.ncores < 2)
        return;
    const struct axis x = make_axis(row, false, p->show->arena),
                      y = make_axis(row, true, p->show->arena);
    size_t at = 0;

    ttp_sink_own(p->out, "  time of each core, % of the slowest:\n       x");
    for (size_t i = 0; i < x.n; i++)
        ttp_sink_printf(p->out, "%5d", x.at[i]);
    ttp_sink_char(p->out, '\n');
    for (size_t line = 0; line < y.n; line++) {
        ttp_sink_printf(p->out, "  y %3d ", y.at[line]);
        for (size_t col = 0; col < x.n && at < row->of.ncores; col++) {
            const struct ttp_kernel_core_row *c = &row->core[at];

            if (c->y == y.at[line] && c->x == x.at[col])
                put_cell(p, &row->of.core_cycles, row->core[at++].cycles);
            else
                ttp_sink_put(p->out, TTP_STR("    ·"));
        }
        ttp_sink_char(p->out, '\n');
    }
}
