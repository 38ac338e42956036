/* SPDX-License-Identifier: Apache-2.0 */
/* record_inspector.h - keeps the inspector's logs of a run, which the next process deletes. */
#ifndef TTP_CLI_RECORD_INSPECTOR_H
#define TTP_CLI_RECORD_INSPECTOR_H

#include <time.h>

#include "core/cmd.h"

/* Copies those that were written since then to the folder `inspector` in `logs`. That there are
 * none is fine; what cannot be copied is reported. */
void ttp_record_keep_inspector(const char *logs, struct timespec since, const struct ttp_ctx *ctx);

#endif
