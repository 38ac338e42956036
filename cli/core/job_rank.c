/* SPDX-License-Identifier: Apache-2.0 */
#include "core/job_rank.h"

#include <stdlib.h>

#include "base/str.h"
#include "mesh/mesh.h"

static bool number(const char *name, int64_t *out)
{
    const char *value = name ? getenv(name) : NULL;

    return value && ttp_str_to_i64(ttp_str_from(value), out) && *out >= 0 &&
           *out <= TTP_MESH_MAX_RANK;
}

/* In the order they are asked; the first that knows the rank counts. */
static const struct launcher {
    const char *rank, *size, *local_rank, *job, *needs;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "PMIX_NAMESPACE",
     NULL},
    {"PMIX_RANK", NULL, "PMIX_LOCAL_RANK", "PMIX_NAMESPACE", NULL},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "PMI_JOBID", NULL},
    /* in a job script without srun they are set as well: only a step has several */
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_JOB_ID", "SLURM_STEP_ID"},
};

void ttp_job_rank_find(struct ttp_job_rank *out)
{
    *out = (struct ttp_job_rank){.local_rank = -1};
    for (size_t i = 0; i < TTP_COUNT(launchers); i++) {
        const struct launcher *l = &launchers[i];
        if (!number(l->rank, &out->rank) || (l->needs && !getenv(l->needs)))
            continue;
        if (l->size && (!number(l->size, &out->size) || out->rank >= out->size))
            out->size = 0;
        if (l->needs && out->size < 2)
            continue;
        if (!number(l->local_rank, &out->local_rank))
            out->local_rank = -1;
        out->job = getenv(l->job);
        out->many = out->size != 1;
        return;
    }
    out->rank = 0;
    out->size = 0;
}
