/* SPDX-License-Identifier: Apache-2.0 */
/* known_page.c - faster runs of a run's ops in the history: advise --history. */
#include "base/quantity.h"
#include "outputs/advise/advise_parts.h"
#include "outputs/history/history_words.h"
#include "outputs/show/paint.h"

#define TOP_KNOWN 5 /* shown in text and Markdown */

#define KNOWN struct ttp_known_op
TTP_GET(get_id, struct ttp_plan_view, KNOWN,
        ttp_value_i64((int64_t)c->report->op[r->op[0]].row + 2))
TTP_GET(get_best_cores, struct ttp_plan_view, KNOWN,
        r->best.op.cores >= 0 ? ttp_value_i64(r->best.op.cores) : (struct ttp_value){0})

static const struct ttp_field known_fields[] = {
    TTP_INT("id", "", .get = get_id, .help = "line of the first such op in its file"),
    TTP_WORDS("op", TTP_FIGURE(KNOWN, now.name), .help = "name and size"),
    TTP_INT("op_count", "", TTP_FIGURE(KNOWN, ops), .help = "of the iteration that are alike"),
    TTP_REAL("device_us", "us", 1, TTP_FIGURE(KNOWN, now.time_ns), .scale = 1e-3,
             .help = "of one of them now, median"),
    TTP_REAL("best_us", "us", 1, TTP_FIGURE(KNOWN, best.op.time_ns), .scale = 1e-3,
             .help = "in the run of the history, median"),
    TTP_REAL("gain_us", "us", 1, TTP_FIGURE(KNOWN, gain_us), .help = "of all of them"),
    TTP_WORDS("settings", TTP_FIGURE(KNOWN, change), .help = "of that run that differ, to copy"),
    TTP_WORDS("settings_now", TTP_FIGURE(KNOWN, before), .help = "the same settings now"),
    TTP_WORDS("program_config", TTP_FIGURE(KNOWN, best.op.config), .help = "of that run, whole"),
    TTP_INT("cores", "", .get = get_best_cores),
    TTP_WORDS("fidelity", TTP_FIGURE(KNOWN, best.op.fidelity)),
    TTP_WORDS("memory", TTP_FIGURE(KNOWN, best.op.memory)),
    TTP_WORDS("datatypes", TTP_FIGURE(KNOWN, best.op.datatypes), .help = "the same in both"),
    TTP_WORDS("chip", TTP_FIGURE(KNOWN, best.op.chip), .help = "the same in both"),
    TTP_INT("run", "", TTP_FIGURE(KNOWN, best.run), .help = "of the history"),
    TTP_WHEN("time", TTP_FIGURE(KNOWN, best.run_time_ns), .help = "when that ran"),
    TTP_WORDS("run_name", TTP_FIGURE(KNOWN, best.run_name)),
    TTP_WORDS("commit", TTP_FIGURE(KNOWN, best.commit)),
};
const struct ttp_fields ttp_known_op_fields = {TTP_FIELDS(known_fields)};

static bool lower_fidelity(const struct ttp_known_op *k)
{
    return k->best.op.fidelity.len && !ttp_str_eq(k->now.fidelity, k->best.op.fidelity);
}

/* All of it, to copy, where it may be broken between parameters. */
static void put_config(const struct ttp_show *show, ttp_str config)
{
    struct ttp_sink line;

    ttp_sink_to_arena(&line, show->arena);
    ttp_sink_own(&line, "    config: ");
    for (size_t i = 0; i < config.len; i++) {
        ttp_sink_char(&line, config.ptr[i]);
        if (config.ptr[i] == ';')
            ttp_sink_char(&line, ' ');
    }
    ttp_paint_wrapped(show->out, ttp_sink_text(&line), show->width, 0, 6);
}

static void put_one(const struct ttp_show *show, const struct ttp_known_op *k)
{
    struct ttp_arena *arena = show->arena;
    struct ttp_sink line;

    ttp_sink_to_arena(&line, arena);
    ttp_sink_printf(&line, "%s%.*s, %zu op%s: %.*s on %.*s in run %lld (%.*s) with %.*s",
                    show->form == TTP_FORM_MARKDOWN ? "- " : "  ", TTP_FMT(k->now.name), k->ops,
                    k->ops == 1 ? "" : "s",
                    TTP_FMT(ttp_time_us_text(k->best.op.time_ns / 1e3, arena)),
                    TTP_FMT(ttp_out_history_time(k->best.run_time_ns, true, arena)),
                    (long long)k->best.run, TTP_FMT(k->best.run_name), TTP_FMT(k->change));
    ttp_sink_printf(&line, "; now %.*s", TTP_FMT(ttp_time_us_text(k->now.time_ns / 1e3, arena)));
    if (k->before.len)
        ttp_sink_printf(&line, " with %.*s", TTP_FMT(k->before));
    ttp_sink_printf(&line, "; saves %.*s", TTP_FMT(ttp_time_us_text(k->gain_us, arena)));
    if (lower_fidelity(k))
        ttp_sink_own(&line, "; another fidelity: check the PCC");
    ttp_paint_wrapped(show->out, ttp_sink_text(&line), show->width, 0, 4);
    if (k->best.op.config.len && !ttp_str_eq(k->best.op.config, k->now.config) &&
        !ttp_str_has(k->change, k->best.op.config))
        put_config(show, k->best.op.config);
}

void ttp_out_advise_put_known(const struct ttp_show *show, const struct ttp_plan_view *view)
{
    const struct ttp_known_ops *known = view->known;

    ttp_sink_char(show->out, '\n');
    if (known->count == 0) {
        ttp_paint_wrapped(
            show->out,
            ttp_sink_format(show->arena,
                            "The history (%s) has no faster run of these ops with other settings.",
                            view->store),
            show->width, 0, 2);
        return;
    }
    ttp_paint_themed(show->out, show->color ? TTP_GREEN : TTP_PLAIN, TTP_STR("Measured before: "));
    ttp_paint_wrapped(show->out,
                      ttp_sink_format(show->arena,
                                      "the same ops ran faster with other settings (%s); gains "
                                      "here are part of the plan's, not in addition",
                                      view->store),
                      show->width, 17, 2);
    ttp_sink_repeat(show->out, '\n', show->form == TTP_FORM_MARKDOWN);
    for (size_t i = 0; i < known->count && i < TOP_KNOWN; i++)
        put_one(show, &known->item[i]);
    if (known->count > TOP_KNOWN)
        ttp_sink_printf(show->out, "  ... and %zu more: --format json\n", known->count - TOP_KNOWN);
}
