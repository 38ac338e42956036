/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_bundle.c - `tt-perf bundle`: a run as one archive to share. */
#include <unistd.h>

#include "base/file.h"
#include "base/outsink.h"
#include "base/temp_dir.h"
#include "bundle/bundle.h"
#include "core/cmd.h"
#include "core/ctx.h"
#include "core/run_verb.h"
#include "outputs/outputs.h"
#include "run/run.h"

struct bundle_opts {
    struct ttp_common_opts common;
    struct ttp_words mask;
    const char *rank;
    bool check;
};

#define FIELD(name) offsetof(struct bundle_opts, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(FLAG, "check", FIELD(check),
               "list the files of a bundle and check them against its list", .group = "Bundle"),
    TTP_OPTION(LIST, "mask", FIELD(mask),
               "also mask this name, such as that of a project; may be given several times",
               .metavar = "NAME"),
    TTP_OPTION(STR, "rank", FIELD(rank), "only rank N of a folder with several ranks",
               .metavar = "N"),
};

struct bundling {
    const struct ttp_ctx *ctx;
    const struct bundle_opts *o;
    struct ttp_bundle_making making;
    const char *scratch;
};

/* ---- what is added to the logs ---- */

/* The output of another verb; one that fails is left out. */
static ttp_code add_verb(struct bundling *b, const struct ttp_cmd *cmd, const char *operand,
                         const char *name, struct ttp_err *err)
{
    const struct ttp_words operands = {&operand, operand != NULL};
    const char *file = ttp_file_join(b->scratch, name, b->ctx->arena);
    struct ttp_common_opts *opts = ttp_verb_defaults(cmd, b->ctx->arena);

    opts->output = file;
    opts->quiet = true;
    (void)ttp_verb_run_with(cmd, opts, &operands, b->ctx->arena);
    return ttp_file_exists(file) ? ttp_bundle_add(&b->making, file, name, err) : TTP_OK;
}

/* Which variables were set; of their values only numbers and switches. */
static ttp_code add_environment(struct bundling *b, struct ttp_err *err)
{
    static const char *const prefixes[] = {"TT_", "TTNN_", "TTLANG_", "TTMLIR_", "ARCH_NAME"};
    const char *file = ttp_file_join(b->scratch, "environment.txt", b->ctx->arena);
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, file, err));
    for (char **word = environ; word && *word; word++) {
        const ttp_str text = ttp_str_from(*word);
        const size_t sign = ttp_str_find_char(text, '=');
        const ttp_str value = ttp_str_slice(text, sign == TTP_NPOS ? text.len : sign + 1, text.len);
        uint64_t number;
        bool ours = false;

        for (size_t i = 0; i < TTP_COUNT(prefixes); i++)
            ours = ours || ttp_str_starts(text, ttp_str_from(prefixes[i]));
        if (ours)
            ttp_sink_printf(&out.sink, "%.*s=%.*s\n", TTP_FMT(ttp_str_slice(text, 0, sign)),
                            TTP_FMT(ttp_str_to_u64(value, &number) ? value : TTP_STR("***")));
    }
    TTP_TRY(ttp_outsink_close(&out, TTP_OK, err));
    return ttp_bundle_add(&b->making, file, "environment.txt", err);
}

/* ---- writing ---- */

static ttp_code put_archive(struct bundling *b, struct ttp_err *err)
{
    char buffer[65536];
    ssize_t n = 0;
    int fd;

    TTP_TRY(ttp_file_temporary(&fd, err));
    ttp_code rc = ttp_bundle_write(&b->making, fd, err);
    if (rc == TTP_OK && lseek(fd, 0, SEEK_SET) < 0)
        rc = ttp_fail_errno(err, "cannot read the archive");
    ttp_ctx_exact(b->ctx);
    while (rc == TTP_OK && (n = read(fd, buffer, sizeof(buffer))) > 0)
        ttp_sink_put(b->ctx->out, (ttp_str){buffer, (size_t)n});
    if (rc == TTP_OK && n < 0)
        rc = ttp_fail_errno(err, "cannot read the archive");
    close(fd);
    return rc;
}

static void tell(const struct bundling *b, const char *path)
{
    const struct ttp_bundle *bundle = &b->making.bundle;
    uint64_t masked = 0;
    size_t left_out = 0;

    for (size_t i = 0; i < bundle->count; i++) {
        masked += bundle->file[i].masked;
        left_out += bundle->file[i].left_out.len > 0;
    }
    ttp_ctx_say(b->ctx,
                "%s: %zu files, %llu places masked, %zu files omitted; read it before you share "
                "it: tt-perf bundle --check %s",
                path, bundle->count - left_out, (unsigned long long)masked, left_out, path);
}

static ttp_code make_in(struct bundling *b, const char *run, struct ttp_err *err)
{
    const char *folder = ttp_file_join(b->scratch, "bundle", b->ctx->arena);

    TTP_TRY(ttp_file_make_dirs(folder, err));
    b->making.folder = folder;
    b->making.arena = b->ctx->arena;
    ttp_bundle_find_names(&b->making, run, &b->o->mask);
    TTP_TRY(ttp_bundle_stage(&b->making, run, err));
    TTP_TRY(add_verb(b, &cmd_report, run, "report.json", err));
    TTP_TRY(add_verb(b, &cmd_doctor, NULL, "doctor.json", err));
    TTP_TRY(add_verb(b, &cmd_version, NULL, "versions.txt", err));
    TTP_TRY(add_environment(b, err));
    return put_archive(b, err);
}

static ttp_code make(const struct ttp_ctx *ctx, const struct bundle_opts *o,
                     const struct ttp_words *operands, struct ttp_err *err)
{
    struct bundling b = {.ctx = ctx, .o = o};
    struct ttp_run_choice choice = {.rank = o->rank};
    struct ttp_words runs;

    if (!o->common.output) {
        ttp_fail(err, TTP_EUSAGE, "-o FILE is required");
        ttp_err_hint(err, "for example: -o run" TTP_BUNDLE_SUFFIX);
        return TTP_EUSAGE;
    }
    TTP_TRY(ttp_run_operands(&runs, operands, ctx->arena, err));
    const char *dir = runs.word[0];
    TTP_TRY(ttp_run_choose_rank(&dir, &choice, ctx->arena, err));
    const char *missing = o->rank ? NULL : ttp_run_missing_ranks(dir, ctx->arena);
    if (missing)
        ttp_ctx_warn(ctx, "%s: %s", dir, missing);
    TTP_TRY(ttp_temp_dir_make(&b.scratch, ctx->arena, err));
    const ttp_code rc = make_in(&b, dir, err);
    ttp_temp_dir_end(b.scratch);
    if (rc == TTP_OK)
        tell(&b, o->common.output);
    return rc;
}

/* ---- checking ---- */

static ttp_code check(int *status, const struct ttp_ctx *ctx, const struct ttp_words *operands,
                      struct ttp_err *err)
{
    struct ttp_bundle bundle;
    const char *scratch;

    if (operands->count != 1)
        return ttp_fail(err, TTP_EUSAGE, "--check requires a bundle");
    TTP_TRY(ttp_temp_dir_make(&scratch, ctx->arena, err));
    ttp_code rc = ttp_bundle_read(&bundle, operands->word[0], scratch, ctx->arena, err);
    ttp_temp_dir_end(scratch);
    if (rc != TTP_OK && err && !err->path[0])
        ttp_err_where(err, operands->word[0], 0);
    TTP_TRY(rc);
    for (size_t i = 0; i < bundle.count; i++)
        if (bundle.file[i].damaged)
            *status = TTP_EXIT_FINDING;
    return ttp_out_bundle(&ctx->show, &bundle, err);
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct bundle_opts *o = opts;

    return o->check ? check(status, ctx, operands, err) : make(ctx, o, operands, err);
}

static const struct ttp_document_spec *const documents[] = {&ttp_bundle_document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf bundle generated/profiler -o slow.ttperf.tar.zst", "a run for a bug report"},
    {"tt-perf bundle --check slow.ttperf.tar.zst", "what is inside"},
    {"tt-perf report slow.ttperf.tar.zst", "every verb reads a bundle like a run"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_bundle = {
    .name = "bundle",
    .args = "[RUN]",
    .summary = "pack a run into one archive to share, with private names masked",
    .description =
        "Writes the logs of RUN, the source of kernels that lies in it, its newest report (of each "
        "rank, if there are several), the report and the doctor's findings as JSON, versions and  "
        "the names of the profiler's environment variables to one tar archive, "
        "compressed with zstd. Every verb reads it like the run itself.\n\n"
        "It masks user names, host names, addresses, serial numbers, secrets, values of variables "
        "that are not numbers, "
        "and the folders of absolute paths, except public ones such as /usr and /opt and paths "
        "below a folder such as tt-metal. It omits files that are not text, such as captures of "
        "Tracy, because names in them cannot be masked. It keeps names of ops, shapes of tensors "
        "and signposts; --mask hides further names. --check lists every file with its size and "
        "the number of masked places.",
    TTP_CMD_OPTIONS(options, struct bundle_opts),
    .takes = TTP_TAKES_REPORT,
    .formats = ttp_table_formats,
    .documents = documents,
    .operand = TTP_OPERAND_FILE,
    .max_operands = 1,
    .keeps_bundles = true,
    .examples = examples,
    .exit_notes = "1 with --check: a file is damaged or missing.",
    .run = run,
};
