/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - avoidable costs of a start-up. */
#include "base/sink.h"
#include "base/vec.h"
#include "startup/startup.h"

struct findings {
    struct ttp_startup_finding *item;
    size_t count;
    struct ttp_arena *arena;
    ttp_str rank; /* whose they are; empty: of the run */
};

static TTP_PRINTF(4, 5) void add(struct findings *f, enum ttp_startup_finding_kind kind,
                                 const char *id, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    ttp_str text = ttp_sink_vformat(f->arena, fmt, args);
    va_end(args);
    if (f->rank.len)
        text = ttp_sink_format(f->arena, "rank %.*s: %.*s", TTP_FMT(f->rank), TTP_FMT(text));
    *TTP_PUSH(f->arena, f->item, f->count) =
        (struct ttp_startup_finding){kind, id, ttp_arena_zstr(f->arena, text)};
}

/* Gone with the next boot, if not earlier. */
static bool is_volatile(ttp_str root)
{
    static const ttp_str places[] = {TTP_STR("/tmp/"), TTP_STR("/var/tmp/"), TTP_STR("/run/"),
                                     TTP_STR("/dev/shm/")};

    for (size_t i = 0; i < TTP_COUNT(places); i++)
        if (ttp_str_starts(root, places[i]))
            return true;
    return false;
}

/* What the process did in its longest gap, as far as its phases tell. */
static const char *cause_of_gap(const struct ttp_startup *s)
{
    static const char *const cause[] = {
        [TTP_STARTUP_BEFORE_DEVICE] = "imports, weights or a tokenizer, not the compiler",
        [TTP_STARTUP_OPEN_DEVICE] = "opening the device, not the compiler",
        [TTP_STARTUP_WARM_UP] = "weights, Python or a tokenizer, not the compiler",
    };
    const int64_t from = s->gap[0].from_ns, to = from + s->gap[0].length_ns;
    enum ttp_startup_phase_kind found = TTP_STARTUP_WARM_UP;
    int64_t begin = 0, most = 0;

    for (size_t i = 0; i < s->phases; i++) {
        const int64_t end = begin + s->phase[i].wall_ns;
        const int64_t common = (to < end ? to : end) - (from > begin ? from : begin);

        if (common > most) {
            most = common;
            found = s->phase[i].kind;
        }
        begin = end;
    }
    return cause[found];
}

static void look_at(struct findings *f, const struct ttp_startup *s)
{
    const struct ttp_startup_log *log = &s->log;
    const bool none = s->kernels_built > 0 && s->kernels_cached == 0 && is_volatile(s->cache_root);

    if (none)
        add(f, TTP_STARTUP_CACHE_NOT_KEPT, "cache_not_kept",
            "all %llu kernels were built, %.1f s; their cache '%.*s' is not persistent: set "
            "TT_METAL_CACHE to a persistent folder",
            (unsigned long long)s->kernels_built, (double)s->build_wall_ns / 1e9,
            TTP_FMT(s->cache_root));
    else if (log->has_cache && log->hits == 0 && log->total > 0)
        add(f, TTP_STARTUP_CACHE_NOT_KEPT, "cache_not_kept",
            "the kernel cache had 0 of %llu kernels: keep it between runs, or include it in the "
            "container",
            (unsigned long long)log->total);
    if (s->late_compiles)
        add(f, TTP_STARTUP_LATE_COMPILES, "late_compiles",
            "%llu programs were compiled after the steady state, %.1f s: each is a stall; run "
            "every shape once before serving",
            (unsigned long long)s->late_compiles, (double)s->late_compile_ns / 1e9);
    if (s->gaps && s->gap[0].length_ns * 2 > s->startup_ns)
        add(f, TTP_STARTUP_ONE_GAP, "one_gap",
            "no compilation or launch for %.1f of %.1f s, from %.1f s on: %s",
            (double)s->gap[0].length_ns / 1e9, (double)s->startup_ns / 1e9,
            (double)s->gap[0].from_ns / 1e9, cause_of_gap(s));
    if (s->unfinisheds)
        add(f, TTP_STARTUP_UNFINISHED, "unfinished",
            "the compilation of program %llu never ended: the process died, or is still compiling",
            (unsigned long long)s->unfinished[0]);
}

size_t ttp_startup_findings(struct ttp_startup_finding **out, const struct ttp_startup *run,
                            size_t ranks, struct ttp_arena *arena)
{
    struct findings f = {.arena = arena};
    size_t slow = 0, fast = 0;

    for (size_t i = 0; i < ranks; i++) {
        f.rank = ranks > 1 ? run[i].rank : (ttp_str){0};
        look_at(&f, &run[i]);
        slow = run[i].startup_ns > run[slow].startup_ns ? i : slow;
        fast = run[i].startup_ns < run[fast].startup_ns ? i : fast;
    }
    f.rank = (ttp_str){0};
    if (ranks > 1 && (double)run[slow].startup_ns > 1.2 * (double)run[fast].startup_ns)
        add(&f, TTP_STARTUP_RANKS_DIFFER, "ranks_differ",
            "rank %.*s took %.1f s, rank %.*s %.1f s: the others wait for it",
            TTP_FMT(run[slow].rank), (double)run[slow].startup_ns / 1e9, TTP_FMT(run[fast].rank),
            (double)run[fast].startup_ns / 1e9);
    *out = f.item;
    return f.count;
}
