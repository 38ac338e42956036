/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the reader of a file; raw data has none. */
#include "base/sink.h"
#include "tensor/block_float.h"
#include "tensor/tensor_load.h"
#include "tensor/tensor_readers.h"

static const struct ttp_tensor_reader *const readers[] = {
    &ttp_reader_npy,
    &ttp_reader_zip,
    &ttp_reader_safetensors,
    &ttp_reader_tensorbin,
};

bool ttp_tensor_set_shape(struct ttp_tensor *t, const uint64_t *shape, uint32_t ndim)
{
    uint64_t count = 1;   /* may be 0 on the way */
    uint64_t nonzero = 1; /* its size if it were not: strides must not overflow either */

    t->ndim = ndim;
    for (uint32_t d = ndim; d-- > 0;) {
        t->shape[d] = shape[d];
        t->stride[d] = nonzero;
        count *= shape[d];
        if (shape[d] && __builtin_mul_overflow(nonzero, shape[d], &nonzero))
            return false;
    }
    t->count = count;
    return nonzero <= (uint64_t)1 << 56;
}

bool ttp_tensor_same_shape(const struct ttp_tensor *a, const struct ttp_tensor *b)
{
    return a->ndim == b->ndim && memcmp(a->shape, b->shape, a->ndim * sizeof(a->shape[0])) == 0;
}

ttp_str ttp_tensor_shape_text(const uint64_t *shape, uint32_t ndim, struct ttp_arena *arena)
{
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    ttp_sink_char(&text, '[');
    for (uint32_t d = 0; d < ndim; d++) {
        if (d)
            ttp_sink_put(&text, TTP_STR(", "));
        ttp_sink_u64(&text, shape[d]);
    }
    ttp_sink_char(&text, ']');
    return ttp_sink_text(&text);
}

static ttp_code read_raw(struct ttp_tensors *out, ttp_str bytes,
                         const struct ttp_tensor_options *options, struct ttp_arena *arena,
                         struct ttp_err *err)
{
    struct ttp_tensor *t = TTP_NEW(arena, struct ttp_tensor, 1);

    t->dtype = options->dtype;
    t->data = bytes;
    if (!ttp_tensor_set_shape(t, options->shape, options->ndim))
        return ttp_fail(err, TTP_ELIMIT, "the shape has too many elements");
    uint64_t size = t->count * ttp_tensor_dtype_size(t->dtype);
    if (ttp_tensor_block_bits(t->dtype)) {
        const uint32_t tile[] = {TTP_TILE, TTP_TILE};

        TTP_TRY(ttp_tensor_set_tiles(t, tile, tile, 2, err));
        size = ttp_tensor_plane_bytes(t);
    }
    if (bytes.len != size)
        return ttp_fail(err, TTP_EPARSE, "%zu bytes, but %s%.*s needs %llu", bytes.len,
                        ttp_tensor_dtype_name(t->dtype),
                        TTP_FMT(ttp_tensor_shape_text(t->shape, t->ndim, arena)),
                        (unsigned long long)size);
    *out = (struct ttp_tensors){.format = "raw", .count = 1, .item = t};
    return TTP_OK;
}

static void index_names(struct ttp_tensors *list, struct ttp_arena *arena)
{
    list->names = (struct ttp_symtab){.arena = arena};
    list->named = TTP_NEW(arena, const struct ttp_tensor *, list->count);
    for (size_t i = 0; i < list->count; i++) {
        const ttp_sym sym = ttp_sym_intern(&list->names, list->item[i].name);

        if (!list->named[sym])
            list->named[sym] = &list->item[i];
    }
}

static ttp_code read_any(struct ttp_tensors *out, ttp_str bytes,
                         const struct ttp_tensor_options *options, struct ttp_arena *arena,
                         struct ttp_err *err)
{
    static const struct ttp_tensor_options nothing_said;

    if (!options)
        options = &nothing_said;
    *out = (struct ttp_tensors){0};
    if (bytes.len == 0 && !options->has_shape)
        return ttp_fail(err, TTP_EPARSE, "the file is empty");
    if (options->has_shape) {
        if (options->dtype == TTP_DTYPE_NONE)
            return ttp_fail(err, TTP_EUSAGE, "raw data requires --dtype with --shape");
        return read_raw(out, bytes, options, arena, err);
    }
    for (size_t i = 0; i < TTP_COUNT(readers); i++) {
        if (!readers[i]->matches(bytes))
            continue;
        out->format = readers[i]->format;
        return readers[i]->read(out, bytes, options, arena, err);
    }
    /* the long integer that old torch.save() writes first, as a pickle */
    if (ttp_str_has(ttp_str_slice(bytes, 0, 16),
                    TTP_STR("\x8a\nl\xfc\x9c\x46\xf9 \x6a\xa8P\x19"))) {
        ttp_fail(err, TTP_EPARSE, "a torch file from before version 1.6");
        ttp_err_hint(err, "load it and save it again with a newer torch");
        return TTP_EPARSE;
    }
    ttp_fail(err, options->dtype ? TTP_EUSAGE : TTP_EPARSE, "unsupported tensor file");
    ttp_err_hint(err, "raw data requires --dtype and --shape");
    return options->dtype ? TTP_EUSAGE : TTP_EPARSE;
}

ttp_code ttp_tensor_read(struct ttp_tensors *out, ttp_str bytes,
                         const struct ttp_tensor_options *options, struct ttp_arena *arena,
                         struct ttp_err *err)
{
    TTP_TRY(read_any(out, bytes, options, arena, err));
    index_names(out, arena);
    return TTP_OK;
}

ttp_code ttp_tensor_open(struct ttp_tensors *out, struct ttp_file *file, const char *path,
                         const struct ttp_tensor_options *options, struct ttp_arena *arena,
                         struct ttp_err *err)
{
    ttp_code rc = ttp_file_map(file, path, err);

    if (rc == TTP_OK)
        rc = ttp_tensor_read(out, file->text, options, arena, err);
    if (rc != TTP_OK) {
        ttp_file_close(file);
        if (rc != TTP_EIO) /* it says the name itself */
            ttp_err_where(err, path, 0);
        return rc;
    }
    for (size_t i = 0; i < out->count; i++) {
        struct ttp_tensor *t = &out->item[i];

        if (t->data.ptr >= file->text.ptr && t->data.ptr < file->text.ptr + file->text.len)
            t->file = file;
    }
    return TTP_OK;
}

const struct ttp_tensor *ttp_tensor_find(const struct ttp_tensors *list, ttp_str name)
{
    ttp_sym sym;

    return ttp_sym_find(&list->names, name, &sym) ? list->named[sym] : NULL;
}
