/* SPDX-License-Identifier: Apache-2.0 */
#include "core/shift_option.h"

ttp_code ttp_parse_shifts(struct ttp_mesh_options *out, const struct ttp_words *given,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_mesh_shift *shift = TTP_NEW(arena, struct ttp_mesh_shift, given->count + 1);

    for (size_t i = 0; i < given->count; i++) {
        ttp_str part[3];
        if (ttp_str_split(ttp_str_from(given->word[i]), '=', part, 3) != 2 ||
            !ttp_str_to_i64(part[0], &shift[i].rank) || shift[i].rank < 0 ||
            !ttp_str_to_i64(part[1], &shift[i].steps))
            return ttp_fail(err, TTP_EUSAGE, "--shift '%s' is not RANK=N", given->word[i]);
    }
    out->shift = shift;
    out->shifts = given->count;
    return TTP_OK;
}

ttp_code ttp_check_shifts(const struct ttp_mesh_options *given, const int64_t *rank, size_t ranks,
                          struct ttp_err *err)
{
    for (size_t i = 0; i < given->shifts; i++) {
        bool known = false;
        for (size_t k = 0; k < ranks; k++)
            known |= rank[k] == given->shift[i].rank;
        if (!known)
            return ttp_fail(err, TTP_EUSAGE, "--shift: no rank %lld in this run",
                            (long long)given->shift[i].rank);
    }
    return TTP_OK;
}
