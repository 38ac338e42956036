/* SPDX-License-Identifier: Apache-2.0 */
/* ops_settle.c - column types by the rules of pandas' C reader, which tries for a whole column one
 * after the other: 64-bit integers, unsigned ones, doubles, True and False, text. */
#include "ops/ops_settle.h"

#include "base/num.h"
#include "ops/ops_block.h"
#include "ops/ops_cells.h"

#define SEEN(kind) (1u << (kind))

enum column_type {
    COLUMN_WHOLE,
    COLUMN_UNSIGNED,
    COLUMN_DECIMAL, /* missing cells allowed */
    COLUMN_BOOL,    /* likewise */
    COLUMN_TEXT,
    COLUMN_ALL_TEXT, /* even words for "missing" are text */
};

/* Cells in file order: what a try makes of a column depends on the first cell it stumbles over. */
struct typer {
    unsigned seen;
    bool big_first; /* the first cell that is not a 64-bit integer begins with a larger one */
    bool negative, unsigned_fits, unsigned_overflow, unsigned_junk;
};

static void feed(struct typer *t, ttp_str text)
{
    union ttp_cell_value v;
    const enum ttp_cell_kind kind = ttp_ops_classify_cell(text, &v);
    const int overflow = ttp_ops_digits_overflow(text);
    const ttp_str number = ttp_str_trim(text);

    if (overflow && !(t->seen & ~(SEEN(TTP_CELL_INT) | SEEN(TTP_CELL_MISSING))))
        t->big_first = true;
    t->seen |= SEEN(kind);
    if (kind == TTP_CELL_MISSING || t->unsigned_overflow || t->unsigned_junk)
        return;
    if (number.len && number.ptr[0] == '-') /* the rest of such a cell is not looked at */
        t->negative = true;
    else if (overflow == 2)
        t->unsigned_overflow = true;
    else if (kind == TTP_CELL_BIG)
        t->unsigned_fits = true;
    else if (kind != TTP_CELL_INT)
        t->unsigned_junk = true;
}

static enum column_type without_integers(unsigned seen)
{
    const unsigned numbers = SEEN(TTP_CELL_INT) | SEEN(TTP_CELL_FLOAT) | SEEN(TTP_CELL_BIG);

    if (!(seen & (SEEN(TTP_CELL_TEXT) | SEEN(TTP_CELL_BOOL))))
        return COLUMN_DECIMAL;
    return seen & (numbers | SEEN(TTP_CELL_TEXT)) ? COLUMN_TEXT : COLUMN_BOOL;
}

static enum column_type decide(const struct typer *t)
{
    if (t->seen == SEEN(TTP_CELL_INT))
        return COLUMN_WHOLE;
    if (!t->big_first || t->unsigned_junk)
        return without_integers(t->seen);
    if (t->unsigned_overflow)
        return COLUMN_TEXT;
    if (t->unsigned_fits && (t->negative || t->seen & SEEN(TTP_CELL_MISSING)))
        return COLUMN_ALL_TEXT;
    return t->negative ? COLUMN_TEXT : COLUMN_UNSIGNED;
}

static void type_numbers(struct typer *t, const struct ttp_ops *ops,
                         const struct ttp_number_column *n, size_t from)
{
    for (size_t r = from; r < ops->rows; r++) {
        if (TTP_UNLIKELY(n->kind[r] == TTP_CELL_RAW)) {
            feed(t, ops->syms.name[n->value[r].text]);
        } else {
            t->seen |= SEEN(n->kind[r]);
            t->negative |= n->kind[r] == TTP_CELL_INT && n->value[r].i < 0;
        }
    }
}

static void settle_as_text(struct ttp_ops *ops, struct ttp_number_column *n, size_t r, bool all)
{
    union ttp_cell_value v;

    if (n->kind[r] == TTP_CELL_INT) {
        char text[TTP_NUM_MAX];
        const size_t len = ttp_num_i64(text, n->value[r].i);
        n->value[r].text = ttp_sym_intern(&ops->syms, (ttp_str){text, len});
    } else if (n->kind[r] == TTP_CELL_MISSING) {
        n->value[r].text = TTP_SYM_MISSING; /* the empty text */
    }
    const bool missing =
        ttp_ops_classify_cell(ops->syms.name[n->value[r].text], &v) == TTP_CELL_MISSING;
    n->kind[r] = missing && !all ? TTP_CELL_MISSING : TTP_CELL_TEXT;
}

/* A single raw cell. */
static void settle_alone(const struct ttp_ops *ops, struct ttp_number_column *n, size_t r)
{
    if (n->kind[r] != TTP_CELL_RAW)
        return;
    const ttp_sym sym = n->value[r].text;
    n->kind[r] = (uint8_t)ttp_ops_classify_cell(ops->syms.name[sym], &n->value[r]);
    if (n->kind[r] == TTP_CELL_BIG && ttp_ops_pandas_f64(ops->syms.name[sym], &n->value[r].f))
        n->kind[r] = TTP_CELL_FLOAT;
    if (n->kind[r] == TTP_CELL_TEXT || n->kind[r] == TTP_CELL_BOOL) {
        n->kind[r] = TTP_CELL_TEXT;
        n->value[r].text = sym;
    }
}

/* exact: every number of the column is whole, so that each is rounded once. */
static void settle_as_decimal(const struct ttp_ops *ops, struct ttp_number_column *n, size_t r,
                              bool exact)
{
    const bool raw = n->kind[r] == TTP_CELL_RAW;
    const ttp_str text = raw ? ops->syms.name[n->value[r].text] : (ttp_str){0};

    settle_alone(ops, n, r);
    if (n->kind[r] != TTP_CELL_INT)
        return;
    if (exact && n->value[r].i == INT64_MIN) { /* how pandas marks a missing cell meanwhile */
        n->kind[r] = TTP_CELL_MISSING;
        return;
    }
    n->kind[r] = TTP_CELL_FLOAT;
    if (raw && !exact)
        (void)ttp_ops_pandas_f64(text, &n->value[r].f);
    else
        n->value[r].f = exact ? (double)n->value[r].i : ttp_ops_pandas_f64_of_i64(n->value[r].i);
}

static void settle_as_whole(const struct ttp_ops *ops, struct ttp_number_column *n, size_t r)
{
    if (n->kind[r] != TTP_CELL_RAW)
        return;
    const ttp_str text = ops->syms.name[n->value[r].text];
    n->kind[r] = (uint8_t)ttp_ops_classify_cell(text, &n->value[r]);
    uint64_t big;
    if (n->kind[r] == TTP_CELL_BIG && ttp_ops_parse_u64(text, &big))
        n->value[r].i = (int64_t)big;
}

void ttp_ops_settle_number(struct ttp_ops *ops, struct ttp_number_column *n, size_t from,
                           bool data_frame)
{
    struct typer t = {0};

    type_numbers(&t, ops, n, from);
    const enum column_type type = decide(&t);
    const bool alone = !data_frame && type != COLUMN_WHOLE && type != COLUMN_DECIMAL;
    const bool exact = !(t.seen & (SEEN(TTP_CELL_FLOAT) | SEEN(TTP_CELL_BIG)));

    for (size_t r = from; r < ops->rows; r++) {
        if (alone)
            settle_alone(ops, n, r);
        else if (type == COLUMN_TEXT || type == COLUMN_ALL_TEXT)
            settle_as_text(ops, n, r, type == COLUMN_ALL_TEXT);
        else if (type == COLUMN_DECIMAL)
            settle_as_decimal(ops, n, r, exact);
        else
            settle_as_whole(ops, n, r);
    }
    n->text |= type == COLUMN_TEXT || type == COLUMN_ALL_TEXT;
}

/* The plain text of a number in a column of that type: 016 is 16, or 16.0 next to a gap. */
static size_t put_plain(char out[TTP_NUM_MAX], ttp_str text, enum column_type type, bool exact)
{
    union ttp_cell_value v;
    const enum ttp_cell_kind kind = ttp_ops_classify_cell(text, &v);

    if (type == COLUMN_BOOL) {
        memcpy(out, v.i ? "True" : "False", v.i ? 4 : 5);
        return v.i ? 4 : 5;
    }
    if (type == COLUMN_DECIMAL) {
        double f;
        if (kind == TTP_CELL_INT && exact)
            f = (double)v.i;
        else
            (void)ttp_ops_pandas_f64(text, &f);
        return ttp_num_f64(out, f, TTP_NUM_PYTHON);
    }
    uint64_t big;
    if (kind == TTP_CELL_BIG && ttp_ops_parse_u64(text, &big))
        return ttp_num_u64(out, big);
    return ttp_num_i64(out, v.i);
}

bool ttp_ops_settle_text(struct ttp_ops *ops, struct ttp_text_column *t, size_t from, unsigned seen,
                         bool data_frame)
{
    struct typer typer = {.seen = seen};

    if (seen & SEEN(TTP_CELL_BIG)) {
        typer.seen = 0;
        for (size_t r = from; r < ops->rows; r++)
            feed(&typer, ops->syms.name[t->sym[r]]);
    }
    const enum column_type type = decide(&typer);
    const bool exact = !(seen & (SEEN(TTP_CELL_FLOAT) | SEEN(TTP_CELL_BIG)));
    const bool numbers = (seen & ~SEEN(TTP_CELL_MISSING)) && type != COLUMN_TEXT &&
                         type != COLUMN_ALL_TEXT &&
                         (data_frame || type == COLUMN_WHOLE || type == COLUMN_DECIMAL);

    for (size_t r = from; numbers && r < ops->rows; r++) {
        char out[TTP_NUM_MAX];

        if (t->sym[r] != TTP_SYM_MISSING) {
            const size_t len = put_plain(out, ops->syms.name[t->sym[r]], type, exact);
            t->sym[r] = ttp_sym_intern(&ops->syms, (ttp_str){out, len});
        }
    }
    return numbers;
}

void ttp_ops_settle_device(struct ttp_ops *ops, size_t from)
{
    struct ttp_number_column *n = &ops->number[TTP_OPS_DEVICE];
    bool whole = true;

    for (size_t r = from; r < ops->rows; r++) {
        if (n->kind[r] == TTP_CELL_TEXT) {
            const ttp_str text = ops->syms.name[n->value[r].text];
            n->kind[r] = (uint8_t)ttp_ops_classify_cell(text, &n->value[r]);
            if (n->kind[r] == TTP_CELL_BIG && ttp_ops_pandas_f64(text, &n->value[r].f))
                n->kind[r] = TTP_CELL_FLOAT;
            if (n->kind[r] == TTP_CELL_TEXT || n->kind[r] == TTP_CELL_BOOL)
                n->kind[r] = TTP_CELL_MISSING;
        } else if (n->kind[r] == TTP_CELL_BIG) {
            n->kind[r] = TTP_CELL_FLOAT;
            n->value[r].f = (double)(uint64_t)n->value[r].i;
        } else if (n->kind[r] == TTP_CELL_BOOL) {
            n->kind[r] = TTP_CELL_INT;
        }
        whole &= n->kind[r] == TTP_CELL_INT;
    }
    for (size_t r = from; r < ops->rows && !whole; r++)
        if (n->kind[r] == TTP_CELL_INT) {
            n->kind[r] = TTP_CELL_FLOAT;
            n->value[r].f = (double)n->value[r].i;
        }
    n->text = false;
}

void ttp_ops_settle_stack(struct ttp_ops *ops)
{
    for (size_t c = 0; c < TTP_OPS_NUMBERS; c++) {
        struct ttp_number_column *n = &ops->number[c];
        unsigned seen = 0;

        if (!n->kind || n->text)
            continue;
        for (size_t r = 0; r < ops->rows; r++)
            seen |= SEEN(n->kind[r]);
        /* True and False next to numbers of another file stay what they are */
        if (!(seen & (SEEN(TTP_CELL_MISSING) | SEEN(TTP_CELL_FLOAT))) || seen & SEEN(TTP_CELL_BOOL))
            continue;
        for (size_t r = 0; r < ops->rows; r++)
            if (n->kind[r] == TTP_CELL_INT || n->kind[r] == TTP_CELL_BIG) {
                const struct ttp_cell cell = {(enum ttp_cell_kind)n->kind[r], n->value[r]};
                (void)ttp_cell_f64(cell, &n->value[r].f);
                n->kind[r] = TTP_CELL_FLOAT;
            }
    }
}
