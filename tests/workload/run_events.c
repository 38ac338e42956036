/* SPDX-License-Identifier: Apache-2.0 */
#include "run_events.h"

#include <stdlib.h>

#include "base/csv.h"

struct zone {
    uint64_t start, end;
    ttp_str text;
    const struct tc_source *source;
    bool of_op; /* an op's, or one within it */
};

enum { COLUMNS = 10, NAME = 0, FILE_NAME, LINE, TEXT = 4, START, TOOK, PARENT = 9 };
enum { MAX_THREADS = 256, MAX_DEPTH = 64 };

/* --- reading --- */

static const struct tc_source *find_source(struct tc_source *list, size_t *count, ttp_str name,
                                           ttp_str file, uint64_t line, struct ttp_arena *arena)
{
    for (size_t i = 0; i < *count; i++)
        if (list[i].line == line && ttp_str_eq(ttp_str_from(list[i].name), name) &&
            ttp_str_eq(ttp_str_from(list[i].file), file))
            return &list[i];
    struct tc_source *s = &list[(*count)++];
    s->name = ttp_arena_zstr(arena, name);
    s->file = ttp_arena_zstr(arena, file);
    s->function = "operator()";
    s->line = (uint32_t)line;
    return s;
}

static size_t count_lines(ttp_str text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        n += text.ptr[i] == '\n';
    return n;
}

static struct zone *read_zones(size_t *count, ttp_str text, struct ttp_arena *arena)
{
    struct ttp_csv csv = {.text = text, .sep = ','};
    uint32_t end[COLUMNS];
    struct ttp_csv_row row = {.end = end, .max = COLUMNS};
    struct zone *zones = TTP_NEW(arena, struct zone, count_lines(text) + 1);
    struct tc_source *sources = TTP_NEW(arena, struct tc_source, 1024);
    size_t n = 0, nsources = 0;

    (void)ttp_csv_next(&csv, &row); /* names of columns */
    while (ttp_csv_next(&csv, &row) && nsources < 1024) {
        uint64_t line, start, took;

        if (row.nfields < COLUMNS ||
            !ttp_str_to_u64(ttp_csv_field(&csv, &row, LINE, arena), &line) ||
            !ttp_str_to_u64(ttp_csv_field(&csv, &row, START, arena), &start) ||
            !ttp_str_to_u64(ttp_csv_field(&csv, &row, TOOK, arena), &took))
            continue;
        struct zone *z = &zones[n++];
        z->start = start;
        z->end = start + took;
        z->of_op = ttp_csv_field(&csv, &row, PARENT, arena).len > 0;
        z->text = ttp_csv_field(&csv, &row, TEXT, arena);
        z->source = find_source(sources, &nsources, ttp_csv_field(&csv, &row, NAME, arena),
                                ttp_csv_field(&csv, &row, FILE_NAME, arena), line, arena);
    }
    *count = n;
    return zones;
}

/* A message in back-ticks continues to the back-tick before its time; others are a line. */
static bool next_message(ttp_str *rest, ttp_str *text, uint64_t *ns)
{
    const bool quoted = rest->len && rest->ptr[0] == '`';
    size_t end = quoted ? ttp_str_find(ttp_str_slice(*rest, 1, rest->len), TTP_STR("`;"))
                        : ttp_str_find_char(*rest, '\n');

    if (end == TTP_NPOS)
        return false;
    if (quoted) {
        end += 2; /* both back-ticks belong to it */
        *text = ttp_str_slice(*rest, 0, end);
    } else {
        while (end > 0 && rest->ptr[end] != ';')
            end--;
        *text = ttp_str_slice(*rest, 0, end);
    }
    const ttp_str tail = ttp_str_slice(*rest, end + 1, rest->len);
    const size_t line = ttp_str_find_char(tail, '\n');
    if (line == TTP_NPOS || !ttp_str_to_u64(ttp_str_slice(tail, 0, line), ns))
        return false;
    *rest = ttp_str_slice(tail, line + 1, tail.len);
    return true;
}

/* --- threads --- */

static int by_nesting(const void *a, const void *b)
{
    const struct zone *x = a, *y = b;

    if (x->of_op != y->of_op)
        return x->of_op ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->end == y->end ? 0 : x->end > y->end ? -1 : 1;
}

struct stacks {
    uint64_t end[MAX_THREADS][MAX_DEPTH];
    size_t depth[MAX_THREADS];
    uint32_t threads;
};

/* The first thread on which the zone lies within what is open, or next to it. Those of ops are on
 * the first, and nothing else is: it might reach over the end of one. */
static uint32_t place(struct stacks *s, const struct zone *z)
{
    for (uint32_t t = z->of_op ? 0 : 1; t < MAX_THREADS; t++) {
        while (s->depth[t] && s->end[t][s->depth[t] - 1] <= z->start)
            s->depth[t]--;
        const size_t d = s->depth[t];
        if (d == MAX_DEPTH || (d && s->end[t][d - 1] < z->end))
            continue;
        s->end[t][s->depth[t]++] = z->end;
        if (t + 1 > s->threads)
            s->threads = t + 1;
        return t + 1;
    }
    abort(); /* synth overlaps a dozen at most */
}

static int by_time(const void *a, const void *b)
{
    const struct run_event *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    if (x->kind != y->kind)
        return (int)x->kind - (int)y->kind; /* ends before begins */
    if (x->kind != RUN_MESSAGE && x->other != y->other)
        return x->other > y->other ? -1 : 1; /* what began later ends first; what ends later
                                                begins first */
    return x->number < y->number ? -1 : 1;
}

void run_events_make(struct run_events *out, ttp_str zones, ttp_str messages,
                     struct ttp_arena *arena)
{
    struct stacks *stacks = TTP_NEW(arena, struct stacks, 1);
    size_t nzones, n = 0;
    struct zone *zone = read_zones(&nzones, zones, arena);
    ttp_str text;
    uint64_t ns;

    qsort(zone, nzones, sizeof(*zone), by_nesting);
    out->event = TTP_NEW(arena, struct run_event, 2 * nzones + count_lines(messages) + 1);
    for (size_t i = 0; i < nzones; i++) {
        const uint32_t thread = place(stacks, &zone[i]);

        out->event[n++] = (struct run_event){zone[i].start, RUN_ZONE_BEGIN, thread, zone[i].end,
                                             zone[i].text,  zone[i].source, i};
        out->event[n++] = (struct run_event){zone[i].end, RUN_ZONE_END, thread,    zone[i].start,
                                             {NULL, 0},   NULL,         nzones - i};
    }
    const size_t header = ttp_str_find_char(messages, '\n');
    ttp_str rest = ttp_str_slice(messages, header == TTP_NPOS ? 0 : header + 1, messages.len);
    for (size_t i = 0; next_message(&rest, &text, &ns); i++)
        out->event[n++] = (struct run_event){ns, RUN_MESSAGE, 1, 0, text, NULL, i};
    qsort(out->event, n, sizeof(*out->event), by_time);
    out->count = n;
    out->threads = stacks->threads;
}
