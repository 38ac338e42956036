/* SPDX-License-Identifier: Apache-2.0 */
/* run_ranks.c - folders of ranks: found by their names, described by rank.json and mapping files.
 */
#include <stdarg.h>

#include "base/file.h"
#include "base/input.h"
#include "base/order.h"
#include "base/sink.h"
#include "run/rank_file.h"
#include "run/run_end.h"
#include "run/run_ranks.h"

/* ---- finding them ---- */

struct search {
    struct ttp_words dirs; /* .../rank<N>, as often as files were seen */
    struct ttp_arena *arena;
};

/* "rank12": its number. */
static bool rank_number(ttp_str name, int64_t *out)
{
    return ttp_str_starts(name, TTP_STR("rank")) && name.len > 4 && name.ptr[4] >= '0' &&
           name.ptr[4] <= '9' && ttp_str_to_i64(ttp_str_slice(name, 4, name.len), out) &&
           *out <= TTP_MESH_MAX_RANK;
}

/* The folder of the rank that a file belongs to: `.../rank<N>` before /.logs/ or /reports/. */
static bool rank_folder(ttp_str path, ttp_str *dir, int64_t *rank)
{
    static const ttp_str inside[] = {{"/.logs/", 7}, {"/reports/", 9}};

    for (size_t i = 0; i < TTP_COUNT(inside); i++) {
        const size_t at = ttp_str_find(path, inside[i]);
        if (at == TTP_NPOS)
            continue;
        size_t from = at;
        while (from > 0 && path.ptr[from - 1] != '/')
            from--;
        *dir = ttp_str_slice(path, 0, at);
        if (rank_number(ttp_str_slice(path, from, at), rank))
            return true;
    }
    return false;
}

/* Collects folders on the way; no file is the one looked for. */
static bool note_folder(const char *path, const char *name, void *arg)
{
    struct search *s = arg;
    int64_t rank;
    ttp_str dir;

    (void)name;
    if (!rank_folder(ttp_str_from(path), &dir, &rank))
        return false;
    if (s->dirs.count && ttp_str_eq(ttp_str_from(s->dirs.word[s->dirs.count - 1]), dir))
        return false;
    ttp_words_add(&s->dirs, ttp_arena_zstr(s->arena, dir), s->arena);
    return false;
}

/* Is it a folder rank<N>, or a file or folder inside one? */
static bool rank_of_path(const char *path, int64_t *rank)
{
    ttp_str whole = ttp_str_from(path), dir;

    if (rank_folder(whole, &dir, rank))
        return true;
    while (whole.len > 1 && whole.ptr[whole.len - 1] == '/')
        whole.len--;
    size_t from = whole.len;
    while (from > 0 && whole.ptr[from - 1] != '/')
        from--;
    return rank_number(ttp_str_slice(whole, from, whole.len), rank);
}

/* Is what `path` represents a run of its own, without ranks? */
static bool is_one_run(const char *path, struct ttp_arena *arena)
{
    struct ttp_err ignored = {0};
    const char *csv;
    int64_t rank;
    ttp_str dir;

    if (strcmp(path, "-") == 0 || !ttp_file_is_dir(path))
        return true;
    if (rank_of_path(path, &rank))
        return true;
    return ttp_run_find_csv(&csv, path, arena, &ignored) == TTP_OK &&
           !rank_folder(ttp_str_from(csv), &dir, &rank);
}

static ttp_code list_folders(struct ttp_words *out, const char *const *path, size_t npaths,
                             struct ttp_arena *arena, struct ttp_err *err)
{
    struct search s = {.arena = arena};

    *out = (struct ttp_words){0};
    for (size_t i = 0; i < npaths; i++)
        if (is_one_run(path[i], arena))
            return TTP_OK;
    for (size_t i = 0; i < npaths; i++) {
        const char *none;
        const ttp_code rc = ttp_file_find_newest(
            &none, path[i], (struct ttp_file_matcher){note_folder, &s}, arena, err);
        if (rc != TTP_ENOTFOUND)
            return rc;
    }
    if (s.dirs.count == 0)
        return TTP_OK;
    TTP_SORT(s.dirs.word, s.dirs.count, ttp_by_text);
    for (size_t i = 0; i < s.dirs.count; i++)
        if (i == 0 || strcmp(s.dirs.word[i], s.dirs.word[i - 1]) != 0)
            ttp_words_add(out, s.dirs.word[i], arena);
    return TTP_OK;
}

/* ---- what lies in them ---- */

static ttp_code read_facts(struct ttp_run_rank *r, struct ttp_arena *arena, struct ttp_err *err)
{
    const char *path = ttp_file_join(ttp_file_join(r->dir, ".logs", arena), TTP_RANK_FILE, arena);
    struct ttp_file file;

    if (!ttp_file_exists(path))
        return TTP_OK;
    TTP_TRY(ttp_file_map(&file, path, err));
    const ttp_code rc = ttp_run_rank_parse(&r->facts, file.text, arena, err);
    ttp_file_close(&file);
    if (rc != TTP_OK) {
        ttp_err_where(err, path, 0);
        return rc;
    }
    r->has_facts = true;
    if (r->facts.rank == r->rank)
        return TTP_OK;
    (void)ttp_fail(err, TTP_EPARSE, "it belongs to rank %lld, its folder to rank %lld",
                   (long long)r->facts.rank, (long long)r->rank);
    ttp_err_where(err, path, 0);
    return TTP_EPARSE;
}

static ttp_code read_mapping(struct ttp_run_rank *r, const char *path, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    struct ttp_file file;

    TTP_TRY(ttp_file_map(&file, path, err));
    const ttp_code rc = ttp_run_mapping_parse(&r->place, &r->places, file.text, arena, err);
    ttp_file_close(&file);
    if (rc != TTP_OK)
        ttp_err_where(err, path, err ? err->line : 0);
    return rc;
}

/* Of one process the name has no numbers; else the rank counts from 1. */
static bool is_mapping(ttp_str name, int64_t rank)
{
    const ttp_str stem = TTP_STR("physical_chip_mesh_coordinate_mapping");
    ttp_str part[4];
    int64_t n;

    if (!ttp_str_starts(name, stem) || !ttp_str_ends(name, TTP_STR(".yaml")))
        return false;
    const ttp_str rest = ttp_str_slice(name, stem.len, name.len - 5);
    if (rest.len == 0)
        return true;
    return ttp_str_split(rest, '_', part, 4) == 4 && ttp_str_to_i64(part[1], &n) && n == rank + 1;
}

static ttp_code find_mapping(struct ttp_run_rank *r, struct ttp_arena *arena, struct ttp_err *err)
{
    const char *logs = ttp_file_join(r->dir, ".logs", arena);
    struct ttp_words names;

    if (!ttp_file_is_dir(logs))
        return TTP_OK;
    TTP_TRY(ttp_file_list(&names, logs, arena, err));
    for (size_t i = 0; i < names.count; i++)
        if (is_mapping(ttp_str_from(names.word[i]), r->rank))
            return read_mapping(r, ttp_file_join(logs, names.word[i], arena), arena, err);
    return TTP_OK;
}

/* Clocks that were synchronised. The file helps and is not needed: a damaged one is a problem. */
static void find_sync(struct ttp_run_ranks *out, struct ttp_run_rank *r, struct ttp_arena *arena)
{
    const char *path =
        ttp_file_join(ttp_file_join(r->dir, ".logs", arena), "sync_device_info.csv", arena);
    struct ttp_err why = {0};
    struct ttp_file file;

    if (!ttp_file_exists(path) || ttp_file_map(&file, path, &why) != TTP_OK)
        return;
    if (ttp_sync_parse(&r->sync, &r->syncs, file.text, arena, &why) != TTP_OK) {
        r->syncs = 0;
        ttp_words_add(
            &out->problems,
            ttp_arena_zstr(arena, ttp_sink_format(arena, "%s, line %llu: %s: ignored", path,
                                                  (unsigned long long)why.line, why.text)),
            arena);
    }
    ttp_file_close(&file);
}

TTP_ORDER(by_rank, struct ttp_run_rank, TTP_UP(rank), strcmp(x->dir, y->dir))

/* What its folder says of it. If that is damaged the others can still be read. */
static void describe(struct ttp_run_ranks *out, struct ttp_run_rank *r, struct ttp_arena *arena)
{
    if (read_facts(r, arena, &r->why) != TTP_OK || find_mapping(r, arena, &r->why) != TTP_OK)
        r->has_facts = false;
    else
        find_sync(out, r, arena);
}

/* One that is alone has no others. */
static ttp_code check_ranks(struct ttp_run_ranks *out, struct ttp_err *err)
{
    TTP_SORT(out->rank, out->count, by_rank);
    if (out->count == 1 && out->rank[0].why.code != TTP_OK) {
        if (err)
            *err = out->rank[0].why;
        return out->rank[0].why.code;
    }
    return ttp_run_check_jobs(out, err);
}

ttp_code ttp_run_find_ranks(struct ttp_run_ranks *out, struct ttp_paths paths,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_words dirs;

    *out = (struct ttp_run_ranks){0};
    TTP_TRY(list_folders(&dirs, paths.path, paths.count, arena, err));
    out->rank = TTP_NEW(arena, struct ttp_run_rank, dirs.count + 1);
    for (size_t i = 0; i < dirs.count; i++) {
        struct ttp_run_rank *r = &out->rank[out->count++];
        const char *slash = strrchr(dirs.word[i], '/');
        r->dir = dirs.word[i];
        (void)rank_number(ttp_str_from(slash ? slash + 1 : r->dir), &r->rank);
        describe(out, r, arena);
    }
    return check_ranks(out, err);
}

ttp_code ttp_run_list_ranks(struct ttp_words *out, const char *path, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    return list_folders(out, &path, 1, arena, err);
}

ttp_code ttp_run_check_ranks(const struct ttp_words *dirs, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    struct ttp_run_ranks all = {.rank = TTP_NEW(arena, struct ttp_run_rank, dirs->count + 1)};

    for (size_t i = 0; i < dirs->count; i++) {
        struct ttp_run_rank *r = &all.rank[all.count];
        struct ttp_err ignored = {0};
        if (!rank_of_path(dirs->word[i], &r->rank) || !ttp_file_is_dir(dirs->word[i]))
            continue;
        r->dir = dirs->word[i];
        r->has_facts = read_facts(r, arena, &ignored) == TTP_OK && r->has_facts;
        all.count++;
    }
    TTP_SORT(all.rank, all.count, by_rank);
    return ttp_run_check_jobs(&all, err);
}

/* ---- their operations ---- */

static void tell(struct ttp_run_parts *out, struct ttp_arena *arena, const char *fmt, ...)
    TTP_PRINTF(3, 4);
static void tell(struct ttp_run_parts *out, struct ttp_arena *arena, const char *fmt, ...)
{
    struct ttp_sink s;
    va_list ap;

    ttp_sink_to_arena(&s, arena);
    va_start(ap, fmt);
    ttp_sink_vprintf(&s, fmt, ap);
    va_end(ap);
    ttp_words_add(&out->problems, ttp_arena_zstr(arena, ttp_sink_text(&s)), arena);
}

/* Each operand a rank: that of its folder, else in their order. */
static ttp_code number_operands(struct ttp_run_ranks *out, const char *const *path, size_t npaths,
                                struct ttp_arena *arena, struct ttp_err *err)
{
    bool named = true;
    int64_t rank;

    for (size_t i = 0; i < npaths; i++)
        named &= rank_of_path(path[i], &rank);
    out->rank = TTP_NEW(arena, struct ttp_run_rank, npaths);
    out->count = npaths;
    for (size_t i = 0; i < npaths; i++) {
        out->rank[i] = (struct ttp_run_rank){.rank = (int64_t)i, .dir = path[i]};
        if (!named || !rank_of_path(path[i], &out->rank[i].rank) || !ttp_file_is_dir(path[i]))
            continue;
        describe(out, &out->rank[i], arena);
    }
    return check_ranks(out, err);
}

/* ---- texts ---- */

/* The rows of a source that has one, as they were read, for whoever merges them. */
static ttp_code read_part_rows(struct ttp_run_parts *out, struct ttp_run_sources *from,
                               struct ttp_ops_read_options *reading, struct ttp_arena *arena,
                               struct ttp_err *err)
{
    struct ttp_mesh_part *part = &out->part[out->count];
    struct ttp_ops_rows *kept = NULL;

    if (!from->rows[0])
        reading->kept = &kept;
    const ttp_code rc = ttp_run_read_ops(part->ops, from, reading, arena, err);
    reading->kept = NULL;
    kept = from->rows[0] ? from->rows[0] : kept;
    from->rows[0] = NULL; /* it is ours now */
    if (rc == TTP_OK)
        out->rows[out->count] = kept;
    else if (kept)
        ttp_ops_drop_rows(kept);
    return rc;
}

static ttp_code open_part(struct ttp_run_parts *out, const struct ttp_run_rank *r,
                          const struct ttp_run_plan *plan, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct ttp_ops_read_options reading = {.threads = plan->reading.threads,
                                           .progress = plan->reading.progress};
    struct ttp_mesh_part *part = &out->part[out->count];
    struct ttp_run_sources from;
    ttp_code rc;

    TTP_TRY(ttp_run_open_sources(&from, (struct ttp_paths){&r->dir, 1}, plan, arena, err));
    *part = (struct ttp_mesh_part){
        .rank = r->rank,
        .mesh_id = r->has_facts ? r->facts.mesh_id : -1,
        .host = r->has_facts && r->facts.host.len ? ttp_arena_zstr(arena, r->facts.host) : NULL,
        .job = r->has_facts ? r->facts.job : TTP_STR(""),
        .name = from.name.word[0],
        .ops = TTP_NEW(arena, struct ttp_ops, 1),
        .place = r->place,
        .places = r->places,
        .sync = r->sync,
        .syncs = r->syncs,
        .nominal = r->facts.nominal,
        .nominals = r->facts.nominals,
        .clock = ttp_run_rank_clock(r, arena),
    };
    if (plan->rows)
        rc = read_part_rows(out, &from, &reading, arena, err);
    else
        rc = ttp_run_read_ops(part->ops, &from, &reading, arena, err);
    if (rc == TTP_OK && plan->texts)
        rc = ttp_input_all(&out->text[out->count], from.csv.word[0], NULL, arena, err);
    ttp_run_close_sources(&from);
    for (size_t i = 0; rc == TTP_OK && i < part->ops->problems.count; i++)
        tell(out, arena, "%s: %s", part->name, part->ops->problems.word[i]);
    out->truncated |= rc == TTP_OK && part->ops->truncated;
    if (rc == TTP_OK && !out->damage)
        out->damage = part->ops->damage;
    if (rc == TTP_OK)
        ttp_run_end_add_rank(&out->end, part->ops->end, r->rank, arena);
    out->count += rc == TTP_OK;
    return rc;
}

void ttp_run_drop_parts(struct ttp_run_parts *parts)
{
    for (size_t i = 0; parts->rows && i < parts->ranks.count; i++)
        if (parts->rows[i])
            ttp_ops_drop_rows(parts->rows[i]);
    parts->rows = NULL;
}

void ttp_run_split_part(struct ttp_run_parts *out, struct ttp_arena *arena)
{
    const struct ttp_mesh_part whole = out->part[0];
    const struct ttp_ops *ops = whole.ops;

    out->part = TTP_NEW(arena, struct ttp_mesh_part, ops->devices);
    out->split = true;
    out->count = 0;
    for (size_t d = 0; d < ops->devices; d++) {
        if (d && ops->device[d].rank == ops->device[d - 1].rank)
            continue;
        out->part[out->count] = whole;
        out->part[out->count++].rank = ops->device[d].rank;
    }
}

/* A rank without ops, or one whose files are damaged: the others are read all the same. */
static void leave_out(struct ttp_run_parts *out, const struct ttp_run_rank *r,
                      struct ttp_arena *arena)
{
    if (r->rank >= out->ranks.size)
        out->ranks.size = r->rank + 1; /* it is missing, even if it is the last */
    if (r->why.code == TTP_ENOTFOUND) {
        tell(out, arena, "rank %lld: no device data in %s", (long long)r->rank, r->dir);
        ttp_run_end_add_rank(&out->end,
                             ttp_run_end_of_folder(ttp_file_join(r->dir, ".logs", arena), arena),
                             r->rank, arena);
        return;
    }
    out->unreadable++;
    const bool named = !r->why.path[0] || strstr(r->why.text, r->why.path);
    const ttp_str what =
        ttp_sink_format(arena, "rank %lld cannot be read: %s%s%s", (long long)r->rank,
                        named ? "" : r->why.path, named ? "" : ": ", r->why.text);
    if (!out->damage)
        out->damage = ttp_arena_zstr(arena, what);
    tell(out, arena, "%.*s", TTP_FMT(what));
}

/* No rank is left: why the first one that is damaged cannot be read. */
static ttp_code refuse_all(const struct ttp_run_parts *out, struct ttp_err *err)
{
    for (size_t i = 0; i < out->ranks.count; i++)
        if (out->ranks.rank[i].why.code != TTP_OK && out->ranks.rank[i].why.code != TTP_ENOTFOUND) {
            if (err)
                *err = out->ranks.rank[i].why;
            return out->ranks.rank[i].why.code;
        }
    return ttp_fail(err, TTP_ENOTFOUND, "no rank has device operations");
}

ttp_code ttp_run_open_parts(struct ttp_run_parts *out, struct ttp_paths paths,
                            const struct ttp_run_plan *plan, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    struct ttp_run_plan own = *plan;

    *out = (struct ttp_run_parts){0};
    TTP_TRY(ttp_run_find_ranks(&out->ranks, paths, arena, err));
    out->folders = out->ranks.count > 0;
    own.host_ops = out->folders && !plan->join.device_only;
    if (!out->folders)
        TTP_TRY(number_operands(&out->ranks, paths.path, paths.count, arena, err));
    out->problems = out->ranks.problems;
    out->part = TTP_NEW(arena, struct ttp_mesh_part, out->ranks.count);
    out->text = TTP_NEW(arena, ttp_str, out->ranks.count);
    out->rows = TTP_NEW(arena, struct ttp_ops_rows *, out->ranks.count);
    for (size_t i = 0; i < out->ranks.count; i++) {
        struct ttp_run_rank *r = &out->ranks.rank[i];
        if (r->why.code == TTP_OK)
            r->why.code = open_part(out, r, &own, arena, &r->why);
        if (r->why.code == TTP_OK)
            continue;
        if (!out->folders && (out->ranks.count == 1 || !rank_of_path(r->dir, &(int64_t){0}))) {
            if (err)
                *err = r->why;
            return r->why.code;
        }
        leave_out(out, r, arena);
    }
    if (out->count == 0)
        return refuse_all(out, err);
    if (out->count == 1 && out->part[0].ops->devices)
        ttp_run_split_part(out, arena);
    return TTP_OK;
}

const uint32_t *ttp_run_lines(const struct ttp_run_parts *parts, const struct ttp_mesh *mesh,
                              struct ttp_arena *arena)
{
    if (!parts->folders || parts->split) {
        uint32_t *line = TTP_NEW(arena, uint32_t, mesh->cells + 1);
        for (size_t c = 0; c < mesh->cells; c++)
            line[c] = mesh->cell[c].row + 2;
        return line;
    }
    size_t *rows = TTP_NEW(arena, size_t, parts->count);
    for (size_t p = 0; p < parts->count; p++)
        rows[p] = parts->part[p].ops->rows;
    return ttp_mesh_lines(mesh, rows, arena);
}

static void tell_missing(struct ttp_run_parts *parts, const struct ttp_mesh *m,
                         struct ttp_arena *arena)
{
    struct ttp_sink list;

    if (m->missing_ranks == 0)
        return;
    ttp_sink_to_arena(&list, arena);
    for (size_t i = 0; i < m->missing_ranks && i < 16; i++)
        ttp_sink_printf(&list, " %lld", (long long)m->missing_rank[i]);
    tell(parts, arena, "%zu of %zu ranks missing:%.*s%s", m->missing_ranks,
         m->missing_ranks + m->parts, TTP_FMT(ttp_sink_text(&list)),
         m->missing_ranks > 16 ? " ..." : "");
}

static ttp_code make_mesh(struct ttp_mesh *out, const struct ttp_run_parts *parts,
                          const struct ttp_boards *boards, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    const struct ttp_mesh_options options = {.ranks = parts->ranks.size, .boards = boards};

    return ttp_mesh_make(out, (struct ttp_mesh_parts){parts->part, parts->count}, &options, arena,
                         err);
}

void ttp_run_tell_mesh(struct ttp_run_parts *parts, const struct ttp_mesh *mesh,
                       struct ttp_arena *arena)
{
    const struct ttp_words before = parts->problems;

    parts->problems = (struct ttp_words){0};
    tell_missing(parts, mesh, arena); /* first: the rest must not pass for the whole */
    for (size_t i = 0; i < before.count; i++)
        ttp_words_add(&parts->problems, before.word[i], arena);
    for (size_t i = 0; i < mesh->parts; i++)
        if (mesh->rank[i].doubtful)
            tell(parts, arena,
                 "rank %lld: its ops cannot be aligned with the others (see 'tt-perf mesh')",
                 (long long)mesh->rank[i].rank);
}

ttp_code ttp_run_write_parts(struct ttp_sink *out, struct ttp_run_parts *parts, int64_t device,
                             struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_mesh mesh;

    if (parts->split) { /* it is that CSV already */
        ttp_sink_put(out, parts->text[0]);
        return TTP_OK;
    }
    TTP_TRY(make_mesh(&mesh, parts, NULL, arena, err));
    TTP_TRY(
        ttp_mesh_write_csv(out, &mesh, (struct ttp_mesh_texts){parts->text, device}, arena, err));
    ttp_run_tell_mesh(parts, &mesh, arena);
    return TTP_OK;
}

static ttp_code merge_text(struct ttp_run_merged *out, const struct ttp_mesh *mesh,
                           struct ttp_run_parts *parts, struct ttp_arena *arena,
                           struct ttp_err *err)
{
    struct ttp_arena scratch = {0};
    struct ttp_sink sink;

    ttp_code rc = ttp_file_in_memory(&out->fd, &out->path, arena, err);
    if (rc == TTP_OK) {
        ttp_sink_to_memory(&sink, out->fd, &scratch);
        rc = ttp_mesh_write_csv(&sink, mesh, (struct ttp_mesh_texts){parts->text, -1}, &scratch,
                                err);
        if (rc == TTP_OK)
            rc = ttp_sink_finish(&sink, err);
        if (rc != TTP_OK) {
            ttp_file_close_memory(out->path);
            out->fd = -1;
        }
    }
    ttp_arena_free(&scratch);
    return rc;
}

ttp_code ttp_run_merge_parts(struct ttp_run_merged *out, struct ttp_run_parts *parts,
                             const struct ttp_run_plan *plan, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    struct ttp_arena scratch = {0}, *const keep = plan->mesh ? arena : &scratch;
    struct ttp_mesh *mesh = TTP_NEW(keep, struct ttp_mesh, 1);

    *out = (struct ttp_run_merged){.fd = -1};
    ttp_code rc = make_mesh(mesh, parts, plan->boards, keep, err);
    if (rc == TTP_OK && plan->texts) {
        rc = merge_text(out, mesh, parts, arena, err);
    } else if (rc == TTP_OK) {
        size_t *rows = TTP_NEW(&scratch, size_t, parts->count);
        for (size_t p = 0; p < parts->count; p++)
            rows[p] = parts->part[p].ops->rows;
        out->rows = ttp_mesh_merge_rows(mesh, parts->rows, rows, arena);
    }
    if (rc == TTP_OK)
        ttp_run_tell_mesh(parts, mesh, arena);
    if (rc == TTP_OK && plan->mesh)
        out->mesh = (struct ttp_run_mesh){mesh, ttp_run_lines(parts, mesh, arena)};
    ttp_arena_free(&scratch);
    return rc;
}
