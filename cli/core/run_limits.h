/* SPDX-License-Identifier: Apache-2.0 */
/* run_limits.h - how much one run may use: options, environment, defaults. */
#ifndef TTP_CLI_RUN_LIMITS_H
#define TTP_CLI_RUN_LIMITS_H

#include "core/cmd.h"

/* At the start of the program, before the command line is known: defaults and environment; what
 * is invalid there is reported later. */
void ttp_run_limits_begin(void);
/* With the options of `cmd`. `input` is named if time runs out; NULL: none. TTP_EUSAGE: an option
 * or a variable that is invalid. */
TTP_NODISCARD ttp_code ttp_run_limits_set(const struct ttp_cmd *cmd,
                                          const struct ttp_common_opts *given, const char *input,
                                          struct ttp_err *err);
/* Removes the time limit: a server runs until it is stopped. */
void ttp_run_limits_no_time(void);

#endif
