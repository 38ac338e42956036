/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/join.h"

void ttp_ops_row_parts(struct ttp_row_parts *out, const struct ttp_ops_report *report, size_t row)
{
    const struct ttp_report_row *r = &report->row[row];

    *out = (struct ttp_row_parts){
        .time_ns = r->time_ns,
        .signpost = r->signpost,
        .op = r->op,
        .exec = r->device ? r->device->exec : NULL,
        .cpp = r->cpp,
        .mhz = r->mhz,
        .replay = r->replay,
        .trace_id = r->replay ? r->trace_id : TTP_NO_ID,
        .session = r->replay ? r->session : TTP_NO_ID,
    };
}
