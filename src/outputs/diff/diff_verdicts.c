/* SPDX-License-Identifier: Apache-2.0 */
/* diff_verdicts.c - a diff for build servers: the verdict on the run, then the groups of ops that
 * changed most. */
#include <math.h>

#include "base/quantity.h"
#include "outputs/diff/diff_fields.h"

/* Changes of ops below this, in percent of the base's device time, are noise. */
#define MATTERS_PCT 0.5

static ttp_str time_text(double us, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_put_time_us(&out, us);
    return ttp_sink_text(&out);
}

static enum ttp_ci_level level_of(int gate)
{
    return gate == 0 ? TTP_CI_NOTE : gate == 1 ? TTP_CI_FAIL : TTP_CI_UNDECIDED;
}

static void judge_run(struct ttp_ci_case *out, const struct ttp_diff_view *view,
                      const struct ttp_diff_whole *whole, struct ttp_arena *arena)
{
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    ttp_sink_printf(&text, "device time %.*s -> %.*s (%+.2f %%), with gaps %.*s -> %.*s (%+.2f %%)",
                    TTP_FMT(time_text(whole->times.base_us, arena)),
                    TTP_FMT(time_text(whole->times.other_us, arena)),
                    ttp_diff_device_pct(view->diff),
                    TTP_FMT(time_text(whole->base_total_us, arena)),
                    TTP_FMT(time_text(whole->other_total_us, arena)), whole->total_pct);
    if (isfinite(view->limit_pct))
        ttp_sink_printf(&text, "; the limit is %.4g %%", view->limit_pct);
    if (view->diff->outcome == TTP_DIFF_UNDECIDED)
        ttp_sink_printf(&text, "; undecided: %s", ttp_diff_why_undecided(view->diff));
    *out =
        (struct ttp_ci_case){level_of(view->gate),
                             ttp_sink_format(arena, "%.*s against %.*s", TTP_FMT(view->other_name),
                                             TTP_FMT(view->base_name)),
                             ttp_sink_text(&text), &ttp_diff_total_fields, whole};
}

static void judge_quality(struct ttp_ci_case *out, const struct ttp_diff_view *view,
                          struct ttp_arena *arena)
{
    static const char *const names[] = {"base", "other"};
    const struct ttp_diff_side *const side[] = {&view->diff->base, &view->diff->other};
    struct ttp_sink text;
    bool bad = false;

    ttp_sink_to_arena(&text, arena);
    for (size_t s = 0; s < TTP_COUNT(side); s++) {
        const struct ttp_quality *q = ttp_diff_quality(side[s]);
        for (size_t i = 0; i < TTP_CHECKS; i++)
            if (q->item[i].level == TTP_QUALITY_BAD) {
                ttp_sink_printf(&text, "%s%s: %.*s", bad ? "; " : "", names[s],
                                TTP_FMT(q->item[i].text));
                bad = true;
            }
    }
    *out = (struct ttp_ci_case){!bad                        ? TTP_CI_PASS
                                : view->bad_quality         ? TTP_CI_FAIL
                                : isfinite(view->limit_pct) ? TTP_CI_UNDECIDED
                                                            : TTP_CI_WARN,
                                TTP_STR("quality of the runs"), ttp_sink_text(&text), NULL, NULL};
}

/* Did both sides do the same, in the same conditions? */
static void judge_likeness(struct ttp_ci_case *out, const struct ttp_diff_view *view,
                           struct ttp_arena *arena)
{
    const struct ttp_words doubts = ttp_diff_doubts(view->diff, arena);
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    for (size_t i = 0; i < doubts.count; i++)
        ttp_sink_printf(&text, "%s%s", i ? "; " : "", doubts.word[i]);
    const bool undecided = view->diff->outcome == TTP_DIFF_UNDECIDED;
    *out = (struct ttp_ci_case){doubts.count == 0 ? TTP_CI_PASS
                                : undecided       ? TTP_CI_UNDECIDED
                                                  : TTP_CI_WARN,
                                TTP_STR("likeness of the runs"), ttp_sink_text(&text), NULL, NULL};
}

/* An op alone fails nothing: a build that is slower as a whole does, and its ops say why. */
static void judge_group(struct ttp_ci_case *out, const struct ttp_diff_view *view,
                        const struct ttp_diff_line *line, struct ttp_arena *arena)
{
    const bool slower = line->change.us > 0;
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    if (isnan(line->change.us))
        ttp_sink_put(&text, TTP_STR("no device time"));
    else
        ttp_sink_printf(&text, "%s%.*s",
                        slower                ? "+"
                        : line->change.us < 0 ? "-"
                                              : "",
                        TTP_FMT(time_text(fabs(line->change.us), arena)));
    if (isfinite(line->change.pct))
        ttp_sink_printf(&text, " (%+.1f %%)", line->change.pct);
    ttp_sink_printf(&text, " in %u op%s, %s", line->ops, line->ops == 1 ? "" : "s", line->kind);
    if (line->what.len)
        ttp_sink_printf(&text, ": %.*s", TTP_FMT(line->what));
    const bool matters =
        fabs(line->change.us) * 100 >= MATTERS_PCT * view->diff->iteration.base_us &&
        line->change.us != 0;
    *out = (struct ttp_ci_case){!matters                    ? TTP_CI_PASS
                                : slower && view->gate != 0 ? TTP_CI_WARN
                                                            : TTP_CI_NOTE,
                                line->name, ttp_sink_text(&text), &ttp_diff_group_fields, line};
}

ttp_code ttp_out_diff_verdicts(struct ttp_ci_suite *out, const struct ttp_show *show,
                               const struct ttp_diff_view *view, const struct ttp_document *doc,
                               struct ttp_err *err)
{
    const struct ttp_records *groups = &doc->part[TTP_DIFF_PART_GROUPS].rows;
    size_t *index, count;

    TTP_TRY(ttp_records_select(&index, &count, groups, &show->selection, show->arena, err));
    *out = (struct ttp_ci_suite){.verb = "diff",
                                 .name = ttp_sink_format(show->arena, "%.*s -> %.*s",
                                                         TTP_FMT(view->base_name),
                                                         TTP_FMT(view->other_name)),
                                 .check = TTP_NEW(show->arena, struct ttp_ci_case, count + 3)};
    judge_run(&out->check[out->count++], view, doc->part[TTP_DIFF_PART_VIEW].rows.first,
              show->arena);
    judge_quality(&out->check[out->count++], view, show->arena);
    judge_likeness(&out->check[out->count++], view, show->arena);
    for (size_t i = 0; i < count; i++)
        judge_group(&out->check[out->count++], view, ttp_records_at(groups, index[i]), show->arena);
    return TTP_OK;
}

void ttp_out_diff_failed(const struct ttp_show *show, const struct ttp_words *runs,
                         const struct ttp_err *err)
{
    struct ttp_sink text;

    if (!ttp_ci_is_form(show->form))
        return;
    ttp_sink_to_arena(&text, show->arena);
    ttp_sink_printf(&text, "no comparison: %s%s%s", err->path, err->path[0] ? ": " : "", err->text);
    const ttp_str name =
        ttp_sink_format(show->arena, "%s against %s", runs->word[runs->count - 1], runs->word[0]);
    struct ttp_ci_case failed = {TTP_CI_FAIL, name, ttp_sink_text(&text), NULL, NULL};
    ttp_ci_put(show,
               &(struct ttp_ci_suite){.verb = "diff", .name = name, .check = &failed, .count = 1},
               1);
}
