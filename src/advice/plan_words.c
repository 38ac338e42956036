/* SPDX-License-Identifier: Apache-2.0 */
/* plan_words.c - texts of a plan about the first op of an item: cells of its row, and how its gain
 * was computed. */
#include "advice/rule_parts.h"
#include "base/quantity.h"
#include "base/sink.h"

/* Gains that differ by less are printed alike. */
#define SAME_PART 0.005

const char *ttp_plan_basis_name(enum ttp_plan_basis basis)
{
    static const char *const names[] = {"measured", "modelled", "guessed"};

    return names[basis];
}

ttp_str ttp_plan_evidence(const struct ttp_plan_run *run, const struct ttp_plan_rule *rule,
                          size_t at, struct ttp_arena *arena)
{
    const struct ttp_report *r = run->report;
    const struct ttp_op *op = &r->op[at];
    struct ttp_sink out;
    const ttp_str limit = ttp_analysis_limit_text(r, op, arena);
    double cores;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "ID %u", op->row + 2);
    if (op->has & TTP_HAS_TIME)
        ttp_sink_printf(&out, ", %.*s", TTP_FMT(ttp_time_us_text(op->time_us, arena)));
    if (op->has & TTP_HAS_GAP && op->gap_us > TTP_GAP_FLAGGED_US)
        ttp_sink_printf(&out, ", gap %.*s", TTP_FMT(ttp_time_us_text(op->gap_us, arena)));
    if (ttp_cell_f64(op->cores, &cores))
        ttp_sink_printf(&out, ", %.0f core%s", cores, cores == 1 ? "" : "s");
    if (op->fidelity_text != TTP_SYM_MISSING)
        ttp_sink_printf(&out, ", %.*s", TTP_FMT(ttp_sym_name(r->syms, op->fidelity_text)));
    if (run->kernel[at])
        ttp_sink_printf(&out, "; %.*s", TTP_FMT(ttp_kernel_sentence(run->kernel[at], arena)));
    else if (limit.len)
        ttp_sink_printf(&out, "; %.*s", TTP_FMT(limit));
    const ttp_str more = rule->tell ? rule->tell(run, at, arena) : (ttp_str){0};
    if (more.len)
        ttp_sink_printf(&out, "; %.*s", TTP_FMT(more));
    if (rule->gain == ttp_gain_stale_l1)
        ttp_sink_printf(&out, "; %.*s", TTP_FMT(ttp_advice_spill_text(run->spill[at], arena)));
    return ttp_sink_text(&out);
}

/* "42.4 μs x (1 - 0.83) = 7.2 μs; 0.83: predicted time ... over that of now". */
static void put_product(struct ttp_sink *out, const struct ttp_rule_info *rule, double whole,
                        double gain)
{
    const double left = fmax(1 - gain / whole, 0);

    ttp_put_time_us(out, whole);
    if (left < 0.005) {
        ttp_sink_printf(out, ", all of it: %s", rule->factor);
        return;
    }
    ttp_sink_printf(out, " x (1 - %.2f) = ", left);
    ttp_put_time_us(out, gain);
    ttp_sink_printf(out, "; %.2f: %s", left, rule->factor);
}

/* The step from bfloat8_b, where weights-bfp8 has the way there. */
static bool put_step(struct ttp_sink *out, const struct ttp_plan_run *run,
                     const struct ttp_plan_item *item, double whole)
{
    double before, after;

    if (item->roof != TTP_ROOF_BFP4 || !ttp_plan_is_bfp4_step(run, item->op[0], &before, &after))
        return false;
    ttp_put_time_us(out, whole);
    ttp_sink_printf(out, " x (%.2f - %.2f) = ", before, after);
    ttp_put_time_us(out, item->op_gain_us[0]);
    ttp_sink_printf(out,
                    "; %.2f: predicted time with bfloat8_b weights over the current one "
                    "(weights-bfp8); %.2f: with bfloat4_b weights at LoFi",
                    before, after);
    return true;
}

/* The time that the first op has of what the rule saves. */
static double whole_of(const struct ttp_plan_run *run, const struct ttp_plan_item *item,
                       struct ttp_sink *out)
{
    const struct ttp_op *op = &run->report->op[item->op[0]];
    const size_t span = ttp_plan_span(run, item->rule, item->op[0]);
    double whole = 0;

    if (ttp_plan_saves_gaps(item->rule)) {
        ttp_sink_put(out, TTP_STR("gap "));
        return op->gap_us;
    }
    if (ttp_plan_saves_waits(item->rule)) {
        ttp_sink_put(out, TTP_STR("wait "));
        return fmax(op->wait_us, item->op_gain_us[0]);
    }
    for (size_t i = 0; i < span; i++)
        whole += ttp_rule_time(op + i);
    if (span > 1)
        ttp_sink_printf(out, "%zu ops ", span);
    return fmax(whole, item->op_gain_us[0]);
}

ttp_str ttp_plan_formula(const struct ttp_plan_run *run, const struct ttp_plan_item *item,
                         struct ttp_arena *arena)
{
    const double gain = item->op_gain_us[0];
    const bool of_device = !ttp_plan_saves_gaps(item->rule) && !ttp_plan_saves_waits(item->rule);
    const double roof =
        of_device ? ttp_plan_roofline(run, item->op[0], (enum ttp_roof_change)item->roof) : 0;
    const bool less = item->op_further_us[0] < gain * (1 - SAME_PART);
    struct ttp_sink out;

    if (!(gain > 0))
        return (ttp_str){0};
    ttp_sink_to_arena(&out, arena);
    if (less)
        ttp_sink_put(&out, TTP_STR("alone: "));
    const double whole = whole_of(run, item, &out);
    if (!put_step(&out, run, item, whole))
        put_product(&out, item->rule, whole, gain);
    if (roof > 0) {
        ttp_sink_put(&out, TTP_STR("; its roofline then is "));
        ttp_put_time_us(&out, roof);
    }
    if (less) {
        ttp_sink_put(&out, TTP_STR("; after the changes before it: "));
        ttp_put_time_us(&out, item->op_further_us[0]);
    }
    return ttp_sink_text(&out);
}
