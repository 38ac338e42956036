/* SPDX-License-Identifier: Apache-2.0 */
/* compat_options.c - options of verbs that replace another tool, with --compat. What they do
 * is in cli/dropin/. */
#include "core/verbs.h"

#define COMPAT(text)                                                                               \
    {                                                                                              \
        .name = "compat", .offset = offsetof(struct ttp_common_opts, imitate),                     \
        .type = TTP_OPT_FLAG, .group = "Compatibility", .help = (text)                             \
    }

static const struct ttp_opt report[] = {
    COMPAT("behave exactly like tt-perf-report 1.2.4, including its bugs"),
};

static const struct ttp_opt ops[] = {
    COMPAT("behave exactly like tt-metal's process_ops_logs.py, including its failures"),
    TTP_OPTION(FLAG, "analyze-noc-traces", offsetof(struct ttp_ops_verb, noc),
               "estimate NoC and DRAM utilisation from NoC traces; without --compat this is always "
               "done if there are traces"),
};

static const struct ttp_opt noc[] = {
    COMPAT("behave like tt-npe, including its bugs; JSON uses its field names"),
};
static const struct ttp_example noc_examples[] = {
    {"tt-perf noc --compat --format json -d T3K merged.json", "tt-npe's figures, digit by digit"},
    {NULL, NULL},
};

static const struct ttp_opt export[] = {
    COMPAT("with csv, write cells exactly as the csvexport of the recording's Tracy version does, "
           "including its bugs"),
};
static const struct ttp_example export_examples[] = {
    {"tt-perf export csv run.ttcap -o csv --compat",
     "the files csvexport would write, byte for byte"},
    {NULL, NULL},
};

static const struct ttp_opt kernel[] = {
    COMPAT("print exactly what TT-Lang's scripts print (default --section perf)"),
};
static const struct ttp_example kernel_examples[] = {
    {"tt-perf kernel .logs --compat --section perf", "TT-Lang's PERF SUMMARY, byte for byte"},
    {NULL, NULL},
};

static const struct ttp_opt annotate[] = {
    COMPAT("print exactly the AUTO-PROFILE REPORT that TT-Lang prints"),
    TTP_OPTION(STR, "side-tables", offsetof(struct ttp_annotate_verb, side_tables),
               "with --compat: JSON file with the lines and kernels known to TT-Lang's process",
               .metavar = "FILE"),
};
static const struct ttp_example annotate_examples[] = {
    {"tt-perf annotate .logs --compat --side-tables kernels.json",
     "TT-Lang's AUTO-PROFILE REPORT, byte for byte"},
    {NULL, NULL},
};

static const struct ttp_opt trace[] = {
    COMPAT("with --format chrome-json: the bytes of TT-Lang's perf_trace_server; with --serve: its "
           "pages"),
};

static const struct ttp_opt pcc[] = {
    TTP_OPTION(CHOICE, "compat-version", offsetof(struct ttp_pcc_verb, version),
               "definition of PCC: tt-metal's comp_pcc since 2026-07-22, since 2026-06-25, or "
               "before that, when it used numpy",
               .choices = ttp_pcc_versions, .group = "Compatibility"),
};

#define OPTIONS(table) (table), TTP_COUNT(table)

static const struct ttp_imitation imitations[] = {
    {&cmd_report, OPTIONS(report), NULL,
     "With --compat: 0, or 1 for any failure, or 2 for wrong usage."},
    {&cmd_ops, OPTIONS(ops), NULL, "1 with --compat for every failure."},
    {&cmd_noc, OPTIONS(noc), noc_examples, NULL},
    {&cmd_export, OPTIONS(export), export_examples, NULL},
    {&cmd_kernel, OPTIONS(kernel), kernel_examples,
     "With --compat 1 where TT-Lang's script exits with 1."},
    {&cmd_annotate, OPTIONS(annotate), annotate_examples,
     "With --compat 1 where TT-Lang's report ends in a division by zero."},
    {&cmd_trace, OPTIONS(trace), NULL, NULL},
    {&cmd_pcc, OPTIONS(pcc), NULL, NULL},
};

const struct ttp_imitation *ttp_imitation_of(const struct ttp_cmd *cmd)
{
    for (size_t i = 0; i < TTP_COUNT(imitations); i++)
        if (imitations[i].cmd == cmd)
            return &imitations[i];
    return NULL;
}
