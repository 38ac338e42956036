/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h - properties that do not change while the machine is up. Private to host. */
#ifndef TTP_HOST_MACHINE_H
#define TTP_HOST_MACHINE_H

#include "host/tree.h"

struct ttp_numa_node {
    int number;
    struct ttp_reading pages, free_pages; /* of 1 GiB */
};

struct ttp_machine {
    ttp_str hostname, cpu, kernel, distro; /* empty: unknown */
    uint32_t cpus;                         /* that are online */
    bool hypervisor;                       /* the processor says it is a virtual one */
    uint64_t memory_bytes;                 /* 0: unknown */
    struct ttp_numa_node *node;
    size_t nnodes;
    struct ttp_reading pages, free_pages; /* of 1 GiB, on all nodes */
    ttp_str hugepage_mount;               /* the line of /proc/mounts that serves; empty: none */
    ttp_str cmdline;                      /* of the kernel: words about memory and devices only */
    struct ttp_reading numa_balancing, thp;
    struct ttp_reading module_power_policy;
};

void ttp_host_machine_read(struct ttp_machine *out, const struct ttp_host *host,
                           struct ttp_arena *arena);
/* As ttp_host_fingerprint(), from what was read already. */
void ttp_host_fingerprint_make(struct ttp_fingerprint *out, const struct ttp_host *host,
                               const struct ttp_host_sample *sample,
                               const struct ttp_machine *machine, struct ttp_arena *arena);
/* The words of a kernel command line that are about memory, devices and clocks. */
ttp_str ttp_host_machine_cmdline(ttp_str text, struct ttp_arena *arena);
/* Processors that are online; 0: unknown. */
uint32_t ttp_host_machine_cpus(const struct ttp_tree *tree, struct ttp_arena *arena);

/* How far a 32-bit counter went, at most one wrap included. False: a reading is missing. */
bool ttp_host_counter_delta(uint32_t *out, const struct ttp_reading *before,
                            const struct ttp_reading *after);
bool ttp_host_pcie_rate(struct ttp_pcie_rate *out, const struct ttp_host_sample *before,
                        const struct ttp_host_sample *after, size_t chip);

/* Where a chip's attribute is, in the arena; NULL: it has no such folder. */
const char *ttp_host_attr_path(const struct ttp_chip *chip, enum ttp_chip_attr attr,
                               struct ttp_arena *arena);
/* The number in the text of that attribute. False: not a number, or one that cannot be true. */
bool ttp_host_attr_parse(int64_t *out, enum ttp_chip_attr attr, ttp_str text);
/* The limit that a chip is at, as in ttp_chip_view; currents in mA, NaN: unknown. */
const char *ttp_host_chip_throttle(const struct ttp_chip_view *v, double current,
                                   double current_limit);

/* The temperature at which the chip slows down, in milli degrees: the firmware's, else the board
 * table's. *source is NULL for the firmware's. False: unknown. */
bool ttp_host_throttle_mc(int64_t *out, const struct ttp_source **source,
                          const struct ttp_chip *chip, const struct ttp_chip_sample *sample);

/* The generation of a link speed in tenths of GT/s: 160 is 4; 0: not a speed of PCIe. */
int ttp_host_pcie_gen(int64_t tenths);

#endif
