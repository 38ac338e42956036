/* SPDX-License-Identifier: Apache-2.0 */
/* NoC traces: what cores moved while a program ran and how busy links were, as counters of the
 * device and, if asked for, event by event. One file is one program on one device; it is released
 * before the next is read. */
#include <inttypes.h>
#include <stdio.h>

#include "base/vec.h"
#include "device/device.h"
#include "outputs/trace/trace_noc_load.h"
#include "outputs/trace/trace_run.h"

enum { RANK_COUNTERS = 8, RANK_LINK = 12, RANK_TRANSFERS = 15 };

/* Bytes are counted by the microsecond; of programs that take longer than this many by more. */
#define BUCKET_NS   1000
#define BUCKETS_MAX 1000000

enum { LEVEL_NOC, LEVEL_DRAM, LEVEL_UTIL, LEVEL_HOT, LEVELS };
enum { BYTE_LEVELS = LEVEL_DRAM + 1 };

struct lane {
    uint32_t device;
    int16_t x, y;
    uint8_t risc;
    ttp_track track;
    uint64_t barrier; /* cycle at which one began */
    bool waiting;
};

struct moving {
    struct ttp_tracing *tracing;
    const struct ttp_noc_grid *grid; /* NULL: the chip is unknown */
    ttp_track (*level)[LEVELS];      /* by device; 0: not there yet */
    ttp_track *group, *link;
    const struct ttp_noc_model *model; /* of one chip; NULL: none */
    struct lane *lane;
    size_t nlanes, last;

    /* Of the current file. */
    const struct ttp_noc_trace *noc;
    uint32_t device;
    int64_t shift_cycles; /* from its clock to the device log's */
};

static int64_t ns_of(const struct moving *m, uint64_t cycle)
{
    const int64_t at = (int64_t)cycle + m->shift_cycles;

    return ttp_trace_device_ns(&m->tracing->device[m->device], at > 0 ? (uint64_t)at : 0);
}

static bool is_transfer(const struct ttp_noc_event *e)
{
    return e->type >= TTP_NOC_READ && e->type <= TTP_NOC_FABRIC_UNICAST_SCATTER_WRITE;
}

/* ---- counters ---- */

static ttp_track level_track(struct moving *m, int level)
{
    static const struct ttp_trace_track spec[] = {
        [LEVEL_NOC] = {.name = {"NoC bytes", 9},
                       .note = {"bytes of transfers issued, from NoC events", 42},
                       .unit = "bytes/us"},
        [LEVEL_DRAM] = {.name = {"DRAM by NoC events", 18},
                        .note = {"transfers with a DRAM core at the other end", 43},
                        .unit = "GB/s"},
        [LEVEL_UTIL] = {.name = {"NoC load", 8},
                        .note = {"load of all links, as estimated by 'tt-perf noc'", 48},
                        .unit = "%"},
        [LEVEL_HOT] = {.name = {"NoC hottest link", 16},
                       .note = {"load of the busiest link in the program", 39},
                       .unit = "%"},
    };
    ttp_track *track = &m->level[m->device][level];

    if (*track == 0) {
        struct ttp_trace_track t = spec[level];
        t.parent = m->tracing->device[m->device].group;
        t.kind = TTP_TRACK_COUNTER;
        t.rank = RANK_COUNTERS + level;
        t.real = true;
        *track = ttp_out_trace_add_track(&m->tracing->w, &t);
    }
    return *track;
}

/* Equal stretches of time. */
struct buckets {
    int64_t from_ns, bucket_ns;
    size_t count;
};

static void put_level(struct moving *m, int level, const uint64_t *bytes, const struct buckets *in)
{
    const double scale = level == LEVEL_DRAM ? 1.0 : 1000.0; /* bytes/ns is GB/s */
    uint64_t before = 0;

    for (size_t i = 0; i <= in->count; i++) {
        const uint64_t now = i < in->count ? bytes[i] : 0;

        if (now == before)
            continue;
        ttp_out_trace_counter(&m->tracing->w, level_track(m, level),
                              in->from_ns + (int64_t)i * in->bucket_ns,
                              (double)now * scale / (double)in->bucket_ns);
        before = now;
    }
}

static bool touches_dram(const struct moving *m, const struct ttp_noc_event *e)
{
    return m->grid && e->dx >= 0 && e->dy >= 0 &&
           ttp_device_core_kind(m->grid, e->dx, e->dy) == TTP_CORE_DRAM;
}

static void put_levels(struct moving *m, struct ttp_arena *scratch)
{
    const struct ttp_noc_trace *noc = m->noc;
    const int64_t from = ns_of(m, noc->first_cycle), to = ns_of(m, noc->last_cycle);
    int64_t bucket = BUCKET_NS;

    while ((to - from) / bucket >= BUCKETS_MAX)
        bucket *= 10;
    const size_t n = (size_t)((to - from) / bucket) + 1;
    uint64_t *bytes[BYTE_LEVELS];
    for (int l = 0; l < BYTE_LEVELS; l++)
        bytes[l] = TTP_NEW(scratch, uint64_t, n);
    for (size_t i = 0; i < noc->nevents; i++) {
        const struct ttp_noc_event *e = &noc->event[i];
        const size_t at = (size_t)((ns_of(m, e->cycle) - from) / bucket);

        if (!is_transfer(e) || at >= n ||
            !ttp_out_trace_wants_core(&m->tracing->options->filter, e->sx, e->sy))
            continue;
        bytes[LEVEL_NOC][at] += e->bytes;
        bytes[LEVEL_DRAM][at] += touches_dram(m, e) ? e->bytes : 0;
    }
    for (int l = 0; l < BYTE_LEVELS; l++)
        put_level(m, l, bytes[l], &(struct buckets){from, bucket, n});
}

/* ---- links ---- */

static void put_load(struct moving *m, const struct ttp_noc_levels *levels, int level)
{
    const double *pct = level == LEVEL_UTIL ? levels->util_pct : levels->hot_pct;
    double before = 0;

    for (size_t i = 0; i <= levels->count; i++) {
        const double now = i < levels->count ? pct[i] : 0;

        if (now == before)
            continue;
        ttp_out_trace_counter(&m->tracing->w, level_track(m, level),
                              ns_of(m, m->noc->first_cycle + i * levels->bucket_cycles), now);
        before = now;
    }
}

/* Which link that is, while the program runs. */
static void put_hot_link(struct moving *m, const struct ttp_noc_levels *levels)
{
    const uint32_t core = levels->hot_link / 4;
    ttp_track *track = &m->link[m->device];
    char name[64];

    if (*track == 0)
        *track = ttp_out_trace_add_track(
            &m->tracing->w,
            &(struct ttp_trace_track){.parent = m->tracing->device[m->device].group,
                                      .name = TTP_STR("NoC hottest link of program"),
                                      .note = TTP_STR("and how busy it was, from its bytes"),
                                      .kind = TTP_TRACK_SLICES,
                                      .rank = RANK_LINK});
    const int n =
        snprintf(name, sizeof(name), "%u-%u %s %.0f %%", core % m->grid->cols, core / m->grid->cols,
                 ttp_noc_link_names[levels->hot_link % 4], levels->hot_whole_pct);
    const struct ttp_trace_slice slice = {.start_ns = ns_of(m, m->noc->first_cycle),
                                          .end_ns = ns_of(m, m->noc->last_cycle),
                                          .name = TTP_SYM_NONE,
                                          .text = {name, (size_t)n}};
    ttp_out_trace_begin(&m->tracing->w, *track, &slice);
    ttp_out_trace_end(&m->tracing->w, *track, slice.end_ns);
}

/* Changes the records: the last thing that is done with them. */
static void put_links(struct moving *m, struct ttp_noc_trace *noc, struct ttp_arena *scratch)
{
    struct ttp_noc_levels levels;

    if (!m->model || !ttp_out_noc_levels_of(&levels, noc, m->model, scratch))
        return;
    put_load(m, &levels, LEVEL_UTIL);
    put_load(m, &levels, LEVEL_HOT);
    put_hot_link(m, &levels);
}

/* ---- transfers ---- */

static struct lane *lane_of(struct moving *m, const struct ttp_noc_event *e)
{
    char name[64];

    for (size_t k = 0; k < m->nlanes; k++) { /* most often the one before */
        struct lane *l = &m->lane[(m->last + k) % m->nlanes];
        if (l->x == e->sx && l->y == e->sy && l->risc == e->risc && l->device == m->device) {
            m->last = (size_t)(l - m->lane);
            return l;
        }
    }
    if (m->group[m->device] == 0)
        m->group[m->device] = ttp_out_trace_add_track(
            &m->tracing->w, &(struct ttp_trace_track){.parent = m->tracing->device[m->device].group,
                                                      .name = TTP_STR("NoC transfers"),
                                                      .kind = TTP_TRACK_GROUP,
                                                      .rank = RANK_TRANSFERS});
    TTP_ROOM(m->tracing->arena, m->lane, m->nlanes);
    snprintf(name, sizeof(name), "Core (%d,%d) %s", e->sx, e->sy,
             ttp_logs_noc_risc_name((enum ttp_noc_risc)e->risc));
    m->last = m->nlanes++;
    m->lane[m->last] =
        (struct lane){.device = m->device,
                      .x = (int16_t)e->sx,
                      .y = (int16_t)e->sy,
                      .risc = e->risc,
                      .track = ttp_out_trace_add_track(
                          &m->tracing->w,
                          &(struct ttp_trace_track){.parent = m->group[m->device],
                                                    .name = ttp_str_from(name),
                                                    .kind = TTP_TRACK_SLICES,
                                                    .rank = e->sy * 1000 + e->sx * 10 + e->risc})};
    return &m->lane[m->last];
}

/* From its start to its end a barrier is a slice: the core waits. */
static bool put_barrier(struct moving *m, struct lane *l, const struct ttp_noc_event *e)
{
    const bool read = e->type == TTP_NOC_READ_BARRIER_END;

    if (e->type == TTP_NOC_READ_BARRIER_START || e->type == TTP_NOC_WRITE_BARRIER_START) {
        l->barrier = e->cycle;
        l->waiting = true;
        return true;
    }
    if ((!read && e->type != TTP_NOC_WRITE_BARRIER_END) || !l->waiting || e->cycle < l->barrier)
        return false;
    l->waiting = false;
    ttp_out_trace_begin(
        &m->tracing->w, l->track,
        &(struct ttp_trace_slice){
            .start_ns = ns_of(m, l->barrier),
            .end_ns = ns_of(m, e->cycle),
            .name = ttp_out_trace_name(&m->tracing->w,
                                       ttp_str_from(read ? "READ_BARRIER" : "WRITE_BARRIER"))});
    ttp_out_trace_end(&m->tracing->w, l->track, ns_of(m, e->cycle));
    return true;
}

static void put_event(struct moving *m, const struct ttp_noc_event *e)
{
    struct ttp_trace_arg arg[4];
    char target[64];
    size_t n = 0;

    if (e->type < TTP_NOC_READ ||
        !ttp_out_trace_wants_core(&m->tracing->options->filter, e->sx, e->sy))
        return;
    struct lane *l = lane_of(m, e);
    if (put_barrier(m, l, e))
        return;
    arg[n++] = (struct ttp_trace_arg){TTP_KEY_START_CYCLE, TTP_ARG_UINT, {.u = e->cycle}};
    if (e->bytes)
        arg[n++] = (struct ttp_trace_arg){TTP_KEY_BYTES, TTP_ARG_UINT, {.u = e->bytes}};
    if (e->noc >= 0)
        arg[n++] = (struct ttp_trace_arg){TTP_KEY_NOC, TTP_ARG_UINT, {.u = (uint64_t)e->noc}};
    if (e->dx >= 0)
        snprintf(target, sizeof(target), "(%d,%d)", e->dx, e->dy);
    else if (e->mcast_start_x >= 0)
        snprintf(target, sizeof(target), "(%d,%d) to (%d,%d)", e->mcast_start_x, e->mcast_start_y,
                 e->mcast_end_x, e->mcast_end_y);
    if (e->dx >= 0 || e->mcast_start_x >= 0)
        arg[n++] = (struct ttp_trace_arg){
            TTP_KEY_TARGET,
            TTP_ARG_NAME,
            {.name = ttp_out_trace_name(&m->tracing->w, ttp_str_from(target))}};
    const ttp_str name = e->type == TTP_NOC_OTHER && e->name != TTP_SYM_NONE
                             ? ttp_sym_name(&m->noc->names, e->name)
                             : ttp_str_from(ttp_logs_noc_type_name((enum ttp_noc_type)e->type));
    ttp_out_trace_instant(
        &m->tracing->w, l->track,
        &(struct ttp_trace_slice){.start_ns = ns_of(m, e->cycle),
                                  .name = ttp_out_trace_name(&m->tracing->w, name),
                                  .arg = arg,
                                  .nargs = n});
}

/* ---- files ---- */

/* Times of a trace may be those of a synchronised clock, or count from the start of the kernel:
 * where they do not lie within the op they are moved to its start. */
static void find_shift(struct moving *m, const struct ttp_trace_op *op)
{
    const uint64_t first = m->noc->first_cycle, slack = op->end_cycle - op->start_cycle;

    m->shift_cycles = 0;
    if (first + slack < op->start_cycle || first > op->end_cycle)
        m->shift_cycles = (int64_t)op->start_cycle - (int64_t)first;
}

static ttp_code put_file(struct moving *m, const struct ttp_noc_file *file, struct ttp_err *err)
{
    struct ttp_tracing *t = m->tracing;
    const size_t device = ttp_out_tracing_device(t, file->device);
    struct ttp_exec_key key = ttp_logs_noc_trace_file_key(file);
    struct ttp_arena scratch = {0};
    struct ttp_noc_trace noc = {0};

    if (device == TTP_NPOS)
        return TTP_OK;
    key.device = (int64_t)device;
    const struct ttp_trace_op *op = ttp_out_tracing_find(t, &key);
    if (!op || !op->wanted)
        return TTP_OK;
    const ttp_code rc =
        ttp_logs_read_noc_trace(&noc, file->path, (uint16_t)file->device, &scratch, err);
    if (rc == TTP_OK && noc.nevents && noc.last_cycle < TTP_TRACE_CYCLE_MAX) {
        m->noc = &noc;
        m->device = (uint32_t)device;
        find_shift(m, op);
        put_levels(m, &scratch);
        for (size_t i = 0; i < noc.nevents && t->options->noc_transfers; i++)
            put_event(m, &noc.event[i]);
        for (size_t i = 0; i < m->nlanes; i++)
            m->lane[i].waiting = false;
        put_links(m, &noc, &scratch);
    }
    ttp_arena_free(&scratch);
    return rc;
}

ttp_code ttp_out_tracing_put_noc(struct ttp_tracing *t, struct ttp_err *err)
{
    const struct ttp_noc_folder *folder = t->run->noc;
    const struct ttp_device_log *log = t->run->report->logs.device;
    struct moving m = {.tracing = t, .grid = log ? ttp_device_noc_grid(log->arch) : NULL};

    if (!folder || folder->nprograms == 0)
        return TTP_OK;
    m.level = ttp_arena_alloc(t->arena, t->ndevices, sizeof(*m.level), 16);
    m.group = TTP_NEW(t->arena, ttp_track, t->ndevices);
    m.link = TTP_NEW(t->arena, ttp_track, t->ndevices);
    m.model = log ? ttp_device_noc_model(log->arch) : NULL;
    for (size_t i = 0; i < folder->nprograms; i++)
        for (size_t k = 0; k < folder->program[i].nfiles; k++)
            TTP_TRY(put_file(&m, &folder->program[i].file[k], err));
    return TTP_OK;
}
