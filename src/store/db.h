/* SPDX-License-Identifier: Apache-2.0 */
/* db.h - the interface of both databases: one SQL text, values in, rows out. Private to store. */
#ifndef TTP_STORE_DB_H
#define TTP_STORE_DB_H

#include <math.h>

#include "base/arena.h"
#include "base/err.h"
#include "store/store.h"

enum ttp_db_type { TTP_DB_INT, TTP_DB_REAL, TTP_DB_TEXT, TTP_DB_BLOB };

struct ttp_db_value {
    enum ttp_db_type type;
    bool null;
    int64_t i;
    double f;
    ttp_str s;
};

/* Rows of an answer, in the arena. */
struct ttp_db_table {
    size_t rows, columns;
    struct ttp_db_value *cell; /* row by row */
};

struct ttp_db;

/* A statement and the values of its parameters, which are written $1, $2. */
struct ttp_sql {
    const char *text;
    const struct ttp_db_value *value;
    size_t values;
};

/* A database, and where its SQL differs from the other's. */
struct ttp_db_kind {
    const char *name;
    const char *begin;            /* a transaction that will write; no other writes then */
    const char *id, *blob, *real; /* types of columns */
    const char *clustered;        /* end of a table stored in the order of its key */
    const char *find_tables_sql;  /* one row if the store has been set up */
    const char *sql_schema;       /* makes room for the tables; may be empty */
    const char *mark;             /* marks a new store as ours; may be empty */
    const char *before_writing;   /* to a store that is ours or empty; may be empty */
    /* Type, name, table and SQL of all that a store consists of, in order of the first two, and an
     * empty store to compare it with; NULL: whoever may write there is trusted. */
    const char *list_schema;
    ttp_code (*open_scratch)(struct ttp_db **out, struct ttp_err *err);
    /* `out` NULL: rows are not wanted. */
    ttp_code (*query)(struct ttp_db *db, struct ttp_db_table *out, const struct ttp_sql *sql,
                      struct ttp_arena *arena, struct ttp_err *err);
    void (*close)(struct ttp_db *db);
};

struct ttp_db {
    const struct ttp_db_kind *kind;
};

TTP_NODISCARD ttp_code ttp_store_db_open_sqlite(struct ttp_db **out, const char *path,
                                                enum ttp_store_mode mode, struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_store_db_open_postgres(struct ttp_db **out, const char *uri,
                                                  enum ttp_store_mode mode, struct ttp_err *err);

/* "ttpH", the application id in the head of our files. */
#define TTP_STORE_APPLICATION 0x74747048u

/* Is a SQLite file what its head says it is? Looked at before SQLite does, which might write.
 * TTP_EPARSE: not, and err says why; *empty: there is nothing in it yet. */
TTP_NODISCARD ttp_code ttp_store_db_check_file(bool *empty, const char *path, struct ttp_err *err);
/* Is there a write-ahead log with something in it? */
bool ttp_store_db_has_log(const char *path);
/* For a failure that means damage: keep a copy of the file, and say in the hint where it is and how
 * to continue. */
void ttp_store_db_keep_damaged(const char *path, struct ttp_err *err);

/* Where the head of *path is lost, *path becomes that of a copy with a new one, in the folder
 * *folder, which is the caller's to remove. */
TTP_NODISCARD ttp_code ttp_store_db_repair_head(const char **path, const char **folder,
                                                struct ttp_arena *arena, struct ttp_err *err);

/* Make the tables, or bring them up to `version`. TTP_EPARSE: newer, or not ours. */
TTP_NODISCARD ttp_code ttp_store_db_migrate(struct ttp_db *db, int version, bool create,
                                            struct ttp_err *err);

static inline ttp_code ttp_db_exec(struct ttp_db *db, const char *sql, struct ttp_err *err)
{
    return db->kind->query(db, NULL, &(struct ttp_sql){.text = sql}, NULL, err);
}

/* In a function that has begun a transaction: commit, or take back what failed. */
TTP_NODISCARD ttp_code ttp_store_db_finish(struct ttp_db *db, ttp_code rc, struct ttp_err *err);

static inline struct ttp_db_value ttp_db_int(int64_t v)
{
    return (struct ttp_db_value){.type = TTP_DB_INT, .i = v};
}
static inline struct ttp_db_value ttp_db_real(double v)
{
    return (struct ttp_db_value){.type = TTP_DB_REAL, .f = v, .null = !isfinite(v)};
}
static inline struct ttp_db_value ttp_db_blob(ttp_str v)
{
    return (struct ttp_db_value){.type = TTP_DB_BLOB, .s = v};
}
/* Well-formed UTF-8 without NUL, which PostgreSQL does not take: what is not becomes U+FFFD. */
struct ttp_db_value ttp_store_db_text(ttp_str v, struct ttp_arena *arena);

/* Cells of the other type are converted, null ones are 0, NAN and empty. */
int64_t ttp_store_db_get_int(const struct ttp_db_table *t, size_t row, size_t column);
double ttp_store_db_get_real(const struct ttp_db_table *t, size_t row, size_t column);
ttp_str ttp_store_db_get_text(const struct ttp_db_table *t, size_t row, size_t column);

#endif
