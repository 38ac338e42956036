/* SPDX-License-Identifier: Apache-2.0 */
#include "dropin/dropin.h"

#include <stdio.h>

#include "compat/compat.h"
#include "dropin/tools.h"

bool ttp_dropin_present(void)
{
    return true;
}

ttp_dropin_main_fn *ttp_dropin_main(const char *name)
{
    static const struct {
        const char *name;
        ttp_dropin_main_fn *main;
    } tools[] = {
        {"tt-perf-report", ttp_report_dropin_main},
        {"tt_profile", ttp_profile_dropin_main},
        {"csvexport-release", ttp_csvexport_main},
        {"tracy-csvexport", ttp_csvexport_main},
    };

    for (size_t i = 0; i < TTP_COUNT(tools); i++)
        if (strcmp(name, tools[i].name) == 0)
            return tools[i].main;
    return NULL;
}

/* Without imitation damage costs no more than the cells it concerns, and every version is read. */
static void hint(struct ttp_err *err)
{
    char before[sizeof(err->hint)];

    memcpy(before, err->hint, sizeof(before));
    ttp_err_hint(err, "%s%somit --compat to get all readable data", before, before[0] ? "; " : "");
}

ttp_code ttp_dropin_verb(int *status, const struct ttp_ctx *ctx, const void *opts,
                         const struct ttp_words *operands, struct ttp_err *err)
{
    static const struct {
        const struct ttp_cmd *cmd;
        ttp_dropin_verb_fn *run;
    } verbs[] = {
        {&cmd_report, ttp_dropin_report}, {&cmd_ops, ttp_dropin_ops},
        {&cmd_noc, ttp_dropin_noc},       {&cmd_export, ttp_dropin_export},
        {&cmd_kernel, ttp_dropin_kernel}, {&cmd_annotate, ttp_dropin_annotate},
        {&cmd_trace, ttp_dropin_trace},
    };
    ttp_code rc = TTP_EMISSING;

    for (size_t i = 0; i < TTP_COUNT(verbs); i++)
        if (verbs[i].cmd == ctx->cmd)
            rc = verbs[i].run(status, ctx, opts, operands, err);
    if (rc == TTP_EPARSE && err)
        hint(err);
    return rc;
}

ttp_code ttp_dropin_timeline(const char *path, const struct ttp_noc_view *view,
                             const struct ttp_topology *topology, int version, struct ttp_err *err)
{
    return ttp_npe_write_timeline(path, view, topology, version, err);
}
