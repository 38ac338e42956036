/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/tracy_plan.h"

#include "base/vec.h"
#include "capture/bytes.h"

#define TIME_MAX ((INT64_C(1) << 47) - 1)

int64_t ttp_tracy_fit(struct ttp_tracy_plan *plan, int64_t ns)
{
    if (ns <= TIME_MAX && ns >= -TIME_MAX)
        return ns;
    plan->clamped++;
    return ns > 0 ? TIME_MAX : -TIME_MAX;
}

static ttp_sym add_text(struct ttp_tracy_plan *plan, ttp_str text)
{
    return ttp_sym_intern_borrowed(&plan->texts, ttp_until_nul(text));
}

/* Plus one, and only as many as 24 bits can tell. */
static uint32_t add_short(struct ttp_tracy_plan *plan, ttp_str text)
{
    if (!text.ptr)
        return 0;
    const ttp_sym at = add_text(plan, text);
    plan->dropped += at >= TTP_TRACY_TEXTS;
    return at < TTP_TRACY_TEXTS ? at + 1 : 0;
}

uint64_t ttp_tracy_add_name(struct ttp_tracy_plan *plan, ttp_str name)
{
    const ttp_sym at = add_text(plan, name.ptr ? name : TTP_STR("???"));

    *TTP_PUSH(plan->arena, plan->named, plan->nnamed) = at;
    return plan->nnamed;
}

/* ---- source locations ---- */

int16_t ttp_tracy_source_id(const struct ttp_tracy_plan *plan, uint32_t source)
{
    const size_t at = source < plan->nsources ? source : plan->nsources - 1;

    return (int16_t)(at < TTP_TRACY_STATIC ? (long)at + 1 : -1 - (long)(at - TTP_TRACY_STATIC));
}

static bool is_folded(const struct ttp_tracy_plan *plan, uint32_t source)
{
    return plan->trace->nsources > plan->nsources && source >= plan->nsources - 1;
}

/* A zone without a source location of its own is called as that one was. */
static void name_folded(struct ttp_tracy_plan *plan)
{
    struct ttp_trace *t = plan->trace;
    struct ttp_trace_zones *z = &t->zone;

    if (t->nsources <= plan->nsources)
        return;
    for (size_t i = 0; i < z->count; i++) {
        struct ttp_zone_note note = {0};

        if (!is_folded(plan, z->source[i]))
            continue;
        plan->folded++;
        if (z->extra[i] != TTP_ZONE_NONE)
            note = z->note[z->extra[i]];
        if (!note.name.ptr)
            note.name = ttp_sym_name(&t->names, t->source[z->source[i]].name);
        *TTP_PUSH(plan->arena, z->note, z->nnotes) = note;
        z->extra[i] = (uint32_t)z->nnotes - 1;
    }
}

static void plan_sources(struct ttp_tracy_plan *plan)
{
    const struct ttp_trace *t = plan->trace;
    const ttp_str other = TTP_STR("other source locations");
    const size_t n = plan->nsources;

    plan->source_name = TTP_NEW(plan->arena, ttp_sym, n + 1);
    plan->source_function = TTP_NEW(plan->arena, ttp_sym, n + 1);
    plan->source_file = TTP_NEW(plan->arena, ttp_sym, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct ttp_trace_source *s = &t->source[i];
        const bool folded = is_folded(plan, (uint32_t)i);

        plan->source_name[i] = add_text(plan, folded ? other : ttp_sym_name(&t->names, s->name));
        plan->source_function[i] =
            add_text(plan, folded ? other : ttp_sym_name(&t->names, s->function));
        plan->source_file[i] =
            add_text(plan, folded ? TTP_STR("???") : ttp_sym_name(&t->names, s->file));
    }
}

static void count_source(const struct ttp_tracy_plan *plan, uint64_t *count, uint32_t source)
{
    count[source < plan->nsources ? source : plan->nsources - 1]++;
}

static void count_sources(struct ttp_tracy_plan *plan)
{
    const struct ttp_trace_zones *z = &plan->trace->zone;

    plan->source_zones = TTP_NEW(plan->arena, uint64_t, plan->nsources + 1);
    plan->source_device_zones = TTP_NEW(plan->arena, uint64_t, plan->nsources + 1);
    for (size_t i = 0; i < z->count; i++)
        count_source(plan, plan->source_zones, z->source[i]);
    for (size_t i = 0; i < plan->keep->nzones; i++)
        count_source(plan, plan->source_device_zones, plan->keep->zone[i].source);
}

/* ---- texts ---- */

/* A zone that has a colour has a note, though it may be empty. */
static void note_colored(struct ttp_tracy_plan *plan)
{
    struct ttp_trace_zones *z = &plan->trace->zone;
    const struct ttp_wire_keep *k = plan->keep;

    for (size_t i = 0; i < k->ncolorings; i++) {
        const uint32_t at = k->coloring[i].zone;

        if (at == TTP_ZONE_NONE || z->extra[at] != TTP_ZONE_NONE)
            continue;
        z->extra[at] = (uint32_t)z->nnotes;
        *TTP_PUSH(plan->arena, z->note, z->nnotes) = (struct ttp_zone_note){0};
    }
}

static void plan_notes(struct ttp_tracy_plan *plan)
{
    const struct ttp_trace_zones *z = &plan->trace->zone;
    const struct ttp_wire_keep *k = plan->keep;

    plan->note = TTP_NEW(plan->arena, struct ttp_tracy_note, z->nnotes + 1);
    for (size_t i = 0; i < z->nnotes; i++)
        plan->note[i] = (struct ttp_tracy_note){.text = add_short(plan, z->note[i].text),
                                                .name = add_short(plan, z->note[i].name)};
    for (size_t i = 0; i < k->ncolorings; i++)
        if (k->coloring[i].zone != TTP_ZONE_NONE)
            plan->note[z->extra[k->coloring[i].zone]].color = k->coloring[i].color;
    plan->context_name = TTP_NEW(plan->arena, uint32_t, k->ncontexts + 1);
    for (size_t i = 0; i < k->ncontexts; i++)
        plan->context_name[i] = add_short(plan, k->context[i].name);
}

static void plan_messages(struct ttp_tracy_plan *plan)
{
    const struct ttp_trace *t = plan->trace;

    plan->message = ttp_capture_trace_sort_messages(t, plan->arena);
    plan->message_text = TTP_NEW(plan->arena, ttp_sym, t->nmessages + 1);
    plan->message_first = TTP_NEW(plan->arena, uint32_t, t->nthreads + 2);
    plan->message_order = TTP_NEW(plan->arena, uint32_t, t->nmessages + 1);
    for (size_t i = 0; i < t->nmessages; i++) {
        plan->message_text[i] = add_text(plan, plan->message[i]->text);
        plan->message_first[plan->message[i]->thread + 2]++;
    }
    for (size_t g = 2; g < t->nthreads + 2; g++)
        plan->message_first[g] += plan->message_first[g - 1];
    for (size_t i = 0; i < t->nmessages; i++)
        plan->message_order[plan->message_first[plan->message[i]->thread + 1]++] = (uint32_t)i;
}

static void plan_names(struct ttp_tracy_plan *plan)
{
    const struct ttp_trace *t = plan->trace;
    const struct ttp_wire_keep *k = plan->keep;

    plan->thread_name = TTP_NEW(plan->arena, ttp_sym, t->nthreads + 1);
    for (size_t i = 0; i < t->nthreads; i++)
        plan->thread_name[i] = add_text(plan, t->thread[i].name);
    plan->plot_id = TTP_NEW(plan->arena, uint64_t, k->nplots + 1);
    for (size_t i = 0; i < k->nplots; i++) /* that of the processors needs no name */
        plan->plot_id[i] =
            k->plot[i].type == TTP_PLOT_USER ? ttp_tracy_add_name(plan, k->plot[i].name) : 0;
    plan->frames_id = TTP_NEW(plan->arena, uint64_t, k->nframes + 1);
    for (size_t i = 0; i < k->nframes; i++)
        plan->frames_id[i] = k->frames[i].key ? ttp_tracy_add_name(plan, k->frames[i].name) : 0;
}

/* ---- threads ---- */

uint16_t ttp_tracy_thread(const struct ttp_tracy_plan *plan, uint64_t tid)
{
    const uint32_t at = ttp_map_get(&plan->number_of, tid);

    return at == TTP_MAP_NONE ? 0 : (uint16_t)at;
}

static void number_thread(struct ttp_tracy_plan *plan, uint64_t tid, size_t number)
{
    plan->tid[number] = tid;
    ttp_map_put(&plan->number_of, tid, (uint32_t)number);
    plan->ntids = number < plan->ntids ? plan->ntids : number + 1;
}

/* Numbers are those that csvexport prints. A thread whose number is taken, or is none, which only
 * damage can cause, gets the next one. */
static ttp_code plan_threads(struct ttp_tracy_plan *plan, struct ttp_err *err)
{
    const struct ttp_trace *t = plan->trace;
    const struct ttp_wire_keep *k = plan->keep;

    plan->tid = TTP_NEW(plan->arena, uint64_t, TTP_TRACY_THREADS + 1);
    plan->number_of.arena = plan->arena;
    plan->ntids = 1;
    for (size_t i = 1; i < k->nnumbered && i <= TTP_TRACY_THREADS; i++)
        if (k->numbered[i])
            number_thread(plan, k->numbered[i], i);
    for (size_t i = 0; i < t->nthreads; i++) {
        const size_t at = (size_t)t->thread[i].index;

        if (at > 0 && at <= TTP_TRACY_THREADS && !plan->tid[at] &&
            ttp_map_get(&plan->number_of, t->thread[i].tid) == TTP_MAP_NONE)
            number_thread(plan, t->thread[i].tid, at);
    }
    for (size_t i = 0; i < t->nthreads; i++) {
        if (ttp_map_get(&plan->number_of, t->thread[i].tid) != TTP_MAP_NONE)
            continue;
        if (plan->ntids > TTP_TRACY_THREADS)
            return ttp_fail(err, TTP_ELIMIT, "a .tracy file can have %zu threads, not %zu",
                            TTP_TRACY_THREADS, t->nthreads);
        number_thread(plan, t->thread[i].tid, plan->ntids);
    }
    for (size_t i = 1; i < plan->ntids; i++) /* of threads that are not in the recording */
        if (!plan->tid[i])
            plan->tid[i] = UINT64_MAX - i;
    return TTP_OK;
}

/* ---- zones ---- */

static uint32_t thread_of(const void *owner, uint32_t at)
{
    return ((const struct ttp_trace_zones *)owner)->thread[at];
}

static uint32_t parent_of(const void *owner, uint32_t at)
{
    return ((const struct ttp_trace_zones *)owner)->parent[at];
}

static uint32_t lane_of(const void *owner, uint32_t at)
{
    return ((const struct ttp_kept_zone *)owner)[at].lane;
}

static uint32_t device_parent_of(const void *owner, uint32_t at)
{
    return ((const struct ttp_kept_zone *)owner)[at].parent;
}

static void note_last(struct ttp_tracy_plan *plan, int64_t ns)
{
    if (ns > plan->last_ns)
        plan->last_ns = ttp_tracy_fit(plan, ns);
}

static void find_last(struct ttp_tracy_plan *plan)
{
    const struct ttp_trace *t = plan->trace;
    const struct ttp_wire_keep *k = plan->keep;

    for (size_t i = 0; i < t->zone.count; i++) {
        note_last(plan, t->zone.start_ns[i]);
        note_last(plan, t->zone.end_ns[i]);
    }
    for (size_t i = 0; i < t->nmessages; i++)
        note_last(plan, t->message[i].ns);
    for (size_t i = 0; i < k->nzones; i++)
        for (size_t side = 0; side < 2; side++) {
            note_last(plan, k->zone[i].host_ns[side]);
            note_last(plan, k->zone[i].device_ns[side]);
        }
    for (size_t i = 0; i < k->nplots; i++)
        for (size_t j = 0; j < k->plot[i].count; j++)
            note_last(plan, k->plot[i].point[j].ns);
    for (size_t i = 0; i < k->nframes; i++)
        for (size_t j = 0; j < k->frames[i].count; j++) {
            note_last(plan, k->frames[i].frame[j].start_ns);
            note_last(plan, k->frames[i].frame[j].end_ns);
        }
}

ttp_code ttp_tracy_plan_make(struct ttp_tracy_plan *plan, struct ttp_err *err)
{
    const struct ttp_trace *t = plan->trace;
    const size_t most = TTP_TRACY_STATIC + TTP_TRACY_DYNAMIC;

    plan->texts.arena = plan->arena;
    plan->nsources = t->nsources < most ? t->nsources : most;
    TTP_TRY(plan_threads(plan, err));
    name_folded(plan);
    note_colored(plan);
    plan_notes(plan); /* before the others: their numbers have few bits */
    plan_sources(plan);
    plan_messages(plan);
    plan_names(plan);
    count_sources(plan);
    find_last(plan);
    ttp_tracy_plan_pools(plan); /* names the pools, and knows later times */
    plan->zones = (struct ttp_nest){.count = t->zone.count, .groups = t->nthreads};
    ttp_capture_nest_build(&plan->zones, &t->zone, thread_of, parent_of, plan->arena);
    plan->device = (struct ttp_nest){.count = plan->keep->nzones, .groups = plan->keep->nlanes};
    ttp_capture_nest_build(&plan->device, plan->keep->zone, lane_of, device_parent_of, plan->arena);
    return TTP_OK;
}
