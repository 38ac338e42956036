/* SPDX-License-Identifier: Apache-2.0 */
/* store_unprofiled.c - the newest run of a name that was measured without the profiler. */
#include "store/store_internal.h"

/* Older runs say less about the present code. */
#define RUNS_LOOKED_AT 50

/* Kinds of runs that the profiler was part of. */
static bool is_profiled(const struct ttp_history_run *run)
{
    return ttp_str_eq(run->kind, TTP_STR("ops")) || ttp_str_eq(run->kind, TTP_STR("device-perf"));
}

ttp_code ttp_store_unprofiled(struct ttp_unprofiled *out, struct ttp_store *s,
                              const struct ttp_unprofiled_query *query, struct ttp_arena *arena,
                              struct ttp_err *err)
{
    const struct ttp_store_filter filter = {.name = ttp_str_from(query->name),
                                            .limit = RUNS_LOOKED_AT};
    struct ttp_history_runs runs;

    TTP_TRY(ttp_store_list(&runs, s, &filter, arena, err));
    for (size_t i = 0; i < runs.count; i++) {
        struct ttp_history_run run;

        if (is_profiled(&runs.run[i]))
            continue;
        TTP_TRY(ttp_store_read(&run, s, runs.run[i].id, TTP_PART_MEASURES, arena, err));
        if (ttp_history_run_unprofiled(out, &run, query->window, query->tokens, arena))
            return TTP_OK;
    }
    (void)ttp_fail(err, TTP_ENOTFOUND,
                   runs.count ? "no run '%s' of the history has the time of one iteration without "
                                "the profiler"
                              : "the history has no run '%s'",
                   query->name);
    ttp_err_hint(err, "add one: 'tt-perf bench' with a --metric for the time of one iteration, or "
                      "tokens/s and --tokens, then 'tt-perf history add --name NAME'");
    return TTP_ENOTFOUND;
}
