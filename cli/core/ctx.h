/* SPDX-License-Identifier: Apache-2.0 */
/* ctx.h - the environment of a verb: terminal, variables. */
#ifndef TTP_CLI_CTX_H
#define TTP_CLI_CTX_H

#include <stdbool.h>

#include "core/pager.h"

/* Positions in the words of --color. */
enum ttp_color_choice { TTP_COLOR_AUTO, TTP_COLOR_ALWAYS, TTP_COLOR_NEVER };

/* Whether text on fd gets colour: the option decides, then NO_COLOR, CLICOLOR_FORCE and
 * FORCE_COLOR, then TERM=dumb, then whether fd is a terminal. */
bool ttp_color_wanted(enum ttp_color_choice option, int fd);
/* Columns: COLUMNS if it is a positive number, else those of the terminal on fd, else 0. */
int ttp_columns(int fd);

#endif
