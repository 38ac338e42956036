/* SPDX-License-Identifier: Apache-2.0 */
/* report_run.c - the pipeline from the operations table to the report, stage by stage. */
#include "analysis/stages.h"

const struct ttp_analysis_rules ttp_our_rules = {0};

ttp_code ttp_analysis_stage_missing(const char *column, struct ttp_err *err)
{
    const ttp_code rc = ttp_fail(err, TTP_EPARSE, "no '%s' column", column);

    ttp_err_hint(err, "the file is not a complete ops_perf_results CSV");
    return rc;
}

struct ttp_op_family ttp_analysis_family(const struct ttp_report *report, ttp_sym code)
{
    return code < report->nfamilies && report->family[code].known
               ? report->family[code].is
               : ttp_op_family_of(ttp_sym_name(report->syms, code));
}

static uint32_t traits_of(ttp_str name, struct ttp_op_family family)
{
    static const struct {
        const char *part;
        uint32_t trait;
    } parts[] = {
        {"(torch)", TTP_TRAIT_TORCH},
        {"signpost", TTP_TRAIT_SIGNPOST},
    };
    uint32_t traits = family.traits;

    for (size_t i = 0; i < TTP_COUNT(parts); i++)
        if (ttp_str_has(name, ttp_str_from(parts[i].part)))
            traits |= parts[i].trait;
    if (family.marks & TTP_OP_REDUCES)
        traits |= TTP_TRAIT_AVERAGED;
    if (family.waits == TTP_WAITS_FOR_ALL)
        traits |= TTP_TRAIT_ALL_WAIT;
    if (ttp_str_eq(name, TTP_STR("signpost")))
        traits |= TTP_TRAIT_IS_SIGNPOST;
    if (ttp_str_eq(name, TTP_STR("tt_dnn_device")))
        traits |= TTP_TRAIT_IS_DEVICE;
    return traits;
}

/* Only names and types of ops are checked: attribute texts are long and many. */
static void find_traits(struct ttp_stage *s)
{
    const struct ttp_ops *ops = s->ops;
    uint32_t *traits = TTP_NEW(s->arena, uint32_t, ops->syms.count);
    struct ttp_known_family *family = TTP_NEW(s->arena, struct ttp_known_family, ops->syms.count);
    static const enum ttp_ops_text columns[] = {TTP_OPS_CODE, TTP_OPS_TYPE};

    for (size_t c = 0; c < TTP_COUNT(columns); c++)
        for (size_t r = 0; ops->text[columns[c]].sym && r < ops->rows; r++) {
            const ttp_sym sym = ops->text[columns[c]].sym[r];
            if (!family[sym].known) {
                const ttp_str name = ttp_sym_name(&ops->syms, sym);
                family[sym] = (struct ttp_known_family){true, ttp_op_family_of(name)};
                traits[sym] = traits_of(name, family[sym].is);
            }
        }
    s->traits = traits;
    s->ntraits = ops->syms.count;
    s->report->family = family;
    s->report->nfamilies = ops->syms.count;
}

/* What reading the operations had to say. */
static void note_reading(struct ttp_stage *s)
{
    if (s->rules->talk)
        return;
    for (size_t i = 0; i < s->ops->problems.count; i++)
        ttp_analysis_note_add(s->notes, TTP_NOTE_WARNING, "%s", s->ops->problems.word[i]);
    if (s->ops->bad_utf8_cells)
        ttp_analysis_note_add(s->notes, TTP_NOTE_WARNING,
                              "%zu cells are not UTF-8; their invalid bytes are shown as U+FFFD",
                              s->ops->bad_utf8_cells);
}

/* Two ways to select a part of the run conflict. */
static ttp_code check_options(const struct ttp_report_options *o, struct ttp_err *err)
{
    const char *other = o->ignore_signposts                         ? "--ignore-signposts"
                        : o->start_signpost && o->start_signpost[0] ? "--start-signpost"
                        : o->end_signpost && o->end_signpost[0]     ? "--end-signpost"
                        : o->has_id_range                           ? "--id-range"
                                                                    : NULL;

    if (!o->window || !other)
        return TTP_OK;
    (void)ttp_fail(err, TTP_EUSAGE, "--window conflicts with %s", other);
    ttp_err_hint(err, "omit one of them");
    return TTP_EUSAGE;
}

/* Before anything is assumed about its ops. */
static ttp_code check_any_rows(const struct ttp_stage *s, struct ttp_err *err)
{
    if (s->rules->may_be_empty || s->ops->rows > 0)
        return TTP_OK;
    (void)ttp_fail(err, TTP_EPARSE, "no operations: the file has only a header");
    ttp_err_hint(err, "the run was not profiled, or its report is incomplete");
    return TTP_EPARSE;
}

/* A report about nothing, and above all a gate that passes it, would mislead. */
static ttp_code check_rows(const struct ttp_stage *s, struct ttp_err *err)
{
    const struct ttp_report_options *o = s->options;

    if (s->rules->may_be_empty || s->report->device_ops + s->report->host_ops > 0)
        return TTP_OK;
    if (o->window) {
        (void)ttp_fail(err, TTP_EPARSE, "no operations in the window '%s'", o->window);
        ttp_err_hint(err, "'tt-perf report --ranges' lists the ranges; --window all selects "
                          "everything");
    } else {
        (void)ttp_fail(err, TTP_EPARSE, "no operations in the selected part");
        ttp_err_hint(err, "omit the signposts and IDs, or select everything with --window all");
    }
    return TTP_EPARSE;
}

/* The rows that count, in the order in which they ran, one for all devices. */
static ttp_code choose_rows(struct ttp_stage *s, struct ttp_rows *rows, struct ttp_err *err)
{
    TTP_TRY(ttp_analysis_stage_order(s, rows, err));
    TTP_TRY(ttp_analysis_stage_select(s, rows, err));
    TTP_TRY(s->rules->window ? s->rules->window(s, rows, err)
                             : ttp_analysis_stage_phases(s, rows, err));
    return ttp_analysis_stage_devices(s, rows, err);
}

static struct ttp_stage begin(struct ttp_report *out, struct ttp_ops *ops,
                              const struct ttp_report_options *options, struct ttp_arena *arena)
{
    *out = (struct ttp_report){.ops = ops,
                               .syms = &ops->syms,
                               .format = ops->format,
                               .has_in0_datatype = ops->text[TTP_OPS_IN0_DATATYPE].sym,
                               .has_in1_datatype = ops->text[TTP_OPS_IN1_DATATYPE].sym,
                               .has_out_datatype = ops->text[TTP_OPS_OUT_DATATYPE].sym,
                               .notes = {.arena = arena}};
    return (struct ttp_stage){.report = out,
                              .ops = ops,
                              .options = options,
                              .rules = options->rules ? options->rules : &ttp_our_rules,
                              .arena = arena,
                              .notes = &out->notes};
}

ttp_code ttp_analysis_find_window(struct ttp_report *out, struct ttp_ops *ops,
                                  const struct ttp_report_options *options, struct ttp_arena *arena,
                                  struct ttp_err *err)
{
    struct ttp_stage s = begin(out, ops, options, arena);
    struct ttp_rows rows;

    s.rules = &ttp_our_rules;
    TTP_TRY(check_any_rows(&s, err));
    find_traits(&s);
    TTP_TRY(ttp_analysis_stage_architecture(&s, err));
    TTP_TRY(ttp_analysis_stage_order(&s, &rows, err));
    return ttp_analysis_stage_phases(&s, &rows, err);
}

ttp_code ttp_analysis_run(struct ttp_report *out, struct ttp_ops *ops,
                          const struct ttp_report_options *options, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct ttp_stage s = begin(out, ops, options, arena);
    struct ttp_rows rows;

    TTP_TRY(check_options(options, err));
    note_reading(&s);
    TTP_TRY(check_any_rows(&s, err));
    find_traits(&s);
    TTP_TRY(ttp_analysis_stage_architecture(&s, err));
    TTP_TRY(choose_rows(&s, &rows, err));
    TTP_TRY(ttp_analysis_stage_measure(&s, &rows, err));
    if (!s.rules->no_models)
        ttp_analysis_stage_traffic(&s);
    if (!s.rules->plain_times)
        ttp_analysis_stage_peaks(&s);
    ttp_analysis_stage_bounds(&s);
    if (!s.rules->no_models)
        ttp_analysis_stage_limits(&s);
    TTP_TRY(ttp_analysis_stage_filter(&s, err));
    ttp_analysis_stage_totals(&s);
    return check_rows(&s, err);
}
