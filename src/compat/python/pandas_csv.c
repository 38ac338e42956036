/* SPDX-License-Identifier: Apache-2.0 */
#include "compat/python/pandas_csv.h"

#include <math.h>

#include "base/num.h"
#include "base/vec.h"
#include "logs/logs.h"

/* pandas settles types for that many rows at a time; 2^20 / columns, down to a power of two. */
#define CHUNK_ROWS 65536u
#define MAX_FIELDS 256u

struct scanner {
    ttp_str text;
    size_t at;
    uint64_t line; /* of the row that comes next, from 1 */
    ttp_str field[MAX_FIELDS];
    size_t nfields;
    struct ttp_arena *arena;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_end(char c)
{
    return c == '\n' || c == '\r';
}

/* A CR, a LF, or both. */
static void skip_end(struct scanner *s)
{
    if (s->at < s->text.len && s->text.ptr[s->at] == '\r')
        s->at++;
    else if (s->at < s->text.len) {
        s->at++;
        s->line++;
        return;
    }
    if (s->at < s->text.len && s->text.ptr[s->at] == '\n')
        s->at++;
    s->line++;
}

/* The text of a field that begins with a quote, up to `*end`; what follows the closing quote
 * belongs to it. Returns its length; `copy` NULL: only that. */
static size_t undo_quotes(const struct scanner *s, char *copy, size_t *end, bool *open)
{
    size_t n = 0, at = s->at + 1;

    for (*open = true; at < s->text.len; n++) {
        char c = s->text.ptr[at];

        if (!*open && (c == ',' || is_end(c)))
            break;
        if (*open && c == '"') {
            if (at + 1 == s->text.len || s->text.ptr[at + 1] != '"') {
                *open = false;
                at++;
                n--;
                continue;
            }
            at++;
        }
        if (copy)
            copy[n] = c;
        at++;
    }
    *end = at;
    return n;
}

static ttp_code quoted_field(struct scanner *s, ttp_str *out, struct ttp_err *err)
{
    bool open;
    size_t end;
    const size_t n = undo_quotes(s, NULL, &end, &open);

    if (open) {
        ttp_fail(err, TTP_EPARSE, "a quoted field is not closed");
        ttp_err_where(err, "", s->line);
        return TTP_EPARSE;
    }
    char *copy = ttp_arena_bytes(s->arena, n + 1);
    (void)undo_quotes(s, copy, &end, &open);
    for (; s->at < end; s->at++)
        s->line += s->text.ptr[s->at] == '\n';
    *out = (ttp_str){copy, n};
    return TTP_OK;
}

/* The next row that is not blank. */
static ttp_code next_row(struct scanner *s, bool *more, uint64_t *line, struct ttp_err *err)
{
    *more = false;
    for (;;) {
        while (s->at < s->text.len && is_blank(s->text.ptr[s->at]))
            s->at++;
        if (s->at == s->text.len)
            return TTP_OK;
        if (!is_end(s->text.ptr[s->at]))
            break;
        skip_end(s);
    }
    *more = true;
    *line = s->line;
    for (s->nfields = 0;;) {
        ttp_str field = {s->text.ptr + s->at, 0};

        if (s->at < s->text.len && s->text.ptr[s->at] == '"')
            TTP_TRY(quoted_field(s, &field, err));
        else
            while (s->at < s->text.len && s->text.ptr[s->at] != ',' && !is_end(s->text.ptr[s->at]))
                s->at++, field.len++;
        if (s->nfields < MAX_FIELDS)
            s->field[s->nfields] = field;
        s->nfields++;
        if (s->at == s->text.len)
            return TTP_OK;
        if (is_end(s->text.ptr[s->at])) {
            skip_end(s);
            return TTP_OK;
        }
        s->at++;
    }
}

static bool same_word(ttp_str s, ttp_str word)
{
    bool same = s.len == word.len;

    for (size_t i = 0; i < s.len && same; i++)
        same = ttp_char_lower(s.ptr[i]) == word.ptr[i];
    return same;
}

static ttp_str trim_spaces(ttp_str s)
{
    while (s.len && (is_blank(s.ptr[0]) || (s.ptr[0] >= '\n' && s.ptr[0] <= '\r')))
        s = ttp_str_slice(s, 1, s.len);
    while (s.len &&
           (is_blank(s.ptr[s.len - 1]) || (s.ptr[s.len - 1] >= '\n' && s.ptr[s.len - 1] <= '\r')))
        s.len--;
    return s;
}

bool ttp_pandas_int(ttp_str s, int64_t *out, bool *beyond)
{
    size_t i = 0;

    s = trim_spaces(s);
    *beyond = false;
    if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'))
        i = 1;
    if (i == s.len)
        return false;
    for (size_t k = i; k < s.len; k++)
        if (s.ptr[k] < '0' || s.ptr[k] > '9')
            return false;
    if (s.ptr[0] == '+')
        s = ttp_str_slice(s, 1, s.len);
    if (!ttp_str_to_i64(s, out)) {
        uint64_t big = 0;

        *beyond = true;
        *out = ttp_str_to_u64(s, &big) ? (int64_t)big : INT64_MIN;
    }
    return true;
}

bool ttp_pandas_float(ttp_str s, double *out)
{
    static const char *const words[] = {"inf",      "+inf",      "-inf",
                                        "infinity", "+infinity", "-infinity"};

    s = trim_spaces(s);
    for (size_t w = 0; w < TTP_COUNT(words); w++)
        if (same_word(s, ttp_str_from(words[w]))) {
            *out = words[w][0] == '-' ? -HUGE_VAL : HUGE_VAL;
            return true;
        }
    for (size_t i = 0; i < s.len; i++)
        if (!strchr("0123456789+-.eE", s.ptr[i]))
            return false;
    if (s.len && s.ptr[0] == '+')
        s = ttp_str_slice(s, 1, s.len);
    return s.len && ttp_str_to_f64(s, out);
}

/* What one chunk's cells of a column allow. */
struct column_facts {
    bool no_int, no_float, beyond, far_beyond, negative;
};

static void look_at(struct column_facts *c, ttp_str cell)
{
    int64_t i;
    double f;
    bool beyond;

    if (c->no_float)
        return;
    if (!c->no_int && ttp_pandas_int(cell, &i, &beyond)) {
        c->negative |= cell.len && cell.ptr[0] == '-';
        c->beyond |= beyond;
        c->far_beyond |= beyond && i == INT64_MIN;
        return;
    }
    c->no_int = true;
    c->no_float = !ttp_pandas_float(cell, &f);
}

static enum ttp_pandas_type settle(const struct column_facts *c)
{
    if (!c->no_int)
        return !c->beyond                     ? TTP_PANDAS_INT
               : c->far_beyond || c->negative ? TTP_PANDAS_TEXT
                                              : TTP_PANDAS_UINT;
    return c->no_float ? TTP_PANDAS_TEXT : TTP_PANDAS_FLOAT;
}

struct type_list {
    enum ttp_pandas_type (*chunk)[TTP_PANDAS_COLUMNS];
    size_t nchunks;
};

static void end_chunk(struct type_list *types, struct column_facts *facts, struct ttp_arena *arena)
{
    TTP_ROOM(arena, types->chunk, types->nchunks);
    for (size_t c = 0; c < TTP_PANDAS_COLUMNS; c++) {
        types->chunk[types->nchunks][c] = settle(&facts[c]);
        facts[c] = (struct column_facts){0};
    }
    types->nchunks++;
}

/* Chunks of numbers become one type; with text among them each keeps its own. */
static void join_chunks(struct type_list *types)
{
    for (size_t c = 0; c < TTP_PANDAS_COLUMNS; c++) {
        bool text = false, same = true;

        for (size_t k = 0; k < types->nchunks; k++) {
            text |= types->chunk[k][c] == TTP_PANDAS_TEXT;
            same &= types->chunk[k][c] == types->chunk[0][c];
        }
        for (size_t k = 0; k < types->nchunks && !text && !same; k++)
            types->chunk[k][c] = TTP_PANDAS_FLOAT;
    }
}

struct rows {
    struct scanner scan;
    size_t columns, width; /* as the names say; of a row */
    uint64_t count;
};

static ttp_code begin(struct rows *r, ttp_str text, struct ttp_arena *arena, struct ttp_err *err)
{
    uint64_t line;
    bool more;

    *r = (struct rows){.scan = {.text = text, .line = 1, .arena = arena}};
    while (r->scan.at < text.len && !is_end(text.ptr[r->scan.at]))
        r->scan.at++;
    skip_end(&r->scan);
    TTP_TRY(next_row(&r->scan, &more, &line, err));
    if (!more)
        return ttp_fail(err, TTP_EPARSE, "no column names in the second line");
    r->columns = r->scan.nfields;
    return TTP_OK;
}

static ttp_code step(struct rows *r, bool *more, ttp_str *cell, uint64_t *line, struct ttp_err *err)
{
    TTP_TRY(next_row(&r->scan, more, line, err));
    if (!*more)
        return TTP_OK;
    const size_t n = r->scan.nfields;

    if (r->count++ == 0)
        r->width = n > r->columns ? n : r->columns;
    if (n > r->width || r->width > MAX_FIELDS || r->columns < TTP_PANDAS_COLUMNS) {
        if (r->columns < TTP_PANDAS_COLUMNS)
            ttp_fail(err, TTP_EPARSE, "%zu columns, not %d: the original cannot read this version",
                     r->columns, TTP_PANDAS_COLUMNS);
        else
            ttp_fail(err, TTP_EPARSE, "too many fields: %zu, not %zu", n, r->width);
        ttp_err_where(err, "", *line);
        return TTP_EPARSE;
    }
    /* more fields than names: the first ones become names of rows, and the rest moves left */
    const size_t skip = r->width - r->columns;
    for (size_t c = 0; c < TTP_PANDAS_COLUMNS; c++)
        cell[c] = skip + c < n ? r->scan.field[skip + c] : TTP_STR("");
    return TTP_OK;
}

/* The types of all columns, chunk by chunk. */
static ttp_code find_types(struct type_list *types, size_t *columns, ttp_str text,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    struct column_facts facts[TTP_PANDAS_COLUMNS] = {{0}};
    ttp_str cell[TTP_PANDAS_COLUMNS];
    struct rows r;
    uint64_t line;
    bool more;

    TTP_TRY(begin(&r, text, arena, err));
    *columns = r.columns;
    for (;;) {
        TTP_TRY(step(&r, &more, cell, &line, err));
        if (!more)
            break;
        for (size_t c = 0; c < TTP_PANDAS_COLUMNS; c++)
            look_at(&facts[c], cell[c]);
        if (r.count % CHUNK_ROWS == 0)
            end_chunk(types, facts, arena);
    }
    if (r.count % CHUNK_ROWS)
        end_chunk(types, facts, arena);
    join_chunks(types);
    return TTP_OK;
}

ttp_code ttp_pandas_read(size_t *columns, ttp_str text, ttp_pandas_row_fn *take, void *arg,
                         struct ttp_arena *arena, struct ttp_err *err)
{
    struct type_list types = {0};
    ttp_str cell[TTP_PANDAS_COLUMNS];
    struct rows r;
    uint64_t line;
    bool more;

    TTP_TRY(find_types(&types, columns, text, arena, err));
    TTP_TRY(begin(&r, text, arena, err));
    for (;;) {
        TTP_TRY(step(&r, &more, cell, &line, err));
        if (!more)
            return TTP_OK;
        TTP_TRY(take(arg, cell, types.chunk[(r.count - 1) / CHUNK_ROWS], line, err));
    }
}
