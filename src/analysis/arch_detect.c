/* SPDX-License-Identifier: Apache-2.0 */
/* arch_detect.c - which chip the run was on, and how many cores it had. */
#include <math.h>

#include "analysis/stages.h"
#include "base/num.h"
#include "base/python_repr.h"
#include "base/python_text.h"

static ttp_str normal_arch(ttp_str name)
{
    return ttp_str_eq(name, TTP_STR("wormhole_b0")) ? TTP_STR("wormhole") : name;
}

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

/* The die of a Wormhole has 80 Tensix cores, and no board shows ops more of them; a Blackhole board
 * has at least 110 (docs/formats/boards.md). */
#define WORMHOLE_CORES 80

/* The largest number in a column of cores; 0: none. */
static double most_cores(const struct ttp_stage *s, enum ttp_ops_number column)
{
    double most = 0, v;

    for (size_t r = 0; s->ops->number[column].kind && r < s->ops->rows; r++)
        if (ttp_cell_f64(ttp_ops_cell(s->ops, column, r), &v) && v > most && v <= 1 << 20)
            most = v;
    return most;
}

/* Of a file that names none: only one chip has so many cores. */
static ttp_str assume_arch(struct ttp_stage *s)
{
    const double most = fmax(most_cores(s, TTP_OPS_AVAILABLE_CORES), most_cores(s, TTP_OPS_CORES));

    if (most > WORMHOLE_CORES) {
        ttp_note_add(s->notes, TTP_NOTE_WARNING,
                     "the file does not name the architecture: assuming blackhole, since ops could "
                     "use %.0f cores and a Wormhole has %d; choose another with --arch",
                     most, WORMHOLE_CORES);
        return TTP_STR("blackhole");
    }
    ttp_note_add(
        s->notes, TTP_NOTE_WARNING,
        "the file does not name the architecture: assuming wormhole; choose another with --arch");
    return TTP_STR("wormhole");
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
        if (!s->options->compat)
            return assume_arch(s);
        ttp_note_add(s->notes, TTP_NOTE_WARNING,
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
        if (!s->options->compat)
            return assume_arch(s);
        ttp_note_add(s->notes, TTP_NOTE_WARNING,
                     "No DEVICE ARCH values found. Defaulting to 'wormhole'.");
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

static bool same_cell(struct ttp_cell a, struct ttp_cell b)
{
    double x = 0, y = 0; /* gcc -O1 does not see that both are set */

    if (ttp_cell_f64(a, &x) && ttp_cell_f64(b, &y))
        return a.kind == b.kind && a.kind != TTP_CELL_FLOAT ? a.v.i == b.v.i : x == y;
    return a.kind == b.kind && a.v.text == b.v.text;
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

/* Usable values of AVAILABLE WORKER CORE COUNT that differ, in order of appearance. */
struct budgets {
    struct ttp_cell *item;
    size_t count, cap;
    const char *type; /* numpy's name of the column's; NULL: the column has text */
};

static void find_budgets(struct budgets *out, struct ttp_stage *s)
{
    const struct ttp_number_column *column = &s->ops->number[TTP_OPS_AVAILABLE_CORES];

    *out = (struct budgets){.type = column->text ? NULL : "int64"};
    for (size_t r = 0; r < s->ops->rows; r++) {
        const struct ttp_cell c = ttp_ops_cell(s->ops, TTP_OPS_AVAILABLE_CORES, r);
        double v;
        size_t i = 0;

        if (out->type && (c.kind == TTP_CELL_FLOAT || c.kind == TTP_CELL_BIG))
            out->type = c.kind == TTP_CELL_FLOAT ? "float64" : "uint64";
        if (c.kind == TTP_CELL_MISSING || (ttp_cell_f64(c, &v) && v == 0))
            continue;
        while (i < out->count && !same_cell(out->item[i], c))
            i++;
        if (i < out->count)
            continue;
        if (out->count == out->cap) {
            out->cap = out->cap ? out->cap * 2 : 16;
            out->item = ttp_arena_resize(s->arena, out->item, out->cap * sizeof(c));
        }
        out->item[out->count++] = c;
    }
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
    struct budgets budgets;
    struct ttp_sink list;

    s->report->worker_cores = 64;
    *shown = TTP_STR("64");
    if (!s->ops->number[TTP_OPS_AVAILABLE_CORES].kind) {
        ttp_note_add(s->notes, TTP_NOTE_WARNING,
                     "AVAILABLE WORKER CORE COUNT column not found. Defaulting to 64 cores.");
        return TTP_OK;
    }
    find_budgets(&budgets, s);
    if (budgets.count == 0) {
        ttp_note_add(
            s->notes, TTP_NOTE_WARNING,
            "No non-zero AVAILABLE WORKER CORE COUNT values found. Defaulting to 64 cores.");
        return TTP_OK;
    }
    TTP_TRY(whole_cores(s, budgets.item[0], &s->report->worker_cores, shown, err));
    if (budgets.count == 1)
        return TTP_OK;
    ttp_sink_to_arena(&list, s->arena);
    for (size_t i = 0; i < budgets.count; i++) {
        if (i)
            ttp_sink_put(&list, TTP_STR(", "));
        put_numpy_value(&list, s->ops, budgets.item[i], budgets.type);
    }
    const ttp_str text = ttp_sink_text(&list);
    ttp_note_add(s->notes, TTP_NOTE_WARNING,
                 "Warning: Multiple AVAILABLE WORKER CORE COUNT values found: [%.*s]. Using first "
                 "value: %.*s.",
                 TTP_FMT(text), TTP_FMT(*shown));
    return TTP_OK;
}

/* The largest budget is the chip's grid; ops are held to their own (AVAILABLE WORKER CORE COUNT is
 * per op since sub-devices exist). */
static void cores_per_op(struct ttp_stage *s)
{
    const struct ttp_arch *arch = s->report->arch;
    const double used = most_cores(s, TTP_OPS_CORES);
    struct budgets budgets;
    double largest = 0, v;
    size_t usable = 0;

    s->report->worker_cores = used > arch->worker_cores ? (int64_t)used : arch->worker_cores;
    if (!s->ops->number[TTP_OPS_AVAILABLE_CORES].kind) {
        if (s->ops->format == TTP_FORMAT_V21)
            ttp_note_add(
                s->notes, TTP_NOTE_WARNING,
                "the file does not say how many cores were available: assuming the %lld of a %s",
                (long long)s->report->worker_cores, arch->name);
        return;
    }
    find_budgets(&budgets, s);
    for (size_t i = 0; i < budgets.count; i++)
        if (ttp_cell_f64(budgets.item[i], &v) && v >= 1 && v <= 1 << 20 &&
            v == (double)(int64_t)v) {
            usable++;
            largest = v > largest ? v : largest;
        }
    if (usable)
        s->report->worker_cores = (int64_t)largest;
    else
        ttp_note_add(s->notes, TTP_NOTE_WARNING,
                     "no usable number of available cores in the file: assuming the %lld of a %s",
                     (long long)s->report->worker_cores, arch->name);
    if (usable > 1)
        ttp_note_add(s->notes, TTP_NOTE_STATUS,
                     "%zu different core budgets: each op is held to its own, the largest is %lld",
                     usable, (long long)largest);
}

/* What --arch takes: the original no boards, and not every architecture. */
static ttp_str known_names(const struct ttp_stage *s)
{
    const struct ttp_boards *boards = s->options->boards;
    const char *before = "";
    struct ttp_sink out;

    ttp_sink_to_arena(&out, s->arena);
    for (size_t i = 0; ttp_device_arch_at(i); i++) {
        const struct ttp_arch *arch = ttp_device_arch_at(i);
        if (s->options->compat && !arch->compat_worker_cores)
            continue;
        ttp_sink_printf(&out, "%s%s", before, arch->name);
        before = ", ";
    }
    if (s->options->compat)
        return ttp_sink_text(&out);
    if (!boards)
        boards = ttp_boards_builtin();
    before = "; boards: ";
    for (size_t i = 0; i < boards->count; i++)
        if (ttp_boards_find_arch(boards, ttp_str_from(boards->board[i].name), true)) {
            ttp_sink_printf(&out, "%s%s", before, boards->board[i].name);
            before = ", ";
        }
    return ttp_sink_text(&out);
}

/* A chip that the table does not have: its times are true, and there are no peaks. */
static const struct ttp_arch *unknown_arch(struct ttp_stage *s, ttp_str name)
{
    const double most = fmax(most_cores(s, TTP_OPS_AVAILABLE_CORES), most_cores(s, TTP_OPS_CORES));
    struct ttp_arch *arch = TTP_NEW(s->arena, struct ttp_arch, 1);

    arch->name = ttp_arena_zstr(s->arena, ttp_str_slice(name, 0, 100));
    arch->worker_cores = most >= 1 ? (int)most : 1;
    ttp_note_add(s->notes, TTP_NOTE_WARNING,
                 "unknown architecture '%s': times without peaks; known are %.*s (--arch)",
                 arch->name, TTP_FMT(known_names(s)));
    return arch;
}

static ttp_code find_arch(struct ttp_stage *s, ttp_str name, struct ttp_err *err)
{
    s->report->boards = s->options->compat ? NULL : s->options->boards;
    s->report->arch = s->options->compat ? ttp_device_find_arch(name, false)
                                         : ttp_boards_find_arch(s->options->boards, name, true);
    if (s->report->arch && (!s->options->compat || s->report->arch->compat_worker_cores))
        return TTP_OK;
    if (!s->options->compat && !s->options->arch) {
        s->report->arch = unknown_arch(s, name);
        return TTP_OK;
    }
    const ttp_code rc =
        ttp_fail(err, s->options->arch ? TTP_EUSAGE : TTP_EPARSE, "unknown architecture '%.*s'",
                 (int)(name.len < 100 ? name.len : 100), name.ptr);
    ttp_err_hint(err, "known: %.*s; choose one with --arch", TTP_FMT(known_names(s)));
    return rc;
}

/* A column of numbers may name the architecture 0 or False, which the original takes for none. */
static bool is_falsy(const struct ttp_ops *ops, ttp_str name)
{
    double v;

    return ops->text[TTP_OPS_ARCH].numeric &&
           (ttp_str_eq(name, TTP_STR("False")) || (ttp_str_to_f64(name, &v) && v == 0));
}

static ttp_code architecture_as_original(struct ttp_stage *s, struct ttp_err *err)
{
    static const char *const formats[] = {"v1 (legacy format)", "v2",
                                          "v2.1 (with device arch and worker core count)"};
    struct ttp_report *report = s->report;
    ttp_str cores = {0};
    ttp_str name = s->options->arch && s->options->arch[0] ? ttp_str_from(s->options->arch)
                                                           : TTP_STR("wormhole");

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
        TTP_TRY(cores_as_original(s, &cores, err));
    }
    TTP_TRY(find_arch(s, is_falsy(s->ops, name) ? TTP_STR("wormhole") : name, err));
    if (s->ops->format != TTP_FORMAT_V21)
        report->worker_cores = report->arch->compat_worker_cores;
    if (cores.len)
        ttp_note_add(s->notes, TTP_NOTE_STATUS, "Architecture: %s, Worker cores: %.*s",
                     report->arch->name, TTP_FMT(cores));
    else
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
                                                            : assume_arch(s);
    TTP_TRY(find_arch(s, name, err));
    cores_per_op(s);
    return TTP_OK;
}
