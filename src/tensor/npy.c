/* SPDX-License-Identifier: Apache-2.0 */
/* .npy: a Python dict literal before the data. Only what numpy writes is understood: string
 * keys, and as values a string, True or False, and a tuple of whole numbers. */
#include "base/str.h"
#include "tensor/tensor_readers.h"

#define MAGIC     TTP_STR("\x93NUMPY")
#define MAGIC_LEN 6

/* numpy's kind letter and size in bytes. */
static const struct {
    char kind;
    unsigned size;
    enum ttp_dtype type;
} kinds[] = {
    {'f', 8, TTP_DTYPE_F64}, {'f', 4, TTP_DTYPE_F32}, {'f', 2, TTP_DTYPE_F16},
    {'i', 1, TTP_DTYPE_I8},  {'i', 2, TTP_DTYPE_I16}, {'i', 4, TTP_DTYPE_I32},
    {'i', 8, TTP_DTYPE_I64}, {'u', 1, TTP_DTYPE_U8},  {'u', 2, TTP_DTYPE_U16},
    {'u', 4, TTP_DTYPE_U32}, {'u', 8, TTP_DTYPE_U64}, {'b', 1, TTP_DTYPE_BOOL},
};

struct header {
    ttp_str text; /* what is left of it */
    size_t offset, size;
};

struct fields {
    ttp_str descr;
    bool fortran;
    uint32_t ndim;
    uint64_t shape[TTP_TENSOR_DIMS_MAX];
    unsigned seen;
};
enum { SEEN_DESCR = 1, SEEN_ORDER = 2, SEEN_SHAPE = 4, SEEN_ALL = 7 };

static ttp_code bad(const struct header *h, const char *what, struct ttp_err *err)
{
    return ttp_fail_at(err, TTP_EPARSE, h->offset + h->size - h->text.len, "npy header: %s", what);
}

static void skip_blanks(struct header *h)
{
    while (h->text.len && (*h->text.ptr == ' ' || *h->text.ptr == '\n'))
        h->text = ttp_str_slice(h->text, 1, h->text.len);
}

static bool take(struct header *h, char c)
{
    skip_blanks(h);
    if (h->text.len == 0 || *h->text.ptr != c)
        return false;
    h->text = ttp_str_slice(h->text, 1, h->text.len);
    return true;
}

static bool take_word(struct header *h, ttp_str word)
{
    skip_blanks(h);
    if (!ttp_str_starts(h->text, word))
        return false;
    h->text = ttp_str_slice(h->text, word.len, h->text.len);
    return true;
}

static bool take_string(struct header *h, ttp_str *out)
{
    skip_blanks(h);
    if (h->text.len == 0)
        return false;
    const char quote = *h->text.ptr;
    if ((quote != '\'' && quote != '"') || !take(h, quote))
        return false;
    const size_t end = ttp_str_find_char(h->text, quote);
    if (end == TTP_NPOS)
        return false;
    *out = ttp_str_slice(h->text, 0, end);
    h->text = ttp_str_slice(h->text, end + 1, h->text.len);
    return !ttp_str_has(*out, TTP_STR("\\"));
}

static bool take_number(struct header *h, uint64_t *out)
{
    size_t n = 0;

    skip_blanks(h);
    while (n < h->text.len && h->text.ptr[n] >= '0' && h->text.ptr[n] <= '9')
        n++;
    if (!ttp_str_to_u64(ttp_str_slice(h->text, 0, n), out))
        return false;
    h->text = ttp_str_slice(h->text, n, h->text.len);
    (void)take_word(h, TTP_STR("L")); /* Python 2 wrote long numbers so */
    return true;
}

static ttp_code take_shape(struct header *h, struct fields *f, struct ttp_err *err)
{
    if (!take(h, '('))
        return bad(h, "shape is not a tuple", err);
    f->ndim = 0;
    while (!take(h, ')')) {
        if (f->ndim == TTP_TENSOR_DIMS_MAX)
            return ttp_fail(err, TTP_ELIMIT, "npy header: more than %d dimensions",
                            TTP_TENSOR_DIMS_MAX);
        if (!take_number(h, &f->shape[f->ndim++]))
            return bad(h, "a dimension is not a whole number", err);
        if (!take(h, ',') && (h->text.len == 0 || *h->text.ptr != ')'))
            return bad(h, "shape is not a tuple", err);
    }
    return TTP_OK;
}

static ttp_code take_field(struct header *h, struct fields *f, struct ttp_err *err)
{
    ttp_str key;

    if (!take_string(h, &key) || !take(h, ':'))
        return bad(h, "expected a key", err);
    if (ttp_str_eq(key, TTP_STR("descr"))) {
        f->seen |= SEEN_DESCR;
        if (take_string(h, &f->descr))
            return TTP_OK;
        return bad(h, "structured types are unsupported; only plain numbers can be compared", err);
    }
    if (ttp_str_eq(key, TTP_STR("fortran_order"))) {
        f->seen |= SEEN_ORDER;
        f->fortran = take_word(h, TTP_STR("True"));
        if (f->fortran || take_word(h, TTP_STR("False")))
            return TTP_OK;
        return bad(h, "fortran_order is neither True nor False", err);
    }
    if (ttp_str_eq(key, TTP_STR("shape"))) {
        f->seen |= SEEN_SHAPE;
        return take_shape(h, f, err);
    }
    return bad(h, "an unknown key", err);
}

static ttp_code parse_header(struct header *h, struct fields *f, struct ttp_err *err)
{
    if (!take(h, '{'))
        return bad(h, "not a dict", err);
    while (!take(h, '}')) {
        TTP_TRY(take_field(h, f, err));
        if (!take(h, ',') && (h->text.len == 0 || *h->text.ptr != '}'))
            return bad(h, "not a dict", err);
    }
    skip_blanks(h);
    if (h->text.len)
        return bad(h, "unexpected data after the dict", err);
    if (f->seen != SEEN_ALL)
        return bad(h, "descr, fortran_order or shape is missing", err);
    return TTP_OK;
}

/* ml_dtypes' bf16 arrives as two opaque bytes, and many store it as u16: the user must say so. */
static ttp_code set_type(struct ttp_tensor *t, const struct fields *f,
                         const struct ttp_tensor_options *options, struct ttp_err *err)
{
    const ttp_str d = f->descr;
    uint64_t size;

    if (d.len < 3 || !strchr("<>|=", d.ptr[0]) ||
        !ttp_str_to_u64(ttp_str_slice(d, 2, d.len), &size))
        size = 0;
    t->big_endian = d.len && d.ptr[0] == '>' && size > 1;
    for (size_t i = 0; size && i < TTP_COUNT(kinds); i++)
        if (kinds[i].kind == d.ptr[1] && kinds[i].size == size)
            t->dtype = kinds[i].type;
    const bool opaque =
        size && (t->dtype == TTP_DTYPE_U8 || t->dtype == TTP_DTYPE_U16 || d.ptr[1] == 'V');
    if (opaque && size == ttp_tensor_dtype_size(options->dtype))
        t->dtype = options->dtype;
    if (t->dtype)
        return TTP_OK;
    ttp_fail(err, TTP_EPARSE, "unsupported npy type '%.*s'", TTP_FMT(ttp_str_slice(d, 0, 40)));
    if (opaque && size == 2)
        ttp_err_hint(err, "if it contains bfloat16, use --dtype bf16");
    return TTP_EPARSE;
}

static ttp_code find_header(struct header *h, ttp_str bytes, struct ttp_err *err)
{
    if (!ttp_str_starts(bytes, MAGIC) || bytes.len < MAGIC_LEN + 4)
        return ttp_fail_at(err, TTP_EPARSE, 0, "not an npy file");
    const unsigned major = (unsigned char)bytes.ptr[MAGIC_LEN];
    if (major < 1 || major > 3)
        return ttp_fail_at(err, TTP_EPARSE, MAGIC_LEN, "unsupported npy version %u", major);
    h->offset = MAGIC_LEN + (major == 1 ? 4 : 6);
    if (bytes.len < h->offset)
        return ttp_fail_at(err, TTP_EPARSE, bytes.len, "npy header: truncated");
    h->size =
        major == 1 ? ttp_le16(bytes.ptr + MAGIC_LEN + 2) : ttp_le32(bytes.ptr + MAGIC_LEN + 2);
    if (h->size > bytes.len - h->offset)
        return ttp_fail_at(err, TTP_EPARSE, bytes.len, "npy header: truncated");
    h->text = ttp_str_slice(bytes, h->offset, h->offset + h->size);
    return TTP_OK;
}

ttp_code ttp_tensor_npy_read(struct ttp_tensor *out, ttp_str bytes,
                             const struct ttp_tensor_options *options, struct ttp_err *err)
{
    struct header h = {0};
    struct fields f = {0};

    TTP_TRY(find_header(&h, bytes, err));
    TTP_TRY(parse_header(&h, &f, err));
    TTP_TRY(set_type(out, &f, options, err));
    if (!ttp_tensor_set_shape(out, f.shape, f.ndim))
        return ttp_fail(err, TTP_ELIMIT, "npy header: too many elements");
    if (f.fortran) {
        uint64_t step = 1;

        for (uint32_t d = 0; d < f.ndim; d++) {
            out->stride[d] = step;
            step *= f.shape[d] ? f.shape[d] : 1;
        }
    }
    out->data = ttp_str_slice(bytes, h.offset + h.size, bytes.len);
    const uint64_t need = out->count * ttp_tensor_dtype_size(out->dtype);
    if (out->data.len < need)
        return ttp_fail_at(err, TTP_EPARSE, bytes.len, "npy data: %zu bytes of %llu: truncated?",
                           out->data.len, (unsigned long long)need);
    out->data.len = need;
    return TTP_OK;
}

static bool is_npy(ttp_str bytes)
{
    return ttp_str_starts(bytes, MAGIC);
}

static ttp_code read_one(struct ttp_tensors *out, ttp_str bytes,
                         const struct ttp_tensor_options *options, struct ttp_arena *arena,
                         struct ttp_err *err)
{
    out->item = TTP_NEW(arena, struct ttp_tensor, 1);
    out->count = 1;
    return ttp_tensor_npy_read(out->item, bytes, options, err);
}

const struct ttp_tensor_reader ttp_reader_npy = {"npy", is_npy, read_one};
