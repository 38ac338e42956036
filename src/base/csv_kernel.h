/* SPDX-License-Identifier: Apache-2.0 */
/* csv_kernel.h - the CSV reader's body, compiled once per instruction set.
 *
 * The including file defines KERNEL (the object) and KERNEL_NAME, and these primitives on the 64
 * bytes at p, where bit i of a mask is byte i:
 *   bool plain64(const char *p, char sep, uint64_t *seps)  where sep stands; true if there is no
 *                                                          LF, CR, quote or byte above 127
 *   uint64_t match64(const char *p, char byte)             where byte stands
 *   uint64_t special64(const char *p)                      where one of those four stands
 *   uint32_t low_bit(uint64_t mask)                        number of the lowest bit; anything for 0
 *
 * Most blocks are plain: their separators are the ends of fields. The others go through
 * load_block(), which knows about quotes and line ends, also block by block. */

/* Bit i is the exclusive or of bits 0 .. i: with a bit per quote, 1 from an opening quote up to the
 * byte before its closing one. */
static uint64_t prefix_xor(uint64_t mask)
{
    for (unsigned shift = 1; shift < 64; shift *= 2)
        mask ^= mask << shift;
    return mask;
}

/* Which bytes of the block lie inside quotes. `quote` marks all quotes, `fresh` the bytes that
 * begin a field, or go on with one after its closing quote, if they lie outside quotes. Taking
 * every quote for an opening or closing one is right up to the first that opens without beginning a
 * field and without doubling the closing quote before it: that one is literal, and without it the
 * rest is looked at anew. */
static uint64_t find_quoted(struct ttp_csv *c, uint64_t quote, uint64_t fresh)
{
    const uint64_t carry = c->in_quote ? UINT64_MAX : 0;

    for (;;) {
        const uint64_t inside = prefix_xor(quote) ^ carry;
        const uint64_t closing = quote & ~inside;
        const uint64_t literal = quote & inside & ~(fresh | closing << 1);

        if (literal == 0) {
            c->in_quote = inside >> 63;
            c->after_quote = closing >> 63;
            return inside;
        }
        quote ^= literal & -literal;
    }
}

/* Mark the block at `at`, whose bytes are at p, and of which `valid` are in the text. Blocks must
 * come in order, but plain ones outside quotes may be left out. */
TTP_INLINE void mark_block(struct ttp_csv *c, size_t at, const char *p, uint64_t valid)
{
    const char before = (char)(at ? c->text.ptr[at - 1] : '\n');
    const uint64_t seps = match64(p, c->sep) & valid; /* which may be NUL */
    const uint64_t cr = match64(p, '\r'), lf = match64(p, '\n');
    const uint64_t lines = cr | (lf & ~(cr << 1 | (before == '\r')));
    const uint64_t other = special64(p) & ~(cr | lf);
    uint64_t quoted = 0;

    if (TTP_UNLIKELY(other != 0 || c->in_quote)) {
        const uint64_t quote = match64(p, '"');
        const bool fresh = before == c->sep || before == '\n' || before == '\r' ||
                           (before == '"' && c->after_quote);

        c->high |= other != quote;
        quoted = find_quoted(c, quote, (seps | cr | lf) << 1 | fresh);
    }
    c->block = at;
    c->mask = (seps | lines) & ~quoted;
    c->eol = lines & ~quoted;
    c->quoted = lines & quoted;
}

/* The last block, copied so that nothing is read past the end of the text. */
static void mark_tail(struct ttp_csv *c, size_t at)
{
    const size_t left = c->text.len - at;
    char tail[64] = {0};

    memcpy(tail, c->text.ptr + at, left);
    mark_block(c, at, tail, ((uint64_t)1 << left) - 1);
}

TTP_INLINE void load_block(struct ttp_csv *c, size_t at)
{
    if (TTP_LIKELY(c->text.len - at >= 64))
        mark_block(c, at, c->text.ptr + at, UINT64_MAX);
    else
        mark_tail(c, at);
}

/* Four positions, of which only those that have a bit are meant; returns the bits left over. */
TTP_INLINE uint64_t write4(uint32_t *end, uint32_t at, uint64_t mask)
{
    end[0] = at + low_bit(mask);
    mask &= mask - 1;
    end[1] = at + low_bit(mask);
    mask &= mask - 1;
    end[2] = at + low_bit(mask);
    mask &= mask - 1;
    end[3] = at + low_bit(mask);
    return mask & (mask - 1);
}

/* Eight: written out, since a loop here costs half the speed where the compiler keeps it. */
TTP_INLINE uint64_t write8(uint32_t *end, uint32_t at, uint64_t mask)
{
    return write4(end + 4, at, write4(end, at, mask));
}

/* The same for a place where eight positions more than needed might not fit. */
static void write_some(uint32_t *end, size_t room, uint32_t at, uint64_t mask)
{
    const size_t count = (size_t)__builtin_popcountll(mask);
    uint32_t all[64];

    for (size_t i = 0; i < count; i += 8)
        mask = write8(all + i, at, mask);
    memcpy(end, all, (count < room ? count : room) * sizeof(*end));
}

/* The bits of `mask` become the ends of fields n, n + 1, ... of the row; returns the new n. */
TTP_INLINE size_t add_ends(const struct ttp_csv_row *row, size_t n, size_t block, uint64_t mask)
{
    const size_t count = (size_t)__builtin_popcountll(mask);
    const size_t written = (count | 7) + 1;
    const uint32_t at = (uint32_t)block;

    if (TTP_UNLIKELY(n + written > row->max)) {
        if (n < row->max)
            write_some(row->end + n, row->max - n, at, mask);
        return n + count;
    }
    uint32_t *end = row->end + n;
    mask = write8(end, at, mask);
    if (TTP_UNLIKELY(count > 8))
        for (size_t i = 8; i < count; i += 8)
            mask = write8(end + i, at, mask);
    return n + count;
}

/* Go through plain blocks from `at` on; returns the first that is not, or not a whole block. */
TTP_INLINE size_t skip_plain(const struct ttp_csv *c, const struct ttp_csv_row *row, size_t *n,
                             size_t at)
{
    const char *p = c->text.ptr;
    const size_t whole = c->text.len & ~(size_t)63;
    const char sep = c->sep;
    size_t fields = *n;
    uint64_t seps;

    while (at < whole && plain64(p + at, sep, &seps)) {
        fields = add_ends(row, fields, at, seps);
        at += 64;
    }
    *n = fields;
    return at;
}

/* Index up to the next row end, which is returned (text.len: the text ends first). */
TTP_INLINE size_t find_row_end(struct ttp_csv *c, const struct ttp_csv_row *row, size_t *n)
{
    const size_t len = c->text.len;

    while (c->eol == 0) {
        size_t at = c->block + 64;

        *n = add_ends(row, *n, c->block, c->mask);
        c->lines += (unsigned)__builtin_popcountll(c->quoted);
        if (!c->in_quote)
            at = skip_plain(c, row, n, at);
        if (at >= len) {
            if (*n < row->max)
                row->end[*n] = (uint32_t)len;
            *n += 1;
            return len;
        }
        load_block(c, at);
    }
    const uint64_t upto = c->eol ^ (c->eol - 1); /* the bits up to the row end, and that one */
    const size_t end = c->block + low_bit(c->eol);
    *n = add_ends(row, *n, c->block, c->mask & upto);
    c->lines += (unsigned)__builtin_popcountll(c->quoted & upto) + 1;
    c->mask &= ~upto;
    c->eol &= ~upto;
    c->quoted &= ~upto;
    return end;
}

static bool is_blank(const char *p, size_t n)
{
    size_t i = 0;

    while (i < n && (p[i] == ' ' || p[i] == '\t'))
        i++;
    return i == n;
}

/* Where the row after the one that ends at `end` begins. */
TTP_INLINE size_t after_end(ttp_str text, size_t end)
{
    const bool crlf = text.len - end >= 2 && text.ptr[end] == '\r' && text.ptr[end + 1] == '\n';
    return end + 1 + crlf;
}

static bool next(struct ttp_csv *c, struct ttp_csv_row *row)
{
    const ttp_str text = c->text;

    if (!c->started && text.len) {
        c->started = true;
        load_block(c, 0);
    }
    while (c->row < text.len) {
        size_t n = 0;
        row->start = c->row;
        row->line = c->lines;
        const size_t end = find_row_end(c, row, &n);
        row->nfields = n;
        row->open_quote = false;
        if (end == text.len) {
            row->open_quote = c->in_quote;
            c->row = end;
        } else {
            c->row = after_end(text, end);
        }
        if (n > 1 || !is_blank(text.ptr + row->start, end - row->start))
            return true;
    }
    return false;
}

/* After the last line end of a text without quotes, 0 if there is none. */
static size_t last_line_end(ttp_str text)
{
    const char *lf = memrchr(text.ptr, '\n', text.len);
    const size_t from = lf ? (size_t)(lf - text.ptr) + 1 : 0;
    const char *cr = memrchr(text.ptr + from, '\r', text.len - from);
    return cr ? (size_t)(cr - text.ptr) + 1 : from;
}

static size_t whole_rows(ttp_str text, char sep, bool last)
{
    struct ttp_csv c = {.text = text, .sep = sep};
    uint64_t seps;
    size_t end = 0;

    if (last || text.len == 0)
        return text.len;
    if (text.ptr[text.len - 1] == '\r')
        c.text.len--; /* perhaps half of a CRLF; the row waits for the next byte */
    const char *quote = memchr(text.ptr, '"', c.text.len);
    if (!quote)
        return last_line_end(c.text);
    const size_t clean = (size_t)(quote - text.ptr);
    for (size_t at = clean & ~(size_t)63; at < c.text.len; at += 64) {
        if (!c.in_quote && c.text.len - at >= 64 && plain64(text.ptr + at, sep, &seps))
            continue;
        load_block(&c, at);
        if (c.eol)
            end = after_end(c.text, at + 63 - (unsigned)__builtin_clzll(c.eol));
    }
    return end ? end : last_line_end((ttp_str){text.ptr, clean});
}

static size_t count(ttp_str text, char sep)
{
    struct ttp_csv c = {.text = text, .sep = sep};
    const size_t whole = text.len & ~(size_t)63;
    size_t n = 0, at = 0;
    uint64_t seps;

    while (at < text.len) {
        if (!c.in_quote)
            for (; at < whole && plain64(text.ptr + at, sep, &seps); at += 64)
                n += (unsigned)__builtin_popcountll(seps);
        if (at < text.len) {
            load_block(&c, at);
            n += (unsigned)__builtin_popcountll(c.mask);
            at += 64;
        }
    }
    return n;
}

const struct ttp_csv_kernel KERNEL = {KERNEL_NAME, next, whole_rows, count};
