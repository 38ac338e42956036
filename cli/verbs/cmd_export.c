/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_export.c - `tt-perf export`: a recording in the forms other tools read. */
#include <inttypes.h>

#include "base/outsink.h"
#include "core/verbs.h"
#include "run/run.h"
#include "verbs/export_tracy.h"
#include "verbs/recordings.h"

static const char *const version_words[] = {"auto", "0.10", "0.13", NULL}; /* as ttp_tracy_form */

#define FIELD(name) offsetof(struct ttp_export_verb, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(STR, "output", FIELD(output),
               "csv: write into this folder (default: current folder); tracy: write this file "
               "(default: the recording's name with .tracy)",
               .letter = 'o', .metavar = "DIR", .group = "Output"),
    TTP_OPTION(STR, "rank", FIELD(rank),
               "the recording of rank N, if RUN is a folder with several (default the first)",
               .metavar = "N", .group = "Input"),
    TTP_OPTION(FLAG, "all-zones", FIELD(all_zones),
               "also write zones.csv, like csvexport -u of upstream Tracy", .group = "As CSV"),
    TTP_OPTION(STR, "parent", FIELD(parent),
               "take special_parent_text from the nearest enclosing zone whose name contains WORD "
               "(default TT_)",
               .metavar = "WORD"),
    TTP_OPTION(STR, "child-functions", FIELD(children),
               "also add it to these zones, separated by commas (always: CompileProgram and "
               "HWCommandQueue_write_buffer)",
               .metavar = "NAMES"),
    TTP_OPTION(CHOICE, "tracy-version", FIELD(version),
               "write the file for viewers of this version and later: 0.10 (also read by viewers "
               "up to 0.14.0) or 0.13; by default, for the viewer of the program's own Tracy",
               .choices = version_words, .group = "As .tracy"),
    TTP_OPTION(STR, "capture-tool", FIELD(tool),
               "play the raw stream to Tracy's capture program, which writes the file; 'auto' "
               "looks for tracy-capture or capture-release on PATH or below TT_METAL_HOME",
               .metavar = "FILE"),
    TTP_OPTION(INT, "port", FIELD(port),
               "like --capture-tool, but wait for that program on this port instead of starting it",
               .letter = 'p', .metavar = "PORT", .max = 65535),
};

struct csv_file {
    const struct ttp_trace *trace;
    struct ttp_csv_options options;
    void (*write)(struct ttp_sink *out, const struct ttp_trace *trace,
                  const struct ttp_csv_options *options, struct ttp_arena *scratch);
};

static ttp_code write_csv(const struct csv_file *file, const char *folder, const char *name,
                          const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const char *path = ttp_file_join(folder, name, ctx->arena);
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, path, err));
    file->write(&out.sink, file->trace, &file->options, &out.arena);
    TTP_TRY(ttp_outsink_close(&out, TTP_OK, err));
    ttp_sink_printf(ctx->out, "%s\n", path);
    return TTP_OK;
}

static ttp_code export_csv(const struct ttp_ctx *ctx, const struct ttp_export_verb *o,
                           const struct ttp_export_manner *cells, const char *path,
                           struct ttp_err *err)
{
    const char *folder = o->output ? o->output : ".";
    struct ttp_trace_reading reading = {.zones = TTP_ZONES_ALL, .progress = !ctx->quiet};
    struct csv_file messages = {.write = ttp_capture_trace_write_messages},
                    zones = {.write = ttp_capture_trace_write_zones};
    struct ttp_words special = {0};
    struct ttp_trace trace;

    ttp_words_add(&special, "CompileProgram", ctx->arena);
    ttp_words_add(&special, "HWCommandQueue_write_buffer", ctx->arena);
    ttp_recording_split(&special, o->children, ctx->arena);
    ttp_recording_split(&reading.children, o->children, ctx->arena);
    TTP_TRY(ttp_capture_trace_read(&trace, path, &reading, ctx->arena, err));
    ttp_recording_tell(ctx, path, &trace);
    TTP_TRY(ttp_file_make_dirs(folder, err));
    messages.trace = zones.trace = &trace;
    messages.options = (struct ttp_csv_options){.sep = ";"};
    zones.options = (struct ttp_csv_options){
        .generation = cells->own_columns ? ttp_recording_generation(&trace) : TTP_CSV_0_13,
        .sticky_cells = cells->sticky_cells,
        .raw_cells = cells->raw_cells,
        .parent = o->parent ? o->parent : "TT_",
        .special = special,
    };
    TTP_TRY(write_csv(&zones, folder, "tracy_ops_times.csv", ctx, err));
    TTP_TRY(write_csv(&messages, folder, "tracy_ops_data.csv", ctx, err));
    zones.options.generation = TTP_CSV_UPSTREAM;
    return o->all_zones ? write_csv(&zones, folder, "zones.csv", ctx, err) : TTP_OK;
}

/* The recording of a folder, of one rank if it has several. */
static ttp_code find_recording(const char **path, const char *rank, const struct ttp_ctx *ctx,
                               struct ttp_err *err)
{
    struct ttp_run_choice choice = {.rank = rank};
    struct ttp_log_paths paths;

    if (!ttp_file_is_dir(*path) && !rank)
        return TTP_OK;
    TTP_TRY(ttp_run_choose_process(path, &choice, ctx->arena, err));
    if (choice.note)
        ttp_ctx_say(ctx, "%s", choice.note);
    TTP_TRY(ttp_logs_find(&paths, *path, ctx->arena, err));
    if (!paths.capture && !paths.tracy)
        return ttp_fail(err, TTP_ENOTFOUND, "'%s' has no recording", *path);
    *path = paths.capture ? paths.capture : paths.tracy;
    return TTP_OK;
}

static const char *const forms[] = {"csv", "tracy", NULL};

ttp_code ttp_export_run(int *status, const struct ttp_ctx *ctx, const struct ttp_export_verb *o,
                        const struct ttp_words *operands, const struct ttp_export_manner *cells,
                        struct ttp_err *err)
{
    const char *recording = operands->word[1];

    TTP_TRY(find_recording(&recording, o->rank, ctx, err));
    if (strcmp(operands->word[0], "csv") == 0)
        return export_csv(ctx, o, cells, recording, err);
    const struct ttp_export_tracy export = {
        .recording = recording,
        .output = o->output,
        .tool = o->tool,
        .port = (uint16_t)o->port,
        .form = (enum ttp_tracy_form)o->version,
    };
    return ttp_export_tracy(status, ctx, &export, err);
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    static const struct ttp_export_manner ours = {0};

    return ttp_export_run(status, ctx, opts, operands, &ours, err);
}

static const struct ttp_example examples[] = {
    {"tt-perf export csv run.tracy -o csv", "the two CSVs that tt-metal makes with csvexport"},
    {"tt-perf export tracy run.ttcap", "run.tracy, for Tracy's own viewer"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_export = {
    .name = "export",
    .args = "csv|tracy RUN",
    .summary = "convert a recording to CSV files or a .tracy file",
    .description =
        "RUN is a .tracy file (0.9 to 0.14), a capture file of 'tt-perf record', the raw bytes "
        "that a Tracy client sent, or a folder with one of the first two.\n\n"
        "'export csv' writes tracy_ops_times.csv and tracy_ops_data.csv, which tt-metal's "
        "scripts and 'tt-perf ops' read. If the recording dropped zones on arrival, only those "
        "that these tools need are left, and export warns; 'tt-perf record --zones all' keeps "
        "the rest.\n\n"
        "'export tracy' writes a .tracy file for Tracy's viewer and its other tools: zones, "
        "messages and named memory; if the recording has the raw stream ('tt-perf record --raw' "
        "or '--tracy-file'), also the zones that were dropped on arrival, device zones, plots, "
        "frames and all memory. Call stacks, samples, locks and context switches are not "
        "written; with '--capture-tool' or '--port', Tracy's own capture program receives the "
        "raw stream and writes the file with them. Called as 'tracy-csvexport' or "
        "'csvexport-release', "
        "tt-perf accepts the options of those programs.",
    TTP_CMD_OPTIONS(options, struct ttp_export_verb),
    .takes = TTP_TAKES_TALK | TTP_TAKES_LIMITS | TTP_TAKES_TIME,
    .operand = TTP_OPERAND_ACTION,
    .words = forms,
    .min_operands = 2,
    .max_operands = 2,
    .examples = examples,
    .exit_notes = "4 if '--capture-tool auto' does not find Tracy's capture program.",
    .run = run,
};
