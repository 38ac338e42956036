/* SPDX-License-Identifier: Apache-2.0 */
#ifdef TTP_HAVE_SQLITE
#include "base/sqlite_library.h"

#include "base/shared_library.h"
#include "base/sink.h"

/* RETURNING and DROP COLUMN. */
#define OLDEST_SQLITE 3035000

ttp_code ttp_sqlite_load(struct ttp_sqlite_api *out, const char *hint, struct ttp_err *err)
{
    static const char library[] = "libsqlite3.so.0";
    static const struct ttp_library_entry functions[] = {
#define ENTRY(name) {"sqlite3_" #name, offsetof(struct ttp_sqlite_api, name)},
        TTP_SQLITE_FUNCTIONS(ENTRY)
#undef ENTRY
    };

    TTP_TRY(ttp_shared_library_load(
        out, library, (struct ttp_library_entries){functions, TTP_COUNT(functions)}, hint, err));
    if (out->libversion_number() < OLDEST_SQLITE)
        return ttp_fail(err, TTP_EMISSING, "'%s' is older than SQLite 3.35", library);
    return TTP_OK;
}

/* A URI, because only it can declare a file as immutable. */
static const char *frozen_name(const char *path, struct ttp_arena *arena)
{
    struct ttp_sink uri;

    ttp_sink_to_arena(&uri, arena);
    ttp_sink_put(&uri, TTP_STR("file:"));
    for (; *path; path++)
        if (*path == '%' || *path == '?' || *path == '#')
            ttp_sink_printf(&uri, "%%%02x", (unsigned char)*path);
        else
            ttp_sink_char(&uri, *path);
    ttp_sink_put(&uri, TTP_STR("?immutable=1"));
    return ttp_arena_zstr(arena, ttp_sink_text(&uri));
}

int ttp_sqlite_open_file(sqlite3 **handle, const struct ttp_sqlite_api *api, const char *path,
                         int flags, bool frozen)
{
    struct ttp_arena arena = {0};
    const int rc = api->open_v2(frozen ? frozen_name(path, &arena) : path, handle,
                                flags | SQLITE_OPEN_NOMUTEX | (frozen ? SQLITE_OPEN_URI : 0), NULL);

    ttp_arena_free(&arena);
    return rc;
}

int ttp_sqlite_harden(const struct ttp_sqlite_api *api, sqlite3 *handle)
{
    static const struct {
        int what, value;
    } config[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0},
    };
    int rc = SQLITE_OK;

    for (size_t i = 0; i < TTP_COUNT(config) && rc == SQLITE_OK; i++)
        rc = api->db_config(handle, config[i].what, config[i].value, NULL);
    if (rc == SQLITE_OK)
        rc = api->exec(handle, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;", NULL, NULL,
                       NULL);
    return rc;
}

#endif
