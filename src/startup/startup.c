/* SPDX-License-Identifier: Apache-2.0 */
/* startup.c - one pass over each log of a process; launches are folded into counts as they come. */
#include "startup/startup.h"

#include "base/file.h"
#include "base/map.h"
#include "base/order.h"
#include "base/sym.h"
#include "base/vec.h"
#include "startup/heap_sort.h"
#include "startup/inspector_log.h"
#include "startup/spans.h"
#include "startup/text_logs.h"

/* A kernel that took this long was built: in 2,083 real first compilations none took between 64
 * and 128 ms. */
#define BUILT_NS (100 * INT64_C(1000000))
/* Silence that is worth telling. */
#define GAP_NS (500 * INT64_C(1000000))
/* So many launches after one, with no compilation between: the steady state. */
#define STEADY_LAUNCHES 50
/* More stretches than a log of days has. */
#define SPANS_MAX 262144
#define NO_TRACE  UINT32_MAX

/* Small: a long log has hundreds of thousands. */
struct program {
    uint64_t id;
    int64_t start, end; /* TTP_STARTUP_NONE: none */
    uint16_t kernels, built;
    ttp_sym source; /* the first by name */
};

/* Compilations that continue at once; more are not looked for. */
#define OPEN_MAX 4096
/* Of those that were compiled, so many are reported one by one. */
#define PROGRAMS_TOLD 10000

struct reader {
    struct ttp_startup *out;
    struct ttp_arena *arena;
    struct ttp_arena *scratch;
    struct ttp_symtab sources, names;
    struct ttp_map path_of;
    struct program *program; /* by start, once all are read */
    size_t programs;
    uint32_t open[OPEN_MAX]; /* not yet ended, the latest last */
    size_t opens;
    struct ttp_spans covered; /* stretches with records or compilations, GAP_NS or more apart */
    /* between the starts of compilations: when the first one ended, and launches since */
    int64_t *quiet;
    uint8_t *quiet_launches; /* more than enough are enough */
    int64_t t0, last, first_device, first_workload, first_launch;
    int64_t last_end;        /* of all compilations */
    int64_t after_last;      /* the first launch after it */
    uint64_t launches_after; /* and how many there are */
    int64_t wanted, found;   /* of the second look: the first launch at or after a time */
    uint64_t found_launches;
    bool any_time, too_many, second;
};

/* --- records --- */

/* False: the record is torn. */
static bool take_time(struct reader *r, const struct ttp_inspector_record *record, int64_t *time)
{
    const uint64_t t = record->number[TTP_NUMBER_TIME];

    if (!ttp_record_has(record, TTP_NUMBER_TIME) || t > TTP_STARTUP_LATEST) {
        r->out->incomplete++;
        return false;
    }
    *time = (int64_t)t;
    r->last = r->any_time && r->last > *time ? r->last : *time;
    r->any_time = true;
    if (r->covered.count < SPANS_MAX)
        ttp_startup_spans_cover(&r->covered, *time, *time, GAP_NS, r->scratch);
    else
        r->too_many = true;
    return true;
}

static struct program *add_program(struct reader *r, uint64_t id)
{
    if (r->opens == OPEN_MAX)
        memmove(r->open, r->open + 1, --r->opens * sizeof(*r->open));
    r->open[r->opens++] = (uint32_t)r->programs;
    struct program *p = TTP_PUSH(r->scratch, r->program, r->programs);
    *p = (struct program){.id = id, .start = TTP_STARTUP_NONE, .end = TTP_STARTUP_NONE};
    return p;
}

/* The one that is being compiled; its position among those in *at. */
static struct program *program_of(struct reader *r, uint64_t id, size_t *at)
{
    for (*at = r->opens; (*at)-- > 0;)
        if (r->program[r->open[*at]].id == id)
            return &r->program[r->open[*at]];
    *at = r->opens == OPEN_MAX ? OPEN_MAX - 1 : r->opens;
    return add_program(r, id);
}

static void end_program(struct reader *r, uint64_t id, int64_t time)
{
    size_t at;

    program_of(r, id, &at)->end = time;
    memmove(r->open + at, r->open + at + 1, (r->opens - at - 1) * sizeof(*r->open));
    r->opens--;
}

static void take_kernel(struct reader *r, const struct ttp_inspector_record *record)
{
    size_t at;
    struct program *p = program_of(r, record->number[TTP_NUMBER_ID], &at);
    const uint64_t path = ttp_hash_text(TTP_HASH_TEXT, record->path);
    const ttp_sym source = ttp_sym_intern(&r->sources, record->source);
    struct ttp_startup *out = r->out;

    if (p->kernels == 0 ||
        ttp_str_cmp(ttp_sym_name(&r->sources, source), ttp_sym_name(&r->sources, p->source)) < 0)
        p->source = source;
    if (p->kernels < UINT16_MAX)
        p->kernels++;
    out->kernels++;
    if (ttp_map_get(&r->path_of, path) != UINT32_MAX) {
        out->kernels_repeated++;
        return;
    }
    ttp_map_put(&r->path_of, path, 0);
    if (record->number[TTP_NUMBER_DURATION] >= BUILT_NS) {
        out->kernels_built++;
        if (p->built < UINT16_MAX)
            p->built++;
        if (out->cache_root.len == 0)
            out->cache_root = ttp_arena_copy(r->arena, ttp_startup_cache_root(record->path));
    } else {
        out->kernels_cached++;
    }
}

static void take_program_record(void *arg, const struct ttp_inspector_record *record)
{
    struct reader *r = arg;
    int64_t time;

    if (!take_time(r, record, &time))
        return;
    switch (record->kind) {
    case TTP_RECORD_PROGRAM_CREATED:
        r->out->programs++;
        break;
    case TTP_RECORD_COMPILE_STARTED:
        add_program(r, record->number[TTP_NUMBER_ID])->start = time;
        break;
    case TTP_RECORD_KERNEL:
        take_kernel(r, record);
        break;
    case TTP_RECORD_COMPILE_FINISHED:
        end_program(r, record->number[TTP_NUMBER_ID], time);
        break;
    default:
        break;
    }
}

static void take_device_record(void *arg, const struct ttp_inspector_record *record)
{
    struct reader *r = arg;
    int64_t time;

    if (!take_time(r, record, &time) || record->kind != TTP_RECORD_DEVICE_CREATED)
        return;
    if (r->first_device == TTP_STARTUP_NONE || time < r->first_device)
        r->first_device = time;
    ttp_words_add(&r->out->devices, ttp_arena_zstr(r->arena, record->devices), r->arena);
}

/* How many compilations had begun by then. */
static size_t begun_at(const struct reader *r, int64_t time)
{
    size_t lo = 0;

    TTP_BISECT(lo, r->programs, mid, r->program[mid].start <= time);
    return lo;
}

static void earliest(int64_t *out, int64_t time)
{
    if (*out == TTP_STARTUP_NONE || time < *out)
        *out = time;
}

static void take_launch(struct reader *r, int64_t time)
{
    const size_t at = begun_at(r, time);

    r->out->launches++;
    earliest(&r->first_launch, time);
    if (r->quiet[at] != TTP_STARTUP_NONE && time >= r->quiet[at] &&
        r->quiet_launches[at] <= STEADY_LAUNCHES)
        r->quiet_launches[at]++;
    if (r->last_end != TTP_STARTUP_NONE && time >= r->last_end) {
        earliest(&r->after_last, time);
        r->launches_after++;
    }
}

static void take_entry(struct reader *r, const struct ttp_inspector_record *record)
{
    struct ttp_startup *out = r->out;
    const uint64_t id = record->number[TTP_NUMBER_RUNTIME];
    const ttp_sym name = ttp_sym_intern(&r->names, record->name);

    if (name == out->names)
        *TTP_PUSH(r->arena, out->name, out->names) =
            (struct ttp_startup_name){.name = ttp_sym_name(&r->names, name)};
    out->name[name].count++;
    if (out->runtime_entries == 0 || id < out->runtime_ids[0])
        out->runtime_ids[0] = id;
    if (id > out->runtime_ids[1])
        out->runtime_ids[1] = id;
    out->runtime_entries++;
    out->traced_entries +=
        ttp_record_has(record, TTP_NUMBER_TRACE) && record->number[TTP_NUMBER_TRACE] != NO_TRACE;
}

static ttp_code read_records(struct reader *r, const char *name, bool needed,
                             void (*use)(void *, const struct ttp_inspector_record *),
                             struct ttp_err *err);

/* Once it is known after which compilation launches are steady: the first of them. */
static void take_again(struct reader *r, const struct ttp_inspector_record *record)
{
    const int64_t time = (int64_t)record->number[TTP_NUMBER_TIME];

    if (record->kind != TTP_RECORD_WORKLOAD_STATUS || !ttp_record_has(record, TTP_NUMBER_TIME) ||
        !ttp_str_eq(record->status, TTP_STR("Committed")) || time < r->wanted)
        return;
    earliest(&r->found, time);
    r->found_launches++;
}

static void take_workload_record(void *arg, const struct ttp_inspector_record *record)
{
    struct reader *r = arg;
    int64_t time;

    if (r->second) {
        take_again(r, record);
        return;
    }
    if (!take_time(r, record, &time))
        return;
    switch (record->kind) {
    case TTP_RECORD_WORKLOAD_CREATED:
        r->out->workloads++;
        if (r->first_workload == TTP_STARTUP_NONE || time < r->first_workload)
            r->first_workload = time;
        break;
    case TTP_RECORD_WORKLOAD_STATUS:
        if (ttp_str_eq(record->status, TTP_STR("Committed")))
            take_launch(r, time);
        break;
    case TTP_RECORD_ENTRY:
        take_entry(r, record);
        break;
    default:
        break;
    }
}

/* --- between the files --- */

TTP_ORDER(by_start, struct program, TTP_UP(start), TTP_UP(id))

static bool is_finished(const struct program *p)
{
    return p->start != TTP_STARTUP_NONE && p->end != TTP_STARTUP_NONE;
}

/* When it was quiet between the starts of compilations: launches are counted there. */
static void find_quiet(struct reader *r)
{
    ttp_heap_sort(r->program, r->programs, sizeof(*r->program), by_start);
    r->quiet = TTP_NEW(r->scratch, int64_t, r->programs + 1);
    r->quiet_launches = TTP_NEW(r->scratch, uint8_t, r->programs + 1);
    r->last_end = r->after_last = TTP_STARTUP_NONE;
    for (size_t i = 0; i <= r->programs; i++)
        r->quiet[i] = TTP_STARTUP_NONE;
    for (size_t i = 0; i < r->programs; i++)
        if (is_finished(&r->program[i])) {
            const int64_t end = r->program[i].end;

            earliest(&r->quiet[begun_at(r, end)], end);
            r->last_end = end > r->last_end ? end : r->last_end; /* NONE is the least */
        }
}

/* The first launch of the first quiet stretch that has enough of them, else the first one after all
 * compilations. */
static ttp_code find_steady(struct reader *r, struct ttp_err *err)
{
    struct ttp_startup *out = r->out;
    size_t at = 0;

    out->last_compile_ns = r->last_end;
    out->steady_ns = r->after_last;
    out->launches_after_steady = r->after_last == TTP_STARTUP_NONE ? 0 : r->launches_after;
    while (at <= r->programs && r->quiet_launches[at] <= STEADY_LAUNCHES)
        at++;
    if (at > r->programs)
        return TTP_OK;
    r->second = true;
    r->wanted = r->quiet[at];
    r->found = TTP_STARTUP_NONE;
    TTP_TRY(read_records(r, "mesh_workloads_log.yaml", false, take_workload_record, err));
    out->steady_ns = r->found;
    out->launches_after_steady = r->found_launches;
    return TTP_OK;
}

/* --- final texts --- */

static int by_compile(const void *a, const void *b)
{
    const struct program *x = a, *y = b;
    const int64_t dx = is_finished(x) ? x->end - x->start : INT64_MIN,
                  dy = is_finished(y) ? y->end - y->start : INT64_MIN;

    if (dx != dy)
        return dx > dy ? -1 : 1;
    return by_start(a, b);
}

TTP_ORDER(by_operation, struct ttp_startup_operation, TTP_DOWN(compile_ns),
          ttp_str_cmp(x->label, y->label))

static ttp_str label_of(const struct reader *r, const struct program *p)
{
    return p->kernels ? ttp_startup_label(ttp_sym_name(&r->sources, p->source)) : (ttp_str){0};
}

static void list_unfinished(struct reader *r)
{
    struct ttp_startup *out = r->out;

    for (size_t i = out->programs_compiled; i < r->programs; i++)
        if (r->program[i].end == TTP_STARTUP_NONE)
            *TTP_PUSH(r->arena, out->unfinished, out->unfinisheds) = r->program[i].id;
    TTP_SORT(out->unfinished, out->unfinisheds, ttp_by_i64);
}

/* Programs by their labels, and the slowest one by one. */
static void list_compiled(struct reader *r)
{
    struct ttp_startup *out = r->out;
    struct ttp_symtab labels = {.arena = r->scratch};

    for (size_t i = 0; i < out->programs_compiled; i++) {
        const struct program *p = &r->program[i];
        const ttp_str label = label_of(r, p);
        const ttp_sym at = ttp_sym_intern(&labels, label);

        if (at == out->operations)
            *TTP_PUSH(r->arena, out->operation, out->operations) =
                (struct ttp_startup_operation){.label = ttp_arena_copy(r->arena, label)};
        struct ttp_startup_operation *o = &out->operation[at];
        o->programs++;
        o->built += p->built;
        o->compile_ns += (uint64_t)(p->end - p->start);
        if (i < out->compiled)
            out->program[i] = (struct ttp_startup_program){
                p->id, p->start - r->t0, p->end - r->t0, p->kernels, p->built, o->label};
    }
    TTP_SORT(out->operation, out->operations, by_operation);
}

static void list_programs(struct reader *r)
{
    struct ttp_startup *out = r->out;

    /* the slowest first, and those that never ended last */
    ttp_heap_sort(r->program, r->programs, sizeof(*r->program), by_compile);
    while (out->programs_compiled < r->programs && is_finished(&r->program[out->programs_compiled]))
        out->programs_compiled++;
    out->compiled = out->programs_compiled < PROGRAMS_TOLD ? out->programs_compiled : PROGRAMS_TOLD;
    out->program = TTP_NEW(r->arena, struct ttp_startup_program, out->compiled + 1);
    list_unfinished(r);
    list_compiled(r);
}

TTP_ORDER(by_name, struct ttp_startup_name, ttp_str_cmp(x->name, y->name))

TTP_ORDER(by_length, struct ttp_startup_gap, TTP_DOWN(length_ns), TTP_UP(from_ns))

static void find_gaps(struct reader *r, int64_t until)
{
    struct ttp_startup *out = r->out;
    int64_t at = r->t0;

    for (size_t i = 0; i < r->covered.count; i++) {
        const struct ttp_startup_span *s = &r->covered.item[i];
        const int64_t to = s->from < until ? s->from : until;

        if (to - at >= GAP_NS) {
            *TTP_PUSH(r->arena, out->gap, out->gaps) =
                (struct ttp_startup_gap){at - r->t0, to - at};
            out->gaps_ns += to - at;
        }
        at = s->to > at ? s->to : at;
    }
    TTP_SORT(out->gap, out->gaps, by_length);
}

/* How much of [from, to) compilations fill; `built`: those that built a kernel. Programs are in the
 * order of their starts: nothing must be kept for the union. */
static int64_t filled(const struct reader *r, bool built, int64_t from, int64_t to)
{
    int64_t sum = 0, at = from;

    for (size_t i = 0; i < r->programs; i++) {
        const struct program *p = &r->program[i];

        if (!is_finished(p) || p->end < p->start || (built && !p->built))
            continue;
        const int64_t begin = p->start > at ? p->start : at, end = p->end < to ? p->end : to;
        if (end > begin) {
            sum += end - begin;
            at = end;
        }
    }
    return sum;
}

static void find_phases(struct reader *r, int64_t until)
{
    const int64_t edge[] = {r->t0, r->first_device, r->first_workload, until};
    struct ttp_startup *out = r->out;

    for (int k = 0; k < TTP_STARTUP_PHASES; k++) {
        const int64_t from = edge[k], to = edge[k + 1];

        if (from == TTP_STARTUP_NONE || to == TTP_STARTUP_NONE)
            continue;
        const int64_t compiling = filled(r, false, from, to);
        out->phase[out->phases++] =
            (struct ttp_startup_phase){(enum ttp_startup_phase_kind)k, to - from, compiling,
                                       filled(r, true, from, to), to - from - compiling};
    }
}

static int64_t since(const struct reader *r, int64_t time)
{
    return time == TTP_STARTUP_NONE ? TTP_STARTUP_NONE : time - r->t0;
}

static void conclude(struct reader *r)
{
    struct ttp_startup *out = r->out;

    if (!out->has_startup_file)
        r->t0 = r->covered.count ? r->covered.item[0].from : 0;
    const int64_t last = r->any_time ? r->last : r->t0;
    const int64_t until = out->steady_ns != TTP_STARTUP_NONE ? out->steady_ns : last;
    for (size_t i = 0; i < r->programs; i++) {
        const struct program *p = &r->program[i];

        if (!is_finished(p) || p->end < p->start)
            continue;
        ttp_startup_spans_cover(&r->covered, p->start, p->end, GAP_NS, r->scratch);
        out->compile_sum_ns += p->end - p->start;
        if (p->start > until) {
            out->late_compiles++;
            out->late_compile_ns += p->end - p->start;
        }
    }
    out->compile_wall_ns = filled(r, false, INT64_MIN, INT64_MAX);
    out->build_wall_ns = filled(r, true, INT64_MIN, INT64_MAX);
    out->startup_compile_ns = filled(r, false, r->t0, until);
    out->startup_build_ns = filled(r, true, r->t0, until);
    find_phases(r, until);
    list_programs(r); /* in another order */
    find_gaps(r, until);
    out->t0_ns = (uint64_t)r->t0;
    out->first_launch_ns = since(r, r->first_launch);
    out->last_compile_ns = since(r, out->last_compile_ns);
    out->steady_ns = since(r, out->steady_ns);
    out->startup_ns = until - r->t0;
    out->wall_ns = last - r->t0;
    TTP_SORT(out->name, out->names, by_name);
}

/* --- files --- */

static ttp_code read_records(struct reader *r, const char *name, bool needed,
                             void (*use)(void *, const struct ttp_inspector_record *),
                             struct ttp_err *err)
{
    const char *path = ttp_file_join(r->out->path, name, r->arena);
    struct ttp_inspector_reader records = {.use = use, .arg = r};

    if (!needed && !ttp_file_exists(path))
        return TTP_OK;
    TTP_TRY(ttp_startup_inspector_file(&records, path, err));
    r->out->unknown_kinds += records.unknown;
    if (needed && records.lines > 0 && records.known == 0) {
        ttp_fail_at(err, TTP_EPARSE, 0, "'%s' is not an inspector log: it has no program", path);
        ttp_err_where(err, path, 1);
        return TTP_EPARSE;
    }
    if (r->too_many)
        return ttp_fail(err, TTP_ELIMIT, "'%s' has invalid times: days without records", path);
    return TTP_OK;
}

static ttp_code read_process(struct reader *r, struct ttp_err *err)
{
    const char *start = ttp_file_join(r->out->path, "startup.yaml", r->arena);

    if (ttp_file_exists(start))
        TTP_TRY(ttp_startup_read_start(&r->t0, &r->out->has_startup_file, start, err));
    TTP_TRY(read_records(r, "programs_log.yaml", true, take_program_record, err));
    find_quiet(r);
    TTP_TRY(read_records(r, "mesh_devices_log.yaml", false, take_device_record, err));
    TTP_TRY(read_records(r, "mesh_workloads_log.yaml", false, take_workload_record, err));
    TTP_TRY(find_steady(r, err));
    conclude(r);
    return ttp_startup_read_logs(&r->out->log, r->out->path, r->arena, err);
}

ttp_code ttp_startup_read_one(struct ttp_startup *out, const char *dir, struct ttp_arena *arena,
                              struct ttp_err *err)
{
    struct ttp_arena scratch = {0};
    struct reader r = {.out = out,
                       .arena = arena,
                       .scratch = &scratch,
                       .sources = {.arena = &scratch},
                       .names = {.arena = arena},
                       .path_of = {.arena = &scratch},
                       .first_device = TTP_STARTUP_NONE,
                       .first_workload = TTP_STARTUP_NONE,
                       .first_launch = TTP_STARTUP_NONE};

    *out = (struct ttp_startup){.path = dir, .steady_ns = TTP_STARTUP_NONE};
    const ttp_code rc = read_process(&r, err);
    ttp_arena_free(&scratch);
    return rc;
}
