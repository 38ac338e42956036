/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/inspect_facts.h"

#include "base/file.h"
#include "kernel/kernel.h"

static void put(struct ttp_inspect_file *f, struct ttp_inspect_fact fact)
{
    if (f->nfacts < TTP_INSPECT_FACTS)
        f->fact[f->nfacts++] = fact;
}

void ttp_inspect_add_number(struct ttp_inspect_file *f, const char *key, uint64_t number)
{
    put(f, (struct ttp_inspect_fact){.key = key, .number = number, .always = true});
}

void ttp_inspect_add_count(struct ttp_inspect_file *f, const char *key, uint64_t number)
{
    put(f, (struct ttp_inspect_fact){.key = key, .number = number});
}

void ttp_inspect_add_text(struct ttp_inspect_file *f, const char *key, const char *text)
{
    put(f, (struct ttp_inspect_fact){.key = key, .text = text});
}

void ttp_inspect_add_truth(struct ttp_inspect_file *f, const char *key, bool yes)
{
    put(f, (struct ttp_inspect_fact){
               .key = key, .text = yes ? "yes" : "no", .number = yes, .is_truth = true});
}

void ttp_inspect_add_str(struct ttp_inspect_file *f, const char *key, ttp_str text,
                         struct ttp_arena *arena)
{
    if (text.len)
        ttp_inspect_add_text(f, key, ttp_arena_zstr(arena, text));
}

static bool has_zones(const struct ttp_noc_trace *trace)
{
    for (size_t i = 0; i < trace->nevents; i++)
        if (trace->event[i].type == TTP_NOC_ZONE_START || trace->event[i].type == TTP_NOC_ZONE_END)
            return true;
    return false;
}

/* One trace, and where its form changed last (docs/formats/noc_trace.md). */
static ttp_code inspect_trace(struct ttp_inspection *in, struct ttp_inspect_file *f,
                              const char *path, bool alone, struct ttp_err *err)
{
    struct ttp_noc_trace trace = {0};

    TTP_TRY(ttp_logs_read_noc_trace(&trace, path, 0, in->arena, err));
    ttp_inspect_add_text(f, "version",
                         trace.old_phases    ? "before 2025-11"
                         : has_zones(&trace) ? "2025-11"
                                             : "unknown: it has no zones");
    if (!alone)
        return TTP_OK;
    ttp_inspect_add_str(f, "op", trace.op, in->arena);
    ttp_inspect_add_count(f, "run_id", trace.run_id);
    ttp_inspect_add_number(f, "records", trace.nevents);
    ttp_inspect_add_number(f, "cycles", trace.last_cycle - trace.first_cycle);
    ttp_inspect_add_count(f, "fabric_events", trace.nfabrics);
    ttp_inspect_add_count(f, "odd_values", trace.odd_values.count);
    ttp_inspect_add_count(f, "unreadable_records", trace.bad_records.count);
    return TTP_OK;
}

ttp_code ttp_inspect_noc(struct ttp_inspection *in, struct ttp_inspect_file *f, struct ttp_err *err)
{
    struct ttp_noc_folder folder;
    int64_t last = -1;
    uint64_t devices = 0;

    if (!ttp_file_is_dir(f->path))
        return inspect_trace(in, f, f->path, true, err);
    TTP_TRY(ttp_logs_find_noc_traces(&folder, f->path, in->arena, err));
    const ttp_code rc = folder.nprograms
                            ? inspect_trace(in, f, folder.program[0].file[0].path, false, err)
                            : TTP_OK;
    for (size_t i = 0; i < folder.nprograms; i++)
        for (size_t k = 0; k < folder.program[i].nfiles; k++)
            if (folder.program[i].file[k].device > last) {
                last = folder.program[i].file[k].device;
                devices++;
            }
    ttp_inspect_add_number(f, "executions", folder.nprograms);
    ttp_inspect_add_number(f, "devices", devices);
    ttp_inspect_add_count(f, "unknown_names", folder.unread.count);
    return rc;
}

ttp_code ttp_inspect_topology(struct ttp_inspection *in, struct ttp_inspect_file *f,
                              struct ttp_err *err)
{
    struct ttp_topology topology;

    TTP_TRY(ttp_logs_read_topology(&topology, f->path, in->arena, err));
    ttp_inspect_add_text(f, "version",
                         topology.old ? "2025, before clusters were named"
                                      : "2026, names its cluster");
    ttp_inspect_add_str(f, "cluster", topology.cluster_type, in->arena);
    ttp_inspect_add_str(f, "fabric", topology.fabric_config, in->arena);
    ttp_inspect_add_count(f, "devices", topology.nnodes);
    ttp_inspect_add_count(f, "meshes", topology.nmeshes);
    ttp_inspect_add_count(f, "routes", topology.nroutes);
    return TTP_OK;
}

ttp_code ttp_inspect_coordinates(struct ttp_inspection *in, struct ttp_inspect_file *f,
                                 struct ttp_err *err)
{
    (void)in;
    (void)err;
    ttp_inspect_add_text(f, "version", TTP_INSPECT_ONE_VERSION);
    return TTP_OK;
}

ttp_code ttp_inspect_flow(struct ttp_inspection *in, struct ttp_inspect_file *f,
                          struct ttp_err *err)
{
    struct ttp_flow_graph flow;
    bool has_ids = false;

    TTP_TRY(ttp_kernel_read_flow(&flow, f->path, in->arena, err));
    for (size_t i = 0; i < flow.nbuffers; i++)
        has_ids |= flow.buffer[i].dfb_id >= 0;
    ttp_inspect_add_text(f, "version", has_ids ? "with ids of buffers" : "without ids of buffers");
    ttp_inspect_add_number(f, "buffers", flow.nbuffers);
    return TTP_OK;
}

ttp_code ttp_inspect_workload(struct ttp_inspection *in, struct ttp_inspect_file *f,
                              struct ttp_err *err)
{
    struct ttp_noc_workload workload;

    TTP_TRY(ttp_logs_read_noc_workload(&workload, f->path, false, in->arena, err));
    ttp_inspect_add_text(f, "version", TTP_INSPECT_ONE_VERSION);
    ttp_inspect_add_number(f, "transfers", workload.nitems);
    ttp_inspect_add_count(f, "golden_cycles", workload.golden_cycles);
    ttp_inspect_add_count(f, "incomplete", workload.incomplete.count);
    return TTP_OK;
}
