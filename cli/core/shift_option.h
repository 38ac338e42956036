/* SPDX-License-Identifier: Apache-2.0 */
/* shift_option.h - --shift RANK=N of verbs that align the ops of ranks. */
#ifndef TTP_CLI_SHIFT_OPTION_H
#define TTP_CLI_SHIFT_OPTION_H

#include "mesh/mesh.h"

TTP_NODISCARD ttp_code ttp_parse_shifts(struct ttp_mesh_options *out, const struct ttp_words *given,
                                        struct ttp_arena *arena, struct ttp_err *err);
/* Are they of ranks that the run has? */
TTP_NODISCARD ttp_code ttp_check_shifts(const struct ttp_mesh_options *given, const int64_t *rank,
                                        size_t ranks, struct ttp_err *err);

#endif
