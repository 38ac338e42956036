/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_diff.c - `tt-perf diff`: what changed from one run to others, op by op. */
#include <math.h>
#include <unistd.h>

#include "core/cmd.h"
#include "core/run_input.h"
#include "outputs/outputs.h"

struct diff_opts {
    struct ttp_common_opts common;
    struct ttp_report_options analysis;
    double fail_over; /* as a part */
    bool ops, no_gaps;
};

#define FIELD(name) offsetof(struct diff_opts, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(FLAG, "no-host-ops", FIELD(analysis.no_host_ops), "omit host ops",
               .group = "Selection"),
    TTP_OPTION(FLAG, "no-merge-devices", FIELD(analysis.no_merge_devices),
               "compare every device instead of the one with the median time"),
    TTP_OPTION(FLAG, "no-gaps", FIELD(no_gaps),
               "compare only device time; in an untraced run the gaps depend on the host"),
    {.table = &ttp_analysis_options, .offset = FIELD(analysis)},
    TTP_OPTION(
        PERCENT, "fail-over", FIELD(fail_over),
        "exit with 1 if the device time of a run, or that with gaps, is longer than the base's "
        "by more than this, such as 2%; with "
        "several runs per side only if the difference is significant, and with 7 if they "
        "cannot tell",
        .metavar = "PERCENT", .group = "Verdict"),
    TTP_OPTION(INT, "top", FIELD(common.top),
               "show only the first N rows after --where and --sort, or the N largest changes; "
               "0 means all (default 20 in text and Markdown, all in CSV and JSON)",
               .min = 0, .max = INT32_MAX, .metavar = "N", .group = "Output"),
    TTP_OPTION(FLAG, "ops", FIELD(ops),
               "one row per op, as always in CSV, instead of one per group of equal ops that "
               "changed alike"),
};

#define TOP_UNSET (-1)
#define TOP_TEXT  20
static const struct diff_opts defaults = {.fail_over = INFINITY, .common.top = TOP_UNSET};

struct diff_run {
    const struct ttp_ctx *ctx;
    const struct diff_opts *o;
    struct ttp_report_options analysis;
    struct ttp_words warnings;
};

static ttp_code read_run(struct diff_run *r, struct ttp_diff_run *out, const char *path,
                         struct ttp_err *err)
{
    struct ttp_run_input *in = TTP_NEW(r->ctx->arena, struct ttp_run_input, 1);
    const struct ttp_run_wanted wanted = {path, &r->analysis, (unsigned)r->o->common.threads,
                                          r->ctx->show.form == TTP_FORM_JSON ? &r->warnings : NULL,
                                          .mesh = true};
    struct ttp_run_mesh mesh;

    TTP_TRY(ttp_run_input_read(in, &wanted, r->ctx, err));
    ttp_run_input_mesh(&mesh, in, &wanted, "comparison of devices", r->ctx);
    *out = (struct ttp_diff_run){&in->ops, &in->report, mesh.mesh};
    return TTP_OK;
}

/* "A1,A2,A3": runs of one side. A file whose name has a comma is one. */
static ttp_code read_side(struct diff_run *r, struct ttp_diff_side *out, const char *operand,
                          struct ttp_err *err)
{
    struct ttp_arena *arena = r->ctx->arena;
    const bool one = strchr(operand, ',') == NULL || access(operand, F_OK) == 0;
    size_t count = 1;

    for (const char *c = operand; *c && !one; c++)
        count += *c == ',';
    ttp_str *part = TTP_NEW(arena, ttp_str, count);
    struct ttp_diff_run *run = TTP_NEW(arena, struct ttp_diff_run, count);
    if (one)
        part[0] = ttp_str_from(operand);
    else
        ttp_str_split(ttp_str_from(operand), ',', part, count);
    for (size_t i = 0; i < count; i++) {
        if (part[i].len == 0)
            return ttp_fail(err, TTP_EUSAGE, "empty file name in '%s'", operand);
        TTP_TRY(read_run(r, &run[i], ttp_arena_zstr(arena, part[i]), err));
    }
    *out = (struct ttp_diff_side){run, count};
    return TTP_OK;
}

/* What the exit status says about one comparison. */
static int judge(const struct ttp_diff *diff, double limit)
{
    /* gaps may hide a slower device, and a faster device longer gaps */
    if (!(fmax(ttp_diff_total_pct(diff), ttp_diff_device_pct(diff)) > limit * 100))
        return TTP_EXIT_OK;
    return diff->test.done && !diff->test.significant ? TTP_EXIT_UNDECIDED : TTP_EXIT_FINDING;
}

/* A gate that compares nothing would pass every run. */
static ttp_code check_gate(const struct diff_run *r, const struct ttp_diff_side *side,
                           const char *name, struct ttp_err *err)
{
    for (size_t i = 0; i < side->runs && isfinite(r->o->fail_over); i++)
        if (!(side->run[i].report->window.device_us > 0)) {
            (void)ttp_fail(err, TTP_EPARSE, "'%s' has no device time to compare", name);
            ttp_err_hint(err, "profile it with device times, or choose ops with --window");
            return TTP_EPARSE;
        }
    return TTP_OK;
}

/* Of the run that can be trusted least. */
static const struct ttp_quality *worst_quality(const struct ttp_diff_side *side, size_t sides)
{
    const struct ttp_quality *worst = &side[0].run[0].report->quality;

    for (size_t s = 0; s < sides; s++)
        for (size_t r = 0; r < side[s].runs; r++)
            if (side[s].run[r].report->quality.level > worst->level)
                worst = &side[s].run[r].report->quality;
    return worst;
}

static void warn(struct diff_run *r, ttp_str text)
{
    if (r->ctx->show.form == TTP_FORM_JSON)
        ttp_words_add(&r->warnings, ttp_arena_zstr(r->ctx->arena, text), r->ctx->arena);
    else
        ttp_ctx_warn(r->ctx, "%.*s", TTP_FMT(text));
}

/* A replay and an eager pass of one program are not the same work. */
static void warn_of_windows(struct diff_run *r, const struct ttp_diff *diff)
{
    const struct ttp_report *odd = ttp_diff_odd_window(diff);

    if (odd)
        warn(r, ttp_sink_format(
                    r->ctx->arena,
                    "the windows differ in kind (%s and %s) and may not cover the same work; "
                    "choose one with --window",
                    ttp_analysis_window_kind_name(diff->base.run[0].report->window.kind),
                    ttp_analysis_window_kind_name(odd->window.kind)));
}

/* Clocks farther apart than this, in percent, explain a difference by themselves. */
#define CLOCK_APART_PCT 1.0

static void warn_of_clocks(struct diff_run *r, const struct ttp_diff *diff)
{
    const double base = ttp_diff_clock_mhz(&diff->base), other = ttp_diff_clock_mhz(&diff->other);

    if (base > 0 && other > 0 && fabs(other - base) * 100 > CLOCK_APART_PCT * base)
        warn(r, ttp_sink_format(r->ctx->arena,
                                "the sides ran at different clocks: AICLK was %.0f MHz and %.0f "
                                "MHz on average, %.1f %% apart",
                                base, other, fabs(other - base) / base * 100));
}

/* Why the exit status is not 0: with -o nothing else says it. */
static void warn_of_verdict(struct diff_run *r, const struct ttp_diff_view *view, int verdict)
{
    if (verdict != TTP_EXIT_OK)
        warn(r, ttp_sink_format(r->ctx->arena,
                                "%.*s is slower than %.*s: device time %+.2f %%, with gaps "
                                "%+.2f %%; the limit is %.4g %%%s",
                                TTP_FMT(view->other_name), TTP_FMT(view->base_name),
                                ttp_diff_device_pct(view->diff), ttp_diff_total_pct(view->diff),
                                r->o->fail_over * 100,
                                verdict == TTP_EXIT_UNDECIDED ? "; too few runs to be sure" : ""));
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    struct diff_run r = {.ctx = ctx, .o = opts};
    const size_t count = operands->count - 1;
    struct ttp_diff_side *side = TTP_NEW(ctx->arena, struct ttp_diff_side, operands->count);
    struct ttp_diff *diff = TTP_NEW(ctx->arena, struct ttp_diff, count);
    struct ttp_diff_view *view = TTP_NEW(ctx->arena, struct ttp_diff_view, count);
    struct ttp_diff_mesh *mesh = TTP_NEW(ctx->arena, struct ttp_diff_mesh, count);
    struct ttp_show show = ctx->show;

    r.analysis = r.o->analysis;
    r.analysis.median_device = !r.analysis.no_merge_devices;
    for (size_t i = 0; i < operands->count; i++) {
        TTP_TRY(read_side(&r, &side[i], operands->word[i], err));
        TTP_TRY(check_gate(&r, &side[i], operands->word[i], err));
    }
    const struct ttp_quality *quality = worst_quality(side, operands->count);
    for (size_t i = 0; i < count; i++) {
        ttp_diff_make(&diff[i], &side[0], &side[i + 1], !r.o->no_gaps, ctx->arena);
        ttp_diff_compare_meshes(&mesh[i], &side[0], &side[i + 1], ctx->arena);
        warn_of_windows(&r, &diff[i]);
        warn_of_clocks(&r, &diff[i]);
        view[i] = (struct ttp_diff_view){&diff[i],
                                         ttp_str_from(operands->word[0]),
                                         ttp_str_from(operands->word[i + 1]),
                                         r.o->ops,
                                         quality,
                                         &mesh[i]};
        const int verdict = judge(&diff[i], r.o->fail_over);
        warn_of_verdict(&r, &view[i], verdict);
        if (verdict == TTP_EXIT_FINDING || *status == TTP_EXIT_OK)
            *status = verdict;
    }
    if (r.o->analysis.check && quality->level == TTP_QUALITY_BAD)
        *status = TTP_EXIT_FINDING;
    const bool people = show.form == TTP_FORM_TEXT || show.form == TTP_FORM_MARKDOWN;
    if (r.o->common.top == TOP_UNSET)
        show.selection.top = people && !r.o->ops ? TOP_TEXT : 0;
    show.warnings = &r.warnings;
    return ttp_out_diff(&show, view, count, err);
}

static const struct ttp_document_spec *const documents[] = {&ttp_diff_document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf diff before.csv after.csv", "what became faster or slower, and what changed"},
    {"tt-perf diff a1.csv,a2.csv,a3.csv,a4.csv,a5.csv b1.csv,b2.csv,b3.csv,b4.csv,b5.csv",
     "several runs per side show which changes exceed the noise"},
    {"tt-perf diff --fail-over 2% nightly/ pull-request/", "exit with 1 if it is over 2 % slower"},
    {"tt-perf diff --format md main.csv branch.csv", "for a comment on a pull request"},
    {"tt-perf diff main.csv branch.csv -o diff.html", "a page to attach to it"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_diff = {
    .name = "diff",
    .args = "BASE OTHER...",
    .summary = "compare runs op by op: what became slower or faster, and why",
    .description =
        "Pairs the ops of two runs by identity (op code, shapes, data types, memory) and "
        "position, so that inserted, removed and moved ops do not disturb the rest, and shows "
        "how much each op adds to or removes from the total. Equal ops that changed alike, such "
        "as those of repeated layers, are shown together. Every run after the first is compared "
        "with the first. If a run has several devices, all figures are those of the device whose "
        "time is the median, collectives with their waits: the total, the ops and the "
        "contributions.\n\n"
        "A run is an ops_perf_results CSV, a folder that contains one, or a folder of profiler "
        "logs. Separate several runs of one side with commas: each op is then tested, and the "
        "probabilities are corrected for the number of tests (Benjamini-Hochberg). Fewer than "
        "four runs per side can never be significant.",
    TTP_CMD_OPTIONS(options, struct diff_opts),
    .defaults = &defaults,
    .takes = TTP_TAKES_REPORT | TTP_TAKES_THREADS | TTP_TAKES_BOARDS,
    .formats = ttp_table_formats,
    .documents = documents,
    .operand = TTP_OPERAND_FILE,
    .min_operands = 2,
    .max_operands = -1,
    .examples = examples,
    .exit_notes =
        "1 if a run is slower than --fail-over allows; 3 also if --fail-over has no device "
        "time to compare; 7 if it looks slower but the runs do not prove it.",
    .run = run,
};
