/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite_read.h - SQLite files of other programs, read only and immutable.
 *
 * Nothing next to the file is written, so that it may be on a read-only share. Nothing inside the
 * file is executed: no triggers, views or functions. The library is loaded when a file is opened.
 * One thread per file. */
#ifndef TTP_BASE_SQLITE_READ_H
#define TTP_BASE_SQLITE_READ_H

#include "base/arena.h"
#include "base/err.h"

struct ttp_sqlite;
struct ttp_sqlite_rows;

/* TTP_EIO: cannot be read. TTP_EPARSE: no SQLite file, or damaged. TTP_EMISSING: no library. */
TTP_NODISCARD ttp_code ttp_sqlite_open(struct ttp_sqlite **out, const char *path,
                                       struct ttp_err *err);
/* All rows must have been closed. NULL is fine. */
void ttp_sqlite_close(struct ttp_sqlite *db);

/* Names of the columns of a table, in the arena; none: there is no such table. */
TTP_NODISCARD ttp_code ttp_sqlite_columns(struct ttp_words *out, struct ttp_sqlite *db,
                                          const char *table, struct ttp_arena *arena,
                                          struct ttp_err *err);

struct ttp_sqlite_sql {
    const char *sql;
    const int64_t *value;
    size_t values;
};
/* Begin to read an answer; `value` are the parameters ?1, ?2 ... */
TTP_NODISCARD ttp_code ttp_sqlite_query(struct ttp_sqlite_rows **out, struct ttp_sqlite *db,
                                        struct ttp_sqlite_sql q, struct ttp_err *err);
/* The next row; *more is false after the last one. */
TTP_NODISCARD ttp_code ttp_sqlite_next(bool *more, struct ttp_sqlite_rows *rows,
                                       struct ttp_err *err);
/* The same query again, with other values. */
TTP_NODISCARD ttp_code ttp_sqlite_again(struct ttp_sqlite_rows *rows, const int64_t *value,
                                        size_t values, struct ttp_err *err);
void ttp_sqlite_rows_close(struct ttp_sqlite_rows *rows);

/* Cells of the row. Those of another type are converted by SQLite's rules; a null one is 0 and the
 * empty text. A text is valid until the next row. */
bool ttp_sqlite_is_null(const struct ttp_sqlite_rows *rows, int column);
int64_t ttp_sqlite_int(const struct ttp_sqlite_rows *rows, int column);
double ttp_sqlite_real(const struct ttp_sqlite_rows *rows, int column);
ttp_str ttp_sqlite_text(const struct ttp_sqlite_rows *rows, int column);

#endif
