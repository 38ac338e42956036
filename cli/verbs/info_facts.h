/* SPDX-License-Identifier: Apache-2.0 */
/* info_facts.h - how a look at a file says what it found. */
#ifndef TTP_CLI_INFO_FACTS_H
#define TTP_CLI_INFO_FACTS_H

#include "verbs/info_files.h"

/* All that is looked at, and what one file says of another. */
struct ttp_inspection {
    const struct ttp_logs_options *options;
    struct ttp_arena *arena;
    struct ttp_host_log host;
    bool has_host;
};

/* For what has never changed its form. */
#define TTP_INFO_ONE_VERSION "the only one known"

void ttp_info_add_number(struct ttp_info_file *f, const char *key, uint64_t number);
/* Of what need not be there. */
void ttp_info_add_count(struct ttp_info_file *f, const char *key, uint64_t number);
void ttp_info_add_text(struct ttp_info_file *f, const char *key, const char *text);
void ttp_info_add_truth(struct ttp_info_file *f, const char *key, bool yes);
/* Of what a file says of itself, in the arena; nothing if it does not. */
void ttp_info_add_str(struct ttp_info_file *f, const char *key, ttp_str text,
                      struct ttp_arena *arena);
void ttp_info_set_fault(struct ttp_info_file *f, const struct ttp_err *err,
                        struct ttp_arena *arena);

/* Looks at files about the NoC and the cluster. */
void ttp_info_inspect_noc(struct ttp_inspection *in, struct ttp_info_file *f);
void ttp_info_inspect_topology(struct ttp_inspection *in, struct ttp_info_file *f);
void ttp_info_inspect_coordinates(struct ttp_inspection *in, struct ttp_info_file *f);
void ttp_info_inspect_flow(struct ttp_inspection *in, struct ttp_info_file *f);
void ttp_info_inspect_workload(struct ttp_inspection *in, struct ttp_info_file *f);
/* Looks at what is not of a run. */
void ttp_info_inspect_tensors(struct ttp_inspection *in, struct ttp_info_file *f);
void ttp_info_inspect_smi(struct ttp_inspection *in, struct ttp_info_file *f);
void ttp_info_inspect_document(struct ttp_inspection *in, struct ttp_info_file *f);
/* Looks at what tells memory, start-up and the real-time profiler. */
void ttp_info_inspect_graph(struct ttp_inspection *in, struct ttp_info_file *f);
void ttp_info_inspect_graph_database(struct ttp_inspection *in, struct ttp_info_file *f);
void ttp_info_inspect_memory_report(struct ttp_inspection *in, struct ttp_info_file *f);
void ttp_info_inspect_buffer_log(struct ttp_inspection *in, struct ttp_info_file *f);
void ttp_info_inspect_memory_counters(struct ttp_inspection *in, struct ttp_info_file *f);
void ttp_info_inspect_inspector(struct ttp_inspection *in, struct ttp_info_file *f);
void ttp_info_inspect_realtime(struct ttp_inspection *in, struct ttp_info_file *f);

#endif
