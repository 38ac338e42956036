/* SPDX-License-Identifier: Apache-2.0 */
/* mem_file_records.c - JSON of failures and of memory data other than captures and databases; and
 * of everything together. */
#include <math.h>

#include "outputs/mem/mem_records.h"

ttp_str ttp_out_mem_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    ttp_str name = ttp_str_from(slash ? slash + 1 : path);

    if (ttp_str_ends(name, TTP_STR(".gz")))
        name.len -= 3;
    else if (ttp_str_ends(name, TTP_STR(".zst")))
        name.len -= 4;
    return name;
}

/* --- failures --- */

/* Buffers to free: rows are their numbers, the context is the graph. */
#define GRAPH                  struct ttp_mem_graph
#define OF_BUFFER(name, value) TTP_GET(name, GRAPH, uint32_t, value)
OF_BUFFER(get_address, ttp_value_i64(c->capture->buffer[*r].address))
OF_BUFFER(get_alloc, ttp_out_mem_known(c->capture->buffer[*r].alloc != TTP_MEM_NONE,
                                       c->capture->buffer[*r].alloc))
OF_BUFFER(get_bytes, ttp_value_i64((int64_t)c->capture->buffer[*r].bytes))
static const struct ttp_field buffer_fields[] = {
    TTP_INT("address", "", .get = get_address),
    TTP_INT("alloc_counter", "", .get = get_alloc),
    TTP_INT("bytes_per_bank", "bytes", .get = get_bytes),
};
static const struct ttp_fields buffers = {TTP_FIELDS(buffer_fields)};
TTP_LISTER(list_to_free, struct ttp_mem_to_free, buffers, context, r->buffer, r->count)
static const struct ttp_field to_free_fields[] = {
    TTP_LISTED("buffers", TTP_ROWS, list_to_free, buffers),
    TTP_INT("hole", "bytes", TTP_FIGURE(struct ttp_mem_to_free, hole)),
};
static const struct ttp_fields to_free = {TTP_FIELDS(to_free_fields)};

static struct ttp_records list_fit(const void *context, const void *row)
{
    const GRAPH *g = context;

    (void)row;
    if (!g->to_free || !g->to_free->any || g->failure->kind != TTP_MEM_OUT_OF_MEMORY)
        return (struct ttp_records){.fields = &to_free};
    return (struct ttp_records){&to_free, g, g->to_free, sizeof(*g->to_free), 1};
}

#define FAILURE                  struct ttp_mem_failure
#define NUMBER(name, of, member) TTP_INT(name, of, TTP_FIGURE(FAILURE, member))
#define OF_BANK(name, member)                                                                      \
    TTP_INT(name, "bytes", TTP_FIGURE(FAILURE, member), TTP_KNOWN_IF(FAILURE, has_bank))
TTP_GET(get_kind, GRAPH, FAILURE, ttp_value_word(ttp_mem_failure_name(r->kind)))
TTP_GET(get_verdict, GRAPH, FAILURE, ttp_value_word(ttp_mem_verdict_name(r->verdict)))
/* What all failures have, first and last, and what those of a kind have in between. */
#define FIRST TTP_WORDS("kind", .get = get_kind), TTP_WORDS("verdict", .get = get_verdict)
#define SPACE                                                                                      \
    NUMBER("bytes", "bytes", bytes), NUMBER("banks", "", banks),                                   \
        NUMBER("bytes_per_bank", "bytes", bytes_per_bank),                                         \
        TTP_WORDS("pool", TTP_FIGURE(FAILURE, pool)),                                              \
        TTP_INT("bank_bytes", "bytes", TTP_FIGURE(FAILURE, bank_bytes), .above_0 = true),          \
        OF_BANK("allocated", allocated), OF_BANK("free", free),                                    \
        OF_BANK("largest_free", largest_free)
#define CIRCULAR                                                                                   \
    TTP_WORDS("what", TTP_FIGURE(FAILURE, what)),                                                  \
        TTP_WORDS("core_range", TTP_FIGURE(FAILURE, cores)), NUMBER("program_id", "", program),    \
        NUMBER("cb_region_end", "bytes", region_end)
#define CLASH     NUMBER("lowest_l1_address", "bytes", lowest_l1)
#define TOO_LARGE NUMBER("max_l1_bytes", "bytes", max_l1)
#define LAST                                                                                       \
    TTP_INT("short_by", "bytes", TTP_FIGURE(FAILURE, short_by), TTP_KNOWN_IF(FAILURE, has_short),  \
            .optional = true),                                                                     \
        TTP_LISTED("free_to_fit", TTP_OBJECT, list_fit, to_free, .optional = true)
static const struct ttp_field any_failure[] = {FIRST, SPACE, CIRCULAR, CLASH, TOO_LARGE, LAST};
static const struct ttp_field space_fields[] = {FIRST, SPACE, LAST};
static const struct ttp_field clash_fields[] = {FIRST, CIRCULAR, CLASH, LAST};
static const struct ttp_field too_large_fields[] = {FIRST, CIRCULAR, TOO_LARGE, LAST};
const struct ttp_fields ttp_mem_failure_fields = {TTP_FIELDS(any_failure)};

struct ttp_records ttp_out_mem_failure_of(const GRAPH *g)
{
    static const struct ttp_fields by_kind[] = {
        [TTP_MEM_OUT_OF_MEMORY] = {TTP_FIELDS(space_fields)},
        [TTP_MEM_CB_CLASH] = {TTP_FIELDS(clash_fields)},
        [TTP_MEM_CB_TOO_LARGE] = {TTP_FIELDS(too_large_fields)},
    };

    if (!g->failure)
        return (struct ttp_records){.fields = &ttp_mem_failure_fields};
    return (struct ttp_records){&by_kind[g->failure->kind], g, g->failure, sizeof(*g->failure), 1};
}

static struct ttp_records list_failure(const void *context, const void *row)
{
    (void)context;
    return ttp_out_mem_failure_of(row);
}
static const struct ttp_field each_failure[] = {
    TTP_LISTED(NULL, TTP_OBJECT, list_failure, ttp_mem_failure_fields)};
static const struct ttp_fields failures = {TTP_FIELDS(each_failure)};

/* --- remedies: rows are graphs, each with its failure --- */

struct maker_row {
    const struct ttp_mem_buffer *buffer;
    const struct ttp_mem_op *maker; /* NULL: unknown */
    const int64_t *tensor;
    size_t tensors;
};
TTP_GET(get_freed_address, void, struct maker_row, ttp_value_i64(r->buffer->address))
TTP_GET(get_freed_bytes, void, struct maker_row, ttp_value_i64((int64_t)r->buffer->bytes))
TTP_GET(get_maker_id, void, struct maker_row,
        ttp_out_mem_known(r->maker, r->maker ? r->maker->id : 0))
TTP_GET(get_maker_name, void, struct maker_row,
        ttp_value_text(r->maker ? r->maker->name : (ttp_str){0}))
TTP_LISTER(list_tensor_ids, struct maker_row, ttp_bare_i64, NULL, r->tensor, r->tensors)
static const struct ttp_field maker_fields[] = {
    TTP_INT("address", "", .get = get_freed_address),
    TTP_INT("bytes_per_bank", "bytes", .get = get_freed_bytes),
    TTP_INT("op_id", "", .get = get_maker_id, .help = "that allocated it; null: unknown"),
    TTP_WORDS("op", .get = get_maker_name),
    TTP_LISTED("tensor_ids", TTP_ROWS, list_tensor_ids, ttp_bare_i64),
};
static const struct ttp_fields makers = {TTP_FIELDS(maker_fields)};

static struct ttp_records list_makers(const void *context, const void *row)
{
    const GRAPH *g = row;
    const size_t n = g->to_free && g->to_free->any ? g->to_free->count : 0;
    struct maker_row *out = TTP_NEW(g->arena, struct maker_row, n + 1);

    (void)context;
    for (size_t i = 0; i < n; i++) {
        const struct ttp_mem_buffer *b = &g->capture->buffer[g->to_free->buffer[i]];

        out[i] = (struct maker_row){.buffer = b, .maker = ttp_mem_maker(g->capture, b)};
        out[i].tensors = ttp_mem_tensor_ids(&out[i].tensor, g->capture, b, g->arena);
    }
    return (struct ttp_records){&makers, NULL, n ? out : NULL, sizeof(*out), n};
}

static struct ttp_records list_remedy(const void *context, const void *row)
{
    const char *const *list = ttp_mem_remedies(((const GRAPH *)row)->failure);
    size_t n = 0;

    (void)context;
    while (list[n])
        n++;
    return (struct ttp_records){&ttp_bare_cstr, NULL, list, sizeof(*list), n};
}

TTP_GET(get_remedy_index, GRAPH, GRAPH, ttp_value_i64(r - c))
TTP_GET(get_remedy_op, GRAPH, GRAPH, ttp_value_text(r->failure->op))
TTP_GET(get_remedy_op_id, GRAPH, GRAPH,
        ttp_out_mem_known(r->failure->op_id != 0, r->failure->op_id))
static const struct ttp_field remedy_fields[] = {
    TTP_INT("failure", "", .get = get_remedy_index, .help = "position in failures, from 0"),
    TTP_INT("op_id", "", .get = get_remedy_op_id, .help = "of the op that failed; null: unknown"),
    TTP_WORDS("op", .get = get_remedy_op),
    TTP_LISTED("free", TTP_ROWS, list_makers, makers,
               .help = "the fewest bytes to free for the allocation to fit; empty: unknown"),
    TTP_LISTED("remedies", TTP_ROWS, list_remedy, ttp_bare_cstr),
};
static const struct ttp_fields remedies = {TTP_FIELDS(remedy_fields)};

/* --- the memory reporter --- */

#define STATE struct ttp_mem_pool_state
static double fragmentation(const STATE *p)
{
    const double used = p->free ? (double)p->largest_free / (double)p->free : 1;

    return round((1 - used) * 1e6) / 1e6;
}
TTP_GET(get_fragmentation, void, STATE, ttp_value_f64(fragmentation(r)))
static const struct ttp_field state_fields[] = {
    TTP_INT("allocated", "bytes", TTP_FIGURE(STATE, allocated)),
    TTP_INT("bank", "bytes", TTP_FIGURE(STATE, bank)),
    TTP_REAL("fragmentation", "", 6, .get = get_fragmentation),
    TTP_INT("free", "bytes", TTP_FIGURE(STATE, free)),
    TTP_INT("largest_free", "bytes", TTP_FIGURE(STATE, largest_free)),
};
static const struct ttp_fields states = {TTP_FIELDS(state_fields)};

/* A file of the reporter has either a summary by program, or the blocks of each pool. */
#define SUMMARY struct ttp_mem_summary
#define BLOCKS  struct ttp_mem_blocks
#define SUMMARY_PROGRAM                                                                            \
    TTP_INT("program_id", "", TTP_FIGURE(SUMMARY, program), TTP_KNOWN_IF(SUMMARY, has_program))
#define SUMMARY_FIELDS                                                                             \
    {.id = "DRAM", TTP_OBJECT_HERE(SUMMARY, pool[0], states)},                                     \
        {.id = "L1", TTP_OBJECT_HERE(SUMMARY, pool[1], states)},                                   \
    {                                                                                              \
        .id = "L1_SMALL", TTP_OBJECT_HERE(SUMMARY, pool[2], states)                                \
    }
#define BLOCK_FIELDS                                                                               \
    TTP_INT("allocated", "bytes", TTP_FIGURE(BLOCKS, allocated)),                                  \
        TTP_INT("allocated_blocks", "", TTP_FIGURE(BLOCKS, allocated_blocks)),                     \
        TTP_INT("blocks", "", TTP_FIGURE(BLOCKS, blocks)),                                         \
        TTP_INT("free", "bytes", TTP_FIGURE(BLOCKS, free)),                                        \
        TTP_INT("free_blocks", "", TTP_FIGURE(BLOCKS, free_blocks)),                               \
        TTP_INT("largest_free", "bytes", TTP_FIGURE(BLOCKS, largest_free)),                        \
        TTP_WORDS("pool", TTP_FIGURE(BLOCKS, pool)),                                               \
        TTP_INT("program_id", "", TTP_FIGURE(BLOCKS, program), TTP_KNOWN_IF(BLOCKS, has_program))
static const struct ttp_field summary_fields[] = {SUMMARY_FIELDS, SUMMARY_PROGRAM};
static const struct ttp_field block_fields[] = {BLOCK_FIELDS};
static const struct ttp_field any_line[] = {SUMMARY_FIELDS, BLOCK_FIELDS};
static const struct ttp_fields summaries = {TTP_FIELDS(summary_fields)},
                               blocks = {TTP_FIELDS(block_fields)}, lines = {TTP_FIELDS(any_line)};

#define REPORT struct ttp_mem_report
static struct ttp_records list_lines(const void *context, const void *row)
{
    const REPORT *r = row;

    (void)context;
    if (r->blocks)
        return (struct ttp_records){&blocks, NULL, r->block, sizeof(*r->block), r->blocks};
    return (struct ttp_records){&summaries, NULL, r->summary, sizeof(*r->summary), r->summaries};
}
static struct ttp_value report_key(const REPORT *r, bool asked)
{
    return asked ? ttp_value_text(ttp_out_mem_file_name(r->path)) : (struct ttp_value){0};
}
TTP_GET(get_report_file, void, REPORT, report_key(r, r->kind != TTP_MEM_REPORT_L1))
static const struct ttp_field report_fields[] = {
    TTP_WORDS("file", .get = get_report_file),
    TTP_LISTED(NULL, TTP_ROWS, list_lines, lines),
};
const struct ttp_fields ttp_mem_report_fields = {TTP_FIELDS(report_fields)};

static const struct ttp_field l1_fields[] = {
    SUMMARY_PROGRAM,
    TTP_INT("largest_free_bytes", "bytes", TTP_FIGURE(SUMMARY, pool[1].largest_free)),
    TTP_INT("free_all_banks_bytes", "bytes", TTP_FIGURE(SUMMARY, pool[1].free)),
};
static const struct ttp_fields l1_summaries = {TTP_FIELDS(l1_fields)};
TTP_GET(get_l1_file, void, REPORT, report_key(r, r->kind == TTP_MEM_REPORT_L1))
static const struct ttp_field l1_report_fields[] = {
    TTP_WORDS("file", .get = get_l1_file),
    {TTP_ROWS_AT(REPORT, summary, summaries, l1_summaries)},
};
const struct ttp_fields ttp_mem_l1_report_fields = {TTP_FIELDS(l1_report_fields)};

/* --- the inspector's log of buffers --- */

#define POOL struct ttp_mem_log_pool
static const struct ttp_field end_fields[] = {
    TTP_WORDS("pool", TTP_FIGURE(POOL, name)),
    {.type = TTP_I64, .unit = "bytes", TTP_FIGURE(POOL, bytes)},
};
static const struct ttp_field peak_fields[] = {
    TTP_WORDS("pool", TTP_FIGURE(POOL, name)),
    TTP_INT("bytes", "bytes", TTP_FIGURE(POOL, peak_bytes)),
    TTP_INT("timestamp_ns", "ns", TTP_FIGURE(POOL, peak_ns)),
    TTP_WORDS("op", TTP_FIGURE(POOL, peak_op), .optional = true,
              .help = "of a recording: op of the host at that moment"),
};
static const struct ttp_fields ends = {TTP_FIELDS(end_fields)}, peaks = {TTP_FIELDS(peak_fields)};
#define LOG struct ttp_mem_buffer_log
static const struct ttp_field log_fields[] = {
    TTP_INT("allocations", "", TTP_FIGURE(LOG, allocations)),
    {.id = "end_bytes", .nest = TTP_NEST_MAP, TTP_ROWS_AT(LOG, pool, pools, ends)},
    TTP_INT("live_at_end", "", TTP_FIGURE(LOG, live_at_end)),
    {.id = "peak_bytes", .nest = TTP_NEST_MAP, TTP_ROWS_AT(LOG, pool, pools, peaks)},
    TTP_INT("unpaired_frees", "", TTP_FIGURE(LOG, unpaired_frees)),
};
const struct ttp_fields ttp_mem_buffer_log_fields = {TTP_FIELDS(log_fields)};

/* --- shared memory of the allocator --- */

#define COUNTS(type)                                                                               \
    TTP_INT("dram", "bytes", TTP_FIGURE(type, bytes.dram)),                                        \
        TTP_INT("l1", "bytes", TTP_FIGURE(type, bytes.l1)),                                        \
        TTP_INT("l1_small", "bytes", TTP_FIGURE(type, bytes.l1_small)),                            \
        TTP_INT("trace", "bytes", TTP_FIGURE(type, bytes.trace)),                                  \
        TTP_INT("cb", "bytes", TTP_FIGURE(type, bytes.cb))
#define CHIP    struct ttp_mem_shm_chip
#define PROCESS struct ttp_mem_shm_process
#define SHM     struct ttp_mem_shm
static const struct ttp_field chip_fields[] = {
    TTP_INT("chip", "", TTP_FIGURE(CHIP, chip)),
    TTP_INT("remote", "", TTP_FIGURE(CHIP, remote)),
    COUNTS(CHIP),
};
static const struct ttp_field process_fields[] = {
    COUNTS(PROCESS),
    TTP_WORDS("name", TTP_CHARS(PROCESS, name)),
    TTP_INT("pid", "", TTP_FIGURE(PROCESS, pid)),
    TTP_INT("updated_ns", "ns", TTP_FIGURE(PROCESS, updated_ns)),
};
static const struct ttp_fields chips = {TTP_FIELDS(chip_fields)},
                               processes = {TTP_FIELDS(process_fields)};

/* The id of a chip may have all 64 bits; JSON has such numbers as text. */
static struct ttp_value asic_id(uint64_t asic, struct ttp_arena *arena)
{
    return asic > INT64_MAX
               ? ttp_value_text(ttp_sink_format(arena, "%llu", (unsigned long long)asic))
               : ttp_value_i64((int64_t)asic);
}
TTP_GET(get_asic, struct ttp_mem_view, SHM, asic_id(r->asic, c->arena))
TTP_GET(get_error, void, SHM, ttp_value_word(r->version ? "version" : "short"))
#define ERROR_FIELD TTP_WORDS("error", .get = get_error, .help = "why it cannot be read")
#define SHM_FIELDS                                                                                 \
    TTP_INT("asic_id", "", .get = get_asic), TTP_INT("attached", "", TTP_FIGURE(SHM, attached)),   \
        {.id = "chips", TTP_ROWS_HERE(SHM, chip, chips, chips)},                                   \
        TTP_INT("device_id", "", TTP_FIGURE(SHM, device)), COUNTS(SHM),                            \
        {.id = "processes", TTP_ROWS_HERE(SHM, process, processes, processes)},                    \
        TTP_INT("processes_counted", "", TTP_FIGURE(SHM, counted)),                                \
        TTP_INT("updated_ns", "ns", TTP_FIGURE(SHM, updated_ns)),                                  \
        TTP_INT("version", "", TTP_FIGURE(SHM, version))
static const struct ttp_field unread_fields[] = {
    ERROR_FIELD,
    TTP_INT("version", "", TTP_FIGURE(SHM, version), .above_0 = true, .optional = true),
};
static const struct ttp_field region_fields[] = {SHM_FIELDS};
static const struct ttp_field any_region[] = {ERROR_FIELD, SHM_FIELDS};
static const struct ttp_fields unread = {TTP_FIELDS(unread_fields)},
                               read = {TTP_FIELDS(region_fields)},
                               regions = {TTP_FIELDS(any_region)};

#define SHM_FILE struct ttp_mem_shm_file
static struct ttp_records list_region(const void *context, const void *row)
{
    const SHM_FILE *f = row;

    return (struct ttp_records){f->code == TTP_OK ? &read : &unread, context, &f->shm,
                                sizeof(f->shm), 1};
}
TTP_GET(get_shm_file, void, SHM_FILE, ttp_value_text(ttp_out_mem_file_name(r->path)))
static const struct ttp_field shm_fields[] = {
    TTP_WORDS("file", .get = get_shm_file),
    TTP_LISTED(NULL, TTP_OBJECT, list_region, regions),
};
const struct ttp_fields ttp_mem_shm_fields = {TTP_FIELDS(shm_fields)};

/* --- the whole --- */

#define DIFFERENCE struct ttp_mem_difference
static const struct ttp_field difference_fields[] = {
    TTP_INT("matched", "", TTP_FIGURE(DIFFERENCE, matched), .help = "ops in both captures"),
    TTP_INT("only_before", "", TTP_FIGURE(DIFFERENCE, only_before)),
    TTP_INT("only_after", "", TTP_FIGURE(DIFFERENCE, only_after)),
    {.id = "changes", TTP_ROWS_AT(DIFFERENCE, change, changes, ttp_mem_change_fields)},
};
static const struct ttp_fields differences = {TTP_FIELDS(difference_fields)};

#define VIEW struct ttp_mem_view
/* The captures; the last failure is what ended the run, and is shown with the one that explains it.
 */
static struct ttp_records list_captures(const VIEW *v, const struct ttp_fields *fields)
{
    const struct ttp_mem_run *run = v->run;
    const size_t n = run->failures.count;
    GRAPH *graph = TTP_NEW(v->arena, GRAPH, run->captures + 1);

    for (size_t i = 0; i < run->captures; i++)
        graph[i] = (GRAPH){.capture = &run->capture[i], .arena = v->arena};
    if (n && run->to_free[n - 1].capture < run->captures) {
        graph[run->to_free[n - 1].capture].failure = &run->failures.item[n - 1];
        graph[run->to_free[n - 1].capture].to_free = &run->to_free[n - 1];
    }
    return (struct ttp_records){fields, NULL, run->captures ? graph : NULL, sizeof(*graph),
                                run->captures};
}

static struct ttp_records list_graphs(const void *context, const void *row)
{
    (void)context;
    return list_captures(row, &ttp_mem_graph_fields);
}

static struct ttp_records list_notes(const void *context, const void *row)
{
    (void)context;
    return list_captures(row, &ttp_mem_note_fields);
}

/* A failure with the capture that explains it, if there is one. */
static GRAPH explained(const VIEW *v, size_t i)
{
    const struct ttp_mem_run *run = v->run;
    const size_t by = run->to_free[i].capture;

    return (GRAPH){.failure = &run->failures.item[i],
                   .capture = by < run->captures ? &run->capture[by] : NULL,
                   .to_free = by < run->captures ? &run->to_free[i] : NULL,
                   .arena = v->arena};
}

/* All failures, explained, as records with `fields`. */
static struct ttp_records explain_all(const VIEW *v, const struct ttp_fields *fields)
{
    const size_t n = v->run->failures.count;
    GRAPH *graph = TTP_NEW(v->arena, GRAPH, n + 1);

    for (size_t i = 0; i < n; i++)
        graph[i] = explained(v, i);
    return (struct ttp_records){fields, graph, n ? graph : NULL, sizeof(*graph), n};
}

static struct ttp_records list_failures(const void *context, const void *row)
{
    (void)context;
    return explain_all(row, &failures);
}

static struct ttp_records list_remedies(const void *context, const void *row)
{
    (void)context;
    return explain_all(row, &remedies);
}

TTP_GET(get_failed_file, void, struct ttp_mem_failed_op,
        ttp_value_text(ttp_out_mem_file_name(r->path)))
TTP_GET(get_failed_id, void, struct ttp_mem_failed_op, ttp_value_i64(r->error->op))
TTP_GET(get_failed_name, void, struct ttp_mem_failed_op, ttp_value_text(r->error->operation))
TTP_GET(get_failed_type, void, struct ttp_mem_failed_op, ttp_value_text(r->error->type))
TTP_GET(get_failed_why, void, struct ttp_mem_failed_op, ttp_value_text(r->error->message))
static const struct ttp_field failed_fields[] = {
    TTP_WORDS("file", .get = get_failed_file),
    TTP_INT("operation_id", "", .get = get_failed_id),
    TTP_WORDS("operation_name", .get = get_failed_name),
    TTP_WORDS("error_type", .get = get_failed_type),
    TTP_WORDS("error_message", .get = get_failed_why),
};
static const struct ttp_fields failed_ops = {TTP_FIELDS(failed_fields)};
TTP_LISTER(list_failed, VIEW, failed_ops, r, r->run->faileds ? r->run->failed : NULL,
           r->run->faileds)

#define FILES(name, fields, member, number)                                                        \
    TTP_LISTER(name, VIEW, fields, r, r->run->number ? r->run->member : NULL, r->run->number)
FILES(list_databases, ttp_mem_database_fields, database, databases)
FILES(list_reports, ttp_mem_report_fields, report, reports)
FILES(list_l1_reports, ttp_mem_l1_report_fields, report, reports)
FILES(list_shms, ttp_mem_shm_fields, shm, shms)
FILES(list_buffer_log, ttp_mem_buffer_log_fields, buffer_log, buffer_logs)
static const struct ttp_field data_fields[] = {
    TTP_MAP("graphs", list_graphs, ttp_mem_graph_fields, .optional = true,
            .help = "graph captures, by file"),
    TTP_MAP("databases", list_databases, ttp_mem_database_fields, .optional = true,
            .help = "databases of ttnn-visualizer, by file"),
    TTP_MAP("csv", list_reports, ttp_mem_report_fields, .optional = true,
            .help = "files of the memory reporter"),
    TTP_MAP("l1_summaries", list_l1_reports, ttp_mem_l1_report_fields, .optional = true,
            .help = "its summaries of L1, by file"),
    TTP_LISTED("mesh_buffers", TTP_OBJECT, list_buffer_log, ttp_mem_buffer_log_fields,
               .optional = true, .help = "the inspector's log of buffers"),
    TTP_MAP("shm", list_shms, ttp_mem_shm_fields, .optional = true,
            .help = "counters of the allocator in shared memory, by file"),
    TTP_LISTED("failures", TTP_ROWS, list_failures, failures, .optional = true,
               .help = "failed allocations in logs and captures"),
    TTP_LISTED("remedies", TTP_ROWS, list_remedies, remedies, .optional = true,
               .help = "what to do about each failure"),
    TTP_LISTED("failed_ops", TTP_ROWS, list_failed, failed_ops, .optional = true,
               .help = "other errors in captures and databases"),
    TTP_LISTED("captures", TTP_ROWS, list_notes, ttp_mem_note_fields, .optional = true,
               .help = "incomplete or inferred data of each capture"),
    {.id = "difference",
     TTP_OBJECT_AT(VIEW, difference, differences),
     .optional = true,
     .help = "of two captures"},
};
const struct ttp_fields ttp_mem_data_fields = {TTP_FIELDS(data_fields)};
