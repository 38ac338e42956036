/* SPDX-License-Identifier: Apache-2.0 */
/* row_blocks.h - private to logs: a file of header lines and rows, cut at row ends into blocks that
 * several threads read. */
#ifndef TTP_LOGS_ROW_BLOCKS_H
#define TTP_LOGS_ROW_BLOCKS_H

#include "base/input.h"
#include "logs/logs.h"

/* First member of a reader's item. Its content is valid until merge. */
struct ttp_row_block {
    struct ttp_block block;
    ttp_str rows;           /* without the header */
    struct ttp_arena arena; /* for what work and merge make of them */
};

/* Is the last row of the block, which is unreadable, cut off? Only the last block of a file may end
 * without the end of a line. */
static inline bool ttp_row_block_is_cut(const struct ttp_row_block *b, const struct ttp_fault *bad)
{
    return bad->count && b->rows.len && b->rows.ptr[b->rows.len - 1] != '\n';
}

/* How a kind of file is read. The functions see the `ctx` of ttp_logs_row_blocks_read(); item_size
 * bytes beginning with a struct ttp_row_block travel from work to merge. */
struct ttp_row_reader {
    const char *what; /* for the progress line */
    size_t window;    /* bytes in a block */
    size_t header_lines;
    size_t item_size;
    /* `text` begins with all header lines; *bytes is where the rows begin. Once, before any other.
     */
    ttp_code (*header)(void *ctx, ttp_str text, size_t *bytes, struct ttp_err *err);
    /* At the same time for different items. */
    void (*work)(const void *ctx, void *item);
    /* One after the other, in the order of the file. */
    ttp_code (*merge)(void *ctx, void *item, struct ttp_err *err);
};

/* Failures name `path`. Of an empty file `header` gets no text. */
TTP_NODISCARD ttp_code ttp_logs_row_blocks_read(const struct ttp_row_reader *reader, void *ctx,
                                                const char *path,
                                                const struct ttp_logs_options *options,
                                                struct ttp_err *err);

#define TTP_ROW_COLUMNS_MAX 64
/* The columns that a reader needs, and where they are. */
struct ttp_row_header {
    const char *const *name; /* in */
    size_t names;            /* in */
    size_t *at;              /* by name */
    size_t columns;          /* in all */
    size_t bytes;            /* where the rows begin */
};
/* From a header of one line with ',' between its fields. TTP_EPARSE: a column is missing. */
TTP_NODISCARD ttp_code ttp_logs_row_find_columns(struct ttp_row_header *h, ttp_str text,
                                                 struct ttp_err *err);
/* The op id of a zone's text, "...:12": what is after the last ':', or all. False: no number. */
bool ttp_logs_row_id_behind_colon(ttp_str cell, int64_t *out);

#endif
