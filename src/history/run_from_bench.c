/* SPDX-License-Identifier: Apache-2.0 */
/* run_from_bench.c - documents of benchmarks as runs: docs/formats/benchmarks.md. What was measured
 * is read by measure; here is what they say besides. */
#include <math.h>

#include "base/iso_time.h"
#include "base/json_tree.h"
#include "history/run_documents.h"

static int64_t time_of(const struct ttp_node *n, const char *key)
{
    int64_t ns = 0;
    return ttp_iso_parse(&ns, ttp_node_str_of(n, key)) ? ns : 0;
}

static uint64_t whole_of(const struct ttp_node *n, const char *key)
{
    const struct ttp_node *v = ttp_node_get(n, key);
    uint64_t whole = 0;

    return v && ttp_json_to_u64(v->text, &whole) ? whole : 0;
}

/* ---- tt-perf bench ---- */

static void own_machine(struct ttp_history_run *out, const struct ttp_node *m,
                        struct ttp_arena *arena)
{
    const struct ttp_node *first = ttp_node_first_of(m, "boards");
    struct ttp_fingerprint f = {
        .hostname = ttp_node_str_of(m, "host"),
        .cpu = ttp_node_str_of(m, "cpu"),
        .kernel = ttp_node_str_of(m, "kernel"),
        .distro = ttp_node_str_of(m, "distribution"),
        .driver = ttp_node_str_of(m, "driver"),
        .governor = ttp_node_str_of(m, "governor"),
        .cpus = (uint32_t)whole_of(m, "cpus"),
        .memory_bytes = whole_of(m, "memory_bytes"),
        .key = ttp_node_str_of(m, "key"),
    };

    if (!m || m->kind != TTP_JSON_OBJECT_BEGIN)
        return;
    for (const struct ttp_node *b = first; b; b = b->next)
        f.nboards++;
    f.board = TTP_NEW(arena, struct ttp_board_print, f.nboards);
    f.nboards = 0;
    for (const struct ttp_node *b = first; b; b = b->next)
        f.board[f.nboards++] = (struct ttp_board_print){
            .card = ttp_node_str_of(b, "card"),
            .chip = ttp_arena_zstr(arena, ttp_node_str_of(b, "arch")),
            .firmware = ttp_node_str_of(b, "firmware"),
        };
    ttp_history_run_set_machine(out, &f, arena);
}

static void own_trials(struct ttp_history_run *out, const struct ttp_node *run,
                       struct ttp_arena *arena)
{
    for (const struct ttp_node *t = ttp_node_first_of(run, "trials"); t; t = t->next) {
        const struct ttp_run_sample s = {
            time_of(t, "start_time"),
            ttp_node_f64_of(t, "aiclk_min_mhz"),
            ttp_node_f64_of(t, "aiclk_max_mhz"),
            ttp_node_f64_of(t, "temperature_max_c"),
            ttp_node_f64_of(t, "power_w"),
            ttp_node_f64_of(t, "load"),
        };

        if (isfinite(s.aiclk_max_mhz) || isfinite(s.temperature_c) || isfinite(s.power_w) ||
            isfinite(s.load))
            *ttp_history_run_add_sample(out, arena) = s;
    }
}

static void about_own(struct ttp_history_run *out, const struct ttp_node *doc,
                      struct ttp_arena *arena)
{
    const struct ttp_node *data = ttp_node_get(doc, "data"), *git = ttp_node_get(data, "git");
    const struct ttp_node *run = ttp_node_get(data, "run");
    const struct ttp_node *point = ttp_node_first_of(ttp_node_get(data, "sweep"), "points");

    out->project = ttp_node_str_of(git, "repository");
    out->branch = ttp_node_str_of(git, "branch");
    out->commit = ttp_node_str_of(git, "commit");
    out->commit_time = ttp_node_str_of(git, "commit_time");
    out->dirty = ttp_node_true_of(git, "dirty");
    own_machine(out, ttp_node_get(data, "machine"), arena);
    out->time_ns = time_of(run ? run : ttp_node_get(point, "run"), "start_time");
    own_trials(out, run, arena);
    for (; point; point = point->next)
        own_trials(out, ttp_node_get(point, "run"), arena);
}

static void about_doctor(struct ttp_history_run *out, const struct ttp_node *doc,
                         struct ttp_arena *arena)
{
    const struct ttp_node *data = ttp_node_get(doc, "data");

    own_machine(out, ttp_node_get(data, "machine"), arena);
    out->time_ns = time_of(ttp_node_get(data, "bandwidth"), "start_time");
}

/* ---- tt-metal's CompleteBenchmarkRun ---- */

static void set_target(struct ttp_history_run *out, ttp_str step, ttp_str name, double target)
{
    for (size_t i = 0; i < out->measures; i++) {
        struct ttp_run_measure *m = &out->measure[i];
        const bool whole = ttp_str_ends(m->metric, name) &&
                           (m->metric.len == name.len || ttp_str_starts(m->metric, step));

        if (whole && (m->metric.len == name.len || m->metric.len == step.len + 2 + name.len))
            m->target = target;
    }
}

static void complete_measurement(struct ttp_history_run *out, const struct ttp_node *m,
                                 struct ttp_arena *arena)
{
    const double power = ttp_node_f64_of(m, "device_power"),
                 degrees = ttp_node_f64_of(m, "device_temperature");
    const double target = ttp_node_f64_of(m, "target");

    if (isfinite(target))
        set_target(out, ttp_node_str_of(m, "step_name"), ttp_node_str_of(m, "name"), target);
    if (!isfinite(power) && !isfinite(degrees))
        return;
    struct ttp_run_sample *s = ttp_history_run_add_sample(out, arena);
    s->time_ns = time_of(m, "step_start_ts");
    s->power_w = power;
    s->temperature_c = degrees;
}

static void about_complete(struct ttp_history_run *out, const struct ttp_node *doc,
                           struct ttp_arena *arena)
{
    const struct ttp_node *info = ttp_node_get(doc, "device_info");
    struct ttp_sink key;

    out->name = ttp_node_str_of(doc, "ml_model_name");
    out->time_ns = time_of(doc, "run_start_ts");
    out->project = ttp_node_str_of(doc, "git_repo_name");
    out->branch = ttp_node_str_of(doc, "git_branch_name");
    out->commit = ttp_node_str_of(doc, "git_commit_hash");
    out->commit_time = ttp_node_str_of(doc, "git_commit_ts");
    out->host = ttp_node_str_of(doc, "device_hostname");
    out->board = ttp_node_str_of(info, "device_name");
    ttp_sink_to_arena(&key, arena);
    ttp_sink_printf(&key, "host=%.*s", TTP_FMT(out->host));
    if (out->board.len)
        ttp_sink_printf(&key, ";board=%.*s", TTP_FMT(out->board));
    out->machine_key = ttp_sink_text(&key);
    for (const struct ttp_node *m = ttp_node_first_of(doc, "measurements"); m; m = m->next)
        complete_measurement(out, m, arena);
}

/* ---- others ---- */

static void about_google(struct ttp_history_run *out, const struct ttp_node *doc,
                         struct ttp_arena *arena)
{
    const struct ttp_node *context = ttp_node_get(doc, "context");

    out->time_ns = time_of(context, "date");
    out->host = ttp_node_str_of(context, "host_name");
    if (out->host.len == 0)
        return;
    out->machine_key = ttp_sink_format(arena, "host=%.*s", TTP_FMT(out->host));
}

static const struct {
    const char *format; /* as ttp_measure_bench_read() calls it */
    const char *kind;
    void (*about)(struct ttp_history_run *out, const struct ttp_node *doc, struct ttp_arena *arena);
} kinds[] = {
    {"tt-perf bench", "bench", about_own},
    {"tt-perf doctor", "doctor", about_doctor},
    {"CompleteBenchmarkRun", "benchmark-run", about_complete},
    {"Google Benchmark", "google-benchmark", about_google},
    {"hyperfine", "hyperfine", NULL},
};

/* Every metric of every variant that has values. */
static void take_measures(struct ttp_history_run *out, const struct ttp_bench *b,
                          struct ttp_arena *arena)
{
    for (size_t v = 0; v < b->nvariants; v++)
        for (size_t k = 0; k < b->nmetrics; k++) {
            size_t n;
            const double *values = ttp_measure_bench_values(&n, b, v, k, arena);

            if (n == 0 || !*b->metric[k].name) /* without a name it is on no line */
                continue;
            struct ttp_run_measure *m = ttp_history_run_add_measure(out, arena);
            m->metric = ttp_str_from(b->metric[k].name);
            m->unit = ttp_str_from(b->metric[k].unit);
            m->better = b->metric[k].better;
            m->variant = ttp_str_from(b->variant[v].name);
            m->sample = values;
            m->count = n;
        }
}

/* "bench/out/model" is model. */
static ttp_str last_part(ttp_str s)
{
    size_t from = s.len;

    while (from > 0 && s.ptr[from - 1] != '/')
        from--;
    return ttp_str_slice(s, from, s.len);
}

ttp_code ttp_history_run_from_bench(struct ttp_history_run *out, ttp_str text,
                                    struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_node *doc;
    struct ttp_bench b;

    TTP_TRY(ttp_measure_bench_read(&b, text, arena, err));
    TTP_TRY(ttp_json_tree(&doc, text, arena, err));
    *out = (struct ttp_history_run){.device_s = NAN, .gap_s = NAN};
    take_measures(out, &b, arena);
    for (size_t i = 0; i < TTP_COUNT(kinds); i++)
        if (strcmp(kinds[i].format, b.format) == 0) {
            out->kind = ttp_str_from(kinds[i].kind);
            if (kinds[i].about)
                kinds[i].about(out, doc, arena);
        }
    if (out->measures == 0)
        return ttp_fail_at(err, TTP_EPARSE, 0, "no valid measurement");
    const ttp_str first = ttp_str_from(b.variant[0].name);
    if (out->name.len == 0)
        out->name = ttp_str_eq(out->kind, TTP_STR("google-benchmark")) ? last_part(first) : first;
    /* one command is what the run is called by, not a variant of it */
    for (size_t i = 0; b.nvariants == 1 && i < out->measures; i++)
        out->measure[i].variant = (ttp_str){0};
    return TTP_OK;
}
