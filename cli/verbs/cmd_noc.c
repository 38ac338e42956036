/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_noc.c - `tt-perf noc`: NoC traffic of programs, and its cost. */
#include "base/outsink.h"
#include "core/run_input.h"
#include "dropin/dropin.h"
#include "outputs/outputs.h"
#include "run/run.h"

static const struct ttp_noc_verb defaults = {
    .cycles_per_timestep = 32, .links = 10, .timeline_version = 1};

/* Of a run host ID: the rest is the number of the program. */
#define DEVICE_BITS 10

static const char *const congestion_words[] = {"fast", "none", NULL};
static const char *const version_words[] = {"0", "1", NULL};

#define FIELD(name) offsetof(struct ttp_noc_verb, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(
        STR, "program", FIELD(program),
        "show one program of a folder in detail: the ID that report has for its op, run host "
        "ID, program number, 'last', or the name of an op that ran once",
        .metavar = "ID", .group = "Selection"),
    TTP_OPTION(INT, "links", FIELD(links), "list the N busiest links (default: 10)", .metavar = "N",
               .min = 1, .max = 100000),
    TTP_OPTION(STR, "svg", FIELD(svg),
               "draw the links and cores of one program on the grid of each chip",
               .metavar = "FILE"),
    TTP_OPTION(STR, "timeline", FIELD(timeline),
               "write a timeline of one program for ttnn-visualizer, such as x.npeviz.json; "
               "compressed if the name ends in .zst",
               .metavar = "FILE"),
    TTP_OPTION(CHOICE, "timeline-version", FIELD(timeline_version),
               "format of the timeline (default: 1)", .choices = version_words),
    TTP_OPTION(STR, "rank", FIELD(rank),
               "rank N of a folder with several ranks (default the first)", .metavar = "N"),
    TTP_OPTION(STR, "device", FIELD(device),
               "only chip D of a folder (of rank R), as [R:]D; or the model: wormhole_b0, N150, "
               "N300, T3K, GALAXY, TG, P100, P150, P300, P150_X8, "
               "BLACKHOLE_GALAXY and more (default: from topology.json, else guessed from the "
               "traces)",
               .letter = 'd', .metavar = "NAME", .group = "Estimation"),
    TTP_OPTION(
        STR, "topology", FIELD(topology),
        "file that describes how chips are connected (default: topology.json next to the traces)",
        .metavar = "FILE"),
    TTP_OPTION(INT, "cycles-per-timestep", FIELD(cycles_per_timestep),
               "simulate in steps of N cycles (default: 32)", .letter = 'c', .metavar = "N",
               .min = 1, .max = 1000000),
    TTP_OPTION(CHOICE, "congestion", FIELD(congestion),
               "how transfers share links; none disables sharing (default: fast)",
               .choices = congestion_words),
    TTP_OPTION(FLAG, "no-injection-rate-inference", FIELD(keep_injection),
               "use the injection rates in a workload file, not those of the core type"),
    TTP_OPTION(FLOAT, "scale-workload-schedule", FIELD(scale), "multiply transfer start times by X",
               .metavar = "X"),
};

/* --device is a chip of the run if it is a number, maybe after a rank, else a model. */
static const char *chip_of(const struct ttp_noc_verb *o)
{
    return o->device && strspn(o->device, "0123456789:") == strlen(o->device) ? o->device : NULL;
}

static ttp_code make_plan(struct ttp_noc_plan *plan, const struct ttp_noc_verb *o,
                          const struct ttp_noc_rules *rules, const struct ttp_words *operands,
                          struct ttp_err *err)
{
    *plan = (struct ttp_noc_plan){
        .options = {.cycles_per_step = (uint32_t)o->cycles_per_timestep,
                    .no_congestion = o->congestion == 1,
                    .keep_injection = o->keep_injection,
                    .scale = (float)o->scale,
                    .rules = *rules},
        .device = chip_of(o) ? NULL : o->device,
        .topology = o->topology,
        .top = (size_t)o->links,
        .threads = (unsigned)o->common.threads,
        .keep = o->program || o->svg || o->timeline,
    };
    if (!(o->scale >= 0) || o->scale > 1e6)
        return ttp_fail(err, TTP_EUSAGE, "--scale-workload-schedule must be from 0 to 1000000");
    if (chip_of(o)) {
        const char *colon = strrchr(o->device, ':');
        plan->one_chip = ttp_str_to_i64(ttp_str_from(colon ? colon + 1 : o->device), &plan->chip);
    }
    /* one file: all about it */
    plan->keep |= operands->count == 1 && !ttp_file_is_dir(operands->word[0]);
    return TTP_OK;
}

/* As kernel and annotate take it, by one rule for all of them; else as the traces call it. */
static void choose_program(struct ttp_noc_plan *plan, const char *word, const struct ttp_ctx *ctx,
                           const struct ttp_words *runs)
{
    const struct ttp_kernel_request request = {.dir = runs->count ? runs->word[0] : "",
                                               .program = word,
                                               .traces = true,
                                               .host = true,
                                               .threads = plan->threads};
    struct ttp_ctx silent = *ctx;
    struct ttp_kernel_input in;
    struct ttp_err ignored = {0};
    size_t n = 0;

    silent.quiet = true;
    plan->by_name = true;
    if (runs->count == 1 && ttp_file_is_dir(request.dir) && !plan->options.rules.strict &&
        strcmp(word, "all") != 0 &&
        ttp_run_input_kernels(&in, request, &silent, &ignored) == TTP_OK)
        n = in.report.nprograms;
    if (n)
        plan->op_id = in.report.program[0].key.run_id >> DEVICE_BITS;
    for (size_t i = 1; i < n; i++) /* on several devices, or the name of several */
        if (in.report.program[i].key.run_id >> DEVICE_BITS != plan->op_id)
            n = 0;
    if (n == 0 && !ttp_str_to_u64(ttp_str_from(word), &plan->op_id))
        plan->op = word;
}

static ttp_code write_svg(const char *path, const struct ttp_noc_view *view, struct ttp_err *err)
{
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, path, err));
    ttp_out_noc_svg(&out.sink, view, &out.arena);
    return ttp_outsink_close(&out, TTP_OK, err);
}

static ttp_code write_files(const struct ttp_noc_verb *o, const struct ttp_noc_results *r,
                            struct ttp_err *err)
{
    if (!o->svg && !o->timeline)
        return TTP_OK;
    if (r->count != 1) {
        ttp_fail(err, TTP_EUSAGE, "a picture or timeline needs one program, got %zu", r->count);
        ttp_err_hint(err, "choose one with --program");
        return TTP_EUSAGE;
    }
    if (o->svg)
        TTP_TRY(write_svg(o->svg, r->view, err));
    if (!o->timeline)
        return TTP_OK;
    return ttp_dropin_timeline(o->timeline, r->view, r->topology, o->timeline_version, err);
}

/* Figures as another tool names and writes them. */
static void put_json(const struct ttp_show *show, const struct ttp_noc_manner *manner,
                     const struct ttp_noc_results *r)
{
    struct ttp_json_writer w = {.sink = show->out};

    ttp_envelope_begin(&w, manner->schema, show->inputs);
    manner->put_json(&w, r->view, r->count);
    ttp_envelope_end(&w, show->warnings, false);
}

/* JSON has the warnings in it, and stderr then is for the error object alone. */
static void tell(const struct ttp_ctx *ctx, const struct ttp_noc_results *r)
{
    for (size_t i = 0; i < r->warnings.count && ctx->show.form != TTP_FORM_JSON; i++)
        ttp_ctx_warn(ctx, "%s", r->warnings.word[i]);
    for (size_t i = 0; i < r->notes.count; i++)
        ttp_ctx_note(ctx, "%s", r->notes.word[i]);
}

ttp_code ttp_noc_show(int *status, const struct ttp_ctx *ctx, const struct ttp_noc_verb *o,
                      const struct ttp_words *runs, const struct ttp_noc_manner *manner,
                      struct ttp_err *err)
{
    struct ttp_noc_plan plan;
    struct ttp_noc_results results = {0};

    if (manner->put_json && ctx->show.form == TTP_FORM_JSON)
        TTP_TRY(ttp_show_check_whole_json(&ctx->show, err));
    TTP_TRY(make_plan(&plan, o, &manner->rules, runs, err));
    if (o->program)
        choose_program(&plan, o->program, ctx, runs);
    ttp_code rc = ttp_noc_estimate_all(&results, runs, &plan, ctx->arena, err);
    tell(ctx, &results);
    if (rc == TTP_OK && !manner->put_json && runs->count == 1 && ttp_file_is_dir(runs->word[0]))
        ttp_run_name_programs(&results,
                              &(struct ttp_program_names){runs->word[0], ctx->boards, plan.threads},
                              ctx->arena);
    if (rc == TTP_EPARSE && err && !err->hint[0] && !manner->rules.strict)
        ttp_err_hint(err, "give a NoC trace (noc_trace_*.json), a workload of tt-npe, or a folder "
                          "of traces");
    if (rc == TTP_OK)
        rc = write_files(o, &results, err);
    struct ttp_show show = ctx->show;
    show.inputs = runs;
    show.warnings = &results.warnings;
    if (rc == TTP_OK && manner->put_json && show.form == TTP_FORM_JSON)
        put_json(&show, manner, &results);
    else if (rc == TTP_OK)
        rc = ttp_out_noc(&show, results.view, results.count, plan.keep, err);
    if (rc == TTP_OK && results.failed)
        *status = TTP_EXIT_FINDING;
    ttp_noc_results_clear(&results);
    return rc;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    static const struct ttp_noc_manner manner;
    const struct ttp_noc_verb *o = opts;
    struct ttp_words runs;

    TTP_TRY(ttp_run_operands(&runs, operands, ctx->arena, err));
    for (size_t i = 0; i < runs.count; i++) {
        struct ttp_run_choice choice = {.rank = o->rank, .device = chip_of(o)};
        TTP_TRY(ttp_run_choose_process(&runs.word[i], &choice, ctx->arena, err));
        if (choice.note)
            ttp_ctx_say(ctx, "%s", choice.note);
    }
    return ttp_noc_show(status, ctx, opts, &runs, &manner, err);
}

static const struct ttp_document_spec *const documents[] = {&ttp_noc_document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf noc generated/profiler", "one row per program of a run"},
    {"tt-perf noc --sort congestion_percent --top 5 generated/profiler",
     "the programs with the highest congestion cost"},
    {"tt-perf noc generated/profiler --program 12 --svg map.svg",
     "one program in detail, with a map of its links"},
    {"tt-perf noc trace.json --timeline trace.npeviz.json.zst", "a timeline for ttnn-visualizer"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_noc = {
    .name = "noc",
    .args = "[DIR|FILE...]",
    .summary = "show NoC traffic of programs and the cost of congestion",
    .description =
        "Reads the NoC traces of a run (noc_trace_dev*.json of tt-metal, merged traces and "
        "workload files of tt-npe; .gz and .zst are fine) and estimates for each program how "
        "long its transfers take on the NoC, with and without congestion. The default is the "
        "folder that tt-metal would use.\n\n"
        "Two kinds of utilisation are shown. 'Offered' is tt-npe's: the demand of transfers "
        "before links are shared, which counts waiting data repeatedly. 'Carried' is exact: each "
        "byte once per link.\n\n"
        "For one file, or with --program, a program is shown in detail: maps of links and cores, "
        "balance of DRAM controllers, NoCs and cores, sizes, multicasts and waits at barriers.",
    TTP_CMD_OPTIONS(options, struct ttp_noc_verb),
    .defaults = &defaults,
    .takes = TTP_TAKES_REPORT | TTP_TAKES_THREADS,
    .formats = ttp_table_formats,
    .documents = documents,
    .operand = TTP_OPERAND_FILE,
    .max_operands = -1,
    .examples = examples,
    .exit_notes = "1 if some, but not all, programs could not be estimated.",
    .run = run,
};
