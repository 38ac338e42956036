/* SPDX-License-Identifier: Apache-2.0 */
/* trace_write.c - files of `trace`: a trace, a page around it, or a file for each rank with an
 * index. */
#include "verbs/trace_write.h"

#include <string.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/outsink.h"
#include "serve/serve.h"

static ttp_code put_trace(struct ttp_trace_job *t, struct ttp_sink *out, struct ttp_err *err)
{
    return t->ranks.mesh
               ? ttp_out_mesh_trace(&t->counts, out, &t->ranks, t->options.format, t->arena, err)
               : ttp_out_trace(&t->counts, out, &t->run, &t->options, t->arena, err);
}

ttp_code ttp_trace_write_aside(struct ttp_trace_job *t, int *fd, struct ttp_err *err)
{
    struct ttp_arena buffer = {0};
    struct ttp_sink out;

    TTP_TRY(ttp_file_temporary(fd, err));
    ttp_sink_to_fd(&out, *fd, &buffer);
    ttp_code rc = put_trace(t, &out, err);
    if (ttp_sink_finish(&out, NULL) != TTP_OK) {
        rc = ttp_fail_errno(err, "cannot write a temporary file");
        ttp_err_hint(err, "set TMPDIR to a folder with free space");
    }
    ttp_arena_free(&buffer);
    return rc;
}

/* The same with the built-in timeline around it. */
static ttp_code write_page(struct ttp_trace_job *t, struct ttp_sink *out, struct ttp_err *err)
{
    int fd = -1;

    ttp_code rc = ttp_trace_write_aside(t, &fd, err);
    if (rc == TTP_OK)
        rc = ttp_serve_put_timeline(out, fd, t->name, t->progress, err);
    if (fd >= 0)
        close(fd);
    return rc;
}

ttp_code ttp_trace_write(struct ttp_trace_job *t, const char *path, bool page, struct ttp_err *err)
{
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, path, err));
    const ttp_code rc = page ? write_page(t, &out.sink, err) : put_trace(t, &out.sink, err);
    return ttp_outsink_close(&out, rc, err);
}

/* ---- a file for each rank ---- */

/* "run.rank3.pftrace" of "run.pftrace". */
static const char *beside(const char *path, ttp_str what, struct ttp_arena *arena)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    const size_t stem = dot && dot != name ? (size_t)(dot - path) : strlen(path);

    return ttp_arena_zstr(arena,
                          ttp_sink_format(arena, "%.*s.%.*s", (int)stem, path, TTP_FMT(what)));
}

static const char *file_of_rank(const char *path, int64_t rank, struct ttp_arena *arena)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

    return beside(path, ttp_sink_format(arena, "rank%lld%s", (long long)rank, dot ? dot : ""),
                  arena);
}

static void put_entry(struct ttp_json_writer *w, const struct ttp_trace_job *t, size_t part,
                      const char *path)
{
    const struct ttp_mesh_rank *rank = &t->ranks.mesh->rank[part];
    const char *slash = strrchr(path, '/');

    ttp_json_begin_object(w);
    ttp_json_put_key(w, TTP_STR("rank"));
    ttp_json_put_i64(w, rank->rank);
    ttp_json_put_key(w, TTP_STR("host"));
    ttp_json_put_str(w, ttp_str_from(rank->host ? rank->host : ""));
    ttp_json_put_key(w, TTP_STR("file"));
    ttp_json_put_str(w, ttp_str_from(slash ? slash + 1 : path));
    ttp_json_put_key(w, TTP_STR("file_bytes"));
    ttp_json_put_u64(w, ttp_file_size(path));
    ttp_json_put_key(w, TTP_STR("slices"));
    ttp_json_put_u64(w, t->counts.slices);
    ttp_json_end_object(w);
}

/* All in the time of all ranks; arrows end where the file does. */
static ttp_code write_ranks(struct ttp_trace_job *t, struct ttp_sink *index, const char *path,
                            struct ttp_err *err)
{
    const struct ttp_mesh *m = t->ranks.mesh;
    const bool *chosen = t->ranks.wanted;
    bool *wanted = TTP_NEW(t->arena, bool, m->devices + 1);
    struct ttp_json_writer w = {.sink = index, .indent = true};

    ttp_json_begin_object(&w);
    ttp_json_put_key(&w, TTP_STR("schema"));
    ttp_json_put_str(&w, TTP_STR("tt-perf.trace-index/1"));
    ttp_json_put_key(&w, TTP_STR("ranks"));
    ttp_json_begin_array(&w);
    for (size_t p = 0; p < m->parts; p++) {
        const char *file = file_of_rank(path, m->rank[p].rank, t->arena);
        struct ttp_err why = {0};
        for (size_t d = 0; d < m->devices; d++)
            wanted[d] = m->device[d].part == p && (!chosen || chosen[d]);
        t->ranks.wanted = wanted;
        const ttp_code rc = ttp_trace_write(t, file, false, &why);
        t->ranks.wanted = chosen;
        if (rc == TTP_ENOTFOUND) /* none of its ops was asked for */
            continue;
        if (rc != TTP_OK) {
            *err = why;
            return rc;
        }
        put_entry(&w, t, p, file);
    }
    ttp_json_end_array(&w);
    ttp_json_end_object(&w);
    ttp_sink_own(index, "\n");
    return TTP_OK;
}

ttp_code ttp_trace_split(struct ttp_trace_job *t, const char **path, struct ttp_err *err)
{
    const char *index = beside(*path, TTP_STR("index.json"), t->arena);
    const struct ttp_trace_counts all = t->counts;
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, index, err));
    const ttp_code rc = write_ranks(t, &out.sink, *path, err);
    TTP_TRY(ttp_outsink_close(&out, rc, err));
    if (unlink(*path) != 0)
        return ttp_fail_errno(err, "cannot remove '%s'", *path);
    t->counts = all;
    *path = index;
    return TTP_OK;
}
