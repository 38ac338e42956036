/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv.h"
#include "base/input.h"
#include "capture/capture.h"
#include "dropin/dropin.h"
#include "outputs/outputs.h"
#include "serve/serve.h"
#include "store/store.h"
#include "wrap.h"

#ifdef TTP_HAVE_CAIRO
#define HAVE_CAIRO true
#else
#define HAVE_CAIRO false
#endif
#ifdef TTP_HAVE_NCURSES
#define HAVE_NCURSES true
#else
#define HAVE_NCURSES false
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#define ROW       "%-15s" /* the title of a row */
#define ROW_TITLE 15

static const char *const formats[] = {"text", "json", NULL};

struct library {
    const char *name, *use;
    bool present;
};

/* "66 (tenstorrent, Tracy 0.10.0)", those verified by a recording or the rest. */
static void put_protocols(struct ttp_sink *out, const char *title, bool verified, size_t page,
                          struct ttp_arena *arena)
{
    struct ttp_sink list;
    size_t n;
    const struct ttp_dialect_info *d = ttp_capture_dialects(&n);
    const char *before = "";

    ttp_sink_to_arena(&list, arena);
    for (size_t i = 0; i < n; i++) {
        if (d[i].verified != verified)
            continue;
        ttp_sink_printf(&list, "%s%u%s", before, d[i].protocol,
                        strcmp(d[i].origin, "tenstorrent") == 0 ? " (tenstorrent)" : "");
        before = ", ";
    }
    if (verified)
        ttp_sink_put(&list, TTP_STR("; verified by recordings"));
    struct ttp_wrap w = {.text = ttp_sink_text(&list), .width = page};
    for (ttp_str line; ttp_wrap_next(&w, &line); title = "")
        ttp_sink_printf(out, ROW "%.*s\n", title, TTP_FMT(line));
}

static void put_text(struct ttp_sink *out, const struct library *lib, size_t nlib, int width,
                     struct ttp_arena *arena)
{
    const size_t room = width > ROW_TITLE + 20 ? (size_t)(width - ROW_TITLE) : SIZE_MAX;

    ttp_sink_printf(out, "tt-perf %s\n", ttp_version);
    ttp_sink_printf(out, ROW "%s\n", "build:", TTP_BUILD_TYPE[0] ? TTP_BUILD_TYPE : "none");
    ttp_sink_printf(out, ROW "%s\n",
                    "sanitizer:", TTP_BUILD_SANITIZE[0] ? TTP_BUILD_SANITIZE : "none");
    ttp_sink_printf(out, ROW "%s\n", "compiler:", COMPILER);
    ttp_sink_printf(out, ROW "%s\n", "csv kernel:", ttp_csv_kernel_name());
    for (size_t i = 0; i < nlib; i++)
        ttp_sink_printf(out, ROW "%s (%s)\n", lib[i].name, lib[i].present ? "yes" : "no",
                        lib[i].use);
    put_protocols(out, "tracy:", true, room, arena);
    put_protocols(out, "  unverified:", false, room, arena);
}

static void put_member(struct ttp_json_writer *w, ttp_str key, const char *text)
{
    ttp_json_put_key(w, key);
    ttp_json_put_str(w, ttp_str_from(text));
}

static void put_json_protocols(struct ttp_json_writer *w)
{
    size_t n;
    const struct ttp_dialect_info *d = ttp_capture_dialects(&n);

    ttp_json_put_key(w, TTP_STR("tracy_protocols"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < n; i++) {
        ttp_json_begin_object(w);
        ttp_json_put_key(w, TTP_STR("number"));
        ttp_json_put_u64(w, d[i].protocol);
        put_member(w, TTP_STR("origin"), d[i].origin);
        put_member(w, TTP_STR("tracy"), d[i].tracy);
        ttp_json_put_key(w, TTP_STR("verified"));
        ttp_json_put_bool(w, d[i].verified);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_json(struct ttp_sink *out, const struct library *lib, size_t nlib)
{
    struct ttp_json_writer w = {.sink = out};

    ttp_envelope_begin(&w, "tt-perf.version/1", NULL);
    ttp_json_begin_object(&w);
    put_member(&w, TTP_STR("version"), ttp_version);
    put_member(&w, TTP_STR("build_type"), TTP_BUILD_TYPE);
    put_member(&w, TTP_STR("sanitizer"), TTP_BUILD_SANITIZE);
    put_member(&w, TTP_STR("compiler"), COMPILER);
    put_member(&w, TTP_STR("csv_kernel"), ttp_csv_kernel_name());
    ttp_json_put_key(&w, TTP_STR("libraries"));
    ttp_json_begin_object(&w);
    for (size_t i = 0; i < nlib; i++) {
        ttp_json_put_key(&w, ttp_str_from(lib[i].name));
        ttp_json_put_bool(&w, lib[i].present);
    }
    ttp_json_end_object(&w);
    put_json_protocols(&w);
    ttp_json_end_object(&w);
    ttp_envelope_end(&w, NULL, false);
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *options,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct library lib[] = {
        {"zlib", "reads .gz", ttp_input_supports("zlib")},
        {"zstd", "reads and writes .zst", ttp_input_supports("zstd")},
        {"lz4", "Tracy's wire protocol and .tracy", ttp_capture_supports("lz4")},
        {"cairo", "draws PNG", HAVE_CAIRO},
        {"libmicrohttpd", "serves pages", ttp_serve_supported()},
        {"ncurses", "live view of top", HAVE_NCURSES},
        {"sqlite", "history in a file", ttp_store_supports("sqlite")},
        {"postgresql", "history of a team", ttp_store_supports("postgresql")},
        {"dropins", "stands in for other tools", ttp_dropin_present()},
    };

    (void)status, (void)options, (void)operands, (void)err;
    if (strcmp(ctx->format, "json") == 0)
        put_json(ctx->out, lib, TTP_COUNT(lib));
    else
        put_text(ctx->out, lib, TTP_COUNT(lib), ctx->width, ctx->arena);
    return TTP_OK;
}

static const struct ttp_example examples[] = {
    {"tt-perf version", "what to put into a bug report"},
    {"tt-perf version --format json", "the same for programs"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_version = {
    .name = "version",
    .summary = "print the version and what this build can do",
    .description = "Print the version, how the program was built, which optional libraries are "
                   "part of it, which instruction set the CSV reader uses on this machine, and "
                   "which protocols of Tracy are understood: those checked against a "
                   "recording, and those known from their description alone. "
                   "'tt-perf --version' prints only the first line.",
    .opts_size = sizeof(struct ttp_common_opts),
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_OUTPUT,
    .formats = formats,
    .examples = examples,
    .run = run,
};
