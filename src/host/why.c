/* SPDX-License-Identifier: Apache-2.0 */
/* why.c - the questions of the old tuning guide's troubleshooting part, and its checklist, with the
 * checks that answer them today. Its author is unknown and it is not the vendor's; where it is
 * wrong for today's boards the second text of a line says what holds. */
#include "host/host.h"

#define IDS(...)       ((const char *const[]){__VA_ARGS__, NULL})
#define SOLUTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct ttp_why_step low_throughput[] = {
    {"thermal throttling",
     IDS("run.clock", "run.heat", "temp.asic", "temp.gddr", "clk.max", "clk.reason", "clk.trip"),
     SOLUTIONS("improve the air flow: at least 30 CFM through passive cards, or a fan kit",
               "lower the room's or the rack's temperature, clean filters",
               "watch the temperature under load: tt-perf top"),
     false, TTP_HELD_HEAT},
    {"power limit", IDS("run.clock", "run.power", "clk.max", "power.core", "power.psu"),
     SOLUTIONS("check the power cable (12V-2x6, 600 W) and the supply",
               "a lower math fidelity (HiFi2, LoFi) draws less for the same work"),
     false, TTP_HELD_POWER},
    {"PCIe link", IDS("pcie.width", "pcie.speed", "pcie.aer"),
     SOLUTIONS("use a slot with all lanes, without riser or bifurcation",
               "set the slot's speed in the BIOS instead of Auto", "reseat the card"),
     false, TTP_HELD_UNKNOWN},
    {"memory bandwidth", IDS("dram.train", "dram.errs", "mem.numa"),
     SOLUTIONS("see which operations are DRAM-bound: tt-perf report RUN",
               "keep weights in bfloat8_b or bfloat4_b, shard them over the DRAM banks",
               "keep hot data in L1: tt-perf fit shows what fits",
               "bind the program to the device's NUMA node with numactl"),
     false, TTP_HELD_UNKNOWN},
    {"compilation and cold cache", IDS("env.slow"),
     SOLUTIONS("exclude the first iterations: the first one compiles and fills the program cache",
               "replay the model as a trace to hide host time between operations",
               "unset variables that slow a run: watcher, prints, profiler, slow dispatch"),
     true, TTP_HELD_UNKNOWN},
    {"other users, or a busy host", IDS("dev.busy", "host.load", "host.pressure", "host.gov"),
     SOLUTIONS("stop other jobs on the device and on the host",
               "sudo cpupower frequency-set -g performance"),
     false, TTP_HELD_UNKNOWN},
};

static const struct ttp_why_step high_latency[] = {
    {"compilation and cold cache", IDS("env.slow"),
     SOLUTIONS("the first iteration includes PCIe, compilation and a cold cache: warm up with "
               "about ten, then measure",
               "keep the kernel cache between runs (TT_METAL_CACHE)",
               "use fixed shapes: every new shape compiles again"),
     true, TTP_HELD_UNKNOWN},
    {"PCIe transfers", IDS("pcie.width", "pcie.speed", "pcie.aer", "mem.sysmem"),
     SOLUTIONS("send inputs in larger pieces: pages of 32 bytes reach 0.5 to 1.3 GB/s only",
               "keep inputs and outputs on the device, or overlap them on a second command queue",
               "use a slot with all lanes"),
     false, TTP_HELD_UNKNOWN},
    {"host: clock, load, NUMA",
     IDS("host.gov", "host.load", "host.pressure", "mem.numa", "host.numa_balancing"),
     SOLUTIONS("sudo cpupower frequency-set -g performance", "stop other jobs",
               "bind the program to the device's NUMA node with numactl"),
     false, TTP_HELD_UNKNOWN},
    {"dispatch", IDS("env.slow", "dev.busy"),
     SOLUTIONS("capture the model as a trace and replay it: gaps fall to a few microseconds",
               "fuse small operations; tt-perf report shows the gaps"),
     true, TTP_HELD_UNKNOWN},
    {"a clock that stays low", IDS("clk.max", "clk.reason", "temp.asic", "power.psu"),
     SOLUTIONS("see thermal throttling and power: tt-perf doctor --why low-throughput"), false,
     TTP_HELD_UNKNOWN},
};

static const struct ttp_why_step memory_errors[] = {
    {"1 GiB pages or IOMMU", IDS("mem.sysmem", "mem.iommu_same", "mem.numa", "vm.viommu"),
     SOLUTIONS(
         "4 pages of 1 GiB per Wormhole or Blackhole, on its NUMA node, or a translating IOMMU",
         "sudo systemctl enable --now tenstorrent-hugepages.service",
         "remove iommu=pt from the kernel's command line, or install the pages"),
     false, TTP_HELD_UNKNOWN},
    {"L1 is full", (const char *const[]){NULL},
     SOLUTIONS("tt-perf fit --arch ARCH --dfb ROWSxCOLS:TYPE:COUNT ... shows what fits a core",
               "use smaller blocks, fewer buffers, or a narrower format",
               "lower act_block_h of convolutions; keep skip connections in DRAM",
               "see what is allocated: ttnn.device.dump_device_memory_state"),
     true, TTP_HELD_UNKNOWN},
    {"DRAM is full or bad", IDS("dram.train", "dram.errs", "temp.gddr"),
     SOLUTIONS("use a smaller batch, or narrower formats",
               "set trace_region_size only as large as the message asks",
               "power cycle if training failed; return the board if that does not help"),
     false, TTP_HELD_UNKNOWN},
    {"host memory", IDS("mem.ram", "host.pressure"),
     SOLUTIONS("add memory, or load weights in parts", "close other programs"), false,
     TTP_HELD_UNKNOWN},
};

#define WHY(name, title, steps)                                                                    \
    {                                                                                              \
        name, title, steps, TTP_COUNT(steps)                                                       \
    }
const struct ttp_why ttp_whys[] = {
    WHY("low-throughput", "Why is the throughput low?", low_throughput),
    WHY("high-latency", "Why is the latency high?", high_latency),
    WHY("memory-errors", "Why does it run out of memory?", memory_errors),
};
const char *const ttp_why_names[] = {"low-throughput", "high-latency", "memory-errors", NULL};

const struct ttp_guide_line ttp_guide[] = {
    {"PCIe slot Gen 4 x16, not x8 or x4",
     "the board's maximum: Gen5 x16 on p100 and p150, x8 per chip on p300, x8 or x1 on Galaxy",
     IDS("pcie.width", "pcie.speed"), 2, TTP_NOTED_OPEN},
    {"HugePages: 16 GB minimum", "4 pages of 1 GiB per device and NUMA node, or an IOMMU",
     IDS("mem.sysmem", "mem.numa"), 1, TTP_NOTED_OPEN},
    {"Cooling: at least 30 CFM of air", "judged by its effect: temperature and throttling",
     IDS("temp.asic", "temp.gddr", "clk.trip"), 2, TTP_NOTED_OPEN},
    {"Power supply: 750 W (e75), 1000 W (e150)",
     "the limit that the supply's cable reports, compared with the board's power", IDS("power.psu"),
     1, TTP_NOTED_OPEN},
    {"Latest firmware flashed", "the newest version that was tested, on all chips",
     IDS("fw.newest", "fw.same"), 1, TTP_NOTED_BAD},
    {"TT-KMD driver loaded", "and new enough, and bound to the device",
     IDS("kmd.loaded", "kmd.version", "kmd.bound"), 3, TTP_NOTED_OPEN},
    {"Device visible to the user", "the node exists and is accessible",
     IDS("pci.present", "dev.node"), 2, TTP_NOTED_OPEN},
    {"ARCH_NAME set", "no longer needed: only a wrong value matters", IDS("env.arch"), 1,
     TTP_NOTED_GOOD},
    {"TT_METAL_HOME set", "no longer needed: only a wrong value matters", IDS("env.home"), 1,
     TTP_NOTED_GOOD},
    {"Temperature below 75 C", "the firmware's own limit: 90 C on Blackhole", IDS("temp.asic"), 1,
     TTP_NOTED_OPEN},
    {"Power below 75 W (e75), 200 W (e150)", "the firmware's own limit of core power",
     IDS("power.core"), 1, TTP_NOTED_OPEN},
    {"Compiler: fusing and constant propagation on, CPU fallback off",
     "ttnn has no such switches: a release build of tt-metal with its profiler, at a known commit, "
     "and no variable that slows a run",
     IDS("metal.build", "metal.profiler", "metal.commit", "env.slow"), 4, TTP_NOTED_OPEN},
    {"Throughput 6 to 10 GB/s (e75), 10 to 14 GB/s (e150)",
     "one author's pipeline, not a target: memory, link and DRAM are measured with --bandwidth",
     IDS("bw.memory", "bw.h2d", "bw.d2h", "bw.dram"), 4, TTP_NOTED_OPEN},
    {"No other work on the device", "nor on the host", IDS("dev.busy", "host.load"), 2,
     TTP_NOTED_OPEN},
    {NULL, NULL, NULL, 0, TTP_NOTED_OPEN},
};
