/* SPDX-License-Identifier: Apache-2.0 */
#include "record/procs.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { SMALL = 4096, MAX_INODES = 16, MAX_PIDS = 1 << 20 };

/* The start of a small file of /proc, with a NUL after it; -1, and errno: cannot be read. */
static ssize_t read_small(const char *path, char *buf, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t got = 0;
    ssize_t n;

    if (fd < 0)
        return -1;
    do {
        n = read(fd, buf + got, size - 1 - got);
        got += n > 0 ? (size_t)n : 0;
    } while (got + 1 < size && (n > 0 || (n < 0 && errno == EINTR)));
    const int why = errno;
    close(fd);
    errno = why;
    buf[got] = '\0';
    return n < 0 ? -1 : (ssize_t)got;
}

/* The next entry; NULL: no more, or errno says why not. */
static const struct dirent *next_entry(DIR *d)
{
    errno = 0;
    return d ? readdir(d) : NULL;
}

/* A folder's entries that are numbers, one after the other; 0: as above. */
static pid_t next_number(DIR *d)
{
    for (const struct dirent *e; (e = next_entry(d)) != NULL;) {
        uint64_t v;

        if (ttp_str_to_u64(ttp_str_from(e->d_name), &v) && v && v < INT32_MAX)
            return (pid_t)v;
    }
    return 0;
}

/* Field of /proc/PID/stat after the name in parentheses, from 0: state, parent, group. 0 also:
 * errno says why it is unknown; where it does not the process has ended, or never had one. */
static uint64_t stat_field(pid_t pid, size_t field)
{
    char path[64], text[SMALL];
    ttp_str part[8];
    uint64_t v;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    if (read_small(path, text, sizeof(text)) <= 0)
        return 0;
    errno = 0;
    const char *paren = strrchr(text, ')');
    if (!paren || paren[1] != ' ')
        return 0;
    const size_t n = ttp_str_split(ttp_str_from(paren + 2), ' ', part, TTP_COUNT(part));
    return field < n && ttp_str_to_u64(part[field], &v) ? v : 0;
}

pid_t ttp_record_procs_group(pid_t pid)
{
    return (pid_t)stat_field(pid, 2);
}

/* --- ports --- */

/* The four digits of a port after an address. */
static bool parse_port(uint16_t *out, ttp_str address)
{
    uint32_t port = 0;

    if (address.len < 5)
        return false;
    for (size_t i = address.len - 4; i < address.len; i++) {
        const char c = ttp_char_lower(address.ptr[i]);

        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
        port = port << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    *out = (uint16_t)port;
    return true;
}

/* "sl local remote state tx:rx tr:tm retrnsmt uid timeout inode". *loopback: it is of 127.0.0.1. */
static bool parse_socket(struct ttp_listener *out, bool *loopback, ttp_str line)
{
    enum { LOCAL = 1, REMOTE = 2, UID = 7, INODE = 9 };
    ttp_str word[12];
    uint64_t uid;
    size_t n = 0;

    while (n < TTP_COUNT(word) && (line = ttp_str_trim(line)).len) {
        size_t end = ttp_str_find_char(line, ' ');
        end = end == TTP_NPOS ? line.len : end;
        word[n++] = ttp_str_slice(line, 0, end);
        line = ttp_str_slice(line, end, line.len);
    }
    if (n <= INODE || !ttp_str_to_u64(word[INODE], &out->inode) ||
        !ttp_str_to_u64(word[UID], &uid) || !parse_port(&out->port, word[LOCAL]) ||
        !parse_port(&out->peer, word[REMOTE]))
        return false;
    out->uid = (uint32_t)uid;
    *loopback =
        ttp_str_ends(ttp_str_slice(word[LOCAL], 0, word[LOCAL].len - 5), TTP_STR("0100007F"));
    return true;
}

/* Is it one that is looked for? */
typedef bool socket_match(const struct ttp_listener *l, bool loopback, const void *arg);

static size_t list_sockets(struct ttp_listener *out, size_t max, socket_match *match,
                           const void *arg)
{
    static const char *const tables[] = {"/proc/net/tcp", "/proc/net/tcp6"};
    size_t n = 0;

    for (size_t i = 0; i < TTP_COUNT(tables); i++) {
        FILE *f = fopen(tables[i], "re");
        char line[512];
        bool loopback;

        while (f && n < max && fgets(line, sizeof(line), f))
            n += parse_socket(&out[n], &loopback, ttp_str_from(line)) &&
                 match(&out[n], loopback, arg);
        if (f)
            (void)fclose(f);
    }
    return n;
}

struct ports {
    uint16_t first, last;
    const uint16_t *port; /* or only these */
    size_t nports;
};

static bool is_port(const struct ports *p, uint16_t port)
{
    if (!p->port)
        return port >= p->first && port <= p->last;
    for (size_t i = 0; i < p->nports; i++)
        if (p->port[i] == port)
            return true;
    return false;
}

static bool listens(const struct ttp_listener *l, bool loopback, const void *arg)
{
    (void)loopback;
    return l->peer == 0 && l->inode && is_port(arg, l->port);
}

static bool is_connected(const struct ttp_listener *l, bool loopback, const void *arg)
{
    (void)loopback;
    return l->peer != 0 && is_port(arg, l->port);
}

static bool is_far_end(const struct ttp_listener *l, bool loopback, const void *arg)
{
    const struct ttp_listener *wanted = arg;

    return loopback && l->port == wanted->port && l->peer == wanted->peer;
}

size_t ttp_record_procs_listeners(struct ttp_listener *out, size_t max, uint16_t first,
                                  uint16_t last)
{
    return list_sockets(out, max, listens, &(struct ports){.first = first, .last = last});
}

size_t ttp_record_procs_listeners_on(struct ttp_listener *out, size_t max, const uint16_t *port,
                                     size_t nports)
{
    return list_sockets(out, max, listens, &(struct ports){.port = port, .nports = nports});
}

bool ttp_record_procs_far_end(struct ttp_listener *out, uint16_t port, uint16_t local)
{
    return list_sockets(out, 1, is_far_end, &(struct ttp_listener){.port = port, .peer = local});
}

bool ttp_record_procs_port_lingers(uint16_t port)
{
    const struct ports only = {.first = port, .last = port};
    struct ttp_listener l;

    return list_sockets(&l, 1, is_connected, &only) && !list_sockets(&l, 1, listens, &only);
}

enum holding { HOLDS_NOT, HOLDS, HOLDS_UNSEEN, HOLDS_UNKNOWN };

/* It has ended, so it has nothing. */
static bool is_gone(int why)
{
    return why == 0 || why == ENOENT || why == ESRCH;
}

static enum holding holds_any(pid_t pid, const struct ttp_listener *l, size_t n)
{
    char path[64], link[64];
    bool found = false;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    DIR *d = opendir(path);
    if (!d)
        return errno == EACCES || errno == EPERM ? HOLDS_UNSEEN
               : is_gone(errno)                  ? HOLDS_NOT
                                                 : HOLDS_UNKNOWN;
    for (const struct dirent *e; !found && (e = next_entry(d)) != NULL;) {
        const ssize_t len = readlinkat(dirfd(d), e->d_name, link, sizeof(link) - 1);
        uint64_t v;

        if (len < 10 || strncmp(link, "socket:[", 8) != 0 ||
            !ttp_str_to_u64((ttp_str){link + 8, (size_t)len - 9}, &v))
            continue;
        for (size_t i = 0; i < n && !found; i++)
            found = l[i].inode == v;
    }
    const bool read = found || is_gone(errno);
    closedir(d);
    return found ? HOLDS : read ? HOLDS_NOT : HOLDS_UNKNOWN;
}

/* Of all processes. */
static pid_t find_owner(const struct ttp_listener *l, size_t n, char *name, size_t size)
{
    char path[64];
    pid_t pid = 0;

    name[0] = '\0';
    DIR *d = n ? opendir("/proc") : NULL;
    while ((pid = next_number(d)) != 0 && holds_any(pid, l, n) != HOLDS)
        continue;
    if (d)
        closedir(d);
    if (pid) {
        snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
        const ssize_t len = read_small(path, name, size);
        if (len > 0 && name[len - 1] == '\n')
            name[len - 1] = '\0';
    }
    return pid;
}

pid_t ttp_record_procs_port_owner(uint16_t port, char *name, size_t size)
{
    struct ttp_listener l[MAX_INODES];

    return find_owner(l, ttp_record_procs_listeners(l, TTP_COUNT(l), port, port), name, size);
}

pid_t ttp_record_procs_socket_owner(const struct ttp_listener *l, char *name, size_t size)
{
    return find_owner(l, l->inode != 0, name, size);
}

/* --- families --- */

struct link {
    pid_t pid, parent;
};

static size_t list_all(struct link **out, bool *partial, struct ttp_arena *arena)
{
    DIR *d = opendir("/proc");
    size_t n = 0;
    pid_t pid;
    struct link *all = NULL;

    *partial = false;
    while ((pid = next_number(d)) != 0 && n < MAX_PIDS) {
        TTP_ROOM(arena, all, n);
        errno = 0;
        all[n++] = (struct link){pid, (pid_t)stat_field(pid, 1)};
        *partial = *partial || !is_gone(errno);
    }
    *partial = *partial || !d || (pid == 0 && errno != 0);
    if (d)
        closedir(d);
    *out = all;
    return n;
}

void ttp_record_procs_family(struct ttp_family *out, pid_t root, struct ttp_arena *arena)
{
    struct link *all;
    bool partial;
    const size_t n = list_all(&all, &partial, arena);

    *out = (struct ttp_family){.pid = TTP_NEW(arena, pid_t, n + 1), .partial = partial};
    out->pid[out->count++] = root;
    for (size_t done = 0; done < out->count; done++)
        for (size_t i = 0; i < n; i++)
            if (all[i].parent == out->pid[done] && all[i].pid != root && out->count <= n)
                out->pid[out->count++] = all[i].pid;
}

bool ttp_record_family_has(const struct ttp_family *f, pid_t pid)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->pid[i] == pid)
            return true;
    return false;
}

/* Line "Uid: real effective saved file-system" of its status. */
static bool runs_as_any(pid_t pid, const struct ttp_listener *l, size_t n)
{
    char path[64], text[SMALL];
    ttp_str id[4];
    uint64_t uid;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    if (read_small(path, text, sizeof(text)) <= 0)
        return false;
    const char *line = strstr(text, "\nUid:\t");
    if (!line || strstr(text, "\nState:\tZ") || /* which has nothing open any more */
        ttp_str_split(ttp_str_from(line + 6), '\t', id, TTP_COUNT(id)) < 2 ||
        !ttp_str_to_u64(id[1], &uid))
        return false;
    for (size_t i = 0; i < n; i++)
        if (l[i].uid == uid)
            return true;
    return false;
}

static pid_t find_holder(struct ttp_family *f, const struct ttp_listener *l, size_t n)
{
    pid_t unseen = 0;

    for (size_t i = 0; i < f->count && n; i++) {
        const enum holding it = holds_any(f->pid[i], l, n);

        if (it == HOLDS)
            return f->pid[i];
        f->partial = f->partial || it == HOLDS_UNKNOWN;
        if (it == HOLDS_UNSEEN && !unseen && runs_as_any(f->pid[i], l, n))
            unseen = f->pid[i];
    }
    return unseen;
}

pid_t ttp_record_family_listener(struct ttp_family *f, uint16_t port)
{
    struct ttp_listener l[MAX_INODES];

    return find_holder(f, l, ttp_record_procs_listeners(l, TTP_COUNT(l), port, port));
}

pid_t ttp_record_family_holder(struct ttp_family *f, const struct ttp_listener *l)
{
    return find_holder(f, l, 1);
}

/* --- one process --- */

const char *ttp_record_procs_variable(pid_t pid, const char *name, struct ttp_arena *arena)
{
    enum { LARGE = 1 << 20 };
    const size_t len = strlen(name);
    struct ttp_arena scratch = {0};
    const char *found = NULL;
    char path[64];
    char *text = ttp_arena_bytes(&scratch, LARGE);

    snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
    const ssize_t n = read_small(path, text, LARGE);
    for (ssize_t at = 0; at < n && !found; at += (ssize_t)strlen(text + at) + 1)
        if (strncmp(text + at, name, len) == 0 && text[at + (ssize_t)len] == '=')
            found = ttp_arena_zstr(arena, ttp_str_from(text + at + len + 1));
    ttp_arena_free(&scratch);
    return found;
}

static bool has_tracy_thread(pid_t pid)
{
    char path[64], name[64];
    bool found = false;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *d = opendir(path);
    for (pid_t tid; !found && (tid = next_number(d)) != 0;) {
        snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, (int)tid);
        found =
            read_small(path, name, sizeof(name)) > 0 && strncmp(name, "Tracy Profiler", 14) == 0;
    }
    if (d)
        closedir(d);
    return found;
}

bool ttp_record_procs_same_network(pid_t pid)
{
    char path[64], own[64], its[64];

    snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
    const ssize_t a = readlink("/proc/self/ns/net", own, sizeof(own)),
                  b = readlink(path, its, sizeof(its));
    return a <= 0 || b <= 0 || (a == b && memcmp(own, its, (size_t)a) == 0);
}

unsigned ttp_procs_marks(pid_t pid)
{
    unsigned marks = has_tracy_thread(pid) ? TTP_PROCS_TRACY | TTP_PROCS_TRACY_RUNS : 0;
    char line[SMALL];

    snprintf(line, sizeof(line), "/proc/%d/maps", (int)pid);
    FILE *f = fopen(line, "re");
    while (f && fgets(line, sizeof(line), f)) {
        if (strstr(line, "/libtracy"))
            marks |= TTP_PROCS_TRACY;
        if (strstr(line, "/libtt_metal") || strstr(line, "/_ttnn"))
            marks |= TTP_PROCS_TT_METAL;
    }
    if (f)
        (void)fclose(f);
    return marks;
}
