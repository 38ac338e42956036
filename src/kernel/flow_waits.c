/* SPDX-License-Identifier: Apache-2.0 */
/* The target of a wait, from the flow graph: a buffer that a transfer fills is waited for at the
 * transfer's barrier, one that compute fills at the reserve of its producer. */
#include "kernel/kernel.h"

static bool is_dir(const struct ttp_flow_op *op, const char *direction)
{
    return ttp_str_eq(op->direction, ttp_str_from(direction));
}

static const struct ttp_flow_op *first_of(const struct ttp_flow_buffer *b, enum ttp_flow_list list,
                                          const char *direction)
{
    for (size_t i = 0; i < b->nops[list]; i++)
        if (is_dir(&b->op[list][i], direction))
            return &b->op[list][i];
    return NULL;
}

static void set_source(struct ttp_flow_waits *out, const struct ttp_wait_source *s, bool reads_only)
{
    for (size_t i = 0; i < out->nsources; i++) {
        const struct ttp_wait_source *o = &out->source[i];
        if (o->line == s->line && ttp_str_eq(o->kernel, s->kernel) &&
            (reads_only || o->buffer == s->buffer)) {
            out->source[i] = *s;
            return;
        }
    }
    out->source[out->nsources++] = *s;
}

static void add_sources(struct ttp_flow_waits *out, const struct ttp_flow_buffer *b,
                        bool reads_only)
{
    const struct ttp_flow_op *barrier = first_of(b, TTP_FLOW_WAITS, "read");
    const bool written = first_of(b, TTP_FLOW_DMA, "write") != NULL;
    /* A buffer between two compute kernels has no transfer. */
    const struct ttp_flow_op *producer = b->nops[TTP_FLOW_PRODUCERS] && (written || !reads_only)
                                             ? &b->op[TTP_FLOW_PRODUCERS][0]
                                             : NULL;
    const struct ttp_flow_op *from = barrier ? barrier : producer;

    for (size_t i = 0; from && i < b->nops[TTP_FLOW_CONSUMERS]; i++) {
        const struct ttp_flow_op *c = &b->op[TTP_FLOW_CONSUMERS][i];
        if (c->line > 0)
            set_source(out,
                       &(struct ttp_wait_source){.kernel = c->kernel,
                                                 .line = c->line,
                                                 .from_kernel = from->kernel,
                                                 .from_line = from->line,
                                                 .buffer = b->index,
                                                 .dma = barrier != NULL},
                       reads_only);
    }
}

static void add_barriers(struct ttp_flow_waits *out, const struct ttp_flow_buffer *b,
                         bool reads_only)
{
    if (reads_only && (b->index < 0 || b->index >= 8))
        return;
    for (size_t i = 0; i < b->nops[TTP_FLOW_WAITS]; i++) {
        const struct ttp_flow_op *w = &b->op[TTP_FLOW_WAITS][i];
        const bool write = is_dir(w, "write");
        if (w->line > 0 && (is_dir(w, "read") || (write && !reads_only)))
            out->barrier[out->nbarriers++] =
                (struct ttp_dma_barrier){w->kernel, w->line, b->index, write};
    }
}

void ttp_kernel_flow_waits(struct ttp_flow_waits *out, const struct ttp_flow_graph *graph,
                           bool reads_only, struct ttp_arena *arena)
{
    size_t consumers = 0, waits = 0;

    for (size_t i = 0; i < graph->nbuffers; i++) {
        consumers += graph->buffer[i].nops[TTP_FLOW_CONSUMERS];
        waits += graph->buffer[i].nops[TTP_FLOW_WAITS];
    }
    *out = (struct ttp_flow_waits){.source = TTP_NEW(arena, struct ttp_wait_source, consumers),
                                   .barrier = TTP_NEW(arena, struct ttp_dma_barrier, waits)};
    for (size_t i = 0; i < graph->nbuffers; i++) {
        add_sources(out, &graph->buffer[i], reads_only);
        add_barriers(out, &graph->buffer[i], reads_only);
    }
}

const struct ttp_wait_source *ttp_kernel_find_source(const struct ttp_flow_waits *waits,
                                                     ttp_str kernel, int64_t line, size_t nth)
{
    for (size_t i = 0; i < waits->nsources; i++)
        if (waits->source[i].line == line && ttp_str_eq(waits->source[i].kernel, kernel) &&
            nth-- == 0)
            return &waits->source[i];
    return NULL;
}

/* The last one of a line wins, as in TT-Lang. */
const struct ttp_dma_barrier *ttp_kernel_find_barrier(const struct ttp_flow_waits *waits,
                                                      ttp_str kernel, int64_t line)
{
    for (size_t i = waits->nbarriers; i-- > 0;)
        if (waits->barrier[i].line == line && ttp_str_eq(waits->barrier[i].kernel, kernel))
            return &waits->barrier[i];
    return NULL;
}
