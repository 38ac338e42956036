/* SPDX-License-Identifier: Apache-2.0 */
/* embedded.h - texts that are part of the program, built in by cmake/embed_files.cmake. */
#ifndef TTP_CLI_EMBEDDED_H
#define TTP_CLI_EMBEDDED_H

#include "base/arena.h"

struct ttp_embedded {
    const char *name; /* of the file, without what follows its last dot: "tt-perf.version-1" */
    ttp_str text;
};

/* Sorted by name; the last has a NULL name. */
extern const struct ttp_embedded ttp_schemas[];       /* docs/schemas/ */
extern const struct ttp_embedded ttp_explain_pages[]; /* docs/explain/ */
extern const struct ttp_embedded ttp_skill_pages[];   /* docs/skill/ */

/* Their names, NULL at the end. */
const char **ttp_embedded_names(const struct ttp_embedded *list, struct ttp_arena *arena);
/* Names of all schemas, generated ones included, as they appear in documents. */
const char **ttp_schema_names(struct ttp_arena *arena);

#endif
