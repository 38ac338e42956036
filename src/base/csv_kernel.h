/* SPDX-License-Identifier: Apache-2.0 */
/* csv_kernel.h - the CSV reader's body, compiled once per instruction set.
 *
 * The including file defines KERNEL (the object) and KERNEL_NAME, and these primitives on the 64
 * bytes at p, where bit i of a mask is byte i:
 *   bool plain64(const char *p, char sep, uint64_t *seps, uint64_t *lf)  where sep and LF stand;
 *                                        true if there is no CR, quote or byte above 127
 *   uint64_t match64(const char *p, char byte)  where byte stands
 *   bool high64(const char *p)                  is there a byte above 127?
 *   uint32_t low_bit(uint64_t mask)             number of the lowest bit; anything for 0
 * and, if it defines KERNEL_GROUP, because that is faster than block by block,
 *   bool plain256(const char *p, char sep, uint64_t seps[4], uint64_t lf[4])
 *       plain64() for the four blocks from p on
 * and, if it defines KERNEL_SPARSE,
 *   bool write_sparse(uint32_t *end, size_t at, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
 *       does what write_group() below promises, or returns false and has written within its bounds
 *
 * Two steps: look_ahead() lists the ends of fields of the next few KiB, and which of them end a
 * row, without a branch that depends on where they stand. next() hands out slices of that list.
 * Only blocks with quotes, CR or bytes above 127 go through mark_special(). */

TTP_INLINE size_t count_bits(uint64_t mask)
{
    return (size_t)__builtin_popcountll(mask);
}

/* Bit i is the exclusive or of bits 0 .. i: with a bit per quote, 1 from an opening quote up to the
 * byte before its closing one. */
static uint64_t prefix_xor(uint64_t mask)
{
    for (unsigned shift = 1; shift < 64; shift *= 2)
        mask ^= mask << shift;
    return mask;
}

/* Which bytes of the block lie inside quotes. `quote` marks all quotes, `fresh` the bytes that
 * begin a field, or double the closing quote before them, if they lie outside quotes. Taking every
 * quote for an opening or closing one is right up to the first that opens elsewhere. That one is
 * literal, and so are all up to the next field; without them the rest is scanned again. */
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
        const uint64_t first = literal & -literal;
        const uint64_t later = fresh & ~(first | (first - 1));
        quote &= ~(((later & -later) - 1) & ~(first - 1)); /* from `first` to before `later` */
    }
}

/* The ends of fields in a block. */
struct marks {
    uint64_t ends; /* separators and row ends; of a CRLF only the CR */
    uint64_t rows; /* the row ends among them */
};

/* Any block: its bytes are at p, and those of `valid` are in the text. */
static struct marks mark_special(struct ttp_csv *c, size_t at, const char *p, uint64_t valid)
{
    const char before = (char)(at ? c->text.ptr[at - 1] : '\n');
    const uint64_t seps = match64(p, c->sep) & valid; /* which may be NUL */
    const uint64_t cr = match64(p, '\r'), lf = match64(p, '\n'), quote = match64(p, '"');
    const uint64_t lines = cr | (lf & ~(cr << 1 | (before == '\r')));
    uint64_t quoted = 0;

    if (quote != 0 || c->in_quote) {
        const bool fresh = before == c->sep || before == '\n' || before == '\r' ||
                           (before == '"' && c->after_quote);
        quoted = find_quoted(c, quote, (seps | cr | lf) << 1 | fresh);
    }
    c->high |= high64(p);
    c->quoted_lines |= (lines & quoted) != 0;
    c->careful = c->in_quote || cr >> 63;
    return (struct marks){(seps | lines) & ~quoted, lines & ~quoted};
}

/* The last block, copied so that nothing is read past the end of the text. */
static struct marks mark_tail(struct ttp_csv *c, size_t at)
{
    const size_t left = c->text.len - at;
    char tail[64] = {0};

    memcpy(tail, c->text.ptr + at, left);
    return mark_special(c, at, tail, ((uint64_t)1 << left) - 1);
}

/* A block that lies wholly in the text. */
TTP_INLINE struct marks mark_block(struct ttp_csv *c, size_t at)
{
    const char *p = c->text.ptr + at;
    struct marks m;

    if (TTP_UNLIKELY(!plain64(p, c->sep, &m.ends, &m.rows) || c->careful))
        return mark_special(c, at, p, UINT64_MAX);
    m.ends |= m.rows;
    return m;
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

/* Write the ends of a block to `end`, if there is room for 64; returns how many. */
TTP_INLINE size_t write_ends(uint32_t *end, size_t block, uint64_t mask)
{
    const size_t count = count_bits(mask);
    const uint32_t at = (uint32_t)block;

    mask = write8(end, at, mask);
    if (TTP_UNLIKELY(count > 8))
        for (size_t i = 8; i < count; i += 8)
            mask = write8(end + i, at, mask);
    return count;
}

/* Write which ends are row ends, where the first end of the block is number `first`; returns how
 * many. At most one is the rule. */
TTP_INLINE size_t write_row_ends(uint16_t *row_end, size_t first, struct marks m)
{
    size_t n = 0;

    do {
        const uint64_t before = m.ends & ((m.rows & -m.rows) - 1);
        row_end[n] = (uint16_t)(first + count_bits(before));
        n += m.rows != 0;
        m.rows &= m.rows - 1;
    } while (TTP_UNLIKELY(m.rows != 0));
    return n;
}

/* Write the ends of four blocks, if there is room for 256 and for eight that do not count. */
TTP_INLINE void write_group(uint32_t *end, size_t at, uint64_t a, uint64_t b, uint64_t c,
                            uint64_t d)
{
#ifdef KERNEL_SPARSE
    if (TTP_LIKELY(write_sparse(end, at, a, b, c, d)))
        return;
#endif
    end += write_ends(end, at, a);
    end += write_ends(end, at + 64, b);
    end += write_ends(end, at + 128, c);
    write_ends(end, at + 192, d);
}

/* How far look_ahead() has come. */
struct listed {
    size_t ends, rows;
};

#ifdef KERNEL_GROUP
/* Four blocks that lie wholly in the text, whose bytes are at p. */
TTP_INLINE void mark_group(struct ttp_csv *c, size_t at, const char *p, char sep, struct marks m[4])
{
    uint64_t seps[4], lf[4];

    if (TTP_UNLIKELY(!plain256(p, sep, seps, lf) || c->careful)) {
        for (size_t i = 0; i < 4; i++)
            m[i] = mark_block(c, at + 64 * i);
        return;
    }
    for (size_t i = 0; i < 4; i++)
        m[i] = (struct marks){seps[i] | lf[i], lf[i]};
}

/* write_row_ends() of four blocks; not inlined, because list_group() needs the registers. */
static TTP_NOINLINE size_t write_group_rows(uint16_t *row_end, size_t first,
                                            const struct marks m[4])
{
    size_t n = 0;

    for (size_t i = 0; i < 4; i++) {
        n += write_row_ends(row_end + n, first, m[i]);
        first += count_bits(m[i].ends);
    }
    return n;
}

/* List the ends of four blocks, whose bytes are at p. */
TTP_INLINE struct listed list_group(struct ttp_csv *c, size_t at, const char *p, char sep,
                                    struct listed n)
{
    struct marks m[4];

    mark_group(c, at, p, sep, m);
    if (m[0].rows | m[1].rows | m[2].rows | m[3].rows) {
        const struct marks copy[4] = {m[0], m[1], m[2], m[3]}; /* so that m needs no memory */
        n.rows += write_group_rows(c->row_end + n.rows, n.ends, copy);
    }
    write_group(c->end + n.ends, at, m[0].ends, m[1].ends, m[2].ends, m[3].ends);
    n.ends += count_bits(m[0].ends) + count_bits(m[1].ends) + count_bits(m[2].ends) +
              count_bits(m[3].ends);
    return n;
}
#else
/* List the ends of four blocks. */
TTP_INLINE struct listed list_group(struct ttp_csv *c, size_t at, const char *p, char sep,
                                    struct listed n)
{
    const struct marks m0 = mark_block(c, at), m1 = mark_block(c, at + 64);
    const struct marks m2 = mark_block(c, at + 128), m3 = mark_block(c, at + 192);
    const size_t first1 = n.ends + count_bits(m0.ends), first2 = first1 + count_bits(m1.ends);
    const size_t first3 = first2 + count_bits(m2.ends);

    (void)p;
    (void)sep;
    if (m0.rows | m1.rows | m2.rows | m3.rows) {
        n.rows += write_row_ends(c->row_end + n.rows, n.ends, m0);
        n.rows += write_row_ends(c->row_end + n.rows, first1, m1);
        n.rows += write_row_ends(c->row_end + n.rows, first2, m2);
        n.rows += write_row_ends(c->row_end + n.rows, first3, m3);
    }
    write_group(c->end + n.ends, at, m0.ends, m1.ends, m2.ends, m3.ends);
    n.ends = first3 + count_bits(m3.ends);
    return n;
}
#endif

/* List the ends of the next blocks, four at a time; what was listed before is gone. */
static TTP_NOINLINE void look_ahead(struct ttp_csv *c)
{
    const size_t len = c->text.len, room = 256 + 8; /* for a group, and what is written beyond it */
    const char *const text = c->text.ptr, sep = c->sep; /* writing through c->end hides them */
    struct listed n = {0};
    size_t at = c->marked;

    while (len - at >= 256 && n.ends <= TTP_CSV_AHEAD - room &&
           n.rows <= TTP_CSV_ROWS_AHEAD - room) {
        n = list_group(c, at, text + at, sep, n);
        at += 256;
    }
    while (len - at < 256 && at < len && n.ends <= TTP_CSV_AHEAD - room &&
           n.rows <= TTP_CSV_ROWS_AHEAD - room) {
        const struct marks m = len - at >= 64 ? mark_block(c, at) : mark_tail(c, at);
        n.rows += write_row_ends(c->row_end + n.rows, n.ends, m);
        n.ends += write_ends(c->end + n.ends, at, m.ends);
        at = len - at >= 64 ? at + 64 : len;
    }
    c->marked = at;
    c->nends = n.ends;
    c->nrows = n.rows;
    c->taken = c->rows_taken = 0;
}

/* Copies `count` positions. Rows have so few that a call of memcpy() would cost more than the copy.
 */
TTP_INLINE void copy_ends(uint32_t *to, const uint32_t *from, size_t count)
{
    enum { CHUNK = 8 };

    if (count < CHUNK) {
        for (size_t i = 0; i < count; i++)
            to[i] = from[i];
        return;
    }
    for (size_t i = 0; i < count - CHUNK; i += CHUNK)
        memcpy(to + i, from + i, CHUNK * sizeof(*to));
    memcpy(to + count - CHUNK, from + count - CHUNK,
           CHUNK * sizeof(*to)); /* may overlap the last */
}

/* Hand out the listed ends before `upto` as the fields from n on; returns the new n. */
TTP_INLINE size_t take_ends(struct ttp_csv *c, const struct ttp_csv_row *row, size_t n, size_t upto)
{
    const size_t count = upto - c->taken;
    const size_t room = row->max > n ? row->max - n : 0;

    if (room != 0)
        copy_ends(row->end + n, c->end + c->taken, count < room ? count : room);
    c->taken = upto;
    return n + count;
}

/* The fields up to the next row end, which is returned (text.len: the text ends first). */
TTP_INLINE size_t take_row(struct ttp_csv *c, struct ttp_csv_row *row)
{
    size_t n = 0;

    while (c->rows_taken == c->nrows) {
        n = take_ends(c, row, n, c->nends);
        if (c->marked >= c->text.len) {
            if (n < row->max)
                row->end[n] = (uint32_t)c->text.len;
            row->nfields = n + 1;
            return c->text.len;
        }
        look_ahead(c);
    }
    const size_t last = c->row_end[c->rows_taken++];
    row->nfields = take_ends(c, row, n, last + 1);
    return c->end[last];
}

/* Line ends in [from, to), a CRLF counted once. */
static size_t count_lines(ttp_str text, size_t from, size_t to)
{
    size_t n = 0;

    for (size_t i = from; i < to; i++)
        n += text.ptr[i] == '\r' || (text.ptr[i] == '\n' && (i == 0 || text.ptr[i - 1] != '\r'));
    return n;
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

    while (c->row < text.len) {
        const size_t start = c->row;
        row->start = start;
        row->line = c->lines;
        const size_t end = take_row(c, row);
        row->open_quote = end == text.len && c->in_quote;
        if (TTP_UNLIKELY(c->quoted_lines)) /* then those before the row's end are quoted */
            c->lines += count_lines(text, start, end);
        if (end == text.len) {
            c->row = end;
        } else {
            c->row = after_end(text, end);
            c->lines++;
        }
        if (row->nfields > 1 || !is_blank(text.ptr + start, end - start))
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
    size_t end = 0;

    if (last || text.len == 0)
        return text.len;
    if (text.ptr[text.len - 1] == '\r')
        c.text.len--; /* perhaps half of a CRLF; the row waits for the next byte */
    const char *quote = memchr(text.ptr, '"', c.text.len);
    if (!quote)
        return last_line_end(c.text);
    const size_t clean = (size_t)(quote - text.ptr), whole = c.text.len & ~(size_t)63;
    for (size_t at = clean & ~(size_t)63; at < c.text.len; at += 64) {
        const struct marks m = at < whole ? mark_block(&c, at) : mark_tail(&c, at);
        if (m.rows)
            end = after_end(c.text, at + 63 - (unsigned)__builtin_clzll(m.rows));
    }
    return end ? end : last_line_end((ttp_str){text.ptr, clean});
}

static size_t count(ttp_str text, char sep)
{
    struct ttp_csv c = {.text = text, .sep = sep};
    const size_t whole = text.len & ~(size_t)63;
    size_t n = 0, at = 0;

#ifdef KERNEL_GROUP
    for (; whole - at >= 256; at += 256) {
        struct marks m[4];

        mark_group(&c, at, text.ptr + at, sep, m);
        n += count_bits(m[0].ends) + count_bits(m[1].ends) + count_bits(m[2].ends) +
             count_bits(m[3].ends);
    }
#endif
    for (; at < whole; at += 64)
        n += count_bits(mark_block(&c, at).ends);
    if (whole < text.len)
        n += count_bits(mark_tail(&c, whole).ends);
    return n;
}

const struct ttp_csv_kernel KERNEL = {KERNEL_NAME, next, whole_rows, count};
