/* SPDX-License-Identifier: Apache-2.0 */
/* record_rank.h - the file that describes the rank of this recording in its job. */
#ifndef TTP_CLI_RECORD_RANK_H
#define TTP_CLI_RECORD_RANK_H

#include <time.h>

#include "core/job_rank.h"
#include "run/run.h"
#include "verbs/record_job.h"

/* DIR/rank<N>, or DIR if it is such a folder already. */
const char *ttp_record_rank_folder(const struct ttp_job_rank *rank, const char *dir,
                                   struct ttp_arena *arena);

/* " rank2 rank3": folders of ranks in `dir` that this job has not; empty: none. */
ttp_str ttp_record_left_over(const struct ttp_job_rank *rank, ttp_str dir, struct ttp_arena *arena);
/* "DIR/rank0 DIR/rank1": those of this job. */
ttp_str ttp_record_name_ranks(const struct ttp_job_rank *rank, ttp_str dir,
                              struct ttp_arena *arena);

/* Clocks of this host, read back to back. */
struct ttp_rank_clock ttp_record_read_clocks(void);

/* What rank.json has: docs/formats/rank_json.md. */
struct ttp_record_rank_facts {
    const struct ttp_job_rank *rank;
    ttp_str host, boot_id;
    struct ttp_rank_clock start, end; /* end all 0: the run continues */
    struct ttp_rank_ticks host_log;   /* all 0: unknown */
};
/* Write LOGS/rank.json. */
TTP_NODISCARD ttp_code ttp_record_write_rank(const struct ttp_record_rank_facts *facts,
                                             const char *logs, struct ttp_arena *arena,
                                             struct ttp_err *err);
/* Copy the mapping files that the run itself wrote, if any. */
void ttp_record_copy_mappings(const struct ttp_job_rank *rank, const char *logs,
                              struct timespec since, const struct ttp_ctx *ctx);

#endif
