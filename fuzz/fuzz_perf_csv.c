/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes in: no crash, no leak; accepted runs have a name and finite values, a refusal says
 * where. */
#include <math.h>
#include <stdlib.h>

#include "fuzz.h"
#include "history/run_documents.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ttp_str text = {(const char *)data, size};
    struct ttp_arena arena = {0};
    struct ttp_history_runs runs;
    struct ttp_err err = {0};

    (void)ttp_history_is_perf_csv(text);
    if (ttp_history_runs_from_perf_csv(&runs, text, "device_perf_2026_01_02.csv", &arena, &err) ==
        TTP_OK) {
        for (size_t i = 0; i < runs.count; i++) {
            if (runs.run[i].name.len == 0 || runs.run[i].measures == 0)
                abort();
            for (size_t k = 0; k < runs.run[i].measures; k++)
                if (!isfinite(runs.run[i].measure[k].sample[0]))
                    abort();
        }
    } else if (err.code == TTP_OK || err.offset > size) {
        abort();
    }
    ttp_arena_free(&arena);
    return 0;
}
