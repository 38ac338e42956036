/* SPDX-License-Identifier: Apache-2.0 */
/* run_operands.c - which run is meant where the user names none. */
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

/* "[R:]D": *rank stays -1 without R. */
static ttp_code parse_device(int64_t *rank, int64_t *id, const char *text, struct ttp_err *err)
{
    ttp_str part[3];
    const size_t n = ttp_str_split(ttp_str_from(text), ':', part, 3);

    if (n >= 1 && n <= 2 && ttp_str_to_i64(part[n - 1], id) && *id >= 0 &&
        (n == 1 || (ttp_str_to_i64(part[0], rank) && *rank >= 0)))
        return TTP_OK;
    (void)ttp_fail(err, TTP_EUSAGE, "option '--device': '%s' is not a device", text);
    ttp_err_hint(err, "write a device as RANK:ID or ID");
    return TTP_EUSAGE;
}

static ttp_code parse_choice(int64_t *rank, struct ttp_run_choice *choice, struct ttp_err *err)
{
    int64_t of_device = -1;

    *rank = choice->id = -1;
    if (choice->rank && (!ttp_str_to_i64(ttp_str_from(choice->rank), rank) || *rank < 0))
        return ttp_fail(err, TTP_EUSAGE, "option '--rank': '%s' is not the number of a rank",
                        choice->rank);
    if (choice->device)
        TTP_TRY(parse_device(&of_device, &choice->id, choice->device, err));
    if (*rank >= 0 && of_device >= 0 && *rank != of_device)
        return ttp_fail(err, TTP_EUSAGE, "'--rank %s' conflicts with '--device %s'", choice->rank,
                        choice->device);
    *rank = of_device >= 0 ? of_device : *rank;
    return TTP_OK;
}

ttp_code ttp_run_choose_rank(const char **dir, struct ttp_run_choice *choice,
                             struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_run_ranks ranks;
    int64_t number;

    TTP_TRY(parse_choice(&number, choice, err));
    if (number < 0)
        return TTP_OK;
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
    if (ranks.count > 1)
        choice->note = ttp_arena_zstr(
            arena,
            ttp_sink_format(arena, "'%s' has %zu ranks: showing rank %lld (--rank N chooses)",
                            given, ranks.count, (long long)ranks.rank[0].rank));
    return TTP_OK;
}
