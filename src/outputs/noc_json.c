/* SPDX-License-Identifier: Apache-2.0 */
/* noc_json.c - NoC estimates with the field names and digits of tt-npe. */
#include <math.h>
#include <stdio.h>

#include "outputs/json_members.h"
#include "outputs/outputs.h"

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

/* As C++ prints it on x86: 0/0 is -nan there. */
static void put_digits(struct ttp_json_writer *w, const char *key, double v)
{
    char text[40];

    const int n =
        isnan(v) ? snprintf(text, sizeof(text), "-nan") : snprintf(text, sizeof(text), "%.17g", v);
    ttp_member_str(w, key, (ttp_str){text, (size_t)n});
}

/* Whole numbers are never texts here, however large: tt-npe's wrap around. */
static void put_cycles(struct ttp_json_writer *w, const char *key, uint64_t v)
{
    char text[TTP_NUM_MAX];

    ttp_member_key(w, key);
    ttp_json_put_raw(w, (ttp_str){text, ttp_num_u64(text, v)});
}

static void put_compat_stats(struct ttp_json_writer *w, const struct ttp_noc_stats *s)
{
    ttp_json_begin_object(w);
    put_cycles(w, "estimated_cycles", s->estimated_cycles);
    put_cycles(w, "estimated_cong_free_cycles", s->estimated_cong_free_cycles);
    put_cycles(w, "golden_cycles", s->golden_cycles);
    for (size_t i = 0; i < TTP_COUNT(figures); i++)
        put_digits(w, figures[i].name, figure(s, i));
    put_cycles(w, "num_timesteps", s->num_timesteps);
    put_digits(w, "cong_impact", s->cong_impact);
    put_digits(w, "eth_bw_util_agg", s->eth_bw_util_agg);
    ttp_member_str(w, "dram_per_ctrl", s->dram_per_ctrl);
    ttp_member_str(w, "eth_per_core", s->eth_per_core);
    ttp_json_end_object(w);
}

static void put_compat(struct ttp_json_writer *w, const struct ttp_noc_view *v)
{
    ttp_json_begin_object(w);
    ttp_member_str(w, "input", ttp_str_from(v->input));
    ttp_member_str(w, "device", ttp_str_from(v->load->model->name));
    ttp_member_u64(w, "cycles_per_timestep", v->options->cycles_per_step);
    ttp_member_u64(w, "num_transfers", v->load->ntransfers);
    ttp_member_key(w, "devices");
    ttp_json_begin_object(w);
    ttp_member_key(w, "-1");
    put_compat_stats(w, &v->estimate->mesh);
    for (unsigned d = 0; d < v->load->model->chips; d++) {
        char id[16];
        snprintf(id, sizeof(id), "%u", d);
        ttp_member_key(w, id);
        put_compat_stats(w, &v->estimate->device[d]);
    }
    ttp_json_end_object(w);
    ttp_json_end_object(w);
}

void ttp_out_noc_compat_json(struct ttp_json_writer *w, const struct ttp_noc_view *view,
                             size_t count)
{
    if (count == 1) {
        put_compat(w, view);
        return;
    }
    ttp_json_begin_object(w);
    ttp_member_key(w, "programs");
    ttp_json_begin_array(w);
    for (size_t i = 0; i < count; i++)
        put_compat(w, &view[i]);
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}
