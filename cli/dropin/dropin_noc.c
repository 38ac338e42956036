/* SPDX-License-Identifier: Apache-2.0 */
/* dropin_noc.c - `tt-perf noc --compat`: tt-npe. */
#include "compat/compat.h"
#include "dropin/tools.h"

ttp_code ttp_dropin_noc(int *status, const struct ttp_ctx *ctx, const void *opts,
                        const struct ttp_words *operands, struct ttp_err *err)
{
    const struct ttp_noc_manner how = {.rules = ttp_compat_noc,
                                       .schema = "tt-perf.noc-compat/1",
                                       .put_json = ttp_npe_put_statistics};

    if (operands->count == 0) /* tt-npe knows no run but the one it is given */
        return ttp_fail(err, TTP_EUSAGE, "--compat requires a file or folder");
    const ttp_code rc = ttp_noc_show(status, ctx, opts, operands, &how, err);
    if (rc == TTP_EPARSE && err && !err->hint[0])
        ttp_err_hint(err, "a place at which tt-npe fails too");
    return rc;
}
