/* SPDX-License-Identifier: Apache-2.0 */
/* report_columns.h - private to ops: which columns a report has, in which order. */
#ifndef TTP_OPS_REPORT_COLUMNS_H
#define TTP_OPS_REPORT_COLUMNS_H

#include "ops/join.h"
#include "ops/ops_columns.h"

/* The field that a member of an op's description goes to, or -1: "op_code" is OP CODE. */
int ttp_ops_field_of_member(ttp_str key);

enum ttp_column_kind {
    COLUMN_FIELD,
    COLUMN_INPUT,
    COLUMN_OUTPUT,
    COLUMN_KERNEL_SIZE,
    COLUMN_COUNTER,
    COLUMN_CHILD,
    COLUMN_MLIR,
};

struct ttp_column {
    enum ttp_column_kind kind;
    ttp_str name;
    uint32_t index; /* field, tensor, counter column, child's symbol, message of tt-mlir */
    uint32_t cell;  /* of a tensor; of a counter: its pass + 1, 0: the run itself */
};

struct ttp_columns {
    struct ttp_column *column;
    size_t ncolumns;
};

/* `present`: fields that some row has a value in; NULL: all are shown. */
void ttp_ops_columns_choose(struct ttp_columns *out, const struct ttp_ops_report *report,
                            const bool *present, struct ttp_arena *arena);

#endif
