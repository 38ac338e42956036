/* SPDX-License-Identifier: Apache-2.0 */
#include "noc_columns.h"

#include <stdlib.h>

#include "noc_run.h"

static int by_run(const void *a, const void *b)
{
    const struct ttp_op_noc *x = a, *y = b;

    if (x->run_id != y->run_id)
        return x->run_id < y->run_id ? -1 : 1;
    return (x->trace_key > y->trace_key) - (x->trace_key < y->trace_key);
}

/* Per device, as the original: never the figures of the mesh. */
static void keep(struct ttp_ops_report *report, const struct ttp_noc_results *r,
                 struct ttp_arena *arena)
{
    size_t n = 0;

    for (size_t i = 0; i < r->count; i++)
        n += r->view[i].load->model->chips;
    struct ttp_op_noc *noc = TTP_NEW(arena, struct ttp_op_noc, n + 1);
    n = 0;
    for (size_t i = 0; i < r->count; i++)
        for (unsigned d = 0; d < r->view[i].load->model->chips; d++) {
            const struct ttp_noc_view *v = &r->view[i];
            const struct ttp_noc_stats *s = &v->estimate->device[d];
            noc[n++] = (struct ttp_op_noc){.run_id = v->op_id << 10 | d,
                                           .trace_key = v->trace_key,
                                           .util_pct = s->overall_avg_link_util,
                                           .multicast_pct = s->overall_avg_mcast_write_link_util,
                                           .dram_pct = s->dram_bw_util,
                                           .impact_pct = s->cong_impact,
                                           .dram_per_ctrl = s->dram_per_ctrl,
                                           .eth_per_core = s->eth_per_core};
        }
    qsort(noc, n, sizeof(*noc), by_run);
    report->noc = noc;
    report->nnocs = n;
}

void ttp_noc_fill_report(struct ttp_ops_report *report, const char *folder, bool compat,
                         unsigned threads, const struct ttp_ctx *ctx)
{
    const struct ttp_noc_plan plan = {
        .options = {.cycles_per_step = 32, .compat = compat}, .threads = threads, .top = 1};
    const struct ttp_words inputs = {&folder, 1};
    struct ttp_noc_folder found;
    struct ttp_noc_results results;
    struct ttp_ctx brief = *ctx; /* what 'tt-perf noc' says of each program is not repeated */
    struct ttp_err err = {0};

    brief.quiet = !ctx->verbose;
    if (ttp_logs_find_noc_traces(&found, folder, ctx->arena, &err) != TTP_OK ||
        found.nprograms == 0)
        return;
    if (compat && !found.topology) {
        ttp_ctx_warn(ctx, "no NoC columns: there is no topology.json beside the traces");
        return;
    }
    if (ttp_noc_run(&results, &inputs, &plan, &brief, &err) != TTP_OK) {
        ttp_ctx_warn(ctx, "no NoC columns: %s", err.text);
        return;
    }
    if (results.failed)
        ttp_ctx_warn(ctx, "NoC traces of %zu programs could not be used (first: %s)",
                     results.failed, results.first.text);
    keep(report, &results, ctx->arena);
    ttp_noc_results_clear(&results);
}
