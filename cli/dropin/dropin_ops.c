/* SPDX-License-Identifier: Apache-2.0 */
/* dropin_ops.c - `tt-perf ops --compat`: process_ops_logs.py of tt-metal. */
#include "compat/compat.h"
#include "dropin/tools.h"

/* The original ends every failure with a traceback, hence with status 1. */
ttp_code ttp_dropin_ops(int *status, const struct ttp_ctx *ctx, const void *opts,
                        const struct ttp_words *operands, struct ttp_err *err)
{
    const struct ttp_ops_verb *o = opts;
    const struct ttp_ops_manner how = {
        .strict = true,
        .rules = ttp_compat_joining,
        .noc = o->noc, /* only if asked */
        .noc_rules = &ttp_compat_noc,
        .terse = true,
    };
    const ttp_code rc = ttp_ops_make(status, ctx, o, operands, &how, err);

    if (rc != TTP_OK)
        *status = TTP_EXIT_FINDING;
    return rc;
}
