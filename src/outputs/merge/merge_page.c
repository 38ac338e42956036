/* SPDX-License-Identifier: Apache-2.0 */
/* merge_page.c - ranks that were merged by their tables. */
#include <math.h>

#include "analysis/analysis.h"
#include "base/order.h"
#include "base/quantity.h"
#include "outputs/outputs.h"
#include "outputs/show/paint.h"

static struct ttp_value no_value(void)
{
    return (struct ttp_value){.kind = TTP_VALUE_NONE};
}

static struct ttp_value real(double v)
{
    return isfinite(v) ? ttp_value_f64(v) : no_value();
}

static struct ttp_value us(int64_t ns)
{
    return ttp_value_f64((double)ns / 1000);
}

static struct ttp_value whole(int64_t v)
{
    return v < 0 ? no_value() : ttp_value_i64(v);
}

static struct ttp_value name_of(const struct ttp_merge *m, int64_t rank, int64_t id)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, m->arena);
    ttp_sink_printf(&s, "%lld:%lld", (long long)rank, (long long)id);
    return ttp_value_text(ttp_sink_text(&s));
}

#define RUN     struct ttp_merge
#define RANK    struct ttp_merge_rank
#define DEVICE  struct ttp_merge_device
#define OP      struct ttp_merge_op
#define MEETING struct ttp_merge_meeting

/* ---- ranks ---- */

TTP_GET(rank_missing, RUN, RANK, ttp_value_bool(r->missing))

static const struct ttp_field rank_fields[] = {
    TTP_INT_COLUMN("rank", "Rank", "", 0, TTP_FIGURE(RANK, rank), .help = "number of the rank"),
    TTP_WORDS_COLUMN("host", "Host", 3, TTP_CHARS(RANK, host), .help = "name of its host"),
    TTP_INT_COLUMN("mesh_id", "Mesh", "", 5, TTP_FIGURE(RANK, mesh_id), .is_id = true,
                   .help = "ranks of one mesh relate their clocks"),
    TTP_INT_COLUMN("devices", "Devices", "", 0, TTP_FIGURE(RANK, devices), .help = "with ops"),
    TTP_INT_COLUMN("op_count", "Ops", "", 0, TTP_FIGURE(RANK, ops), .help = "programs that it ran"),
    TTP_INT_COLUMN("unmatched", "Unmatched", "", 2, TTP_FIGURE(RANK, unmatched),
                   .help = "ops without a partner in another rank"),
    TTP_INT_COLUMN("shift", "Shift", "", 4, TTP_FIGURE(RANK, shift),
                   .help = "of its ops against those of the longest rank"),
    TTP_INT_COLUMN("shifts", "Possible", "", 6, TTP_FIGURE(RANK, shifts),
                   .help = "shifts: more than one cannot be decided"),
    TTP_INT_COLUMN("sent_bytes", "Sent", "B", 7, TTP_FIGURE(RANK, sent_bytes),
                   .help = "size of the table for the alignment of clocks"),
    TTP_FLAG("missing", .title = "Missing", .get = rank_missing, .help = "no data of it was found"),
    TTP_WORDS_COLUMN("error", "Error", 1, TTP_CHARS(RANK, error),
                     .help = "why it could not be read"),
};
static const struct ttp_fields rank_figures = {TTP_FIELDS(rank_fields)};

/* ---- devices ---- */

TTP_GET(device_name, RUN, DEVICE, name_of(c, r->rank, r->id))
TTP_GET(device_bound, RUN, DEVICE, real(r->bound_us))
TTP_GET(device_error, RUN, DEVICE, real(r->error_us))

static const struct ttp_field device_fields[] = {
    TTP_WORDS_COLUMN("name", "Device", 0, .get = device_name, .help = "rank:id"),
    TTP_INT("rank", "", .title = "Rank", TTP_FIGURE(DEVICE, rank), .help = "number of its rank"),
    TTP_INT("id", "", .title = "Id", TTP_FIGURE(DEVICE, id), .help = "in its rank"),
    TTP_INT_COLUMN("row", "Row", "", 5, TTP_FIGURE(DEVICE, row), .is_id = true,
                   .help = "in the mesh"),
    TTP_INT_COLUMN("column", "Column", "", 5, TTP_FIGURE(DEVICE, column), .is_id = true,
                   .help = "in the mesh"),
    TTP_WORDS("arch", .title = "Arch", TTP_CHARS(DEVICE, arch), .help = "architecture"),
    TTP_REAL("ghz", "GHz", 3, .title = "GHz", TTP_FIGURE(DEVICE, ghz), .help = "nominal clock"),
    TTP_REAL_COLUMN("excess_us", "Excess", "us", 1, 0, TTP_FIGURE(DEVICE, excess_ns),
                    .scale = 0.001,
                    .help = "compute beyond the median of all devices, between collectives"),
    TTP_WORDS_COLUMN("op", "Op", 0, TTP_CHARS(DEVICE, op), .help = "op code with most of it"),
    TTP_REAL_COLUMN("op_us", "Op", "us", 1, 6, TTP_FIGURE(DEVICE, op_ns), .scale = 0.001,
                    .help = "its excess"),
    TTP_REAL_COLUMN("compute_us", "Compute", "us", 1, 3, TTP_FIGURE(DEVICE, compute_ns),
                    .scale = 0.001, .help = "time in compute ops"),
    TTP_REAL_COLUMN("idle_us", "Idle", "us", 1, 2, TTP_FIGURE(DEVICE, idle_ns), .scale = 0.001,
                    .help = "idle time between collectives"),
    TTP_REAL_COLUMN("wait_us", "Wait", "us", 1, 1, TTP_FIGURE(DEVICE, wait_ns), .scale = 0.001,
                    .help = "time in collectives, waiting for others"),
    TTP_INT_COLUMN("last", "Last", "", 3, TTP_FIGURE(DEVICE, last),
                   .help = "collectives where it was last by more than the statistical error"),
    TTP_INT_COLUMN("certain", "Certain", "", 6, TTP_FIGURE(DEVICE, certain),
                   .help = "of these, by more than the bound"),
    TTP_REAL_COLUMN("bound_us", "Bound ±", "us", 1, 4, .get = device_bound,
                    .help = "of its clock in the middle of the run"),
    TTP_REAL_COLUMN("statistical_error_us", "Est ±", "us", 2, 7, .get = device_error,
                    .help = "statistical error of it at the same moment"),
    TTP_INT("rows", "", .title = "Rows", TTP_FIGURE(DEVICE, rows), .help = "rows of its ops"),
    TTP_INT("rows_without_times", "", .title = "Untimed", TTP_FIGURE(DEVICE, untimed),
            .help = "rows without usable cycles"),
};
static const struct ttp_fields device_figures = {TTP_FIELDS(device_fields)};

/* ---- ops ---- */

TTP_GET(op_mean, RUN, OP, real(r->key.count ? (double)r->total_ns / 1000 / r->key.count : NAN))
TTP_GET(op_slowest, RUN, OP, name_of(c, r->rank, r->device))

static const struct ttp_field op_fields[] = {
    TTP_INT("line", "", .title = "Line", TTP_FIGURE(OP, key.line),
            .help = "number of the mesh among all, from 0"),
    TTP_INT_COLUMN("op", "Ordinal", "", 0, TTP_FIGURE(OP, key.ordinal),
                   .help = "number of the op in the run, from 0"),
    TTP_WORDS_COLUMN("code", "Op", 0, TTP_CHARS(OP, code), .help = "op code"),
    TTP_WORDS_COLUMN("shape", "Input", 4, TTP_CHARS(OP, shape), .help = "logical shape of input 0"),
    TTP_INT_COLUMN("axis", "Axis", "", 6, TTP_FIGURE(OP, axis), .is_id = true,
                   .help = "cluster axis of a collective"),
    TTP_INT_COLUMN("devices", "Devs", "", 3, TTP_FIGURE(OP, key.count), .help = "that ran it"),
    TTP_REAL_COLUMN("min_us", "Min", "us", 1, 5, TTP_FIGURE(OP, min_ns), .scale = 0.001,
                    .help = "shortest"),
    TTP_REAL_COLUMN("median_us", "Median", "us", 1, 1, TTP_FIGURE(OP, median_ns), .scale = 0.001,
                    .help = "from 32 steps between the shortest and the longest"),
    TTP_REAL_COLUMN("max_us", "Max", "us", 1, 0, TTP_FIGURE(OP, max_ns), .scale = 0.001,
                    .help = "longest"),
    TTP_REAL("mean_us", "us", 1, .title = "Mean", .get = op_mean, .help = "over the devices"),
    TTP_WORDS_COLUMN("slowest", "Slowest", 2, .get = op_slowest, .help = "rank:id"),
};
static const struct ttp_fields op_figures = {TTP_FIELDS(op_fields)};

/* ---- collectives ---- */

static const struct ttp_merge_op *op_of(const struct ttp_merge *g,
                                        const struct ttp_merge_meeting *m)
{
    size_t low = 0;

    TTP_BISECT(low, g->ops, mid,
               g->op[mid].key.line < m->key.line ||
                   (g->op[mid].key.line == m->key.line && g->op[mid].key.ordinal < m->key.ordinal));
    return &g->op[low < g->ops ? low : g->ops - 1];
}

static bool is_aligned(const struct ttp_merge_meeting *m)
{
    return m->key.count > 1 && m->aligned == m->key.count;
}

static double mean_wait(const struct ttp_merge_meeting *m)
{
    return (double)(m->total_ns - m->shortest_ns * (int64_t)m->key.count) / 1000 / m->key.count;
}

TTP_GET(meeting_code, RUN, MEETING, ttp_value_word(op_of(c, r)->code))
TTP_GET(meeting_axis, RUN, MEETING, whole(op_of(c, r)->axis))
TTP_GET(meeting_group, RUN, MEETING, ttp_value_i64((int64_t)r->key.group - 1))
TTP_GET(meeting_skew, RUN, MEETING, is_aligned(r) ? us(r->last_ns - r->first_ns) : no_value())
TTP_GET(meeting_lead, RUN, MEETING, is_aligned(r) ? us(r->last_ns - r->second_ns) : no_value())
/* The last is named only beyond the errors of two clocks. */
static bool leads_by(const struct ttp_merge_meeting *m, double us_of_clock)
{
    return is_aligned(m) && (double)(m->last_ns - m->second_ns) / 1000 > 2 * us_of_clock;
}
TTP_GET(meeting_last, RUN, MEETING,
        leads_by(r, c->error_us) ? name_of(c, r->rank, r->device) : no_value())
TTP_GET(meeting_certain, RUN, MEETING, ttp_value_bool(leads_by(r, c->bound_us)))
TTP_GET(meeting_wait, RUN, MEETING, real(mean_wait(r)))
TTP_GET(meeting_transfer, RUN, MEETING,
        is_aligned(r) ? us(r->end_ns > r->last_ns ? r->end_ns - r->last_ns : 0) : no_value())

static const struct ttp_field meeting_fields[] = {
    TTP_INT("line", "", .title = "Line", TTP_FIGURE(MEETING, key.line),
            .help = "number of the mesh among all, from 0"),
    TTP_INT_COLUMN("op", "Ordinal", "", 0, TTP_FIGURE(MEETING, key.ordinal),
                   .help = "number of the op in the run, from 0"),
    TTP_WORDS_COLUMN("code", "Op", 0, .get = meeting_code, .help = "op code"),
    TTP_INT_COLUMN("axis", "Axis", "", 5, .get = meeting_axis, .help = "cluster axis"),
    TTP_INT_COLUMN("group", "Group", "", 4, .get = meeting_group,
                   .help = "among all groups of its mesh, from 0"),
    TTP_INT_COLUMN("members", "Devs", "", 3, TTP_FIGURE(MEETING, key.count),
                   .help = "devices with usable times"),
    TTP_REAL_COLUMN("skew_us", "Skew", "us", 1, 0, .get = meeting_skew,
                    .help = "from the first to the last arrival"),
    TTP_REAL_COLUMN("lead_us", "Lead", "us", 1, 2, .get = meeting_lead,
                    .help = "delay of the last device after the one before"),
    TTP_WORDS_COLUMN("last", "Last", 1, .get = meeting_last,
                     .help = "rank:id of the last to arrive, if by more than the statistical "
                             "error of both clocks"),
    TTP_FLAG("certain", .title = "Certain", .get = meeting_certain,
             .help = "also by more than the bounds of both"),
    TTP_REAL_COLUMN("mean_wait_us", "Wait", "us", 1, 1, .get = meeting_wait,
                    .help = "of a member, from durations alone"),
    TTP_REAL_COLUMN("transfer_us", "Transfer", "us", 1, 0, .get = meeting_transfer,
                    .help = "from the last arrival to the last end"),
};
static const struct ttp_fields meeting_figures = {TTP_FIELDS(meeting_fields)};

/* ---- the document ---- */

static const struct ttp_field run_fields[] = {
    TTP_INT("missing_ranks", "", TTP_FIGURE(RUN, missing), .help = "without any data"),
    TTP_INT("failed_ranks", "", TTP_FIGURE(RUN, failed), .help = "that could not be read"),
    TTP_INT("doubtful_ranks", "", TTP_FIGURE(RUN, doubtful),
            .help = "whose ops may relate to the others' in several ways"),
};
static const struct ttp_fields run_figures = {TTP_FIELDS(run_fields)};

enum { PART_RUN, PART_RANKS, PART_DEVICES, PART_COLLECTIVES, PART_OPS };
static const struct ttp_part_spec parts[] = {
    [PART_RUN] = {.kind = TTP_PART_DATA, .fields = &run_figures, .json_only = true},
    [PART_RANKS] = {.id = "ranks", .title = "Ranks", .fields = &rank_figures},
    [PART_DEVICES] = {.id = "devices", .title = "Devices", .fields = &device_figures},
    [PART_COLLECTIVES] = {.id = "collectives", .title = "Collectives", .fields = &meeting_figures},
    [PART_OPS] = {.id = "ops", .title = "Ops", .fields = &op_figures},
};
const struct ttp_document_spec ttp_merge_document = {
    .schema = "tt-perf.merge/1",
    .help = "Many ranks, merged from a table of each",
    TTP_PARTS(parts),
    .main = PART_OPS,
};
static const size_t part_of_table[] = {
    [TTP_MERGE_TABLE_USUAL] = PART_OPS,
    [TTP_MERGE_TABLE_OPS] = PART_OPS,
    [TTP_MERGE_TABLE_COLLECTIVES] = PART_COLLECTIVES,
    [TTP_MERGE_TABLE_DEVICES] = PART_DEVICES,
    [TTP_MERGE_TABLE_RANKS] = PART_RANKS,
};

size_t ttp_out_merge_part(enum ttp_merge_table table)
{
    return part_of_table[table];
}

/* As `mesh` counts them: with those of which no device has usable times. */
static size_t count_ops(const struct ttp_merge *m)
{
    size_t most = m->ops;

    for (size_t i = 0; i < m->ranks; i++)
        most = m->rank[i].ops > most ? m->rank[i].ops : most;
    return most;
}

static void put_count(struct ttp_sink *out, const char *before, size_t n, const char *what)
{
    ttp_sink_printf(out, "%s%zu %s%s", before, n, what, n == 1 ? "" : "s");
}

#define MOST_LISTED 16

static bool is_missing(const struct ttp_merge_rank *r)
{
    return r->missing;
}

static bool is_unreadable(const struct ttp_merge_rank *r)
{
    return r->error[0] != 0;
}

/* " (2 missing: 1 5)" */
static void put_ranks(struct ttp_sink *out, const struct ttp_merge *m,
                      bool (*wanted)(const struct ttp_merge_rank *), const char *what)
{
    size_t n = 0, listed = 0;

    for (size_t i = 0; i < m->ranks; i++)
        n += wanted(&m->rank[i]);
    if (n == 0)
        return;
    ttp_sink_printf(out, " (%zu %s:", n, what);
    for (size_t i = 0; i < m->ranks && listed < MOST_LISTED; i++)
        if (wanted(&m->rank[i])) {
            ttp_sink_printf(out, " %lld", (long long)m->rank[i].rank);
            listed++;
        }
    ttp_sink_printf(out, "%s)", n > MOST_LISTED ? " ..." : "");
}

/* One pair of errors represents the clocks of all, which is coarser than what a mesh does. */
static void put_clocks(const struct ttp_show *show, const struct ttp_merge *m)
{
    if (!(m->bound_us > 0))
        return;
    const ttp_str text = ttp_sink_format(
        show->arena,
        "clocks: bounds ±%.1f μs, estimate ±%.2f μs at the worst device; who was last is judged by "
        "these, more coarsely than by 'tt-perf mesh', which has errors of each collective",
        m->bound_us, m->error_us);
    ttp_paint_wrapped(show->out, text, show->form == TTP_FORM_MARKDOWN ? 0 : show->width, 0, 2);
}

static void put_head(const struct ttp_show *show, const void *arg)
{
    const struct ttp_merge_view *view = arg;
    const struct ttp_merge *m = view->merge;

    put_count(show->out, "", m->ranks, "rank");
    put_ranks(show->out, m, is_missing, "missing");
    put_ranks(show->out, m, is_unreadable, "unreadable");
    const size_t ops = count_ops(m);
    put_count(show->out, ", ", m->devices, "device");
    put_count(show->out, ", ", ops, "op");
    if (ops > m->ops)
        ttp_sink_printf(show->out, " (%zu without times)", ops - m->ops);
    put_count(show->out, ", ", m->meetings, "collective");
    ttp_sink_own(show->out, "\n");
    put_clocks(show, m);
    for (size_t i = 0; i < m->notes.count; i++)
        ttp_sink_printf(show->out, "note: %s\n", m->notes.word[i]);
}

/* Op codes as reports have them. */
static bool put_cell(ttp_str *text, const void *arg, const struct ttp_field *field, const void *row,
                     struct ttp_arena *arena)
{
    const struct ttp_value v = ttp_field_value(field, arg, row);

    if (v.kind != TTP_VALUE_TEXT ||
        (strcmp(field->id, "code") != 0 && strcmp(field->id, "op") != 0))
        return false;
    *text = ttp_analysis_brief_name(v.v.text, arena);
    return true;
}

static void put_part(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *all)
{
    const struct ttp_merge_view *view = arg;
    struct ttp_table table = *all;
    const bool markdown = show->form == TTP_FORM_MARKDOWN;

    if (part == PART_RUN || all->count == 0 ||
        (view->table != TTP_MERGE_TABLE_USUAL && part != part_of_table[view->table]))
        return;
    ttp_show_heading(show, parts[part].title);
    table.indent = markdown ? 0 : 2;
    table.arg = view->merge;
    table.cell = put_cell;
    table.count = view->top && view->top < all->count ? view->top : all->count;
    ttp_show_table(show, &table);
    if (table.count < all->count)
        ttp_show_more(show, all->count - table.count);
}

/* Devices that delay the others first, unless the user chose an order. */
#define DEVICE_ORDER "excess_us:desc"

ttp_code ttp_out_merge(const struct ttp_show *show, const struct ttp_merge_view *view,
                       struct ttp_err *err)
{
    const struct ttp_page page = {.arg = view, .head = put_head, .body = put_part};
    const struct ttp_merge *m = view->merge;
    struct ttp_document_spec spec = ttp_merge_document;
    struct ttp_show own = *show;
    struct ttp_document doc;

    spec.main = part_of_table[view->table];
    ttp_document_init(&doc, &spec, show->arena);
    ttp_document_object(&doc, PART_RUN, m, m);
    ttp_document_rows(&doc, PART_RANKS, m, m->rank, m->ranks);
    ttp_document_rows(&doc, PART_DEVICES, m, m->device, m->devices);
    ttp_document_rows(&doc, PART_COLLECTIVES, m, m->meeting, m->meetings);
    ttp_document_rows(&doc, PART_OPS, m, m->op, m->ops);
    if (own.form == TTP_FORM_TEXT || own.form == TTP_FORM_MARKDOWN) {
        own.selection.top = 0; /* the page has a limit for all tables */
        TTP_TRY(ttp_document_order(&doc, PART_DEVICES, DEVICE_ORDER, &own, err));
    }
    return ttp_show_document(&own, &doc, &page, err);
}
