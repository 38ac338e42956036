/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tar.h"

#include <stdio.h>

#include "base/input.h"

#define BLOCK          512
#define NAME_MAX_BYTES 4096
/* Where fields of a header are. */
enum { AT_NAME = 0, AT_MODE = 100, AT_SIZE = 124, AT_SUM = 148, AT_TYPE = 156, AT_LINK = 157 };
enum { AT_MAGIC = 257, AT_PREFIX = 345, PREFIX_BYTES = 155, NAME_BYTES = 100, SIZE_BYTES = 12 };

/* ---- writing ---- */

static void put_octal(char *field, size_t width, uint64_t v)
{
    for (size_t i = width - 1; i-- > 0; v >>= 3)
        field[i] = (char)('0' + (v & 7));
    field[width - 1] = '\0';
}

/* The sum of all bytes, those of the sum itself counted as blanks. */
static unsigned checksum(const unsigned char *h)
{
    unsigned sum = 8 * ' ';

    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= AT_SUM && i < AT_SUM + 8 ? 0 : h[i];
    return sum;
}

struct header {
    char type;
    const char *name, *link;
    uint64_t size;
    unsigned mode;
};

static void put_block(struct ttp_sink *out, const struct header *of)
{
    char h[BLOCK] = {0};

    snprintf(h + AT_NAME, NAME_BYTES, "%s", of->name);
    put_octal(h + AT_MODE, 8, of->mode);
    put_octal(h + 108, 8, 0);
    put_octal(h + 116, 8, 0);
    put_octal(h + AT_SIZE, SIZE_BYTES, of->size);
    put_octal(h + 136, 12, 0);
    h[AT_TYPE] = of->type;
    snprintf(h + AT_LINK, NAME_BYTES, "%s", of->link);
    memcpy(h + AT_MAGIC, "ustar\00000", 8);
    memset(h + AT_SUM, ' ', 8);
    put_octal(h + AT_SUM, 7, checksum((const unsigned char *)h));
    ttp_sink_put(out, (ttp_str){h, sizeof(h)});
}

void ttp_tar_put_padding(struct ttp_sink *out, uint64_t size)
{
    ttp_sink_repeat(out, '\0', (BLOCK - size % BLOCK) % BLOCK);
}

static void put_long(struct ttp_sink *out, char type, const char *text)
{
    const size_t n = strlen(text) + 1;

    if (n <= NAME_BYTES)
        return;
    put_block(out, &(struct header){type, "././@LongLink", "", n, 0644});
    ttp_sink_put(out, (ttp_str){text, n});
    ttp_tar_put_padding(out, n);
}

void ttp_tar_put_header(struct ttp_sink *out, const struct ttp_tar_entry *e)
{
    static const char types[] = {
        [TTP_TAR_FILE] = '0', [TTP_TAR_LINK] = '2', [TTP_TAR_FOLDER] = '5'};
    const char *link = e->kind == TTP_TAR_LINK ? e->link : "";

    put_long(out, 'L', e->name);
    put_long(out, 'K', link);
    put_block(out,
              &(struct header){types[e->kind], e->name, link, e->kind == TTP_TAR_FILE ? e->size : 0,
                               e->kind == TTP_TAR_LINK ? 0777 : e->mode});
}

void ttp_tar_put_end(struct ttp_sink *out)
{
    ttp_sink_repeat(out, '\0', (size_t)2 * BLOCK);
}

/* ---- reading ---- */

struct reading {
    const struct ttp_tar_reader *to;
    uint64_t offset;  /* of the next byte */
    uint64_t left;    /* of the entry's bytes */
    uint64_t padding; /* after them */
    bool in_file, ended;
    char long_type; /* 'L', 'K': its bytes are a name; 0: no */
    char name[NAME_MAX_BYTES], link[NAME_MAX_BYTES];
    size_t name_len, link_len; /* of a long name that was read; 0: none */
};

static ttp_code reject(const struct reading *r, const char *why, struct ttp_err *err)
{
    if (err)
        err->offset = (size_t)r->offset;
    return ttp_fail(err, TTP_EPARSE, "%s, at byte %llu of the archive", why,
                    (unsigned long long)r->offset);
}

static bool get_octal(uint64_t *out, const unsigned char *field, size_t width)
{
    size_t i = 0;

    *out = 0;
    while (i < width && field[i] == ' ')
        i++;
    const size_t first = i;
    for (; i < width && field[i] >= '0' && field[i] <= '7'; i++)
        *out = *out << 3 | (uint64_t)(field[i] - '0');
    return i > first && (i == width || field[i] == '\0' || field[i] == ' ');
}

static bool is_safe(const char *name)
{
    ttp_str rest = ttp_str_from(name);

    if (rest.len == 0 || rest.ptr[0] == '/')
        return false;
    while (rest.len) {
        const size_t n =
            ttp_str_find_char(rest, '/') == TTP_NPOS ? rest.len : ttp_str_find_char(rest, '/');

        if (ttp_str_eq(ttp_str_slice(rest, 0, n), TTP_STR("..")))
            return false;
        rest = ttp_str_slice(rest, n + 1 < rest.len ? n + 1 : rest.len, rest.len);
    }
    return true;
}

static void take_name(struct reading *r, const char *h)
{
    const size_t prefix = h[AT_PREFIX] ? strnlen(h + AT_PREFIX, PREFIX_BYTES) : 0;
    const size_t name = strnlen(h + AT_NAME, NAME_BYTES), link = strnlen(h + AT_LINK, NAME_BYTES);

    if (!r->name_len)
        snprintf(r->name, sizeof(r->name), "%.*s%s%.*s", (int)prefix, h + AT_PREFIX,
                 prefix ? "/" : "", (int)name, h + AT_NAME);
    if (!r->link_len)
        snprintf(r->link, sizeof(r->link), "%.*s", (int)link, h + AT_LINK);
}

static ttp_code begin_entry(struct reading *r, char type, uint64_t size, struct ttp_err *err)
{
    const struct ttp_tar_entry entry = {
        .kind = type == '2'   ? TTP_TAR_LINK
                : type == '5' ? TTP_TAR_FOLDER
                              : TTP_TAR_FILE,
        .name = r->name,
        .link = r->link,
        .size = size,
    };

    if (type != '0' && type != '\0' && type != '2' && type != '5')
        return reject(r, "an entry that is not a file, a folder or a link", err);
    if (!is_safe(r->name))
        return reject(r, "a name that leads out of the archive's folder", err);
    r->in_file = true;
    r->name_len = r->link_len = 0;
    return r->to->begin(r->to->arg, &entry, err);
}

static ttp_code take_header(struct reading *r, const char *h, struct ttp_err *err)
{
    uint64_t size, sum;
    bool empty = true;

    for (size_t i = 0; i < BLOCK && empty; i++)
        empty = h[i] == '\0';
    r->ended = empty;
    if (empty)
        return TTP_OK;
    if (memcmp(h + AT_MAGIC, "ustar", 5) != 0 ||
        !get_octal(&sum, (const unsigned char *)h + AT_SUM, 8) ||
        sum != checksum((const unsigned char *)h))
        return reject(r, "not a tar archive", err);
    if (!get_octal(&size, (const unsigned char *)h + AT_SIZE, SIZE_BYTES))
        return reject(r, "invalid size of an entry", err);
    const char type = h[AT_TYPE];
    r->long_type = (char)(type == 'L' || type == 'K' ? type : 0);
    if (r->long_type && size > NAME_MAX_BYTES)
        return reject(r, "a name of more than 4096 bytes", err);
    r->left = type == '2' || type == '5' ? 0 : size;
    r->padding = (BLOCK - r->left % BLOCK) % BLOCK;
    if (r->long_type)
        return TTP_OK;
    take_name(r, h);
    return begin_entry(r, type, r->left, err);
}

static void take_long(struct reading *r, ttp_str piece)
{
    char *to = r->long_type == 'L' ? r->name : r->link;
    size_t *len = r->long_type == 'L' ? &r->name_len : &r->link_len;

    for (size_t i = 0; i < piece.len && *len + 1 < NAME_MAX_BYTES; i++)
        to[(*len)++] = piece.ptr[i];
    to[*len] = '\0';
}

static ttp_code take_content(struct reading *r, ttp_str piece, struct ttp_err *err)
{
    r->left -= piece.len;
    if (!r->long_type)
        return r->to->piece(r->to->arg, piece, err);
    take_long(r, piece);
    return TTP_OK;
}

/* The bytes at the front of `text` that belong together; *taken says how many. */
static ttp_code take_part(struct reading *r, ttp_str text, size_t *taken, struct ttp_err *err)
{
    const uint64_t rest = r->left ? r->left : r->padding;

    *taken = rest && rest < text.len ? (size_t)rest : text.len;
    if (r->left)
        return take_content(r, ttp_str_slice(text, 0, *taken), err);
    if (r->padding) {
        r->padding -= *taken;
        return TTP_OK;
    }
    if (text.len < BLOCK)
        return reject(r, "the archive is truncated", err);
    *taken = BLOCK;
    return take_header(r, text.ptr, err);
}

static ttp_code take_block(void *arg, ttp_str text, struct ttp_err *err)
{
    struct reading *r = arg;
    size_t n;

    while (text.len && !r->ended) {
        TTP_TRY(take_part(r, text, &n, err));
        r->offset += n;
        text = ttp_str_slice(text, n, text.len);
        if (!r->in_file || r->left || r->padding)
            continue;
        r->in_file = false;
        TTP_TRY(r->to->end(r->to->arg, err));
    }
    return TTP_OK;
}

/* Whole blocks: so a header is never divided. */
static size_t cut_blocks(ttp_str text, bool last, void *arg)
{
    (void)arg;
    return last ? text.len : text.len / BLOCK * BLOCK;
}

ttp_code ttp_tar_read(const char *path, const struct ttp_tar_reader *reader, struct ttp_err *err)
{
    struct reading r = {.to = reader};

    TTP_TRY(ttp_input_each(path, cut_blocks, take_block, &r, err));
    return r.left || r.padding || r.offset == 0 ? reject(&r, "the archive is truncated", err)
                                                : TTP_OK;
}
