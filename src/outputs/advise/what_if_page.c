/* SPDX-License-Identifier: Apache-2.0 */
/* what_if_page.c - the iteration with other settings: advise --what-if. */
#include <math.h>

#include "base/quantity.h"
#include "outputs/advise/advise_parts.h"
#include "outputs/show/paint.h"

#define VIEW struct ttp_what_if_view
#define ROW  struct ttp_what_if_row

static const struct ttp_op *op_of(const struct ttp_what_if_view *view,
                                  const struct ttp_what_if_row *r)
{
    return &view->report->op[r->op];
}

TTP_GET(get_id, VIEW, ROW, ttp_value_i64((int64_t)op_of(c, r)->row + 2))
TTP_GET(get_name, VIEW, ROW, ttp_value_text(ttp_sym_name(c->report->syms, op_of(c, r)->code)))
TTP_GET(get_basis, VIEW, ROW, ttp_value_word(r->basis))

static const struct ttp_field row_fields[] = {
    TTP_INT_COLUMN("id", "ID", "", 0, .get = get_id, .help = "line of the op in its file"),
    TTP_WORDS_COLUMN("op", "Op", 0, .get = get_name, .help = "name and size"),
    TTP_REAL_COLUMN("device_us", "Now", "us", 1, 0, TTP_FIGURE(ROW, time_us), .help = "measured"),
    TTP_REAL_COLUMN("predicted_us", "Predicted", "us", 1, 0, TTP_FIGURE(ROW, predicted_us),
                    .help = "with the change"),
    TTP_REAL_COLUMN("low_us", "Low", "us", 1, 4, TTP_FIGURE(ROW, low_us),
                    .help = "lower end of the range of the prediction"),
    TTP_REAL_COLUMN("high_us", "High", "us", 1, 4, TTP_FIGURE(ROW, high_us), .help = "upper end"),
    TTP_WORDS_COLUMN("basis", "Basis", 0, .get = get_basis,
                     .help = "modelled, measured or guessed; null: unchanged"),
    TTP_WORDS_COLUMN("note", "Note", 5, TTP_FIGURE(ROW, note), .help = "remarks"),
};
static const struct ttp_fields rows = {TTP_FIELDS(row_fields),
                                       .hint = "tt-perf advise --columns help lists them"};

TTP_GET(get_count, VIEW, VIEW, ttp_value_i64((int64_t)r->result->count))
TTP_GET(get_changed, VIEW, VIEW, ttp_value_i64((int64_t)r->result->changed))
TTP_GET(get_now, VIEW, VIEW, ttp_value_f64(r->result->now_us))
TTP_GET(get_predicted, VIEW, VIEW, ttp_value_f64(r->result->predicted_us))
TTP_GET(get_low, VIEW, VIEW, ttp_value_f64(r->result->low_us))
TTP_GET(get_high, VIEW, VIEW, ttp_value_f64(r->result->high_us))
TTP_GET(get_gap, VIEW, VIEW, ttp_value_f64(r->result->gap_us))

static const struct ttp_field view_fields[] = {
    TTP_WORDS("run", TTP_FIGURE(VIEW, name), .help = "file or folder"),
    TTP_WORDS("change", TTP_FIGURE(VIEW, change), .help = "as it was typed"),
    TTP_WORDS("where", TTP_FIGURE(VIEW, where), .help = "which ops; null: all"),
    TTP_INT("matched", "", .get = get_count, .help = "ops of the iteration that it applies to"),
    TTP_INT("predicted", "", .get = get_changed, .help = "of them, those with a prediction"),
    TTP_REAL("total_us", "us", 1, .get = get_now, .help = "device time and gaps now"),
    TTP_REAL("predicted_us", "us", 1, .get = get_predicted, .help = "with the change"),
    TTP_REAL("low_us", "us", 1, .get = get_low, .help = "lower end of its range"),
    TTP_REAL("high_us", "us", 1, .get = get_high, .help = "upper end"),
    TTP_REAL("gap_us", "us", 1, .get = get_gap, .help = "of the iteration; taken as unchanged"),
};
static const struct ttp_fields view_figures = {TTP_FIELDS(view_fields)};

enum { PART_VIEW, PART_OPS };
static const struct ttp_part_spec parts[] = {
    [PART_VIEW] = {.kind = TTP_PART_DATA, .fields = &view_figures, .json_only = true},
    [PART_OPS] = {.id = "ops", .fields = &rows, .help = "in the order in which they ran"},
};
const struct ttp_document_spec ttp_what_if_document = {
    .schema = "tt-perf.what-if/1",
    .help = "An iteration with other settings",
    TTP_PARTS(parts),
    .main = PART_OPS,
};

static void put_head(const struct ttp_show *show, const void *arg)
{
    const struct ttp_what_if_view *v = arg;
    const struct ttp_what_if_result *r = v->result;
    struct ttp_sink *out = show->out;

    ttp_sink_printf(out, "%.*s\n", TTP_FMT(v->name));
    ttp_sink_repeat(out, '\n', show->form == TTP_FORM_MARKDOWN);
    ttp_sink_printf(out, "%.*s at %zu op%s", TTP_FMT(v->change), r->count,
                    r->count == 1 ? "" : "s");
    if (v->where.len)
        ttp_sink_printf(out, " (%.*s)", TTP_FMT(v->where));
    ttp_sink_printf(out, ", %zu of them predicted%s\niteration: ", r->changed,
                    r->changed && r->changed < r->count ? ", the others unchanged" : "");
    ttp_put_time_us(out, r->now_us);
    ttp_sink_put(out, TTP_STR(" now, "));
    ttp_put_time_us(out, r->predicted_us);
    ttp_sink_put(out, TTP_STR(" predicted ("));
    ttp_put_time_us(out, r->low_us);
    ttp_sink_put(out, TTP_STR(" to "));
    ttp_put_time_us(out, r->high_us);
    ttp_sink_printf(out, "), %.1f %% %s\n\n",
                    r->now_us > 0 ? fabs(1 - r->predicted_us / r->now_us) * 100 : 0,
                    r->predicted_us > r->now_us ? "more" : "less");
}

static bool name_cell(ttp_str *text, const void *arg, const struct ttp_field *field,
                      const void *row, struct ttp_arena *arena)
{
    if (field->get != get_name)
        return false;
    *text = ttp_analysis_brief_name(ttp_field_value(field, arg, row).v.text, arena);
    return true;
}

static void put_rows(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    struct ttp_table named = *table;

    (void)part;
    named.arg = arg;
    named.cell = name_cell;
    ttp_show_table(show, &named);
}

ttp_code ttp_out_what_if(const struct ttp_show *show, const struct ttp_what_if_view *view,
                         struct ttp_err *err)
{
    const struct ttp_page page = {.arg = view, .head = put_head, .body = put_rows};
    struct ttp_document doc;

    ttp_document_init(&doc, &ttp_what_if_document, show->arena);
    ttp_document_object(&doc, PART_VIEW, view, view);
    if (show->form == TTP_FORM_JSON || ttp_form_flat(show->form)) {
        ttp_document_rows(&doc, PART_OPS, view, view->result->row, view->result->count);
    } else { /* people want to see what changes, and why an op that they chose does not */
        struct ttp_what_if_row *row =
            TTP_NEW(show->arena, struct ttp_what_if_row, view->result->count);
        size_t count = 0;

        for (size_t i = 0; i < view->result->count; i++)
            if (view->result->row[i].basis || (view->where.len && view->result->row[i].note.len))
                row[count++] = view->result->row[i];
        ttp_document_rows(&doc, PART_OPS, view, row, count);
    }
    return ttp_show_document(show, &doc, &page, err);
}
