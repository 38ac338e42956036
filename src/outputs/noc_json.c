/* SPDX-License-Identifier: Apache-2.0 */
/* noc_json.c - NoC estimates and profiles as JSON and CSV. */
#include <math.h>

#include "base/gate.h"
#include "outputs/json_members.h"
#include "outputs/outputs.h"

void ttp_out_noc_link(struct ttp_sink *out, const struct ttp_noc_model *m, uint32_t link)
{
    const uint32_t core = link / 4, chip = (uint32_t)m->grid->cols * m->grid->rows;

    if (m->chips > 1)
        ttp_sink_printf(out, "dev %u ", core / chip);
    ttp_sink_printf(out, "(%u,%u) %s", core % chip % m->grid->cols, core % chip / m->grid->cols,
                    ttp_noc_link_names[link % 4]);
}

/* ---- figures of tt-npe, in its order ---- */

static const struct {
    const char *name;
    size_t at;
} figures[] = {
#define FIGURE(f)                                                                                  \
    {                                                                                              \
#f, offsetof(struct ttp_noc_stats, f)                                                      \
    }
    FIGURE(cycle_prediction_error),
    FIGURE(overall_avg_link_demand),
    FIGURE(overall_max_link_demand),
    FIGURE(overall_avg_link_util),
    FIGURE(overall_max_link_util),
    FIGURE(overall_avg_niu_demand),
    FIGURE(overall_max_niu_demand),
    FIGURE(overall_avg_noc0_link_demand),
    FIGURE(overall_avg_noc0_link_util),
    FIGURE(overall_max_noc0_link_demand),
    FIGURE(overall_avg_noc1_link_demand),
    FIGURE(overall_avg_noc1_link_util),
    FIGURE(overall_max_noc1_link_demand),
    FIGURE(overall_avg_mcast_write_link_util),
    FIGURE(dram_bw_util),
    FIGURE(dram_bw_util_sim),
};

static double figure(const struct ttp_noc_stats *s, size_t i)
{
    double v;

    memcpy(&v, (const char *)s + figures[i].at, sizeof(v));
    return v;
}

static void put_f64(struct ttp_json_writer *w, const char *key, double v)
{
    ttp_member_key(w, key);
    ttp_json_put_f64(w, v);
}

static void put_stats(struct ttp_json_writer *w, const struct ttp_noc_stats *s)
{
    ttp_json_begin_object(w);
    ttp_member_u64(w, "estimated_cycles", s->estimated_cycles);
    ttp_member_u64(w, "estimated_cong_free_cycles", s->estimated_cong_free_cycles);
    ttp_member_u64(w, "golden_cycles", s->golden_cycles);
    put_f64(w, "cong_impact", s->cong_impact);
    for (size_t i = 0; i < TTP_COUNT(figures); i++)
        put_f64(w, figures[i].name, figure(s, i));
    put_f64(w, "eth_bw_util_agg", s->eth_bw_util_agg);
    ttp_member_u64(w, "num_timesteps", s->num_timesteps);
    ttp_member_str(w, "dram_per_ctrl", s->dram_per_ctrl);
    ttp_member_str(w, "eth_per_core", s->eth_per_core);
    ttp_json_end_object(w);
}

static void put_list(struct ttp_json_writer *w, const char *key, const uint64_t *v, size_t n)
{
    ttp_member_key(w, key);
    ttp_json_begin_array(w);
    for (size_t i = 0; i < n; i++)
        ttp_json_put_u64(w, v[i]);
    ttp_json_end_array(w);
}

static void put_top(struct ttp_json_writer *w, const struct ttp_noc_view *v)
{
    const struct ttp_noc_grid *g = v->load->model->grid;
    const uint32_t chip = (uint32_t)g->cols * g->rows;

    ttp_member_key(w, "top_links");
    ttp_json_begin_array(w);
    for (size_t i = 0; i < v->profile->ntop; i++) {
        const struct ttp_noc_busy_link *l = &v->profile->top[i];
        const uint32_t core = l->link / 4;
        ttp_json_begin_object(w);
        ttp_member_u64(w, "device", core / chip);
        ttp_member_u64(w, "x", core % chip % g->cols);
        ttp_member_u64(w, "y", core % chip / g->cols);
        ttp_member_str(w, "link", ttp_str_from(ttp_noc_link_names[l->link % 4]));
        ttp_member_u64(w, "bytes", l->bytes);
        put_f64(w, "busy_pct", l->busy_pct);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_profile(struct ttp_json_writer *w, const struct ttp_noc_view *v)
{
    const struct ttp_noc_profile *p = v->profile;
    const struct ttp_noc_model *m = v->load->model;
    const size_t channels = (size_t)m->grid->dram_channels * m->chips;

    ttp_json_begin_object(w);
    ttp_member_u64(w, "span_cycles", p->span_cycles);
    ttp_member_u64(w, "chips", p->chips);
    ttp_member_u64(w, "transfers", p->transfers);
    ttp_member_u64(w, "bytes", p->bytes);
    ttp_member_u64(w, "read_bytes", p->read_bytes);
    ttp_member_u64(w, "write_bytes", p->write_bytes);
    ttp_member_u64(w, "fabric_bytes", p->fabric_bytes);
    ttp_member_u64(w, "local_bytes", p->local_bytes);
    put_list(w, "noc_bytes", p->noc_bytes, 2);
    ttp_member_u64(w, "longer_way_bytes", p->longer_way_bytes);
    ttp_member_u64(w, "hops", p->hops);
    ttp_member_u64(w, "byte_hops", p->byte_hops);
    put_f64(w, "carried_pct", p->carried_pct);
    put_top(w, v);
    put_list(w, "dram_read_bytes", p->dram_read, channels);
    put_list(w, "dram_written_bytes", p->dram_written, channels);
    put_f64(w, "dram_imbalance", p->dram_imbalance);
    put_list(w, "size_count", p->size_count, TTP_NOC_SIZES);
    put_list(w, "size_bytes", p->size_bytes, TTP_NOC_SIZES);
    ttp_member_u64(w, "multicasts", p->multicasts);
    ttp_member_u64(w, "multicast_bytes", p->multicast_bytes);
    ttp_member_u64(w, "multicast_receivers", p->multicast_receivers);
    ttp_member_u64(w, "multicast_links", p->multicast_links);
    ttp_member_u64(w, "multicast_links_as_unicasts", p->unicast_links);
    put_list(w, "fanout_count", p->fanout_count, TTP_NOC_FANOUTS);
    ttp_member_u64(w, "active_cores", p->issuing_cores);
    put_f64(w, "core_imbalance", p->core_imbalance);
    ttp_member_u64(w, "kernels", p->kernels);
    ttp_member_u64(w, "kernel_cycles", p->kernel_cycles);
    ttp_member_u64(w, "kernel_longest_cycles", p->kernel_longest_cycles);
    ttp_member_u64(w, "kernel_start_skew_cycles", p->kernel_start_skew_cycles);
    ttp_member_u64(w, "read_barriers", p->read_barriers);
    ttp_member_u64(w, "read_barrier_cycles", p->read_wait_cycles);
    ttp_member_u64(w, "write_barriers", p->write_barriers);
    ttp_member_u64(w, "write_barrier_cycles", p->write_wait_cycles);
    ttp_json_end_object(w);
}

static void put_skipped(struct ttp_json_writer *w, const struct ttp_noc_load *load)
{
    ttp_member_key(w, "skipped");
    ttp_json_begin_array(w);
    for (size_t k = 0; k < TTP_NOC_SKIPS; k++) {
        if (!load->skipped[k])
            continue;
        ttp_json_begin_object(w);
        ttp_member_str(w, "why", ttp_str_from(ttp_noc_skip_name((enum ttp_noc_skip)k)));
        ttp_member_u64(w, "count", load->skipped[k]);
        ttp_member_u64(w, "bytes", load->skipped_bytes[k]);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static const char *const clock_words[] = {[TTP_NOC_CLOCKS_ONE] = "one",
                                          [TTP_NOC_CLOCKS_AGREE] = "agree",
                                          [TTP_NOC_CLOCKS_ALIGNED] = "aligned",
                                          [TTP_NOC_CLOCKS_CUT] = "cut"};

static void put_program(struct ttp_json_writer *w, const struct ttp_noc_view *v)
{
    ttp_json_begin_object(w);
    ttp_member_str(w, "input", ttp_str_from(v->input));
    ttp_member_str(w, "op", v->op);
    ttp_member_u64(w, "program", v->op_id);
    if (v->trace_key == TTP_NO_ID) {
        ttp_member_null(w, "trace_id");
        ttp_member_null(w, "replay");
    } else {
        ttp_member_i64(w, "trace_id", v->trace_key >> 32);
        ttp_member_i64(w, "replay", v->trace_key & UINT32_MAX);
    }
    ttp_member_str(w, "board", ttp_str_from(v->load->model->name));
    ttp_member_str(w, "model", ttp_str_from(v->load->model->source));
    ttp_member_u64(w, "cycles_per_timestep", v->options->cycles_per_step);
    ttp_member_str(w, "clocks", ttp_str_from(clock_words[v->timing.clocks]));
    ttp_member_u64(w, "dropped_records", v->timing.dropped_records);
    ttp_member_u64(w, "closed_gap_cycles", v->timing.closed_cycles);
    ttp_member_u64(w, "num_transfers", v->load->ntransfers);
    ttp_member_u64(w, "sizes_at_the_counters_end", v->load->full_counters);
    put_skipped(w, v->load);
    ttp_member_key(w, "estimate");
    put_stats(w, &v->estimate->mesh);
    ttp_member_key(w, "devices");
    ttp_json_begin_array(w);
    for (unsigned d = 0; d < v->load->model->chips; d++)
        put_stats(w, &v->estimate->device[d]);
    ttp_json_end_array(w);
    ttp_member_key(w, "profile");
    put_profile(w, v);
    ttp_json_end_object(w);
}

void ttp_out_noc_json(struct ttp_json_writer *w, const struct ttp_noc_view *view, size_t count)
{
    ttp_json_begin_object(w);
    ttp_member_key(w, "programs");
    ttp_json_begin_array(w);
    for (size_t i = 0; i < count; i++)
        put_program(w, &view[i]);
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

/* ---- CSV ---- */

void ttp_out_noc_csv(struct ttp_sink *out, const struct ttp_noc_view *view, size_t count)
{
    ttp_sink_own(out, "program,op,trace_id,replay,input,board,golden_cycles,estimated_cycles,"
                      "estimated_cong_free_cycles,cong_impact_pct,offered_util_pct,"
                      "offered_mcast_util_pct,carried_pct,dram_bw_util_pct,"
                      "eth_bw_util_pct,transfers,bytes,byte_hops,top_link,top_link_pct\n");
    for (size_t i = 0; i < count; i++) {
        const struct ttp_noc_view *v = &view[i];
        const struct ttp_noc_stats *s = &v->estimate->mesh;
        const double figures_of_row[] = {
            s->cong_impact,          s->overall_avg_link_util, s->overall_avg_mcast_write_link_util,
            v->profile->carried_pct, s->dram_bw_util,          s->eth_bw_util_agg};

        ttp_sink_u64(out, v->op_id);
        ttp_sink_char(out, ',');
        ttp_gate_put_csv(out, v->op);
        ttp_sink_char(out, ',');
        if (v->trace_key != TTP_NO_ID)
            ttp_sink_i64(out, v->trace_key >> 32);
        ttp_sink_char(out, ',');
        if (v->trace_key != TTP_NO_ID)
            ttp_sink_i64(out, v->trace_key & UINT32_MAX);
        ttp_sink_char(out, ',');
        ttp_gate_put_csv(out, ttp_str_from(v->input));
        ttp_sink_printf(out, ",%s,%llu,%llu,%llu", v->load->model->name,
                        (unsigned long long)s->golden_cycles,
                        (unsigned long long)s->estimated_cycles,
                        (unsigned long long)s->estimated_cong_free_cycles);
        for (size_t k = 0; k < TTP_COUNT(figures_of_row); k++) {
            ttp_sink_char(out, ',');
            if (isfinite(figures_of_row[k]))
                ttp_sink_f64(out, figures_of_row[k], TTP_NUM_JSON);
        }
        ttp_sink_printf(out, ",%llu,%llu,%llu,", (unsigned long long)v->profile->transfers,
                        (unsigned long long)v->profile->bytes,
                        (unsigned long long)v->profile->byte_hops);
        if (v->profile->ntop) {
            ttp_sink_char(out, '"');
            ttp_out_noc_link(out, v->load->model, v->profile->top[0].link);
            ttp_sink_put(out, TTP_STR("\","));
            ttp_sink_f64(out, v->profile->top[0].busy_pct, TTP_NUM_JSON);
        } else {
            ttp_sink_char(out, ',');
        }
        ttp_sink_char(out, '\n');
    }
}
