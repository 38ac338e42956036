/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_kernel.c - `tt-perf kernel`: what one kernel did, and its bottleneck. */
#include "base/shell_lines.h"
#include "core/run_input.h"
#include "core/source_roots.h"
#include "core/verbs.h"
#include "outputs/outputs.h"
#include "run/run.h"

/* Positions are those of enum ttp_kernel_section. */
static const char *const section_names[] = {"perf",       "threads", "signposts", "flow", "pipes",
                                            "bottleneck", "targets", "repeat",    NULL};

/* More programs than this are too many to read; JSON has all. */
#define SHOWN 16

#define FIELD(name) offsetof(struct ttp_kernel_verb, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(LIST, "section", FIELD(sections),
               "only these sections, separated by commas: perf, threads, signposts, flow, pipes, "
               "bottleneck, targets, repeat; may be repeated",
               .metavar = "LIST", .group = "Selection"),
    TTP_OPTION(STR, "program", FIELD(program),
               "select an invocation by the ID that report has for its op, run host ID, program "
               "number or name, 'last', or 'all' (default those of the window; of more than 16 "
               "text shows the longest of each kind)",
               .metavar = "WHICH"),
    TTP_OPTION(STR, "window", FIELD(window),
               "programs of that part of the run, if it has logs of the host: auto (default: one "
               "iteration, as report finds it), all, cold, capture, iteration=N, range=NAME or "
               "trace=N; conflicts with --log",
               .metavar = "WHICH"),
    TTP_OPTION(STR, "rank", FIELD(rank),
               "rank N of a folder with several ranks (default the first)", .metavar = "N"),
    TTP_OPTION(STR, "device", FIELD(device), "only device D (of rank R, if given)",
               .metavar = "[R:]D"),
    TTP_OPTION(STR, "names", FIELD(names), "names of the programs, in order, separated by commas",
               .metavar = "LIST"),
    TTP_OPTION(STR, "log", FIELD(log),
               "read the text that a TT-Lang run printed, instead of DIR; '-' is standard input",
               .metavar = "FILE", .group = "Input"),
    TTP_OPTION(STR, "arch", FIELD(arch), "chip or board, if the log lacks it or is wrong",
               .metavar = "NAME"),
    TTP_OPTION(STR, "flow-graph", FIELD(flow),
               "dataflow buffers of the kernel (default: cb_flow_graph.json next to the log)",
               .metavar = "FILE"),
    TTP_OPTION(STR, "pipe-graph", FIELD(pipes),
               "pipes of the kernel (default: pipe_graph.json next to the log)", .metavar = "FILE"),
    TTP_OPTION(STR, "source", FIELD(source),
               "program to use in the command that repeats the profile", .metavar = "FILE"),
    TTP_OPTION(INT, "ideal-bytes", FIELD(ideal_bytes),
               "bytes that must move to and from DRAM (default: from the op's tensors)",
               .metavar = "N", .max = INT64_MAX),
};

ttp_code ttp_kernel_parse_sections(unsigned *out, const struct ttp_words *words,
                                   struct ttp_arena *arena, struct ttp_err *err)
{
    for (size_t i = 0; i < words->count; i++) {
        ttp_str rest = ttp_str_from(words->word[i]);
        while (rest.len) {
            const size_t comma = ttp_str_find_char(rest, ',');
            const ttp_str word = ttp_str_trim(ttp_str_slice(rest, 0, comma));
            const int section = ttp_opts_choice(section_names, word);
            if (section < 0)
                return ttp_opts_fail_choice(section_names, ttp_arena_zstr(arena, word),
                                            "option '--section': ", err);
            *out |= 1u << section;
            rest = ttp_str_slice(rest, comma == TTP_NPOS ? rest.len : comma + 1, rest.len);
        }
    }
    return TTP_OK;
}

/* --- the commands that repeat the profile --- */

static bool is_tt_lang(const struct ttp_kernel_input *in)
{
    if (in->report.flow)
        return true;
    for (size_t i = 0; i < in->report.nprograms; i++)
        for (size_t k = 0; k < TTP_KERNEL_RISCS; k++)
            if (in->report.program[i].thread[k].kernel.len)
                return true;
    return false;
}

/* The kernel's file, if it lies in the folder. */
static const char *find_source(const struct ttp_kernel_input *in, const struct ttp_ctx *ctx)
{
    const struct ttp_words none = {0};
    struct ttp_source_options where = {0};
    struct ttp_annotation a;
    struct ttp_err ignored = {0};

    if (!in->has_log ||
        ttp_source_roots_choose(&where, &none, &in->paths, ctx->arena, &ignored) != TTP_OK)
        return NULL;
    ttp_kernel_annotate(&a, &in->report, ctx->arena);
    for (size_t i = 0; i < a.nthreads; i++)
        if (a.thread[i].kernel.len) {
            struct ttp_annotation one = {.thread = &a.thread[i], .nthreads = 1};
            if (ttp_kernel_find_sources(&one, &where, ctx->arena, &ignored) == TTP_OK &&
                a.thread[i].source)
                return a.thread[i].source->path;
            return NULL;
        }
    return NULL;
}

/* record runs the passes that this takes, with the variables of each. */
static void make_commands(struct ttp_kernel_view *view, const struct ttp_kernel_input *in,
                          const char *source, struct ttp_arena *arena)
{
    const bool lang = is_tt_lang(in);
    const char *program = source ? source : lang ? "YOUR_KERNEL.py" : "YOUR_PROGRAM";
    const ttp_str name = ttp_str_from(program);
    const char *runner = ttp_str_ends(name, TTP_STR(".py")) || lang ? "python3 " : "";
    struct ttp_sink perf, lines;

    ttp_sink_to_arena(&perf, arena);
    ttp_sink_to_arena(&lines, arena);
    ttp_sink_printf(&perf, "tt-perf record --mode kernel -o run -- %s%s", runner, program);
    ttp_sink_own(&lines, "tt-perf annotate run");
    if (source)
        ttp_sink_printf(&lines, " --source %s", source);
    view->repeat_perf = ttp_arena_zstr(arena, ttp_sink_text(&perf));
    view->repeat_lines = ttp_arena_zstr(arena, ttp_sink_text(&lines));
}

static const char *command_of(const char *verb, ttp_str operand, uint64_t program,
                              struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "tt-perf %s", verb);
    if (operand.len) {
        ttp_sink_char(&out, ' ');
        ttp_shell_put_word(&out, operand);
    }
    if (program)
        ttp_sink_printf(&out, " --program %llu", (unsigned long long)program);
    return ttp_arena_zstr(arena, ttp_sink_text(&out));
}

/* The longest, which is what all further questions are about. */
static const struct ttp_kernel_program *longest_of(const struct ttp_kernel_report *r)
{
    const struct ttp_kernel_program *longest = NULL;

    for (size_t i = 0; i < r->nprograms; i++)
        if (!longest || r->program[i].duration_cycles > longest->duration_cycles)
            longest = &r->program[i];
    return longest;
}

/* What other verbs know of this run: lines if zones name them, advice and blocks of an own kernel.
 */
static void make_next(struct ttp_kernel_view *view, const struct ttp_kernel_input *in,
                      const char *operand, struct ttp_arena *arena)
{
    const struct ttp_kernel_program *m = longest_of(&in->report);
    const ttp_str run = ttp_str_from(operand);
    const uint64_t program = m && in->invocations > 1 ? m->op_id ? m->op_id : m->key.run_id : 0;

    if (!m)
        return;
    if (m->lines && m->lines->lines)
        view->next_lines = command_of("annotate", run, program, arena);
    if (is_tt_lang(in) || m->verdict.from_waits)
        view->next_advice = command_of("advise", run, 0, arena);
    if (m->targets.block_bytes && in->report.flow)
        view->next_blocks = command_of("fit --from", run, 0, arena);
}

/* The steady iteration, unless the user chooses otherwise. */
static const char *window_of(const struct ttp_kernel_verb *o)
{
    return o->window ? o->window : o->program || o->log ? NULL : "auto";
}

static ttp_code check_options(const struct ttp_kernel_verb *o, const char *given,
                              struct ttp_err *err)
{
    if (o->log && given)
        return ttp_fail(err, TTP_EUSAGE, "use --log or DIR, not both");
    if (o->log && o->window)
        return ttp_fail(err, TTP_EUSAGE, "--window conflicts with --log: printed text has no ops");
    return TTP_OK;
}

/* --top keeps the longest, as the screen without options does. */
static struct ttp_show show_of(const struct ttp_ctx *ctx, const struct ttp_kernel_verb *o)
{
    struct ttp_show show = ctx->show;

    if (o->common.top && o->common.top < INT32_MAX && !o->common.sort)
        show.selection.sort = "time";
    return show;
}

static struct ttp_kernel_request request_of(const struct ttp_kernel_verb *o, const char *from,
                                            const struct ttp_run_choice *choice)
{
    return (struct ttp_kernel_request){.dir = from,
                                       .one_device = choice->id >= 0,
                                       .device = choice->id,
                                       .printed = o->log != NULL,
                                       .program = o->program,
                                       .window = window_of(o),
                                       .window_asked = o->window != NULL,
                                       .arch = o->arch,
                                       .flow = o->flow,
                                       .pipes = o->pipes,
                                       .names = o->names,
                                       .traces = true,
                                       .host = true,
                                       .ideal_bytes = (uint64_t)o->ideal_bytes,
                                       .threads = (unsigned)o->common.threads};
}

/* Who chose programs wants to see all of them. */
static struct ttp_kernel_view view_of(const struct ttp_kernel_input *in,
                                      const struct ttp_kernel_verb *o, unsigned sections)
{
    const bool chosen = o->common.where || o->common.sort || o->common.top;

    return (struct ttp_kernel_view){.report = &in->report,
                                    .sections = sections,
                                    .asked = o->sections.count != 0,
                                    .shown = o->program || o->log || chosen ? 0 : SHOWN,
                                    .invocations = in->invocations,
                                    .window = in->window};
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct ttp_kernel_verb *o = opts;
    const char *given = operands->count ? operands->word[0] : NULL;
    struct ttp_kernel_input in;
    unsigned sections = 0;

    (void)status;
    TTP_TRY(ttp_kernel_parse_sections(&sections, &o->sections, ctx->arena, err));
    if (sections == 0)
        sections = (1u << TTP_SECTIONS) - 1;
    TTP_TRY(check_options(o, given, err));
    const char *from = o->log ? o->log : given ? given : ttp_run_default_dir(ctx->arena);
    struct ttp_run_choice choice = {.rank = o->rank, .device = o->device};
    TTP_TRY(ttp_run_choose_process(&from, &choice, ctx->arena, err));
    if (choice.note)
        ttp_ctx_say(ctx, "%s", choice.note);
    const struct ttp_kernel_request request = request_of(o, from, &choice);
    const ttp_code rc = ttp_run_input_kernels(&in, request, ctx, err);
    TTP_TRY(o->log ? rc : ttp_run_looked(rc, operands, ctx->arena, err));
    const struct ttp_words text = {.word = &from, .count = 1};
    struct ttp_kernel_view view = view_of(&in, o, sections);
    make_commands(&view, &in, o->source ? o->source : find_source(&in, ctx), ctx->arena);
    if (!o->log)
        make_next(&view, &in, given, ctx->arena);
    struct ttp_show show = show_of(ctx, o);
    show.inputs = o->log ? &text : operands;
    show.warnings = &in.warnings;
    return ttp_out_kernel(&show, &view, err);
}

static const struct ttp_document_spec *const documents[] = {&ttp_kernel_document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf kernel", "everything about the last run of tt-metal in this environment"},
    {"tt-perf kernel generated/profiler --program last", "only the last invocation"},
    {"tt-perf kernel --columns program,op,time,limit --sort time", "a table of all programs"},
    {"tt-perf kernel --section bottleneck,targets", "the bottleneck and the targets"},
    {"tt-perf kernel --log run.txt --format json", "the output of an earlier run, as JSON"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_kernel = {
    .name = "kernel",
    .args = "[DIR]",
    .summary = "show what a kernel did on its cores, and its bottleneck",
    .description =
        "Reads the logs of a profiled run (DIR is an artifacts folder, its .logs, or a device "
        "log) and shows for every invocation of a program: grid, duration, DRAM and L1 traffic, "
        "barriers and the time of each core (PERF SUMMARY); its threads and how long they waited "
        "for each other (THREAD SUMMARY); user-defined zones (SIGNPOST PROFILE); the dataflow "
        "buffers between its threads (DFB FLOW GRAPH) and the pipes between its cores (PIPE "
        "GRAPH); which of reader, compute and writer is the bottleneck; and the targets.\n\n"
        "TT-Lang kernels give the most detail, but any tt-metal program has a summary.",
    TTP_CMD_OPTIONS(options, struct ttp_kernel_verb),
    .takes = TTP_TAKES_REPORT | TTP_TAKES_THREADS | TTP_TAKES_BOARDS,
    .formats = ttp_table_formats,
    .documents = documents,
    .operand = TTP_OPERAND_DIR,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};
