/* SPDX-License-Identifier: Apache-2.0 */
#include "host/machine.h"

#include <errno.h>
#include <stdio.h>

#include "base/sink.h"

#define CPUINFO_MAX ((size_t)1 << 20)
#define TEXT_MAX    ((size_t)256 << 10)
#define NODES_MAX   1024
#define NODE_DIR    "/sys/devices/system/node"
#define PAGES_1G    "hugepages/hugepages-1048576kB"

/* "0-3,8": how many. */
static uint32_t count_list(ttp_str s)
{
    uint64_t total = 0, from, to;

    s = ttp_str_trim(s);
    while (s.len) {
        const size_t comma = ttp_str_find_char(s, ',');
        const ttp_str part = ttp_str_slice(s, 0, comma);
        const size_t dash = ttp_str_find_char(part, '-');

        if (!ttp_str_to_u64(ttp_str_slice(part, 0, dash), &from))
            return 0;
        to = from;
        if (dash != TTP_NPOS && !ttp_str_to_u64(ttp_str_slice(part, dash + 1, part.len), &to))
            return 0;
        if (to < from || to > 1 << 20)
            return 0;
        total += to - from + 1;
        s = comma == TTP_NPOS ? (ttp_str){0} : ttp_str_slice(s, comma + 1, s.len);
    }
    return total <= 1 << 20 ? (uint32_t)total : 0;
}

uint32_t ttp_host_machine_cpus(const struct ttp_tree *tree, struct ttp_arena *arena)
{
    struct ttp_reading online;

    ttp_host_tree_reading(&online, tree, "/sys/devices/system/cpu/online",
                          (struct ttp_tree_wanted){TTP_TEXT_WORD, 1, 0, false}, arena);
    return online.state == TTP_READING_OK ? count_list(online.text) : 0;
}

/* The value of "NAME : VALUE" or NAME=VALUE at the start of a line. */
static bool find_value(ttp_str *out, ttp_str text, ttp_str name, char sep)
{
    ttp_str rest = text, line;

    while (ttp_str_next_line(&rest, &line)) {
        const size_t at = ttp_str_find_char(line, sep);

        if (at == TTP_NPOS || !ttp_str_eq(ttp_str_trim(ttp_str_slice(line, 0, at)), name))
            continue;
        *out = ttp_str_trim(ttp_str_slice(line, at + 1, line.len));
        return true;
    }
    return false;
}

static void read_cpu(struct ttp_machine *out, const struct ttp_tree *tree, struct ttp_arena *arena)
{
    ttp_str text, value;

    out->cpus = ttp_host_machine_cpus(tree, arena);
    if (!ttp_host_tree_text(&text, tree, "/proc/cpuinfo", CPUINFO_MAX, arena))
        return;
    if (find_value(&value, text, TTP_STR("model name"), ':') ||
        find_value(&value, text, TTP_STR("Model"), ':') ||
        find_value(&value, text, TTP_STR("CPU implementer"), ':'))
        out->cpu = ttp_host_tree_printable(arena, ttp_str_slice(value, 0, 120));
    if (find_value(&value, text, TTP_STR("flags"), ':'))
        out->hypervisor = ttp_str_has(value, TTP_STR(" hypervisor ")) ||
                          ttp_str_ends(value, TTP_STR(" hypervisor"));
}

/* UMD's own rule: file system hugetlbfs (or the old nodev) at /dev/hugepages-1G, page size 1 GiB.
 */
static void find_mount(struct ttp_machine *out, const struct ttp_tree *tree,
                       struct ttp_arena *arena)
{
    ttp_str text, rest, line, word[5];

    if (!ttp_host_tree_text(&text, tree, "/proc/mounts", TEXT_MAX, arena))
        return;
    rest = text;
    while (ttp_str_next_line(&rest, &line))
        if (ttp_str_split(line, ' ', word, 5) >= 4 &&
            ttp_str_eq(word[1], TTP_STR("/dev/hugepages-1G")) &&
            ttp_str_eq(word[2], TTP_STR("hugetlbfs")) &&
            (ttp_str_has(word[3], TTP_STR("pagesize=1024M")) ||
             ttp_str_has(word[3], TTP_STR("pagesize=1G"))))
            out->hugepage_mount = ttp_host_tree_printable(arena, line);
}

static void read_pages(struct ttp_reading *pages, struct ttp_reading *free_pages,
                       const struct ttp_tree *tree, const char *folder, struct ttp_arena *arena)
{
    ttp_host_tree_reading(pages, tree, ttp_host_tree_path(arena, "%s/nr_hugepages", folder),
                          (struct ttp_tree_wanted){TTP_TEXT_DECIMAL, 0, 1 << 20, false}, arena);
    ttp_host_tree_reading(free_pages, tree, ttp_host_tree_path(arena, "%s/free_hugepages", folder),
                          (struct ttp_tree_wanted){TTP_TEXT_DECIMAL, 0, 1 << 20, false}, arena);
}

static void read_nodes(struct ttp_machine *out, const struct ttp_tree *tree,
                       struct ttp_arena *arena)
{
    const char **name;
    const ssize_t n = ttp_rootdir_list(&tree->root, NODE_DIR, &name, NODES_MAX, arena);
    uint64_t number;

    if (n <= 0)
        return;
    out->node = TTP_NEW(arena, struct ttp_numa_node, (size_t)n);
    for (ssize_t i = 0; i < n; i++) {
        const ttp_str s = ttp_str_from(name[i]);

        if (!ttp_str_starts(s, TTP_STR("node")) ||
            !ttp_str_to_u64(ttp_str_slice(s, 4, s.len), &number) || number > 4095)
            continue;
        struct ttp_numa_node *node = &out->node[out->nnodes++];
        node->number = (int)number;
        read_pages(&node->pages, &node->free_pages, tree,
                   ttp_host_tree_path(arena, NODE_DIR "/%s/" PAGES_1G, name[i]), arena);
    }
}

/* Only words that matter here: a command line may carry secrets. */
static bool is_wanted_word(ttp_str w)
{
    static const char *const wanted[] = {
        "iommu",
        "intel_iommu",
        "amd_iommu",
        "iommu.passthrough",
        "iommu.strict",
        "hugepagesz",
        "hugepages",
        "default_hugepagesz",
        "isolcpus",
        "nohz_full",
        "pci",
        "pcie_aspm",
        "pcie_ports",
        "numa_balancing",
        "transparent_hugepage",
        "mitigations",
        "intel_pstate",
        "amd_pstate",
        "processor.max_cstate",
        "intel_idle.max_cstate",
    };
    const ttp_str name = ttp_str_slice(w, 0, ttp_str_find_char(w, '='));

    for (size_t i = 0; i < TTP_COUNT(wanted); i++)
        if (ttp_str_eq(name, ttp_str_from(wanted[i])))
            return true;
    return false;
}

ttp_str ttp_host_machine_cmdline(ttp_str text, struct ttp_arena *arena)
{
    struct ttp_sink kept;

    ttp_sink_to_arena(&kept, arena);
    text = ttp_str_trim(text);
    while (text.len) {
        const size_t blank = ttp_str_find_char(text, ' ');
        const ttp_str word = ttp_str_slice(text, 0, blank);

        if (is_wanted_word(word)) {
            if (kept.len)
                ttp_sink_char(&kept, ' ');
            ttp_sink_put(&kept, word);
        }
        text = blank == TTP_NPOS ? (ttp_str){0} : ttp_str_slice(text, blank + 1, text.len);
    }
    return ttp_host_tree_printable(arena, ttp_sink_text(&kept));
}

static void read_names(struct ttp_machine *out, const struct ttp_tree *tree,
                       struct ttp_arena *arena)
{
    struct ttp_reading r;
    ttp_str text, value;

    ttp_host_tree_reading(&r, tree, "/proc/sys/kernel/osrelease",
                          (struct ttp_tree_wanted){TTP_TEXT_WORD, 1, 0, false}, arena);
    if (r.state == TTP_READING_OK)
        out->kernel = r.text;
    ttp_host_tree_reading(&r, tree, "/proc/sys/kernel/hostname",
                          (struct ttp_tree_wanted){TTP_TEXT_WORD, 1, 0, false}, arena);
    if (r.state == TTP_READING_OK)
        out->hostname = r.text;
    if (ttp_host_tree_text(&text, tree, "/etc/os-release", TEXT_MAX, arena) &&
        find_value(&value, text, TTP_STR("PRETTY_NAME"), '=')) {
        if (value.len >= 2 && value.ptr[0] == '"')
            value = ttp_str_slice(value, 1, value.len - 1);
        out->distro = ttp_host_tree_printable(arena, ttp_str_slice(value, 0, 120));
    }
}

/* "MemTotal:  16384 kB" of /proc/meminfo in bytes; 0: not there. */
static uint64_t meminfo_bytes(ttp_str meminfo, ttp_str name)
{
    ttp_str value;
    uint64_t kb;

    if (!find_value(&value, meminfo, name, ':') ||
        !ttp_str_to_u64(ttp_str_slice(value, 0, ttp_str_find_char(value, ' ')), &kb) ||
        kb >= (uint64_t)1 << 50)
        return 0;
    return kb * 1024;
}

void ttp_host_machine_read(struct ttp_machine *out, const struct ttp_host *host,
                           struct ttp_arena *arena)
{
    const struct ttp_tree *tree = host->tree;
    ttp_str text;

    *out = (struct ttp_machine){0};
    read_names(out, tree, arena);
    read_cpu(out, tree, arena);
    if (ttp_host_tree_text(&text, tree, "/proc/meminfo", TEXT_MAX, arena))
        out->memory_bytes = meminfo_bytes(text, TTP_STR("MemTotal"));
    read_nodes(out, tree, arena);
    read_pages(&out->pages, &out->free_pages, tree, "/sys/kernel/mm/" PAGES_1G, arena);
    find_mount(out, tree, arena);
    if (ttp_host_tree_text(&text, tree, "/proc/cmdline", 8192, arena))
        out->cmdline = ttp_host_machine_cmdline(text, arena);
    ttp_host_tree_reading(&out->numa_balancing, tree, "/proc/sys/kernel/numa_balancing",
                          (struct ttp_tree_wanted){TTP_TEXT_DECIMAL, 0, 3, false}, arena);
    ttp_host_tree_reading(&out->thp, tree, "/sys/kernel/mm/transparent_hugepage/enabled",
                          (struct ttp_tree_wanted){TTP_TEXT_WORD, 1, 0, false}, arena);
    ttp_host_tree_reading(&out->module_power_policy, tree,
                          "/sys/module/tenstorrent/parameters/power_policy",
                          (struct ttp_tree_wanted){TTP_TEXT_WORD, 1, 0, false}, arena);
}

/* --- sizes for tests of memory --- */

#define CACHE_LEVELS 6

/* "32768K" in bytes; 0: not a size. */
static uint64_t cache_size(ttp_str text)
{
    uint64_t n;
    unsigned shift = 0;

    text = ttp_str_trim(text);
    if (text.len && text.ptr[text.len - 1] == 'K')
        shift = 10;
    else if (text.len && text.ptr[text.len - 1] == 'M')
        shift = 20;
    if (!ttp_str_to_u64(ttp_str_slice(text, 0, shift ? text.len - 1 : text.len), &n) ||
        n >= (uint64_t)1 << 32)
        return 0;
    return n << shift;
}

/* The part of the last-level cache that one processor has, if all that share it use it alike. */
static uint64_t cache_share(const struct ttp_tree *tree, uint32_t cpu, struct ttp_arena *arena)
{
    uint64_t share = 0;
    int64_t highest = 0;

    for (int i = 0; i < CACHE_LEVELS; i++) {
        const char *dir =
            ttp_host_tree_path(arena, "/sys/devices/system/cpu/cpu%u/cache/index%d", cpu, i);
        struct ttp_reading level;
        ttp_str size, sharing;

        ttp_host_tree_reading(&level, tree, ttp_host_tree_path(arena, "%s/level", dir),
                              (struct ttp_tree_wanted){TTP_TEXT_DECIMAL, 1, 9, false}, arena);
        if (level.state != TTP_READING_OK || level.value < highest ||
            !ttp_host_tree_text(&size, tree, ttp_host_tree_path(arena, "%s/size", dir), 64,
                                arena) ||
            !ttp_host_tree_text(&sharing, tree,
                                ttp_host_tree_path(arena, "%s/shared_cpu_list", dir), 4096, arena))
            continue;
        const uint32_t sharers = count_list(sharing);
        highest = level.value;
        share = cache_size(size) / (sharers ? sharers : 1);
    }
    return share;
}

void ttp_host_memory_sizes(struct ttp_memory_sizes *out, const struct ttp_host *host,
                           struct ttp_arena *arena)
{
    const uint32_t cpus = ttp_host_machine_cpus(host->tree, arena);
    ttp_str text;

    *out = (struct ttp_memory_sizes){0};
    if (ttp_host_tree_text(&text, host->tree, "/proc/meminfo", TEXT_MAX, arena))
        out->available_bytes = meminfo_bytes(text, TTP_STR("MemAvailable"));
    for (uint32_t i = 0; i < cpus; i++)
        out->cache_bytes += cache_share(host->tree, i, arena);
}
