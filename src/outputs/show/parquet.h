/* SPDX-License-Identifier: Apache-2.0 */
/* parquet.h - one table as an Apache Parquet file, written from its beginning to its end: nothing
 * is sought back to, and only one page is in memory. docs/formats/parquet.md describes the file.
 * Private to show.
 *
 * Order of calls: begin; for each part of the rows ttp_parquet_group(), then all values of its
 * first column, of its second, and so on; end. */
#ifndef TTP_OUTPUTS_SHOW_PARQUET_H
#define TTP_OUTPUTS_SHOW_PARQUET_H

#include "base/field.h"
#include "base/sink.h"
#include "outputs/trace/protobuf.h"

enum { TTP_PARQUET_GROUP_ROWS = 65536, TTP_PARQUET_PAGE_ROWS = 8192 };

enum ttp_parquet_type {
    TTP_PARQUET_BOOL,
    TTP_PARQUET_INT,
    TTP_PARQUET_REAL,
    TTP_PARQUET_TEXT,
    TTP_PARQUET_MOMENT, /* nanoseconds since 1970, UTC */
};
struct ttp_parquet_column {
    ttp_str name; /* UTF-8; no two are the same */
    enum ttp_parquet_type type;
};
struct ttp_parquet_note {
    ttp_str key, text; /* UTF-8 */
};

struct ttp_parquet_chunk;

struct ttp_parquet {
    struct ttp_sink *out;    /* without a gate */
    struct ttp_arena *arena; /* for pages and for what the end of the file lists */
    const struct ttp_parquet_column *column;
    size_t columns;
    bool zstd;
    uint64_t at; /* bytes written */
    /* what is written so far; `columns` chunks for each group */
    uint32_t *group_rows;
    size_t groups;
    struct ttp_parquet_chunk *chunk;
    size_t chunks;
    size_t in_chunk; /* values of the last one */
    /* the current page */
    uint8_t known[TTP_PARQUET_PAGE_ROWS / 8]; /* one bit for each row */
    size_t rows, nulls, bits;
    struct ttp_pb values, page, head;
};

void ttp_parquet_begin(struct ttp_parquet *p, struct ttp_sink *out,
                       const struct ttp_parquet_column *column, size_t columns,
                       struct ttp_arena *arena);
/* `rows`: 1 to TTP_PARQUET_GROUP_ROWS. */
void ttp_parquet_group(struct ttp_parquet *p, uint32_t rows);
/* The next value: none, or one of the kind of its column. Texts are UTF-8. */
void ttp_parquet_put(struct ttp_parquet *p, struct ttp_value v);
void ttp_parquet_end(struct ttp_parquet *p, const struct ttp_parquet_note *note, size_t notes);

#endif
