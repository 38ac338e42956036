/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run_input.h"

#include "advice/advice.h"
#include "base/file.h"
#include "base/shell_lines.h"
#include "core/source_roots.h"

#define FIELD(name) offsetof(struct ttp_report_options, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(STR, "window", FIELD(window),
               "part of the run to analyse: auto (default: one iteration, found by trace replays, "
               "signposts or repeated ops), all, cold, capture, iteration=N, range=NAME (a range "
               "between signposts) or trace=N",
               .metavar = "WHICH"),
    TTP_OPTION(STR, "start-signpost", FIELD(start_signpost),
               "start after the first signpost of that name; conflicts with --window",
               .metavar = "NAME"),
    {.name = "signpost", .alias_of = "start-signpost", .hidden = true},
    TTP_OPTION(STR, "end-signpost", FIELD(end_signpost),
               "stop at the first signpost of that name after the start", .metavar = "NAME"),
    TTP_OPTION(FLAG, "ignore-signposts", FIELD(ignore_signposts), "use the whole file"),
    TTP_OPTION(FLAG, "tracing-mode", FIELD(tracing_mode),
               "keep the order of the file; replayed ops carry the host time of their capture"),
    TTP_OPTION(FLAG, "check", FIELD(check),
               "exit with 1 if data of the run is wrong or missing: ops without device time, "
               "counters that went backwards, a clock that changed, incomplete logs",
               .group = "Checks"),
    TTP_OPTION(STR, "rank", FIELD(rank), "only rank N of a multi-rank run", .metavar = "N"),
    TTP_OPTION(STR, "device", FIELD(device), "only device D (of rank R, if given)",
               .metavar = "[R:]D"),
    TTP_OPTION(STR, "arch", FIELD(arch),
               "architecture (wormhole, blackhole, blackhole_p100, bh20, n1) or board (n150, n300, "
               "p100, p150a, ...); default: taken from the file",
               .metavar = "NAME", .group = "Peaks"),
    TTP_OPTION(INT, "active-experts", FIELD(active_experts),
               "experts that a sparse matmul runs per input group, if the file lacks it", .min = 1,
               .max = 1 << 20, .metavar = "K"),
};

const struct ttp_opt_table ttp_analysis_options = {options, TTP_COUNT(options)};

enum { WINDOW_OPTIONS = 6 }; /* the first ones */
const struct ttp_opt_table ttp_window_options = {options, WINDOW_OPTIONS};

ttp_str ttp_run_input_options(const struct ttp_report_options *o, const char *boards,
                              struct ttp_arena *arena)
{
    const struct {
        const char *name, *value;
    } given[] = {{"window", o->window},
                 {"start-signpost", o->start_signpost},
                 {"end-signpost", o->end_signpost},
                 {"ignore-signposts", o->ignore_signposts ? "" : NULL},
                 {"tracing-mode", o->tracing_mode ? "" : NULL},
                 {"rank", o->rank},
                 {"device", o->device},
                 {"arch", o->arch},
                 {"boards", boards}};
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (size_t i = 0; i < TTP_COUNT(given); i++) {
        if (!given[i].value)
            continue;
        ttp_sink_printf(&out, " --%s", given[i].name);
        if (!*given[i].value)
            continue;
        ttp_sink_char(&out, ' ');
        ttp_shell_put_word(&out, ttp_str_from(given[i].value));
    }
    return ttp_sink_text(&out);
}

void ttp_run_input_tell(const struct ttp_ctx *ctx, const struct ttp_run_sources *from,
                        const struct ttp_words *operands)
{
    for (size_t i = 0; i < operands->count; i++) {
        const char *note = ttp_run_source_note(from, i, operands->word[i], ctx->arena);

        if (note)
            ttp_ctx_say(ctx, "%s", note);
    }
}

/* Warnings of the analysis, which are reported, or kept with the run's name. */
static void tell_notes(const struct ttp_run_input *in, struct ttp_words *warnings,
                       const struct ttp_ctx *ctx)
{
    for (size_t i = 0; i < in->report.notes.count; i++) {
        const struct ttp_note *note = &in->report.notes.item[i];
        struct ttp_sink line;

        if (note->level != TTP_NOTE_WARNING)
            continue;
        ttp_sink_to_arena(&line, ctx->arena);
        ttp_sink_printf(&line, "%s: %.*s", in->name, TTP_FMT(note->text));
        if (warnings)
            ttp_words_add(warnings, ttp_arena_zstr(ctx->arena, ttp_sink_text(&line)), ctx->arena);
        else
            ttp_ctx_warn(ctx, "%.*s", TTP_FMT(ttp_sink_text(&line)));
    }
}

static struct ttp_run_request request_of(const struct ttp_run_wanted *wanted,
                                         const struct ttp_ctx *ctx)
{
    struct ttp_run_request request = {.path = wanted->operand,
                                      .analysis = *wanted->analysis,
                                      .threads = wanted->threads,
                                      .progress = !ctx->quiet,
                                      .mesh = wanted->mesh};

    request.analysis.boards = ctx->boards;
    return request;
}

ttp_code ttp_run_input_read(struct ttp_run_input *out, const struct ttp_run_wanted *wanted,
                            const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const struct ttp_run_request request = request_of(wanted, ctx);
    const ttp_code rc = ttp_run_analyse(out, &request, ctx->arena, err);

    if (out->note && !wanted->warnings)
        ttp_ctx_say(ctx, "%s", out->note);
    tell_notes(out, wanted->warnings, ctx);
    return rc;
}

void ttp_run_input_mesh(struct ttp_run_mesh *out, struct ttp_run_input *in,
                        const struct ttp_run_wanted *wanted, const char *without,
                        const struct ttp_ctx *ctx)
{
    const struct ttp_run_mesh_request request = {.path = wanted->operand,
                                                 .ops = &in->ops,
                                                 .report = &in->report,
                                                 .known = &in->mesh,
                                                 .boards = ctx->boards,
                                                 .threads = wanted->threads};
    struct ttp_err err = {0};

    *out = (struct ttp_run_mesh){0};
    if (in->report.window.devices < 2 || wanted->analysis->rank || wanted->analysis->device)
        return;
    if (ttp_run_open_mesh(out, &request, ctx->arena, &err) != TTP_OK)
        ttp_ctx_note(ctx, "%s: no %s: %s", wanted->operand, without, err.text);
}

static void tell_warnings(const struct ttp_kernel_input *in, const struct ttp_ctx *ctx)
{
    for (size_t i = 0; i < in->warnings.count && ctx->show.form != TTP_FORM_JSON; i++)
        ttp_ctx_warn(ctx, "%s", in->warnings.word[i]);
}

ttp_code ttp_run_input_programs(struct ttp_run_input *out, struct ttp_kernel_input *kernels,
                                const struct ttp_run_wanted *wanted, const struct ttp_ctx *ctx,
                                struct ttp_err *err)
{
    const struct ttp_run_request request = request_of(wanted, ctx);
    const ttp_code rc = ttp_run_analyse_programs(out, kernels, &request, ctx->arena, err);

    tell_notes(out, wanted->warnings, ctx);
    return rc;
}

ttp_code ttp_run_input_kernels(struct ttp_kernel_input *out, struct ttp_kernel_request request,
                               const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const struct ttp_words none = {0};
    struct ttp_source_options sources = {0};
    struct ttp_log_paths paths;

    request.boards = ctx->boards;
    request.progress = !ctx->quiet;
    if (!request.printed && ttp_logs_find(&paths, request.dir, ctx->arena, NULL) == TTP_OK &&
        ttp_source_roots_choose(&sources, &none, &paths, ctx->arena, NULL) == TTP_OK)
        request.sources = &sources;
    const ttp_code rc = ttp_run_read_kernels(out, &request, ctx->arena, err);
    tell_warnings(out, ctx);
    return rc;
}

/* The first graph capture directly in the folder of a run; NULL: there is none. */
static const char *capture_in(const char *run, const struct ttp_ctx *ctx)
{
    struct ttp_words names;
    struct ttp_err err = {0};

    if (!run || !ttp_file_is_dir(run) || ttp_file_list(&names, run, ctx->arena, &err) != TTP_OK)
        return NULL;
    for (size_t i = 0; i < names.count; i++) {
        const char *path = ttp_file_join(run, names.word[i], ctx->arena);

        if (ttp_str_has(ttp_str_from(names.word[i]), TTP_STR(".json")) &&
            ttp_mem_file_kind(path) == TTP_MEM_FILE_CAPTURE)
            return path;
    }
    return NULL;
}

ttp_code ttp_run_input_join_memory(struct ttp_ops *ops, const char *capture, const char *run,
                                   const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const bool asked = capture != NULL;
    struct ttp_memory_join join;
    struct ttp_err own = {0};

    if (!capture && !(capture = capture_in(run, ctx)))
        return TTP_OK;
    const ttp_code rc = ttp_run_join_memory(&join, ops, capture, ctx->arena, asked ? err : &own);
    if (rc != TTP_OK && asked)
        return rc;
    if (rc != TTP_OK) {
        ttp_ctx_warn(ctx, "omitting the memory of '%s': %s", capture, own.text);
        return TTP_OK;
    }
    if (!join.joined)
        ttp_ctx_warn(ctx,
                     "'%s' is from a different run: %zu of %zu launches match the %zu rows of a "
                     "device; omitting memory",
                     capture, join.matched, join.launches, join.rows);
    else if (join.matched < join.launches || join.matched < join.rows)
        ttp_ctx_say(ctx, "memory: %zu of %zu launches of the capture and %zu rows match",
                    join.matched, join.launches, join.rows);
    return TTP_OK;
}

/* Kernels of a folder with logs. False: there are none, which is not a failure. */
static bool read_kernels(struct ttp_kernel_input *out, const struct ttp_run_wanted *wanted,
                         const struct ttp_ctx *ctx)
{
    const struct ttp_kernel_request request = {
        .dir = wanted->operand, .traces = true, .host = true, .threads = wanted->threads};
    struct ttp_err err = {0};

    if (!ttp_file_is_dir(wanted->operand))
        return false;
    const ttp_code rc = ttp_run_input_kernels(out, request, ctx, &err);
    if (rc != TTP_OK && rc != TTP_ENOTFOUND)
        ttp_ctx_warn(ctx, "no advice about the kernels themselves: %s", err.text);
    return rc == TTP_OK && out->has_log;
}

ttp_code ttp_run_input_whole(struct ttp_run_input *in, struct ttp_kernel_input *kernels,
                             bool *has_kernels, const struct ttp_run_wanted *wanted,
                             const struct ttp_ctx *ctx, struct ttp_err *err)
{
    *has_kernels = ttp_run_is_device_only(wanted->operand, ctx->arena);
    if (*has_kernels)
        return ttp_run_input_programs(in, kernels, wanted, ctx, err);
    TTP_TRY(ttp_run_input_read(in, wanted, ctx, err));
    *has_kernels = ttp_plan_wants_kernels(&in->report) && read_kernels(kernels, wanted, ctx);
    if (*has_kernels)
        ttp_run_take_limits(&in->report, &kernels->report, ctx->arena);
    return TTP_OK;
}
