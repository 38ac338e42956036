/* SPDX-License-Identifier: Apache-2.0 */
/* noc_text.c - NoC traffic for people: a table of programs, and maps of one. */
#include <math.h>
#include <stdio.h>

#include "outputs/cells.h"
#include "outputs/outputs.h"
#include "outputs/paint.h"

static void put_bytes(char *text, size_t size, double bytes)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    size_t u = 0;

    while (bytes >= 1000 && u + 1 < TTP_COUNT(units)) {
        bytes /= 1000;
        u++;
    }
    snprintf(text, size, u ? "%.1f %s" : "%.0f %s", bytes, units[u]);
}

static void put_percent(char *text, size_t size, double v)
{
    if (isfinite(v))
        snprintf(text, size, "%.1f", v);
    else
        snprintf(text, size, "-");
}

/* ---- table ---- */

enum {
    COL_ID,
    COL_OP,
    COL_CYCLES,
    COL_ESTIMATE,
    COL_ALONE,
    COL_IMPACT,
    COL_OFFERED,
    COL_CARRIED,
    COL_DRAM,
    COL_ETH,
    COL_BYTES,
    COL_HOPS,
    COL_TOP,
    COLUMNS
};
/* What the program took and what congestion cost stay to the last. */
static const struct ttp_cell_column columns[COLUMNS] = {
    [COL_ID] = {"op id", false, 0},          [COL_OP] = {"program", true, 0},
    [COL_CYCLES] = {"measured", false, 0},   [COL_ESTIMATE] = {"estimated", false, 0},
    [COL_ALONE] = {"no congest.", false, 3}, [COL_IMPACT] = {"impact", false, 0},
    [COL_OFFERED] = {"offered", false, 5},   [COL_CARRIED] = {"carried", false, 2},
    [COL_DRAM] = {"DRAM", false, 1},         [COL_ETH] = {"ETH", false, 4},
    [COL_BYTES] = {"moved", false, 1},       [COL_HOPS] = {"hops", false, 6},
    [COL_TOP] = {"busiest link", true, 5},
};
static const char *const units[COLUMNS] = {
    [COL_CYCLES] = "cycles", [COL_ESTIMATE] = "cycles", [COL_ALONE] = "cycles",
    [COL_IMPACT] = "%",      [COL_OFFERED] = "% NoC",   [COL_CARRIED] = "% NoC",
    [COL_DRAM] = "%",        [COL_ETH] = "%",           [COL_HOPS] = "mean",
};
#define NAME_LEAST 12

static void set_count(struct ttp_cells *c, size_t column, uint64_t n)
{
    char text[24];
    ttp_cells_set(c, column, (ttp_str){text, ttp_num_u64(text, n)});
}

static void set_percent(struct ttp_cells *c, size_t column, double v)
{
    char text[24];
    put_percent(text, sizeof(text), v);
    ttp_cells_set(c, column, ttp_str_from(text));
}

static void add_row(struct ttp_cells *c, const struct ttp_noc_view *v)
{
    const struct ttp_noc_stats *s = &v->estimate->mesh;
    const struct ttp_noc_profile *p = v->profile;
    const ttp_str name = v->op.len ? v->op : ttp_str_from(v->input);
    char text[24];

    ttp_cells_add_row(c);
    if (v->op_id)
        set_count(c, COL_ID, v->op_id);
    ttp_cells_set(c, COL_OP, name.len > 40 ? ttp_str_slice(name, name.len - 40, name.len) : name);
    set_count(c, COL_CYCLES, s->golden_cycles);
    set_count(c, COL_ESTIMATE, s->estimated_cycles);
    set_count(c, COL_ALONE, s->estimated_cong_free_cycles);
    set_percent(c, COL_IMPACT, s->cong_impact);
    set_percent(c, COL_OFFERED, s->overall_avg_link_util);
    set_percent(c, COL_CARRIED, p->carried_pct);
    set_percent(c, COL_DRAM, s->dram_bw_util);
    set_percent(c, COL_ETH, s->eth_bw_util_agg);
    put_bytes(text, sizeof(text), (double)p->bytes);
    ttp_cells_set(c, COL_BYTES, ttp_str_from(text));
    set_percent(c, COL_HOPS, p->transfers ? (double)p->hops / (double)p->transfers : 0);
    if (p->ntop) {
        struct ttp_sink top;
        ttp_sink_to_arena(&top, c->arena);
        ttp_out_noc_link(&top, v->load->model, p->top[0].link);
        ttp_sink_printf(&top, " %.0f%%", p->top[0].busy_pct);
        ttp_cells_set(c, COL_TOP, ttp_sink_text(&top));
    }
}

void ttp_out_noc_table(struct ttp_sink *out, const struct ttp_noc_view *view, size_t count,
                       bool color, int width, struct ttp_arena *arena)
{
    struct ttp_cells cells;

    ttp_cells_init(&cells, columns, COLUMNS, arena);
    cells.unit = units;
    cells.name = COL_OP;
    cells.name_least = NAME_LEAST;
    for (size_t i = 0; i < count; i++)
        add_row(&cells, &view[i]);
    ttp_cells_text(out, &cells, width, color);
}

/* ---- maps ---- */

/* A cell of a map is right-aligned; nothing is a dot. */
static void put_cell(struct ttp_sink *out, double percent, bool any, bool color)
{
    char text[8];

    if (!any) {
        ttp_sink_put(out, TTP_STR("   ."));
        return;
    }
    const int n = snprintf(text, sizeof(text), percent < 0.5 ? "  <1" : "%4.0f", percent);
    const ttp_str s = {text, (size_t)n};
    if (color && percent >= 66)
        ttp_paint_themed(out, TTP_RED, s);
    else if (color && percent >= 33)
        ttp_paint_themed(out, TTP_YELLOW, s);
    else
        ttp_sink_put(out, s);
}

static void put_axis(struct ttp_sink *out, const struct ttp_noc_grid *g)
{
    ttp_sink_put(out, TTP_STR("    y\\x"));
    for (int x = 0; x < g->cols; x++)
        ttp_sink_printf(out, "%4d", x);
    ttp_sink_char(out, '\n');
}

static void put_link_map(struct ttp_sink *out, const struct ttp_noc_view *v, unsigned device,
                         unsigned noc, bool color)
{
    const struct ttp_noc_grid *g = v->load->model->grid;
    const double most = (double)v->load->model->link * (double)v->profile->span_cycles;

    put_axis(out, g);
    for (int y = 0; y < g->rows; y++) {
        ttp_sink_printf(out, "    %2d ", y);
        for (int x = 0; x < g->cols; x++) {
            const size_t core = ((size_t)device * g->rows + (size_t)y) * g->cols + (size_t)x;
            const uint64_t *link = &v->profile->link_bytes[core * 4 + (size_t)noc * 2];
            const uint64_t bytes = link[0] > link[1] ? link[0] : link[1];
            put_cell(out, most > 0 ? 100 * (double)bytes / most : 0, bytes > 0, color);
        }
        ttp_sink_char(out, '\n');
    }
}

#define PAGE 80

/* Beside the map, or where that is too wide for a page, in place of idle cores. */
static bool kinds_fit(const struct ttp_noc_grid *g)
{
    return 7 + 4 * g->cols + 3 + g->cols <= PAGE;
}

static void put_core_map(struct ttp_sink *out, const struct ttp_noc_view *v, unsigned device,
                         bool color)
{
    const struct ttp_noc_grid *g = v->load->model->grid;
    const size_t base = (size_t)device * g->rows * g->cols;
    uint64_t most = 0;

    for (size_t i = 0; i < (size_t)g->rows * g->cols; i++) {
        const uint64_t bytes = v->profile->out_bytes[base + i] + v->profile->in_bytes[base + i];
        most = bytes > most ? bytes : most;
    }
    put_axis(out, g);
    for (int y = 0; y < g->rows; y++) {
        ttp_sink_printf(out, "    %2d ", y);
        for (int x = 0; x < g->cols; x++) {
            const size_t core = base + (size_t)y * g->cols + (size_t)x;
            const uint64_t bytes = v->profile->out_bytes[core] + v->profile->in_bytes[core];
            if (bytes == 0 && !kinds_fit(g))
                ttp_sink_printf(out, "%4c", g->map[y][x] == 'U' ? '.' : g->map[y][x]);
            else
                put_cell(out, most ? 100 * (double)bytes / (double)most : 0, bytes > 0, color);
        }
        ttp_sink_printf(out, "%s%s\n", kinds_fit(g) ? "   " : "", kinds_fit(g) ? g->map[y] : "");
    }
}

static bool is_busy(const struct ttp_noc_view *v, unsigned device)
{
    const size_t chip = (size_t)v->load->model->grid->cols * v->load->model->grid->rows;

    for (size_t i = device * chip; i < (device + 1) * chip; i++)
        if (v->profile->out_bytes[i] || v->profile->in_bytes[i])
            return true;
    return false;
}

static void put_maps(struct ttp_sink *out, const struct ttp_noc_view *v, bool color)
{
    static const char *const ways[] = {"east and south", "north and west"};

    for (unsigned d = 0; d < v->load->model->chips; d++) {
        if (!is_busy(v, d))
            continue;
        for (unsigned noc = 0; noc < 2; noc++) {
            if (v->profile->noc_bytes[noc] == 0)
                continue;
            ttp_sink_char(out, '\n');
            if (v->load->model->chips > 1)
                ttp_sink_printf(out, "  device %u:", d);
            ttp_sink_printf(out, "  NoC %u, links going %s, busier of the two, %% of the time:\n",
                            noc, ways[noc]);
            put_link_map(out, v, d, noc, color);
        }
        ttp_sink_own(out, "\n  cores by bytes in and out, % of the busiest (D dram, E eth, "
                          "W worker):\n");
        put_core_map(out, v, d, color);
    }
}

/* ---- one program ---- */

/* Figures of one program, a line for each, with room for its name. */
struct figures {
    struct ttp_sink *out;
    int width;
    struct ttp_arena *arena;
};

#define NAME_WIDTH 16

static TTP_PRINTF(3, 4) void put_figure(const struct figures *f, const char *name, const char *text,
                                        ...)
{
    va_list args;

    va_start(args, text);
    const ttp_str line = ttp_sink_vformat(f->arena, text, args);
    va_end(args);
    ttp_sink_printf(f->out, "  %-*s", NAME_WIDTH - 2, name);
    ttp_paint_wrapped(f->out, line, f->width, NAME_WIDTH, NAME_WIDTH);
}

static void put_estimate(const struct figures *f, const struct ttp_noc_view *v)
{
    const struct ttp_noc_stats *s = &v->estimate->mesh;
    char a[16], b[16], c[16];

    put_percent(a, sizeof(a), s->overall_avg_link_util);
    put_percent(b, sizeof(b), s->overall_avg_link_demand);
    put_percent(c, sizeof(c), s->overall_avg_mcast_write_link_util);
    put_figure(f, "measured",
               "%llu cycles; estimated %llu, without congestion %llu (impact %.1f %%)",
               (unsigned long long)s->golden_cycles, (unsigned long long)s->estimated_cycles,
               (unsigned long long)s->estimated_cong_free_cycles, s->cong_impact);
    put_figure(f, "NoC offered", "%s %% (tt-npe's utilisation; demand %s %%, multicast %s %%)", a,
               b, c);
    put_figure(f, "NoC carried", "%.1f %% of all links of %u chip%s, byte by byte over %llu cycles",
               v->profile->carried_pct, v->profile->chips, v->profile->chips == 1 ? "" : "s",
               (unsigned long long)v->profile->span_cycles);
    put_percent(a, sizeof(a), s->dram_bw_util);
    put_percent(b, sizeof(b), s->eth_bw_util_agg);
    put_figure(f, "DRAM", "%s %%, per controller %.*s", a, TTP_FMT(s->dram_per_ctrl));
    put_figure(f, "ethernet", "%s %%, per core %.*s", b, TTP_FMT(s->eth_per_core));
}

static double share(uint64_t part, uint64_t all)
{
    return all ? 100 * (double)part / (double)all : 0;
}

static void put_balance(const struct figures *f, const struct ttp_noc_profile *p)
{
    put_figure(f, "NoC balance",
               "%.0f %% on NoC 0, %.0f %% on NoC 1; %.0f %% of bytes would be nearer on the other",
               share(p->noc_bytes[0], p->bytes), share(p->noc_bytes[1], p->bytes),
               share(p->longer_way_bytes, p->bytes));
    if (p->dram_imbalance > 0)
        put_figure(f, "DRAM balance", "busiest controller %.2f times the mean", p->dram_imbalance);
    if (p->issuing_cores)
        put_figure(f, "core balance", "busiest of %llu cores %.2f times the mean",
                   (unsigned long long)p->issuing_cores, p->core_imbalance);
}

static void put_traffic(const struct figures *f, const struct ttp_noc_profile *p)
{
    char a[24], b[24], c[24], fabric[40] = "";

    put_bytes(a, sizeof(a), (double)p->fabric_bytes);
    if (p->fabric_bytes)
        snprintf(fabric, sizeof(fabric), ", fabric %s", a);
    put_bytes(a, sizeof(a), (double)p->bytes);
    put_bytes(b, sizeof(b), (double)p->read_bytes);
    put_bytes(c, sizeof(c), (double)p->write_bytes);
    put_figure(f, "moved", "%s in %llu transfers (read %s, written %s%s), %.1f hops on average", a,
               (unsigned long long)p->transfers, b, c, fabric,
               p->transfers ? (double)p->hops / (double)p->transfers : 0);
    put_balance(f, p);
    if (p->kernels)
        put_figure(f, "kernels",
                   "%llu, longest %llu cycles, %.2f times the mean; starts %llu cycles apart",
                   (unsigned long long)p->kernels, (unsigned long long)p->kernel_longest_cycles,
                   p->kernel_cycles ? (double)p->kernel_longest_cycles * (double)p->kernels /
                                          (double)p->kernel_cycles
                                    : 0,
                   (unsigned long long)p->kernel_start_skew_cycles);
    if (p->read_barriers || p->write_barriers)
        put_figure(f, "barriers",
                   "%.1f %% of kernel time waiting for reads, %.1f %% for writes (%llu and %llu "
                   "barriers)",
                   share(p->read_wait_cycles, p->kernel_cycles),
                   share(p->write_wait_cycles, p->kernel_cycles),
                   (unsigned long long)p->read_barriers, (unsigned long long)p->write_barriers);
}

static void put_bar(struct ttp_sink *out, double part)
{
    ttp_sink_repeat(out, '#', (size_t)(part * 36 + 0.5));
    ttp_sink_char(out, '\n');
}

static void put_histograms(struct ttp_sink *out, const struct ttp_noc_profile *p)
{
    uint64_t sizes = 0;

    for (size_t k = 0; k < TTP_NOC_SIZES; k++)
        sizes += p->size_count[k];
    ttp_sink_own(out, "\n  packets by size:\n");
    for (unsigned k = 0; k < TTP_NOC_SIZES; k++) {
        char label[24];
        if (!p->size_count[k])
            continue;
        snprintf(label, sizeof(label), k + 1 < TTP_NOC_SIZES ? "<= %u B" : "> %u B",
                 k + 1 < TTP_NOC_SIZES ? 32U << k : 32U << (k - 1));
        ttp_sink_printf(out, "    %-9s %9llu  %5.1f %% of bytes  ", label,
                        (unsigned long long)p->size_count[k], share(p->size_bytes[k], p->bytes));
        put_bar(out, (double)p->size_count[k] / (double)sizes);
    }
    if (!p->multicasts)
        return;
    ttp_sink_printf(out,
                    "\n  multicasts: %llu, to %.1f cores on average, over %.1f links instead of "
                    "%.1f\n",
                    (unsigned long long)p->multicasts,
                    (double)p->multicast_receivers / (double)p->multicasts,
                    (double)p->multicast_links / (double)p->multicasts,
                    (double)p->unicast_links / (double)p->multicasts);
    for (unsigned k = 0; k < TTP_NOC_FANOUTS; k++) {
        if (!p->fanout_count[k])
            continue;
        ttp_sink_printf(out, "    to %s%-4u %8llu  ", k + 1 < TTP_NOC_FANOUTS ? "<= " : ">  ",
                        k + 1 < TTP_NOC_FANOUTS ? 1U << k : 1U << (k - 1),
                        (unsigned long long)p->fanout_count[k]);
        put_bar(out, (double)p->fanout_count[k] / (double)p->multicasts);
    }
}

static void put_top(struct ttp_sink *out, const struct ttp_noc_view *v)
{
    if (v->profile->ntop)
        ttp_sink_own(out, "\n  busiest links:\n");
    for (size_t i = 0; i < v->profile->ntop; i++) {
        char bytes[24];
        put_bytes(bytes, sizeof(bytes), (double)v->profile->top[i].bytes);
        ttp_sink_printf(out, "    %5.1f %%  %10s  ", v->profile->top[i].busy_pct, bytes);
        ttp_out_noc_link(out, v->load->model, v->profile->top[i].link);
        ttp_sink_char(out, '\n');
    }
}

void ttp_out_noc_detail(struct ttp_sink *out, const struct ttp_noc_view *view, bool color,
                        int width, struct ttp_arena *arena)
{
    const struct figures f = {out, width, arena};

    if (view->op_id)
        ttp_sink_printf(out, "program %llu", (unsigned long long)view->op_id);
    else
        ttp_sink_printf(out, "%s", view->input);
    if (view->op.len) {
        ttp_sink_put(out, TTP_STR("  "));
        ttp_sink_put(out, view->op);
    }
    ttp_sink_printf(out, "  on %s, steps of %u cycles\n", view->load->model->name,
                    view->options->cycles_per_step);
    put_estimate(&f, view);
    put_traffic(&f, view->profile);
    put_top(out, view);
    put_maps(out, view, color);
    put_histograms(out, view->profile);
}
