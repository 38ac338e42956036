/* SPDX-License-Identifier: Apache-2.0 */
/* totals.c - bounds, the filters that follow the analysis, and each op's share of the whole. */
#include <math.h>

#include "analysis/stages.h"
#include "base/sink.h"

/* Of ops that a note names. */
#define MOST_IDS 3

static const char *const bound_names[] = {
    [TTP_BOUND_NONE] = "",     [TTP_BOUND_DRAM] = "DRAM", [TTP_BOUND_FLOP] = "FLOP",
    [TTP_BOUND_BOTH] = "BOTH", [TTP_BOUND_SLOW] = "SLOW", [TTP_BOUND_HOST] = "HOST",
};

const char *ttp_analysis_bound_name(enum ttp_bound bound)
{
    return bound_names[bound];
}

enum ttp_limit ttp_analysis_limit(const struct ttp_op *op)
{
    static const enum ttp_limit of_bound[] = {
        [TTP_BOUND_NONE] = TTP_LIMIT_NONE, [TTP_BOUND_DRAM] = TTP_LIMIT_DRAM,
        [TTP_BOUND_FLOP] = TTP_LIMIT_FLOP, [TTP_BOUND_BOTH] = TTP_LIMIT_BOTH,
        [TTP_BOUND_SLOW] = TTP_LIMIT_SLOW, [TTP_BOUND_HOST] = TTP_LIMIT_HOST,
    };

    return op->limit != TTP_LIMIT_NONE ? (enum ttp_limit)op->limit : of_bound[op->bound];
}

const char *ttp_analysis_analysed_name(enum ttp_bound_analysis analysed)
{
    static const char *const names[] = {"none", "flops_only", "full", "bytes_only"};
    return names[analysed];
}

static bool reaches(double pct, const struct ttp_analysis_rules *rules)
{
    return rules->over_peak ? pct >= TTP_BOUND_PCT : ttp_is_bound(pct);
}

static enum ttp_bound bound_of(const struct ttp_op *op, const struct ttp_analysis_rules *rules)
{
    const uint32_t both = TTP_HAS_DRAM_PCT | TTP_HAS_FLOPS_PCT;

    if ((op->has & both) != both ||
        (rules->zero_unbound && (op->dram_pct == 0 || op->flops_pct == 0)))
        return TTP_BOUND_NONE;
    const bool dram = reaches(op->dram_pct, rules);
    const bool flop = reaches(op->flops_pct, rules);
    if (dram || flop)
        return dram && flop ? TTP_BOUND_BOTH : dram ? TTP_BOUND_DRAM : TTP_BOUND_FLOP;
    return rules->over_peak || !(op->dram_pct > 100 || op->flops_pct > 100) ? TTP_BOUND_SLOW
                                                                            : TTP_BOUND_NONE;
}

/* Which ops those are: the first three. */
static void note_invalid(const struct ttp_stage *s)
{
    const struct ttp_report *report = s->report;
    const size_t all = report->invalid_durations;
    struct ttp_sink ids;
    size_t told = 0;

    ttp_sink_to_arena(&ids, s->arena);
    for (size_t i = 0; i < report->count && told < MOST_IDS; i++)
        if (report->op[i].has & TTP_DURATION_INVALID)
            ttp_sink_printf(&ids, "%s%u", told++ ? ", " : "", report->op[i].row + 2);
    ttp_analysis_note_add(s->notes, TTP_NOTE_WARNING,
                          "%zu device op%s a missing or impossible duration (ID %.*s%s); %s time "
                          "and rates are omitted",
                          all, all == 1 ? " has" : "s have", TTP_FMT(ttp_sink_text(&ids)),
                          all > told ? ", ..." : "", all == 1 ? "its" : "their");
}

void ttp_analysis_stage_bounds(struct ttp_stage *s)
{
    const bool by_name = s->rules->by_name;
    struct ttp_report *report = s->report;

    for (size_t i = 0; i < report->count; i++) {
        struct ttp_op *op = &report->op[i];
        const unsigned code = ttp_stage_traits(s, op->raw_code);
        const bool host = by_name ? code & TTP_TRAIT_TORCH : op->kind == TTP_OP_HOST;

        op->bound = TTP_BOUND_NONE;
        if (op->analysed == TTP_ANALYSED_FULL) {
            op->bound = (uint8_t)bound_of(op, s->rules);
        } else if (op->analysed == TTP_ANALYSED_BYTES && (op->has & TTP_HAS_DRAM_PCT) &&
                   reaches(op->dram_pct, s->rules)) {
            op->bound = TTP_BOUND_DRAM;
        } else if (host) {
            op->bound = TTP_BOUND_HOST;
            op->has &= ~(uint32_t)(TTP_HAS_TIME | TTP_TIME_IS_INT);
        }
        if (host)
            report->host_ops++;
        else if (op->kind == TTP_OP_SIGNPOST || (by_name && (code & TTP_TRAIT_SIGNPOST)))
            report->signposts++;
        else
            report->device_ops++;
        report->invalid_durations += (op->has & TTP_DURATION_INVALID) != 0;
        report->captured_ops += (op->has & TTP_ONLY_CAPTURED) != 0;
    }
    if (report->captured_ops)
        ttp_analysis_note_add(s->notes, TTP_NOTE_STATUS,
                              "%zu op%s only captured into a trace; its replays ran",
                              report->captured_ops, report->captured_ops == 1 ? " was" : "s were");
    if (report->invalid_durations)
        note_invalid(s);
}

static void filter_range(struct ttp_stage *s)
{
    const struct ttp_report_options *o = s->options;
    struct ttp_report *report = s->report;
    size_t n = 0;

    for (size_t i = 0; i < report->count; i++) {
        const int64_t id = (int64_t)report->op[i].row + 2;
        if ((!o->has_id_from || id >= o->id_from) && (!o->has_id_to || id <= o->id_to))
            report->op[n++] = report->op[i];
    }
    report->count = n;
    if (n) /* what came before it is not shown */
        report->op[0].has &= ~(uint32_t)TTP_HAS_GAP;
}

ttp_code ttp_analysis_stage_filter(struct ttp_stage *s, struct ttp_err *err)
{
    struct ttp_report *report = s->report;
    size_t n = 0;

    if (s->options->has_id_range) {
        if (s->rules->talk)
            s->rules->talk->range(s->notes, s->options);
        if (!s->options->has_id_from && !s->options->has_id_to && report->count)
            return ttp_fail(err, TTP_EPARSE, "an id range needs a start or an end");
        filter_range(s);
    }
    for (size_t i = 0; s->options->no_host_ops && i < report->count; i++) {
        const struct ttp_op *op = &report->op[i];
        const bool host = s->rules->by_name ? ttp_str_has(ttp_sym_name(report->syms, op->code),
                                                          TTP_STR("(torch)"))
                                            : op->kind == TTP_OP_HOST;
        if (!host)
            report->op[n++] = *op;
    }
    if (s->options->no_host_ops)
        report->count = n;
    return TTP_OK;
}

static double time_of(const struct ttp_op *op)
{
    return op->has & TTP_HAS_TIME ? op->time_us : 0;
}

/* A negative gap means that ops overlapped: it is shown, but takes no time off the whole unless
 * gaps are signed. */
static double gap_of(const struct ttp_op *op, bool is_signed)
{
    return !(op->has & TTP_HAS_GAP) ? 0 : is_signed ? op->gap_us : fmax(op->gap_us, 0);
}

static void set_roofline(struct ttp_report *report)
{
    double bytes = 0, weighted = 0;

    for (size_t i = 0; i < report->count; i++) {
        const struct ttp_op *op = &report->op[i];
        if ((op->has & TTP_HAS_DRAM) && (op->has & TTP_HAS_TIME)) {
            bytes += op->dram_bytes;
            weighted += op->dram_pct * op->time_us;
        }
    }
    report->has_roofline = bytes > 0 && report->busy_us > 0;
    if (report->has_roofline) {
        report->roofline_gbs = bytes / (report->busy_us * 1e-6) / 1e9;
        report->roofline_pct = weighted / report->busy_us;
    }
}

/* Did ops run on parts of the grid? Only then can they overlap. */
static void find_partition(struct ttp_report *report)
{
    int64_t first = -1;

    for (size_t i = 0; i < report->count; i++) {
        const struct ttp_op *op = &report->op[i];
        if (op->kind != TTP_OP_DEVICE)
            continue;
        report->has_sub_devices |= op->sub_device != TTP_SYM_MISSING;
        if (first < 0)
            first = op->available_cores;
        report->partitioned |= first != op->available_cores;
    }
    report->partitioned |= report->has_sub_devices;
}

/* Of the rows that are left. */
static void count_kinds(struct ttp_report *report)
{
    report->device_ops = report->host_ops = report->signposts = 0;
    for (size_t i = 0; i < report->count; i++) {
        report->device_ops += report->op[i].kind == TTP_OP_DEVICE;
        report->host_ops += report->op[i].kind == TTP_OP_HOST;
        report->signposts += report->op[i].kind == TTP_OP_SIGNPOST;
    }
}

/* Shares are of the device time, waits in collectives included: gaps are stated next to it. */
static void set_shares(struct ttp_report *report, const struct ttp_analysis_rules *rules)
{
    const bool gaps = rules->gap_shares;
    const uint32_t needs = TTP_HAS_TIME | (gaps ? TTP_HAS_GAP : 0u);
    const double total = report->time_us + (gaps ? report->gap_us : report->wait_us);

    for (size_t i = 0; i < report->count; i++) {
        struct ttp_op *op = &report->op[i];
        const double gap = gaps ? gap_of(op, rules->signed_gaps) : 0;

        op->has &= ~(uint32_t)TTP_HAS_TOTAL;
        if (total == 0 || !(op->has & needs))
            continue;
        op->total_pct = (time_of(op) + gap) / total * 100;
        op->has |= TTP_HAS_TOTAL;
    }
}

void ttp_analysis_stage_totals(struct ttp_stage *s)
{
    const struct ttp_analysis_rules *rules = s->rules;
    struct ttp_report *report = s->report;
    struct ttp_sum time = {0}, gap = {0};
    double overlap = 0, wait = 0;

    if (!rules->counts_all)
        count_kinds(report);
    if (!rules->plain_times)
        find_partition(report);
    for (size_t i = 0; i < report->count; i++) {
        struct ttp_op *op = &report->op[i];
        if (!report->partitioned)
            op->has &= ~(uint32_t)TTP_HAS_OVERLAP;
        if (op->has & TTP_HAS_TIME && !(op->has & TTP_TIME_IS_INT))
            ttp_analysis_sum_add(&time, op->time_us);
        if (op->has & TTP_HAS_GAP)
            ttp_analysis_sum_add(&gap, gap_of(op, rules->signed_gaps));
        overlap += op->has & TTP_HAS_OVERLAP ? op->overlap_us : 0;
        wait += op->has & TTP_HAS_WAIT && !report->waits_inside ? op->wait_us : 0;
    }
    report->wait_us = wait;
    report->time_us = ttp_analysis_sum_value(&time);
    report->gap_us = ttp_analysis_sum_value(&gap);
    report->busy_us = report->time_us - overlap;
    set_shares(report, rules);
    if (!rules->no_models)
        set_roofline(report);
}
