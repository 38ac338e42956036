/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_page.c - the files of a bundle. */
#include "bundle/bundle.h"
#include "outputs/outputs.h"

#define FILE_OF struct ttp_bundle_file
static const struct ttp_field file_fields[] = {
    TTP_WORDS_COLUMN("name", "File", 0, TTP_FIGURE(FILE_OF, name)),
    TTP_INT_COLUMN("bytes", "Bytes", "B", 0, TTP_FIGURE(FILE_OF, bytes)),
    TTP_INT_COLUMN("masked", "Masked", "", 1, TTP_FIGURE(FILE_OF, masked),
                   .help = "places in it that were masked"),
    TTP_WORDS_COLUMN("left_out", "Left out", 0, TTP_FIGURE(FILE_OF, left_out),
                     .help = "why it is not in the bundle"),
    TTP_FLAG("damaged", TTP_FIGURE(FILE_OF, damaged),
             .help = "missing, or different from the list"),
    TTP_WORDS("sha256", TTP_FIGURE(FILE_OF, sha256)),
};
static const struct ttp_fields files = {TTP_FIELDS(file_fields),
                                        .hint = "tt-perf bundle --check --columns help lists them"};

#define BUNDLE struct ttp_bundle
static const struct ttp_field bundle_fields[] = {
    TTP_WORDS("tt_perf", TTP_FIGURE(BUNDLE, version), .help = "version that made it"),
    TTP_WORDS("created", TTP_FIGURE(BUNDLE, created)),
};
static const struct ttp_fields bundle_data = {TTP_FIELDS(bundle_fields)};

enum { PART_BUNDLE, PART_FILES };
static const struct ttp_part_spec parts[] = {
    [PART_BUNDLE] = {.id = "bundle",
                     .kind = TTP_PART_OBJECT,
                     .fields = &bundle_data,
                     .json_only = true},
    [PART_FILES] = {.id = "files", .fields = &files},
};
const struct ttp_document_spec ttp_bundle_document = {
    .schema = "tt-perf.bundle/1",
    .help = "Files of a bundle",
    TTP_PARTS(parts),
    .main = PART_FILES,
};

static void put_head(const struct ttp_show *show, const void *arg)
{
    const struct ttp_bundle *b = arg;
    size_t damaged = 0, left_out = 0;

    for (size_t i = 0; i < b->count; i++) {
        damaged += b->file[i].damaged;
        left_out += b->file[i].left_out.len > 0;
    }
    ttp_sink_printf(show->out, "bundle of tt-perf %.*s, made %.*s\n", TTP_FMT(b->version),
                    TTP_FMT(b->created));
    if (left_out)
        ttp_sink_printf(show->out, "%zu of %zu files of the run %s left out\n", left_out, b->count,
                        left_out == 1 ? "is" : "are");
    if (damaged)
        ttp_sink_printf(show->out, "%zu files are damaged or missing\n", damaged);
}

ttp_code ttp_out_bundle(const struct ttp_show *show, const struct ttp_bundle *bundle,
                        struct ttp_err *err)
{
    const struct ttp_page page = {.head = put_head, .arg = bundle};
    struct ttp_document doc;

    ttp_document_init(&doc, &ttp_bundle_document, show->arena);
    ttp_document_object(&doc, PART_BUNDLE, NULL, bundle);
    ttp_document_rows(&doc, PART_FILES, NULL, bundle->file, bundle->count);
    return ttp_show_document(show, &doc, &page, err);
}
