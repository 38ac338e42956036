/* SPDX-License-Identifier: Apache-2.0 */
/* counter_passes.c - hardware counters that another pass of the same run captured. */
#include "ops/join.h"

static uint64_t hash_of(const struct ttp_report_row *r)
{
    const struct ttp_exec_key key = {0, r->id, r->replay ? r->trace_id : TTP_NO_ID,
                                     r->replay ? r->session : TTP_NO_ID};

    return ttp_exec_key_hash(&key);
}

static bool is_same_op(const struct ttp_report_row *a, const struct ttp_report_row *b)
{
    return a->id == b->id && a->replay == b->replay &&
           (!a->replay || (a->trace_id == b->trace_id && a->session == b->session));
}

/* Of the rows that ran on a device. */
static void index_rows(struct ttp_map *out, const struct ttp_ops_report *pass)
{
    for (size_t i = 0; i < pass->nrows; i++)
        if (pass->row[i].device && !pass->row[i].signpost)
            ttp_map_add(out, hash_of(&pass->row[i]), (uint32_t)i);
}

static const struct ttp_report_row *find(const struct ttp_map *index,
                                         const struct ttp_ops_report *pass,
                                         const struct ttp_report_row *row)
{
    uint32_t at;

    TTP_MAP_EACH (at, index, hash_of(row))
        if (is_same_op(&pass->row[at], row))
            return &pass->row[at];
    return NULL;
}

void ttp_ops_take_counters(struct ttp_ops_report *report, const struct ttp_ops_report *pass,
                           struct ttp_arena *arena)
{
    struct ttp_map index = {.arena = arena};
    struct ttp_counted *all = TTP_NEW(arena, struct ttp_counted, report->ncounted + 1);

    if (!pass->counters)
        return;
    index_rows(&index, pass);
    if (report->ncounted)
        memcpy(all, report->counted, report->ncounted * sizeof(*all));
    struct ttp_counted *mine = &all[report->ncounted++];
    report->counted = all;
    mine->tables = pass->counters;
    mine->row = TTP_NEW(arena, const struct ttp_report_row *, report->nrows + 1);
    for (size_t i = 0; i < report->nrows; i++)
        if (!report->row[i].signpost)
            mine->row[i] = find(&index, pass, &report->row[i]);
}
