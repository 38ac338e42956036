/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "ops/device_ops.h"

static const struct {
    const char *id, *name, *hint;
} problems[] = {
    [TTP_PROBLEM_OP_WITHOUT_DEVICE_DATA] =
        {"op-without-device-data", "ops without device data",
         "the profiler's buffers were full: raise --op-support-count or read the profiler more "
         "often"},
    [TTP_PROBLEM_TRACE_NEVER_REPLAYED] =
        {"trace-never-replayed", "ops captured in a trace that was never replayed",
         "they did not run on the device; replay the trace to measure it"},
    [TTP_PROBLEM_DEVICE_MISSING] =
        {"device-missing", "devices without any device data",
         "its profiler was never read: close the device, or call ReadDeviceProfiler, before exit"},
    [TTP_PROBLEM_DEVICE_OP_WITHOUT_HOST] =
        {"device-op-without-host", "executions on a device without a host op",
         "they ran outside ttnn ops, or their messages were lost"},
    [TTP_PROBLEM_OP_WITHOUT_HOST_TIME] =
        {"op-without-host-time", "ops without a host zone",
         "tracy_ops_times.csv is incomplete; their message time is used instead"},
    [TTP_PROBLEM_ZONE_WITHOUT_OP] = {"zone-without-op", "host zones of ops without a message",
                                     "their message was too long or lost; such ops have no row"},
    [TTP_PROBLEM_CUT_MESSAGE] = {"cut-message", "truncated op messages",
                                 "Tracy truncates messages at 64 KiB; such ops have no row"},
    [TTP_PROBLEM_CACHED_WITHOUT_OP] =
        {"cached-without-op", "calls of a program without a message",
         "its first call was before the capture, or its message was truncated; see "
         "--no-op-info-cache of tt-metal"},
    [TTP_PROBLEM_BAD_MESSAGE] = {"bad-message", "op and trace messages of an unknown form",
                                 "the log comes from another version of tt-metal"},
    [TTP_PROBLEM_BAD_ZONE] = {"bad-zone", "host zones without op id or times",
                              "the log comes from another version of Tracy"},
    [TTP_PROBLEM_BAD_DEVICE_ROW] = {"bad-device-row", "unreadable rows of the device log",
                                    "the file was truncated, or a zone name contains a comma"},
    [TTP_PROBLEM_BAD_REPORT_ROW] = {"bad-report-row", "unreadable rows of the C++ report",
                                    "the file was truncated"},
    [TTP_PROBLEM_INCOMPLETE_OP] = {"incomplete-op", "ops whose description lacks members",
                                   "it was shortened to fit in a Tracy message"},
    [TTP_PROBLEM_LOST_FW_END] = {"lost-firmware-end",
                                 "executions that lack the end of a firmware zone",
                                 "markers were lost: their durations are lower bounds"},
    [TTP_PROBLEM_LOST_FW_START] = {"lost-firmware-start",
                                   "executions that lack the start of a firmware zone",
                                   "markers were lost: their durations are lower bounds"},
    [TTP_PROBLEM_REPEATED_FW] =
        {"repeated-firmware", "executions with more than one firmware zone on a core",
         "several executions share a key; their durations span all of them"},
    [TTP_PROBLEM_ZERO_LENGTH] = {"zero-length", "analyses of zero length",
                                 "first and last marker have the same cycle"},
    [TTP_PROBLEM_REPLAY_WITHOUT_MESSAGE] =
        {"replay-without-message", "trace replays without a message",
         "set TT_METAL_PROFILER_TRACE_TRACKING=1 to place them in host time"},
    [TTP_PROBLEM_SUB_DEVICE_CONFLICT] = {"sub-device-conflict",
                                         "executions reported on two sub-devices",
                                         "the last one is shown"},
    [TTP_PROBLEM_DISPATCH_UNMATCHED] =
        {"dispatch-unmatched", "ops of a dispatch core that did not run on a worker core",
         "the op is outside the log, or the dispatcher writes another kind of ID"},
    [TTP_PROBLEM_NO_SUB_DEVICES] =
        {"no-sub-devices", "device logs that could not be read for sub-device ids",
         "the times come from the C++ report; 'tt-perf info' checks the device log"},
    [TTP_PROBLEM_NO_MESSAGES] =
        {"no-messages", "runs without tracy_ops_data.csv, which describes the ops",
         "only device data is shown; 'tracy-csvexport -m' or tt-perf record creates the file"},
    [TTP_PROBLEM_NO_OP_IDS] =
        {"no-op-ids", "devices whose log does not identify ops",
         "logs from before 2024-07 are joined by order, which requires as many ops as on the "
         "host; --device-only shows what ran"},
};

const char *ttp_ops_problem_id(enum ttp_problem_kind kind)
{
    return problems[kind].id;
}

const char *ttp_ops_problem_name(enum ttp_problem_kind kind)
{
    return problems[kind].name;
}

const char *ttp_ops_problem_hint(enum ttp_problem_kind kind)
{
    return problems[kind].hint;
}

void ttp_ops_problem_add(struct ttp_problem *p, const char *file, uint64_t line, const char *fmt,
                         ...)
{
    va_list ap;

    if (p->count++)
        return;
    va_start(ap, fmt);
    vsnprintf(p->first, sizeof(p->first), fmt, ap);
    va_end(ap);
    const size_t n = strlen(p->first);
    if (line)
        snprintf(p->first + n, sizeof(p->first) - n, ", %s:%" PRIu64, file, line);
}

void ttp_ops_problem_add_fault(struct ttp_problem *p, const struct ttp_fault *fault,
                               const char *file)
{
    if (fault->count == 0)
        return;
    ttp_ops_problem_add(p, NULL, 0, fault->line ? "%s:%" PRIu64 : "%s", file, fault->line);
    p->count += fault->count - 1;
}

/* Does a command that is killed leave this? Then there is nothing else to blame. */
static bool comes_of_kill(size_t kind)
{
    static const enum ttp_problem_kind kinds[] = {
        TTP_PROBLEM_OP_WITHOUT_DEVICE_DATA, TTP_PROBLEM_TRACE_NEVER_REPLAYED,
        TTP_PROBLEM_DEVICE_MISSING,         TTP_PROBLEM_DEVICE_OP_WITHOUT_HOST,
        TTP_PROBLEM_OP_WITHOUT_HOST_TIME,   TTP_PROBLEM_ZONE_WITHOUT_OP,
        TTP_PROBLEM_REPLAY_WITHOUT_MESSAGE, TTP_PROBLEM_LOST_FW_END};

    for (size_t i = 0; i < TTP_COUNT(kinds); i++)
        if (kind == (size_t)kinds[i])
            return true;
    return false;
}

struct ttp_words ttp_ops_tell_problems(const struct ttp_ops_report *report, struct ttp_arena *arena)
{
    struct ttp_words list = {0};

    for (size_t k = 0; k < TTP_PROBLEMS; k++) {
        const struct ttp_problem *p = &report->problem[k];
        struct ttp_sink line;

        if (p->count == 0)
            continue;
        ttp_sink_to_arena(&line, arena);
        ttp_sink_u64(&line, p->count);
        ttp_sink_printf(&line, " %s", problems[k].name);
        if (p->first[0])
            ttp_sink_printf(&line, " (first: %s)", p->first);
        ttp_sink_printf(&line, "; %s",
                        report->broken && comes_of_kill(k) ? "the command was killed or crashed"
                                                           : problems[k].hint);
        ttp_words_add(&list, ttp_arena_zstr(arena, ttp_sink_text(&line)), arena);
    }
    return list;
}
