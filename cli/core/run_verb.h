/* SPDX-License-Identifier: Apache-2.0 */
/* run_verb.h - a verb with its command line, from words to an exit status. */
#ifndef TTP_CLI_RUN_VERB_H
#define TTP_CLI_RUN_VERB_H

#include "core/cmd.h"

/* Parse argv[0..argc) (no verb in it), run, tell a failure on stderr. Returns the exit status. */
int ttp_verb_run(const struct ttp_cmd *cmd, int argc, char **argv, struct ttp_arena *arena);

/* For verbs that continue where another ends: the same with the result in the arena instead of on
 * stdout, and the failure left to the caller. */
TTP_NODISCARD ttp_code ttp_verb_collect(ttp_str *out, const struct ttp_cmd *cmd, int argc,
                                        char **argv, struct ttp_arena *arena, struct ttp_err *err);

/* Help on a verb, or on the program if cmd is NULL. Returns the exit status. */
int ttp_verb_help(const struct ttp_cmd *cmd, int fd, struct ttp_arena *arena);

#endif
