/* SPDX-License-Identifier: Apache-2.0 */
/* check_memory.c - memory that the device can reach: IOMMU or 1 GiB pages, and on which node. */
#include "base/sink.h"
#include "host/checkup.h"

/* Which way the device sees host memory. */
enum iommu { IOMMU_UNKNOWN, IOMMU_NONE, IOMMU_PASSTHROUGH, IOMMU_TRANSLATES };

/* tt-umd's own test: translating if and only if the type begins with DMA. */
static enum iommu iommu_of(const struct ttp_patient *p)
{
    const struct ttp_reading *r = &p->sample->attr[TTP_CHIP_IOMMU];

    if (r->state == TTP_READING_ABSENT)
        return IOMMU_NONE;
    if (r->state != TTP_READING_OK)
        return IOMMU_UNKNOWN;
    return ttp_str_starts(r->text, TTP_STR("DMA")) ? IOMMU_TRANSLATES : IOMMU_PASSTHROUGH;
}

static const char *iommu_word(enum iommu mode)
{
    static const char *const words[] = {"unknown", "no IOMMU", "passthrough", "translating"};

    return words[mode];
}

/* 1 GiB pages that a device without translation needs. */
static int64_t pages_of(const struct ttp_patient *p)
{
    double v;

    if (ttp_board_fact(p->board, TTP_FACT_HUGEPAGES, &v))
        return (int64_t)v;
    return strcmp(p->chip_name, "grayskull") == 0 ? 1 : 4; /* tt-system-tools' script */
}

struct need {
    int64_t pages;   /* wanted by devices without translation */
    size_t devices;  /* that want them */
    size_t known;    /* whose mode is known at all */
    enum iommu mode; /* of the first */
    bool mixed;
};

/* node -2: all nodes. */
static struct need add_up(const struct ttp_checkup *c, int64_t node)
{
    struct need n = {0};

    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];
        int64_t at = -1;

        if (!p->chip)
            continue;
        (void)ttp_reading_number(&p->sample->attr[TTP_CHIP_NUMA_NODE], &at);
        const enum iommu mode = iommu_of(p);
        if ((node != -2 && at != node) || mode == IOMMU_UNKNOWN)
            continue;
        n.mixed = n.mixed || (n.known && mode != n.mode);
        if (n.known++ == 0)
            n.mode = mode;
        if (mode == IOMMU_TRANSLATES)
            continue;
        n.devices++;
        n.pages += pages_of(p);
    }
    return n;
}

static void judge_pages(struct ttp_checkup *c, const struct need *need)
{
    const struct ttp_reading *r = &c->machine.pages;
    int64_t pages = 0;
    const bool readable = ttp_reading_number(r, &pages);
    const bool mounted = c->machine.hugepage_mount.len > 0;
    const enum ttp_verdict_level level = pages == 0 || !mounted ? TTP_CHECK_FAIL
                                         : pages < need->pages  ? TTP_CHECK_WARN
                                                                : TTP_CHECK_PASS;
    struct ttp_check *k =
        ttp_check_add(c, NULL, level, "%s, %lld pages of 1 GiB, %s", iommu_word(need->mode),
                      (long long)pages, mounted ? "mounted" : "not mounted");

    if (!readable && r->state != TTP_READING_ABSENT)
        k->level = TTP_CHECK_SKIP;
    k->source = ttp_check_text(c, "iommu_group/type, %.*s, /proc/mounts", TTP_FMT(r->path));
    k->limit = ttp_check_text(c, "%lld pages for %zu device%s, at /dev/hugepages-1G",
                              (long long)need->pages, need->devices, need->devices == 1 ? "" : "s");
    k->origin = TTP_STR("tt-system-tools, hugepages script; tt-umd for the mount");
    if (level == TTP_CHECK_PASS)
        return;
    k->text =
        TTP_STR("without a translating IOMMU the driver needs 1 GiB pages for its host buffers");
    k->fix = TTP_STR("sudo systemctl enable --now tenstorrent-hugepages.service "
                     "'dev-hugepages\\x2d1G.mount' (package tenstorrent-tools)");
    if (ttp_str_has(c->machine.cmdline, TTP_STR("iommu=pt")))
        k->fix = ttp_check_text(c, "%.*s ; or remove iommu=pt from the kernel's command line",
                                TTP_FMT(k->fix));
}

void ttp_check_mem_sysmem(struct ttp_checkup *c)
{
    const struct need need = add_up(c, -2);
    struct ttp_check *k;

    if (need.known == 0) {
        ttp_check_add(c, NULL, TTP_CHECK_SKIP, "no device requires it");
        return;
    }
    if (need.devices > 0) {
        judge_pages(c, &need);
        return;
    }
    k = ttp_check_add(c, NULL, TTP_CHECK_PASS, "IOMMU translates");
    k->source = TTP_STR("iommu_group/type");
    k->limit = TTP_STR("DMA or DMA-FQ");
    k->origin = TTP_STR("tt-umd");
    k->text = TTP_STR("1 GiB pages are not needed; they may still be a little faster");
}

void ttp_check_mem_iommu_same(struct ttp_checkup *c)
{
    const struct need need = add_up(c, -2);

    if (need.known < 2)
        return;
    struct ttp_check *k =
        ttp_check_add(c, NULL, need.mixed ? TTP_CHECK_WARN : TTP_CHECK_PASS, "%s",
                      need.mixed ? "differs between devices" : iommu_word(need.mode));
    k->source = TTP_STR("iommu_group/type");
    k->limit = TTP_STR("the same for all");
    k->origin = TTP_STR("tt-umd");
    if (need.mixed)
        k->fix = TTP_STR("use the same kind of IOMMU group for all cards: no vfio for only some");
}

void ttp_check_mem_numa(struct ttp_checkup *c)
{
    size_t checked = 0;

    if (c->machine.nnodes < 2)
        return;
    for (size_t i = 0; i < c->machine.nnodes; i++) {
        const struct ttp_numa_node *node = &c->machine.node[i];
        const struct need need = add_up(c, node->number);
        int64_t pages;

        if (need.devices == 0)
            continue;
        checked++;
        if (!ttp_reading_number(&node->pages, &pages)) {
            ttp_check_unread(c, NULL, &node->pages, NULL);
            continue;
        }
        const bool good = pages >= need.pages;
        struct ttp_check *k =
            ttp_check_add(c, NULL, good ? TTP_CHECK_PASS : TTP_CHECK_WARN,
                          "node %d: %lld pages of 1 GiB", node->number, (long long)pages);
        k->source = node->pages.path;
        k->limit =
            ttp_check_text(c, "%lld for the %zu device%s on this node", (long long)need.pages,
                           need.devices, need.devices == 1 ? "" : "s");
        k->origin = TTP_STR("tt-system-tools, hugepages script");
        if (good)
            continue;
        k->text = TTP_STR("buffers end up on another node: slower transfers");
        k->fix =
            ttp_check_text(c,
                           "echo 'node%d=%lld' | sudo tee -a "
                           "/opt/tenstorrent/bin/hugepages-override.txt ; or bind the program: "
                           "numactl --cpunodebind=%d --membind=%d",
                           node->number, (long long)need.pages, node->number, node->number);
    }
    if (checked == 0 && c->patients) {
        struct ttp_check *k =
            ttp_check_add(c, NULL, TTP_CHECK_INFO, "%zu nodes", c->machine.nnodes);
        k->source = TTP_STR("/sys/devices/system/node");
        k->text = TTP_STR("bind programs to the device's node: numactl --cpunodebind, --membind");
    }
}

void ttp_check_mem_ram(struct ttp_checkup *c)
{
    const double gb = (double)c->machine.memory_bytes / 1e9;
    struct ttp_check *k;

    if (c->machine.memory_bytes == 0) {
        k = ttp_check_add(c, NULL, TTP_CHECK_SKIP, "unknown");
    } else {
        k = ttp_check_add(c, NULL,
                          gb >= 64   ? TTP_CHECK_PASS
                          : gb >= 32 ? TTP_CHECK_WARN
                                     : TTP_CHECK_FAIL,
                          "%.1f GB", gb);
        k->limit = TTP_STR("64 GB; at least 32 GB");
        k->origin = TTP_STR("vendor: hardware pages, tt-tools-common");
    }
    k->source = TTP_STR("/proc/meminfo");
    if (k->level > TTP_CHECK_SKIP)
        k->fix = TTP_STR("add memory: compiling and loading models needs it");
}

void ttp_check_vm_viommu(struct ttp_checkup *c)
{
    const struct need need = add_up(c, -2);

    if (!c->machine.hypervisor) {
        struct ttp_check *k = ttp_check_add(c, NULL, TTP_CHECK_PASS, "not a virtual machine");
        k->source = TTP_STR("/proc/cpuinfo");
        return;
    }
    const bool bad = need.devices > 0;
    struct ttp_check *k =
        ttp_check_add(c, NULL, bad ? TTP_CHECK_WARN : TTP_CHECK_PASS, "virtual machine, %s",
                      need.known == 0 ? "no device"
                      : bad           ? "no translating IOMMU"
                                      : "IOMMU translates");
    k->source = TTP_STR("/proc/cpuinfo, iommu_group/type");
    k->limit = TTP_STR("a translating IOMMU");
    k->origin = TTP_STR("tt-umd");
    if (bad)
        k->fix = TTP_STR("give the guest a virtual IOMMU: QEMU -device intel-iommu,intremap=on, "
                         "libvirt <iommu model='intel'/>");
}
