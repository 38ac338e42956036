/* SPDX-License-Identifier: Apache-2.0 */
/* ops_csv.c - read ops_perf_results CSVs: blocks of whole rows are parsed by workers, appended in
 * file order, and when a file is complete its columns get their types, as pandas would give them.
 */
#include <inttypes.h>
#include <math.h>

#include "base/arena_pool.h"
#include "base/par.h"
#include "ops/ops_block.h"
#include "ops/ops_ranks.h"
#include "ops/ops_repeats.h"
#include "ops/ops_settle.h"

/* Positions in a block are 32 bits wide, and rows are numbered with 32 bits. */
#define WINDOW   ((size_t)1 << 20)
#define MAX_ROWS ((size_t)1 << 31)
/* tt-metal writes some 130. */
#define MAX_COLUMNS ((size_t)1 << 16)

struct file_reader {
    struct ttp_ops *ops;
    const struct ttp_ops_read_options *options;
    const char *path;
    struct ttp_arena *arena;
    struct ttp_input *input;
    struct ttp_arena_pool arenas; /* of blocks */
    struct ttp_progress progress;

    bool header_read, columns_added, first_row_seen;
    struct ttp_ops_header header;
    size_t first_row; /* of this file */
    size_t cap;       /* rows the columns have room for */
    uint64_t lines;   /* of the blocks merged so far */
    /* Rows with fewer cells than the header, and the first of them; a last row that the end of the
     * file cuts is not one. */
    size_t short_rows, short_fields;
    uint64_t short_line;
    unsigned seen[TTP_OPS_TEXTS];
};

static size_t cut_rows(ttp_str text, bool last, void *arg)
{
    (void)arg;
    return ttp_csv_whole_rows(text, ',', last);
}

/* Room for `rows` rows in every column that any file has had. */
static void reserve(struct file_reader *f, size_t rows)
{
    struct ttp_ops *ops = f->ops;

    if (rows <= f->cap)
        return;
    f->cap = rows + rows / 2;
    for (size_t c = 0; c < TTP_OPS_TEXTS; c++)
        if (ops->text[c].sym)
            ops->text[c].sym =
                ttp_arena_resize(f->arena, ops->text[c].sym, f->cap * sizeof(ttp_sym));
    for (size_t c = 0; c < TTP_OPS_NUMBERS; c++) {
        struct ttp_number_column *n = &ops->number[c];
        if (!n->kind)
            continue;
        n->kind = ttp_arena_resize(f->arena, n->kind, f->cap);
        n->value = ttp_arena_resize(f->arena, n->value, f->cap * sizeof(*n->value));
    }
}

/* Small files are one block: their columns take exactly the room they need. */
static void *new_column(const struct file_reader *f, bool only_block, size_t size)
{
    return only_block ? ttp_arena_alloc(f->arena, f->cap, size, 64)
                      : ttp_arena_resize(f->arena, NULL, f->cap * size);
}

/* Columns that this file is the first to have: zero memory means missing in all rows so far. */
static void add_columns(struct file_reader *f, const struct ttp_ops_block *first)
{
    struct ttp_ops *ops = f->ops;
    const bool only_block = ops->files == 1 && first->input.last;

    f->columns_added = true;
    if (only_block)
        f->cap = first->rows;

    for (size_t c = 0; c < TTP_OPS_TEXTS; c++)
        if (f->header.text[c] != TTP_NPOS && !ops->text[c].sym)
            ops->text[c].sym = new_column(f, only_block, sizeof(ttp_sym));
    for (size_t c = 0; c < TTP_OPS_NUMBERS; c++) {
        struct ttp_number_column *n = &ops->number[c];
        if (f->header.number[c] == TTP_NPOS || n->kind)
            continue;
        n->kind = new_column(f, only_block, 1);
        n->value = new_column(f, only_block, sizeof(*n->value));
    }
}

static ttp_code check_header(struct file_reader *f, const ttp_str *name, size_t count,
                             struct ttp_err *err)
{
    static const enum ttp_ops_text needed[] = {TTP_OPS_CODE, TTP_OPS_TYPE};
    ttp_code rc = TTP_OK;

    ttp_ops_match_header(&f->header, name, count);
    for (size_t i = TTP_OPS_SUB_DEVICE; i < TTP_OPS_NUMBERS && f->options->rules.few_columns; i++)
        f->header.number[i] = TTP_NPOS;
    for (size_t i = TTP_OPS_IN0_LAYOUT; i < TTP_OPS_DIMS && f->options->rules.few_columns; i++)
        f->header.text[i] = TTP_NPOS;
    if (f->options->rules.data_frame) /* noticed when they are needed */
        return TTP_OK;
    if (f->header.number[TTP_OPS_DEVICE] == TTP_NPOS) {
        f->ops->refusal = TTP_REFUSED_NO_DEVICE_ID;
        rc = ttp_ops_explain_header(name, count, ttp_ops_number_name(TTP_OPS_DEVICE), err);
    }
    for (size_t i = 0; i < TTP_COUNT(needed) && rc == TTP_OK; i++)
        if (f->header.text[needed[i]] == TTP_NPOS)
            rc = ttp_ops_explain_header(name, count, ttp_ops_text_name(needed[i]), err);
    if (rc != TTP_OK)
        ttp_err_where(err, f->path, 1);
    return rc;
}

/* Take the header line off the first block that has a row; *body is what follows it. */
static ttp_code read_header(struct file_reader *f, struct ttp_ops_block *b, struct ttp_err *err)
{
    struct ttp_csv csv = {.text = b->input.text, .sep = ','};
    struct ttp_csv_row row = {0};
    uint32_t few[512];

    if (!f->options->rules.data_frame) {
        const ttp_code rc = ttp_ops_check_content(ttp_str_slice(csv.text, 0, 4096), err);
        if (rc != TTP_OK) {
            ttp_err_where(err, f->path, 1);
            return rc;
        }
    }
    row.end = few;
    row.max = TTP_COUNT(few) - 64; /* the index may write a little ahead */
    if (!ttp_csv_next(&csv, &row)) {
        b->lines_before = csv.lines;
        return TTP_OK;
    }
    if (row.nfields > MAX_COLUMNS) {
        const ttp_code rc = ttp_fail(err, TTP_ELIMIT, "more than %zu columns", MAX_COLUMNS);
        ttp_err_where(err, f->path, 1);
        return rc;
    }
    if (row.nfields > row.max) { /* again, with room for all of them */
        row.max = row.nfields;
        row.end = TTP_NEW(&b->arena, uint32_t, row.max + 64);
        csv = (struct ttp_csv){.text = b->input.text, .sep = ','};
        (void)ttp_csv_next(&csv, &row);
    }
    if (row.open_quote || ttp_str_valid_utf8(ttp_str_slice(csv.text, 0, csv.row)) != csv.row) {
        const ttp_code rc = ttp_fail(err, TTP_EPARSE, "the first line is not text: not a CSV file");
        ttp_err_where(err, f->path, 1);
        return rc;
    }
    ttp_str *name = TTP_NEW(&b->arena, ttp_str, row.nfields);
    for (size_t i = 0; i < row.nfields; i++) {
        name[i] = ttp_csv_field(&csv, &row, i, &b->arena);
        if (f->options->rules.data_frame)
            name[i] = ttp_ops_cut_at_nul(name[i]);
    }
    TTP_TRY(check_header(f, name, row.nfields, err));
    f->header_read = true;
    b->body = ttp_str_slice(csv.text, csv.row, csv.text.len);
    b->lines_before = csv.lines;
    return TTP_OK;
}

/* pandas takes a first row longer than the header for one whose leading fields are row labels, and
 * so the leading fields of every row. */
static ttp_code learn_row_labels(struct file_reader *f, const struct ttp_ops_block *b,
                                 struct ttp_err *err)
{
    struct ttp_csv csv = {.text = b->body, .sep = ','};
    uint32_t few[65];
    struct ttp_csv_row row = {.end = few, .max = 1};

    if (!ttp_csv_next(&csv, &row))
        return TTP_OK;
    f->first_row_seen = true;
    if (row.nfields > MAX_COLUMNS)
        return ttp_fail(err, TTP_ELIMIT, "more than %zu columns", MAX_COLUMNS);
    if (row.nfields > f->header.columns)
        ttp_ops_shift_header(&f->header, row.nfields - f->header.columns);
    return TTP_OK;
}

static void drop(void *ctx, void *item)
{
    struct file_reader *f = ctx;
    struct ttp_ops_block *b = item;

    ttp_input_release(f->input, &b->input);
    ttp_arena_pool_give(&f->arenas, &b->arena);
}

static ttp_code produce(void *ctx, void *item, bool *more, struct ttp_err *err)
{
    struct file_reader *f = ctx;
    struct ttp_ops_block *b = item;

    for (;;) {
        ttp_code rc =
            ttp_input_next(f->input, &b->input, more, (struct ttp_cutter){cut_rows, NULL}, err);
        if (rc != TTP_OK)
            ttp_err_where(err, f->path, 0);
        if (rc != TTP_OK || !*more)
            return rc;
        ttp_progress_update(&f->progress, ttp_input_position(f->input));
        b->arena = ttp_arena_pool_take(&f->arenas);
        b->body = b->input.text;
        if (!f->header_read)
            rc = read_header(f, b, err);
        if (rc == TTP_OK && f->header_read && f->options->rules.data_frame && !f->first_row_seen)
            rc = learn_row_labels(f, b, err);
        if (rc == TTP_OK && f->header_read)
            return TTP_OK;
        drop(f, b);
        if (rc != TTP_OK)
            return rc;
        f->lines += b->lines_before; /* nothing but blank lines so far */
    }
}

static ttp_code work(void *ctx, void *item, struct ttp_err *err)
{
    const struct file_reader *f = ctx;

    (void)err;
    ttp_ops_parse_block(item, &f->header, f->options->rules.data_frame);
    return TTP_OK;
}

static ttp_code report_bad_row(const struct file_reader *f, const struct ttp_ops_block *b,
                               struct ttp_err *err)
{
    const uint64_t line = f->lines + b->lines_before + b->problem_line + 1;
    ttp_code rc;

    if (b->problem == TTP_ROW_TOO_LONG) {
        rc = ttp_fail(err, TTP_EPARSE, "%zu fields in this row, but the header has %zu",
                      b->problem_fields, f->header.columns);
        ttp_err_hint(err, "the file is damaged, or two files were joined; cells with commas must "
                          "be quoted");
    } else if (b->problem == TTP_ROW_OPEN_QUOTE) {
        rc =
            ttp_fail(err, TTP_EPARSE, "the file ends inside a quoted cell that begins in this row");
        ttp_err_hint(err, "the file is truncated; copy it again");
    } else if (b->problem == TTP_ROW_HEADER) {
        rc = ttp_fail(err, TTP_EPARSE, "a second header: files were joined");
        ttp_err_hint(err, "pass the files one by one");
    } else {
        rc = ttp_fail(err, TTP_EPARSE, "the text is not UTF-8");
    }
    ttp_err_where(err, f->path, line);
    return rc;
}

static bool is_control(ttp_str s, size_t at)
{
    const unsigned char c = (unsigned char)s.ptr[at];

    if (c == 0xC2 && at + 1 < s.len) /* U+0080 to U+009F */
        return (unsigned char)s.ptr[at + 1] < 0xA0;
    return c < 0x20 || c == 0x7F;
}

/* Names end up on terminals: control characters go, line ends and tabs become blanks. */
static ttp_sym intern_plain(struct ttp_symtab *syms, ttp_str s, struct ttp_arena *arena)
{
    char *out = TTP_NEW(arena, char, s.len);
    size_t n = 0;

    for (size_t i = 0; i < s.len; i++)
        if (!is_control(s, i))
            out[n++] = s.ptr[i];
        else if (s.ptr[i] == '\t' || s.ptr[i] == '\n' || s.ptr[i] == '\r')
            out[n++] = ' ';
        else
            i += (unsigned char)s.ptr[i] == 0xC2;
    return ttp_sym_intern(syms, (ttp_str){out, n});
}

static void make_plain(struct ttp_ops *ops, struct ttp_ops_block *b, ttp_sym *map)
{
    for (uint32_t i = 0; i < b->syms.count; i++) {
        const ttp_str name = b->syms.name[i];
        size_t at = 0;

        while (at < name.len && !is_control(name, at))
            at++;
        if (at < name.len)
            map[i] = intern_plain(&ops->syms, name, &b->arena);
    }
}

/* Of a file that ends without the end of a line: is its last row whole? */
static bool note_cut_row(struct file_reader *f, const struct ttp_ops_block *b)
{
    struct ttp_sink text;

    if (b->rows == 0 || b->problem_fields >= f->header.columns ||
        b->body.ptr[b->body.len - 1] == '\n')
        return false;
    ttp_sink_to_arena(&text, f->arena);
    ttp_sink_printf(&text,
                    "'%s' ends in the middle of line %" PRIu64
                    ", with %zu of %zu cells: it is truncated",
                    f->path, f->lines + b->lines_before + b->problem_line + 1, b->problem_fields,
                    f->header.columns);
    ttp_words_add(&f->ops->problems, ttp_arena_zstr(f->arena, ttp_sink_text(&text)), f->arena);
    f->ops->truncated = true;
    return true;
}

/* Rows that lack cells: figures of the others may be wrong, because ops or the borders of
 * an iteration may be missing. */
static void note_short_rows(struct file_reader *f, const struct ttp_ops_block *b)
{
    const size_t rows = b->short_rows - note_cut_row(f, b);

    if (rows && f->short_rows == 0) {
        f->short_line = f->lines + b->lines_before + b->short_line + 1;
        f->short_fields = b->short_fields;
    }
    f->short_rows += rows;
}

static void tell_short_rows(const struct file_reader *f)
{
    struct ttp_sink text;

    if (f->short_rows == 0)
        return;
    ttp_sink_to_arena(&text, f->arena);
    ttp_sink_printf(&text, "line %" PRIu64 " of '%s' has %zu of %zu cells", f->short_line, f->path,
                    f->short_fields, f->header.columns);
    if (f->short_rows > 1)
        ttp_sink_printf(&text, ", and %zu more line%s", f->short_rows - 1,
                        f->short_rows == 2 ? " lacks cells" : "s lack cells");
    const char *words = ttp_arena_zstr(f->arena, ttp_sink_text(&text));
    ttp_words_add(&f->ops->problems, words, f->arena);
    if (!f->ops->damage)
        f->ops->damage = words;
}

static ttp_code merge(void *ctx, void *item, struct ttp_err *err)
{
    struct file_reader *f = ctx;
    struct ttp_ops_block *b = item;
    struct ttp_ops *ops = f->ops;

    if (b->problem != TTP_ROW_FINE)
        return report_bad_row(f, b, err);
    if (ops->rows + b->rows > MAX_ROWS)
        return ttp_fail(err, TTP_ELIMIT, "more than %zu rows", MAX_ROWS);
    if (!f->columns_added)
        add_columns(f, b);
    reserve(f, ops->rows + b->rows);
    ttp_sym *map = TTP_NEW(&b->arena, ttp_sym, b->syms.count);
    ttp_sym_merge(&ops->syms, &b->syms, map);
    if (!f->options->rules.data_frame)
        make_plain(ops, b, map);
    for (size_t c = 0; c < TTP_OPS_TEXTS; c++) {
        if (f->header.text[c] == TTP_NPOS || !b->text[c])
            continue;
        ttp_sym *to = ops->text[c].sym + ops->rows;
        for (size_t r = 0; r < b->rows; r++)
            to[r] = map[b->text[c][r]];
        f->seen[c] |= b->seen[c];
    }
    for (size_t c = 0; c < TTP_OPS_NUMBERS; c++) {
        if (f->header.number[c] == TTP_NPOS || !b->kind[c])
            continue;
        memcpy(ops->number[c].kind + ops->rows, b->kind[c], b->rows);
        union ttp_cell_value *to = ops->number[c].value + ops->rows;
        memcpy(to, b->value[c], b->rows * sizeof(*to));
        for (size_t r = 0; r < b->rows; r++)
            if (b->kind[c][r] == TTP_CELL_RAW)
                to[r].text = map[b->value[c][r].text];
    }
    ops->rows += b->rows;
    ops->bad_utf8_cells += b->bad_utf8_cells;
    if (!f->options->rules.data_frame)
        note_short_rows(f, b);
    f->lines += b->lines_before + b->lines;
    return TTP_OK;
}

/* Ids beyond this are junk; where files must agree in them they count as far as 64 bits go. */
#define MAX_DEVICE_ID       1e9
#define MAX_DEVICE_ID_AGREE 0x1p62

/* Largest device id of the rows from `from` on, within +-limit; -1 if there is none. False: it is
 * infinite. */
static bool max_device(const struct ttp_ops *ops, size_t from, double limit, int64_t *out)
{
    double max = -1, v;
    bool any = false;

    *out = -1;
    for (size_t r = from; r < ops->rows; r++) {
        const struct ttp_cell c = ttp_ops_cell(ops, TTP_OPS_DEVICE, r);
        if (!ttp_cell_f64(c, &v) || (any && !(v > max)))
            continue;
        max = v;
        any = true;
        *out = c.kind == TTP_CELL_INT && fabs(v) < limit ? c.v.i
                                                         : (int64_t)fmin(fmax(v, -limit), limit);
    }
    return !isinf(max);
}

static void shift_devices(struct ttp_ops *ops, size_t from, int64_t by)
{
    struct ttp_number_column *n = &ops->number[TTP_OPS_DEVICE];

    for (size_t r = from; r < ops->rows && by; r++) {
        if (n->kind[r] == TTP_CELL_INT)
            (void)__builtin_add_overflow(n->value[r].i, by, &n->value[r].i);
        else if (n->kind[r] == TTP_CELL_FLOAT)
            n->value[r].f += (double)by;
    }
}

/* Give the ids of this file numbers after those of the files before it. */
static ttp_code stack_devices(struct file_reader *f, size_t index, int64_t *devices_before,
                              struct ttp_err *err)
{
    struct ttp_ops *ops = f->ops;
    const bool same = f->options->rules.same_devices;
    const double limit = same ? MAX_DEVICE_ID_AGREE : MAX_DEVICE_ID;
    int64_t max;

    if (!max_device(ops, f->first_row, limit, &max) && same)
        return ttp_fail(err, TTP_EPARSE, "a device id is infinite");
    if (index == 0)
        ops->expected_max_device = max < 0 ? -1 : max;
    const int64_t devices = max < 0 ? 0 : max + 1;
    if (devices != ops->expected_max_device + 1 && same) {
        ops->refusal = TTP_REFUSED_DEVICE_COUNT;
        ops->refused_max_device = max;
        return ttp_fail(err, TTP_EPARSE, "largest device id %lld, expected %lld", (long long)max,
                        (long long)ops->expected_max_device);
    }
    shift_devices(ops, f->first_row, *devices_before);
    if (__builtin_add_overflow(*devices_before, devices, devices_before))
        *devices_before = INT64_MAX;
    return TTP_OK;
}

/* The rows of the file as they were read: what their columns are is decided once more, with the
 * rows of other tables. */
static void keep_rows(const struct file_reader *f)
{
    const struct ttp_ops *ops = f->ops;
    struct ttp_ops_rows *out = TTP_NEW(f->arena, struct ttp_ops_rows, 1);
    struct ttp_ops_block *b = &out->block;

    ttp_ops_rows_begin(out, &f->header, ops->rows);
    ttp_sym *map = TTP_NEW(&b->arena, ttp_sym, ops->syms.count);
    ttp_sym_merge(&b->syms, &ops->syms, map);
    for (size_t c = 0; c < TTP_OPS_TEXTS; c++)
        for (size_t r = 0; b->text[c] && r < ops->rows; r++)
            b->text[c][r] = map[ops->text[c].sym[r]];
    for (size_t c = 0; c < TTP_OPS_NUMBERS; c++)
        for (size_t r = 0; b->kind[c] && r < ops->rows; r++) {
            b->kind[c][r] = ops->number[c].kind[r];
            b->value[c][r] = ops->number[c].value[r];
            if (b->kind[c][r] == TTP_CELL_RAW)
                b->value[c][r].text = map[b->value[c][r].text];
        }
    b->rows = ops->rows;
    b->bad_utf8_cells = ops->bad_utf8_cells;
    ttp_ops_block_finish(b);
    *f->options->kept = out;
}

/* What ran once counts once: all times of a file with such rows are too large, or twice as sure. */
static ttp_code check_repeats(const struct file_reader *f, struct ttp_err *err)
{
    size_t first, again;

    if (!ttp_ops_find_repeat(f->ops, f->first_row, &first, &again))
        return TTP_OK;
    (void)ttp_fail(err, TTP_EPARSE,
                   "the execution of line %zu again: GLOBAL CALL COUNT, DEVICE ID and cycles are "
                   "the same",
                   first - f->first_row + 2);
    ttp_err_hint(err, "rows were duplicated, or a file was joined with itself; copy it again");
    ttp_err_where(err, f->path, again - f->first_row + 2);
    return TTP_EPARSE;
}

static ttp_code finish_file(struct file_reader *f, size_t index, int64_t *devices_before,
                            struct ttp_err *err)
{
    struct ttp_ops *ops = f->ops;

    if (f->header.number[TTP_OPS_DEVICE] == TTP_NPOS) {
        ops->refusal = TTP_REFUSED_NO_DEVICE_ID;
        return ttp_fail(err, TTP_EPARSE, "no '%s' column", ttp_ops_number_name(TTP_OPS_DEVICE));
    }
    tell_short_rows(f);
    if (f->options->kept)
        keep_rows(f);
    for (size_t c = 0; c < TTP_OPS_NUMBERS; c++)
        if (f->header.number[c] != TTP_NPOS)
            ttp_ops_settle_number(ops, &ops->number[c], f->first_row, f->options->rules.data_frame);
    for (size_t c = 0; c < TTP_OPS_TEXTS; c++) {
        struct ttp_text_column *t = &ops->text[c];
        if (f->header.text[c] == TTP_NPOS ||
            !ttp_ops_settle_text(ops, t, f->first_row, f->seen[c], f->options->rules.data_frame))
            continue;
        if (!t->numeric)
            t->numeric = TTP_NEW(f->arena, bool, ops->files);
        t->numeric[index] = true;
    }
    ttp_ops_settle_device(ops, f->first_row);
    if (!f->options->rules.data_frame && f->header_read)
        TTP_TRY(check_repeats(f, err));
    if (!f->options->rules.data_frame && f->header.number[TTP_OPS_RANK] != TTP_NPOS)
        ttp_ops_number_ranks(ops, f->first_row, *devices_before, f->arena);
    return stack_devices(f, index, devices_before, err);
}

/* Start with the next file. */
static void begin_file(struct file_reader *f, const char *path)
{
    f->path = path;
    f->first_row = f->ops->rows;
    f->header_read = f->columns_added = f->first_row_seen = false;
    f->lines = 0;
    f->short_rows = 0;
    memset(f->seen, 0, sizeof(f->seen));
}

static ttp_code take_rows(struct file_reader *f, struct ttp_ops_rows *rows, struct ttp_err *err)
{
    TTP_TRY(check_header(f, rows->name, rows->columns, err));
    return merge(f, &rows->block, err);
}

static ttp_code read_file(struct file_reader *f, struct ttp_err *err)
{
    static const struct ttp_pipeline stages = {sizeof(struct ttp_ops_block), produce, work, merge,
                                               drop};
    ttp_code rc = ttp_input_open(&f->input, f->path, WINDOW, true, err);

    if (rc != TTP_OK) {
        ttp_err_where(err, f->path, 0);
        return rc;
    }
    ttp_progress_init(&f->progress, f->path, ttp_input_size(f->input), f->options->progress);
    ttp_arena_pool_init(&f->arenas);
    rc = ttp_par_pipeline(&stages, f, f->options->threads, err);
    ttp_arena_pool_clear(&f->arenas);
    if (rc == TTP_OK && !f->header_read) {
        rc = ttp_fail(err, TTP_EPARSE, "the file is empty: no columns to read");
        ttp_err_where(err, f->path, 0);
    }
    ttp_progress_clear(&f->progress);
    ttp_input_close(f->input);
    return rc;
}

ttp_code ttp_ops_read_csv(struct ttp_ops *out, struct ttp_paths paths,
                          const struct ttp_ops_read_options *options, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct file_reader f = {.ops = out, .options = options, .arena = arena, .cap = 1024};
    int64_t devices_before = 0;
    bool padded = false;

    *out = (struct ttp_ops){.files = paths.count, .syms = {.arena = arena}};
    ttp_sym_intern(&out->syms, (ttp_str){0});
    out->first_row = TTP_NEW(arena, size_t, paths.count + 1);
    for (size_t i = 0; i < paths.count; i++) {
        out->refused_file = i;
        out->first_row[i] = out->rows;
        begin_file(&f, paths.path[i]);
        struct ttp_ops_rows *rows = options->rows ? options->rows[i] : NULL;
        TTP_TRY(rows ? take_rows(&f, rows, err) : read_file(&f, err));
        TTP_TRY(finish_file(&f, i, &devices_before, err));
        padded |= f.header.padded_dims;
    }
    out->first_row[paths.count] = out->rows;
    ttp_ops_settle_stack(out);
    if (out->text[TTP_OPS_ARCH].sym || out->number[TTP_OPS_AVAILABLE_CORES].kind)
        out->format = TTP_FORMAT_V21;
    else
        out->format = padded ? TTP_FORMAT_V2 : TTP_FORMAT_V1;
    return TTP_OK;
}
