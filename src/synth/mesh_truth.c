/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_truth.c - the true times and clocks of a synthetic run of many ranks, and the clocks of the
 * hosts of the ranks. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/json_write.h"
#include "base/outsink.h"
#include "synth/chips.h"
#include "synth/mesh_synth.h"

static void put_pair(struct ttp_json_writer *w, int64_t a, int64_t b)
{
    ttp_json_begin_array(w);
    ttp_json_put_i64(w, a);
    ttp_json_put_i64(w, b);
    ttp_json_end_array(w);
}

static void put_key(struct ttp_json_writer *w, const char *key)
{
    ttp_json_put_key(w, ttp_str_from(key));
}

static void put_chip(struct ttp_json_writer *w, const struct ttp_mesh_synth_chip *c)
{
    ttp_json_begin_object(w);
    put_key(w, "rank");
    ttp_json_put_i64(w, c->rank);
    put_key(w, "id");
    ttp_json_put_i64(w, c->id);
    put_key(w, "coord");
    put_pair(w, c->row, c->column);
    put_key(w, "nominal_ghz");
    ttp_json_put_f64(w, c->ghz);
    put_key(w, "cycles_at_0");
    ttp_json_put_i64(w, c->cycles_at_0);
    put_key(w, "ppm");
    ttp_json_put_f64(w, c->ppm);
    put_key(w, "clock");
    ttp_json_begin_array(w);
    for (size_t i = 0; i < c->clocks; i++) {
        ttp_json_begin_array(w);
        ttp_json_put_f64(w, c->clock[i][0]);
        ttp_json_put_f64(w, c->clock[i][1]);
        ttp_json_end_array(w);
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

static void put_groups(struct ttp_json_writer *w, const struct ttp_mesh_synth *r, int axis)
{
    const uint32_t groups = axis ? r->m->rows : r->m->columns;

    put_key(w, axis ? "1" : "0");
    ttp_json_begin_array(w);
    for (uint32_t g = 0; g < groups; g++) {
        ttp_json_begin_array(w);
        for (size_t i = 0; i < r->chips; i++)
            if ((axis ? r->chip[i].row : r->chip[i].column) == g)
                put_pair(w, r->chip[i].rank, r->chip[i].id);
        ttp_json_end_array(w);
    }
    ttp_json_end_array(w);
}

/* {"0:1": 12.5, ...}: of the chips on one line of the axis. */
static void put_times(struct ttp_json_writer *w, const struct ttp_mesh_synth *r, int axis,
                      uint32_t group, const double *at)
{
    ttp_json_begin_object(w);
    for (size_t i = 0; i < r->chips; i++) {
        const struct ttp_mesh_synth_chip *c = &r->chip[i];
        char name[32];

        if ((axis ? c->row : c->column) != group)
            continue;
        snprintf(name, sizeof(name), "%" PRIu32 ":%" PRIu32, c->rank, c->id);
        put_key(w, name);
        ttp_json_put_f64(w, at[i]);
    }
    ttp_json_end_object(w);
}

/* One op on each line of its axis. */
static void put_collectives(struct ttp_json_writer *w, const struct ttp_mesh_synth *r,
                            const struct ttp_mesh_synth_step *s)
{
    const int axis = s->kind->axis;
    const uint32_t groups = axis == TTP_MESH_SYNTH_ALONE ? 0 : axis ? r->m->rows : r->m->columns;

    for (uint32_t g = 0; g < groups; g++) {
        ttp_json_begin_object(w);
        put_key(w, "code");
        ttp_json_put_str(w, ttp_str_from(s->kind->code));
        put_key(w, "axis");
        ttp_json_put_i64(w, axis);
        put_key(w, "group");
        ttp_json_put_u64(w, g);
        put_key(w, "start_ns");
        put_times(w, r, axis, g, s->start);
        put_key(w, "end_ns");
        put_times(w, r, axis, g, s->end);
        ttp_json_end_object(w);
    }
}

ttp_code ttp_mesh_synth_write_truth(const struct ttp_mesh_synth *r, const char *dir,
                                    struct ttp_err *err)
{
    const struct ttp_synth_mesh *m = r->m;
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, ttp_file_join(dir, "truth.json", r->arena), err));
    struct ttp_json_writer w = {.sink = &out.sink, .indent = false};
    ttp_json_begin_object(&w);
    put_key(&w, "seed");
    ttp_json_put_u64(&w, m->seed);
    put_key(&w, "ranks");
    ttp_json_put_u64(&w, m->ranks);
    put_key(&w, "rows");
    ttp_json_put_u64(&w, m->rows);
    put_key(&w, "cols");
    ttp_json_put_u64(&w, m->columns);
    put_key(&w, "arch");
    ttp_json_put_str(&w, ttp_str_from(ttp_synth_arch_names[m->arch]));
    put_key(&w, "straggler");
    if (m->has_straggler)
        put_pair(&w, m->straggler_rank, m->straggler_id);
    else
        ttp_json_put_null(&w);
    put_key(&w, "slow");
    ttp_json_put_f64(&w, m->has_straggler ? m->slow : 0);
    put_key(&w, "devices");
    ttp_json_begin_array(&w);
    for (size_t i = 0; i < r->chips; i++)
        put_chip(&w, &r->chip[i]);
    ttp_json_end_array(&w);
    put_key(&w, "groups");
    ttp_json_begin_object(&w);
    for (int axis = 0; axis < 2; axis++)
        if ((axis ? m->columns : m->rows) > 1)
            put_groups(&w, r, axis);
    ttp_json_end_object(&w);
    put_key(&w, "rows_written");
    ttp_json_put_u64(&w, r->steps * r->chips);
    put_key(&w, "collectives");
    ttp_json_begin_array(&w);
    for (size_t s = 0; s < r->steps; s++)
        put_collectives(&w, r, &r->step[s]);
    ttp_json_end_array(&w);
    ttp_json_end_object(&w);
    ttp_sink_own(&out.sink, "\n");
    return ttp_outsink_close(&out, TTP_OK, err);
}

/* ---- rank.json ---- */

/* The date of the reports; ticks of a host's counter; how far apart REALTIME of hosts is, as NTP
 * leaves it. */
#define EPOCH_NS     INT64_C(1767268800000000000)
#define TICKS_PER_NS 2.5
#define APART_NS     1.7e6

static int64_t monotonic_at(uint32_t host, double t)
{
    return INT64_C(5000000000000) + (int64_t)host * INT64_C(1000000000000) + llround(t);
}

static int64_t ticks_at(uint32_t host, double t)
{
    return llround((double)monotonic_at(host, t) * TICKS_PER_NS);
}

static void put_clocks(struct ttp_json_writer *w, const char *key, uint32_t host, double t)
{
    put_key(w, key);
    ttp_json_begin_object(w);
    put_key(w, "realtime_ns");
    ttp_json_put_i64(w, EPOCH_NS + llround(t + (host % 2 ? APART_NS : 0)));
    put_key(w, "monotonic_raw_ns");
    ttp_json_put_i64(w, monotonic_at(host, t));
    put_key(w, "tsc");
    ttp_json_put_i64(w, ticks_at(host, t));
    put_key(w, "width_ns");
    ttp_json_put_i64(w, 120);
    ttp_json_end_object(w);
}

ttp_code ttp_mesh_synth_write_rank(const struct ttp_mesh_synth *r, uint32_t rank, const char *dir,
                                   struct ttp_err *err)
{
    const struct ttp_mesh_synth_rank *of = &r->rank[rank];
    char name[64];
    struct ttp_outsink out;

    snprintf(name, sizeof(name), "rank%" PRIu32 "/.logs", rank);
    const char *logs = ttp_file_join(dir, name, r->arena);
    TTP_TRY(ttp_file_make_dirs(logs, err));
    TTP_TRY(ttp_outsink_open(&out, ttp_file_join(logs, "rank.json", r->arena), err));
    struct ttp_json_writer w = {.sink = &out.sink, .indent = true};
    ttp_json_begin_object(&w);
    put_key(&w, "schema");
    ttp_json_put_str(&w, TTP_STR("tt-perf.rank/1"));
    put_key(&w, "rank");
    ttp_json_put_u64(&w, rank);
    put_key(&w, "size");
    ttp_json_put_u64(&w, r->m->ranks);
    snprintf(name, sizeof(name), "host%" PRIu32, of->host);
    put_key(&w, "host");
    ttp_json_put_str(&w, ttp_str_from(name));
    put_key(&w, "boot_id");
    ttp_json_put_str(&w, ttp_str_from(name));
    put_clocks(&w, "start", of->host, of->process_start - 5e6);
    put_clocks(&w, "end", of->host, r->until + 20e6);
    put_key(&w, "host_log");
    ttp_json_begin_object(&w);
    put_key(&w, "tick_at_0");
    ttp_json_put_i64(&w, ticks_at(of->host, of->process_start));
    put_key(&w, "ns_per_tick");
    ttp_json_put_f64(&w, 1 / TICKS_PER_NS);
    ttp_json_end_object(&w);
    ttp_json_end_object(&w);
    ttp_sink_own(&out.sink, "\n");
    return ttp_outsink_close(&out, TTP_OK, err);
}
