/* SPDX-License-Identifier: Apache-2.0 */
/* fit_ops.c - the L1 use of the operations of a profiled run. */
#include "base/order.h"
#include "fit/fit.h"
#include "fit/tile_bytes.h"

static ttp_str text_of(const struct ttp_ops *ops, int column, size_t row)
{
    const ttp_sym sym = ttp_ops_sym(ops, (enum ttp_ops_text)column, row);

    return sym == TTP_SYM_MISSING ? (ttp_str){0} : ttp_sym_name(&ops->syms, sym);
}

/* "64[32]" is 64 padded, 32 logical. */
static uint64_t padded(ttp_str text)
{
    uint64_t v;
    size_t digits = 0;

    while (digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9')
        digits++;
    return ttp_str_to_u64(ttp_str_slice(text, 0, digits), &v) && v < (uint64_t)1 << 32 ? v : 0;
}

/* Elements of a tensor, its last two dimensions rounded up to tiles. */
static uint64_t tiles_of(const struct ttp_ops *ops, size_t row, size_t tensor,
                         struct ttp_fit_tile tile)
{
    uint64_t dim[4];

    for (size_t i = 0; i < 4; i++) {
        const int at = (int)(tensor * 4 + i);

        dim[i] = padded(text_of(ops, TTP_OPS_DIMS + at, row));
        if (dim[i] == 0)
            dim[i] = padded(text_of(ops, TTP_OPS_LEGACY_DIMS + at, row));
        if (dim[i] == 0)
            return 0;
    }
    const uint64_t high = (dim[2] + tile.height - 1) / tile.height,
                   wide = (dim[3] + tile.width - 1) / tile.width;
    if (dim[0] > 1 << 20 || dim[1] > 1 << 20 || high > 1 << 20 || wide > 1 << 20 ||
        dim[0] * dim[1] > 1 << 20)
        return 0;
    return dim[0] * dim[1] * high > (uint64_t)1 << 30 ? 0 : dim[0] * dim[1] * high * wide;
}

/* Cores an op uses, and cores there are. */
struct share {
    uint64_t cores, grid;
};

static uint64_t per_core(const struct ttp_ops *ops, size_t row, size_t tensor,
                         const struct ttp_fit_core *core, struct share of)
{
    static const int memory[] = {TTP_OPS_IN0_MEMORY, TTP_OPS_IN1_MEMORY, TTP_OPS_OUT_MEMORY};
    static const int types[] = {TTP_OPS_IN0_DATATYPE, TTP_OPS_IN1_DATATYPE, TTP_OPS_OUT_DATATYPE};
    const ttp_str where = text_of(ops, memory[tensor], row);
    const uint64_t tiles = tiles_of(ops, row, tensor, core->tile);
    const uint64_t tile =
        ttp_fit_tile_bytes(ttp_tensor_dtype_find(text_of(ops, types[tensor], row)), core->tile);

    if (!ttp_str_has(where, TTP_STR("L1")) || tiles == 0 || tile == 0)
        return 0;
    const uint64_t parts = ttp_str_has(where, TTP_STR("SHARDED")) ? of.cores : of.grid;
    return (tiles + parts - 1) / parts * tile;
}

TTP_ORDER(by_bytes, struct ttp_fit_op, TTP_DOWN(total_bytes), TTP_UP(row))

size_t ttp_fit_ops(struct ttp_fit_op **out, const struct ttp_ops *ops,
                   const struct ttp_fit_core *core, struct ttp_arena *arena)
{
    struct ttp_fit_roofline board;
    size_t count = 0;

    ttp_fit_roofline(&board, core->board);
    const uint64_t grid = board.cores >= 1 ? (uint64_t)board.cores : 1;
    *out = TTP_NEW(arena, struct ttp_fit_op, ops->rows);
    for (size_t row = 0; row < ops->rows; row++) {
        struct ttp_fit_op *op = &(*out)[count];
        double cores = 0;

        (void)ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_CORES, row), &cores);
        *op = (struct ttp_fit_op){.row = row,
                                  .cores = cores >= 1 && cores <= 1 << 20 ? (uint64_t)cores : grid};
        for (size_t t = 0; t < 3; t++) {
            op->bytes[t] = per_core(ops, row, t, core, (struct share){op->cores, grid});
            op->total_bytes += op->bytes[t];
        }
        count += op->total_bytes > 0;
    }
    TTP_SORT(*out, count, by_bytes);
    return count;
}

void ttp_fit_kernel(struct ttp_fit_kernel *kernel, const struct ttp_fit_core *core)
{
    const uint64_t taken = core->reserved_bytes + core->other_bytes;

    kernel->available_bytes = core->l1_bytes > taken ? core->l1_bytes - taken : 0;
    if (kernel->blocks_bytes > UINT64_MAX / 2)
        kernel->blocks_bytes = 0;             /* no memory has that */
    kernel->bytes = 2 * kernel->blocks_bytes; /* TT-Lang's default */
    kernel->fits = kernel->bytes <= kernel->available_bytes;
    kernel->scale = kernel->bytes ? kernel->available_bytes / kernel->bytes : 0;
    if (kernel->blocks && kernel->scale > 1 && kernel->scale > kernel->blocks / 2)
        kernel->scale = kernel->blocks / 2 ? kernel->blocks / 2 : 1;
}
