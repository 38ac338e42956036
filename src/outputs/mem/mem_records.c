/* SPDX-License-Identifier: Apache-2.0 */
/* mem_records.c - graph captures and databases as JSON has them. */
#include "outputs/mem/mem_records.h"

#define STALE_SHOWN 20

static struct ttp_value counter(uint32_t v)
{
    return ttp_out_mem_known(v != TTP_MEM_NONE, v);
}

/* --- captures: struct ttp_mem_graph is the context of all that is inside --- */

#define GRAPH                      struct ttp_mem_graph
#define OF_GRAPH(name, row, value) TTP_GET(name, GRAPH, row, value)
/* A list of the capture, r->capture. */
#define GRAPH_LIST(name, fields, first, number)                                                    \
    TTP_LISTER(name, GRAPH, fields, r, r->capture->first, number)

static struct ttp_value op_id(const GRAPH *g, uint32_t op)
{
    return op == TTP_MEM_NONE ? (struct ttp_value){0} : counter(g->capture->op[op].id);
}

#define PART(name, class) TTP_INT(name, "bytes", TTP_FIGURE(struct ttp_mem_peak, part[class]))
static const struct ttp_field split_fields[] = {
    TTP_INT("cb", "bytes", TTP_FIGURE(struct ttp_mem_peak, cb)),
    PART("input", TTP_MEM_INPUT),
    PART("intermediate", TTP_MEM_INTERMEDIATE),
    PART("output", TTP_MEM_OUTPUT),
    PART("stale", TTP_MEM_STALE),
    PART("waiting", TTP_MEM_WAITING),
};
static const struct ttp_fields split = {TTP_FIELDS(split_fields)};

#define DEVICE struct ttp_mem_device
OF_GRAPH(get_used_device, DEVICE, ttp_out_mem_known(r->peak.any, (uint64_t)r->id))
OF_GRAPH(get_dram_peak_op, DEVICE, op_id(c, r->dram_peak_op))
OF_GRAPH(get_l1_peak_op, DEVICE, op_id(c, r->peak_op))
static const struct ttp_field device_fields[] = {
    TTP_INT("device", "", .get = get_used_device),
    TTP_INT("dram_peak_op", "", .get = get_dram_peak_op),
    TTP_INT("dram_peak_per_bank", "bytes", TTP_FIGURE(DEVICE, dram_peak)),
    TTP_INT("dram_peak_total", "bytes", TTP_FIGURE(DEVICE, dram_peak_total)),
    TTP_INT("l1_bank_bytes", "bytes", TTP_FIGURE(DEVICE, l1_bank_bytes), .above_0 = true),
    TTP_INT("l1_peak", "bytes", TTP_FIGURE(DEVICE, peak.l1)),
    TTP_INT("l1_peak_counter", "", TTP_FIGURE(DEVICE, peak.at)),
    TTP_INT("l1_peak_op", "", .get = get_l1_peak_op),
    {.id = "split", TTP_OBJECT_HERE(DEVICE, peak, split), .help = "the peak of L1, by use"},
};
static const struct ttp_fields devices = {TTP_FIELDS(device_fields)};
GRAPH_LIST(list_devices, devices, device, r->capture->devices)

/* Buffers: the row begins with the number of one, `b`. */
#define OF_BUFFER(name, value)                                                                     \
    static struct ttp_value name(const void *context, const void *row)                             \
    {                                                                                              \
        const struct ttp_mem_capture *c = ((const GRAPH *)context)->capture;                       \
        const struct ttp_mem_buffer *b = &c->buffer[*(const uint32_t *)row];                       \
                                                                                                   \
        return value;                                                                              \
    }
OF_BUFFER(get_address, ttp_out_mem_known(b->has_address, (uint64_t)b->address))
OF_BUFFER(get_alloc, counter(b->alloc))
OF_BUFFER(get_freed, counter(b->freed))
OF_BUFFER(get_bytes, ttp_value_i64((int64_t)b->bytes))
OF_BUFFER(get_buffer_device, ttp_value_i64(c->device[b->device].id))

static struct ttp_records list_tensors(const void *context, const void *row)
{
    const GRAPH *g = context;
    const uint32_t *buffer = row;
    const int64_t *ids;
    const size_t n = ttp_mem_tensor_ids(&ids, g->capture, &g->capture->buffer[*buffer], g->arena);

    return (struct ttp_records){&ttp_bare_i64, NULL, ids, sizeof(*ids), n};
}

#define PLACED struct ttp_mem_placed
OF_GRAPH(get_class, PLACED, ttp_value_word(ttp_mem_class_name((enum ttp_mem_class)r->is)))
static const struct ttp_field placed_fields[] = {
    TTP_INT("address", "", .get = get_address),
    TTP_INT("alloc_counter", "", .get = get_alloc),
    TTP_INT("bytes", "bytes", .get = get_bytes),
    TTP_WORDS("class", .get = get_class),
    TTP_LISTED("tensor_ids", TTP_ROWS, list_tensors, ttp_bare_i64),
};
static const struct ttp_fields placed = {TTP_FIELDS(placed_fields)};

/* What one op did to one device. */
#define USE struct ttp_mem_use
static const struct ttp_field end_fields[] = {
    TTP_INT("dram", "bytes", TTP_FIGURE(USE, end_dram)),
    TTP_INT("free", "bytes", TTP_FIGURE(USE, end.free), TTP_KNOWN_IF(USE, end.known)),
    TTP_INT("largest", "bytes", TTP_FIGURE(USE, end.largest), TTP_KNOWN_IF(USE, end.known)),
    TTP_INT("segments", "", TTP_FIGURE(USE, end.segments), TTP_KNOWN_IF(USE, end.known)),
    TTP_INT("small", "bytes", TTP_FIGURE(USE, end_small)),
    TTP_INT("tensors", "bytes", TTP_FIGURE(USE, end_l1)),
};
static const struct ttp_fields end = {TTP_FIELDS(end_fields)};
TTP_LISTER(list_end, USE, end, context, r, 1)
TTP_LISTER(list_largest, USE, placed, context, r->largest, r->nlargest)
OF_GRAPH(get_use_device, USE,
         ttp_value_i64(c->capture->device[(size_t)(r - c->capture->use) % c->capture->devices].id))
static const struct ttp_field use_fields[] = {
    TTP_INT("device", "", .get = get_use_device),
    TTP_INT("at_counter", "", TTP_FIGURE(USE, peak.at)),
    TTP_LISTED("end", TTP_OBJECT, list_end, end),
    TTP_INT("headroom_min", "bytes", TTP_FIGURE(USE, headroom_min),
            TTP_KNOWN_IF(USE, has_headroom)),
    TTP_INT("l1_peak", "bytes", TTP_FIGURE(USE, peak.l1)),
    TTP_LISTED("largest", TTP_ROWS, list_largest, placed),
    TTP_INT("largest_free_min", "bytes", TTP_FIGURE(USE, largest_free_min),
            TTP_KNOWN_IF(USE, has_largest_free)),
    {.id = "split", TTP_OBJECT_HERE(USE, peak, split)},
};
static const struct ttp_fields uses = {TTP_FIELDS(use_fields)};

static struct ttp_records list_uses(const void *context, const void *row)
{
    const struct ttp_mem_capture *c = ((const GRAPH *)context)->capture;
    const size_t op = (size_t)((const struct ttp_mem_op *)row - c->op);

    return (struct ttp_records){&uses, context, &c->use[op * c->devices], sizeof(*c->use),
                                c->devices};
}

#define OP struct ttp_mem_op
static const struct ttp_field op_fields[] = {
    TTP_INT("duration_ns", "ns", TTP_FIGURE(OP, duration_ns), TTP_KNOWN_IF(OP, finished)),
    TTP_FLAG("finished", TTP_FIGURE(OP, finished)),
    TTP_MAP("memory", list_uses, uses, .help = "by device"),
    TTP_WORDS("name", TTP_FIGURE(OP, name)),
    TTP_INT("op_id", "", TTP_FIGURE(OP, id)),
    TTP_INT("start_counter", "", TTP_FIGURE(OP, start)),
};
static const struct ttp_fields ops = {TTP_FIELDS(op_fields)};
GRAPH_LIST(list_ops, ops, op, r->capture->ops)

static struct ttp_records list_unfinished(const void *context, const void *row)
{
    const GRAPH *g = row;
    uint32_t *id = TTP_NEW(g->arena, uint32_t, g->capture->ops + 1);
    size_t n = 0;

    (void)context;
    for (size_t i = 0; i < g->capture->ops; i++)
        if (!g->capture->op[i].finished)
            id[n++] = g->capture->op[i].id;
    return (struct ttp_records){&ttp_bare_u32, NULL, id, sizeof(*id), n};
}

/* Launches by device, those without one under "None". */
#define LAUNCHES struct ttp_mem_launches
static struct ttp_value get_launch_device(const void *context, const void *row)
{
    const LAUNCHES *r = row;

    (void)context;
    return r->has_device ? ttp_value_i64(r->device) : ttp_value_word("None");
}
static const struct ttp_field launched_fields[] = {
    TTP_WORDS("device", .get = get_launch_device),
    {.type = TTP_I64, TTP_FIGURE(LAUNCHES, count)},
};
static const struct ttp_fields launched = {TTP_FIELDS(launched_fields)};

#define LAUNCH struct ttp_mem_launch
static struct ttp_records list_launched(const void *context, const void *row)
{
    const GRAPH *g = context;
    const LAUNCHES *all = g->capture->launched;
    const uint32_t first = ((const LAUNCH *)row)->first;
    size_t n = 0;

    for (uint32_t k = first; k != TTP_MEM_NONE; k = all[k].next)
        n++;
    LAUNCHES *list = TTP_NEW(g->arena, LAUNCHES, n + 1);
    n = 0;
    for (uint32_t k = first; k != TTP_MEM_NONE; k = all[k].next)
        list[n++] = all[k];
    return (struct ttp_records){&launched, NULL, list, sizeof(*list), n};
}

OF_GRAPH(get_source, LAUNCH, ttp_value_word(ttp_mem_cb_source_name(r->source)))
OF_GRAPH(get_launch_op, LAUNCH, op_id(c, r->op))
static const struct ttp_field launch_fields[] = {
    TTP_WORDS("cb_source", .get = get_source),
    TTP_INT("cbs", "", TTP_FIGURE(LAUNCH, cbs)),
    TTP_INT("counter", "", TTP_FIGURE(LAUNCH, counter)),
    TTP_MAP("launches", list_launched, launched, .help = "by device"),
    TTP_WORDS("name", TTP_FIGURE(LAUNCH, name)),
    TTP_INT("op_id", "", .get = get_launch_op),
};
static const struct ttp_fields launches = {TTP_FIELDS(launch_fields)};
GRAPH_LIST(list_launches, launches, launch, r->capture->launches)

#define STALE struct ttp_mem_stale
OF_GRAPH(get_last_use, STALE, op_id(c, r->last_op))
static const struct ttp_field stale_fields[] = {
    TTP_INT("address", "", .get = get_address),
    TTP_INT("alloc_counter", "", .get = get_alloc),
    TTP_INT("byte_ops", "", TTP_FIGURE(STALE, byte_ops), .help = "bytes times ops"),
    TTP_INT("bytes_per_bank", "bytes", .get = get_bytes),
    TTP_INT("device", "", .get = get_buffer_device),
    TTP_INT("freed_counter", "", .get = get_freed),
    TTP_INT("last_use_op", "", .get = get_last_use),
    TTP_INT("stale_ops", "", TTP_FIGURE(STALE, ops)),
};
static const struct ttp_fields stales = {TTP_FIELDS(stale_fields)};
GRAPH_LIST(list_stales, stales, stale,
           r->capture->stales < STALE_SHOWN ? r->capture->stales : STALE_SHOWN)

/* Bins of a pool: the row is the pool. */
static const struct ttp_field bin_fields[] = {
    TTP_INT("from", "bytes", TTP_FIGURE(struct ttp_mem_bin, from)),
    {.type = TTP_I64, TTP_FIGURE(struct ttp_mem_bin, count)},
};
static const struct ttp_fields bins = {TTP_FIELDS(bin_fields)};

static struct ttp_records list_bins(const void *context, const void *row)
{
    const struct ttp_mem_capture *c = ((const GRAPH *)context)->capture;
    const uint8_t pool = *(const uint8_t *)row;
    size_t first = 0, n = 0;

    while (first < c->bins && c->bin[first].pool != pool)
        first++;
    while (first + n < c->bins && c->bin[first + n].pool == pool)
        n++;
    return (struct ttp_records){&bins, NULL, c->bin + first, sizeof(*c->bin), n};
}

static struct ttp_value get_pool(const void *context, const void *row)
{
    return list_bins(context, row).count ? ttp_value_word(ttp_mem_pool_name(*(const uint8_t *)row))
                                         : (struct ttp_value){0};
}
static const struct ttp_field pool_fields[] = {
    TTP_WORDS("pool", .get = get_pool),
    TTP_MAP(NULL, list_bins, bins, .help = "allocations by bytes per bank, a power of two"),
};
static const struct ttp_fields pools = {TTP_FIELDS(pool_fields)};
static const uint8_t all_pools[TTP_MEM_POOLS] = {TTP_MEM_DRAM, TTP_MEM_L1, TTP_MEM_SYSTEM,
                                                 TTP_MEM_L1_SMALL, TTP_MEM_TRACE};
TTP_LISTER(list_pools, GRAPH, pools, r, all_pools, TTP_COUNT(all_pools))

#define CAPTURE struct ttp_mem_capture
static const struct ttp_field buffer_fields[] = {
    TTP_INT("estimated", "", TTP_FIGURE(CAPTURE, estimated), .help = "their size is an estimate"),
    TTP_INT("never_freed", "", TTP_FIGURE(CAPTURE, never_freed)),
    TTP_INT("older_than_capture", "", TTP_FIGURE(CAPTURE, older)),
    TTP_INT("total", "", TTP_FIGURE(CAPTURE, total)),
};
static const struct ttp_fields buffers = {TTP_FIELDS(buffer_fields)};
TTP_LISTER(list_buffers, GRAPH, buffers, r, r->capture, 1)

static struct ttp_records list_failure(const void *context, const void *row)
{
    (void)context;
    return ttp_out_mem_failure_of(row);
}

OF_GRAPH(get_file, GRAPH, ttp_value_text(ttp_out_mem_file_name(r->capture->path)))
OF_GRAPH(get_rank, GRAPH, ttp_out_mem_known(r->capture->has_rank, (uint64_t)r->capture->rank))
OF_GRAPH(get_stale_count, GRAPH, ttp_value_i64((int64_t)r->capture->stales))
static const struct ttp_field graph_fields[] = {
    TTP_WORDS("file", .get = get_file),
    TTP_LISTED("buffers", TTP_OBJECT, list_buffers, buffers),
    TTP_LISTED("device_ops", TTP_ROWS, list_launches, launches),
    TTP_MAP("devices", list_devices, devices, .help = "by id of the device"),
    TTP_LISTED("failure", TTP_OBJECT, list_failure, ttp_mem_failure_fields, .optional = true),
    TTP_MAP("histogram", list_pools, pools, .help = "by pool"),
    TTP_LISTED("ops", TTP_ROWS, list_ops, ops),
    TTP_LISTED("unfinished", TTP_ROWS, list_unfinished, ttp_bare_u32),
    TTP_INT("rank", "", .get = get_rank, .optional = true),
    TTP_LISTED("stale", TTP_ROWS, list_stales, stales),
    TTP_INT("stale_count", "", .get = get_stale_count),
};
const struct ttp_fields ttp_mem_graph_fields = {TTP_FIELDS(graph_fields)};

/* --- what a capture tells besides --- */

OF_GRAPH(get_device_id, DEVICE, ttp_value_i64(r->id))
static const struct ttp_field inferred_fields[] = {
    TTP_INT("device", "", .get = get_device_id),
    {.type = TTP_I64, .unit = "bytes", TTP_FIGURE(DEVICE, peak_inferred)},
};
static const struct ttp_fields inferred = {TTP_FIELDS(inferred_fields)};
GRAPH_LIST(list_inferred, inferred, device, r->capture->devices)

/* An op on a device whose circular buffers are not in the capture. */
struct guessed {
    uint32_t op_id;
    int64_t device;
    uint64_t peak;
    const char *mark;
};
static const struct ttp_field guessed_fields[] = {
    TTP_INT("op_id", "", TTP_FIGURE(struct guessed, op_id)),
    TTP_INT("device", "", TTP_FIGURE(struct guessed, device)),
    TTP_INT("l1_peak_inferred", "bytes", TTP_FIGURE(struct guessed, peak)),
    TTP_WORDS("mark", TTP_FIGURE(struct guessed, mark),
              .help = "~: circular buffers of an earlier launch; >=: they are unknown"),
};
static const struct ttp_fields guesses = {TTP_FIELDS(guessed_fields)};

static struct ttp_records list_guesses(const void *context, const void *row)
{
    const GRAPH *g = row;
    const struct ttp_mem_capture *c = g->capture;
    size_t n = 0;

    (void)context;
    for (size_t i = 0; i < c->ops; i++)
        n += c->op[i].cb_inferred || c->op[i].cb_unknown;
    struct guessed *list = TTP_NEW(g->arena, struct guessed, n * c->devices + 1);
    n = 0;
    for (size_t i = 0; i < c->ops; i++)
        for (size_t d = 0; d < c->devices && (c->op[i].cb_inferred || c->op[i].cb_unknown); d++)
            list[n++] = (struct guessed){c->op[i].id, c->device[d].id,
                                         c->use[i * c->devices + d].peak_inferred,
                                         c->op[i].cb_unknown ? ">=" : "~"};
    return (struct ttp_records){&guesses, NULL, list, sizeof(*list), n};
}

OF_GRAPH(get_partial, GRAPH, ttp_value_bool(r->capture->partial))
OF_GRAPH(get_cut, GRAPH, ttp_out_mem_known(r->capture->partial, r->capture->cut_offset))
OF_GRAPH(get_snapshots, GRAPH, ttp_value_i64((int64_t)r->capture->snapshots))
OF_GRAPH(get_reconciled, GRAPH, ttp_value_i64((int64_t)r->capture->reconciled))
static const struct ttp_field note_fields[] = {
    TTP_WORDS("input", .get = get_file),
    TTP_FLAG("partial", .get = get_partial, .help = "the file is truncated"),
    TTP_INT("cut_at_offset", "bytes", .get = get_cut, .optional = true),
    TTP_INT("snapshots", "", .get = get_snapshots, .help = "lists of buffers after ops"),
    TTP_INT("reconciled", "", .get = get_reconciled,
            .help = "buffers that differed from these lists"),
    TTP_MAP("l1_peak_inferred", list_inferred, inferred,
            .help = "by device: the peak with circular buffers of earlier launches"),
    TTP_LISTED("ops_inferred", TTP_ROWS, list_guesses, guesses),
};
const struct ttp_fields ttp_mem_note_fields = {TTP_FIELDS(note_fields)};

/* --- databases --- */

#define ROW_DEVICE struct ttp_mem_row_device
#define GAP(name, part)                                                                            \
    TTP_INT(name, "", TTP_FIGURE(ROW_DEVICE, end.part), TTP_KNOWN_IF(ROW_DEVICE, end.known),       \
            .optional = true)
static const struct ttp_field row_device_fields[] = {
    TTP_INT("device", "", TTP_FIGURE(ROW_DEVICE, device)),
    TTP_INT("cb_at_peak", "bytes", TTP_FIGURE(ROW_DEVICE, cb_at_peak)),
    TTP_INT("dram_end", "bytes", TTP_FIGURE(ROW_DEVICE, dram_end)),
    GAP("free", free),
    GAP("largest_free", largest),
    GAP("segments", segments),
    TTP_INT("l1_end", "bytes", TTP_FIGURE(ROW_DEVICE, l1_end)),
    TTP_INT("l1_peak", "bytes", TTP_FIGURE(ROW_DEVICE, l1_peak)),
    TTP_INT("small_end", "bytes", TTP_FIGURE(ROW_DEVICE, small_end)),
    TTP_INT("tensors_at_peak", "bytes", TTP_FIGURE(ROW_DEVICE, tensors_at_peak)),
};
static const struct ttp_fields row_devices = {TTP_FIELDS(row_device_fields)};

#define ROW struct ttp_mem_row
static const struct ttp_field row_fields[] = {
    TTP_REAL("duration_s", "s", 6, TTP_FIGURE(ROW, duration_s), TTP_KNOWN_IF(ROW, has_duration)),
    {.id = "inputs", TTP_ROWS_AT(ROW, input, inputs, ttp_bare_i64)},
    {.id = "memory",
     .nest = TTP_NEST_MAP,
     TTP_ROWS_AT(ROW, device, devices, row_devices),
     .help = "by device"},
    TTP_WORDS("name", TTP_FIGURE(ROW, name)),
    TTP_INT("op_id", "", TTP_FIGURE(ROW, id)),
    {.id = "outputs", TTP_ROWS_AT(ROW, output, outputs, ttp_bare_i64)},
};
static const struct ttp_fields rows = {TTP_FIELDS(row_fields)};

#define ERROR struct ttp_mem_error
static const struct ttp_field error_fields[] = {
    TTP_INT("operation_id", "", TTP_FIGURE(ERROR, op)),
    TTP_WORDS("operation_name", TTP_FIGURE(ERROR, operation)),
    TTP_WORDS("error_type", TTP_FIGURE(ERROR, type)),
    TTP_WORDS("error_message", TTP_FIGURE(ERROR, message)),
};
static const struct ttp_fields errors = {TTP_FIELDS(error_fields)};

#define RANK struct ttp_mem_rank
static const struct ttp_field rank_fields[] = {
    TTP_INT("rank", "", TTP_FIGURE(RANK, rank)),
    {.id = "errors", TTP_ROWS_AT(RANK, error, errors, errors)},
    {.id = "ops", TTP_ROWS_AT(RANK, row, rows, rows)},
};
static const struct ttp_fields ranks = {TTP_FIELDS(rank_fields)};

#define DATABASE struct ttp_mem_database
TTP_GET(get_pages, void, DATABASE, ttp_value_word(r->chunks ? "chunks" : "pages"))
static const struct ttp_field schema_fields[] = {
    TTP_INT("errors_columns", "", TTP_FIGURE(DATABASE, error_columns)),
    TTP_FLAG("lifetime", TTP_FIGURE(DATABASE, lifetime)),
    TTP_WORDS("pages", .get = get_pages),
    TTP_FLAG("rank_column", TTP_FIGURE(DATABASE, rank_column)),
    TTP_WORDS("version", TTP_FIGURE(DATABASE, version)),
};
static const struct ttp_fields schema = {TTP_FIELDS(schema_fields)};
TTP_LISTER(list_schema, DATABASE, schema, NULL, r, 1)
TTP_GET(get_database_file, void, DATABASE, ttp_value_text(ttp_out_mem_file_name(r->path)))
static const struct ttp_field database_fields[] = {
    TTP_WORDS("file", .get = get_database_file),
    {.id = "ranks", .nest = TTP_NEST_MAP, TTP_ROWS_AT(DATABASE, rank, ranks, ranks)},
    TTP_LISTED("schema", TTP_OBJECT, list_schema, schema),
};
const struct ttp_fields ttp_mem_database_fields = {TTP_FIELDS(database_fields)};
