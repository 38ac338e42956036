/* SPDX-License-Identifier: Apache-2.0 */
/* arch_detect.c - detects the chip of a run, and its number of cores. */
#include <math.h>

#include "analysis/stages.h"
#include "base/vec.h"

static ttp_str normal_arch(ttp_str name)
{
    return ttp_str_eq(name, TTP_STR("wormhole_b0")) ? TTP_STR("wormhole") : name;
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

/* Of a file that names none: only one chip has that many cores. */
static ttp_str assume_arch(struct ttp_stage *s)
{
    const double most = fmax(most_cores(s, TTP_OPS_AVAILABLE_CORES), most_cores(s, TTP_OPS_CORES));

    if (most > WORMHOLE_CORES) {
        ttp_analysis_note_add(
            s->notes, TTP_NOTE_WARNING,
            "the file does not name the architecture: assuming blackhole, since ops could "
            "use %.0f cores and a Wormhole has %d; choose another with --arch",
            most, WORMHOLE_CORES);
        return TTP_STR("blackhole");
    }
    ttp_analysis_note_add(
        s->notes, TTP_NOTE_WARNING,
        "the file does not name the architecture: assuming wormhole; choose another with --arch");
    return TTP_STR("wormhole");
}

/* The architecture the file names. */
static ttp_str arch_of_file(struct ttp_stage *s)
{
    const struct ttp_text_column *column = &s->ops->text[TTP_OPS_ARCH];
    struct ttp_sink list;
    ttp_sym first = TTP_SYM_MISSING;
    size_t distinct = 0;

    if (!column->sym)
        return assume_arch(s);
    bool *seen = TTP_NEW(s->arena, bool, s->ops->syms.count);
    ttp_sink_to_arena(&list, s->arena);
    for (size_t r = 0; r < s->ops->rows; r++) {
        const ttp_sym sym = column->sym[r];
        if (sym == TTP_SYM_MISSING || seen[sym])
            continue;
        seen[sym] = true;
        if (distinct++ == 0)
            first = sym;
        ttp_sink_printf(&list, "%s'%.*s'", distinct > 1 ? ", " : "",
                        TTP_FMT(ttp_sym_name(&s->ops->syms, sym)));
    }
    if (distinct == 0)
        return assume_arch(s);
    const ttp_str name = ttp_sym_name(&s->ops->syms, first);
    if (distinct > 1) {
        const ttp_str text = ttp_sink_text(&list);
        ttp_analysis_note_add(s->notes, TTP_NOTE_WARNING,
                              "the file names several architectures, %.*s: using the first, '%.*s'",
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

void ttp_analysis_stage_budgets(struct ttp_budgets *out, const struct ttp_stage *s)
{
    *out = (struct ttp_budgets){0};
    for (size_t r = 0; r < s->ops->rows; r++) {
        const struct ttp_cell c = ttp_ops_cell(s->ops, TTP_OPS_AVAILABLE_CORES, r);
        double v;
        size_t i = 0;

        if (c.kind == TTP_CELL_MISSING || (ttp_cell_f64(c, &v) && v == 0))
            continue;
        while (i < out->count && !same_cell(out->item[i], c))
            i++;
        if (i < out->count)
            continue;
        *TTP_PUSH(s->arena, out->item, out->count) = c;
    }
}

/* The largest budget is the chip's grid; ops use their own (AVAILABLE WORKER CORE
 * COUNT is per op since sub-devices exist). */
static void cores_per_op(struct ttp_stage *s)
{
    const struct ttp_arch *arch = s->report->arch;
    const double used = most_cores(s, TTP_OPS_CORES);
    struct ttp_budgets budgets;
    double largest = 0, v;
    size_t usable = 0;

    s->report->worker_cores = used > arch->worker_cores ? (int64_t)used : arch->worker_cores;
    if (!s->ops->number[TTP_OPS_AVAILABLE_CORES].kind) {
        if (s->ops->format == TTP_FORMAT_V21)
            ttp_analysis_note_add(
                s->notes, TTP_NOTE_WARNING,
                "the file lacks the number of available cores: assuming the %lld of %s",
                (long long)s->report->worker_cores, arch->name);
        return;
    }
    ttp_analysis_stage_budgets(&budgets, s);
    for (size_t i = 0; i < budgets.count; i++)
        if (ttp_cell_f64(budgets.item[i], &v) && v >= 1 && v <= 1 << 20 &&
            v == (double)(int64_t)v) {
            usable++;
            largest = v > largest ? v : largest;
        }
    if (usable)
        s->report->worker_cores = (int64_t)largest;
    else
        ttp_analysis_note_add(
            s->notes, TTP_NOTE_WARNING,
            "the file has no valid number of available cores: assuming the %lld of %s",
            (long long)s->report->worker_cores, arch->name);
    if (usable > 1)
        ttp_analysis_note_add(
            s->notes, TTP_NOTE_STATUS,
            "%zu different core budgets: each op is compared with its own, the largest is %lld",
            usable, (long long)largest);
}

/* What --arch takes. */
static ttp_str known_names(const struct ttp_stage *s)
{
    const struct ttp_boards *boards = s->options->boards;
    const char *before = "";
    struct ttp_sink out;

    ttp_sink_to_arena(&out, s->arena);
    for (size_t i = 0; ttp_device_arch_at(i); i++) {
        ttp_sink_printf(&out, "%s%s", before, ttp_device_arch_at(i)->name);
        before = ", ";
    }
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

/* A chip that is not in the table: times are valid, peaks are missing. */
static const struct ttp_arch *unknown_arch(struct ttp_stage *s, ttp_str name)
{
    const double most = fmax(most_cores(s, TTP_OPS_AVAILABLE_CORES), most_cores(s, TTP_OPS_CORES));
    struct ttp_arch *arch = TTP_NEW(s->arena, struct ttp_arch, 1);

    arch->name = ttp_arena_zstr(s->arena, ttp_str_slice(name, 0, 100));
    arch->worker_cores = most >= 1 ? (int)most : 1;
    ttp_analysis_note_add(
        s->notes, TTP_NOTE_WARNING,
        "unknown architecture '%s': showing times without peaks; known: %.*s (--arch)", arch->name,
        TTP_FMT(known_names(s)));
    return arch;
}

static ttp_code find_arch(struct ttp_stage *s, ttp_str name, struct ttp_err *err)
{
    s->report->boards = s->options->boards;
    s->report->arch = ttp_boards_find_arch(s->options->boards, name, true);
    if (s->report->arch)
        return TTP_OK;
    if (!s->options->arch) {
        s->report->arch = unknown_arch(s, name);
        return TTP_OK;
    }
    const ttp_code rc =
        ttp_fail(err, s->options->arch ? TTP_EUSAGE : TTP_EPARSE, "unknown architecture '%.*s'",
                 (int)(name.len < 100 ? name.len : 100), name.ptr);
    ttp_err_hint(err, "known: %.*s; choose one with --arch", TTP_FMT(known_names(s)));
    return rc;
}

ttp_code ttp_analysis_stage_architecture(struct ttp_stage *s, struct ttp_err *err)
{
    if (s->rules->architecture)
        return s->rules->architecture(s, err);
    /* what the user says wins: the file names the chip family, not the board */
    const ttp_str name = s->options->arch                   ? ttp_str_from(s->options->arch)
                         : s->ops->format == TTP_FORMAT_V21 ? arch_of_file(s)
                                                            : assume_arch(s);
    TTP_TRY(find_arch(s, name, err));
    cores_per_op(s);
    return TTP_OK;
}
