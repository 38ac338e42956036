/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh/describe.h"

#include "base/map.h"
#include "mesh/ring.h"

static uint64_t hash_bytes(uint64_t h, ttp_str s)
{
    return ttp_hash_text(ttp_hash_text(h, s),
                         TTP_STR("\xff")); /* an end: "ab","c" is not "a","bc" */
}

static uint64_t hash_number(uint64_t h, int64_t n)
{
    for (int i = 0; i < 8; i++)
        h = (h ^ ((uint64_t)n >> (8 * i) & 0xff)) * 0x100000001b3;
    return h;
}

/* "1" for "1.0", which all cells of a column become where one is empty. */
static ttp_str whole_number(ttp_str s)
{
    const size_t point = ttp_str_find_char(s, '.');
    size_t zeros = point == TTP_NPOS ? s.len : point + 1;

    while (zeros < s.len && s.ptr[zeros] == '0')
        zeros++;
    return point != TTP_NPOS && zeros == s.len ? ttp_str_slice(s, 0, point) : s;
}

/* "32" of "32[30]" for the padded size, "30" for the logical one. */
static ttp_str dim_text(const struct ttp_ops *ops, size_t row, size_t dim, bool logical)
{
    ttp_sym sym = ttp_ops_sym(ops, (enum ttp_ops_text)(TTP_OPS_DIMS + dim), row);
    if (sym == TTP_SYM_MISSING)
        sym = ttp_ops_sym(ops, (enum ttp_ops_text)(TTP_OPS_LEGACY_DIMS + dim), row);
    if (sym == TTP_SYM_MISSING)
        return TTP_STR("");
    const ttp_str s = ttp_sym_name(&ops->syms, sym);
    const size_t open = ttp_str_find_char(s, '[');
    if (open == TTP_NPOS)
        return whole_number(s);
    if (!logical)
        return ttp_str_slice(s, 0, open);
    const ttp_str inner = ttp_str_slice(s, open + 1, s.len);
    const size_t close = ttp_str_find_char(inner, ']');
    return ttp_str_slice(inner, 0, close == TTP_NPOS ? inner.len : close);
}

static double volume(const struct ttp_ops *ops, size_t row, size_t tensor, bool logical)
{
    double v = 1;

    for (size_t d = 0; d < 4; d++) {
        uint64_t n;
        if (!ttp_str_to_u64(dim_text(ops, row, tensor * 4 + d, logical), &n))
            return 0;
        v *= (double)n;
    }
    return v;
}

static double element_bytes(ttp_str type)
{
    static const struct {
        const char *name;
        double bytes;
    } types[] = {
        {"BFLOAT16", 2},
        {"FLOAT32", 4},
        {"UINT32", 4},
        {"INT32", 4},
        {"UINT16", 2},
        {"UINT8", 1},
        {"FLOAT16", 2},
        {"BFLOAT8_B", 1088.0 / 1024}, /* an exponent for 16 */
        {"BFLOAT4_B", 576.0 / 1024},
    };

    for (size_t i = 0; i < TTP_COUNT(types); i++)
        if (ttp_str_ends(type, ttp_str_from(types[i].name)))
            return types[i].bytes;
    return 0;
}

static uint64_t hash_coordinate(uint64_t h, const struct ttp_mesh_coordinate *c)
{
    return c->known ? hash_number(hash_number(h, c->row), c->column) : h;
}

uint64_t ttp_mesh_describe(struct ttp_mesh_op *op, const struct ttp_ops *ops, size_t row)
{
    const ttp_str code = ttp_sym_name(&ops->syms, ttp_ops_sym(ops, TTP_OPS_CODE, row));
    const struct ttp_op_family family = ttp_op_family_of(code);
    struct ttp_mesh_ring ring = {.axis = -1};
    uint64_t h = hash_bytes(TTP_HASH_TEXT, code);

    if (family.waits != TTP_WAITS_NOT)
        ring =
            ttp_mesh_ring_of(ttp_sym_name(&ops->syms, ttp_ops_sym(ops, TTP_OPS_ATTRIBUTES, row)));
    h = hash_number(hash_number(h, ring.axis), ring.size);
    if (family.waits == TTP_WAITS_FOR_SENDER) {
        h = hash_coordinate(h, &ring.ends.sender);
        h = hash_coordinate(h, &ring.ends.receiver);
    }
    for (size_t d = 0; d < 4; d++) {
        h = hash_bytes(h, dim_text(ops, row, d, true));
        h = hash_bytes(h, dim_text(ops, row, 8 + d, true));
    }
    *op = (struct ttp_mesh_op){
        .code = code,
        .signature = h,
        .kind = (enum ttp_mesh_kind)family.waits,
        .fused = family.fused,
        .axis = ring.axis,
        .ring = ring.size,
        .links = ring.links,
        .ends = ring.ends,
        .ring_topology = ring.closed,
        .axis_at = TTP_MESH_NONE,
        .slowest = TTP_MESH_NONE,
    };
    return h;
}

void ttp_mesh_describe_tensors(struct ttp_mesh_op *op, const struct ttp_ops *ops, size_t row,
                               struct ttp_arena *arena)
{
    const double in = element_bytes(
                     ttp_sym_name(&ops->syms, ttp_ops_sym(ops, TTP_OPS_IN0_DATATYPE, row))),
                 out = element_bytes(
                     ttp_sym_name(&ops->syms, ttp_ops_sym(ops, TTP_OPS_OUT_DATATYPE, row)));
    struct ttp_sink shape;

    op->in_volume = volume(ops, row, 0, true);
    op->out_volume = volume(ops, row, 2, true);
    op->in_bytes = in * volume(ops, row, 0, false);
    op->out_bytes = out * volume(ops, row, 2, false);
    ttp_sink_to_arena(&shape, arena);
    for (size_t d = 0; d < 4; d++) {
        if (d)
            ttp_sink_put(&shape, TTP_STR("x"));
        ttp_sink_put(&shape, dim_text(ops, row, d, true));
    }
    op->shape = op->in_volume > 0 ? ttp_sink_text(&shape) : TTP_STR("");
}
