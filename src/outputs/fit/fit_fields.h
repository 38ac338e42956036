/* SPDX-License-Identifier: Apache-2.0 */
/* fit_fields.h - figures of what fits a core. Private to outputs. */
#ifndef TTP_OUTPUTS_FIT_FIT_FIELDS_H
#define TTP_OUTPUTS_FIT_FIT_FIELDS_H

#include "outputs/outputs.h"

#define TTP_FIT_EDGE_GOOD 8 /* tiles: TT-Lang notes */

struct ttp_fit_buffer_row {
    struct ttp_fit_buffer of;
    ttp_str largest; /* "348 tiles: 87x4 or 4x87" */
};

struct ttp_fit_op_row {
    struct ttp_fit_op of;
    uint64_t id;
    ttp_str op;
    uint64_t left_bytes;
    bool fits;
};

extern const struct ttp_fields ttp_fit_core_fields;       /* of struct ttp_fit_core */
extern const struct ttp_fields ttp_fit_plan_fields;       /* of struct ttp_fit_plan */
extern const struct ttp_fields ttp_fit_buffer_fields;     /* of struct ttp_fit_buffer_row */
extern const struct ttp_fields ttp_fit_step_fields;       /* of struct ttp_fit_step */
extern const struct ttp_fields ttp_fit_table_fields;      /* of struct ttp_fit_table */
extern const struct ttp_fields ttp_fit_kernel_fields;     /* of struct ttp_fit_kernel */
extern const struct ttp_fields ttp_fit_kernel_dfb_fields; /* of struct ttp_fit_dfb */
extern const struct ttp_fields ttp_fit_op_fields;         /* of struct ttp_fit_op_row */

#endif
