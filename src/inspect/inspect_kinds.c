/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_kinds.c - the kinds of files around a profiler, and how they are recognised. */
#include <sys/stat.h>

#include "base/content.h"
#include "base/file.h"
#include "base/input.h"
#include "capture/capture.h"
#include "inspect/inspect.h"
#include "mem/mem.h"
#include "tensor/tensor.h"

#define PATH_SHOWN  60 /* bytes; a longer one would fill the line */
#define RECORD      "tt-perf record"
#define NOC_EVENTS  "tt-perf record --mode kernel, or TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1"
#define WITH_FOLDER "pass its folder, or this file alone, to 'tt-perf report' or 'tt-perf kernel'"
#define OF_LOGS     "pass its folder to 'tt-perf ops' or 'tt-perf report'"
#define RECORDING                                                                                  \
    "'tt-perf export csv FILE' makes CSVs from it, 'tt-perf record --from FILE' a report"

static const struct ttp_inspect_words kinds[] = {
    [TTP_INSPECT_DEVICE] = {"device-log", "profile_log_device.csv", "markers of all devices",
                            RECORD ", or TT_METAL_DEVICE_PROFILER=1; close the device before exit",
                            WITH_FOLDER, " info ops trace kernel annotate report advise diff "},
    [TTP_INSPECT_CPP] = {"cpp-report", "cpp_device_perf_report.csv", "times of each execution",
                         RECORD ", or TT_METAL_PROFILER_CPP_POST_PROCESS=1", OF_LOGS,
                         " info ops trace report advise diff "},
    [TTP_INSPECT_ZONES] = {"zones", "tracy_ops_times.csv", "host times of ops",
                           RECORD ", or tracy-csvexport -u", OF_LOGS,
                           " info ops trace report advise diff "},
    [TTP_INSPECT_MESSAGES] = {"messages", "tracy_ops_data.csv", "what the ops were",
                              RECORD ", or tracy-csvexport -m", OF_LOGS,
                              " info ops trace report advise diff "},
    [TTP_INSPECT_TRACY] = {"tracy", "tracy_profile_log_host.tracy", "Tracy's recording of the host",
                           RECORD " --tracy-file, or python3 -m tracy", RECORDING,
                           " info export record tracy report ops trace advise diff startup "},
    [TTP_INSPECT_CAPTURE] =
        {"capture", "*.ttcap", "what a Tracy client sent", RECORD, RECORDING,
         " info export record report ops trace advise diff history startup mem "},
    [TTP_INSPECT_NOC_TRACES] = {"noc-traces", "noc_trace_*.json", "transfers of each execution",
                                NOC_EVENTS, "'tt-perf noc FILE' analyses the traffic",
                                " info noc kernel annotate ops trace advise "},
    [TTP_INSPECT_TOPOLOGY] = {"topology", "topology.json", "how the devices are connected",
                              NOC_EVENTS, "'tt-perf noc' reads it with the NoC traces",
                              " info noc "},
    [TTP_INSPECT_COORDINATES] = {"coordinates", "cluster_coordinates.json",
                                 "where the devices are in the cluster", NOC_EVENTS,
                                 "'tt-perf noc' reads it with the NoC traces", " info noc "},
    [TTP_INSPECT_FLOW] = {"flow-graph", "cb_flow_graph.json",
                          "dataflow buffers of a TT-Lang kernel",
                          RECORD " --mode lines, or TTLANG_AUTO_PROFILE=1",
                          "pass its folder to 'tt-perf kernel'", " info kernel annotate fit "},
    [TTP_INSPECT_WORKLOAD] = {"noc-workload", "workload JSON", "transfers for the NoC estimator",
                              "tt-npe", "'tt-perf noc FILE' estimates them", " info noc "},
    [TTP_INSPECT_ZONE_SOURCES] = {"zone-sources", "zone_src_locations.log",
                                  "where zones are in kernels",
                                  "building the kernels with TT_METAL_DEVICE_PROFILER=1",
                                  "pass its folder to 'tt-perf annotate'", " info "},
    [TTP_INSPECT_SYNC] = {"sync", "sync_device_info.csv", "clocks of host and devices",
                          "tt-perf tracy --sync-host-device, or TT_METAL_PROFILER_SYNC=1",
                          "pass its folder to 'tt-perf trace'", " info report advise diff "},
    [TTP_INSPECT_MACHINE] = {"machine-log", "machine_log.csv",
                             "clock, power and temperature of the boards", RECORD,
                             "pass its folder to 'tt-perf report' or 'tt-perf trace'", " info "},
    [TTP_INSPECT_OPS] = {"ops-csv", "ops_perf_results*.csv", "the operations of the run",
                         "tt-perf ops", "'tt-perf report FILE' prints it",
                         " info report advise diff fit history trace startup "},
    [TTP_INSPECT_TENSORS] = {"tensors", "a tensor file", "tensors", "torch, numpy or ttnn",
                             "'tt-perf pcc GOLDEN FILE' compares it with another", " info pcc "},
    [TTP_INSPECT_SMI] = {"tt-smi", "a snapshot of tt-smi", "state of the boards",
                         "tt-smi -s --snapshot_no_tty", "'tt-perf doctor --smi FILE' checks it",
                         " info doctor "},
    [TTP_INSPECT_DOCUMENT] = {"document", "a document of tt-perf",
                              "a result of tt-perf, for programs", "--format json",
                              "'tt-perf schema NAME' describes it by the name of its schema",
                              " info history schema "},
    [TTP_INSPECT_HISTORY] = {"history", "history.db",
                             "an SQLite database, such as a history of runs", "tt-perf history add",
                             "'tt-perf history list --store FILE' lists it", " info history "},
    [TTP_INSPECT_LEDGER] = {"tune-ledger", "ledger.jsonl", "the steps of a tuning session",
                            "tt-perf tune init", "'tt-perf tune report' shows it, in its folder",
                            " info tune "},
    [TTP_INSPECT_BENCHMARK] = {"benchmark", "results of a benchmark", "measured by another tool",
                               "hyperfine, Google Benchmark, tt-metal",
                               "'tt-perf history add FILE' keeps it", " info history bench "},
    [TTP_INSPECT_TIMELINE] = {"timeline", "run.pftrace", "a timeline", "tt-perf trace",
                              "https://ui.perfetto.dev opens it", " info "},
    [TTP_INSPECT_NOC_TIMELINE] = {"noc-timeline", "*.npeviz", "a timeline of the NoC",
                                  "tt-perf noc --timeline", "TTNN-Visualizer opens it", " info "},
    [TTP_INSPECT_RUN_FACTS] = {"run-facts", "tt_perf_run.json",
                               "identifies the run of the logs next to it", RECORD,
                               "pass its folder to 'tt-perf report'", " info "},
    [TTP_INSPECT_GRAPH] = {"graph-capture", "graph_capture*.json",
                           "ops and buffers of a graph capture",
                           "ttnn.graph.end_graph_capture_to_file()",
                           "'tt-perf mem FILE' shows its memory", " info mem "},
    [TTP_INSPECT_GRAPH_DATABASE] = {"graph-database", "db.sqlite", "ttnn-visualizer's database",
                                    "python -m ttnn.graph_report",
                                    "'tt-perf mem FILE' shows its memory", " info mem "},
    [TTP_INSPECT_MEMORY_REPORT] =
        {"memory-report", "*memory_usage*.csv", "memory held by allocators",
         "EnableMemoryReports() or dump_device_memory_state() of tt-metal",
         "'tt-perf mem FILE' shows it", " info mem "},
    [TTP_INSPECT_BUFFER_LOG] = {"buffer-log", "mesh_buffers_log.yaml",
                                "when buffers were allocated and freed",
                                "TT_METAL_INSPECTOR_LOG_MESH_BUFFERS=1",
                                "'tt-perf mem FILE' shows it", " info mem "},
    [TTP_INSPECT_MEMORY_COUNTERS] = {"memory-counters", "tt_device_<id>_memory",
                                     "chip memory held by processes", "tt-metal, in /dev/shm",
                                     "'tt-perf mem FILE' shows it, 'tt-perf top' live",
                                     " info mem top "},
    [TTP_INSPECT_INSPECTOR] = {"inspector-log", "programs_log.yaml",
                               "a log of tt-metal's inspector", "every run, in generated/inspector",
                               "pass its folder to 'tt-perf startup'", " info startup "},
    [TTP_INSPECT_REALTIME] = {"realtime-records", "realtime_profiler_records.csv",
                              "programs of the real-time profiler",
                              "a callback of tt-metal's real-time profiler",
                              "'tt-perf report FILE' sums it up", " info report "},
    [TTP_INSPECT_FAILURE_LOG] = {"failure-log", "run.log", "messages of allocations that failed",
                                 "the output of a run that ran out of memory",
                                 "'tt-perf mem FILE' explains them", " info mem "},
};

_Static_assert(TTP_COUNT(kinds) == TTP_INSPECT_KINDS, "a kind of file has no row in kinds[]");

const struct ttp_inspect_words *ttp_inspect_words(enum ttp_inspect_kind kind)
{
    return &kinds[kind];
}

const char *ttp_inspect_use(enum ttp_inspect_kind kind, const char *path, struct ttp_arena *arena)
{
    const ttp_str use = ttp_str_from(kinds[kind].use), file = TTP_STR("FILE");
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (size_t at = 0; at < use.len;) {
        const size_t found = ttp_str_find(ttp_str_slice(use, at, use.len), file);
        const size_t end = found == TTP_NPOS ? use.len : at + found;

        ttp_sink_put(&out, ttp_str_slice(use, at, end));
        if (found != TTP_NPOS)
            ttp_sink_put(&out, strlen(path) <= PATH_SHOWN ? ttp_str_from(path) : file);
        at = found == TTP_NPOS ? end : end + file.len;
    }
    return ttp_arena_zstr(arena, ttp_sink_text(&out));
}

/* How files begin: the surest first. */
static const struct {
    ttp_str part;
    enum ttp_inspect_kind kind;
    bool first; /* at the very beginning */
} marks[] = {
    {{"\x93NUMPY", 6}, TTP_INSPECT_TENSORS, true},
    {{"SQLite format 3", 15}, TTP_INSPECT_HISTORY, true},
    {{"{\"schema\":\"tt-perf.", 19}, TTP_INSPECT_DOCUMENT, true},
    {{"{\n  \"schema\": \"tt-perf.", 23}, TTP_INSPECT_DOCUMENT, true},
    {{"{\"n\":1,\"event\":", 15}, TTP_INSPECT_LEDGER, true},
    {{"RISC processor type", 19}, TTP_INSPECT_DEVICE, false},
    {{"ns_since_start", 14}, TTP_INSPECT_ZONES, false},
    {{"MessageName;", 12}, TTP_INSPECT_MESSAGES, true},
    {{"tracy_ratio", 11}, TTP_INSPECT_SYNC, false},
    {{"\"tt-perf.run-1\"", 15}, TTP_INSPECT_RUN_FACTS, false},
    {{"\"circular_buffers\"", 18}, TTP_INSPECT_FLOW, false},
    {{"\"timestep_data\"", 15}, TTP_INSPECT_NOC_TIMELINE, false},
    {{"\"noc_transfers\"", 15}, TTP_INSPECT_NOC_TIMELINE, false},
    {{"\"device_info\"", 13}, TTP_INSPECT_SMI, false},
    {{"\"traceEvents\"", 13}, TTP_INSPECT_TIMELINE, false},
    {{"\"phases\"", 8}, TTP_INSPECT_WORKLOAD, false},
    {{"\"eth_chan_to_coord\"", 19}, TTP_INSPECT_TOPOLOGY, false},
    {{"\"run_host_id\"", 13}, TTP_INSPECT_NOC_TRACES, false},
    {{"\"src_device_id\"", 15}, TTP_INSPECT_NOC_TRACES, false},
    {{"\"benchmarks\"", 12}, TTP_INSPECT_BENCHMARK, false},
    {{"\"run_start_ts\"", 14}, TTP_INSPECT_BENCHMARK, false},
    {{"\"stddev\"", 8}, TTP_INSPECT_BENCHMARK, false},
    {{"OP CODE", 7}, TTP_INSPECT_OPS, false},
    {{"OP TYPE", 7}, TTP_INSPECT_OPS, false}, /* a report that lost columns */
    {{",ATTRIBUTES,", 12}, TTP_INSPECT_OPS, false},
    {{"GLOBAL CALL COUNT", 17}, TTP_INSPECT_CPP, false},
    {{"KERNEL_PROFILER", 15}, TTP_INSPECT_ZONE_SOURCES, false},
    {{"- program_created:", 18}, TTP_INSPECT_INSPECTOR, true},
    {{"- program_compile_started:", 26}, TTP_INSPECT_INSPECTOR, true},
    {{"- mesh_device_created:", 22}, TTP_INSPECT_INSPECTOR, true},
    {{"- mesh_workload_created:", 24}, TTP_INSPECT_INSPECTOR, true},
    {{"- runtime_entry:", 16}, TTP_INSPECT_INSPECTOR, true},
    {{"startup_time:", 13}, TTP_INSPECT_INSPECTOR, true},
    {{"runtime_id,chip_id,start_timestamp", 34}, TTP_INSPECT_REALTIME, true},
    {{"host_ns,chip,bus,clock_mhz", 26}, TTP_INSPECT_MACHINE, true},
    {{"monotonic_ns,chip,bus,clock_mhz", 31}, TTP_INSPECT_MACHINE, true},
};

static const struct {
    enum ttp_inspect_kind kind;
    ttp_str part;
} names[] = {
    {TTP_INSPECT_DEVICE, {"profile_log_device", 18}},
    {TTP_INSPECT_CPP, {"cpp_device_perf_report", 22}},
    {TTP_INSPECT_ZONES, {"tracy_ops_times", 15}},
    {TTP_INSPECT_MESSAGES, {"tracy_ops_data", 14}},
    {TTP_INSPECT_TRACY, {".tracy", 6}},
    {TTP_INSPECT_OPS, {"ops_perf_results", 16}},
    {TTP_INSPECT_MACHINE, {"machine_log.csv", 15}},
    {TTP_INSPECT_ZONE_SOURCES, {"zone_src_locations", 18}},
    {TTP_INSPECT_SYNC, {"sync_device_info", 16}},
    {TTP_INSPECT_NOC_TRACES, {"noc_trace_", 10}},
    {TTP_INSPECT_RUN_FACTS, {"tt_perf_run.json", 16}},
    {TTP_INSPECT_TOPOLOGY, {"topology.json", 13}},
    {TTP_INSPECT_COORDINATES, {"cluster_coordinates", 19}},
    {TTP_INSPECT_FLOW, {"_flow_graph.json", 16}},
    {TTP_INSPECT_NOC_TIMELINE, {".npeviz", 7}},
    {TTP_INSPECT_TIMELINE, {".pftrace", 8}},
    {TTP_INSPECT_TIMELINE, {".perfetto-trace", 15}},
    {TTP_INSPECT_TENSORS, {".npy", 4}},
    {TTP_INSPECT_TENSORS, {".npz", 4}},
    {TTP_INSPECT_TENSORS, {".safetensors", 12}},
    {TTP_INSPECT_TENSORS, {".tensorbin", 10}},
    {TTP_INSPECT_TENSORS, {".pth", 4}},
};

/* Those that memory can be read from are reported by their reader. */
static bool by_memory(enum ttp_inspect_kind *kind, const char *path)
{
    static const enum ttp_inspect_kind of[] = {
        [TTP_MEM_FILE_CAPTURE] = TTP_INSPECT_GRAPH,
        [TTP_MEM_FILE_DATABASE] = TTP_INSPECT_GRAPH_DATABASE,
        [TTP_MEM_FILE_REPORT] = TTP_INSPECT_MEMORY_REPORT,
        [TTP_MEM_FILE_BUFFER_LOG] = TTP_INSPECT_BUFFER_LOG,
        [TTP_MEM_FILE_SHM] = TTP_INSPECT_MEMORY_COUNTERS,
    };
    const enum ttp_mem_file_kind found = ttp_mem_file_kind(path);

    if (found == TTP_MEM_FILE_OTHER || found == TTP_MEM_FILE_LOG)
        return false;
    *kind = of[found];
    return true;
}

static bool by_text(enum ttp_inspect_kind *kind, ttp_str text)
{
    for (size_t i = 0; i < TTP_COUNT(marks); i++) {
        const size_t at = ttp_str_find(text, marks[i].part);

        if (at == TTP_NPOS || (marks[i].first && at != 0))
            continue;
        *kind = marks[i].kind;
        return true;
    }
    return false;
}

static bool by_name(enum ttp_inspect_kind *kind, const char *path)
{
    const char *slash = strrchr(path, '/');
    const ttp_str name = ttp_str_from(slash ? slash + 1 : path);

    for (size_t i = 0; i < TTP_COUNT(names); i++)
        if (ttp_str_has(name, names[i].part)) {
            *kind = names[i].kind;
            return true;
        }
    return false;
}

/* Archives of torch and numpy, safetensors and .tensorbin are reported by their readers, which look
 * at the head of the mapping only. */
static bool has_tensors(const char *path, struct ttp_arena *arena)
{
    struct ttp_tensors tensors;
    struct ttp_file file;

    if (ttp_tensor_open(&tensors, &file, path, NULL, arena, NULL) != TTP_OK)
        return false;
    ttp_file_close(&file);
    return true;
}

/* A text log of any length, with a message of tt-metal that an allocation failed. */
static bool has_failures(const char *path, ttp_str text, struct ttp_arena *arena)
{
    struct ttp_mem_failures failures = {0};

    return text.len && !ttp_content_kind(text) &&
           ttp_mem_read_log(&failures, path, arena, NULL) == TTP_OK && failures.count;
}

static bool is_json(ttp_str begin)
{
    return begin.len && (begin.ptr[0] == '{' || begin.ptr[0] == '[');
}

/* Text that could be anything. */
static const char *unknown_text(ttp_str begin)
{
    const ttp_str line = ttp_str_slice(begin, 0, ttp_str_find_char(begin, '\n'));

    if (!begin.len)
        return "empty";
    if (is_json(begin))
        return "JSON of an unknown kind";
    return ttp_str_find_char(line, ',') != TTP_NPOS ? "a CSV of an unknown kind"
                                                    : "text of an unknown kind";
}

static ttp_code fail_foreign(const char *path, ttp_str text, struct ttp_err *err)
{
    const ttp_str begin = ttp_str_trim(text);
    const char *what = is_json(begin) ? NULL : ttp_content_kind(begin);
    const ttp_code rc = ttp_fail(err, what ? TTP_ENOTFOUND : TTP_EPARSE, "'%s' is %s", path,
                                 what ? what : unknown_text(begin));

    ttp_err_where(err, path, 0);
    ttp_err_hint(err, "supported: the profiler's logs and reports, NoC traces, .tracy files and "
                      "captures, graph captures, logs of failed allocations, tensors, snapshots "
                      "of tt-smi, documents and histories of tt-perf");
    return rc;
}

static ttp_code check_length(const char *path, ttp_str text, struct ttp_err *err)
{
    const uint64_t whole = ttp_content_sqlite_bytes(text);
    struct stat st;

    if (whole == 0 || stat(path, &st) != 0 || (uint64_t)st.st_size >= whole)
        return TTP_OK;
    return ttp_fail(err, TTP_EPARSE, "'%s' is a truncated database: it has %llu of %llu bytes",
                    path, (unsigned long long)st.st_size, (unsigned long long)whole);
}

ttp_code ttp_inspect_detect(enum ttp_inspect_kind *kind, const char *path, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    const enum ttp_trace_kind recorded = ttp_capture_trace_detect_file(path);
    struct ttp_input *in;
    struct ttp_block block = {0};
    bool more = false;

    if (recorded != TTP_TRACE_NONE) {
        *kind = recorded == TTP_TRACE_TRACY ? TTP_INSPECT_TRACY : TTP_INSPECT_CAPTURE;
        return TTP_OK;
    }
    TTP_TRY(ttp_input_open(&in, path, 1 << 16, true, err));
    ttp_code rc = ttp_input_next(in, &block, &more, (struct ttp_cutter){NULL, NULL}, err);
    const ttp_str text = rc == TTP_OK && more ? block.text : (ttp_str){0};
    if (rc != TTP_OK)
        ttp_err_where(err, path, 0);
    else if (!by_name(kind, path) && !by_memory(kind, path) && !by_text(kind, text)) {
        if (has_tensors(path, arena))
            *kind = TTP_INSPECT_TENSORS;
        else if (has_failures(path, text, arena))
            *kind = TTP_INSPECT_FAILURE_LOG;
        else
            rc = fail_foreign(path, text, err);
    } else if (*kind == TTP_INSPECT_HISTORY) {
        rc = check_length(path, text, err);
    }
    if (more)
        ttp_input_release(in, &block);
    ttp_input_close(in);
    return rc;
}
