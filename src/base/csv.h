/* SPDX-License-Identifier: Apache-2.0 */
/* csv.h - delimited text, a row at a time, without copying it.
 *
 * Rows end at LF, CRLF or CR. A field that begins with '"' is quoted: separators and line ends
 * inside do not count, a doubled quote is one quote, and text between the closing quote and the
 * next separator is kept as is. A quote anywhere else is an ordinary character. Empty lines
 * and lines of only blanks and tabs are skipped. A reader belongs to one thread. */
#ifndef TTP_BASE_CSV_H
#define TTP_BASE_CSV_H

#include "base/arena.h"
#include "base/err.h"

/* How many fields and rows a reader may look ahead; private. */
enum { TTP_CSV_AHEAD = 1024, TTP_CSV_ROWS_AHEAD = 512 };

struct ttp_csv {
    ttp_str text;   /* set by the caller: whole rows, less than 4 GiB; no byte order mark */
    char sep;       /* set by the caller: any byte but '"', CR and LF */
    size_t row;     /* first byte of the row that comes next */
    uint64_t lines; /* line ends passed so far, those inside quotes and of skipped lines included */
    bool high;      /* a byte above 127 has been seen; the reader looks a few KiB ahead of `row` */

    /* Private: field ends found so far and not yet handed out, and the reader's place. */
    bool careful;      /* `marked` lies inside quotes or after a CR */
    bool in_quote;     /* `marked` lies inside quotes */
    bool after_quote;  /* the byte before `marked`, if a quote, was a closing one */
    bool quoted_lines; /* a line end inside quotes has been seen */
    size_t marked;     /* how far the text has been looked at, in 64-byte blocks */
    size_t nends;      /* used part of `end` */
    size_t taken;      /* of which rows have been handed out */
    size_t nrows;      /* used part of `row_end` */
    size_t rows_taken;
    uint32_t end[TTP_CSV_AHEAD];          /* separators and row ends; of a CRLF only the CR */
    uint16_t row_end[TTP_CSV_ROWS_AHEAD]; /* which of them are row ends */
};

/* Where the fields of one row lie in the text. Field i is the bytes between end[i - 1] + 1 (or
 * `start`) and end[i], including quotes. */
struct ttp_csv_row {
    size_t start;
    uint32_t *end;   /* set by the caller: room for `max` positions */
    size_t max;      /* set by the caller */
    size_t nfields;  /* may exceed max: surplus fields are counted, not kept */
    uint64_t line;   /* of its first byte, from 0 */
    bool open_quote; /* the text ended inside a quoted field */
};

/* Index the next row. False at the end of the text. */
bool ttp_csv_next(struct ttp_csv *c, struct ttp_csv_row *row);

/* Field i < min(nfields, max) of the row, quotes undone. Points into the text unless quotes had to
 * be undone in the middle: then into `scratch`. */
ttp_str ttp_csv_field(const struct ttp_csv *c, const struct ttp_csv_row *row, size_t i,
                      struct ttp_arena *scratch);

/* Number of leading bytes of `text` that are whole rows, i.e. the position after the last row end
 * outside quotes, where text[0] begins a row; text.len if `last` (nothing follows). 0: not one
 * whole row.
 */
size_t ttp_csv_whole_rows(ttp_str text, char sep, bool last);

/* Name of the instruction set in use: "scalar", "sse2", "avx2", "avx512" or "neon". */
const char *ttp_csv_kernel_name(void);

#endif
