/* SPDX-License-Identifier: Apache-2.0 */
/* dropin.h - replacing other tools: under their names, and for verbs with --compat. A build
 * with TTP_COMPAT=OFF has absent.c in place of all others here. */
#ifndef TTP_CLI_DROPIN_DROPIN_H
#define TTP_CLI_DROPIN_DROPIN_H

#include "core/verbs.h"

/* Is it part of this build? */
bool ttp_dropin_present(void);

/* The program under another name. argv[0] is that name. Returns the exit status. */
typedef int ttp_dropin_main_fn(int argc, char **argv);
/* NULL: not a name we go by. */
ttp_dropin_main_fn *ttp_dropin_main(const char *name);

/* ctx->cmd as the tool that it can replace. TTP_EMISSING: not in this build. */
TTP_NODISCARD ttp_code ttp_dropin_verb(int *status, const struct ttp_ctx *ctx, const void *opts,
                                       const struct ttp_words *operands, struct ttp_err *err);
/* A program's timeline in the form of tt-npe, see compat/compat.h. TTP_EMISSING: not in this build.
 */
TTP_NODISCARD ttp_code ttp_dropin_timeline(const char *path, const struct ttp_noc_view *view,
                                           const struct ttp_topology *topology, int version,
                                           struct ttp_err *err);

#endif
