/* SPDX-License-Identifier: Apache-2.0 */
#include "noc_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/par.h"

/* A program to work on. */
struct job {
    struct ttp_noc_program program; /* files; a single file has no op id */
    const struct ttp_topology *topology;
    bool workload, folder;
};

struct running {
    struct ttp_noc_results *out;
    const struct ttp_noc_plan *plan;
    const struct ttp_ctx *ctx;
    struct job *job;
    size_t njobs, cap, next;
};

/* One program while it is worked on. */
struct item {
    const struct job *job;
    struct ttp_arena arena;
    struct ttp_noc_view view;
    ttp_code rc;
    struct ttp_err err;
};

/* ---- what there is ---- */

static ttp_code read_topology(const struct ttp_topology **out, const char *path,
                              const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct ttp_topology *t = TTP_NEW(ctx->arena, struct ttp_topology, 1);

    TTP_TRY(ttp_logs_read_topology(t, path, ctx->arena, err));
    *out = t;
    return TTP_OK;
}

/* For a file: beside it, or in the .logs folder beside its own. */
static const char *find_topology(const char *file, struct ttp_arena *arena)
{
    const char *slash = strrchr(file, '/');
    const ttp_str dir = slash ? (ttp_str){file, (size_t)(slash - file)} : TTP_STR(".");
    const char *folder = ttp_arena_zstr(arena, dir.len ? dir : TTP_STR("/"));
    const char *beside = ttp_file_join(folder, "topology.json", arena);
    const char *logs = ttp_file_join(folder, "../.logs/topology.json", arena);

    if (ttp_file_exists(beside))
        return beside;
    return ttp_file_exists(logs) ? logs : NULL;
}

static void add_job(struct running *r, const struct job *job)
{
    if (r->njobs == r->cap) {
        r->cap = r->cap ? r->cap * 2 : 64;
        r->job = ttp_arena_resize(r->ctx->arena, r->job, r->cap * sizeof(*r->job));
    }
    r->job[r->njobs++] = *job;
    r->out->topology = job->topology ? job->topology : r->out->topology;
}

static bool is_wanted(const struct ttp_noc_plan *plan, const struct ttp_noc_program *p)
{
    if (!plan->by_name)
        return true;
    return plan->op ? ttp_str_eq(p->op, ttp_str_from(plan->op)) : p->op_id == plan->op_id;
}

static ttp_code add_folder(struct running *r, const char *dir, struct ttp_err *err)
{
    struct ttp_noc_folder folder;
    const struct ttp_topology *topology = NULL;
    const char *path;

    TTP_TRY(ttp_logs_find_noc_traces(&folder, dir, r->ctx->arena, err));
    path = r->plan->topology ? r->plan->topology : folder.topology;
    if (path)
        TTP_TRY(read_topology(&topology, path, r->ctx, err));
    if (folder.unread.count)
        ttp_ctx_warn(r->ctx,
                     "%zu files are named like a NoC trace but not as tt-metal does (first: %s)",
                     folder.unread.count, folder.unread.word[0]);
    for (size_t i = 0; i < folder.nprograms; i++) {
        const struct job job = {folder.program[i], topology, false, true};
        r->out->found++;
        if (is_wanted(r->plan, &folder.program[i]))
            add_job(r, &job);
    }
    if (folder.nprograms == 0) {
        ttp_fail(err, TTP_ENOTFOUND, "no NoC traces in '%s'", dir);
        ttp_err_hint(err, "run with TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1, or give a "
                          "noc_trace_*.json");
        return TTP_ENOTFOUND;
    }
    return TTP_OK;
}

/* What the name says, if it is one that tt-metal gives. */
static int64_t device_of(const char *path)
{
    const char *at = strstr(path, "noc_trace_dev");
    ttp_str digits;
    uint64_t device;

    if (!at)
        return 0;
    digits = (ttp_str){at + 13, strspn(at + 13, "0123456789")};
    return ttp_str_to_u64(digits, &device) && device < TTP_NOC_NOWHERE ? (int64_t)device : 0;
}

static ttp_code add_file(struct running *r, const char *path, struct ttp_err *err)
{
    struct ttp_noc_file *file = TTP_NEW(r->ctx->arena, struct ttp_noc_file, 1);
    struct job job = {.program = {.trace_key = TTP_NO_ID, .file = file, .nfiles = 1}};
    enum ttp_noc_content content;
    const char *topology = r->plan->topology;

    if (!ttp_file_exists(path) && strcmp(path, "-") != 0)
        return ttp_fail(err, TTP_EIO, "cannot open '%s': No such file or directory", path);
    *file = (struct ttp_noc_file){.path = path, .trace_key = TTP_NO_ID};
    /* tt-npe knows no file names: what does not say its device is device 0 */
    file->device = r->plan->options.compat ? 0 : device_of(path);
    TTP_TRY(ttp_logs_noc_content(&content, path, err));
    job.workload = content == TTP_NOC_IS_WORKLOAD;
    if (!job.workload && !topology)
        topology = find_topology(path, r->ctx->arena);
    if (topology)
        TTP_TRY(read_topology(&job.topology, topology, r->ctx, err));
    r->out->found++;
    add_job(r, &job);
    return TTP_OK;
}

/* ---- which device ---- */

static const char *smallest_cluster(bool blackhole, unsigned chips)
{
    static const struct {
        unsigned chips;
        const char *wormhole, *blackhole;
    } clusters[] = {{1, "wormhole_b0", "P150"},
                    {2, "N300", "P300"},
                    {8, "T3K", "P150_X8"},
                    {32, "GALAXY", "BLACKHOLE_GALAXY"},
                    {36, "TG", "BLACKHOLE_GALAXY"}};

    for (size_t i = 0; i < TTP_COUNT(clusters); i++)
        if (chips <= clusters[i].chips)
            return blackhole ? clusters[i].blackhole : clusters[i].wormhole;
    return blackhole ? "BLACKHOLE_GALAXY" : "TG";
}

struct extent {
    unsigned chips;
    int width;
};

static void reach(struct extent *e, unsigned device, int64_t x)
{
    if (device < 64 && device + 1 > e->chips)
        e->chips = device + 1;
    if (x > e->width && x < 17)
        e->width = (int)x;
}

static const char *guess_device(const struct job *job, const struct ttp_noc_trace *trace,
                                const struct ttp_noc_workload *workload)
{
    struct extent e = {1, 0};

    for (size_t i = 0; trace && i < trace->nevents; i++) {
        const struct ttp_noc_event *v = &trace->event[i];
        reach(&e, v->device, v->sx);
        reach(&e, v->dst_device, v->dx);
        reach(&e, v->device, v->mcast_start_x);
    }
    for (size_t i = 0; trace && i < trace->nhops; i++)
        reach(&e, trace->hop[i].device < 0 ? 0 : (unsigned)trace->hop[i].device, 0);
    for (size_t i = 0; workload && i < workload->nitems; i++) {
        reach(&e, (unsigned)workload->item[i].device_id, workload->item[i].src_x);
        reach(&e, 0, workload->item[i].dst_x);
        reach(&e, 0, workload->item[i].mcast_end_x);
    }
    /* clusters had no name when topologies were of that age, but were all of this kind */
    if (job->topology && job->topology->old && e.chips < 3)
        e.chips = 3;
    return smallest_cluster(e.width >= 10, e.chips);
}

static ttp_code choose_model(const struct ttp_noc_model **out, const struct job *job,
                             const struct ttp_noc_plan *plan, const struct ttp_noc_trace *trace,
                             const struct ttp_noc_workload *workload, struct ttp_err *err)
{
    ttp_str name = ttp_str_from(plan->device);

    if (!name.len && job->topology && !job->workload)
        name = job->topology->cluster_type;
    if (!name.len)
        name = ttp_str_from(guess_device(job, trace, workload));
    *out = ttp_device_noc_model(name);
    if (*out && (!plan->options.compat || ttp_device_noc_model_is_original(*out)))
        return TTP_OK;
    ttp_fail(err, plan->device ? TTP_EUSAGE : TTP_EPARSE, "no model of device '%.*s'%s",
             TTP_FMT(name), *out ? " in tt-npe" : "");
    ttp_err_hint(err, "choose one with --device: wormhole_b0, N150, N300, T3K, GALAXY, TG, P100, "
                      "P150, P300, P150_X8, BLACKHOLE_GALAXY");
    return err ? err->code : TTP_EPARSE;
}

/* ---- one program ---- */

static ttp_code load_trace(struct item *it, struct ttp_noc_load *load,
                           const struct ttp_noc_plan *plan, struct ttp_err *err)
{
    struct ttp_noc_trace *trace = TTP_NEW(&it->arena, struct ttp_noc_trace, 1);
    const struct ttp_noc_program *p = &it->job->program;
    const bool compat = plan->options.compat;
    const struct ttp_noc_model *model;

    for (size_t i = 0; i < p->nfiles; i++)
        TTP_TRY(ttp_logs_read_noc_trace(trace, p->file[i].path, (uint16_t)p->file[i].device,
                                        &it->arena, err));
    if (!compat || it->job->folder)
        TTP_TRY(ttp_noc_merge(trace, &it->view.timing, it->job->topology, compat, &it->arena, err));
    TTP_TRY(choose_model(&model, it->job, plan, trace, NULL, err));
    TTP_TRY(ttp_noc_from_trace(load, model, trace, compat, &it->arena, err));
    it->view.trace = trace;
    if (!it->view.op.len)
        it->view.op = trace->op;
    if (load->ntransfers == 0 && trace->nevents == 0)
        return ttp_fail(err, TTP_EPARSE, "the trace is empty");
    return TTP_OK;
}

static ttp_code load_workload(struct item *it, struct ttp_noc_load *load,
                              const struct ttp_noc_plan *plan, struct ttp_err *err)
{
    struct ttp_noc_workload workload;
    const struct ttp_noc_model *model;

    TTP_TRY(ttp_logs_read_noc_workload(&workload, it->job->program.file[0].path, &it->arena, err));
    TTP_TRY(choose_model(&model, it->job, plan, NULL, &workload, err));
    return ttp_noc_from_workload(load, model, &workload, plan->options.compat, &it->arena, err);
}

static ttp_code estimate(struct item *it, const struct ttp_noc_plan *plan, bool alone,
                         struct ttp_err *err)
{
    struct ttp_noc_load *load = TTP_NEW(&it->arena, struct ttp_noc_load, 1);
    struct ttp_noc_estimate *est = TTP_NEW(&it->arena, struct ttp_noc_estimate, 1);
    struct ttp_noc_profile *profile = TTP_NEW(&it->arena, struct ttp_noc_profile, 1);
    struct ttp_noc_options options = plan->options;
    const struct ttp_noc_program *p = &it->job->program;

    it->view = (struct ttp_noc_view){.op = p->op,
                                     .op_id = p->op_id,
                                     .trace_key = p->trace_key,
                                     .input = p->file[0].path,
                                     .options = &plan->options,
                                     .load = load,
                                     .estimate = est,
                                     .profile = profile};
    options.threads = alone ? plan->threads : 1;
    TTP_TRY(it->job->workload ? load_workload(it, load, plan, err)
                              : load_trace(it, load, plan, err));
    TTP_TRY(ttp_noc_estimate(est, load, &options, &it->arena, err));
    ttp_noc_make_profile(profile, load, it->view.trace, plan->top, &it->arena);
    return TTP_OK;
}

/* ---- all programs ---- */

static ttp_code produce(void *ctx, void *item, bool *more, struct ttp_err *err)
{
    struct running *r = ctx;

    (void)err;
    *more = r->next < r->njobs;
    if (*more)
        ((struct item *)item)->job = &r->job[r->next++];
    return TTP_OK;
}

static ttp_code work(void *ctx, void *item, struct ttp_err *err)
{
    const struct running *r = ctx;
    struct item *it = item;

    (void)err;
    it->rc = estimate(it, r->plan, r->njobs == 1, &it->err);
    if (it->rc != TTP_OK && !it->err.path[0])
        ttp_err_where(&it->err, it->job->program.file[0].path, 0);
    return TTP_OK;
}

static void copy_stats(struct ttp_noc_stats *s, struct ttp_arena *arena)
{
    s->dram_per_ctrl = ttp_arena_copy(arena, s->dram_per_ctrl);
    s->eth_per_core = ttp_arena_copy(arena, s->eth_per_core);
}

/* What a row of the table needs, without the transfers and their routes. */
static struct ttp_noc_view brief(const struct ttp_noc_view *v, struct ttp_arena *arena)
{
    struct ttp_noc_view out = *v;
    struct ttp_noc_load *load = TTP_NEW(arena, struct ttp_noc_load, 1);
    struct ttp_noc_estimate *est = TTP_NEW(arena, struct ttp_noc_estimate, 1);
    struct ttp_noc_profile *profile = TTP_NEW(arena, struct ttp_noc_profile, 1);
    const struct ttp_noc_model *m = v->load->model;
    const size_t channels = (size_t)m->grid->dram_channels * m->chips;

    *load = *v->load;
    load->transfer = NULL;
    load->window = NULL;
    *est = *v->estimate;
    est->start_cycle = est->end_cycle = NULL;
    est->inject = NULL;
    est->device = TTP_NEW(arena, struct ttp_noc_stats, m->chips);
    copy_stats(&est->mesh, arena);
    for (unsigned d = 0; d < m->chips; d++) {
        est->device[d] = v->estimate->device[d];
        copy_stats(&est->device[d], arena);
    }
    *profile = *v->profile;
    profile->link_bytes = profile->out_bytes = profile->in_bytes = NULL;
    profile->top = TTP_NEW(arena, struct ttp_noc_busy_link, profile->ntop + 1);
    profile->hot = TTP_NEW(arena, struct ttp_noc_busy_link, m->chips);
    memcpy(profile->hot, v->profile->hot, m->chips * sizeof(*profile->hot));
    profile->dram_read = TTP_NEW(arena, uint64_t, channels);
    profile->dram_written = TTP_NEW(arena, uint64_t, channels);
    if (profile->ntop)
        memcpy(profile->top, v->profile->top, profile->ntop * sizeof(*profile->top));
    memcpy(profile->dram_read, v->profile->dram_read, channels * sizeof(uint64_t));
    memcpy(profile->dram_written, v->profile->dram_written, channels * sizeof(uint64_t));
    out.op = ttp_arena_copy(arena, v->op);
    out.load = load;
    out.estimate = est;
    out.profile = profile;
    out.trace = NULL;
    return out;
}

static void tell_load(const struct running *r, const struct ttp_noc_view *v)
{
    const struct ttp_noc_load *load = v->load;

    if (v->timing.clocks == TTP_NOC_CLOCKS_ALIGNED)
        ttp_ctx_warn(r->ctx,
                     "%s: the clocks of its devices were not synchronised; every device now "
                     "begins at cycle 0, so waits between devices mean nothing",
                     v->input);
    if (v->timing.closed_cycles)
        ttp_ctx_warn(r->ctx,
                     "%s: %" PRIu64 " cycles in which no core recorded anything were taken out: a "
                     "device waited for one that started later, or clocks differ",
                     v->input, v->timing.closed_cycles);
    if (v->timing.clocks == TTP_NOC_CLOCKS_CUT)
        ttp_ctx_warn(r->ctx,
                     "%s: %" PRIu64 " records after a jump of the clock were dropped, as "
                     "tt-npe does",
                     v->input, v->timing.dropped_records);
    for (size_t k = 0; k < TTP_NOC_SKIPS; k++)
        if (load->skipped[k] && !(k == TTP_NOC_SKIP_EMPTY && !load->skipped_bytes[k]))
            ttp_ctx_warn(r->ctx, "%s: %" PRIu64 " transfer%s left out: %s", v->input,
                         load->skipped[k], load->skipped[k] == 1 ? "" : "s",
                         ttp_noc_skip_name((enum ttp_noc_skip)k));
    if (load->full_counters)
        ttp_ctx_note(r->ctx,
                     "%s: %" PRIu64 " transfers are recorded with 8160 bytes, the most that "
                     "a trace can say; they may have been longer",
                     v->input, load->full_counters);
}

static ttp_code merge(void *ctx, void *item, struct ttp_err *err)
{
    struct running *r = ctx;
    struct item *it = item;
    struct ttp_noc_results *out = r->out;

    (void)err;
    if (it->rc != TTP_OK) {
        if (out->failed++ == 0)
            out->first = it->err;
        if (r->njobs > 1)
            ttp_ctx_warn(r->ctx, "%s: %s", it->job->program.file[0].path, it->err.text);
        return TTP_OK;
    }
    if (r->plan->keep) {
        out->kept[out->nkept++] = it->arena;
        it->arena = (struct ttp_arena){0};
        out->view[out->count++] = it->view;
    } else {
        out->view[out->count++] = brief(&it->view, r->ctx->arena);
    }
    tell_load(r, &it->view);
    return TTP_OK;
}

static void drop(void *ctx, void *item)
{
    (void)ctx;
    ttp_arena_free(&((struct item *)item)->arena);
}

static ttp_code find_jobs(struct running *r, const struct ttp_words *inputs, struct ttp_err *err)
{
    for (size_t i = 0; i < inputs->count; i++)
        TTP_TRY(ttp_file_is_dir(inputs->word[i]) ? add_folder(r, inputs->word[i], err)
                                                 : add_file(r, inputs->word[i], err));
    if (r->njobs == 0) {
        if (r->plan->op)
            ttp_fail(err, TTP_ENOTFOUND, "no program named '%s'", r->plan->op);
        else
            ttp_fail(err, TTP_ENOTFOUND, "no program %" PRIu64, r->plan->op_id);
        ttp_err_hint(err, "leave --program away to list all %zu", r->out->found);
        return TTP_ENOTFOUND;
    }
    return TTP_OK;
}

ttp_code ttp_noc_run(struct ttp_noc_results *out, const struct ttp_words *inputs,
                     const struct ttp_noc_plan *plan, const struct ttp_ctx *ctx,
                     struct ttp_err *err)
{
    static const struct ttp_pipeline pipeline = {.item_size = sizeof(struct item),
                                                 .produce = produce,
                                                 .work = work,
                                                 .merge = merge,
                                                 .drop = drop};
    struct running r = {.out = out, .plan = plan, .ctx = ctx};

    *out = (struct ttp_noc_results){0};
    TTP_TRY(find_jobs(&r, inputs, err));
    out->view = TTP_NEW(ctx->arena, struct ttp_noc_view, r.njobs);
    out->kept = TTP_NEW(ctx->arena, struct ttp_arena, r.njobs);
    TTP_TRY(ttp_par_pipeline(&pipeline, &r, r.njobs == 1 ? 1 : plan->threads, err));
    if (out->count)
        return TTP_OK;
    if (err)
        *err = out->first;
    return out->first.code;
}

void ttp_noc_results_clear(struct ttp_noc_results *r)
{
    for (size_t i = 0; i < r->nkept; i++)
        ttp_arena_free(&r->kept[i]);
    r->nkept = 0;
}
