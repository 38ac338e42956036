/* SPDX-License-Identifier: Apache-2.0 */
/* arch_detect.c - which chip the run was on, and how many cores it had. */
#include "analysis/stages.h"
#include "base/python_text.h"
#include "base/sink.h"

/* Text as Python's repr() shows it in a list. */
static void put_python_string(struct ttp_sink *out, ttp_str s)
{
    const bool single = ttp_str_find_char(s, '\'') != TTP_NPOS;
    const char quote = single && ttp_str_find_char(s, '"') == TTP_NPOS ? '"' : '\'';

    ttp_sink_char(out, quote);
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.ptr[i];
        if (c == '\n')
            ttp_sink_put(out, TTP_STR("\\n"));
        else if (c == '\r')
            ttp_sink_put(out, TTP_STR("\\r"));
        else if (c == '\t')
            ttp_sink_put(out, TTP_STR("\\t"));
        else if (c < 0x20 || c == 0x7F)
            ttp_sink_printf(out, "\\x%02x", c);
        else if (c == '\\' || c == (unsigned char)quote)
            ttp_sink_printf(out, "\\%c", c);
        else
            ttp_sink_char(out, (char)c);
    }
    ttp_sink_char(out, quote);
}

static ttp_str normal_arch(ttp_str name)
{
    return ttp_str_eq(name, TTP_STR("wormhole_b0")) ? TTP_STR("wormhole") : name;
}

/* The architecture the file names; said once per call, because the original looks twice and says it
 * twice. */
static ttp_str arch_of_file(struct ttp_stage *s)
{
    const struct ttp_text_column *column = &s->ops->text[TTP_OPS_ARCH];
    static const char assumed[] =
        "the file does not name the architecture: assuming wormhole; choose another with --arch";
    struct ttp_sink list;
    ttp_sym first = TTP_SYM_MISSING;
    size_t distinct = 0;

    if (!column->sym) {
        ttp_note_add(s->notes, TTP_NOTE_WARNING, "%s",
                     s->options->compat ? "DEVICE ARCH column not found. Defaulting to 'wormhole'."
                                        : assumed);
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
        put_python_string(&list, ttp_sym_name(&s->ops->syms, sym));
    }
    if (distinct == 0) {
        ttp_note_add(s->notes, TTP_NOTE_WARNING, "%s",
                     s->options->compat ? "No DEVICE ARCH values found. Defaulting to 'wormhole'."
                                        : assumed);
        return TTP_STR("wormhole");
    }
    const ttp_str name = ttp_sym_name(&s->ops->syms, first);
    if (distinct > 1) {
        const ttp_str text = ttp_sink_text(&list);
        ttp_note_add(
            s->notes, TTP_NOTE_WARNING,
            s->options->compat
                ? "Warning: Multiple DEVICE ARCH values found: [%.*s]. Using first value: '%.*s'."
                : "the file names several architectures, %.*s: taking the first, '%.*s'",
            TTP_FMT(text), TTP_FMT(name));
    }
    return normal_arch(name);
}

static bool same_cell(const struct ttp_ops *ops, struct ttp_cell a, struct ttp_cell b)
{
    (void)ops;
    if (a.kind != b.kind)
        return false;
    return a.kind == TTP_CELL_TEXT  ? a.v.text == b.v.text
           : a.kind == TTP_CELL_INT ? a.v.i == b.v.i
                                    : a.v.f == b.v.f;
}

/* As numpy 2 shows a value inside a list. */
static void put_numpy_value(struct ttp_sink *out, const struct ttp_ops *ops, struct ttp_cell c)
{
    if (c.kind == TTP_CELL_TEXT) {
        put_python_string(out, ttp_sym_name(&ops->syms, c.v.text));
        return;
    }
    ttp_sink_put(out, c.kind == TTP_CELL_INT ? TTP_STR("np.int64(") : TTP_STR("np.float64("));
    if (c.kind == TTP_CELL_INT)
        ttp_sink_i64(out, c.v.i);
    else
        ttp_sink_f64(out, c.v.f, TTP_NUM_PYTHON);
    ttp_sink_char(out, ')');
}

#define MAX_BUDGETS 64

/* Distinct usable values of AVAILABLE WORKER CORE COUNT in order of appearance, at most
 * MAX_BUDGETS. */
static size_t distinct_budgets(const struct ttp_ops *ops, struct ttp_cell *budget)
{
    size_t n = 0;

    for (size_t r = 0; r < ops->rows; r++) {
        const struct ttp_cell c = ttp_ops_cell(ops, TTP_OPS_AVAILABLE_CORES, r);
        double v;
        size_t i = 0;

        if (c.kind == TTP_CELL_MISSING || (ttp_cell_f64(c, &v) && v == 0))
            continue;
        while (i < n && !same_cell(ops, budget[i], c))
            i++;
        if (i == n && n < MAX_BUDGETS)
            budget[n++] = c;
    }
    return n;
}

static ttp_code whole_cores(const struct ttp_ops *ops, struct ttp_cell c, int64_t *out,
                            struct ttp_err *err)
{
    double v;

    if (c.kind == TTP_CELL_TEXT) {
        if (ttp_python_int(ttp_sym_name(&ops->syms, c.v.text), out))
            return TTP_OK;
    } else if (ttp_cell_f64(c, &v) && v > -9e18 && v < 9e18) {
        *out = c.kind == TTP_CELL_INT ? c.v.i : (int64_t)v;
        return TTP_OK;
    }
    return ttp_fail(err, TTP_EPARSE, "AVAILABLE WORKER CORE COUNT is not a number");
}

static ttp_code cores_as_original(struct ttp_stage *s, struct ttp_err *err)
{
    struct ttp_cell budget[MAX_BUDGETS];
    struct ttp_sink list;

    s->report->worker_cores = 64;
    if (!s->ops->number[TTP_OPS_AVAILABLE_CORES].kind) {
        ttp_note_add(s->notes, TTP_NOTE_WARNING,
                     "AVAILABLE WORKER CORE COUNT column not found. Defaulting to 64 cores.");
        return TTP_OK;
    }
    const size_t n = distinct_budgets(s->ops, budget);
    if (n == 0) {
        ttp_note_add(
            s->notes, TTP_NOTE_WARNING,
            "No non-zero AVAILABLE WORKER CORE COUNT values found. Defaulting to 64 cores.");
        return TTP_OK;
    }
    TTP_TRY(whole_cores(s->ops, budget[0], &s->report->worker_cores, err));
    if (n == 1)
        return TTP_OK;
    ttp_sink_to_arena(&list, s->arena);
    for (size_t i = 0; i < n; i++) {
        if (i)
            ttp_sink_put(&list, TTP_STR(", "));
        put_numpy_value(&list, s->ops, budget[i]);
    }
    const ttp_str text = ttp_sink_text(&list);
    ttp_note_add(s->notes, TTP_NOTE_WARNING,
                 "Warning: Multiple AVAILABLE WORKER CORE COUNT values found: [%.*s]. Using first "
                 "value: %lld.",
                 TTP_FMT(text), (long long)s->report->worker_cores);
    return TTP_OK;
}

/* The largest budget is the chip's grid; ops are held to their own (AVAILABLE WORKER CORE COUNT is
 * per op since sub-devices exist). */
static void cores_per_op(struct ttp_stage *s)
{
    const struct ttp_arch *arch = s->report->arch;
    struct ttp_cell budget[MAX_BUDGETS];
    double largest = 0, v;
    size_t usable = 0;

    s->report->worker_cores = arch->worker_cores;
    if (!s->ops->number[TTP_OPS_AVAILABLE_CORES].kind) {
        if (s->ops->format == TTP_FORMAT_V21)
            ttp_note_add(
                s->notes, TTP_NOTE_WARNING,
                "the file does not say how many cores were available: assuming the %d of a %s",
                arch->worker_cores, arch->name);
        return;
    }
    const size_t n = distinct_budgets(s->ops, budget);
    for (size_t i = 0; i < n; i++)
        if (ttp_cell_f64(budget[i], &v) && v >= 1 && v <= 1 << 20 && v == (double)(int64_t)v) {
            usable++;
            largest = v > largest ? v : largest;
        }
    if (usable)
        s->report->worker_cores = (int64_t)largest;
    else
        ttp_note_add(s->notes, TTP_NOTE_WARNING,
                     "no usable number of available cores in the file: assuming the %d of a %s",
                     arch->worker_cores, arch->name);
    if (usable > 1)
        ttp_note_add(s->notes, TTP_NOTE_STATUS,
                     "%zu different core budgets: each op is held to its own, the largest is %lld",
                     usable, (long long)largest);
}

static ttp_code find_arch(struct ttp_stage *s, ttp_str name, struct ttp_err *err)
{
    struct ttp_sink known;

    s->report->arch = ttp_device_find_arch(name, !s->options->compat);
    if (s->report->arch && (!s->options->compat || s->report->arch->compat_worker_cores))
        return TTP_OK;
    const ttp_code rc =
        ttp_fail(err, s->options->arch ? TTP_EUSAGE : TTP_EPARSE, "unknown architecture '%.*s'",
                 (int)(name.len < 100 ? name.len : 100), name.ptr);
    ttp_sink_to_arena(&known, s->arena);
    for (size_t i = 0; ttp_device_arch_at(i); i++)
        ttp_sink_printf(&known, "%s%s", i ? ", " : "", ttp_device_arch_at(i)->name);
    ttp_err_hint(err, "known: %.*s; choose one with --arch", TTP_FMT(ttp_sink_text(&known)));
    return rc;
}

static ttp_code architecture_as_original(struct ttp_stage *s, struct ttp_err *err)
{
    static const char *const formats[] = {"v1 (legacy format)", "v2",
                                          "v2.1 (with device arch and worker core count)"};
    struct ttp_report *report = s->report;
    ttp_str name = s->options->arch ? ttp_str_from(s->options->arch) : TTP_STR("wormhole");

    ttp_note_add(s->notes, TTP_NOTE_STATUS, "Detected CSV format: %s", formats[s->ops->format]);
    if (s->ops->format == TTP_FORMAT_V21) {
        name = arch_of_file(s);
        if (s->options->arch)
            ttp_note_add(s->notes, TTP_NOTE_WARNING,
                         "Warning: Ignoring user-specified architecture: %s, CSV detected %.*s "
                         "architecture",
                         s->options->arch, TTP_FMT(name));
        else
            ttp_note_add(s->notes, TTP_NOTE_STATUS, "Using architecture from CSV: %.*s",
                         TTP_FMT(name));
        name = arch_of_file(s);
        TTP_TRY(cores_as_original(s, err));
    }
    TTP_TRY(find_arch(s, name, err));
    if (s->ops->format != TTP_FORMAT_V21)
        report->worker_cores = report->arch->compat_worker_cores;
    ttp_note_add(s->notes, TTP_NOTE_STATUS, "Architecture: %s, Worker cores: %lld",
                 report->arch->name, (long long)report->worker_cores);
    return TTP_OK;
}

ttp_code ttp_stage_architecture(struct ttp_stage *s, struct ttp_err *err)
{
    if (s->options->compat)
        return architecture_as_original(s, err);
    /* what the user says wins: the file names the chip family, not the board */
    const ttp_str name = s->options->arch                   ? ttp_str_from(s->options->arch)
                         : s->ops->format == TTP_FORMAT_V21 ? arch_of_file(s)
                                                            : TTP_STR("wormhole");
    TTP_TRY(find_arch(s, name, err));
    if (!s->options->arch && s->ops->format != TTP_FORMAT_V21)
        ttp_note_add(s->notes, TTP_NOTE_WARNING,
                     "the file does not name the architecture: assuming %s; choose another with "
                     "--arch",
                     s->report->arch->name);
    cores_per_op(s);
    return TTP_OK;
}
