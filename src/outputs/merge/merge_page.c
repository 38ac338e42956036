/* SPDX-License-Identifier: Apache-2.0 */
/* merge_page.c - ranks that were merged by their tables. */
#include <math.h>

#include "base/quantity.h"
#include "outputs/outputs.h"

static struct ttp_value none(void)
{
    return (struct ttp_value){.kind = TTP_VALUE_NONE};
}

static struct ttp_value real(double v)
{
    return isfinite(v) ? ttp_value_f64(v) : none();
}

static struct ttp_value us(int64_t ns)
{
    return ttp_value_f64((double)ns / 1000);
}

static struct ttp_value whole(int64_t v)
{
    return v < 0 ? none() : ttp_value_i64(v);
}

static struct ttp_value word(const char *text)
{
    return ttp_value_text(ttp_str_from(text));
}

static const struct ttp_merge *merge_of(const void *context)
{
    return context;
}

static struct ttp_value name_of(const void *context, int64_t rank, int64_t id)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, merge_of(context)->arena);
    ttp_sink_printf(&s, "%lld:%lld", (long long)rank, (long long)id);
    return ttp_value_text(ttp_sink_text(&s));
}

#define GETTER(type, name, expression)                                                             \
    static struct ttp_value type##_##name(const void *context, const void *row)                    \
    {                                                                                              \
        const struct ttp_merge_##type *r = row;                                                    \
        (void)context;                                                                             \
        (void)r;                                                                                   \
        return expression;                                                                         \
    }
#define FIELD(id_, title_, unit_, type_, digits_, drop_, in_, left_, get_, help_)                  \
    {                                                                                              \
        .id = (id_), .title = (title_), .unit = (unit_), .type = (type_), .digits = (digits_),     \
        .drop = (drop_), .in_table = (in_), .left = (left_), .get = (get_), .help = (help_)        \
    }

/* ---- ranks ---- */

GETTER(rank, rank, ttp_value_i64(r->rank))
GETTER(rank, host, r->host[0] ? word(r->host) : none())
GETTER(rank, mesh, whole(r->mesh_id))
GETTER(rank, devices, ttp_value_i64(r->devices))
GETTER(rank, ops, ttp_value_i64(r->ops))
GETTER(rank, unmatched, ttp_value_i64(r->unmatched))
GETTER(rank, shift, ttp_value_i64(r->shift))
GETTER(rank, shifts, ttp_value_i64(r->shifts))
GETTER(rank, sent, ttp_value_i64(r->sent_bytes))
GETTER(rank, missing, ttp_value_bool(r->missing))
GETTER(rank, error, r->error[0] ? word(r->error) : none())

static const struct ttp_field rank_fields[] = {
    FIELD("rank", "Rank", "", TTP_I64, 0, 0, true, false, rank_rank, "number of the rank"),
    FIELD("host", "Host", "", TTP_TEXT, 0, 3, true, true, rank_host, "name of its host"),
    FIELD("mesh_id", "Mesh", "", TTP_I64, 0, 5, true, false, rank_mesh,
          "ranks of one mesh relate their clocks"),
    FIELD("devices", "Devices", "", TTP_I64, 0, 0, true, false, rank_devices, "with ops"),
    FIELD("ops", "Ops", "", TTP_I64, 0, 0, true, false, rank_ops, "programs that it ran"),
    FIELD("unmatched", "Unmatched", "", TTP_I64, 0, 2, true, false, rank_unmatched,
          "ops without a partner in another rank"),
    FIELD("shift", "Shift", "", TTP_I64, 0, 4, true, false, rank_shift,
          "of its ops against those of the longest rank"),
    FIELD("shifts", "Possible", "", TTP_I64, 0, 6, true, false, rank_shifts,
          "shifts: more than one cannot be decided"),
    FIELD("sent_bytes", "Sent", "B", TTP_I64, 0, 7, true, false, rank_sent,
          "size of the table for the alignment of clocks"),
    FIELD("missing", "Missing", "", TTP_BOOL, 0, 0, false, true, rank_missing,
          "nothing of it was found"),
    FIELD("error", "Error", "", TTP_TEXT, 0, 1, true, true, rank_error, "why it could not be read"),
};
static const struct ttp_fields rank_figures = {TTP_FIELDS(rank_fields)};

/* ---- devices ---- */

GETTER(device, name, name_of(context, r->rank, r->id))
GETTER(device, rank, ttp_value_i64(r->rank))
GETTER(device, id, ttp_value_i64(r->id))
GETTER(device, row, whole(r->row))
GETTER(device, column, whole(r->column))
GETTER(device, arch, r->arch[0] ? word(r->arch) : none())
GETTER(device, ghz, real(r->ghz))
GETTER(device, excess, us(r->excess_ns))
GETTER(device, op, r->op[0] ? word(r->op) : none())
GETTER(device, op_us, us(r->op_ns))
GETTER(device, compute, us(r->compute_ns))
GETTER(device, idle, us(r->idle_ns))
GETTER(device, wait, us(r->wait_ns))
GETTER(device, last, ttp_value_i64(r->last))
GETTER(device, certain, ttp_value_i64(r->certain))
GETTER(device, bound, real(r->bound_us))
GETTER(device, error, real(r->error_us))
GETTER(device, rows, ttp_value_i64(r->rows))
GETTER(device, untimed, ttp_value_i64(r->untimed))

static const struct ttp_field device_fields[] = {
    FIELD("name", "Device", "", TTP_TEXT, 0, 0, true, true, device_name, "rank:id"),
    FIELD("rank", "Rank", "", TTP_I64, 0, 0, false, false, device_rank, "number of its rank"),
    FIELD("id", "Id", "", TTP_I64, 0, 0, false, false, device_id, "in its rank"),
    FIELD("row", "Row", "", TTP_I64, 0, 5, true, false, device_row, "in the mesh"),
    FIELD("column", "Column", "", TTP_I64, 0, 5, true, false, device_column, "in the mesh"),
    FIELD("arch", "Arch", "", TTP_TEXT, 0, 0, false, true, device_arch, "architecture"),
    FIELD("ghz", "GHz", "GHz", TTP_F64, 3, 0, false, false, device_ghz, "nominal clock"),
    FIELD("excess_us", "Excess", "us", TTP_F64, 1, 0, true, false, device_excess,
          "compute beyond the median of all devices, between collectives"),
    FIELD("op", "Op", "", TTP_TEXT, 0, 0, true, true, device_op, "op code with most of it"),
    FIELD("op_us", "Op", "us", TTP_F64, 1, 6, true, false, device_op_us, "its excess"),
    FIELD("busy_us", "Compute", "us", TTP_F64, 1, 3, true, false, device_compute,
          "time in compute ops"),
    FIELD("idle_us", "Idle", "us", TTP_F64, 1, 2, true, false, device_idle,
          "idle time between collectives"),
    FIELD("wait_us", "Wait", "us", TTP_F64, 1, 1, true, false, device_wait,
          "time in collectives, waiting for others"),
    FIELD("last", "Last", "", TTP_I64, 0, 3, true, false, device_last,
          "collectives where it was last by more than the statistical error"),
    FIELD("certain", "Certain", "", TTP_I64, 0, 6, true, false, device_certain,
          "of these, by more than the bound"),
    FIELD("bound_us", "Bound ±", "us", TTP_F64, 1, 4, true, false, device_bound,
          "of its clock in the middle of the run"),
    FIELD("statistical_error_us", "Est ±", "us", TTP_F64, 2, 7, true, false, device_error,
          "estimate of the same offset"),
    FIELD("rows", "Rows", "", TTP_I64, 0, 0, false, false, device_rows, "rows of its ops"),
    FIELD("rows_without_times", "Untimed", "", TTP_I64, 0, 0, false, false, device_untimed,
          "rows without usable cycles"),
};
static const struct ttp_fields device_figures = {TTP_FIELDS(device_fields)};

/* ---- ops ---- */

GETTER(op, line, ttp_value_i64(r->key.line))
GETTER(op, ordinal, ttp_value_i64(r->key.ordinal))
GETTER(op, code, word(r->code))
GETTER(op, shape, r->shape[0] ? word(r->shape) : none())
GETTER(op, axis, whole(r->axis))
GETTER(op, count, ttp_value_i64(r->key.count))
GETTER(op, min, us(r->min_ns))
GETTER(op, median, us(r->median_ns))
GETTER(op, max, us(r->max_ns))
GETTER(op, mean, real(r->key.count ? (double)r->total_ns / 1000 / r->key.count : NAN))
GETTER(op, slowest, name_of(context, r->rank, r->device))

static const struct ttp_field op_fields[] = {
    FIELD("line", "Line", "", TTP_I64, 0, 0, false, false, op_line,
          "number of the mesh among all, from 0"),
    FIELD("op", "Ordinal", "", TTP_I64, 0, 0, true, false, op_ordinal,
          "number of the op in the run, from 0"),
    FIELD("code", "Op", "", TTP_TEXT, 0, 0, true, true, op_code, "op code"),
    FIELD("shape", "Input", "", TTP_TEXT, 0, 4, true, true, op_shape, "logical shape of input 0"),
    FIELD("axis", "Axis", "", TTP_I64, 0, 6, true, false, op_axis, "cluster axis of a collective"),
    FIELD("devices", "Devs", "", TTP_I64, 0, 3, true, false, op_count, "that ran it"),
    FIELD("min_us", "Min", "us", TTP_F64, 1, 5, true, false, op_min, "shortest"),
    FIELD("median_us", "Median", "us", TTP_F64, 1, 1, true, false, op_median,
          "from 32 steps between the shortest and the longest"),
    FIELD("max_us", "Max", "us", TTP_F64, 1, 0, true, false, op_max, "longest"),
    FIELD("mean_us", "Mean", "us", TTP_F64, 1, 0, false, false, op_mean, "over the devices"),
    FIELD("slowest", "Slowest", "", TTP_TEXT, 0, 2, true, true, op_slowest, "rank:id"),
};
static const struct ttp_fields op_figures = {TTP_FIELDS(op_fields)};

/* ---- collectives ---- */

static const struct ttp_merge_op *op_of(const void *context, const struct ttp_merge_meeting *m)
{
    const struct ttp_merge *g = merge_of(context);
    size_t low = 0, high = g->ops;

    while (low < high) {
        const size_t mid = (low + high) / 2;
        const struct ttp_merge_key *k = &g->op[mid].key;
        if (k->line < m->key.line || (k->line == m->key.line && k->ordinal < m->key.ordinal))
            low = mid + 1;
        else
            high = mid;
    }
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

GETTER(meeting, line, ttp_value_i64(r->key.line))
GETTER(meeting, ordinal, ttp_value_i64(r->key.ordinal))
GETTER(meeting, code, word(op_of(context, r)->code))
GETTER(meeting, axis, whole(op_of(context, r)->axis))
GETTER(meeting, group, ttp_value_i64((int64_t)r->key.group - 1))
GETTER(meeting, members, ttp_value_i64(r->key.count))
GETTER(meeting, skew, is_aligned(r) ? us(r->last_ns - r->first_ns) : none())
GETTER(meeting, lead, is_aligned(r) ? us(r->last_ns - r->second_ns) : none())
GETTER(meeting, latest, is_aligned(r) ? name_of(context, r->rank, r->device) : none())
GETTER(meeting, wait, real(mean_wait(r)))
GETTER(meeting, transfer,
       is_aligned(r) ? us(r->end_ns > r->last_ns ? r->end_ns - r->last_ns : 0) : none())

static const struct ttp_field meeting_fields[] = {
    FIELD("line", "Line", "", TTP_I64, 0, 0, false, false, meeting_line,
          "number of the mesh among all, from 0"),
    FIELD("op", "Ordinal", "", TTP_I64, 0, 0, true, false, meeting_ordinal,
          "number of the op in the run, from 0"),
    FIELD("code", "Op", "", TTP_TEXT, 0, 0, true, true, meeting_code, "op code"),
    FIELD("axis", "Axis", "", TTP_I64, 0, 5, true, false, meeting_axis, "cluster axis"),
    FIELD("group", "Group", "", TTP_I64, 0, 4, true, false, meeting_group,
          "among all groups of its mesh, from 0"),
    FIELD("members", "Devs", "", TTP_I64, 0, 3, true, false, meeting_members,
          "devices with usable times"),
    FIELD("skew_us", "Skew", "us", TTP_F64, 1, 0, true, false, meeting_skew,
          "from the first to the last arrival"),
    FIELD("lead_us", "Lead", "us", TTP_F64, 1, 2, true, false, meeting_lead,
          "delay of the last device after the one before"),
    FIELD("latest", "Latest", "", TTP_TEXT, 0, 1, true, true, meeting_latest,
          "rank:id of the last to arrive, by the estimate"),
    FIELD("mean_wait_us", "Wait", "us", TTP_F64, 1, 1, true, false, meeting_wait,
          "of a member, from durations alone"),
    FIELD("transfer_us", "Transfer", "us", TTP_F64, 1, 0, true, false, meeting_transfer,
          "from the last arrival to the last end"),
};
static const struct ttp_fields meeting_figures = {TTP_FIELDS(meeting_fields)};

/* ---- the document ---- */

#define RUN struct ttp_merge
static const struct ttp_field run_fields[] = {
    TTP_INT("missing_ranks", "", TTP_FIGURE(RUN, missing), .help = "of which nothing was found"),
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
    .help = "Many ranks, put together by tables of each",
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

static void put_head(const struct ttp_show *show, const void *arg)
{
    const struct ttp_merge_view *view = arg;
    const struct ttp_merge *m = view->merge;

    ttp_sink_printf(show->out, "%zu ranks", m->ranks);
    if (m->missing)
        ttp_sink_printf(show->out, ", %zu missing", m->missing);
    if (m->failed)
        ttp_sink_printf(show->out, ", %zu unreadable", m->failed);
    ttp_sink_printf(show->out, ", %zu devices, %zu ops, %zu collectives\n", m->devices, m->ops,
                    m->meetings);
    for (size_t i = 0; i < m->notes.count; i++)
        ttp_sink_printf(show->out, "note: %s\n", m->notes.word[i]);
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
    table.count = view->top && view->top < all->count ? view->top : all->count;
    ttp_show_table(show, &table);
    if (table.count < all->count)
        ttp_sink_printf(show->out, "%s... and %zu more (--top 0 shows all)\n",
                        markdown ? "\n" : "  ", all->count - table.count);
}

/* Those that hold up the others first, where nobody asked for another order. */
static ttp_code order_devices(struct ttp_document *doc, struct ttp_show *show, struct ttp_err *err)
{
    static const struct ttp_selection order = {.sort = "excess_us:desc"};
    size_t *index, count;

    if (doc->spec->main == PART_DEVICES) {
        if (!show->selection.sort)
            show->selection.sort = order.sort;
        return TTP_OK;
    }
    TTP_TRY(ttp_records_select(&index, &count, &doc->part[PART_DEVICES].rows, &order, show->arena,
                               err));
    ttp_document_choose(doc, PART_DEVICES, index, count);
    return TTP_OK;
}

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
        TTP_TRY(order_devices(&doc, &own, err));
    }
    return ttp_show_document(&own, &doc, &page, err);
}
