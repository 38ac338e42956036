/* SPDX-License-Identifier: Apache-2.0 */
/* The pairing of TT-Lang's auto_profile, signpost_profile and perf_summary, faults included: see
 * docs/differences.md for what is wrong with it. */
#include "base/num.h"
#include "base/vec.h"
#include "compat/compat.h"

/* Zones whose start has not met an end, by an interned text. */
struct starts {
    struct ttp_symtab keys;
    uint64_t *cycle;
    bool *open;
    uint32_t *entry; /* in the result + 1 */
    size_t count;
};

static ttp_sym start_key(struct starts *s, ttp_str key, struct ttp_arena *arena)
{
    const ttp_sym sym = ttp_sym_intern(&s->keys, key);

    if (sym == s->count) {
        TTP_ROOM(arena, s->cycle, s->count);
        TTP_ROOM(arena, s->open, s->count);
        TTP_ROOM(arena, s->entry, s->count);
        s->count++;
    }
    return sym;
}

/* Duration of the zone that this marker ends; false: it ends none. */
static bool pair(struct starts *s, ttp_sym key, const struct ttp_zone_mark *m, int64_t *cycles)
{
    if (m->kind == TTP_MARK_START) {
        s->cycle[key] = m->start_cycle;
        s->open[key] = true;
        return false;
    }
    if (!s->open[key])
        return false;
    s->open[key] = false;
    *cycles = (int64_t)(m->start_cycle - s->cycle[key]);
    return true;
}

struct reading {
    struct ttp_arena *arena;
    struct starts starts;
    struct ttp_original_zones *zones;
    struct ttp_original_kernels *kernels;
    uint64_t ended;
};

static void add_zone(struct reading *r, ttp_sym key, ttp_str thread, ttp_str name, int64_t cycles)
{
    struct ttp_original_zones *out = r->zones;

    if (!r->starts.entry[key]) {
        *TTP_PUSH(r->arena, out->zone, out->count) = (struct ttp_original_zone){
            .thread = thread, .name = name, .min = INT64_MAX, .max = INT64_MIN, .first = r->ended};
        r->starts.entry[key] = (uint32_t)out->count;
    }
    struct ttp_original_zone *z = &out->zone[r->starts.entry[key] - 1];
    z->count++;
    z->sum = ttp_num_add(z->sum, cycles);
    z->min = cycles < z->min ? cycles : z->min;
    z->max = cycles > z->max ? cycles : z->max;
    r->ended++;
}

static ttp_code take_zones(void *arg, const struct ttp_zone_log *log,
                           const struct ttp_zone_batch *batch, struct ttp_err *err)
{
    struct reading *r = arg;

    (void)err;
    for (size_t l = 0; l < batch->nlanes; l++) {
        const ttp_str thread = ttp_sym_name(&log->names, batch->lane[l].risc_name);
        for (size_t i = 0; i < batch->lane[l].nmarks; i++) {
            const struct ttp_zone_mark *m = &batch->lane[l].mark[i];
            const ttp_str name = ttp_sym_name(&log->names, log->site[m->site].name);
            char text[512];
            int64_t cycles;

            if (name.len == 0 || thread.len + name.len + 1 > sizeof(text))
                continue;
            memcpy(text, thread.ptr, thread.len);
            text[thread.len] = '_';
            memcpy(text + thread.len + 1, name.ptr, name.len);
            const ttp_sym key =
                start_key(&r->starts, (ttp_str){text, thread.len + 1 + name.len}, r->arena);
            if (pair(&r->starts, key, m, &cycles))
                add_zone(r, key, thread, name, cycles);
        }
    }
    return TTP_OK;
}

struct csv_shape {
    size_t fields, header_lines;
};

static ttp_code stream(struct reading *r, const char *path, struct csv_shape shape,
                       ttp_zone_batch_fn *take, const struct ttp_logs_options *options,
                       struct ttp_err *err)
{
    const struct ttp_zone_request request = {.kinds = 1u << TTP_MARK_START | 1u << TTP_MARK_END,
                                             .by_position = shape.fields,
                                             .header_lines = shape.header_lines,
                                             .take = take,
                                             .arg = r};
    struct ttp_zone_log *log = TTP_NEW(r->arena, struct ttp_zone_log, 1);

    r->starts.keys.arena = r->arena;
    return ttp_logs_stream_zones(log, path, &request, options, r->arena, err);
}

ttp_code ttp_original_kernel_read(struct ttp_original_zones *out, const char *path,
                                  const struct ttp_logs_options *options, struct ttp_arena *arena,
                                  struct ttp_err *err)
{
    struct reading r = {.arena = arena, .zones = out};

    *out = (struct ttp_original_zones){0};
    return stream(&r, path, (struct csv_shape){13, 1}, take_zones, options, err);
}

static struct ttp_original_kernel *kernel_of(struct reading *r, int64_t run_id, ttp_str thread)
{
    struct ttp_original_kernels *out = r->kernels;

    for (size_t i = out->count; i-- > 0;)
        if (out->kernel[i].run_id == run_id && ttp_str_eq(out->kernel[i].thread, thread))
            return &out->kernel[i];
    struct ttp_original_kernel *k = TTP_PUSH(r->arena, out->kernel, out->count);
    *k = (struct ttp_original_kernel){.run_id = run_id, .thread = thread};
    return k;
}

static bool kernel_zone(ttp_str name)
{
    return ttp_str_eq(name, TTP_STR("BRISC-KERNEL")) ||
           ttp_str_eq(name, TTP_STR("NCRISC-KERNEL")) || ttp_str_eq(name, TTP_STR("TRISC-KERNEL"));
}

static ttp_code take_kernels(void *arg, const struct ttp_zone_log *log,
                             const struct ttp_zone_batch *batch, struct ttp_err *err)
{
    struct reading *r = arg;

    (void)err;
    for (size_t l = 0; l < batch->nlanes; l++) {
        const struct ttp_zone_lane *lane = &batch->lane[l];
        const struct ttp_core *core = &log->core[lane->core];
        const struct {
            uint64_t run_id;
            int32_t x, y;
            ttp_sym thread, unused;
        } id = {lane->key.run_id, core->x, core->y, lane->risc_name, 0};

        for (size_t i = 0; i < lane->nmarks; i++) {
            int64_t cycles;
            if (!kernel_zone(ttp_sym_name(&log->names, log->site[lane->mark[i].site].name)))
                continue;
            const ttp_sym key =
                start_key(&r->starts, (ttp_str){(const char *)&id, sizeof(id)}, r->arena);
            if (!pair(&r->starts, key, &lane->mark[i], &cycles))
                continue;
            struct ttp_original_kernel *k =
                kernel_of(r, (int64_t)lane->key.run_id, ttp_sym_name(&log->names, lane->risc_name));
            *TTP_PUSH(r->arena, k->cycles, k->count) = cycles;
        }
    }
    return TTP_OK;
}

ttp_code ttp_original_kernel_read_durations(struct ttp_original_kernels *out, const char *path,
                                            const struct ttp_logs_options *options,
                                            struct ttp_arena *arena, struct ttp_err *err)
{
    struct reading r = {.arena = arena, .kernels = out};

    *out = (struct ttp_original_kernels){0};
    return stream(&r, path, (struct csv_shape){12, 2}, take_kernels, options, err);
}
