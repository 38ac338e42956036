/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_run.c - a run of many ranks: ops and collectives in true time, seen by clocks that are apart
 * and do not run evenly. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/outsink.h"
#include "device/device.h"
#include "synth/chips.h"
#include "synth/mesh_synth.h"

#define DATE "2026_01_01_12_00_00"
/* As every op is: gaps between ops, and how much durations vary. */
#define GAP_NS      2000.0
#define GAP_MORE_NS 2000.0
#define NOISE       0.03
#define END_MORE_NS 1000.0 /* members of a collective end within that */
/* Of a link's peak; packets and their headers take the rest. */
#define LINK_SHARE_MOST 0.8
/* How long a host takes to enqueue an op on one chip, and how long before it may start. */
#define ENQUEUE_NS  200.0
#define DISPATCH_NS 3000.0

/* ---- chance ---- */

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static double part(uint64_t *state)
{
    return (double)(next(state) >> 11) * 0x1p-53;
}

static double between(uint64_t *state, double low, double high)
{
    return low + (high - low) * part(state);
}

/* ---- the program ---- */

enum { EMBED, NORM, WIDEN, SCATTER, ACTIVATE, GATHER, SIDE, NARROW, BROADCAST, KINDS };
static const struct ttp_mesh_synth_kind kinds[KINDS] = {
    [EMBED] = {"EmbeddingsDeviceOperation", 12000, TTP_MESH_SYNTH_ALONE, 1024, 1024, false},
    [NORM] = {"LayerNormDeviceOperation", 8000, TTP_MESH_SYNTH_ALONE, 1024, 1024, false},
    [WIDEN] = {"MatmulDeviceOperation", 95000, TTP_MESH_SYNTH_ALONE, 1024, 4096, true},
    [SCATTER] = {"ReduceScatterMinimalAsyncDeviceOperation", 28000, 1, 4096, 1024, false},
    [ACTIVATE] = {"UnaryDeviceOperation", 7000, TTP_MESH_SYNTH_ALONE, 1024, 1024, false},
    [GATHER] = {"AllGatherAsyncDeviceOperation", 22000, 1, 1024, 4096, false},
    [SIDE] = {"PagedUpdateCacheDeviceOperation", 0, TTP_MESH_SYNTH_ALONE, 256, 256, false},
    [NARROW] = {"MatmulDeviceOperation", 80000, TTP_MESH_SYNTH_ALONE, 4096, 1024, true},
    [BROADCAST] = {"AllBroadcastDeviceOperation", 31000, 0, 512, 512, false},
};

static double extra_at(const struct ttp_mesh_synth_chip *c, double t)
{
    size_t i = 1;

    if (c->clocks == 0)
        return 0;
    while (i + 1 < c->clocks && c->clock[i][0] < t)
        i++;
    const double *a = c->clock[i - 1], *b = c->clock[i];
    return a[1] + (b[1] - a[1]) * (t - a[0]) / (b[0] - a[0]);
}

static int64_t cycles_at(const struct ttp_mesh_synth_chip *c, double t)
{
    return c->cycles_at_0 + (int64_t)llround(c->ghz * (t * (1 + c->ppm * 1e-6) + extra_at(c, t)));
}

/* ---- time as it was ---- */

static double vary(struct ttp_mesh_synth *r, size_t place, size_t chip)
{
    return r->noise ? r->noise[place * r->chips + chip] : between(&r->chance, -1, 1);
}

static bool is_straggler(const struct ttp_mesh_synth *r, const struct ttp_mesh_synth_chip *c)
{
    return r->m->has_straggler && c->rank == r->m->straggler_rank && c->id == r->m->straggler_id;
}

static void run_compute(struct ttp_mesh_synth *r, struct ttp_mesh_synth_step *s, size_t place)
{
    for (size_t i = 0; i < r->chips; i++) {
        struct ttp_mesh_synth_chip *c = &r->chip[i];
        const bool side = s->kind == &kinds[SIDE];
        double ns = (side ? r->m->side_ns : s->kind->ns) * (1 + NOISE * vary(r, place, i));
        if (s->kind->matmul && is_straggler(r, c))
            ns *= 1 + r->m->slow;
        if (s->kind->matmul)
            ns *= 1 + r->m->more + (i % 2 ? r->m->uneven : 0);
        s->start[i] = c->now + GAP_NS + GAP_MORE_NS * fabs(vary(r, place, i));
        if (side && r->m->overlap) /* with the all-gather before it */
            s->start[i] = s[-1].start[i];
        s->end[i] = s->start[i] + ns;
        c->now = fmax(c->now, s->end[i]);
    }
}

static bool together(const struct ttp_mesh_synth_kind *k, const struct ttp_mesh_synth_chip *a,
                     const struct ttp_mesh_synth_chip *b)
{
    return k->axis == 1 ? a->row == b->row : a->column == b->column;
}

/* Of the wide tensor, what each chip of a row has: tensors are what an all-gather of so many chips
 * makes of them. */
#define WIDE 4096
static uint32_t shard_of(const struct ttp_mesh_synth *r)
{
    const uint32_t tiles = WIDE / 32 / r->m->columns;

    return 32 * (tiles ? tiles : 1);
}

struct shape {
    uint32_t in, out; /* last dimension */
};

static struct shape shape_of(const struct ttp_mesh_synth *r, const struct ttp_mesh_synth_kind *k)
{
    const uint32_t shard = shard_of(r), wide = shard * r->m->columns;

    if (r->m->columns > 1)
        switch (k - kinds) {
        case WIDEN:
            return (struct shape){k->in, wide};
        case SCATTER:
            return (struct shape){wide, shard};
        case ACTIVATE:
            return (struct shape){shard, shard};
        case GATHER:
            return (struct shape){shard, wide};
        case NARROW:
            return (struct shape){wide, k->out};
        default:
            break;
        }
    return (struct shape){k->in, k->out};
}

/* From the last arrival on. */
static double transfer_ns(const struct ttp_mesh_synth *r, const struct ttp_mesh_synth_kind *k)
{
    const struct ttp_arch *arch =
        ttp_device_find_arch(ttp_str_from(ttp_synth_arch_names[r->m->arch]), true);
    const double n = k->axis ? r->m->columns : r->m->rows, bytes = shape_of(r, k).in * 32.0 * 2;

    if (!arch || !(arch->link_gbs > 0))
        return k->ns;
    const double at_peak = (n - 1) * (k == &kinds[SCATTER] ? bytes / n : bytes) / arch->link_gbs;
    if (r->m->link_share > 0)
        return at_peak / r->m->link_share;
    return fmax(k->ns, at_peak / LINK_SHARE_MOST);
}

static void run_collective(struct ttp_mesh_synth *r, struct ttp_mesh_synth_step *s, size_t place)
{
    for (size_t i = 0; i < r->chips; i++) {
        struct ttp_mesh_synth_chip *c = &r->chip[i];
        const double v = vary(r, place, i);
        double late = GAP_NS + GAP_MORE_NS * fabs(v);
        if (v > 0.6) /* now and then the host is late */
            late += r->m->skew_us * 1000 * (v - 0.6) / 0.4;
        s->start[i] = c->now + late;
    }
    for (size_t i = 0; i < r->chips; i++) {
        double last = 0;
        for (size_t k = 0; k < r->chips; k++)
            if (together(s->kind, &r->chip[i], &r->chip[k]) && s->start[k] > last)
                last = s->start[k];
        s->end[i] = last + transfer_ns(r, s->kind) + END_MORE_NS * fabs(vary(r, place, i));
    }
    for (size_t i = 0; i < r->chips; i++)
        r->chip[i].now = s->end[i];
}

static void add_step(struct ttp_mesh_synth *r, int kind, size_t place)
{
    struct ttp_mesh_synth_step *s = &r->step[r->steps++];

    s->kind = &kinds[kind];
    s->start = TTP_NEW(r->arena, double, r->chips);
    s->end = TTP_NEW(r->arena, double, r->chips);
    if (s->kind->axis == TTP_MESH_SYNTH_ALONE)
        run_compute(r, s, place);
    else
        run_collective(r, s, place);
}

static size_t run_iteration(struct ttp_mesh_synth *r)
{
    size_t place = 0;

    /* A chip that is free earlier than the others waits for the host. */
    add_step(r, EMBED, place++);
    for (uint32_t l = 0; l < r->m->layers; l++) {
        add_step(r, NORM, place++);
        add_step(r, WIDEN, place++);
        if (r->m->columns > 1)
            add_step(r, SCATTER, place++);
        add_step(r, ACTIVATE, place++);
        if (r->m->columns > 1)
            add_step(r, GATHER, place++);
        if (r->m->columns > 1 && r->m->side_ns > 0)
            add_step(r, SIDE, place++);
        add_step(r, NARROW, place++);
        if (r->m->rows > 1 && l % 2 == 0)
            add_step(r, BROADCAST, place++);
    }
    return place;
}

static void make_clock(struct ttp_mesh_synth *r, struct ttp_mesh_synth_chip *c, double until)
{
    const double w = r->m->wander_ppm * 1e-6;

    if (!(w > 0))
        return;
    c->clock =
        ttp_arena_alloc(r->arena, (size_t)(until / 0.3e6) + 4, sizeof(*c->clock), alignof(double));
    for (c->clocks = 1; c->clock[c->clocks - 1][0] < until; c->clocks++) {
        const double ns = between(&r->chance, 0.3e6, 3e6);
        const double *before = c->clock[c->clocks - 1];
        c->clock[c->clocks][0] = before[0] + ns;
        c->clock[c->clocks][1] = before[1] + ns * between(&r->chance, -w, w);
    }
}

static void make_chips(struct ttp_mesh_synth *r)
{
    const struct ttp_synth_mesh *m = r->m;
    const uint32_t each = (uint32_t)(r->chips / m->ranks);
    const double ghz = (double)ttp_synth_chip_at(m->arch).mhz / 1000;

    for (uint32_t i = 0; i < r->chips; i++)
        r->chip[i] = (struct ttp_mesh_synth_chip){
            .rank = i / each,
            .id = i % each,
            .row = i / m->columns,
            .column = i % m->columns,
            .ghz = ghz,
            .ppm = between(&r->chance, -m->drift_ppm, m->drift_ppm),
            .cycles_at_0 = (int64_t)(ghz * 1e9 * (1 + between(&r->chance, 0, m->offset_s))),
            .now = between(&r->chance, 0, 20000),
        };
}

static void simulate(struct ttp_mesh_synth *r)
{
    double until = 0;
    size_t places = 1 + (size_t)r->m->layers * KINDS;

    make_chips(r);
    if (r->m->even) {
        r->noise = TTP_NEW(r->arena, double, places * r->chips);
        for (size_t i = 0; i < places * r->chips; i++)
            r->noise[i] = between(&r->chance, -1, 1);
    }
    r->step = TTP_NEW(r->arena, struct ttp_mesh_synth_step, places * r->m->iterations);
    for (uint32_t k = 0; k < r->m->iterations; k++) {
        double last = 0;
        (void)run_iteration(r);
        for (size_t i = 0; i < r->chips; i++)
            last = r->chip[i].now > last ? r->chip[i].now : last;
        /* the host waits for all before it begins the next */
        for (size_t i = 0; i < r->chips; i++)
            r->chip[i].now = last + 5000;
        until = last;
    }
    for (size_t i = 0; i < r->chips; i++)
        make_clock(r, &r->chip[i], until + 1e6);
    r->until = until;
}

/* Each op in time for the first chip that starts it, and after the one before. */
static void enqueue_ops(struct ttp_mesh_synth *r, uint32_t rank)
{
    const size_t each = r->chips / r->m->ranks;
    const double busy = (double)each * ENQUEUE_NS;
    double next = INFINITY;

    r->rank[rank].enqueue = TTP_NEW(r->arena, double, r->steps);
    for (size_t s = r->steps; s-- > 0;) {
        double first = INFINITY;
        for (size_t k = 0; k < each; k++)
            first = fmin(first, r->step[s].start[rank * each + k]);
        next = fmin(first - DISPATCH_NS - busy, next - busy - ENQUEUE_NS);
        r->rank[rank].enqueue[s] = next;
    }
}

/* Ranks are distributed over the hosts in order; their processes begin one after the other. */
static void place_ranks(struct ttp_mesh_synth *r)
{
    const uint32_t hosts = r->m->hosts ? r->m->hosts : 1;

    r->rank = TTP_NEW(r->arena, struct ttp_mesh_synth_rank, r->m->ranks);
    for (uint32_t k = 0; k < r->m->ranks; k++) {
        r->rank[k].host = (uint32_t)((uint64_t)k * hosts / r->m->ranks);
        r->rank[k].process_start = -1e9 - 37e6 * k;
        enqueue_ops(r, k);
    }
}

/* ---- files ---- */

static void put_shape(struct ttp_sink *out, uint32_t width)
{
    ttp_sink_printf(out, "1,1,32[32],%" PRIu32 "[%" PRIu32 "],TILE,BFLOAT16,DEV_0_DRAM_INTERLEAVED",
                    width, width);
}

static void put_row(struct ttp_sink *out, const struct ttp_mesh_synth *r, size_t chip, size_t step,
                    uint32_t order)
{
    const struct ttp_mesh_synth_chip *c = &r->chip[chip];
    const struct ttp_mesh_synth_step *s = &r->step[step];
    const int64_t start = cycles_at(c, s->start[chip]), end = cycles_at(c, s->end[chip]);
    const int64_t ns = (int64_t)llround((double)(end - start) / c->ghz);
    const uint64_t program = 2 + step + 3 * (uint64_t)c->rank; /* each rank counts separately */
    const struct ttp_mesh_synth_rank *of = &r->rank[c->rank];
    const int64_t host = llround(of->enqueue[step] + order * ENQUEUE_NS - of->process_start);

    ttp_sink_printf(out, "%s,tt_dnn_device,%" PRIu64 ",%" PRIu32 ",%s,", s->kind->code,
                    program << 10 | c->id, c->id, ttp_synth_arch_names[r->m->arch]);
    if (s->kind->axis != TTP_MESH_SYNTH_ALONE)
        ttp_sink_printf(out,
                        "\"{'cluster_axis': '%d'; 'dim': '3'; 'num_links': '1'; 'ring_size': "
                        "'%" PRIu32 "'; 'topology': 'Topology::Linear'}\"",
                        s->kind->axis, s->kind->axis ? r->m->columns : r->m->rows);
    ttp_sink_printf(out, ",64,%" PRId64 ",%" PRId64 ",%d,%" PRId64 ",%" PRId64 ",", host,
                    host + (int64_t)ENQUEUE_NS, (int)ENQUEUE_NS, start, end);
    if (step && s->start[chip] > r->step[step - 1].end[chip])
        ttp_sink_printf(out, "%.0f", s->start[chip] - r->step[step - 1].end[chip]);
    ttp_sink_printf(out, ",%" PRId64 ",%" PRId64 ",", ns, ns - 400);
    const struct shape shape = shape_of(r, s->kind);
    put_shape(out, shape.in);
    ttp_sink_char(out, ',');
    put_shape(out, shape.out);
    if (r->m->side_ns > 0)
        ttp_sink_printf(out, ",%d", r->m->overlap && s->kind == &kinds[SIDE]);
    ttp_sink_char(out, '\n');
}

static void put_header(struct ttp_sink *out, const struct ttp_mesh_synth *r)
{
    ttp_sink_own(out, "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,ATTRIBUTES,CORE "
                      "COUNT,HOST START TS,HOST END TS,HOST DURATION [ns],DEVICE FW START "
                      "CYCLE,DEVICE FW END CYCLE,OP TO OP LATENCY [ns],DEVICE FW DURATION "
                      "[ns],DEVICE KERNEL DURATION [ns],");
    for (int t = 0; t < 2; t++) {
        const char *name = t ? "OUTPUT_0" : "INPUT_0";
        ttp_sink_printf(out,
                        "%s_W_PAD[LOGICAL],%s_Z_PAD[LOGICAL],%s_Y_PAD[LOGICAL],%s_X_PAD[LOGICAL],"
                        "%s_LAYOUT,%s_DATATYPE,%s_MEMORY%s",
                        name, name, name, name, name, name, name, t ? "" : ",");
    }
    ttp_sink_put(out, r->m->side_ns > 0 ? TTP_STR(",SUB DEVICE ID\n") : TTP_STR("\n"));
}

static ttp_code write_rank(const struct ttp_mesh_synth *r, uint32_t rank, const char *dir,
                           struct ttp_synth_totals *totals, struct ttp_err *err)
{
    char name[96];
    struct ttp_outsink out;
    const size_t each = r->chips / r->m->ranks;

    snprintf(name, sizeof(name), "rank%" PRIu32 "/reports/" DATE, rank);
    const char *folder = ttp_file_join(dir, name, r->arena);
    TTP_TRY(ttp_file_make_dirs(folder, err));
    TTP_TRY(ttp_outsink_open(&out, ttp_file_join(folder, "ops_perf_results_" DATE ".csv", r->arena),
                             err));
    put_header(&out.sink, r);
    for (size_t s = 0; s < r->steps; s++)
        for (size_t k = 0; k < each; k++) {
            put_row(&out.sink, r, rank * each + k, s, (uint32_t)k);
            totals->executions++;
        }
    totals->files++;
    return ttp_outsink_close(&out, TTP_OK, err);
}

static ttp_code check(const struct ttp_synth_mesh *m, struct ttp_err *err)
{
    const uint64_t chips = (uint64_t)m->rows * m->columns;

    if (chips < 1 || chips > TTP_SYNTH_MAX_MESH)
        return ttp_fail(err, TTP_EUSAGE, "a mesh has 1 to %d chips", TTP_SYNTH_MAX_MESH);
    if (m->ranks < 1 || chips % m->ranks)
        return ttp_fail(err, TTP_EUSAGE,
                        "%" PRIu64 " chips cannot be split evenly over %" PRIu32 " ranks", chips,
                        m->ranks);
    if (m->hosts > m->ranks)
        return ttp_fail(err, TTP_EUSAGE, "%" PRIu32 " hosts need as many ranks", m->hosts);
    if (m->has_straggler && (m->straggler_rank >= m->ranks || m->straggler_id >= chips / m->ranks))
        return ttp_fail(err, TTP_EUSAGE, "no chip %" PRIu32 ":%" PRIu32, m->straggler_rank,
                        m->straggler_id);
    return TTP_OK;
}

ttp_code ttp_synth_write_mesh(struct ttp_synth_totals *totals, const char *dir,
                              const struct ttp_synth_mesh *mesh, struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct ttp_mesh_synth r = {.m = mesh, .chance = mesh->seed, .arena = &arena};

    *totals = (struct ttp_synth_totals){0};
    TTP_TRY(check(mesh, err));
    r.chips = (size_t)mesh->rows * mesh->columns;
    r.chip = TTP_NEW(&arena, struct ttp_mesh_synth_chip, r.chips);
    simulate(&r);
    place_ranks(&r);
    totals->ops = r.steps;
    ttp_code rc = ttp_file_make_dirs(dir, err);
    for (uint32_t rank = 0; rank < mesh->ranks && rc == TTP_OK; rank++)
        rc = write_rank(&r, rank, dir, totals, err);
    for (uint32_t rank = 0; mesh->hosts && rank < mesh->ranks && rc == TTP_OK; rank++)
        rc = ttp_mesh_synth_write_rank(&r, rank, dir, err);
    totals->files += mesh->hosts ? mesh->ranks : 0;
    if (rc == TTP_OK)
        rc = ttp_mesh_synth_write_truth(&r, dir, err);
    totals->files++;
    ttp_arena_free(&arena);
    return rc;
}
