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
                                       const char *sql, const struct ttp_db_value *value,
                                       size_t values, struct ttp_arena *arena, struct ttp_err *err)
{
    return s->db->kind->query(s->db, out, sql, value, values, arena, err);
}

/* Those whose metric is `metric` (empty: all) and whose name is `name` (empty: any), by name,
 * metric, variant, machine. */
TTP_NODISCARD ttp_code ttp_store_series(struct ttp_series **out, size_t *count, struct ttp_store *s,
                                        ttp_str metric, ttp_str name, struct ttp_arena *arena,
                                        struct ttp_err *err);

/* The last `limit` (0: all) points in a span (after_ns < t <= until_ns; 0: open), in order of time.
 */
struct ttp_store_span {
    int64_t after_ns, until_ns;
    ttp_str branch, host; /* empty: any */
    size_t limit;
};
TTP_NODISCARD ttp_code ttp_store_points(struct ttp_series_point **out, size_t *count,
                                        struct ttp_store *s, int64_t series,
                                        const struct ttp_store_span *span, struct ttp_arena *arena,
                                        struct ttp_err *err);

/* The latest run of a commit given by its first digits (TTP_EUSAGE: of several commits). */
TTP_NODISCARD ttp_code ttp_store_find_commit(struct ttp_history_run *out, struct ttp_store *s,
                                             ttp_str commit, struct ttp_arena *arena,
                                             struct ttp_err *err);

#endif
