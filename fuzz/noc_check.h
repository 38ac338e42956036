/* SPDX-License-Identifier: Apache-2.0 */
/* noc_check.h - what holds for any transfers that are estimated. */
#ifndef TTP_FUZZ_NOC_CHECK_H
#define TTP_FUZZ_NOC_CHECK_H

#include "compat/compat.h"
#include "memfile.h"
#include "noc/noc_programs.h"

static const struct ttp_noc_rules our_noc_rules = {0};

/* Estimated, with the bytes of all transfers; or false: refused with a reason, or it would take
 * long. */
static inline bool check_estimate(struct ttp_noc_estimate *est, uint64_t *bytes,
                                  const struct ttp_noc_load *load,
                                  const struct ttp_noc_rules *rules, struct ttp_arena *arena)
{
    const struct ttp_noc_options options = {.cycles_per_step = 1024, .threads = 1, .rules = *rules};
    struct ttp_err err = {0};

    *bytes = 0;
    for (size_t i = 0; i < load->ntransfers; i++)
        *bytes += ttp_noc_bytes(&load->transfer[i]);
    if (*bytes > 1 << 20)
        return false;
    const ttp_code rc = ttp_noc_estimate(est, load, &options, arena, &err);
    must(rc == TTP_OK || (err.code == rc && err.text[0]));
    return rc == TTP_OK;
}

#endif
