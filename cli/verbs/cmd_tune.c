/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_tune.c - `tt-perf tune`: makes a run faster, one verified change at a time. */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/outsink.h"
#include "base/progress.h"
#include "core/bundle_operands.h"
#include "core/run_input.h"
#include "outputs/outputs.h"
#include "verbs/tune_setup.h"

enum { EXIT_BY_SIGNAL = 128 };

struct tune_run {
    const struct ttp_ctx *ctx;
    const struct tune_opts *o;
    enum tune_action action;
    const char *title;       /* what follows the action; NULL: nothing */
    const char *const *argv; /* after "--"; NULL: nothing */
    struct ttp_signals signals;
    struct ttp_tune_place place;
    struct ttp_tune *tune;
    const struct ttp_tune_session *session;
    struct ttp_tune_session looked; /* without the lock */
    const struct ttp_tune_change *change;
    struct ttp_tune_setup setup; /* of init */
    struct ttp_words warnings;
    struct ttp_progress progress;
    char line[160];
    struct ttp_run_input profile;
    struct ttp_kernel_input kernels;
    struct ttp_plan plan;
    struct ttp_tune_production production;
    const char *run; /* of that profile; NULL: none */
    struct ttp_unpacked unpacked;
    int64_t busy;
};

/* ---- while it takes time ---- */

static void say(void *arg, const char *text)
{
    struct tune_run *r = arg;

    snprintf(r->line, sizeof(r->line), "%.150s", text);
    ttp_progress_say(&r->progress, r->line);
    ttp_ctx_note(r->ctx, "%s", text);
}

static void warn(void *arg, const char *text)
{
    struct tune_run *r = arg;

    ttp_progress_clear(&r->progress);
    ttp_ctx_warn(r->ctx, "%s", text);
    ttp_words_add(&r->warnings, ttp_arena_zstr(r->ctx->arena, ttp_str_from(text)), r->ctx->arena);
}

static void tick(void *arg)
{
    struct tune_run *r = arg;

    ttp_progress_say(&r->progress, r->line);
}

static void show_progress(void *arg, const struct ttp_measure_progress *p)
{
    struct tune_run *r = arg;
    const unsigned left =
        p->seconds_left < 0 || p->seconds_left > 359999 ? 0 : (unsigned)(p->seconds_left + 0.5);

    snprintf(r->line, sizeof(r->line), "run %zu of %zu  %.40s  %u:%02u left", p->done + 1,
             p->planned, p->variant, left / 60, left % 60);
    ttp_progress_say(&r->progress, r->line);
}

/* ---- a profile of the best ---- */

/* A path of the setup is where the best runs, unless it is from the root. Without one, the profile
 * that the session has kept. */
static const char *profile_path(const struct tune_run *r)
{
    const struct ttp_tune_profile *kept = ttp_tune_best_profile(r->session);
    const char *run = r->session->setup.run;

    if (!r->o->run && !run && kept->name)
        return ttp_tune_profile_folder(&r->place, kept, r->ctx->arena);
    if (r->o->run || !run || run[0] == '/')
        return r->o->run ? r->o->run : run;
    return ttp_file_join(ttp_tune_best_folder(&r->place, r->session, r->ctx->arena), run,
                         r->ctx->arena);
}

/* The ops of the profile with the sizes of production. */
static void read_production(struct tune_run *r)
{
    const struct ttp_tune_setup *s = &r->session->setup;
    const struct ttp_board *board =
        s->board ? ttp_board_of(r->ctx->boards, ttp_str_from(s->board)) : NULL;

    ttp_tune_parse_data(&r->production, s->data, r->ctx->arena);
    ttp_tune_scale(&r->production, &r->profile.report, board, r->ctx->arena);
}

static ttp_code read_profile(struct tune_run *r, struct ttp_err *err)
{
    const struct ttp_report_options analysis = {.window = r->session->setup.window};
    const char *path = profile_path(r), *name = path;
    struct ttp_err why = {0};
    struct ttp_ctx quiet = *r->ctx;
    bool kernels;

    if (!path || r->run)
        return TTP_OK;
    quiet.quiet = quiet.quiet || !r->o->run;
    ttp_code rc = ttp_bundle_unpack_path(&path, &r->unpacked, &quiet, r->o->run ? err : &why);
    const struct ttp_run_wanted wanted = {path, &analysis, 0, &r->warnings, false};
    if (rc == TTP_OK)
        rc = ttp_run_input_whole(&r->profile, &r->kernels, &kernels, &wanted, &quiet,
                                 r->o->run ? err : &why);
    if (rc != TTP_OK) {
        if (r->o->run)
            return rc;
        /* the one of the setup may not be there yet */
        warn(r, ttp_arena_zstr(r->ctx->arena, ttp_str_from(why.text)));
        return TTP_OK;
    }
    const struct ttp_plan_sources from = {.kernels = kernels ? &r->kernels.report : NULL};
    ttp_plan_make(&r->plan, &r->profile.report, &from, r->ctx->arena);
    ttp_plan_add_configs(&r->plan, &r->profile.report, r->ctx->arena);
    r->run = name;
    read_production(r);
    return TTP_OK;
}

/* The plan that advice is chosen from. */
static ttp_code need_plan(struct tune_run *r, struct ttp_err *err)
{
    TTP_TRY(read_profile(r, err));
    if (r->run)
        return TTP_OK;
    ttp_fail(err, TTP_EUSAGE, "no profile of the best to take advice from");
    ttp_err_hint(err, "make one with 'tt-perf record -o DIR -- CMD' and name it with --run DIR; "
                      "'tune init --metric device-time' or '--profile ops' keeps one");
    return TTP_EUSAGE;
}

static struct ttp_tune_advised advised_by(const struct tune_run *r)
{
    return (struct ttp_tune_advised){&r->plan, &r->profile.report};
}

/* ---- the result ---- */

static ttp_code write_svg(const struct tune_run *r, const struct ttp_tune_view *view,
                          struct ttp_err *err)
{
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, r->o->svg, err));
    ttp_out_tune_svg(&out.sink, view, &out.arena);
    return ttp_outsink_close(&out, TTP_OK, err);
}

static ttp_code show(struct tune_run *r, struct ttp_err *err)
{
    const struct ttp_ctx *ctx = r->ctx;
    struct ttp_show show = ctx->show;

    if (!r->change && r->action != TUNE_CLEAN)
        TTP_TRY(read_profile(r, err));
    const struct ttp_tune_session *shown = ttp_tune_shown(r->session, ctx->arena);
    /* the newest, unless rows are chosen in another way */
    const bool newest = !show.selection.where && !show.selection.sort;
    const struct ttp_tune_view view = {
        .action = tune_actions[r->action],
        .session = shown,
        .change = r->change ? &shown->change[r->change->number - 1] : NULL,
        .plan = r->run ? &r->plan : NULL,
        .run = r->run,
        .production = r->run && shown->setup.data ? &r->production : NULL,
        .busy = r->busy,
        .trial = r->action == TUNE_TRY && !r->change,
        .top = newest ? show.selection.top : 0,
        .story = r->action == TUNE_REPORT};
    if (r->o->svg)
        TTP_TRY(write_svg(r, &view, err));
    show.inputs = NULL;
    show.warnings = &r->warnings;
    if (newest)
        show.selection.top = 0;
    return ttp_out_tune(&show, &view, err);
}

/* ---- actions ---- */

static ttp_code check_step(const char *step, struct ttp_err *err)
{
    const char *ids[TTP_STEPS + 1] = {0};

    for (size_t i = 0; i < TTP_STEPS; i++)
        ids[i] = ttp_advice_step_id((enum ttp_step)i);
    if (!step || ttp_opts_choice(ids, ttp_str_from(step)) >= 0)
        return TTP_OK;
    return ttp_opts_fail_choice(ids, step, "--step ", err);
}

/* What --from-advice promises; NULL: it was not given. */
static ttp_code read_promise(const struct ttp_tune_promise **out, struct tune_run *r,
                             struct ttp_err *err)
{
    struct ttp_tune_promise *promise = TTP_NEW(r->ctx->arena, struct ttp_tune_promise, 1);

    *out = NULL;
    if (!r->o->advice)
        return TTP_OK;
    TTP_TRY(need_plan(r, err));
    *out = promise;
    return ttp_tune_promise_of(promise, advised_by(r), (uint64_t)r->o->advice, r->ctx->arena, err);
}

static ttp_code run_try(struct tune_run *r, struct ttp_err *err)
{
    const struct tune_opts *o = r->o;
    struct ttp_tune_change_request request = {
        .title = r->title,
        .patch = o->patch,
        .env = o->envs.count ? o->envs.word[0] : NULL,
        .git = o->git,
        .command = o->command,
        .step = o->step,
        .keep_edit = o->keep_edit,
        .force = o->force,
    };

    if (o->envs.count > 1) {
        ttp_fail(err, TTP_EUSAGE, "only one --env is allowed: try one change at a time");
        ttp_err_hint(err,
                     "the effects of two changes cannot be separated; try one after the other");
        return TTP_EUSAGE;
    }
    TTP_TRY(check_step(o->step, err));
    TTP_TRY(read_promise(&request.promise, r, err));
    return ttp_tune_try(&r->change, r->tune, &request, err);
}

static ttp_code check_sweep(const struct tune_opts *o, struct ttp_err *err)
{
    if (o->configs && o->sets.count)
        return ttp_fail(err, TTP_EUSAGE, "use --set or --configs, not both");
    if (!o->configs && (o->id || o->advice))
        return ttp_fail(err, TTP_EUSAGE, "--%s requires --configs", o->id ? "id" : "from-advice");
    if (o->id && o->advice)
        return ttp_fail(err, TTP_EUSAGE, "use --id or --from-advice, not both");
    return TTP_OK;
}

static ttp_code run_sweep(struct tune_run *r, struct ttp_err *err)
{
    const struct tune_opts *o = r->o;
    struct ttp_tune_sweep_request sweep = {
        .title = r->title, .sweeps = o->sets, .command = o->command, .force = o->force};
    const bool pending = ttp_tune_pending(r->session) != NULL;

    TTP_TRY(check_sweep(o, err));
    if (o->configs && !pending) {
        const struct ttp_tune_which which = {(uint64_t)o->id, (uint64_t)o->advice};

        TTP_TRY(need_plan(r, err));
        TTP_TRY(read_promise(&sweep.promise, r, err));
        TTP_TRY(ttp_tune_find_space(&sweep.space, advised_by(r), which, r->ctx->arena, err));
    }
    return ttp_tune_sweep(&r->change, r->tune, &sweep, err);
}

static ttp_code run_action(struct tune_run *r, struct ttp_err *err)
{
    switch (r->action) {
    case TUNE_INIT:
        return ttp_tune_init(r->tune, &r->setup, err);
    case TUNE_TRY:
        return run_try(r, err);
    case TUNE_SWEEP:
        return run_sweep(r, err);
    case TUNE_UNDO:
        return ttp_tune_undo(&r->change, r->tune, err);
    case TUNE_REPORT:
        return r->o->rerun ? ttp_tune_remeasure(r->tune, err) : TTP_OK;
    case TUNE_CLEAN:
        return ttp_tune_clean(r->tune, err);
    case TUNE_STATUS:
    case TUNE_ACTIONS:
        break;
    }
    return TTP_OK;
}

/* This program, whose 'record' runs commands; NULL: it has none. */
static const char *own_program(const struct ttp_ctx *ctx)
{
    char self[PATH_MAX];
    const ssize_t n =
        ttp_cmd_find("record") ? readlink("/proc/self/exe", self, sizeof(self) - 1) : -1;

    return n < 0 ? NULL : ttp_arena_zstr(ctx->arena, (ttp_str){self, (size_t)n});
}

/* Reading is possible while another works; nothing else is. */
static ttp_code open_session(int *status, struct tune_run *r, struct ttp_err *err)
{
    const bool reads = r->action == TUNE_STATUS || (r->action == TUNE_REPORT && !r->o->rerun);
    const struct ttp_tune_open_options o = {.hooks = {say, warn, show_progress, tick, r},
                                            .root = r->o->place.root,
                                            .boards = r->ctx->boards,
                                            .no_guard = r->o->place.no_guard,
                                            .create = r->action == TUNE_INIT,
                                            .start_over = r->o->start_over,
                                            .show = r->o->place.show,
                                            .program = own_program(r->ctx),
                                            .signals = &r->signals};
    const ttp_code rc = ttp_tune_open(&r->tune, &r->place, &o, r->ctx->arena, err);

    if (rc != TTP_ENOTFOUND) {
        if (rc == TTP_OK)
            r->session = ttp_tune_session(r->tune);
        return rc;
    }
    if (!reads) {
        *status = TTP_EXIT_ENVIRONMENT;
        return rc;
    }
    r->busy = -1;
    warn(r, err->text);
    *err = (struct ttp_err){0};
    TTP_TRY(ttp_tune_look(&r->looked, &r->place, r->ctx->arena, err));
    r->session = &r->looked;
    return TTP_OK;
}

static int status_of(const struct tune_run *r)
{
    if (!r->change || r->action == TUNE_UNDO)
        return TTP_EXIT_OK;
    switch (r->change->outcome) {
    case TTP_TUNE_KEPT:
        return TTP_EXIT_OK;
    case TTP_TUNE_UNDECIDED:
        return TTP_EXIT_UNDECIDED;
    case TTP_TUNE_PENDING:
    case TTP_TUNE_REVERTED:
    case TTP_TUNE_DROPPED:
    case TTP_TUNE_UNDONE:
        break;
    }
    return TTP_EXIT_FINDING;
}

static ttp_code read_operands(struct tune_run *r, const struct ttp_words *operands,
                              struct ttp_err *err)
{
    const size_t own = r->ctx->dashdash;
    const bool titled = r->action == TUNE_TRY || r->action == TUNE_SWEEP;

    if (own > (titled ? 2 : 1)) {
        ttp_fail(err, TTP_EUSAGE, "unexpected operand '%.100s'", operands->word[titled ? 2 : 1]);
        if (titled)
            ttp_err_hint(err, "quote a title of several words");
        return TTP_EUSAGE;
    }
    if (own == 2)
        r->title = operands->word[1];
    if (r->title && !*ttp_str_trim(ttp_str_from(r->title)).ptr)
        return ttp_fail(err, TTP_EUSAGE, "missing title of the change");
    if (operands->count == own)
        return TTP_OK;
    if (r->action != TUNE_INIT)
        return ttp_fail(err, TTP_EUSAGE, "only 'tune init' takes a command after '--'");
    const char **argv = TTP_NEW(r->ctx->arena, const char *, operands->count - own + 1);
    memcpy(argv, operands->word + own, (operands->count - own) * sizeof(*argv));
    r->argv = argv;
    return TTP_OK;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    struct tune_run r = {.ctx = ctx, .o = opts};

    if (ctx->dashdash == 0)
        return ttp_fail(err, TTP_EUSAGE, "missing operand");
    r.action = (enum tune_action)ttp_opts_choice(tune_actions, ttp_str_from(operands->word[0]));
    TTP_TRY(read_operands(&r, operands, err));
    TTP_TRY(tune_check_options(r.o, r.action, ctx->arena, err));
    /* before signals are held back: a question can be left with Ctrl-C */
    if (r.action == TUNE_INIT)
        TTP_TRY(tune_make_setup(&r.setup, r.o, r.argv, ctx, err));
    TTP_TRY(ttp_signals_open(&r.signals, err));
    ttp_progress_init(&r.progress, "", 0, !ctx->quiet);
    ttp_code rc = ttp_tune_find(&r.place, r.o->state, &r.signals, ctx->arena, err);
    if (rc == TTP_ENOTFOUND)
        *status = TTP_EXIT_ENVIRONMENT;
    if (rc == TTP_OK)
        rc = open_session(status, &r, err);
    if (rc == TTP_OK)
        rc = run_action(&r, err);
    ttp_progress_clear(&r.progress);
    if (rc == TTP_OK)
        rc = show(&r, err);
    ttp_tune_close(r.tune);
    ttp_unpacked_remove(&r.unpacked);
    if (rc == TTP_OK)
        *status = status_of(&r);
    else if (r.signals.caught)
        *status = EXIT_BY_SIGNAL + r.signals.caught;
    ttp_signals_close(&r.signals);
    return rc;
}

static const struct ttp_document_spec *const documents[] = {&ttp_tune_document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf tune init --cmd 'python model.py' --golden golden/ --outputs out/ --goal 10ms "
     "--data 'batch 32' --board n150",
     "measure the baseline; asks nothing if stdin is not a terminal"},
    {"tt-perf tune try \"bfp8 weights\" --step data-formats",
     "check and measure the edit in the working tree; keep or revert it"},
    {"tt-perf tune try \"two queues\" --env TT_METAL_NUM_CQ=2", "try an environment variable"},
    {"tt-perf tune sweep \"block size\" --set BLOCK=2..16*2", "find the best value of a parameter"},
    {"tt-perf tune init --cmd 'python model.py' --check 'python test.py' --metric device-time",
     "decide on the device time of an iteration; every run is recorded"},
    {"tt-perf tune try --from-advice 1 --run generated/profiler",
     "start a trial of the first advice: shows the config and its promised gain"},
    {"tt-perf tune sweep --configs --run generated/profiler",
     "run the configs that are predicted to be fastest"},
    {"tt-perf tune status", "progress, and what to try next"},
    {"tt-perf tune report --rerun --svg steps.svg --format md", "a report to share"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_tune = {
    .name = "tune",
    .args = "init|try|status|report|undo|sweep|clean [TITLE] [-- CMD [ARG...]]",
    .summary = "make a run faster, one verified change at a time",
    .description =
        "Runs a disciplined tuning loop: one change at a time, a check against golden outputs, "
        "runs that alternate with the best so far, and a recorded decision. A change is kept if "
        "its results are correct and it is better by more than 2 % and twice the noise; "
        "otherwise it is reverted. If the evidence is not enough, tune reports that and reverts it "
        "too.\n\n"
        "'init' saves the code and measures the baseline. 'try TITLE' measures one change, "
        "'sweep TITLE' a parameter space. 'status' shows the progress and what to try next, "
        "'report' all steps. 'undo' drops a pending change, or reverts the last one that was "
        "kept, or a trial of advice that waits for its change. 'clean' removes the worktrees used "
        "for measuring; they are recreated when "
        "needed.\n\n"
        "In a git repository both sides are built and run in their own worktrees. The user's "
        "index, branches and uncommitted work stay unchanged, with two exceptions: an edit that "
        "was not kept is removed from the working tree (it remains as a commit), and a patch "
        "that is kept is applied to it. Outside git, only variables and command lines can be "
        "tried.\n\n"
        "The ledger is append-only. If a command is interrupted, the next one resumes it.",
    .opt = tune_options,
    .nopt = TUNE_OPTIONS,
    .opts_size = sizeof(struct tune_opts),
    .defaults = &tune_defaults,
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_TABLE | TTP_TAKES_COLOR | TTP_TAKES_OUTPUT |
             TTP_TAKES_TALK | TTP_TAKES_BOARDS | TTP_TAKES_LIMITS,
    .formats = ttp_table_formats,
    .documents = documents,
    .operand = TTP_OPERAND_ACTION,
    .keeps_bundles = true, /* words of a command */
    .words = tune_actions,
    .min_operands = 1,
    .max_operands = -1,
    .examples = examples,
    .exit_notes = "try and sweep: 0 if the change is kept, 1 if it is reverted, 7 if the "
                  "evidence is not enough (reverted too). 4 if another tune is running here. "
                  "128+N if signal N ended it; the change is then pending.",
    .run = run,
};
