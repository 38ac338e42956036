/* SPDX-License-Identifier: Apache-2.0 */
#include "core/form.h"

static const struct {
    const char *word, *suffix; /* suffix NULL: none */
    enum ttp_form form;
} forms[] = {
    {"speedscope", ".speedscope.json", TTP_FORM_OTHER}, /* above ".json" */
    {"folded", ".folded", TTP_FORM_OTHER},
    {"text", ".txt", TTP_FORM_TEXT},
    {"csv", ".csv", TTP_FORM_CSV},
    {"md", ".md", TTP_FORM_MARKDOWN},
    {"json", ".json", TTP_FORM_JSON},
    {"svg", ".svg", TTP_FORM_SVG},
    {"png", ".png", TTP_FORM_PNG},
    {"html", ".html", TTP_FORM_HTML},
    {"parquet", ".parquet", TTP_FORM_PARQUET},
    {"ndjson", ".ndjson", TTP_FORM_NDJSON},
    {"prometheus", ".prom", TTP_FORM_PROMETHEUS},
    {"github", NULL, TTP_FORM_GITHUB},
    {"junit", ".xml", TTP_FORM_JUNIT},
};

/* The format that a file name asks for; NULL: it says nothing. */
static const char *word_of_suffix(const char *path)
{
    for (size_t i = 0; path && i < TTP_COUNT(forms); i++)
        if (forms[i].suffix && ttp_str_ends(ttp_str_from(path), ttp_str_from(forms[i].suffix)))
            return forms[i].word;
    return NULL;
}

/* A format is written to files of that kind: "json" is, and so is "chrome-json", but not "ndjson",
 * which has a suffix of its own. */
static bool is_kind_of(const char *format, const char *word)
{
    static const char *const documents[] = {"benchmark-run", "speedscope"};
    const ttp_str all = ttp_str_from(format), kind = ttp_str_from(word);

    for (size_t i = 0; i < TTP_COUNT(documents); i++)
        if (strcmp(format, documents[i]) == 0 && strcmp(word, "json") == 0)
            return true;
    return ttp_str_ends(all, kind) &&
           (all.len == kind.len || all.ptr[all.len - kind.len - 1] == '-');
}

static int find_format(const struct ttp_cmd *cmd, const char *word)
{
    for (int i = 0; cmd->formats[i]; i++)
        if (is_kind_of(cmd->formats[i], word))
            return i;
    return -1;
}

static bool has_option(const struct ttp_cmd *cmd, const char *name)
{
    for (size_t i = 0; i < cmd->nopt; i++)
        if (strcmp(cmd->opt[i].name, name) == 0)
            return true;
    return false;
}

static ttp_code choose(int *format, const struct ttp_ctx *ctx, const char *path,
                       struct ttp_err *err)
{
    const char *word = word_of_suffix(path);
    const int given = *format;

    *format = given < 0 ? 0 : given;
    if (!word)
        return TTP_OK;
    if (given >= 0 && !is_kind_of(ctx->cmd->formats[given], word)) {
        (void)ttp_fail(err, TTP_EUSAGE, "--format %s conflicts with the suffix of '%s'",
                       ctx->cmd->formats[given], path);
        ttp_err_hint(err, "omit --format or change the suffix");
        return TTP_EUSAGE;
    }
    if (given >= 0)
        return TTP_OK;
    const int found = find_format(ctx->cmd, word);
    if (found < 0) {
        (void)ttp_fail(err, TTP_EUSAGE, "'%s' does not support --format %s, the suffix of '%s'",
                       ctx->cmd->name, word, path);
        if (strcmp(word, "html") == 0 && has_option(ctx->cmd, "offline"))
            ttp_err_hint(err, "add --offline for a page");
        return TTP_EUSAGE;
    }
    *format = found;
    return TTP_OK;
}

static enum ttp_form form_of(const char *format)
{
    for (size_t i = 0; i < TTP_COUNT(forms); i++)
        if (strcmp(forms[i].word, format) == 0)
            return forms[i].form;
    return TTP_FORM_OTHER;
}

ttp_code ttp_format_of_file(int *out, const struct ttp_ctx *ctx, const char *path,
                            struct ttp_err *err)
{
    int format = -1;

    for (int i = 0; ctx->format_given && ctx->cmd->formats[i]; i++)
        if (strcmp(ctx->cmd->formats[i], ctx->format) == 0)
            format = i;
    if (format < 0 && !word_of_suffix(path))
        return TTP_OK;
    TTP_TRY(choose(&format, ctx, path, err));
    *out = format;
    return TTP_OK;
}

ttp_code ttp_form_of_file(enum ttp_form *out, const struct ttp_ctx *ctx, const char *path,
                          struct ttp_err *err)
{
    int format = -1;

    TTP_TRY(ttp_format_of_file(&format, ctx, path, err));
    if (format >= 0)
        *out = form_of(ctx->cmd->formats[format]);
    return TTP_OK;
}

ttp_code ttp_form_choose(struct ttp_ctx *ctx, struct ttp_common_opts *common, struct ttp_err *err)
{
    const bool folder = ctx->cmd->output_is_folder && ctx->cmd->output_is_folder(common);
    const bool file = ctx->cmd->takes & TTP_TAKES_OUTPUT && !folder;
    ttp_code rc = TTP_OK;

    ctx->format_given = ctx->cmd->formats && common->format >= 0;
    if (ctx->cmd->formats)
        rc = choose(&common->format, ctx, file ? common->output : NULL, err);
    else
        common->format = 0;
    ctx->format = ctx->cmd->formats ? ctx->cmd->formats[common->format] : "text";
    ctx->show.form = form_of(ctx->format);
    return rc;
}
