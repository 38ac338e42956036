/* SPDX-License-Identifier: Apache-2.0 */
/* tune_options.c - the options of `tt-perf tune`, and the actions that accept them. */
#include "verbs/tune_setup.h"

const char *const tune_actions[] = {"init", "try",   "status", "report",
                                    "undo", "sweep", "clean",  NULL};

static const char *const kinds[] = {"model", "kernel", NULL};
const char *const tune_profile_modes[] = {"auto", "none", "ops", "kernel", NULL};

/* More than any cluster has. */
#define CHIPS_MAX   1000000
#define FIELD(name) offsetof(struct tune_opts, name)
const struct ttp_opt tune_options[] = {
    TTP_OPTION(STR, "cmd", FIELD(command),
               "command of the workload, split like in a shell (or after '--'); with try: the "
               "changed command line; with sweep: {NAME} in it is replaced by a value",
               .metavar = "CMD", .group = "Workload (init)"),
    TTP_OPTION(STR, "metric", FIELD(metric),
               "metric that decides: 'wall', the default; 'device-time' or 'kernel-cycles' of a "
               "steady iteration, or 'json:PATH', a number of 'tt-perf report --format json', for "
               "which every run is recorded; or a number the command prints, as in tt-perf bench",
               .metavar = "METRIC"),
    TTP_OPTION(STR, "window", FIELD(window),
               "part of each recorded run that counts, as in report --window (default: one steady "
               "iteration)",
               .metavar = "WHICH"),
    TTP_OPTION(CHOICE, "profile", FIELD(profile),
               "profile of baseline and best to keep: auto (default) records ops, or a kernel with "
               "--kind kernel, if the metric needs recordings, else none",
               .choices = tune_profile_modes),
    TTP_OPTION(STR, "golden", FIELD(golden),
               "correct outputs: tensor files that every result is compared with",
               .metavar = "DIR"),
    TTP_OPTION(STR, "outputs", FIELD(outputs),
               "folder where the command writes files of the same names (default: where it runs)",
               .metavar = "DIR"),
    TTP_OPTION(FLOAT, "pcc", FIELD(pcc), "PCC of each tensor must be at least P (default 0.99)",
               .metavar = "P"),
    TTP_OPTION(FLOAT, "frobenius", FIELD(frobenius),
               "the norm of the error must be at most F times golden's (default as in tt-perf pcc)",
               .metavar = "F"),
    TTP_OPTION(
        STR, "check", FIELD(check),
        "test command that must succeed, run where the command ran; instead of or in addition "
        "to --golden",
        .metavar = "CMD"),
    TTP_OPTION(STR, "build", FIELD(build), "build command, run first in the folder of each side",
               .metavar = "CMD"),
    TTP_OPTION(LIST, "link", FIELD(links),
               "files that git ignores but the command needs, such as weights; both sides see "
               "them; may be repeated",
               .metavar = "PATH"),
    TTP_OPTION(STR, "goal", FIELD(goal), "target value: 10ms, or a number in the metric's unit",
               .metavar = "VALUE"),
    TTP_OPTION(
        STR, "data", FIELD(data),
        "sizes of the data in production: how they differ from the test, such as 'batch 1 "
        "-> 32, tokens 128 -> 2048', and tensors, such as '100000 x 512 bf16'; status and report "
        "list the ops of the best's profile that would then not fit, and the configs it needs",
        .metavar = "TEXT"),
    TTP_OPTION(STR, "board", FIELD(board), "board it runs on in production, such as n150 or p150",
               .metavar = "NAME"),
    TTP_OPTION(INT, "chips", FIELD(chips), "number of chips used in production", .metavar = "N",
               .min = 1, .max = CHIPS_MAX),
    TTP_OPTION(CHOICE, "kind", FIELD(kind),
               "the checklist: seven steps of a model (the default), or three targets of a kernel",
               .choices = kinds),
    TTP_OPTION(PERCENT, "min-effect", FIELD(min_effect), "ignore smaller changes (default 2 %)",
               .metavar = "PCT"),
    {.table = &trial_options, .offset = FIELD(trials)},
    TTP_OPTION(FLAG, "new", FIELD(start_over),
               "move the ledger of an earlier session aside and start a new one"),
    TTP_OPTION(STR, "patch", FIELD(patch), "try a patch, applied to the best so far",
               .metavar = "FILE", .group = "The change (try)"),
    TTP_OPTION(LIST, "env", FIELD(envs), "try an environment variable setting",
               .metavar = "NAME=VALUE"),
    TTP_OPTION(STR, "git", FIELD(git),
               "try what this commit or branch adds to the best so far; without any of these "
               "options, try the edit in the working tree",
               .metavar = "REF"),
    TTP_OPTION(INT, "from-advice", FIELD(advice),
               "test advice N of the best's profile, as status and tt-perf advise list it: prints "
               "the config to use and records what is promised; measures nothing unless --patch, "
               "--env, --git or --cmd is given: the next 'tune try' is compared with it; with "
               "sweep --configs: choose the matmul of that advice",
               .metavar = "N", .min = 1, .max = 1000),
    TTP_OPTION(STR, "step", FIELD(step),
               "checklist step of the change: data-formats, layouts, memory-sharding, ...",
               .metavar = "ID"),
    TTP_OPTION(FLAG, "keep-edit", FIELD(keep_edit),
               "leave the edit in the working tree even if it is not kept"),
    TTP_OPTION(FLAG, "force", FIELD(force),
               "continue even though this is not the machine of the baseline"),
    TTP_OPTION(LIST, "set", FIELD(sets),
               "values of a parameter, 8,16,32 or 8..128*2 or 1..9+2; each is set as NAME in the "
               "environment and replaces {NAME} in the command; repeat for a second parameter",
               .metavar = "NAME=VALUES", .group = "The space (sweep)"),
    TTP_OPTION(FLAG, "configs", FIELD(configs),
               "the legal program configs that tt-perf config proposes for a matmul of the best's "
               "profile, the best prediction first, until the rest cannot win; each is in "
               "TT_PERF_CONFIG, as Python in TT_PERF_CONFIG_PYTHON"),
    TTP_OPTION(INT, "id", FIELD(id),
               "with --configs: ID of the matmul in the profile (default: the one whose proposal "
               "saves most)",
               .metavar = "N", .min = 2, .max = INT64_C(1) << 40),
    TTP_OPTION(
        STR, "run", FIELD(run),
        "profile of the best (ops CSV, folder of logs or bundle): adds evidence to the checklist, "
        "the next advice and the remaining bottlenecks; with init: where the command writes "
        "one",
        .metavar = "DIR", .group = "Status and report"),
    TTP_OPTION(FLAG, "rerun", FIELD(rerun),
               "measure baseline and best again, alternating, for the report"),
    TTP_OPTION(STR, "svg", FIELD(svg), "draw the steps as SVG", .metavar = "FILE"),
    TTP_OPTION(INT, "top", FIELD(common.top),
               "list only the newest N changes, or with --where or --sort the first N",
               .metavar = "N", .min = 1, .max = 1000000),
    {.table = &trial_place_options, .offset = FIELD(place), .group = "Environment"},
    TTP_OPTION(STR, "state", FIELD(state),
               "folder of the ledger (default: in .git; without git, .tt-perf/tune)",
               .metavar = "DIR"),
};

_Static_assert(TTP_COUNT(tune_options) == TUNE_OPTIONS, "the number in tune_setup.h");

const struct tune_opts tune_defaults = {
    .pcc = 0.99, .frobenius = -1, .min_effect = 0.02, .trials = TRIAL_DEFAULTS};

/* ---- which action knows which ---- */

#define OF(action) (1u << (action))
#define RUNS       (OF(TUNE_INIT) | OF(TUNE_TRY) | OF(TUNE_SWEEP) | OF(TUNE_REPORT))
#define ALL        ((1u << TUNE_ACTIONS) - 1)

/* Those that are not named are of init. */
static unsigned actions_of(const char *option)
{
    static const struct {
        const char *option;
        unsigned actions;
    } known[] = {
        {"cmd", OF(TUNE_INIT) | OF(TUNE_TRY) | OF(TUNE_SWEEP)},
        {"patch", OF(TUNE_TRY)},
        {"env", OF(TUNE_TRY)},
        {"git", OF(TUNE_TRY)},
        {"step", OF(TUNE_TRY)},
        {"from-advice", OF(TUNE_TRY) | OF(TUNE_SWEEP)},
        {"configs", OF(TUNE_SWEEP)},
        {"id", OF(TUNE_SWEEP)},
        {"keep-edit", OF(TUNE_TRY)},
        {"force", OF(TUNE_TRY) | OF(TUNE_SWEEP)},
        {"set", OF(TUNE_SWEEP)},
        {"run", OF(TUNE_INIT) | OF(TUNE_TRY) | OF(TUNE_SWEEP) | OF(TUNE_STATUS) | OF(TUNE_REPORT)},
        {"rerun", OF(TUNE_REPORT)},
        {"svg", OF(TUNE_REPORT)},
        {"top", OF(TUNE_STATUS) | OF(TUNE_REPORT)},
        {"show-output", RUNS},
        {"no-guard", RUNS},
        {"root", RUNS},
        {"state", ALL},
    };

    for (size_t i = 0; i < TTP_COUNT(known); i++)
        if (strcmp(known[i].option, option) == 0)
            return known[i].actions;
    return OF(TUNE_INIT);
}

static size_t size_of(enum ttp_opt_type type)
{
    switch (type) {
    case TTP_OPT_FLAG:
        return sizeof(bool);
    case TTP_OPT_STR:
        return sizeof(const char *);
    case TTP_OPT_INT:
        return sizeof(int64_t);
    case TTP_OPT_FLOAT:
    case TTP_OPT_PERCENT:
        return sizeof(double);
    case TTP_OPT_CHOICE:
        return sizeof(int);
    case TTP_OPT_LIST:
        break;
    }
    return sizeof(struct ttp_words);
}

ttp_code tune_check_options(const struct tune_opts *o, enum tune_action action,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    size_t n;
    const struct ttp_opt *all = ttp_opts_expand(&n, tune_options, TUNE_OPTIONS, arena);

    for (size_t i = 0; i < n; i++) {
        const struct ttp_opt *opt = &all[i];
        const unsigned actions = actions_of(opt->name);
        size_t first = 0;

        if ((actions & OF(action)) ||
            memcmp((const char *)o + opt->offset, (const char *)&tune_defaults + opt->offset,
                   size_of(opt->type)) == 0)
            continue;
        while (!(actions & OF(first)))
            first++;
        return ttp_fail(err, TTP_EUSAGE, "--%s belongs to 'tune %s', not to 'tune %s'", opt->name,
                        tune_actions[first], tune_actions[action]);
    }
    return TTP_OK;
}
