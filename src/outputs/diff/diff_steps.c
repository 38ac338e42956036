/* SPDX-License-Identifier: Apache-2.0 */
/* diff_steps.c - contributions to the change from one run to another, the largest first. */
#include <math.h>

#include "outputs/diff/diff_fields.h"

#define MAX_STEPS 8
/* Smaller steps, in percent of the base, go into the rest. */
#define MIN_STEP_PCT 0.05

struct steps {
    struct ttp_diff_step *item;
    size_t count;
    double base, running;
};

static void add_step(struct steps *s, ttp_str label, double change)
{
    s->item[s->count++] = (struct ttp_diff_step){
        label, change, s->base > 0 ? change / s->base * 100 : 0, s->running, s->running + change};
    s->running += change;
}

/* "Matmul 32 x 64 x 32 (32 times)", "Matmul to MinimalMatmul 32 x 64 x 32" */
static ttp_str group_label(const struct ttp_diff *d, const struct ttp_diff_group *g,
                           struct ttp_arena *arena)
{
    const ttp_str name = ttp_diff_op_name(d, &d->op[g->first]);

    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (d->op[g->first].kind == TTP_DIFF_REPLACED)
        ttp_sink_printf(&out, "%.*s to ", TTP_FMT(ttp_diff_base_code(d, &d->op[g->first])));
    ttp_sink_put(&out, name);
    if (g->count > 1)
        ttp_sink_printf(&out, " (%u times)", g->count);
    if (d->op[g->first].base_untimed || d->op[g->first].other_untimed)
        ttp_sink_printf(&out, ", without device time in the %s",
                        d->op[g->first].base_untimed ? "base" : "other run");
    return ttp_sink_text(&out);
}

/* The largest steps and the rest, which add up to the change of the headline; then gaps, which the
 * headline's device time does not contain, in percent of the same base. */
void ttp_out_diff_add_steps(struct ttp_document *doc, const struct ttp_diff *d,
                            struct ttp_arena *arena)
{
    const struct ttp_diff_times *whole = &d->iteration;
    const double base = whole->base_us;
    struct steps s = {TTP_NEW(arena, struct ttp_diff_step, MAX_STEPS + 3), 0, base, base};
    double rest = 0;
    size_t rests = 0;

    for (size_t i = 0; i < d->groups; i++) {
        const struct ttp_diff_group *g = &d->group[i];
        const double change = g->times.other_us - g->times.base_us;

        if (change == 0)
            continue;
        if (i < MAX_STEPS && fabs(change) >= base * MIN_STEP_PCT / 100) {
            add_step(&s, group_label(d, g, arena), change);
        } else {
            rest += change;
            rests++;
        }
    }
    if (rests)
        add_step(&s, ttp_sink_format(arena, "%zu other %s", rests, rests == 1 ? "group" : "groups"),
                 rest);
    const double apart =
        (whole->other_us - whole->base_us) - (d->times.other_us - d->times.base_us);
    if (fabs(apart) >= base * MIN_STEP_PCT / 100 && apart != 0)
        add_step(&s, TTP_STR("overlap, and iterations that differ"), apart);
    const double gaps = whole->other_gap_us - whole->base_gap_us;
    if (gaps != 0)
        add_step(&s, TTP_STR("gaps between ops, not in the device time"), gaps);
    ttp_document_rows(doc, TTP_DIFF_PART_STEPS, NULL, s.item, s.count);
}
