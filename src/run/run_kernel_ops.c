/* SPDX-License-Identifier: Apache-2.0 */
/* run_kernel_ops.c - which op of the report a program of the device is. */
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "run/run_kernels.h"

/* A row of the report by what the device log calls it. */
struct key {
    uint64_t run_id;
    int64_t device, trace_id, replay;
    size_t op;
};

static int order(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_key(const void *pa, const void *pb)
{
    const struct key *a = pa, *b = pb;

    if (a->run_id != b->run_id)
        return a->run_id < b->run_id ? -1 : 1;
    if (a->device != b->device)
        return order(a->device, b->device);
    return a->trace_id != b->trace_id ? order(a->trace_id, b->trace_id)
                                      : order(a->replay, b->replay);
}

static int64_t number_of(const struct ttp_report *r, const struct ttp_op *op,
                         enum ttp_ops_number column)
{
    double v;

    return ttp_analysis_cell(r, op, column, &v) && v >= 0 && v < 0x1p53 ? (int64_t)v : TTP_NO_ID;
}

/* Rows that ran on a device, sorted. */
static struct key *keys_of(size_t *count, const struct ttp_report *r, struct ttp_arena *arena)
{
    struct key *key = TTP_NEW(arena, struct key, r->count + 1);
    size_t n = 0;

    for (size_t i = 0; i < r->count; i++) {
        const struct ttp_op *op = &r->op[i];
        const int64_t id = number_of(r, op, TTP_OPS_CALL_COUNT);
        if (op->kind != TTP_OP_DEVICE || (op->has & TTP_ONLY_CAPTURED) || id < 0)
            continue;
        key[n++] = (struct key){.run_id = (uint64_t)id,
                                .device = op->has & TTP_HAS_DEVICE ? op->device : 0,
                                .trace_id = number_of(r, op, TTP_OPS_TRACE_ID),
                                .replay = number_of(r, op, TTP_OPS_REPLAY),
                                .op = i};
    }
    if (n)
        qsort(key, n, sizeof(*key), by_key);
    *count = n;
    return key;
}

static const struct key *find(const struct key *key, size_t n, const struct ttp_kernel_program *m)
{
    const struct key wanted = {.run_id = m->key.run_id,
                               .device = m->key.device,
                               .trace_id = m->key.trace_id,
                               .replay = m->key.replay};

    return n ? bsearch(&wanted, key, n, sizeof(*key), by_key) : NULL;
}

static void describe(struct ttp_kernel_program *m, const struct ttp_report *r, size_t i,
                     struct ttp_arena *arena)
{
    const struct ttp_op *op = &r->op[i];
    struct ttp_symptoms *s = TTP_NEW(arena, struct ttp_symptoms, 1);

    ttp_analysis_symptoms(s, r, op);
    m->op = s;
    m->op_id = op->row + 2;
    m->name = ttp_sym_name(r->syms, op->name);
    m->sources = ttp_analysis_text(r, op, TTP_OPS_DM_SOURCE);
    m->op_bytes =
        (op->has & TTP_HAS_DRAM) && op->dram_bytes < 0x1p63 ? (uint64_t)op->dram_bytes : 0;
}

static void describe_all(struct ttp_kernel_report *out, const struct ttp_report *r,
                         struct ttp_arena *arena)
{
    size_t n;
    const struct key *key = keys_of(&n, r, arena);

    for (size_t i = 0; i < out->nprograms; i++) {
        const struct key *k = find(key, n, &out->program[i]);
        if (k)
            describe(&out->program[i], r, k->op, arena);
    }
}

/* False: none of the programs is in it, and all are kept. */
static bool keep_window(struct ttp_kernel_report *out, const struct ttp_report *r,
                        struct ttp_arena *arena)
{
    struct ttp_kernel_program *kept = TTP_NEW(arena, struct ttp_kernel_program, out->nprograms + 1);
    size_t n, count = 0;
    const struct key *key = keys_of(&n, r, arena);

    for (size_t i = 0; i < out->nprograms; i++) {
        const struct key *k = find(key, n, &out->program[i]);
        if (!k)
            continue;
        kept[count] = out->program[i];
        describe(&kept[count++], r, k->op, arena);
    }
    if (count == 0)
        return false;
    out->program = kept;
    out->nprograms = count;
    return true;
}

static bool is_all(const char *window)
{
    return window && strcmp(window, "all") == 0;
}

static const char *window_words(const struct ttp_window *w, struct ttp_arena *arena)
{
    struct ttp_sink out;

    if (w->kind == TTP_WINDOW_WHOLE)
        return NULL;
    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "one iteration of %zu, by %s", w->iterations,
                    ttp_analysis_window_kind_name(w->kind));
    if (w->name.len)
        ttp_sink_printf(&out, " '%.*s'", TTP_FMT(w->name));
    return ttp_arena_zstr(arena, ttp_sink_text(&out));
}

static bool has_ops(const struct ttp_kernel_input *in, const char *dir, struct ttp_arena *arena)
{
    struct ttp_err ignored = {0};
    const char *csv;

    return in->paths.messages || in->paths.tracy || in->paths.capture ||
           (ttp_file_is_dir(dir) && ttp_run_find_csv(&csv, dir, arena, &ignored) == TTP_OK);
}

static ttp_code no_ops(const char *dir, struct ttp_err *err)
{
    ttp_fail(err, TTP_ENOTFOUND, "'%s' has no ops of the host, which --window requires", dir);
    ttp_err_hint(err, "--program chooses programs of a device log alone");
    return TTP_ENOTFOUND;
}

ttp_code ttp_run_join_kernels(struct ttp_kernel_input *in, const struct ttp_kernel_request *request,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    const bool some = request->window && !is_all(request->window);
    struct ttp_run_request all = {
        .path = request->dir,
        .analysis = {.window = "all", .no_merge_devices = true, .boards = request->boards},
        .threads = request->threads};
    struct ttp_run_input *run = TTP_NEW(arena, struct ttp_run_input, 1);
    struct ttp_report *window = TTP_NEW(arena, struct ttp_report, 1);
    struct ttp_err why = {0};

    if (!in->report.profile || !ttp_file_is_dir(request->dir) || !has_ops(in, request->dir, arena))
        return some && request->window_asked ? no_ops(request->dir, err) : TTP_OK;
    ttp_code rc = ttp_run_analyse(run, &all, arena, &why);
    if (rc == TTP_OK) {
        describe_all(&in->report, &run->report, arena);
        if (!some)
            return TTP_OK;
        all.analysis.window = request->window;
        rc = ttp_analysis_run(window, &run->ops, &all.analysis, arena, &why);
    }
    if (rc != TTP_OK) {
        if (request->window_asked)
            *err = why;
        return request->window_asked ? rc : TTP_OK;
    }
    if (keep_window(&in->report, window, arena))
        in->window = window_words(&window->window, arena);
    else if (request->window_asked)
        return ttp_fail(err, TTP_EPARSE, "no program of the device log is in the window '%s'",
                        request->window);
    return TTP_OK;
}

/* What a row lacks: which threads wait for which. The other limits are judged by the row's own
 * columns, alike for logs and for a CSV. */
static bool is_of_threads(enum ttp_limit limit)
{
    return limit == TTP_LIMIT_READER || limit == TTP_LIMIT_WRITER || limit == TTP_LIMIT_COMPUTE;
}

void ttp_run_take_limits(struct ttp_report *report, const struct ttp_kernel_report *kernels,
                         struct ttp_arena *arena)
{
    struct ttp_map by_id = {.arena = arena};

    for (size_t i = 0; i < kernels->nprograms; i++) {
        const struct ttp_kernel_program *m = &kernels->program[i];

        if (m->op_id && m->verdict.from_waits && is_of_threads(m->verdict.bottleneck))
            ttp_map_put(&by_id, m->op_id, (uint32_t)i);
    }
    for (size_t i = 0; i < report->count; i++) {
        const uint32_t at = ttp_map_get(&by_id, report->op[i].row + 2);

        if (at != TTP_MAP_NONE)
            report->op[i].limit = (uint8_t)kernels->program[at].verdict.bottleneck;
    }
}
