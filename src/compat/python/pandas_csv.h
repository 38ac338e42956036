/* SPDX-License-Identifier: Apache-2.0 */
/* pandas_csv.h - rows and types of columns as pandas.read_csv(skiprows=1,
 * na_filter=False) of version 1.5 makes them. */
#ifndef TTP_COMPAT_PANDAS_CSV_H
#define TTP_COMPAT_PANDAS_CSV_H

#include "base/arena.h"
#include "base/err.h"

#define TTP_PANDAS_COLUMNS 15

/* What pandas makes of a column. */
enum ttp_pandas_type {
    TTP_PANDAS_INT,
    TTP_PANDAS_UINT, /* beyond 63 bits */
    TTP_PANDAS_FLOAT,
    TTP_PANDAS_TEXT,
};

/* The first 15 columns of a row. */
typedef ttp_code ttp_pandas_row_fn(void *arg, const ttp_str *cell, const enum ttp_pandas_type *type,
                                   uint64_t line, struct ttp_err *err);

struct ttp_pandas_taker {
    ttp_pandas_row_fn *take;
    void *arg;
};

/* Hand out all rows. *columns: how many the names say. TTP_EPARSE: a row has more fields than the
 * first, quotes stay open, or there are fewer than 15 columns of a row. `text` is the whole file;
 * cells point into it or into the arena. */
TTP_NODISCARD ttp_code ttp_pandas_read(size_t *columns, ttp_str text, struct ttp_pandas_taker to,
                                       struct ttp_arena *arena, struct ttp_err *err);

/* A cell of a column of type INT. */
bool ttp_pandas_int(ttp_str s, int64_t *out, bool *beyond);
bool ttp_pandas_float(ttp_str s, double *out);

#endif
