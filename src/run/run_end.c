/* SPDX-License-Identifier: Apache-2.0 */
/* run_end.c - how the command of a recorded run ended: what it did not reach is missing. */
#include "run/run_end.h"

#include <string.h>

#include "base/file.h"
#include "base/sink.h"

/* A shell adds the number of a signal to it. */
#define SIGNAL_STATUS 128

TTP_PRINTF(3, 4)
static struct ttp_run_end make(enum ttp_run_ending how, struct ttp_arena *arena, const char *fmt,
                               ...)
{
    va_list ap;

    va_start(ap, fmt);
    const ttp_str text = ttp_sink_vformat(arena, fmt, ap);
    va_end(ap);
    return (struct ttp_run_end){how, ttp_arena_zstr(arena, text)};
}

struct ttp_run_end ttp_run_end_of_facts(const struct ttp_run_facts *facts, struct ttp_arena *arena)
{
    if (!facts->ended && facts->started_us && !facts->elapsed_us)
        return make(TTP_RUN_BROKEN, arena,
                    "the recording did not finish: 'tt-perf record' was killed, or still runs");
    if (facts->interrupted && !facts->cut)
        return make(TTP_RUN_INTERRUPTED, arena,
                    "the recorded command was interrupted: it did not run to its end");
    if (facts->status > SIGNAL_STATUS)
        return make(TTP_RUN_BROKEN, arena,
                    "the recorded command was killed or crashed (signal %d): ops that it did not "
                    "reach are missing",
                    facts->status - SIGNAL_STATUS);
    if (facts->cut)
        return make(TTP_RUN_BROKEN, arena,
                    "the recorded program was killed or crashed: ops that it did not reach are "
                    "missing");
    if (facts->status)
        return make(TTP_RUN_FAILED, arena,
                    "the recorded command failed with exit status %d: it may not have run to its "
                    "end",
                    facts->status);
    return (struct ttp_run_end){0};
}

struct ttp_run_end ttp_run_end_of_folder(const char *folder, struct ttp_arena *arena)
{
    struct ttp_run_facts facts;
    bool found;

    if (ttp_logs_run_facts_read(&facts, &found, folder, arena, NULL) != TTP_OK || !found)
        return (struct ttp_run_end){0};
    return ttp_run_end_of_facts(&facts, arena);
}

struct ttp_run_end ttp_run_end_of_csv(const char *csv, struct ttp_arena *arena)
{
    const char *slash = strrchr(csv, '/');

    return ttp_run_end_of_folder(
        slash ? ttp_arena_zstr(arena, (ttp_str){csv, (size_t)(slash - csv)}) : ".", arena);
}

void ttp_run_end_worst(struct ttp_run_end *worst, struct ttp_run_end end)
{
    if (end.how > worst->how)
        *worst = end;
}

void ttp_run_end_add_rank(struct ttp_run_end *worst, struct ttp_run_end end, int64_t rank,
                          struct ttp_arena *arena)
{
    if (end.how > worst->how)
        *worst = make(end.how, arena, "rank %lld: %s", (long long)rank, end.text);
}

ttp_code ttp_run_end_keep(const char *folder, const char *logs, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct ttp_run_facts facts;
    bool found;

    if (ttp_logs_run_facts_read(&facts, &found, logs, arena, NULL) != TTP_OK || !found)
        return TTP_OK;
    facts.nfiles = 0; /* the logs are elsewhere */
    return ttp_logs_run_facts_write(&facts, folder, arena, err);
}

ttp_code ttp_run_end_write(const char *folder, const struct ttp_run_end *end,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_run_facts facts = {.ended = true,
                                        .interrupted = end->how == TTP_RUN_INTERRUPTED,
                                        .cut = end->how == TTP_RUN_BROKEN,
                                        .status = end->how == TTP_RUN_FAILED};

    return end->how == TTP_RUN_COMPLETE ? TTP_OK
                                        : ttp_logs_run_facts_write(&facts, folder, arena, err);
}
