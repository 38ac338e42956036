/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/outsink.h"
#include "core/cmd.h"
#include "synth/synth.h"

struct synth_opts {
    struct ttp_common_opts common;
    const char *dir, *faults, *plant;
    int64_t seed, ops, layers, devices, cores, replays, dumps, host_zones;
    const char *mesh, *straggler;
    int64_t ranks, hosts, iterations;
    double skew, clock_offset, drift, wander;
    int model, arch, bottleneck, only;
    bool even;
    bool counters, noc, sums, sub_devices, dispatch, sync;
};

#define FIELD(f) offsetof(struct synth_opts, f)

static const struct ttp_opt opts[] = {
    TTP_OPTION(STR, "output", FIELD(dir),
               "write the artifacts below DIR, which is created if needed; with --only, a file or "
               "'-' for standard output",
               .letter = 'o', .metavar = "DIR"),
    TTP_OPTION(CHOICE, "only", FIELD(only), "write only this file",
               .choices = ttp_synth_file_names),
    TTP_OPTION(CHOICE, "model", FIELD(model), "workload (default llm-decode)",
               .choices = ttp_synth_model_names, .group = "Workload"),
    TTP_OPTION(CHOICE, "arch", FIELD(arch), "chip (default wormhole_b0)",
               .choices = ttp_synth_arch_names),
    TTP_OPTION(INT, "seed", FIELD(seed), "seed of the noise; the same seed gives the same bytes",
               .metavar = "N", .max = INT64_MAX),
    TTP_OPTION(INT, "ops", FIELD(ops),
               "run N ops on each device, repeating or cutting the model as needed (default: one "
               "warm-up pass and one measured pass)",
               .metavar = "N", .max = TTP_SYNTH_MAX_OPS),
    TTP_OPTION(INT, "layers", FIELD(layers),
               "layers of the model (default 4 for a language model, 16 blocks for resnet)",
               .metavar = "N", .max = 1000),
    TTP_OPTION(INT, "devices", FIELD(devices),
               "split the model over N chips; with two or more there are ops between chips",
               .metavar = "N", .min = 1, .max = TTP_SYNTH_MAX_DEVICES),
    TTP_OPTION(INT, "cores", FIELD(cores), "worker cores that ops may use (default: all)",
               .metavar = "N", .min = 1, .max = 1024),
    TTP_OPTION(INT, "replays", FIELD(replays),
               "capture the second pass as a trace and replay it N times", .metavar = "N",
               .max = 100000),
    TTP_OPTION(FLAG, "sub-devices", FIELD(sub_devices),
               "run a prefetcher on its own sub-device (llm-decode)"),
    TTP_OPTION(CHOICE, "bottleneck", FIELD(bottleneck), "bottleneck of a tt-lang-kernel",
               .choices = ttp_synth_bottleneck_names),
    TTP_OPTION(STR, "plant", FIELD(plant),
               "instead of a model, make a small run with the problem that this rule of 'tt-perf "
               "advise' finds; RULE:fixed makes the same run without it; 'list' lists the rules",
               .metavar = "RULE"),
    TTP_OPTION(FLAG, "counters", FIELD(counters),
               "hardware counters; as in tt-metal, this excludes the C++ report",
               .group = "Recorded data"),
    TTP_OPTION(FLAG, "noc", FIELD(noc), "NoC events, with a trace file per execution"),
    TTP_OPTION(FLAG, "sums", FIELD(sums), "time that compute waits for its buffers"),
    TTP_OPTION(FLAG, "dispatch", FIELD(dispatch),
               "zones of a dispatch core; as in tt-metal, this excludes the C++ report"),
    TTP_OPTION(FLAG, "sync", FIELD(sync),
               "clock synchronisation of host and devices: sync_device_info.csv"),
    TTP_OPTION(INT, "dumps", FIELD(dumps), "write the device log in N blocks, like mid-run dumps",
               .metavar = "N", .max = 10000),
    TTP_OPTION(INT, "host-zones", FIELD(host_zones), "other host zones per op (default 10)",
               .metavar = "N", .max = 100000),
    TTP_OPTION(STR, "mesh", FIELD(mesh),
               "instead of a model, make a run on R rows of C chips with collectives along both "
               "axes: rank<N>/reports, and truth.json with the true clocks",
               .metavar = "RxC", .group = "Runs of many ranks"),
    TTP_OPTION(
        INT, "ranks", FIELD(ranks),
        "processes that share the chips of --mesh, row by row (default 1; without --mesh one "
        "chip each, in a row)",
        .metavar = "N", .min = 1, .max = TTP_SYNTH_MAX_MESH),
    TTP_OPTION(INT, "hosts", FIELD(hosts),
               "hosts that the ranks run on; each rank gets a rank.json with its host's clocks "
               "(default: none)",
               .metavar = "N", .min = 1, .max = TTP_SYNTH_MAX_MESH),
    TTP_OPTION(INT, "iterations", FIELD(iterations), "iterations of such a run (default 3)",
               .metavar = "N", .min = 1, .max = 10000),
    TTP_OPTION(FLOAT, "skew", FIELD(skew),
               "hosts are occasionally late by up to US microseconds (default 100)",
               .metavar = "US"),
    TTP_OPTION(STR, "straggler", FIELD(straggler),
               "matmuls of device D of rank R take PCT percent longer (default 15)",
               .metavar = "R:D[=PCT]"),
    TTP_OPTION(FLOAT, "clock-offset", FIELD(clock_offset),
               "chip clocks are up to S seconds apart (default 44)", .metavar = "S"),
    TTP_OPTION(FLOAT, "drift", FIELD(drift),
               "chip clocks run faster or slower by up to PPM (default 100)", .metavar = "PPM"),
    TTP_OPTION(FLOAT, "wander", FIELD(wander),
               "chip clocks change their rate by up to PPM every 0.3 to 3 ms (default 0)",
               .metavar = "PPM"),
    TTP_OPTION(FLAG, "even", FIELD(even),
               "all iterations take equally long, so that a missing one cannot be detected"),
    TTP_OPTION(STR, "faults", FIELD(faults),
               "faults to inject, separated by commas: lost-markers, missing-op, truncated, "
               "cut-message, duplicate-start, missing-device, never-replayed, no-messages, "
               "zone-without-op, old-columns, equal-starts, bad-preamble, old-preamble, empty-log, "
               "open-message, lost-zone",
               .metavar = "LIST"),
};

static const struct synth_opts defaults = {.seed = 1,
                                           .devices = 1,
                                           .host_zones = 10,
                                           .iterations = 3,
                                           .skew = 100,
                                           .clock_offset = 44,
                                           .drift = 100};

static const struct ttp_example examples[] = {
    {"tt-perf synth -o demo --devices 2 --replays 3",
     "two chips, a trace of a token replayed three times"},
    {"tt-perf synth -o kernel --model tt-lang-kernel --bottleneck reader --noc",
     "one kernel whose reader is too slow"},
    {"tt-perf synth --only device-log --ops 1200 --arch blackhole -o - | wc -c",
     "a hundred megabytes, not written to disk"},
    {"tt-perf synth -o slow --plant few-cores; tt-perf synth -o better --plant few-cores:fixed",
     "a problem, and the same run without it, for 'advise' and 'diff'"},
    {"tt-perf synth -o run --ranks 4 --mesh 4x8 --straggler 2:3 --wander 500",
     "32 chips, four processes, one slow chip, for 'mesh'"},
    {"tt-perf synth -o broken --faults lost-markers,missing-op", "damage as left by full buffers"},
    {NULL, NULL},
};

static ttp_code parse_faults(unsigned *out, const char *list, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    ttp_str rest = ttp_str_from(list);

    while (rest.len) {
        const size_t comma = ttp_str_find_char(rest, ',');
        const ttp_str word = ttp_str_trim(ttp_str_slice(rest, 0, comma));
        const int fault = ttp_opts_choice(ttp_synth_fault_names, word);
        if (fault < 0)
            return ttp_opts_fail_choice(ttp_synth_fault_names, ttp_arena_zstr(arena, word),
                                        "option '--faults': ", err);
        *out |= 1u << fault;
        rest = ttp_str_slice(rest, comma == TTP_NPOS ? rest.len : comma + 1, rest.len);
    }
    return TTP_OK;
}

/* "RULE" or "RULE:fixed". */
static ttp_code parse_plant(struct ttp_synth_options *out, const char *text,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    const ttp_str fixed = TTP_STR(":fixed");
    ttp_str rule = ttp_str_from(text);

    out->mended = ttp_str_ends(rule, fixed);
    rule.len -= out->mended ? fixed.len : 0;
    for (size_t i = 0; ttp_synth_plant_name(i); i++)
        if (ttp_str_eq(rule, ttp_str_from(ttp_synth_plant_name(i)))) {
            out->plant = ttp_synth_plant_name(i);
            return TTP_OK;
        }
    ttp_fail(err, TTP_EUSAGE, "option '--plant': no rule '%s'", ttp_arena_zstr(arena, rule));
    ttp_err_hint(err, "'tt-perf synth --plant list' lists them; RULE:fixed omits the problem");
    return TTP_EUSAGE;
}

static void list_plants(const struct ttp_ctx *ctx)
{
    for (size_t i = 0; ttp_synth_plant_name(i); i++)
        ttp_sink_printf(ctx->out, "%s\n", ttp_synth_plant_name(i));
}

/* One file, to standard output or anywhere. */
static ttp_code write_one(struct ttp_synth_totals *totals, const struct ttp_ctx *ctx,
                          const struct synth_opts *o, const struct ttp_synth_options *what,
                          struct ttp_err *err)
{
    struct ttp_outsink out;

    if (strcmp(o->dir, "-") == 0)
        ttp_ctx_exact(ctx); /* a log, as tt-metal writes it */
    if (strcmp(o->dir, "-") == 0)
        return ttp_synth_write_file(totals, ctx->out, (enum ttp_synth_file)o->only, what, err);
    TTP_TRY(ttp_outsink_open(&out, o->dir, err));
    const ttp_code rc =
        ttp_synth_write_file(totals, &out.sink, (enum ttp_synth_file)o->only, what, err);
    return ttp_outsink_close(&out, rc, err);
}

/* ---- many ranks ---- */

static ttp_code parse_mesh(struct ttp_synth_mesh *out, const struct synth_opts *o,
                           struct ttp_err *err)
{
    ttp_str part[3];
    uint64_t n[2];

    if (!o->mesh) {
        out->rows = 1;
        out->columns = out->ranks;
        return TTP_OK;
    }
    if (ttp_str_split(ttp_str_from(o->mesh), 'x', part, 3) != 2 ||
        !ttp_str_to_u64(part[0], &n[0]) || !ttp_str_to_u64(part[1], &n[1]) || n[0] < 1 ||
        n[1] < 1 || n[0] > TTP_SYNTH_MAX_MESH || n[1] > TTP_SYNTH_MAX_MESH)
        return ttp_fail(err, TTP_EUSAGE, "option '--mesh': '%s' is not ROWSxCOLUMNS", o->mesh);
    out->rows = (uint32_t)n[0];
    out->columns = (uint32_t)n[1];
    return TTP_OK;
}

/* "1:3" or "1:3=20" */
static ttp_code parse_straggler(struct ttp_synth_mesh *out, const char *text, struct ttp_err *err)
{
    ttp_str half[3], part[3];
    uint64_t rank, id, pct = 15;

    if (!text)
        return TTP_OK;
    const size_t halves = ttp_str_split(ttp_str_from(text), '=', half, 3);
    if (halves < 1 || halves > 2 || ttp_str_split(half[0], ':', part, 3) != 2 ||
        !ttp_str_to_u64(part[0], &rank) || !ttp_str_to_u64(part[1], &id) ||
        (halves == 2 && !ttp_str_to_u64(half[1], &pct)) || rank > TTP_SYNTH_MAX_MESH ||
        id > TTP_SYNTH_MAX_MESH || pct > 1000)
        return ttp_fail(err, TTP_EUSAGE, "option '--straggler': '%s' is not RANK:DEVICE[=PERCENT]",
                        text);
    out->has_straggler = true;
    out->straggler_rank = (uint32_t)rank;
    out->straggler_id = (uint32_t)id;
    out->slow = (double)pct / 100;
    return TTP_OK;
}

static ttp_code write_mesh(const struct ttp_ctx *ctx, const struct synth_opts *o,
                           struct ttp_err *err)
{
    struct ttp_synth_mesh mesh = {.seed = (uint64_t)o->seed,
                                  .arch = o->arch,
                                  .ranks = o->ranks ? (uint32_t)o->ranks : 1,
                                  .hosts = (uint32_t)o->hosts,
                                  .iterations = (uint32_t)o->iterations,
                                  .layers = o->layers ? (uint32_t)o->layers : 5,
                                  .skew_us = o->skew,
                                  .offset_s = o->clock_offset,
                                  .drift_ppm = o->drift,
                                  .wander_ppm = o->wander,
                                  .even = o->even};
    struct ttp_synth_totals totals;

    TTP_TRY(parse_mesh(&mesh, o, err));
    TTP_TRY(parse_straggler(&mesh, o->straggler, err));
    if (!(o->skew >= 0 && o->skew <= 1e6) || !(o->clock_offset >= 0 && o->clock_offset <= 1e6) ||
        !(o->drift >= 0 && o->drift <= 1e5) || !(o->wander >= 0 && o->wander <= 1e5))
        return ttp_fail(
            err, TTP_EUSAGE,
            "--skew and --offset must be 0 to 1000000, --drift and --wander 0 to 100000");
    TTP_TRY(ttp_synth_write_mesh(&totals, o->dir, &mesh, err));
    ttp_ctx_say(ctx,
                "wrote %s: %" PRIu64 " ops on %" PRIu32 " x %" PRIu32 " chips, %" PRIu64 " files",
                o->dir, totals.ops, mesh.rows, mesh.columns, totals.files);
    return TTP_OK;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *options,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct synth_opts *o = options;
    struct ttp_synth_options what = {
        .seed = (uint64_t)o->seed,
        .model = (enum ttp_synth_model)o->model,
        .arch = o->arch,
        .ops = (uint32_t)o->ops,
        .layers = (uint32_t)o->layers,
        .devices = (uint32_t)o->devices,
        .cores = (uint32_t)o->cores,
        .replays = (uint32_t)o->replays,
        .dumps = (uint32_t)o->dumps,
        .host_zones = (uint32_t)o->host_zones,
        .counters = o->counters,
        .noc = o->noc,
        .sums = o->sums,
        .sub_devices = o->sub_devices,
        .dispatch = o->dispatch,
        .sync = o->sync,
        .bottleneck = (enum ttp_synth_bottleneck)o->bottleneck,
    };
    struct ttp_synth_totals totals;
    struct ttp_progress progress;

    (void)status, (void)operands;
    if (o->plant && strcmp(o->plant, "list") == 0) {
        list_plants(ctx);
        return TTP_OK;
    }
    if (o->plant)
        TTP_TRY(parse_plant(&what, o->plant, ctx->arena, err));
    TTP_TRY(parse_faults(&what.faults, o->faults, ctx->arena, err));
    if (!o->dir) {
        ttp_fail(err, TTP_EUSAGE, "missing output folder: use '-o'");
        ttp_err_hint(err, "for example: tt-perf synth -o demo");
        return TTP_EUSAGE;
    }
    if (strcmp(o->dir, "-") == 0 && o->only == TTP_SYNTH_ALL_FILES)
        return ttp_fail(err, TTP_EUSAGE,
                        "standard output needs a single file: choose it with '--only'");
    if (o->mesh || o->ranks)
        return write_mesh(ctx, o, err);
    ttp_progress_init(&progress, "writing the device log", 0, !ctx->quiet);
    what.progress = &progress;
    const ttp_code rc = o->only == TTP_SYNTH_ALL_FILES
                            ? ttp_synth_write_folder(&totals, o->dir, &what, err)
                            : write_one(&totals, ctx, o, &what, err);
    ttp_progress_clear(&progress);
    if (rc != TTP_OK)
        return rc;
    if (strcmp(o->dir, "-") != 0)
        ttp_ctx_say(ctx, "wrote %s: %" PRIu64 " op%s, %" PRIu64 " file%s", o->dir, totals.ops,
                    totals.ops == 1 ? "" : "s", totals.files, totals.files == 1 ? "" : "s");
    ttp_ctx_note(ctx, "%" PRIu64 " executions, %" PRIu64 " markers; %" PRIu64 " bytes",
                 totals.executions, totals.markers, totals.bytes);
    return TTP_OK;
}

const struct ttp_cmd cmd_synth = {
    .name = "synth",
    .args = "-o DIR",
    .summary = "generate a synthetic run, to try tt-perf without a card",
    .description =
        "Writes the files that tt-metal's profiler would leave for a synthetic run: the device "
        "log, the C++ report, Tracy's messages and zones, NoC traces, zone source locations and "
        "cluster files. Times follow from op sizes and the chip's peak rates, so that reports "
        "look real: some ops are bound by DRAM, some are slow, sometimes the host is late. Use "
        "it to try tt-perf without a card, and to test it.\n\n"
        "The same options give the same bytes on every machine. Nothing is measured: the numbers "
        "say nothing about the chip.",
    TTP_CMD_OPTIONS(opts, struct synth_opts),
    .defaults = &defaults,
    .takes = TTP_TAKES_TALK | TTP_TAKES_LIMITS | TTP_TAKES_TIME | TTP_TAKES_NO_INPUT,
    .examples = examples,
    .run = run,
};
