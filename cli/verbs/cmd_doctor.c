/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_doctor.c - `tt-perf doctor`: checks whether this machine suits its boards. */
#include <unistd.h>

#include "base/clock.h"
#include "base/input.h"
#include "base/outsink.h"
#include "core/cmd.h"
#include "host/host.h"
#include "outputs/outputs.h"
#include "run/run.h"
#include "verbs/measure_bandwidth.h"

struct doctor_opts {
    struct ttp_common_opts common;
    const char *root, *smi, *record, *run;
    bool quick, guide, bandwidth, prometheus;
    int why, fail_on;
    int64_t expect;
};

static const char *const gravities[] = {"fail", "warn", NULL};

#define FIELD(name) offsetof(struct doctor_opts, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(CHOICE, "why", FIELD(why),
               "walk through the possible causes of a problem in order, with the checks for and "
               "against each and what to do",
               .choices = ttp_why_names, .group = "Checks"),
    TTP_OPTION(FLAG, "guide", FIELD(guide),
               "print the checklist of the old tuning guide, ticked according to the measurements"),
    TTP_OPTION(FLAG, "bandwidth", FIELD(bandwidth),
               "also measure host memory, and PCIe and DRAM with tt-metal's benchmarks if they are "
               "built; takes two seconds, with the benchmarks a minute or two"),
    TTP_OPTION(INT, "expect", FIELD(expect), "warn if the bus has fewer than N chips",
               .metavar = "N", .min = 1, .max = 4096),
    TTP_OPTION(CHOICE, "fail-on", FIELD(fail_on),
               "result that makes the exit status 1 (default fail)", .choices = gravities),
    TTP_OPTION(FLAG, "quick", FIELD(quick),
               "take one sample; by default, if there is a card, take another a second later to "
               "see the heartbeat move and errors grow"),
    TTP_OPTION(STR, "smi", FIELD(smi),
               "also use the output of 'tt-smi -s --snapshot_no_tty', for values that only tt-smi "
               "has; - is standard input",
               .metavar = "FILE", .group = "Input"),
    TTP_OPTION(STR, "root", FIELD(root),
               "check another machine: a folder with its sys, proc and dev, such as an unpacked "
               "recording",
               .metavar = "DIR"),
    TTP_OPTION(STR, "run", FIELD(run),
               "also judge clock, heat and power of the boards during this recorded run",
               .metavar = "RUN", .of_run = true),
    TTP_OPTION(STR, "record", FIELD(record),
               "save everything that is read as a tar archive for --root, without secrets, and "
               "print nothing",
               .metavar = "FILE"),
    TTP_OPTION(FLAG, "prometheus", FIELD(prometheus),
               "same as --format prometheus: metrics in Prometheus text format, with the names of "
               "the vendor's exporter",
               .group = "Output"),
};

static const struct doctor_opts defaults = {.why = -1};

struct doctor_run {
    const struct ttp_ctx *ctx;
    const struct doctor_opts *options;
    struct ttp_host host;
    struct ttp_host_sample first, second;
    struct ttp_smi smi;
    struct ttp_diagnosis diagnosis;
    struct ttp_doctor_run_facts facts;
    struct ttp_metal metal;
    struct ttp_bandwidth bandwidth;
    bool two;
};

static struct ttp_words environment(struct ttp_arena *arena)
{
    struct ttp_words env = {0};

    for (char **word = environ; word && *word; word++)
        ttp_words_add(&env, *word, arena);
    return env;
}

/* --- input --- */

/* Thirty-two chips make about 200 KB. */
static const struct ttp_input_bound smi_bound = {(size_t)64 << 20,
                                                 "too large for a tt-smi snapshot"};

static ttp_code read_smi(struct doctor_run *r, struct ttp_err *err)
{
    ttp_str text;

    TTP_TRY(ttp_input_all(&text, r->options->smi, &smi_bound, r->ctx->arena, err));
    const ttp_code rc = ttp_smi_read(&r->smi, text, r->ctx->arena, err);
    if (rc != TTP_OK) {
        ttp_err_where(err, r->options->smi, 0);
        ttp_err_hint(err,
                     "error at byte %zu; make a snapshot with: tt-smi -s --snapshot_no_tty >FILE",
                     err ? err->offset : 0);
    }
    return rc;
}

static ttp_code read_recorded_run(struct doctor_run *r, struct ttp_err *err)
{
    const struct ttp_run_request request = {.path = r->options->run,
                                            .analysis = {.boards = r->ctx->boards}};
    struct ttp_run_input *in = TTP_NEW(r->ctx->arena, struct ttp_run_input, 1);

    TTP_TRY(ttp_run_analyse(in, &request, r->ctx->arena, err));
    const struct ttp_machine_use *m = &in->report.machine;
    r->facts = (struct ttp_doctor_run_facts){
        .name = r->options->run,
        .known = m->known,
        .chip = ttp_arena_zstr(r->ctx->arena, m->chip),
        .full_mhz = m->full_mhz,
        .low_mhz = m->low_mhz,
        .low_pct = m->low_pct,
        .loss_pct = m->loss_pct,
        .power_max_w = m->power_max_w,
        .power_limit_w = m->power_limit_w,
        .temperature_max_c = m->temperature_max_c,
        .heat_limit_c = m->heat_limit_c,
        .trips = m->trips,
        .throttle = ttp_logs_machine_throttle_name(m->throttle),
    };
    return TTP_OK;
}

/* Seconds for each of tt-metal's benchmarks: they compile kernels first. */
#define BENCHMARK_S 300

static ttp_code take_samples(struct doctor_run *r, struct ttp_err *err)
{
    struct ttp_arena *arena = r->ctx->arena;

    ttp_host_sample(&r->first, &r->host, &(struct ttp_sample_options){0}, arena);
    if (r->options->bandwidth)
        TTP_TRY(ttp_bandwidth_measure(
            &r->bandwidth, r->ctx,
            &(struct ttp_bandwidth_setup){&r->host, &r->first, &r->metal, BENCHMARK_S, NULL}, err));
    r->two = !r->options->quick && r->host.nchips > 0;
    if (!r->two)
        return TTP_OK;
    if (!r->host.two_samples)
        ttp_clock_sleep_ns(1000000000);
    ttp_host_sample(&r->second, &r->host,
                    &(struct ttp_sample_options){.flags = TTP_SAMPLE_LIVE | TTP_SAMPLE_SECOND |
                                                          TTP_SAMPLE_CHIPS},
                    arena);
    return TTP_OK;
}

/* --- output --- */

static ttp_code print(const struct doctor_run *r, struct ttp_err *err)
{
    const struct ttp_ctx *ctx = r->ctx;
    struct ttp_show show = ctx->show;
    const struct ttp_doctor_view view = {
        .host = &r->host,
        .sample = &r->first,
        .diagnosis = &r->diagnosis,
        .smi = r->options->smi ? &r->smi : NULL,
        .why = r->options->why >= 0 ? &ttp_whys[r->options->why] : NULL,
        .guide = r->options->guide,
        .bandwidth = r->options->bandwidth ? &r->bandwidth : NULL,
        .quick = !r->two,
        .details = ctx->verbose,
    };

    show.inputs = NULL;
    if (r->options->prometheus)
        show.form = TTP_FORM_PROMETHEUS;
    return ttp_out_doctor(&show, &view, err);
}

static ttp_code record(const struct doctor_run *r, struct ttp_err *err)
{
    const struct ttp_words env = environment(r->ctx->arena);
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, r->options->record, err));
    const ttp_code rc = ttp_host_record(
        &out.sink, r->options->root,
        (struct ttp_host_recording){r->options->root ? NULL : &env, !r->options->quick},
        r->ctx->arena, err);
    TTP_TRY(ttp_outsink_close(&out, rc, err));
    if (strcmp(r->options->record, "-") != 0)
        ttp_ctx_say(
            r->ctx,
            "wrote '%s'; to check it elsewhere, unpack it and run tt-perf doctor --root DIR",
            r->options->record);
    return TTP_OK;
}

/* What cannot be asked for together. */
static ttp_code check_options(const struct doctor_run *r, struct ttp_err *err)
{
    const struct ttp_ctx *ctx = r->ctx;

    if (r->options->prometheus && ctx->show.form != TTP_FORM_TEXT &&
        ctx->show.form != TTP_FORM_PROMETHEUS) {
        ttp_fail(err, TTP_EUSAGE, "--prometheus conflicts with --format");
        ttp_err_hint(err, "omit --prometheus or --format %s", ctx->format);
        return TTP_EUSAGE;
    }
    if (r->options->bandwidth && (r->options->root || r->options->record)) {
        ttp_fail(err, TTP_EUSAGE, "--bandwidth conflicts with %s",
                 r->options->root ? "--root" : "--record");
        ttp_err_hint(err, "--bandwidth measures the machine it runs on");
        return TTP_EUSAGE;
    }
    return TTP_OK;
}

static ttp_code diagnose(struct doctor_run *r, struct ttp_err *err)
{
    struct ttp_arena *arena = r->ctx->arena;
    const struct ttp_words here = environment(arena);
    const struct ttp_words *env = r->options->root ? ttp_host_recorded_env(&r->host, arena) : &here;

    if (!r->options->root)
        ttp_host_metal_read(&r->metal, &here, arena);
    TTP_TRY(take_samples(r, err));
    ttp_doctor_run(
        &r->diagnosis,
        &(struct ttp_doctor_input){.host = &r->host,
                                   .first = &r->first,
                                   .second = r->two ? &r->second : NULL,
                                   .smi = r->options->smi ? &r->smi : NULL,
                                   .env = env,
                                   .expect = r->options->expect,
                                   .run = r->options->run ? &r->facts : NULL,
                                   .metal = &r->metal,
                                   .bandwidth = r->options->bandwidth ? &r->bandwidth : NULL},
        arena);
    return print(r, err);
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    struct doctor_run r = {.ctx = ctx, .options = opts};

    (void)operands;
    TTP_TRY(check_options(&r, err));
    if (r.options->record)
        return record(&r, err);
    if (r.options->smi)
        TTP_TRY(read_smi(&r, err));
    if (r.options->run)
        TTP_TRY(read_recorded_run(&r, err));
    TTP_TRY(ttp_host_open(&r.host, r.options->root, ctx->boards, ctx->arena, err));
    const ttp_code rc = diagnose(&r, err);
    ttp_host_close(&r.host);
    if (r.diagnosis.level[TTP_CHECK_FAIL] ||
        (r.options->fail_on && r.diagnosis.level[TTP_CHECK_WARN]))
        *status = rc == TTP_OK ? TTP_EXIT_FINDING : 0;
    return rc;
}

static const char *const formats[] = {TTP_TABLE_FORMATS, "prometheus", NULL};
static const struct ttp_document_spec *const documents[] = {&ttp_doctor_document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf doctor", "check this machine and its boards"},
    {"tt-smi -s --snapshot_no_tty | tt-perf doctor --smi -",
     "add what only tt-smi reports: DRAM, board power, why the clock is low"},
    {"tt-perf doctor --why low-throughput", "walk through the causes of a slow device"},
    {"tt-perf doctor --why low-throughput --run generated/profiler",
     "did a board throttle while this run was recorded"},
    {"tt-perf doctor --bandwidth -o bandwidth.json",
     "measure memory and links; tt-perf history add bandwidth.json keeps it"},
    {"tt-perf doctor --record lab3.tar", "save this machine for a colleague"},
    {"tt-perf doctor --quick --fail-on warn -q --format json", "a gate before a benchmark"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_doctor = {
    .name = "doctor",
    .summary = "check boards, driver, link, memory, clocks and host",
    .description =
        "Checks whether this machine suits its Tenstorrent boards. Each check reports PASS, INFO, "
        "WARN, FAIL, or SKIP if something could not be measured, with the value, the file it was "
        "read from, the limit and its source, and what to do.\n\n"
        "It reads only sysfs and procfs and never opens a device node, so a running job is not "
        "disturbed. Limits come from the firmware where it publishes them, then from a table of "
        "boards with sources, then from our own proposals, which are marked as such.",
    TTP_CMD_OPTIONS(options, struct doctor_opts),
    .defaults = &defaults,
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_COLOR | TTP_TAKES_PAGER | TTP_TAKES_OUTPUT |
             TTP_TAKES_TALK | TTP_TAKES_BOARDS | TTP_TAKES_TABLE,
    .formats = formats,
    .documents = documents,
    .examples = examples,
    .exit_notes = "1 if a check failed; with --fail-on warn also if one warned.",
    .run = run,
};
