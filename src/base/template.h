/* SPDX-License-Identifier: Apache-2.0 */
/* template.h - pages that are built into the program and filled in with words. */
#ifndef TTP_BASE_TEMPLATE_H
#define TTP_BASE_TEMPLATE_H

#include "base/sink.h"

struct ttp_asset {
    const char *name; /* of its file */
    ttp_str text;
};

/* The text that replaces {{name}}. */
struct ttp_template_word {
    const char *name;
    ttp_str text; /* escaped for HTML when it is written */
    bool lines;   /* its line ends are ours: they stay what they are */
};

struct ttp_template {
    const struct ttp_asset *assets; /* ends with a NULL name */
    const struct ttp_template_word *word;
    size_t words;
};

/* The asset with that name; {{asset:NAME}} is replaced by another asset and {{NAME}} by its word.
 * With `rest`, writing stops at {{data}} and *rest is what follows; without, {{data}} is empty. */
void ttp_template_put(struct ttp_sink *out, const struct ttp_template *t, const char *asset,
                      ttp_str *rest);
void ttp_template_put_rest(struct ttp_sink *out, const struct ttp_template *t, ttp_str rest);

#endif
