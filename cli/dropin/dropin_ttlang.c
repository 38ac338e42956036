/* SPDX-License-Identifier: Apache-2.0 */
/* dropin_ttlang.c - `tt-perf kernel`, `annotate` and `trace` with --compat: TT-Lang's texts,
 * messages and exit codes. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/order.h"
#include "compat/compat.h"
#include "core/message.h"
#include "dropin/tools.h"

struct request {
    const char *dir;         /* NULL: below TT_METAL_HOME */
    const char *names;       /* of programs, ',' between them */
    const char *side_tables; /* of annotate */
    unsigned threads;
};

/* What the original prints on standard error, as it prints it. */
static void say_plain(const struct ttp_ctx *ctx, ttp_str text)
{
    if (!ctx->quiet)
        ttp_message("%.*s\n", TTP_FMT(text));
}

/* The folder of the logs: the one given, its .logs, or the one below TT_METAL_HOME. */
static const char *logs_dir(const char *dir, struct ttp_arena *arena)
{
    const char *home = getenv("TT_METAL_HOME"); /* NOLINT(concurrency-mt-unsafe) */

    if (!dir && home && home[0])
        return ttp_file_join(home, "generated/profiler/.logs", arena);
    if (!dir)
        return NULL;
    const char *inner = ttp_file_join(dir, ".logs", arena);
    return ttp_file_is_dir(inner) ? inner : dir;
}

static const char *file_in(const struct request *o, const char *name, struct ttp_arena *arena)
{
    const char *dir = logs_dir(o->dir, arena);

    return ttp_file_join(dir ? dir : ".", name, arena);
}

/* --- PERF SUMMARY --- */

static bool word_char(char c)
{
    const char l = ttp_char_lower(c);
    return (l >= 'a' && l <= 'z') || (l >= '0' && l <= '9') || l == '_' || (l & 0x80);
}

/* What follows `label` and blanks: a word, or digits. */
static ttp_str after_label(ttp_str line, const char *label, bool digits)
{
    const size_t at = ttp_str_find(line, ttp_str_from(label));
    size_t n = 0;

    if (at == TTP_NPOS)
        return (ttp_str){0};
    const ttp_str rest = ttp_str_trim(ttp_str_slice(line, at + strlen(label), line.len));
    while (n < rest.len &&
           (digits ? rest.ptr[n] >= '0' && rest.ptr[n] <= '9' : word_char(rest.ptr[n])))
        n++;
    return ttp_str_slice(rest, 0, n);
}

static ttp_code read_chip(struct ttp_original_perf *perf, const char *csv, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct ttp_file file;
    uint64_t number;
    ttp_str rest, line;

    perf->arch = TTP_STR("unknown");
    perf->mhz = 1000;
    if (!ttp_file_exists(csv))
        return TTP_OK;
    TTP_TRY(ttp_file_map(&file, csv, err));
    rest = file.text;
    if (ttp_str_next_line(&rest, &line)) {
        const ttp_str arch = after_label(line, "ARCH:", false);
        if (arch.len)
            perf->arch = ttp_arena_copy(arena, arch);
        if (ttp_str_to_u64(after_label(line, "CHIP_FREQ[MHz]:", true), &number))
            perf->mhz = number;
        if (ttp_str_to_u64(after_label(line, "Max Compute Cores:", true), &number) &&
            number <= INT64_MAX)
            perf->max_cores = (int64_t)number;
    }
    ttp_file_close(&file);
    return TTP_OK;
}

static ttp_code find_traces(struct ttp_words *out, const char *dir, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    struct ttp_words all;

    TTP_TRY(ttp_file_list(&all, dir, arena, err));
    *out = (struct ttp_words){.word = TTP_NEW(arena, const char *, all.count + 1)};
    for (size_t i = 0; i < all.count; i++) {
        const ttp_str name = ttp_str_from(all.word[i]);
        if (ttp_str_starts(name, TTP_STR("noc_trace_")) && ttp_str_ends(name, TTP_STR(".json")))
            out->word[out->count++] = ttp_file_join(dir, all.word[i], arena);
    }
    return TTP_OK;
}

static struct ttp_original_durations durations_of(const struct ttp_original_kernels *k,
                                                  uint64_t run_id, const char *thread)
{
    for (size_t i = 0; i < k->count; i++)
        if ((uint64_t)k->kernel[i].run_id == run_id &&
            ttp_str_eq(k->kernel[i].thread, ttp_str_from(thread)))
            return (struct ttp_original_durations){k->kernel[i].cycles, k->kernel[i].count};
    return (struct ttp_original_durations){0};
}

static int64_t *sorted(const struct ttp_original_durations *d, struct ttp_arena *arena)
{
    int64_t *copy = TTP_NEW(arena, int64_t, d->count);

    memcpy(copy, d->cycles, d->count * sizeof(*copy));
    TTP_SORT(copy, d->count, ttp_by_i64);
    return copy;
}

static void put_list(struct ttp_sink *out, const int64_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ttp_sink_printf(out, "%s%lld", i ? ", " : "[", (long long)v[i]);
    ttp_sink_char(out, ']');
}

static void compare_durations(const struct ttp_ctx *ctx, const struct ttp_original_traffic *t,
                              const char *thread, const struct ttp_original_durations *json,
                              const struct ttp_original_durations *csv)
{
    struct ttp_sink text;

    if (json->count == 0 || csv->count == 0)
        return;
    const int64_t *a = sorted(json, ctx->arena), *b = sorted(csv, ctx->arena);
    if (json->count == csv->count && memcmp(a, b, json->count * sizeof(*a)) == 0)
        return;
    ttp_sink_to_arena(&text, ctx->arena);
    ttp_sink_printf(&text,
                    "[perf_summary] WARNING: %s durations differ for program %llu: NOC JSON ",
                    thread, (unsigned long long)t->program_id);
    put_list(&text, a, json->count);
    ttp_sink_put(&text, TTP_STR(" vs CSV "));
    put_list(&text, b, csv->count);
    say_plain(ctx, ttp_sink_text(&text));
}

static void add_kernel_times(const struct ttp_ctx *ctx, struct ttp_original_program *p,
                             const struct ttp_original_kernels *csv)
{
    static const char *const name[TTP_ORIGINAL_THREADS] = {"BRISC", "NCRISC", "TRISC_0", "TRISC_1",
                                                           "TRISC_2"};
    const struct ttp_original_traffic *t = p->traffic;

    p->thread[0] = (struct ttp_original_durations){t->brisc, t->nbrisc};
    p->thread[1] = (struct ttp_original_durations){t->ncrisc, t->nncrisc};
    for (size_t i = 0; i < TTP_ORIGINAL_THREADS; i++) {
        const struct ttp_original_durations d = durations_of(csv, t->program_id, name[i]);
        compare_durations(ctx, t, name[i], &p->thread[i], &d);
        if (d.count)
            p->thread[i] = d;
    }
}

/* The i-th of the names with ',' between them. */
static bool name_of(ttp_str *out, const char *names, size_t i)
{
    ttp_str rest = ttp_str_from(names);

    if (rest.len == 0)
        return false;
    for (;; i--) {
        const size_t comma = ttp_str_find_char(rest, ',');
        *out = ttp_str_trim(ttp_str_slice(rest, 0, comma));
        if (i == 0)
            return true;
        if (comma == TTP_NPOS)
            return false;
        rest = ttp_str_slice(rest, comma + 1, rest.len);
    }
}

static ttp_code read_programs(struct ttp_original_perf *perf, const struct ttp_ctx *ctx,
                              const struct request *o, const struct ttp_words *trace,
                              const char *csv, struct ttp_err *err)
{
    const struct ttp_logs_options options = {.threads = o->threads, .progress = !ctx->quiet};
    struct ttp_original_kernels kernels = {0};
    struct ttp_arena scratch = {0};
    ttp_code rc = TTP_OK;

    if (ttp_file_exists(csv))
        TTP_TRY(ttp_original_kernel_read_durations(&kernels, csv, &options, ctx->arena, err));
    perf->program = TTP_NEW(ctx->arena, struct ttp_original_program, trace->count);
    for (size_t i = 0; i < trace->count && rc == TTP_OK; i++) {
        struct ttp_original_traffic *t = TTP_NEW(ctx->arena, struct ttp_original_traffic, 1);
        struct ttp_original_program *p = &perf->program[perf->nprograms++];
        struct ttp_noc_trace events = {0};

        rc = ttp_logs_read_noc_trace(&events, trace->word[i], 0, &scratch, err);
        if (rc == TTP_OK)
            ttp_original_kernel_traffic(t, &events, ctx->arena);
        ttp_arena_free(&scratch);
        p->traffic = t;
        p->has_name = name_of(&p->name, o->names, i);
        if (!p->has_name)
            p->name = TTP_STR("");
        add_kernel_times(ctx, p, &kernels);
    }
    return rc;
}

static ttp_code show_perf(int *status, const struct ttp_ctx *ctx, const struct request *o,
                          struct ttp_err *err)
{
    const char *dir = logs_dir(o->dir, ctx->arena);
    struct ttp_original_perf perf = {0};
    struct ttp_words trace;
    struct ttp_sink text;

    ttp_sink_to_arena(&text, ctx->arena);
    *status = TTP_EXIT_FINDING; /* 1: what the original exits with */
    if (!dir) {
        say_plain(ctx, TTP_STR("Error: TT_METAL_HOME not set and --path not provided"));
        return TTP_OK;
    }
    if (!ttp_file_exists(dir) && !ttp_file_is_dir(dir)) {
        ttp_sink_printf(&text, "Error: %s does not exist", dir);
        say_plain(ctx, ttp_sink_text(&text));
        return TTP_OK;
    }
    TTP_TRY(find_traces(&trace, dir, ctx->arena, err));
    if (trace.count == 0) {
        ttp_sink_printf(&text, "No noc_trace_*.json files found in %s", dir);
        say_plain(ctx, ttp_sink_text(&text));
        return TTP_OK;
    }
    const char *csv = ttp_file_join(dir, "profile_log_device.csv", ctx->arena);
    TTP_TRY(read_chip(&perf, csv, ctx->arena, err));
    if (perf.mhz == 0) {
        ttp_ctx_say(ctx, "the clock is 0 MHz: the original fails here with a division by zero");
        return TTP_OK;
    }
    TTP_TRY(read_programs(&perf, ctx, o, &trace, csv, err));
    *status = TTP_EXIT_OK;
    if (ctx->show.form == TTP_FORM_JSON)
        ttp_out_original_perf_json(ctx->out, &perf);
    else
        ttp_out_original_perf(ctx->out, &perf);
    return TTP_OK;
}

/* --- the others --- */

static ttp_code show_signposts(const struct ttp_ctx *ctx, const struct request *o,
                               struct ttp_err *err)
{
    const struct ttp_logs_options options = {.threads = o->threads, .progress = !ctx->quiet};
    const char *csv = file_in(o, "profile_log_device.csv", ctx->arena);
    struct ttp_original_zones zones = {0};

    if (ttp_file_exists(csv))
        TTP_TRY(ttp_original_kernel_read(&zones, csv, &options, ctx->arena, err));
    ttp_out_original_signposts(ctx->out, &zones, ctx->arena);
    return TTP_OK;
}

static ttp_code show_flow(const struct ttp_ctx *ctx, const struct request *o, struct ttp_err *err)
{
    struct ttp_flow_graph graph;

    TTP_TRY(ttp_kernel_read_flow(&graph, file_in(o, "cb_flow_graph.json", ctx->arena), ctx->arena,
                                 err));
    ttp_sink_own(ctx->out, "=== CB FLOW GRAPH ===\n");
    ttp_sink_put(ctx->out, graph.json);
    ttp_sink_char(ctx->out, '\n');
    return TTP_OK;
}

static ttp_code show_lines(int *status, const struct ttp_ctx *ctx, const struct request *o,
                           struct ttp_err *err)
{
    const struct ttp_logs_options options = {.threads = o->threads, .progress = !ctx->quiet};
    const char *flow = file_in(o, "cb_flow_graph.json", ctx->arena);
    struct ttp_flow_graph graph = {0};
    struct ttp_flow_waits waits;
    struct ttp_original_zones zones;
    struct ttp_side_tables tables = {0};
    struct ttp_err ignored = {0};

    if (!o->side_tables)
        return ttp_fail(err, TTP_EUSAGE,
                        "--compat requires --side-tables: TT-Lang's report shows lines that only "
                        "its own process knew");
    TTP_TRY(ttp_original_kernel_read_side_tables(&tables, o->side_tables, ctx->arena, err));
    TTP_TRY(ttp_original_kernel_read(&zones, file_in(o, "profile_log_device.csv", ctx->arena),
                                     &options, ctx->arena, err));
    /* a graph that is missing or not JSON is not a graph */
    if (ttp_file_exists(flow) && ttp_kernel_read_flow(&graph, flow, ctx->arena, &ignored) != TTP_OK)
        graph = (struct ttp_flow_graph){0};
    ttp_kernel_flow_waits(&waits, &graph, true, ctx->arena);
    const struct ttp_original_lines_view view = {&zones, &tables, &waits, ctx->color};
    if (!ttp_out_original_lines(ctx->out, &view, ctx->arena)) {
        ttp_ctx_say(ctx, "float division by zero: a thread spent no cycles; the original fails "
                         "here");
        *status = TTP_EXIT_FINDING;
    }
    return TTP_OK;
}

ttp_code ttp_dropin_kernel(int *status, const struct ttp_ctx *ctx, const void *opts,
                           const struct ttp_words *operands, struct ttp_err *err)
{
    const struct ttp_kernel_verb *o = opts;
    const struct request r = {.dir = operands->count ? operands->word[0] : NULL,
                              .names = o->names,
                              .threads = (unsigned)o->common.threads};
    const unsigned can =
        1u << TTP_SECTION_PERF | 1u << TTP_SECTION_SIGNPOSTS | 1u << TTP_SECTION_FLOW;
    unsigned sections = 0;

    TTP_TRY(ttp_kernel_parse_sections(&sections, &o->sections, ctx->arena, err));
    ttp_ctx_exact(ctx);
    if (sections & ~can)
        return ttp_fail(err, TTP_EUSAGE,
                        "--compat supports only the sections perf, signposts and flow; 'annotate "
                        "--compat' prints the thread summary");
    if (sections == 0 || sections >> TTP_SECTION_PERF & 1)
        TTP_TRY(show_perf(status, ctx, &r, err));
    if (sections >> TTP_SECTION_FLOW & 1)
        TTP_TRY(show_flow(ctx, &r, err));
    if (sections >> TTP_SECTION_SIGNPOSTS & 1)
        TTP_TRY(show_signposts(ctx, &r, err));
    return TTP_OK;
}

ttp_code ttp_dropin_annotate(int *status, const struct ttp_ctx *ctx, const void *opts,
                             const struct ttp_words *operands, struct ttp_err *err)
{
    const struct ttp_annotate_verb *o = opts;
    const struct request r = {.dir = operands->count ? operands->word[0] : NULL,
                              .side_tables = o->side_tables,
                              .threads = (unsigned)o->common.threads};

    ttp_ctx_exact(ctx);
    return show_lines(status, ctx, &r, err);
}
