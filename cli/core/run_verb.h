/* SPDX-License-Identifier: Apache-2.0 */
/* run_verb.h - a verb with its command line, from words to an exit status. */
#ifndef TTP_CLI_RUN_VERB_H
#define TTP_CLI_RUN_VERB_H

#include "core/cmd.h"

/* Parse argv[0..argc) (no verb in it), run, tell a failure on stderr. Returns the exit status. */
int ttp_verb_run(const struct ttp_cmd *cmd, int argc, char **argv, struct ttp_arena *arena);

/* Its options, as they are where the command line has none. In the arena. */
void *ttp_verb_defaults(const struct ttp_cmd *cmd, struct ttp_arena *arena);
/* For verbs that continue with another one: the same with options that were set, not parsed. */
int ttp_verb_run_with(const struct ttp_cmd *cmd, void *opts, const struct ttp_words *operands,
                      struct ttp_arena *arena);

/* Help on a verb, or on the program if cmd is NULL. Returns the exit status. */
int ttp_verb_help(const struct ttp_cmd *cmd, int fd, struct ttp_arena *arena);

#endif
