/* SPDX-License-Identifier: Apache-2.0 */
/* run_operands.c - which run is meant where the user names none. */
#include <stdlib.h>

#include "base/file.h"
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

ttp_code ttp_run_choose_rank(const char **dir, const char *rank, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    struct ttp_run_ranks ranks;
    int64_t number;

    if (!rank)
        return TTP_OK;
    if (!ttp_str_to_i64(ttp_str_from(rank), &number) || number < 0)
        return ttp_fail(err, TTP_EUSAGE, "option '--rank': '%s' is not the number of a rank", rank);
    TTP_TRY(ttp_run_find_ranks(&ranks, (struct ttp_paths){dir, 1}, arena, err));
    if (ranks.count == 0)
        return ttp_fail(err, TTP_EUSAGE, "--rank needs a folder of ranks, and '%s' has none", *dir);
    for (size_t i = 0; i < ranks.count; i++)
        if (ranks.rank[i].rank == number) {
            *dir = ranks.rank[i].dir;
            return TTP_OK;
        }
    return ttp_fail(err, TTP_ENOTFOUND, "no rank %lld in '%s'", (long long)number, *dir);
}
