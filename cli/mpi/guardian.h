/* SPDX-License-Identifier: Apache-2.0 */
/* guardian.h - a process next to the root of a job, which finishes the merge if the job is killed.
 * MPI without fault tolerance ends a job as soon as one of its processes dies. */
#ifndef TTP_CLI_GUARDIAN_H
#define TTP_CLI_GUARDIAN_H

#include <stdbool.h>

/* Before MPI_Init(). Returns in the caller alone; -1: there is none, which is not a failure. */
int ttp_guardian_start(int argc, char **argv);
/* The caller is the root, or it is not and needs none. */
void ttp_guardian_is_root(int guardian, bool root);
/* The caller has ended as it should: the guardian leaves. */
void ttp_guardian_dismiss(int guardian);

#endif
