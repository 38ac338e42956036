/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes in: no crash, no leak. What is accepted as runs can be written and read back to the
 * same text; a refusal says where. */
#include <math.h>
#include <stdlib.h>

#include "base/sink.h"
#include "fuzz.h"
#include "history/history.h"

static void check_run(const struct ttp_history_run *run, struct ttp_arena *arena)
{
    struct ttp_history_runs again;
    struct ttp_sink first, second;
    struct ttp_err err = {0};

    for (size_t i = 0; i < run->measures; i++)
        for (size_t k = 0; k < run->measure[i].count; k++)
            if (!isfinite(run->measure[i].sample[k]))
                abort();
    if (run->name.len == 0) /* the program names it before it is kept */
        return;
    ttp_sink_to_arena(&first, arena);
    ttp_history_run_write_json(&first, run, arena);
    if (ttp_history_runs_from_json(&again, ttp_sink_text(&first), "again", arena, &err) != TTP_OK ||
        again.count != 1)
        abort();
    ttp_sink_to_arena(&second, arena);
    ttp_history_run_write_json(&second, &again.run[0], arena);
    if (!ttp_str_eq(ttp_sink_text(&first), ttp_sink_text(&second)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ttp_str text = {(const char *)data, size};
    struct ttp_arena arena = {0};
    struct ttp_history_runs runs;
    struct ttp_err err = {0};

    if (ttp_history_runs_from_json(&runs, text, "fuzz", &arena, &err) == TTP_OK) {
        for (size_t i = 0; i < runs.count; i++)
            check_run(&runs.run[i], &arena);
    } else if (err.code == TTP_OK || err.offset > size) {
        abort();
    }
    ttp_arena_free(&arena);
    return 0;
}
