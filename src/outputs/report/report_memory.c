/* SPDX-License-Identifier: Apache-2.0 */
/* report_memory.c - the L1 of a report's ops, from the graph capture of --mem. */
#include "outputs/report/report_memory.h"

#include "mem/mem.h"

/* An op of the window and its line in the capture. */
struct memory_row {
    struct ttp_mem_line line; /* first: what the columns of the capture read */
    int64_t id;               /* of the op in the report */
};

static const struct ttp_mem_capture *capture_of(const struct ttp_report *r)
{
    for (size_t i = 0; r->ops->memory && i < r->ops->rows; i++)
        if (r->ops->memory[i].has)
            return r->ops->memory[i].capture;
    return NULL;
}

/* Columns of the capture, after the ID that leads to the op. */
static const struct ttp_fields *make_fields(struct ttp_arena *arena)
{
    static const struct ttp_field id = TTP_INT_COLUMN(
        "id", "ID", "", 0, TTP_FIGURE(struct memory_row, id), .help = "row of the operation");
    struct ttp_fields *fields = TTP_NEW(arena, struct ttp_fields, 1);
    struct ttp_field *field = TTP_NEW(arena, struct ttp_field, ttp_mem_fields.count + 1);

    field[0] = id;
    memcpy(field + 1, ttp_mem_fields.field, ttp_mem_fields.count * sizeof(*field));
    *fields = ttp_mem_fields;
    fields->field = field;
    fields->count = ttp_mem_fields.count + 1;
    return fields;
}

void ttp_out_report_memory_ops(struct ttp_document *doc, size_t part, const struct ttp_report *r,
                               struct ttp_arena *arena)
{
    struct memory_row *row = TTP_NEW(arena, struct memory_row, r->count + 1);
    const struct ttp_mem_capture *capture = capture_of(r);
    size_t n = 0;

    if (!capture)
        return;
    for (size_t i = 0; i < r->count; i++) {
        const struct ttp_op *op = &r->op[i];
        const struct ttp_op_memory *m = &r->ops->memory[op->row];

        if (op->kind == TTP_OP_DEVICE && m->has)
            row[n++] = (struct memory_row){{m->op, m->device}, (int64_t)op->row + 2};
    }
    ttp_document_rows(doc, part, capture, row, n);
    doc->part[part].rows.fields = make_fields(arena);
}

/* ---- devices of the capture ---- */

#define CAPTURE          struct ttp_mem_capture
#define DEVICE           struct ttp_mem_device
#define DEVICE_OF(field) TTP_FIGURE(DEVICE, field)

static struct ttp_value name_of(const CAPTURE *c, uint32_t op)
{
    return op == TTP_MEM_NONE ? (struct ttp_value){0} : ttp_value_text(c->op[op].name);
}

TTP_GET(get_share, CAPTURE, DEVICE,
        r->l1_bank_bytes > 0
            ? ttp_value_f64(100.0 * (double)r->peak_inferred / (double)r->l1_bank_bytes)
            : (struct ttp_value){0})
TTP_GET(get_peak_op, CAPTURE, DEVICE, name_of(c, r->peak_op))
TTP_GET(get_dram_op, CAPTURE, DEVICE, name_of(c, r->dram_peak_op))

static const struct ttp_field device_fields[] = {
    TTP_INT_COLUMN("device", "Device", "", 0, DEVICE_OF(id)),
    TTP_INT_COLUMN("l1_peak_bytes", "L1 Peak", "bytes", 0, DEVICE_OF(peak_inferred),
                   .help = "per bank, with circular buffers of earlier launches"),
    TTP_INT_COLUMN("l1_bank_bytes", "L1 Bank", "bytes", 0, DEVICE_OF(l1_bank_bytes),
                   .above_0 = true, .help = "size of a bank, which is the L1 of one core"),
    TTP_REAL_COLUMN("l1_percent", "L1", "%", 1, 0, .get = get_share),
    TTP_INT_COLUMN("stale_bytes", "Stale", "bytes", 0, DEVICE_OF(peak.part[TTP_MEM_STALE]),
                   .help = "at the peak: not used by that operation or a later one"),
    TTP_WORDS_COLUMN("l1_peak_op", "At", 0, .get = get_peak_op, .help = "operation at the peak"),
    TTP_INT_COLUMN("dram_peak_bytes", "DRAM Peak", "bytes", 0, DEVICE_OF(dram_peak_total),
                   .help = "over all banks"),
    TTP_WORDS_COLUMN("dram_peak_op", "At", 0, .get = get_dram_op, .help = "operation at the peak"),
};
const struct ttp_fields ttp_report_memory_devices_fields = {TTP_FIELDS(device_fields)};

void ttp_out_report_memory_devices(struct ttp_document *doc, size_t part,
                                   const struct ttp_report *r)
{
    const struct ttp_mem_capture *capture = capture_of(r);

    if (capture)
        ttp_document_rows(doc, part, capture, capture->device, capture->devices);
}
