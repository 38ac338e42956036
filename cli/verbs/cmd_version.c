/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv.h"
#include "base/input.h"
#include "base/wrap.h"
#include "capture/capture.h"
#include "dropin/dropin.h"
#include "outputs/outputs.h"
#include "serve/serve.h"
#include "store/store.h"

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

struct build {
    const char *version, *type, *sanitizer, *compiler, *csv_kernel;
    bool zlib, zstd, lz4, cairo, microhttpd, ncurses, sqlite, postgresql, dropins;
    const struct ttp_dialect_info *protocol;
    size_t protocols;
};

#define BUILD(member) TTP_FIGURE(struct build, member)
static const struct ttp_field library_fields[] = {
    TTP_FLAG("zlib", BUILD(zlib), .help = "reads .gz"),
    TTP_FLAG("zstd", BUILD(zstd), .help = "reads and writes .zst"),
    TTP_FLAG("lz4", BUILD(lz4), .help = "Tracy's wire protocol and .tracy"),
    TTP_FLAG("cairo", BUILD(cairo), .help = "draws PNG"),
    TTP_FLAG("libmicrohttpd", BUILD(microhttpd), .help = "serves pages"),
    TTP_FLAG("ncurses", BUILD(ncurses), .help = "live view of top"),
    TTP_FLAG("sqlite", BUILD(sqlite), .help = "history in a file"),
    TTP_FLAG("postgresql", BUILD(postgresql), .help = "history of a team"),
    TTP_FLAG("dropins", BUILD(dropins), .help = "replaces other tools"),
};
static const struct ttp_fields libraries = {TTP_FIELDS(library_fields)};

#define PROTOCOL(member) TTP_FIGURE(struct ttp_dialect_info, member)
static const struct ttp_field protocol_fields[] = {
    TTP_INT("number", "", PROTOCOL(protocol)),
    TTP_WORDS("origin", PROTOCOL(origin)),
    TTP_WORDS("tracy", PROTOCOL(tracy)),
    TTP_FLAG("verified", PROTOCOL(verified), .help = "by a recording"),
};
static const struct ttp_fields protocols = {TTP_FIELDS(protocol_fields)};

static struct ttp_records list_libraries(const void *context, const void *row)
{
    return (struct ttp_records){&libraries, context, row, sizeof(struct build), 1};
}

static const struct ttp_field build_fields[] = {
    TTP_WORDS("version", BUILD(version)),
    TTP_WORDS("build_type", BUILD(type)),
    TTP_WORDS("sanitizer", BUILD(sanitizer)),
    TTP_WORDS("compiler", BUILD(compiler)),
    TTP_WORDS("csv_kernel", BUILD(csv_kernel)),
    {.id = "libraries", .type = TTP_OBJECT, .list = list_libraries, .sub = &libraries},
    {.id = "tracy_protocols", TTP_ROWS_AT(struct build, protocol, protocols, protocols)},
};
static const struct ttp_fields build_figures = {TTP_FIELDS(build_fields)};
static const struct ttp_part_spec parts[] = {
    {.kind = TTP_PART_DATA, .fields = &build_figures, .json_only = true}};
static const struct ttp_document_spec document = {.schema = "tt-perf.version/1",
                                                  .help = "Features of this build",
                                                  TTP_PARTS(parts),
                                                  .no_table = true};

/* "66 (tenstorrent, Tracy 0.10.0)", those verified by a recording or the rest. */
static void put_protocols(const struct ttp_show *show, const struct build *b, const char *title,
                          bool verified)
{
    const struct ttp_dialect_info *d = b->protocol;
    struct ttp_sink list;
    const char *before = "";

    ttp_sink_to_arena(&list, show->arena);
    for (size_t i = 0; i < b->protocols; i++) {
        if (d[i].verified != verified)
            continue;
        ttp_sink_printf(&list, "%s%u%s", before, d[i].protocol,
                        strcmp(d[i].origin, "tenstorrent") == 0 ? " (tenstorrent)" : "");
        before = ", ";
    }
    if (verified)
        ttp_sink_put(&list, TTP_STR("; verified by recordings"));
    ttp_sink_printf(show->out, ROW, title);
    ttp_put_wrapped(show->out, ttp_sink_text(&list),
                    (struct ttp_wrap){(size_t)show->width, ROW_TITLE, ROW_TITLE});
}

static void put_text(const struct ttp_show *show, const void *arg)
{
    const struct build *b = arg;
    struct ttp_sink *out = show->out;

    ttp_sink_printf(out, "tt-perf %s\n", b->version);
    ttp_sink_printf(out, ROW "%s\n", "build:", *b->type ? b->type : "none");
    ttp_sink_printf(out, ROW "%s\n", "sanitizer:", *b->sanitizer ? b->sanitizer : "none");
    ttp_sink_printf(out, ROW "%s\n", "compiler:", b->compiler);
    ttp_sink_printf(out, ROW "%s\n", "csv kernel:", b->csv_kernel);
    for (size_t i = 0; i < libraries.count; i++) {
        const struct ttp_field *f = &libraries.field[i];

        ttp_sink_printf(out, ROW "%.*s (%s)\n", f->id,
                        TTP_FMT(ttp_show_cell(f, ttp_field_value(f, NULL, b), NULL, show->arena)),
                        f->help);
    }
    put_protocols(show, b, "tracy:", true);
    put_protocols(show, b, "  unverified:", false);
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *options,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    struct build b = {
        .version = ttp_version,
        .type = TTP_BUILD_TYPE,
        .sanitizer = TTP_BUILD_SANITIZE,
        .compiler = COMPILER,
        .csv_kernel = ttp_csv_kernel_name(),
        .zlib = ttp_input_supports("zlib"),
        .zstd = ttp_input_supports("zstd"),
        .lz4 = ttp_capture_supports("lz4"),
        .cairo = HAVE_CAIRO,
        .microhttpd = ttp_serve_supported(),
        .ncurses = HAVE_NCURSES,
        .sqlite = ttp_store_supports("sqlite"),
        .postgresql = ttp_store_supports("postgresql"),
        .dropins = ttp_dropin_present(),
    };
    const struct ttp_page page = {.arg = &b, .head = put_text};
    struct ttp_document doc;

    (void)status, (void)options, (void)operands;
    b.protocol = ttp_capture_dialects(&b.protocols);
    ttp_document_init(&doc, &document, ctx->arena);
    ttp_document_object(&doc, 0, NULL, &b);
    return ttp_show_document(&ctx->show, &doc, &page, err);
}

static const struct ttp_document_spec *const documents[] = {&document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf version", "what to put into a bug report"},
    {"tt-perf version --format json", "the same for programs"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_version = {
    .name = "version",
    .summary = "print the version and the features of this build",
    .description = "Prints the version, how the program was built, which optional libraries it "
                   "includes, which instruction set the CSV reader uses on this machine, and "
                   "which Tracy protocols it supports: those verified with a recording, and "
                   "those known only from their description. 'tt-perf --version' prints only the "
                   "first line.",
    .opts_size = sizeof(struct ttp_common_opts),
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_OUTPUT,
    .formats = formats,
    .documents = documents,
    .examples = examples,
    .run = run,
};
