/* SPDX-License-Identifier: Apache-2.0 */
/* checkup.h - what the checks of the doctor share. Private to host. */
#ifndef TTP_HOST_CHECKUP_H
#define TTP_HOST_CHECKUP_H

#include "host/machine.h"

/* A chip that is ours to judge: one of host->chip, a remote one that only tt-smi sees, or both. */
struct ttp_patient {
    const struct ttp_chip *chip;                   /* NULL: remote */
    const struct ttp_chip_sample *sample, *second; /* s2 NULL: one sample only; both NULL: remote */
    const struct ttp_smi_device *smi;              /* NULL: none */
    const struct ttp_board *board;                 /* NULL: unknown product */
    const char *chip_name;                         /* grayskull, wormhole, blackhole, unknown */
    ttp_str where;
};

struct ttp_checkup {
    struct ttp_diagnosis *out;
    const struct ttp_doctor_input *in;
    struct ttp_machine machine;
    struct ttp_patient *patient;
    size_t patients;
    struct ttp_arena *arena;
    const struct ttp_check_spec *spec; /* of the check that runs */
};

/* Add a result of the check that runs. `p` NULL: about the machine. The value is formatted here;
 * the rest is set by the caller in what is returned, which the next call may move. */
struct ttp_check *ttp_check_add(struct ttp_checkup *c, const struct ttp_patient *p,
                                enum ttp_verdict_level level, const char *fmt, ...)
    TTP_PRINTF(4, 5);
/* Text in the checkup's arena. */
ttp_str ttp_check_text(struct ttp_checkup *c, const char *fmt, ...) TTP_PRINTF(2, 3);
/* "board table: SOURCE, DATE" */
ttp_str ttp_check_origin(struct ttp_checkup *c, const struct ttp_source *source);
/* A result for an attribute that could not be judged: SKIP, with the reason. */
struct ttp_check *ttp_check_unread(struct ttp_checkup *c, const struct ttp_patient *p,
                                   const struct ttp_reading *r, const char *since);
/* SKIP because only tt-smi knows. */
struct ttp_check *ttp_check_needs_smi(struct ttp_checkup *c, const struct ttp_patient *p);

/* Somebody has it open, and it works: it draws power or moves data. */
bool ttp_host_patient_is_busy(const struct ttp_checkup *c, const struct ttp_patient *p);
/* Were two samples taken at different times? A copied tree has the same one twice. */
bool ttp_host_has_two_samples(const struct ttp_checkup *c, const struct ttp_patient *p);

/* Does a variable of that name slow a run? */
bool ttp_host_env_is_slow(ttp_str name);

#define TTP_ORIGIN_OURS "tt-perf: a proposal, not the vendor's"

typedef void ttp_check_fn(struct ttp_checkup *c);
ttp_check_fn ttp_check_pci_present, ttp_check_kmd_loaded, ttp_check_kmd_version,
    ttp_check_kmd_bound, ttp_check_dev_node, ttp_check_dev_busy, ttp_check_chip_remote;
ttp_check_fn ttp_check_fw_bundle, ttp_check_fw_newest, ttp_check_fw_same, ttp_check_fw_alive;
ttp_check_fn ttp_check_pcie_width, ttp_check_pcie_speed, ttp_check_pcie_aer;
ttp_check_fn ttp_check_mem_sysmem, ttp_check_mem_iommu_same, ttp_check_mem_numa, ttp_check_mem_ram,
    ttp_check_vm_viommu;
ttp_check_fn ttp_check_temp_asic, ttp_check_temp_gddr, ttp_check_power_core, ttp_check_power_psu;
ttp_check_fn ttp_check_clk_max, ttp_check_clk_reason, ttp_check_clk_trip;
ttp_check_fn ttp_check_dram_train, ttp_check_dram_errs;
ttp_check_fn ttp_check_host_gov, ttp_check_host_load, ttp_check_host_pressure,
    ttp_check_host_numa_balancing, ttp_check_host_thp;
ttp_check_fn ttp_check_env_home, ttp_check_env_arch, ttp_check_env_slow;
ttp_check_fn ttp_check_metal_build, ttp_check_metal_profiler, ttp_check_metal_commit;
ttp_check_fn ttp_check_bw_memory, ttp_check_bw_h2d, ttp_check_bw_d2h, ttp_check_bw_dram;
ttp_check_fn ttp_check_run_clock, ttp_check_run_heat, ttp_check_run_power;

/* The text of a value, blanks removed; empty: missing, null, "N/A". `keys` are names for the same
 * thing, with '|' between; so may `section` be. */
ttp_str ttp_smi_text(const struct ttp_smi_device *d, const char *section, const char *keys);

#endif
