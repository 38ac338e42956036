/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_noc.h"

#include "base/order.h"
#include "noc/noc.h"

TTP_ORDER(by_run, struct ttp_op_noc, TTP_UP(run_id), TTP_UP(trace_key))

static ttp_str name_link(const struct ttp_noc_view *v, unsigned device, struct ttp_arena *arena)
{
    const struct ttp_noc_busy_link *hot = &v->profile->hot[device];
    const struct ttp_noc_grid *g = v->load->model->grid;
    const uint32_t core = hot->link / 4 % ((uint32_t)g->cols * g->rows);
    struct ttp_sink out;

    if (!hot->bytes)
        return (ttp_str){0};
    ttp_sink_to_arena(&out, arena);
    /* a CSV of ops has no commas in cells */
    ttp_sink_printf(&out, "%u-%u %s ", core % g->cols, core / g->cols,
                    ttp_noc_link_names[hot->link % 4]);
    ttp_sink_fixed(&out, hot->busy_pct, 1, false);
    ttp_sink_char(&out, '%');
    return ttp_sink_text(&out);
}

/* Per device, never the figures of the mesh. */
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
                                           .eth_per_core = s->eth_per_core,
                                           .hot_link = name_link(v, d, arena)};
        }
    TTP_SORT(noc, n, by_run);
    report->noc = noc;
    report->nnocs = n;
}

static void tell(struct ttp_run *run, const char *what, const struct ttp_err *why,
                 struct ttp_arena *arena)
{
    ttp_words_add(&run->problems,
                  ttp_arena_zstr(arena, ttp_sink_format(arena, "%s: %s%s%s", what, why->path,
                                                        why->path[0] ? ": " : "", why->text)),
                  arena);
    run->noc_problems++;
}

/* 'tt-perf noc' prints the messages about each program. */
void ttp_run_add_noc(struct ttp_run *run, const struct ttp_run_plan *wanted,
                     struct ttp_arena *arena)
{
    struct ttp_noc_plan plan = {
        .options = {.cycles_per_step = 32}, .threads = wanted->reading.threads, .top = 1};
    const struct ttp_words inputs = {&run->paths.folder, 1};
    struct ttp_noc_folder found;
    struct ttp_noc_results results;
    struct ttp_err err = {0};

    if (wanted->noc_rules)
        plan.options.rules = *wanted->noc_rules;
    if (ttp_logs_find_noc_traces(&found, run->paths.folder, arena, &err) != TTP_OK ||
        found.nprograms == 0)
        return;
    if (wanted->reading.strict && !found.topology) {
        ttp_fail(&err, TTP_ENOTFOUND, "no topology.json next to the traces");
        tell(run, "omitting NoC columns", &err, arena);
        return;
    }
    if (ttp_noc_estimate_all(&results, &inputs, &plan, arena, &err) != TTP_OK) {
        tell(run, "omitting NoC columns", &err, arena);
        return;
    }
    if (results.failed)
        tell(run, "some NoC traces are unusable, the first", &results.first, arena);
    keep(&run->report, &results, arena);
    ttp_noc_results_clear(&results);
}
