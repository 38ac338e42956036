/* SPDX-License-Identifier: Apache-2.0 */
/* Settings to variables. Which ones tt-metal knows, and what it refuses, is from rtoptions.cpp,
 * metal_context.cpp and tools/tracy/__main__.py of 2026-08; in TT-Lang from its environment. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "record/record.h"

#define L1_BANKS                                                                                   \
    (TTP_COUNTERS_L1_0 | TTP_COUNTERS_L1_1 | TTP_COUNTERS_L1_2 | TTP_COUNTERS_L1_3 |               \
     TTP_COUNTERS_L1_4)
#define L1_BLACKHOLE (TTP_COUNTERS_L1_2 | TTP_COUNTERS_L1_3 | TTP_COUNTERS_L1_4)

ttp_code ttp_record_parse_counters(uint32_t *out, const char *list, struct ttp_err *err)
{
    static const struct {
        const char *word;
        uint32_t bits;
    } groups[] = {
        {"fpu", TTP_COUNTERS_FPU},   {"pack", TTP_COUNTERS_PACK}, {"unpack", TTP_COUNTERS_UNPACK},
        {"l1_0", TTP_COUNTERS_L1_0}, {"l1_1", TTP_COUNTERS_L1_1}, {"instrn", TTP_COUNTERS_INSTRN},
        {"l1_2", TTP_COUNTERS_L1_2}, {"l1_3", TTP_COUNTERS_L1_3}, {"l1_4", TTP_COUNTERS_L1_4},
        {"all", TTP_COUNTERS_ALL},
    };
    ttp_str rest = ttp_str_from(list);

    *out = 0;
    while (rest.len) {
        const size_t comma = ttp_str_find_char(rest, ',');
        const ttp_str word = ttp_str_trim(ttp_str_slice(rest, 0, comma));
        size_t i = 0;

        rest = ttp_str_slice(rest, comma == TTP_NPOS ? rest.len : comma + 1, rest.len);
        if (!word.len)
            continue;
        while (i < TTP_COUNT(groups) && !ttp_str_eq_any_case(word, ttp_str_from(groups[i].word)))
            i++;
        if (i == TTP_COUNT(groups)) {
            ttp_fail(err, TTP_EUSAGE, "unknown counter group '%.*s'", TTP_FMT(word));
            ttp_err_hint(err, "use fpu, pack, unpack, l1_0 to l1_4, instrn, or all");
            return TTP_EUSAGE;
        }
        *out |= groups[i].bits;
    }
    if (!*out)
        return ttp_fail(err, TTP_EUSAGE, "no counter group given");
    return TTP_OK;
}

/* As tt-metal reads its switches. */
static bool is_on(const char *name)
{
    const char *value = getenv(name);

    return value && value[0] == '1';
}

static bool is_given(const char *name)
{
    const char *value = getenv(name);

    return value && value[0];
}

/* --- what is refused --- */

static const char *declared_arch(void)
{
    static const char *const names[] = {"TT_METAL_DEVICE_ARCH", "TT_ARCH_NAME", "ARCH_NAME"};

    for (size_t i = 0; i < TTP_COUNT(names); i++)
        if (is_given(names[i]))
            return getenv(names[i]);
    return NULL;
}

static uint32_t counters_of(const struct ttp_ledger_settings *s)
{
    const char *value = getenv("TT_METAL_PROFILE_PERF_COUNTERS");
    uint64_t bits;

    if (s->counters || !value || !ttp_str_to_u64(ttp_str_trim(ttp_str_from(value)), &bits))
        return s->counters;
    return (uint32_t)bits;
}

static ttp_code check_counters(const struct ttp_ledger_settings *s, struct ttp_err *err)
{
    const uint32_t bits = s->one_of_passes ? s->counters : counters_of(s), banks = bits & L1_BANKS;
    const char *arch = declared_arch();

    if (banks & (banks - 1)) {
        ttp_fail(err, TTP_EUSAGE,
                 "counters of more than one L1 bank share a multiplexer: tt-metal supports one "
                 "bank per run");
        ttp_err_hint(err, "record once per bank");
        return TTP_EUSAGE;
    }
    if (s->counters & L1_BLACKHOLE &&
        (!arch || !ttp_str_eq_any_case(ttp_str_trim(ttp_str_from(arch)), TTP_STR("blackhole")))) {
        ttp_fail(err, TTP_EUSAGE, "counters l1_2, l1_3 and l1_4 exist on Blackhole only; %s%s",
                 arch ? "the environment names " : "no variable names the chip", arch ? arch : "");
        ttp_err_hint(err, "on Blackhole, set ARCH_NAME=blackhole");
        return TTP_EUSAGE;
    }
    return TTP_OK;
}

/* Pairs that conflict; the second is also searched in the environment. */
static ttp_code check_pairs(const struct ttp_ledger_settings *s, struct ttp_err *err)
{
    const bool device = s->device || s->noc_events || s->counters;
    const bool mid_run = s->mid_run || s->lines || is_on("TT_METAL_PROFILER_MID_RUN_DUMP");
    const struct {
        bool met;
        const char *text, *hint;
    } pair[] = {
        {device && (is_given("TT_METAL_DPRINT_CORES") || is_given("TT_METAL_DPRINT_ETH_CORES")),
         "TT_METAL_DPRINT_CORES is set: tt-metal does not print from a device while profiling it",
         "unset TT_METAL_DPRINT_CORES"},
        {mid_run && (s->trace_only || is_on("TT_METAL_TRACE_PROFILER")),
         "mid-run dumps conflict with the trace profiler", "omit one of them"},
        {mid_run && (s->dispatch_cores || is_on("TT_METAL_DEVICE_PROFILER_DISPATCH")),
         "mid-run dumps conflict with profiling dispatch cores", "omit one of them"},
        {s->report && (s->accumulate || is_on("TT_METAL_PROFILER_ACCUMULATE")),
         "accumulated profiles lack op IDs, so an ops report is impossible",
         "unset TT_METAL_PROFILER_ACCUMULATE, or do not request a report"},
        {s->report && device && (s->no_files || is_on("TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES")),
         "a report requires device files (TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES is set)",
         "unset it, or do not request a report"},
        {s->report && device && is_on("TT_METAL_NOC_DEBUG_DUMP"),
         "TT_METAL_NOC_DEBUG_DUMP is set: tt-metal writes no device log",
         "unset it, or do not request a report"},
        {s->lines && !s->one_of_passes && is_on("TTLANG_SIGNPOST_PROFILE"),
         "TTLANG_SIGNPOST_PROFILE is set: TT-Lang does not profile lines", "unset it"},
    };

    for (size_t i = 0; i < TTP_COUNT(pair); i++) {
        if (!pair[i].met)
            continue;
        ttp_fail(err, TTP_EUSAGE, "%s", pair[i].text);
        ttp_err_hint(err, "%s", pair[i].hint);
        return TTP_EUSAGE;
    }
    return check_counters(s, err);
}

/* --- variables --- */

enum { MAX_VARIABLES = 40 };

static void put(struct ttp_record_environment *out, bool wanted, const char *name,
                const char *value, const char *why)
{
    if (wanted)
        out->item[out->count++] = (struct ttp_record_variable){name, value, why};
}

static const char *number(uint64_t v, struct ttp_arena *arena)
{
    char text[TTP_NUM_MAX];

    return ttp_arena_zstr(arena, (ttp_str){text, ttp_num_u64(text, v)});
}

static void put_device(struct ttp_record_environment *out, const struct ttp_ledger_settings *s,
                       struct ttp_arena *arena)
{
    /* as python -m tracy has it: these want the device log itself */
    const bool cpp = s->cpp_report && !s->sums && !s->dispatch_cores && !s->counters;

    put(out, s->device, "TT_METAL_DEVICE_PROFILER", "1", "the device profiler");
    put(out, !s->device && !s->keep_device, "TT_METAL_DEVICE_PROFILER", NULL, "no device data");
    put(out, cpp, "TT_METAL_PROFILER_CPP_POST_PROCESS", "1", "times of ops computed at run time");
    put(out, s->device && !s->push_to_tracy, "TT_METAL_PROFILER_DISABLE_PUSH_TO_TRACY", "1",
        "device times come from the device log");
    put(out, s->noc_events, "TT_METAL_DEVICE_PROFILER_NOC_EVENTS", "1", "NoC events");
    put(out, s->noc_events, "TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH",
        ttp_file_join(s->dir, ".logs", arena), "folder of their files");
    put(out, s->counters != 0, "TT_METAL_PROFILE_PERF_COUNTERS", number(s->counters, arena),
        "hardware counters");
    put(out, s->dispatch_cores, "TT_METAL_DEVICE_PROFILER_DISPATCH", "1", "dispatch cores");
    put(out, s->sums, "TT_METAL_PROFILER_SUM", "1", "sums of zones");
    put(out, s->accumulate, "TT_METAL_PROFILER_ACCUMULATE", "1", "many kernels in one buffer");
    put(out, s->sync, "TT_METAL_PROFILER_SYNC", "1", "clocks of host and devices");
    put(out, s->trace_only, "TT_METAL_TRACE_PROFILER", "1", "replayed traces only");
    put(out, s->mid_run || s->lines, "TT_METAL_PROFILER_MID_RUN_DUMP", "1",
        "write files at every read of the device");
    put(out, s->no_files, "TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES", "1", "write no device files");
    put(out, s->memory, "TT_METAL_MEM_PROFILER", "1", "buffers on the device");
    put(out, s->support_count > 0, "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT",
        number((uint64_t)s->support_count, arena), "number of programs in its buffer");
    put(out, s->clear_l1, "TT_METAL_CLEAR_L1", "1", "like tt_profile");
    put(out, s->clear_l1, "TT_METAL_DEVICE_PROFILER_DISPATCH", "0", "like tt_profile");
}

/* TT-Lang looks for the logs below TT_METAL_HOME, whatever TT_METAL_PROFILER_DIR says, and its
 * summary ends the program if they are not there. */
static bool finds_logs(const struct ttp_ledger_settings *s, struct ttp_arena *arena)
{
    return !is_given("TT_METAL_HOME") ||
           ttp_file_is_same(s->dir,
                            ttp_file_join(getenv("TT_METAL_HOME"), "generated/profiler", arena));
}

/* A variable of another pass that the user has set. */
static void remove_others(struct ttp_record_environment *out)
{
    static const char *const names[] = {"TT_METAL_DEVICE_PROFILER_NOC_EVENTS",
                                        "TT_METAL_PROFILE_PERF_COUNTERS",
                                        "TTLANG_AUTO_PROFILE",
                                        "TTLANG_PERF_DUMP",
                                        "TTLANG_SIGNPOST_PROFILE",
                                        "TTLANG_PIPE_GRAPH_JSON"};

    for (size_t i = 0; i < TTP_COUNT(names); i++) {
        bool set = false;

        for (size_t k = 0; k < out->count && !set; k++)
            set = strcmp(out->item[k].name, names[i]) == 0;
        put(out, !set && is_given(names[i]), names[i], NULL, "belongs to another pass");
    }
}

ttp_code ttp_record_make_environment(struct ttp_record_environment *out,
                                     const struct ttp_ledger_settings *s, struct ttp_arena *arena,
                                     struct ttp_err *err)
{
    *out = (struct ttp_record_environment){
        TTP_NEW(arena, struct ttp_record_variable, MAX_VARIABLES), 0};
    TTP_TRY(check_pairs(s, err));
    put(out, true, "TT_METAL_PROFILER_DIR", s->dir, "folder of its logs");
    put_device(out, s, arena);
    put(out, s->ops, "TTNN_OP_PROFILER", "1", "messages and zones of ops");
    put(out, s->ops, "TT_METAL_PROFILER_TRACE_TRACKING", "1", "names of replayed programs");
    put(out, s->no_op_cache, "TT_METAL_PROFILER_NO_CACHE_OP_INFO", "1",
        "every op described in full");
    put(out, s->drop_op_cache_setting && !s->no_op_cache, "TT_METAL_PROFILER_NO_CACHE_OP_INFO",
        NULL, "repeated ops described once");
    put(out, s->lines, "TTLANG_AUTO_PROFILE", "1", "one zone per line of a TT-Lang kernel");
    put(out, s->lines, "TTLANG_PROFILE_CSV",
        ttp_file_join(s->dir, ".logs/profile_log_device.csv", arena),
        "where TT-Lang looks for the device log");
    put(out, s->perf_dump && finds_logs(s, arena), "TTLANG_PERF_DUMP", "1",
        "TT-Lang's summary of traffic");
    put(out, s->signposts && !s->lines, "TTLANG_SIGNPOST_PROFILE", "1",
        "zones that the user placed in a TT-Lang kernel");
    put(out, s->pipe_graph, "TTLANG_PIPE_GRAPH_JSON",
        ttp_file_join(s->dir, ".logs/pipe_graph.json", arena), "pipes of a TT-Lang kernel");
    if (s->one_of_passes)
        remove_others(out);
    put(out, !s->unreceived && s->port, "TRACY_PORT", number(s->port, arena),
        "port of its Tracy client");
    put(out, !s->unreceived && !s->port, "TRACY_PORT", NULL,
        "every Tracy client takes a free port from 8086 up");
    put(out, !s->unreceived && !getenv("TRACY_NO_EXIT"), "TRACY_NO_EXIT", "1",
        "a short run waits until its data is received");
    return TTP_OK;
}
