/* SPDX-License-Identifier: Apache-2.0 */
/* assets.h - private to serve: pages that are built into the program, and filled in. */
#ifndef TTP_SERVE_ASSETS_H
#define TTP_SERVE_ASSETS_H

#include "base/sink.h"

struct ttp_asset {
    const char *name; /* of the file in src/serve/assets */
    ttp_str text;
};
extern const struct ttp_asset ttp_assets[]; /* ends with a NULL name */

/* What represents {{name}} in a page. */
struct ttp_page_word {
    const char *name;
    ttp_str text; /* escaped for HTML as it is put in */
};

/* A page, with {{asset:NAME}} replaced by that asset and {{NAME}} by its word. With `rest` writing
 * stops at {{data}}, and *rest is what follows; without, nothing is there. */
void ttp_page_put(struct ttp_sink *out, const char *asset, const struct ttp_page_word *word,
                  size_t words, ttp_str *rest);
void ttp_page_put_rest(struct ttp_sink *out, ttp_str rest, const struct ttp_page_word *word,
                       size_t words);

#endif
