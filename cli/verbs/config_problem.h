/* SPDX-License-Identifier: Apache-2.0 */
/* config_problem.h - the matmul of `tt-perf config`: as typed, of a capture or of a run. */
#ifndef TTP_CLI_CONFIG_PROBLEM_H
#define TTP_CLI_CONFIG_PROBLEM_H

#include "verbs/config_job.h"

/* The board of that name; TTP_EUSAGE: none. */
TTP_NODISCARD ttp_code ttp_config_board(const struct ttp_board **out,
                                        const struct ttp_config_job *j, const char *name);
/* Facts of the problem from the options. */
TTP_NODISCARD ttp_code ttp_config_set_all(struct ttp_config_job *j);

/* The run of --run, with the memory of its ops. */
TTP_NODISCARD ttp_code ttp_config_read_run(struct ttp_config_job *j);
/* The board of the options, or of the run that was read; NULL: unknown. */
const struct ttp_board *ttp_config_board_of_run(const struct ttp_config_job *j);

/* The matmul that operands and options name, with their facts. */
TTP_NODISCARD ttp_code ttp_config_read_problem(struct ttp_config_job *j);

#endif
