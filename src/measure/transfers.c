/* SPDX-License-Identifier: Apache-2.0 */
/* transfers.c - PCIe and DRAM by tt-metal's own benchmarks: docs/formats/microbenchmarks.md. */
#include <math.h>

#include "base/file.h"
#include "base/input.h"
#include "base/json_tree.h"
#include "base/sink.h"
#include "base/temp_dir.h"
#include "base/vec.h"
#include "measure/measure_internal.h"

#define FOLDER   "test/tt_metal/perf_microbenchmark"
#define RW       FOLDER "/dispatch/benchmark_rw_buffer"
#define OFFCHIP  FOLDER "/6_dram_offchip/test_dram_offchip"
#define RW_PAGES "--benchmark_filter=page_size:(2048|4096)/.*type:0/"
/* It allocates a buffer of 8 GiB on the host, whatever is selected. */
#define RW_MEMORY ((uint64_t)9 << 30)
#define TESTS     "10"
/* Beyond any board: sums of a few stay finite. */
#define MOST_BYTES_S 1e18

static const struct ttp_input_bound rw_bound = {(size_t)64 << 20,
                                                "too large for a result of Google Benchmark"};

static bool is_rate(double bytes_s)
{
    return bytes_s > 0 && bytes_s <= MOST_BYTES_S;
}

/* --- benchmark_rw_buffer --- */

/* The number after "/NAME:" in "Write/page_size:2048/size:67108864/type:0/device:0/real_time". */
static bool argument(int64_t *out, ttp_str run, ttp_str name)
{
    for (ttp_str rest = run; rest.len;) {
        const size_t slash = ttp_str_find_char(rest, '/');
        const ttp_str part = ttp_str_slice(rest, 0, slash);

        if (part.len > name.len + 1 && ttp_str_starts(part, name) && part.ptr[name.len] == ':')
            return ttp_str_to_i64(ttp_str_slice(part, name.len + 1, part.len), out);
        rest = slash == TTP_NPOS ? (ttp_str){0} : ttp_str_slice(rest, slash + 1, rest.len);
    }
    return false;
}

struct one_run {
    ttp_str name;
    struct ttp_bandwidth_rate rate;
    double *sample;
    size_t samples;
};
struct runs {
    struct one_run *run;
    size_t count;
};

static struct one_run *run_of(struct runs *runs, ttp_str name, struct ttp_arena *arena)
{
    int64_t type = 0, device = 0;

    for (size_t i = 0; i < runs->count; i++)
        if (ttp_str_eq(runs->run[i].name, name))
            return &runs->run[i];
    const bool to_device = ttp_str_starts(name, TTP_STR("Write/"));
    if ((!to_device && !ttp_str_starts(name, TTP_STR("Read/"))) ||
        !argument(&type, name, TTP_STR("type")) || type != 0 ||
        !argument(&device, name, TTP_STR("device")) || device < 0 || device > 1 << 16)
        return NULL;
    struct one_run *r = TTP_PUSH(arena, runs->run, runs->count);
    *r = (struct one_run){name,
                          {.kind = to_device ? TTP_BANDWIDTH_H2D : TTP_BANDWIDTH_D2H,
                           .device = (int)device,
                           .median = NAN,
                           .min = NAN,
                           .max = NAN},
                          NULL,
                          0};
    return r;
}

/* One entry: a repetition, or an aggregate of them. */
static void take_entry(struct runs *runs, const struct ttp_node *e, struct ttp_arena *arena)
{
    const double v = ttp_node_f64_of(e, "bytes_per_second");
    const ttp_str aggregate = ttp_node_str_of(e, "aggregate_name");
    const double repetitions = ttp_node_f64_of(e, "repetitions");

    if (ttp_node_true_of(e, "error_occurred") || !is_rate(v))
        return;
    struct one_run *r = run_of(runs, ttp_node_str_of(e, "run_name"), arena);
    if (!r)
        return;
    if (aggregate.len == 0)
        *TTP_PUSH(arena, r->sample, r->samples) = v;
    else if (ttp_str_eq(aggregate, TTP_STR("median")))
        r->rate.median = v;
    else if (ttp_str_eq(aggregate, TTP_STR("min")))
        r->rate.min = v;
    else if (ttp_str_eq(aggregate, TTP_STR("max")))
        r->rate.max = v;
    if (repetitions > 0 && repetitions < 1e6)
        r->rate.count = (size_t)repetitions;
}

static void settle(struct ttp_bandwidth_rate *rate, const double *sample, size_t n,
                   struct ttp_arena *arena)
{
    const double *sorted = ttp_stats_sorted(sample, n, arena);

    rate->sample = sample;
    rate->count = n;
    rate->median = ttp_stats_quantile(sorted, n, 0.5);
    rate->min = sorted[0];
    rate->max = sorted[n - 1];
}

/* Of each device and direction the page size that is fastest. */
static void keep_best(struct ttp_bandwidth *out, const struct ttp_bandwidth_rate *rate, size_t from,
                      struct ttp_arena *arena)
{
    for (size_t i = from; i < out->count; i++) {
        struct ttp_bandwidth_rate *old = &out->rate[i];

        if (old->kind != rate->kind || old->device != rate->device)
            continue;
        if (rate->median > old->median)
            *old = *rate;
        return;
    }
    *TTP_PUSH(arena, out->rate, out->count) = *rate;
}

ttp_code ttp_measure_transfers_read_rw(struct ttp_bandwidth *out, ttp_str text, const char *source,
                                       struct ttp_arena *arena, struct ttp_err *err)
{
    const size_t from = out->count;
    struct runs runs = {0};
    struct ttp_node *doc;

    TTP_TRY(ttp_json_tree(&doc, text, arena, err));
    for (const struct ttp_node *e = ttp_node_first_of(doc, "benchmarks"); e; e = e->next)
        take_entry(&runs, e, arena);
    for (size_t i = 0; i < runs.count; i++) {
        struct one_run *r = &runs.run[i];

        if (r->samples)
            settle(&r->rate, r->sample, r->samples, arena);
        r->rate.source = source;
        if (isfinite(r->rate.median))
            keep_best(out, &r->rate, from, arena);
    }
    if (out->count == from)
        return ttp_fail(err, TTP_ENOTFOUND, "no transfers to or from DRAM in its result");
    return TTP_OK;
}

/* --- test_dram_offchip --- */

/* "... Time elapsed for DRAM accesses: 2.345ms (213.220GB/s)", with 2^30 bytes to the GB. The time
 * is the host's and includes the launch, so the rate is a lower bound. */
static bool dram_line(double *bytes_s, ttp_str line)
{
    static const ttp_str mark = {"Time elapsed for DRAM accesses: ", 32};
    const size_t at = ttp_str_find(line, mark);

    if (at == TTP_NPOS)
        return false;
    const ttp_str rest = ttp_str_slice(line, at + mark.len, line.len);
    const size_t open = ttp_str_find_char(rest, '('), close = ttp_str_find(rest, TTP_STR("GB/s)"));
    double v;

    if (open == TTP_NPOS || close == TTP_NPOS || close <= open ||
        !ttp_str_to_f64(ttp_str_slice(rest, open + 1, close), &v))
        return false;
    *bytes_s = v * 1073741824.0;
    return is_rate(*bytes_s);
}

ttp_code ttp_measure_transfers_read_dram(struct ttp_bandwidth *out, ttp_str text,
                                         const char *source, struct ttp_arena *arena,
                                         struct ttp_err *err)
{
    struct ttp_bandwidth_rate rate = {.kind = TTP_BANDWIDTH_DRAM, .device = 0, .source = source};
    ttp_str rest = text, line;
    double *sample = NULL;
    size_t n = 0;
    double v;

    while (ttp_str_next_line(&rest, &line))
        if (dram_line(&v, line))
            *TTP_PUSH(arena, sample, n) = v;
    if (ttp_str_has(text, TTP_STR("Test Failed")))
        return ttp_fail(err, TTP_EPARSE, "it reports 'Test Failed'");
    if (n == 0)
        return ttp_fail(err, TTP_ENOTFOUND, "it printed no time of DRAM accesses");
    settle(&rate, sample, n, arena);
    *TTP_PUSH(arena, out->rate, out->count) = rate;
    return TTP_OK;
}

/* --- running them --- */

struct running {
    struct ttp_bandwidth *out;
    const struct ttp_transfer_options *options;
    struct ttp_signals *signals;
    struct ttp_arena *arena;
    const char *scratch;
};

/* Below build/, which is a link to the newest build, or where a named build put it. */
static const char *find_test(const struct running *r, const char *name)
{
    static const char *const builds[] = {"build", "build_Release", "build_RelWithDebInfo"};

    for (size_t i = 0; r->options->root && i < TTP_COUNT(builds); i++) {
        const char *dir = ttp_file_join(r->options->root, builds[i], r->arena);
        const char *path = ttp_file_join(dir, name, r->arena);

        if (ttp_file_exists(path))
            return path;
    }
    return NULL;
}

static void skip(const struct running *r, enum ttp_bandwidth_kind kind, const char *why,
                 const char *todo)
{
    *TTP_PUSH(r->arena, r->out->rate, r->out->count) = (struct ttp_bandwidth_rate){.kind = kind,
                                                                                   .device = -1,
                                                                                   .median = NAN,
                                                                                   .min = NAN,
                                                                                   .max = NAN,
                                                                                   .skipped = why,
                                                                                   .todo = todo};
}

static const char *joined(const struct running *r, const char *before, const char *text)
{
    return ttp_arena_zstr(r->arena, ttp_sink_format(r->arena, "%s%s", before, text));
}

static ttp_code run_test(struct ttp_child *child, const char **failure, const struct running *r,
                         const char *const *argv, struct ttp_err *err)
{
    struct ttp_words set = {0};

    ttp_words_add(&set, joined(r, "TT_METAL_HOME=", r->options->root), r->arena);
    const struct ttp_child_options options = {
        .path = argv[0],
        .argv = argv,
        .env = ttp_child_environment(&set, r->arena),
        .dir = r->options->root,
        .timeout_s = r->options->timeout_s,
        .show = r->options->show,
    };

    *failure = NULL;
    TTP_TRY(ttp_child_run(child, &options, r->signals, r->arena, err));
    if (child->end == TTP_CHILD_TIMED_OUT)
        *failure = "it took too long";
    else if (child->end == TTP_CHILD_INTERRUPTED)
        *failure = "it was interrupted";
    else if (child->end == TTP_CHILD_SIGNALED || child->code != 0)
        *failure = ttp_arena_zstr(
            r->arena,
            ttp_sink_format(r->arena, "it failed with %s %d",
                            child->end == TTP_CHILD_SIGNALED ? "signal" : "status", child->code));
    return TTP_OK;
}

static ttp_code measure_rw(const struct running *r, const char *const *argv, const char *result,
                           const char **failure, struct ttp_err *err)
{
    struct ttp_err why = {0};
    struct ttp_child child;
    ttp_str text;

    TTP_TRY(run_test(&child, failure, r, argv, err));
    if (*failure)
        return TTP_OK;
    ttp_code rc = ttp_input_all(&text, result, &rw_bound, r->arena, &why);
    if (rc == TTP_OK)
        rc = ttp_measure_transfers_read_rw(r->out, text, argv[0], r->arena, &why);
    if (rc != TTP_OK)
        *failure = joined(r, "", why.text);
    return TTP_OK;
}

static ttp_code transfers(const struct running *r, struct ttp_err *err)
{
    static const char todo[] = "build tt-metal with ./build_metal.sh --build-metal-tests, then run "
                               "build/" RW " '" RW_PAGES "'";
    const char *path = find_test(r, RW), *failure = r->options->refused;
    const char *result = ttp_file_join(r->scratch, "rw.json", r->arena);
    const char *const argv[] = {path, RW_PAGES, joined(r, "--benchmark_out=", result),
                                "--benchmark_out_format=json", NULL};

    if (!failure && !path)
        failure = r->options->root ? "tt-metal's benchmark_rw_buffer is not built"
                                   : "tt-metal was not found; set TT_METAL_HOME";
    if (!failure && r->options->available_bytes && r->options->available_bytes < RW_MEMORY)
        failure = "benchmark_rw_buffer needs 9 GiB of free memory";
    if (!failure)
        TTP_TRY(measure_rw(r, argv, result, &failure, err));
    if (failure) {
        skip(r, TTP_BANDWIDTH_H2D, failure, todo);
        skip(r, TTP_BANDWIDTH_D2H, failure, todo);
    }
    return TTP_OK;
}

static ttp_code dram(const struct running *r, struct ttp_err *err)
{
    static const char todo[] = "build tt-metal with ./build_metal.sh --build-metal-tests, then run "
                               "build/" OFFCHIP " --num-tests " TESTS " --bypass-check";
    const char *path = find_test(r, OFFCHIP), *failure = r->options->refused;
    const char *const argv[] = {path, "--num-tests", TESTS, "--bypass-check", NULL};
    struct ttp_err why = {0};
    struct ttp_child child;

    if (!failure && !path)
        failure = r->options->root ? "tt-metal's test_dram_offchip is not built"
                                   : "tt-metal was not found; set TT_METAL_HOME";
    if (!failure)
        TTP_TRY(run_test(&child, &failure, r, argv, err));
    if (!failure) {
        const ttp_str both =
            ttp_sink_format(r->arena, "%.*s\n%.*s", TTP_FMT(child.printed), TTP_FMT(child.errors));

        if (ttp_measure_transfers_read_dram(r->out, both, path, r->arena, &why) != TTP_OK)
            failure = joined(r, "", why.text);
    }
    if (failure)
        skip(r, TTP_BANDWIDTH_DRAM, failure, todo);
    return TTP_OK;
}

ttp_code ttp_measure_transfers_measure(struct ttp_bandwidth *out,
                                       const struct ttp_transfer_options *o,
                                       struct ttp_signals *signals, struct ttp_arena *arena,
                                       struct ttp_err *err)
{
    struct running r = {.out = out, .options = o, .signals = signals, .arena = arena};

    TTP_TRY(ttp_temp_dir_make(&r.scratch, arena, err));
    ttp_code rc = transfers(&r, err);
    if (rc == TTP_OK)
        rc = dram(&r, err);
    ttp_temp_dir_end(r.scratch);
    return rc;
}
