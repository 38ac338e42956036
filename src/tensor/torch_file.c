/* SPDX-License-Identifier: Apache-2.0 */
/* Zip files: .npz, and what torch.save() writes. Of the latter's pickle only those calls are
 * understood that make tensors of storages (the allow-list below); everything else is passed over.
 */
#include <stdio.h>

#include "base/sink.h"
#include "base/vec.h"
#include "tensor/pickle.h"
#include "tensor/tensor_readers.h"
#include "tensor/zip.h"

/* Nesting of dicts and lists, and things looked at: shared parts may repeat without end. */
#define DEPTH_MAX 64
/* A part that several share is visited once per sharer, but not for sharers of those. */
#define VISITS_PER_BYTE 16

struct torch {
    struct ttp_tensors *out;
    struct ttp_zip zip;
    struct ttp_pickle pickle;
    ttp_str folder; /* of data.pkl, its slash included */
    bool big_endian;
    size_t visits, visits_max;
    struct ttp_sink path; /* name of what is being looked at */
    ttp_str opaque;       /* some call that was not understood, for the message */
    struct ttp_arena *arena;
    struct ttp_err *err;
};

static const struct {
    const char *name;
    enum ttp_dtype type;
} storages[] = {
    {"DoubleStorage", TTP_DTYPE_F64},    {"FloatStorage", TTP_DTYPE_F32},
    {"HalfStorage", TTP_DTYPE_F16},      {"LongStorage", TTP_DTYPE_I64},
    {"BFloat16Storage", TTP_DTYPE_BF16}, {"IntStorage", TTP_DTYPE_I32},
    {"ShortStorage", TTP_DTYPE_I16},     {"CharStorage", TTP_DTYPE_I8},
    {"ByteStorage", TTP_DTYPE_U8},       {"BoolStorage", TTP_DTYPE_BOOL},
    {"UntypedStorage", TTP_DTYPE_U8},
};

/* As torch writes it: a view of a storage. */
struct view {
    uint32_t storage, size, stride;
    int64_t offset;
    enum ttp_dtype dtype; /* NONE: the storage's */
};

static const struct ttp_pickle_node *node_at(const struct torch *t, uint32_t i)
{
    return &t->pickle.node[i];
}

static bool is_global(const struct torch *t, uint32_t i, ttp_str module, ttp_str name)
{
    const struct ttp_pickle_node *n = node_at(t, i);

    return n->kind == TTP_PICKLE_GLOBAL && ttp_str_eq(n->module, module) &&
           ttp_str_eq(n->text, name);
}

/* Item k of a tuple if it is of that kind; NULL: not. */
static const struct ttp_pickle_node *item_of(const struct torch *t, uint32_t tuple, uint32_t k,
                                             enum ttp_pickle_kind kind)
{
    const struct ttp_pickle_node *n = node_at(t, tuple);

    if (n->kind != TTP_PICKLE_TUPLE || k >= n->count)
        return NULL;
    const struct ttp_pickle_node *item = node_at(t, n->item[k]);
    return item->kind == kind ? item : NULL;
}

static ttp_code bad(struct torch *t, const char *what)
{
    ttp_fail(t->err, TTP_EPARSE, "torch file: tensor '%.*s': %s",
             TTP_FMT(ttp_str_slice(ttp_sink_text(&t->path), 0, 80)), what);
    return TTP_EPARSE;
}

static enum ttp_dtype storage_type(const struct ttp_pickle_node *g)
{
    if (!ttp_str_starts(g->module, TTP_STR("torch")))
        return TTP_DTYPE_NONE;
    for (size_t i = 0; i < TTP_COUNT(storages); i++)
        if (ttp_str_eq(g->text, ttp_str_from(storages[i].name)))
            return storages[i].type;
    return TTP_DTYPE_NONE;
}

/* Numbers of a size or stride; torch.Size is a call whose argument is the tuple. */
static bool read_numbers(const struct torch *t, uint32_t node, uint64_t *out, uint32_t *count)
{
    const struct ttp_pickle_node *n = node_at(t, node);

    if (n->kind == TTP_PICKLE_OBJECT &&
        is_global(t, n->callable, TTP_STR("torch"), TTP_STR("Size")))
        n = item_of(t, n->args, 0, TTP_PICKLE_TUPLE);
    if (!n || n->kind != TTP_PICKLE_TUPLE || n->count > TTP_TENSOR_DIMS_MAX)
        return false;
    *count = n->count;
    for (uint32_t i = 0; i < n->count; i++) {
        const struct ttp_pickle_node *v = node_at(t, n->item[i]);

        if (v->kind != TTP_PICKLE_INT || v->number < 0 || v->text.len)
            return false;
        out[i] = (uint64_t)v->number;
    }
    return true;
}

/* Position of the last element after the first; false: it overflows. */
static bool reach_of(const struct ttp_tensor *x, uint64_t *out)
{
    *out = 0;
    for (uint32_t d = 0; d < x->ndim; d++) {
        uint64_t step;

        if (__builtin_mul_overflow(x->shape[d] - 1, x->stride[d], &step) ||
            __builtin_add_overflow(*out, step, out))
            return false;
    }
    return true;
}

static ttp_code place_data(struct torch *t, struct ttp_tensor *x, const struct view *v,
                           ttp_str bytes)
{
    const uint64_t size = ttp_tensor_dtype_size(x->dtype), room = bytes.len / size;
    const uint64_t offset = (uint64_t)v->offset;
    uint64_t reach;

    if (x->count == 0)
        return TTP_OK;
    if (!reach_of(x, &reach) || offset >= room || reach >= room - offset)
        return bad(t, "it reaches beyond its storage");
    x->data = ttp_str_slice(bytes, offset * size, (offset + reach + 1) * size);
    return TTP_OK;
}

/* The id is ('storage', torch.FloatStorage, key, device, elements). */
static ttp_code find_storage(struct torch *t, struct ttp_tensor *x, const struct view *v,
                             ttp_str *bytes)
{
    const struct ttp_pickle_node *p = node_at(t, v->storage);

    if (p->kind != TTP_PICKLE_PERSISTENT)
        return bad(t, "its storage is invalid");
    const uint32_t id = p->item[0];
    const struct ttp_pickle_node *type = item_of(t, id, 1, TTP_PICKLE_GLOBAL);
    const struct ttp_pickle_node *key = item_of(t, id, 2, TTP_PICKLE_STRING);
    if (!type || !key)
        return bad(t, "its storage is invalid");
    x->dtype = v->dtype ? v->dtype : storage_type(type);
    if (x->dtype == TTP_DTYPE_NONE) {
        x->unreadable = "its type is unsupported";
        return TTP_OK;
    }
    char name[256];
    const int len = snprintf(name, sizeof(name), "%.*sdata/%.*s", TTP_FMT(t->folder),
                             TTP_FMT(ttp_str_slice(key->text, 0, 100)));
    const struct ttp_zip_member *m =
        ttp_tensor_zip_find(&t->zip, ttp_str_slice((ttp_str){name, sizeof(name)}, 0, (size_t)len));
    if (!m)
        return bad(t, "its storage is not in the file");
    if (m->deflated)
        return bad(t, "its storage is compressed, which torch never does");
    *bytes = m->raw;
    return TTP_OK;
}

static struct ttp_tensor *add_tensor(struct torch *t)
{
    struct ttp_tensors *list = t->out;

    struct ttp_tensor *x = TTP_PUSH(t->arena, list->item, list->count);
    *x = (struct ttp_tensor){.name = ttp_arena_copy(t->arena, ttp_sink_text(&t->path)),
                             .big_endian = t->big_endian};
    return x;
}

static ttp_code make_tensor(struct torch *t, const struct view *v)
{
    struct ttp_tensor *x = add_tensor(t);
    uint64_t shape[TTP_TENSOR_DIMS_MAX], stride[TTP_TENSOR_DIMS_MAX];
    uint32_t ndim, nstride;
    ttp_str bytes = {0};

    if (!read_numbers(t, v->size, shape, &ndim) || !read_numbers(t, v->stride, stride, &nstride) ||
        nstride != ndim || v->offset < 0)
        return bad(t, "its size or stride is invalid");
    if (!ttp_tensor_set_shape(x, shape, ndim))
        return ttp_fail(t->err, TTP_ELIMIT, "torch file: too many elements");
    memcpy(x->stride, stride, ndim * sizeof(stride[0]));
    TTP_TRY(find_storage(t, x, v, &bytes));
    return x->unreadable ? TTP_OK : place_data(t, x, v, bytes);
}

/* _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks[, metadata]) and v3, which
 * has the type after the hooks. */
static ttp_code rebuild_tensor(struct torch *t, uint32_t args, bool typed)
{
    const struct ttp_pickle_node *n = node_at(t, args);
    const struct ttp_pickle_node *offset = item_of(t, args, 1, TTP_PICKLE_INT);

    if (!offset || n->count < (typed ? 7u : 4u))
        return bad(t, "it is not a valid torch tensor");
    struct view v = {n->item[0], n->item[2], n->item[3], offset->number, TTP_DTYPE_NONE};
    if (typed) {
        const struct ttp_pickle_node *type = item_of(t, args, 6, TTP_PICKLE_GLOBAL);

        v.dtype = type ? ttp_tensor_dtype_find(type->text) : TTP_DTYPE_NONE;
        if (v.dtype == TTP_DTYPE_NONE || ttp_tensor_dtype_size(v.dtype) == 0) {
            add_tensor(t)->unreadable = "its type is unsupported";
            return TTP_OK;
        }
    }
    return make_tensor(t, &v);
}

static ttp_code too_much(struct torch *t)
{
    ttp_fail(t->err, TTP_ELIMIT, "torch file: nested too deeply, or too many objects");
    return TTP_ELIMIT;
}

/* The tensor that a call would have returned; *done is false if it would return something else. */
static ttp_code rebuild(struct torch *t, uint32_t callable, uint32_t args, bool *done)
{
    const ttp_str utils = TTP_STR("torch._utils");
    const struct ttp_pickle_node *n = node_at(t, args);

    /* a tensor that carries attributes: (function, class, arguments, state) */
    if (n->kind == TTP_PICKLE_TUPLE && n->count >= 3 &&
        is_global(t, callable, TTP_STR("torch._tensor"), TTP_STR("_rebuild_from_type_v2"))) {
        callable = n->item[0];
        args = n->item[2];
    }
    *done = true;
    if (is_global(t, callable, utils, TTP_STR("_rebuild_tensor_v2")))
        return rebuild_tensor(t, args, false);
    if (is_global(t, callable, utils, TTP_STR("_rebuild_tensor_v3")))
        return rebuild_tensor(t, args, true);
    *done = false;
    return TTP_OK;
}

/* What a parameter is made of: its data. Anything else is itself. */
static uint32_t unwrap(const struct torch *t, uint32_t node)
{
    const ttp_str utils = TTP_STR("torch._utils");

    for (int i = 0; i < DEPTH_MAX; i++) {
        const struct ttp_pickle_node *n = node_at(t, node);

        if (n->kind != TTP_PICKLE_OBJECT ||
            !(is_global(t, n->callable, utils, TTP_STR("_rebuild_parameter")) ||
              is_global(t, n->callable, utils, TTP_STR("_rebuild_parameter_with_state"))))
            break;
        const struct ttp_pickle_node *args = node_at(t, n->args);
        if (args->kind != TTP_PICKLE_TUPLE || args->count == 0)
            break;
        node = args->item[0];
    }
    return node;
}

/* A dict, list or object whose parts are being looked at. */
struct frame {
    uint32_t node, next;
    size_t path_len; /* to go back to when it is done */
};

struct walk {
    struct frame frame[DEPTH_MAX];
    int depth;
};

static ttp_code enter(struct torch *t, struct walk *w, uint32_t node, size_t path_len)
{
    node = unwrap(t, node);
    const struct ttp_pickle_node *n = node_at(t, node);
    bool done = n->kind < TTP_PICKLE_TUPLE || n->kind == TTP_PICKLE_GLOBAL ||
                n->kind == TTP_PICKLE_PERSISTENT;

    if (++t->visits > t->visits_max)
        return too_much(t);
    if (n->kind == TTP_PICKLE_OBJECT) {
        const struct ttp_pickle_node *g = node_at(t, n->callable);

        TTP_TRY(rebuild(t, n->callable, n->args, &done));
        if (!done && g->kind == TTP_PICKLE_GLOBAL && !ttp_str_eq(g->module, TTP_STR("collections")))
            t->opaque = g->text;
    }
    if (done) {
        t->path.len = path_len;
        return TTP_OK;
    }
    if (w->depth == DEPTH_MAX)
        return too_much(t);
    w->frame[w->depth++] = (struct frame){node, 0, path_len};
    return TTP_OK;
}

static void add_name(struct torch *t, ttp_str name)
{
    if (t->path.len)
        ttp_sink_char(&t->path, '.');
    ttp_sink_put(&t->path, name);
}

/* The next part of what is open; when there is none it is left. */
static ttp_code step(struct torch *t, struct walk *w)
{
    struct frame *f = &w->frame[w->depth - 1];
    const struct ttp_pickle_node *n = node_at(t, f->node);
    const bool dict = n->kind == TTP_PICKLE_DICT || n->kind == TTP_PICKLE_OBJECT;
    const size_t path_len = t->path.len;
    const uint32_t i = f->next;

    if (i < n->count) {
        const struct ttp_pickle_node *key = dict ? node_at(t, n->item[i]) : NULL;
        char number[TTP_NUM_MAX];
        const ttp_str digits = {
            number, ttp_num_i64(number, key ? key->number : (int64_t)i)}; /* other keys: 0 */

        f->next += dict ? 2 : 1;
        add_name(t, key && key->kind == TTP_PICKLE_STRING ? key->text : digits);
        return enter(t, w, n->item[dict ? i + 1 : i], path_len);
    }
    if (i == n->count && n->state) {
        f->next++;
        return enter(t, w, n->state, path_len);
    }
    t->path.len = f->path_len;
    w->depth--;
    return TTP_OK;
}

static ttp_code find_tensors(struct torch *t)
{
    struct walk w = {.depth = 0};

    TTP_TRY(enter(t, &w, t->pickle.root, 0));
    while (w.depth > 0)
        TTP_TRY(step(t, &w));
    return TTP_OK;
}

static ttp_code read_torch(struct torch *t, const struct ttp_zip_member *pickle)
{
    const ttp_str leaf = TTP_STR("data.pkl");
    char name[128];
    ttp_str text;

    t->out->format = "torch";
    t->folder = ttp_str_slice(pickle->name, 0, pickle->name.len - leaf.len);
    const int len = snprintf(name, sizeof(name), "%.*sbyteorder", TTP_FMT(t->folder));
    const struct ttp_zip_member *order =
        len < (int)sizeof(name) ? ttp_tensor_zip_find(&t->zip, ttp_str_from(name)) : NULL;
    t->big_endian = order && ttp_str_starts(order->raw, TTP_STR("big"));
    TTP_TRY(ttp_tensor_zip_unpack(&text, pickle, t->arena, t->err));
    TTP_TRY(ttp_tensor_pickle_read(&t->pickle, text, t->arena, t->err));
    t->visits_max = text.len * VISITS_PER_BYTE;
    ttp_sink_to_arena(&t->path, t->arena);
    (void)ttp_sink_room(&t->path, 1); /* an empty name is text, too */
    TTP_TRY(find_tensors(t));
    if (t->out->count)
        return TTP_OK;
    if (t->opaque.len)
        return ttp_fail(t->err, TTP_EPARSE, "torch file: no tensors; '%.*s' is unsupported",
                        TTP_FMT(ttp_str_slice(t->opaque, 0, 80)));
    return ttp_fail(t->err, TTP_EPARSE, "torch file: no tensors");
}

static ttp_code read_npz(struct torch *t, const struct ttp_tensor_options *options)
{
    const ttp_str suffix = TTP_STR(".npy");

    t->out->format = "npz";
    t->out->item = TTP_NEW(t->arena, struct ttp_tensor, t->zip.count);
    for (size_t i = 0; i < t->zip.count; i++) {
        const struct ttp_zip_member *m = &t->zip.item[i];
        struct ttp_err why = {0};
        ttp_str bytes;

        if (!ttp_str_ends(m->name, suffix))
            continue;
        struct ttp_tensor *x = &t->out->item[t->out->count++];
        TTP_TRY(ttp_tensor_zip_unpack(&bytes, m, t->arena, t->err));
        if (ttp_tensor_npy_read(x, bytes, options, &why) != TTP_OK) /* the others may be good */
            *x =
                (struct ttp_tensor){.unreadable = ttp_arena_zstr(t->arena, ttp_str_from(why.text))};
        x->name = ttp_str_slice(m->name, 0, m->name.len - suffix.len);
    }
    return TTP_OK;
}

static bool is_zip(ttp_str bytes)
{
    return ttp_str_starts(bytes, TTP_STR("PK\3\4")) || ttp_str_starts(bytes, TTP_STR("PK\5\6"));
}

static bool is_torch_pickle(ttp_str name)
{
    return ttp_str_eq(name, TTP_STR("data.pkl")) || ttp_str_ends(name, TTP_STR("/data.pkl"));
}

static ttp_code read_zip(struct ttp_tensors *out, ttp_str bytes,
                         const struct ttp_tensor_options *options, struct ttp_arena *arena,
                         struct ttp_err *err)
{
    struct torch t = {.out = out, .arena = arena, .err = err};
    bool numpy = false;

    TTP_TRY(ttp_tensor_zip_read(&t.zip, bytes, arena, err));
    for (size_t i = 0; i < t.zip.count; i++) {
        if (is_torch_pickle(t.zip.item[i].name))
            return read_torch(&t, &t.zip.item[i]);
        numpy = numpy || ttp_str_ends(t.zip.item[i].name, TTP_STR(".npy"));
    }
    if (!numpy)
        return ttp_fail(err, TTP_EPARSE, "a zip file without tensors: neither .npz nor torch");
    return read_npz(&t, options);
}

const struct ttp_tensor_reader ttp_reader_zip = {"zip", is_zip, read_zip};
