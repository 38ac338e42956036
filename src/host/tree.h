/* SPDX-License-Identifier: Apache-2.0 */
/* tree.h - the files of sysfs and procfs as readings. Private to host. */
#ifndef TTP_HOST_TREE_H
#define TTP_HOST_TREE_H

#include "base/rootdir.h"
#include "host/host.h"

/* Where a recording keeps what only it has: files of its second sample, the environment. */
#define TTP_TREE_EXTRA  "/tt-perf"
#define TTP_TREE_SECOND TTP_TREE_EXTRA "/second"

struct ttp_tree {
    struct ttp_rootdir root;
    bool has_second;
    const char **cpu; /* folders below /sys/devices/system/cpu that have cpufreq */
    size_t ncpus;
};

/* What the text of a file is. */
enum ttp_text_kind {
    TTP_TEXT_WORD,    /* any text of one line */
    TTP_TEXT_DECIMAL, /* a whole number, sign allowed */
    TTP_TEXT_HEX,     /* with or without 0x */
    TTP_TEXT_VERSION, /* see ttp_device_version_parse() */
    TTP_TEXT_SPEED,   /* "16.0 GT/s PCIe": 160 */
    TTP_TEXT_AER,     /* lines "NAME COUNT", the last their total */
    TTP_TEXT_FIRST,   /* "0.52 0.41 ...": the first number in thousandths */
    TTP_TEXT_AVG10,   /* "some avg10=0.00 ...": in thousandths */
};

/* `text` as a number of that kind; words are fine and 0. False: it is not one. */
bool ttp_host_text_parse(int64_t *out, enum ttp_text_kind kind, ttp_str text);

/* What a file should hold. */
struct ttp_tree_wanted {
    enum ttp_text_kind kind;
    int64_t min, max;
    bool second;
};
/* Read one file. Values outside [min, max] are garbled; min > max: any. `second`: from the second
 * sample, if there is one. `path` stays the caller's and must live as long as *out. */
void ttp_host_tree_reading(struct ttp_reading *out, const struct ttp_tree *tree, const char *path,
                           struct ttp_tree_wanted wanted, struct ttp_arena *arena);
/* The whole of a small text file; empty and false if it cannot be read. */
bool ttp_host_tree_text(ttp_str *out, const struct ttp_tree *tree, const char *path, size_t max,
                        struct ttp_arena *arena);
/* A copy without blanks around it; NUL becomes a blank, other control characters (but line ends)
 * and what is not ASCII become '?'. */
ttp_str ttp_host_tree_printable(struct ttp_arena *arena, ttp_str s);
/* Paths are merged in the arena. */
const char *ttp_host_tree_path(struct ttp_arena *arena, const char *fmt, ...) TTP_PRINTF(2, 3);
/* The last part of where a link points; NULL: no such link. */
const char *ttp_host_tree_link_name(const struct ttp_tree *tree, const char *path,
                                    struct ttp_arena *arena);

#endif
