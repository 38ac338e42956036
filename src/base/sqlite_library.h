/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite_library.h - SQLite itself: loaded on first use, and opened so that nothing in a file is
 * executed. For base/sqlite_read.h and the store; only in a build with TTP_HAVE_SQLITE. */
#ifndef TTP_BASE_SQLITE_LIBRARY_H
#define TTP_BASE_SQLITE_LIBRARY_H

#include <sqlite3.h>

#include "base/arena.h"
#include "base/err.h"

#define TTP_SQLITE_FUNCTIONS(X)                                                                    \
    X(open_v2)                                                                                     \
    X(close)                                                                                       \
    X(exec)                                                                                        \
    X(prepare_v2)                                                                                  \
    X(step)                                                                                        \
    X(reset)                                                                                       \
    X(finalize)                                                                                    \
    X(sql)                                                                                         \
    X(bind_int64)                                                                                  \
    X(bind_double)                                                                                 \
    X(bind_text64)                                                                                 \
    X(bind_blob64)                                                                                 \
    X(bind_null)                                                                                   \
    X(column_count)                                                                                \
    X(column_type)                                                                                 \
    X(column_int64)                                                                                \
    X(column_double)                                                                               \
    X(column_text)                                                                                 \
    X(column_blob)                                                                                 \
    X(column_bytes)                                                                                \
    X(errmsg)                                                                                      \
    X(system_errno)                                                                                \
    X(extended_result_codes)                                                                       \
    X(busy_timeout)                                                                                \
    X(db_config)                                                                                   \
    X(progress_handler)                                                                            \
    X(libversion_number)

struct ttp_sqlite_api {
#define MEMBER(name) __typeof__(sqlite3_##name) *(name);
    TTP_SQLITE_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* TTP_EMISSING: the library is missing or too old; the error has that hint. */
TTP_NODISCARD ttp_code ttp_sqlite_load(struct ttp_sqlite_api *out, const char *hint,
                                       struct ttp_err *err);

/* `frozen`: a file that does not change, so that nothing next to it is read or written. Returns
 * SQLite's code; the handle is to be closed in any case. */
int ttp_sqlite_open_file(sqlite3 **handle, const struct ttp_sqlite_api *api, const char *path,
                         int flags, bool frozen);
/* Nothing that the file itself brings along is executed, and nothing writes to its schema but
 * SQLite. Returns SQLite's code. */
int ttp_sqlite_harden(const struct ttp_sqlite_api *api, sqlite3 *handle);

#endif
