/* SPDX-License-Identifier: Apache-2.0 */
/* job_rank.h - which rank of a job this process is.
 *
 * The launcher says it in variables of the environment; they are read and passed on untouched. MPI
 * itself is never called: the program's own MPI_Init must be the first to connect. */
#ifndef TTP_CLI_JOB_RANK_H
#define TTP_CLI_JOB_RANK_H

#include <stdbool.h>
#include <stdint.h>

struct ttp_job_rank {
    bool many;          /* one of several: its logs go to a folder of their own */
    int64_t rank, size; /* size 0: unknown */
    int64_t local_rank; /* on this host; -1: unknown */
    const char *job;    /* name of the job; NULL: none */
};

void ttp_job_rank_find(struct ttp_job_rank *out);

#endif
