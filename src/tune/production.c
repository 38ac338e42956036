/* SPDX-License-Identifier: Apache-2.0 */
/* production.c - checks the best's ops with the sizes of production: which do not fit, and which
 * configs they need. */
#include <ctype.h>
#include <math.h>

#include "advice/advice.h"
#include "base/vec.h"
#include "fit/fit.h"
#include "tune/tuner.h"

/* ---- what the user says ---- */

static ttp_str next_item(ttp_str *rest)
{
    size_t end = 0;

    while (end < rest->len && rest->ptr[end] != ',' && rest->ptr[end] != ';')
        end++;
    const ttp_str item = ttp_str_trim(ttp_str_slice(*rest, 0, end));
    *rest = ttp_str_slice(*rest, end + 1, rest->len);
    return item;
}

static size_t digits_of(ttp_str text, bool at_end)
{
    size_t n = 0;

    while (n < text.len && isdigit((unsigned char)text.ptr[at_end ? text.len - 1 - n : n]))
        n++;
    return n;
}

/* A whole number at the start or the end of a text; cuts it off. */
static bool cut_number(uint64_t *out, ttp_str *text, bool at_end)
{
    const size_t n = digits_of(*text, at_end);
    const ttp_str digits =
        at_end ? ttp_str_slice(*text, text->len - n, text->len) : ttp_str_slice(*text, 0, n);
    if (n == 0 || !ttp_str_to_u64(digits, out))
        return false;
    *text = ttp_str_trim(at_end ? ttp_str_slice(*text, 0, text->len - n)
                                : ttp_str_slice(*text, n, text->len));
    return true;
}

/* Is a number that ends or begins next to this byte a part of something else: 1.5, 64k, v2, -1? */
static bool is_part_of_word(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80 || strchr("._%+-/", c) != NULL;
}

/* "batch 1 -> 32", divided at the arrow. False: not two whole numbers above 0. */
static bool add_size(struct ttp_tune_production *out, ttp_str left, ttp_str right,
                     struct ttp_arena *arena)
{
    struct ttp_tune_size size = {.name = ""};
    const ttp_str before = left, after = right;

    if (!cut_number(&size.from, &left, true) || !cut_number(&size.to, &right, false) ||
        ttp_str_has(after, TTP_STR("->")))
        return false;
    const size_t first = digits_of(before, true), last = digits_of(after, false);
    if ((first < before.len && is_part_of_word(before.ptr[before.len - first - 1])) ||
        (last < after.len && is_part_of_word(after.ptr[last])))
        return false;
    if (size.from == 0 || size.to == 0 || size.from > UINT32_MAX || size.to > UINT32_MAX)
        return false;
    size.name = ttp_arena_zstr(arena, left.len ? left : right);
    *TTP_PUSH(arena, out->size, out->sizes) = size;
    return true;
}

/* "100000 x 512", "100000x512 bf16". */
static void add_tensor(struct ttp_tune_production *out, ttp_str item, struct ttp_arena *arena)
{
    struct ttp_fit_table table;
    struct ttp_err none = {0};
    ttp_str rest = item;
    uint64_t rows, cols;

    if (!cut_number(&rows, &rest, false) || rest.len == 0 || rest.ptr[0] != 'x')
        return;
    rest = ttp_str_trim(ttp_str_slice(rest, 1, rest.len));
    if (!cut_number(&cols, &rest, false))
        return;
    if (rest.len && rest.ptr[0] == ':')
        rest = ttp_str_trim(ttp_str_slice(rest, 1, rest.len));
    const char *text =
        ttp_tuner_text(arena, "%llux%llu:%.*s", (unsigned long long)rows, (unsigned long long)cols,
                       TTP_FMT(rest.len ? ttp_str_slice(rest, 0, 16) : TTP_STR("bf16")));
    if (ttp_fit_parse_table(&table, text, &none) == TTP_OK)
        *TTP_PUSH(arena, out->tensor, out->tensors) =
            (struct ttp_tune_tensor){.text = text, .place = ""};
}

void ttp_tune_parse_data(struct ttp_tune_production *out, const char *data, struct ttp_arena *arena)
{
    ttp_str rest = ttp_str_from(data ? data : "");
    bool unclear = false;

    *out = (struct ttp_tune_production){.note = ""};
    while (rest.len) {
        const ttp_str item = next_item(&rest);
        const size_t arrow = ttp_str_find(item, TTP_STR("->"));

        if (arrow == TTP_NPOS)
            add_tensor(out, item, arena);
        else if (!add_size(out, ttp_str_trim(ttp_str_slice(item, 0, arrow)),
                           ttp_str_trim(ttp_str_slice(item, arrow + 2, item.len)), arena))
            unclear = true;
    }
    if (data && !out->sizes && !out->tensors)
        out->note = "production sizes are not compared with the profile: give their difference "
                    "from the test, such as --data 'batch 1 -> 32'";
    else if (unclear)
        out->note = "a part of --data is not compared with the profile: its '->' is not between "
                    "two whole numbers, such as 'batch 1 -> 32'";
}

/* ---- ops with other sizes ---- */

struct scaling {
    struct ttp_tune_production *out;
    const struct ttp_report *report;
    const struct ttp_board *board;
    struct ttp_cost_chip chip;
    struct ttp_fit_op **fit; /* by row; NULL: nothing in L1 */
    double factor;           /* of activations */
    struct ttp_arena *arena;
};

static bool is_batch(const struct ttp_tune_size *s)
{
    return ttp_str_has(ttp_str_from(s->name), TTP_STR("batch")) ||
           ttp_str_has(ttp_str_from(s->name), TTP_STR("user"));
}

static uint64_t times(uint64_t v, const struct ttp_tune_size *s)
{
    return v > UINT32_MAX || s->to > UINT32_MAX ? v : ttp_ceil_div(v * s->to, s->from);
}

/* Weights stay what they are; products of activations grow on both sides. */
static void scale_matmul(struct ttp_matmul *p, const struct ttp_tune_size *s)
{
    const bool both = p->batch_b > 1;

    if (is_batch(s) && p->batch > 1) {
        p->batch = times(p->batch, s);
        p->batch_b = both ? times(p->batch_b, s) : p->batch_b;
        return;
    }
    p->m = times(p->m, s);
    if (both && p->n == s->from)
        p->n = s->to;
    if (both && p->k == s->from)
        p->k = s->to;
}

/* A shard of L1 has more rows, on the same cores. */
static void scale_shard(struct ttp_placement *at, uint64_t rows, double factor)
{
    const double height =
        at->layout == TTP_LAYOUT_WIDTH ? (double)rows : (double)at->height * factor;

    if (at->has_shard && at->layout != TTP_LAYOUT_INTERLEAVED && height < 1e9)
        at->height = (uint32_t)(ceil(height / 32) * 32);
}

static void judge_config(struct ttp_tune_scaled *row, const struct scaling *s,
                         struct ttp_config_op *op)
{
    struct ttp_matmul *p = &op->problem;
    struct ttp_config_row judged;

    for (size_t i = 0; i < s->out->sizes; i++)
        scale_matmul(p, &s->out->size[i]);
    scale_shard(&p->in0, p->m * p->batch, s->factor);
    scale_shard(&p->out_at, p->m * p->batch, s->factor);
    if (op->has_config) {
        ttp_config_judge(&judged, TTP_ORIGIN_GIVEN, p, &op->config);
        row->config = ttp_arena_zstr(s->arena, ttp_config_text(&op->config, s->arena));
        row->verdict = ttp_config_verdict_name(judged.check.verdict);
        row->reason = ttp_arena_zstr(s->arena, ttp_str_from(judged.check.reason));
    }
}

/* What is not legal there needs another config. */
static void propose(struct ttp_tune_scaled *row, const struct scaling *s,
                    const struct ttp_matmul *p)
{
    struct ttp_config_proposals found;

    ttp_config_propose(&found, p, &(struct ttp_config_request){.top = 1}, s->arena);
    for (size_t i = 0; i < found.count && !row->best.config; i++)
        if (found.row[i].origin == TTP_ORIGIN_PROPOSED && found.row[i].has_time)
            row->best = ttp_tune_config_of(&found.row[i], s->arena);
}

/* The least that a tensor grows: rows that pad a tile today are there already. */
static double growth(const struct scaling *s, const struct ttp_op *op, enum ttp_which_tensor which)
{
    struct ttp_tensor_size size;

    if (!ttp_analysis_tensor(&size, s->report, op, which) || !(size.padded > 0))
        return s->factor;
    return fmax(1, s->factor * size.logical / size.padded);
}

static void judge_l1(struct ttp_tune_scaled *row, const struct scaling *s, const struct ttp_op *op,
                     bool matmul)
{
    const struct ttp_fit_op *fit = s->fit[op->row];

    row->l1_now = row->l1_then = NAN;
    row->l1_limit = (double)(s->chip.l1_bytes - s->chip.reserved_bytes);
    row->fits = true;
    if (!fit)
        return;
    row->l1_now = (double)fit->total_bytes;
    row->l1_then = (double)fit->bytes[0] * growth(s, op, TTP_TENSOR_IN0) +
                   (double)fit->bytes[1] * (matmul ? 1 : growth(s, op, TTP_TENSOR_IN1)) +
                   (double)fit->bytes[2] * growth(s, op, TTP_TENSOR_OUT);
    row->l1_then = fmin(row->l1_then, 1e18); /* a whole number; what is needed is at least this */
    row->fits = row->l1_then <= row->l1_limit;
}

static bool same_row(const struct ttp_tune_scaled *a, const struct ttp_tune_scaled *b)
{
    return strcmp(a->op, b->op) == 0 && strcmp(a->config, b->config) == 0 && a->fits == b->fits &&
           strcmp(a->verdict, b->verdict) == 0;
}

static void add_op(struct scaling *s, const struct ttp_op *op)
{
    struct ttp_tune_production *out = s->out;
    struct ttp_tune_scaled row = {
        .id = (uint64_t)op->row + 2,
        .ops = 1,
        .op = ttp_arena_zstr(s->arena, ttp_sym_name(s->report->syms, op->name)),
        .config = "",
        .verdict = "",
        .reason = ""};
    struct ttp_config_op matmul;
    struct ttp_err none = {0};
    const bool is_matmul =
        ttp_config_of_row(&matmul, s->report->ops, op->row, s->board, &none) == TTP_OK;

    judge_l1(&row, s, op, is_matmul);
    if (is_matmul)
        judge_config(&row, s, &matmul);
    const bool broken = strcmp(row.verdict, "broken") == 0;
    out->checked++;
    out->over_l1 += !row.fits;
    out->broken += broken;
    if (row.fits && !broken)
        return;
    for (size_t i = 0; i < out->ops; i++)
        if (same_row(&out->op[i], &row)) {
            out->op[i].ops++;
            return;
        }
    if (is_matmul)
        propose(&row, s, &matmul.problem);
    *TTP_PUSH(s->arena, out->op, out->ops) = row;
}

/* ---- tensors ---- */

static void place_tensor(struct ttp_tune_tensor *t, const struct ttp_fit_core *core)
{
    static const char *const places[] = {[TTP_FIT_ONE_CORE] = "one core",
                                         [TTP_FIT_GRID] = "L1 of the grid",
                                         [TTP_FIT_DRAM] = "DRAM",
                                         [TTP_FIT_NOWHERE] = "nowhere"};
    struct ttp_fit_table table;
    struct ttp_err none = {0};

    if (ttp_fit_parse_table(&table, t->text, &none) != TTP_OK ||
        ttp_fit_table(&table, core, &none) != TTP_OK)
        return;
    t->bytes = table.bytes;
    t->cores_needed = table.cores_needed;
    t->cores = table.cores;
    t->place = places[table.place];
    t->fits_l1 = table.place == TTP_FIT_ONE_CORE || table.place == TTP_FIT_GRID;
}

void ttp_tune_scale(struct ttp_tune_production *out, const struct ttp_report *report,
                    const struct ttp_board *board, struct ttp_arena *arena)
{
    const char *name = report->arch ? report->arch->board : NULL;
    struct scaling s = {.out = out, .report = report, .board = board, .factor = 1, .arena = arena};
    struct ttp_fit_op *fit;

    if (!s.board && name)
        s.board = ttp_board_of(report->boards, ttp_str_from(name));
    if (!s.board || !ttp_cost_chip_of(&s.chip, s.board)) {
        out->note = "the memory of the board is unknown: name it with --board";
        return;
    }
    const struct ttp_fit_core core = {.board = s.board,
                                      .tile = {32, 32},
                                      .l1_bytes = s.chip.l1_bytes,
                                      .reserved_bytes = s.chip.reserved_bytes};
    for (size_t i = 0; i < out->tensors; i++)
        place_tensor(&out->tensor[i], &core);
    if (out->sizes == 0)
        return;
    for (size_t i = 0; i < out->sizes; i++)
        s.factor *= (double)out->size[i].to / (double)out->size[i].from;
    const size_t nfit = ttp_fit_ops(&fit, report->ops, &core, arena);
    s.fit = TTP_NEW(arena, struct ttp_fit_op *, report->ops->rows);
    for (size_t i = 0; i < nfit; i++)
        s.fit[fit[i].row] = &fit[i];
    for (size_t i = 0; i < report->count; i++)
        if (report->op[i].kind == TTP_OP_DEVICE)
            add_op(&s, &report->op[i]);
}
