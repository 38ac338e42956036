/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh/sequence.h"

/* Cells of the table of a comparison: 64 MB. */
#define MAX_CELLS   ((size_t)16 << 20)
#define SHIFT_EQUAL 0.98

/* A piece of a sequence, maybe read backwards. */
struct piece {
    const uint64_t *sign;
    const size_t *at; /* positions of the items; NULL: all from `from` on */
    size_t from, count;
    bool backwards;
};

static size_t place(const struct piece *p, size_t k)
{
    const size_t i = p->backwards ? p->count - 1 - k : k;
    return p->at ? p->at[i] : p->from + i;
}

static bool same(const struct piece *a, size_t i, const struct piece *b, size_t j)
{
    return a->sign[place(a, i)] == b->sign[place(b, j)];
}

/* Longest common subsequence, earliest matches first. */
static bool common(size_t *match, const struct piece *a, const struct piece *b,
                   struct ttp_arena *scratch)
{
    const size_t width = b->count + 1;
    size_t i, j;

    if (a->count == 0 || b->count == 0)
        return true;
    if (a->count >= MAX_CELLS / width)
        return false;
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    uint32_t *best = TTP_NEW(scratch, uint32_t, (a->count + 1) * width);
    for (i = a->count; i-- > 0;)
        for (j = b->count; j-- > 0;) {
            const uint32_t down = best[(i + 1) * width + j], right = best[i * width + j + 1];
            uint32_t v = down > right ? down : right;
            if (same(a, i, b, j) && best[(i + 1) * width + j + 1] + 1 > v)
                v = best[(i + 1) * width + j + 1] + 1;
            best[i * width + j] = v;
        }
    for (i = j = 0; i < a->count && j < b->count;) {
        if (same(a, i, b, j) && best[i * width + j] == best[(i + 1) * width + j + 1] + 1) {
            match[place(b, j)] = place(a, i);
            i++;
            j++;
        } else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) {
            i++;
        } else {
            j++;
        }
    }
    ttp_arena_rewind(scratch, mark);
    return true;
}

static size_t *list_anchors(const struct ttp_mesh_line *line, size_t *n, struct ttp_arena *arena)
{
    size_t *at = TTP_NEW(arena, size_t, line->count);

    *n = 0;
    for (size_t i = 0; i < line->count; i++)
        if (line->anchor[i])
            at[(*n)++] = i;
    return at;
}

/* What lies between two matched anchors on both sides. Anchors there stay unmatched. */
/* The ops of both lines between two anchors. */
struct between {
    size_t from[2], to[2];
    bool late;
};

static bool match_between(size_t *match, const struct ttp_mesh_line *a,
                          const struct ttp_mesh_line *b, const struct between *in,
                          struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    size_t *at[2], n[2] = {0, 0};

    for (int side = 0; side < 2; side++) {
        const struct ttp_mesh_line *line = side ? b : a;
        at[side] = TTP_NEW(scratch, size_t, in->to[side] - in->from[side] + 1);
        for (size_t i = in->from[side]; i < in->to[side]; i++)
            if (!line->anchor[i])
                at[side][n[side]++] = i;
    }
    const struct piece pa = {.sign = a->sign, .at = at[0], .count = n[0], .backwards = in->late},
                       pb = {.sign = b->sign, .at = at[1], .count = n[1], .backwards = in->late};
    const bool fine = common(match, &pa, &pb, scratch);
    ttp_arena_rewind(scratch, mark);
    return fine;
}

bool ttp_mesh_sequence_common(size_t *match, const struct ttp_mesh_line *a,
                              const struct ttp_mesh_line *b, bool late, struct ttp_arena *scratch)
{
    struct piece pa = {.sign = a->sign, .backwards = late},
                 pb = {.sign = b->sign, .backwards = late};
    struct between in = {.late = late};
    bool fine;

    for (size_t i = 0; i < b->count; i++)
        match[i] = TTP_NPOS;
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    pa.at = list_anchors(a, &pa.count, scratch);
    pb.at = list_anchors(b, &pb.count, scratch);
    fine = common(match, &pa, &pb, scratch);
    for (size_t j = 0; j <= b->count && fine; j++) {
        if (j < b->count && (!b->anchor[j] || match[j] == TTP_NPOS))
            continue;
        in.to[0] = j < b->count ? match[j] : a->count;
        in.to[1] = j;
        fine = match_between(match, a, b, &in, scratch);
        in.from[0] = in.to[0] + 1;
        in.from[1] = in.to[1] + 1;
    }
    ttp_arena_rewind(scratch, mark);
    return fine;
}

size_t ttp_mesh_sequence_shifts(int64_t *shift, size_t max, const struct ttp_mesh_line *a,
                                const struct ttp_mesh_line *b)
{
    const int64_t na = (int64_t)a->count, nb = (int64_t)b->count;
    const int64_t shorter = na < nb ? na : nb;
    size_t n = 0;

    for (int64_t s = -nb + 1; s < na; s++) {
        const int64_t from = s < 0 ? -s : 0, to = nb + s < na ? nb : na - s;
        if ((to - from) * 2 < shorter || to <= from)
            continue;
        const int64_t limit = (int64_t)((1 - SHIFT_EQUAL) * (double)(to - from));
        int64_t unequal = 0;
        for (int64_t k = from; k < to && unequal <= limit; k++)
            unequal += a->sign[k + s] != b->sign[k];
        if (unequal > limit)
            continue;
        if (n < max)
            shift[n] = s;
        n++;
    }
    return n;
}

size_t ttp_mesh_sequence_period(const uint64_t *sign, size_t count)
{
    for (size_t p = 1; p <= count / 2; p++) {
        const size_t limit = (count - p) / 200;
        size_t unequal = 0;
        for (size_t k = 0; k + p < count && unequal <= limit; k++)
            unequal += sign[k] != sign[k + p];
        if (unequal <= limit)
            return p;
    }
    return count;
}
