/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_read.c - a bundle, compared with its list and unpacked. */
#include <sys/stat.h>

#include "base/file.h"
#include "base/input.h"
#include "base/json_tree.h"
#include "base/outsink.h"
#include "base/sha256.h"
#include "base/tar.h"
#include "base/vec.h"
#include "bundle/bundle.h"

#define FILES_MAX 100000
/* The list of as many files. */
#define LIST_MAX ((uint64_t)64 << 20)
/* Everything unpacked: a terabyte is not a bug report. */
#define BYTES_MAX ((uint64_t)1 << 40)

struct reading {
    struct ttp_bundle *out;
    const char *folder; /* NULL: nothing is kept */
    struct ttp_arena *arena;
    bool has_list;
    ttp_str name;
    uint64_t bytes, total;
    struct ttp_outsink file; /* of the entry, if it is kept */
    bool open;
    struct ttp_arena list_arena; /* text of the list */
    struct ttp_sink list;
    size_t seen;
};

static ttp_code reject(const char *why, struct ttp_err *err)
{
    return ttp_fail(err, TTP_EPARSE, "not a bundle of tt-perf: %s", why);
}

/* ---- the list ---- */

static ttp_code take_list(struct reading *r, struct ttp_err *err)
{
    struct ttp_node *root;

    if (ttp_json_tree(&root, ttp_sink_text(&r->list), r->arena, NULL) != TTP_OK || !root ||
        !ttp_str_eq(ttp_node_str_of(root, "format"), TTP_STR(TTP_BUNDLE_FORMAT)))
        return reject("its list is damaged or of another version", err);
    r->out->version = ttp_node_str_of(root, "tt_perf");
    r->out->created = ttp_node_str_of(root, "created");
    for (const struct ttp_node *n = ttp_node_first_of(root, "files"); n; n = n->next) {
        const double bytes = ttp_node_f64_of(n, "bytes"), masked = ttp_node_f64_of(n, "masked");

        if (r->out->count >= FILES_MAX)
            return ttp_fail(err, TTP_ELIMIT, "the bundle lists more than %d files", FILES_MAX);
        *TTP_PUSH(r->arena, r->out->file, r->out->count) = (struct ttp_bundle_file){
            .name = ttp_node_str_of(n, "name"),
            .bytes = bytes > 0 && bytes < 9e15 ? (uint64_t)bytes : 0,
            .masked = masked > 0 && masked < 9e15 ? (uint64_t)masked : 0,
            .sha256 = ttp_node_str_of(n, "sha256"),
            .left_out = ttp_node_str_of(n, "left_out"),
            .damaged = ttp_node_str_of(n, "left_out").len == 0, /* until it is seen */
        };
    }
    return TTP_OK;
}

static struct ttp_bundle_file *find(const struct reading *r)
{
    /* entries come in the order of the list */
    for (size_t i = 0; i < r->out->count; i++) {
        struct ttp_bundle_file *f = &r->out->file[(r->seen + i) % r->out->count];

        if (!f->left_out.len && ttp_str_eq(f->name, r->name))
            return f;
    }
    return NULL;
}

/* ---- entries ---- */

static ttp_code begin(void *arg, const struct ttp_tar_entry *entry, struct ttp_err *err)
{
    struct reading *r = arg;

    r->name = ttp_arena_copy(r->arena, ttp_str_from(entry->name));
    r->bytes = entry->size;
    r->total += entry->size;
    if (entry->kind != TTP_TAR_FILE)
        return reject("it has an entry that is not a file", err);
    if (r->total > BYTES_MAX)
        return ttp_fail(err, TTP_ELIMIT, "the bundle has more than a terabyte");
    if (!r->has_list) {
        if (!ttp_str_eq(r->name, TTP_STR(TTP_BUNDLE_LIST)) || entry->size > LIST_MAX)
            return reject("it does not begin with its list", err);
        ttp_sink_to_arena(&r->list, &r->list_arena);
        return TTP_OK;
    }
    if (!find(r))
        return reject("it has a file that its list lacks", err);
    const char *to = ttp_file_join(r->folder, entry->name, r->arena), *slash = strrchr(to, '/');
    TTP_TRY(ttp_file_make_dirs(ttp_arena_zstr(r->arena, (ttp_str){to, (size_t)(slash - to)}), err));
    TTP_TRY(ttp_outsink_open(&r->file, to, err));
    r->open = true;
    return TTP_OK;
}

static ttp_code piece(void *arg, ttp_str bytes, struct ttp_err *err)
{
    struct reading *r = arg;

    (void)err;
    ttp_sink_put(r->open ? &r->file.sink : &r->list, bytes);
    return TTP_OK;
}

static ttp_code end(void *arg, struct ttp_err *err)
{
    struct reading *r = arg;
    char digest[TTP_SHA256_HEX + 1];
    struct ttp_file written;

    if (!r->has_list) {
        r->has_list = true;
        return take_list(r, err);
    }
    const char *path = r->file.path;
    r->open = false;
    TTP_TRY(ttp_outsink_close(&r->file, TTP_OK, err));
    TTP_TRY(ttp_file_map(&written, path, err));
    ttp_sha256_hex(digest, written.text);
    ttp_file_close(&written);
    struct ttp_bundle_file *f = find(r);
    f->damaged = !ttp_str_eq(f->sha256, ttp_str_from(digest)) || f->bytes != r->bytes;
    r->seen++;
    return TTP_OK;
}

ttp_code ttp_bundle_read(struct ttp_bundle *out, const char *path, const char *folder,
                         struct ttp_arena *arena, struct ttp_err *err)
{
    struct reading r = {.out = out, .folder = folder, .arena = arena};
    const struct ttp_tar_reader reader = {begin, piece, end, &r};

    *out = (struct ttp_bundle){0};
    ttp_code rc = ttp_tar_read(path, &reader, err);
    if (r.open) /* the failure is known already */
        rc = ttp_outsink_close(&r.file, rc, NULL);
    if (rc == TTP_OK && !r.has_list)
        rc = reject("it is empty", err);
    ttp_arena_free(&r.list_arena);
    return rc;
}

/* ---- is it one? ---- */

static ttp_code look_at_first(void *arg, const struct ttp_tar_entry *entry, struct ttp_err *err)
{
    *(bool *)arg = strcmp(entry->name, TTP_BUNDLE_LIST) == 0;
    return ttp_fail(err, TTP_EPARSE, "seen enough");
}

static ttp_code ignore_piece(void *arg, ttp_str bytes, struct ttp_err *err)
{
    (void)arg, (void)bytes, (void)err;
    return TTP_OK;
}

static ttp_code ignore_end(void *arg, struct ttp_err *err)
{
    (void)arg, (void)err;
    return TTP_OK;
}

bool ttp_bundle_is(const char *path)
{
    struct stat st;
    bool found = false;
    const struct ttp_tar_reader reader = {look_at_first, ignore_piece, ignore_end, &found};

    /* looking into a pipe would take bytes from its reader */
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           ttp_tar_read(path, &reader, NULL) != TTP_OK && found;
}
