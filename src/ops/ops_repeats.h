/* SPDX-License-Identifier: Apache-2.0 */
/* ops_repeats.h - rows of a file that are there twice. Private to ops. */
#ifndef TTP_OPS_OPS_REPEATS_H
#define TTP_OPS_OPS_REPEATS_H

#include "ops/ops.h"

/* Is one execution of an op, by its call, device and cycles, in two rows from `from` on? These are
 * then *first and *again. */
bool ttp_ops_find_repeat(const struct ttp_ops *ops, size_t from, size_t *first, size_t *again);

#endif
