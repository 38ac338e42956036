/* SPDX-License-Identifier: Apache-2.0 */
/* complete_run.c - tt-metal's CompleteBenchmarkRun: docs/formats/benchmarks.md. */
#include <math.h>

#include "base/iso_time.h"
#include "base/version.h"
#include "outputs/bench/bench_words.h"
#include "outputs/show/json_members.h"

/* "meta-llama/Llama 3.1_8B" is llama-3.1-8b there. */
/* null for 0. */
static void put_moment(struct ttp_json_writer *w, const char *key, int64_t unix_ns)
{
    char text[TTP_ISO_TIME_MAX];

    if (unix_ns > 0)
        ttp_member_str(w, key, (ttp_str){text, ttp_iso_time(text, unix_ns)});
    else
        ttp_member_null(w, key);
}

static ttp_str model_name(const char *name, struct ttp_arena *arena)
{
    const char *slash = strrchr(name, '/');
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (const char *c = slash && slash[1] ? slash + 1 : name; *c; c++)
        if (*c == ' ' || *c == '_')
            ttp_sink_char(&out, '-');
        else
            ttp_sink_char(&out, ttp_char_lower(*c));
    return out.len ? ttp_sink_text(&out) : TTP_STR("unknown");
}

static void put_git(struct ttp_json_writer *w, const struct ttp_git_state *g)
{
    const bool known = g && g->known;
    const ttp_str none = {0};

    ttp_member_str_or_null(w, "git_repo_name", known ? g->repository : none);
    ttp_member_str_or_null(w, "git_commit_hash", known ? g->commit : none);
    ttp_member_str_or_null(w, "git_commit_ts", known ? g->commit_time : none);
    ttp_member_str_or_null(w, "git_branch_name", known ? g->branch : none);
}

static void put_device(struct ttp_json_writer *w, const struct ttp_fingerprint *m)
{
    const ttp_str host = m ? m->hostname : (ttp_str){0};

    ttp_member_str(w, "device_hostname", host.len ? host : TTP_STR("unknown"));
    ttp_member_null(w, "device_ip");
    ttp_json_put_key(w, TTP_STR("device_info"));
    if (!m || m->nboards == 0) {
        ttp_json_put_null(w);
        return;
    }
    ttp_json_begin_object(w);
    ttp_member_str(w, "device_name", m->board[0].card);
    ttp_member_str(w, "arch", ttp_str_from(m->board[0].chip));
    ttp_member_u64(w, "boards", m->nboards);
    ttp_member_str_or_null(w, "firmware", m->board[0].firmware);
    ttp_member_str_or_null(w, "driver", m->driver);
    ttp_json_end_object(w);
}

static void put_config(struct ttp_json_writer *w, const struct ttp_bench *b)
{
    ttp_json_put_key(w, TTP_STR("config_params"));
    ttp_json_begin_object(w);
    ttp_member_str(w, "tool", TTP_STR("tt-perf bench"));
    ttp_member_str(w, "tool_version", ttp_str_from(ttp_version));
    ttp_json_put_key(w, TTP_STR("units"));
    ttp_json_begin_object(w);
    for (size_t k = 0; k < b->nmetrics; k++)
        ttp_member_str(w, b->metric[k].name, ttp_str_from(b->metric[k].unit));
    ttp_json_end_object(w);
    ttp_json_end_object(w);
}

static void put_or_null(struct ttp_json_writer *w, const char *key, double v)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_f64(w, v); /* null unless finite */
}

static void put_measurements(struct ttp_json_writer *w, const struct ttp_bench *b,
                             const char *point)
{
    for (size_t v = 0; v < b->nvariants; v++) {
        uint64_t iteration = 0, warm_ups = 0;

        for (size_t i = 0; i < b->ntrials; i++)
            warm_ups += b->trial[i].variant == v && b->trial[i].warm_up;
        for (size_t i = 0; i < b->ntrials; i++) {
            const struct ttp_trial *t = &b->trial[i];
            const int64_t start = t->start_ns ? t->start_ns : b->start_ns;

            if (t->variant != v || t->warm_up || t->failure)
                continue;
            for (size_t k = 0; k < b->nmetrics; k++) {
                if (!isfinite(t->value[k]))
                    continue;
                ttp_json_begin_object(w);
                put_moment(w, "step_start_ts", start);
                put_moment(w, "step_end_ts", start + (int64_t)t->wall_ns);
                ttp_member_u64(w, "iteration", iteration);
                ttp_member_str(w, "step_name", ttp_str_from(point ? point : b->variant[v].name));
                ttp_member_u64(w, "step_warm_up_num_iterations", warm_ups);
                ttp_member_str(w, "name", ttp_str_from(b->metric[k].name));
                ttp_member_f64(w, "value", t->value[k]);
                ttp_member_null(w, "target");
                put_or_null(w, "device_power", t->machine.power_w);
                put_or_null(w, "device_temperature", t->machine.temperature_max_c);
                ttp_json_end_object(w);
            }
            iteration++;
        }
    }
}

void ttp_out_complete_run(struct ttp_sink *out, const struct ttp_bench_view *view,
                          const struct ttp_complete_run *about, struct ttp_arena *arena)
{
    static const char *const unknown[] = {"num_layers", "batch_size"};
    static const char *const rest[] = {"precision", "dataset_name"};
    static const char *const last[] = {"input_sequence_length", "output_sequence_length",
                                       "image_dimension", "perf_analysis", "training"};
    static const char *const github[] = {"github_pipeline_id", "github_pipeline_link",
                                         "github_job_id", "user_name", "docker_image"};
    const struct ttp_sweep_result *r = view->sweep;
    const struct ttp_bench *b = r ? &r->point[0].bench : view->bench;
    const struct ttp_bench *end = r ? &r->point[r->npoints - 1].bench : view->bench;
    struct ttp_json_writer w = {.sink = out};

    ttp_json_begin_object(&w);
    put_moment(&w, "run_start_ts", b->start_ns);
    put_moment(&w, "run_end_ts", end->end_ns);
    ttp_member_str(&w, "run_type", ttp_str_from(about->run_type));
    put_git(&w, view->git);
    for (size_t i = 0; i < TTP_COUNT(github); i++)
        ttp_member_null(&w, github[i]);
    put_device(&w, view->machine);
    ttp_member_str(&w, "ml_model_name", model_name(about->model, arena));
    ttp_member_null(&w, "ml_model_type");
    for (size_t i = 0; i < TTP_COUNT(unknown); i++)
        ttp_member_null(&w, unknown[i]);
    put_config(&w, b);
    for (size_t i = 0; i < TTP_COUNT(rest); i++)
        ttp_member_null(&w, rest[i]);
    ttp_member_str(&w, "profiler_name", TTP_STR("tt-perf"));
    for (size_t i = 0; i < TTP_COUNT(last); i++)
        ttp_member_null(&w, last[i]);
    ttp_json_put_key(&w, TTP_STR("measurements"));
    ttp_json_begin_array(&w);
    for (size_t i = 0; r && i < r->npoints; i++)
        put_measurements(&w, &r->point[i].bench,
                         ttp_arena_zstr(arena, ttp_out_bench_point_name(&r->point[i], arena)));
    if (!r)
        put_measurements(&w, b, NULL);
    ttp_json_end_array(&w);
    ttp_json_end_object(&w);
    ttp_sink_char(out, '\n');
}
