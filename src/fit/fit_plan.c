/* SPDX-License-Identifier: Apache-2.0 */
/* fit_plan.c - tiles, buffers and tables against the memory of a core. */
#include <math.h>

#include "fit/fit.h"
#include "fit/tile_bytes.h"

/* tt-metal's L1_ALIGNMENT on both chips. */
#define L1_ALIGNMENT 16
/* Beyond any memory, and far from overflow when two such are multiplied by small numbers. */
#define SIZE_LIMIT ((uint64_t)1 << 48)

static uint64_t round_up(uint64_t v, uint64_t unit)
{
    return (v + unit - 1) / unit * unit;
}

/* a * b, or SIZE_LIMIT if that is reached: sums of a few of them do not overflow. */
static uint64_t times(uint64_t a, uint64_t b)
{
    return a && b > SIZE_LIMIT / a ? SIZE_LIMIT : a * b;
}

uint64_t ttp_fit_tile_bytes(enum ttp_dtype type, struct ttp_fit_tile tile)
{
    const uint64_t values = (uint64_t)tile.height * tile.width;
    uint64_t bits = 0; /* of a value, its sign included */

    switch (type) {
    case TTP_DTYPE_NONE:
    case TTP_DTYPE_COUNT:
        return 0;
    case TTP_DTYPE_BFP8_B:
        bits = 8;
        break;
    case TTP_DTYPE_BFP4_B:
        bits = 4;
        break;
    case TTP_DTYPE_BFP2_B:
        bits = 2;
        break;
    default:
        return values * ttp_tensor_dtype_size(type);
    }
    return round_up(values / 16, L1_ALIGNMENT) + values * bits / 8;
}

/* --- texts --- */

/* "fp32" is what many say for f32. */
static enum ttp_dtype find_type(ttp_str name)
{
    const enum ttp_dtype type = ttp_tensor_dtype_find(name);

    if (type != TTP_DTYPE_NONE)
        return type;
    if (ttp_str_eq_any_case(name, TTP_STR("fp32")))
        return TTP_DTYPE_F32;
    if (ttp_str_eq_any_case(name, TTP_STR("fp16")))
        return TTP_DTYPE_F16;
    if (ttp_str_eq_any_case(name, TTP_STR("bfloat8")) || ttp_str_eq_any_case(name, TTP_STR("bfp8")))
        return TTP_DTYPE_BFP8_B;
    if (ttp_str_eq_any_case(name, TTP_STR("bfloat4")) || ttp_str_eq_any_case(name, TTP_STR("bfp4")))
        return TTP_DTYPE_BFP4_B;
    return TTP_DTYPE_NONE;
}

static bool parse_shape(uint64_t out[2], ttp_str text)
{
    ttp_str part[3];

    return ttp_str_split(text, 'x', part, 3) == 2 &&
           ttp_str_to_u64(ttp_str_trim(part[0]), &out[0]) &&
           ttp_str_to_u64(ttp_str_trim(part[1]), &out[1]) && out[0] > 0 && out[1] > 0 &&
           out[0] <= UINT32_MAX && out[1] <= UINT32_MAX;
}

static ttp_code bad_type(ttp_str name, struct ttp_err *err)
{
    ttp_fail(err, TTP_EUSAGE, "unknown type '%.*s'", TTP_FMT(ttp_str_slice(name, 0, 40)));
    ttp_err_hint(err, "use one of bf16 f32 f16 bfp8_b bfp4_b bfp2_b f8_e4m3 u8 u16 u32 i32");
    return TTP_EUSAGE;
}

ttp_code ttp_fit_parse_buffer(struct ttp_fit_buffer *out, const char *text, struct ttp_err *err)
{
    const ttp_str all = ttp_str_from(text);
    const size_t sign = ttp_str_find_char(all, '=');
    const ttp_str spec = sign == TTP_NPOS ? all : ttp_str_slice(all, sign + 1, all.len);
    ttp_str part[4];
    const size_t n = ttp_str_split(spec, ':', part, 4);
    uint64_t shape[2], count = 2; /* double buffering is the usual */

    if (n < 2 || n > 3 || !parse_shape(shape, part[0]) ||
        (n == 3 &&
         (!ttp_str_to_u64(ttp_str_trim(part[2]), &count) || count == 0 || count > UINT32_MAX))) {
        ttp_fail(err, TTP_EUSAGE, "invalid buffer '%.*s'", TTP_FMT(ttp_str_slice(all, 0, 60)));
        ttp_err_hint(err, "use ROWSxCOLS:TYPE:COUNT in tiles, such as 4x4:bf16:2");
        return TTP_EUSAGE;
    }
    const enum ttp_dtype type = find_type(ttp_str_trim(part[1]));
    if (type == TTP_DTYPE_NONE)
        return bad_type(part[1], err);
    *out = (struct ttp_fit_buffer){.text = all,
                                   .rows = (uint32_t)shape[0],
                                   .cols = (uint32_t)shape[1],
                                   .count = (uint32_t)count,
                                   .type = type};
    return TTP_OK;
}

ttp_code ttp_fit_parse_table(struct ttp_fit_table *out, const char *text, struct ttp_err *err)
{
    const ttp_str all = ttp_str_from(text);
    ttp_str part[3];
    uint64_t shape[2];
    const size_t n = ttp_str_split(all, ':', part, 3);

    *out = (struct ttp_fit_table){0};
    if (n < 1 || n > 2 || !parse_shape(shape, part[0])) {
        ttp_fail(err, TTP_EUSAGE, "invalid table '%.*s'", TTP_FMT(ttp_str_slice(all, 0, 60)));
        ttp_err_hint(err, "use ROWSxCOLS:TYPE, such as 100000x512:bf16");
        return TTP_EUSAGE;
    }
    out->rows = shape[0];
    out->cols = shape[1];
    out->type = n == 2 ? find_type(ttp_str_trim(part[1])) : TTP_DTYPE_BF16;
    return out->type == TTP_DTYPE_NONE ? bad_type(part[1], err) : TTP_OK;
}

/* --- buffers --- */

static uint64_t free_bytes(const struct ttp_fit_core *core)
{
    const uint64_t taken = core->reserved_bytes + core->other_bytes;

    return core->l1_bytes > taken ? core->l1_bytes - taken : 0;
}

static uint64_t buffer_bytes(const struct ttp_fit_buffer *b, uint64_t tiles)
{
    return round_up(times(times(tiles, b->tile_bytes), b->count), L1_ALIGNMENT);
}

/* Everything this buffer could have: what is left, and its own. */
static void find_largest(struct ttp_fit_buffer *b, uint64_t available, uint64_t used)
{
    const uint64_t others = used - b->bytes;
    const uint64_t room = available > others ? available - others : 0;

    const uint64_t unit = times(b->tile_bytes, b->count);

    if (unit == 0 || b->rows == 0 || b->cols == 0)
        return;
    b->max_tiles = room / unit;
    b->max_rows = b->max_tiles / b->cols;
    b->max_cols = b->max_tiles / b->rows;
}

/* b is not 0. */
static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return b ? (a + b - 1) / b : 0;
}

static void sweep(struct ttp_fit_plan *out, const struct ttp_fit_core *core,
                  const struct ttp_fit_buffer *buffer, size_t count, const uint64_t tensor[2])
{
    const uint64_t rows = ceil_div(tensor[0], core->tile.height),
                   cols = ceil_div(tensor[1], core->tile.width);

    for (uint32_t edge = 1; out->steps < TTP_FIT_STEPS; edge *= 2) {
        struct ttp_fit_step *s = &out->step[out->steps++];

        *s = (struct ttp_fit_step){.edge = edge,
                                   .transfers = ceil_div(rows, edge) * ceil_div(cols, edge)};
        for (size_t i = 0; i < count; i++)
            s->bytes += buffer_bytes(&buffer[i], (uint64_t)edge * edge);
        s->fits = s->bytes <= out->available_bytes;
        if (!s->fits)
            break; /* one that does not fit shows where the end is */
    }
}

ttp_code ttp_fit_plan(struct ttp_fit_plan *out, const struct ttp_fit_core *core,
                      struct ttp_fit_buffers buffers, const uint64_t tensor[2], struct ttp_err *err)
{
    *out = (struct ttp_fit_plan){.available_bytes = free_bytes(core)};
    for (size_t i = 0; i < buffers.count; i++) {
        struct ttp_fit_buffer *b = &buffers.buffer[i];
        const uint64_t tiles = times(b->rows, b->cols);

        b->tile_bytes = ttp_fit_tile_bytes(b->type, core->tile);
        b->block_bytes = times(tiles, b->tile_bytes);
        b->bytes = buffer_bytes(b, tiles);
        out->buffer_bytes += b->bytes;
        if (out->buffer_bytes >= SIZE_LIMIT)
            return ttp_fail(err, TTP_ELIMIT, "'%.*s' is too large",
                            TTP_FMT(ttp_str_slice(b->text, 0, 60)));
    }
    out->fits = out->buffer_bytes <= out->available_bytes;
    out->left_bytes = out->fits ? out->available_bytes - out->buffer_bytes : 0;
    out->over_bytes = out->fits ? 0 : out->buffer_bytes - out->available_bytes;
    out->scale_all = out->buffer_bytes ? out->available_bytes / out->buffer_bytes : 0;
    for (size_t i = 0; i < buffers.count; i++)
        find_largest(&buffers.buffer[i], out->available_bytes, out->buffer_bytes);
    if (buffers.count)
        sweep(out, core, buffers.buffer, buffers.count, tensor);
    return TTP_OK;
}

/* --- tables --- */

/* Cores that operations can use; 0: unknown. */
static uint64_t grid_cores(const struct ttp_board *board)
{
    double x, y, all;

    if (ttp_board_fact(board, TTP_FACT_GRID_X, &x) && ttp_board_fact(board, TTP_FACT_GRID_Y, &y))
        return (uint64_t)(x * y);
    return ttp_board_fact(board, TTP_FACT_TENSIX_CORES, &all) ? (uint64_t)all : 0;
}

ttp_code ttp_fit_table(struct ttp_fit_table *t, const struct ttp_fit_core *core,
                       struct ttp_err *err)
{
    double dram;

    t->cores = grid_cores(core->board);
    if (t->cores == 0)
        return ttp_fail(err, TTP_ENOTFOUND, "the grid of a '%s' is unknown", core->board->name);
    if (ttp_tensor_dtype_size(t->type)) {
        t->row_bytes = round_up(times(t->cols, ttp_tensor_dtype_size(t->type)), L1_ALIGNMENT);
    } else { /* block formats exist in tiles: a row's share of them */
        const uint64_t tile = ttp_fit_tile_bytes(t->type, core->tile);
        t->row_bytes =
            ceil_div(times(ceil_div(t->cols, core->tile.width), tile), core->tile.height);
    }
    t->bytes = times(t->rows, t->row_bytes);
    if (t->bytes >= SIZE_LIMIT)
        return ttp_fail(err, TTP_ELIMIT, "the table is too large");
    t->core_bytes = free_bytes(core);
    t->dram_bytes = ttp_board_fact(core->board, TTP_FACT_DRAM_BYTES, &dram) ? (uint64_t)dram : 0;
    t->grid_bytes = t->core_bytes * t->cores;
    t->cores_needed = t->rows_per_core = t->rows_in_grid = t->chips_needed = 0;
    const uint64_t rows_on_core = t->row_bytes ? t->core_bytes / t->row_bytes : 0;
    if (rows_on_core) {
        const uint64_t in_grid = rows_on_core * t->cores, needed = ceil_div(t->rows, rows_on_core);

        t->rows_in_grid = in_grid;
        t->chips_needed = ceil_div(t->rows, in_grid);
        t->cores_needed = needed <= t->cores ? needed : 0;
        t->rows_per_core = t->cores_needed ? ceil_div(t->rows, t->cores_needed) : 0;
    }
    t->place = t->cores_needed == 1                              ? TTP_FIT_ONE_CORE
               : t->cores_needed                                 ? TTP_FIT_GRID
               : t->dram_bytes == 0 || t->bytes <= t->dram_bytes ? TTP_FIT_DRAM
                                                                 : TTP_FIT_NOWHERE;
    return TTP_OK;
}

/* --- what a board can do --- */

static double fact(const struct ttp_board *board, enum ttp_fact which)
{
    double v;

    return ttp_board_fact(board, which, &v) ? v : NAN;
}

void ttp_fit_roofline(struct ttp_fit_roofline *out, const struct ttp_board *board)
{
    /* payload per lane and direction in GB/s: 8b/10b for the first two, then 128b/130b */
    static const double lane_gbs[] = {0, 0.25, 0.5, 0.985, 1.969, 3.938, 7.563};
    const double gen = fact(board, TTP_FACT_PCIE_GEN), lanes = fact(board, TTP_FACT_PCIE_WIDTH);
    const uint64_t cores = grid_cores(board);
    const double pass = fact(board, TTP_FACT_FLOP_PER_CYCLE) * fact(board, TTP_FACT_AICLK_MAX_MHZ) *
                        (double)cores / 1e6;

    *out = (struct ttp_fit_roofline){
        .cores = cores ? (double)cores : NAN,
        .dram_gbs = fact(board, TTP_FACT_DRAM_GBS),
        .pcie_gbs = gen >= 1 && gen <= 6 ? lane_gbs[(int)gen] * lanes : NAN,
        .l1_bytes = cores ? fact(board, TTP_FACT_L1_BYTES) * (double)cores : NAN,
    };
    for (int f = 0; f < TTP_FIDELITIES; f++) /* one pass more for each step of fidelity */
        out->tflops[f] = pass / (f + 1);
    out->balance_flop_byte = pass * 1000 / out->dram_gbs;
}
