/* SPDX-License-Identifier: Apache-2.0 */
/* docs/schemas/tt-perf.annotate-1.json describes what is written here. */
#include "outputs/json_members.h"
#include "outputs/outputs.h"

static void put_cycles(struct ttp_json_writer *w, const struct ttp_cycle_count *c)
{
    ttp_member_u64(w, "count", c->count);
    ttp_member_u64(w, "total_cycles", c->sum);
    ttp_member_u64(w, "min_cycles", c->min);
    ttp_member_u64(w, "max_cycles", c->max);
}

static void put_waits(struct ttp_json_writer *w, const struct ttp_annotate_view *v,
                      const struct ttp_annotated_thread *t, int64_t line)
{
    const struct ttp_dma_barrier *barrier = ttp_kernel_find_barrier(v->waits, t->kernel, line);
    const struct ttp_wait_source *s;

    ttp_member_array(w, "waits_for");
    for (size_t i = 0; (s = ttp_kernel_find_source(v->waits, t->kernel, line, i)); i++) {
        ttp_json_begin_object(w);
        ttp_member_str(w, "what", s->dma ? TTP_STR("DMA") : TTP_STR("compute"));
        ttp_member_str(w, "kernel", s->from_kernel);
        ttp_member_i64(w, "line", s->from_line);
        ttp_member_i64(w, "buffer", s->buffer);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    if (barrier)
        ttp_member_i64(w, "dma_barrier_of_buffer", barrier->buffer);
    else
        ttp_member_null(w, "dma_barrier_of_buffer");
}

static void put_line(struct ttp_json_writer *w, const struct ttp_annotate_view *v,
                     const struct ttp_annotated_thread *t, const struct ttp_annotated_line *l,
                     const struct ttp_annotated_thread *other)
{
    const uint64_t all = t->kernel_cycles ? t->kernel_cycles : t->zone_cycles;
    const struct ttp_annotated_line *before = other ? ttp_kernel_find_line(other, l->line) : NULL;

    ttp_json_begin_object(w);
    ttp_member_i64(w, "line", l->line);
    put_cycles(w, &l->all);
    ttp_member_fixed(w, "time_pct", all ? 100.0 * (double)l->all.sum / (double)all : 0, 2);
    if (t->source && l->line > 0 && l->line <= (int64_t)t->source->nlines)
        ttp_member_str(w, "source", t->source->line[l->line - 1]);
    else
        ttp_member_null(w, "source");
    ttp_member_array(w, "ops");
    for (size_t i = 0; i < l->nparts; i++) {
        ttp_json_begin_object(w);
        ttp_member_str(w, "name", l->part[i].name);
        ttp_member_bool(w, "implicit", l->part[i].implicit);
        put_cycles(w, &l->part[i].cycles);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    put_waits(w, v, t, l->line);
    if (v->other) {
        ttp_member_fixed(w, "cycles_per_core",
                         (double)l->all.sum / (double)(t->cores ? t->cores : 1), 2);
        if (before)
            ttp_member_fixed(w, "cycles_per_core_before",
                             (double)before->all.sum / (double)(other->cores ? other->cores : 1),
                             2);
        else
            ttp_member_null(w, "cycles_per_core_before");
    }
    ttp_json_end_object(w);
}

static void put_thread(struct ttp_json_writer *w, const struct ttp_annotate_view *v,
                       const struct ttp_annotated_thread *t)
{
    const struct ttp_annotated_thread *other = NULL;

    for (size_t i = 0; v->other && i < v->other->nthreads; i++)
        if (v->other->thread[i].risc == t->risc &&
            ttp_str_eq(v->other->thread[i].kernel, t->kernel) &&
            (t->kernel.len || ttp_str_eq(v->other->thread[i].file, t->file)))
            other = &v->other->thread[i];
    ttp_json_begin_object(w);
    ttp_member_str(w, "thread", ttp_str_from(ttp_kernel_risc_name(t->risc)));
    ttp_member_str_or_null(w, "kernel", t->kernel);
    ttp_member_str_or_null(w, "path", t->source ? ttp_str_from(t->source->path) : t->file);
    ttp_member_bool(w, "has_source", t->source != NULL);
    ttp_member_u64(w, "cores", t->cores);
    ttp_member_u64(w, "kernel_cycles", t->kernel_cycles);
    ttp_member_u64(w, "zone_cycles", t->zone_cycles);
    ttp_member_u64(w, "zones", t->zones);
    ttp_member_array(w, "lines");
    for (size_t i = 0; i < t->nlines; i++)
        put_line(w, v, t, &t->line[i], other);
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

void ttp_out_annotate_json(struct ttp_json_writer *w, const struct ttp_annotate_view *v)
{
    ttp_json_begin_object(w);
    ttp_member_u64(w, "clock_mhz", v->clock_mhz);
    ttp_member_u64(w, "invocations", v->invocations);
    ttp_member_u64(w, "invocations_shown", v->run->invocations);
    ttp_member_array(w, "threads");
    for (size_t i = 0; i < v->run->nthreads; i++)
        put_thread(w, v, &v->run->thread[i]);
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}
