/* SPDX-License-Identifier: Apache-2.0 */
/* ops_settle.h - the type of each column once its file is read. Private to ops. */
#ifndef TTP_OPS_OPS_SETTLE_H
#define TTP_OPS_OPS_SETTLE_H

#include "ops/ops.h"

/* Cells of the rows from `from` on, as the file has them, get the kind their column has.
 * data_frame: the whole column is of one kind, as in pandas; otherwise a bad cell is bad alone. */
void ttp_ops_settle_number(struct ttp_ops *ops, struct ttp_number_column *n, size_t from,
                           bool data_frame);
/* seen: bit k is set if a cell of kind k is among them. True: they are numbers. */
bool ttp_ops_settle_text(struct ttp_ops *ops, struct ttp_text_column *t, size_t from, unsigned seen,
                         bool data_frame);
/* Device ids are numbers whatever else the column holds; text becomes missing. */
void ttp_ops_settle_device(struct ttp_ops *ops, size_t from);
/* Over all files: a column is whole only if each file's part is; a part may lack the column. */
void ttp_ops_settle_stack(struct ttp_ops *ops);

#endif
