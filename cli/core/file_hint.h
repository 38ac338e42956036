/* SPDX-License-Identifier: Apache-2.0 */
/* file_hint.h - hint for a file that was given to the wrong verb. */
#ifndef TTP_CLI_FILE_HINT_H
#define TTP_CLI_FILE_HINT_H

#include "core/cmd.h"

/* A verb could not use its input: if another verb reads this kind of file, *err gets a hint that
 * names the kind and the verb. `operands` are used if *err names no file. */
void ttp_file_hint(struct ttp_err *err, const struct ttp_cmd *cmd, const struct ttp_words *operands,
                   struct ttp_arena *arena);

#endif
