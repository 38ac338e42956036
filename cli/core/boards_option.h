/* SPDX-License-Identifier: Apache-2.0 */
/* boards_option.h - the table of boards with the user's own figures on top. */
#ifndef TTP_CLI_BOARDS_OPTION_H
#define TTP_CLI_BOARDS_OPTION_H

#include "core/cmd.h"
#include "device/device.h"

/* The file of the option; else of TT_PERF_BOARDS; else boards.conf in the user's configuration, if
 * it is there; else the built-in table. TTP_EIO: a file that was named cannot be read. TTP_EPARSE,
 * TTP_ELIMIT: it is not what it should be. *out is in the arena. */
TTP_NODISCARD ttp_code ttp_boards_load(const struct ttp_boards **out, const char *option,
                                       struct ttp_arena *arena, struct ttp_err *err);

#endif
