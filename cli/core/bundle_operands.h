/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_operands.h - an operand, or the value of an option, that is a bundle represents the run in
 * it. */
#ifndef TTP_CLI_BUNDLE_OPERANDS_H
#define TTP_CLI_BUNDLE_OPERANDS_H

#include "core/cmd.h"

struct ttp_unpacked {
    struct ttp_words operands; /* folders in the place of bundles */
    struct ttp_words folders;  /* that were made for them */
};

/* Unpack the bundles among the operands and the values of options (`opts`, which then name the
 * folders), in folders that exist until ttp_unpacked_remove(). */
TTP_NODISCARD ttp_code ttp_bundles_unpack(struct ttp_unpacked *out, const struct ttp_words *given,
                                          void *opts, const struct ttp_ctx *ctx,
                                          struct ttp_err *err);
/* The same for one path that a verb has found itself: *path then names the folder. */
TTP_NODISCARD ttp_code ttp_bundle_unpack_path(const char **path, struct ttp_unpacked *u,
                                              const struct ttp_ctx *ctx, struct ttp_err *err);
void ttp_unpacked_remove(struct ttp_unpacked *u);

#endif
