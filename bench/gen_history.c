/* SPDX-License-Identifier: Apache-2.0 */
/* gen_history FILE RUNS OPS - a history of that many runs of that many ops each, made of a fixed
 * seed: twenty models, three metrics with samples, a document of some KB. Prints one JSON line with
 * the rate at which it was written, every run acknowledged on its own. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/sink.h"
#include "store/store.h"

#define MODELS 20
#define KINDS  120
/* From 2026-01-01, a run every ten minutes. */
#define START_NS 1767225600000000000LL
#define STEP_NS  600000000000LL

static uint64_t state = 1;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

static ttp_str numbered(struct ttp_arena *arena, const char *word, size_t i)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%s%zu", word, i);
    return ttp_sink_text(&out);
}

static ttp_str commit(struct ttp_arena *arena, size_t i)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%016zx%024d", (i + 1) * 2654435761u, 0);
    return ttp_sink_text(&out);
}

static void add_measure(struct ttp_history_run *run, const char *metric, double level, size_t n,
                        struct ttp_arena *arena)
{
    struct ttp_run_measure *m = ttp_history_run_add_measure(run, arena);
    double *v = TTP_NEW(arena, double, n);

    for (size_t i = 0; i < n; i++)
        v[i] = level * (1 + 0.02 * (uniform() - 0.5));
    m->metric = ttp_str_from(metric);
    m->unit = TTP_STR("s");
    m->sample = v;
    m->count = n;
}

static void make_run(struct ttp_history_run *run, size_t i, size_t ops, struct ttp_arena *arena)
{
    /* every model becomes slower once */
    const double level = i / MODELS > 300 ? 1.1 : 1;
    struct ttp_sink document;

    *run = (struct ttp_history_run){
        .time_ns = START_NS + (int64_t)i * STEP_NS,
        .name = numbered(arena, "model-", i % MODELS),
        .kind = TTP_STR("ops"),
        .source = TTP_STR("ops_perf_results.csv"),
        .project = TTP_STR("models"),
        .branch = TTP_STR("main"),
        .commit = commit(arena, i),
        .host = TTP_STR("lab-1"),
        .board = TTP_STR("p150a"),
        .machine_key = TTP_STR("cpu=EPYC;board=p150a"),
        .op_count = (int64_t)ops,
        .device_s = 0.01 * level,
        .gap_s = 0.001,
        .document_name = TTP_STR("ops_perf_results.csv"),
        .ops = ops,
    };
    run->op = TTP_NEW(arena, struct ttp_run_op, ops);
    ttp_sink_to_arena(&document, arena);
    for (size_t k = 0; k < ops; k++) {
        const double ns = 5000 * level * (1 + 0.1 * uniform());

        run->op[k] = (struct ttp_run_op){
            .code = numbered(arena, "Operation", k % KINDS),
            .shapes = TTP_STR("1x1x32x4096,1x1x4096x4096,1x1x32x4096"),
            .datatypes = TTP_STR("BFLOAT16,BFLOAT8_B,BFLOAT16"),
            .memory = TTP_STR("L1,DRAM,L1"),
            .fidelity = TTP_STR("HiFi2"),
            .cores = 64,
            .time_ns = ns,
            .gap_ns = 700,
        };
        if (k % 20 == 0)
            ttp_sink_printf(&document, "Operation%zu,%.1f\n", k % KINDS, ns);
    }
    run->document = ttp_sink_text(&document);
    add_measure(run, "device-time", run->device_s, 5, arena);
    add_measure(run, "gap-time", run->gap_s, 5, arena);
    add_measure(run, "wall", 0.02 * level, 10, arena);
}

int main(int argc, char **argv)
{
    struct ttp_arena arena = {0};
    struct ttp_store *store;
    struct ttp_err err = {0};
    uint64_t runs, ops, spent_ns = 0;

    if (argc != 4 || !ttp_str_to_u64(ttp_str_from(argv[2]), &runs) ||
        !ttp_str_to_u64(ttp_str_from(argv[3]), &ops)) {
        fputs("usage: gen_history FILE RUNS OPS\n", stderr);
        return 2;
    }
    ttp_code rc = ttp_store_open(&store, argv[1], TTP_STORE_WRITE, &err);
    for (uint64_t i = 0; rc == TTP_OK && i < runs; i++) {
        struct ttp_history_run run;
        struct ttp_store_added added;

        make_run(&run, i, ops, &arena);
        const uint64_t from = ttp_clock_ns();
        rc = ttp_store_add(&added, store, &run, false, &err);
        spent_ns += ttp_clock_ns() - from;
        ttp_arena_reset(&arena);
    }
    ttp_arena_free(&arena);
    if (rc != TTP_OK) {
        fprintf(stderr, "gen_history: %s\n", err.text);
        return 1;
    }
    ttp_store_close(store);
    const double s = (double)spent_ns / 1e9;
    printf("{\"bench\":\"history_import\",\"runs\":%llu,\"ops_each\":%llu,\"seconds\":%.1f,"
           "\"runs_s\":%.1f,\"ops_m_s\":%.3f}\n",
           (unsigned long long)runs, (unsigned long long)ops, s, (double)runs / s,
           (double)runs * (double)ops / s / 1e6);
    return 0;
}
