/* SPDX-License-Identifier: Apache-2.0 */
/* tools.h - mains and verbs of the tools that we replace. Private to cli/dropin. */
#ifndef TTP_CLI_DROPIN_TOOLS_H
#define TTP_CLI_DROPIN_TOOLS_H

#include "dropin/dropin.h"

int ttp_report_dropin_main(int argc, char **argv);
int ttp_profile_dropin_main(int argc, char **argv);
/* The whole of `csvexport-release` and `tracy-csvexport`. */
int ttp_csvexport_main(int argc, char **argv);

/* Of a verb, as ttp_cmd.run. */
typedef ttp_code ttp_dropin_verb_fn(int *status, const struct ttp_ctx *ctx, const void *opts,
                                    const struct ttp_words *operands, struct ttp_err *err);
ttp_dropin_verb_fn ttp_dropin_report, ttp_dropin_ops, ttp_dropin_noc, ttp_dropin_export,
    ttp_dropin_kernel, ttp_dropin_annotate, ttp_dropin_trace;

#endif
