/* SPDX-License-Identifier: Apache-2.0 */
/* The folder: which files a plan makes, and where they go. */
#include <stdio.h>

#include "base/outsink.h"
#include "synth/kernel_run.h"
#include "synth/planted.h"
#include "synth/writers.h"

const char *const ttp_synth_file_names[] = {
    "all",          "device-log",    "cpp-report",  "ops-times",  "ops-data",
    "zone-sources", "topology",      "coordinates", "flow-graph", "source",
    "sync",         "graph-capture", NULL};

static const char *const paths[] = {
    [TTP_SYNTH_DEVICE_LOG] = ".logs/profile_log_device.csv",
    [TTP_SYNTH_CPP_REPORT] = ".logs/cpp_device_perf_report.csv",
    [TTP_SYNTH_OPS_TIMES] = ".logs/tracy_ops_times.csv",
    [TTP_SYNTH_OPS_DATA] = ".logs/tracy_ops_data.csv",
    [TTP_SYNTH_ZONE_SOURCES] = ".logs/zone_src_locations.log",
    [TTP_SYNTH_TOPOLOGY] = ".logs/topology.json",
    [TTP_SYNTH_COORDINATES] = ".logs/cluster_coordinates.json",
    [TTP_SYNTH_FLOW_GRAPH] = ".logs/cb_flow_graph.json",
    [TTP_SYNTH_SOURCE] = "fused_exp.py",
    [TTP_SYNTH_SYNC] = ".logs/sync_device_info.csv",
    [TTP_SYNTH_CAPTURE] = "graph_capture.json",
};

struct run {
    struct ttp_synth_plan plan;
    struct ttp_synth_totals *totals;
    struct ttp_progress *progress;
    struct ttp_arena *arena;
};

/* Do these options make that file? */
static bool is_made(const struct ttp_synth_plan *p, enum ttp_synth_file file)
{
    switch (file) {
    case TTP_SYNTH_CPP_REPORT:
        return !p->opt.counters && !p->opt.dispatch &&
               !p->side; /* it lacks times of single cores */
    case TTP_SYNTH_SYNC:
        return p->opt.sync;
    case TTP_SYNTH_CAPTURE:
        return p->side && p->side->capture;
    case TTP_SYNTH_FLOW_GRAPH:
    case TTP_SYNTH_SOURCE:
        return p->kernel != NULL;
    default:
        return true;
    }
}

static void put_file(struct ttp_sink *out, enum ttp_synth_file file, struct run *r)
{
    const struct ttp_synth_plan *p = &r->plan;

    switch (file) {
    case TTP_SYNTH_ALL_FILES:
        return;
    case TTP_SYNTH_DEVICE_LOG:
        r->totals->markers = ttp_synth_put_device_log(out, p, r->progress, r->arena);
        return;
    case TTP_SYNTH_CPP_REPORT:
        ttp_synth_put_cpp_report(out, p, r->arena);
        return;
    case TTP_SYNTH_OPS_TIMES:
        ttp_synth_put_ops_times(out, p);
        return;
    case TTP_SYNTH_OPS_DATA:
        ttp_synth_put_ops_data(out, p);
        return;
    case TTP_SYNTH_ZONE_SOURCES:
        ttp_synth_put_zone_sources(out, p);
        return;
    case TTP_SYNTH_TOPOLOGY:
        ttp_synth_put_topology(out, p);
        return;
    case TTP_SYNTH_COORDINATES:
        ttp_synth_put_coordinates(out, p);
        return;
    case TTP_SYNTH_FLOW_GRAPH:
        ttp_sink_put(out, ttp_synth_kernel_flow_graph());
        return;
    case TTP_SYNTH_SOURCE:
        ttp_sink_put(out, ttp_synth_kernel_source());
        return;
    case TTP_SYNTH_SYNC:
        ttp_synth_put_sync(out, p);
        return;
    case TTP_SYNTH_CAPTURE:
        ttp_synth_put_graph_capture(out, p);
        return;
    }
}

/* What is written to one file: one of those above, or the NoC trace of an execution. */
struct content {
    enum ttp_synth_file file;
    const struct ttp_synth_exec *exec;
    uint32_t device;
};

static ttp_code write_path(struct run *r, const char *path, const struct content *what,
                           struct ttp_err *err)
{
    const struct ttp_mark mark = ttp_arena_mark(r->arena);
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, path, err));
    if (what->exec)
        ttp_synth_put_noc_trace(&out.sink, &r->plan, what->exec, what->device);
    else
        put_file(&out.sink, what->file, r);
    TTP_TRY(ttp_outsink_close(&out, TTP_OK, err));
    ttp_arena_rewind(r->arena, mark);
    r->totals->files++;
    r->totals->bytes += out.sink.written;
    return TTP_OK;
}

static ttp_code write_noc_traces(struct run *r, const char *dir, struct ttp_err *err)
{
    const struct ttp_synth_plan *p = &r->plan;
    char name[4096], replay[40];

    for (uint32_t device = 0; device < ttp_synth_seen_devices(p); device++)
        for (size_t i = 0; i < p->nexecs; i++) {
            const struct ttp_synth_exec *e = &p->exec[i];
            const struct ttp_synth_call *c = &p->call[e->call];
            if (ttp_synth_is_missing(p, e))
                continue;
            replay[0] = '\0';
            if (e->replay) /* trace id in the upper half: ours is 0 */
                snprintf(replay, sizeof(replay), "_traceID%u", e->replay);
            snprintf(name, sizeof(name), "%s/.logs/noc_trace_dev%u_%s_ID%u%s.json", dir, device,
                     c->op->code, ttp_synth_id(c, device), replay);
            TTP_TRY(write_path(r, name, &(struct content){.exec = e, .device = device}, err));
        }
    return TTP_OK;
}

static ttp_code begin(struct run *r, struct ttp_synth_totals *totals,
                      const struct ttp_synth_options *opt, struct ttp_arena *arena,
                      struct ttp_err *err)
{
    *totals = (struct ttp_synth_totals){0};
    r->totals = totals;
    r->progress = opt->progress;
    r->arena = arena;
    TTP_TRY(ttp_synth_plan_run(&r->plan, opt, arena, err));
    for (size_t i = 0; i < r->plan.ncalls; i++)
        totals->ops += r->plan.call[i].event == SYNTH_OP;
    totals->executions = r->plan.nexecs * r->plan.opt.devices;
    return TTP_OK;
}

static ttp_code write_all(struct run *r, const char *dir, struct ttp_err *err)
{
    char path[4096];

    if (snprintf(path, sizeof(path), "%s/.logs", dir) > (int)sizeof(path) - 256)
        return ttp_fail(err, TTP_EUSAGE, "the name of the folder is too long");
    TTP_TRY(ttp_file_make_dirs(path, err));
    for (unsigned f = TTP_SYNTH_DEVICE_LOG; f < TTP_COUNT(paths); f++) {
        const enum ttp_synth_file file = (enum ttp_synth_file)f;
        if (!is_made(&r->plan, file))
            continue;
        snprintf(path, sizeof(path), "%s/%s", dir, paths[f]);
        TTP_TRY(write_path(r, path, &(struct content){.file = file}, err));
    }
    return r->plan.opt.noc ? write_noc_traces(r, dir, err) : TTP_OK;
}

ttp_code ttp_synth_write_folder(struct ttp_synth_totals *totals, const char *dir,
                                const struct ttp_synth_options *opt, struct ttp_err *err)
{
    const struct ttp_synth_mesh *mesh = ttp_synth_find_mesh_planting(opt->plant, opt->mended);
    struct ttp_arena arena = {0};
    struct run r;

    if (mesh) {
        struct ttp_synth_mesh with = *mesh;
        with.seed = opt->seed;
        with.arch = opt->arch;
        return ttp_synth_write_mesh(totals, dir, &with, err);
    }
    ttp_code rc = begin(&r, totals, opt, &arena, err);
    if (rc == TTP_OK)
        rc = write_all(&r, dir, err);
    ttp_arena_free(&arena);
    return rc;
}

ttp_code ttp_synth_write_file(struct ttp_synth_totals *totals, struct ttp_sink *out,
                              enum ttp_synth_file file, const struct ttp_synth_options *opt,
                              struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct run r;

    ttp_code rc = begin(&r, totals, opt, &arena, err);
    if (rc == TTP_OK && !is_made(&r.plan, file))
        rc = ttp_fail(err, TTP_EUSAGE, "this kind of run has no file '%s'",
                      ttp_synth_file_names[file]);
    if (rc == TTP_OK) {
        put_file(out, file, &r);
        totals->files = 1;
        totals->bytes = out->written + out->len;
    }
    ttp_arena_free(&arena);
    return rc;
}
