/* SPDX-License-Identifier: Apache-2.0 */
/* trace_wire.h - protobuf's wire format, read field by field. */
#ifndef TTP_TEST_TRACE_WIRE_H
#define TTP_TEST_TRACE_WIRE_H

#include "base/str.h"

struct field {
    uint32_t number;
    int wire;
    uint64_t v; /* varint or fixed */
    ttp_str bytes;
};

static inline bool get_varint(ttp_str *s, uint64_t *out)
{
    *out = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (!s->len)
            return false;
        const unsigned char c = (unsigned char)*s->ptr;

        s->ptr++;
        s->len--;
        *out |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80)
            return true;
    }
    return false;
}

/* 1: a field, 0: the end, -1: no message. */
static inline int get_field(ttp_str *s, struct field *f)
{
    uint64_t tag, n;

    if (!s->len)
        return 0;
    if (!get_varint(s, &tag) || tag >> 3 == 0 || tag >> 3 > 536870911)
        return -1;
    *f = (struct field){.number = (uint32_t)(tag >> 3), .wire = (int)(tag & 7)};
    if (f->wire == 0)
        return get_varint(s, &f->v) ? 1 : -1;
    if (f->wire == 1) {
        if (s->len < 8)
            return -1;
        for (int i = 0; i < 8; i++)
            f->v |= (uint64_t)(unsigned char)s->ptr[i] << 8 * i;
        *s = ttp_str_slice(*s, 8, s->len);
        return 1;
    }
    if (f->wire != 2 || !get_varint(s, &n) || n > s->len)
        return -1;
    f->bytes = ttp_str_slice(*s, 0, n);
    *s = ttp_str_slice(*s, n, s->len);
    return 1;
}

#endif
