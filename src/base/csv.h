/* SPDX-License-Identifier: Apache-2.0 */
/* csv.h - delimited text, a row at a time, without copying it.
 *
 * Rows end at LF, CRLF or CR. A field that begins with '"' is quoted: separators and line ends
 * inside do not count, a doubled quote is one quote, and text between the closing quote and the
 * next separator is kept as it stands. A quote anywhere else is an ordinary character. Empty lines
 * and lines of only blanks and tabs are skipped. A reader belongs to one thread. */
#ifndef TTP_BASE_CSV_H
#define TTP_BASE_CSV_H

#include "base/arena.h"
#include "base/err.h"

struct ttp_csv {
    ttp_str text;   /* set by the caller: whole rows, less than 4 GiB; no byte order mark */
    char sep;       /* set by the caller: any byte but '"', CR and LF */
    size_t row;     /* first byte of the row that comes next */
    uint64_t lines; /* line ends passed so far, those inside quotes and of skipped lines included */
    bool high;      /* a byte above 127 has been seen up to the end of `block` */

    /* Private: the 64-byte block that the next row begins in. Bit i is byte block + i; of a CRLF
     * only the CR is marked. */
    bool started;
    bool in_quote;    /* the block ends inside quotes */
    bool after_quote; /* the block ends with a closing quote, if it ends with a quote at all */
    size_t block;     /* first byte of the block */
    uint64_t mask;    /* separators and row ends not yet consumed */
    uint64_t eol;     /* row ends among them */
    uint64_t quoted;  /* line ends inside quotes not yet counted */
};

/* Where the fields of one row lie in the text. Field i is the bytes between end[i - 1] + 1 (or
 * `start`) and end[i]; quotes still stand. */
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

/* How many leading bytes of `text` are whole rows, i.e. the position after the last row end outside
 * quotes, where text[0] begins a row; text.len if `last` (nothing follows). 0: not one whole row.
 */
size_t ttp_csv_whole_rows(ttp_str text, char sep, bool last);

/* Name of the instruction set in use: "scalar", "sse2", "avx2" or "neon". */
const char *ttp_csv_kernel_name(void);

#endif
