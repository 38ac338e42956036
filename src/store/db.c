/* SPDX-License-Identifier: Apache-2.0 */
#include "store/db.h"

#include "base/sink.h"

ttp_code ttp_store_db_finish(struct ttp_db *db, ttp_code rc, struct ttp_err *err)
{
    if (rc == TTP_OK)
        rc = ttp_db_exec(db, "COMMIT", err);
    if (rc != TTP_OK) {
        /* the first failure is the one to tell; after some there is nothing left to take back */
        const ttp_code undone = ttp_db_exec(db, "ROLLBACK", NULL);
        (void)undone;
    }
    return rc;
}

struct ttp_db_value ttp_store_db_text(ttp_str v, struct ttp_arena *arena)
{
    struct ttp_sink out;

    if (ttp_str_valid_utf8(v) == v.len && (v.len == 0 || !memchr(v.ptr, '\0', v.len)))
        return (struct ttp_db_value){.type = TTP_DB_TEXT, .s = v};
    ttp_sink_to_arena(&out, arena);
    while (v.len) {
        const size_t good = ttp_str_valid_utf8(v);
        const char *nul = good ? memchr(v.ptr, '\0', good) : NULL;
        const size_t take = nul ? (size_t)(nul - v.ptr) : good;

        ttp_sink_put(&out, ttp_str_slice(v, 0, take));
        if (take < v.len)
            ttp_sink_put(&out, TTP_STR("\xef\xbf\xbd"));
        v = ttp_str_slice(v, take + 1, v.len);
    }
    return (struct ttp_db_value){.type = TTP_DB_TEXT, .s = ttp_sink_text(&out)};
}

static const struct ttp_db_value *at(const struct ttp_db_table *t, size_t row, size_t column)
{
    return &t->cell[row * t->columns + column];
}

int64_t ttp_store_db_get_int(const struct ttp_db_table *t, size_t row, size_t column)
{
    const struct ttp_db_value *v = at(t, row, column);

    if (v->null || v->type > TTP_DB_REAL)
        return 0;
    if (v->type == TTP_DB_REAL) /* not as we write it */
        return fabs(v->f) < 9e18 ? (int64_t)v->f : 0;
    return v->i;
}

double ttp_store_db_get_real(const struct ttp_db_table *t, size_t row, size_t column)
{
    const struct ttp_db_value *v = at(t, row, column);

    if (v->null || v->type > TTP_DB_REAL)
        return NAN;
    return v->type == TTP_DB_REAL ? v->f : (double)v->i;
}

ttp_str ttp_store_db_get_text(const struct ttp_db_table *t, size_t row, size_t column)
{
    const struct ttp_db_value *v = at(t, row, column);

    return v->null || v->type < TTP_DB_TEXT ? TTP_STR("") : v->s;
}
