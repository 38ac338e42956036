/* SPDX-License-Identifier: Apache-2.0 */
/* The programs to estimate, and the devices they ran on. */
#include "noc/noc_programs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/vec.h"

/* ---- what there is ---- */

static ttp_code read_topology(const struct ttp_topology **out, const char *path,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_topology *t = TTP_NEW(arena, struct ttp_topology, 1);

    TTP_TRY(ttp_logs_read_topology(t, path, arena, err));
    *out = t;
    return TTP_OK;
}

/* For a file: next to it, or in the .logs folder next to its own. */
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

static void add_job(struct ttp_noc_jobs *jobs, const struct ttp_noc_job *job)
{
    *TTP_PUSH(jobs->arena, jobs->job, jobs->njobs) = *job;
    jobs->topology = job->topology ? job->topology : jobs->topology;
}

static bool is_wanted(const struct ttp_noc_plan *plan, const struct ttp_noc_program *p)
{
    if (!plan->by_name)
        return true;
    return plan->op ? ttp_str_eq(p->op, ttp_str_from(plan->op)) : p->op_id == plan->op_id;
}

/* Only the trace of one chip, if that was asked for. */
static void choose_chip(struct ttp_noc_program *p, const struct ttp_noc_plan *plan)
{
    size_t n = 0;

    for (size_t i = 0; i < p->nfiles; i++)
        if (!plan->one_chip || p->file[i].device == plan->chip)
            p->file[n++] = p->file[i];
    p->nfiles = n;
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

static ttp_code add_file(struct ttp_noc_jobs *jobs, const char *path, struct ttp_err *err)
{
    struct ttp_noc_file *file = TTP_NEW(jobs->arena, struct ttp_noc_file, 1);
    struct ttp_noc_job job = {.program = {.trace_key = TTP_NO_ID, .file = file, .nfiles = 1}};
    enum ttp_noc_content content;
    const char *topology = jobs->plan->topology;

    if (strcmp(path, "-") != 0 && access(path, R_OK) < 0)
        return ttp_fail_errno(err, "cannot open '%s'", path);
    *file = (struct ttp_noc_file){.path = path, .trace_key = TTP_NO_ID};
    file->device = jobs->plan->options.rules.single_files ? 0 : device_of(path);
    TTP_TRY(ttp_logs_noc_content(&content, path, err));
    job.workload = content == TTP_NOC_IS_WORKLOAD;
    if (!job.workload && !topology)
        topology = find_topology(path, jobs->arena);
    if (topology)
        TTP_TRY(read_topology(&job.topology, topology, jobs->arena, err));
    jobs->found++;
    add_job(jobs, &job);
    return TTP_OK;
}

/* Traces under other names, such as copies: each file is a program. */
static ttp_code add_by_content(struct ttp_noc_jobs *jobs, const char *dir, struct ttp_err *err)
{
    const char *logs = ttp_file_join(dir, ".logs", jobs->arena);
    const char *folder = ttp_file_is_dir(logs) ? logs : dir;
    struct ttp_words names;

    TTP_TRY(ttp_file_list(&names, folder, jobs->arena, err));
    for (size_t i = 0; i < names.count; i++) {
        const char *path = ttp_file_join(folder, names.word[i], jobs->arena);

        if (ttp_str_has(ttp_str_from(names.word[i]), TTP_STR(".json")) && !ttp_file_is_dir(path) &&
            ttp_logs_is_noc_trace(path))
            TTP_TRY(add_file(jobs, path, err));
    }
    return TTP_OK;
}

static ttp_code add_folder(struct ttp_noc_jobs *jobs, const char *dir, struct ttp_err *err)
{
    struct ttp_noc_folder folder;
    const struct ttp_topology *topology = NULL;
    const char *path;
    const size_t before = jobs->njobs, found = jobs->found;

    TTP_TRY(ttp_logs_find_noc_traces(&folder, dir, jobs->arena, err));
    path = jobs->plan->topology ? jobs->plan->topology : folder.topology;
    if (path)
        TTP_TRY(read_topology(&topology, path, jobs->arena, err));
    if (folder.unread.count)
        ttp_noc_say(&jobs->warnings, jobs->arena,
                    "%zu files look like NoC traces but do not have tt-metal's names (first: %s)",
                    folder.unread.count, folder.unread.word[0]);
    for (size_t i = 0; i < folder.nprograms; i++) {
        struct ttp_noc_job job = {folder.program[i], topology, false, true};
        choose_chip(&job.program, jobs->plan);
        if (job.program.nfiles == 0)
            continue;
        jobs->found++;
        if (is_wanted(jobs->plan, &folder.program[i]))
            add_job(jobs, &job);
    }
    if (folder.nprograms == 0)
        TTP_TRY(add_by_content(jobs, dir, err));
    if (jobs->njobs == before && jobs->found == found) {
        ttp_fail(err, TTP_ENOTFOUND, "no NoC traces in '%s'", dir);
        ttp_err_hint(err, "record the run with 'tt-perf record --mode kernel', or give a "
                          "noc_trace_*.json");
        return TTP_ENOTFOUND;
    }
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

static const char *guess_device(const struct ttp_noc_job *job, const struct ttp_noc_trace *trace,
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

ttp_code ttp_noc_choose_model(const struct ttp_noc_model **out, const struct ttp_noc_job *job,
                              const struct ttp_noc_plan *plan, struct ttp_noc_source from,
                              struct ttp_err *err)
{
    ttp_str name = ttp_str_from(plan->device);

    if (!name.len && job->topology && !job->workload)
        name = job->topology->cluster_type;
    if (!name.len)
        name = ttp_str_from(guess_device(job, from.trace, from.workload));
    *out = ttp_device_noc_model(name);
    if (*out && (!plan->options.rules.has_model || plan->options.rules.has_model(*out)))
        return TTP_OK;
    ttp_fail(err, plan->device ? TTP_EUSAGE : TTP_EPARSE, "no model of device '%.*s'%s",
             TTP_FMT(name), *out ? " with these rules" : "");
    ttp_err_hint(err, "choose one with --device: wormhole_b0, N150, N300, T3K, GALAXY, TG, P100, "
                      "P150, P300, P150_X8, BLACKHOLE_GALAXY");
    return err ? err->code : TTP_EPARSE;
}

/* ---- all ---- */

void ttp_noc_say(struct ttp_words *to, struct ttp_arena *arena, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    ttp_words_add(to, ttp_arena_zstr(arena, ttp_str_from(text)), arena);
}

ttp_code ttp_noc_find_jobs(struct ttp_noc_jobs *jobs, const struct ttp_words *inputs,
                           struct ttp_err *err)
{
    for (size_t i = 0; i < inputs->count; i++)
        TTP_TRY(ttp_file_is_dir(inputs->word[i]) ? add_folder(jobs, inputs->word[i], err)
                                                 : add_file(jobs, inputs->word[i], err));
    if (jobs->njobs)
        return TTP_OK;
    if (jobs->plan->op)
        ttp_fail(err, TTP_ENOTFOUND, "no program named '%s'", jobs->plan->op);
    else
        ttp_fail(err, TTP_ENOTFOUND, "no program %" PRIu64, jobs->plan->op_id);
    ttp_err_hint(err, "omit --program to list all %zu", jobs->found);
    return TTP_ENOTFOUND;
}
