/* SPDX-License-Identifier: Apache-2.0 */
/* row_filter.c - only the rows of one rank or device. */
#include "analysis/stages.h"

struct wanted {
    bool by_rank, by_id;
    int64_t rank, id;
};

static ttp_code bad(const char *option, const char *text, const char *form, struct ttp_err *err)
{
    const ttp_code rc =
        ttp_fail(err, TTP_EUSAGE, "option '%s': '%s' is not %s", option, text, form);

    ttp_err_hint(err, "write a device as RANK:ID or ID");
    return rc;
}

static ttp_code parse(struct wanted *out, const struct ttp_report_options *o, struct ttp_err *err)
{
    ttp_str part[3];

    *out = (struct wanted){0};
    if (o->rank) {
        if (!ttp_str_to_i64(ttp_str_from(o->rank), &out->rank) || out->rank < 0)
            return bad("--rank", o->rank, "the number of a rank", err);
        out->by_rank = true;
    }
    if (!o->device)
        return TTP_OK;
    const size_t n = ttp_str_split(ttp_str_from(o->device), ':', part, 3);
    int64_t rank = 0;
    if (n < 1 || n > 2 || !ttp_str_to_i64(part[n - 1], &out->id) || out->id < 0 ||
        (n == 2 && (!ttp_str_to_i64(part[0], &rank) || rank < 0)))
        return bad("--device", o->device, "a device", err);
    if (n == 2 && out->by_rank && out->rank != rank)
        return ttp_fail(err, TTP_EUSAGE, "'--rank %s' conflicts with '--device %s'", o->rank,
                        o->device);
    out->by_id = true;
    if (n == 2) {
        out->by_rank = true;
        out->rank = rank;
    }
    return TTP_OK;
}

static bool is_wanted(const struct ttp_ops *ops, const struct wanted *w, uint32_t row)
{
    double v;

    if (!ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_DEVICE, row), &v)) {
        /* of the host: with its rank */
        return !w->by_rank || !ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_RANK, row), &v) ||
               v == (double)w->rank;
    }
    struct ttp_ops_device d = {.id = (int64_t)v};
    if (v >= 0 && v < (double)ops->devices)
        d = ops->device[(size_t)v];
    return (!w->by_rank || d.rank == w->rank) && (!w->by_id || d.id == w->id);
}

ttp_code ttp_stage_select(struct ttp_stage *s, struct ttp_rows *rows, struct ttp_err *err)
{
    struct wanted w;
    size_t n = 0, devices = 0;
    double v;

    if (!s->options->rank && !s->options->device)
        return TTP_OK;
    TTP_TRY(parse(&w, s->options, err));
    for (size_t i = 0; i < rows->count; i++) {
        if (!is_wanted(s->ops, &w, rows->row[i]))
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
