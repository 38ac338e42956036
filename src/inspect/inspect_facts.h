/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_facts.h - how inspecting a file reports its facts. */
#ifndef TTP_INSPECT_FACTS_H
#define TTP_INSPECT_FACTS_H

#include "inspect/inspect.h"

/* All inspected files, and facts that one file has about another. */
struct ttp_inspection {
    const struct ttp_logs_options *options;
    struct ttp_arena *arena;
    struct ttp_host_log host;
    bool has_host;
};

/* For what has never changed its form. */
#define TTP_INSPECT_ONE_VERSION "the only one known"

void ttp_inspect_add_number(struct ttp_inspect_file *f, const char *key, uint64_t number);
/* Of what need not be there. */
void ttp_inspect_add_count(struct ttp_inspect_file *f, const char *key, uint64_t number);
void ttp_inspect_add_text(struct ttp_inspect_file *f, const char *key, const char *text);
void ttp_inspect_add_truth(struct ttp_inspect_file *f, const char *key, bool yes);
/* Facts of a file, in the arena; none if it has none. */
void ttp_inspect_add_str(struct ttp_inspect_file *f, const char *key, ttp_str text,
                         struct ttp_arena *arena);

/* Adds the facts of a file. Facts added before a failure stay. */
typedef ttp_code ttp_inspect_look(struct ttp_inspection *in, struct ttp_inspect_file *f,
                                  struct ttp_err *err);

/* Looks at files about the NoC and the cluster. */
ttp_inspect_look ttp_inspect_noc;
ttp_inspect_look ttp_inspect_topology;
ttp_inspect_look ttp_inspect_coordinates;
ttp_inspect_look ttp_inspect_flow;
ttp_inspect_look ttp_inspect_workload;
/* Looks at what is not of a run. */
ttp_inspect_look ttp_inspect_tensors;
ttp_inspect_look ttp_inspect_smi;
ttp_inspect_look ttp_inspect_document;
/* Inspects files about memory, start-up and the real-time profiler. */
ttp_inspect_look ttp_inspect_graph;
ttp_inspect_look ttp_inspect_graph_database;
ttp_inspect_look ttp_inspect_memory_report;
ttp_inspect_look ttp_inspect_buffer_log;
ttp_inspect_look ttp_inspect_memory_counters;
ttp_inspect_look ttp_inspect_inspector;
ttp_inspect_look ttp_inspect_realtime;
ttp_inspect_look ttp_inspect_failure_log;
/* Files about memory in a folder, one of each kind, added to the list. */
TTP_NODISCARD ttp_code ttp_inspect_find_beside(struct ttp_inspect_file *file, size_t *count,
                                               const char *dir, struct ttp_arena *arena,
                                               struct ttp_err *err);

#endif
