/* SPDX-License-Identifier: Apache-2.0 */
/* config_calibrate.h - `tt-perf config calibrate`. */
#ifndef TTP_CLI_CONFIG_CALIBRATE_H
#define TTP_CLI_CONFIG_CALIBRATE_H

#include "core/cmd.h"
#include "outputs/outputs.h"

/* Options of config that its parts share; the first member of its options. */
struct ttp_config_opts {
    struct ttp_common_opts common;
    const char *board; /* NULL: the default, or the run's */
    const char *write; /* boards file to write; NULL: none */
};

/* Records in the format that was asked for. */
TTP_NODISCARD ttp_code ttp_config_show_list(const struct ttp_ctx *ctx,
                                            const struct ttp_config_list_view *view,
                                            const struct ttp_words *inputs,
                                            const struct ttp_words *warnings, struct ttp_err *err);

TTP_NODISCARD ttp_code ttp_config_calibrate(int *status, const struct ttp_ctx *ctx,
                                            const struct ttp_config_opts *o,
                                            const struct ttp_words *runs, struct ttp_err *err);

#endif
