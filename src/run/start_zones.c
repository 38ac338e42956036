/* SPDX-License-Identifier: Apache-2.0 */
/* start_zones.c - activity of the host before the steady state, from its zones. */
#include <math.h>

#include "base/file.h"
#include "base/order.h"
#include "base/vec.h"
#include "run/run_start.h"

/* As in the logs of the inspector: so many ops after a compilation, with none between them. */
#define STEADY_OPS 50

/* Zones of tt-metal by what they are about; a name ends with '*' where more may follow. */
static const struct {
    const char *name;
    enum ttp_start_part part;
} known[] = {
    {"FW builds and Device Inits", TTP_START_OPEN},
    {"Resets and FW Launch", TTP_START_OPEN},
    {"CreateDevice*", TTP_START_OPEN},
    {"create_device*", TTP_START_OPEN},
    {"open_mesh_device*", TTP_START_OPEN},
    {"MeshDevice::create*", TTP_START_OPEN},
    {"DevicePool*", TTP_START_OPEN},
    {"DeviceManager*", TTP_START_OPEN},
    {"initialize_firmware*", TTP_START_OPEN},
    {"initialize_and_launch_firmware*", TTP_START_OPEN},
    {"initialize_cluster*", TTP_START_OPEN},
    {"Cluster", TTP_START_OPEN},
    {"CompileProgram*", TTP_START_COMPILE},
    {"ProgramImpl::compile*", TTP_START_COMPILE},
    {"Program::compile*", TTP_START_COMPILE},
    {"jit_build*", TTP_START_COMPILE},
    {"JitBuild*", TTP_START_COMPILE},
    {"GenerateBinaries*", TTP_START_COMPILE},
    {"HWCommandQueue_write_buffer*", TTP_START_UPLOAD},
    {"EnqueueWrite*", TTP_START_UPLOAD},
    {"enqueue_write*", TTP_START_UPLOAD},
    {"FDMeshCommandQueue::write*", TTP_START_UPLOAD},
    {"WriteToDevice*", TTP_START_UPLOAD},
    {"write_data_to_device_buffer*", TTP_START_UPLOAD},
    {"initialize_data_on_device*", TTP_START_UPLOAD},
    {"BeginTraceCapture*", TTP_START_CAPTURE},
    {"begin_trace_capture*", TTP_START_CAPTURE},
    {"EndTraceCapture*", TTP_START_CAPTURE},
    {"end_trace_capture*", TTP_START_CAPTURE},
};

struct zone {
    int64_t start, end;
    uint64_t op_id;
    uint32_t thread;
    ttp_sym name;
    uint8_t part;
    bool has_op;
};

struct reading {
    struct ttp_start *out;
    struct ttp_arena *arena, *scratch;
    struct ttp_host_log host;
    bool has_host;
    struct ttp_symtab names; /* as of the last batch */
    uint8_t *part_of;        /* by name: part plus one; 0: of none */
    size_t nnames;
    struct zone *zone;
    size_t zones, cap;
    uint64_t seen;
    int64_t last;
};

static bool fits(ttp_str name, const char *pattern)
{
    const ttp_str p = ttp_str_from(pattern);

    return p.ptr[p.len - 1] == '*' ? ttp_str_starts(name, ttp_str_slice(p, 0, p.len - 1))
                                   : ttp_str_eq(name, p);
}

static uint8_t part_of(ttp_str name)
{
    if (ttp_logs_names_op(name))
        return TTP_START_RUN + 1;
    for (size_t i = 0; i < TTP_COUNT(known); i++)
        if (fits(name, known[i].name))
            return (uint8_t)(known[i].part + 1);
    return 0;
}

static void learn_names(struct reading *r, const struct ttp_symtab *names)
{
    if (names->count > r->nnames)
        r->part_of = ttp_arena_resize(r->scratch, r->part_of, names->count);
    for (; r->nnames < names->count; r->nnames++)
        r->part_of[r->nnames] = part_of(ttp_sym_name(names, (ttp_sym)r->nnames));
    r->names = *names;
}

static ttp_code take_zones(void *arg, const struct ttp_host_zone_batch *batch, struct ttp_err *err)
{
    struct reading *r = arg;

    (void)err;
    learn_names(r, batch->names);
    for (size_t i = 0; i < batch->nzones; i++) {
        const struct ttp_host_zone *z = &batch->zone[i];
        const uint8_t part = r->part_of[z->name];

        r->seen++;
        r->last = z->end_ns > r->last ? z->end_ns : r->last;
        if (!part)
            continue;
        *TTP_PUSH_WITHIN(r->scratch, r->zone, r->zones, r->cap) =
            (struct zone){.start = z->start_ns,
                          .end = z->end_ns,
                          .op_id = z->op_id,
                          .thread = z->thread,
                          .name = z->name,
                          .part = (uint8_t)(part - 1),
                          .has_op = z->has_op};
    }
    return TTP_OK;
}

TTP_ORDER(by_time, struct zone, TTP_UP(start), TTP_DOWN(end), TTP_UP(part), TTP_UP(thread))
TTP_ORDER(by_thread, struct zone, TTP_UP(thread), TTP_UP(start), TTP_DOWN(end), TTP_UP(part))

/* A capture lasts from the zone that begins it to the one that ends it. */
static void join_captures(struct reading *r)
{
    struct zone *open = NULL;

    for (size_t i = 0; i < r->zones; i++) {
        struct zone *z = &r->zone[i];

        if (z->part != TTP_START_CAPTURE)
            continue;
        const ttp_str name = ttp_sym_name(&r->names, z->name);
        if (ttp_str_starts(name, TTP_STR("Begin")) || ttp_str_starts(name, TTP_STR("begin")))
            open = z;
        else if (open)
            open->end = z->end > open->end ? z->end : open->end;
    }
}

/* The first op after a compilation that many ops follow before the next one; zones are in order of
 * time. */
static void find_steady(struct reading *r, int64_t *steady)
{
    int64_t compiled_until = INT64_MIN, first = INT64_MIN;
    size_t ops = 0;
    bool any = false;

    r->out->steady = false;
    for (size_t i = 0; i < r->zones; i++) {
        const struct zone *z = &r->zone[i];

        if (z->part == TTP_START_COMPILE) {
            compiled_until = z->end > compiled_until ? z->end : compiled_until;
            ops = 0;
            any = false;
        } else if (z->part == TTP_START_RUN && z->start >= compiled_until) {
            first = any ? first : z->start;
            any = true;
            if (++ops > STEADY_OPS)
                break;
        }
    }
    *steady = any ? first : r->last;
    r->out->steady = any;
}

/* ---- one part for each moment ---- */

struct edge {
    int64_t ns;
    uint8_t part;
    bool begins;
};
TTP_ORDER(by_moment, struct edge, TTP_UP(ns), TTP_UP(begins), TTP_UP(part))

static void add_stretch(struct reading *r, const uint32_t *open, int64_t from, int64_t to)
{
    size_t part = 0;

    while (part < TTP_START_OTHER && !open[part])
        part++;
    r->out->part_us[part] += (double)(to - from) / 1000;
}

static void share_time(struct reading *r, int64_t steady)
{
    struct edge *edge = TTP_NEW(r->scratch, struct edge, 2 * r->zones + 1);
    uint32_t open[TTP_START_PARTS] = {0};
    int64_t at = 0, silent_since = 0;
    size_t n = 0, depth = 0;

    for (size_t i = 0; i < r->zones; i++) {
        const struct zone *z = &r->zone[i];

        if (z->start >= steady)
            continue;
        edge[n++] = (struct edge){z->start, z->part, true};
        edge[n++] = (struct edge){z->end < steady ? z->end : steady, z->part, false};
        r->out->count[z->part]++;
    }
    edge[n++] = (struct edge){steady, TTP_START_OTHER, true};
    TTP_SORT(edge, n, by_moment);
    for (size_t i = 0; i < n; i++) {
        if (edge[i].ns > at)
            add_stretch(r, open, at, edge[i].ns);
        at = edge[i].ns;
        if (edge[i].begins && depth == 0)
            ttp_run_start_add_gap(
                r->out,
                &(struct ttp_start_gap){
                    (double)silent_since / 1000, (double)(at - silent_since) / 1000,
                    edge[i].part == TTP_START_OTHER
                        ? TTP_STR("steady state")
                        : ttp_str_from(ttp_run_start_part_name(edge[i].part, TTP_START_ZONES))},
                r->arena);
        depth += edge[i].begins ? 1 : 0;
        open[edge[i].part] += edge[i].begins ? 1u : 0;
        if (!edge[i].begins) {
            depth--;
            open[edge[i].part]--;
            silent_since = edge[i].ns;
        }
    }
}

/* ---- programs ---- */

static ttp_str op_code(const struct reading *r, uint64_t id)
{
    const struct ttp_host_op *op = r->has_host ? ttp_logs_find_op(&r->host, id) : NULL;

    for (size_t i = 0; op && op->info && i < op->info->nfields; i++)
        if (ttp_str_eq(op->info->field[i].key, TTP_STR("op_code")))
            return op->info->field[i].text;
    return TTP_STR("");
}

/* Does the zone build one kernel, rather than all of a program? */
static bool is_kernel(ttp_str name)
{
    return ttp_str_starts(name, TTP_STR("GenerateBinaries")) ||
           ttp_str_starts(name, TTP_STR("jit_build")) || ttp_str_starts(name, TTP_STR("JitBuild"));
}

/* "GenerateBinaries_reader/123/" is about "reader". */
static ttp_str kernel_of(ttp_str name)
{
    static const ttp_str head = TTP_STR("GenerateBinaries_");

    if (!ttp_str_starts(name, head) || name.len == head.len)
        return name;
    const ttp_str rest = ttp_str_slice(name, head.len, name.len);
    return ttp_str_slice(rest, 0, ttp_str_find_char(rest, '/'));
}

static bool is_inside(const struct zone *z, const struct zone *around)
{
    return around && around->thread == z->thread && z->start < around->end;
}

static void add_program(struct reading *r, const struct zone *z, const struct zone *op,
                        int64_t steady)
{
    const ttp_str name = ttp_sym_name(&r->names, z->name);
    const bool kernel = is_kernel(name), in_op = is_inside(z, op) && !kernel;
    const ttp_str code = in_op && op->has_op ? op_code(r, op->op_id) : TTP_STR("");

    *TTP_PUSH(r->arena, r->out->program, r->out->programs) =
        (struct ttp_start_program){.op = ttp_arena_copy(r->arena, kernel     ? kernel_of(name)
                                                                  : code.len ? code
                                                                             : name),
                                   .kernel = kernel,
                                   .at_us = (double)z->start / 1000,
                                   .wait_us = (double)(z->end - z->start) / 1000,
                                   .host_us = in_op ? (double)(op->end - op->start) / 1000 : NAN,
                                   .late = z->start >= steady};
}

/* Compilations of programs that are in no other one, with the op around them, and of kernels. */
static void list_programs(struct reading *r, int64_t steady)
{
    const struct zone *op = NULL, *around[2] = {NULL, NULL};

    TTP_SORT(r->zone, r->zones, by_thread);
    for (size_t i = 0; i < r->zones; i++) {
        const struct zone *z = &r->zone[i];

        if (z->part == TTP_START_RUN)
            op = z;
        if (z->part != TTP_START_COMPILE)
            continue;
        const bool kernel = is_kernel(ttp_sym_name(&r->names, z->name));
        if (is_inside(z, around[kernel]))
            continue;
        around[kernel] = z;
        add_program(r, z, op, steady);
    }
}

static ttp_code read_zones(struct reading *r, const struct ttp_log_paths *paths,
                           struct ttp_err *err)
{
    const struct ttp_logs_options options = {0};
    const struct ttp_host_zone_request request = {.take = take_zones, .arg = r};
    int64_t steady;

    TTP_TRY(ttp_logs_stream_host_zones(paths->zones, request, &options, r->scratch, err));
    if (r->zones == 0)
        return TTP_OK;
    r->has_host = paths->messages && ttp_logs_read_messages(&r->host, paths->messages, &options,
                                                            r->scratch, NULL) == TTP_OK;
    TTP_SORT(r->zone, r->zones, by_time);
    join_captures(r);
    find_steady(r, &steady);
    share_time(r, steady);
    r->out->total_us = (double)steady / 1000;
    list_programs(r, steady);
    ttp_run_start_settle(r->out);
    return TTP_OK;
}

static ttp_code nothing(const struct reading *r, const char *path, struct ttp_err *err)
{
    (void)ttp_fail(err, TTP_ENOTFOUND,
                   r->seen ? "'%s' has no zone of a device, a program or an op"
                           : "'%s' has no zones of the host",
                   path);
    ttp_err_hint(err, "record with 'tt-perf record --zones all', or give an ops CSV");
    return TTP_ENOTFOUND;
}

ttp_code ttp_run_start_read_zones(struct ttp_start *out, bool *any, const char *path,
                                  struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_arena scratch = {0};
    struct reading r = {.out = out, .arena = arena, .scratch = &scratch};
    struct ttp_log_paths paths = {0};

    *any = false;
    out->source = TTP_START_ZONES;
    ttp_code rc = ttp_logs_find(&paths, path, &scratch, err);
    if (rc == TTP_OK && paths.zones)
        rc = read_zones(&r, &paths, err);
    if (rc == TTP_OK && r.zones == 0)
        rc = nothing(&r, path, err);
    else
        *any = rc == TTP_OK || r.seen > 0;
    ttp_arena_free(&scratch);
    return rc;
}
