/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/trace/trace_noc_load.h"

#define STEP_CYCLES 32 /* as tt-npe's tools */
/* About a microsecond, and what takes longer than a second is not estimated: its records are from
 * clocks that jumped. */
#define BUCKET_CYCLES 1024
#define SPAN_MAX      ((uint64_t)1 << 30)

struct filling {
    struct ttp_noc_levels *out;
    const struct ttp_noc_model *model;
};

static ttp_code add_step(void *ctx, const struct ttp_noc_step *step, struct ttp_err *err)
{
    struct filling *f = ctx;
    struct ttp_noc_levels *out = f->out;
    const size_t at = (size_t)(step->start_cycle / out->bucket_cycles);
    const float cap = f->model->link, hot = step->link[out->hot_link];
    const double part = (double)STEP_CYCLES / (double)out->bucket_cycles;

    (void)err;
    if (step->end_cycle == 0 || at >= out->count) /* the one that tt-npe has after the end */
        return TTP_OK;
    out->util_pct[at] += step->mesh.avg_link_util * part;
    out->hot_pct[at] += 100 * (double)(hot < cap ? hot : cap) / (double)cap * part;
    return TTP_OK;
}

bool ttp_out_noc_levels_of(struct ttp_noc_levels *out, struct ttp_noc_trace *trace,
                           const struct ttp_noc_model *model, struct ttp_arena *arena)
{
    const struct ttp_noc_options options = {.cycles_per_step = STEP_CYCLES, .threads = 1};
    struct filling f = {out, model};
    struct ttp_noc_load load;
    struct ttp_noc_estimate estimate;
    struct ttp_noc_profile profile;

    *out = (struct ttp_noc_levels){.bucket_cycles = BUCKET_CYCLES};
    if (trace->nevents == 0 || trace->last_cycle - trace->first_cycle > SPAN_MAX)
        return false;
    for (size_t i = 0; i < trace->nevents; i++)
        trace->event[i].device = trace->event[i].dst_device = 0;
    if (ttp_noc_from_trace(&load, (struct ttp_noc_modelling){model, &options.rules}, trace, arena,
                           NULL) != TTP_OK ||
        load.ntransfers == 0 ||
        ttp_noc_estimate(&estimate, &load, &options, arena, NULL) != TTP_OK ||
        estimate.steps > SPAN_MAX / STEP_CYCLES)
        return false;
    ttp_noc_make_profile(&profile, &load, trace, 1, arena);
    if (profile.ntop == 0)
        return false;
    out->hot_link = profile.top[0].link;
    out->hot_whole_pct = profile.top[0].busy_pct;
    out->count = (size_t)(estimate.steps * STEP_CYCLES / BUCKET_CYCLES) + 1;
    out->util_pct = TTP_NEW(arena, double, out->count);
    out->hot_pct = TTP_NEW(arena, double, out->count);
    return ttp_noc_steps(&load, &options, &estimate, (struct ttp_noc_taker){add_step, &f}, NULL) ==
           TTP_OK;
}
