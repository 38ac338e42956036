/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/tune_setup.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/message.h"

/* ---- questions ---- */

/* A line typed on a terminal; NULL: none. */
static const char *ask(const struct ttp_ctx *ctx, const char *question)
{
    char line[1024];

    ttp_message("%s ", question);
    if (!fgets(line, sizeof(line), stdin))
        return NULL;
    const ttp_str answer = ttp_str_trim(ttp_str_from(line));
    return answer.len ? ttp_arena_zstr(ctx->arena, answer) : NULL;
}

static bool may_ask(const struct ttp_ctx *ctx)
{
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && !ctx->quiet &&
           ctx->show.form != TTP_FORM_JSON;
}

/* Settings that cannot be guessed, the most important first. */
static void ask_for_missing(struct ttp_tune_setup *s, const struct ttp_ctx *ctx)
{
    const char *chips = s->chips ? "" : NULL;
    const struct {
        const char **field;
        const char *question;
    } questions[] = {
        {&s->command, "Command to tune:"},
        {&s->data, "Sizes of the data in production (the test data may be smaller):"},
        {&s->board, "Board it runs on in production (n150, n300, p150, ...):"},
        {&chips, "Chips it uses there (1 for a single one):"},
        {&s->goal, "Goal, such as 10ms (empty: as fast as possible):"},
    };

    for (size_t i = 0; i < TTP_COUNT(questions); i++)
        if (!*questions[i].field)
            *questions[i].field = ask(ctx, questions[i].question);
    if (chips && chips[0] && !ttp_str_to_u64(ttp_str_from(chips), &s->chips))
        ttp_ctx_warn(ctx, "'%s' is not a number of chips; ignored", chips);
    if (!s->golden && !s->check) {
        s->golden = ask(ctx, "Folder with correct outputs (empty: a command checks them):");
        if (!s->golden)
            s->check = ask(ctx, "Command that checks the outputs:");
    }
}

/* ---- values ---- */

/* "10ms", "250 fps", "3.5": in the unit of the metric. */
static ttp_code parse_goal(struct ttp_tune_setup *s, const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const ttp_str text = ttp_str_trim(ttp_str_from(s->goal));
    struct ttp_metric metric;
    size_t end = text.len;

    while (end > 0 && !(text.ptr[end - 1] >= '0' && text.ptr[end - 1] <= '9') &&
           text.ptr[end - 1] != '.')
        end--;
    const ttp_str unit = ttp_str_trim(ttp_str_slice(text, end, text.len));
    if (!ttp_str_to_f64(ttp_str_trim(ttp_str_slice(text, 0, end)), &s->goal_value) ||
        !isfinite(s->goal_value) || !(s->goal_value > 0)) {
        ttp_fail(err, TTP_EUSAGE, "--goal '%.60s' is not a valid number with a unit", s->goal);
        ttp_err_hint(err, "for example 10ms");
        return TTP_EUSAGE;
    }
    TTP_TRY(ttp_measure_metric_parse(&metric, s->metric, ctx->arena, err));
    const ttp_str wanted = ttp_str_from(metric.unit);
    const double from = ttp_measure_metric_unit_seconds(unit),
                 to = ttp_measure_metric_unit_seconds(wanted);
    ttp_measure_metric_clear(&metric);
    if (unit.len == 0 || ttp_str_eq(unit, wanted))
        return TTP_OK;
    if (isfinite(from) && isfinite(to)) {
        s->goal_value *= from / to;
        return TTP_OK;
    }
    ttp_fail(err, TTP_EUSAGE, "--goal is in '%.*s', the metric in '%.*s'", TTP_FMT(unit),
             TTP_FMT(ttp_str_slice(wanted, 0, 40)));
    ttp_err_hint(err, "set the unit with ';unit=U' at the end of --metric");
    return TTP_EUSAGE;
}

static ttp_code absolute(const char **path, const struct ttp_ctx *ctx, struct ttp_err *err)
{
    char full[PATH_MAX];

    if (!realpath(*path, full))
        return ttp_fail_errno(err, "cannot open '%.150s'", *path);
    *path = ttp_arena_zstr(ctx->arena, ttp_str_from(full));
    return TTP_OK;
}

static ttp_code check_texts(const struct ttp_tune_setup *s, struct ttp_err *err)
{
    const char *const texts[] = {s->command, s->build, s->check, s->metric, s->golden,
                                 s->outputs, s->data,  s->board, s->run,    s->window};

    for (size_t i = 0; i < TTP_COUNT(texts); i++)
        if (texts[i] && ttp_str_valid_utf8(ttp_str_from(texts[i])) != strlen(texts[i]))
            return ttp_fail(err, TTP_EUSAGE, "'%.60s' is not UTF-8", texts[i]);
    return TTP_OK;
}

static void tell_unsaid(const struct ttp_tune_setup *s, const struct ttp_ctx *ctx)
{
    if (!s->data)
        ttp_ctx_warn(ctx, "--data was not given: what is fast for test data may be slow in "
                          "production");
    if (!s->board)
        ttp_ctx_warn(ctx, "--board was not given: assuming this machine's board");
}

enum { PROFILE_AUTO, PROFILE_NONE };

/* The mode in which baseline and best are recorded; NULL: not at all. */
static ttp_code choose_profile(struct ttp_tune_setup *s, const struct tune_opts *o,
                               const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct ttp_metric metric;

    TTP_TRY(ttp_measure_metric_parse(&metric, s->metric, ctx->arena, err));
    const bool recorded = ttp_measure_metric_is_recorded(&metric);
    ttp_measure_metric_clear(&metric);
    if (o->window && !recorded && o->profile <= PROFILE_NONE) {
        ttp_fail(err, TTP_EUSAGE, "--window requires a metric or a profile that is recorded");
        ttp_err_hint(err, "for example --metric device-time, or --profile ops");
        return TTP_EUSAGE;
    }
    if (o->profile == PROFILE_AUTO)
        s->profile = !recorded ? NULL : s->kernel ? "kernel" : "ops";
    else if (o->profile != PROFILE_NONE)
        s->profile = tune_profile_modes[o->profile];
    return TTP_OK;
}

/* Numbers that make sense, paths from the root. */
static ttp_code check_values(struct ttp_tune_setup *s, const struct tune_opts *o,
                             const struct ttp_ctx *ctx, struct ttp_err *err)
{
    if (!(o->pcc >= -1 && o->pcc <= 1) || !isfinite(o->frobenius))
        return ttp_fail(err, TTP_EUSAGE,
                        "--pcc must be between -1 and 1, and --frobenius must be a number");
    if (s->goal)
        TTP_TRY(parse_goal(s, ctx, err));
    TTP_TRY(choose_profile(s, o, ctx, err));
    struct ttp_tune_production data;
    ttp_tune_parse_data(&data, s->data, ctx->arena);
    if (*data.note)
        ttp_ctx_note(ctx, "%s", data.note);
    if (s->golden)
        TTP_TRY(absolute(&s->golden, ctx, err));
    return check_texts(s, err);
}

ttp_code tune_make_setup(struct ttp_tune_setup *out, const struct tune_opts *o,
                         const char *const *argv, const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct trial_opts t;

    TTP_TRY(trial_settle(&t, &o->trials, err));
    *out = (struct ttp_tune_setup){
        .command = o->command,
        .build = o->build,
        .check = o->check,
        .metric = o->metric ? o->metric : "wall",
        .golden = o->golden,
        .outputs = o->outputs ? o->outputs : "",
        .links = o->links,
        .pcc = o->pcc,
        .frobenius = o->frobenius,
        .goal = o->goal,
        .data = o->data,
        .board = o->board,
        .chips = (uint64_t)o->chips,
        .kernel = o->kind == 1,
        .run = o->run,
        .window = o->window,
        .min_effect = o->min_effect,
        .confidence = t.confidence,
        .min_runs = (uint64_t)t.min_runs,
        .max_runs = (uint64_t)t.max_runs,
        .warm_ups = (uint64_t)t.warm_ups,
        .max_time_s = t.max_time_s,
        .timeout_s = t.timeout_s,
    };
    if (argv && o->command)
        return ttp_fail(err, TTP_EUSAGE, "use --cmd or a command after '--', not both");
    if (argv)
        out->command = ttp_arena_zstr(ctx->arena, ttp_measure_command_join(argv, ctx->arena));
    if (may_ask(ctx))
        ask_for_missing(out, ctx);
    if (!out->command) {
        ttp_fail(err, TTP_EUSAGE, "no command to tune");
        ttp_err_hint(err, "give it with --cmd CMD or after '--'");
        return TTP_EUSAGE;
    }
    TTP_TRY(check_values(out, o, ctx, err));
    tell_unsaid(out, ctx);
    return TTP_OK;
}
