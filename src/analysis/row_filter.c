/* SPDX-License-Identifier: Apache-2.0 */
/* row_filter.c - only the rows of one rank or device. */
#include "analysis/stages.h"

ttp_code ttp_analysis_stage_select(struct ttp_stage *s, struct ttp_rows *rows, struct ttp_err *err)
{
    struct ttp_device_choice choice;
    size_t n = 0, devices = 0;
    double v;

    if (!s->options->rank && !s->options->device)
        return TTP_OK;
    TTP_TRY(ttp_ops_parse_choice(&choice, s->options->rank, s->options->device, err));
    for (size_t i = 0; i < rows->count; i++) {
        if (!ttp_ops_is_chosen(s->ops, &choice, rows->row[i]))
            continue;
        devices += ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_DEVICE, rows->row[i]), &v);
        rows->row[n++] = rows->row[i];
    }
    rows->count = n;
    if (devices == 0)
        return ttp_fail(err, TTP_ENOTFOUND, "no op of %s %s",
                        s->options->device ? "device" : "rank",
                        s->options->device ? s->options->device : s->options->rank);
    return TTP_OK;
}
