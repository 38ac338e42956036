/* SPDX-License-Identifier: Apache-2.0 */
/* verbs.h - verbs that can replace another tool: their options, and the parts of them that
 * cli/dropin/ calls with the other tool's rules. */
#ifndef TTP_CLI_VERBS_H
#define TTP_CLI_VERBS_H

#include "capture/capture.h"
#include "core/cmd.h"
#include "noc/noc.h"
#include "run/run.h"
#include "verbs/report_files.h"

/* ---- report ---- */

struct ttp_report_verb {
    struct ttp_common_opts common;
    struct ttp_report_dropin as; /* options that the original has too */
    bool fold, roofline, ranges, rows, host_ops;
    int64_t top, op;
    double tokens, users;
    const char *mem;                /* graph capture of the same run */
    const char *unprofiled, *store; /* name of runs of the history, and where that is */
};

/* ---- ops ---- */

struct ttp_ops_verb {
    struct ttp_common_opts common;
    bool device_only, legacy, date, strict, noc;
    const char *output, *name, *rank, *device;
    struct ttp_words analysis;
};

/* How a report of operations is made. */
struct ttp_ops_manner {
    bool strict; /* logs are read so */
    struct ttp_join_rules rules;
    bool noc; /* NoC traces are estimated, if there are any */
    const struct ttp_noc_rules *noc_rules;
    /* Reports only problems of NoC traces, does not name files, does not escape foreign names, and
     * warns about a folder without logs. */
    bool terse;
};
TTP_NODISCARD ttp_code ttp_ops_make(int *status, const struct ttp_ctx *ctx,
                                    const struct ttp_ops_verb *o, const struct ttp_words *operands,
                                    const struct ttp_ops_manner *manner, struct ttp_err *err);

/* --analysis has no effect on what comes from the C++ report. */
void ttp_ops_warn_of_analyses(const struct ttp_ctx *ctx, const struct ttp_words *analysis,
                              const struct ttp_run *run);

/* ---- noc ---- */

struct ttp_noc_verb {
    struct ttp_common_opts common;
    const char *rank; /* NULL: the folder itself */
    const char *program, *device, *topology, *svg, *timeline;
    int64_t cycles_per_timestep, links;
    int congestion, timeline_version;
    bool keep_injection;
    double scale;
};

struct ttp_noc_manner {
    struct ttp_noc_rules rules;
    const char *schema; /* of the JSON that put_json writes; NULL: the document of the verb */
    void (*put_json)(struct ttp_json_writer *w, const struct ttp_noc_view *view, size_t count);
};
TTP_NODISCARD ttp_code ttp_noc_show(int *status, const struct ttp_ctx *ctx,
                                    const struct ttp_noc_verb *o, const struct ttp_words *runs,
                                    const struct ttp_noc_manner *manner, struct ttp_err *err);

/* ---- kernel and annotate ---- */

struct ttp_kernel_verb {
    struct ttp_common_opts common;
    struct ttp_words sections;
    const char *program, *window, *names, *arch, *flow, *pipes, *source, *log, *rank;
    const char *device;
    int64_t ideal_bytes;
};
/* Bits of enum ttp_kernel_section; 0: none was named. */
TTP_NODISCARD ttp_code ttp_kernel_parse_sections(unsigned *out, const struct ttp_words *words,
                                                 struct ttp_arena *arena, struct ttp_err *err);

struct ttp_annotate_verb {
    struct ttp_common_opts common;
    const char *source, *program, *vs, *flow, *side_tables, *rank;
    const char *device;
    struct ttp_words roots, cores;
};

/* ---- trace ---- */

struct ttp_trace_verb {
    struct ttp_common_opts common;
    bool op_zones, noc, serve, offline;
    int64_t port, split_mb;
    const char *output, *ops, *start_signpost, *end_signpost, *window, *rank, *pass;
    struct ttp_words devices, cores, zones;
};
/* TTP_EUSAGE: options that do not go together. */
TTP_NODISCARD ttp_code ttp_trace_check_options(const struct ttp_trace_verb *o, struct ttp_err *err);

/* ---- export ---- */

struct ttp_export_verb {
    struct ttp_common_opts common;
    bool all_zones;
    const char *output, *parent, *children, *tool, *rank;
    int64_t port;
    int version; /* enum ttp_tracy_form */
};

struct ttp_export_manner {
    bool sticky_cells, raw_cells; /* see struct ttp_csv_options */
    bool own_columns;             /* those of the recording's version, not the newest */
};
TTP_NODISCARD ttp_code ttp_export_run(int *status, const struct ttp_ctx *ctx,
                                      const struct ttp_export_verb *o,
                                      const struct ttp_words *operands,
                                      const struct ttp_export_manner *manner, struct ttp_err *err);

/* ---- pcc ---- */

struct ttp_pcc_verb {
    struct ttp_common_opts common;
    double gate, frobenius, rtol, atol;
    bool pcc_only;
    int version; /* what PCC means: enum ttp_pcc_version */
    struct ttp_words keys;
    const char *dtype, *shape, *loss;
};
/* Words of that, NULL at the end. */
extern const char *const ttp_pcc_versions[];

#endif
