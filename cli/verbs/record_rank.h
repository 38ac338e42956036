/* SPDX-License-Identifier: Apache-2.0 */
/* record_rank.h - which rank of a job this recording is, and what is written down about it.
 *
 * The launcher says it in variables of the environment; they are read and passed on untouched. MPI
 * itself is never called: the program's own MPI_Init must be the first to connect. */
#ifndef TTP_CLI_RECORD_RANK_H
#define TTP_CLI_RECORD_RANK_H

#include <time.h>

#include "run/run.h"
#include "verbs/record_job.h"

struct ttp_record_rank {
    bool many;          /* one of several: its logs go to a folder of their own */
    int64_t rank, size; /* size 0: unknown */
    int64_t local_rank; /* on this host; -1: unknown */
    const char *job;    /* name of the job; NULL: none */
};

void ttp_record_find_rank(struct ttp_record_rank *out);
/* DIR/rank<N>, or DIR if it is such a folder already. */
const char *ttp_record_rank_folder(const struct ttp_record_rank *rank, const char *dir,
                                   struct ttp_arena *arena);

/* Clocks of this host, read back to back. */
struct ttp_rank_clock ttp_record_read_clocks(void);

/* What rank.json has: docs/formats/rank_json.md. */
struct ttp_record_rank_facts {
    const struct ttp_record_rank *rank;
    ttp_str host, boot_id;
    struct ttp_rank_clock start, end; /* end all 0: the run continues */
};
/* Write LOGS/rank.json. */
TTP_NODISCARD ttp_code ttp_record_write_rank(const struct ttp_record_rank_facts *facts,
                                             const char *logs, struct ttp_arena *arena,
                                             struct ttp_err *err);
/* Copy the mapping files that the run itself wrote, if any. */
void ttp_record_copy_mappings(const struct ttp_record_rank *rank, const char *logs,
                              struct timespec since, const struct ttp_ctx *ctx);

#endif
