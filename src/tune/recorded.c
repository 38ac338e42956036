/* SPDX-License-Identifier: Apache-2.0 */
/* recorded.c - metrics of a run that only its recording has. */
#include <math.h>

#include "base/json_tree.h"
#include "tune/recorded.h"

const char **ttp_tune_recorded_argv(const char *const *argv, const struct ttp_recording *r,
                                    struct ttp_arena *arena)
{
    const char *const front[] = {r->program, "record", "-q",   "--no-report", "--mode",
                                 r->mode,    "-o",     r->dir, "--"};
    size_t n = 0;

    while (argv[n])
        n++;
    const char **all = TTP_NEW(arena, const char *, TTP_COUNT(front) + n + 1);
    memcpy(all, front, sizeof(front));
    memcpy(all + TTP_COUNT(front), argv, n * sizeof(*argv));
    return all;
}

/* ---- reading ---- */

ttp_code ttp_tune_recorded_read(struct ttp_recorded *out, const struct ttp_recording *r,
                                bool kernels, struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_run_request request = {
        .path = r->dir, .analysis = {.window = r->window, .boards = r->boards}, .threads = 1};
    const struct ttp_kernel_request zones = {
        .dir = r->dir, .window = "auto", .traces = true, .host = true, .boards = r->boards};
    struct ttp_err why = {0};

    *out = (struct ttp_recorded){0};
    if (ttp_run_is_device_only(r->dir, arena)) {
        out->has_kernels = true;
        return ttp_run_analyse_programs(&out->run, &out->kernels, &request, arena, err);
    }
    TTP_TRY(ttp_run_analyse(&out->run, &request, arena, err));
    if (kernels && ttp_plan_wants_kernels(&out->run.report))
        out->has_kernels = ttp_run_read_kernels(&out->kernels, &zones, arena, &why) == TTP_OK &&
                           out->kernels.has_log;
    return TTP_OK;
}

/* Clocks are whole MHz; a short op shows them badly. */
double ttp_tune_recorded_clock_mhz(const struct ttp_recorded *r)
{
    const struct ttp_report *report = &r->run.report;
    double longest = 0, mhz = NAN;

    if (r->has_kernels && r->kernels.report.clock_mhz)
        return (double)r->kernels.report.clock_mhz;
    for (size_t i = 0; i < report->count; i++) {
        double start, end, ns;

        if (!ttp_analysis_cell(report, &report->op[i], TTP_OPS_FW_START_CYCLE, &start) ||
            !ttp_analysis_cell(report, &report->op[i], TTP_OPS_FW_END_CYCLE, &end) ||
            !ttp_analysis_cell(report, &report->op[i], TTP_OPS_FW_NS, &ns) || !(end > start) ||
            !(ns > longest))
            continue;
        longest = ns;
        mhz = round((end - start) * 1000 / ns);
    }
    return mhz;
}

double ttp_tune_recorded_cycles(const struct ttp_recorded *r)
{
    const struct ttp_report *report = &r->run.report;
    double own_us = 0;

    for (size_t i = 0; i < report->count; i++)
        if (ttp_advice_is_own(report, &report->op[i]) && (report->op[i].has & TTP_HAS_TIME))
            own_us += report->op[i].time_us;
    return round((own_us > 0 ? own_us : report->window.device_us) * ttp_tune_recorded_clock_mhz(r));
}

/* ---- values ---- */

static ttp_code nothing_seen(ttp_code rc, struct ttp_err *err)
{
    ttp_fail(err, rc, "no device time: the profiler saw no ops of the command");
    ttp_err_hint(err, "check with 'tt-perf record -- COMMAND', or use --metric wall");
    return rc;
}

static ttp_code value_of_run(double *out, const struct ttp_metric *m, const struct ttp_recording *r,
                             struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_recorded run;
    const ttp_code rc = ttp_tune_recorded_read(&run, r, false, arena, err);

    /* the folder is private */
    if (rc == TTP_ENOTFOUND || (rc == TTP_EPARSE && !r->window))
        return nothing_seen(rc, err);
    TTP_TRY(rc);
    *out = m->kind == TTP_METRIC_CYCLES ? ttp_tune_recorded_cycles(&run)
                                        : run.run.report.window.device_us / 1e6;
    if (*out > 0)
        return TTP_OK;
    if (m->kind == TTP_METRIC_CYCLES && run.run.report.window.device_us > 0)
        return ttp_fail(err, TTP_EPARSE, "no cycles: the recording lacks the clock frequency");
    return nothing_seen(TTP_EPARSE, err);
}

/* One step of a path: a key, or an index of an array. */
static const struct ttp_node *step_to(const struct ttp_node *n, ttp_str word)
{
    uint64_t index;

    if (n->kind == TTP_JSON_ARRAY_BEGIN) {
        if (!ttp_str_to_u64(word, &index))
            return NULL;
        for (n = ttp_node_first(n); n && index; index--)
            n = n->next;
        return n;
    }
    for (const struct ttp_node *c = n->kind == TTP_JSON_OBJECT_BEGIN ? n->child : NULL; c;
         c = c->next)
        if (ttp_str_eq(c->key, word))
            return c;
    return NULL;
}

const struct ttp_node *ttp_tune_recorded_find(const struct ttp_node *n, ttp_str path)
{
    size_t from = 0;

    for (size_t i = 0; n && i <= path.len; i++) {
        if (i < path.len && !strchr(".[]", path.ptr[i]))
            continue;
        if (i > from)
            n = step_to(n, ttp_str_slice(path, from, i));
        from = i + 1;
    }
    return n;
}

static ttp_code value_of_json(double *out, const struct ttp_metric *m, ttp_str text,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_node *root;

    TTP_TRY(ttp_json_tree(&root, text, arena, err));
    const struct ttp_node *n = root ? ttp_tune_recorded_find(root, ttp_str_from(m->path)) : NULL;
    *out = n && n->kind == TTP_JSON_NUMBER ? ttp_node_f64(n) : NAN;
    if (isfinite(*out))
        return TTP_OK;
    ttp_fail(err, TTP_EPARSE, "the report of the run has no number '%.100s'", m->path);
    ttp_err_hint(err, "'tt-perf report RUN --format json' shows what it has; for example "
                      "json:data.window.device_us");
    return TTP_EPARSE;
}

/* The verb itself writes the document: what a metric says is what the user reads. */
static ttp_code value_of_report(double *out, const struct ttp_metric *m,
                                const struct ttp_recording *r, struct ttp_arena *arena,
                                struct ttp_err *err)
{
    const char *argv[] = {r->program, "report", "-q",      r->dir, "--format",
                          "json",     NULL,     r->window, NULL};
    const struct ttp_words none = {0};
    struct ttp_child c;

    if (r->window)
        argv[6] = "--window";
    const struct ttp_child_options o = {
        .path = r->program, .argv = argv, .env = ttp_child_environment(&none, arena)};
    TTP_TRY(ttp_child_run(&c, &o, r->signals, arena, err));
    if (c.end == TTP_CHILD_INTERRUPTED)
        return ttp_fail(err, TTP_EIO, "interrupted");
    if (c.end != TTP_CHILD_EXITED || c.code != 0)
        return nothing_seen(TTP_EPARSE, err);
    return value_of_json(out, m, c.printed, arena, err);
}

ttp_code ttp_tune_recorded_value(double *out, const struct ttp_metric *m,
                                 const struct ttp_recording *r, struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    const ttp_code rc = m->kind == TTP_METRIC_JSON ? value_of_report(out, m, r, &arena, err)
                                                   : value_of_run(out, m, r, &arena, err);

    ttp_arena_free(&arena);
    return rc;
}
