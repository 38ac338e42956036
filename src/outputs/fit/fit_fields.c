/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes are shown byte by byte: what fits is decided by the last one. */
#include "outputs/fit/fit_fields.h"

static struct ttp_value get_board(const void *context, const void *row)
{
    (void)context;
    return ttp_value_text(ttp_str_from(((const struct ttp_fit_core *)row)->board->name));
}

#define CORE(member) TTP_FIGURE(struct ttp_fit_core, member)
static const struct ttp_field core_fields[] = {
    TTP_WORDS_COLUMN("board", "Board", 0, .get = get_board),
    TTP_INT_COLUMN("l1_bytes", "L1", "B", 0, CORE(l1_bytes), .help = "of a core"),
    TTP_INT_COLUMN("reserved_bytes", "Reserved", "B", 0, CORE(reserved_bytes),
                   .help = "by firmware and kernels"),
    TTP_INT_COLUMN("other_bytes", "Other", "B", 0, CORE(other_bytes), .help = "--other"),
};
const struct ttp_fields ttp_fit_core_fields = {TTP_FIELDS(core_fields)};

#define PLAN(member) TTP_FIGURE(struct ttp_fit_plan, member)
static const struct ttp_field plan_fields[] = {
    TTP_FLAG("fits", .title = "Fits", .in_table = true, .optional = true, PLAN(fits)),
    TTP_INT_COLUMN("buffer_bytes", "Buffers", "B", 0, PLAN(buffer_bytes), .optional = true),
    TTP_INT_COLUMN("available_bytes", "Available", "B", 0, PLAN(available_bytes), .optional = true,
                   .help = "for buffers"),
    TTP_INT_COLUMN("left_bytes", "Left", "B", 0, PLAN(left_bytes), .optional = true),
    TTP_INT_COLUMN("over_bytes", "Too much", "B", 0, PLAN(over_bytes), .optional = true),
    TTP_INT("scale_all", "", PLAN(scale_all), .optional = true,
            .help = "all blocks times this still fit; 0: not even as they are"),
};
const struct ttp_fields ttp_fit_plan_fields = {TTP_FIELDS(plan_fields)};

static struct ttp_value get_buffer_type(const void *context, const void *row)
{
    (void)context;
    return ttp_value_text(
        ttp_str_from(ttp_dtype_name(((const struct ttp_fit_buffer_row *)row)->of.type)));
}

#define BUFFER(member) TTP_FIGURE(struct ttp_fit_buffer_row, of.member)
static const struct ttp_field buffer_fields[] = {
    TTP_WORDS_COLUMN("text", "Buffer", 0, BUFFER(text), .help = "as it was written"),
    TTP_INT("rows", "", BUFFER(rows), .help = "tiles"),
    TTP_INT("cols", "", BUFFER(cols), .help = "tiles"),
    TTP_INT("count", "", BUFFER(count), .help = "blocks"),
    TTP_WORDS("dtype", .get = get_buffer_type),
    TTP_INT_COLUMN("tile_bytes", "Tile", "B", 1, BUFFER(tile_bytes)),
    TTP_INT_COLUMN("block_bytes", "Block", "B", 2, BUFFER(block_bytes)),
    TTP_INT_COLUMN("bytes", "Total", "B", 0, BUFFER(bytes)),
    TTP_INT("max_tiles", "", BUFFER(max_tiles), .help = "of the largest block that fits"),
    TTP_INT("max_rows", "", BUFFER(max_rows), .help = "with as many columns"),
    TTP_INT("max_cols", "", BUFFER(max_cols), .help = "with as many rows"),
    TTP_WORDS_COLUMN("largest", "Largest block, the others as they are", 0,
                     TTP_FIGURE(struct ttp_fit_buffer_row, largest), .table_only = true),
};
const struct ttp_fields ttp_fit_buffer_fields = {TTP_FIELDS(buffer_fields),
                                                 .hint = "tt-perf fit --columns help lists them"};

static struct ttp_value get_block(const void *context, const void *row)
{
    static const char *const blocks[TTP_FIT_STEPS] = {"1x1",   "2x2",   "4x4",   "8x8",
                                                      "16x16", "32x32", "64x64", "128x128"};
    const uint32_t edge = ((const struct ttp_fit_step *)row)->edge;
    const size_t step = (size_t)__builtin_ctz(edge | 1U << 31);

    (void)context;
    return ttp_value_text(ttp_str_from(step < TTP_FIT_STEPS ? blocks[step] : "larger"));
}

static struct ttp_value get_verdict(const void *context, const void *row)
{
    const struct ttp_fit_step *s = row;
    const bool large = s->edge > TTP_FIT_EDGE_GOOD;

    (void)context;
    return ttp_value_text(ttp_str_from(s->fits ? large ? "fits *" : "fits"
                                       : large ? "does not fit *"
                                               : "does not fit"));
}

#define STEP(member) TTP_FIGURE(struct ttp_fit_step, member)
static const struct ttp_field step_fields[] = {
    TTP_WORDS_COLUMN("block", "Block", 0, .get = get_block, .table_only = true),
    TTP_INT("block_edge", "", STEP(edge), .help = "tiles"),
    TTP_INT_COLUMN("bytes", "Buffers", "B", 0, STEP(bytes)),
    TTP_REAL_COLUMN("transfers", "Transfers", "", 0, 0, STEP(transfers)),
    TTP_FLAG("fits", STEP(fits)),
    TTP_WORDS_COLUMN("verdict", "", 0, .get = get_verdict, .table_only = true),
};
const struct ttp_fields ttp_fit_step_fields = {TTP_FIELDS(step_fields)};

static struct ttp_value get_table_type(const void *context, const void *row)
{
    (void)context;
    return ttp_value_text(ttp_str_from(ttp_dtype_name(((const struct ttp_fit_table *)row)->type)));
}

#define TABLE(member) TTP_FIGURE(struct ttp_fit_table, member)
static const char *const places[] = {"core", "grid", "dram", "nowhere"};
static const struct ttp_field table_fields[] = {
    TTP_INT_COLUMN("rows", "Rows", "", 0, TABLE(rows)),
    TTP_INT_COLUMN("cols", "Columns", "", 0, TABLE(cols)),
    TTP_WORDS_COLUMN("dtype", "Type", 0, .get = get_table_type),
    TTP_INT_COLUMN("bytes", "Needs", "B", 0, TABLE(bytes)),
    TTP_INT_COLUMN("core_bytes", "One core", "B", 0, TABLE(core_bytes), .help = "free"),
    TTP_INT("cores", "", TABLE(cores)),
    TTP_INT_COLUMN("grid_bytes", "The grid", "B", 0, TABLE(grid_bytes), .help = "free"),
    TTP_INT_COLUMN("dram_bytes", "DRAM", "B", 0, TABLE(dram_bytes)),
    {.id = "place",
     .title = "Goes to",
     .in_table = true,
     TTP_WORD(struct ttp_fit_table, place, places)},
    TTP_INT("cores_needed", "", TABLE(cores_needed), .help = "0: more than there are"),
    TTP_INT("rows_per_core", "", TABLE(rows_per_core)),
    TTP_INT("rows_in_grid", "", TABLE(rows_in_grid), .help = "that fit at most"),
    TTP_INT("chips_needed", "", TABLE(chips_needed), .help = "to hold it in L1"),
};
const struct ttp_fields ttp_fit_table_fields = {TTP_FIELDS(table_fields)};

#define DFB(member) TTP_FIGURE(struct ttp_fit_dfb, member)
static const struct ttp_field dfb_fields[] = {
    TTP_INT_COLUMN("index", "Buffer", "", 0, DFB(index), .is_id = true),
    TTP_WORDS_COLUMN("filled_by", "Filled by", 0, DFB(producer)),
    TTP_WORDS_COLUMN("emptied_by", "Emptied by", 0, DFB(consumer)),
};
const struct ttp_fields ttp_fit_kernel_dfb_fields = {TTP_FIELDS(dfb_fields)};

#define KERNEL(member) TTP_FIGURE(struct ttp_fit_kernel, member)
static const struct ttp_field kernel_fields[] = {
    TTP_WORDS_COLUMN("program", "Program", 0, KERNEL(program)),
    {.id = "buffers",
     TTP_ROWS_AT(struct ttp_fit_kernel, buffer, buffers, ttp_fit_kernel_dfb_fields)},
    TTP_INT_COLUMN("blocks_bytes", "One block of each", "B", 0, KERNEL(blocks_bytes),
                   .above_0 = true, .help = "from its transfers"),
    TTP_FLAG("at_least", KERNEL(at_least), .help = "they may be larger"),
    TTP_INT_COLUMN("core_bytes", "Two blocks of each", "B", 0, KERNEL(bytes), .above_0 = true),
    TTP_INT_COLUMN("available_bytes", "Available", "B", 0, KERNEL(available_bytes)),
    TTP_FLAG("fits", KERNEL(fits)),
    TTP_INT("scale", "", KERNEL(scale), .help = "blocks of this many times the size still fit"),
};
const struct ttp_fields ttp_fit_kernel_fields = {TTP_FIELDS(kernel_fields)};

#define OP(member) TTP_FIGURE(struct ttp_fit_op_row, member)
static const struct ttp_field op_fields[] = {
    TTP_INT_COLUMN("id", "ID", "", 0, OP(id)),
    TTP_WORDS_COLUMN("op", "Op", 0, OP(op)),
    TTP_INT_COLUMN("cores", "Cores", "", 2, OP(of.cores)),
    TTP_INT_COLUMN("input_0_bytes", "Input 0", "B", 3, OP(of.bytes[0])),
    TTP_INT_COLUMN("input_1_bytes", "Input 1", "B", 4, OP(of.bytes[1])),
    TTP_INT_COLUMN("output_bytes", "Output", "B", 3, OP(of.bytes[2])),
    TTP_INT_COLUMN("core_bytes", "Per core", "B", 0, OP(of.total_bytes)),
    TTP_INT_COLUMN("left_bytes", "Left", "B", 0, OP(left_bytes),
                   TTP_KNOWN_IF(struct ttp_fit_op_row, fits), .help = "for its circular buffers"),
};
const struct ttp_fields ttp_fit_op_fields = {TTP_FIELDS(op_fields),
                                             .hint = "tt-perf fit --columns help lists them"};
