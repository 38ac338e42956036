/* SPDX-License-Identifier: Apache-2.0 */
/* architecture.c - which chip tt-perf-report 1.2.4 takes a run for, and what it says about that. */
#include <math.h>

#include "base/num.h"
#include "base/python_repr.h"
#include "base/python_text.h"
#include "compat/report/report_rules.h"
#include "device/device.h"

/* As Python shows an item of a list of them. */
static void put_arch(struct ttp_sink *out, ttp_str name, bool numeric)
{
    int64_t ignored;

    if (numeric)
        ttp_sink_printf(out, "np.%s(%.*s)", ttp_str_to_i64(name, &ignored) ? "int64" : "float64",
                        TTP_FMT(name));
    else
        ttp_python_repr(out, name);
}

/* The architecture the file names; said once per call, because the original looks twice and says it
 * twice. */
static ttp_str arch_of_file(struct ttp_stage *s)
{
    const struct ttp_text_column *column = &s->ops->text[TTP_OPS_ARCH];
    struct ttp_sink list;
    ttp_sym first = TTP_SYM_MISSING;
    size_t distinct = 0;

    if (!column->sym) {
        ttp_analysis_note_add(s->notes, TTP_NOTE_WARNING,
                              "DEVICE ARCH column not found. Defaulting to 'wormhole'.");
        return TTP_STR("wormhole");
    }
    bool *seen = TTP_NEW(s->arena, bool, s->ops->syms.count);
    ttp_sink_to_arena(&list, s->arena);
    for (size_t r = 0; r < s->ops->rows; r++) {
        const ttp_sym sym = column->sym[r];
        if (sym == TTP_SYM_MISSING || seen[sym])
            continue;
        seen[sym] = true;
        if (distinct++ == 0)
            first = sym;
        else
            ttp_sink_put(&list, TTP_STR(", "));
        put_arch(&list, ttp_sym_name(&s->ops->syms, sym),
                 ttp_ops_is_numeric(s->ops, TTP_OPS_ARCH, r));
    }
    if (distinct == 0) {
        ttp_analysis_note_add(s->notes, TTP_NOTE_WARNING,
                              "No DEVICE ARCH values found. Defaulting to 'wormhole'.");
        return TTP_STR("wormhole");
    }
    const ttp_str name = ttp_sym_name(&s->ops->syms, first);
    if (distinct > 1) {
        const ttp_str text = ttp_sink_text(&list);
        ttp_analysis_note_add(
            s->notes, TTP_NOTE_WARNING,
            "Warning: Multiple DEVICE ARCH values found: [%.*s]. Using first value: '%.*s'.",
            TTP_FMT(text), TTP_FMT(name));
    }
    return ttp_str_eq(name, TTP_STR("wormhole_b0")) ? TTP_STR("wormhole") : name;
}

/* As Python shows a value inside a list; numpy 2 names the type unless the column has text. */
static void put_numpy_value(struct ttp_sink *out, const struct ttp_ops *ops, struct ttp_cell c,
                            const char *type)
{
    if (c.kind == TTP_CELL_TEXT) {
        ttp_python_repr(out, ttp_sym_name(&ops->syms, c.v.text));
    } else if (c.kind == TTP_CELL_BOOL) {
        ttp_sink_printf(out, type ? "np.%s_" : "%s", c.v.i ? "True" : "False");
    } else {
        if (type)
            ttp_sink_printf(out, "np.%s(", type);
        if (c.kind == TTP_CELL_FLOAT)
            ttp_sink_f64(out, c.v.f, TTP_NUM_PYTHON);
        else if (c.kind == TTP_CELL_BIG)
            ttp_sink_u64(out, (uint64_t)c.v.i);
        else
            ttp_sink_i64(out, c.v.i);
        if (type)
            ttp_sink_char(out, ')');
    }
}

/* numpy's name of the type of the column of cores; NULL: it has text. */
static const char *column_type(const struct ttp_ops *ops)
{
    const struct ttp_number_column *column = &ops->number[TTP_OPS_AVAILABLE_CORES];
    const char *type = "int64";

    for (size_t r = 0; r < ops->rows; r++) {
        const struct ttp_cell c = ttp_ops_cell(ops, TTP_OPS_AVAILABLE_CORES, r);

        if (c.kind == TTP_CELL_FLOAT || c.kind == TTP_CELL_BIG)
            type = c.kind == TTP_CELL_FLOAT ? "float64" : "uint64";
    }
    return column->text ? NULL : type;
}

/* *out is what fits 64 bits; *text all of it. */
static ttp_code whole_cores(const struct ttp_stage *s, struct ttp_cell c, int64_t *out,
                            ttp_str *text, struct ttp_err *err)
{
    char digits[TTP_PYTHON_INT_MAX];
    struct ttp_sink shown;
    double v = 0;

    ttp_sink_to_arena(&shown, s->arena);
    if (c.kind == TTP_CELL_TEXT) {
        const ttp_str name = ttp_sym_name(&s->ops->syms, c.v.text);
        if (!ttp_python_int(name, out))
            return ttp_fail(err, TTP_EPARSE, "AVAILABLE WORKER CORE COUNT is not a number");
        ttp_sink_put(&shown, ttp_python_int_text(name, digits));
    } else if (!ttp_cell_f64(c, &v) || !isfinite(v)) {
        return ttp_fail(err, TTP_EPARSE, "AVAILABLE WORKER CORE COUNT is not a number");
    } else if (c.kind == TTP_CELL_BIG) {
        *out = INT64_MAX;
        ttp_sink_u64(&shown, (uint64_t)c.v.i);
    } else {
        const bool fits = v >= -0x1p63 && v < 0x1p63;
        *out = c.kind != TTP_CELL_FLOAT ? c.v.i : fits ? (int64_t)v : v < 0 ? INT64_MIN : INT64_MAX;
        if (fits)
            ttp_sink_i64(&shown, *out);
        else
            ttp_sink_printf(&shown, "%.0f", v);
    }
    *text = ttp_sink_text(&shown);
    return TTP_OK;
}

static ttp_code cores_as_original(struct ttp_stage *s, ttp_str *shown, struct ttp_err *err)
{
    struct ttp_budgets budgets;
    struct ttp_sink list;

    s->report->worker_cores = 64;
    *shown = TTP_STR("64");
    if (!s->ops->number[TTP_OPS_AVAILABLE_CORES].kind) {
        ttp_analysis_note_add(
            s->notes, TTP_NOTE_WARNING,
            "AVAILABLE WORKER CORE COUNT column not found. Defaulting to 64 cores.");
        return TTP_OK;
    }
    ttp_analysis_stage_budgets(&budgets, s);
    if (budgets.count == 0) {
        ttp_analysis_note_add(
            s->notes, TTP_NOTE_WARNING,
            "No non-zero AVAILABLE WORKER CORE COUNT values found. Defaulting to 64 cores.");
        return TTP_OK;
    }
    TTP_TRY(whole_cores(s, budgets.item[0], &s->report->worker_cores, shown, err));
    if (budgets.count == 1)
        return TTP_OK;
    const char *type = column_type(s->ops);
    ttp_sink_to_arena(&list, s->arena);
    for (size_t i = 0; i < budgets.count; i++) {
        if (i)
            ttp_sink_put(&list, TTP_STR(", "));
        put_numpy_value(&list, s->ops, budgets.item[i], type);
    }
    const ttp_str text = ttp_sink_text(&list);
    ttp_analysis_note_add(
        s->notes, TTP_NOTE_WARNING,
        "Warning: Multiple AVAILABLE WORKER CORE COUNT values found: [%.*s]. Using first "
        "value: %.*s.",
        TTP_FMT(text), TTP_FMT(*shown));
    return TTP_OK;
}

/* Cores of the architectures that it knows, where the file does not say them. */
static const struct {
    const char *arch;
    int cores;
} known[] = {{"wormhole", 64}, {"blackhole", 130}, {"bh20", 20}, {"n1", 20}};

/* 0: it does not know the name. */
static int assumed_cores(const char *arch)
{
    for (size_t i = 0; i < TTP_COUNT(known); i++)
        if (strcmp(known[i].arch, arch) == 0)
            return known[i].cores;
    return 0;
}

/* It spreads 74, 148 and 262 TFLOPs of Wormhole over 72 Tensix cores. Evaluated left to right, as
 * it does, so that the last digit agrees. */
static const double wormhole_rates[TTP_FIDELITIES] = {262.0 / 72, 148.0 / 72, 74.0 / 72 * 4 / 3,
                                                      74.0 / 72};

static const struct ttp_arch *with_its_rates(const struct ttp_arch *arch, struct ttp_arena *arena)
{
    if (strcmp(arch->name, "wormhole") != 0)
        return arch;
    struct ttp_arch *own = TTP_NEW(arena, struct ttp_arch, 1);
    *own = *arch;
    memcpy(own->tflops_per_core, wormhole_rates, sizeof(wormhole_rates));
    return own;
}

static ttp_code find_arch(struct ttp_stage *s, ttp_str name, struct ttp_err *err)
{
    const struct ttp_arch *arch = ttp_device_find_arch(name, false);

    if (arch && assumed_cores(arch->name)) {
        s->report->arch = with_its_rates(arch, s->arena);
        return TTP_OK;
    }
    const ttp_code rc =
        ttp_fail(err, s->options->arch ? TTP_EUSAGE : TTP_EPARSE, "unknown architecture '%.*s'",
                 (int)(name.len < 100 ? name.len : 100), name.ptr);
    ttp_err_hint(err, "known: %s, %s, %s, %s; choose one with --arch", known[0].arch, known[1].arch,
                 known[2].arch, known[3].arch);
    return rc;
}

/* A column of numbers may name the architecture 0 or False, which the original takes for none. */
static bool is_falsy(const struct ttp_ops *ops, ttp_str name)
{
    double v;

    return ops->text[TTP_OPS_ARCH].numeric &&
           (ttp_str_eq(name, TTP_STR("False")) || (ttp_str_to_f64(name, &v) && v == 0));
}

ttp_code ttp_compat_architecture(struct ttp_stage *s, struct ttp_err *err)
{
    static const char *const formats[] = {"v1 (legacy format)", "v2",
                                          "v2.1 (with device arch and worker core count)"};
    struct ttp_report *report = s->report;
    ttp_str cores = {0};
    ttp_str name = s->options->arch && s->options->arch[0] ? ttp_str_from(s->options->arch)
                                                           : TTP_STR("wormhole");

    ttp_analysis_note_add(s->notes, TTP_NOTE_STATUS, "Detected CSV format: %s",
                          formats[s->ops->format]);
    if (s->ops->format == TTP_FORMAT_V21) {
        name = arch_of_file(s);
        if (s->options->arch)
            ttp_analysis_note_add(
                s->notes, TTP_NOTE_WARNING,
                "Warning: Ignoring user-specified architecture: %s, CSV detected %.*s "
                "architecture",
                s->options->arch, TTP_FMT(name));
        else
            ttp_analysis_note_add(s->notes, TTP_NOTE_STATUS, "Using architecture from CSV: %.*s",
                                  TTP_FMT(name));
        name = arch_of_file(s);
        TTP_TRY(cores_as_original(s, &cores, err));
    }
    TTP_TRY(find_arch(s, is_falsy(s->ops, name) ? TTP_STR("wormhole") : name, err));
    if (s->ops->format != TTP_FORMAT_V21)
        report->worker_cores = assumed_cores(report->arch->name);
    if (cores.len)
        ttp_analysis_note_add(s->notes, TTP_NOTE_STATUS, "Architecture: %s, Worker cores: %.*s",
                              report->arch->name, TTP_FMT(cores));
    else
        ttp_analysis_note_add(s->notes, TTP_NOTE_STATUS, "Architecture: %s, Worker cores: %lld",
                              report->arch->name, (long long)report->worker_cores);
    return TTP_OK;
}
