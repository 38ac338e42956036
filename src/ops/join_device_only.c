/* SPDX-License-Identifier: Apache-2.0 */
/* A report of the device log alone: one row for each op that ran, without names. */
#include "base/vec.h"
#include "ops/join.h"

static void put_rows(struct ttp_joining *j, const struct ttp_device_ops *found, uint32_t device)
{
    for (size_t i = 0; i < found->nops; i++) {
        const struct ttp_device_op *op = &found->op[i];
        const struct ttp_exec *e = op->exec;
        struct ttp_report_row row = {.id = op->last_id,
                                     .device = op,
                                     .trace_id = e->trace_id,
                                     .session = e->replay,
                                     .sub_device = e->sub_device};

        if (j->look) {
            row.sub_device = j->look->op_sub_device(j->look, device, op);
            row.key = j->look->counters(j->look, device, op, TTP_NO_ID);
        } else if (j->options->rules.by_position) {
            row.sub_device = ttp_ops_join_sub_device(
                j, (struct ttp_exec_key){j->logs->device->device[device], op->last_id, TTP_NO_ID,
                                         TTP_NO_ID});
            row.key = e->replay == TTP_NO_ID ? e : NULL; /* counters of replays are not looked up */
        } else {
            row.key = e;
        }
        *TTP_PUSH(j->arena, j->replay, j->nreplays) = row;
    }
}

ttp_code ttp_ops_join_device_only(struct ttp_joining *j, struct ttp_err *err)
{
    const struct ttp_device_log *log = j->logs->device;
    struct ttp_part_index parts;

    if (!log)
        return TTP_OK;
    ttp_ops_part_index_build(&parts, log, j->arena);
    TTP_TRY(ttp_ops_join_check_dispatch(j, err));
    for (uint32_t d = 0; d < log->ndevices; d++) {
        struct ttp_device_ops found;

        if (j->look)
            found = j->look->found[d];
        else
            TTP_TRY(ttp_ops_device_find(&found,
                                        &(struct ttp_device_search){log, &parts, d,
                                                                    j->options->rules.by_position,
                                                                    j->report->problem},
                                        j->arena, err));
        ttp_ops_device_mask(&found, j->wanted);
        TTP_TRY(ttp_ops_join_check_analyses(j, &found, err));
        put_rows(j, &found, d);
    }
    if (!j->options->rules.gaps_by_row)
        ttp_ops_join_gaps(j);
    j->report->row = j->replay;
    j->report->nrows = j->nreplays;
    return TTP_OK;
}
