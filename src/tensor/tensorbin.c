/* SPDX-License-Identifier: Apache-2.0 */
/* .tensorbin, what ttnn.dump_tensor() writes: a length, a FlatBuffer that describes the tensor, the
 * data of its shards. Schema: ttnn/core/tensor/flatbuffer/{tensor,tensor_spec}.fbs (tt-metal
 * e4f9f0bb8de); field numbers below are places in those tables, a union takes two. */
#include "base/sink.h"
#include "tensor/block_float.h"
#include "tensor/tensor_readers.h"

#define PREFIX     8 /* bytes of the length in front */
#define SHARDS_MAX 65536

enum { TENSOR_SPEC = 0, TENSOR_SHARDS = 2 };
enum { SPEC_SHAPE = 0, SPEC_LAYOUT = 1 };
enum { LAYOUT_TYPE = 0, LAYOUT_PAGE_KIND = 1, LAYOUT_PAGE = 2, LAYOUT_ALIGNMENT = 4 };
enum { PAGE_ROW_MAJOR = 1, PAGE_TILE = 2 };
enum { TILE_H = 0, TILE_W = 1, TILE_TRANSPOSED = 2 };
enum { SHARD_BUFFER_KIND = 0, SHARD_BUFFER = 1, SHARD_COORDINATE = 2 };
enum { BUFFER_INLINE = 1 };

static const enum ttp_dtype types[] = {TTP_DTYPE_BF16,   TTP_DTYPE_F32,    TTP_DTYPE_U32,
                                       TTP_DTYPE_BFP8_B, TTP_DTYPE_BFP4_B, TTP_DTYPE_U8,
                                       TTP_DTYPE_U16,    TTP_DTYPE_I32,    TTP_DTYPE_I8};

/* A position of 0 means "not there": the root's own offset is at 0. */
struct flat {
    ttp_str bytes;
    bool broken; /* something pointed outside */
};

/* Where field `id` of the table at `table` is; 0: it has its default. */
static size_t field(struct flat *f, size_t table, unsigned id, size_t len)
{
    const size_t size = f->bytes.len;

    if (table == 0 || f->broken)
        return 0;
    const int64_t vtable = (int64_t)table - (int32_t)ttp_le32(f->bytes.ptr + table);
    f->broken = vtable < 0 || (uint64_t)vtable + 4 > size;
    if (f->broken)
        return 0;
    const unsigned vtable_len = ttp_le16(f->bytes.ptr + vtable), at = 4 + 2 * id;
    f->broken = (uint64_t)vtable + vtable_len > size;
    if (f->broken || at + 2 > vtable_len)
        return 0;
    const unsigned offset = ttp_le16(f->bytes.ptr + vtable + at);
    if (offset == 0)
        return 0;
    f->broken = table + offset + len > size;
    return f->broken ? 0 : table + offset;
}

/* What the offset stored at `at` leads to, which must have `len` bytes. */
static size_t follow(struct flat *f, size_t at, size_t len)
{
    if (at == 0)
        return 0;
    const size_t to = at + ttp_le32(f->bytes.ptr + at);
    f->broken = f->broken || to == at || to + len > f->bytes.len;
    return f->broken ? 0 : to;
}

static size_t child(struct flat *f, size_t table, unsigned id)
{
    return follow(f, field(f, table, id, 4), 4);
}

static uint32_t number(struct flat *f, size_t table, unsigned id, unsigned len)
{
    const size_t at = field(f, table, id, len);

    if (at == 0)
        return 0;
    return len == 4 ? ttp_le32(f->bytes.ptr + at) : (unsigned char)f->bytes.ptr[at];
}

/* A vector of 4-byte things: its first, and how many. */
static size_t vector(struct flat *f, size_t table, unsigned id, uint32_t *count)
{
    const size_t at = child(f, table, id);

    *count = at ? ttp_le32(f->bytes.ptr + at) : 0;
    if (at && *count > (f->bytes.len - at - 4) / 4)
        f->broken = true;
    if (f->broken)
        *count = 0;
    return at + 4;
}

static ttp_code bad(struct ttp_err *err, const char *what)
{
    ttp_fail(err, TTP_EPARSE, "tensorbin header: %s", what);
    return TTP_EPARSE;
}

static ttp_code read_tile(struct flat *f, size_t layout, uint32_t tile[2], bool *transposed,
                          struct ttp_err *err)
{
    const uint32_t kind = number(f, layout, LAYOUT_PAGE_KIND, 1);

    tile[0] = tile[1] = 0;
    if (kind == PAGE_ROW_MAJOR)
        return TTP_OK;
    if (kind != PAGE_TILE)
        return bad(err, "unknown kind of pages");
    const size_t at = child(f, child(f, layout, LAYOUT_PAGE), 0);
    tile[0] = number(f, at, TILE_H, 4);
    tile[1] = number(f, at, TILE_W, 4);
    if (tile[0] == 0 || tile[1] == 0)
        return bad(err, "its tiles have no size");
    *transposed = number(f, at, TILE_TRANSPOSED, 1) != 0;
    if (*transposed && tile[0] != TTP_FACE && tile[0] != TTP_TILE)
        return bad(err, "transposed tiles that are not 16 or 32 rows high");
    return TTP_OK;
}

static ttp_code read_shape(struct flat *f, size_t spec, struct ttp_tensor *t, struct ttp_err *err)
{
    uint64_t shape[TTP_TENSOR_DIMS_MAX];
    uint32_t ndim;
    const size_t at = vector(f, spec, SPEC_SHAPE, &ndim);

    if (ndim > TTP_TENSOR_DIMS_MAX)
        return bad(err, "too many dimensions");
    for (uint32_t i = 0; i < ndim; i++)
        shape[i] = ttp_le32(f->bytes.ptr + at + 4 * (size_t)i);
    if (!ttp_tensor_set_shape(t, shape, ndim))
        return ttp_fail(err, TTP_ELIMIT, "tensorbin header: too many elements");
    return TTP_OK;
}

static ttp_code read_spec(struct flat *f, size_t spec, struct ttp_tensor *t, struct ttp_err *err)
{
    const size_t layout = child(f, spec, SPEC_LAYOUT);
    uint32_t align[TTP_TENSOR_DIMS_MAX], tile[2], nalign;

    TTP_TRY(read_shape(f, spec, t, err));
    if (layout == 0)
        return bad(err, "no layout");
    const uint32_t type = number(f, layout, LAYOUT_TYPE, 1);
    if (type >= TTP_COUNT(types))
        return bad(err, "an unknown data type");
    t->dtype = types[type];
    TTP_TRY(read_tile(f, layout, tile, &t->tile_transposed, err));
    const size_t at = vector(f, layout, LAYOUT_ALIGNMENT, &nalign);
    if (nalign > TTP_TENSOR_DIMS_MAX)
        return bad(err, "too many dimensions");
    for (uint32_t i = 0; i < nalign; i++)
        align[i] = ttp_le32(f->bytes.ptr + at + 4 * (size_t)i);
    if (nalign == 0 && tile[0]) {
        memcpy(align, tile, sizeof(tile));
        nalign = 2;
    }
    if (tile[0] == 0 && ttp_tensor_block_bits(t->dtype))
        return bad(err, "a block format without tiles");
    return ttp_tensor_set_tiles(t, tile, align, nalign, err);
}

/* "shard[0, 1]": its place in the mesh. */
static ttp_str shard_name(struct flat *f, size_t shard, struct ttp_arena *arena)
{
    struct ttp_sink name;
    uint32_t n;
    const size_t at = vector(f, child(f, shard, SHARD_COORDINATE), 0, &n);

    ttp_sink_to_arena(&name, arena);
    ttp_sink_put(&name, TTP_STR("shard["));
    for (uint32_t i = 0; i < n; i++)
        ttp_sink_printf(&name, "%s%u", i ? ", " : "", ttp_le32(f->bytes.ptr + at + 4 * (size_t)i));
    ttp_sink_char(&name, ']');
    return ttp_sink_text(&name);
}

static ttp_code read_shard(struct flat *f, size_t shard, struct ttp_tensor *t, ttp_str data,
                           struct ttp_err *err)
{
    const size_t at = follow(f, field(f, shard, SHARD_BUFFER, 4), 16);

    if (at == 0 || number(f, shard, SHARD_BUFFER_KIND, 1) != BUFFER_INLINE)
        return bad(err, "a shard whose data is not in the file");
    const uint64_t offset = ttp_le64(f->bytes.ptr + at), size = ttp_le64(f->bytes.ptr + at + 8);
    if (offset > data.len || size > data.len - offset)
        return bad(err, "a shard extends beyond the end of the file: truncated?");
    const uint64_t need = t->tile_h ? ttp_tensor_plane_bytes(t)
                                    : t->plane_h * t->plane_w * ttp_tensor_dtype_size(t->dtype);
    if (size < need)
        return bad(err, "a shard is smaller than its padded shape");
    t->data = ttp_str_slice(data, offset, offset + need);
    return TTP_OK;
}

static ttp_code read_tensor(struct ttp_tensors *out, ttp_str bytes,
                            const struct ttp_tensor_options *options, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    const uint64_t len = ttp_le64(bytes.ptr);
    const ttp_str data = ttp_str_slice(bytes, PREFIX + len, bytes.len);
    struct flat f = {.bytes = ttp_str_slice(bytes, PREFIX, PREFIX + len)};
    struct ttp_tensor spec = {0};
    uint32_t nshards;

    (void)options;
    const size_t root = ttp_le32(f.bytes.ptr);
    TTP_TRY(read_spec(&f, child(&f, root, TENSOR_SPEC), &spec, err));
    const size_t list = vector(&f, root, TENSOR_SHARDS, &nshards);
    if (f.broken || nshards == 0 || nshards > SHARDS_MAX)
        return bad(err, "broken, or without data");
    out->item = TTP_NEW(arena, struct ttp_tensor, nshards);
    for (uint32_t i = 0; i < nshards; i++) {
        const size_t shard = follow(&f, list + 4 * (size_t)i, 4);
        struct ttp_tensor *t = &out->item[out->count++];

        *t = spec;
        TTP_TRY(read_shard(&f, shard, t, data, err));
        if (nshards > 1)
            t->name = shard_name(&f, shard, arena);
    }
    return f.broken ? bad(err, "an offset is out of range") : TTP_OK;
}

/* The format has no magic: a length that fits, and a root table that looks like one. */
static bool is_tensorbin(ttp_str bytes)
{
    if (bytes.len < PREFIX + 16)
        return false;
    const uint64_t len = ttp_le64(bytes.ptr);
    if (len < 16 || len % 8 || len > bytes.len - PREFIX)
        return false;
    struct flat f = {.bytes = ttp_str_slice(bytes, PREFIX, PREFIX + len)};
    const size_t root = ttp_le32(f.bytes.ptr);
    if (root < 4 || root + 4 > len)
        return false;
    return child(&f, root, TENSOR_SPEC) != 0 && !f.broken;
}

const struct ttp_tensor_reader ttp_reader_tensorbin = {"tensorbin", is_tensorbin, read_tensor};
