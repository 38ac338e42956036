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
    TTP_OPTION(PERCENT, "fail-over", FIELD(fail_over),
               "exit with 1 if the device time of a run, with or without gaps, exceeds the base's "
               "by more than this, such as 2%; with several runs per side only if the difference "
               "is significant, or, if they are too few for a test, if every run exceeds every "
               "run of the base by as much; with 7 if the runs cannot decide",
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
    const struct diff_opts *options;
    struct ttp_report_options analysis;
    struct ttp_words warnings;
};

static ttp_code read_run(struct diff_run *r, struct ttp_diff_run *out, const char *path,
                         struct ttp_err *err)
{
    struct ttp_run_input *in = TTP_NEW(r->ctx->arena, struct ttp_run_input, 1);
    const struct ttp_run_wanted wanted = {path, &r->analysis, (unsigned)r->options->common.threads,
                                          r->ctx->show.form == TTP_FORM_JSON ? &r->warnings : NULL,
                                          .mesh = true};
    struct ttp_run_mesh mesh;

    if (ttp_run_is_device_only(path, r->ctx->arena)) {
        struct ttp_kernel_input kernels;
        TTP_TRY(ttp_run_input_programs(in, &kernels, &wanted, r->ctx, err));
    } else {
        TTP_TRY(ttp_run_input_read(in, &wanted, r->ctx, err));
    }
    ttp_run_input_mesh(&mesh, in, &wanted, "comparison of devices", r->ctx);
    *out = (struct ttp_diff_run){&in->ops, &in->report, mesh.mesh};
    return TTP_OK;
}

static void warn(struct diff_run *r, ttp_str text)
{
    if (r->ctx->show.form == TTP_FORM_JSON)
        ttp_words_add(&r->warnings, ttp_arena_zstr(r->ctx->arena, text), r->ctx->arena);
    else
        ttp_ctx_warn(r->ctx, "%.*s", TTP_FMT(text));
}

/* A run that is given twice is not two samples. Returns how many are left. */
static size_t drop_copies(struct diff_run *r, struct ttp_diff_run *run, ttp_str *name, size_t count)
{
    size_t left = 0;

    for (size_t i = 0; i < count; i++) {
        size_t k = 0;

        while (k < left && !ttp_diff_is_same_run(&run[k], &run[i]))
            k++;
        if (k < left) {
            warn(r,
                 ttp_sink_format(r->ctx->arena, "'%.*s' is the same run as '%.*s': it counts once",
                                 TTP_FMT(name[i]), TTP_FMT(name[k])));
            continue;
        }
        name[left] = name[i];
        run[left++] = run[i];
    }
    return left;
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
    *out = (struct ttp_diff_side){run, drop_copies(r, run, part, count)};
    return TTP_OK;
}

/* What the exit status says about one comparison. */
static int status_of(const struct ttp_diff *diff)
{
    if (diff->outcome == TTP_DIFF_FAIL)
        return TTP_EXIT_FINDING;
    return diff->outcome == TTP_DIFF_UNDECIDED || ttp_diff_incomparable(diff) ? TTP_EXIT_UNDECIDED
                                                                              : TTP_EXIT_OK;
}

/* A gate that compares nothing, or a part of a run, would pass every run. */
static ttp_code check_gate(const struct diff_run *r, const struct ttp_diff_side *side,
                           const char *name, struct ttp_err *err)
{
    for (size_t i = 0; i < side->runs && isfinite(r->options->fail_over); i++) {
        if (side->run[i].ops->truncated) {
            (void)ttp_fail(err, TTP_EPARSE, "'%s' is truncated: it ends in the middle of a row",
                           name);
            ttp_err_hint(err,
                         "copy it again; without --fail-over the part that exists is compared");
            return TTP_EPARSE;
        }
        if (side->run[i].ops->damage) {
            (void)ttp_fail(err, TTP_EPARSE, "%s", side->run[i].ops->damage);
            ttp_err_hint(err, "copy it again; without --fail-over what it has is compared");
            return TTP_EPARSE;
        }
        if (!(side->run[i].report->window.device_us > 0)) {
            (void)ttp_fail(err, TTP_EPARSE, "'%s' has no device time to compare", name);
            ttp_err_hint(err, "profile it with device times, or choose ops with --window");
            return TTP_EPARSE;
        }
    }
    return TTP_OK;
}

/* Of the side that can be trusted least. */
static const struct ttp_quality *worst_quality(const struct ttp_diff_side *side, size_t sides)
{
    const struct ttp_quality *worst = ttp_diff_quality(&side[0]);

    for (size_t s = 1; s < sides; s++)
        if (ttp_diff_quality(&side[s])->level > worst->level)
            worst = ttp_diff_quality(&side[s]);
    return worst;
}

/* What the page itself says, if it is not for the reader of a terminal. */
static void warn_of_sides(struct diff_run *r, const struct ttp_diff *diff)
{
    const char *why = ttp_diff_incomparable(diff);
    const struct ttp_words doubts = ttp_diff_doubts(diff, r->ctx->arena);
    const bool shown = r->ctx->show.form == TTP_FORM_TEXT && !r->options->common.output;

    if (why)
        warn(r, ttp_str_from(why));
    for (size_t i = 0; i < doubts.count && !shown; i++)
        warn(r, ttp_str_from(doubts.word[i]));
}

/* Does the user know which parts are compared? */
static bool chose_windows(const struct ttp_report_options *o)
{
    return (o->window && strcmp(o->window, "auto") != 0) || o->start_signpost || o->end_signpost ||
           o->ignore_signposts;
}

/* Why --check fails: with -o or -q nothing else says it. */
static void warn_of_quality(struct diff_run *r, const struct ttp_diff_side *side, const char *name)
{
    const struct ttp_quality *q = ttp_diff_quality(side);

    for (size_t c = 0; c < TTP_CHECKS; c++)
        if (r->options->analysis.check && q->item[c].level == TTP_QUALITY_BAD)
            warn(r, ttp_sink_format(r->ctx->arena, "'%s' cannot be trusted: %.*s", name,
                                    TTP_FMT(q->item[c].text)));
}

/* Why the exit status is not 0: with -o nothing else says it. */
static void warn_of_verdict(struct diff_run *r, const struct ttp_diff_view *view)
{
    const struct ttp_diff *diff = view->diff;
    const bool undecided = diff->outcome == TTP_DIFF_UNDECIDED && !ttp_diff_incomparable(diff);

    if (diff->outcome == TTP_DIFF_FAIL || undecided)
        warn(r, ttp_sink_format(
                    r->ctx->arena,
                    "%.*s %s %.*s: device time %+.2f %%, with gaps %+.2f %%; the limit is %.4g "
                    "%%%s%s",
                    TTP_FMT(view->other_name), undecided ? "against" : "is slower than",
                    TTP_FMT(view->base_name), ttp_diff_device_pct(diff), ttp_diff_total_pct(diff),
                    diff->limit_pct, undecided ? "; undecided: " : "",
                    undecided ? ttp_diff_why_undecided(diff) : ""));
}

static ttp_code compare(int *status, const struct ttp_ctx *ctx, const void *opts,
                        const struct ttp_words *operands, struct ttp_err *err)
{
    struct diff_run r = {.ctx = ctx, .options = opts};
    const size_t count = operands->count - 1;
    struct ttp_diff_side *side = TTP_NEW(ctx->arena, struct ttp_diff_side, operands->count);
    struct ttp_diff *diff = TTP_NEW(ctx->arena, struct ttp_diff, count);
    struct ttp_diff_view *view = TTP_NEW(ctx->arena, struct ttp_diff_view, count);
    struct ttp_diff_mesh *mesh = TTP_NEW(ctx->arena, struct ttp_diff_mesh, count);
    struct ttp_show show = ctx->show;

    r.analysis = r.options->analysis;
    r.analysis.median_device = !r.analysis.no_merge_devices;
    for (size_t i = 0; i < operands->count; i++) {
        TTP_TRY(read_side(&r, &side[i], operands->word[i], err));
        TTP_TRY(check_gate(&r, &side[i], operands->word[i], err));
        warn_of_quality(&r, &side[i], operands->word[i]);
    }
    const struct ttp_quality *quality = worst_quality(side, operands->count);
    for (size_t i = 0; i < count; i++) {
        ttp_diff_make(&diff[i], &side[0], &side[i + 1], !r.options->no_gaps, ctx->arena);
        ttp_diff_compare_meshes(&mesh[i], &side[0], &side[i + 1], ctx->arena);
        diff[i].windows_chosen = chose_windows(&r.options->analysis);
        warn_of_sides(&r, &diff[i]);
        ttp_diff_judge(&diff[i], r.options->fail_over * 100);
        const int verdict = status_of(&diff[i]);
        view[i] =
            (struct ttp_diff_view){&diff[i],
                                   ttp_str_from(operands->word[0]),
                                   ttp_str_from(operands->word[i + 1]),
                                   r.options->ops,
                                   quality,
                                   &mesh[i],
                                   verdict,
                                   r.options->fail_over * 100,
                                   r.options->analysis.check && quality->level == TTP_QUALITY_BAD};
        warn_of_verdict(&r, &view[i]);
        if (verdict == TTP_EXIT_FINDING || *status == TTP_EXIT_OK)
            *status = verdict;
    }
    if (r.options->analysis.check && quality->level == TTP_QUALITY_BAD)
        *status = TTP_EXIT_FINDING;
    /* GitHub shows ten annotations of a kind per step */
    const bool people = show.form == TTP_FORM_TEXT || show.form == TTP_FORM_MARKDOWN ||
                        show.form == TTP_FORM_GITHUB;
    if (r.options->common.top == TOP_UNSET)
        show.selection.top = people && !r.options->ops ? TOP_TEXT : 0;
    show.warnings = &r.warnings;
    return ttp_out_diff(&show, view, count, err);
}

/* A build server shows what it is given: no verdict looks like success. */
static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const ttp_code rc = compare(status, ctx, opts, operands, err);

    if (rc != TTP_OK && rc != TTP_EUSAGE)
        ttp_out_diff_failed(&ctx->show, operands, err);
    return rc;
}

static const struct ttp_document_spec *const documents[] = {&ttp_diff_document, NULL};
static const char *const formats[] = {TTP_TABLE_FORMATS, "github", "junit", NULL};

static const struct ttp_example examples[] = {
    {"tt-perf diff before.csv after.csv", "what became faster or slower, and what changed"},
    {"tt-perf diff a1.csv,a2.csv,a3.csv,a4.csv,a5.csv b1.csv,b2.csv,b3.csv,b4.csv,b5.csv",
     "several runs per side show which changes exceed the noise"},
    {"tt-perf diff --fail-over 2% nightly/ pull-request/", "exit with 1 if it is over 2 % slower"},
    {"tt-perf diff --format md main.csv branch.csv", "for a comment on a pull request"},
    {"tt-perf diff main.csv branch.csv -o diff.html", "a page to attach to it"},
    {"tt-perf diff --fail-over 2% --format github main.csv branch.csv",
     "annotations in a job of GitHub Actions"},
    {"tt-perf diff --fail-over 2% main.csv branch.csv -o diff.xml",
     "JUnit XML for other build servers"},
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
        "four runs per side can never be significant: use five. A run that is given twice counts "
        "once.",
    TTP_CMD_OPTIONS(options, struct diff_opts),
    .defaults = &defaults,
    .takes = TTP_TAKES_REPORT | TTP_TAKES_THREADS | TTP_TAKES_BOARDS,
    .formats = formats,
    .documents = documents,
    .operand = TTP_OPERAND_FILE,
    .min_operands = 2,
    .max_operands = -1,
    .examples = examples,
    .exit_notes =
        "1 if a run is slower than --fail-over allows, or with --check if one cannot be trusted; "
        "3 also if --fail-over has no device time to compare, or a truncated or damaged file; 7 if "
        "a run looks slower but the runs do not prove it, if --fail-over cannot judge: one side "
        "cannot be trusted, ops of one have no device time, the sides ran on different "
        "architectures or numbers of devices, or no window was chosen and their windows differ in "
        "kind or the faster run lacks work of the base; or if they cannot be compared: a truncated "
        "or damaged file, a command that was killed or crashed, no device time, or no op in "
        "common.",
    .run = run,
};
