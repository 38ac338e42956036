/* SPDX-License-Identifier: Apache-2.0 */
/* tracy_out.h - private to capture: the bytes of a .tracy file on their way into LZ4 blocks of
 * 64 KiB. The file appears under its name only when it is complete. */
#ifndef TTP_CAPTURE_TRACY_OUT_H
#define TTP_CAPTURE_TRACY_OUT_H

#include "base/outsink.h"
#include "capture/bytes.h"
#include "capture/tracy_container.h"

struct ttp_tracy_out {
    struct ttp_outsink file;
    struct ttp_packer *packer;
    char *plain; /* TTP_TRACY_PLAIN bytes */
    size_t len;
    bool failed; /* a block could not be packed */
};

/* `version` as of TTP_TRACY_VERSION. TTP_EMISSING: a build without LZ4. */
TTP_NODISCARD ttp_code ttp_tracy_out_open(struct ttp_tracy_out *out, const char *path,
                                          unsigned version, struct ttp_err *err);
/* Put the file in place, if `rc` says that all of it was written. Returns the first failure. */
TTP_NODISCARD ttp_code ttp_tracy_out_close(struct ttp_tracy_out *out, ttp_code rc,
                                           struct ttp_err *err);
/* For bytes that may not fit in the current block. */
void ttp_tracy_put_far(struct ttp_tracy_out *out, const void *bytes, size_t n);

static inline void ttp_tracy_put(struct ttp_tracy_out *out, const void *bytes, size_t n)
{
    if (n > TTP_TRACY_PLAIN - out->len) {
        ttp_tracy_put_far(out, bytes, n);
        return;
    }
    if (n)
        memcpy(out->plain + out->len, bytes, n);
    out->len += n;
}

static inline void ttp_tracy_put8(struct ttp_tracy_out *out, uint8_t v)
{
    ttp_tracy_put(out, &v, 1);
}

static inline void ttp_tracy_put16(struct ttp_tracy_out *out, uint16_t v)
{
    unsigned char b[2];

    ttp_set16(b, v);
    ttp_tracy_put(out, b, sizeof(b));
}

static inline void ttp_tracy_put32(struct ttp_tracy_out *out, uint32_t v)
{
    unsigned char b[4];

    ttp_set32(b, v);
    ttp_tracy_put(out, b, sizeof(b));
}

static inline void ttp_tracy_put64(struct ttp_tracy_out *out, uint64_t v)
{
    unsigned char b[8];

    ttp_set64(b, v);
    ttp_tracy_put(out, b, sizeof(b));
}

static inline void ttp_tracy_put_f64(struct ttp_tracy_out *out, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof(bits));
    ttp_tracy_put64(out, bits);
}

/* The difference to *last, which becomes `ns`. */
static inline void ttp_tracy_put_time(struct ttp_tracy_out *out, int64_t *last, int64_t ns)
{
    ttp_tracy_put64(out, (uint64_t)ttp_wrap_sub(ns, *last));
    *last = ns;
}

static inline void ttp_tracy_put_zeros(struct ttp_tracy_out *out, size_t n)
{
    static const char zeros[64];

    for (; n > sizeof(zeros); n -= sizeof(zeros))
        ttp_tracy_put(out, zeros, sizeof(zeros));
    ttp_tracy_put(out, zeros, n);
}

#endif
