/* SPDX-License-Identifier: Apache-2.0 */
/* scan.h - opening a host with a listener. Private to host. */
#ifndef TTP_HOST_SCAN_H
#define TTP_HOST_SCAN_H

#include "host/tree.h"

struct ttp_host_opening {
    const struct ttp_boards *boards; /* NULL: built in */
    ttp_rootdir_seen_fn *seen; /* called for every file that is read from then on; NULL: none */
    void *seen_arg;
};
/* As ttp_host_open(). */
TTP_NODISCARD ttp_code ttp_host_open_heard(struct ttp_host *out, const char *root,
                                           struct ttp_host_opening opening, struct ttp_arena *arena,
                                           struct ttp_err *err);
/* What a link at `path` with that target leads to, as a path below the root; NULL: out of it. */
const char *ttp_host_tree_follow(const char *path, const char *target, struct ttp_arena *arena);

#endif
