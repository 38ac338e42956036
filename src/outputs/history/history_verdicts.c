/* SPDX-License-Identifier: Apache-2.0 */
/* history_verdicts.c - regressions for build servers: a verdict on each line of the history. */
#include <math.h>

#include "outputs/history/history_fields.h"
#include "outputs/show/measure_text.h"

static void judge(struct ttp_ci_case *out, const struct ttp_history_line *row,
                  struct ttp_arena *arena)
{
    static const enum ttp_ci_level levels[] = {[TTP_STANDS_SAME] = TTP_CI_PASS,
                                               [TTP_STANDS_WORSE] = TTP_CI_FAIL,
                                               [TTP_STANDS_BETTER] = TTP_CI_NOTE,
                                               [TTP_STANDS_UNSURE] = TTP_CI_UNDECIDED};
    const struct ttp_line_comparison *c = &row->line;
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    ttp_sink_printf(&text, "%.*s -> %.*s",
                    TTP_FMT(ttp_out_measure_text(c->before, row->unit, arena)),
                    TTP_FMT(ttp_out_measure_text(c->after, row->unit, arena)));
    if (isfinite(c->change))
        ttp_sink_printf(&text, " (%+.1f %%, limit %.1f %%)", c->change * 100, c->limit * 100);
    if (c->first.run && c->standing != TTP_STANDS_SAME)
        ttp_sink_printf(&text, " since run %lld", (long long)c->first.run);
    if (c->first.commit.len && c->standing != TTP_STANDS_SAME)
        ttp_sink_printf(&text, ", commit %.*s", TTP_FMT(c->first.commit));
    if (c->standing == TTP_STANDS_UNSURE)
        ttp_sink_printf(&text, "; %zu and %zu runs are too few to be sure", c->runs_before,
                        c->runs_after);
    *out = (struct ttp_ci_case){levels[c->standing], row->what, ttp_sink_text(&text),
                                &ttp_history_line_fields, row};
}

ttp_code ttp_out_history_verdicts(const struct ttp_show *show,
                                  const struct ttp_history_verdict *verdict,
                                  const struct ttp_records *lines, struct ttp_err *err)
{
    size_t *index, count;

    TTP_TRY(ttp_records_select(&index, &count, lines, &show->selection, show->arena, err));
    struct ttp_ci_suite suite = {.verb = "history regressions",
                                 .name =
                                     ttp_sink_format(show->arena, "since %s", verdict->found.since),
                                 .check = TTP_NEW(show->arena, struct ttp_ci_case, count + 1)};
    for (size_t i = 0; i < count; i++)
        judge(&suite.check[suite.count++], ttp_records_at(lines, index[i]), show->arena);
    if (verdict->found.count == 0) /* as the exit status: nothing was compared */
        suite.check[suite.count++] = (struct ttp_ci_case){
            TTP_CI_UNDECIDED, TTP_STR("comparison"),
            ttp_sink_format(show->arena,
                            "nothing to compare since %s: %zu lines without an earlier run, %zu "
                            "without a later one",
                            verdict->found.since, verdict->found.without_before,
                            verdict->found.without_after),
            NULL, NULL};
    ttp_ci_put(show, &suite, 1);
    return TTP_OK;
}
