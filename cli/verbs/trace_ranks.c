/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/trace_ranks.h"

#include "base/file.h"
#include "run/run.h"

/* Ops alone are on the time line of all ranks; `first` is the folder of one, or NULL. */
static ttp_code check_options(const struct ttp_trace_verb *o, const char *first,
                              struct ttp_err *err)
{
    const struct {
        const char *name;
        bool given;
    } about_logs[] = {
        {"--window", o->window != NULL},
        {"--start-signpost", o->start_signpost != NULL},
        {"--end-signpost", o->end_signpost != NULL},
        {"--cores", o->cores.count > 0},
        {"--zones", o->zones.count > 0},
        {"--op-zones-only", o->op_zones},
        {"--noc", o->noc},
    };

    for (size_t i = 0; i < TTP_COUNT(about_logs); i++) {
        if (!about_logs[i].given)
            continue;
        (void)ttp_fail(err, TTP_EUSAGE, "%s needs the logs of one process", about_logs[i].name);
        if (first)
            ttp_err_hint(err, "name the folder of one rank, such as '%s'", first);
        return TTP_EUSAGE;
    }
    return TTP_OK;
}

/* "1:3", or "3" and "0-3" of every rank. */
static bool fits(const struct ttp_mesh_device *d, ttp_str word, bool *valid)
{
    ttp_str part[3];
    const size_t n = ttp_str_split(word, ':', part, 3);
    ttp_str ids[3];
    int64_t rank = d->rank, from, to;

    *valid = false;
    if (n < 1 || n > 2 || (n == 2 && !ttp_str_to_i64(part[0], &rank)))
        return false;
    const size_t bounds = ttp_str_split(part[n - 1], '-', ids, 3);
    if (bounds < 1 || bounds > 2 || !ttp_str_to_i64(ids[0], &from) ||
        !ttp_str_to_i64(ids[bounds - 1], &to))
        return false;
    *valid = true;
    return d->rank == rank && d->id >= from && d->id <= to;
}

static ttp_code choose_devices(struct ttp_mesh_trace *out, const struct ttp_trace_verb *o,
                               const struct ttp_mesh *m, struct ttp_arena *arena,
                               struct ttp_err *err)
{
    bool *wanted = TTP_NEW(arena, bool, m->devices + 1);
    int64_t rank = -1;

    if (o->rank && (!ttp_str_to_i64(ttp_str_from(o->rank), &rank) || rank < 0))
        return ttp_fail(err, TTP_EUSAGE, "option '--rank': '%s' is not the number of a rank",
                        o->rank);
    if (!o->rank && o->devices.count == 0)
        return TTP_OK;
    for (size_t d = 0; d < m->devices; d++)
        wanted[d] = o->devices.count == 0;
    for (size_t i = 0; i < o->devices.count; i++) {
        ttp_str rest = ttp_str_from(o->devices.word[i]);
        while (rest.len) {
            const size_t comma = ttp_str_find_char(rest, ',');
            const ttp_str word = ttp_str_slice(rest, 0, comma);
            bool valid = true;
            for (size_t d = 0; d < m->devices && valid; d++)
                wanted[d] |= fits(&m->device[d], word, &valid);
            if (!valid)
                return ttp_fail(err, TTP_EUSAGE, "option '--devices': '%.*s' is not a device",
                                TTP_FMT(word));
            rest = comma == TTP_NPOS ? TTP_STR("") : ttp_str_slice(rest, comma + 1, rest.len);
        }
    }
    for (size_t d = 0; d < m->devices; d++)
        wanted[d] &= rank < 0 || m->device[d].rank == rank;
    out->wanted = wanted;
    return TTP_OK;
}

static ttp_code read_mesh(struct ttp_mesh_trace *out, const struct ttp_ctx *ctx,
                          const struct ttp_trace_verb *o, const struct ttp_words *runs,
                          struct ttp_err *err)
{
    const struct ttp_run_plan plan = {
        .reading = {.threads = (unsigned)o->common.threads, .progress = !ctx->quiet}};
    struct ttp_mesh_options options = {.boards = ctx->boards};
    struct ttp_mesh *mesh = TTP_NEW(ctx->arena, struct ttp_mesh, 1);
    struct ttp_trace_filter lines = {0};
    struct ttp_run_parts parts;

    if (o->ops)
        TTP_TRY(ttp_out_trace_parse_ops(&lines, o->ops, err));
    TTP_TRY(ttp_run_open_parts(&parts, (struct ttp_paths){runs->word, runs->count}, &plan,
                               ctx->arena, err));
    options.ranks = parts.ranks.size;
    TTP_TRY(ttp_mesh_make(mesh, (struct ttp_mesh_parts){parts.part, parts.count}, &options,
                          ctx->arena, err));
    ttp_run_tell_mesh(&parts, mesh, ctx->arena);
    for (size_t i = 0; i < parts.problems.count; i++)
        ttp_ctx_warn(ctx, "%s", parts.problems.word[i]);
    *out = (struct ttp_mesh_trace){.mesh = mesh,
                                   .line = ttp_run_lines(&parts, mesh, ctx->arena),
                                   .unreadable = parts.unreadable,
                                   .has_lines = lines.has_ops,
                                   .lines = lines.ops};
    return choose_devices(out, o, mesh, ctx->arena, err);
}

/* A report without the logs that it was made of. */
static bool only_report(const char *path, struct ttp_arena *arena)
{
    struct ttp_err ignored = {0};
    struct ttp_log_paths paths;
    const char *csv;

    /* a file that is neither a log nor a recording can only be a report, or its reader says what */
    if (!ttp_file_is_dir(path))
        return ttp_file_exists(path) && ttp_logs_find(&paths, path, arena, &ignored) != TTP_OK;
    if (ttp_logs_find(&paths, path, arena, &ignored) == TTP_OK && (paths.device || paths.cpp))
        return false;
    return ttp_run_find_csv(&csv, path, arena, &ignored) == TTP_OK;
}

ttp_code ttp_trace_read_ranks(struct ttp_mesh_trace *out, const struct ttp_ctx *ctx,
                              const struct ttp_trace_verb *o, const struct ttp_words *operands,
                              struct ttp_err *err)
{
    struct ttp_words runs = *operands;
    struct ttp_run_ranks ranks = {0};

    if (operands->count == 0) {
        runs.word = TTP_NEW(ctx->arena, const char *, 1);
        runs.word[runs.count++] = ttp_run_default_dir(ctx->arena);
    }
    if (ttp_file_is_dir(runs.word[0]))
        TTP_TRY(
            ttp_run_find_ranks(&ranks, (struct ttp_paths){runs.word, runs.count}, ctx->arena, err));
    if (ranks.count == 0 && runs.count > 1)
        return ttp_fail(err, TTP_EUSAGE, "%zu operands, and they are not folders of ranks",
                        runs.count);
    if (ranks.count == 0 && !only_report(runs.word[0], ctx->arena))
        return TTP_OK;
    TTP_TRY(check_options(o, ranks.count ? ranks.rank[0].dir : NULL, err));
    return read_mesh(out, ctx, o, &runs, err);
}
