/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run_input.h"

#define FIELD(name) offsetof(struct ttp_report_options, name)
static const struct ttp_opt options[] = {
    {.name = "window",
     .offset = FIELD(window),
     .type = TTP_OPT_STR,
     .metavar = "WHICH",
     .help = "part of the run to analyse: auto (default: one iteration, found by trace replays, "
             "signposts or repeated ops), all, cold, capture, iteration=N, range=NAME (a range "
             "between signposts) or trace=N"},
    {.name = "start-signpost",
     .offset = FIELD(start_signpost),
     .type = TTP_OPT_STR,
     .metavar = "NAME",
     .help = "start after the first signpost of that name; conflicts with --window"},
    {.name = "signpost", .alias_of = "start-signpost", .hidden = true},
    {.name = "end-signpost",
     .offset = FIELD(end_signpost),
     .type = TTP_OPT_STR,
     .metavar = "NAME",
     .help = "stop at the first signpost of that name after the start"},
    {.name = "ignore-signposts",
     .offset = FIELD(ignore_signposts),
     .type = TTP_OPT_FLAG,
     .help = "use the whole file"},
    {.name = "tracing-mode",
     .offset = FIELD(tracing_mode),
     .type = TTP_OPT_FLAG,
     .help = "keep the order of the file; replayed ops carry the host time of their capture"},
    {.name = "check",
     .offset = FIELD(check),
     .type = TTP_OPT_FLAG,
     .group = "Can it be trusted?",
     .help = "exit with 1 if data of the run is wrong or missing: ops without device time, "
             "counters that went backwards, a clock that changed, incomplete logs"},
    {.name = "rank",
     .offset = FIELD(rank),
     .type = TTP_OPT_STR,
     .metavar = "N",
     .help = "only rank N of a multi-rank run"},
    {.name = "device",
     .offset = FIELD(device),
     .type = TTP_OPT_STR,
     .metavar = "[R:]D",
     .help = "only device D (of rank R, if given)"},
    {.name = "arch",
     .offset = FIELD(arch),
     .type = TTP_OPT_STR,
     .metavar = "NAME",
     .group = "Peaks",
     .help = "architecture (wormhole, blackhole, blackhole_p100, bh20, n1) or board (n150, n300, "
             "p100, p150a, ...); default: taken from the file"},
};

const struct ttp_opt_table ttp_analysis_options = {options, TTP_COUNT(options)};

void ttp_run_input_tell(const struct ttp_ctx *ctx, const struct ttp_run_sources *from,
                        const struct ttp_words *operands)
{
    for (size_t i = 0; i < operands->count; i++) {
        const char *note = ttp_run_source_note(from, i, operands->word[i], ctx->arena);

        if (note)
            ttp_ctx_say(ctx, "%s", note);
    }
}

static void tell_note(const struct ttp_ctx *ctx, struct ttp_words *warnings, const char *name,
                      const struct ttp_note *note)
{
    struct ttp_sink line;

    if (note->level != TTP_NOTE_WARNING)
        return;
    ttp_sink_to_arena(&line, ctx->arena);
    ttp_sink_printf(&line, "%s: %.*s", name, TTP_FMT(note->text));
    if (warnings)
        ttp_words_add(warnings, ttp_arena_zstr(ctx->arena, ttp_sink_text(&line)), ctx->arena);
    else
        ttp_ctx_warn(ctx, "%.*s", TTP_FMT(ttp_sink_text(&line)));
}

ttp_code ttp_run_input_read(struct ttp_run_input *out, const char *operand,
                            const struct ttp_report_options *analysis, unsigned threads,
                            struct ttp_words *warnings, const struct ttp_ctx *ctx,
                            struct ttp_err *err)
{
    const struct ttp_run_plan plan = {.reading = {.threads = threads, .progress = !ctx->quiet},
                                      .noc = true};
    const struct ttp_ops_read_options reading = {.threads = threads, .progress = !ctx->quiet};
    const struct ttp_words operands = {&operand, 1};
    struct ttp_report_options how = *analysis;
    struct ttp_run_sources from;

    TTP_TRY(ttp_run_open_sources(&from, &operand, 1, &plan, ctx->arena, err));
    if (!warnings)
        ttp_run_input_tell(ctx, &from, &operands);
    out->name = from.name.word[0];
    ttp_code rc = ttp_run_read_ops(&out->ops, &from, &reading, ctx->arena, err);
    ttp_run_close_sources(&from);
    if (rc != TTP_OK)
        return rc;
    how.boards = ctx->boards;
    rc = ttp_analysis_run(&out->report, &out->ops, &how, ctx->arena, err);
    for (size_t i = 0; i < out->report.notes.count; i++)
        tell_note(ctx, warnings, out->name, &out->report.notes.item[i]);
    if (rc != TTP_OK)
        ttp_err_where(err, out->name, 0);
    return rc;
}

ttp_code ttp_run_input_join_memory(struct ttp_ops *ops, const char *capture,
                                   const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct ttp_memory_join join;

    if (!capture)
        return TTP_OK;
    TTP_TRY(ttp_run_join_memory(&join, ops, capture, ctx->arena, err));
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
