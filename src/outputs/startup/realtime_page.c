/* SPDX-License-Identifier: Apache-2.0 */
/* realtime_page.c - programs of the real-time profiler. */
#include <math.h>

#include "base/quantity.h"
#include "outputs/show/paint.h"
#include "outputs/startup/startup_outputs.h"

#define OPS_SHOWN 40 /* of each chip, unless --top says otherwise */

static double share(uint64_t part, uint64_t all)
{
    return all ? round(100e3 * (double)part / (double)all) / 1e3 : 0;
}

static double window_ns(const struct ttp_realtime_chip *c)
{
    return c->ghz > 0 ? round((double)c->window_cycles / c->ghz) : NAN;
}

#define CHIP               struct ttp_realtime_chip
#define OP                 struct ttp_realtime_op
#define OF_OP(name, value) TTP_GET(name, CHIP, OP, value)
OF_OP(get_chip, ttp_value_i64((int64_t)c->chip))
OF_OP(get_time, ttp_value_f64(c->ghz > 0 ? (double)r->cycles / c->ghz / 1e3 : NAN))
OF_OP(get_share, ttp_value_f64(share(r->cycles, c->busy_cycles)))
static const struct ttp_field op_fields[] = {
    TTP_INT("chip", "", .get = get_chip, .table_only = true, .help = "id of the chip"),
    TTP_WORDS_COLUMN("name", "Op", 0, TTP_FIGURE(OP, name),
                     .help = "of the op; in brackets: the folder of its kernels"),
    TTP_INT_COLUMN("count", "Launches", "", 0, TTP_FIGURE(OP, count), .help = "how often it ran"),
    TTP_INT_COLUMN("cycles", "Cycles", "cycles", 1, TTP_FIGURE(OP, cycles),
                   .help = "of all its launches"),
    TTP_REAL_COLUMN("device_us", "Time", "us", 1, 0, .get = get_time, .table_only = true,
                    .help = "if the clock is known"),
    TTP_REAL_COLUMN("share_percent", "Share", "%", 1, 0, .get = get_share,
                    .help = "of the cycles of all ops"),
};
static const struct ttp_field_alias aliases[] = {{"op", "name"}};
static const struct ttp_fields op_figures = {TTP_FIELDS(op_fields), aliases, TTP_COUNT(aliases),
                                             "tt-perf report --columns help lists them"};

/* What JSON has: all chips, each with its ops. */
TTP_GET(get_busy, void, CHIP, ttp_value_f64(share(r->union_cycles, r->window_cycles)))
TTP_GET(get_window, void, CHIP, ttp_value_f64(window_ns(r)))
TTP_LISTER(list_ops, CHIP, op_figures, r, r->op, r->ops)
static const struct ttp_field chip_fields[] = {
    TTP_INT("chip", "", TTP_FIGURE(CHIP, chip)),
    TTP_INT("busy_cycles", "cycles", TTP_FIGURE(CHIP, busy_cycles), .help = "sum over its ops"),
    TTP_REAL("busy_percent", "%", 3, .get = get_busy, .help = "in which some program ran"),
    TTP_LISTED("ops", TTP_ROWS, list_ops, op_figures),
    TTP_INT("window_cycles", "cycles", TTP_FIGURE(CHIP, window_cycles),
            .help = "first start to last end"),
    TTP_REAL("window_ns", "ns", 0, .get = get_window, .help = "null if the clock is unknown"),
};
static const struct ttp_fields chips = {TTP_FIELDS(chip_fields)};
#define RECORDS struct ttp_realtime
static const struct ttp_field data_fields[] = {
    {.id = "chips",
     .nest = TTP_NEST_MAP,
     TTP_ROWS_AT(RECORDS, chip, chips, chips),
     .help = "by id of the chip"},
    TTP_INT("end_before_start", "", TTP_FIGURE(RECORDS, reversed), .help = "omitted records"),
    TTP_INT("records", "", TTP_FIGURE(RECORDS, records)),
    TTP_INT("without_name", "", TTP_FIGURE(RECORDS, unnamed),
            .help = "records whose op is unknown; the folder of their kernels names them"),
};
static const struct ttp_fields data_figures = {TTP_FIELDS(data_fields)};

static const struct ttp_part_spec parts[] = {
    {.id = "ops", .fields = &op_figures, .table_only = true},
    {.kind = TTP_PART_DATA, .fields = &data_figures, .json_only = true},
};
const struct ttp_document_spec ttp_realtime_document = {
    .schema = "tt-perf.realtime/1",
    .help = "Records of the real-time profiler, by op",
    TTP_PARTS(parts),
    .whole_json = true,
};

/* A chip, or what there is without any. */
struct page {
    const struct ttp_realtime *all;
    const CHIP *chip;
    bool last;
};

static void put_head(const struct ttp_show *show, const void *arg)
{
    const CHIP *c = ((const struct page *)arg)->chip;

    if (!c)
        return;
    ttp_sink_printf(show->out, "chip %llu: busy %.1f %% of ", (unsigned long long)c->chip,
                    share(c->union_cycles, c->window_cycles));
    if (c->ghz > 0)
        ttp_put_time_us(show->out, window_ns(c) / 1e3);
    else
        ttp_sink_printf(show->out, "%llu cycles", (unsigned long long)c->window_cycles);
    ttp_sink_repeat(show->out, '\n', show->form == TTP_FORM_MARKDOWN ? 2 : 1);
}

static void put_note(const struct ttp_show *show, uint64_t n, uint64_t all, const char *what)
{
    ttp_paint_wrapped(show->out,
                      ttp_sink_format(show->arena, "note: %llu of %llu records %s",
                                      (unsigned long long)n, (unsigned long long)all, what),
                      show->form == TTP_FORM_MARKDOWN ? 0 : show->width, 0, 2);
}

static void put_foot(const struct ttp_show *show, const void *arg)
{
    const struct page *page = arg;
    const struct ttp_realtime *r = page->all;

    if (page->last && r->unnamed)
        put_note(show, r->unnamed, r->records,
                 "have no op name; the folder of their kernels is in brackets "
                 "(TT_METAL_INSPECTOR_LOG_RUNTIME_ENTRIES=1 logs names)");
    if (page->last && r->reversed)
        put_note(show, r->reversed, r->records, "end before they start and are omitted");
}

ttp_code ttp_out_realtime(const struct ttp_show *show, const struct ttp_realtime *r,
                          struct ttp_err *err)
{
    const bool json = show->form == TTP_FORM_JSON; /* one document has all chips */
    const size_t n = r->chips && !json ? r->chips : 1;
    struct ttp_document *doc = TTP_NEW(show->arena, struct ttp_document, n);
    struct ttp_page *page = TTP_NEW(show->arena, struct ttp_page, n);
    struct page *arg = TTP_NEW(show->arena, struct page, n);
    struct ttp_show as = *show;

    if (as.selection.top == 0 && (as.form == TTP_FORM_TEXT || as.form == TTP_FORM_MARKDOWN))
        as.selection.top = OPS_SHOWN;
    for (size_t i = 0; i < n; i++) {
        const CHIP *c = i < r->chips ? &r->chip[i] : NULL;

        arg[i] = (struct page){r, c, i + 1 == n};
        page[i] = (struct ttp_page){.arg = &arg[i], .head = put_head, .foot = put_foot};
        ttp_document_init(&doc[i], &ttp_realtime_document, show->arena);
        if (json)
            ttp_document_object(&doc[i], 1, NULL, r);
        else if (c)
            ttp_document_rows(&doc[i], 0, c, c->op, c->ops);
    }
    return ttp_show_documents(&as, doc, page, n, err);
}
