/* SPDX-License-Identifier: Apache-2.0 */
/* The central directory is the truth: torch's local headers have no sizes (data descriptors follow
 * the data). Only name and extra lengths are read from the local header, to find the data. */
#include "tensor/zip.h"

#include "base/budget.h"
#include "base/compress.h"
#include "tensor/tensor_readers.h"

/* APPNOTE.TXT 6.3: signatures and lengths without their variable parts. */
#define LOCAL_SIGN     0x04034b50u
#define LOCAL_LEN      30
#define ENTRY_SIGN     0x02014b50u
#define ENTRY_LEN      46
#define END_SIGN       0x06054b50u
#define END_LEN        22
#define LOCATOR_SIGN   0x07064b50u
#define LOCATOR_LEN    20
#define END64_SIGN     0x06064b50u
#define END64_LEN      56
#define ZIP64_EXTRA    1
#define NONE16         0xffffu
#define NONE32         0xffffffffu
#define FLAG_ENCRYPTED 1u
#define DEFLATE        8u
/* Deflate cannot do better than 1032 to 1 (zlib's technical notes). */
#define DEFLATE_RATIO_MAX 1040u

struct directory {
    uint64_t count, size, offset;
};

static ttp_code broken(struct ttp_err *err, size_t at, const char *what)
{
    ttp_fail_at(err, TTP_EPARSE, at, "broken zip file: %s", what);
    return TTP_EPARSE;
}

/* The end record is the last thing but a comment of up to 64 KiB. */
static size_t find_end(ttp_str bytes)
{
    const size_t reach = END_LEN + NONE16;
    const size_t first = bytes.len > reach ? bytes.len - reach : 0;

    for (size_t at = bytes.len < END_LEN ? 0 : bytes.len - END_LEN + 1; at-- > first;)
        if (ttp_le32(bytes.ptr + at) == END_SIGN &&
            at + END_LEN + ttp_le16(bytes.ptr + at + 20) <= bytes.len)
            return at;
    return TTP_NPOS;
}

static ttp_code read_end64(struct directory *d, ttp_str bytes, size_t end, struct ttp_err *err)
{
    if (end < LOCATOR_LEN || ttp_le32(bytes.ptr + end - LOCATOR_LEN) != LOCATOR_SIGN)
        return broken(err, end, "its zip64 locator is missing");
    const uint64_t at = ttp_le64(bytes.ptr + end - LOCATOR_LEN + 8);
    if (at > bytes.len || bytes.len - at < END64_LEN || ttp_le32(bytes.ptr + at) != END64_SIGN)
        return broken(err, end - LOCATOR_LEN, "its zip64 end record is missing");
    *d = (struct directory){ttp_le64(bytes.ptr + at + 32), ttp_le64(bytes.ptr + at + 40),
                            ttp_le64(bytes.ptr + at + 48)};
    return TTP_OK;
}

static ttp_code find_directory(struct directory *d, ttp_str bytes, struct ttp_err *err)
{
    const size_t end = find_end(bytes);

    if (end == TTP_NPOS)
        return broken(err, bytes.len, "no end of central directory: truncated?");
    const char *p = bytes.ptr + end;
    *d = (struct directory){ttp_le16(p + 10), ttp_le32(p + 12), ttp_le32(p + 16)};
    if (ttp_le16(p + 4) != ttp_le16(p + 6) && ttp_le16(p + 4) != NONE16)
        return broken(err, end, "multi-part archives are unsupported");
    if (d->count == NONE16 || d->size == NONE32 || d->offset == NONE32)
        TTP_TRY(read_end64(d, bytes, end, err));
    if (d->offset > bytes.len || d->size > bytes.len - d->offset)
        return broken(err, end, "its directory is out of range");
    if (d->count > d->size / ENTRY_LEN)
        return broken(err, end, "its directory is too small for its members");
    return TTP_OK;
}

/* Sizes that did not fit 32 bits are in an extra field, in this order, only those that are NONE32.
 */
static bool read_zip64_extra(ttp_str extra, uint64_t *size, uint64_t *packed, uint64_t *offset)
{
    uint64_t *const wanted[] = {size, packed, offset};

    if (*size != NONE32 && *packed != NONE32 && *offset != NONE32)
        return true;
    while (extra.len >= 4) {
        const uint32_t id = ttp_le16(extra.ptr), len = ttp_le16(extra.ptr + 2);
        ttp_str field = ttp_str_slice(extra, 4, 4 + (size_t)len);

        if (field.len < len)
            return false;
        extra = ttp_str_slice(extra, 4 + (size_t)len, extra.len);
        if (id != ZIP64_EXTRA)
            continue;
        for (size_t i = 0; i < TTP_COUNT(wanted); i++) {
            if (*wanted[i] != NONE32)
                continue;
            if (field.len < 8)
                return false;
            *wanted[i] = ttp_le64(field.ptr);
            field = ttp_str_slice(field, 8, field.len);
        }
        return true;
    }
    return false;
}

/* Where a member is and how long. */
struct zip_place {
    uint64_t local, packed;
};

static ttp_code find_data(struct ttp_zip_member *m, ttp_str bytes, struct zip_place place,
                          size_t at, struct ttp_err *err)
{
    if (place.local > bytes.len || bytes.len - place.local < LOCAL_LEN ||
        ttp_le32(bytes.ptr + place.local) != LOCAL_SIGN)
        return broken(err, at, "a member's header is not at the offset in the directory");
    const uint64_t start = place.local + LOCAL_LEN + ttp_le16(bytes.ptr + place.local + 26) +
                           ttp_le16(bytes.ptr + place.local + 28);
    if (start > bytes.len || place.packed > bytes.len - start)
        return broken(err, at, "a member's data is out of range");
    m->raw = ttp_str_slice(bytes, start, start + place.packed);
    return TTP_OK;
}

static ttp_code read_entry(struct ttp_zip_member *m, ttp_str bytes, ttp_str *rest,
                           struct ttp_err *err)
{
    const char *p = rest->ptr;
    const size_t at = (size_t)(p - bytes.ptr);

    if (rest->len < ENTRY_LEN || ttp_le32(p) != ENTRY_SIGN)
        return broken(err, at, "its directory ends early");
    const size_t nname = ttp_le16(p + 28), nextra = ttp_le16(p + 30), ncomment = ttp_le16(p + 32);
    if (rest->len - ENTRY_LEN < nname + nextra + ncomment)
        return broken(err, at, "its directory ends early");
    uint64_t packed = ttp_le32(p + 20), local = ttp_le32(p + 42);
    const uint32_t method = ttp_le16(p + 10);

    *m = (struct ttp_zip_member){.name = {p + ENTRY_LEN, nname},
                                 .size = ttp_le32(p + 24),
                                 .crc = ttp_le32(p + 16),
                                 .deflated = method == DEFLATE};
    if (!read_zip64_extra((ttp_str){p + ENTRY_LEN + nname, nextra}, &m->size, &packed, &local))
        return broken(err, at, "a member's zip64 sizes are missing");
    if (ttp_le16(p + 8) & FLAG_ENCRYPTED)
        return broken(err, at, "it is encrypted");
    if (method != 0 && method != DEFLATE)
        return ttp_fail_at(err, TTP_EPARSE, at,
                           "zip member '%.*s' uses unsupported compression method %u",
                           TTP_FMT(ttp_str_slice(m->name, 0, 80)), method);
    TTP_TRY(find_data(m, bytes, (struct zip_place){local, packed}, at, err));
    if (m->deflated ? m->size / DEFLATE_RATIO_MAX > packed : m->size != packed)
        return broken(err, at, "a member's sizes do not match");
    *rest = ttp_str_slice(*rest, ENTRY_LEN + nname + nextra + ncomment, rest->len);
    return TTP_OK;
}

ttp_code ttp_tensor_zip_read(struct ttp_zip *out, ttp_str bytes, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    struct directory d = {0};

    *out = (struct ttp_zip){0};
    TTP_TRY(find_directory(&d, bytes, err));
    ttp_str rest = ttp_str_slice(bytes, d.offset, d.offset + d.size);
    out->item = TTP_NEW(arena, struct ttp_zip_member, d.count);
    out->names = (struct ttp_symtab){.arena = arena};
    out->named = TTP_NEW(arena, const struct ttp_zip_member *, d.count);
    for (; out->count < d.count; out->count++) {
        struct ttp_zip_member *m = &out->item[out->count];

        TTP_TRY(read_entry(m, bytes, &rest, err));
        const ttp_sym sym = ttp_sym_intern(&out->names, m->name);
        if (!out->named[sym])
            out->named[sym] = m;
    }
    return TTP_OK;
}

const struct ttp_zip_member *ttp_tensor_zip_find(const struct ttp_zip *zip, ttp_str name)
{
    ttp_sym sym;

    return ttp_sym_find(&zip->names, name, &sym) ? zip->named[sym] : NULL;
}

ttp_code ttp_tensor_zip_unpack(ttp_str *out, const struct ttp_zip_member *m,
                               struct ttp_arena *arena, struct ttp_err *err)
{
    *out = m->raw;
    if (!m->deflated)
        return TTP_OK;
    TTP_TRY(ttp_budget_inflated(m->raw.len, m->size, err));
    char *to = ttp_arena_resize(arena, NULL, m->size ? m->size : 1);
    *out = (ttp_str){to, m->size};
    return ttp_inflate(to, m->size, m->raw, m->crc, err);
}
