/* SPDX-License-Identifier: Apache-2.0 */
#include "core/bundle_operands.h"

#include "base/temp_dir.h"
#include "bundle/bundle.h"
#include "core/ctx.h"

static ttp_code unpack(const char **folder, const char *path, struct ttp_unpacked *u,
                       const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct ttp_bundle b;

    TTP_TRY(ttp_temp_dir_make(folder, ctx->arena, err));
    ttp_words_add(&u->folders, *folder, ctx->arena);
    const ttp_code rc = ttp_bundle_read(&b, path, *folder, ctx->arena, err);
    if (rc != TTP_OK) {
        ttp_err_where(err, path, 0);
        if (!err->hint[0])
            ttp_err_hint(err, "the bundle is truncated or damaged; copy it again, or make it again "
                              "with: tt-perf bundle RUN -o FILE");
        return rc;
    }
    for (size_t i = 0; i < b.count; i++)
        if (b.file[i].damaged)
            ttp_ctx_warn(ctx, "%s: '%.*s' is damaged or missing", path, TTP_FMT(b.file[i].name));
    return TTP_OK;
}

ttp_code ttp_bundle_unpack_path(const char **path, struct ttp_unpacked *u,
                                const struct ttp_ctx *ctx, struct ttp_err *err)
{
    return ttp_bundle_is(*path) ? unpack(path, *path, u, ctx, err) : TTP_OK;
}

/* Values of options that are runs. */
static ttp_code unpack_options(struct ttp_unpacked *out, void *opts, const struct ttp_ctx *ctx,
                               struct ttp_err *err)
{
    size_t count;
    const struct ttp_opt *opt = ttp_cmd_options(&count, ctx->cmd, ctx->arena);

    for (size_t i = 0; i < count; i++) {
        const char *value;

        if (!opt[i].of_run)
            continue;
        memcpy(&value, (char *)opts + opt[i].offset, sizeof(value));
        if (!value)
            continue;
        TTP_TRY(ttp_bundle_unpack_path(&value, out, ctx, err));
        memcpy((char *)opts + opt[i].offset, &value, sizeof(value));
    }
    return TTP_OK;
}

ttp_code ttp_bundles_unpack(struct ttp_unpacked *out, const struct ttp_words *given, void *opts,
                            const struct ttp_ctx *ctx, struct ttp_err *err)
{
    *out = (struct ttp_unpacked){.operands = *given};
    TTP_TRY(unpack_options(out, opts, ctx, err));
    if (ctx->cmd->operand != TTP_OPERAND_FILE && ctx->cmd->operand != TTP_OPERAND_DIR &&
        ctx->cmd->operand != TTP_OPERAND_ACTION)
        return TTP_OK;
    out->operands.word = TTP_NEW(ctx->arena, const char *, given->count + 1);
    for (size_t i = 0; i < given->count; i++) {
        out->operands.word[i] = given->word[i];
        if (!ctx->cmd->keeps_bundles)
            TTP_TRY(ttp_bundle_unpack_path(&out->operands.word[i], out, ctx, err));
    }
    return TTP_OK;
}

void ttp_unpacked_remove(struct ttp_unpacked *u)
{
    for (size_t i = 0; i < u->folders.count; i++)
        ttp_temp_dir_end(u->folders.word[i]);
}
