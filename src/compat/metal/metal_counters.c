/* SPDX-License-Identifier: Apache-2.0 */
/* Performance counters of a damaged log: by run id and replay, as the original groups them. */
#include "base/order.h"
#include "base/vec.h"
#include "compat/metal/metal_markers.h"

struct sample_place {
    uint32_t row, exec, core;
    struct ttp_marker_table_counter counter;
};

TTP_ORDER(by_place, struct sample_place, TTP_UP(exec), TTP_UP(core), TTP_UP(row))

const struct ttp_exec *ttp_original_counters(const struct ttp_original *o, uint32_t device,
                                             uint32_t run, int64_t replay)
{
    for (size_t e = 0; e < o->log.nexecs; e++)
        if (o->exec_run[e] == run && o->log.exec[e].replay == replay &&
            o->log.exec[e].device == device)
            return &o->log.exec[e];
    return NULL;
}

static uint32_t counter_exec(struct ttp_original *o, const struct ttp_table_row *row,
                             struct ttp_arena *arena)
{
    const struct ttp_exec *known = ttp_original_counters(o, row->device, row->run, row->replay);

    if (known)
        return (uint32_t)(known - o->log.exec);
    TTP_ROOM(arena, o->log.exec, o->log.nexecs);
    TTP_ROOM(arena, o->exec_run, o->log.nexecs);
    o->log.exec[o->log.nexecs] = (struct ttp_exec){.device = row->device,
                                                   .run_id = ttp_original_id(&o->table, row->run),
                                                   .line = row->line,
                                                   .trace_id = row->trace_id,
                                                   .replay = row->replay,
                                                   .sub_device = TTP_NO_ID};
    o->exec_run[o->log.nexecs] = row->run;
    return (uint32_t)o->log.nexecs++;
}

ttp_code ttp_original_find_samples(struct ttp_original *o, const uint32_t *order,
                                   struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_marker_table *t = &o->table;
    struct sample_place *list = NULL;
    size_t n = 0;

    for (size_t i = 0; i < t->nrows; i++) {
        const struct ttp_table_row *row = &t->row[order[i]];
        struct ttp_marker_table_counter counter;

        if (!row->counter || (row->type != TTP_ROW_DATA && row->type != TTP_ROW_EVENT) ||
            t->lane[row->lane] != TTP_RISC_BRISC ||
            !ttp_marker_table_counter(&counter, row->meta, arena))
            continue;
        if (counter.value > UINT32_MAX || counter.reference > UINT32_MAX)
            return ttp_original_fail(row, "a performance counter beyond 32 bits", err);
        *TTP_PUSH(arena, list, n) =
            (struct sample_place){(uint32_t)i, counter_exec(o, row, arena), row->core, counter};
    }
    if (!n)
        return TTP_OK;
    TTP_SORT(list, n, by_place);
    o->log.sample = TTP_NEW(arena, struct ttp_counter_sample, n);
    o->log.part = TTP_NEW(arena, struct ttp_exec_core, n);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || list[i].exec != list[i - 1].exec || list[i].core != list[i - 1].core)
            o->log.part[o->log.nparts++] =
                (struct ttp_exec_core){.exec = list[i].exec, .core = list[i].core};
        o->log.sample[i] = (struct ttp_counter_sample){
            (uint32_t)o->log.nparts - 1, ttp_sym_intern(&o->log.counters, list[i].counter.name),
            (uint32_t)list[i].counter.value, (uint32_t)list[i].counter.reference,
            (uint64_t)t->row[order[list[i].row]].time};
    }
    o->log.nsamples = n;
    return TTP_OK;
}
