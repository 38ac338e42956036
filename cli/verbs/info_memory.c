/* SPDX-License-Identifier: Apache-2.0 */
/* info_memory.c - looks at graph captures and what else tells the memory and start-up of a run. */
#include "mem/mem.h"
#include "startup/startup.h"
#include "verbs/info_facts.h"

void ttp_info_inspect_graph(struct ttp_inspection *in, struct ttp_info_file *f)
{
    const struct ttp_mem_options options = {0};
    struct ttp_mem_capture c;
    struct ttp_err err = {0};

    if (ttp_mem_read_capture(&c, f->path, &options, in->arena, &err) != TTP_OK) {
        ttp_info_set_fault(f, &err, in->arena);
        return;
    }
    if (c.version >= 0)
        ttp_info_add_number(f, "version", (uint64_t)c.version);
    ttp_info_add_number(f, "ops", c.ops);
    ttp_info_add_number(f, "launches", c.launches);
    ttp_info_add_number(f, "devices", c.devices);
    ttp_info_add_number(f, "buffers", c.total);
    ttp_info_add_count(f, "older_buffers", c.older);
    ttp_info_add_count(f, "estimated_buffers", c.estimated);
    if (c.has_rank && c.rank >= 0)
        ttp_info_add_number(f, "rank", (uint64_t)c.rank);
}

void ttp_info_inspect_graph_database(struct ttp_inspection *in, struct ttp_info_file *f)
{
    struct ttp_mem_database d;
    struct ttp_err err = {0};
    uint64_t ops = 0, errors = 0;

    if (ttp_mem_read_database(&d, f->path, in->arena, &err) != TTP_OK) {
        ttp_info_set_fault(f, &err, in->arena);
        return;
    }
    for (size_t i = 0; i < d.ranks; i++) {
        ops += d.rank[i].rows;
        errors += d.rank[i].errors;
    }
    ttp_info_add_text(f, "version",
                      d.version.len ? ttp_arena_zstr(in->arena, d.version) : "before 2.1");
    ttp_info_add_number(f, "ops", ops);
    ttp_info_add_number(f, "ranks", d.ranks);
    ttp_info_add_count(f, "errors", errors);
}

void ttp_info_inspect_memory_report(struct ttp_inspection *in, struct ttp_info_file *f)
{
    static const char *const forms[] = {"summary", "L1 summary", "blocks"};
    struct ttp_mem_report r;
    struct ttp_err err = {0};

    if (ttp_mem_read_report(&r, f->path, in->arena, &err) != TTP_OK) {
        ttp_info_set_fault(f, &err, in->arena);
        return;
    }
    ttp_info_add_text(f, "form", forms[r.kind]);
    ttp_info_add_count(f, "programs", r.summaries);
    ttp_info_add_count(f, "pools", r.blocks);
}

void ttp_info_inspect_buffer_log(struct ttp_inspection *in, struct ttp_info_file *f)
{
    struct ttp_mem_buffer_log l;
    struct ttp_err err = {0};

    if (ttp_mem_read_buffer_log(&l, f->path, in->arena, &err) != TTP_OK) {
        ttp_info_set_fault(f, &err, in->arena);
        return;
    }
    ttp_info_add_number(f, "allocations", l.allocations);
    ttp_info_add_number(f, "live_at_end", l.live_at_end);
    ttp_info_add_count(f, "incomplete_records", l.incomplete);
}

void ttp_info_inspect_memory_counters(struct ttp_inspection *in, struct ttp_info_file *f)
{
    struct ttp_mem_shm s;
    struct ttp_err err = {0};

    if (ttp_mem_read_shm(&s, f->path, &err) != TTP_OK) {
        ttp_info_set_fault(f, &err, in->arena);
        return;
    }
    ttp_info_add_number(f, "version", s.version);
    ttp_info_add_number(f, "device", s.device);
    ttp_info_add_number(f, "attached", s.attached);
    ttp_info_add_number(f, "processes", s.processes);
}

void ttp_info_inspect_inspector(struct ttp_inspection *in, struct ttp_info_file *f)
{
    struct ttp_startup_counts counts;
    struct ttp_err err = {0};

    if (ttp_startup_count(&counts, f->path, &err) != TTP_OK) {
        ttp_info_set_fault(f, &err, in->arena);
        return;
    }
    ttp_info_add_count(f, "records", counts.records);
    ttp_info_add_count(f, "programs", counts.programs);
    ttp_info_add_count(f, "compilations", counts.compilations);
    ttp_info_add_count(f, "launches", counts.launches);
    ttp_info_add_count(f, "runtime_entries", counts.entries);
    ttp_info_add_count(f, "unknown_records", counts.unknown);
}

void ttp_info_inspect_realtime(struct ttp_inspection *in, struct ttp_info_file *f)
{
    struct ttp_realtime r;
    struct ttp_err err = {0};

    if (ttp_realtime_read(&r, f->path, in->arena, &err) != TTP_OK) {
        ttp_info_set_fault(f, &err, in->arena);
        return;
    }
    ttp_info_add_number(f, "records", r.records);
    ttp_info_add_number(f, "chips", r.chips);
    ttp_info_add_count(f, "end_before_start", r.reversed);
    ttp_info_add_count(f, "without_name", r.unnamed);
}
