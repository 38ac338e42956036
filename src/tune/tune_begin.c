/* SPDX-License-Identifier: Apache-2.0 */
/* tune_begin.c - the beginning of a session, and the measurement at its end. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/file.h"
#include "tune/tuner.h"

static ttp_code check_setup(const struct ttp_tune *t, const struct ttp_tune_setup *s,
                            struct ttp_err *err)
{
    struct ttp_metric metric;
    const char **argv;

    if (!s->golden && !s->check) {
        ttp_fail(err, TTP_EUSAGE, "missing definition of a correct result");
        ttp_err_hint(
            err, "use --golden DIR to compare output tensors, or --check CMD to run your own test");
        return TTP_EUSAGE;
    }
    TTP_TRY(ttp_measure_command_split(&argv, s->command, t->arena, err));
    TTP_TRY(ttp_measure_metric_parse(&metric, s->metric, t->arena, err));
    const bool recorded = ttp_measure_metric_is_recorded(&metric) || s->profile;
    ttp_measure_metric_clear(&metric);
    if (recorded && !t->options.program)
        return ttp_fail(err, TTP_EUSAGE,
                        "this build lacks 'tt-perf record', which '%.60s' requires",
                        s->profile ? "--profile" : s->metric);
    for (size_t i = 0; i < s->links.count; i++) {
        const ttp_str link = ttp_str_from(s->links.word[i]);

        if (link.len == 0 || link.ptr[0] == '/' || ttp_str_has(link, TTP_STR("..")) ||
            !ttp_tuner_there(ttp_file_join(t->place.top, s->links.word[i], t->arena)))
            return ttp_fail(err, TTP_EUSAGE,
                            "--link '%.100s' is not a file or folder below the top of the "
                            "repository",
                            s->links.word[i]);
    }
    return TTP_OK;
}

/* The state of the code as it is, uncommitted work included. */
static ttp_code save_baseline(struct ttp_tune *t, struct ttp_err *err)
{
    const struct ttp_git git = ttp_tuner_git(t);
    struct ttp_tune_session *s = &t->session;
    struct ttp_err unborn = {0};
    const char *tree, *parent = NULL;
    ttp_str text;

    if (!t->place.git)
        return TTP_OK;
    TTP_TRY(ttp_tune_code_tree(&tree, t, err));
    if (ttp_git_ask(&text, &git, &unborn, "rev-parse", "--verify", "--quiet", "HEAD", NULL) ==
        TTP_OK)
        parent = ttp_arena_zstr(t->arena, text);
    if (ttp_git_ask(&text, &git, &unborn, "symbolic-ref", "--quiet", "--short", "HEAD", NULL) ==
        TTP_OK)
        s->branch = ttp_arena_zstr(t->arena, text);
    s->prefix = t->place.prefix;
    return ttp_tune_code_commit(
        &s->baseline.commit, t,
        (struct ttp_code_change){tree, parent, "tt-perf tune: baseline", "tune-start"}, err);
}

static ttp_code gate_baseline(struct ttp_tune_gate *gate, struct ttp_tune *t,
                              const struct ttp_ready *side, struct ttp_err *err)
{
    ttp_tuner_say(t, "checking the baseline");
    TTP_TRY(ttp_tune_gate_run(gate, t, side, err));
    if (gate->pass)
        return TTP_OK;
    ttp_fail(err, TTP_EPARSE, "the baseline itself fails: %.190s", gate->reason);
    if (t->place.git)
        ttp_err_hint(err,
                     "it ran in a separate worktree, '%.100s': use --link for files that git "
                     "ignores, and --build to build",
                     side->dir);
    return TTP_EPARSE;
}

static void put_golden(struct ttp_ledger_record *r, const struct ttp_tune_session *s)
{
    ttp_json_put_key(&r->writer, TTP_STR("golden_files"));
    ttp_json_begin_array(&r->writer);
    for (size_t i = 0; i < s->ngolden; i++) {
        ttp_json_begin_object(&r->writer);
        ttp_ledger_text(r, "name", s->golden[i].name);
        ttp_ledger_u64(r, "bytes", s->golden[i].bytes);
        ttp_ledger_u64(r, "crc", s->golden[i].crc);
        ttp_json_end_object(&r->writer);
    }
    ttp_json_end_array(&r->writer);
}

/* The old ledger stays next to the new one, by the time it was put there. */
static ttp_code put_aside(const struct ttp_tune *t, struct ttp_err *err)
{
    const char *to = ttp_tuner_text(t->arena, "%s/ledger-%lld.jsonl", t->place.state,
                                    (long long)(ttp_clock_unix_ns() / 1000000));

    if (!ttp_file_exists(t->ledger))
        return TTP_OK;
    if (rename(t->ledger, to) < 0)
        return ttp_fail_errno(err, "cannot rename '%.150s'", t->ledger);
    ttp_tuner_say(t, "moved the earlier ledger to %s", to);
    return TTP_OK;
}

/* What is known of the baseline before anything is written. */
struct beginning {
    struct ttp_tune_gate gate;
    struct ttp_tune_measured measured;
    struct ttp_tune_profile profile;
    struct ttp_bench bench;
};

static ttp_code write_beginning(struct ttp_tune *t, const struct beginning *b, struct ttp_err *err)
{
    const struct ttp_tune_session made = t->session;
    struct ttp_ledger_record r;

    if (t->options.start_over)
        TTP_TRY(put_aside(t, err));
    ttp_tuner_step(t);
    t->session.records = t->options.start_over ? 0 : made.records;
    ttp_tuner_record(&r, t, "init");
    ttp_ledger_setup(&r, &made.setup);
    ttp_ledger_side(&r, &made.baseline);
    put_golden(&r, &made);
    ttp_ledger_text(&r, "machine", made.machine);
    ttp_ledger_text(&r, "branch", made.branch);
    ttp_ledger_text(&r, "prefix", made.prefix);
    TTP_TRY(ttp_tuner_append(t, &r, err));
    ttp_tuner_record(&r, t, "baseline");
    ttp_ledger_gate(&r, &b->gate);
    ttp_ledger_measured(&r, &b->measured, &b->bench);
    ttp_ledger_profile(&r, &b->profile);
    return ttp_tuner_append(t, &r, err);
}

static ttp_code begin(struct ttp_tune *t, struct ttp_err *err)
{
    struct ttp_tune_session *s = &t->session;
    struct beginning b;
    struct ttp_ready side;

    if (s->setup.golden)
        TTP_TRY(ttp_tune_gate_list(&s->golden, &s->ngolden, s->setup.golden, t->arena, err));
    TTP_TRY(ttp_tuner_machine(&s->machine, t, err));
    s->baseline.command = s->setup.command;
    TTP_TRY(save_baseline(t, err));
    ttp_tuner_step(t);
    TTP_TRY(ttp_tune_side_prepare(&side, t, &s->baseline, TTP_TREE_BEST, err));
    TTP_TRY(gate_baseline(&b.gate, t, &side, err));
    ttp_tuner_say(t, "measuring the baseline");
    const struct ttp_measuring m = {.side = {&side, &side},
                                    .name = {"baseline", "baseline again"},
                                    .min_runs = s->setup.min_runs,
                                    .max_runs = s->setup.min_runs,
                                    .scatter = NAN};
    TTP_TRY(ttp_tuner_measure(&b.measured, &b.bench, t, &m, err));
    TTP_TRY(ttp_tune_profile_side(&b.profile, t, &side, "baseline", err));
    return write_beginning(t, &b, err);
}

ttp_code ttp_tune_init(struct ttp_tune *t, const struct ttp_tune_setup *setup, struct ttp_err *err)
{
    const uint64_t records = t->session.records;

    if (t->session.measured) {
        ttp_fail(err, TTP_EUSAGE, "a session already exists here: '%.150s'",
                 ttp_tune_shown(&t->session, t->arena)->setup.command);
        ttp_err_hint(err, "show it with 'tt-perf tune status', or start a new one with --new");
        return TTP_EUSAGE;
    }
    TTP_TRY(check_setup(t, setup, err));
    t->session = (struct ttp_tune_session){
        .setup = *setup, .machine = "", .branch = "", .prefix = "", .records = records};
    const ttp_code rc = begin(t, err);
    if (rc != TTP_OK && !t->session.measured)
        t->session.setup.command = NULL; /* there is none */
    return rc;
}

ttp_code ttp_tune_remeasure(struct ttp_tune *t, struct ttp_err *err)
{
    struct ttp_tune_session *s = &t->session;
    struct ttp_tune_measured measured;
    struct ttp_bench bench;
    struct ttp_tune_gate gate;
    struct ttp_ready side[2];
    struct ttp_ledger_record r;

    TTP_TRY(ttp_tuner_may_try(t, true, err));
    TTP_TRY(ttp_tune_side_prepare(&side[1], t, ttp_tune_best(s), TTP_TREE_BEST, err));
    TTP_TRY(ttp_tune_side_prepare(&side[0], t, &s->baseline, TTP_TREE_CANDIDATE, err));
    ttp_tuner_say(t, "checking the best");
    TTP_TRY(ttp_tune_gate_run(&gate, t, &side[1], err));
    ttp_tuner_say(t, "measuring baseline and best alternately");
    const struct ttp_measuring m = {.side = {&side[0], &side[1]},
                                    .name = {"baseline", "best"},
                                    .min_runs = s->setup.min_runs,
                                    .max_runs = s->setup.max_runs,
                                    .scatter = s->at_start.of[0].side[0].scatter};
    TTP_TRY(ttp_tuner_measure(&measured, &bench, t, &m, err));
    ttp_tuner_record(&r, t, "final");
    ttp_ledger_gate(&r, &gate);
    ttp_ledger_measured(&r, &measured, &bench);
    return ttp_tuner_append(t, &r, err);
}

ttp_code ttp_tune_clean(struct ttp_tune *t, struct ttp_err *err)
{
    if (t->place.git)
        ttp_tune_side_remove_trees(t);
    ttp_tune_profile_clean(t);
    return ttp_tuner_check_signal(t, err);
}
