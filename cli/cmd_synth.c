/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/outsink.h"
#include "cmd.h"
#include "synth/synth.h"

struct synth_opts {
    struct ttp_common_opts common;
    const char *dir, *faults, *plant;
    int64_t seed, ops, layers, devices, cores, replays, dumps, host_zones;
    int model, arch, bottleneck, only;
    bool counters, noc, sums, sub_devices, dispatch, sync;
};

#define FIELD(f) offsetof(struct synth_opts, f)

static const struct ttp_opt opts[] = {
    {.name = "output",
     .letter = 'o',
     .type = TTP_OPT_STR,
     .offset = FIELD(dir),
     .metavar = "DIR",
     .help = "write the artifacts below DIR, which is made if need be; with --only, a file or '-' "
             "for standard output"},
    {.name = "only",
     .type = TTP_OPT_CHOICE,
     .offset = FIELD(only),
     .choices = ttp_synth_file_names,
     .help = "write this file alone"},
    {.name = "model",
     .type = TTP_OPT_CHOICE,
     .offset = FIELD(model),
     .choices = ttp_synth_model_names,
     .group = "the run",
     .help = "what is computed; llm-decode unless given"},
    {.name = "arch",
     .type = TTP_OPT_CHOICE,
     .offset = FIELD(arch),
     .choices = ttp_synth_arch_names,
     .help = "chip it runs on; wormhole_b0 unless given"},
    {.name = "seed",
     .type = TTP_OPT_INT,
     .offset = FIELD(seed),
     .metavar = "N",
     .max = INT64_MAX,
     .help = "where the noise comes from; the same number gives the same bytes"},
    {.name = "ops",
     .type = TTP_OPT_INT,
     .offset = FIELD(ops),
     .metavar = "N",
     .max = TTP_SYNTH_MAX_OPS,
     .help = "call N ops on each device, repeating the model or stopping within it; by default a "
             "pass to warm up and one to measure"},
    {.name = "layers",
     .type = TTP_OPT_INT,
     .offset = FIELD(layers),
     .metavar = "N",
     .max = 1000,
     .help = "layers of the model; 4 of a language model, 16 blocks of resnet unless given"},
    {.name = "devices",
     .type = TTP_OPT_INT,
     .offset = FIELD(devices),
     .metavar = "N",
     .min = 1,
     .max = TTP_SYNTH_MAX_DEVICES,
     .help = "share the model out over N chips; ops between chips appear from two on"},
    {.name = "cores",
     .type = TTP_OPT_INT,
     .offset = FIELD(cores),
     .metavar = "N",
     .min = 1,
     .max = 1024,
     .help = "worker cores that ops may use; all of the chip's unless given"},
    {.name = "replays",
     .type = TTP_OPT_INT,
     .offset = FIELD(replays),
     .metavar = "N",
     .max = 100000,
     .help = "capture the second pass as a trace and replay it N times"},
    {.name = "sub-devices",
     .type = TTP_OPT_FLAG,
     .offset = FIELD(sub_devices),
     .help = "let a prefetcher run on a sub-device of its own (llm-decode)"},
    {.name = "bottleneck",
     .type = TTP_OPT_CHOICE,
     .offset = FIELD(bottleneck),
     .choices = ttp_synth_bottleneck_names,
     .help = "what holds a tt-lang-kernel up"},
    {.name = "plant",
     .type = TTP_OPT_STR,
     .offset = FIELD(plant),
     .metavar = "RULE",
     .help = "in place of a model a small run with the problem that this rule of 'tt-perf advise' "
             "finds; RULE:fixed is the same run without it, and 'list' names the rules"},
    {.name = "counters",
     .type = TTP_OPT_FLAG,
     .offset = FIELD(counters),
     .group = "what is recorded",
     .help = "hardware counters; as with tt-metal there is then no C++ report"},
    {.name = "noc",
     .type = TTP_OPT_FLAG,
     .offset = FIELD(noc),
     .help = "NoC events, and a trace file for each execution"},
    {.name = "sums",
     .type = TTP_OPT_FLAG,
     .offset = FIELD(sums),
     .help = "time that compute waited for its buffers"},
    {.name = "dispatch",
     .type = TTP_OPT_FLAG,
     .offset = FIELD(dispatch),
     .help = "zones of a dispatch core; as with tt-metal there is then no C++ report"},
    {.name = "sync",
     .type = TTP_OPT_FLAG,
     .offset = FIELD(sync),
     .help = "how the clocks of host and devices compare: sync_device_info.csv"},
    {.name = "dumps",
     .type = TTP_OPT_INT,
     .offset = FIELD(dumps),
     .metavar = "N",
     .max = 10000,
     .help = "write the device log in N blocks, as dumps in mid-run do"},
    {.name = "host-zones",
     .type = TTP_OPT_INT,
     .offset = FIELD(host_zones),
     .metavar = "N",
     .max = 100000,
     .help = "other zones of the host for each op; 10 unless given"},
    {.name = "faults",
     .type = TTP_OPT_STR,
     .offset = FIELD(faults),
     .metavar = "LIST",
     .help = "what goes wrong, separated by commas: lost-markers, missing-op, truncated, "
             "cut-message, duplicate-start, missing-device, never-replayed, no-messages, "
             "zone-without-op, old-columns, equal-starts, bad-preamble, old-preamble, empty-log, "
             "open-message, lost-zone"},
};

static const struct synth_opts defaults = {.seed = 1, .devices = 1, .host_zones = 10};

static const struct ttp_example examples[] = {
    {"tt-perf synth -o demo --devices 2 --replays 3",
     "two chips, a trace of a token replayed three times"},
    {"tt-perf synth -o kernel --model tt-lang-kernel --bottleneck reader --noc",
     "one kernel whose reader is too slow"},
    {"tt-perf synth --only device-log --ops 1200 --arch blackhole -o - | wc -c",
     "a hundred megabytes that never touch the disk"},
    {"tt-perf synth -o slow --plant few-cores; tt-perf synth -o better --plant few-cores:fixed",
     "a problem, and the same run without it, for 'advise' and 'diff'"},
    {"tt-perf synth -o broken --faults lost-markers,missing-op", "what full buffers leave behind"},
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
    ttp_err_hint(err, "'tt-perf synth --plant list' names them; RULE:fixed has the problem fixed");
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
                          struct ttp_progress *progress, struct ttp_err *err)
{
    struct ttp_outsink out;

    if (strcmp(o->dir, "-") == 0)
        ttp_ctx_exact(ctx); /* a log, as tt-metal writes it */
    if (strcmp(o->dir, "-") == 0)
        return ttp_synth_write_file(totals, ctx->out, (enum ttp_synth_file)o->only, what, progress,
                                    err);
    TTP_TRY(ttp_outsink_open(&out, o->dir, err));
    const ttp_code rc =
        ttp_synth_write_file(totals, &out.sink, (enum ttp_synth_file)o->only, what, progress, err);
    return ttp_outsink_close(&out, rc, err);
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
        ttp_fail(err, TTP_EUSAGE, "where to? give a folder with '-o'");
        ttp_err_hint(err, "for example: tt-perf synth -o demo");
        return TTP_EUSAGE;
    }
    if (strcmp(o->dir, "-") == 0 && o->only == TTP_SYNTH_ALL_FILES)
        return ttp_fail(err, TTP_EUSAGE, "standard output takes one file: choose it with '--only'");
    ttp_progress_init(&progress, "writing the device log", 0, !ctx->quiet);
    const ttp_code rc = o->only == TTP_SYNTH_ALL_FILES
                            ? ttp_synth_write_folder(&totals, o->dir, &what, &progress, err)
                            : write_one(&totals, ctx, o, &what, &progress, err);
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
    .summary = "make up a run: try tt-perf without a card",
    .description =
        "Writes what tt-metal's profiler leaves behind after a run that never happened: the device "
        "log, the C++ report, Tracy's messages and zones, NoC traces, zone source locations and "
        "cluster files. Times follow from the ops' sizes and the chip's peak rates, so that "
        "reports "
        "look like real ones: some ops are bound by DRAM, some are slow, sometimes the host is "
        "late. To try tt-perf without a card, and to test it.\n\n"
        "The same options give the same bytes on every machine. Nothing here was measured: the "
        "numbers say nothing about the chip.",
    .opt = opts,
    .nopt = TTP_COUNT(opts),
    .opts_size = sizeof(struct synth_opts),
    .defaults = &defaults,
    .takes = TTP_TAKES_TALK | TTP_TAKES_LIMITS | TTP_TAKES_TIME | TTP_TAKES_NO_INPUT,
    .examples = examples,
    .run = run,
};
