/* SPDX-License-Identifier: Apache-2.0 */
/* schemas.h - JSON Schemas of everything we print as JSON, built in from docs/schemas/. */
#ifndef TTP_CLI_SCHEMAS_H
#define TTP_CLI_SCHEMAS_H

#include "base/arena.h"

struct ttp_schema {
    const char *name; /* file name without ".json": "tt-perf.version-1" */
    ttp_str text;
};

/* Sorted by name; the last has a NULL name. Written by cmake/embed_schemas.cmake. */
extern const struct ttp_schema ttp_schemas[];
/* Their names, NULL at the end. */
const char **ttp_schema_names(struct ttp_arena *arena);

#endif
