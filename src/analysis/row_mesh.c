/* SPDX-License-Identifier: Apache-2.0 */
/* row_mesh.c - what rows of several devices say about each other. */
#include "analysis/phases.h"
#include "analysis/stages.h"
#include "base/order.h"

/* Device ids of the rows where they change: into `id`, or only counted if it is NULL. */
static size_t list_changes(const struct ttp_stage *s, const struct ttp_rows *rows, double *id)
{
    double v, last = 0;
    size_t n = 0;

    for (size_t i = 0; i < rows->count; i++) {
        if (!ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_DEVICE, rows->row[i]), &v) ||
            (n && v == last))
            continue;
        last = v;
        if (id)
            id[n] = v;
        n++;
    }
    return n;
}

/* Ids come in runs, so only changes are collected. */
size_t ttp_stage_count_devices(const struct ttp_stage *s, const struct ttp_rows *rows)
{
    const size_t n = list_changes(s, rows, NULL);
    double *id = TTP_NEW(s->arena, double, n);
    size_t distinct = 0;

    (void)list_changes(s, rows, id);
    TTP_SORT(id, n, ttp_by_f64);
    for (size_t i = 0; i < n; i++)
        distinct += i == 0 || id[i] != id[i - 1];
    return distinct;
}

bool ttp_stage_skew(const struct ttp_stage *s, uint32_t row, double *ns, ttp_sym *last)
{
    const struct ttp_spread *sum = s->spread ? &s->spread[row] : NULL;

    *last = sum && sum->count ? sum->last : ttp_ops_sym(s->ops, TTP_OPS_LAST, row);
    if (!sum || sum->count == 0)
        return ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_SKEW_NS, row), ns);
    *ns = sum->skews ? sum->skew_ns / sum->skews : 0;
    return sum->skews > 0;
}

/* The only candidate is what is left when different ones cancel out. */
ttp_sym ttp_phase_last(const struct ttp_stage *s, const struct ttp_passes *passes, size_t d,
                       size_t k)
{
    const size_t n = passes->count[d];
    ttp_sym candidate = TTP_SYM_MISSING;
    size_t left = 0, votes = 0;

    for (size_t i = 0; i < n; i++) {
        const struct ttp_pass *p = &passes->pass[d][i];
        const ttp_sym last =
            k < p->count ? ttp_ops_sym(s->ops, TTP_OPS_LAST, p->row[k]) : TTP_SYM_MISSING;
        if (left == 0)
            candidate = last;
        if (candidate == last)
            left++;
        else
            left--;
    }
    for (size_t i = 0; i < n; i++) {
        const struct ttp_pass *p = &passes->pass[d][i];
        votes += k < p->count && ttp_ops_sym(s->ops, TTP_OPS_LAST, p->row[k]) == candidate;
    }
    return votes * 2 > n ? candidate : TTP_SYM_MISSING;
}
