/* SPDX-License-Identifier: Apache-2.0 */
/* side_run.c - a command where a side runs. */
#include "base/file.h"
#include "tune/tuner.h"

#define TICK_NS 200000000u

ttp_code ttp_tune_side_run(struct ttp_child *out, struct ttp_tune *t, const struct ttp_ready *side,
                           struct ttp_side_command run, struct ttp_err *err)
{
    const char **argv = side->argv;
    struct ttp_child_options o = {
        .dir = side->dir,
        .env = ttp_child_environment_without(t->place.git ? ttp_git_is_local_variable : NULL,
                                             &side->env, t->arena),
        .tail = true,
        .timeout_s = run.timeout_s,
        .show = t->options.show,
        .tick = t->options.hooks.tick,
        .tick_arg = t->options.hooks.arg,
        .tick_ns = TICK_NS};

    *out = (struct ttp_child){.not_executable = true};
    if (run.command)
        TTP_TRY(ttp_measure_command_split(&argv, run.command, t->arena, err));
    o.argv = argv;
    const char *name = argv[0][0] != '/' && strchr(argv[0], '/')
                           ? ttp_file_join(side->dir, argv[0], t->arena)
                           : argv[0];
    TTP_TRY(ttp_child_find(&o.path, name, o.env, t->arena, err));
    TTP_TRY(ttp_child_run(out, &o, t->options.signals, t->arena, err));
    return out->end == TTP_CHILD_INTERRUPTED ? ttp_fail(err, TTP_EIO, "interrupted") : TTP_OK;
}

bool ttp_tune_side_ended_well(const struct ttp_child *c)
{
    return c->end == TTP_CHILD_EXITED && c->code == 0;
}

const char *ttp_tune_side_failure(const struct ttp_tune *t, const char *what,
                                  const struct ttp_child *c)
{
    ttp_str rest = c->errors.len ? c->errors : c->printed, line, last = {0};

    if (c->end == TTP_CHILD_TIMED_OUT)
        return ttp_tuner_text(t->arena, "%s took longer than %g s", what,
                              t->session.setup.timeout_s);
    while (ttp_str_next_line(&rest, &line))
        if (ttp_str_trim(line).len)
            last = ttp_str_slice(ttp_str_trim(line), 0, 120);
    return ttp_tuner_text(t->arena, "%s failed (%s %d)%s%.*s", what,
                          c->end == TTP_CHILD_SIGNALED ? "signal" : "status", c->code,
                          last.len ? ": " : "", TTP_FMT(last));
}
