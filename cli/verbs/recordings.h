/* SPDX-License-Identifier: Apache-2.0 */
/* recordings.h - code shared by verbs that read recordings. */
#ifndef TTP_CLI_RECORDINGS_H
#define TTP_CLI_RECORDINGS_H

#include "capture/capture.h"
#include "core/cmd.h"

/* Add the words of a list separated by commas; NULL adds none. */
void ttp_recording_split(struct ttp_words *out, const char *list, struct ttp_arena *arena);
/* Which csvexport belongs to the version that made the recording. */
enum ttp_csv_generation ttp_recording_generation(const struct ttp_trace *trace);
/* Warn of what is missing or damaged. */
void ttp_recording_tell(const struct ttp_ctx *ctx, const char *path, const struct ttp_trace *trace);

#endif
