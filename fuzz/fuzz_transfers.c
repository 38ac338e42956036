/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as what tt-metal's bandwidth benchmarks print: no crash; every rate that is accepted is
 * a positive number with its median between its extremes. */
#include <math.h>
#include <stdlib.h>

#include "fuzz.h"
#include "measure/measure_internal.h"

static void look_at(const struct ttp_bandwidth *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const struct ttp_bandwidth_rate *r = &b->rate[i];

        if (!(r->median > 0) || !isfinite(r->median) || r->kind < TTP_BANDWIDTH_H2D ||
            r->device < 0)
            abort();
        if (r->sample && (r->count == 0 || r->min > r->median || r->max < r->median))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ttp_str text = {(const char *)data, size};
    struct ttp_arena arena = {0};
    struct ttp_bandwidth b = {0};
    struct ttp_err err = {0};

    if (ttp_measure_transfers_read_rw(&b, text, "rw", &arena, &err) != TTP_OK && err.code == TTP_OK)
        abort();
    err = (struct ttp_err){0};
    if (ttp_measure_transfers_read_dram(&b, text, "dram", &arena, &err) != TTP_OK &&
        err.code == TTP_OK)
        abort();
    look_at(&b);
    ttp_arena_free(&arena);
    return 0;
}
