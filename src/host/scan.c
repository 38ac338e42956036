/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - which boards there are and where their files lie. */
#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>

#include "base/file.h"
#include "base/order.h"
#include "host/scan.h"

#define PCI_DEVICES "/sys/bus/pci/devices"
#define CLASS_DIR   "/sys/class/tenstorrent"
#define HWMON_DIR   "/sys/class/hwmon"
#define NODE_DIR    "/dev/tenstorrent"
#define CPU_DIR     "/sys/devices/system/cpu"
/* More than any machine has: a limit for synthetic trees. */
#define CHIPS_MAX 256
#define NAMES_MAX 65536

struct scan {
    struct ttp_host *host;
    const struct ttp_tree *tree;
    struct ttp_arena *arena;
    const char **class_name; /* of CLASS_DIR */
    ssize_t nclasses;
    const char **hwmon_name;
    ssize_t nhwmons; /* -1: not listed yet */
};

/* --- paths --- */

const char *ttp_host_tree_follow(const char *path, const char *target, struct ttp_arena *arena)
{
    char at[PATH_MAX];
    char *slash;

    if (target[0] == '/')
        return ttp_arena_zstr(arena, ttp_str_from(target));
    snprintf(at, sizeof(at), "%s", path);
    slash = strrchr(at, '/');
    while (slash && strncmp(target, "../", 3) == 0) {
        *slash = '\0';
        slash = strrchr(at, '/');
        target += 3;
    }
    if (!slash)
        return NULL;
    *slash = '\0';
    return ttp_host_tree_path(arena, "%s/%s", at, target);
}

/* What a link in `folder` leads to, as a path below the root; NULL: no link, or one that leads out.
 */
static const char *follow(const struct scan *s, const char *folder, const char *name)
{
    char target[PATH_MAX];
    const char *link = ttp_host_tree_path(s->arena, "%s/%s", folder, name);

    if (ttp_rootdir_readlink(&s->tree->root, link, target, sizeof(target)) < 0)
        return NULL;
    return ttp_host_tree_follow(link, target, s->arena);
}

/* "0000:01:00.0" */
static bool is_bdf(const char *name)
{
    const ttp_str s = ttp_str_from(name);
    ttp_str part[4];

    return ttp_str_split(s, ':', part, 4) == 3 && ttp_str_find_char(part[2], '.') != TTP_NPOS;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The PCI device above, if there is one: a port of the root complex or of a switch. */
static const char *find_port(const struct scan *s, const char *pci_dir)
{
    const char *slash = strrchr(pci_dir, '/');

    if (!slash)
        return NULL;
    const char *port = ttp_arena_zstr(s->arena, (ttp_str){pci_dir, (size_t)(slash - pci_dir)});
    return is_bdf(base_name(port)) ? port : NULL;
}

/* --- what belongs to a chip --- */

/* N of "tenstorrent!N"; -1: not such a name. */
static int class_number(const char *name)
{
    const ttp_str s = ttp_str_from(name), prefix = TTP_STR("tenstorrent!");
    uint64_t n;

    if (!ttp_str_starts(s, prefix) || !ttp_str_to_u64(ttp_str_slice(s, prefix.len, s.len), &n) ||
        n > INT_MAX)
        return -1;
    return (int)n;
}

static bool points_to(const struct scan *s, const char *folder, const char *name, const char *bdf)
{
    const char *to = ttp_host_tree_link_name(
        s->tree, ttp_host_tree_path(s->arena, "%s/%s/device", folder, name), s->arena);

    return to && strcmp(to, bdf) == 0;
}

static void find_class(const struct scan *s, struct ttp_chip *chip)
{
    const char *folder = ttp_host_tree_path(s->arena, "%s/tenstorrent", chip->pci_dir);
    const char **name;
    const ssize_t n = ttp_rootdir_list(&s->tree->root, folder, &name, NAMES_MAX, s->arena);

    chip->number = -1;
    for (ssize_t i = 0; i < n && chip->number < 0; i++) {
        chip->number = class_number(name[i]);
        if (chip->number >= 0)
            chip->class_dir = ttp_host_tree_path(s->arena, "%s/%s", folder, name[i]);
    }
    for (ssize_t i = 0; i < s->nclasses && chip->number < 0; i++)
        if (class_number(s->class_name[i]) >= 0 &&
            points_to(s, CLASS_DIR, s->class_name[i], chip->bdf)) {
            chip->number = class_number(s->class_name[i]);
            chip->class_dir = ttp_host_tree_path(s->arena, "%s/%s", CLASS_DIR, s->class_name[i]);
        }
}

static void find_hwmon(struct scan *s, struct ttp_chip *chip)
{
    const char *folder = ttp_host_tree_path(s->arena, "%s/hwmon", chip->pci_dir);
    const char **name;
    const ssize_t n = ttp_rootdir_list(&s->tree->root, folder, &name, NAMES_MAX, s->arena);

    for (ssize_t i = 0; i < n && !chip->hwmon_dir; i++)
        if (strncmp(name[i], "hwmon", 5) == 0)
            chip->hwmon_dir = ttp_host_tree_path(s->arena, "%s/%s", folder, name[i]);
    if (chip->hwmon_dir)
        return;
    if (s->nhwmons < 0)
        s->nhwmons =
            ttp_rootdir_list(&s->tree->root, HWMON_DIR, &s->hwmon_name, NAMES_MAX, s->arena);
    if (s->nhwmons < 0)
        s->nhwmons = 0;
    for (ssize_t i = 0; i < s->nhwmons && !chip->hwmon_dir; i++)
        if (points_to(s, HWMON_DIR, s->hwmon_name[i], chip->bdf))
            chip->hwmon_dir = ttp_host_tree_path(s->arena, "%s/%s", HWMON_DIR, s->hwmon_name[i]);
}

static const char *chip_name(uint16_t pci_device)
{
    switch (pci_device) {
    case 0xfaca:
        return "grayskull";
    case 0x401e:
        return "wormhole";
    case 0xb140:
        return "blackhole";
    default:
        return "unknown";
    }
}

static struct ttp_chip *add_chip(struct ttp_host *host)
{
    return host->nchips < CHIPS_MAX ? &host->chip[host->nchips++] : NULL;
}

static void fill_chip(struct scan *s, struct ttp_chip *chip)
{
    find_class(s, chip);
    find_hwmon(s, chip);
    chip->port_dir = find_port(s, chip->pci_dir);
    chip->driver = ttp_host_tree_link_name(
        s->tree, ttp_host_tree_path(s->arena, "%s/driver", chip->pci_dir), s->arena);
    ttp_host_tree_reading(&chip->device, s->tree,
                          ttp_host_tree_path(s->arena, "%s/device", chip->pci_dir),
                          (struct ttp_tree_wanted){TTP_TEXT_HEX, 0, UINT16_MAX, false}, s->arena);
    chip->pci_device = chip->device.state == TTP_READING_OK ? (uint16_t)chip->device.value : 0;
    chip->chip = chip_name(chip->pci_device);
}

static void scan_pci(struct scan *s)
{
    const char **name;
    const ssize_t n = ttp_rootdir_list(&s->tree->root, PCI_DEVICES, &name, NAMES_MAX, s->arena);
    struct ttp_reading vendor;

    for (ssize_t i = 0; i < n; i++) {
        const struct ttp_mark mark = ttp_arena_mark(s->arena);

        ttp_host_tree_reading(
            &vendor, s->tree, ttp_host_tree_path(s->arena, "%s/%s/vendor", PCI_DEVICES, name[i]),
            (struct ttp_tree_wanted){TTP_TEXT_HEX, 0, UINT16_MAX, false}, s->arena);
        ttp_arena_rewind(s->arena, mark);
        s->host->pci_devices++;
        if (vendor.state != TTP_READING_OK || vendor.value != TTP_PCI_VENDOR)
            continue;
        struct ttp_chip *chip = add_chip(s->host);
        if (!chip)
            return;
        chip->bdf = name[i];
        chip->pci_dir = follow(s, PCI_DEVICES, name[i]);
        if (!chip->pci_dir)
            chip->pci_dir = ttp_host_tree_path(s->arena, "%s/%s", PCI_DEVICES, name[i]);
        fill_chip(s, chip);
    }
}

/* Devices of the driver that the PCI scan did not meet: a tree without that part. */
static void scan_class(struct scan *s)
{
    for (ssize_t i = 0; i < s->nclasses; i++) {
        const int number = class_number(s->class_name[i]);
        bool known = number < 0;

        for (size_t c = 0; c < s->host->nchips && !known; c++)
            known = s->host->chip[c].number == number;
        struct ttp_chip *chip = known ? NULL : add_chip(s->host);
        if (!chip)
            continue;
        const char *folder = ttp_host_tree_path(s->arena, "%s/%s", CLASS_DIR, s->class_name[i]);
        const char *bdf = ttp_host_tree_link_name(
            s->tree, ttp_host_tree_path(s->arena, "%s/device", folder), s->arena);
        chip->bdf = bdf ? bdf : s->class_name[i];
        chip->pci_dir = ttp_host_tree_path(s->arena, "%s/device", folder);
        fill_chip(s, chip);
        chip->number = number;
        chip->class_dir = folder;
    }
}

/* Nodes carry the driver's number, unless someone made them by hand: then the kernel knows. */
static int node_number(const struct scan *s, const char *name, const struct ttp_rootdir_stat *st)
{
    uint64_t n;

    if (st->is_device) {
        const char *to = ttp_host_tree_link_name(
            s->tree, ttp_host_tree_path(s->arena, "/sys/dev/char/%u:%u", st->major, st->minor),
            s->arena);
        if (to && class_number(to) >= 0)
            return class_number(to);
    }
    return ttp_str_to_u64(ttp_str_from(name), &n) && n <= INT_MAX ? (int)n : -1;
}

static void scan_nodes(struct scan *s)
{
    const char **name;
    const ssize_t n = ttp_rootdir_list(&s->tree->root, NODE_DIR, &name, NAMES_MAX, s->arena);

    for (ssize_t i = 0; i < n; i++) {
        struct ttp_rootdir_stat st;
        const char *path = ttp_host_tree_path(s->arena, "%s/%s", NODE_DIR, name[i]);

        if (ttp_rootdir_stat(&st, &s->tree->root, path) < 0 || st.is_dir)
            continue;
        const int number = node_number(s, name[i], &st);
        s->host->nodes += number >= 0;
        for (size_t c = 0; c < s->host->nchips && number >= 0; c++)
            if (s->host->chip[c].number == number) {
                s->host->chip[c].node = true;
                s->host->chip[c].accessible = st.readable && st.writable;
            }
    }
}

/* The product: what the driver calls it, the number in the board id, the number in PCI's ids. */
static void name_board(const struct scan *s, struct ttp_chip *chip)
{
    const struct ttp_boards *boards = s->host->boards;

    if (chip->class_dir) {
        ttp_host_tree_reading(&chip->card_type, s->tree,
                              ttp_host_tree_path(s->arena, "%s/tt_card_type", chip->class_dir),
                              (struct ttp_tree_wanted){TTP_TEXT_WORD, 1, 0, false}, s->arena);
        if (chip->card_type.state == TTP_READING_OK)
            chip->board = ttp_board_find(boards, chip->card_type.text);
        ttp_host_tree_reading(&chip->serial, s->tree,
                              ttp_host_tree_path(s->arena, "%s/tt_serial", chip->class_dir),
                              (struct ttp_tree_wanted){TTP_TEXT_HEX, 1, 0, false}, s->arena);
        if (!chip->board && chip->serial.state == TTP_READING_OK)
            chip->board = ttp_board_by_upi(boards, ttp_board_id_upi((uint64_t)chip->serial.value));
    }
    ttp_host_tree_reading(&chip->subsystem, s->tree,
                          ttp_host_tree_path(s->arena, "%s/subsystem_device", chip->pci_dir),
                          (struct ttp_tree_wanted){TTP_TEXT_HEX, 0, UINT16_MAX, false}, s->arena);
    if (chip->board || chip->subsystem.state != TTP_READING_OK)
        return;
    chip->board = ttp_board_by_upi(boards, (uint32_t)chip->subsystem.value);
    if (chip->board && chip->board->pci_device != chip->pci_device)
        chip->board = NULL; /* another vendor's numbering */
}

static void find_cpus(struct ttp_tree *tree, struct ttp_arena *arena)
{
    const char **name;
    const ssize_t n = ttp_rootdir_list(&tree->root, CPU_DIR, &name, NAMES_MAX, arena);
    struct ttp_rootdir_stat st;
    uint64_t number;

    if (n <= 0)
        return;
    tree->cpu = TTP_NEW(arena, const char *, (size_t)n);
    for (ssize_t i = 0; i < n; i++) {
        const ttp_str s = ttp_str_from(name[i]);

        if (!ttp_str_starts(s, TTP_STR("cpu")) ||
            !ttp_str_to_u64(ttp_str_slice(s, 3, s.len), &number))
            continue;
        const char *folder = ttp_host_tree_path(arena, "%s/%s/cpufreq", CPU_DIR, name[i]);
        if (ttp_rootdir_stat(&st, &tree->root, folder) == 0)
            tree->cpu[tree->ncpus++] = folder;
        else if (number == 0)
            return; /* none on the first: a machine without frequency control */
    }
}

static int by_bdf(const void *a, const void *b)
{
    return strcmp(((const struct ttp_chip *)a)->bdf, ((const struct ttp_chip *)b)->bdf);
}

ttp_code ttp_host_open_heard(struct ttp_host *out, const char *root,
                             struct ttp_host_opening opening, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    struct ttp_tree *tree = TTP_NEW(arena, struct ttp_tree, 1);
    struct scan s = {.host = out, .tree = tree, .arena = arena, .nhwmons = -1};
    struct ttp_rootdir_stat st;

    *out = (struct ttp_host){.root = root && strcmp(root, "/") != 0 ? root : "",
                             .boards = opening.boards ? opening.boards : ttp_boards_builtin(),
                             .tree = tree};
    const ttp_code rc = ttp_rootdir_open(&tree->root, root, err);
    if (rc != TTP_OK) {
        if (*out->root && ttp_file_exists(root))
            ttp_err_hint(err, "unpack a recording first: mkdir DIR && tar xf FILE -C DIR");
        return rc;
    }
    if (*out->root && ttp_rootdir_stat(&st, &tree->root, "/proc") != 0 &&
        ttp_rootdir_stat(&st, &tree->root, "/sys") != 0) {
        ttp_rootdir_close(&tree->root);
        ttp_fail(err, TTP_ENOTFOUND, "'%s' is not a recorded machine: it has neither sys nor proc",
                 root);
        ttp_err_hint(err, "make a recording there with 'tt-perf doctor --record FILE', and unpack "
                          "it with 'tar xf FILE -C DIR'");
        return TTP_ENOTFOUND;
    }
    tree->root.seen = opening.seen;
    tree->root.seen_arg = opening.seen_arg;
    out->chip = TTP_NEW(arena, struct ttp_chip, CHIPS_MAX);
    out->live = ttp_rootdir_stat(&st, &tree->root, "/sys/bus") == 0 && st.fs_type == SYSFS_MAGIC;
    out->two_samples = ttp_rootdir_stat(&st, &tree->root, TTP_TREE_SECOND) == 0 && st.is_dir;
    tree->has_second = out->two_samples;
    s.nclasses = ttp_rootdir_list(&tree->root, CLASS_DIR, &s.class_name, NAMES_MAX, arena);
    scan_pci(&s);
    scan_class(&s);
    scan_nodes(&s);
    TTP_SORT(out->chip, out->nchips, by_bdf);
    for (size_t i = 0; i < out->nchips; i++)
        name_board(&s, &out->chip[i]);
    ttp_host_tree_reading(&out->driver_version, tree, "/sys/module/tenstorrent/version",
                          (struct ttp_tree_wanted){TTP_TEXT_VERSION, 1, 0, false}, arena);
    find_cpus(tree, arena);
    return TTP_OK;
}

ttp_code ttp_host_open(struct ttp_host *out, const char *root, const struct ttp_boards *boards,
                       struct ttp_arena *arena, struct ttp_err *err)
{
    return ttp_host_open_heard(out, root, (struct ttp_host_opening){.boards = boards}, arena, err);
}

void ttp_host_close(struct ttp_host *host)
{
    if (host->tree)
        ttp_rootdir_close(&host->tree->root);
    host->tree = NULL;
}
