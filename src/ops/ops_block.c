/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/ops_block.h"

#include "ops/ops_cells.h"

#define RECENT_BITS 10

void ttp_ops_block_reserve(struct ttp_ops_block *b, const struct ttp_ops_header *h, size_t cap)
{
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

/* A whole number that prints back as is: at most 18 digits, no sign but '-', no leading
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

void ttp_ops_block_put_number(struct ttp_ops_block *b, size_t column, ttp_str cell)
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

/* Which of `recent` a text may be: by its length and both ends, so that long ones cost no more. */
static size_t recent_slot(ttp_str s)
{
    uint64_t first = 0, last = 0;

    if (s.len >= 8) {
        memcpy(&first, s.ptr, 8);
        memcpy(&last, s.ptr + s.len - 8, 8);
    } else if (s.len >= 4) {
        memcpy(&first, s.ptr, 4);
        memcpy(&last, s.ptr + s.len - 4, 4);
    } else {
        first = (unsigned char)s.ptr[0];
        last = (unsigned char)s.ptr[s.len - 1];
    }
    const uint64_t odd = 0x9E3779B97F4A7C15u;
    return (((first ^ s.len) * odd ^ last) * odd) >> (64 - RECENT_BITS);
}

/* Most cells repeat the one above, most others one not long ago: comparing is cheaper than hashing
 * the whole text. */
static ttp_sym intern_near(struct ttp_ops_block *b, const ttp_sym *column, ttp_str cell)
{
    if (cell.len == 0)
        return TTP_SYM_MISSING;
    if (b->rows) {
        const ttp_sym above = column[b->rows - 1];
        if (ttp_str_eq(b->syms.name[above], cell))
            return above;
    }
    ttp_sym *recent = &b->recent[recent_slot(cell)];
    if (!ttp_str_eq(b->syms.name[*recent], cell))
        *recent = ttp_sym_intern(&b->syms, cell);
    return *recent;
}

void ttp_ops_block_put_text(struct ttp_ops_block *b, size_t column, ttp_str cell)
{
    b->text[column][b->rows] = intern_near(b, b->text[column], cell);
}

/* Malformed bytes become U+FFFD, one for each. */
static ttp_str repair_utf8(ttp_str s, struct ttp_arena *arena)
{
    static const char replacement[] = {'\xEF', '\xBF', '\xBD'};
    char *out = TTP_NEW(arena, char, s.len * 3);
    size_t n = 0;

    while (s.len) {
        const size_t good = ttp_str_valid_utf8(s);
        memcpy(out + n, s.ptr, good);
        n += good;
        s = ttp_str_slice(s, good, s.len);
        if (s.len) {
            memcpy(out + n, replacement, sizeof(replacement));
            n += sizeof(replacement);
            s = ttp_str_slice(s, 1, s.len);
        }
    }
    return (ttp_str){out, n};
}

struct row_reader {
    struct ttp_csv csv;
    struct ttp_csv_row row;
    const struct ttp_ops_header *header;
    bool repair, cut_at_nul;
    /* What the file has: our column, and its place in the row. */
    struct {
        size_t column, field;
    } text[TTP_OPS_TEXTS], number[TTP_OPS_NUMBERS];
    size_t texts, numbers;
};

static void list_columns(struct row_reader *r)
{
    const struct ttp_ops_header *h = r->header;

    for (size_t c = 0; c < TTP_OPS_TEXTS; c++)
        if (h->text[c] != TTP_NPOS) {
            r->text[r->texts].column = c;
            r->text[r->texts++].field = h->text[c];
        }
    for (size_t c = 0; c < TTP_OPS_NUMBERS; c++)
        if (h->number[c] != TTP_NPOS) {
            r->number[r->numbers].column = c;
            r->number[r->numbers++].field = h->number[c];
        }
}

ttp_str ttp_ops_block_repair(struct ttp_ops_block *b, ttp_str cell)
{
    if (ttp_str_valid_utf8(cell) == cell.len)
        return cell;
    b->bad_utf8_cells++;
    return repair_utf8(cell, &b->arena);
}

/* The cell that is not simply the bytes between two separators. */
static TTP_NOINLINE ttp_str odd_cell(struct ttp_ops_block *b, const struct row_reader *r,
                                     size_t field)
{
    ttp_str cell = ttp_csv_field(&r->csv, &r->row, field, &b->arena);

    if (r->repair)
        cell = ttp_ops_block_repair(b, cell);
    return r->cut_at_nul ? ttp_ops_cut_at_nul(cell) : cell;
}

/* The cell in that place of the row; beyond the end of a short row it is missing. */
TTP_INLINE ttp_str cell_at(struct ttp_ops_block *b, const struct row_reader *r, size_t field)
{
    if (field >= r->row.nfields)
        return (ttp_str){0};
    const size_t from = field ? (size_t)r->row.end[field - 1] + 1 : r->row.start;
    const ttp_str cell = {r->csv.text.ptr + from, r->row.end[field] - from};
    if (TTP_UNLIKELY(r->repair || r->cut_at_nul || (cell.len && cell.ptr[0] == '"')))
        return odd_cell(b, r, field);
    return cell;
}

static void put_row(struct ttp_ops_block *b, const struct row_reader *r)
{
    if (b->rows == b->cap) {
        /* cells of four bytes on average, but no more than most blocks have */
        const size_t guess = b->body.len / (4 * r->header->columns) + 16;
        ttp_ops_block_reserve(b, r->header, b->cap ? b->cap * 2 : guess < 1024 ? guess : 1024);
    }
    for (size_t i = 0; i < r->texts; i++)
        ttp_ops_block_put_text(b, r->text[i].column, cell_at(b, r, r->text[i].field));
    for (size_t i = 0; i < r->numbers; i++)
        ttp_ops_block_put_number(b, r->number[i].column, cell_at(b, r, r->number[i].field));
    b->rows++;
}

void ttp_ops_block_begin(struct ttp_ops_block *b)
{
    b->syms = (struct ttp_symtab){.arena = &b->arena};
    ttp_sym_intern(&b->syms, (ttp_str){0});
    b->recent = TTP_NEW(&b->arena, ttp_sym, (size_t)1 << RECENT_BITS);
}

/* Words for "not available" become the missing symbol, and each text column learns what kinds it
 * has. */
void ttp_ops_block_finish(struct ttp_ops_block *b)
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
    if (TTP_UNLIKELY(r->row.nfields < r->header->columns) && b->short_rows++ == 0) {
        b->short_line = r->row.line;
        b->short_fields = r->row.nfields;
    }
    return b->problem == TTP_ROW_FINE;
}

static void read_rows(struct ttp_ops_block *b, struct row_reader *r)
{
    ttp_ops_block_begin(b);
    r->row.max = r->header->columns;
    r->row.end = TTP_NEW(&b->arena, uint32_t, r->row.max);
    r->csv = (struct ttp_csv){.text = b->body, .sep = ','};
    while (ttp_csv_next(&r->csv, &r->row) && row_is_fine(b, r))
        put_row(b, r);
    b->lines = r->csv.lines;
}

/* The block as it was before read_rows(). */
static void forget_rows(struct ttp_ops_block *b)
{
    ttp_arena_reset(&b->arena);
    *b = (struct ttp_ops_block){
        .input = b->input, .body = b->body, .lines_before = b->lines_before, .arena = b->arena};
}

static bool any_nul(const struct ttp_symtab *syms)
{
    for (uint32_t s = 0; s < syms->count; s++)
        if (ttp_str_find_char(syms->name[s], '\0') != TTP_NPOS)
            return true;
    return false;
}

/* The first row whose cells are the names of their columns; b->rows: there is none. */
static size_t find_header(const struct ttp_ops_block *b)
{
    static const enum ttp_ops_text named[] = {TTP_OPS_CODE, TTP_OPS_TYPE};
    ttp_sym name[TTP_COUNT(named)] = {0};
    size_t r = 0;

    for (size_t i = 0; i < TTP_COUNT(named); i++) {
        const ttp_str text = ttp_str_from(ttp_ops_text_name(named[i]));

        for (uint32_t s = 1; s < b->syms.count && !name[i]; s++)
            name[i] = ttp_str_eq(b->syms.name[s], text) ? s : 0;
        if (!name[i] || !b->text[named[i]])
            return b->rows;
    }
    while (r < b->rows && (b->text[named[0]][r] != name[0] || b->text[named[1]][r] != name[1]))
        r++;
    return r;
}

/* Line of row `at`, from 0. */
static uint64_t line_of(const struct ttp_ops_block *b, struct row_reader *r, size_t at)
{
    r->csv = (struct ttp_csv){.text = b->body, .sep = ','};
    for (size_t i = 0; i <= at && ttp_csv_next(&r->csv, &r->row);)
        i++;
    return r->row.line;
}

void ttp_ops_parse_block(struct ttp_ops_block *b, const struct ttp_ops_header *h, bool data_frame)
{
    struct row_reader r = {.header = h};

    list_columns(&r);
    read_rows(b, &r);
    /* most files are ASCII: the reader knows as far as it went */
    if (r.csv.high || b->problem != TTP_ROW_FINE) {
        const size_t good = ttp_str_valid_utf8(b->body);
        if (good != b->body.len) {
            forget_rows(b);
            if (data_frame) {
                b->problem = TTP_ROW_BAD_UTF8;
                for (size_t i = 0; i < good; i++)
                    b->problem_line += b->body.ptr[i] == '\n';
                return;
            }
            r.repair = true;
            read_rows(b, &r);
        }
    }
    if (data_frame && any_nul(&b->syms)) {
        forget_rows(b);
        r.cut_at_nul = true;
        read_rows(b, &r);
    }
    const size_t header = data_frame ? b->rows : find_header(b);
    if (header < b->rows) {
        b->problem = TTP_ROW_HEADER;
        b->problem_line = line_of(b, &r, header);
    }
    ttp_ops_block_finish(b);
}
