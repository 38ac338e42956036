/* SPDX-License-Identifier: Apache-2.0 */
/* host.h - door of the host module: the machine and its boards, as Linux shows them.
 *
 * Everything is read from sysfs and procfs; a device node is never opened. Results live in the
 * arena the caller passes. Missing, unreadable or odd files are not errors: they are part of the
 * reading. One thread per struct ttp_host. */
#ifndef TTP_HOST_HOST_H
#define TTP_HOST_HOST_H

#include "base/arena.h"
#include "base/err.h"
#include "base/sink.h"
#include "device/device.h"

/* ---- readings ---- */

enum ttp_reading_state {
    TTP_READING_ABSENT, /* no such file: the driver or the firmware does not have it */
    TTP_READING_OK,
    TTP_READING_GARBLED,    /* there, but not what it should be */
    TTP_READING_UNREADABLE, /* there, but reading failed: `error` is errno (ENODATA, ENODEV, EACCES)
                             */
};

/* One file, or one figure out of it. */
struct ttp_reading {
    enum ttp_reading_state state;
    bool known; /* in a sample: it is TTP_READING_OK */
    int error;
    int64_t value; /* of numbers, in the unit the file has */
    ttp_str text;  /* as read, blanks around it removed; control characters are '?' */
    ttp_str path;  /* below the root, with its leading '/'; also when absent, if it is known */
};

static inline bool ttp_reading_number(const struct ttp_reading *r, int64_t *out)
{
    if (r->state != TTP_READING_OK)
        return false;
    *out = r->value;
    return true;
}

/* ---- the machine and its chips ---- */

/* What each chip has. Those from TTP_CHIP_LIVE on change while it runs. */
enum ttp_chip_attr {
    /* sysfs of the driver */
    TTP_CHIP_CARD_TYPE, /* text */
    TTP_CHIP_SERIAL,    /* hex: board id */
    TTP_CHIP_ASIC_ID,   /* hex */
    TTP_CHIP_FW_BUNDLE, /* versions, see ttp_device_version_parse() */
    TTP_CHIP_M3APP_FW,
    TTP_CHIP_M3BL_FW,
    TTP_CHIP_ARC_FW,
    TTP_CHIP_ETH_FW,
    TTP_CHIP_TTFLASH,
    /* limits, from hwmon */
    TTP_CHIP_TEMP_MAX_MC,  /* milli degrees C */
    TTP_CHIP_VCORE_MAX_MV, /* millivolt */
    TTP_CHIP_CURRENT_MAX_MA,
    TTP_CHIP_POWER_MAX_UW, /* microwatt: core power, not the board's */
    /* PCIe */
    TTP_CHIP_PCI_DEVICE, /* hex */
    TTP_CHIP_PCI_CLASS,
    TTP_CHIP_SUBSYSTEM,      /* hex: product number on new boards */
    TTP_CHIP_LINK_SPEED_MAX, /* tenths of GT/s: 160 is Gen4 */
    TTP_CHIP_LINK_WIDTH_MAX,
    TTP_CHIP_PORT_SPEED_MAX, /* of the port the chip is plugged into */
    TTP_CHIP_PORT_WIDTH_MAX,
    TTP_CHIP_NUMA_NODE, /* -1: none */
    TTP_CHIP_IOMMU,     /* text: DMA, DMA-FQ, identity */
    /* changing */
    TTP_CHIP_LIVE,
    TTP_CHIP_AICLK_MHZ = TTP_CHIP_LIVE,
    TTP_CHIP_AXICLK_MHZ,
    TTP_CHIP_ARCCLK_MHZ,
    TTP_CHIP_HEARTBEAT,
    TTP_CHIP_THERM_TRIPS,
    TTP_CHIP_TEMP_MC,
    TTP_CHIP_VCORE_MV,
    TTP_CHIP_CURRENT_MA,
    TTP_CHIP_POWER_UW,
    TTP_CHIP_FAN_RPM,
    TTP_CHIP_LINK_SPEED,
    TTP_CHIP_LINK_WIDTH,
    TTP_CHIP_AER_CORRECTABLE, /* totals */
    TTP_CHIP_AER_NONFATAL,
    TTP_CHIP_AER_FATAL,
    TTP_CHIP_RUNTIME_STATUS, /* text */
    /* words of 32 bytes, free running 32-bit counters: they wrap */
    TTP_CHIP_PCIE_MST_RD_0,
    TTP_CHIP_PCIE_MST_RD_1,
    TTP_CHIP_PCIE_MST_NPWR_0,
    TTP_CHIP_PCIE_MST_NPWR_1,
    TTP_CHIP_PCIE_MST_PWR_0,
    TTP_CHIP_PCIE_MST_PWR_1,
    TTP_CHIP_PCIE_SLV_RD_0,
    TTP_CHIP_PCIE_SLV_RD_1,
    TTP_CHIP_PCIE_SLV_NPWR_0,
    TTP_CHIP_PCIE_SLV_NPWR_1,
    TTP_CHIP_PCIE_SLV_PWR_0,
    TTP_CHIP_PCIE_SLV_PWR_1,
    TTP_CHIP_ATTRS
};
#define TTP_PCIE_WORD_BYTES 32

/* Someone processes that have the device open. */
struct ttp_holder {
    int32_t pid;     /* 0: outside our pid namespace */
    int64_t uid;     /* -1: unknown */
    ttp_str name;    /* comm */
    ttp_str command; /* its command line, cut to 200 bytes; empty: not readable */
    bool own;        /* the process `own_pid` of the sample's options, or a descendant of it */
};

/* A chip with a PCIe function of its own; the same in every sample of one ttp_host. */
struct ttp_chip {
    const char *bdf;                                        /* 0000:01:00.0 */
    const char *pci_dir, *port_dir, *class_dir, *hwmon_dir; /* below the root; NULL: none */
    int number;         /* N of /dev/tenstorrent/N; -1: the driver has none */
    bool node;          /* /dev/tenstorrent/N exists here: in a container only some do */
    bool accessible;    /* and may be read and written */
    const char *driver; /* bound to it; NULL: none */
    uint16_t pci_device;
    const char *chip;              /* grayskull, wormhole, blackhole, or "unknown" */
    const struct ttp_board *board; /* NULL: the product is not in the table */
    /* Read while looking for it; samples hold the same. Absent where that was not needed. */
    struct ttp_reading card_type, serial, device, subsystem;
};

struct ttp_host {
    const char *root; /* "" for this machine */
    bool live;        /* the root holds a kernel's own sysfs: what it shows moves */
    bool two_samples; /* a recording that holds a second one, see TTP_SAMPLE_SECOND */
    const struct ttp_boards *boards;
    struct ttp_chip *chip; /* ordered by bus address */
    size_t nchips;
    size_t nodes;       /* device nodes in /dev/tenstorrent */
    size_t pci_devices; /* of any vendor */
    struct ttp_reading driver_version;
    struct ttp_tree *tree; /* private */
};

/* Find the boards below `root`: NULL or "/" is this machine, else a folder that has sys/, proc/ and
 * dev/ of another. Links never lead out of it. `boards` NULL: the built-in table. TTP_EIO: the root
 * cannot be opened. Close it in the end. */
TTP_NODISCARD ttp_code ttp_host_open(struct ttp_host *out, const char *root,
                                     const struct ttp_boards *boards, struct ttp_arena *arena,
                                     struct ttp_err *err);
void ttp_host_close(struct ttp_host *host);

/* ---- samples ---- */

enum ttp_host_attr {
    TTP_HOST_LOAD_1,  /* thousandths */
    TTP_HOST_PSI_CPU, /* "some avg10", thousandths of a percent */
    TTP_HOST_PSI_MEMORY,
    TTP_HOST_PSI_IO,
    TTP_HOST_GOVERNOR, /* text: of all processors; "mixed" if they differ */
    TTP_HOST_EPP,      /* energy_performance_preference, likewise */
    TTP_HOST_ATTRS
};

struct ttp_chip_sample {
    struct ttp_reading attr[TTP_CHIP_ATTRS];
    struct ttp_holder *holder;
    size_t nholders;
    struct ttp_reading holders; /* the file they are from */
};

struct ttp_host_sample {
    uint64_t time_ns; /* ttp_clock_ns() when it began */
    size_t nchips;
    struct ttp_chip_sample *chip; /* as host->chip */
    struct ttp_reading attr[TTP_HOST_ATTRS];
};

enum ttp_sample_flags {
    TTP_SAMPLE_ALL = 0,
    TTP_SAMPLE_LIVE = 1 << 0,   /* only what changes; the rest is TTP_READING_ABSENT */
    TTP_SAMPLE_SECOND = 1 << 1, /* of a recorded tree: its second sample if there is one */
    TTP_SAMPLE_CHIPS = 1 << 2,  /* without the governors of all processors */
};
struct ttp_sample_options {
    unsigned flags;
    int32_t own_pid; /* holders below this process are `own`; 0: none */
};

/* Read every file once. Never fails; takes tens of microseconds per chip, on real firmware whatever
 * that needs. The firmware's figures change every 100 ms, so sampling faster shows nothing new. */
void ttp_host_sample(struct ttp_host_sample *out, const struct ttp_host *host,
                     const struct ttp_sample_options *options, struct ttp_arena *arena);

/* Bytes per second between two samples over PCIe: what the chip read from the host and was written
 * by it, and the other way. False: no counters, or no time between. */
struct ttp_pcie_rate {
    double to_chip_bytes_s, from_chip_bytes_s;
};

/* ---- one chip at a glance ---- */

enum ttp_beat { TTP_BEAT_UNKNOWN, TTP_BEAT_MOVES, TTP_BEAT_FROZEN };

/* NAN: unknown. */
struct ttp_chip_view {
    double clock_mhz, clock_max_mhz;
    double temperature_c, temperature_limit_c;
    double power_w, power_limit_w;             /* core, not board */
    double to_chip_bytes_s, from_chip_bytes_s; /* over PCIe, between the samples */
    enum ttp_beat beat;
    const char *throttle; /* the limit it is at: "heat", "power", "current", or "" */
};
/* Two samples, one after the other. */
struct ttp_host_interval {
    const struct ttp_host_sample *before, *after;
};
/* `limits`: a sample that has them, such as the first; `before` NULL: none yet. */
void ttp_host_chip_view(struct ttp_chip_view *out, const struct ttp_host *host,
                        const struct ttp_host_sample *limits, struct ttp_host_interval over,
                        size_t i);

/* ---- the guard around measurements ---- */

enum ttp_taint_kind {
    TTP_TAINT_CHIP_LOST, /* a chip no longer answers */
    TTP_TAINT_CLOCK,     /* the AI clock differs by more than the tolerance */
    TTP_TAINT_HOT,       /* at or above the throttle temperature */
    TTP_TAINT_TRIP,      /* a thermal shutdown was counted */
    TTP_TAINT_HEARTBEAT, /* the firmware has stopped */
    TTP_TAINT_LINK,      /* PCIe speed or width changed */
    TTP_TAINT_AER,       /* PCIe errors were counted */
    TTP_TAINT_HOLDER,    /* someone else has, or had, the device open */
    TTP_TAINT_FIRMWARE,  /* firmware or driver changed */
    TTP_TAINT_LOAD,      /* others use the processors */
    TTP_TAINT_PRESSURE,  /* processors, memory or disks are waited for */
    TTP_TAINT_GOVERNOR,  /* the processors' governor changed */
};

struct ttp_taint {
    enum ttp_taint_kind kind;
    int chip;     /* position in host->chip; -1: the machine */
    ttp_str text; /* with the figures, lower case, no full stop */
};
struct ttp_taints {
    struct ttp_taint *item;
    size_t count;
};

struct ttp_compare_samples {
    bool clocks;            /* both samples are from under load: compare their AI clocks */
    double clock_tolerance; /* 0: 0.05 */
    double load_per_cpu;    /* more than this next to our own is a taint; 0: 0.5 */
    double own_load;        /* processors that the measured program itself keeps busy */
    double pressure_pct;    /* PSI avg10 above this is a taint; 0: 10 */
};

/* Events between two samples that make a measurement doubtful, ordered by chip, then kind.
 * Both samples are of `host`. */
void ttp_host_compare(struct ttp_taints *out, const struct ttp_host *host,
                      struct ttp_host_interval over, const struct ttp_compare_samples *options,
                      struct ttp_arena *arena);

/* ---- fingerprint ---- */

struct ttp_board_print {
    const char *bdf;
    ttp_str card; /* tt_card_type, else the table's name, else the chip */
    const char *chip;
    ttp_str serial, firmware; /* empty: unknown */
    int pcie_gen, pcie_width; /* now; 0: unknown */
};

/* Properties that must be equal for two machines to be of the same class. */
struct ttp_fingerprint {
    ttp_str hostname, cpu, kernel, distro, driver, governor, iommu; /* empty: unknown */
    uint32_t cpus, numa_nodes;
    uint64_t memory_bytes;
    bool virtual_machine;
    struct ttp_board_print *board;
    size_t nboards;
    ttp_str key; /* all but host name and serials in one line: equal text, same class of machine */
};
void ttp_host_fingerprint(struct ttp_fingerprint *out, const struct ttp_host *host,
                          struct ttp_arena *arena);

/* ---- what tt-smi knows ---- */

/* One chip of `tt-smi -s`, near or remote. Values are kept as they were written. */
struct ttp_smi_value {
    ttp_str section, key, text; /* "telemetry", "aiclk", " 800" */
};
struct ttp_smi_device {
    struct ttp_smi_value *value;
    size_t count;
};
struct ttp_smi {
    struct ttp_smi_device *device;
    size_t count;
    ttp_str time, driver, version; /* of tt-smi; empty: not given */
};

/* Read a snapshot, of either backend and any age since 2023: keys that are missing, null or "N/A",
 * numbers or text are all fine. Nothing in *out points into `text`. TTP_EPARSE: not JSON, or no
 * snapshot (err->offset says where). TTP_ELIMIT: more devices or values than can be. */
TTP_NODISCARD ttp_code ttp_smi_read(struct ttp_smi *out, ttp_str text, struct ttp_arena *arena,
                                    struct ttp_err *err);
/* The same as a number, "0x..." too. False: none. */
bool ttp_smi_number(double *out, const struct ttp_smi_device *d, const char *section,
                    const char *keys);

/* ---- checks ---- */

/* In order of gravity. */
enum ttp_verdict_level {
    TTP_CHECK_PASS,
    TTP_CHECK_INFO,
    TTP_CHECK_SKIP,
    TTP_CHECK_WARN,
    TTP_CHECK_FAIL,
    TTP_CHECK_LEVELS
};
extern const char *const ttp_check_words[TTP_CHECK_LEVELS]; /* "PASS", ... */

struct ttp_check_spec {
    const char *id;    /* stable: "pcie.width" */
    const char *group; /* "PCIe" */
    const char *title; /* lower case */
};

/* What holds a chip back, where a check tells. */
enum ttp_held_by { TTP_HELD_UNKNOWN, TTP_HELD_HEAT, TTP_HELD_POWER };

struct ttp_check {
    const struct ttp_check_spec *spec;
    enum ttp_verdict_level level;
    ttp_str where;  /* bus address, or what tt-smi calls a remote chip; empty: the machine */
    ttp_str value;  /* as measured, with its unit */
    ttp_str source; /* the file it was read from, or "tt-smi: ..." */
    ttp_str limit;  /* what it was compared with; empty: nothing */
    ttp_str origin; /* whose limit that is: "firmware", "board table: ...", "tt-perf: ..." */
    ttp_str text;   /* what it means; may be empty */
    ttp_str fix;    /* what to do, a command if there is one; empty: nothing */
    enum ttp_held_by held;
};

struct ttp_diagnosis {
    struct ttp_check *check; /* in the order they are reported, then by chip */
    size_t count;
    size_t level[TTP_CHECK_LEVELS];
    struct ttp_fingerprint machine;
};

/* One rate of memory or link, in bytes per second; measured by the measure module. */
enum ttp_bandwidth_kind {
    TTP_BANDWIDTH_COPY, /* host memory: bytes read and written */
    TTP_BANDWIDTH_READ,
    TTP_BANDWIDTH_WRITE,
    TTP_BANDWIDTH_TRIAD,
    TTP_BANDWIDTH_H2D, /* over PCIe */
    TTP_BANDWIDTH_D2H,
    TTP_BANDWIDTH_DRAM, /* the device reads its own memory; a lower bound */
    TTP_BANDWIDTHS
};
struct ttp_bandwidth_rate {
    enum ttp_bandwidth_kind kind;
    int device;           /* as tt-metal counts them; -1: the machine */
    const double *sample; /* in the order they were measured; NULL: only the three below */
    size_t count;         /* repetitions */
    double median, min, max;
    const char *source;  /* what measured it */
    const char *skipped; /* why it was not measured; NULL: it was */
    const char *todo;    /* how to measure it; NULL: nothing to do */
};
struct ttp_bandwidth {
    int64_t start_ns; /* since 1970, UTC */
    unsigned threads;
    uint64_t array_bytes; /* each of the three arrays of the test of host memory */
    uint64_t cache_bytes; /* of the last level; 0: unknown */
    struct ttp_bandwidth_rate *rate;
    size_t count;
};
extern const char *const ttp_bandwidth_names[TTP_BANDWIDTHS]; /* "memory-copy", ... */

/* Sizes of this moment, for tests that need memory; 0: unknown. */
struct ttp_memory_sizes {
    uint64_t cache_bytes; /* last-level caches together */
    uint64_t available_bytes;
};
void ttp_host_memory_sizes(struct ttp_memory_sizes *out, const struct ttp_host *host,
                           struct ttp_arena *arena);

/* The tt-metal that TT_METAL_HOME or TT_METAL_RUNTIME_ROOT points at. */
struct ttp_metal {
    const char *root;                  /* NULL: none */
    bool configured;                   /* it has a build */
    ttp_str build_type, tracy, commit; /* empty: unknown; tracy: "ON" or "OFF" */
};
void ttp_host_metal_read(struct ttp_metal *out, const struct ttp_words *env,
                         struct ttp_arena *arena);

/* A recorded run: the chip that its clock, heat or power held up most. NaN: unknown. */
struct ttp_doctor_run_facts {
    const char *name, *chip; /* of the run; bus address */
    bool known;              /* it has samples of its boards in its window */
    double full_mhz, low_mhz, low_pct, loss_pct;
    double power_max_w, power_limit_w, temperature_max_c, heat_limit_c;
    int64_t trips;
    const char *throttle; /* "heat", "power", "current" or "" */
};

struct ttp_doctor_input {
    const struct ttp_host *host;
    const struct ttp_host_sample *first;
    const struct ttp_host_sample *second; /* NULL: only one was taken */
    const struct ttp_smi *smi;            /* NULL: none */
    const struct ttp_words *env;          /* NAME=VALUE; NULL: unknown, as of a recorded machine */
    int64_t expect;                       /* chips there should be; 0: any number */
    const struct ttp_doctor_run_facts *run; /* NULL: none was given */
    const struct ttp_metal *metal;          /* NULL: not looked for */
    const struct ttp_bandwidth *bandwidth;  /* NULL: not measured */
};
void ttp_doctor_run(struct ttp_diagnosis *out, const struct ttp_doctor_input *in,
                    struct ttp_arena *arena);

/* ---- a meter: the chips while a command runs ---- */

struct ttp_meter;
struct ttp_meter_options {
    const char *root; /* as of ttp_host_open() */
    const struct ttp_boards *boards;
    const char *path; /* of the log that is written: docs/formats/machine_log.md */
    double hz;        /* samples per second, if they cost less than 0.1 % of a core */
};
struct ttp_meter_cost {
    uint64_t samples;
    double seconds, cpu_seconds; /* from the first sample to the last; spent on all of them */
};
/* *out NULL: there is no chip, or the driver shows no clock. TTP_EIO: the log cannot be made. */
TTP_NODISCARD ttp_code ttp_host_meter_open(struct ttp_meter **out,
                                           const struct ttp_meter_options *options,
                                           struct ttp_err *err);
/* Take a sample if one is due. NULL is fine. */
void ttp_host_meter_tick(struct ttp_meter *m);
/* A last sample, and the end. `cost` may be NULL. TTP_EIO: the log is not complete. A meter of NULL
 * is fine. */
TTP_NODISCARD ttp_code ttp_host_meter_close(struct ttp_meter *m, struct ttp_meter_cost *cost,
                                            struct ttp_err *err);

/* ---- questions and checklist ---- */

/* A possible cause, with the checks for and against it. */
struct ttp_why_step {
    const char *cause;
    const char *const *checks;    /* ids, NULL at the end */
    const char *const *solutions; /* in the order to try, NULL at the end */
    bool unmeasured;              /* this machine's files cannot tell: the solutions always apply */
    enum ttp_held_by held;        /* checks that found another reason do not count; 0: all do */
};
struct ttp_why {
    const char *question; /* word of --why */
    const char *title;
    const struct ttp_why_step *step;
    size_t steps;
};
extern const struct ttp_why ttp_whys[];
extern const char *const ttp_why_names[]; /* NULL at the end, same order */

/* What a check of the level INFO says about a line of the guide. */
enum ttp_noted { TTP_NOTED_OPEN, TTP_NOTED_GOOD, TTP_NOTED_BAD };
/* A line of the old tuning guide, and the checks that cover it. */
struct ttp_guide_line {
    const char *line;
    const char *today;
    const char *const *checks; /* NULL at the end */
    size_t needed;             /* the first so many; the others count only if they were made */
    enum ttp_noted noted;
};
extern const struct ttp_guide_line ttp_guide[]; /* NULL line at the end */

/* Is a line true? Only if its checks were measured: all of them, or PARTLY. */
enum ttp_guide_state { TTP_GUIDE_UNKNOWN, TTP_GUIDE_FALSE, TTP_GUIDE_PARTLY, TTP_GUIDE_TRUE };
enum ttp_guide_state ttp_host_guide_line_state(const struct ttp_diagnosis *d,
                                               const struct ttp_guide_line *line);

/* Is a check one of a step? */
bool ttp_host_step_has(const struct ttp_why_step *step, const struct ttp_check *check);
/* The worst result of the checks of a step that were done; TTP_CHECK_SKIP if none was. */
enum ttp_verdict_level ttp_host_step_level(const struct ttp_diagnosis *d,
                                           const struct ttp_why_step *step);
/* The worst result of a set of checks that were done; TTP_CHECK_SKIP if none was. */
enum ttp_verdict_level ttp_host_checks_together(const struct ttp_diagnosis *d,
                                                const char *const *ids);

/* ---- recording ---- */

struct ttp_host_recording {
    const struct ttp_words *env;
    bool two_samples;
};
/* Everything below `root` (as in ttp_host_open()) that a sample, with a card a second one a second
 * later, and the checks read, as a tar archive for --root. Left out: command lines of others but
 * their first word, environment but the variables that are checked, words of the kernel's command
 * line that are about something else, mounts, host name, and the unique part of serial numbers.
 * `env` NULL: that of the recording below `root`, if it is one. */
TTP_NODISCARD ttp_code ttp_host_record(struct ttp_sink *out, const char *root,
                                       struct ttp_host_recording what, struct ttp_arena *arena,
                                       struct ttp_err *err);
/* The environment that a recording holds; NULL: none. */
const struct ttp_words *ttp_host_recorded_env(const struct ttp_host *host, struct ttp_arena *arena);

#endif
