/* SPDX-License-Identifier: Apache-2.0 */
/* ops_columns.h - which column of a file is which. Private to ops. */
#ifndef TTP_OPS_OPS_COLUMNS_H
#define TTP_OPS_OPS_COLUMNS_H

#include "ops/ops.h"

/* Where the columns we read are in one file; TTP_NPOS: not there. */
struct ttp_ops_header {
    size_t columns;
    size_t text[TTP_OPS_TEXTS];
    size_t number[TTP_OPS_NUMBERS];
    bool padded_dims; /* some name has _PAD[LOGICAL] */
};

/* Names are used exactly as they are; of equal ones the first counts. */
void ttp_ops_match_header(struct ttp_ops_header *h, const ttp_str *name, size_t count);

/* Every row has `by` fields in front of the first column. */
void ttp_ops_shift_header(struct ttp_ops_header *h, size_t by);

/* TTP_EPARSE with the best guess at what the file is, given its header and a column it lacks. */
ttp_code ttp_ops_explain_header(const ttp_str *name, size_t count, const char *missing,
                                struct ttp_err *err);

/* TTP_EPARSE if a file that starts like this is not text in lines: a capture, JSON, a picture. */
TTP_NODISCARD ttp_code ttp_ops_check_content(ttp_str start, struct ttp_err *err);

#endif
