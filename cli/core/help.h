/* SPDX-License-Identifier: Apache-2.0 */
/* help.h - what --help and `tt-perf help` print, all of it from the tables. */
#ifndef TTP_CLI_HELP_H
#define TTP_CLI_HELP_H

#include "core/cmd.h"

/* `columns` 0: 80. */
void ttp_help_program(struct ttp_sink *out, int columns, struct ttp_arena *arena);
void ttp_help_command(struct ttp_sink *out, const struct ttp_cmd *cmd, int columns,
                      struct ttp_arena *arena);
void ttp_help_exit_codes(struct ttp_sink *out, int columns, struct ttp_arena *arena);

/* The generated parts of the manual, as mdoc. */
void ttp_man_options(struct ttp_sink *out, const struct ttp_cmd *cmd, struct ttp_arena *arena);
void ttp_man_commands(struct ttp_sink *out, struct ttp_arena *arena);
void ttp_man_exit_codes(struct ttp_sink *out, struct ttp_arena *arena);

#endif
