/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "store/store_internal.h"

bool ttp_store_supports(const char *library)
{
#ifdef TTP_HAVE_SQLITE
    if (strcmp(library, "sqlite") == 0)
        return true;
#endif
#ifdef TTP_HAVE_POSTGRESQL
    if (strcmp(library, "postgresql") == 0)
        return true;
#endif
    (void)library;
    return false;
}

static bool is_postgres(const char *where)
{
    const ttp_str s = ttp_str_from(where);

    return ttp_str_starts(s, TTP_STR("postgresql://")) || ttp_str_starts(s, TTP_STR("postgres://"));
}

const char *ttp_store_where_usual(struct ttp_arena *arena)
{
    const char *state = getenv("XDG_STATE_HOME");

    if (state && *state == '/') /* others are to be ignored, says the specification */
        return ttp_file_join(state, "tt-perf/history.db", arena);
    const char *home = ttp_file_home(arena);
    return home ? ttp_file_join(home, ".local/state/tt-perf/history.db", arena) : NULL;
}

const char *ttp_store_where(const char *given, struct ttp_arena *arena)
{
    const char *named = getenv("TT_PERF_STORE");

    if (given)
        return given;
    return named && *named ? named : ttp_store_where_usual(arena);
}

/* Up to `end`, but what is between ':' and '@' of a user's name and password. */
const char *ttp_store_name(const char *where, struct ttp_arena *arena)
{
    struct ttp_sink out;

    if (!is_postgres(where))
        return where;
    const char *start = strstr(where, "://") + 3;
    const size_t authority = strcspn(start, "/?");
    const char *at = memrchr(start, '@', authority);
    const char *colon = at ? memchr(start, ':', (size_t)(at - start)) : NULL;
    const char *query = strchr(start, '?');

    ttp_sink_to_arena(&out, arena);
    const char *from = where;
    if (colon) {
        ttp_sink_put(&out, (ttp_str){from, (size_t)(colon - from)});
        from = at;
    }
    /* parameters may hold a password too */
    ttp_sink_put(&out, (ttp_str){from, query ? (size_t)(query - from) : strlen(from)});
    return ttp_arena_zstr(arena, ttp_sink_text(&out));
}

bool ttp_store_is_open_to_others(const char *where, bool tighten)
{
    static const char *const beside[] = {"", "-wal", "-shm", "-journal"};
    struct ttp_arena scratch = {0};
    bool is_open = false;

    for (size_t i = 0; !is_postgres(where) && i < TTP_COUNT(beside); i++) {
        struct stat st;

        const char *name =
            ttp_arena_zstr(&scratch, ttp_sink_format(&scratch, "%s%s", where, beside[i]));
        if (lstat(name, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
            !(st.st_mode & (S_IRWXG | S_IRWXO)))
            continue;
        if (!tighten || chmod(name, st.st_mode & S_IRWXU) < 0)
            is_open = true;
    }
    ttp_arena_free(&scratch);
    return is_open;
}

void ttp_store_close(struct ttp_store *s)
{
    if (!s)
        return;
    struct ttp_arena arena = s->arena;

    ttp_arena_free(&s->kinds.arena);
    ttp_arena_free(&s->series.arena);
    ttp_arena_free(&s->machines.arena);
    if (s->db)
        s->db->kind->close(s->db);
    ttp_arena_free(&arena);
}

ttp_code ttp_store_open(struct ttp_store **out, const char *where, enum ttp_store_mode mode,
                        struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct ttp_store *s = TTP_NEW(&arena, struct ttp_store, 1);

    *out = NULL;
    s->arena = arena;
    s->salvage = mode == TTP_STORE_SALVAGE;
    ttp_code rc = is_postgres(where) ? ttp_store_db_open_postgres(&s->db, where, mode, err)
                                     : ttp_store_db_open_sqlite(&s->db, where, mode, err);
    if (rc == TTP_OK && !s->salvage)
        rc = ttp_store_db_migrate(s->db, TTP_STORE_SCHEMA, mode == TTP_STORE_WRITE, err);
    if (rc == TTP_EPARSE && err && !err->path[0])
        ttp_err_where(err, ttp_store_name(where, &s->arena), 0);
    if (rc != TTP_OK) {
        ttp_store_close(s);
        return rc;
    }
    *out = s;
    return TTP_OK;
}
