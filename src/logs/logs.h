/* SPDX-License-Identifier: Apache-2.0 */
/* logs.h - door of the logs module: what a profiled run leaves in its `.logs` folder, read in one
 * streaming pass each.
 *
 * Results live in the arena the caller passes; nothing in them points into the files. Each function
 * runs on the calling thread and, where it takes `threads`, on worker threads that end before it
 * returns. Results do not depend on the number of threads. Files may be .gz or .zst. */
#ifndef TTP_LOGS_LOGS_H
#define TTP_LOGS_LOGS_H

#include "logs/device_parts.h"
#include "logs/exec_key.h"
#include "logs/host_log.h"
#include "logs/noc_records.h"

/* ---- where they are ---- */

/* Paths in the arena, NULL: there is no such file. A packed one has .gz or .zst after its name. */
struct ttp_log_paths {
    const char *root;   /* the artifacts folder; reports go below it */
    const char *folder; /* `.logs`, or the folder itself */
    const char *device, *cpp;
    const char *zones, *messages; /* CSVs; without them a recording */
    const char *tracy, *capture;  /* recordings: of Tracy's own capture, of `tt-perf record` */
    const char *zone_sources;     /* zone_src_locations.log */
    const char *sync;             /* sync_device_info.csv */
    const char *topology;         /* topology.json, how the devices are connected */
};

/* Is it a .tracy file, a capture file or a wire recording? Readers of messages and zones take one
 * in the place of the CSVs. */
bool ttp_logs_is_recording(const char *path);

/* `dir` is an artifacts folder or its `.logs`, or a recording, which then represents the CSVs made
 * of it, with the logs of devices next to it. Without CSVs in a folder, a recording in it does. A
 * log by its usual name represents its folder, a device log by another name for itself alone.
 * TTP_ENOTFOUND: none of these. */
TTP_NODISCARD ttp_code ttp_logs_find(struct ttp_log_paths *out, const char *dir,
                                     struct ttp_arena *arena, struct ttp_err *err);

/* ---- which run they are of ---- */

/* Next to the logs of a recorded run: docs/formats/run_facts.md. */
#define TTP_RUN_FACTS "tt_perf_run.json"

enum ttp_run_part { TTP_RUN_HOST, TTP_RUN_DEVICE };

/* A log as it was when the run ended. */
struct ttp_run_file {
    ttp_str name; /* without its folder */
    uint64_t size;
    ttp_str digest; /* of bytes from all over it */
};

struct ttp_run_facts {
    ttp_str host, boot_id;           /* of the machine; empty: unknown */
    uint64_t record_pid, client_pid; /* client: as it calls itself; 0: unknown */
    uint64_t started_us, elapsed_us; /* since 1970, and until the run ended; 0: unknown */
    bool ended;                      /* what follows is known */
    bool interrupted;                /* the user asked it to stop */
    bool cut;   /* the connection to the client broke: it was killed or crashed */
    int status; /* of the command: 0 to 255, 128 + signal */
    bool
        disputed; /* several processes used a device and wrote its log here: its owner is unknown */
    struct ttp_run_file *file;
    size_t nfiles;
};

/* Note the logs of that part in `folder` as they are now. */
void ttp_logs_run_facts_note(struct ttp_run_facts *facts, const char *folder,
                             enum ttp_run_part part, struct ttp_arena *arena);
TTP_NODISCARD ttp_code ttp_logs_run_facts_write(const struct ttp_run_facts *facts,
                                                const char *folder, struct ttp_arena *arena,
                                                struct ttp_err *err);
/* !*found: none. TTP_EPARSE, TTP_ELIMIT: not what they should be. */
TTP_NODISCARD ttp_code ttp_logs_run_facts_read(struct ttp_run_facts *out, bool *found,
                                               const char *folder, struct ttp_arena *arena,
                                               struct ttp_err *err);
/* Do the logs belong to one run? *facts is what is known about it, empty if nothing was recorded.
 * TTP_EPARSE: only some are unchanged since that run; the text names them. */
TTP_NODISCARD ttp_code ttp_logs_check_run(struct ttp_run_facts *facts,
                                          const struct ttp_log_paths *paths,
                                          struct ttp_arena *arena, struct ttp_err *err);

/* The file to name in an error about a log, given the log's usual name. `paths`
 * may be NULL; what is missing keeps its name. */
const char *ttp_logs_path_of(const struct ttp_log_paths *paths, const char *usual_name);

/* ---- machine_log.csv: the chips while the run was recorded ---- */

/* Next to the logs and next to the report: docs/formats/machine_log.md. */
#define TTP_MACHINE_LOG "machine_log.csv"

/* The limit that a chip was at. */
enum ttp_throttle {
    TTP_THROTTLE_NONE,
    TTP_THROTTLE_HEAT,
    TTP_THROTTLE_POWER,
    TTP_THROTTLE_CURRENT,
    TTP_THROTTLES
};
const char *ttp_logs_machine_throttle_name(enum ttp_throttle throttle); /* "" for none */

/* A chip has these values from then on. NaN: unknown. */
struct ttp_machine_sample {
    int64_t time_ns; /* of the host log, if aligned; else CLOCK_MONOTONIC */
    double clock_mhz, power_w, temperature_c;
    int64_t trips; /* thermal shutdowns; -1: unknown */
    enum ttp_throttle throttle;
};
struct ttp_machine_chip {
    uint32_t number; /* in the order of bus addresses */
    ttp_str bus;
    double clock_max_mhz, power_limit_w, heat_limit_c; /* NaN: unknown */
    struct ttp_machine_sample *sample;                 /* by time */
    size_t count;
};
struct ttp_machine_log {
    struct ttp_machine_chip *chip;
    size_t count;
    bool aligned; /* its times are those of the host's zones and messages */
};
/* TTP_EPARSE, TTP_ELIMIT: not a machine log; the error has the line. */
TTP_NODISCARD ttp_code ttp_logs_machine_log_read(struct ttp_machine_log *out, const char *path,
                                                 struct ttp_arena *arena, struct ttp_err *err);
/* Write it with times of the host log: those of `log` less `offset_ns`. */
TTP_NODISCARD ttp_code ttp_logs_machine_log_write(const struct ttp_machine_log *log,
                                                  const char *path, int64_t offset_ns,
                                                  struct ttp_err *err);
/* The machine log of a folder, of its logs, or of the folder that a CSV is in; NULL: none. */
const char *ttp_logs_machine_log_find(const char *csv_or_folder, struct ttp_arena *arena);

/* ---- profile_log_device.csv ---- */

/* From the first to the last marker of a kind, in cycles since device reset. */
struct ttp_span {
    uint64_t first, last;
    uint32_t count; /* of markers; 0: none, and first and last mean nothing */
};

/* Kinds of markers whose span is kept for each execution. The zone phase counts only where noted.
 */
enum ttp_span_kind {
    TTP_SPAN_FW,            /* any "<RISC>-FW" */
    TTP_SPAN_KERNEL,        /* any "<RISC>-KERNEL" */
    TTP_SPAN_KERNEL_STARTS, /* the same, only their starts */
    TTP_SPAN_KERNEL_DM,     /* BRISC-, NCRISC- and ERISC-KERNEL */
    TTP_SPAN_BRISC,         /* kernel zone of one RISC */
    TTP_SPAN_NCRISC,
    TTP_SPAN_TRISC0,
    TTP_SPAN_TRISC1,
    TTP_SPAN_TRISC2,
    TTP_SPAN_ERISC,
    TTP_SPAN_TRACE_FW, /* lanes of the trace-only profiler */
    TTP_SPAN_TRACE_KERNEL,
    TTP_SPANS,
};

/* One execution of a program on a device: all its markers, reduced. */
struct ttp_exec {
    uint32_t device;            /* position in ttp_device_log.device */
    uint64_t run_id;            /* "run host ID", never 0 */
    uint64_t line;              /* of its first row in the file; 0: unknown */
    int64_t trace_id, replay;   /* TTP_NO_ID: not a replay of a trace; see `has_replays` */
    uint64_t first_cycle;       /* of any marker */
    uint64_t last_cycle;        /* of any marker */
    uint64_t fw_end_cycle;      /* last end of a master firmware zone; 0: none */
    uint64_t cb_wait_cycles;    /* TRISC_0 in CB-COMPUTE-WAIT-FRONT, summed over cores */
    uint64_t cb_reserve_cycles; /* TRISC_2 in CB-COMPUTE-RESERVE-BACK, summed over cores */
    int64_t sub_device;         /* TTP_NO_ID: not given */
    struct ttp_span span[TTP_SPANS];
};

/* One execution's part on one core. */
struct ttp_exec_core {
    uint32_t exec, core;
    uint64_t first_cycle;        /* of any marker */
    uint64_t kernel_first_cycle; /* of any kernel marker */
    uint64_t kernel_last_cycle;  /* of any kernel marker */
    uint8_t kernel_markers;      /* counts stop at 255 */
    uint8_t fw_starts, fw_ends;  /* of the zone that encloses the op on this core */
    bool has_fw;                 /* some zone with "FW" in its name */
    uint8_t begun;               /* private: RISCs whose firmware started */
    bool has_brisc_fw_start;     /* or its Quasar twin */
};

/* Further data for times between ops on a core. */
struct ttp_core_times {
    uint64_t dm_start_cycle;   /* first start of a BRISC or NCRISC kernel; UINT64_MAX: none */
    uint64_t kernel_end_cycle; /* last end of a kernel; 0: none */
};

struct ttp_core {
    uint32_t device; /* position in ttp_device_log.device */
    int32_t x, y;
    bool dispatch; /* it handed out ops instead of running them */
};

/* One hardware performance counter, read once. */
struct ttp_counter_sample {
    uint32_t part;   /* position in ttp_device_log.part */
    ttp_sym counter; /* in ttp_device_log.counters */
    uint32_t value, reference;
    uint64_t cycle;
};

/* What a dispatch core did for one op. */
struct ttp_dispatch_op {
    uint32_t device;
    uint64_t run_id; /* as the dispatcher wrote it; 0: it did not */
    uint64_t line;   /* of its first row in the file */
    uint64_t first_cycle;
    struct ttp_span command; /* BRISC zones of dispatch commands */
    struct ttp_span go;      /* NCRISC zones that wait to send the go signal */
};

struct ttp_device_log {
    ttp_str arch;
    uint64_t clock_mhz;
    int64_t max_compute_cores; /* TTP_NO_ID: not given */
    int64_t *device;           /* ids in order of first appearance */
    size_t ndevices;
    struct ttp_core *core; /* in order of first appearance */
    size_t ncores;
    struct ttp_exec *exec; /* in order of first appearance */
    size_t nexecs;
    struct ttp_exec_core *part; /* in order of first appearance */
    size_t nparts;
    struct ttp_core_times *times;      /* of each part; NULL: not asked for */
    struct ttp_counter_sample *sample; /* in file order */
    size_t nsamples;
    struct ttp_symtab counters;
    struct ttp_dispatch_op *dispatch; /* per core, in order of time */
    size_t ndispatch;
    /* Dispatch cores whose BRISC names more ops than their NCRISC; the first such op. */
    size_t unpaired_dispatch_cores;
    struct ttp_dispatch_op unpaired_dispatch;
    uint64_t rows;
    size_t columns;
    const char *version; /* since when tt-metal wrote such columns: "2025-11" */
    /* Before 2024-07 rows do not say their op: run_id then counts the ops of a device in time. */
    bool has_op_ids;
    /* Before 2025-10 rows do not say their trace: where an op id comes again, `replay` counts its
     * executions from 1 and trace_id is TTP_NO_ID. */
    bool has_replays;
    bool odd;                  /* strict: some row is another to pandas than it is here */
    bool streaming;            /* of the streaming profiler: firmware has no markers */
    struct ttp_fault bad_rows; /* skipped: too few or too many fields, or not a number */
    bool truncated;            /* the last row is one of them, and lacks the end of its line */
    struct ttp_fault sub_device_conflicts; /* an execution reported on two sub-devices */
    struct ttp_fault repeated_firmware;    /* starts of a zone that had started on that core */
    uint32_t repeated_exec;                /* whose the first of them is */
};

enum ttp_device_part {
    TTP_DEVICE_ALL,
    TTP_DEVICE_OPS,         /* all but `times` */
    TTP_DEVICE_SUB_DEVICES, /* only executions that name a sub-device, and only that of them */
};

/* Read a device log of any version; columns are found by name. TTP_EPARSE: not a device log; with
 * `strict` also every version but the newest. */
TTP_NODISCARD ttp_code ttp_logs_read_device(struct ttp_device_log *out, const char *path,
                                            enum ttp_device_part part,
                                            const struct ttp_logs_options *options,
                                            struct ttp_arena *arena, struct ttp_err *err);

/* ---- zones of profile_log_device.csv ---- */

/* A place in source text that writes markers. */
struct ttp_zone_site {
    ttp_sym name; /* of the zone; empty for some data */
    ttp_sym file; /* empty: unknown */
    uint32_t line;
    uint32_t timer_id;
    ttp_sym base;  /* the name without what a dispatch core appends to it after a ':' */
    bool firmware; /* "...-FW": encloses everything else on its RISC */
    bool dispatch; /* of a dispatch core: belongs to no op */
};

enum ttp_mark_kind {
    TTP_MARK_ZONE,  /* from start_cycle to end_cycle */
    TTP_MARK_TOTAL, /* data: cycles spent in that zone, summed up on the device */
    TTP_MARK_DATA,  /* data: 64 bits at start_cycle; NoC events have timer_id 12345 */
    TTP_MARK_EVENT, /* at start_cycle */
    TTP_MARK_START, /* markers of zones before they are paired: only where asked for */
    TTP_MARK_END,
};

struct ttp_zone_mark {
    uint32_t site;                   /* position in ttp_zone_log.site */
    uint16_t depth;                  /* zones open around it in its lane; stops at 65535 */
    uint8_t kind;                    /* enum ttp_mark_kind */
    uint64_t start_cycle, end_cycle; /* since device reset; equal unless it is a zone */
    uint64_t data;
};

/* Markers of one RISC of one core for one execution, or a part of them: further parts may follow in
 * later batches. Zones are in the order of their ends. */
struct ttp_zone_lane {
    uint32_t core; /* position in ttp_zone_log.core */
    enum ttp_risc risc;
    ttp_sym risc_name;
    struct ttp_exec_key key; /* device: position in ttp_zone_log.device; run_id 0: no op */
    const struct ttp_zone_mark *mark;
    size_t nmarks;
};

/* In the order of the file. Gone when the function it was handed to returns. */
struct ttp_zone_batch {
    const struct ttp_zone_lane *lane;
    size_t nlanes;
};

/* What is known of the log; it grows while batches are handed out, positions do not change. */
struct ttp_zone_log {
    ttp_str arch;
    uint64_t clock_mhz;
    int64_t max_compute_cores; /* TTP_NO_ID: not given */
    struct ttp_symtab names;   /* of zones, files and RISCs */
    struct ttp_zone_site *site;
    size_t nsites;
    int64_t *device; /* ids in order of first appearance */
    size_t ndevices;
    struct ttp_core *core; /* in order of first appearance; `dispatch` is not filled */
    size_t ncores;
    uint64_t rows, zones;                /* zones: paired ones */
    uint64_t orphan_starts, orphan_ends; /* markers whose other half was lost: dropped */
    uint64_t backward_zones;             /* that ended before they began: dropped */
    struct ttp_fault bad_rows;
    bool has_nul;   /* an invalid row has NUL bytes, as after a crash: rows are missing */
    bool truncated; /* as of struct ttp_device_log */
};

/* Called on one thread at a time, not always the same. A failure ends the reading. */
typedef ttp_code ttp_zone_batch_fn(void *arg, const struct ttp_zone_log *log,
                                   const struct ttp_zone_batch *batch, struct ttp_err *err);

struct ttp_zone_request {
    unsigned kinds; /* bits 1 << enum ttp_mark_kind: what to hand out */
    /* Not 0: columns are where the newest version has them, whatever the header says, rows with
     * fewer fields than this are passed over, and cells that are not numbers count as 0, except for
     * the time: how TT-Lang's scripts read. `header_lines` are not looked at for rows. */
    size_t by_position, header_lines;
    ttp_zone_batch_fn *take;
    void *arg;
};

/* Read every zone of a device log of any version. A zone is paired within its lane, the innermost
 * open one of its name first; what is still open inside it lost its end. A new firmware zone closes
 * nothing: what is open then lost its end too. Memory grows with zones that are open at a time.
 * TTP_EPARSE: as ttp_logs_read_device(); `by_position`: never. */
TTP_NODISCARD ttp_code ttp_logs_stream_zones(struct ttp_zone_log *out, const char *path,
                                             const struct ttp_zone_request *request,
                                             const struct ttp_logs_options *options,
                                             struct ttp_arena *arena, struct ttp_err *err);

/* ---- cpp_device_perf_report.csv ---- */

/* Cycles and durations that the join computes with; all other cells are passed on as text. */
enum ttp_cpp_number {
    TTP_CPP_RUN_ID,
    TTP_CPP_TRACE_ID,
    TTP_CPP_REPLAY,
    TTP_CPP_DEVICE,
    TTP_CPP_CORE_COUNT,
    TTP_CPP_FW_NS,
    TTP_CPP_FW_START,
    TTP_CPP_FW_END,
    TTP_CPP_KERNEL_START,
    TTP_CPP_KERNEL_END,
    TTP_CPP_DM_START,
    TTP_CPP_DM_END,
    TTP_CPP_QUASAR_DM_NS,
    TTP_CPP_QUASAR_DM_START,
    TTP_CPP_QUASAR_DM_END,
    TTP_CPP_QUASAR_TRISC_NS,
    TTP_CPP_QUASAR_TRISC_START,
    TTP_CPP_QUASAR_TRISC_END,
    TTP_CPP_NUMBERS,
};

struct ttp_cpp_row {
    int64_t number[TTP_CPP_NUMBERS]; /* INT64_MIN: empty */
    ttp_str *cell;                   /* one for each column, blanks trimmed, whole numbers plain */
    uint64_t line;
};

struct ttp_cpp_report {
    size_t ncolumns;
    ttp_str *column; /* names */
    size_t nrows;
    struct ttp_cpp_row *row; /* in file order, without those that lack a device or an op id */
    struct ttp_fault bad_rows;
    bool truncated; /* the last row lacks cells and the end of its line */
};
#define TTP_CPP_EMPTY INT64_MIN

/* TTP_EPARSE: another kind of file, or (strict) an invalid number. */
TTP_NODISCARD ttp_code ttp_logs_read_cpp_report(struct ttp_cpp_report *out, const char *path,
                                                const struct ttp_logs_options *options,
                                                struct ttp_arena *arena, struct ttp_err *err);

#endif
