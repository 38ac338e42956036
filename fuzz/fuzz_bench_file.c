/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a result of a benchmark: no crash; a refusal says where; what is accepted has trials
 * of variants that exist, and can be joined and summed up. */
#include <math.h>
#include <stdlib.h>

#include "fuzz.h"
#include "measure/measure.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ttp_str text = {(const char *)data, size};
    const char *const names[] = {"one", "two"};
    struct ttp_arena arena = {0};
    struct ttp_err err = {0};
    struct ttp_bench part[2], both;
    size_t n;

    if (ttp_measure_bench_read(&part[0], text, &arena, &err) == TTP_OK) {
        part[1] = part[0];
        for (size_t i = 0; i < part[0].ntrials; i++)
            if (part[0].trial[i].variant >= part[0].nvariants)
                abort();
        ttp_measure_bench_join(&both, part, names, 2, &arena);
        if (both.nvariants != 2 * part[0].nvariants || both.nmetrics > part[0].nmetrics)
            abort();
        const double *v = ttp_measure_bench_values(&n, &both, 0, 0, &arena);
        const struct ttp_sample s = ttp_stats_sample(v, n, 0.95, &arena);
        if (n && !(s.min <= s.median && s.median <= s.max))
            abort();
    } else if (err.code == TTP_OK || err.offset > size) {
        abort();
    }
    ttp_arena_free(&arena);
    return 0;
}
