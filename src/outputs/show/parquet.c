/* SPDX-License-Identifier: Apache-2.0 */
/* parquet.c - pages, column chunks and the footer of a Parquet file (format 2, data pages 1). Its
 * structures are in Thrift's compact protocol; the numbers in this file are those of
 * parquet.thrift. */
#include "outputs/show/parquet.h"

#include <assert.h>
#include <errno.h>

#include "base/compress.h"
#include "base/vec.h"
#include "base/version.h"

enum { MAGIC_LEN = 4, PAGE_BYTES = 1 << 20, HEAD_ROOM = 128 };

struct ttp_parquet_chunk {
    uint64_t at;            /* of its first page */
    uint64_t packed, plain; /* bytes with and without compression, headers of pages included */
    uint64_t nulls;
};

/* ---- Thrift, compact protocol ---- */

enum thrift_type {
    THRIFT_TRUE = 1,
    THRIFT_BYTE = 3,
    THRIFT_I16,
    THRIFT_I32,
    THRIFT_I64,
    THRIFT_BYTES = 8,
    THRIFT_LIST,
    THRIFT_STRUCT = 12,
};

/* A struct that is being written: the id of its last field. */
struct thrift {
    struct ttp_pb *to;
    int last;
};

static void put_byte(struct ttp_pb *b, int v)
{
    *ttp_pb_room(b, 1) = (char)v;
    b->len++;
}

static void put_zigzag(struct ttp_pb *b, int64_t v)
{
    ttp_pb_varint(b, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

/* All ids rise by less than 16. */
static void put_field(struct thrift *t, int id, enum thrift_type type)
{
    put_byte(t->to, (id - t->last) << 4 | (int)type);
    t->last = id;
}

static void put_i32(struct thrift *t, int id, int32_t v)
{
    put_field(t, id, THRIFT_I32);
    put_zigzag(t->to, v);
}

static void put_i64(struct thrift *t, int id, uint64_t v)
{
    put_field(t, id, THRIFT_I64);
    put_zigzag(t->to, (int64_t)v);
}

static void put_text_element(struct ttp_pb *b, ttp_str text)
{
    ttp_pb_varint(b, text.len);
    if (text.len)
        memcpy(ttp_pb_room(b, text.len), text.ptr, text.len);
    b->len += text.len;
}

static void put_text(struct thrift *t, int id, ttp_str text)
{
    put_field(t, id, THRIFT_BYTES);
    put_text_element(t->to, text);
}

static void put_list(struct thrift *t, int id, enum thrift_type of, size_t count)
{
    put_field(t, id, THRIFT_LIST);
    put_byte(t->to, (int)(count < 15 ? count : 15) << 4 | (int)of);
    if (count >= 15)
        ttp_pb_varint(t->to, count);
}

static struct thrift begin_field(struct thrift *t, int id)
{
    put_field(t, id, THRIFT_STRUCT);
    return (struct thrift){t->to, 0};
}

static void end(const struct thrift *t)
{
    put_byte(t->to, 0);
}

static void put_empty(struct thrift *t, int id)
{
    const struct thrift inner = begin_field(t, id);

    end(&inner);
}

/* ---- pages ---- */

static void put_bytes(struct ttp_parquet *p, const char *bytes, size_t len)
{
    ttp_sink_put(p->out, (ttp_str){bytes, len});
    p->at += len;
}

static void put_little_endian(struct ttp_pb *b, uint64_t v, int bytes)
{
    char *at = ttp_pb_room(b, (size_t)bytes);

    for (int i = 0; i < bytes; i++)
        at[i] = (char)(v >> 8 * i);
    b->len += (size_t)bytes;
}

/* Which rows have a value, as one run: repeated where all or none have, else one bit each. */
static void put_levels(struct ttp_parquet *p)
{
    struct ttp_pb *to = &p->page;

    put_little_endian(to, 0, 4);
    const size_t from = to->len;
    if (p->nulls == 0 || p->nulls == p->rows) {
        ttp_pb_varint(to, p->rows << 1);
        put_byte(to, p->nulls == 0);
    } else {
        const size_t bytes = (p->rows + 7) / 8;
        ttp_pb_varint(to, bytes << 1 | 1);
        memcpy(ttp_pb_room(to, bytes), p->known, bytes);
        to->len += bytes;
    }
    const size_t len = to->len - from;
    for (size_t i = 0; i < 4; i++)
        to->buf[from - 4 + i] = (char)(len >> 8 * i);
}

static void put_page_head(struct ttp_parquet *p, size_t packed)
{
    enum { DATA_PAGE = 0, PLAIN = 0, RLE = 3 };
    struct thrift t = {&p->head, 0};

    p->head.len = 0;
    put_i32(&t, 1, DATA_PAGE);
    put_i32(&t, 2, (int32_t)p->page.len);
    put_i32(&t, 3, (int32_t)packed);
    struct thrift data = begin_field(&t, 5);
    put_i32(&data, 1, (int32_t)p->rows);
    put_i32(&data, 2, PLAIN);
    put_i32(&data, 3, RLE); /* of definition levels */
    put_i32(&data, 4, RLE); /* of repetition levels, which a flat table has not */
    end(&data);
    end(&t);
}

static void end_page(struct ttp_parquet *p)
{
    struct ttp_parquet_chunk *chunk = &p->chunk[p->chunks - 1];

    p->page.len = 0;
    put_levels(p);
    if (p->values.len)
        memcpy(ttp_pb_room(&p->page, p->values.len), p->values.buf, p->values.len);
    p->page.len += p->values.len;

    const struct ttp_mark mark = ttp_arena_mark(p->arena);
    ttp_str packed = {p->page.buf, p->page.len};
    if (p->zstd && ttp_zstd_pack(&packed, packed, p->arena, NULL) != TTP_OK && !p->out->saved_errno)
        p->out->saved_errno = ENOMEM; /* the only thing that compression can lack */
    put_page_head(p, packed.len);
    chunk->plain += p->head.len + p->page.len;
    chunk->packed += p->head.len + packed.len;
    chunk->nulls += p->nulls;
    put_bytes(p, p->head.buf, p->head.len);
    put_bytes(p, packed.ptr, packed.len);
    ttp_arena_rewind(p->arena, mark);

    memset(p->known, 0, sizeof(p->known));
    p->values.len = p->rows = p->nulls = p->bits = 0;
}

static void put_bit(struct ttp_parquet *p, bool yes)
{
    if (p->bits % 8 == 0)
        put_byte(&p->values, 0);
    char *byte = &p->values.buf[p->values.len - 1];
    *byte = (char)((unsigned char)*byte | (unsigned)yes << p->bits % 8);
    p->bits++;
}

static void put_plain(struct ttp_parquet *p, enum ttp_parquet_type type, struct ttp_value v)
{
    uint64_t bits;

    switch (type) {
    case TTP_PARQUET_BOOL:
        put_bit(p, ttp_str_eq(v.v.text, TTP_STR("True")));
        break;
    case TTP_PARQUET_INT:
    case TTP_PARQUET_MOMENT:
        put_little_endian(&p->values, (uint64_t)v.v.i, 8);
        break;
    case TTP_PARQUET_REAL:
        memcpy(&bits, &v.v.f, sizeof(bits));
        put_little_endian(&p->values, bits, 8);
        break;
    case TTP_PARQUET_TEXT:
        put_little_endian(&p->values, v.v.text.len, 4);
        memcpy(ttp_pb_room(&p->values, v.v.text.len), v.v.text.ptr, v.v.text.len);
        p->values.len += v.v.text.len;
        break;
    }
}

void ttp_parquet_put(struct ttp_parquet *p, struct ttp_value v)
{
    const size_t rows = p->group_rows[p->groups - 1];

    if (p->chunks == 0 || p->in_chunk == rows) {
        *TTP_PUSH(p->arena, p->chunk, p->chunks) = (struct ttp_parquet_chunk){.at = p->at};
        p->in_chunk = 0;
    }
    if (v.kind == TTP_VALUE_NONE) {
        p->nulls++;
    } else {
        p->known[p->rows / 8] |= (uint8_t)(1u << p->rows % 8);
        put_plain(p, p->column[(p->chunks - 1) % p->columns].type, v);
    }
    p->rows++;
    p->in_chunk++;
    if (p->rows == TTP_PARQUET_PAGE_ROWS || p->values.len >= PAGE_BYTES || p->in_chunk == rows)
        end_page(p);
}

void ttp_parquet_begin(struct ttp_parquet *p, struct ttp_sink *out,
                       const struct ttp_parquet_column *column, size_t columns,
                       struct ttp_arena *arena)
{
    assert(out->gate == TTP_GATE_NONE);
    *p = (struct ttp_parquet){.out = out,
                              .arena = arena,
                              .column = column,
                              .columns = columns,
                              .zstd = ttp_compress_supports(TTP_COMPRESS_ZSTD),
                              .values.arena = arena,
                              .page.arena = arena,
                              .head.arena = arena};
    (void)ttp_pb_room(&p->head, HEAD_ROOM); /* it must not grow after the mark of a page */
    put_bytes(p, "PAR1", MAGIC_LEN);
}

void ttp_parquet_group(struct ttp_parquet *p, uint32_t rows)
{
    assert(rows > 0 && rows <= TTP_PARQUET_GROUP_ROWS);
    assert(p->chunks == p->groups * p->columns);
    *TTP_PUSH(p->arena, p->group_rows, p->groups) = rows;
    p->in_chunk = rows; /* the next value begins a chunk */
}

/* ---- the footer ---- */

static int physical_type(enum ttp_parquet_type type)
{
    static const uint8_t physical[] = {[TTP_PARQUET_BOOL] = 0,
                                       [TTP_PARQUET_INT] = 2,
                                       [TTP_PARQUET_MOMENT] = 2,
                                       [TTP_PARQUET_REAL] = 5,
                                       [TTP_PARQUET_TEXT] = 6};

    return physical[type];
}

static void put_schema_column(struct ttp_pb *to, const struct ttp_parquet_column *c)
{
    enum { OPTIONAL = 1, UTF8 = 0, STRING = 1, TIMESTAMP = 8, NANOS = 3 };
    struct thrift t = {to, 0};

    put_i32(&t, 1, physical_type(c->type));
    put_i32(&t, 3, OPTIONAL);
    put_text(&t, 4, c->name);
    if (c->type == TTP_PARQUET_TEXT) {
        put_i32(&t, 6, UTF8);
        struct thrift logical = begin_field(&t, 10);
        put_empty(&logical, STRING);
        end(&logical);
    } else if (c->type == TTP_PARQUET_MOMENT) {
        struct thrift logical = begin_field(&t, 10);
        struct thrift stamp = begin_field(&logical, TIMESTAMP);
        put_field(&stamp, 1, THRIFT_TRUE); /* adjusted to UTC */
        struct thrift unit = begin_field(&stamp, 2);
        put_empty(&unit, NANOS);
        end(&unit);
        end(&stamp);
        end(&logical);
    }
    end(&t);
}

static void put_schema(struct thrift *file, const struct ttp_parquet *p)
{
    struct thrift root = {file->to, 0};

    put_list(file, 2, THRIFT_STRUCT, p->columns + 1);
    put_text(&root, 4, TTP_STR("schema"));
    put_i32(&root, 5, (int32_t)p->columns);
    end(&root);
    for (size_t i = 0; i < p->columns; i++)
        put_schema_column(file->to, &p->column[i]);
}

static void put_chunk(struct ttp_pb *to, const struct ttp_parquet *p, size_t i, uint32_t rows)
{
    enum { PLAIN = 0, RLE = 3, UNCOMPRESSED = 0, ZSTD = 6 };
    const struct ttp_parquet_column *column = &p->column[i % p->columns];
    const struct ttp_parquet_chunk *chunk = &p->chunk[i];
    struct thrift t = {to, 0};

    put_i64(&t, 2, 0); /* where else a copy of the next field would be */
    struct thrift meta = begin_field(&t, 3);
    put_i32(&meta, 1, physical_type(column->type));
    put_list(&meta, 2, THRIFT_I32, 2);
    put_zigzag(to, PLAIN);
    put_zigzag(to, RLE);
    put_list(&meta, 3, THRIFT_BYTES, 1);
    put_text_element(to, column->name);
    put_i32(&meta, 4, p->zstd ? ZSTD : UNCOMPRESSED);
    put_i64(&meta, 5, rows);
    put_i64(&meta, 6, chunk->plain);
    put_i64(&meta, 7, chunk->packed);
    put_i64(&meta, 9, chunk->at);
    struct thrift statistics = begin_field(&meta, 12);
    put_i64(&statistics, 3, chunk->nulls);
    end(&statistics);
    end(&meta);
    end(&t);
}

static void put_groups(struct thrift *file, const struct ttp_parquet *p)
{
    put_list(file, 4, THRIFT_STRUCT, p->groups);
    for (size_t g = 0; g < p->groups; g++) {
        const struct ttp_parquet_chunk *first = &p->chunk[g * p->columns];
        uint64_t plain = 0, packed = 0;
        struct thrift t = {file->to, 0};

        put_list(&t, 1, THRIFT_STRUCT, p->columns);
        for (size_t c = 0; c < p->columns; c++) {
            put_chunk(file->to, p, g * p->columns + c, p->group_rows[g]);
            plain += first[c].plain;
            packed += first[c].packed;
        }
        put_i64(&t, 2, plain);
        put_i64(&t, 3, p->group_rows[g]);
        put_i64(&t, 5, first->at);
        put_i64(&t, 6, packed);
        end(&t);
    }
}

static void put_notes(struct thrift *file, const struct ttp_parquet_note *note, size_t notes)
{
    put_list(file, 5, THRIFT_STRUCT, notes);
    for (size_t i = 0; i < notes; i++) {
        struct thrift t = {file->to, 0};

        put_text(&t, 1, note[i].key);
        put_text(&t, 2, note[i].text);
        end(&t);
    }
}

void ttp_parquet_end(struct ttp_parquet *p, const struct ttp_parquet_note *note, size_t notes)
{
    enum { FORMAT_VERSION = 2 };
    struct ttp_pb footer = {.arena = p->arena};
    struct thrift file = {&footer, 0};
    uint64_t rows = 0;

    assert(p->chunks == p->groups * p->columns);
    for (size_t g = 0; g < p->groups; g++)
        rows += p->group_rows[g];
    put_i32(&file, 1, FORMAT_VERSION);
    put_schema(&file, p);
    put_i64(&file, 3, rows);
    put_groups(&file, p);
    put_notes(&file, note, notes);
    put_text(&file, 6, ttp_sink_format(p->arena, "tt-perf version %s", ttp_version));
    end(&file);
    put_little_endian(&footer, footer.len, 4);
    put_bytes(p, footer.buf, footer.len);
    put_bytes(p, "PAR1", MAGIC_LEN);
}
