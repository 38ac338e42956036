/* SPDX-License-Identifier: Apache-2.0 */
/* noc_page.c - NoC traffic for human readers: a table of programs, or all about each of them. */
#include <math.h>
#include <stdio.h>

#include "base/quantity.h"
#include "outputs/noc/noc_fields.h"
#include "outputs/show/paint.h"

static ttp_str size_text(uint64_t bytes, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_put_bytes(&out, (double)bytes);
    return ttp_sink_text(&out);
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

/* Next to the map, or where that is too wide for a page, in place of idle cores. */
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
            ttp_sink_printf(out, "  NoC %u, links going %s, the busier of both, %% of the time:\n",
                            noc, ways[noc]);
            put_link_map(out, v, d, noc, color);
        }
        ttp_sink_own(out, "\n  cores by bytes in and out, % of the busiest (D dram, E eth, "
                          "W worker):\n");
        put_core_map(out, v, d, color);
    }
}

/* ---- one program ---- */

#define NAME_WIDTH 16

/* A figure of one program on a line of its own. */
static TTP_PRINTF(3, 4) void put_figure(const struct ttp_show *f, const char *name,
                                        const char *text, ...)
{
    va_list args;

    va_start(args, text);
    const ttp_str line = ttp_sink_vformat(f->arena, text, args);
    va_end(args);
    ttp_sink_printf(f->out, "  %-*s", NAME_WIDTH - 2, name);
    ttp_paint_wrapped(f->out, line, f->width, NAME_WIDTH, NAME_WIDTH);
}

/* "12.3 %"; "-": unknown. */
static ttp_str percent(const struct ttp_show *f, double v)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, f->arena);
    if (isfinite(v))
        ttp_sink_printf(&out, "%.1f %%", v);
    return out.len ? ttp_sink_text(&out) : TTP_STR("-");
}

/* Above this the trace cannot be true: no link carries more than 100 %, but for rounding. */
#define POSSIBLE_PCT 100.5

static void put_estimate(const struct ttp_show *f, const struct ttp_noc_row *row)
{
    const struct ttp_noc_stats *s = &row->view->estimate->mesh;
    const struct ttp_noc_profile *p = &row->profile;

    put_figure(f, "measured",
               "%llu cycles; estimated %llu, without congestion %llu (congestion costs %.*s)",
               (unsigned long long)s->golden_cycles, (unsigned long long)s->estimated_cycles,
               (unsigned long long)s->estimated_cong_free_cycles,
               TTP_FMT(percent(f, s->cong_impact)));
    put_figure(f, "NoC offered", "%.*s (tt-npe's utilisation; demand %.*s, multicast %.*s)",
               TTP_FMT(percent(f, s->overall_avg_link_util)),
               TTP_FMT(percent(f, s->overall_avg_link_demand)),
               TTP_FMT(percent(f, s->overall_avg_mcast_write_link_util)));
    put_figure(f, "NoC carried", "%.1f %% of all links of %u chip%s, byte by byte over %llu cycles",
               p->carried_pct, p->chips, p->chips == 1 ? "" : "s",
               (unsigned long long)p->span_cycles);
    if (p->top[0].busy_pct > POSSIBLE_PCT)
        put_figure(f, "impossible",
                   "a link carries %.0f %% of what it can: times or sizes of the trace are wrong",
                   p->top[0].busy_pct);
    put_figure(f, "DRAM", "%.*s of %.0f GB/s a chip, per controller %.*s",
               TTP_FMT(percent(f, s->dram_bw_util)), s->dram_peak_gbs, TTP_FMT(s->dram_per_ctrl));
    put_figure(f, "ethernet", "%.*s, per core %.*s", TTP_FMT(percent(f, s->eth_bw_util_agg)),
               TTP_FMT(s->eth_per_core));
}

static double share(uint64_t part, uint64_t all)
{
    return all ? 100 * (double)part / (double)all : 0;
}

static void put_balance(const struct ttp_show *f, const struct ttp_noc_profile *p)
{
    put_figure(
        f, "NoC balance",
        "%.0f %% on NoC 0, %.0f %% on NoC 1; %.0f %% of bytes have a shorter path on the other",
        share(p->noc_bytes[0], p->bytes), share(p->noc_bytes[1], p->bytes),
        share(p->longer_way_bytes, p->bytes));
    if (p->dram_imbalance > 0)
        put_figure(f, "DRAM balance", "busiest controller %.2f times the mean", p->dram_imbalance);
    if (p->issuing_cores)
        put_figure(f, "core balance", "busiest of %llu cores %.2f times the mean",
                   (unsigned long long)p->issuing_cores, p->core_imbalance);
}

static void put_traffic(const struct ttp_show *f, const struct ttp_noc_row *row)
{
    const struct ttp_noc_profile *p = &row->profile;
    struct ttp_sink fabric;

    ttp_sink_to_arena(&fabric, f->arena);
    if (p->fabric_bytes)
        ttp_sink_printf(&fabric, ", fabric %.*s", TTP_FMT(size_text(p->fabric_bytes, f->arena)));
    put_figure(
        f, "moved", "%.*s in %llu transfers (read %.*s, written %.*s%.*s), %.1f hops on average",
        TTP_FMT(size_text(p->bytes, f->arena)), (unsigned long long)p->transfers,
        TTP_FMT(size_text(p->read_bytes, f->arena)), TTP_FMT(size_text(p->write_bytes, f->arena)),
        TTP_FMT(ttp_sink_text(&fabric)), row->mean_hops);
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

static void put_top(const struct ttp_show *show, const struct ttp_noc_row *row)
{
    const struct ttp_records links = {&ttp_noc_link_fields, NULL, row->link, sizeof(*row->link),
                                      row->profile.ntop};

    if (!links.count)
        return;
    ttp_sink_own(show->out, "\n  busiest links:\n");
    ttp_show_table(show, &(struct ttp_table){.rows = &links, .indent = 4});
}

static void put_detail(const struct ttp_show *show, const struct ttp_noc_row *row)
{
    const struct ttp_noc_view *view = row->view;

    if (row->of.report_id > 0)
        ttp_sink_printf(show->out, "ID %lld, ", (long long)row->of.report_id);
    if (row->of_folder)
        ttp_sink_printf(show->out, "program %llu", (unsigned long long)view->op_id);
    else
        ttp_sink_printf(show->out, "%s", view->input);
    if (view->op.len)
        ttp_sink_printf(show->out, "  %.*s", TTP_FMT(view->op));
    ttp_sink_printf(show->out, "  on %s, steps of %u cycles\n", row->board, row->cycles_per_step);
    put_estimate(show, row);
    put_traffic(show, row);
    put_top(show, row);
    put_maps(show->out, view, show->color);
    put_histograms(show->out, &row->profile);
}

/* ---- all programs ---- */

/* Those without a name are called by their file. */
static bool name_program(ttp_str *text, const void *arg, const struct ttp_field *field,
                         const void *row, struct ttp_arena *arena)
{
    const struct ttp_noc_row *r = row;

    (void)arg, (void)arena;
    if (r->of.op.len || strcmp(field->id, "op") != 0)
        return false;
    *text = ttp_str_from(r->of.input);
    return true;
}

struct page {
    const struct ttp_noc_row *row;
    bool details;
};

static void put_body(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    const struct page *page = arg;
    struct ttp_table named = *table;

    (void)part;
    named.cell = name_program;
    if (!page->details || show->form == TTP_FORM_MARKDOWN || show->columns) {
        ttp_show_table(show, &named);
        return;
    }
    for (size_t i = 0; i < table->count; i++) {
        if (i)
            ttp_sink_char(show->out, '\n');
        put_detail(show, &page->row[table->index[i]]);
    }
}

static const struct ttp_part_spec parts[] = {{.id = "programs", .fields = &ttp_noc_fields}};
const struct ttp_document_spec ttp_noc_document = {
    .schema = "tt-perf.noc/2",
    .help = "NoC traffic of programs, and its cost",
    TTP_PARTS(parts),
};

static const struct ttp_chart charts[] = {
    {.kind = "bars",
     .part = "programs",
     .title = "Programs",
     .label = "op",
     .y = "congestion_percent",
     .help = "Share of a program's time that congestion costs."}};
static const struct ttp_html html = {
    .title = "Traffic on the NoC", .chart = charts, .charts = TTP_COUNT(charts)};

ttp_code ttp_out_noc(const struct ttp_show *show, const struct ttp_noc_view *view, size_t count,
                     bool details, struct ttp_err *err)
{
    struct ttp_noc_row *row = TTP_NEW(show->arena, struct ttp_noc_row, count);
    const struct page about = {row, details};
    const struct ttp_page page = {.arg = &about, .body = put_body, .html = &html};
    struct ttp_document doc;

    for (size_t i = 0; i < count; i++)
        ttp_out_noc_make_row(&row[i], &view[i], show->arena);
    ttp_document_init(&doc, &ttp_noc_document, show->arena);
    ttp_document_rows(&doc, 0, NULL, row, count);
    return ttp_show_document(show, &doc, &page, err);
}
