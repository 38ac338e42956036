/* SPDX-License-Identifier: Apache-2.0 */
/* run_passes.c - passes of one run: their folders, and how several recordings become one. */
#include "run/run_passes.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/outsink.h"

/* --- where they lie --- */

static const char *const names[] = {"lines",      "counters",   "counters-2",
                                    "counters-3", "counters-4", "counters-5"};

static void list_passes(struct ttp_run_passes *out, const char *logs, const char *below,
                        struct ttp_arena *arena)
{
    const char *all = ttp_file_join(logs, below, arena);

    *out = (struct ttp_run_passes){.pass = TTP_NEW(arena, struct ttp_run_pass, TTP_COUNT(names))};
    for (size_t i = 0; i < TTP_COUNT(names) && ttp_file_is_dir(all); i++) {
        const char *dir = ttp_file_join(all, names[i], arena);
        if (ttp_file_is_dir(dir))
            out->pass[out->count++] = (struct ttp_run_pass){
                names[i], dir, ttp_str_eq(ttp_str_from(names[i]), TTP_STR("lines"))};
    }
}

void ttp_run_find_passes(struct ttp_run_passes *out, const struct ttp_log_paths *run,
                         struct ttp_arena *arena)
{
    list_passes(out, run->folder, TTP_PASSES_MERGED, arena);
}

ttp_code ttp_run_choose_pass(const char **dir, const char *pass, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    struct ttp_run_passes all;
    struct ttp_log_paths paths;
    struct ttp_sink list;

    if (strcmp(pass, "noc") == 0)
        return TTP_OK;
    TTP_TRY(ttp_logs_find(&paths, *dir, arena, err));
    ttp_run_find_passes(&all, &paths, arena);
    ttp_sink_to_arena(&list, arena);
    for (size_t i = 0; i < all.count; i++) {
        if (strcmp(all.pass[i].name, pass) == 0) {
            *dir = all.pass[i].dir;
            return TTP_OK;
        }
        ttp_sink_printf(&list, ", %s", all.pass[i].name);
    }
    ttp_fail(err, TTP_EUSAGE, "'%s' has no pass '%s'", *dir, pass);
    ttp_err_hint(err, "it has noc%.*s", TTP_FMT(ttp_sink_text(&list)));
    return TTP_EUSAGE;
}

const char *ttp_run_new_pass(const char *root, const char *name, struct ttp_arena *arena)
{
    return ttp_file_join(
        ttp_file_join(ttp_file_join(root, ".logs", arena), TTP_PASSES_UNMERGED, arena), name,
        arena);
}

/* --- passes that were recorded one after the other --- */

static ttp_code no_device_log(const char *pass, const struct ttp_err *why, struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE, "pass '%s' left no device log: the passes are not merged", pass);
    ttp_err_hint(err, "%s", why->hint);
    return TTP_EPARSE;
}

ttp_code ttp_run_merge_passes(struct ttp_pass_check *out, const char *root, unsigned threads,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    const char *logs = ttp_file_join(root, ".logs", arena);
    struct ttp_run_passes passes;
    struct ttp_pass_facts own, other;
    const char *first = "noc";
    struct ttp_err why = {0};

    *out = (struct ttp_pass_check){0};
    list_passes(&passes, logs, TTP_PASSES_UNMERGED, arena);
    ttp_code rc = ttp_run_pass_read(&own, root, threads, arena, &why);
    own.name = first;
    for (size_t i = 0; i < passes.count && rc == TTP_OK; i++) {
        rc = ttp_run_pass_read(&other, passes.pass[i].dir, threads, arena, &why);
        first = other.name = passes.pass[i].name;
        if (rc == TTP_OK)
            ttp_run_pass_compare(out, &own, &other, arena);
    }
    if (rc == TTP_ENOTFOUND)
        return no_device_log(first, &why, err);
    if (rc != TTP_OK) {
        if (err)
            *err = why;
        return rc;
    }
    out->passes = passes.count + 1;
    if (out->differences.count || passes.count == 0)
        return TTP_OK;
    if (rename(ttp_file_join(logs, TTP_PASSES_UNMERGED, arena),
               ttp_file_join(logs, TTP_PASSES_MERGED, arena)) < 0)
        return ttp_fail_errno(err, "cannot rename the folder of passes in '%s'", logs);
    return TTP_OK;
}

/* --- recordings that exist --- */

enum { MAX_RECORDINGS = 8 };

struct joining {
    struct ttp_pass_facts facts[MAX_RECORDINGS];
    size_t count, first; /* the one whose times and ops count */
    struct ttp_arena *arena;
    struct ttp_err *err;
};

static bool is_log_name(ttp_str name)
{
    static const char *const starts[] = {"profile_log_device.csv",
                                         "cpp_device_perf_report.csv",
                                         "tracy_ops_",
                                         "tracy_profile_log_host",
                                         "noc_trace_",
                                         "zone_src_locations.log",
                                         "sync_device_info.csv",
                                         "topology.json",
                                         "cluster_coordinates.json",
                                         "cb_flow_graph.json",
                                         "dfb_flow_graph.json",
                                         "pipe_graph.json",
                                         "tt_perf_"};

    for (size_t i = 0; i < TTP_COUNT(starts); i++)
        if (ttp_str_starts(name, ttp_str_from(starts[i])))
            return true;
    return ttp_str_ends(name, TTP_STR(".ttcap"));
}

/* Another name of the same file, or where that is impossible a copy. */
static ttp_code share(const char *from, const char *to, struct ttp_err *err)
{
    return link(from, to) == 0 || errno == EEXIST ? TTP_OK : ttp_file_copy(to, from, err);
}

static ttp_code share_folder(const char *from, const char *to, bool all, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    struct ttp_words list;

    TTP_TRY(ttp_file_make_dirs(to, err));
    TTP_TRY(ttp_file_list(&list, from, arena, err));
    for (size_t i = 0; i < list.count; i++)
        if (is_log_name(ttp_str_from(list.word[i])) &&
            (all || ttp_str_has(ttp_str_from(list.word[i]), TTP_STR("_graph.json"))))
            TTP_TRY(share(ttp_file_join(from, list.word[i], arena),
                          ttp_file_join(to, list.word[i], arena), err));
    return TTP_OK;
}

static ttp_code share_pass(const struct ttp_pass_facts *f, const char *to, struct ttp_arena *arena,
                           struct ttp_err *err)
{
    TTP_TRY(share_folder(f->paths.folder, to, true, arena, err));
    return ttp_file_is_same(f->paths.folder, f->paths.root)
               ? TTP_OK
               : share_folder(f->paths.root, to, false, arena, err);
}

/* What has NoC events is the run itself; else what is disturbed least by zones of lines. */
static size_t choose_first(const struct joining *j)
{
    for (size_t i = 0; i < j->count; i++)
        if (j->facts[i].noc)
            return i;
    for (size_t i = 0; i < j->count; i++)
        if (!j->facts[i].lines && !j->facts[i].counters)
            return i;
    for (size_t i = 0; i < j->count; i++)
        if (!j->facts[i].lines)
            return i;
    return 0;
}

/* The folders of the other passes, below `logs`. Each must add something. */
static ttp_code share_others(const struct joining *j, const char *logs, bool dry)
{
    const char *all = ttp_file_join(logs, TTP_PASSES_MERGED, j->arena);
    bool lines = j->facts[j->first].lines;
    size_t counters = 0;

    for (size_t i = 0; i < j->count; i++) {
        const struct ttp_pass_facts *f = &j->facts[i];
        const bool gives_lines = f->lines && !lines;

        if (i == j->first)
            continue;
        if (!gives_lines && !f->counters) {
            ttp_fail(j->err, TTP_EUSAGE, "'%s' has neither lines nor counters that '%s' lacks",
                     f->name, j->facts[j->first].name);
            ttp_err_hint(j->err, "give each pass once: NoC events, zones of lines, counters");
            return TTP_EUSAGE;
        }
        const char *to[2] = {gives_lines ? names[0] : NULL,
                             f->counters ? names[1 + counters] : NULL};
        for (size_t k = 0; k < TTP_COUNT(to) && !dry; k++)
            if (to[k])
                TTP_TRY(share_pass(
                    f, ttp_file_join(ttp_file_join(all, to[k], j->arena), ".logs", j->arena),
                    j->arena, j->err));
        lines |= f->lines;
        counters += f->counters;
        if (counters + 1 == TTP_COUNT(names))
            return ttp_fail(j->err, TTP_EUSAGE, "more than %zu passes with counters",
                            TTP_COUNT(names) - 2);
    }
    return TTP_OK;
}

static ttp_code read_all(struct joining *j, const struct ttp_words *dirs, unsigned threads)
{
    for (size_t i = 0; i < dirs->count; i++) {
        struct ttp_run_passes inside;

        TTP_TRY(ttp_run_pass_read(&j->facts[j->count], dirs->word[i], threads, j->arena, j->err));
        ttp_run_find_passes(&inside, &j->facts[j->count].paths, j->arena);
        if (inside.count) {
            ttp_fail(j->err, TTP_EUSAGE, "'%s' has %zu passes already", dirs->word[i],
                     inside.count + 1);
            ttp_err_hint(j->err, "give the recordings that it was merged from");
            return TTP_EUSAGE;
        }
        j->count++;
    }
    return TTP_OK;
}

static ttp_code check_output(const char *to, struct ttp_arena *arena, struct ttp_err *err)
{
    if (!ttp_file_is_dir(ttp_file_join(to, ".logs", arena)))
        return TTP_OK;
    ttp_fail(err, TTP_EUSAGE, "'%s' has logs already", to);
    ttp_err_hint(err, "choose a new folder with -o");
    return TTP_EUSAGE;
}

ttp_code ttp_run_join_passes(struct ttp_pass_check *out, const struct ttp_pass_join *how,
                             struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_words *dirs = how->dirs;
    const char *to = how->to;
    struct joining *j = TTP_NEW(arena, struct joining, 1);
    const char *final = ttp_file_join(to, ".logs", arena),
               *fresh = ttp_file_join(to, ".logs.new", arena);

    *j = (struct joining){.arena = arena, .err = err};
    *out = (struct ttp_pass_check){.passes = dirs->count};
    if (dirs->count < 2 || dirs->count > MAX_RECORDINGS)
        return ttp_fail(err, TTP_EUSAGE, "--passes takes 2 to %d recordings, got %zu",
                        MAX_RECORDINGS, dirs->count);
    TTP_TRY(check_output(to, arena, err));
    TTP_TRY(read_all(j, dirs, how->threads));
    j->first = choose_first(j);
    for (size_t i = 0; i < j->count; i++)
        if (i != j->first)
            ttp_run_pass_compare(out, &j->facts[j->first], &j->facts[i], arena);
    if (out->differences.count)
        return TTP_OK;
    TTP_TRY(share_others(j, fresh, true));
    TTP_TRY(share_pass(&j->facts[j->first], fresh, arena, err));
    TTP_TRY(share_others(j, fresh, false));
    if (rename(fresh, final) < 0)
        return ttp_fail_errno(err, "cannot rename '%s'", fresh);
    return TTP_OK;
}
