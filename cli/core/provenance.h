/* SPDX-License-Identifier: Apache-2.0 */
/* provenance.h - where a page comes from: its command, date, and files with their hashes. */
#ifndef TTP_CLI_PROVENANCE_H
#define TTP_CLI_PROVENANCE_H

#include "core/cmd.h"

/* The words after "tt-perf VERB", with secrets masked. SOURCE_DATE_EPOCH sets the date. */
const struct ttp_provenance *ttp_provenance_of(const struct ttp_cmd *cmd, int argc, char **argv,
                                               const struct ttp_words *inputs,
                                               struct ttp_arena *arena);

#endif
