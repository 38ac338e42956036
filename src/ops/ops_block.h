/* SPDX-License-Identifier: Apache-2.0 */
/* ops_block.h - rows of one block of a CSV as columns, made by a worker on its own. Private to ops.
 */
#ifndef TTP_OPS_OPS_BLOCK_H
#define TTP_OPS_OPS_BLOCK_H

#include "base/csv.h"
#include "base/input.h"
#include "ops/ops_columns.h"

/* In a block a number cell is either one that prints back as it was written, or its text. */
#define TTP_CELL_RAW TTP_CELL_TEXT

struct ttp_ops_block {
    struct ttp_block input;
    ttp_str body;          /* the rows, without the header line */
    uint64_t lines_before; /* lines of the same block that precede `body` */

    struct ttp_arena arena; /* holds everything below */
    struct ttp_symtab syms; /* symbol 0 is the missing cell */
    ttp_sym *recent;        /* texts met last, by a hash of little of them */
    size_t rows, cap;
    ttp_sym *text[TTP_OPS_TEXTS]; /* only of columns the file has */
    uint8_t *kind[TTP_OPS_NUMBERS];
    union ttp_cell_value *value[TTP_OPS_NUMBERS];
    unsigned seen[TTP_OPS_TEXTS]; /* bit k: a cell of kind k */
    uint64_t lines;               /* in `body` */
    size_t bad_utf8_cells;

    enum {
        TTP_ROW_FINE,
        TTP_ROW_TOO_LONG,
        TTP_ROW_OPEN_QUOTE,
        TTP_ROW_BAD_UTF8,
        TTP_ROW_HEADER, /* the header once more */
    } problem;
    uint64_t problem_line; /* of `body`, from 0; of a block without a problem: its last row */
    size_t problem_fields;

    /* Rows with fewer cells than the header, and the first of them. */
    size_t short_rows;
    uint64_t short_line;
    size_t short_fields;
};

/* Parse `body`; a bad row ends the block with `problem` set. data_frame: text that is not UTF-8 is
 * refused, else it is repaired; a cell ends at a NUL byte, and a second header is a row. */
void ttp_ops_parse_block(struct ttp_ops_block *b, const struct ttp_ops_header *h, bool data_frame);

/* Fill a block cell by cell: begin, reserve room for rows, put every column of the header, count
 * the row, finish. Texts that are not UTF-8 must be repaired before. */
void ttp_ops_block_begin(struct ttp_ops_block *b);
void ttp_ops_block_reserve(struct ttp_ops_block *b, const struct ttp_ops_header *h, size_t cap);
void ttp_ops_block_put_text(struct ttp_ops_block *b, size_t column, ttp_str cell);
void ttp_ops_block_put_number(struct ttp_ops_block *b, size_t column, ttp_str cell);
void ttp_ops_block_finish(struct ttp_ops_block *b);
/* The cell, with U+FFFD for every byte that is not UTF-8; such cells are counted. */
ttp_str ttp_ops_block_repair(struct ttp_ops_block *b, ttp_str cell);

/* Rows that were never text. */
struct ttp_ops_rows {
    ttp_str *name; /* of the columns of their report */
    size_t columns;
    struct ttp_ops_block block;
};

/* Ready to be filled: the columns of `header` that reports read, and no other. */
void ttp_ops_rows_begin(struct ttp_ops_rows *out, const struct ttp_ops_header *header, size_t rows);

/* What pandas sees of a cell: its strings are C's. */
static inline ttp_str ttp_ops_cut_at_nul(ttp_str s)
{
    return ttp_str_slice(s, 0, ttp_str_find_char(s, '\0'));
}

#endif
