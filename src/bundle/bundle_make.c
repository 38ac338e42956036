/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_make.c - the text files of a run, masked, in a folder, and that folder as an archive. */
#include <sys/stat.h>

#include "base/clock.h"
#include "base/compress.h"
#include "base/file.h"
#include "base/input.h"
#include "base/iso_time.h"
#include "base/json_write.h"
#include "base/order.h"
#include "base/outsink.h"
#include "base/secrets.h"
#include "base/sha256.h"
#include "base/tar.h"
#include "base/vec.h"
#include "base/version.h"
#include "bundle/bundle_mask.h"
#include "logs/logs.h"
#include "run/run.h"

#define FILES_MAX 20000

struct staging {
    struct ttp_bundle_making *making;
    const char *reports; /* the folder of reports that was looked at last, below the run */
    const char *newest;  /* the report that is taken of those there; NULL: none */
    struct ttp_arena *arena;
};

/* ---- one file ---- */

struct copy {
    const struct ttp_bundle_names *names;
    struct ttp_outsink out;
    uint64_t masked;
    bool secrets; /* look for them; cycles of a device log are none */
    struct ttp_bundle_table table;
};

/* Secrets in a JSON file are masked in its strings alone, so that it stays JSON. */
#define JSON_MAX ((size_t)64 << 20)

static ttp_code copy_json(struct copy *c, const char *path, struct ttp_err *err)
{
    static const struct ttp_input_bound bound = {JSON_MAX, "too large for a bundle"};
    struct ttp_arena scratch = {0};
    ttp_str text;

    const ttp_code rc = ttp_input_all(&text, path, &bound, &scratch, err);
    if (rc == TTP_OK) {
        const ttp_str open = ttp_secrets_mask_json(text, &scratch);

        c->masked += open.len != text.len;
        ttp_sink_put(&c->out.sink, ttp_bundle_mask(open, c->names, &c->masked, &scratch));
    }
    ttp_arena_free(&scratch);
    return rc;
}

static ttp_code copy_block(void *arg, ttp_str text, struct ttp_err *err)
{
    struct copy *c = arg;
    struct ttp_arena scratch = {0};

    (void)err;
    const ttp_str open = c->secrets ? ttp_secrets_mask_text(text, &scratch) : text;
    c->masked += open.len != text.len;
    const ttp_str rows = ttp_bundle_mask_columns(&c->table, open, c->names, &c->masked, &scratch);
    ttp_sink_put(&c->out.sink, ttp_bundle_mask(rows, c->names, &c->masked, &scratch));
    ttp_arena_free(&scratch);
    return TTP_OK;
}

/* The facts of a file that is in place. */
static ttp_code note_file(struct ttp_bundle_file *out, const char *path, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    char digest[TTP_SHA256_HEX + 1];
    struct ttp_file file;

    TTP_TRY(ttp_file_map(&file, path, err));
    ttp_sha256_hex(digest, file.text);
    out->bytes = file.text.len;
    out->sha256 = ttp_arena_copy(arena, ttp_str_from(digest));
    ttp_file_close(&file);
    return TTP_OK;
}

/* Compressed files are written plain: the archive is compressed as a whole. */
static ttp_str plain_name(ttp_str name)
{
    static const ttp_str packed[] = {{".gz", 3}, {".zst", 4}};

    for (size_t i = 0; i < TTP_COUNT(packed); i++)
        if (ttp_str_ends(name, packed[i]))
            return ttp_str_slice(name, 0, name.len - packed[i].len);
    return name;
}

/* Names of people and hosts are masked in names of files, too. The list is JSON and so UTF-8; a
 * byte for a byte, for a name must not become longer than the file system allows. */
static ttp_str listed_name(const struct ttp_bundle_making *m, ttp_str full)
{
    uint64_t masked = 0;
    const ttp_str name = ttp_bundle_mask(full, &m->names, &masked, m->arena);
    char *copy = ttp_arena_zstr(m->arena, name);

    for (size_t at = 0; at < name.len;) {
        const size_t n = ttp_str_utf8_sequence(ttp_str_slice(name, at, name.len));

        if (n == 0)
            copy[at] = '_';
        at += n ? n : 1;
    }
    return (ttp_str){copy, name.len};
}

static void leave_out(struct ttp_bundle_making *m, const char *path, const char *name,
                      const char *why)
{
    struct stat st = {0};

    (void)stat(path, &st);
    *TTP_PUSH(m->arena, m->bundle.file, m->bundle.count) =
        (struct ttp_bundle_file){.name = listed_name(m, ttp_str_from(name)),
                                 .bytes = (uint64_t)st.st_size,
                                 .left_out = ttp_str_from(why)};
}

ttp_code ttp_bundle_add(struct ttp_bundle_making *m, const char *file, const char *name,
                        struct ttp_err *err)
{
    struct ttp_arena *arena = m->arena;
    const ttp_str in_bundle = listed_name(m, plain_name(ttp_str_from(name)));
    const char *to = ttp_file_join(m->folder, ttp_arena_zstr(arena, in_bundle), arena);
    const char *slash = strrchr(to, '/');
    struct stat st;
    struct copy c = {
        .names = &m->names,
        .table = {.begun = !ttp_str_ends(in_bundle, TTP_STR(".csv")), .host = TTP_NPOS},
        .secrets = !ttp_str_has(in_bundle, TTP_STR("profile_log_device"))};

    if (ttp_str_ends(in_bundle, TTP_STR(".json")) && stat(file, &st) == 0 &&
        st.st_size > (off_t)JSON_MAX) {
        leave_out(m, file, name, "a JSON file of more than 64 MiB");
        return TTP_OK;
    }
    if (ttp_file_exists(to) || ttp_file_is_dir(to)) {
        leave_out(m, file, name, "another file has its name in the bundle");
        return TTP_OK;
    }
    TTP_TRY(ttp_file_make_dirs(ttp_arena_zstr(arena, (ttp_str){to, (size_t)(slash - to)}), err));
    TTP_TRY(ttp_outsink_open(&c.out, to, err));
    const ttp_code rc = ttp_str_ends(in_bundle, TTP_STR(".json"))
                            ? copy_json(&c, file, err)
                            : ttp_input_each(file, ttp_input_cut_lines, copy_block, &c, err);
    TTP_TRY(ttp_outsink_close(&c.out, rc, err));
    struct ttp_bundle_file *f = TTP_PUSH(arena, m->bundle.file, m->bundle.count);
    *f = (struct ttp_bundle_file){.name = in_bundle, .masked = c.masked};
    return note_file(f, to, arena, err);
}

/* ---- a folder ---- */

static bool is_text(ttp_str name)
{
    /* logs, and the source of kernels: without it lines and names of kernels are lost */
    static const char *const ends[] = {".csv",   ".json", ".yaml", ".yml", ".log", ".txt", ".md",
                                       ".jsonl", ".py",   ".cpp",  ".cc",  ".c",   ".hpp", ".h"};

    name = plain_name(name);
    for (size_t i = 0; i < TTP_COUNT(ends); i++)
        if (ttp_str_ends(name, ttp_str_from(ends[i])))
            return true;
    return false;
}

/* Older reports are of other runs. Each rank has its own newest one, in its own folder `reports`.
 */
static bool is_of_run(struct staging *s, const char *dir, const char *inside)
{
    const ttp_str path = ttp_str_from(inside), mark = TTP_STR("reports/");
    const size_t inner = ttp_str_find(path, TTP_STR("/reports/"));

    if (!ttp_str_starts(path, mark) && inner == TTP_NPOS)
        return true;
    const size_t at = ttp_str_starts(path, mark) ? 0 : inner + 1;
    const ttp_str reports = ttp_str_slice(path, 0, at + mark.len - 1);
    if (!s->reports || !ttp_str_eq(ttp_str_from(s->reports), reports)) {
        s->reports = ttp_arena_zstr(s->arena, reports);
        if (ttp_run_find_csv(&s->newest, ttp_file_join(dir, s->reports, s->arena), s->arena,
                             NULL) != TTP_OK)
            s->newest = NULL;
    }
    const char *slash = s->newest ? strrchr(s->newest, '/') : NULL;
    return slash && strncmp(ttp_file_join(dir, inside, s->arena), s->newest,
                            (size_t)(slash - s->newest) + 1) == 0;
}

static ttp_code stage_folder(struct staging *s, const char *dir, struct ttp_err *err)
{
    struct ttp_words files;

    TTP_TRY(ttp_file_list_below(&files, dir, s->arena, err));
    if (files.count > FILES_MAX)
        return ttp_fail(err, TTP_ELIMIT, "the run has more than %d files", FILES_MAX);
    for (size_t i = 0; i < files.count; i++) {
        const char *path = files.word[i], *inside = path + strlen(dir);

        inside += strspn(inside, "/");
        if (strcmp(strrchr(path, '/') + 1, ".tt-perf.lock") == 0 || !is_of_run(s, dir, inside))
            continue;
        if (is_text(ttp_str_from(inside)))
            TTP_TRY(ttp_bundle_add(s->making, path, inside, err));
        else
            leave_out(s->making, path, inside, "not text");
    }
    return TTP_OK;
}

/* Masked logs are other bytes: write again what identifies the run. */
static ttp_code renew_facts(const struct staging *s, struct ttp_err *err)
{
    for (size_t i = 0; i < s->making->bundle.count; i++) {
        struct ttp_bundle_file *f = &s->making->bundle.file[i];
        const size_t end = f->name.len - (sizeof(TTP_RUN_FACTS) - 1);
        struct ttp_run_facts facts;
        bool found;

        if (f->left_out.len || !ttp_str_ends(f->name, TTP_STR(TTP_RUN_FACTS)))
            continue;
        const char *dir = ttp_file_join(
            s->making->folder,
            ttp_arena_zstr(s->arena, ttp_str_slice(f->name, 0, end ? end - 1 : 0)), s->arena);
        TTP_TRY(ttp_logs_run_facts_read(&facts, &found, dir, s->arena, err));
        facts.nfiles = 0;
        facts.file = NULL;
        ttp_logs_run_facts_note(&facts, dir, TTP_RUN_HOST, s->arena);
        if (!facts.disputed)
            ttp_logs_run_facts_note(&facts, dir, TTP_RUN_DEVICE, s->arena);
        TTP_TRY(ttp_logs_run_facts_write(&facts, dir, s->arena, err));
        TTP_TRY(note_file(f, ttp_file_join(dir, TTP_RUN_FACTS, s->arena), s->arena, err));
    }
    return TTP_OK;
}

static ttp_code stage_csv(struct ttp_bundle_making *m, const char *csv, struct ttp_err *err)
{
    const char *machine = ttp_logs_machine_log_find(csv, m->arena);

    TTP_TRY(ttp_bundle_add(m, csv, "ops_perf_results.csv", err));
    return machine ? ttp_bundle_add(m, machine, TTP_MACHINE_LOG, err) : TTP_OK;
}

ttp_code ttp_bundle_stage(struct ttp_bundle_making *m, const char *run, struct ttp_err *err)
{
    struct staging s = {.making = m, .arena = m->arena};
    char date[TTP_ISO_TIME_MAX];

    (void)ttp_iso_time(date, ttp_clock_unix_ns());
    m->bundle = (struct ttp_bundle){.version = ttp_str_from(ttp_version),
                                    .created = ttp_arena_copy(m->arena, ttp_str_from(date))};
    if (!ttp_file_is_dir(run))
        return stage_csv(m, run, err);
    TTP_TRY(stage_folder(&s, run, err));
    for (size_t i = 0; i < m->bundle.count; i++)
        if (!m->bundle.file[i].left_out.len)
            return renew_facts(&s, err);
    ttp_fail(err, TTP_ENOTFOUND, "no logs and no report of a run in this folder");
    ttp_err_where(err, run, 0);
    return TTP_ENOTFOUND;
}

/* ---- the archive ---- */

static void put_text(struct ttp_json_writer *w, const char *key, ttp_str value)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_str(w, value);
}

static void put_number(struct ttp_json_writer *w, const char *key, uint64_t value)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_u64(w, value);
}

static ttp_str make_list(const struct ttp_bundle *b, struct ttp_arena *arena)
{
    struct ttp_sink out;
    struct ttp_json_writer w = {.sink = &out, .indent = true};

    ttp_sink_to_arena(&out, arena);
    ttp_json_begin_object(&w);
    put_text(&w, "format", TTP_STR(TTP_BUNDLE_FORMAT));
    put_text(&w, "tt_perf", b->version);
    put_text(&w, "created", b->created);
    ttp_json_put_key(&w, TTP_STR("files"));
    ttp_json_begin_array(&w);
    for (size_t i = 0; i < b->count; i++) {
        const struct ttp_bundle_file *f = &b->file[i];

        ttp_json_begin_object(&w);
        put_text(&w, "name", f->name);
        put_number(&w, "bytes", f->bytes);
        put_number(&w, "masked", f->masked);
        put_text(&w, f->left_out.len ? "left_out" : "sha256",
                 f->left_out.len ? f->left_out : f->sha256);
        ttp_json_end_object(&w);
    }
    ttp_json_end_array(&w);
    ttp_json_end_object(&w);
    ttp_sink_own(&out, "\n");
    return ttp_sink_text(&out);
}

static ttp_code put_entry(struct ttp_encoder *to, const char *name, ttp_str bytes,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_tar_entry entry = {.name = name, .size = bytes.len, .mode = 0644};
    struct ttp_sink head, tail;

    ttp_sink_to_arena(&head, arena);
    ttp_sink_to_arena(&tail, arena);
    ttp_tar_put_header(&head, &entry);
    ttp_tar_put_padding(&tail, bytes.len);
    TTP_TRY(ttp_encoder_put(to, ttp_sink_text(&head), false, err));
    TTP_TRY(ttp_encoder_put(to, bytes, false, err));
    return ttp_encoder_put(to, ttp_sink_text(&tail), false, err);
}

static ttp_code put_file(struct ttp_encoder *to, const char *folder, ttp_str name,
                         struct ttp_arena *arena, struct ttp_err *err)
{
    const char *inside = ttp_arena_zstr(arena, name);
    struct ttp_file file;

    TTP_TRY(ttp_file_map(&file, ttp_file_join(folder, inside, arena), err));
    const ttp_code rc = put_entry(to, inside, file.text, arena, err);
    ttp_file_close(&file);
    return rc;
}

static ttp_code put_all(struct ttp_encoder *to, const struct ttp_bundle_making *m,
                        struct ttp_err *err)
{
    const struct ttp_bundle *b = &m->bundle;
    struct ttp_sink end;

    TTP_TRY(put_entry(to, TTP_BUNDLE_LIST, make_list(b, m->arena), m->arena, err));
    for (size_t i = 0; i < b->count; i++)
        if (!b->file[i].left_out.len)
            TTP_TRY(put_file(to, m->folder, b->file[i].name, m->arena, err));
    ttp_sink_to_arena(&end, m->arena);
    ttp_tar_put_end(&end);
    return ttp_encoder_put(to, ttp_sink_text(&end), true, err);
}

ttp_code ttp_bundle_write(const struct ttp_bundle_making *m, int fd, struct ttp_err *err)
{
    struct ttp_encoder *to = NULL;

    TTP_TRY(ttp_encoder_open(&to, fd, err));
    const ttp_code rc = put_all(to, m, err);
    ttp_encoder_close(to);
    return rc;
}
