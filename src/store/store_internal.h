/* SPDX-License-Identifier: Apache-2.0 */
/* store_internal.h - what the parts of the store share. Private to store. */
#ifndef TTP_STORE_STORE_INTERNAL_H
#define TTP_STORE_STORE_INTERNAL_H

#include "base/sym.h"
#include "store/db.h"

/* Ids of rows that many runs share, by what they represent. Forgotten when a transaction fails. */
struct ttp_id_cache {
    struct ttp_arena arena;
    struct ttp_symtab key;
    int64_t *id;
    size_t cap;
};

struct ttp_store {
    struct ttp_arena arena;
    struct ttp_db *db;
    bool salvage;
    struct ttp_id_cache kinds, series, machines;
    const char *many_ops; /* SQL: as many ops as one statement takes */
};

static inline ttp_code ttp_store_query(struct ttp_db_table *out, struct ttp_store *s,
                                       const struct ttp_sql *sql, struct ttp_arena *arena,
                                       struct ttp_err *err)
{
    return s->db->kind->query(s->db, out, sql, arena, err);
}

/* Ops of a run that has just been added. */
struct ttp_added_ops {
    const struct ttp_run_op *op;
    const int64_t *kind; /* of each: the id of what kind of op it is */
    size_t count;
    int64_t run;
};
TTP_NODISCARD ttp_code ttp_store_add_best(struct ttp_store *s, const struct ttp_added_ops *ops,
                                          struct ttp_arena *arena, struct ttp_err *err);

struct ttp_series_key {
    ttp_str metric, name; /* empty: any */
};
struct ttp_series_list {
    struct ttp_series *series;
    size_t count;
};
/* Ordered by name, metric, variant, machine. */
TTP_NODISCARD ttp_code ttp_store_series(struct ttp_series_list *out, struct ttp_store *s,
                                        const struct ttp_series_key *key, struct ttp_arena *arena,
                                        struct ttp_err *err);

/* The last `limit` (0: all) points of a series in a span (after_ns < t <= until_ns; 0: open), in
 * order of time. */
struct ttp_store_span {
    int64_t series;
    int64_t after_ns, until_ns;
    ttp_str branch, host; /* empty: any */
    size_t limit;
};
TTP_NODISCARD ttp_code ttp_store_points(struct ttp_series_points *out, struct ttp_store *s,
                                        const struct ttp_store_span *span, struct ttp_arena *arena,
                                        struct ttp_err *err);

/* The latest run of a commit given by its first digits (TTP_EUSAGE: of several commits). */
TTP_NODISCARD ttp_code ttp_store_find_commit(struct ttp_history_run *out, struct ttp_store *s,
                                             ttp_str commit, struct ttp_arena *arena,
                                             struct ttp_err *err);

#endif
