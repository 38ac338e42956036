/* SPDX-License-Identifier: Apache-2.0 */
/* store_refs.c - resolves references to a run or a moment. */
#include "base/child.h"
#include "base/git.h"
#include "base/iso_time.h"
#include "store/store_internal.h"

#define NS_PER_S 1000000000LL
/* Fewer digits name a run or nothing. */
#define COMMIT_DIGITS_MIN 4

static bool is_hex(ttp_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!((s.ptr[i] >= '0' && s.ptr[i] <= '9') || (s.ptr[i] >= 'a' && s.ptr[i] <= 'f')))
            return false;
    return s.len >= COMMIT_DIGITS_MIN;
}

static const char *words_of(const char *what, ttp_str name, int64_t time_ns,
                            struct ttp_arena *arena)
{
    char time[TTP_ISO_TIME_MAX];

    (void)ttp_iso_time(time, time_ns);
    return ttp_arena_zstr(arena,
                          ttp_sink_format(arena, "%s%.*s (%.16s)", what, TTP_FMT(name), time));
}

/* A run by its number; TTP_ENOTFOUND: not a number, or none of the history. */
static ttp_code run_by_number(struct ttp_history_run *out, struct ttp_store *s, ttp_str ref,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    uint64_t id;

    if (ttp_str_starts(ref, TTP_STR("run:")))
        ref = ttp_str_slice(ref, 4, ref.len);
    if (!ttp_str_to_u64(ref, &id) || id > INT64_MAX)
        return TTP_ENOTFOUND;
    return ttp_store_read(out, s, (int64_t)id, 0, arena, err);
}

/* The commit that git calls so here; its time too. */
static bool ask_git(ttp_str *commit, int64_t *time_ns, const char *ref, struct ttp_arena *arena)
{
    struct ttp_sink name;
    struct ttp_signals signals;
    ttp_str time;
    uint64_t seconds = 0;

    ttp_sink_to_arena(&name, arena);
    ttp_sink_printf(&name, "%s^{commit}", ref);
    if (ttp_signals_open(&signals, NULL) != TTP_OK)
        return false;
    const struct ttp_git git = {.signals = &signals, .arena = arena};
    const bool known =
        ttp_git_commit(commit, &time, &git, ttp_arena_zstr(arena, ttp_sink_text(&name)),
                       "--format=%H%n%ct") &&
        ttp_str_to_u64(time, &seconds) && seconds < INT64_MAX / NS_PER_S;
    *time_ns = (int64_t)seconds * NS_PER_S;
    ttp_signals_close(&signals);
    return known;
}

/* A commit of the history, by its own digits or by a name git knows. */
static ttp_code run_by_commit(struct ttp_history_run *out, struct ttp_store *s, ttp_str ref,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    if (ttp_str_starts(ref, TTP_STR("commit:")))
        ref = ttp_str_slice(ref, 7, ref.len);
    return is_hex(ref) ? ttp_store_find_commit(out, s, ref, arena, err) : TTP_ENOTFOUND;
}

static ttp_code fail_ref(const char *ref, struct ttp_err *err)
{
    ttp_fail(err, TTP_EUSAGE,
             "'%.100s' is not a run, a commit in the history, a date or a git revision", ref);
    ttp_err_hint(err, "for example 12, 3f2a91c, 2026-11-15, 2026-11-15T23:47, main~20; 'tt-perf "
                      "history list' lists runs and commits");
    return TTP_EUSAGE;
}

ttp_code ttp_store_find_moment(struct ttp_store_moment *out, struct ttp_store *s, const char *ref,
                               struct ttp_arena *arena, struct ttp_err *err)
{
    const ttp_str name = ttp_str_from(ref);
    struct ttp_history_run run;
    ttp_str commit = {0};

    if (ttp_iso_parse(&out->time_ns, name)) {
        out->words = words_of("", TTP_STR("that time"), out->time_ns, arena);
        return TTP_OK;
    }
    ttp_code rc = run_by_number(&run, s, name, arena, err);
    if (rc == TTP_OK) {
        out->time_ns = run.time_ns;
        out->words = words_of("run ", name, run.time_ns, arena);
        return TTP_OK;
    }
    if (rc == TTP_ENOTFOUND)
        rc = run_by_commit(&run, s, name, arena, err);
    if (rc == TTP_ENOTFOUND && ask_git(&commit, &out->time_ns, ref, arena)) {
        rc = ttp_store_find_commit(&run, s, commit, arena, err);
        if (rc == TTP_ENOTFOUND) { /* it was never measured: its own time must do */
            out->words = words_of("commit ", ttp_str_slice(commit, 0, 10), out->time_ns, arena);
            return TTP_OK;
        }
    }
    if (rc == TTP_ENOTFOUND)
        return fail_ref(ref, err);
    if (rc != TTP_OK)
        return rc;
    out->time_ns = run.time_ns; /* of its latest run */
    out->words = words_of("commit ", ttp_str_slice(run.commit, 0, 10), run.time_ns, arena);
    return TTP_OK;
}

ttp_code ttp_store_find_run(int64_t *id, struct ttp_store *s, const char *ref,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_store_filter newest = {.limit = 1};
    struct ttp_history_runs runs;
    struct ttp_history_run run;

    if (strcmp(ref, "last") == 0) {
        TTP_TRY(ttp_store_list(&runs, s, &newest, arena, err));
        if (runs.count == 0)
            return ttp_fail(err, TTP_ENOTFOUND, "the history has no runs");
        *id = runs.run[0].id;
        return TTP_OK;
    }
    ttp_code rc = run_by_number(&run, s, ttp_str_from(ref), arena, err);
    if (rc == TTP_ENOTFOUND)
        rc = run_by_commit(&run, s, ttp_str_from(ref), arena, err);
    if (rc == TTP_ENOTFOUND) {
        ttp_fail(err, TTP_ENOTFOUND, "no run '%.100s' in the history", ref);
        ttp_err_hint(err, "'tt-perf history list' lists them");
    }
    *id = rc == TTP_OK ? run.id : 0;
    return rc;
}
