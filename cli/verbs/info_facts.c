/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/info_facts.h"

#include "base/file.h"
#include "kernel/kernel.h"

static void put(struct ttp_info_file *f, struct ttp_info_fact fact)
{
    if (f->nfacts < TTP_INFO_FACTS)
        f->fact[f->nfacts++] = fact;
}

void ttp_info_add_number(struct ttp_info_file *f, const char *key, uint64_t number)
{
    put(f, (struct ttp_info_fact){.key = key, .number = number, .always = true});
}

void ttp_info_add_count(struct ttp_info_file *f, const char *key, uint64_t number)
{
    put(f, (struct ttp_info_fact){.key = key, .number = number});
}

void ttp_info_add_text(struct ttp_info_file *f, const char *key, const char *text)
{
    put(f, (struct ttp_info_fact){.key = key, .text = text});
}

void ttp_info_add_truth(struct ttp_info_file *f, const char *key, bool yes)
{
    put(f, (struct ttp_info_fact){
               .key = key, .text = yes ? "yes" : "no", .number = yes, .is_truth = true});
}

void ttp_info_set_fault(struct ttp_info_file *f, const struct ttp_err *err, struct ttp_arena *arena)
{
    f->fault = ttp_arena_zstr(arena, ttp_str_from(err->text));
}

void ttp_info_add_str(struct ttp_info_file *f, const char *key, ttp_str text,
                      struct ttp_arena *arena)
{
    if (text.len)
        ttp_info_add_text(f, key, ttp_arena_zstr(arena, text));
}

static bool has_zones(const struct ttp_noc_trace *trace)
{
    for (size_t i = 0; i < trace->nevents; i++)
        if (trace->event[i].type == TTP_NOC_ZONE_START || trace->event[i].type == TTP_NOC_ZONE_END)
            return true;
    return false;
}

/* One trace, and where its form changed last (docs/formats/noc_trace.md). */
static void inspect_trace(struct ttp_inspection *in, struct ttp_info_file *f, const char *path,
                          bool alone)
{
    struct ttp_noc_trace trace = {0};
    struct ttp_err err = {0};

    if (ttp_logs_read_noc_trace(&trace, path, 0, in->arena, &err) != TTP_OK) {
        ttp_info_set_fault(f, &err, in->arena);
        return;
    }
    ttp_info_add_text(f, "version",
                      trace.old_phases    ? "before 2025-11"
                      : has_zones(&trace) ? "2025-11"
                                          : "not said: it has no zones");
    if (!alone)
        return;
    ttp_info_add_str(f, "op", trace.op, in->arena);
    ttp_info_add_count(f, "run_id", trace.run_id);
    ttp_info_add_number(f, "records", trace.nevents);
    ttp_info_add_number(f, "cycles", trace.last_cycle - trace.first_cycle);
    ttp_info_add_count(f, "fabric_events", trace.nfabrics);
    ttp_info_add_count(f, "odd_values", trace.odd_values.count);
    ttp_info_add_count(f, "unreadable_records", trace.bad_records.count);
}

void ttp_info_inspect_noc(struct ttp_inspection *in, struct ttp_info_file *f)
{
    struct ttp_noc_folder folder;
    struct ttp_err err = {0};
    int64_t last = -1;
    uint64_t devices = 0;

    if (!ttp_file_is_dir(f->path)) {
        inspect_trace(in, f, f->path, true);
        return;
    }
    if (ttp_logs_find_noc_traces(&folder, f->path, in->arena, &err) != TTP_OK) {
        ttp_info_set_fault(f, &err, in->arena);
        return;
    }
    if (folder.nprograms)
        inspect_trace(in, f, folder.program[0].file[0].path, false);
    for (size_t i = 0; i < folder.nprograms; i++)
        for (size_t k = 0; k < folder.program[i].nfiles; k++)
            if (folder.program[i].file[k].device > last) {
                last = folder.program[i].file[k].device;
                devices++;
            }
    ttp_info_add_number(f, "executions", folder.nprograms);
    ttp_info_add_number(f, "devices", devices);
    ttp_info_add_count(f, "unknown_names", folder.unread.count);
}

void ttp_info_inspect_topology(struct ttp_inspection *in, struct ttp_info_file *f)
{
    struct ttp_topology topology;
    struct ttp_err err = {0};

    if (ttp_logs_read_topology(&topology, f->path, in->arena, &err) != TTP_OK) {
        ttp_info_set_fault(f, &err, in->arena);
        return;
    }
    ttp_info_add_text(f, "version",
                      topology.old ? "2025, before clusters were named"
                                   : "2026, names its cluster");
    ttp_info_add_str(f, "cluster", topology.cluster_type, in->arena);
    ttp_info_add_str(f, "fabric", topology.fabric_config, in->arena);
    ttp_info_add_count(f, "devices", topology.nnodes);
    ttp_info_add_count(f, "meshes", topology.nmeshes);
    ttp_info_add_count(f, "routes", topology.nroutes);
}

void ttp_info_inspect_coordinates(struct ttp_inspection *in, struct ttp_info_file *f)
{
    (void)in;
    ttp_info_add_text(f, "version", TTP_INFO_ONE_VERSION);
}

void ttp_info_inspect_flow(struct ttp_inspection *in, struct ttp_info_file *f)
{
    struct ttp_flow_graph flow;
    struct ttp_err err = {0};
    bool has_ids = false;

    if (ttp_kernel_read_flow(&flow, f->path, in->arena, &err) != TTP_OK) {
        ttp_info_set_fault(f, &err, in->arena);
        return;
    }
    for (size_t i = 0; i < flow.nbuffers; i++)
        has_ids |= flow.buffer[i].dfb_id >= 0;
    ttp_info_add_text(f, "version", has_ids ? "with ids of buffers" : "without ids of buffers");
    ttp_info_add_number(f, "buffers", flow.nbuffers);
}

void ttp_info_inspect_workload(struct ttp_inspection *in, struct ttp_info_file *f)
{
    struct ttp_noc_workload workload;
    struct ttp_err err = {0};

    if (ttp_logs_read_noc_workload(&workload, f->path, false, in->arena, &err) != TTP_OK) {
        ttp_info_set_fault(f, &err, in->arena);
        return;
    }
    ttp_info_add_text(f, "version", TTP_INFO_ONE_VERSION);
    ttp_info_add_number(f, "transfers", workload.nitems);
    ttp_info_add_count(f, "golden_cycles", workload.golden_cycles);
    ttp_info_add_count(f, "incomplete", workload.incomplete.count);
}
