/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_bench.c - `tt-perf bench`: measures commands and compares their speed. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/input.h"
#include "base/progress.h"
#include "core/form.h"
#include "outputs/outputs.h"
#include "verbs/bench_device.h"
#include "verbs/bench_setup.h"

/* Of our own where the command's are taken: as env, timeout and containers do. */
enum { EXIT_OURS = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127, EXIT_BY_SIGNAL = 128 };

struct bench_run {
    const struct ttp_ctx *ctx;
    const struct bench_opts *options;
    struct ttp_measure_options measure;
    struct ttp_bench bench;
    struct ttp_sweep_result sweep;
    bool sweeping;
    struct ttp_guard *guard;
    struct bench_device device;
    struct ttp_fingerprint machine;
    struct ttp_git_state git;
    struct ttp_signals signals;
    struct ttp_progress progress;
    struct ttp_words warnings, files;
    const struct ttp_arch *arch;
    enum ttp_form file_form; /* of what -o saves */
    size_t tainted;
    const char *taint; /* the first */
    bool refused;      /* by --strict */
    char line[160];
};

/* ---- around each run ---- */

static void before_run(void *arg, const struct ttp_trial *t)
{
    struct bench_run *r = arg;

    (void)t;
    bench_device_begin(&r->device);
    if (r->guard)
        ttp_measure_guard_before(r->guard);
}

static void during_run(void *arg)
{
    struct bench_run *r = arg;

    ttp_progress_say(&r->progress, r->line);
    if (r->guard)
        ttp_measure_guard_during(r->guard);
}

static void after_run(void *arg, struct ttp_trial *t)
{
    struct bench_run *r = arg;

    if (!r->guard)
        return;
    ttp_measure_guard_after(r->guard, t);
    if (!t->taint || t->warm_up)
        return;
    r->taint = r->tainted++ ? r->taint : t->taint;
    r->refused = r->options->strict;
}

static ttp_code device_value(void *arg, double *out, size_t metric, const struct ttp_child *child,
                             struct ttp_err *err)
{
    struct bench_run *r = arg;

    (void)child;
    return bench_device_value(out, &r->device, &r->bench.metric[metric], &r->signals, err);
}

static void show_progress(void *arg, const struct ttp_measure_progress *p)
{
    struct bench_run *r = arg;
    const unsigned left =
        p->seconds_left < 0 || p->seconds_left > 359999 ? 0 : (unsigned)(p->seconds_left + 0.5);

    snprintf(r->line, sizeof(r->line), "run %zu of %zu  %.60s", p->done + 1, p->planned,
             p->variant);
    if (p->seconds_left >= 0)
        snprintf(r->line + strlen(r->line), sizeof(r->line) - strlen(r->line), "  %u:%02u left",
                 left / 60, left % 60);
    ttp_progress_say(&r->progress, r->line);
}

/* ---- rates ---- */

static const struct ttp_arch *find_arch(const struct bench_run *r)
{
    if (r->options->arch)
        return ttp_boards_find_arch(r->ctx->boards, ttp_str_from(r->options->arch), true);
    if (r->machine.nboards)
        return ttp_boards_find_arch(r->ctx->boards, ttp_str_from(r->machine.board[0].chip), true);
    return NULL;
}

/* The roof over this many operations per byte: memory to the left, arithmetic to the right. */
static double roof_pct(const struct bench_run *r, const struct ttp_rates *rates)
{
    if (!r->arch)
        return NAN;
    const double peak =
        r->arch->tflops_per_core[r->options->fidelity] * 1e12 * (double)r->arch->worker_cores;
    const double memory = r->arch->dram_gbs * 1e9;
    if (isfinite(rates->flops_s) && isfinite(rates->bytes_s))
        return 100 * rates->flops_s / fmin(peak, memory * rates->flops_s / rates->bytes_s);
    if (isfinite(rates->flops_s))
        return 100 * rates->flops_s / peak;
    return isfinite(rates->bytes_s) ? 100 * rates->bytes_s / memory : NAN;
}

static ttp_code rate_of(struct ttp_bench_rates *out, const struct bench_run *r, double seconds,
                        const struct ttp_words *set, struct ttp_err *err)
{
    const struct ttp_work work = {r->options->bytes_in, r->options->bytes_out,
                                  r->options->iterations, r->options->flops, r->options->items};

    TTP_TRY(ttp_measure_work_rates(&out->rates, &work, set, seconds, err));
    out->roof_pct = roof_pct(r, &out->rates);
    return TTP_OK;
}

static double median_seconds(const struct bench_run *r, size_t variant)
{
    const struct ttp_bench *b = &r->bench;

    for (size_t k = 0; k < b->nmetrics; k++) {
        const double unit = ttp_measure_metric_unit_seconds(ttp_str_from(b->metric[k].unit));
        size_t n;

        if (!isfinite(unit) || b->metric[k].better == TTP_BETTER_HIGHER)
            continue;
        const double *v = ttp_measure_bench_values(&n, b, variant, k, r->ctx->arena);
        return unit * ttp_stats_quantile(ttp_stats_sorted(v, n, r->ctx->arena), n, 0.5);
    }
    return NAN;
}

static ttp_code make_rates(struct ttp_bench_rates **out, const struct bench_run *r,
                           struct ttp_err *err)
{
    const size_t n = r->sweeping ? r->sweep.npoints : r->bench.nvariants;
    const struct ttp_words none = {0};

    *out = NULL;
    if (!r->options->bytes_in && !r->options->bytes_out && !r->options->flops && !r->options->items)
        return TTP_OK;
    *out = TTP_NEW(r->ctx->arena, struct ttp_bench_rates, n);
    for (size_t i = 0; i < n; i++)
        TTP_TRY(r->sweeping ? rate_of(&(*out)[i], r, r->sweep.point[i].latency_s,
                                      &r->sweep.point[i].set, err)
                            : rate_of(&(*out)[i], r, median_seconds(r, i), &none, err));
    return TTP_OK;
}

/* ---- the result ---- */

static ttp_code put_form(const struct ttp_show *show, const struct bench_run *r,
                         const struct ttp_bench_view *view, struct ttp_err *err)
{
    if (show->form != TTP_FORM_OTHER)
        return ttp_out_bench(show, view, err);
    const struct ttp_complete_run about = {
        r->options->model ? r->options->model : r->bench.variant[0].name,
        r->options->run_type ? r->options->run_type : "tt-perf-bench"};
    ttp_out_complete_run(show->out, view, &about, show->arena);
    return TTP_OK;
}

/* A file gets JSON unless --format or its suffix says otherwise. */
static ttp_code save(const struct ttp_show *result, const struct bench_run *r,
                     const struct ttp_bench_view *view, struct ttp_outfile *file,
                     struct ttp_err *err)
{
    struct ttp_show show = *result;
    struct ttp_sink sink;

    ttp_sink_to_fd(&sink, file->fd, r->ctx->arena);
    show.out = &sink;
    show.form = r->file_form;
    show.color = false;
    show.width = 0;
    sink.gate = show.form == TTP_FORM_MARKDOWN ? TTP_GATE_MARKDOWN : TTP_GATE_TEXT;
    TTP_TRY(put_form(&show, r, view, err));
    const ttp_code rc = ttp_sink_finish(&sink, err);
    if (rc != TTP_OK)
        ttp_err_where(err, r->options->file, 0);
    return rc == TTP_OK ? ttp_outfile_commit(file, err) : rc;
}

static ttp_code show(struct bench_run *r, struct ttp_outfile *file, struct ttp_err *err)
{
    struct ttp_bench_view view = {.bench = r->sweeping ? NULL : &r->bench,
                                  .sweep = r->sweeping ? &r->sweep : NULL,
                                  .git = &r->git,
                                  .machine = r->guard ? &r->machine : NULL};
    struct ttp_show show = r->ctx->show;
    struct ttp_bench_rates *rates;
    char roof[80];

    TTP_TRY(make_rates(&rates, r, err));
    ttp_measure_bench_mask(&r->bench, r->ctx->arena);
    ttp_measure_sweep_mask(&r->sweep, r->ctx->arena);
    view.rates = rates;
    if (r->arch) {
        snprintf(roof, sizeof(roof), "%s %s", r->arch->name,
                 bench_fidelities[r->options->fidelity]);
        view.roof = roof;
    }
    show.inputs = r->files.count ? &r->files : NULL;
    show.warnings = &r->warnings;
    if (!r->options->file)
        return put_form(&show, r, &view, err);
    show.form = TTP_FORM_TEXT;
    if (file->fd != STDOUT_FILENO)
        TTP_TRY(put_form(&show, r, &view, err));
    return save(&show, r, &view, file, err);
}

/* ---- exit status ---- */

static int status_of_trial(const struct ttp_trial *t)
{
    if (t->end == TTP_CHILD_TIMED_OUT)
        return TTP_EXIT_TIMEOUT;
    if (t->end == TTP_CHILD_SIGNALED || t->end == TTP_CHILD_INTERRUPTED)
        return EXIT_BY_SIGNAL + t->code;
    return t->code ? t->code : EXIT_OURS;
}

static int status_of_failure(const struct bench_run *r, ttp_code rc)
{
    const struct ttp_bench *b = &r->bench;

    if (rc == TTP_ENOTFOUND)
        return EXIT_NOT_FOUND;
    if (rc == TTP_EIO)
        return EXIT_NOT_EXECUTABLE;
    if (rc == TTP_EPARSE && b->ntrials && b->trial[b->ntrials - 1].failure)
        return status_of_trial(&b->trial[b->ntrials - 1]);
    return rc == TTP_EUSAGE ? TTP_EXIT_USAGE : EXIT_OURS;
}

static int status_of_verdicts(const struct bench_run *r)
{
    const struct ttp_bench *b = &r->bench;
    int status = 0;

    for (size_t i = 1; i < b->nvariants; i++) {
        const struct ttp_versus v = ttp_measure_bench_versus(b, i, 0, r->ctx->arena);
        const bool worse =
            v.verdict ==
            (b->metric[0].better == TTP_BETTER_LOWER ? TTP_VERDICT_MORE : TTP_VERDICT_LESS);

        if (worse && r->options->check)
            return TTP_EXIT_FINDING;
        if (v.verdict == TTP_VERDICT_UNDECIDED)
            status = TTP_EXIT_UNDECIDED;
    }
    return status;
}

static int final_status(const struct bench_run *r)
{
    const int caught = r->sweeping ? r->sweep.interrupted : r->bench.interrupted;

    if (caught)
        return EXIT_BY_SIGNAL + caught;
    if (!r->sweeping)
        return status_of_verdicts(r);
    if (r->sweep.best != TTP_NPOS)
        return 0;
    const struct ttp_bench *first = &r->sweep.point[0].bench;
    return first->ntrials ? status_of_trial(&first->trial[first->ntrials - 1]) : EXIT_OURS;
}

/* ---- the run ---- */

static ttp_code open_guard(struct bench_run *r, struct ttp_err *err)
{
    if (r->options->place.no_guard)
        return TTP_OK;
    TTP_TRY(ttp_measure_guard_open(&r->guard, r->options->place.root, r->ctx->boards, r->ctx->arena,
                                   err));
    ttp_measure_guard_fingerprint(&r->machine, r->guard);
    return TTP_OK;
}

static void warn(struct bench_run *r, const char *text)
{
    ttp_words_add(&r->warnings, ttp_arena_zstr(r->ctx->arena, ttp_str_from(text)), r->ctx->arena);
}

static ttp_code measure(struct bench_run *r, const char *const *argv, struct ttp_err *err)
{
    struct ttp_arena *arena = r->ctx->arena;

    TTP_TRY(bench_setup(&r->bench, r->options, argv, arena, err));
    TTP_TRY(bench_device_open(&r->device, &r->bench, r->options->window, r->ctx, err));
    r->sweeping = r->options->sweeps.count > 0;
    if (!r->sweeping) {
        struct ttp_bench_rates unused;
        const struct ttp_words none = {0};

        /* report a mistake there now */
        TTP_TRY(rate_of(&unused, r, 1, &none, err));
    }
    if (!r->sweeping)
        return ttp_measure_run(&r->bench, &r->measure, &r->signals, arena, err);
    struct ttp_sweep *sweep;
    struct ttp_sweep_options o = {.measure = &r->measure,
                                  .variant = &r->bench.variant[0],
                                  .metric = r->bench.metric,
                                  .nmetrics = r->bench.nmetrics,
                                  .work = {r->options->bytes_in, r->options->bytes_out,
                                           r->options->iterations, r->options->flops,
                                           r->options->items},
                                  .latency_cap_s = r->options->latency_cap_s,
                                  .min_gain = r->options->min_gain,
                                  .exhaustive = r->options->exhaustive};
    TTP_TRY(bench_sweeps(&sweep, r->options, arena, err));
    return ttp_measure_sweep(&r->sweep, sweep, r->options->sweeps.count, &o, &r->signals, arena,
                             err);
}

/* Something to show although it failed: runs that count. */
static bool has_values(const struct bench_run *r)
{
    for (size_t i = 0; !r->sweeping && i < r->bench.ntrials; i++)
        if (!r->bench.trial[i].warm_up && !r->bench.trial[i].failure)
            return true;
    return r->sweeping && r->sweep.npoints > 0;
}

static ttp_code finish(int *status, struct bench_run *r, ttp_code rc, struct ttp_outfile *file,
                       struct ttp_err *err)
{
    if (r->refused) {
        *status = TTP_EXIT_ENVIRONMENT;
        ttp_fail(err, TTP_EUSAGE, "a run may be disturbed: %.200s", r->taint);
        ttp_err_hint(err, "see 'tt-perf doctor'; without --strict such runs are only marked");
        return TTP_EUSAGE;
    }
    if (rc != TTP_OK) {
        *status = status_of_failure(r, rc);
        if (!has_values(r))
            return rc;
        warn(r, err->text);
        struct ttp_err second = {0};
        const ttp_code shown = show(r, file, &second);
        (void)shown; /* the first failure is the one to tell */
        return rc;
    }
    TTP_TRY(show(r, file, err));
    *status = final_status(r);
    return TTP_OK;
}

static ttp_code run_commands(int *status, struct bench_run *r, const char *const *argv,
                             struct ttp_err *err)
{
    struct ttp_outfile file = {0};
    ttp_code rc = TTP_OK;

    if (r->options->arch &&
        !ttp_boards_find_arch(r->ctx->boards, ttp_str_from(r->options->arch), true))
        return ttp_fail(err, TTP_EUSAGE, "unknown chip or board '%.60s'", r->options->arch);
    TTP_TRY(ttp_signals_open(&r->signals, err));
    /* found out now rather than after an hour of measuring */
    if (r->options->file)
        rc = ttp_outfile_open(&file, r->options->file, err);
    if (rc == TTP_OK)
        rc = open_guard(r, err);
    if (rc == TTP_OK) {
        ttp_git_state(&r->git, &r->signals, r->ctx->arena);
        r->arch = find_arch(r);
        ttp_progress_init(&r->progress, "", 0, !r->ctx->quiet);
        rc = measure(r, argv, err);
        ttp_progress_clear(&r->progress);
        rc = finish(status, r, rc, &file, err);
    }
    for (size_t i = 0; i < r->bench.nmetrics; i++)
        ttp_measure_metric_clear(&r->bench.metric[i]);
    if (r->guard)
        ttp_measure_guard_close(r->guard);
    bench_device_close(&r->device);
    ttp_outfile_abort(&file);
    ttp_signals_close(&r->signals);
    return rc;
}

/* ---- results of before ---- */

static ttp_code read_file(struct ttp_bench *out, const char *path, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    static const struct ttp_input_bound bound = {(size_t)256 << 20,
                                                 "too large for a benchmark result"};
    ttp_str text;
    ttp_code rc = ttp_input_all(&text, path, &bound, arena, err);

    if (rc != TTP_OK) {
        ttp_err_hint(err, "put the command after '--'");
        return rc;
    }
    rc = ttp_measure_bench_read(out, text, arena, err);
    if (rc != TTP_OK && err->hint[0]) {
        const ttp_str hint = ttp_arena_copy(arena, ttp_str_from(err->hint));
        ttp_err_hint(err, "%.*s; put a command to measure after --", TTP_FMT(hint));
    }
    if (rc != TTP_OK)
        ttp_err_where(err, path, 1 + ttp_str_count_lines(ttp_str_slice(text, 0, err->offset)));
    return rc;
}

static ttp_code check_machines(const struct bench_run *r, const struct ttp_bench *part,
                               struct ttp_err *err)
{
    for (size_t i = 1; i < r->files.count && !r->options->force; i++) {
        const char *a = part[0].machine_key, *b = part[i].machine_key;

        if (!*a || !*b || strcmp(a, b) == 0)
            continue;
        ttp_fail(err, TTP_EPARSE,
                 "measured on a different machine than '%.100s': '%.60s', not '%.60s'",
                 r->files.word[0], b, a);
        ttp_err_hint(err, "use --force to compare them anyway");
        ttp_err_where(err, r->files.word[i], 0);
        return TTP_EPARSE;
    }
    return TTP_OK;
}

static ttp_code show_files(int *status, struct bench_run *r, struct ttp_err *err)
{
    struct ttp_arena *arena = r->ctx->arena;
    struct ttp_bench *part = TTP_NEW(arena, struct ttp_bench, r->files.count);
    struct ttp_outfile file = {0};

    for (size_t i = 0; i < r->files.count; i++)
        TTP_TRY(read_file(&part[i], r->files.word[i], arena, err));
    TTP_TRY(check_machines(r, part, err));
    ttp_measure_bench_join(&r->bench, part, r->files.word, r->files.count, arena);
    const size_t pairs = r->bench.nvariants > 1 ? r->bench.nvariants - 1 : 1;
    r->bench.confidence = r->measure.confidence;
    r->bench.look_confidence = 1 - (1 - r->measure.confidence) / (double)pairs;
    r->bench.min_effect = r->measure.min_effect;
    if (r->files.count > 1)
        warn(r, "these runs did not alternate: drift over time may look like a difference");
    if (r->options->file)
        TTP_TRY(ttp_outfile_open(&file, r->options->file, err));
    const ttp_code rc = show(r, &file, err);
    ttp_outfile_abort(&file);
    if (rc == TTP_OK)
        *status = status_of_verdicts(r);
    return rc;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    struct bench_run r = {.ctx = ctx, .options = opts};
    const char **argv = NULL;

    TTP_TRY(bench_measure_options(&r.measure, r.options, err));
    r.file_form = TTP_FORM_JSON;
    TTP_TRY(ttp_form_of_file(&r.file_form, ctx, r.options->file, err));
    r.measure.before = before_run;
    r.measure.during = during_run;
    r.measure.after = after_run;
    r.measure.progress = show_progress;
    r.measure.value = device_value;
    r.measure.stop = &r.refused;
    r.measure.arg = &r;
    r.files = (struct ttp_words){operands->word, ctx->dashdash};
    if (ctx->dashdash && operands->count > ctx->dashdash)
        return ttp_fail(err, TTP_EUSAGE, "give result files or a command, not both");
    if (ctx->dashdash)
        return show_files(status, &r, err);
    if (operands->count > ctx->dashdash) {
        argv = TTP_NEW(ctx->arena, const char *, operands->count - ctx->dashdash + 1);
        memcpy(argv, operands->word + ctx->dashdash,
               (operands->count - ctx->dashdash) * sizeof(*argv));
    }
    return run_commands(status, &r, argv, err);
}

static const char *const formats[] = {TTP_TABLE_FORMATS, "benchmark-run", NULL};

static const struct ttp_document_spec *const documents[] = {
    &ttp_bench_document, &ttp_sweep_document, &ttp_bench_values_document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf bench -- ./model --batch 8", "run it until its median is known to 1 %"},
    {"tt-perf bench --compare './old --n 3' -- ./new --n 3", "alternate both: which is faster?"},
    {"tt-perf bench --variant one=TT_METAL_NUM_CQ=1 --variant two=TT_METAL_NUM_CQ=2 -- ./model",
     "compare two environments"},
    {"tt-perf bench --metric 'fps: ([0-9.]+);unit=fps' --sweep BATCH=8..128*2 -- ./model -b "
     "'{BATCH}'",
     "find the batch size with the highest rate"},
    {"tt-perf bench old.json new.json", "compare two results"},
    {"tt-perf bench -o run.json -- ./model", "save every run, the machine and the commit"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_bench = {
    .name = "bench",
    .args = "-- CMD [ARG...] | RESULT.json...",
    .summary = "measure commands and compare their speed",
    .description =
        "Runs a command repeatedly, after uncounted warm-up runs, and shows its median with a "
        "confidence interval, mean, deviation, outliers (which are kept), drift and a histogram. "
        "It measures the elapsed time or numbers that the command prints.\n\n"
        "Several commands, or one in several environments, alternate (A B, B A, ...), so that "
        "drift over time affects all of them equally, and are compared with an exact rank test. "
        "The verdict is faster, slower, same within 1 %, or undecided, with the number of runs "
        "needed to decide. Runs stop as soon as the answer is clear.\n\n"
        "A sweep measures the values of a parameter in order, until more brings no gain or the "
        "command fails.\n\n"
        "Given files instead of a command, it shows and compares earlier results: its own JSON, "
        "tt-metal's CompleteBenchmarkRun, Google Benchmark and hyperfine.",
    .opt = bench_options,
    .nopt = BENCH_OPTIONS,
    .opts_size = sizeof(struct bench_opts),
    .defaults = &bench_defaults,
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_TABLE | TTP_TAKES_COLOR | TTP_TAKES_TALK |
             TTP_TAKES_BOARDS | TTP_TAKES_LIMITS | TTP_TAKES_NO_INPUT,
    .formats = formats,
    .documents = documents,
    .operand = TTP_OPERAND_FILE,
    .min_operands = 0,
    .max_operands = -1,
    .examples = examples,
    .exit_notes =
        "7 if a comparison is undecided, 1 with --check if a variant is worse. If the command "
        "fails, its own status (128+N after signal N, 6 after a timeout); 127 if the command is "
        "not found, 126 if it cannot be executed, 125 if tt-perf itself failed; 4 if --strict "
        "rejects the result.",
    .run = run,
};
