/* SPDX-License-Identifier: Apache-2.0 */
/* run_operands.c - the default run, if the user names none. */
#include <stdlib.h>

#include "base/file.h"
#include "base/sink.h"
#include "run/run.h"

const char *ttp_run_default_dir(struct ttp_arena *arena)
{
    const char *dir = getenv("TT_METAL_PROFILER_DIR"), *home = getenv("TT_METAL_HOME");

    if (dir && dir[0])
        return dir;
    if (home && home[0])
        return ttp_file_join(home, "generated/profiler", arena);
    /* what was recorded here without either is there; inside such a folder it is that */
    return !ttp_file_is_dir(".logs") && ttp_file_is_dir("generated/profiler") ? "generated/profiler"
                                                                              : ".";
}

static bool has_run(const char *dir, struct ttp_arena *arena)
{
    return ttp_file_is_dir(ttp_file_join(dir, ".logs", arena)) ||
           ttp_file_is_dir(ttp_file_join(dir, "reports", arena));
}

static ttp_code no_run(const char *dir, struct ttp_err *err)
{
    const ttp_code rc =
        ttp_fail(err, TTP_EUSAGE, "no file or folder given, and no run found in '%s'", dir);

    ttp_err_hint(err,
                 "give the folder or file of a run, or record one: 'tt-perf record -- COMMAND'");
    return rc;
}

ttp_code ttp_run_looked(ttp_code rc, const struct ttp_words *given, struct ttp_arena *arena,
                        struct ttp_err *err)
{
    const char *dir = ttp_run_default_dir(arena);

    return rc != TTP_ENOTFOUND || given->count || has_run(dir, arena) ? rc : no_run(dir, err);
}

ttp_code ttp_run_operands(struct ttp_words *out, const struct ttp_words *given,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    const char *dir = ttp_run_default_dir(arena);

    *out = *given;
    if (given->count)
        return TTP_OK;
    if (!has_run(dir, arena))
        return no_run(dir, err);
    out->word = TTP_NEW(arena, const char *, 1);
    out->word[0] = dir;
    out->count = 1;
    return TTP_OK;
}

ttp_code ttp_run_choose_rank(const char **dir, struct ttp_run_choice *choice,
                             struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_device_choice parsed;
    struct ttp_run_ranks ranks;

    TTP_TRY(ttp_ops_parse_choice(&parsed, choice->rank, choice->device, err));
    choice->id = parsed.id;
    if (parsed.rank < 0)
        return TTP_OK;
    TTP_TRY(ttp_run_find_ranks(&ranks, (struct ttp_paths){dir, 1}, arena, err));
    if (ranks.count == 0)
        return ttp_fail(err, TTP_EUSAGE, "--rank needs a folder of ranks, and '%s' has none", *dir);
    for (size_t i = 0; i < ranks.count; i++)
        if (ranks.rank[i].rank == parsed.rank) {
            *dir = ranks.rank[i].dir;
            return TTP_OK;
        }
    return ttp_fail(err, TTP_ENOTFOUND, "no rank %lld in '%s'", (long long)parsed.rank, *dir);
}

#define MOST_LISTED 16

/* Ranks below the highest one, or below the size of the job, that have no folder. NULL: none. */
static const char *missing_of(const struct ttp_run_ranks *ranks, struct ttp_arena *arena)
{
    const int64_t highest = ranks->count ? ranks->rank[ranks->count - 1].rank + 1 : 0;
    const int64_t size = ranks->size > highest ? ranks->size : highest;
    struct ttp_sink list;
    size_t missing = 0;

    ttp_sink_to_arena(&list, arena);
    for (int64_t r = 0, i = 0; r < size && highest; r++) {
        if (i < (int64_t)ranks->count && ranks->rank[i].rank == r)
            i++;
        else if (missing++ < MOST_LISTED)
            ttp_sink_printf(&list, " %lld", (long long)r);
    }
    if (missing == 0)
        return NULL;
    return ttp_arena_zstr(arena, ttp_sink_format(arena, "%zu of %lld ranks missing:%.*s%s", missing,
                                                 (long long)size, TTP_FMT(ttp_sink_text(&list)),
                                                 missing > MOST_LISTED ? " ..." : ""));
}

const char *ttp_run_missing_ranks(const char *dir, struct ttp_arena *arena)
{
    struct ttp_run_ranks ranks;

    if (!ttp_file_is_dir(dir) ||
        ttp_run_find_ranks(&ranks, (struct ttp_paths){&dir, 1}, arena, NULL) != TTP_OK)
        return NULL;
    return missing_of(&ranks, arena);
}

ttp_code ttp_run_choose_process(const char **dir, struct ttp_run_choice *choice,
                                struct ttp_arena *arena, struct ttp_err *err)
{
    const char *given = *dir;
    struct ttp_run_ranks ranks = {0};

    TTP_TRY(ttp_run_choose_rank(dir, choice, arena, err));
    if (*dir != given || !ttp_file_is_dir(given) || has_run(given, arena))
        return TTP_OK;
    TTP_TRY(ttp_run_find_ranks(&ranks, (struct ttp_paths){dir, 1}, arena, err));
    if (ranks.count == 0)
        return TTP_OK;
    *dir = ranks.rank[0].dir;
    const char *missing = missing_of(&ranks, arena);
    if (ranks.count > 1 || missing)
        choice->note = ttp_arena_zstr(
            arena,
            ttp_sink_format(arena, "%s%s'%s' has %zu rank%s: showing rank %lld (--rank N chooses)",
                            missing ? missing : "", missing ? "; " : "", given, ranks.count,
                            ranks.count == 1 ? "" : "s", (long long)ranks.rank[0].rank));
    return TTP_OK;
}
