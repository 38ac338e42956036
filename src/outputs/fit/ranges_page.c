/* SPDX-License-Identifier: Apache-2.0 */
/* What a board can do at most, and every figure with its source. */
#include <math.h>

#include "outputs/outputs.h"
#include "outputs/show/columns_text.h"
#include "outputs/show/paint.h"

#define INDENT 2

struct fact_row {
    const struct ttp_fact_spec *spec;
    const char *id, *title, *unit, *source, *date;
    double value;    /* NaN: a version */
    ttp_str version; /* empty: a number */
    ttp_str shown, ref;
    bool guide;
};

/* Where figures are from: each source once, its number after the figure. */
struct sources {
    const struct ttp_source *at[TTP_FACTS];
    size_t count;
};

static size_t number_of(struct sources *s, const struct ttp_source *source)
{
    size_t i = 0;

    while (i < s->count && s->at[i] != source)
        i++;
    if (i == s->count)
        s->at[s->count++] = source;
    return i + 1;
}

static bool is_guide(int fact)
{
    return fact >= TTP_FACT_STATELESS_GBS_MIN && fact <= TTP_FACT_STATEFUL_GBS_MAX;
}

static void make_fact(struct fact_row *row, int fact, const struct ttp_fact_value *v,
                      struct sources *sources, struct ttp_arena *arena)
{
    const struct ttp_fact_spec *spec = &ttp_fact_specs[fact];
    char text[TTP_VERSION_MAX];
    struct ttp_sink shown, ref;

    ttp_sink_to_arena(&shown, arena);
    ttp_sink_to_arena(&ref, arena);
    *row = (struct fact_row){.id = spec->id,
                             .title = spec->title,
                             .unit = spec->unit,
                             .source = v->source->name,
                             .date = v->source->date,
                             .value = v->value,
                             .guide = is_guide(fact)};
    if (spec->kind == TTP_FACT_VERSION) {
        row->value = NAN;
        row->version = ttp_arena_copy(arena, ttp_device_version_text(text, (uint32_t)v->value));
        ttp_sink_put(&shown, row->version);
    } else if (v->value == floor(v->value)) {
        ttp_put_grouped(&shown, (int64_t)v->value);
    } else {
        ttp_sink_f64(&shown, v->value, TTP_NUM_JSON);
    }
    row->shown = ttp_sink_text(&shown);
    ttp_sink_printf(&ref, "[%zu]", number_of(sources, v->source));
    row->ref = ttp_sink_text(&ref);
}

#define FACT(member) TTP_FIGURE(struct fact_row, member)
static const struct ttp_field fact_fields[] = {
    TTP_WORDS("id", FACT(id)),
    TTP_WORDS_COLUMN("title", "Figure", 0, FACT(title)),
    {.id = "shown",
     .title = "Value",
     .type = TTP_TEXT,
     .in_table = true,
     .table_only = true,
     FACT(shown)},
    TTP_WORDS_COLUMN("unit", "", 1, FACT(unit)),
    TTP_REAL("value", "", 0, FACT(value), .optional = true),
    TTP_WORDS("version", FACT(version), .optional = true),
    TTP_WORDS_COLUMN("ref", "Source", 0, FACT(ref), .table_only = true),
    TTP_WORDS("source", FACT(source)),
    TTP_WORDS("date", FACT(date)),
};
static const struct ttp_fields facts = {TTP_FIELDS(fact_fields),
                                        .hint = "tt-perf fit --columns help lists them"};

#define RATE(member) TTP_FIGURE(struct ttp_fit_roofline, member)
static const struct ttp_field rate_fields[] = {
    TTP_REAL("lofi_tflops", "TFLOPs", 1, RATE(tflops[0])),
    TTP_REAL("hifi2_tflops", "TFLOPs", 1, RATE(tflops[1])),
    TTP_REAL("hifi3_tflops", "TFLOPs", 1, RATE(tflops[2])),
    TTP_REAL("hifi4_tflops", "TFLOPs", 1, RATE(tflops[3])),
    TTP_REAL("cores", "", 0, RATE(cores)),
    TTP_REAL("dram_gbs", "GB/s", 1, RATE(dram_gbs)),
    TTP_REAL("pcie_gbs", "GB/s", 1, RATE(pcie_gbs)),
    TTP_REAL("l1_bytes", "B", 0, RATE(l1_bytes), .help = "of the grid"),
    TTP_REAL("balance_flop_per_byte", "", 1, RATE(balance_flop_byte)),
};
static const struct ttp_fields rates = {TTP_FIELDS(rate_fields)};

static const struct ttp_field board_fields[] = {
    TTP_WORDS("board", TTP_FIGURE(struct ttp_board, name)),
    TTP_WORDS("arch", TTP_FIGURE(struct ttp_board, chip)),
};
static const struct ttp_fields board_figures = {TTP_FIELDS(board_fields)};

enum { PART_BOARD, PART_RATES, PART_FACTS };
static const struct ttp_part_spec parts[] = {
    [PART_BOARD] = {.kind = TTP_PART_DATA, .fields = &board_figures, .json_only = true},
    [PART_RATES] = {.id = "roofline",
                    .kind = TTP_PART_OBJECT,
                    .fields = &rates,
                    .json_only = true,
                    .help = "computed peak"},
    [PART_FACTS] = {.id = "facts", .fields = &facts},
};
const struct ttp_document_spec ttp_ranges_document = {
    .schema = "tt-perf.fit-ranges/1",
    .help = "Peaks of a board: figures and their sources",
    TTP_PARTS(parts),
    .main = PART_FACTS,
};

/* --- page --- */

static void put_rate(const struct ttp_show *p, const char *name, double v, const char *unit,
                     const char *how)
{
    enum { COLUMN = 45 };

    if (isnan(v))
        return;
    ttp_sink_printf(p->out, "  %-26s %9.1f %-4s  ", name, v, unit);
    ttp_paint_wrapped(p->out, ttp_str_from(how), p->width, COLUMN, COLUMN);
}

static void put_rates(const struct ttp_show *p, const struct ttp_board *board)
{
    static const char *const names[] = {"matmul, LoFi", "matmul, HiFi2", "matmul, HiFi3",
                                        "matmul, HiFi4"};
    struct ttp_fit_roofline r;

    ttp_fit_roofline(&r, board);
    for (int f = 0; f < TTP_FIDELITIES; f++)
        put_rate(p, names[f], r.tflops[f], "TF/s", "FLOP per cycle x cores x AI clock");
    put_rate(p, "DRAM", r.dram_gbs, "GB/s", "as below; readers next to their bank reach 92 %");
    put_rate(p, "PCIe, one direction", r.pcie_gbs, "GB/s", "lanes x speed, minus coding");
    put_rate(p, "L1 of the grid", r.l1_bytes / 1048576, "MiB", "cores x L1");
    put_rate(p, "both limits meet at, LoFi", r.balance_flop_byte, "FLOP", "per byte of DRAM");
}

struct page {
    const struct ttp_board *board;
    const struct fact_row *row;
    struct sources sources;
};

static void put_head(const struct ttp_show *show, const void *arg)
{
    const struct ttp_board *board = ((const struct page *)arg)->board;

    ttp_sink_printf(show->out, "%s (%s), per chip unless marked board\n\nComputed peaks\n",
                    board->name, board->chip);
    put_rates(show, board);
}

static void put_some(const struct ttp_show *show, const struct ttp_table *table,
                     const struct fact_row *row, bool guide)
{
    size_t *index = TTP_NEW(show->arena, size_t, table->count);
    struct ttp_table some = *table;

    some.index = index;
    some.count = 0;
    some.indent = INDENT;
    for (size_t i = 0; i < table->count; i++)
        if (row[table->index[i]].guide == guide)
            index[some.count++] = table->index[i];
    if (some.count == 0)
        return;
    ttp_sink_char(show->out, '\n');
    ttp_paint_wrapped(show->out,
                      guide ? TTP_STR("One author's pipeline, not a promise: (input + output "
                                      "bytes) x iterations / time")
                            : TTP_STR("Figures and their sources"),
                      show->width, 0, INDENT);
    if (show->form == TTP_FORM_MARKDOWN)
        ttp_sink_char(show->out, '\n');
    ttp_show_table(show, &some);
}

static void put_body(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    const struct page *page = arg;

    (void)part;
    put_some(show, table, page->row, false);
    put_some(show, table, page->row, true);
}

static void put_foot(const struct ttp_show *show, const void *arg)
{
    const struct sources *all = &((const struct page *)arg)->sources;

    ttp_sink_char(show->out, '\n');
    for (size_t i = 0; i < all->count; i++) {
        struct ttp_sink line;

        ttp_sink_to_arena(&line, show->arena);
        ttp_sink_printf(&line, "[%zu] %s%s%s", i + 1, all->at[i]->name,
                        *all->at[i]->date ? ", " : "", all->at[i]->date);
        ttp_sink_repeat(show->out, ' ', INDENT);
        ttp_paint_wrapped(show->out, ttp_sink_text(&line), show->width, INDENT, INDENT);
    }
}

ttp_code ttp_out_ranges(const struct ttp_show *show, const struct ttp_board *board,
                        struct ttp_err *err)
{
    struct fact_row *row = TTP_NEW(show->arena, struct fact_row, TTP_FACTS);
    struct page about = {.board = board, .row = row};
    const struct ttp_page page = {
        .arg = &about, .head = put_head, .body = put_body, .foot = put_foot};
    struct ttp_fit_roofline roofline;
    struct ttp_document doc;
    size_t n = 0;

    for (int guide = 0; guide < 2; guide++) /* sources are numbered as they are shown */
        for (int f = 0; f < TTP_FACTS; f++)
            if (board->fact[f].source && is_guide(f) == guide)
                make_fact(&row[n++], f, &board->fact[f], &about.sources, show->arena);
    ttp_fit_roofline(&roofline, board);
    ttp_document_init(&doc, &ttp_ranges_document, show->arena);
    ttp_document_object(&doc, PART_BOARD, NULL, board);
    ttp_document_object(&doc, PART_RATES, NULL, &roofline);
    ttp_document_rows(&doc, PART_FACTS, NULL, row, n);
    return ttp_show_document(show, &doc, &page, err);
}
