/* SPDX-License-Identifier: Apache-2.0 */
/* machine_sample.c - every file of the boards and of the machine's load, read once. */
#include <limits.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/secrets.h"
#include "host/machine.h"
#include "host/tree.h"

/* Where an attribute's file is. */
enum place { IN_CLASS, IN_HWMON, IN_PCI, IN_PORT };

/* Names as tt-kmd 2.10 has them; ranges are what can be true, so that a stuck or shifted register
 * is seen as garbled: no chip runs at 20 GHz or 300 degrees. */
static const struct {
    enum place place;
    enum ttp_text_kind kind;
    int64_t min, max; /* min > max: any */
} how[TTP_CHIP_ATTRS] = {
    [TTP_CHIP_CARD_TYPE] = {IN_CLASS, TTP_TEXT_WORD, 1, 0},
    [TTP_CHIP_SERIAL] = {IN_CLASS, TTP_TEXT_HEX, 1, 0},
    [TTP_CHIP_ASIC_ID] = {IN_CLASS, TTP_TEXT_HEX, 1, 0},
    [TTP_CHIP_FW_BUNDLE] = {IN_CLASS, TTP_TEXT_VERSION, 1, UINT32_MAX},
    [TTP_CHIP_M3APP_FW] = {IN_CLASS, TTP_TEXT_VERSION, 1, 0},
    [TTP_CHIP_M3BL_FW] = {IN_CLASS, TTP_TEXT_VERSION, 1, 0},
    [TTP_CHIP_ARC_FW] = {IN_CLASS, TTP_TEXT_VERSION, 1, 0},
    [TTP_CHIP_ETH_FW] = {IN_CLASS, TTP_TEXT_VERSION, 1, 0},
    [TTP_CHIP_TTFLASH] = {IN_CLASS, TTP_TEXT_VERSION, 1, 0},
    [TTP_CHIP_TEMP_MAX_MC] = {IN_HWMON, TTP_TEXT_DECIMAL, 1, 200000},
    [TTP_CHIP_VCORE_MAX_MV] = {IN_HWMON, TTP_TEXT_DECIMAL, 1, 5000},
    [TTP_CHIP_CURRENT_MAX_MA] = {IN_HWMON, TTP_TEXT_DECIMAL, 1, 5000000},
    [TTP_CHIP_POWER_MAX_UW] = {IN_HWMON, TTP_TEXT_DECIMAL, 1, 3000000000},
    [TTP_CHIP_PCI_DEVICE] = {IN_PCI, TTP_TEXT_HEX, 0, UINT16_MAX},
    [TTP_CHIP_PCI_CLASS] = {IN_PCI, TTP_TEXT_HEX, 0, 0xffffff},
    [TTP_CHIP_SUBSYSTEM] = {IN_PCI, TTP_TEXT_HEX, 0, UINT16_MAX},
    [TTP_CHIP_LINK_SPEED_MAX] = {IN_PCI, TTP_TEXT_SPEED, 1, 10240},
    [TTP_CHIP_LINK_WIDTH_MAX] = {IN_PCI, TTP_TEXT_DECIMAL, 0, 32},
    [TTP_CHIP_PORT_SPEED_MAX] = {IN_PORT, TTP_TEXT_SPEED, 1, 10240},
    [TTP_CHIP_PORT_WIDTH_MAX] = {IN_PORT, TTP_TEXT_DECIMAL, 0, 32},
    [TTP_CHIP_NUMA_NODE] = {IN_PCI, TTP_TEXT_DECIMAL, -1, 4095},
    [TTP_CHIP_IOMMU] = {IN_PCI, TTP_TEXT_WORD, 1, 0},
    [TTP_CHIP_AICLK_MHZ] = {IN_CLASS, TTP_TEXT_DECIMAL, 0, 10000},
    [TTP_CHIP_AXICLK_MHZ] = {IN_CLASS, TTP_TEXT_DECIMAL, 0, 10000},
    [TTP_CHIP_ARCCLK_MHZ] = {IN_CLASS, TTP_TEXT_DECIMAL, 0, 10000},
    [TTP_CHIP_HEARTBEAT] = {IN_CLASS, TTP_TEXT_DECIMAL, 1, 0},
    [TTP_CHIP_THERM_TRIPS] = {IN_CLASS, TTP_TEXT_DECIMAL, 0, UINT32_MAX},
    [TTP_CHIP_TEMP_MC] = {IN_HWMON, TTP_TEXT_DECIMAL, -60000, 200000},
    [TTP_CHIP_VCORE_MV] = {IN_HWMON, TTP_TEXT_DECIMAL, 0, 5000},
    [TTP_CHIP_CURRENT_MA] = {IN_HWMON, TTP_TEXT_DECIMAL, 0, 5000000},
    [TTP_CHIP_POWER_UW] = {IN_HWMON, TTP_TEXT_DECIMAL, 0, 3000000000},
    [TTP_CHIP_FAN_RPM] = {IN_HWMON, TTP_TEXT_DECIMAL, 0, 100000},
    [TTP_CHIP_LINK_SPEED] = {IN_PCI, TTP_TEXT_SPEED, 1, 10240},
    [TTP_CHIP_LINK_WIDTH] = {IN_PCI, TTP_TEXT_DECIMAL, 0, 32},
    [TTP_CHIP_AER_CORRECTABLE] = {IN_PCI, TTP_TEXT_AER, 1, 0},
    [TTP_CHIP_AER_NONFATAL] = {IN_PCI, TTP_TEXT_AER, 1, 0},
    [TTP_CHIP_AER_FATAL] = {IN_PCI, TTP_TEXT_AER, 1, 0},
    [TTP_CHIP_RUNTIME_STATUS] = {IN_PCI, TTP_TEXT_WORD, 1, 0},
    [TTP_CHIP_PCIE_MST_RD_0] = {IN_CLASS, TTP_TEXT_DECIMAL, 0, UINT32_MAX},
    [TTP_CHIP_PCIE_MST_RD_1] = {IN_CLASS, TTP_TEXT_DECIMAL, 0, UINT32_MAX},
    [TTP_CHIP_PCIE_MST_NPWR_0] = {IN_CLASS, TTP_TEXT_DECIMAL, 0, UINT32_MAX},
    [TTP_CHIP_PCIE_MST_NPWR_1] = {IN_CLASS, TTP_TEXT_DECIMAL, 0, UINT32_MAX},
    [TTP_CHIP_PCIE_MST_PWR_0] = {IN_CLASS, TTP_TEXT_DECIMAL, 0, UINT32_MAX},
    [TTP_CHIP_PCIE_MST_PWR_1] = {IN_CLASS, TTP_TEXT_DECIMAL, 0, UINT32_MAX},
    [TTP_CHIP_PCIE_SLV_RD_0] = {IN_CLASS, TTP_TEXT_DECIMAL, 0, UINT32_MAX},
    [TTP_CHIP_PCIE_SLV_RD_1] = {IN_CLASS, TTP_TEXT_DECIMAL, 0, UINT32_MAX},
    [TTP_CHIP_PCIE_SLV_NPWR_0] = {IN_CLASS, TTP_TEXT_DECIMAL, 0, UINT32_MAX},
    [TTP_CHIP_PCIE_SLV_NPWR_1] = {IN_CLASS, TTP_TEXT_DECIMAL, 0, UINT32_MAX},
    [TTP_CHIP_PCIE_SLV_PWR_0] = {IN_CLASS, TTP_TEXT_DECIMAL, 0, UINT32_MAX},
    [TTP_CHIP_PCIE_SLV_PWR_1] = {IN_CLASS, TTP_TEXT_DECIMAL, 0, UINT32_MAX},
};

static const char *const chip_files[TTP_CHIP_ATTRS] = {
    [TTP_CHIP_CARD_TYPE] = "tt_card_type",
    [TTP_CHIP_SERIAL] = "tt_serial",
    [TTP_CHIP_ASIC_ID] = "tt_asic_id",
    [TTP_CHIP_FW_BUNDLE] = "tt_fw_bundle_ver",
    [TTP_CHIP_M3APP_FW] = "tt_m3app_fw_ver",
    [TTP_CHIP_M3BL_FW] = "tt_m3bl_fw_ver",
    [TTP_CHIP_ARC_FW] = "tt_arc_fw_ver",
    [TTP_CHIP_ETH_FW] = "tt_eth_fw_ver",
    [TTP_CHIP_TTFLASH] = "tt_ttflash_ver",
    [TTP_CHIP_TEMP_MAX_MC] = "temp1_max",
    [TTP_CHIP_VCORE_MAX_MV] = "in0_max",
    [TTP_CHIP_CURRENT_MAX_MA] = "curr1_max",
    [TTP_CHIP_POWER_MAX_UW] = "power1_max",
    [TTP_CHIP_PCI_DEVICE] = "device",
    [TTP_CHIP_PCI_CLASS] = "class",
    [TTP_CHIP_SUBSYSTEM] = "subsystem_device",
    [TTP_CHIP_LINK_SPEED_MAX] = "max_link_speed",
    [TTP_CHIP_LINK_WIDTH_MAX] = "max_link_width",
    [TTP_CHIP_PORT_SPEED_MAX] = "max_link_speed",
    [TTP_CHIP_PORT_WIDTH_MAX] = "max_link_width",
    [TTP_CHIP_NUMA_NODE] = "numa_node",
    [TTP_CHIP_IOMMU] = "iommu_group/type",
    [TTP_CHIP_AICLK_MHZ] = "tt_aiclk",
    [TTP_CHIP_AXICLK_MHZ] = "tt_axiclk",
    [TTP_CHIP_ARCCLK_MHZ] = "tt_arcclk",
    [TTP_CHIP_HEARTBEAT] = "tt_heartbeat",
    [TTP_CHIP_THERM_TRIPS] = "tt_therm_trip_count",
    [TTP_CHIP_TEMP_MC] = "temp1_input",
    [TTP_CHIP_VCORE_MV] = "in0_input",
    [TTP_CHIP_CURRENT_MA] = "curr1_input",
    [TTP_CHIP_POWER_UW] = "power1_input",
    [TTP_CHIP_FAN_RPM] = "fan1_input",
    [TTP_CHIP_LINK_SPEED] = "current_link_speed",
    [TTP_CHIP_LINK_WIDTH] = "current_link_width",
    [TTP_CHIP_AER_CORRECTABLE] = "aer_dev_correctable",
    [TTP_CHIP_AER_NONFATAL] = "aer_dev_nonfatal",
    [TTP_CHIP_AER_FATAL] = "aer_dev_fatal",
    [TTP_CHIP_RUNTIME_STATUS] = "power/runtime_status",
#define COUNTER(name) "pcie_perf_counters/" name
    [TTP_CHIP_PCIE_MST_RD_0] = COUNTER("mst_rd_data_word_received0"),
    [TTP_CHIP_PCIE_MST_RD_1] = COUNTER("mst_rd_data_word_received1"),
    [TTP_CHIP_PCIE_MST_NPWR_0] = COUNTER("mst_nonposted_wr_data_word_sent0"),
    [TTP_CHIP_PCIE_MST_NPWR_1] = COUNTER("mst_nonposted_wr_data_word_sent1"),
    [TTP_CHIP_PCIE_MST_PWR_0] = COUNTER("mst_posted_wr_data_word_sent0"),
    [TTP_CHIP_PCIE_MST_PWR_1] = COUNTER("mst_posted_wr_data_word_sent1"),
    [TTP_CHIP_PCIE_SLV_RD_0] = COUNTER("slv_rd_data_word_sent0"),
    [TTP_CHIP_PCIE_SLV_RD_1] = COUNTER("slv_rd_data_word_sent1"),
    [TTP_CHIP_PCIE_SLV_NPWR_0] = COUNTER("slv_nonposted_wr_data_word_received0"),
    [TTP_CHIP_PCIE_SLV_NPWR_1] = COUNTER("slv_nonposted_wr_data_word_received1"),
    [TTP_CHIP_PCIE_SLV_PWR_0] = COUNTER("slv_posted_wr_data_word_received0"),
    [TTP_CHIP_PCIE_SLV_PWR_1] = COUNTER("slv_posted_wr_data_word_received1"),
};

static const char *const host_files[TTP_HOST_ATTRS] = {
    [TTP_HOST_LOAD_1] = "/proc/loadavg",
    [TTP_HOST_PSI_CPU] = "/proc/pressure/cpu",
    [TTP_HOST_PSI_MEMORY] = "/proc/pressure/memory",
    [TTP_HOST_PSI_IO] = "/proc/pressure/io",
    [TTP_HOST_GOVERNOR] = "scaling_governor",
    [TTP_HOST_EPP] = "energy_performance_preference",
};

struct sampling {
    const struct ttp_host *host;
    const struct ttp_sample_options *options;
    struct ttp_arena *arena;
};

/* --- chips --- */

static const char *folder_of(const struct ttp_chip *chip, enum place place)
{
    switch (place) {
    case IN_CLASS:
        return chip->class_dir;
    case IN_HWMON:
        return chip->hwmon_dir;
    case IN_PORT:
        return chip->port_dir;
    case IN_PCI:
        break;
    }
    return chip->pci_dir;
}

/* What the search for chips has read already; NULL: nothing. */
static const struct ttp_reading *known(const struct ttp_chip *chip, int attr)
{
    switch (attr) {
    case TTP_CHIP_CARD_TYPE:
        return &chip->card_type;
    case TTP_CHIP_SERIAL:
        return &chip->serial;
    case TTP_CHIP_PCI_DEVICE:
        return &chip->device;
    case TTP_CHIP_SUBSYSTEM:
        return &chip->subsystem;
    default:
        return NULL;
    }
}

const char *ttp_host_attr_path(const struct ttp_chip *chip, enum ttp_chip_attr attr,
                               struct ttp_arena *arena)
{
    const char *folder = folder_of(chip, how[attr].place);

    return folder ? ttp_host_tree_path(arena, "%s/%s", folder, chip_files[attr]) : NULL;
}

bool ttp_host_attr_parse(int64_t *out, enum ttp_chip_attr attr, ttp_str text)
{
    return ttp_host_text_parse(out, how[attr].kind, ttp_str_trim(text)) &&
           (how[attr].min > how[attr].max || (*out >= how[attr].min && *out <= how[attr].max));
}

static void sample_attrs(const struct sampling *s, struct ttp_chip_sample *out,
                         const struct ttp_chip *chip)
{
    const bool live = s->options->flags & TTP_SAMPLE_LIVE;
    const bool second = s->options->flags & TTP_SAMPLE_SECOND;
    bool counters = true; /* twelve files, or none on drivers before 2.0 */

    for (int a = live ? TTP_CHIP_LIVE : 0; a < TTP_CHIP_ATTRS; a++) {
        const char *folder = folder_of(chip, how[a].place);
        const struct ttp_reading *before = known(chip, a);

        if (before) {
            out->attr[a] = *before;
            continue;
        }
        if (!folder || (a >= TTP_CHIP_PCIE_MST_RD_0 && !counters))
            continue;
        ttp_host_tree_reading(&out->attr[a], s->host->tree,
                              ttp_host_tree_path(s->arena, "%s/%s", folder, chip_files[a]),
                              (struct ttp_tree_wanted){how[a].kind, how[a].min, how[a].max, second},
                              s->arena);
        if (a == TTP_CHIP_PCIE_MST_RD_0 && out->attr[a].state == TTP_READING_ABSENT)
            counters = false;
    }
}

/* Is `pid` the process `own` or below it? Parents are read from /proc. */
static bool descends(const struct sampling *s, int64_t pid, int32_t own)
{
    char path[64], buf[512];

    for (int depth = 0; own > 0 && pid > 1 && depth < 64; depth++) {
        int64_t parent;

        if (pid == own)
            return true;
        snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
        const ssize_t got = ttp_rootdir_read(&s->host->tree->root, path, buf, sizeof(buf), true);
        /* "PID (NAME) STATE PPID ...": the name may hold anything, its last ')' ends it */
        const char *end = got > 0 ? memrchr(buf, ')', (size_t)got) : NULL;
        if (!end)
            return false;
        const ttp_str rest = ttp_str_trim((ttp_str){end + 1, (size_t)(buf + got - end - 1)});
        ttp_str word[3];
        if (ttp_str_split(rest, ' ', word, 3) < 3 || !ttp_str_to_i64(word[1], &parent))
            return false;
        pid = parent;
    }
    return false;
}

/* The first word after "NAME:" in the lines of /proc/PID/status. */
static ttp_str status_word(ttp_str text, ttp_str name)
{
    ttp_str rest = text, line;

    while (ttp_str_next_line(&rest, &line)) {
        if (!ttp_str_starts(line, name))
            continue;
        line = ttp_str_trim(ttp_str_slice(line, name.len, line.len));
        return ttp_str_slice(line, 0, ttp_str_find_char(line, '\t'));
    }
    return (ttp_str){0};
}

static void describe_holder(const struct sampling *s, struct ttp_holder *h)
{
    char path[64], buf[512];
    ssize_t got;

    h->uid = -1;
    if (h->pid <= 0)
        return;
    snprintf(path, sizeof(path), "/proc/%d/status", h->pid);
    got = ttp_rootdir_read(&s->host->tree->root, path, buf, sizeof(buf), true);
    const ttp_str status = {buf, got > 0 ? (size_t)got : 0};
    h->name = ttp_host_tree_printable(s->arena, status_word(status, TTP_STR("Name:")));
    if (!ttp_str_to_i64(status_word(status, TTP_STR("Uid:")), &h->uid))
        h->uid = -1;
    snprintf(path, sizeof(path), "/proc/%d/cmdline", h->pid);
    got = ttp_rootdir_read(&s->host->tree->root, path, buf, 200, true);
    h->command = ttp_secrets_mask_text(
        ttp_host_tree_printable(s->arena, (ttp_str){buf, got > 0 ? (size_t)got : 0}), s->arena);
    h->own = descends(s, h->pid, s->options->own_pid);
}

#define HOLDERS_MAX 64

/* One pid a line. A process that has the device open twice is listed twice: report it once. */
static void sample_holders(const struct sampling *s, struct ttp_chip_sample *out,
                           const struct ttp_chip *chip)
{
    ttp_str rest, line;
    int64_t pid;

    if (chip->number < 0)
        return;
    ttp_host_tree_reading(
        &out->holders, s->host->tree,
        ttp_host_tree_path(s->arena, "/proc/driver/tenstorrent/%d/pids", chip->number),
        (struct ttp_tree_wanted){TTP_TEXT_WORD, 1, 0, s->options->flags & TTP_SAMPLE_SECOND},
        s->arena);
    if (out->holders.state == TTP_READING_ABSENT || out->holders.state == TTP_READING_UNREADABLE)
        return;
    out->holders.state = TTP_READING_OK;
    out->holder = TTP_NEW(s->arena, struct ttp_holder, HOLDERS_MAX);
    rest = out->holders.text;
    while (out->nholders < HOLDERS_MAX && ttp_str_next_line(&rest, &line)) {
        bool known = false;

        line = ttp_str_trim(line);
        if (line.len == 0)
            continue;
        if (!ttp_str_to_i64(line, &pid) || pid < 0 || pid > INT32_MAX) {
            out->holders.state = TTP_READING_GARBLED;
            continue;
        }
        for (size_t i = 0; i < out->nholders; i++)
            known = known || (pid != 0 && out->holder[i].pid == pid);
        if (known)
            continue;
        out->holder[out->nholders].pid = (int32_t)pid;
        describe_holder(s, &out->holder[out->nholders++]);
    }
}

/* --- the machine --- */

/* A word that all processors have; "mixed" if they differ. */
static void sample_cpus(const struct sampling *s, struct ttp_reading *out, const char *file)
{
    const struct ttp_tree *tree = s->host->tree;
    struct ttp_reading one;

    for (size_t i = 0; i < tree->ncpus; i++) {
        ttp_host_tree_reading(&one, tree, ttp_host_tree_path(s->arena, "%s/%s", tree->cpu[i], file),
                              (struct ttp_tree_wanted){TTP_TEXT_WORD, 1, 0, false}, s->arena);
        if (i == 0)
            *out = one;
        if (i == 0 && one.state == TTP_READING_ABSENT)
            return;
        if (one.state == TTP_READING_OK && out->state == TTP_READING_OK &&
            !ttp_str_eq(one.text, out->text)) {
            out->text = TTP_STR("mixed");
            out->path = TTP_STR("/sys/devices/system/cpu/cpu*/cpufreq");
            return;
        }
    }
}

static void sample_host(const struct sampling *s, struct ttp_reading *attr)
{
    static const enum ttp_text_kind kinds[] = {
        [TTP_HOST_LOAD_1] = TTP_TEXT_FIRST,
        [TTP_HOST_PSI_CPU] = TTP_TEXT_AVG10,
        [TTP_HOST_PSI_MEMORY] = TTP_TEXT_AVG10,
        [TTP_HOST_PSI_IO] = TTP_TEXT_AVG10,
    };

    for (size_t i = 0; i < TTP_COUNT(kinds); i++)
        ttp_host_tree_reading(
            &attr[i], s->host->tree, host_files[i],
            (struct ttp_tree_wanted){kinds[i], 1, 0, s->options->flags & TTP_SAMPLE_SECOND},
            s->arena);
    if (s->options->flags & TTP_SAMPLE_CHIPS)
        return;
    sample_cpus(s, &attr[TTP_HOST_GOVERNOR], host_files[TTP_HOST_GOVERNOR]);
    sample_cpus(s, &attr[TTP_HOST_EPP], host_files[TTP_HOST_EPP]);
}

static void note_known(struct ttp_reading *attr, size_t count)
{
    for (size_t i = 0; i < count; i++)
        attr[i].known = attr[i].state == TTP_READING_OK;
}

void ttp_host_sample(struct ttp_host_sample *out, const struct ttp_host *host,
                     const struct ttp_sample_options *options, struct ttp_arena *arena)
{
    const struct sampling s = {host, options, arena};

    *out = (struct ttp_host_sample){.time_ns = ttp_clock_ns(), .nchips = host->nchips};
    out->chip = TTP_NEW(arena, struct ttp_chip_sample, host->nchips);
    for (size_t i = 0; i < host->nchips; i++) {
        sample_attrs(&s, &out->chip[i], &host->chip[i]);
        sample_holders(&s, &out->chip[i], &host->chip[i]);
    }
    sample_host(&s, out->attr);
    for (size_t i = 0; i < host->nchips; i++)
        note_known(out->chip[i].attr, TTP_CHIP_ATTRS);
    note_known(out->attr, TTP_HOST_ATTRS);
}

/* --- figures from samples --- */

bool ttp_host_counter_delta(uint32_t *out, const struct ttp_reading *before,
                            const struct ttp_reading *after)
{
    int64_t a, b;

    if (!ttp_reading_number(before, &a) || !ttp_reading_number(after, &b))
        return false;
    *out = (uint32_t)b - (uint32_t)a;
    return true;
}

bool ttp_host_pcie_rate(struct ttp_pcie_rate *out, const struct ttp_host_sample *before,
                        const struct ttp_host_sample *after, size_t chip)
{
    static const enum ttp_chip_attr to[] = {TTP_CHIP_PCIE_MST_RD_0,   TTP_CHIP_PCIE_MST_RD_1,
                                            TTP_CHIP_PCIE_SLV_NPWR_0, TTP_CHIP_PCIE_SLV_NPWR_1,
                                            TTP_CHIP_PCIE_SLV_PWR_0,  TTP_CHIP_PCIE_SLV_PWR_1};
    static const enum ttp_chip_attr from[] = {TTP_CHIP_PCIE_MST_NPWR_0, TTP_CHIP_PCIE_MST_NPWR_1,
                                              TTP_CHIP_PCIE_MST_PWR_0,  TTP_CHIP_PCIE_MST_PWR_1,
                                              TTP_CHIP_PCIE_SLV_RD_0,   TTP_CHIP_PCIE_SLV_RD_1};
    const struct ttp_reading *a = before->chip[chip].attr, *b = after->chip[chip].attr;
    uint64_t words_to = 0, words_from = 0;
    uint32_t delta;

    if (after->time_ns <= before->time_ns)
        return false;
    for (size_t i = 0; i < TTP_COUNT(to); i++) {
        if (!ttp_host_counter_delta(&delta, &a[to[i]], &b[to[i]]))
            return false;
        words_to += delta;
        if (!ttp_host_counter_delta(&delta, &a[from[i]], &b[from[i]]))
            return false;
        words_from += delta;
    }
    const double seconds = (double)(after->time_ns - before->time_ns) / 1e9;
    out->to_chip_bytes_s = (double)words_to * TTP_PCIE_WORD_BYTES / seconds;
    out->from_chip_bytes_s = (double)words_from * TTP_PCIE_WORD_BYTES / seconds;
    return true;
}

bool ttp_host_throttle_mc(int64_t *out, const struct ttp_source **source,
                          const struct ttp_chip *chip, const struct ttp_chip_sample *sample)
{
    double limit;

    *source = NULL;
    if (ttp_reading_number(&sample->attr[TTP_CHIP_TEMP_MAX_MC], out))
        return true;
    if (!ttp_board_fact(chip->board, TTP_FACT_THROTTLE_C, &limit))
        return false;
    *source = chip->board->fact[TTP_FACT_THROTTLE_C].source;
    *out = (int64_t)(limit * 1000);
    return true;
}
