/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv.h"
#include "base/input.h"
#include "cmd.h"
#include "failure.h"

#ifdef TTP_HAVE_CAIRO
#define HAVE_CAIRO true
#else
#define HAVE_CAIRO false
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

static const char *const formats[] = {"text", "json", NULL};

struct library {
    const char *name, *use;
    bool present;
};

static void put_text(struct ttp_sink *out, const struct library *lib, size_t nlib)
{
    ttp_sink_printf(out, "tt-perf %s\n", ttp_version);
    ttp_sink_printf(out, "build:      %s\n", TTP_BUILD_TYPE[0] ? TTP_BUILD_TYPE : "none");
    ttp_sink_printf(out, "sanitizer:  %s\n", TTP_BUILD_SANITIZE[0] ? TTP_BUILD_SANITIZE : "none");
    ttp_sink_printf(out, "compiler:   %s\n", COMPILER);
    ttp_sink_printf(out, "csv kernel: %s\n", ttp_csv_kernel_name());
    for (size_t i = 0; i < nlib; i++)
        ttp_sink_printf(out, "%-5s       %s (%s)\n", lib[i].name, lib[i].present ? "yes" : "no",
                        lib[i].use);
}

static void put_json(struct ttp_sink *out, const struct library *lib, size_t nlib)
{
    ttp_sink_put(out, TTP_STR("{\"schema\":\"tt-perf.version/1\",\"tool\":{\"name\":\"tt-perf\","
                              "\"version\":"));
    ttp_json_string(out, ttp_str_from(ttp_version));
    ttp_sink_put(out, TTP_STR("},\"inputs\":[],\"data\":{\"version\":"));
    ttp_json_string(out, ttp_str_from(ttp_version));
    ttp_sink_put(out, TTP_STR(",\"build_type\":"));
    ttp_json_string(out, TTP_STR(TTP_BUILD_TYPE));
    ttp_sink_put(out, TTP_STR(",\"sanitizer\":"));
    ttp_json_string(out, TTP_STR(TTP_BUILD_SANITIZE));
    ttp_sink_put(out, TTP_STR(",\"compiler\":"));
    ttp_json_string(out, TTP_STR(COMPILER));
    ttp_sink_put(out, TTP_STR(",\"csv_kernel\":"));
    ttp_json_string(out, ttp_str_from(ttp_csv_kernel_name()));
    ttp_sink_put(out, TTP_STR(",\"libraries\":{"));
    for (size_t i = 0; i < nlib; i++)
        ttp_sink_printf(out, "%s\"%s\":%s", i ? "," : "", lib[i].name,
                        lib[i].present ? "true" : "false");
    ttp_sink_put(out, TTP_STR("}},\"warnings\":[],\"truncated\":false}\n"));
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *options,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct library lib[] = {
        {"zlib", "reads .gz", ttp_input_supports("zlib")},
        {"zstd", "reads .zst", ttp_input_supports("zstd")},
        {"cairo", "draws PNG", HAVE_CAIRO},
    };

    (void)status, (void)options, (void)operands, (void)err;
    if (strcmp(ctx->format, "json") == 0)
        put_json(ctx->out, lib, TTP_COUNT(lib));
    else
        put_text(ctx->out, lib, TTP_COUNT(lib));
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
                   "part of it and which instruction set the CSV reader uses on this machine. "
                   "'tt-perf --version' prints only the first line.",
    .opts_size = sizeof(struct ttp_common_opts),
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_OUTPUT,
    .formats = formats,
    .examples = examples,
    .run = run,
};
