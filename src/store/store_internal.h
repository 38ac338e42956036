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

#endif
