/* SPDX-License-Identifier: Apache-2.0 */
/* host_tree.h - machines built from the manifests of tests/data/host. */
#ifndef TTP_TEST_HOST_TREE_H
#define TTP_TEST_HOST_TREE_H

#include "base/arena.h"

/* Unpack a manifest; the folder is in the arena. Take it away with host_tree_remove(). */
const char *host_tree_make(const char *manifest, struct ttp_arena *arena);
void host_tree_remove(const char *dir);
/* Write a file of the tree, or with NULL take it away. */
void host_tree_put(const char *dir, const char *path, const char *text);

#endif
