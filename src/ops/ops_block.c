/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/ops_block.h"

#include "ops/ops_cells.h"

/* Rows beyond this many fields are refused before anything is indexed. */
#define MAX_COLUMNS 65536

static void grow(struct ttp_ops_block *b, const struct ttp_ops_header *h)
{
    const size_t cap = b->cap ? b->cap * 2 : 1024;

    for (size_t c = 0; c < TTP_OPS_TEXTS; c++) {
        if (h->text[c] == TTP_NPOS)
            continue;
        ttp_sym *old = b->text[c];
        b->text[c] = TTP_NEW(&b->arena, ttp_sym, cap);
        if (b->rows)
            memcpy(b->text[c], old, b->rows * sizeof(*old));
    }
    for (size_t c = 0; c < TTP_OPS_NUMBERS; c++) {
        if (h->number[c] == TTP_NPOS)
            continue;
        uint8_t *old_kind = b->kind[c];
        union ttp_cell_value *old_value = b->value[c];
        b->kind[c] = TTP_NEW(&b->arena, uint8_t, cap);
        b->value[c] = TTP_NEW(&b->arena, union ttp_cell_value, cap);
        if (b->rows) {
            memcpy(b->kind[c], old_kind, b->rows);
            memcpy(b->value[c], old_value, b->rows * sizeof(*old_value));
        }
    }
    b->cap = cap;
}

/* A whole number that prints back as it stands: at most 18 digits, no sign but '-', no leading
 * zero. */
static bool plain_whole(ttp_str s, int64_t *out)
{
    const bool negative = s.ptr[0] == '-';
    const size_t first = negative;
    uint64_t v = 0;

    if (s.len - first - 1 >= 18 || (s.ptr[first] == '0' && s.len > 1))
        return false;
    for (size_t i = first; i < s.len; i++) {
        const unsigned d = (unsigned)(unsigned char)s.ptr[i] - '0';
        if (d > 9)
            return false;
        v = v * 10 + d;
    }
    *out = negative ? -(int64_t)v : (int64_t)v;
    return true;
}

static void put_number(struct ttp_ops_block *b, size_t column, ttp_str cell)
{
    union ttp_cell_value *value = &b->value[column][b->rows];
    uint8_t *kind = &b->kind[column][b->rows];

    if (cell.len == 0) {
        *kind = TTP_CELL_MISSING;
    } else if (TTP_LIKELY(plain_whole(cell, &value->i))) {
        *kind = TTP_CELL_INT;
    } else {
        *kind = TTP_CELL_RAW;
        value->text = ttp_sym_intern(&b->syms, cell);
    }
}

/* Most cells repeat the one above: comparing is cheaper than hashing. */
static ttp_sym intern_near(struct ttp_ops_block *b, const ttp_sym *column, ttp_str cell)
{
    if (cell.len == 0)
        return TTP_SYM_MISSING;
    if (b->rows) {
        const ttp_sym above = column[b->rows - 1];
        if (ttp_str_eq(b->syms.name[above], cell))
            return above;
    }
    return ttp_sym_intern(&b->syms, cell);
}

/* Malformed bytes become U+FFFD, one for each. */
static ttp_str repair_utf8(ttp_str s, struct ttp_arena *arena)
{
    char *out = TTP_NEW(arena, char, s.len * 3);
    size_t n = 0;

    while (s.len) {
        const size_t good = ttp_str_valid_utf8(s);
        memcpy(out + n, s.ptr, good);
        n += good;
        s = ttp_str_slice(s, good, s.len);
        if (s.len) {
            memcpy(out + n, "\xEF\xBF\xBD", 3);
            n += 3;
            s = ttp_str_slice(s, 1, s.len);
        }
    }
    return (ttp_str){out, n};
}

struct row_reader {
    struct ttp_csv csv;
    struct ttp_csv_row row;
    const struct ttp_ops_header *header;
    bool repair;
};

/* The cell of that file column; beyond the end of a short row it is missing. */
static ttp_str cell_at(struct ttp_ops_block *b, const struct row_reader *r, size_t column)
{
    if (column >= r->row.nfields)
        return (ttp_str){0};
    ttp_str cell = ttp_csv_field(&r->csv, &r->row, column, &b->arena);
    if (r->repair && ttp_str_valid_utf8(cell) != cell.len) {
        b->bad_utf8_cells++;
        cell = repair_utf8(cell, &b->arena);
    }
    return cell;
}

static void put_row(struct ttp_ops_block *b, const struct row_reader *r)
{
    if (b->rows == b->cap)
        grow(b, r->header);
    for (size_t c = 0; c < TTP_OPS_TEXTS; c++)
        if (r->header->text[c] != TTP_NPOS)
            b->text[c][b->rows] = intern_near(b, b->text[c], cell_at(b, r, r->header->text[c]));
    for (size_t c = 0; c < TTP_OPS_NUMBERS; c++)
        if (r->header->number[c] != TTP_NPOS)
            put_number(b, c, cell_at(b, r, r->header->number[c]));
    b->rows++;
}

/* Words for "not available" become the missing symbol, and each text column learns what kinds it
 * has. */
static void settle_texts(struct ttp_ops_block *b)
{
    uint8_t *kind = TTP_NEW(&b->arena, uint8_t, b->syms.count);

    for (uint32_t s = 0; s < b->syms.count; s++) {
        union ttp_cell_value ignored;
        kind[s] = (uint8_t)ttp_ops_classify_cell(b->syms.name[s], &ignored);
    }
    for (size_t c = 0; c < TTP_OPS_TEXTS; c++) {
        for (size_t r = 0; b->text[c] && r < b->rows; r++) {
            const uint8_t k = kind[b->text[c][r]];
            b->seen[c] |= 1u << k;
            if (k == TTP_CELL_MISSING)
                b->text[c][r] = TTP_SYM_MISSING;
        }
    }
}

static bool row_is_fine(struct ttp_ops_block *b, const struct row_reader *r)
{
    if (r->row.open_quote)
        b->problem = TTP_ROW_OPEN_QUOTE;
    else if (r->row.nfields > r->header->columns)
        b->problem = TTP_ROW_TOO_LONG;
    b->problem_line = r->row.line;
    b->problem_fields = r->row.nfields;
    return b->problem == TTP_ROW_FINE;
}

void ttp_ops_parse_block(struct ttp_ops_block *b, const struct ttp_ops_header *h,
                         bool refuse_bad_utf8)
{
    const size_t max = h->columns < MAX_COLUMNS ? h->columns : MAX_COLUMNS;
    struct row_reader r = {.csv = {.text = b->body, .sep = ','}, .header = h};

    b->syms.arena = &b->arena;
    ttp_sym_intern(&b->syms, (ttp_str){0});
    const size_t good = ttp_str_valid_utf8(b->body);
    if (good != b->body.len && refuse_bad_utf8) {
        b->problem = TTP_ROW_BAD_UTF8;
        for (size_t i = 0; i < good; i++)
            b->problem_line += b->body.ptr[i] == '\n';
        return;
    }
    r.repair = good != b->body.len;
    r.row.max = max;
    r.row.end = TTP_NEW(&b->arena, uint32_t, max + 64);
    while (ttp_csv_next(&r.csv, &r.row) && row_is_fine(b, &r))
        put_row(b, &r);
    b->lines = r.csv.lines;
    settle_texts(b);
}

void ttp_ops_free_block(struct ttp_ops_block *b)
{
    ttp_arena_free(&b->arena);
}
