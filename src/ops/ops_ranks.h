/* SPDX-License-Identifier: Apache-2.0 */
/* ops_ranks.h - devices of a file with the rows of several ranks. Private to ops. */
#ifndef TTP_OPS_OPS_RANKS_H
#define TTP_OPS_OPS_RANKS_H

#include "ops/ops.h"

/* Ids repeat in every rank: number the devices of the rows from `from` on by rank and id, from 0,
 * and keep what they are called, after the `before` devices of files before this one. */
void ttp_ops_number_ranks(struct ttp_ops *ops, size_t from, int64_t before,
                          struct ttp_arena *arena);

#endif
