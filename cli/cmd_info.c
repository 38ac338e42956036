/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_info.c - `tt-perf info`: what a profiled run left behind, before anything heavy is done with
 * it. */
#include <inttypes.h>

#include "info_files.h"
#include "outputs/outputs.h"
#include "run_logs.h"

static const char *const formats[] = {"text", "json", NULL};

struct info_opts {
    struct ttp_common_opts common;
};

static void put_text_file(struct ttp_sink *out, const struct ttp_info_file *f)
{
    if (!f->path) {
        ttp_sink_printf(out, "%-28s missing; made by: %s\n", ttp_info_name(f->kind),
                        ttp_info_how(f->kind));
        return;
    }
    ttp_sink_printf(out, "%-28s %s, ", ttp_info_name(f->kind), ttp_info_what(f->kind));
    ttp_sink_u64(out, f->bytes);
    ttp_sink_put(out, TTP_STR(" bytes\n"));
    for (size_t i = 0; i < f->nfacts; i++) {
        const struct ttp_info_fact *fact = &f->fact[i];

        if (fact->text)
            ttp_sink_printf(out, "    %-20s %s\n", fact->key, fact->text);
        else if (fact->number || fact->always)
            ttp_sink_printf(out, "    %-20s %" PRIu64 "\n", fact->key, fact->number);
    }
    if (f->fault)
        ttp_sink_printf(out, "    cannot be read: %s\n", f->fault);
}

static void put_json_file(struct ttp_json_writer *w, const struct ttp_info_file *f)
{
    ttp_json_begin_object(w);
    ttp_json_put_key(w, TTP_STR("kind"));
    ttp_json_put_str(w, ttp_str_from(ttp_info_id(f->kind)));
    ttp_json_put_key(w, TTP_STR("path"));
    if (f->path)
        ttp_json_put_str(w, ttp_str_from(f->path));
    else
        ttp_json_put_null(w);
    if (!f->path) {
        ttp_json_put_key(w, TTP_STR("made_by"));
        ttp_json_put_str(w, ttp_str_from(ttp_info_how(f->kind)));
    } else {
        ttp_json_put_key(w, TTP_STR("size_bytes"));
        ttp_json_put_u64(w, f->bytes);
    }
    if (f->fault) {
        ttp_json_put_key(w, TTP_STR("fault"));
        ttp_json_put_str(w, ttp_str_from(f->fault));
    }
    for (size_t i = 0; i < f->nfacts; i++) {
        ttp_json_put_key(w, ttp_str_from(f->fact[i].key));
        if (f->fact[i].text)
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
        for (size_t i = 0; i < n; i++)
            put_text_file(ctx->out, &file[i]);
        return TTP_OK;
    }
    struct ttp_json_writer w = {.sink = ctx->out};
    ttp_envelope_begin(&w, "tt-perf.info/1", operands);
    ttp_json_begin_object(&w);
    ttp_json_put_key(&w, TTP_STR("files"));
    ttp_json_begin_array(&w);
    for (size_t i = 0; i < n; i++)
        put_json_file(&w, &file[i]);
    ttp_json_end_array(&w);
    ttp_json_end_object(&w);
    ttp_envelope_end(&w, NULL, false);
    return TTP_OK;
}

static const struct ttp_example examples[] = {
    {"tt-perf info", "the last run of tt-metal in this environment"},
    {"tt-perf info generated/profiler --format json", "a given run, for programs"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_info = {
    .name = "info",
    .args = "[FILE|DIR]",
    .summary = "say what a profiled run left behind, and what is missing",
    .description =
        "Lists the files of a profiler artifacts folder, or looks at one file: what each of them "
        "is, its size "
        "and version, how many rows, ops, devices, replays and iterations it holds, whether it can "
        "be "
        "read, and how to make those that are missing. A file is told by its name, or else by how "
        "it begins.",
    .opts_size = sizeof(struct info_opts),
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_OUTPUT | TTP_TAKES_TALK | TTP_TAKES_THREADS,
    .formats = formats,
    .operand = TTP_OPERAND_FILE,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};
