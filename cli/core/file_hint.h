/* SPDX-License-Identifier: Apache-2.0 */
/* file_hint.h - what to do with a file that was given to the wrong verb. */
#ifndef TTP_CLI_FILE_HINT_H
#define TTP_CLI_FILE_HINT_H

#include "core/cmd.h"

/* A verb could not use its input: if the file is of a kind that others take, *err gets a hint that
 * says what it is and who does. `operands` are looked at where *err names no file. */
void ttp_file_hint(struct ttp_err *err, const struct ttp_cmd *cmd, const struct ttp_words *operands,
                   struct ttp_arena *arena);

#endif
