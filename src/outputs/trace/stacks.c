/* SPDX-License-Identifier: Apache-2.0 */
/* stacks.c - the slices of each track as stacks with the time that none of their inner slices took:
 * one line each for flamegraph.pl and its kin, or a file of speedscope. Memory grows with different
 * stacks, not with slices. */
#include "base/gate.h"
#include "base/json_write.h"
#include "base/vec.h"
#include "base/version.h"
#include "outputs/trace/trace_writer.h"

/* A slice below other slices, or a track. */
struct ttp_trace_stack {
    uint32_t parent; /* position plus one; 0: it is a track */
    ttp_track track;
    ttp_sym name;
    int64_t self_ns;
};

static uint32_t add_stack(struct ttp_trace_writer *w, const struct ttp_trace_stack *stack)
{
    *TTP_PUSH(w->arena, w->stack, w->nstacks) = *stack;
    return (uint32_t)w->nstacks;
}

static ttp_sym name_of(struct ttp_trace_writer *w, const struct ttp_trace_slice *s)
{
    return s->name == TTP_SYM_NONE ? ttp_out_trace_name(w, s->text) : s->name;
}

static void begin(struct ttp_trace_writer *w, ttp_track track, const struct ttp_trace_slice *s)
{
    struct ttp_trace_track *t = &w->track[track];
    const ttp_sym name = name_of(w, s);
    const int64_t ns = s->end_ns - s->start_ns;

    if (!t->stack)
        t->stack = add_stack(w, &(struct ttp_trace_stack){.track = track});
    const uint64_t key = (uint64_t)t->stack << 32 | name;
    uint32_t at = ttp_map_get(&w->stack_of, key);
    if (at == TTP_MAP_NONE) {
        at = add_stack(w, &(struct ttp_trace_stack){t->stack, track, name, 0});
        ttp_map_put(&w->stack_of, key, at);
    }
    w->stack[at - 1].self_ns += ns;
    w->stack[t->stack - 1].self_ns -= ns;
    t->stack = at;
}

static void end(struct ttp_trace_writer *w, ttp_track track, int64_t ns)
{
    struct ttp_trace_track *t = &w->track[track];

    (void)ns; /* the slice that began had it */
    t->stack = w->stack[t->stack - 1].parent;
}

/* What has no duration is not in a stack. */
static void declare(struct ttp_trace_writer *w, ttp_track track)
{
    (void)w, (void)track;
}

static void instant(struct ttp_trace_writer *w, ttp_track track, const struct ttp_trace_slice *s)
{
    (void)w, (void)track, (void)s;
}

static void counter(struct ttp_trace_writer *w, ttp_track track, int64_t ns, double value)
{
    (void)w, (void)track, (void)ns, (void)value;
}

static void stage(struct ttp_trace_writer *w, ttp_track track, const struct ttp_out_trace_stage *s)
{
    (void)w, (void)track, (void)s; /* the ops track shows the same */
}

static void start(struct ttp_trace_writer *w)
{
    w->stack_of.arena = w->arena;
}

/* Positions of the slices of a stack, the outermost first. */
static const uint32_t *slices_of(size_t *count, const struct ttp_trace_writer *w, size_t stack,
                                 struct ttp_arena *arena)
{
    size_t depth = 0;

    for (size_t at = stack; w->stack[at].parent; at = w->stack[at].parent - 1)
        depth++;
    uint32_t *slice = TTP_NEW(arena, uint32_t, depth);
    *count = depth;
    for (size_t at = stack; w->stack[at].parent; at = w->stack[at].parent - 1)
        slice[--depth] = (uint32_t)at;
    return slice;
}

/* A track and those that it is in, the innermost first. */
struct path {
    ttp_track step[8];
    size_t depth;
};

static struct path path_of(const struct ttp_trace_writer *w, ttp_track track)
{
    struct path p = {.depth = 0};

    for (; track != TTP_TRACK_ROOT && p.depth < TTP_COUNT(p.step); track = w->track[track].parent)
        p.step[p.depth++] = track;
    return p;
}

static ttp_str track_name(const struct ttp_trace_writer *w, ttp_track track,
                          struct ttp_arena *arena)
{
    struct path p = path_of(w, track);
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    while (p.depth-- > 0) {
        ttp_sink_put(&text, w->track[p.step[p.depth]].name);
        if (p.depth)
            ttp_sink_char(&text, ' ');
    }
    return ttp_sink_text(&text);
}

/* ---- folded ---- */

/* A ';' would end the frame. */
static void put_frame(struct ttp_sink *out, ttp_str name, struct ttp_arena *arena)
{
    const ttp_str shown = ttp_gate_text(arena, name);

    for (size_t i = 0; i < shown.len; i++)
        ttp_sink_char(out, (char)(shown.ptr[i] == ';' ? ':' : shown.ptr[i]));
}

static void put_track_frames(const struct ttp_trace_writer *w, ttp_track track,
                             struct ttp_arena *arena)
{
    struct path p = path_of(w, track);

    while (p.depth-- > 0) {
        put_frame(w->out, w->track[p.step[p.depth]].name, arena);
        if (p.depth)
            ttp_sink_char(w->out, ';');
    }
}

static void finish_folded(struct ttp_trace_writer *w)
{
    struct ttp_arena scratch = {0};

    for (size_t i = 0; i < w->nstacks; i++) {
        size_t count;

        if (!w->stack[i].parent || w->stack[i].self_ns <= 0)
            continue;
        const uint32_t *slice = slices_of(&count, w, i, &scratch);
        put_track_frames(w, w->stack[i].track, &scratch);
        for (size_t k = 0; k < count; k++) {
            ttp_sink_char(w->out, ';');
            put_frame(w->out, ttp_sym_name(&w->names, w->stack[slice[k]].name), &scratch);
        }
        ttp_sink_char(w->out, ' ');
        ttp_sink_i64(w->out, w->stack[i].self_ns);
        ttp_sink_char(w->out, '\n');
        w->counts.packets++;
        ttp_arena_reset(&scratch);
    }
    ttp_arena_free(&scratch);
}

/* ---- speedscope ---- */

static void put_key(struct ttp_json_writer *j, const char *key)
{
    ttp_json_put_key(j, ttp_str_from(key));
}

/* Writes the frames; returns their numbers, by name. */
static const uint32_t *put_frames(struct ttp_json_writer *j, const struct ttp_trace_writer *w,
                                  struct ttp_arena *arena)
{
    uint32_t *number = TTP_NEW(arena, uint32_t, w->names.count), frames = 0;

    ttp_json_begin_array(j);
    for (size_t i = 0; i < w->nstacks; i++) {
        if (!w->stack[i].parent || number[w->stack[i].name])
            continue;
        number[w->stack[i].name] = ++frames;
        ttp_json_begin_object(j);
        put_key(j, "name");
        ttp_json_put_str(j, ttp_sym_name(&w->names, w->stack[i].name));
        ttp_json_end_object(j);
    }
    ttp_json_end_array(j);
    return number;
}

/* Stacks of one track. */
struct profile {
    ttp_track track;
    const size_t *stack;
    size_t count;
    int64_t total_ns;
};

static void put_profile(struct ttp_json_writer *j, const struct ttp_trace_writer *w,
                        const struct profile *p, const uint32_t *number, struct ttp_arena *arena)
{
    ttp_json_begin_object(j);
    put_key(j, "type");
    ttp_json_put_str(j, TTP_STR("sampled"));
    put_key(j, "name");
    ttp_json_put_str(j, track_name(w, p->track, arena));
    put_key(j, "unit");
    ttp_json_put_str(j, TTP_STR("nanoseconds"));
    put_key(j, "startValue");
    ttp_json_put_i64(j, 0);
    put_key(j, "endValue");
    ttp_json_put_i64(j, p->total_ns);
    put_key(j, "samples");
    ttp_json_begin_array(j);
    for (size_t i = 0; i < p->count; i++) {
        size_t depth;
        const uint32_t *slice = slices_of(&depth, w, p->stack[i], arena);

        ttp_json_begin_array(j);
        for (size_t k = 0; k < depth; k++)
            ttp_json_put_i64(j, number[w->stack[slice[k]].name] - 1);
        ttp_json_end_array(j);
    }
    ttp_json_end_array(j);
    put_key(j, "weights");
    ttp_json_begin_array(j);
    for (size_t i = 0; i < p->count; i++)
        ttp_json_put_i64(j, w->stack[p->stack[i]].self_ns);
    ttp_json_end_array(j);
    ttp_json_end_object(j);
}

static void put_profiles(struct ttp_json_writer *j, struct ttp_trace_writer *w,
                         const uint32_t *number, struct ttp_arena *arena)
{
    size_t *first = TTP_NEW(arena, size_t, w->ntracks + 1), *stack, n = 0;

    for (size_t i = 0; i < w->nstacks; i++) /* sorted by track: count, then place */
        if (w->stack[i].parent && w->stack[i].self_ns > 0)
            first[w->stack[i].track + 1]++, n++;
    stack = TTP_NEW(arena, size_t, n);
    for (size_t t = 0; t < w->ntracks; t++)
        first[t + 1] += first[t];
    size_t *next = TTP_NEW(arena, size_t, w->ntracks);
    memcpy(next, first, w->ntracks * sizeof(*next));
    for (size_t i = 0; i < w->nstacks; i++)
        if (w->stack[i].parent && w->stack[i].self_ns > 0)
            stack[next[w->stack[i].track]++] = i;
    ttp_json_begin_array(j);
    for (size_t t = 0; t < w->ntracks; t++) {
        struct profile p = {(ttp_track)t, stack + first[t], first[t + 1] - first[t], 0};

        for (size_t i = 0; i < p.count; i++)
            p.total_ns += w->stack[p.stack[i]].self_ns;
        if (p.count == 0)
            continue;
        put_profile(j, w, &p, number, arena);
        w->counts.packets++;
    }
    ttp_json_end_array(j);
}

static void finish_speedscope(struct ttp_trace_writer *w)
{
    struct ttp_json_writer j = {.sink = w->out};
    struct ttp_arena scratch = {0};

    ttp_json_begin_object(&j);
    put_key(&j, "$schema");
    ttp_json_put_str(&j, TTP_STR("https://www.speedscope.app/file-format-schema.json"));
    put_key(&j, "exporter");
    ttp_json_put_str(&j, ttp_sink_format(&scratch, "tt-perf %s", ttp_version));
    put_key(&j, "shared");
    ttp_json_begin_object(&j);
    put_key(&j, "frames");
    const uint32_t *number = put_frames(&j, w, &scratch);
    ttp_json_end_object(&j);
    put_key(&j, "profiles");
    put_profiles(&j, w, number, &scratch);
    ttp_json_end_object(&j);
    ttp_sink_char(w->out, '\n');
    ttp_arena_free(&scratch);
}

const struct ttp_trace_form ttp_trace_folded = {start,   declare, begin, end,
                                                instant, counter, stage, finish_folded};
const struct ttp_trace_form ttp_trace_speedscope = {start,   declare, begin, end,
                                                    instant, counter, stage, finish_speedscope};
