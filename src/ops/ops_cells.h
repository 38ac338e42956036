/* SPDX-License-Identifier: Apache-2.0 */
/* ops_cells.h - the meaning of the text of one CSV cell. Rules of pandas' default reader, which
 * every tool that reads these files shares: they decide whether a report shows 64 or 64.0. Private
 * to ops. */
#ifndef TTP_OPS_OPS_CELLS_H
#define TTP_OPS_OPS_CELLS_H

#include "ops/ops.h"

/* Missing: empty or one of the words for "not available"; number: a whole number of 64 bits, one of
 * more bits (TTP_CELL_BIG), else a decimal one; True or False in any case is TTP_CELL_BOOL. *value
 * is set for TTP_CELL_INT, TTP_CELL_FLOAT and TTP_CELL_BOOL. */
enum ttp_cell_kind ttp_ops_classify_cell(ttp_str text, union ttp_cell_value *value);

/* Decimal text as pandas converts it, which is not always the nearest double: at most 17 digits
 * count, then one multiplication or division by a power of ten. False: not a number for it. */
bool ttp_ops_pandas_f64(ttp_str text, double *out);

/* The double that pandas makes of a whole number in a column that has decimal ones. */
double ttp_ops_pandas_f64_of_i64(int64_t v);

/* A whole number without '-', blanks around it allowed; false: not one of 64 bits. */
bool ttp_ops_parse_u64(ttp_str text, uint64_t *out);

/* How far the digits that a text begins with are beyond 64 bits, whatever follows them: pandas
 * stops there. 0: not, 1: beyond signed ones, 2: beyond unsigned ones as well. */
int ttp_ops_digits_overflow(ttp_str text);

#endif
