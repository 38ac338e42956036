/* SPDX-License-Identifier: Apache-2.0 */
/* per_core_op_to_op_times.csv of a damaged log; see per_core_times.c. */
#include <inttypes.h>

#include "base/order.h"

#include "compat/metal/metal_markers.h"

/* What the profiler itself adds between two ops, as the original subtracts it. */
#define OVERHEAD 1500

struct gap {
    int64_t start, cycles;
    uint32_t from, to; /* run ids */
    size_t core;       /* in order of the columns */
    bool picked;
};

struct column {
    const struct ttp_table_value *x, *y;
    uint32_t core, device;
    size_t next, end; /* its gaps */
};

/* As Python sorts: numbers by value, texts by letters. */
static int compare(const struct ttp_table_value *x, const struct ttp_table_value *y)
{
    if (x->number && y->number)
        return x->i < y->i ? -1 : x->i > y->i;
    return ttp_str_cmp(x->text, y->text);
}

TTP_ORDER(by_place, struct column, compare(x->x, y->x), compare(x->y, y->y))

struct ordered_gap {
    const struct ttp_table_value *value;
    struct gap *gap;
};

static int by_start(const void *a, const void *b)
{
    const struct ordered_gap *x = a, *y = b;
    int order;

    if (x->gap->start != y->gap->start)
        return x->gap->start < y->gap->start ? -1 : 1;
    if ((order = compare(&x->value[x->gap->from], &y->value[y->gap->from])) != 0 ||
        (order = compare(&x->value[x->gap->to], &y->value[y->gap->to])) != 0)
        return order;
    if (x->gap->cycles != y->gap->cycles)
        return x->gap->cycles < y->gap->cycles ? -1 : 1;
    return x->gap->core < y->gap->core ? -1 : x->gap->core > y->gap->core;
}

/* From the end of a kernel to the next start of one that moves data. `out` NULL: only look;
 * *lost: before some end no op had begun. Returns how many there are. */
static size_t core_gaps(struct gap *out, const struct ttp_original *o, uint32_t core, size_t column,
                        const struct ttp_table_row **lost)
{
    const struct ttp_marker_table *t = &o->table;
    const struct ttp_table_row *end = NULL, *begin = NULL, *begin_at_end = NULL;
    size_t n = 0;

    for (uint32_t i = o->core_from[core]; i < o->core_from[core + 1]; i++) {
        const struct ttp_table_row *row = &t->row[o->by_core[i]];
        const struct ttp_zone *zone = ttp_original_zone(o, row);

        if (row->type == TTP_ROW_START && zone->iteration)
            begin = row;
        if (end && row->type == TTP_ROW_START && zone->tensix_dm) {
            if (!begin || !begin_at_end) {
                *lost = row;
            } else if (begin->time != begin_at_end->time) {
                if (out)
                    out[n] = (struct gap){
                        end->time, row->time - end->time, end->run, row->run, column, false};
                n++;
            }
            end = NULL;
        } else if (row->type == TTP_ROW_END && zone->kernel) {
            end = row;
            begin_at_end = begin;
        }
    }
    return n;
}

static bool is_wanted(const struct ttp_original *o)
{
    return o->wanted >> TTP_AN_OP_TO_OP & 1;
}

ttp_code ttp_original_check_cores(const struct ttp_original *o, struct ttp_err *err)
{
    const struct ttp_table_row *lost = NULL;

    for (uint32_t c = 0; c < o->table.ncores && !lost && is_wanted(o); c++)
        (void)core_gaps(NULL, o, c, 0, &lost);
    if (!lost)
        return TTP_OK;
    ttp_fail(err, TTP_EPARSE, "a kernel starts on a core whose firmware did not start");
    ttp_err_where(err, "profile_log_device.csv", lost->line);
    return TTP_EPARSE;
}

struct writing {
    const struct ttp_original *o;
    struct ttp_sink *out;
    struct column *all; /* columns of the file */
    size_t nall;
    struct ttp_arena *scratch;
};

static void put_cycles(const struct writing *w, int64_t cycles)
{
    ttp_sink_i64(w->out, cycles);
    if (w->o->table.float_times)
        ttp_sink_put(w->out, TTP_STR(".0"));
}

/* All cores that go from one op to the next at this point make one row. */
static void put_row(const struct writing *w, struct column *core, size_t ncores, struct gap *gap,
                    const struct gap *g)
{
    size_t c = 0;

    for (size_t i = 0; i < w->nall; i++) {
        ttp_sink_char(w->out, ',');
        while (c < ncores && by_place(&core[c], &w->all[i]) < 0)
            c++;
        if (c == ncores || by_place(&core[c], &w->all[i]) != 0)
            continue;
        struct gap *next = &gap[core[c].next];
        if (core[c].next == core[c].end || next->from != g->from || next->to != g->to)
            continue;
        next->picked = true;
        core[c].next++;
        put_cycles(w, next->cycles - OVERHEAD);
    }
}

static void put_device(const struct writing *w, struct column *core, size_t ncores)
{
    const struct ttp_marker_table *t = &w->o->table;
    const struct ttp_table_row *lost = NULL;
    size_t n = 0, ngaps = 0;

    for (size_t c = 0; c < ncores && is_wanted(w->o); c++)
        ngaps += core_gaps(NULL, w->o, core[c].core, c, &lost);
    struct gap *gap = TTP_NEW(w->scratch, struct gap, ngaps);
    struct ordered_gap *order = TTP_NEW(w->scratch, struct ordered_gap, ngaps);
    for (size_t c = 0; c < ncores && is_wanted(w->o); c++) {
        core[c].next = n;
        n += core_gaps(gap + n, w->o, core[c].core, c, &lost);
        core[c].end = n;
    }
    for (size_t i = 0; i < n; i++)
        order[i] = (struct ordered_gap){t->value, &gap[i]};
    TTP_SORT(order, n, by_start);
    for (size_t i = 0; i < n; i++) {
        const struct gap *g = order[i].gap;

        if (g->picked)
            continue;
        ttp_sink_printf(w->out, "%.*s,%.*s -> %.*s",
                        TTP_FMT(t->value[t->device[core[0].device]].text),
                        TTP_FMT(t->value[g->from].text), TTP_FMT(t->value[g->to].text));
        put_row(w, core, ncores, gap, g);
        ttp_sink_put(w->out, TTP_STR("\r\n"));
    }
}

void ttp_original_write_per_core(struct ttp_sink *out, const struct ttp_original *o,
                                 struct ttp_arena *scratch)
{
    const struct ttp_marker_table *t = &o->table;
    struct writing w = {.o = o, .out = out, .scratch = scratch};
    struct column *core = TTP_NEW(scratch, struct column, t->ncores);

    w.all = TTP_NEW(scratch, struct column, t->ncores);
    for (uint32_t c = 0; c < t->ncores; c++)
        w.all[c] = (struct column){.x = &t->value[t->core[c].x],
                                   .y = &t->value[t->core[c].y],
                                   .core = c,
                                   .device = t->core[c].device};
    TTP_SORT(w.all, t->ncores, by_place);
    memcpy(core, w.all, t->ncores * sizeof(*core));
    for (size_t i = 0; i < t->ncores; i++)
        if (w.nall == 0 || by_place(&w.all[w.nall - 1], &w.all[i]) != 0)
            w.all[w.nall++] = w.all[i];
    ttp_sink_put(out, TTP_STR("device ID,op2op ID"));
    for (size_t i = 0; i < w.nall; i++)
        ttp_sink_printf(out, ",%.*s; %.*s [ns]", TTP_FMT(w.all[i].x->text),
                        TTP_FMT(w.all[i].y->text));
    ttp_sink_put(out, TTP_STR("\r\n"));
    for (uint32_t d = 0; d < t->ndevices; d++) {
        struct column *own = TTP_NEW(scratch, struct column, t->ncores);
        size_t n = 0;

        for (size_t c = 0; c < t->ncores; c++)
            if (core[c].device == d)
                own[n++] = core[c];
        put_device(&w, own, n);
    }
}
