/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a pickle: first alone, where every node must name others that exist, then as the
 * data.pkl of a torch file with one storage. */
#include "tensor/pickle.h"
#include "tensor_check.h"

static void check_node(const struct ttp_pickle *p, const struct ttp_pickle_node *n)
{
    if (n->callable >= p->count || n->args >= p->count || n->state >= p->count)
        abort();
    for (uint32_t i = 0; i < n->count; i++)
        if (n->item[i] >= p->count)
            abort();
    if (n->kind == TTP_PICKLE_DICT && n->count % 2)
        abort();
}

static void check_pickle(ttp_str bytes)
{
    struct ttp_arena arena = {0};
    struct ttp_pickle p;
    struct ttp_err err = {0};

    if (ttp_tensor_pickle_read(&p, bytes, &arena, &err) == TTP_OK) {
        if (p.root >= p.count)
            abort();
        for (size_t i = 0; i < p.count; i++)
            check_node(&p, &p.node[i]);
    } else if (err.code == TTP_OK || err.offset > bytes.len) {
        abort();
    }
    ttp_arena_free(&arena);
}

struct out {
    uint8_t *bytes;
    size_t len;
};

static void put(struct out *o, uint64_t v, unsigned bytes)
{
    for (; bytes; bytes--, v >>= 8)
        o->bytes[o->len++] = (uint8_t)v;
}

static void put_bytes(struct out *o, const void *p, size_t n)
{
    if (n)
        memcpy(o->bytes + o->len, p, n);
    o->len += n;
}

static void put_member(struct out *o, const char *name, const void *data, size_t n)
{
    put(o, 0x04034b50, 4);
    put(o, 0, 8);
    put(o, 0, 6);
    put(o, n, 4);
    put(o, n, 4);
    put(o, strlen(name), 4);
    put_bytes(o, name, strlen(name));
    put_bytes(o, data, n);
}

static void put_entry(struct out *o, const char *name, size_t at, size_t n)
{
    put(o, 0x02014b50, 4);
    put(o, 0, 8);
    put(o, 0, 8);
    put(o, n, 4);
    put(o, n, 4);
    put(o, strlen(name), 8);
    put(o, 0, 6);
    put(o, at, 8);
    o->len -= 4; /* the offset has four bytes */
    put_bytes(o, name, strlen(name));
}

static void check_torch(const uint8_t *data, size_t size)
{
    static const char storage[64] =
        "any numbers will do here, so it may as well be some text......";
    struct out o = {.bytes = malloc(size + 1024)};

    if (!o.bytes)
        abort();
    put_member(&o, "a/data.pkl", data, size);
    const size_t second = o.len;
    put_member(&o, "a/data/0", storage, sizeof(storage));
    const size_t directory = o.len;
    put_entry(&o, "a/data.pkl", 0, size);
    put_entry(&o, "a/data/0", second, sizeof(storage));
    const size_t end = o.len;
    put(&o, 0x06054b50, 4);
    put(&o, 0, 4);
    put(&o, 2, 2);
    put(&o, 2, 2);
    put(&o, end - directory, 4);
    put(&o, directory, 4);
    put(&o, 0, 2);
    check_tensor_file(o.bytes, o.len, NULL);
    free(o.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_pickle((ttp_str){(const char *)data, size});
    check_torch(data, size);
    return 0;
}
