/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/logs.h"

/* The programs of the first device, the last call first. */
static size_t list_programs(const struct ttp_op_info **out, const struct ttp_host_log *log)
{
    const struct ttp_op_info *first = NULL;
    size_t n = 0;

    for (size_t i = 0; i < log->nops && !first; i++)
        first = log->op[i].info->has_device ? log->op[i].info : NULL;
    for (size_t i = log->nops; i-- > 0 && first;)
        if (log->op[i].info->has_device && log->op[i].info->device == first->device)
            out[n++] = log->op[i].info;
    return n;
}

static bool same_program(const struct ttp_op_info *a, const struct ttp_op_info *b)
{
    return a == b || (a->has_hash && b->has_hash && ttp_str_eq(a->hash, b->hash));
}

/* Of all beginnings of the (reversed) list that are repetitions, the longest counts. `border` is
 * the failure function of Knuth, Morris and Pratt: n - border[n] is the period of the first n. */
static uint64_t count_repeats(const struct ttp_op_info *const *op, size_t n,
                              struct ttp_arena *scratch)
{
    size_t *border = TTP_NEW(scratch, size_t, n + 1);
    uint64_t repeats = 1;

    for (size_t i = 1, k = 0; i < n; i++) {
        while (k > 0 && !same_program(op[i], op[k]))
            k = border[k];
        k += same_program(op[i], op[k]);
        border[i + 1] = k;
        const size_t period = i + 1 - k;
        if (k > 0 && (i + 1) % period == 0 && (i + 1) * 2 >= n)
            repeats = (i + 1) / period;
    }
    return repeats;
}

uint64_t ttp_logs_count_iterations(const struct ttp_host_log *log, struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    uint64_t most = 0;

    for (size_t i = 0; i < log->nreplays; i++)
        most = log->replays[i].count > most ? log->replays[i].count : most;
    if (most == 0) {
        const struct ttp_op_info **op = TTP_NEW(scratch, const struct ttp_op_info *, log->nops);

        most = count_repeats(op, list_programs(op, log), scratch);
    }
    ttp_arena_rewind(scratch, mark);
    return most;
}
