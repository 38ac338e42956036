/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_info.c - `tt-perf info`: what a profiled run left behind, before anything heavy is done with
 * it. */
#include <inttypes.h>

#include "base/gate.h"
#include "info_files.h"
#include "outputs/outputs.h"
#include "run_logs.h"
#include "wrap.h"

enum { FACTS = 4, FACT_KEYS = 19, NAME_MAX_WIDTH = 48 }; /* columns */

static const char *const formats[] = {"text", "json", NULL};

struct info_opts {
    struct ttp_common_opts common;
};

/* What the user knows it by: the file itself, or where it is missing what it would be called. */
static const char *name_of(const struct ttp_info_file *f, bool alone)
{
    const char *slash = f->path ? strrchr(f->path, '/') : NULL;

    if (!f->path || f->kind == TTP_INFO_NOC_TRACES)
        return f->path && alone ? f->path : ttp_info_words(f->kind)->name;
    return alone || !slash ? f->path : slash + 1;
}

static void put_size(struct ttp_sink *out, uint64_t bytes)
{
    static const char *const unit[] = {"kB", "MB", "GB", "TB"};
    double size = (double)bytes / 1e3;
    size_t u = 0;

    if (bytes < 10000) {
        ttp_sink_printf(out, "%" PRIu64 " bytes", bytes);
        return;
    }
    for (; size >= 999.95 && u + 1 < TTP_COUNT(unit); u++)
        size /= 1e3;
    ttp_sink_printf(out, "%.1f %s", size, unit[u]);
}

/* A label in a column of its own, then text that is wrapped beside it. */
static void put_row(const struct ttp_ctx *ctx, int indent, int label_width, const char *label,
                    const char *text)
{
    const size_t hang = (size_t)indent + (size_t)label_width + 2;
    const size_t width = ctx->width > 0 ? (size_t)ctx->width : SIZE_MAX / 2;
    const ttp_str shown = ttp_gate_text(ctx->arena, ttp_str_from(text));
    struct ttp_wrap w = {.text = ttp_wrap_squeeze(shown, ctx->arena),
                         .width = width > hang + 20 ? width - hang : 20};
    struct ttp_sink words;
    ttp_str line;

    ttp_sink_repeat(ctx->out, ' ', (size_t)indent);
    ttp_sink_to_arena(&words, ctx->arena);
    for (const char *c = label; *c; c++)
        ttp_sink_char(&words, (char)(*c == '_' && indent == FACTS ? ' ' : *c));
    const size_t used = ttp_sink_columns(ctx->out, ttp_sink_text(&words));
    ttp_sink_put(ctx->out, ttp_sink_text(&words));
    ttp_sink_repeat(ctx->out, ' ', used < (size_t)label_width ? (size_t)label_width - used : 0);
    for (bool first = true; ttp_wrap_next(&w, &line); first = false) {
        ttp_sink_repeat(ctx->out, ' ', first ? 2 : hang);
        ttp_sink_put(ctx->out, line);
        ttp_sink_char(ctx->out, '\n');
    }
}

static const char *number_text(uint64_t number, struct ttp_arena *arena)
{
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    ttp_sink_u64(&text, number);
    return ttp_arena_zstr(arena, ttp_sink_text(&text));
}

static void put_text_file(const struct ttp_ctx *ctx, const struct ttp_info_file *f, int name_width,
                          bool alone)
{
    struct ttp_sink what;

    ttp_sink_to_arena(&what, ctx->arena);
    ttp_sink_printf(&what, "%s, ", ttp_info_words(f->kind)->what);
    put_size(&what, f->bytes);
    put_row(ctx, 0, name_width, name_of(f, alone),
            ttp_arena_zstr(ctx->arena, ttp_sink_text(&what)));
    for (size_t i = 0; i < f->nfacts; i++) {
        const struct ttp_info_fact *fact = &f->fact[i];

        if (fact->text && fact->text[0])
            put_row(ctx, FACTS, FACT_KEYS, fact->key, fact->text);
        else if (!fact->text && (fact->number || fact->always))
            put_row(ctx, FACTS, FACT_KEYS, fact->key, number_text(fact->number, ctx->arena));
    }
    if (f->fault)
        put_row(ctx, FACTS, FACT_KEYS, "cannot be read:", f->fault);
    if (alone)
        put_row(ctx, FACTS, FACT_KEYS, "use", ttp_info_use(f->kind, f->path, ctx->arena));
}

/* What is there, then what is not and how to get it. */
static void put_text(const struct ttp_ctx *ctx, const struct ttp_info_file *file, size_t n)
{
    size_t width = 0, missing = 0;

    for (size_t i = 0; i < n; i++) {
        const size_t len = strlen(name_of(&file[i], n == 1));

        missing += !file[i].path;
        width = len > width && len <= NAME_MAX_WIDTH ? len : width;
    }
    for (size_t i = 0; i < n; i++)
        if (file[i].path)
            put_text_file(ctx, &file[i], (int)width, n == 1);
    if (missing == n)
        ttp_sink_own(ctx->out, "nothing of a profiled run is here\n");
    if (missing)
        ttp_sink_own(ctx->out, "\nmissing, and what makes it:\n");
    for (size_t i = 0; i < n; i++)
        if (!file[i].path)
            put_row(ctx, 2, (int)width, name_of(&file[i], false),
                    ttp_info_words(file[i].kind)->how);
}

static void put_json_file(struct ttp_json_writer *w, const struct ttp_info_file *f,
                          struct ttp_arena *arena)
{
    ttp_json_begin_object(w);
    ttp_json_put_key(w, TTP_STR("kind"));
    ttp_json_put_str(w, ttp_str_from(ttp_info_words(f->kind)->id));
    ttp_json_put_key(w, TTP_STR("path"));
    if (f->path)
        ttp_json_put_str(w, ttp_str_from(f->path));
    else
        ttp_json_put_null(w);
    if (!f->path) {
        ttp_json_put_key(w, TTP_STR("made_by"));
        ttp_json_put_str(w, ttp_str_from(ttp_info_words(f->kind)->how));
    } else {
        ttp_json_put_key(w, TTP_STR("size_bytes"));
        ttp_json_put_u64(w, f->bytes);
        ttp_json_put_key(w, TTP_STR("use"));
        ttp_json_put_str(w, ttp_str_from(ttp_info_use(f->kind, f->path, arena)));
    }
    if (f->fault) {
        ttp_json_put_key(w, TTP_STR("fault"));
        ttp_json_put_str(w, ttp_str_from(f->fault));
    }
    for (size_t i = 0; i < f->nfacts; i++) {
        ttp_json_put_key(w, ttp_str_from(f->fact[i].key));
        if (f->fact[i].is_truth)
            ttp_json_put_bool(w, f->fact[i].number);
        else if (f->fact[i].text)
            ttp_json_put_str(w, ttp_str_from(f->fact[i].text));
        else
            ttp_json_put_u64(w, f->fact[i].number);
    }
    ttp_json_end_object(w);
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct info_opts *o = opts;
    const struct ttp_logs_options options = {.threads = (unsigned)o->common.threads,
                                             .progress = !ctx->quiet};
    const char *dir = operands->count ? operands->word[0] : ttp_logs_default_dir(ctx->arena);
    struct ttp_info_file file[TTP_INFO_KINDS] = {0};
    size_t n;

    (void)status;
    TTP_TRY(ttp_info_find(file, &n, dir, ctx->arena, err));
    ttp_info_inspect(file, n, &options, ctx->arena);
    if (strcmp(ctx->format, "json") != 0) {
        put_text(ctx, file, n);
        return TTP_OK;
    }
    struct ttp_json_writer w = {.sink = ctx->out};
    ttp_envelope_begin(&w, "tt-perf.info/1", operands);
    ttp_json_begin_object(&w);
    ttp_json_put_key(&w, TTP_STR("files"));
    ttp_json_begin_array(&w);
    for (size_t i = 0; i < n; i++)
        put_json_file(&w, &file[i], ctx->arena);
    ttp_json_end_array(&w);
    ttp_json_end_object(&w);
    ttp_envelope_end(&w, NULL, false);
    return TTP_OK;
}

static const struct ttp_example examples[] = {
    {"tt-perf info", "the last run of tt-metal in this environment"},
    {"tt-perf info generated/profiler --format json", "a given run, for programs"},
    {"tt-perf info weights.safetensors", "what a file is, and which verb takes it"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_info = {
    .name = "info",
    .args = "[FILE|DIR]",
    .summary = "say what a file or a folder of a run is, and what is missing",
    .description =
        "Lists the files of a profiler artifacts folder, or looks at one file: what each of them "
        "is, its size and version, how many rows, ops, devices, replays and iterations it holds, "
        "whether it can be read, and how to make those that are missing.\n\n"
        "One file may be anything around a run: logs and reports, NoC traces, .tracy files and "
        "captures, tensors, snapshots of tt-smi, documents, histories and timelines. It is told by "
        "its name, or else by how it begins, and the verb that takes it is named. Without FILE or "
        "DIR it is the folder that tt-metal would use.",
    .opts_size = sizeof(struct info_opts),
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_OUTPUT | TTP_TAKES_TALK | TTP_TAKES_THREADS |
             TTP_TAKES_LIMITS | TTP_TAKES_TIME,
    .formats = formats,
    .operand = TTP_OPERAND_FILE,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};
