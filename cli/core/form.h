/* SPDX-License-Identifier: Apache-2.0 */
/* form.h - the format of a result: --format, or the suffix of the file that -o names. */
#ifndef TTP_CLI_FORM_H
#define TTP_CLI_FORM_H

#include "core/cmd.h"

#define TTP_FORMAT_NOT_GIVEN (-1) /* ttp_common_opts.format before options are parsed */

/* Sets common->format, ctx->format and ctx->show.form. TTP_EUSAGE: the suffix names a format that
 * the verb does not have, or another one than --format. */
TTP_NODISCARD ttp_code ttp_form_choose(struct ttp_ctx *ctx, struct ttp_common_opts *common,
                                       struct ttp_err *err);
/* The form of a file next to the result that stdout gets: what --format says, else its suffix, else
 * *out stays as it is. Fails as above. */
TTP_NODISCARD ttp_code ttp_format_of_file(int *out, const struct ttp_ctx *ctx, const char *path,
                                          struct ttp_err *err); /* its position */
TTP_NODISCARD ttp_code ttp_form_of_file(enum ttp_form *out, const struct ttp_ctx *ctx,
                                        const char *path, struct ttp_err *err);

#endif
