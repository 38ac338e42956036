/* SPDX-License-Identifier: Apache-2.0 */
/* activity.c - the current activity of a process, from the end of its open logs.
 *
 * Bounded: of each process the last launches and a table of labels, under a megabyte. A log that is
 * there already is read from its last megabytes on; one that shrank was begun again. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "base/sink.h"
#include "base/sym.h"
#include "startup/inspector_log.h"
#include "startup/startup.h"

#define PROCESSES_MAX 64
#define RING          8192 /* launches; more than two seconds of the fastest */
#define MAP_MAX       16384
#define LABELS_MAX    4096
#define OPEN_MAX      32 /* compilations at once */
#define TAIL          ((off_t)4 << 20)
#define PIECE         65536
#define LOOK_AGAIN_NS (5 * INT64_C(1000000000))
#define SECOND_NS     INT64_C(1000000000)
#define QUIET_NS      (2 * SECOND_NS)
/* A compilation after that many launches stalls something that ran. */
#define STEADY_LAUNCHES 50

struct tail {
    int fd; /* -1: not open */
    off_t offset;
    struct ttp_inspector_reader reader;
    char carry[4096]; /* a line that is not whole yet */
    size_t carried;
    bool skip; /* the rest of a line that is too long, or was begun before us */
};

struct launch {
    int64_t time;
    uint32_t label;
};

struct compile {
    uint64_t id;
    int64_t since;
};

struct process {
    int32_t pid;
    struct ttp_arena arena;
    struct tail programs, workloads;
    struct ttp_symtab labels;
    struct ttp_map label_of_program, label_of_workload, program_of_workload;
    struct launch *ring;
    uint64_t launches, since_compile, late;
    struct compile open[OPEN_MAX];
    size_t opens;
    int64_t looked_ns, found_ns;
    bool found;
};

struct ttp_activity_watch {
    const char *root;
    struct ttp_arena *arena;
    struct process *process;
    size_t processes;
};

const char *ttp_startup_activity_name(enum ttp_activity_kind kind)
{
    static const char *const names[] = {"unknown", "compiling", "launching", "quiet"};

    return names[kind];
}

/* --- records --- */

/* Labels beyond the table share one. */
static uint32_t label_number(struct process *p, ttp_str text)
{
    ttp_sym known;

    if (ttp_sym_find(&p->labels, text, &known))
        return known;
    return p->labels.count < LABELS_MAX ? ttp_sym_intern(&p->labels, text)
                                        : ttp_sym_intern(&p->labels, TTP_STR("others"));
}

static void keep(struct ttp_map *map, uint64_t key, uint32_t value)
{
    if (map->count < MAP_MAX || ttp_map_get(map, key) != UINT32_MAX)
        ttp_map_put(map, key, value);
}

static void begin_compile(struct process *p, uint64_t id, int64_t time)
{
    p->late += p->since_compile > STEADY_LAUNCHES;
    p->since_compile = 0;
    if (p->opens < OPEN_MAX)
        p->open[p->opens++] = (struct compile){id, time};
}

static void end_compile(struct process *p, uint64_t id)
{
    for (size_t i = 0; i < p->opens; i++)
        if (p->open[i].id == id) {
            p->open[i] = p->open[--p->opens];
            return;
        }
}

static void take_program(void *arg, const struct ttp_inspector_record *record)
{
    struct process *p = arg;
    const uint64_t id = record->number[TTP_NUMBER_ID];

    if (!ttp_record_has(record, TTP_NUMBER_TIME))
        return;
    if (record->kind == TTP_RECORD_COMPILE_STARTED)
        begin_compile(p, id, (int64_t)record->number[TTP_NUMBER_TIME]);
    else if (record->kind == TTP_RECORD_COMPILE_FINISHED)
        end_compile(p, id);
    else if (record->kind == TTP_RECORD_KERNEL && record->source.len)
        keep(&p->label_of_program, id, label_number(p, ttp_startup_label(record->source)));
}

static uint32_t label_of(struct process *p, uint64_t workload)
{
    uint32_t label = ttp_map_get(&p->label_of_workload, workload);

    if (label == UINT32_MAX) {
        const uint32_t program = ttp_map_get(&p->program_of_workload, workload);

        if (program != UINT32_MAX)
            label = ttp_map_get(&p->label_of_program, program);
    }
    return label == UINT32_MAX ? label_number(p, TTP_STR("unknown")) : label;
}

static void take_workload(void *arg, const struct ttp_inspector_record *record)
{
    struct process *p = arg;
    const uint64_t workload = record->number[TTP_NUMBER_WORKLOAD];

    if (!ttp_record_has(record, TTP_NUMBER_TIME))
        return;
    if (record->kind == TTP_RECORD_WORKLOAD_PROGRAM) {
        if (record->number[TTP_NUMBER_PROGRAM] < UINT32_MAX)
            keep(&p->program_of_workload, workload, (uint32_t)record->number[TTP_NUMBER_PROGRAM]);
    } else if ((record->kind == TTP_RECORD_ENTRY || record->kind == TTP_RECORD_METADATA) &&
               record->name.len) {
        keep(&p->label_of_workload, workload, label_number(p, record->name));
    } else if (record->kind == TTP_RECORD_WORKLOAD_STATUS &&
               ttp_str_eq(record->status, TTP_STR("Committed"))) {
        p->ring[p->launches++ % RING] =
            (struct launch){(int64_t)record->number[TTP_NUMBER_TIME], label_of(p, workload)};
        p->since_compile++;
    }
}

/* --- following a file --- */

static void feed_text(struct tail *t, ttp_str text)
{
    size_t end = text.len;

    if (t->skip) {
        const size_t line = ttp_str_find_char(text, '\n');

        if (line == TTP_NPOS)
            return;
        text = ttp_str_slice(text, line + 1, text.len);
        end = text.len;
        t->skip = false;
    }
    if (t->carried) { /* complete the line that was cut */
        const size_t line = ttp_str_find_char(text, '\n');
        const size_t n = line == TTP_NPOS ? text.len : line + 1;

        if (t->carried + n > sizeof(t->carry)) {
            t->carried = 0;
            t->skip = line == TTP_NPOS;
        } else {
            memcpy(t->carry + t->carried, text.ptr, n);
            t->carried += n;
            if (line == TTP_NPOS)
                return;
            ttp_startup_inspector_feed(&t->reader, (ttp_str){t->carry, t->carried});
            t->carried = 0;
        }
        text = ttp_str_slice(text, n, text.len);
        end = text.len;
    }
    while (end && text.ptr[end - 1] != '\n')
        end--;
    ttp_startup_inspector_feed(&t->reader, ttp_str_slice(text, 0, end));
    const ttp_str rest = ttp_str_slice(text, end, text.len);
    if (rest.len > sizeof(t->carry)) {
        t->skip = true;
        return;
    }
    if (rest.len)
        memcpy(t->carry, rest.ptr, rest.len);
    t->carried = rest.len;
}

static void restart(struct tail *t, off_t offset)
{
    t->offset = offset;
    t->carried = 0;
    t->skip = offset > 0;
    t->reader.record = (struct ttp_inspector_record){0};
    t->reader.in_source = false;
}

static void follow(struct tail *t)
{
    static const size_t most =
        64 << 20; /* per step: a log that grows faster is not read completely */
    struct stat st;
    size_t done = 0;
    char piece[PIECE];

    if (t->fd < 0 || fstat(t->fd, &st) != 0)
        return;
    if (st.st_size < t->offset)
        restart(t, 0);
    while (t->offset < st.st_size && done < most) {
        const ssize_t n = pread(t->fd, piece, sizeof(piece), t->offset);

        if (n <= 0)
            break;
        t->offset += n;
        done += (size_t)n;
        feed_text(t, (ttp_str){piece, (size_t)n});
    }
    /* records are written whole: the last one need not wait for the next */
    if (t->carried == 0 && ttp_record_has(&t->reader.record, TTP_NUMBER_TIME))
        ttp_startup_inspector_end(&t->reader);
}

static void open_tail(struct tail *t, const char *path, struct process *p,
                      void (*use)(void *, const struct ttp_inspector_record *))
{
    struct stat st;

    t->reader = (struct ttp_inspector_reader){.use = use, .arg = p};
    t->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (t->fd < 0)
        return;
    if (fstat(t->fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(t->fd);
        t->fd = -1;
        return;
    }
    restart(t, st.st_size > TAIL ? st.st_size - TAIL : 0);
}

/* --- finding the logs of a process --- */

static bool is_log(ttp_str target)
{
    static const ttp_str name = TTP_STR("/programs_log.yaml");

    return ttp_str_ends(target, name) && (ttp_str_has(target, TTP_STR("/inspector/")));
}

/* As the process sees it, so that containers work. */
static bool find_logs(struct process *p, const char *root)
{
    char path[512], target[3072], full[4096];
    const struct dirent *e;
    bool found = false;

    snprintf(path, sizeof(path), "%s/proc/%d/fd", root, p->pid);
    DIR *dir = opendir(path);
    while (dir && !found && (e = readdir(dir))) {
        snprintf(path, sizeof(path), "%s/proc/%d/fd/%.64s", root, p->pid, e->d_name);
        const ssize_t n = readlink(path, target, sizeof(target) - 1);
        if (n <= 0 || !is_log((ttp_str){target, (size_t)n}))
            continue;
        target[n] = '\0';
        snprintf(full, sizeof(full), "%s/proc/%d/root%s", root, p->pid, target);
        open_tail(&p->programs, full, p, take_program);
        const size_t folder = strlen(full) - strlen("programs_log.yaml");
        snprintf(full + folder, sizeof(full) - folder, "mesh_workloads_log.yaml");
        open_tail(&p->workloads, full, p, take_workload);
        found = p->programs.fd >= 0;
    }
    if (dir)
        closedir(dir);
    return found;
}

static void close_process(struct process *p)
{
    if (p->programs.fd >= 0)
        close(p->programs.fd);
    if (p->workloads.fd >= 0)
        close(p->workloads.fd);
    ttp_arena_free(&p->arena);
}

static void begin_process(struct process *p, int32_t pid)
{
    memset(p, 0, sizeof(*p));
    p->pid = pid;
    p->programs.fd = p->workloads.fd = -1;
    p->labels.arena = &p->arena;
    p->label_of_program.arena = p->label_of_workload.arena = p->program_of_workload.arena =
        &p->arena;
    p->ring = TTP_NEW(&p->arena, struct launch, RING);
}

static struct process *process_of(struct ttp_activity_watch *w, int32_t pid)
{
    size_t oldest = 0;

    for (size_t i = 0; i < w->processes; i++) {
        if (w->process[i].pid == pid)
            return &w->process[i];
        if (w->process[i].looked_ns < w->process[oldest].looked_ns)
            oldest = i;
    }
    if (w->processes < PROCESSES_MAX) {
        oldest = w->processes++;
    } else {
        close_process(&w->process[oldest]);
    }
    begin_process(&w->process[oldest], pid);
    return &w->process[oldest];
}

struct ttp_activity_watch *ttp_startup_activity_open(const char *root, struct ttp_arena *arena)
{
    struct ttp_activity_watch *w = TTP_NEW(arena, struct ttp_activity_watch, 1);

    w->root = root ? root : "";
    w->arena = arena;
    w->process = TTP_NEW(arena, struct process, PROCESSES_MAX);
    return w;
}

void ttp_startup_activity_close(struct ttp_activity_watch *w)
{
    for (size_t i = 0; i < w->processes; i++)
        close_process(&w->process[i]);
    w->processes = 0;
}

/* --- texts --- */

static void add_share(struct ttp_activity *out, ttp_str label, uint64_t count)
{
    size_t at = out->shares;

    while (at > 0 && out->share[at - 1].count < count)
        at--;
    if (at == TTP_ACTIVITY_SHARES)
        return;
    if (out->shares < TTP_ACTIVITY_SHARES)
        out->shares++;
    for (size_t i = out->shares - 1; i > at; i--)
        out->share[i] = out->share[i - 1];
    out->share[at] = (struct ttp_startup_name){label, count};
}

static int64_t count_launches(struct ttp_activity *out, const struct process *p, int64_t now,
                              struct ttp_arena *arena)
{
    const uint64_t kept = p->launches < RING ? p->launches : RING;
    uint32_t *count = TTP_NEW(arena, uint32_t, p->labels.count + 1);
    int64_t last = INT64_MIN, oldest = now;

    for (uint64_t i = 0; i < kept; i++) {
        const struct launch *l = &p->ring[i];

        last = l->time > last ? l->time : last;
        if (l->time <= now - SECOND_NS || l->time > now)
            continue;
        oldest = l->time < oldest ? l->time : oldest;
        count[l->label]++;
        out->launches++;
    }
    for (uint32_t i = 0; i < p->labels.count; i++)
        if (count[i])
            add_share(out, ttp_arena_copy(arena, ttp_sym_name(&p->labels, i)), count[i]);
    /* where the ring is full before a second is, its span is shorter */
    const double span = out->launches == RING && now > oldest ? (double)(now - oldest) / 1e9 : 1;
    out->launches_per_s = (double)out->launches / span;
    return last;
}

static void describe(struct ttp_activity *out, const struct process *p, int64_t now,
                     struct ttp_arena *arena)
{
    const int64_t last = count_launches(out, p, now, arena);

    out->late_compiles = p->late;
    if (p->opens) {
        const struct compile *c = &p->open[p->opens - 1];
        const uint32_t label = ttp_map_get(&p->label_of_program, c->id);
        struct ttp_sink text;

        ttp_sink_to_arena(&text, arena);
        if (label == UINT32_MAX)
            ttp_sink_printf(&text, "program %llu", (unsigned long long)c->id);
        else
            ttp_sink_put(&text, ttp_sym_name(&p->labels, label));
        out->kind = TTP_ACTIVITY_COMPILING;
        out->what = ttp_sink_text(&text);
        out->compiling_s = now > c->since ? (double)(now - c->since) / 1e9 : 0;
        return;
    }
    out->kind = p->launches && last > now - QUIET_NS ? TTP_ACTIVITY_LAUNCHING : TTP_ACTIVITY_QUIET;
}

void ttp_startup_activity_look(struct ttp_activity *out, struct ttp_activity_watch *w, int32_t pid,
                               int64_t now_ns, struct ttp_arena *arena)
{
    *out = (struct ttp_activity){0};
    if (pid <= 0)
        return;
    struct process *p = process_of(w, pid);
    p->looked_ns = now_ns;
    if (!p->found && (p->found_ns == 0 || now_ns - p->found_ns > LOOK_AGAIN_NS)) {
        p->found = find_logs(p, w->root);
        p->found_ns = now_ns;
    }
    if (!p->found)
        return;
    follow(&p->programs); /* first: launches are named by what it says */
    follow(&p->workloads);
    describe(out, p, now_ns, arena);
}
