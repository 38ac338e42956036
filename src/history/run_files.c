/* SPDX-License-Identifier: Apache-2.0 */
/* run_files.c - the documents of a JSON file, one run each. */
#include "history/run_documents.h"

#include "base/vec.h"

/* More runs than this are not in one file. */
#define RUNS_MAX 1000000

struct documents {
    ttp_str *text;
    size_t *offset;
    size_t count;
};

static void add_document(struct documents *d, ttp_str file, size_t from, size_t to,
                         struct ttp_arena *arena)
{
    TTP_ROOM(arena, d->text, d->count);
    TTP_ROOM(arena, d->offset, d->count);
    d->text[d->count] = ttp_str_slice(file, from, to);
    d->offset[d->count++] = from;
}

/* Where the objects are: those of the file, or of the one list that it is. */
static ttp_code cut(struct documents *out, ttp_str text, struct ttp_arena *arena,
                    struct ttp_err *err)
{
    struct ttp_json_reader r = {.python = true, .replace_surrogate = true, .many = true};
    uint32_t list = 0; /* 1: inside a list of documents */
    size_t from = 0;
    enum ttp_json_event event;
    ttp_code rc;

    ttp_json_feed(&r, text, true);
    while ((rc = ttp_json_next(&event, &r, err)) == TTP_OK && event != TTP_JSON_END) {
        if (event == TTP_JSON_ARRAY_BEGIN && r.depth == 1) {
            list = 1;
        } else if (event == TTP_JSON_ARRAY_END && r.depth == 0) {
            list = 0;
        } else if (event == TTP_JSON_OBJECT_BEGIN && r.depth == list + 1) {
            from = r.offset;
        } else if (event == TTP_JSON_OBJECT_END && r.depth == list) {
            add_document(out, text, from, r.offset + 1, arena);
        } else if (r.depth == list && event != TTP_JSON_OBJECT_END) {
            rc = ttp_fail_at(err, TTP_EPARSE, r.offset, "a value is not an object");
            break;
        }
        if (out->count > RUNS_MAX) {
            rc = ttp_fail_at(err, TTP_ELIMIT, r.offset, "more than %d runs", RUNS_MAX);
            break;
        }
    }
    ttp_json_clear(&r);
    return rc;
}

static ttp_code read_one(struct ttp_history_run *out, ttp_str text, const char *name,
                         struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_node *doc;

    TTP_TRY(ttp_json_tree(&doc, text, arena, err));
    const ttp_str schema = ttp_node_str_of(doc, "schema");
    if (ttp_str_eq(schema, TTP_STR(TTP_RUN_SCHEMA)) ||
        ttp_str_eq(schema, TTP_STR(TTP_RUN_SCHEMA_0_1)))
        return ttp_history_run_read_json(out, doc, arena, err);
    TTP_TRY(ttp_history_run_from_bench(out, text, arena, err));
    out->document = text;
    out->document_name = out->source = ttp_str_from(name);
    return TTP_OK;
}

ttp_code ttp_history_runs_from_json(struct ttp_history_runs *out, ttp_str text, const char *name,
                                    struct ttp_arena *arena, struct ttp_err *err)
{
    struct documents docs = {0};

    *out = (struct ttp_history_runs){0};
    TTP_TRY(cut(&docs, text, arena, err));
    if (docs.count == 0)
        return ttp_fail_at(err, TTP_EPARSE, 0, "no runs in the file");
    out->run = TTP_NEW(arena, struct ttp_history_run, docs.count);
    for (size_t i = 0; i < docs.count; i++) {
        const ttp_code rc = read_one(&out->run[i], docs.text[i], name, arena, err);

        if (rc != TTP_OK) {
            if (err)
                err->offset += docs.offset[i];
            return rc;
        }
        out->count++;
    }
    if (docs.count == 1 && out->run[0].document.ptr == docs.text[0].ptr)
        out->run[0].document = text; /* with what is around the only document */
    return TTP_OK;
}
