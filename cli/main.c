/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - finds the verb or the drop-in tool, sets up its context, turns its result into an exit
 * status. SIGPIPE ends us: a reader that has seen enough does so quietly. */
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_kind.h"
#include "core/cmd.h"
#include "core/failure.h"
#include "core/lost_file.h"
#include "core/run_limits.h"
#include "core/run_verb.h"
#include "dropin/dropin.h"

static int no_such_verb(const char *word, struct ttp_arena *arena)
{
    struct ttp_err err = {0};
    const char *near = ttp_opts_nearest(word, ttp_cmd_names(arena));

    ttp_fail(&err, TTP_EUSAGE, "unknown %s '%s'", word[0] == '-' ? "option" : "verb", word);
    if (near && word[0] != '-')
        ttp_err_hint(&err, "did you mean '%s'?", near);
    else
        ttp_err_hint(&err, "see 'tt-perf --help'");
    ttp_failure_print(NULL, &err, TTP_EXIT_USAGE, false);
    return TTP_EXIT_USAGE;
}

static int run_program(int argc, char **argv, struct ttp_arena *arena)
{
    if (argc < 2) {
        ttp_verb_help(NULL, STDERR_FILENO, arena);
        return TTP_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return ttp_verb_help(NULL, STDOUT_FILENO, arena);
    if (strcmp(word, "--version") == 0)
        return printf("tt-perf %s\n", ttp_version) < 0 || fflush(stdout) ? TTP_EXIT_IO
                                                                         : TTP_EXIT_OK;
    const struct ttp_cmd *cmd = ttp_cmd_find(word);
    return cmd ? ttp_verb_run(cmd, argc - 2, argv + 2, arena) : no_such_verb(word, arena);
}

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "tt-perf";
    struct ttp_arena arena = {0};

    ttp_file_kind_named(argv, argc);
    ttp_outfile_tidy_on_signals();
    ttp_lost_file_guard();
    ttp_run_limits_begin();
    ttp_dropin_main_fn *other = ttp_dropin_main(name);
    if (other) {
        ttp_lost_file_say((struct ttp_last_words){.status = TTP_EXIT_FINDING}); /* as they do */
        return other(argc, argv);
    }
    const int status = run_program(argc, argv, &arena);
    ttp_arena_free(&arena);
    return status;
}
