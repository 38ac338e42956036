/* SPDX-License-Identifier: Apache-2.0 */
/* folders.c - where the logs of a run are: in a folder, or in one per rank below it. */
#include <dirent.h>
#include <stdio.h>

#include "base/file.h"
#include "base/order.h"
#include "base/sink.h"
#include "base/vec.h"
#include "startup/text_logs.h"

#define RANKS_MAX 4096

const char *ttp_startup_phase_name(enum ttp_startup_phase_kind phase)
{
    static const char *const names[] = {"before_device", "open_device", "warm_up"};

    return names[phase];
}

static bool has_log(const char *dir, struct ttp_arena *arena)
{
    return ttp_file_exists(ttp_file_join(dir, "programs_log.yaml", arena));
}

struct rank {
    uint64_t number;
    const char *dir;
    ttp_str name;
};

TTP_ORDER(by_number, struct rank, TTP_UP(number))

/* The folders _rank_<N> in `dir` that have a log, by number. */
static size_t list_ranks(struct rank **out, const char *dir, struct ttp_arena *arena)
{
    static const ttp_str head = TTP_STR("_rank_");
    DIR *folder = opendir(dir);
    const struct dirent *e;
    size_t n = 0;

    *out = NULL;
    while (folder && n < RANKS_MAX && (e = readdir(folder))) {
        const ttp_str name = ttp_str_from(e->d_name);
        uint64_t number;

        if (!ttp_str_starts(name, head) ||
            !ttp_str_to_u64(ttp_str_slice(name, head.len, name.len), &number))
            continue;
        const char *sub = ttp_file_join(dir, e->d_name, arena);
        if (has_log(sub, arena))
            *TTP_PUSH(arena, *out, n) = (struct rank){
                number, sub, ttp_arena_copy(arena, ttp_str_slice(name, head.len, name.len))};
    }
    if (folder)
        closedir(folder);
    TTP_SORT(*out, n, by_number);
    return n;
}

/* The folder with the logs, or `dir`. */
static const char *find_logs(const char *dir, struct ttp_arena *arena)
{
    static const char *const below[] = {"inspector", ".logs/inspector", "generated/inspector"};
    struct rank *ranks;

    if (has_log(dir, arena) || list_ranks(&ranks, dir, arena))
        return dir;
    for (size_t i = 0; i < TTP_COUNT(below); i++) {
        const char *sub = ttp_file_join(dir, below[i], arena);

        if (has_log(sub, arena) || list_ranks(&ranks, sub, arena))
            return sub;
    }
    return dir;
}

bool ttp_startup_has_logs(const char *dir)
{
    struct ttp_arena arena = {0};
    struct rank *ranks;
    const char *logs = find_logs(dir, &arena);
    const bool is = has_log(logs, &arena) || list_ranks(&ranks, logs, &arena);

    ttp_arena_free(&arena);
    return is;
}

ttp_code ttp_startup_read(struct ttp_startup **out, size_t *count, const char *dir,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    struct rank *ranks;

    *count = 0;
    if (!ttp_file_is_dir(dir)) {
        if (ttp_file_exists(dir)) {
            ttp_fail(err, TTP_EPARSE, "'%s' is a file; give the folder of the inspector's logs",
                     dir);
            ttp_err_where(err, dir, 0);
            return TTP_EPARSE;
        }
        ttp_fail(err, TTP_EIO, "no folder '%s'", dir);
        ttp_err_hint(err, "run with TT_METAL_LOGS_PATH, or give the folder generated/inspector");
        return TTP_EIO;
    }
    const char *logs = find_logs(dir, arena);
    const size_t n = list_ranks(&ranks, logs, arena);
    if (n == 0 && !has_log(logs, arena)) {
        ttp_fail(err, TTP_ENOTFOUND, "'%s' has no programs_log.yaml", dir);
        ttp_err_hint(err, "the inspector writes it to generated/inspector below the logs folder; "
                          "TT_METAL_INSPECTOR=0 disables it");
        return TTP_ENOTFOUND;
    }
    *out = TTP_NEW(arena, struct ttp_startup, n + 1);
    if (n == 0) {
        *count = 1;
        return ttp_startup_read_one(*out, logs, arena, err);
    }
    for (size_t i = 0; i < n; i++) {
        TTP_TRY(ttp_startup_read_one(&(*out)[i], ranks[i].dir, arena, err));
        (*out)[i].rank = ranks[i].name;
        (*count)++;
    }
    return TTP_OK;
}

bool ttp_startup_took(int64_t *startup_ns, int64_t *compile_ns, const char *dir,
                      struct ttp_arena *arena)
{
    struct ttp_startup *s;
    size_t n;

    if (!ttp_startup_has_logs(dir) || ttp_startup_read(&s, &n, dir, arena, NULL) != TTP_OK ||
        n == 0 || s->startup_ns <= 0)
        return false;
    *startup_ns = s->startup_ns;
    *compile_ns = s->startup_compile_ns;
    return true;
}
