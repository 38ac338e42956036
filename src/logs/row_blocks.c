/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/row_blocks.h"

#include "base/arena_pool.h"
#include "base/par.h"
#include "base/progress.h"
#include "base/python_text.h"

struct reading {
    const struct ttp_row_reader *reader;
    void *ctx;
    struct ttp_input *in;
    struct ttp_progress progress;
    struct ttp_arena_pool arenas; /* of blocks */
    bool started;
};

/* The first block must hold all header lines. */
static size_t cut_header(ttp_str text, bool last, void *arg)
{
    const struct reading *r = arg;
    ttp_str rest = text;

    for (size_t i = 0; i < r->reader->header_lines && !last; i++) {
        const size_t end = ttp_str_find_char(rest, '\n');
        if (end == TTP_NPOS)
            return 0;
        rest = ttp_str_slice(rest, end + 1, rest.len);
    }
    return ttp_input_cut_lines(text, last, arg);
}

static ttp_code produce(void *ctx, void *item, bool *more, struct ttp_err *err)
{
    struct reading *r = ctx;
    struct ttp_row_block *b = item;
    size_t skip = 0;

    TTP_TRY(ttp_input_next(r->in, &b->block, more,
                           (struct ttp_cutter){r->started ? ttp_input_cut_lines : cut_header, r},
                           err));
    ttp_progress_update(&r->progress, ttp_input_position(r->in));
    if (!r->started) {
        r->started = true;
        const ttp_code rc = r->reader->header(r->ctx, b->block.text, &skip, err);
        if (rc != TTP_OK) {
            if (*more)
                ttp_input_release(r->in, &b->block);
            return rc;
        }
    }
    if (*more) {
        b->rows = skip ? ttp_str_slice(b->block.text, skip, b->block.text.len) : b->block.text;
        b->arena = ttp_arena_pool_take(&r->arenas);
    }
    return TTP_OK;
}

static ttp_code work(void *ctx, void *item, struct ttp_err *err)
{
    const struct reading *r = ctx;

    (void)err;
    r->reader->work(r->ctx, item);
    return TTP_OK;
}

static ttp_code merge(void *ctx, void *item, struct ttp_err *err)
{
    const struct reading *r = ctx;

    return r->reader->merge(r->ctx, item, err);
}

static void drop(void *ctx, void *item)
{
    struct reading *r = ctx;
    struct ttp_row_block *b = item;

    ttp_input_release(r->in, &b->block);
    ttp_arena_pool_give(&r->arenas, &b->arena);
}

ttp_code ttp_logs_row_blocks_read(const struct ttp_row_reader *reader, void *ctx, const char *path,
                                  const struct ttp_logs_options *options, struct ttp_err *err)
{
    const struct ttp_pipeline pipeline = {reader->item_size, produce, work, merge, drop};
    struct reading r = {.reader = reader, .ctx = ctx};

    TTP_TRY(ttp_input_open(&r.in, path, reader->window, true, err));
    ttp_progress_init(&r.progress, options->doing ? options->doing : reader->what,
                      ttp_input_size(r.in), options->progress);
    ttp_arena_pool_init(&r.arenas);
    const ttp_code rc = ttp_par_pipeline(&pipeline, &r, options->threads, err);
    ttp_arena_pool_clear(&r.arenas);
    ttp_progress_clear(&r.progress);
    ttp_input_close(r.in);
    if (rc != TTP_OK && err)
        ttp_err_where(err, path, err->line);
    return rc;
}

ttp_code ttp_logs_row_find_columns(struct ttp_row_header *h, ttp_str text, struct ttp_err *err)
{
    ttp_str rest = text, line, field[TTP_ROW_COLUMNS_MAX];

    if (!ttp_str_next_line(&rest, &line))
        return ttp_fail(err, TTP_EPARSE, "the file is empty");
    h->columns = ttp_str_split(line, ',', field, TTP_ROW_COLUMNS_MAX);
    for (size_t c = 0; c < h->names; c++) {
        h->at[c] = TTP_NPOS;
        for (size_t i = 0; i < h->columns && i < TTP_ROW_COLUMNS_MAX; i++)
            if (ttp_str_eq(ttp_str_trim(field[i]), ttp_str_from(h->name[c])))
                h->at[c] = i;
        if (h->at[c] == TTP_NPOS)
            return ttp_fail(err, TTP_EPARSE, "no column '%s'", h->name[c]);
    }
    h->bytes = (size_t)(rest.ptr - text.ptr);
    return TTP_OK;
}

bool ttp_logs_row_id_behind_colon(ttp_str cell, int64_t *out)
{
    size_t colon = cell.len;

    while (colon > 0 && cell.ptr[colon - 1] != ':')
        colon--;
    return ttp_python_int(ttp_str_slice(cell, colon, cell.len), out);
}
