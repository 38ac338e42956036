/* SPDX-License-Identifier: Apache-2.0 */
/* run_passes.h - the data of a pass that is compared with other passes. Private to run. */
#ifndef TTP_RUN_RUN_PASSES_H
#define TTP_RUN_RUN_PASSES_H

#include "run/run.h"

struct ttp_run_pass {
    const char *name; /* "lines", "counters", "counters-2", ... */
    const char *dir;
    bool lines; /* else counters */
};
struct ttp_run_passes {
    struct ttp_run_pass *pass; /* without the first */
    size_t count;
};
/* None: the run has one pass. */
void ttp_run_find_passes(struct ttp_run_passes *out, const struct ttp_log_paths *run,
                         struct ttp_arena *arena);

/* One execution of a program. */
struct ttp_pass_program {
    struct ttp_exec_key key; /* device: its id */
    uint64_t first, last;    /* cycles of its kernels; last 0: it has none */
    uint64_t marks;          /* of the RISC and core that wrote most */
};

struct ttp_pass_facts {
    const char *name; /* for messages */
    struct ttp_log_paths paths;
    bool noc, lines, counters; /* what it recorded besides ops */
    bool has_host;
    struct ttp_host_log host;
    struct ttp_pass_program *program; /* by device, id and replay */
    size_t nprograms;
};

/* `dir`: artifacts folder of the pass. TTP_ENOTFOUND: it has no device log. */
TTP_NODISCARD ttp_code ttp_run_pass_read(struct ttp_pass_facts *out, const char *dir,
                                         unsigned threads, struct ttp_arena *arena,
                                         struct ttp_err *err);

/* Add to `out` how `b` differs from `a`. */
void ttp_run_pass_compare(struct ttp_pass_check *out, const struct ttp_pass_facts *a,
                          const struct ttp_pass_facts *b, struct ttp_arena *arena);

#endif
