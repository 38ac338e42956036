/* SPDX-License-Identifier: Apache-2.0 */
/* Every program of a run: read, estimated and profiled by several threads, put in order. */
#include <inttypes.h>
#include <stdio.h>

#include "base/par.h"
#include "noc/noc_merge.h"
#include "noc/noc_programs.h"

struct running {
    struct ttp_noc_results *out;
    const struct ttp_noc_jobs *jobs;
    size_t next;
};

/* One program while it is worked on. */
struct item {
    const struct ttp_noc_job *job;
    struct ttp_arena arena;
    struct ttp_noc_view view;
    struct ttp_fault odd_values, bad_records;
    ttp_code rc;
    struct ttp_err err;
};

/* ---- one program ---- */

static ttp_code load_trace(struct item *it, struct ttp_noc_load *load,
                           const struct ttp_noc_plan *plan, struct ttp_err *err)
{
    struct ttp_noc_trace *trace = TTP_NEW(&it->arena, struct ttp_noc_trace, 1);
    const struct ttp_noc_program *p = &it->job->program;
    const struct ttp_noc_rules *rules = &plan->options.rules;
    const struct ttp_noc_model *model;

    trace->cut_values = rules->cut_values;
    trace->strict_zones = rules->strict;
    for (size_t i = 0; i < p->nfiles; i++)
        TTP_TRY(ttp_logs_read_noc_trace(trace, p->file[i].path, (uint16_t)p->file[i].device,
                                        &it->arena, err));
    if (!rules->single_files || it->job->folder)
        TTP_TRY(ttp_noc_merge(trace, &it->view.timing, it->job->topology, rules, &it->arena, err));
    TTP_TRY(ttp_noc_choose_model(&model, it->job, plan, trace, NULL, err));
    TTP_TRY(ttp_noc_from_trace(load, model, trace, rules, &it->arena, err));
    it->view.trace = trace;
    if (!it->view.op.len)
        it->view.op = trace->op;
    it->odd_values = trace->odd_values;
    it->bad_records = trace->bad_records;
    if (load->ntransfers == 0 && trace->nevents == 0 && !rules->idle_windows)
        return ttp_fail(err, TTP_EPARSE, "the trace is empty");
    return TTP_OK;
}

static ttp_code load_workload(struct item *it, struct ttp_noc_load *load,
                              const struct ttp_noc_plan *plan, struct ttp_err *err)
{
    const struct ttp_noc_rules *rules = &plan->options.rules;
    struct ttp_noc_workload workload;
    const struct ttp_noc_model *model;

    TTP_TRY(ttp_logs_read_noc_workload(&workload, it->job->program.file[0].path, rules->strict,
                                       &it->arena, err));
    TTP_TRY(ttp_noc_choose_model(&model, it->job, plan, NULL, &workload, err));
    return ttp_noc_from_workload(load, model, &workload, rules, &it->arena, err);
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
    *more = r->next < r->jobs->njobs;
    if (*more)
        ((struct item *)item)->job = &r->jobs->job[r->next++];
    return TTP_OK;
}

static ttp_code work(void *ctx, void *item, struct ttp_err *err)
{
    const struct running *r = ctx;
    struct item *it = item;

    (void)err;
    it->rc = estimate(it, r->jobs->plan, r->jobs->njobs == 1, &it->err);
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

/* " (first: core 1-2 BRISC, cycle 77)" */
static const char *describe(char *buf, size_t cap, const struct ttp_noc_trace *trace,
                            uint32_t record)
{
    buf[0] = '\0';
    if (!trace || record >= trace->nevents)
        return buf;
    const struct ttp_noc_event *e = &trace->event[record];
    const char *risc = ttp_logs_noc_risc_name((enum ttp_noc_risc)e->risc);
    snprintf(buf, cap, " (first: core %" PRId32 "-%" PRId32 "%s%s, cycle %" PRIu64 ")", e->sx,
             e->sy, risc[0] ? " " : "", risc, e->cycle);
    return buf;
}

static void tell_load(const struct running *r, const struct ttp_noc_view *v)
{
    const struct ttp_noc_load *load = v->load;
    char text[96];

    if (v->timing.clocks == TTP_NOC_CLOCKS_ALIGNED)
        ttp_noc_say(&r->out->warnings, r->jobs->arena,
                    "%s: its device clocks were not synchronised; every device now begins at "
                    "cycle 0, so waits between devices are meaningless",
                    v->input);
    if (v->timing.closed_cycles)
        ttp_noc_say(&r->out->warnings, r->jobs->arena,
                    "%s: %" PRIu64 " cycles without any record were removed: a device waited for "
                    "one that started later, or clocks differ",
                    v->input, v->timing.closed_cycles);
    if (v->timing.clocks == TTP_NOC_CLOCKS_CUT)
        ttp_noc_say(&r->out->warnings, r->jobs->arena,
                    "%s: %" PRIu64 " records after a jump of the clock were dropped", v->input,
                    v->timing.dropped_records);
    for (size_t k = 0; k < TTP_NOC_SKIPS; k++)
        if (load->skipped[k] && !(k == TTP_NOC_SKIP_EMPTY && !load->skipped_bytes[k]))
            ttp_noc_say(&r->out->warnings, r->jobs->arena,
                        "%s: %" PRIu64 " transfer%s omitted: %s%s", v->input, load->skipped[k],
                        load->skipped[k] == 1 ? "" : "s", ttp_noc_skip_name((enum ttp_noc_skip)k),
                        describe(text, sizeof(text), v->trace, load->first_skipped[k]));
    if (load->unpaired.count && !v->options->rules.strict)
        ttp_noc_say(&r->out->warnings, r->jobs->arena, "%s: %zu zone record%s not match another%s",
                    v->input, load->unpaired.count, load->unpaired.count == 1 ? " does" : "s do",
                    describe(text, sizeof(text), v->trace, load->unpaired.first));
    if (load->full_counters)
        ttp_noc_say(&r->out->notes, r->jobs->arena,
                    "%s: %" PRIu64 " transfers are recorded with 8160 bytes, the maximum of a "
                    "trace; they may be longer",
                    v->input, load->full_counters);
}

static void tell_faults(const struct running *r, const struct item *it)
{
    const struct ttp_fault *odd = &it->odd_values, *bad = &it->bad_records;

    if (odd->count)
        ttp_noc_say(&r->out->warnings, r->jobs->arena,
                    "%s: line %" PRIu64 ": %" PRIu64 " value%s of the wrong kind or out of "
                    "range, ignored",
                    it->view.input, odd->line, odd->count,
                    odd->count == 1 ? " is" : "s from here on are");
    if (bad->count)
        ttp_noc_say(&r->out->warnings, r->jobs->arena,
                    "%s: line %" PRIu64 ": %" PRIu64 " element%s not objects%s", it->view.input,
                    bad->line, bad->count, bad->count == 1 ? " is" : "s from here on are",
                    it->view.options->rules.cut_values ? "" : ", left out");
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
        if (r->jobs->njobs > 1)
            ttp_noc_say(&r->out->warnings, r->jobs->arena, "%s: %s", it->job->program.file[0].path,
                        it->err.text);
        return TTP_OK;
    }
    if (r->jobs->plan->keep) {
        out->kept[out->nkept++] = it->arena;
        it->arena = (struct ttp_arena){0};
        out->view[out->count++] = it->view;
    } else {
        out->view[out->count++] = brief(&it->view, r->jobs->arena);
    }
    tell_faults(r, it);
    tell_load(r, &it->view);
    return TTP_OK;
}

static void drop(void *ctx, void *item)
{
    (void)ctx;
    ttp_arena_free(&((struct item *)item)->arena);
}

ttp_code ttp_noc_estimate_all(struct ttp_noc_results *out, const struct ttp_words *inputs,
                              const struct ttp_noc_plan *plan, struct ttp_arena *arena,
                              struct ttp_err *err)
{
    static const struct ttp_pipeline pipeline = {.item_size = sizeof(struct item),
                                                 .produce = produce,
                                                 .work = work,
                                                 .merge = merge,
                                                 .drop = drop};
    struct ttp_noc_jobs jobs = {.plan = plan, .arena = arena};
    struct running r = {.out = out, .jobs = &jobs};

    *out = (struct ttp_noc_results){0};
    const ttp_code rc = ttp_noc_find_jobs(&jobs, inputs, err);
    out->warnings = jobs.warnings;
    out->topology = jobs.topology;
    out->found = jobs.found;
    if (rc != TTP_OK)
        return rc;
    out->view = TTP_NEW(arena, struct ttp_noc_view, jobs.njobs);
    out->kept = TTP_NEW(arena, struct ttp_arena, jobs.njobs);
    TTP_TRY(ttp_par_pipeline(&pipeline, &r, jobs.njobs == 1 ? 1 : plan->threads, err));
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
