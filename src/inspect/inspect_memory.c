/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_memory.c - facts of graph captures and of other files on memory and start-up of a run.
 */
#include "base/file.h"
#include "inspect/inspect_facts.h"
#include "mem/mem.h"
#include "startup/startup.h"

ttp_code ttp_inspect_graph(struct ttp_inspection *in, struct ttp_inspect_file *f,
                           struct ttp_err *err)
{
    const struct ttp_mem_options options = {0};
    struct ttp_mem_capture c;

    TTP_TRY(ttp_mem_read_capture(&c, f->path, &options, in->arena, err));
    if (c.version >= 0)
        ttp_inspect_add_number(f, "version", (uint64_t)c.version);
    ttp_inspect_add_number(f, "ops", c.ops);
    ttp_inspect_add_number(f, "launches", c.launches);
    ttp_inspect_add_number(f, "devices", c.devices);
    ttp_inspect_add_number(f, "buffers", c.total);
    ttp_inspect_add_count(f, "older_buffers", c.older);
    ttp_inspect_add_count(f, "estimated_buffers", c.estimated);
    if (c.has_rank && c.rank >= 0)
        ttp_inspect_add_number(f, "rank", (uint64_t)c.rank);
    return TTP_OK;
}

ttp_code ttp_inspect_graph_database(struct ttp_inspection *in, struct ttp_inspect_file *f,
                                    struct ttp_err *err)
{
    struct ttp_mem_database d;
    uint64_t ops = 0, errors = 0;

    TTP_TRY(ttp_mem_read_database(&d, f->path, in->arena, err));
    for (size_t i = 0; i < d.ranks; i++) {
        ops += d.rank[i].rows;
        errors += d.rank[i].errors;
    }
    ttp_inspect_add_text(f, "version",
                         d.version.len ? ttp_arena_zstr(in->arena, d.version) : "before 2.1");
    ttp_inspect_add_number(f, "ops", ops);
    ttp_inspect_add_number(f, "ranks", d.ranks);
    ttp_inspect_add_count(f, "errors", errors);
    return TTP_OK;
}

ttp_code ttp_inspect_memory_report(struct ttp_inspection *in, struct ttp_inspect_file *f,
                                   struct ttp_err *err)
{
    static const char *const forms[] = {"summary", "L1 summary", "blocks"};
    struct ttp_mem_report r;

    TTP_TRY(ttp_mem_read_report(&r, f->path, in->arena, err));
    ttp_inspect_add_text(f, "form", forms[r.kind]);
    ttp_inspect_add_count(f, "programs", r.summaries);
    ttp_inspect_add_count(f, "pools", r.blocks);
    return TTP_OK;
}

ttp_code ttp_inspect_buffer_log(struct ttp_inspection *in, struct ttp_inspect_file *f,
                                struct ttp_err *err)
{
    struct ttp_mem_buffer_log l;

    TTP_TRY(ttp_mem_read_buffer_log(&l, f->path, in->arena, err));
    ttp_inspect_add_number(f, "allocations", l.allocations);
    ttp_inspect_add_number(f, "live_at_end", l.live_at_end);
    ttp_inspect_add_count(f, "incomplete_records", l.incomplete);
    return TTP_OK;
}

ttp_code ttp_inspect_memory_counters(struct ttp_inspection *in, struct ttp_inspect_file *f,
                                     struct ttp_err *err)
{
    struct ttp_mem_shm s;

    (void)in;
    TTP_TRY(ttp_mem_read_shm(&s, f->path, err));
    ttp_inspect_add_number(f, "version", s.version);
    ttp_inspect_add_number(f, "device", s.device);
    ttp_inspect_add_number(f, "attached", s.attached);
    ttp_inspect_add_number(f, "processes", s.processes);
    return TTP_OK;
}

ttp_code ttp_inspect_inspector(struct ttp_inspection *in, struct ttp_inspect_file *f,
                               struct ttp_err *err)
{
    struct ttp_startup_counts counts;

    (void)in;
    TTP_TRY(ttp_startup_count(&counts, f->path, err));
    ttp_inspect_add_count(f, "records", counts.records);
    ttp_inspect_add_count(f, "programs", counts.programs);
    ttp_inspect_add_count(f, "compilations", counts.compilations);
    ttp_inspect_add_count(f, "launches", counts.launches);
    ttp_inspect_add_count(f, "runtime_entries", counts.entries);
    ttp_inspect_add_count(f, "unknown_records", counts.unknown);
    return TTP_OK;
}

ttp_code ttp_inspect_realtime(struct ttp_inspection *in, struct ttp_inspect_file *f,
                              struct ttp_err *err)
{
    struct ttp_realtime r;

    TTP_TRY(ttp_startup_realtime_read(&r, f->path, in->arena, err));
    ttp_inspect_add_number(f, "records", r.records);
    ttp_inspect_add_number(f, "chips", r.chips);
    ttp_inspect_add_count(f, "end_before_start", r.reversed);
    ttp_inspect_add_count(f, "without_name", r.unnamed);
    return TTP_OK;
}

ttp_code ttp_inspect_failure_log(struct ttp_inspection *in, struct ttp_inspect_file *f,
                                 struct ttp_err *err)
{
    struct ttp_mem_failures failures = {0};

    TTP_TRY(ttp_mem_read_log(&failures, f->path, in->arena, err));
    ttp_inspect_add_number(f, "failures", failures.count);
    if (failures.count)
        ttp_inspect_add_number(f, "first_line", failures.item[0].line);
    return TTP_OK;
}

/* What 'tt-perf mem', 'startup' and 'report' read next to the logs of a run. */
static bool is_beside(enum ttp_inspect_kind kind)
{
    return kind == TTP_INSPECT_GRAPH || kind == TTP_INSPECT_GRAPH_DATABASE ||
           kind == TTP_INSPECT_MEMORY_REPORT || kind == TTP_INSPECT_BUFFER_LOG ||
           kind == TTP_INSPECT_MEMORY_COUNTERS || kind == TTP_INSPECT_INSPECTOR ||
           kind == TTP_INSPECT_REALTIME || kind == TTP_INSPECT_MACHINE ||
           kind == TTP_INSPECT_FAILURE_LOG;
}

/* Others are not opened. */
static bool may_be_beside(const char *name)
{
    static const ttp_str ends[] = {TTP_STR(".log"),
                                   TTP_STR(".txt"),
                                   TTP_STR(".sqlite"),
                                   TTP_STR("_buffers_log.yaml"),
                                   TTP_STR("programs_log.yaml"),
                                   TTP_STR("realtime_profiler_records.csv"),
                                   TTP_STR("machine_log.csv"),
                                   TTP_STR("_memory")};
    const ttp_str s = ttp_str_from(name);

    for (size_t i = 0; i < TTP_COUNT(ends); i++)
        if (ttp_str_ends(s, ends[i]))
            return true;
    return (ttp_str_has(s, TTP_STR("graph_capture")) && ttp_str_has(s, TTP_STR(".json"))) ||
           (ttp_str_has(s, TTP_STR("_usage")) && ttp_str_ends(s, TTP_STR(".csv")));
}

static bool has_kind(const struct ttp_inspect_file *file, size_t count, enum ttp_inspect_kind kind)
{
    for (size_t i = 0; i < count; i++)
        if (file[i].kind == kind)
            return true;
    return false;
}

static ttp_code look_into(struct ttp_inspect_file *file, size_t *count, const char *dir,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_words names;

    TTP_TRY(ttp_file_list(&names, dir, arena, err));
    for (size_t i = 0; i < names.count; i++) {
        const char *path = ttp_file_join(dir, names.word[i], arena);
        enum ttp_inspect_kind kind;

        if (!may_be_beside(names.word[i]) ||
            ttp_inspect_detect(&kind, path, arena, NULL) != TTP_OK || !is_beside(kind) ||
            has_kind(file, *count, kind))
            continue;
        file[(*count)++] = (struct ttp_inspect_file){.kind = kind, .path = path};
    }
    return TTP_OK;
}

ttp_code ttp_inspect_find_beside(struct ttp_inspect_file *file, size_t *count, const char *dir,
                                 struct ttp_arena *arena, struct ttp_err *err)
{
    static const char *const below[] = {".logs",  "inspector",           "reports",
                                        "shm",    "generated/inspector", "generated/reports",
                                        "_rank_0"};

    TTP_TRY(look_into(file, count, dir, arena, err));
    for (size_t i = 0; i < TTP_COUNT(below); i++) {
        const char *sub = ttp_file_join(dir, below[i], arena);

        if (ttp_file_is_dir(sub))
            TTP_TRY(look_into(file, count, sub, arena, err));
    }
    return TTP_OK;
}
