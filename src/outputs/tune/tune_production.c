/* SPDX-License-Identifier: Apache-2.0 */
/* tune_production.c - the sizes of production: what does not fit, which configs it needs. */
#include <inttypes.h>
#include <math.h>

#include "base/budget.h"
#include "base/quantity.h"
#include "outputs/show/paint.h"
#include "outputs/tune/tune_fields.h"
#include "outputs/tune/tune_words.h"

#define LISTED 10

static void put_line(const struct ttp_show *show, ttp_str text)
{
    if (show->form == TTP_FORM_MARKDOWN) {
        ttp_sink_printf(show->out, "- %.*s\n", TTP_FMT(text));
        return;
    }
    ttp_sink_own(show->out, "  ");
    ttp_paint_wrapped(show->out, text, show->width, 2, 4);
}

static void put_sizes(const struct ttp_show *show, const struct ttp_tune_production *p)
{
    struct ttp_sink line;

    ttp_sink_to_arena(&line, show->arena);
    for (size_t i = 0; i < p->sizes; i++)
        ttp_sink_printf(&line, "%s%s%s%" PRIu64 " instead of %" PRIu64, i ? ", " : "",
                        p->size[i].name, *p->size[i].name ? " " : "", p->size[i].to,
                        p->size[i].from);
    ttp_sink_printf(
        &line, ": %zu of %zu ops would not fit the L1 of a core, %zu config%s would not be legal",
        p->over_l1, p->checked, p->broken, p->broken == 1 ? "" : "s");
    put_line(show, ttp_sink_text(&line));
}

static void put_tensor(const struct ttp_show *show, const struct ttp_tune_tensor *t)
{
    if (*t->place == 0)
        put_line(show,
                 ttp_sink_format(show->arena, "%s: the memory of the board is unknown", t->text));
    else if (t->fits_l1)
        put_line(show,
                 ttp_sink_format(show->arena, "%s: %s, fits L1 on %" PRIu64 " of %" PRIu64 " cores",
                                 t->text, ttp_size_text(t->bytes).text, t->cores_needed, t->cores));
    else
        put_line(show,
                 ttp_sink_format(show->arena, "%s: %s, does not fit L1: %s", t->text,
                                 ttp_size_text(t->bytes).text,
                                 strcmp(t->place, "DRAM") == 0 ? "only DRAM holds it"
                                                               : "nothing on the board holds it"));
}

static void put_op(const struct ttp_show *show, const struct ttp_tune_scaled *op)
{
    struct ttp_sink line;

    ttp_sink_to_arena(&line, show->arena);
    ttp_sink_printf(&line, "ID %" PRIu64 " %s", op->id, op->op);
    if (op->ops > 1)
        ttp_sink_printf(&line, " and %" PRIu64 " like it", op->ops - 1);
    if (!op->fits)
        ttp_sink_printf(
            &line, ": its tensors need at least %s of L1 per core, %s now, %s available",
            ttp_size_text((uint64_t)op->l1_then).text, ttp_size_text((uint64_t)op->l1_now).text,
            ttp_size_text((uint64_t)op->l1_limit).text);
    if (*op->reason)
        ttp_sink_printf(&line, ": its config is not legal: %s", op->reason);
    if (op->best.config)
        ttp_sink_printf(&line, "; proposed: %s, predicted %.*s (%.*s to %.*s)", op->best.config,
                        TTP_FMT(ttp_time_us_text(op->best.predicted_us, show->arena)),
                        TTP_FMT(ttp_time_us_text(op->best.low_us, show->arena)),
                        TTP_FMT(ttp_time_us_text(op->best.high_us, show->arena)));
    put_line(show, ttp_sink_text(&line));
}

void ttp_out_tune_put_production(const struct ttp_show *show, const struct ttp_tune_production *p)
{
    if (!p)
        return;
    if (show->form == TTP_FORM_MARKDOWN)
        ttp_sink_own(show->out, "\n## Sizes in production\n\n");
    else
        ttp_sink_own(show->out, "sizes in production\n");
    if (*p->note)
        put_line(show, ttp_str_from(p->note));
    if (p->sizes && p->checked)
        put_sizes(show, p);
    for (size_t i = 0; i < p->tensors; i++)
        put_tensor(show, &p->tensor[i]);
    for (size_t i = 0; i < p->ops && i < LISTED; i++)
        put_op(show, &p->op[i]);
    if (p->ops > LISTED)
        put_line(show, ttp_sink_format(show->arena, "and %zu more", p->ops - LISTED));
}

/* ---- declared ---- */

#define SIZE struct ttp_tune_size
static const struct ttp_field size_fields[] = {
    TTP_WORDS("name", TTP_FIGURE(SIZE, name)),
    TTP_INT("test", "", TTP_FIGURE(SIZE, from)),
    TTP_INT("production", "", TTP_FIGURE(SIZE, to)),
};
static const struct ttp_fields sizes = {TTP_FIELDS(size_fields)};

#define TENSOR struct ttp_tune_tensor
static const struct ttp_field tensor_fields[] = {
    TTP_WORDS("tensor", TTP_FIGURE(TENSOR, text)),
    TTP_INT("bytes", "bytes", TTP_FIGURE(TENSOR, bytes)),
    TTP_INT("cores_needed", "", TTP_FIGURE(TENSOR, cores_needed),
            .help = "to hold it in L1; 0: more than there are"),
    TTP_INT("cores", "", TTP_FIGURE(TENSOR, cores)),
    TTP_WORDS("place", TTP_FIGURE(TENSOR, place), .help = "the smallest memory that holds it"),
    TTP_FLAG("fits_l1", TTP_FIGURE(TENSOR, fits_l1)),
};
static const struct ttp_fields tensors = {TTP_FIELDS(tensor_fields)};

#define SCALED struct ttp_tune_scaled
TTP_LISTER(list_best, SCALED, ttp_tune_config_fields, context, &r->best, r->best.config ? 1 : 0)

static const struct ttp_field op_fields[] = {
    TTP_INT("id", "", TTP_FIGURE(SCALED, id)),
    TTP_INT("op_count", "", TTP_FIGURE(SCALED, ops), .help = "that are alike"),
    TTP_WORDS("op", TTP_FIGURE(SCALED, op)),
    TTP_FLAG("fits_l1", TTP_FIGURE(SCALED, fits)),
    TTP_REAL("l1_test_bytes", "bytes", 0, TTP_FIGURE(SCALED, l1_now), .help = "of a core"),
    TTP_REAL("l1_production_bytes", "bytes", 0, TTP_FIGURE(SCALED, l1_then)),
    TTP_REAL("l1_limit_bytes", "bytes", 0, TTP_FIGURE(SCALED, l1_limit)),
    TTP_WORDS("config", TTP_FIGURE(SCALED, config), .help = "in use"),
    TTP_WORDS("verdict", TTP_FIGURE(SCALED, verdict), .help = "of it in production"),
    TTP_WORDS("reason", TTP_FIGURE(SCALED, reason)),
    TTP_LISTED("proposed", TTP_OBJECT, list_best, ttp_tune_config_fields,
               .help = "config for production"),
};
static const struct ttp_fields ops = {TTP_FIELDS(op_fields)};

#define PRODUCTION struct ttp_tune_production
static const struct ttp_field production_fields[] = {
    TTP_WORDS("note", TTP_FIGURE(PRODUCTION, note), .help = "why nothing was compared"),
    {.id = "sizes", TTP_ROWS_AT(PRODUCTION, size, sizes, sizes)},
    {.id = "tensors", TTP_ROWS_AT(PRODUCTION, tensor, tensors, tensors)},
    TTP_INT("checked_ops", "", TTP_FIGURE(PRODUCTION, checked)),
    TTP_INT("over_l1_ops", "", TTP_FIGURE(PRODUCTION, over_l1)),
    TTP_INT("broken_configs", "", TTP_FIGURE(PRODUCTION, broken)),
    {.id = "ops",
     TTP_ROWS_AT(PRODUCTION, op, ops, ops),
     .help = "those that do not fit, or whose config is not legal"},
};
const struct ttp_fields ttp_tune_production_fields = {TTP_FIELDS(production_fields)};
