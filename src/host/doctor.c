/* SPDX-License-Identifier: Apache-2.0 */
/* doctor.c - all checks in order, and what they share. Thresholds that the vendor states are named
 * so; the others are proposals and say that too. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/vec.h"
#include "host/checkup.h"
#include "host/machine.h"

const char *const ttp_check_words[TTP_CHECK_LEVELS] = {"PASS", "INFO", "SKIP", "WARN", "FAIL"};

#define DEVICE   "Device and driver"
#define FIRMWARE "Firmware"
#define PCIE     "PCIe"
#define MEMORY   "Host memory"
#define HEAT     "Temperature and power"
#define CLOCK    "AI clock"
#define DRAM     "DRAM"
#define HOST     "Host"
#define ENV      "Environment"
#define METAL    "tt-metal"
#define RATES    "Bandwidth"
#define RUN      "Recorded run"

static const struct ttp_check_spec specs[] = {
    {"pci.present", DEVICE, "Tenstorrent devices on the PCI bus"},
    {"kmd.loaded", DEVICE, "kernel driver loaded"},
    {"kmd.version", DEVICE, "kernel driver version"},
    {"kmd.bound", DEVICE, "driver bound to the device"},
    {"dev.node", DEVICE, "access to the device node"},
    {"dev.busy", DEVICE, "processes that have the device open"},
    {"chip.remote", DEVICE, "chips without a PCIe function"},
    {"fw.bundle", FIRMWARE, "firmware bundle"},
    {"fw.newest", FIRMWARE, "newest tested firmware"},
    {"fw.same", FIRMWARE, "same firmware on all chips"},
    {"fw.alive", FIRMWARE, "heartbeat moves"},
    {"pcie.width", PCIE, "link width"},
    {"pcie.speed", PCIE, "link speed"},
    {"pcie.aer", PCIE, "link errors"},
    {"mem.sysmem", MEMORY, "IOMMU or 1 GiB pages"},
    {"mem.iommu_same", MEMORY, "same IOMMU mode for all"},
    {"mem.numa", MEMORY, "pages on the device's NUMA node"},
    {"mem.ram", MEMORY, "memory of the machine"},
    {"vm.viommu", MEMORY, "IOMMU in a virtual machine"},
    {"temp.asic", HEAT, "chip temperature"},
    {"temp.gddr", HEAT, "DRAM temperature"},
    {"power.core", HEAT, "core power"},
    {"power.psu", HEAT, "board power limit"},
    {"clk.max", CLOCK, "AI clock under load"},
    {"clk.reason", CLOCK, "why the clock is limited"},
    {"clk.trip", CLOCK, "thermal shutdowns"},
    {"dram.train", DRAM, "DRAM training and speed"},
    {"dram.errs", DRAM, "DRAM errors"},
    {"host.gov", HOST, "frequency governor"},
    {"host.load", HOST, "load"},
    {"host.pressure", HOST, "time spent waiting"},
    {"host.numa_balancing", HOST, "automatic NUMA balancing"},
    {"host.thp", HOST, "transparent huge pages"},
    {"env.home", ENV, "TT_METAL_HOME"},
    {"env.arch", ENV, "ARCH_NAME"},
    {"env.slow", ENV, "variables that slow a run"},
    {"metal.build", METAL, "build type"},
    {"metal.profiler", METAL, "profiler in the build"},
    {"metal.commit", METAL, "commit"},
    {"bw.memory", RATES, "host memory"},
    {"bw.h2d", RATES, "host to device"},
    {"bw.d2h", RATES, "device to host"},
    {"bw.dram", RATES, "the device's own DRAM"},
    {"run.clock", RUN, "AI clock during the run"},
    {"run.heat", RUN, "temperature during the run"},
    {"run.power", RUN, "core power during the run"},
    {NULL, NULL, NULL},
};

static ttp_check_fn *const functions[] = {
    ttp_check_pci_present,   ttp_check_kmd_loaded,
    ttp_check_kmd_version,   ttp_check_kmd_bound,
    ttp_check_dev_node,      ttp_check_dev_busy,
    ttp_check_chip_remote,   ttp_check_fw_bundle,
    ttp_check_fw_newest,     ttp_check_fw_same,
    ttp_check_fw_alive,      ttp_check_pcie_width,
    ttp_check_pcie_speed,    ttp_check_pcie_aer,
    ttp_check_mem_sysmem,    ttp_check_mem_iommu_same,
    ttp_check_mem_numa,      ttp_check_mem_ram,
    ttp_check_vm_viommu,     ttp_check_temp_asic,
    ttp_check_temp_gddr,     ttp_check_power_core,
    ttp_check_power_psu,     ttp_check_clk_max,
    ttp_check_clk_reason,    ttp_check_clk_trip,
    ttp_check_dram_train,    ttp_check_dram_errs,
    ttp_check_host_gov,      ttp_check_host_load,
    ttp_check_host_pressure, ttp_check_host_numa_balancing,
    ttp_check_host_thp,      ttp_check_env_home,
    ttp_check_env_arch,      ttp_check_env_slow,
    ttp_check_metal_build,   ttp_check_metal_profiler,
    ttp_check_metal_commit,  ttp_check_bw_memory,
    ttp_check_bw_h2d,        ttp_check_bw_d2h,
    ttp_check_bw_dram,       ttp_check_run_clock,
    ttp_check_run_heat,      ttp_check_run_power,
};
_Static_assert(TTP_COUNT(functions) + 1 == TTP_COUNT(specs), "one function a check");

/* --- results --- */

static ttp_str format(struct ttp_arena *arena, const char *fmt, va_list ap)
{
    char line[512];
    const int n = vsnprintf(line, sizeof(line), fmt, ap);
    const size_t len = n < 0 ? 0 : (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1;

    return ttp_arena_copy(arena, (ttp_str){line, len});
}

ttp_str ttp_check_text(struct ttp_checkup *c, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    const ttp_str text = format(c->arena, fmt, ap);
    va_end(ap);
    return text;
}

struct ttp_check *ttp_check_add(struct ttp_checkup *c, const struct ttp_patient *p,
                                enum ttp_verdict_level level, const char *fmt, ...)
{
    struct ttp_diagnosis *d = c->out;
    va_list ap;

    struct ttp_check *k = TTP_PUSH(c->arena, d->check, d->count);
    *k = (struct ttp_check){.spec = c->spec, .level = level};
    if (p)
        k->where = p->where;
    va_start(ap, fmt);
    k->value = format(c->arena, fmt, ap);
    va_end(ap);
    return k;
}

ttp_str ttp_check_origin(struct ttp_checkup *c, const struct ttp_source *source)
{
    return ttp_check_text(c, "board table: %s%s%s", source->name, *source->date ? ", " : "",
                          source->date);
}

struct ttp_check *ttp_check_unread(struct ttp_checkup *c, const struct ttp_patient *p,
                                   const struct ttp_reading *r, const char *since)
{
    struct ttp_check *k;

    switch (r->state) {
    case TTP_READING_GARBLED:
        k = ttp_check_add(c, p, TTP_CHECK_SKIP, "'%.*s'", TTP_FMT(ttp_str_slice(r->text, 0, 60)));
        k->text = TTP_STR("invalid value");
        break;
    case TTP_READING_UNREADABLE:
        k = ttp_check_add(c, p, TTP_CHECK_SKIP, "not readable");
        k->text = r->error == ENODATA  ? TTP_STR("the firmware does not publish it (yet)")
                  : r->error == ENODEV ? TTP_STR("the device is detached or in reset")
                                       : ttp_check_text(c, "%s", strerror(r->error));
        break;
    default:
        k = ttp_check_add(c, p, TTP_CHECK_SKIP, "missing");
        if (since)
            k->text = ttp_check_text(c, "available since driver %s", since);
        break;
    }
    k->source = r->path;
    return k;
}

struct ttp_check *ttp_check_needs_smi(struct ttp_checkup *c, const struct ttp_patient *p)
{
    struct ttp_check *k = ttp_check_add(c, p, TTP_CHECK_SKIP, "not in sysfs");

    if (p->smi) {
        k->value = TTP_STR("not in the snapshot");
        return k;
    }
    k->text = TTP_STR("only tt-smi knows");
    k->fix = c->in->host->live
                 ? TTP_STR("tt-smi -s --snapshot_no_tty | tt-perf doctor --smi -")
                 : TTP_STR("on that machine: tt-smi -s --snapshot_no_tty >smi.json ; then give "
                           "--smi smi.json, too");
    return k;
}

bool ttp_host_has_two_samples(const struct ttp_checkup *c, const struct ttp_patient *p)
{
    return p->second && (c->in->host->live || c->in->host->two_samples);
}

bool ttp_host_patient_is_busy(const struct ttp_checkup *c, const struct ttp_patient *p)
{
    struct ttp_pcie_rate rate;
    int64_t power, limit;

    if (!p->chip)
        return false;
    /* whoever uses it: a process of another container is not seen */
    if (ttp_reading_number(&p->sample->attr[TTP_CHIP_POWER_UW], &power) &&
        ttp_reading_number(&p->sample->attr[TTP_CHIP_POWER_MAX_UW], &limit) &&
        power * 5 >= limit * 2)
        return true;
    return c->in->second && p->sample->nholders > 0 &&
           ttp_host_pcie_rate(&rate, c->in->first, c->in->second,
                              (size_t)(p->chip - c->in->host->chip)) &&
           rate.to_chip_bytes_s + rate.from_chip_bytes_s > 1e6;
}

/* --- the chips that are checked --- */

static bool same_bus(ttp_str bus, const char *bdf)
{
    const ttp_str full = ttp_str_from(bdf);

    /* old snapshots leave out the domain */
    return bus.len >= 7 && (ttp_str_eq_any_case(bus, full) || ttp_str_ends(full, bus));
}

static const struct ttp_smi_device *find_smi(const struct ttp_smi *smi, const struct ttp_chip *chip,
                                             bool *used)
{
    for (size_t i = 0; smi && i < smi->count; i++)
        if (!used[i] &&
            same_bus(ttp_smi_text(&smi->device[i], "board_info", "bus_id"), chip->bdf)) {
            used[i] = true;
            return &smi->device[i];
        }
    return NULL;
}

static const struct ttp_board *smi_board(const struct ttp_boards *boards,
                                         const struct ttp_smi_device *d)
{
    const struct ttp_board *b = ttp_board_find(boards, ttp_smi_text(d, "board_info", "board_type"));
    ttp_str id = ttp_smi_text(d, "board_info", "board_id");
    uint64_t v;

    if (ttp_str_starts(id, TTP_STR("0x")))
        id = ttp_str_slice(id, 2, id.len);
    if (!b && ttp_str_hex_to_u64(id, &v))
        b = ttp_board_by_upi(boards, ttp_board_id_upi(v));
    return b;
}

/* In a container the host's other devices are visible in sysfs, but not ours. */
static bool is_ours(const struct ttp_host *host, const struct ttp_chip *chip)
{
    return host->nodes == 0 || chip->number < 0 || chip->node;
}

static void find_patients(struct ttp_checkup *c)
{
    const struct ttp_host *host = c->in->host;
    const struct ttp_smi *smi = c->in->smi;
    const size_t others = smi ? smi->count : 0;
    bool *used = TTP_NEW(c->arena, bool, others + 1);

    c->patient = TTP_NEW(c->arena, struct ttp_patient, host->nchips + others);
    for (size_t i = 0; i < host->nchips; i++) {
        const struct ttp_chip *chip = &host->chip[i];
        const struct ttp_smi_device *d = find_smi(smi, chip, used);

        if (is_ours(host, chip))
            c->patient[c->patients++] = (struct ttp_patient){
                .chip = chip,
                .sample = &c->in->first->chip[i],
                .second = c->in->second ? &c->in->second->chip[i] : NULL,
                .smi = d,
                .board = chip->board || !d ? chip->board : smi_board(host->boards, d),
                .chip_name = chip->chip,
                .where = ttp_str_from(chip->bdf)};
    }
    for (size_t i = 0; i < others; i++) {
        const struct ttp_smi_device *d = &smi->device[i];

        if (used[i])
            continue;
        const struct ttp_board *b = smi_board(host->boards, d);
        const ttp_str type = ttp_smi_text(d, "board_info", "board_type");
        const ttp_str bus = ttp_smi_text(d, "board_info", "bus_id");
        c->patient[c->patients++] = (struct ttp_patient){
            .smi = d,
            .board = b,
            .chip_name = b ? b->chip : "unknown",
            .where =
                ttp_check_text(c, "tt-smi %zu (%.*s%s%.*s)", i, TTP_FMT(ttp_str_slice(type, 0, 40)),
                               bus.len ? " " : "", TTP_FMT(ttp_str_slice(bus, 0, 40)))};
    }
}

void ttp_doctor_run(struct ttp_diagnosis *out, const struct ttp_doctor_input *in,
                    struct ttp_arena *arena)
{
    struct ttp_checkup c = {.out = out, .in = in, .arena = arena};

    *out = (struct ttp_diagnosis){0};
    ttp_host_machine_read(&c.machine, in->host, arena);
    ttp_host_fingerprint_make(&out->machine, in->host, in->first, &c.machine, arena);
    find_patients(&c);
    for (size_t i = 0; i < TTP_COUNT(functions); i++) {
        c.spec = &specs[i];
        functions[i](&c);
    }
    for (size_t i = 0; i < out->count; i++)
        out->level[out->check[i].level]++;
}

enum ttp_guide_state ttp_host_guide_line_state(const struct ttp_diagnosis *d,
                                               const struct ttp_guide_line *line)
{
    size_t judged = 0, open = 0;

    for (size_t n = 0; line->checks[n]; n++) {
        size_t made = 0;

        for (size_t i = 0; i < d->count; i++) {
            const enum ttp_verdict_level level = d->check[i].level;

            if (strcmp(d->check[i].spec->id, line->checks[n]) != 0)
                continue;
            made++;
            if (level >= TTP_CHECK_WARN ||
                (level == TTP_CHECK_INFO && line->noted == TTP_NOTED_BAD))
                return TTP_GUIDE_FALSE;
            if (level == TTP_CHECK_PASS ||
                (level == TTP_CHECK_INFO && line->noted == TTP_NOTED_GOOD))
                judged++;
            else
                open++;
        }
        open += made == 0 && n < line->needed;
    }
    return judged == 0 ? TTP_GUIDE_UNKNOWN : open ? TTP_GUIDE_PARTLY : TTP_GUIDE_TRUE;
}

static bool is_in(const char *const *ids, const struct ttp_check *check)
{
    for (; *ids; ids++)
        if (strcmp(check->spec->id, *ids) == 0)
            return true;
    return false;
}

bool ttp_host_step_has(const struct ttp_why_step *step, const struct ttp_check *check)
{
    return is_in(step->checks, check) && (!step->held || !check->held || check->held == step->held);
}

enum ttp_verdict_level ttp_host_step_level(const struct ttp_diagnosis *d,
                                           const struct ttp_why_step *step)
{
    enum ttp_verdict_level worst = TTP_CHECK_SKIP;
    bool any = false;

    for (size_t i = 0; i < d->count; i++) {
        const enum ttp_verdict_level level = d->check[i].level;

        if (level == TTP_CHECK_SKIP || !ttp_host_step_has(step, &d->check[i]))
            continue;
        if (!any || level > worst)
            worst = level;
        any = true;
    }
    return worst;
}

enum ttp_verdict_level ttp_host_checks_together(const struct ttp_diagnosis *d,
                                                const char *const *ids)
{
    const struct ttp_why_step all = {.checks = ids};

    return ttp_host_step_level(d, &all);
}
