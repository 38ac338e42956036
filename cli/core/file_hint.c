/* SPDX-License-Identifier: Apache-2.0 */
#include "core/file_hint.h"

#include <stdio.h>
#include <sys/stat.h>

#include "bundle/bundle.h"
#include "inspect/inspect.h"

static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode); /* a pipe would be read */
}

/* The file that is to blame: the one that is named, or the only one there is. */
static const char *culprit(const struct ttp_err *err, const struct ttp_words *operands)
{
    const char *only = NULL;

    if (err->path[0])
        return is_file(err->path) ? err->path : NULL;
    for (size_t i = 0; i < operands->count; i++) {
        if (!is_file(operands->word[i]))
            continue;
        if (only)
            return NULL;
        only = operands->word[i];
    }
    return only;
}

static bool takes(const struct ttp_inspect_words *kind, const char *verb)
{
    char word[32];

    snprintf(word, sizeof(word), " %s ", verb);
    return strstr(kind->verbs, word) != NULL;
}

void ttp_file_hint(struct ttp_err *err, const struct ttp_cmd *cmd, const struct ttp_words *operands,
                   struct ttp_arena *arena)
{
    const char *path = culprit(err, operands);
    struct ttp_err none = {0};
    enum ttp_inspect_kind kind;

    if (!path || (err->code != TTP_EPARSE && err->code != TTP_ENOTFOUND))
        return;
    if (ttp_bundle_is(path)) /* every verb reads one: it is its content that is wrong */
        return;
    if (ttp_str_ends(ttp_str_from(path), TTP_STR(TTP_BUNDLE_SUFFIX))) {
        ttp_err_hint(err, "it is named like a bundle but is not one: damaged, or not made by "
                          "'tt-perf bundle'");
        return;
    }
    if (ttp_inspect_detect(&kind, path, arena, &none) != TTP_OK) {
        if (none.code == TTP_ENOTFOUND && !err->hint[0] && strcmp(cmd->name, "info") != 0)
            ttp_err_hint(err, "%s", none.text);
        return;
    }
    if (!takes(ttp_inspect_words(kind), cmd->name))
        ttp_err_hint(err, "it contains %s: %s", ttp_inspect_words(kind)->what,
                     ttp_inspect_use(kind, path, arena));
}
