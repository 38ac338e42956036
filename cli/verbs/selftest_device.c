/* SPDX-License-Identifier: Apache-2.0 */
/* selftest_device.c - checks of the card and tt-metal, each by a command that a user could type. */
#include <math.h>
#include <unistd.h>

#include "base/file.h"
#include "base/input.h"
#include "base/json_tree.h"
#include "base/order.h"
#include "base/outsink.h"
#include "base/vec.h"
#include "config/config.h"
#include "core/ctx.h"
#include "core/run_input.h"
#include "ops/ops.h"
#include "outputs/outputs.h"
#include "verbs/measure_bandwidth.h"
#include "verbs/selftest.h"

#define MACHINE "Machine"
#define CAPTURE "Capture"
#define TABLE   "Post-processing"
#define MODEL   "Prediction"

static const struct ttp_check_spec doctor_spec = {"machine.doctor", MACHINE, "the doctor's checks"};
static const struct ttp_check_spec run_spec = {"capture.run", CAPTURE, "record a command"};
static const struct ttp_check_spec ops_spec = {"capture.ops", CAPTURE, "ops with device time"};
static const struct ttp_check_spec markers_spec = {"capture.markers", CAPTURE,
                                                   "every op has its markers"};
static const struct ttp_check_spec equal_spec = {"ops.equal", TABLE,
                                                 "ops CSV equals that of tt-metal"};
static const struct ttp_check_spec predict_spec = {"predict.matmuls", MODEL,
                                                   "predicted and measured matmuls"};

static const struct ttp_input_bound document_bound = {(size_t)1 << 30, "too large"};

static void skip(struct selftest *t, const struct ttp_check_spec *spec, const char *why)
{
    selftest_add(t, spec, TTP_CHECK_SKIP, TTP_STR("not checked"))->text = ttp_str_from(why);
}

static const char *in_scratch(const struct selftest *t, const char *name)
{
    return ttp_file_join(t->scratch, name, t->ctx->arena);
}

/* --- the machine --- */

static void check_machine(struct selftest *t, const struct ttp_doctor_input *in)
{
    struct ttp_arena *arena = t->ctx->arena;
    struct ttp_diagnosis d;

    ttp_doctor_run(&d, in, arena);
    const enum ttp_verdict_level worst = d.level[TTP_CHECK_FAIL]   ? TTP_CHECK_FAIL
                                         : d.level[TTP_CHECK_WARN] ? TTP_CHECK_WARN
                                                                   : TTP_CHECK_PASS;
    struct ttp_check *k =
        selftest_add(t, &doctor_spec, worst,
                     ttp_sink_format(arena, "%zu passed, %zu warned, %zu failed, %zu skipped",
                                     d.level[TTP_CHECK_PASS], d.level[TTP_CHECK_WARN],
                                     d.level[TTP_CHECK_FAIL], d.level[TTP_CHECK_SKIP]));
    if (worst != TTP_CHECK_PASS)
        k->fix = TTP_STR("tt-perf doctor");
    /* what is wrong, and all about bandwidth */
    for (size_t i = 0; i < d.count; i++)
        if (d.check[i].level >= TTP_CHECK_WARN || strcmp(d.check[i].spec->group, "Bandwidth") == 0)
            *selftest_add(t, d.check[i].spec, d.check[i].level, d.check[i].value) = d.check[i];
    t->view.machine = d.machine;
}

/* --- capture --- */

/* Three matmuls with known shapes, twice: the first time compiles. */
static const char script[] =
    "import torch, ttnn\n"
    "device = ttnn.open_device(device_id=0)\n"
    "try:\n"
    "    for step in range(2):\n"
    "        for m, k, n in ((1024, 1024, 1024), (512, 4096, 2048), (32, 4096, 4096)):\n"
    "            a = ttnn.from_torch(torch.randn(1, 1, m, k), dtype=ttnn.bfloat16,\n"
    "                                layout=ttnn.TILE_LAYOUT, device=device)\n"
    "            b = ttnn.from_torch(torch.randn(1, 1, k, n), dtype=ttnn.bfloat8_b,\n"
    "                                layout=ttnn.TILE_LAYOUT, device=device)\n"
    "            ttnn.matmul(a, b)\n"
    "        ttnn.synchronize_device(device)\n"
    "finally:\n"
    "    ttnn.close_device(device)\n";

static ttp_code write_script(const char *path, struct ttp_err *err)
{
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, path, err));
    ttp_sink_put(&out.sink, TTP_STR(script));
    return ttp_outsink_close(&out, TTP_OK, err);
}

/* Of tt-metal's own environment, if it has one. */
static const char *python_of(const struct selftest *t, const struct ttp_metal *metal)
{
    const char *own =
        metal->root ? ttp_file_join(metal->root, "python_env/bin/python3", t->ctx->arena) : NULL;

    return own && ttp_file_exists(own) ? own : "python3";
}

/* The command as typed; it runs where the user is. */
static ttp_code add_command(struct ttp_words *argv, struct selftest *t,
                            const struct ttp_metal *metal, struct ttp_err *err)
{
    struct ttp_arena *arena = t->ctx->arena;

    if (t->command->count == 0) {
        const char *path = in_scratch(t, "matmuls.py");

        TTP_TRY(write_script(path, err));
        ttp_words_add(argv, python_of(t, metal), arena);
        ttp_words_add(argv, path, arena);
        return TTP_OK;
    }
    for (size_t i = 0; i < t->command->count; i++)
        ttp_words_add(argv, t->command->word[i], arena);
    return TTP_OK;
}

/* `*ran`: there is a recording to check. */
static ttp_code check_capture(bool *ran, struct selftest *t, const struct ttp_metal *metal,
                              struct ttp_err *err)
{
    struct ttp_arena *arena = t->ctx->arena;
    struct ttp_words words = {0};
    struct ttp_child child;

    *ran = false;
    ttp_words_add(&words, t->program, arena);
    ttp_words_add(&words, "record", arena);
    ttp_words_add(&words, "-q", arena);
    ttp_words_add(&words, "--require-capture", arena);
    if (t->root) {
        ttp_words_add(&words, "--root", arena);
        ttp_words_add(&words, t->root, arena);
    }
    ttp_words_add(&words, "-o", arena);
    ttp_words_add(&words, in_scratch(t, "recorded"), arena);
    ttp_words_add(&words, "--", arena);
    TTP_TRY(add_command(&words, t, metal, err));
    ttp_words_add(&words, NULL, arena);
    TTP_TRY(selftest_run_here(&child, t, words.word, err));
    if (child.end == TTP_CHILD_EXITED && child.code == 0) {
        selftest_add(t, &run_spec, TTP_CHECK_PASS,
                     ttp_sink_format(arena, "%.1f s", (double)child.wall_ns / 1e9));
        *ran = true;
        return TTP_OK;
    }
    const bool begun = child.end != TTP_CHILD_TIMED_OUT || child.wall_ns > 0;
    struct ttp_check *k = selftest_add(t, &run_spec, begun ? TTP_CHECK_FAIL : TTP_CHECK_SKIP,
                                       selftest_failure(t, &child));
    k->fix = t->command->count
                 ? TTP_STR("run the command alone first; then tt-perf record -v -- COMMAND")
                 : TTP_STR("activate tt-metal's Python environment, or name a workload of your own "
                           "after --");
    return TTP_OK;
}

/* --- markers --- */

static ttp_code check_markers(struct selftest *t, struct ttp_err *err)
{
    const char *const words[] = {"ops", "-q", "recorded", "-o", "ours", "--format", "json", NULL};
    struct ttp_arena *arena = t->ctx->arena;
    struct ttp_node *doc = NULL;
    struct ttp_child child;
    size_t rows = 0, timed = 0;
    struct ttp_sink problems;
    uint64_t count = 0;

    TTP_TRY(selftest_run_own(&child, t, words, err));
    if (child.end != TTP_CHILD_EXITED || child.code != 0) {
        selftest_add(t, &ops_spec, TTP_CHECK_FAIL, selftest_failure(t, &child));
        return TTP_OK;
    }
    TTP_TRY(ttp_json_tree(&doc, child.printed, arena, err));
    const struct ttp_node *data = ttp_node_get(doc, "data");
    for (const struct ttp_node *r = ttp_node_first_of(data, "rows"); r; r = r->next) {
        rows++;
        timed += ttp_node_get(r, "DEVICE FW DURATION [ns]") != NULL;
    }
    selftest_add(t, &ops_spec, timed ? TTP_CHECK_PASS : TTP_CHECK_FAIL,
                 ttp_sink_format(arena, "%zu of %zu rows have device time", timed, rows));
    ttp_sink_to_arena(&problems, arena);
    for (const struct ttp_node *p = ttp_node_first_of(data, "problems"); p; p = p->next) {
        const ttp_str what = ttp_node_str_of(p, "what");

        ttp_sink_printf(&problems, "%s%.*s", count ? "; " : "",
                        TTP_FMT(ttp_str_slice(what, 0, 150)));
        count++;
    }
    if (count == 0) {
        selftest_add(t, &markers_spec, TTP_CHECK_PASS, TTP_STR("no data is missing or damaged"));
        return TTP_OK;
    }
    struct ttp_check *k =
        selftest_add(t, &markers_spec, TTP_CHECK_WARN,
                     ttp_sink_format(arena, "%llu kinds of problems", (unsigned long long)count));
    k->text = ttp_sink_text(&problems);
    k->fix = TTP_STR("tt-perf record with --mode ops, and fewer ops between two dumps");
    return TTP_OK;
}

/* --- post-processing --- */

static void tell_difference(struct selftest *t, const struct ttp_report_difference *d)
{
    struct ttp_arena *arena = t->ctx->arena;
    const bool same = d->different == 0 && d->first_rows == d->second_rows && d->columns > 0 &&
                      d->columns == d->first_columns && d->columns == d->second_columns;
    struct ttp_check *k =
        selftest_add(t, &equal_spec, same ? TTP_CHECK_PASS : TTP_CHECK_FAIL,
                     ttp_sink_format(arena, "%llu of %llu cells differ, %zu columns in common",
                                     (unsigned long long)d->different, (unsigned long long)d->cells,
                                     d->columns));

    k->limit = TTP_STR("every cell is equal");
    if (d->first_rows != d->second_rows)
        k->text = ttp_sink_format(arena, "%zu rows here, %zu in tt-metal's", d->first_rows,
                                  d->second_rows);
    else if (d->different)
        k->text = ttp_sink_format(arena, "first: %.*s of call %llu is '%.*s' here, '%.*s' there",
                                  TTP_FMT(d->column), (unsigned long long)d->call,
                                  TTP_FMT(ttp_str_slice(d->first, 0, 60)),
                                  TTP_FMT(ttp_str_slice(d->second, 0, 60)));
    else if (!same)
        k->text = ttp_sink_format(arena, "%zu columns here, %zu in tt-metal's", d->first_columns,
                                  d->second_columns);
    if (!same)
        k->fix = TTP_STR("please report it with 'tt-perf bundle' and the version of tt-metal");
}

static ttp_code compare(struct selftest *t, struct ttp_err *err)
{
    struct ttp_arena *arena = t->ctx->arena;
    struct ttp_report_difference d;
    const char *ours, *theirs;
    struct ttp_report_texts texts;

    TTP_TRY(ttp_run_find_csv(&ours, in_scratch(t, "ours_compatible"), arena, err));
    TTP_TRY(ttp_run_find_csv(&theirs, in_scratch(t, "theirs"), arena, err));
    texts = (struct ttp_report_texts){.first_name = ours, .second_name = theirs};
    TTP_TRY(ttp_input_all(&texts.first, ours, &document_bound, arena, err));
    TTP_TRY(ttp_input_all(&texts.second, theirs, &document_bound, arena, err));
    TTP_TRY(ttp_ops_compare_reports(&d, texts, arena, err));
    tell_difference(t, &d);
    return TTP_OK;
}

/* tt-metal's script on the same logs, in a folder of its own: it removes earlier reports. */
static ttp_code run_theirs(struct ttp_child *child, struct selftest *t,
                           const struct ttp_metal *metal, const char *path, struct ttp_err *err)
{
    struct ttp_arena *arena = t->ctx->arena;
    const char *folder = in_scratch(t, "theirs");
    const char *const argv[] = {python_of(t, metal), path, "-o",
                                ttp_file_join(folder, "reports", arena), NULL};
    struct ttp_words set = {0};

    TTP_TRY(ttp_file_make_dirs(folder, err));
    if (symlink("../recorded/.logs", ttp_file_join(folder, ".logs", arena)) < 0)
        return ttp_fail_errno(err, "cannot link '%s/.logs'", folder);
    ttp_words_add(&set,
                  ttp_arena_zstr(arena, ttp_sink_format(arena, "TT_METAL_HOME=%s", metal->root)),
                  arena);
    ttp_words_add(&set,
                  ttp_arena_zstr(arena, ttp_sink_format(arena, "TT_METAL_PROFILER_DIR=%s", folder)),
                  arena);
    ttp_words_add(&set,
                  ttp_arena_zstr(arena, ttp_sink_format(arena, "PYTHONPATH=%s/tools:%s",
                                                        metal->root, metal->root)),
                  arena);
    return selftest_run(child, t, argv, &set, err);
}

static ttp_code check_table(struct selftest *t, const struct ttp_metal *metal, struct ttp_err *err)
{
    const char *const words[] = {"ops", "-q", "recorded", "--compat", "-o", "ours_compatible",
                                 NULL};
    struct ttp_err why = {0};
    struct ttp_child child;
    const char *path =
        metal->root ? ttp_file_join(metal->root, "tools/tracy/process_ops_logs.py", t->ctx->arena)
                    : NULL;

    if (!path || !ttp_file_exists(path)) {
        skip(t, &equal_spec,
             path ? "tt-metal has no tools/tracy/process_ops_logs.py"
                  : "tt-metal was not found; set TT_METAL_HOME");
        return TTP_OK;
    }
    TTP_TRY(selftest_run_own(&child, t, words, err));
    if (child.end != TTP_CHILD_EXITED || child.code != 0) {
        selftest_add(t, &equal_spec, TTP_CHECK_FAIL, selftest_failure(t, &child));
        return TTP_OK;
    }
    const ttp_code rc = run_theirs(&child, t, metal, path, &why);
    if (rc == TTP_OK && child.end == TTP_CHILD_EXITED && child.code == 0) {
        if (compare(t, &why) == TTP_OK)
            return TTP_OK;
    } else if (rc == TTP_OK) {
        selftest_add(t, &equal_spec, TTP_CHECK_SKIP, selftest_failure(t, &child))->text =
            TTP_STR("tt-metal's own post-processing failed");
        return TTP_OK;
    } else if (t->signals.caught) {
        *err = why;
        return rc;
    }
    skip(t, &equal_spec, ttp_arena_zstr(t->ctx->arena, ttp_str_from(why.text)));
    return TTP_OK;
}

/* --- predictions --- */

/* Factors between prediction and measurement: proposals. */
#define FACTOR_GOOD 1.5
#define FACTOR_BAD  3.0

static void add_matmul(struct selftest *t, const struct ttp_config_op_row *row)
{
    const struct ttp_config_row *judged = row->judged;

    if (!row->known || !judged || !judged->has_time || !(row->measured_us > 0))
        return;
    *TTP_PUSH(t->ctx->arena, t->view.matmul, t->view.matmuls) = (struct ttp_selftest_matmul){
        .id = row->row + 2,
        .m = row->op->problem.m,
        .k = row->op->problem.k,
        .n = row->op->problem.n,
        .predicted_us = judged->time.ns / 1e3,
        .low_us = judged->time.low_ns / 1e3,
        .high_us = judged->time.high_ns / 1e3,
        .measured_us = row->measured_us,
        .ratio = judged->time.ns / 1e3 / row->measured_us,
    };
}

static void judge_matmuls(struct selftest *t)
{
    struct ttp_arena *arena = t->ctx->arena;
    const size_t n = t->view.matmuls;
    double *apart = TTP_NEW(arena, double, n + 1);
    size_t inside = 0;

    if (n == 0) {
        skip(t, &predict_spec, "no matmul of the run has a config, a time and a prediction");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const struct ttp_selftest_matmul *m = &t->view.matmul[i];

        apart[i] = fabs(log2(m->ratio));
        inside += m->measured_us >= m->low_us && m->measured_us <= m->high_us;
    }
    TTP_SORT(apart, n, ttp_by_f64);
    const double factor = exp2(apart[n / 2]);
    struct ttp_check *k = selftest_add(
        t, &predict_spec,
        factor <= FACTOR_GOOD  ? TTP_CHECK_PASS
        : factor <= FACTOR_BAD ? TTP_CHECK_WARN
                               : TTP_CHECK_FAIL,
        ttp_sink_format(arena, "%zu matmuls, median factor %.2f, %zu within the predicted range", n,
                        factor, inside));
    k->limit = ttp_sink_format(arena, "factor %.1f; above %.0f the model does not fit", FACTOR_GOOD,
                               FACTOR_BAD);
    k->origin = TTP_STR("tt-perf: a proposal, not the vendor's");
    if (k->level != TTP_CHECK_PASS)
        k->fix = TTP_STR("tt-perf config calibrate RUN --write boards.conf fits the model to this "
                         "machine");
}

static void check_predictions(struct selftest *t)
{
    struct ttp_arena *arena = t->ctx->arena;
    const struct ttp_run_request request = {.path = in_scratch(t, "recorded"),
                                            .analysis = {.boards = t->ctx->boards}};
    struct ttp_run_input *in = TTP_NEW(arena, struct ttp_run_input, 1);
    struct ttp_err why = {0};
    struct ttp_config_run run;

    if (ttp_run_analyse(in, &request, arena, &why) != TTP_OK) {
        skip(t, &predict_spec, ttp_arena_zstr(arena, ttp_str_from(why.text)));
        return;
    }
    const char *name = in->report.arch->board;
    const struct ttp_board *board = t->host.chip[0].board;
    if (name && (!board || strcmp(board->chip, in->report.arch->name) != 0))
        board = ttp_board_of(t->ctx->boards, ttp_str_from(name));
    if (!board || !ttp_board_costs(board)) {
        skip(t, &predict_spec, "no cost model for this chip");
        return;
    }
    ttp_config_check_run(&run, &in->ops, board, arena);
    for (size_t i = 0; i < run.count; i++)
        add_matmul(t, &run.op[i]);
    judge_matmuls(t);
}

/* --- all of it --- */

/* Seconds for each of tt-metal's benchmarks. */
#define BENCHMARK_S 120

ttp_code selftest_device(struct selftest *t, struct ttp_err *err)
{
    struct ttp_arena *arena = t->ctx->arena;
    struct ttp_host_sample sample;
    struct ttp_words env = {0};
    struct ttp_metal metal;
    bool ran;

    for (char **word = environ; word && *word; word++)
        ttp_words_add(&env, *word, arena);
    ttp_host_metal_read(&metal, &env, arena);
    ttp_host_sample(&sample, &t->host, &(struct ttp_sample_options){0}, arena);
    TTP_TRY(check_capture(&ran, t, &metal, err));
    if (ran) {
        TTP_TRY(check_markers(t, err));
        TTP_TRY(check_table(t, &metal, err));
        check_predictions(t);
    } else {
        skip(t, &ops_spec, "nothing was captured");
        skip(t, &markers_spec, "nothing was captured");
        skip(t, &equal_spec, "nothing was captured");
        skip(t, &predict_spec, "nothing was captured");
    }
    const struct ttp_bandwidth_setup setup = {&t->host, &sample, &metal,
                                              selftest_time_left(t, BENCHMARK_S), &t->signals};
    if (setup.timeout_s > 0)
        TTP_TRY(ttp_bandwidth_measure(&t->bandwidth, t->ctx, &setup, err));
    t->view.bandwidth = setup.timeout_s > 0 ? &t->bandwidth : NULL;
    check_machine(t, &(struct ttp_doctor_input){.host = &t->host,
                                                .first = &sample,
                                                .env = &env,
                                                .metal = &metal,
                                                .bandwidth = t->view.bandwidth});
    return TTP_OK;
}
