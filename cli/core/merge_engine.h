/* SPDX-License-Identifier: Apache-2.0 */
/* merge_engine.h - how `merge` works in several processes. */
#ifndef TTP_CLI_MERGE_ENGINE_H
#define TTP_CLI_MERGE_ENGINE_H

#include "mesh/mesh.h"

struct ttp_merge_engine {
    int rank, size;
    struct ttp_merge_net net;
    /* All have read what is theirs. */
    ttp_code (*ready)(struct ttp_err *err);
};
/* NULL in tt-perf, which does not know of MPI; tt-perf-mpi sets it. */
extern const struct ttp_merge_engine *ttp_merge_engine;

#endif
