/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/host/host_fields.h"

/* --- the machine --- */

#define BOARD(member) TTP_FIGURE(struct ttp_board_print, member)
static const struct ttp_field board_fields[] = {
    TTP_WORDS("bdf", BOARD(bdf), .help = "bus address"),
    TTP_WORDS("card", BOARD(card)),
    TTP_WORDS("arch", BOARD(chip)),
    TTP_WORDS("serial", BOARD(serial)),
    TTP_WORDS("firmware", BOARD(firmware)),
    TTP_INT("pcie_gen", "", BOARD(pcie_gen), .help = "now; 0: unknown"),
    TTP_INT("pcie_width", "", BOARD(pcie_width), .help = "now; 0: unknown"),
};
static const struct ttp_fields boards = {TTP_FIELDS(board_fields)};

#define MACHINE(member) TTP_FIGURE(struct ttp_fingerprint, member)
static const struct ttp_field machine_fields[] = {
    TTP_WORDS("key", MACHINE(key), .help = "equal for machines of the same kind"),
    TTP_WORDS("host", MACHINE(hostname)),
    TTP_WORDS("cpu", MACHINE(cpu)),
    TTP_INT("cpus", "", MACHINE(cpus)),
    TTP_INT("numa_nodes", "", MACHINE(numa_nodes)),
    TTP_INT("memory_bytes", "bytes", MACHINE(memory_bytes)),
    TTP_FLAG("virtual_machine", MACHINE(virtual_machine)),
    TTP_WORDS("distribution", MACHINE(distro)),
    TTP_WORDS("kernel", MACHINE(kernel)),
    TTP_WORDS("driver", MACHINE(driver)),
    TTP_WORDS("governor", MACHINE(governor)),
    TTP_WORDS("iommu", MACHINE(iommu)),
    {.id = "boards", TTP_ROWS_AT(struct ttp_fingerprint, board, nboards, boards)},
};
const struct ttp_fields ttp_machine_fields = {TTP_FIELDS(machine_fields)};

#define OF_HOST(which)                                                                             \
    TTP_FIGURE(struct ttp_host_sample, attr[TTP_HOST_##which].value),                              \
        TTP_KNOWN_IF(struct ttp_host_sample, attr[TTP_HOST_##which].known), .optional = true
static const struct ttp_field load_fields[] = {
    TTP_REAL("load", "", 2, OF_HOST(LOAD_1), .scale = 1.0 / 1000),
    TTP_REAL("cpu_pressure_percent", "%", 2, OF_HOST(PSI_CPU), .scale = 1.0 / 1000),
    TTP_REAL("memory_pressure_percent", "%", 2, OF_HOST(PSI_MEMORY), .scale = 1.0 / 1000),
    TTP_REAL("io_pressure_percent", "%", 2, OF_HOST(PSI_IO), .scale = 1.0 / 1000),
};
const struct ttp_fields ttp_load_fields = {TTP_FIELDS(load_fields)};

/* --- chips: what could be read, in the units of the names --- */

#define OF_CHIP(which, part)                                                                       \
    TTP_FIGURE(struct ttp_chip_sample, attr[TTP_CHIP_##which].part),                               \
        TTP_KNOWN_IF(struct ttp_chip_sample, attr[TTP_CHIP_##which].known), .optional = true
#define TEXT(name, which)        TTP_WORDS(name, OF_CHIP(which, text))
#define WHOLE(name, unit, which) TTP_INT(name, unit, OF_CHIP(which, value))
#define REAL(name, unit, which, per)                                                               \
    TTP_REAL(name, unit, 1, OF_CHIP(which, value), .scale = 1.0 / (per))
static const struct ttp_field reading_fields[] = {
    TEXT("card_type", CARD_TYPE),
    TEXT("board_id", SERIAL),
    TEXT("asic_id", ASIC_ID),
    TEXT("fw_bundle", FW_BUNDLE),
    TEXT("m3app_fw", M3APP_FW),
    TEXT("m3bl_fw", M3BL_FW),
    TEXT("arc_fw", ARC_FW),
    TEXT("eth_fw", ETH_FW),
    TEXT("ttflash", TTFLASH),
    REAL("temperature_limit_c", "C", TEMP_MAX_MC, 1000),
    REAL("vcore_limit_v", "V", VCORE_MAX_MV, 1000),
    REAL("current_limit_a", "A", CURRENT_MAX_MA, 1000),
    REAL("core_power_limit_w", "W", POWER_MAX_UW, 1000000),
    TEXT("pci_device", PCI_DEVICE),
    TEXT("pci_class", PCI_CLASS),
    TEXT("pci_subsystem", SUBSYSTEM),
    REAL("pcie_speed_max_gts", "GT/s", LINK_SPEED_MAX, 10),
    WHOLE("pcie_width_max", "", LINK_WIDTH_MAX),
    REAL("port_speed_max_gts", "GT/s", PORT_SPEED_MAX, 10),
    WHOLE("port_width_max", "", PORT_WIDTH_MAX),
    WHOLE("numa_node", "", NUMA_NODE),
    TEXT("iommu", IOMMU),
    WHOLE("aiclk_mhz", "MHz", AICLK_MHZ),
    WHOLE("axiclk_mhz", "MHz", AXICLK_MHZ),
    WHOLE("arcclk_mhz", "MHz", ARCCLK_MHZ),
    WHOLE("heartbeat", "", HEARTBEAT),
    WHOLE("thermal_trips", "", THERM_TRIPS),
    REAL("temperature_c", "C", TEMP_MC, 1000),
    REAL("vcore_v", "V", VCORE_MV, 1000),
    REAL("current_a", "A", CURRENT_MA, 1000),
    REAL("core_power_w", "W", POWER_UW, 1000000),
    WHOLE("fan_rpm", "rpm", FAN_RPM),
    REAL("pcie_speed_gts", "GT/s", LINK_SPEED, 10),
    WHOLE("pcie_width", "", LINK_WIDTH),
    WHOLE("aer_correctable", "", AER_CORRECTABLE),
    WHOLE("aer_nonfatal", "", AER_NONFATAL),
    WHOLE("aer_fatal", "", AER_FATAL),
    TEXT("runtime_status", RUNTIME_STATUS),
    WHOLE("mst_rd_0_words", "words", PCIE_MST_RD_0),
    WHOLE("mst_rd_1_words", "words", PCIE_MST_RD_1),
    WHOLE("mst_npwr_0_words", "words", PCIE_MST_NPWR_0),
    WHOLE("mst_npwr_1_words", "words", PCIE_MST_NPWR_1),
    WHOLE("mst_pwr_0_words", "words", PCIE_MST_PWR_0),
    WHOLE("mst_pwr_1_words", "words", PCIE_MST_PWR_1),
    WHOLE("slv_rd_0_words", "words", PCIE_SLV_RD_0),
    WHOLE("slv_rd_1_words", "words", PCIE_SLV_RD_1),
    WHOLE("slv_npwr_0_words", "words", PCIE_SLV_NPWR_0),
    WHOLE("slv_npwr_1_words", "words", PCIE_SLV_NPWR_1),
    WHOLE("slv_pwr_0_words", "words", PCIE_SLV_PWR_0),
    WHOLE("slv_pwr_1_words", "words", PCIE_SLV_PWR_1),
};
static const struct ttp_fields readings = {TTP_FIELDS(reading_fields)};

#define HOLDER(member) TTP_FIGURE(struct ttp_holder, member)
static const struct ttp_field holder_fields[] = {
    TTP_INT("pid", "", HOLDER(pid), .help = "0 if outside our PID namespace"),
    TTP_INT("uid", "", HOLDER(uid), .is_id = true, .optional = true),
    TTP_WORDS("name", HOLDER(name)),
    TTP_WORDS("command", HOLDER(command)),
};
static const struct ttp_fields holders = {TTP_FIELDS(holder_fields)};

static const struct ttp_chip_sample *sample_of(const void *context, const void *row)
{
    const struct ttp_chip_context *c = context;

    return &c->sample->chip[(const struct ttp_chip *)row - c->host->chip];
}

static struct ttp_records list_readings(const void *context, const void *row)
{
    return (struct ttp_records){&readings, NULL, sample_of(context, row),
                                sizeof(struct ttp_chip_sample), 1};
}

static struct ttp_records list_holders(const void *context, const void *row)
{
    const struct ttp_chip_sample *s = sample_of(context, row);

    return (struct ttp_records){&holders, NULL, s->holder, sizeof(*s->holder), s->nholders};
}

TTP_GET(get_board, void, struct ttp_chip, ttp_value_word(r->board ? r->board->name : NULL))

#define CHIP(member) TTP_FIGURE(struct ttp_chip, member)
static const struct ttp_field chip_fields[] = {
    TTP_WORDS("bdf", CHIP(bdf), .help = "bus address"),
    TTP_INT("number", "", CHIP(number), .is_id = true, .optional = true,
            .help = "N of /dev/tenstorrent/N"),
    TTP_WORDS("arch", CHIP(chip), .help = "grayskull, wormhole, blackhole or unknown"),
    TTP_WORDS("board", .get = get_board, .help = "null: not in the table of boards"),
    {.id = "readings",
     .type = TTP_OBJECT,
     .sub = &readings,
     .list = list_readings,
     .help = "readable values, in the units of their names"},
    {.id = "holders", .type = TTP_ROWS, .sub = &holders, .list = list_holders},
};
const struct ttp_fields ttp_chip_fields = {TTP_FIELDS(chip_fields)};
