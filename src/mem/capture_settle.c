/* SPDX-License-Identifier: Apache-2.0 */
/* capture_settle.c - between the passes: what follows once every node has been seen. */
#include <stdlib.h>

#include "base/order.h"
#include "base/vec.h"
#include "mem/capture_state.h"

/* Of Wormhole, if the capture does not state it; such figures are marked. */
#define USUAL_L1_BANKS   64
#define USUAL_DRAM_BANKS 12

uint64_t ttp_mem_bank_bytes(bool *estimated, uint64_t size, const struct ttp_mem_raw *raw,
                            enum ttp_mem_pool pool, const struct ttp_mem_device *d)
{
    const int64_t known = !d ? 0 : pool == TTP_MEM_DRAM ? d->dram_banks : d->l1_banks;
    uint64_t banks = (uint64_t)(raw->cores ? raw->cores : known);

    *estimated = false;
    if (raw->bank_bytes >= 0)
        return (uint64_t)raw->bank_bytes;
    if (banks == 0) {
        *estimated = true;
        banks = pool == TTP_MEM_DRAM ? USUAL_DRAM_BANKS : USUAL_L1_BANKS;
    }
    if (raw->page_bytes) {
        const uint64_t page = (uint64_t)raw->page_bytes, pages = (size + page - 1) / page;

        return (pages + banks - 1) / banks * page;
    }
    *estimated = true;
    return (size + banks - 1) / banks;
}

/* --- devices --- */

uint32_t ttp_mem_device_find(const struct ttp_mem_capture *c, int64_t id)
{
    for (size_t i = 0; i < c->devices; i++)
        if (c->device[i].id == id)
            return (uint32_t)i;
    return TTP_MEM_NONE;
}

uint32_t ttp_mem_device_of(const struct ttp_mem_scan *s, bool has_chip, int64_t chip)
{
    const uint32_t same = has_chip ? ttp_mem_device_find(s->c, chip) : TTP_MEM_NONE;

    if (same != TTP_MEM_NONE)
        return same;
    for (size_t i = 0; i < s->chips && has_chip; i++)
        if (s->chip[i].chip == chip) {
            const uint32_t mesh = ttp_mem_device_find(s->c, s->chip[i].mesh);

            if (mesh != TTP_MEM_NONE)
                return mesh;
        }
    if (s->apart)
        return TTP_MEM_NONE;
    return s->c->devices == 1 || (!has_chip && s->c->devices) ? 0 : TTP_MEM_NONE;
}

TTP_ORDER(by_id, struct ttp_mem_device, TTP_UP(id))

static bool is_counted(const struct ttp_mem_buffer *b)
{
    return b->pool != TTP_MEM_POOLS && b->pool != TTP_MEM_SYSTEM;
}

static ttp_code add_device(struct ttp_mem_scan *s, int64_t id, struct ttp_err *err)
{
    struct ttp_mem_capture *c = s->c;

    if (ttp_mem_device_find(c, id) != TTP_MEM_NONE)
        return TTP_OK;
    if (c->devices == TTP_MEM_DEVICES_MAX)
        return ttp_fail(err, TTP_ELIMIT, "buffers of more than %d devices", TTP_MEM_DEVICES_MAX);
    *TTP_PUSH(s->arena, c->device, c->devices) = (struct ttp_mem_device){.id = id};
    return TTP_OK;
}

/* Those that have buffers, in order of their ids. */
static ttp_code settle_devices(struct ttp_mem_scan *s, struct ttp_err *err)
{
    struct ttp_mem_capture *c = s->c;

    for (size_t i = 0; i < c->buffers; i++)
        if (is_counted(&c->buffer[i]))
            TTP_TRY(add_device(s, s->raw[i].device, err));
    /* a model may have circular buffers and nothing else */
    for (size_t i = 0; i < s->cb_chips && c->total == 0 && c->buffers == 0; i++) {
        int64_t id = s->cb_chip[i];

        for (size_t k = 0; k < s->chips; k++)
            if (s->chip[k].chip == id) {
                id = s->chip[k].mesh;
                break;
            }
        TTP_TRY(add_device(s, id, err));
    }
    TTP_SORT(c->device, c->devices, by_id);
    for (size_t i = 0; i < c->devices; i++) {
        for (size_t k = 0; k < s->facts; k++)
            if (s->fact[k].id == c->device[i].id)
                c->device[i] = s->fact[k];
        c->device[i].peak_op = c->device[i].dram_peak_op = TTP_MEM_NONE;
    }
    return TTP_OK;
}

/* Only that device stays; buffers of others count as those of an unknown pool do. */
static void keep_device(struct ttp_mem_scan *s, int64_t id)
{
    struct ttp_mem_capture *c = s->c;
    const uint32_t at = ttp_mem_device_find(c, id);

    s->apart = c->devices > 1 || at == TTP_MEM_NONE;
    for (size_t i = 0; i < c->buffers; i++)
        if (s->raw[i].device != id)
            c->buffer[i].pool = TTP_MEM_POOLS;
    c->devices = at != TTP_MEM_NONE;
    if (at != TTP_MEM_NONE)
        c->device[0] = c->device[at];
}

static void settle_buffers(struct ttp_mem_scan *s)
{
    struct ttp_mem_capture *c = s->c;

    for (size_t i = 0; i < c->buffers; i++) {
        struct ttp_mem_buffer *b = &c->buffer[i];
        const uint32_t at = ttp_map_get(&s->identity_of, b->node);

        if (at != TTP_MEM_NONE) {
            b->tensor = s->identity[at].link;
            b->tensors = s->identity[at].links;
        }
        if (!is_counted(b))
            continue;
        b->device = ttp_mem_device_find(c, s->raw[i].device);
        b->bytes = ttp_mem_bank_bytes(&b->estimated, b->size, &s->raw[i],
                                      (enum ttp_mem_pool)b->pool, &c->device[b->device]);
        c->total++;
        c->estimated += b->estimated;
        c->older += b->alloc == TTP_MEM_NONE;
        c->never_freed += b->freed == TTP_MEM_NONE;
    }
}

/* --- uses --- */

struct pairs {
    uint64_t *item; /* two numbers, the one they are sorted by above */
    size_t count;
};

static void add_pair(struct ttp_mem_scan *s, struct pairs *p, uint32_t high, uint32_t low)
{
    *TTP_PUSH(s->scratch, p->item, p->count) = (uint64_t)high << 32 | low;
}

static void sort_pairs(struct pairs *p)
{
    TTP_SORT(p->item, p->count, ttp_by_u64);
}

/* Position of the first pair whose higher half is `high` or more. */
static size_t first_pair(const struct pairs *p, uint32_t high)
{
    size_t lo = 0;

    TTP_BISECT(lo, p->count, mid, p->item[mid] >> 32 < high);
    return lo;
}

/* The allocation that a buffer node represented at that time: the latest begun by then. */
static uint32_t tenant_at(const struct ttp_mem_capture *c, uint32_t latest, uint32_t counter)
{
    uint32_t at = latest;

    while (at != TTP_MEM_NONE && c->buffer[at].before != TTP_MEM_NONE &&
           c->buffer[at].alloc != TTP_MEM_NONE && c->buffer[at].alloc > counter)
        at = c->buffer[at].before;
    return at;
}

/* Tensors to the nodes of their buffers. */
static void list_tensors(struct ttp_mem_scan *s, struct pairs *out)
{
    for (size_t i = 0; i < s->identities; i++) {
        const struct ttp_mem_identity *id = &s->identity[i];

        for (uint32_t k = 0; k < id->links; k++)
            add_pair(s, out, s->c->tensor_at[id->link + k], (uint32_t)i);
    }
    sort_pairs(out);
}

static void use_inputs(struct ttp_mem_scan *s, struct pairs *uses)
{
    struct pairs tensors = {0};

    list_tensors(s, &tensors);
    for (size_t i = 0; i < s->inputs; i++)
        for (size_t k = first_pair(&tensors, s->input[i].tensor);
             k < tensors.count && tensors.item[k] >> 32 == s->input[i].tensor; k++) {
            const uint32_t latest = s->identity[(uint32_t)tensors.item[k]].latest;
            const uint32_t at = tenant_at(s->c, latest, s->input[i].counter);

            if (at != TTP_MEM_NONE)
                add_pair(s, uses, at, s->input[i].counter);
        }
}

static int by_address(const void *a, const void *b, void *arg)
{
    const struct ttp_mem_buffer *all = arg;
    const int64_t x = all[*(const uint32_t *)a].address, y = all[*(const uint32_t *)b].address;

    return (x > y) - (x < y);
}

static bool is_live(const struct ttp_mem_buffer *b, uint32_t counter)
{
    return (b->alloc == TTP_MEM_NONE || b->alloc < counter) &&
           (b->freed == TTP_MEM_NONE || b->freed > counter);
}

/* Of `l1`, by address, those at its address that are live. */
static void use_view(struct ttp_mem_scan *s, struct pairs *uses, const struct ttp_mem_view_use *v,
                     const uint32_t *l1, size_t count)
{
    const struct ttp_mem_buffer *all = s->c->buffer;
    const uint32_t device = ttp_mem_device_of(s, v->has_chip, v->chip);
    size_t lo = 0;

    TTP_BISECT(lo, count, mid, all[l1[mid]].address < v->address);
    for (; lo < count && all[l1[lo]].address == v->address; lo++)
        if (all[l1[lo]].device == device && is_live(&all[l1[lo]], v->counter))
            add_pair(s, uses, l1[lo], v->counter);
}

/* A circular buffer that is a view uses the tensor at its address. */
static void use_views(struct ttp_mem_scan *s, struct pairs *uses)
{
    const struct ttp_mem_capture *c = s->c;
    uint32_t *l1 = NULL;
    size_t count = 0;

    if (s->views == 0)
        return;
    for (size_t i = 0; i < c->buffers; i++)
        if (c->buffer[i].pool == TTP_MEM_L1 && c->buffer[i].has_address)
            *TTP_PUSH(s->scratch, l1, count) = (uint32_t)i;
    if (count)
        qsort_r(l1, count, sizeof(*l1), by_address, c->buffer);
    for (size_t i = 0; i < s->views; i++)
        use_view(s, uses, &s->view[i], l1, count);
}

static void settle_uses(struct ttp_mem_scan *s)
{
    struct pairs uses = {0};

    use_inputs(s, &uses);
    use_views(s, &uses);
    sort_pairs(&uses);
    s->c->use_at = TTP_NEW(s->arena, uint32_t, uses.count + 1);
    for (size_t i = 0; i < uses.count; i++) {
        struct ttp_mem_buffer *b = &s->c->buffer[uses.item[i] >> 32];

        if (b->uses++ == 0)
            b->use = (uint32_t)i;
        s->c->use_at[i] = (uint32_t)uses.item[i];
    }
}

uint32_t ttp_mem_next_use(const struct ttp_mem_capture *c, const struct ttp_mem_buffer *b,
                          uint32_t counter)
{
    const uint32_t *at = c->use_at + b->use;
    size_t lo = 0;

    TTP_BISECT(lo, b->uses, mid, at[mid] < counter);
    return lo < b->uses ? at[lo] : TTP_MEM_NONE;
}

/* --- launches --- */

TTP_ORDER(by_counter, struct ttp_mem_launch, TTP_UP(counter))

/* A program that is laid out a second time is not laid out in the capture: an earlier launch of the
 * same function with the same arguments tells its circular buffers. */
static void settle_launches(struct ttp_mem_scan *s)
{
    struct ttp_mem_capture *c = s->c;
    struct ttp_map seen = {.arena = s->scratch};

    TTP_SORT(c->launch, c->launches, by_counter);
    for (size_t i = 0; i < c->launches; i++) {
        struct ttp_mem_launch *l = &c->launch[i];

        if (l->cbs)
            ttp_map_put(&seen, l->signature, (uint32_t)i);
        l->source = l->cbs                                             ? TTP_MEM_CB_GIVEN
                    : ttp_map_get(&seen, l->signature) != TTP_MEM_NONE ? TTP_MEM_CB_INFERRED
                                                                       : TTP_MEM_CB_UNKNOWN;
        if (l->op == TTP_MEM_NONE)
            continue;
        c->op[l->op].cb_inferred += l->source == TTP_MEM_CB_INFERRED;
        c->op[l->op].cb_unknown += l->source == TTP_MEM_CB_UNKNOWN;
    }
    c->launched = s->launched;
}

ttp_code ttp_mem_settle(struct ttp_mem_scan *s, const struct ttp_mem_options *options,
                        struct ttp_err *err)
{
    TTP_TRY(settle_devices(s, err));
    if (options->one_device)
        keep_device(s, options->device);
    settle_buffers(s);
    settle_uses(s);
    settle_launches(s);
    s->c->tensor_node = s->tensor_node;
    s->c->tensor_id = s->tensor_id;
    return TTP_OK;
}

/* --- free space --- */

void ttp_mem_sweep_begin(struct ttp_mem_sweep *w, const struct ttp_mem_device *d)
{
    *w = (struct ttp_mem_sweep){
        .at = (uint64_t)d->l1_base,
        .end = (uint64_t)(d->l1_base + d->l1_bank_bytes),
        .gaps = {.known = d->l1_bank_bytes > 0},
    };
}

void ttp_mem_sweep_block(struct ttp_mem_sweep *w, uint64_t address, uint64_t bytes)
{
    const uint64_t to = address < w->end ? address : w->end;

    if (to > w->at) {
        const uint64_t gap = to - w->at;

        w->gaps.free += gap;
        w->gaps.segments++;
        if (gap > w->gaps.largest)
            w->gaps.largest = gap;
    }
    if (address + bytes > w->at)
        w->at = address + bytes;
}

struct ttp_mem_gaps ttp_mem_sweep_end(struct ttp_mem_sweep *w)
{
    ttp_mem_sweep_block(w, w->end, 0);
    return w->gaps.known ? w->gaps : (struct ttp_mem_gaps){0};
}
