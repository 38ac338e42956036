/* SPDX-License-Identifier: Apache-2.0 */
/* Plots and memory. */
#include "base/order.h"
#include "capture/tracy_write.h"

/* Points of a plot come from all threads that draw it; those of one time stay as they came. */
struct dated_point {
    int64_t ns;
    double value;
    size_t at;
};

TTP_ORDER(by_time, struct dated_point, TTP_UP(ns), TTP_UP(at))

static void write_points(struct ttp_tracy_file *f, const struct ttp_kept_plot *plot)
{
    const struct ttp_mark mark = ttp_arena_mark(f->plan->arena);
    struct dated_point *point = TTP_NEW(f->plan->arena, struct dated_point, plot->count + 1);
    bool sorted = true;
    int64_t last = 0;

    for (size_t i = 0; i < plot->count; i++) {
        point[i] = (struct dated_point){ttp_tracy_fit(f->plan, plot->point[i].ns),
                                        plot->point[i].value, i};
        sorted = sorted && (i == 0 || point[i - 1].ns <= point[i].ns);
    }
    if (!sorted)
        TTP_SORT(point, plot->count, by_time);
    ttp_tracy_put64(f->out, plot->count);
    for (size_t i = 0; i < plot->count; i++) {
        ttp_tracy_put_time(f->out, &last, point[i].ns);
        ttp_tracy_put_f64(f->out, point[i].value);
    }
    ttp_arena_rewind(f->plan->arena, mark);
}

static void write_plot(struct ttp_tracy_file *f, const struct ttp_kept_plot *plot, uint64_t id)
{
    enum { FORMATS = 4 };
    double least = 0, most = 0, sum = 0;

    for (size_t i = 0; i < plot->count; i++) {
        const double v = plot->point[i].value;

        least = i == 0 || v < least ? v : least;
        most = i == 0 || v > most ? v : most;
        sum += v;
    }
    ttp_tracy_put8(f->out, plot->type);
    ttp_tracy_put8(f->out, plot->format < FORMATS ? plot->format : 0);
    ttp_tracy_put8(f->out, plot->steps != 0);
    ttp_tracy_put8(f->out, plot->fill != 0);
    ttp_tracy_put32(f->out, plot->color);
    ttp_tracy_put64(f->out, id);
    ttp_tracy_put_f64(f->out, least);
    ttp_tracy_put_f64(f->out, most);
    ttp_tracy_put_f64(f->out, sum);
    write_points(f, plot);
}

void ttp_tracy_write_plots(struct ttp_tracy_file *f)
{
    const struct ttp_wire_keep *k = f->plan->keep;
    uint64_t drawn = 0;

    for (size_t i = 0; i < k->nplots; i++)
        drawn += k->plot[i].count != 0; /* viewers expect a point */
    ttp_tracy_put64(f->out, drawn);
    for (size_t i = 0; i < k->nplots; i++)
        if (k->plot[i].count)
            write_plot(f, &k->plot[i], f->plan->plot_id[i]);
}

static void write_pool(struct ttp_tracy_out *out, const struct ttp_tracy_pool *pool)
{
    int64_t last = 0;

    ttp_tracy_put64(out, pool->id);
    ttp_tracy_put64(out, pool->count);
    ttp_tracy_put64(out, pool->count - pool->freed);
    ttp_tracy_put64(out, pool->freed);
    for (size_t i = 0; i < pool->count; i++) {
        const struct ttp_tracy_allocation *a = &pool->item[i];

        ttp_tracy_put64(out, a->address);
        ttp_tracy_put64(out, a->bytes);
        ttp_tracy_put_zeros(out, 3 + 3); /* call stacks */
        ttp_tracy_put_time(out, &last, a->taken_ns);
        ttp_tracy_put64(out, (uint64_t)(a->freed_ns < 0 ? -1 : a->freed_ns - a->taken_ns));
        ttp_tracy_put16(out, a->taken_by);
        ttp_tracy_put16(out, a->freed_by);
    }
    ttp_tracy_put64(out, pool->high);
    ttp_tracy_put64(out, pool->low);
    ttp_tracy_put64(out, pool->usage);
    ttp_tracy_put64(out, pool->id);
}

void ttp_tracy_write_memory(struct ttp_tracy_file *f)
{
    ttp_tracy_put64(f->out, f->plan->npools);
    ttp_tracy_put64(f->out, f->plan->allocations);
    for (size_t i = 0; i < f->plan->npools; i++)
        write_pool(f->out, &f->plan->pool[i]);
}
