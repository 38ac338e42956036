/* SPDX-License-Identifier: Apache-2.0 */
/* machine_archive.c - a tar archive of all files that are read: reads everything again with a
 * listener, and omits secrets. */
#include <stdio.h>

#include "base/clock.h"
#include "base/tar.h"
#include "base/vec.h"
#include "host/checkup.h"
#include "host/scan.h"

#define ENV_FILE TTP_TREE_EXTRA "/environ"

struct entry {
    enum ttp_rootdir_what what;
    const char *path;
    ttp_str bytes;
};

struct recording {
    struct entry *entry;
    size_t count;
    const char *prefix; /* before each path: that of the second sample */
    struct ttp_arena *arena;
};

/* --- what is left out --- */

/* The value of the first line "NAME..." that begins so, with its line end; empty: none. */
static ttp_str line_of(ttp_str text, ttp_str name)
{
    ttp_str rest = text, line;

    while (ttp_str_next_line(&rest, &line))
        if (ttp_str_starts(line, name))
            return ttp_str_slice(text, (size_t)(line.ptr - text.ptr),
                                 (size_t)(line.ptr - text.ptr) + line.len + 1);
    return (ttp_str){0};
}

static ttp_str keep_lines(const struct recording *r, ttp_str text, const char *const *names)
{
    struct ttp_sink kept;

    ttp_sink_to_arena(&kept, r->arena);
    for (; *names; names++)
        ttp_sink_put(&kept, line_of(text, ttp_str_from(*names)));
    return ttp_sink_text(&kept);
}

/* All digits after the first `keep` become 0: the product number stays, the individual goes. */
static ttp_str blank_digits(const struct recording *r, ttp_str text, size_t keep)
{
    char *copy = ttp_arena_bytes(r->arena, text.len + 1);

    memcpy(copy, text.ptr, text.len);
    for (size_t i = keep; i < text.len; i++)
        if (copy[i] > ' ')
            copy[i] = '0';
    return (ttp_str){copy, text.len};
}

static ttp_str keep_mounts(const struct recording *r, ttp_str text)
{
    struct ttp_sink kept;
    ttp_str rest = text, line;

    ttp_sink_to_arena(&kept, r->arena);
    while (ttp_str_next_line(&rest, &line))
        if (ttp_str_has(line, TTP_STR(" hugetlbfs ")))
            ttp_sink_printf(&kept, "%.*s\n", TTP_FMT(line));
    return ttp_sink_text(&kept);
}

static ttp_str without_secrets(const struct recording *r, ttp_str path, ttp_str text)
{
    static const char *const cpu_lines[] = {"model name", "Model", "CPU implementer", "flags",
                                            NULL};
    static const char *const status_lines[] = {"Name:", "Uid:", NULL};
    static const char *const distro_lines[] = {"PRETTY_NAME", NULL};

    if (ttp_str_eq(path, TTP_STR("/proc/cmdline")))
        return ttp_host_machine_cmdline(text, r->arena);
    if (ttp_str_starts(path, TTP_STR("/proc/")) && ttp_str_ends(path, TTP_STR("/cmdline")))
        return ttp_str_slice(text, 0, ttp_str_find_char(text, '\0'));
    if (ttp_str_starts(path, TTP_STR("/proc/")) && ttp_str_ends(path, TTP_STR("/status")))
        return keep_lines(r, text, status_lines);
    if (ttp_str_eq(path, TTP_STR("/proc/sys/kernel/hostname")))
        return TTP_STR("recorded\n");
    if (ttp_str_eq(path, TTP_STR("/proc/mounts")))
        return keep_mounts(r, text);
    if (ttp_str_eq(path, TTP_STR("/proc/cpuinfo")))
        return keep_lines(r, text, cpu_lines);
    if (ttp_str_eq(path, TTP_STR("/etc/os-release")))
        return keep_lines(r, text, distro_lines);
    if (ttp_str_ends(path, TTP_STR("/tt_serial")))
        return blank_digits(r, text, 7);
    if (ttp_str_ends(path, TTP_STR("/tt_asic_id")))
        return blank_digits(r, text, 0);
    return text;
}

/* --- what was read --- */

static void add(struct recording *r, enum ttp_rootdir_what what, const char *path, ttp_str bytes)
{
    for (size_t i = 0; i < r->count; i++) /* the last reading counts */
        if (strcmp(r->entry[i].path, path) == 0) {
            r->entry[i].bytes = bytes;
            return;
        }
    *TTP_PUSH(r->arena, r->entry, r->count) = (struct entry){what, path, bytes};
}

static void hear(enum ttp_rootdir_what what, const char *path, ttp_str bytes, void *arg)
{
    struct recording *r = arg;
    const size_t second = strlen(TTP_TREE_SECOND);

    /* recording a recording: its extra files are made again, its second sample is the second one */
    if (strncmp(path, TTP_TREE_SECOND "/", second + 1) == 0)
        path += second;
    else if (strncmp(path, TTP_TREE_EXTRA "/", sizeof(TTP_TREE_EXTRA)) == 0)
        return;
    const ttp_str kept =
        what == TTP_ROOTDIR_FILE ? without_secrets(r, ttp_str_from(path), bytes) : bytes;

    add(r, what, ttp_host_tree_path(r->arena, "%s%s", r->prefix, path),
        ttp_arena_copy(r->arena, kept));
}

/* A path that goes through a recorded link is written where the link leads. */
static const char *real_path(const struct recording *r, const char *path)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct entry *e = &r->entry[i];
        const size_t n = strlen(e->path);

        if (e->what != TTP_ROOTDIR_LINK || strncmp(path, e->path, n) != 0 || path[n] != '/')
            continue;
        const char *to =
            ttp_host_tree_follow(e->path, ttp_arena_zstr(r->arena, e->bytes), r->arena);
        if (to)
            return ttp_host_tree_path(r->arena, "%s%s", to, path + n);
    }
    return path;
}

/* --- tar --- */

struct content {
    ttp_str bytes;
    unsigned mode;
};

static void put_entry(struct ttp_sink *out, const char *path, enum ttp_rootdir_what what,
                      struct content of, struct ttp_arena *arena)
{
    const bool link = what == TTP_ROOTDIR_LINK;
    const struct ttp_tar_entry entry = {
        .kind = link ? TTP_TAR_LINK : TTP_TAR_FILE,
        .name = path + 1, /* relative: decompressed anywhere */
        .link = link ? ttp_arena_zstr(arena, of.bytes) : NULL,
        .size = of.bytes.len,
        .mode = of.mode,
    };

    ttp_tar_put_header(out, &entry);
    if (link)
        return;
    ttp_sink_put(out, of.bytes);
    ttp_tar_put_padding(out, of.bytes.len);
}

/* --- all of it --- */

static bool is_checked(ttp_str word)
{
    static const char *const names[] = {"TT_METAL_HOME", "TT_METAL_RUNTIME_ROOT", "ARCH_NAME"};
    const ttp_str name = ttp_str_slice(word, 0, ttp_str_find_char(word, '='));

    for (size_t i = 0; i < TTP_COUNT(names); i++)
        if (ttp_str_eq(name, ttp_str_from(names[i])))
            return true;
    return ttp_host_env_is_slow(name);
}

static ttp_str env_text(const struct ttp_words *env, struct ttp_arena *arena)
{
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    for (size_t i = 0; i < env->count; i++) {
        const ttp_str word = ttp_str_from(env->word[i]);

        if (is_checked(word) && ttp_str_find_char(word, '\n') == TTP_NPOS)
            ttp_sink_printf(&text, "%.*s\n", TTP_FMT(word));
    }
    return ttp_sink_text(&text);
}

static void read_all(struct recording *r, struct ttp_host *host, bool two_samples,
                     struct ttp_arena *arena)
{
    struct ttp_host_sample sample;
    struct ttp_machine machine;

    ttp_host_sample(&sample, host, &(struct ttp_sample_options){0}, arena);
    ttp_host_machine_read(&machine, host, arena);
    if (!two_samples || host->nchips == 0)
        return;
    if (!host->two_samples)
        ttp_clock_sleep_ns(1000000000);
    r->prefix = TTP_TREE_SECOND;
    ttp_host_sample(&sample, host,
                    &(struct ttp_sample_options){.flags = TTP_SAMPLE_LIVE | TTP_SAMPLE_SECOND |
                                                          TTP_SAMPLE_CHIPS},
                    arena);
}

ttp_code ttp_host_record(struct ttp_sink *out, const char *root, struct ttp_host_recording what,
                         struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_arena kept = {0}; /* of its own: readers rewind theirs */
    struct recording r = {.prefix = "", .arena = &kept};
    struct ttp_host host;

    const struct ttp_host_opening opening = {.seen = hear, .seen_arg = &r};
    const ttp_code rc = ttp_host_open_heard(&host, root, opening, arena, err);
    if (rc != TTP_OK) {
        ttp_arena_free(&kept);
        return rc;
    }
    read_all(&r, &host, what.two_samples, arena);
    for (size_t i = 0; i < r.count; i++)
        put_entry(out, real_path(&r, r.entry[i].path), r.entry[i].what,
                  (struct content){r.entry[i].bytes, 0644}, arena);
    for (size_t i = 0; i < host.nchips; i++)
        if (host.chip[i].node)
            put_entry(out, ttp_host_tree_path(arena, "/dev/tenstorrent/%d", host.chip[i].number),
                      TTP_ROOTDIR_FILE,
                      (struct content){(ttp_str){0}, host.chip[i].accessible ? 0666 : 0}, arena);
    const struct ttp_words *known = what.env ? what.env : ttp_host_recorded_env(&host, arena);
    if (known)
        put_entry(out, ENV_FILE, TTP_ROOTDIR_FILE, (struct content){env_text(known, arena), 0644},
                  arena);
    ttp_tar_put_end(out);
    ttp_host_close(&host);
    ttp_arena_free(&kept);
    return TTP_OK;
}

const struct ttp_words *ttp_host_recorded_env(const struct ttp_host *host, struct ttp_arena *arena)
{
    struct ttp_words *env = TTP_NEW(arena, struct ttp_words, 1);
    ttp_str text, rest, line;
    size_t lines = 0;

    if (!ttp_host_tree_text(&text, host->tree, ENV_FILE, 65536, arena))
        return NULL;
    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    env->word = TTP_NEW(arena, const char *, lines + 1);
    rest = text;
    while (ttp_str_next_line(&rest, &line))
        env->word[env->count++] = ttp_arena_zstr(arena, line);
    return env;
}
