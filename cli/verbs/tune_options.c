/* SPDX-License-Identifier: Apache-2.0 */
/* tune_options.c - the options of `tt-perf tune`, and which action knows which. */
#include "verbs/tune_setup.h"

const char *const tune_actions[] = {"init", "try",   "status", "report",
                                    "undo", "sweep", "clean",  NULL};

static const char *const kinds[] = {"model", "kernel", NULL};

/* More than any cluster has. */
#define CHIPS_MAX   1000000
#define FIELD(name) offsetof(struct tune_opts, name)
const struct ttp_opt tune_options[] = {
    {.name = "cmd",
     .offset = FIELD(command),
     .type = TTP_OPT_STR,
     .metavar = "CMD",
     .group = "Workload (init)",
     .help = "command of the workload, split like in a shell (or after '--'); with try: the "
             "changed command line; with sweep: {NAME} in it is replaced by a value"},
    {.name = "metric",
     .offset = FIELD(metric),
     .type = TTP_OPT_STR,
     .metavar = "REGEX",
     .help = "metric that decides: 'wall', the default, or a number the command prints, as in "
             "tt-perf bench"},
    {.name = "golden",
     .offset = FIELD(golden),
     .type = TTP_OPT_STR,
     .metavar = "DIR",
     .help = "correct outputs: tensor files that every result is compared with"},
    {.name = "outputs",
     .offset = FIELD(outputs),
     .type = TTP_OPT_STR,
     .metavar = "DIR",
     .help = "folder where the command writes files of the same names (default: where it runs)"},
    {.name = "pcc",
     .offset = FIELD(pcc),
     .type = TTP_OPT_FLOAT,
     .metavar = "P",
     .help = "PCC of each tensor must be at least P (default 0.99)"},
    {.name = "frobenius",
     .offset = FIELD(frobenius),
     .type = TTP_OPT_FLOAT,
     .metavar = "F",
     .help = "the norm of the error must be at most F times golden's (default as in tt-perf pcc)"},
    {.name = "check",
     .offset = FIELD(check),
     .type = TTP_OPT_STR,
     .metavar = "CMD",
     .help = "test command that must succeed, run where the command ran; instead of or in addition "
             "to --golden"},
    {.name = "build",
     .offset = FIELD(build),
     .type = TTP_OPT_STR,
     .metavar = "CMD",
     .help = "build command, run first in the folder of each side"},
    {.name = "link",
     .offset = FIELD(links),
     .type = TTP_OPT_LIST,
     .metavar = "PATH",
     .help = "files that git ignores but the command needs, such as weights; both sides see "
             "them; may be repeated"},
    {.name = "goal",
     .offset = FIELD(goal),
     .type = TTP_OPT_STR,
     .metavar = "VALUE",
     .help = "target value: 10ms, or a number in the metric's unit"},
    {.name = "data",
     .offset = FIELD(data),
     .type = TTP_OPT_STR,
     .metavar = "TEXT",
     .help = "sizes of the data in production, such as 'batch 32, 4096 x 4096'"},
    {.name = "board",
     .offset = FIELD(board),
     .type = TTP_OPT_STR,
     .metavar = "NAME",
     .help = "board it runs on in production, such as n150 or p150"},
    {.name = "chips",
     .offset = FIELD(chips),
     .type = TTP_OPT_INT,
     .metavar = "N",
     .min = 1,
     .max = CHIPS_MAX,
     .help = "number of chips used in production"},
    {.name = "kind",
     .offset = FIELD(kind),
     .type = TTP_OPT_CHOICE,
     .choices = kinds,
     .help = "the checklist: seven steps of a model (the default), or three targets of a kernel"},
    {.name = "min-effect",
     .offset = FIELD(min_effect),
     .type = TTP_OPT_PERCENT,
     .metavar = "PCT",
     .help = "ignore smaller changes (default 2 %)"},
    {.table = &trial_options, .offset = FIELD(trials)},
    {.name = "new",
     .offset = FIELD(anew),
     .type = TTP_OPT_FLAG,
     .help = "move the ledger of an earlier session aside and start a new one"},
    {.name = "patch",
     .offset = FIELD(patch),
     .type = TTP_OPT_STR,
     .metavar = "FILE",
     .group = "The change (try)",
     .help = "try a patch, applied to the best so far"},
    {.name = "env",
     .offset = FIELD(envs),
     .type = TTP_OPT_LIST,
     .metavar = "NAME=VALUE",
     .help = "try an environment variable setting"},
    {.name = "git",
     .offset = FIELD(git),
     .type = TTP_OPT_STR,
     .metavar = "REF",
     .help = "try what this commit or branch adds to the best so far; without any of these "
             "options, try the edit in the working tree"},
    {.name = "step",
     .offset = FIELD(step),
     .type = TTP_OPT_STR,
     .metavar = "ID",
     .help = "checklist step of the change: data-formats, layouts, memory-sharding, ..."},
    {.name = "keep-edit",
     .offset = FIELD(keep_edit),
     .type = TTP_OPT_FLAG,
     .help = "leave the edit in the working tree even if it is not kept"},
    {.name = "force",
     .offset = FIELD(force),
     .type = TTP_OPT_FLAG,
     .help = "continue even though this is not the machine of the baseline"},
    {.name = "set",
     .offset = FIELD(sets),
     .type = TTP_OPT_LIST,
     .metavar = "NAME=VALUES",
     .group = "The space (sweep)",
     .help = "values of a parameter, 8,16,32 or 8..128*2 or 1..9+2; each is set as NAME in the "
             "environment and replaces {NAME} in the command; repeat for a second parameter"},
    {.name = "run",
     .offset = FIELD(run),
     .type = TTP_OPT_STR,
     .metavar = "DIR",
     .group = "Status and report",
     .help = "profile of the best (ops CSV or folder of logs): adds evidence to the checklist, "
             "the next advice and the remaining bottlenecks; with init: where the command writes "
             "one"},
    {.name = "rerun",
     .offset = FIELD(rerun),
     .type = TTP_OPT_FLAG,
     .help = "measure baseline and best again, alternating, for the report"},
    {.name = "svg",
     .offset = FIELD(svg),
     .type = TTP_OPT_STR,
     .metavar = "FILE",
     .help = "draw the steps as SVG"},
    {.name = "top",
     .offset = FIELD(common.top),
     .type = TTP_OPT_INT,
     .metavar = "N",
     .min = 1,
     .max = 1000000,
     .help = "list only the newest N changes, or with --where or --sort the first N"},
    {.table = &trial_place_options, .offset = FIELD(place), .group = "Surroundings"},
    {.name = "state",
     .offset = FIELD(state),
     .type = TTP_OPT_STR,
     .metavar = "DIR",
     .help = "folder of the ledger (default: in .git; without git, .tt-perf/tune)"},
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
        {"keep-edit", OF(TUNE_TRY)},
        {"force", OF(TUNE_TRY) | OF(TUNE_SWEEP)},
        {"set", OF(TUNE_SWEEP)},
        {"run", OF(TUNE_INIT) | OF(TUNE_STATUS) | OF(TUNE_REPORT)},
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
