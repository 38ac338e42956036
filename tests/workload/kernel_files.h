/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_files.h - what TT-Lang's compiler and profiler leave of a kernel, as its variables ask:
 * zones of lines and the flow graph with TTLANG_AUTO_PROFILE, user zones with
 * TTLANG_SIGNPOST_PROFILE, both only with TT_METAL_PROFILER_MID_RUN_DUMP, pipes with
 * TTLANG_PIPE_GRAPH_JSON. */
#ifndef TTP_TESTS_KERNEL_FILES_H
#define TTP_TESTS_KERNEL_FILES_H

#include "synth/synth.h"

void kernel_files_ask(struct ttp_synth_options *what);
/* Of the folder that was written. TTP_EUSAGE: TT-Lang would refuse the variables. */
ttp_code kernel_files_place(const char *dir, bool pipes, struct ttp_err *err);

#endif
