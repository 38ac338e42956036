/* SPDX-License-Identifier: Apache-2.0 */
/* trace_csv.c - zones and messages as CSV, with the columns of Tracy's csvexport, which tt-metal's
 * scripts and `ops` read. */
#include "capture/csv_rows.h"

#include "base/order.h"
#include "capture/bytes.h"

#define MISSING ((ttp_str){0})

static ttp_str separator(const struct ttp_csv_options *o)
{
    return ttp_str_from(o->sep ? o->sep : ",");
}

struct ttp_csv_rows ttp_capture_trace_csv_begin(struct ttp_sink *out, const struct ttp_trace *trace,
                                                const struct ttp_csv_options *options)
{
    return (struct ttp_csv_rows){
        .out = out, .trace = trace, .options = options, .sep = separator(options)};
}

/* ---- messages ---- */

struct dated {
    int64_t ns;
    uint32_t at;
};

static int by_time(const void *a, const void *b)
{
    const struct dated *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return x->at > y->at ? -1 : x->at < y->at; /* later arrivals first */
}

const struct ttp_trace_message **ttp_capture_trace_sort_messages(const struct ttp_trace *trace,
                                                                 struct ttp_arena *arena)
{
    struct ttp_arena scratch = {0};
    struct dated *order = TTP_NEW(&scratch, struct dated, trace->nmessages + 1);
    const struct ttp_trace_message **out =
        TTP_NEW(arena, const struct ttp_trace_message *, trace->nmessages + 1);

    for (size_t i = 0; i < trace->nmessages; i++)
        order[i] = (struct dated){trace->message[i].ns, (uint32_t)i};
    /* a .tracy file holds them in this order already */
    if (trace->kind != TTP_TRACE_TRACY)
        TTP_SORT(order, trace->nmessages, by_time);
    for (size_t i = 0; i < trace->nmessages; i++)
        out[i] = &trace->message[order[i].at];
    ttp_arena_free(&scratch);
    return out;
}

void ttp_capture_trace_write_messages(struct ttp_sink *out, const struct ttp_trace *trace,
                                      const struct ttp_csv_options *options,
                                      struct ttp_arena *scratch)
{
    const ttp_str sep = separator(options);
    const struct ttp_trace_message **message = ttp_capture_trace_sort_messages(trace, scratch);

    if (trace->nmessages == 0) {
        ttp_sink_put(out, TTP_STR("There are currently no messages!\n"));
        return;
    }
    ttp_sink_put(out, TTP_STR("MessageName"));
    ttp_sink_put(out, sep);
    ttp_sink_put(out, TTP_STR("total_ns\n"));
    for (size_t i = 0; i < trace->nmessages; i++) {
        ttp_sink_put(out, message[i]->text);
        ttp_sink_put(out, sep);
        ttp_sink_i64(out, message[i]->ns);
        ttp_sink_char(out, '\n');
    }
}

/* ---- zones by source location ---- */

static bool counts(const struct ttp_trace_zones *z, size_t i)
{
    return z->end_ns[i] != TTP_ZONE_OPEN && z->end_ns[i] > z->start_ns[i];
}

/* Zones, and what they are sorted by. */
struct sorting {
    const struct ttp_trace_zones *z;
    const uint32_t *key;
};

/* One pass of a stable counting sort; `from` NULL: all zones that count, in order. */
static void pass(uint32_t *to, const uint32_t *from, size_t n, struct sorting by, size_t *start)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t at = from ? from[i] : (uint32_t)i;

        if (from || counts(by.z, at))
            to[start[by.key[at]]++] = at;
    }
}

/* Where each key starts, of the zones that count. */
static size_t *starts(const struct ttp_trace_zones *z, const uint32_t *key, size_t keys,
                      struct ttp_arena *scratch)
{
    size_t *start = ttp_arena_resize(scratch, NULL, (keys + 2) * sizeof(*start));

    for (size_t i = 0; i < z->count; i++)
        if (counts(z, i))
            start[key[i] + 1]++;
    for (size_t k = 0; k < keys; k++)
        start[k + 1] += start[k];
    return start;
}

struct ttp_csv_groups ttp_capture_trace_csv_group(const struct ttp_trace *trace,
                                                  struct ttp_arena *scratch)
{
    const struct ttp_trace_zones *z = &trace->zone;
    const size_t bytes = (z->count + 1) * sizeof(uint32_t);
    struct ttp_csv_groups g;

    size_t *by_thread = starts(z, z->thread, trace->nthreads, scratch);
    const size_t n = by_thread[trace->nthreads];
    g.first = starts(z, z->source, trace->nsources, scratch);
    size_t *moving = ttp_arena_resize(scratch, NULL, (trace->nsources + 2) * sizeof(*moving));
    memcpy(moving, g.first, (trace->nsources + 1) * sizeof(*moving));
    uint32_t *half = ttp_arena_resize(scratch, NULL, bytes);
    g.zone = ttp_arena_resize(scratch, NULL, bytes);
    pass(half, NULL, z->count, (struct sorting){z, z->thread}, by_thread);
    pass(g.zone, half, n, (struct sorting){z, z->source}, moving);
    return g;
}

static bool has_any_case(ttp_str s, ttp_str what)
{
    for (size_t i = 0; i + what.len <= s.len; i++)
        if (ttp_str_eq_any_case(ttp_str_slice(s, i, i + what.len), what))
            return true;
    return false;
}

bool ttp_capture_trace_csv_is_selected(const struct ttp_csv_rows *w, uint32_t source)
{
    const struct ttp_csv_options *o = w->options;
    const ttp_str name = ttp_sym_name(&w->trace->names, w->trace->source[source].name);
    const ttp_str filter = ttp_str_from(o->filter);

    if (filter.len == 0)
        return true;
    return o->filter_case ? ttp_str_has(name, filter) : has_any_case(name, filter);
}

int64_t *ttp_capture_trace_csv_child_times(const struct ttp_trace_zones *z,
                                           struct ttp_arena *scratch)
{
    int64_t *sum = ttp_arena_resize(scratch, NULL, (z->count + 1) * sizeof(*sum));

    for (size_t i = 0; i < z->count; i++)
        if (z->parent[i] != TTP_ZONE_NONE && z->end_ns[i] != TTP_ZONE_OPEN)
            sum[z->parent[i]] = ttp_wrap_add(sum[z->parent[i]], ttp_trace_csv_span(z, i));
    return sum;
}

/* ---- one row a zone ---- */

static void put_quoted(struct ttp_sink *out, ttp_str s, bool raw)
{
    ttp_sink_char(out, '"');
    for (size_t at; !raw && (at = ttp_str_find_char(s, '"')) != TTP_NPOS;) {
        ttp_sink_put(out, ttp_str_slice(s, 0, at + 1));
        ttp_sink_char(out, '"');
        s = ttp_str_slice(s, at + 1, s.len);
    }
    ttp_sink_put(out, s);
    ttp_sink_char(out, '"');
}

void ttp_capture_trace_csv_put_cell(const struct ttp_csv_rows *w, ttp_str s)
{
    if (s.len == 0)
        return;
    const bool plain =
        w->options->raw_cells ||
        (!ttp_str_has(s, w->sep) && ttp_str_find_char(s, '"') == TTP_NPOS &&
         ttp_str_find_char(s, '\n') == TTP_NPOS && ttp_str_find_char(s, '\r') == TTP_NPOS);
    if (plain)
        ttp_sink_put(w->out, s);
    else
        put_quoted(w->out, s, false);
}

/* For each zone the nearest around it whose name has the word, or TTP_ZONE_NONE. Those around a
 * zone are before it. */
static uint32_t *find_parents(const struct ttp_csv_rows *w, struct ttp_arena *scratch)
{
    const struct ttp_trace *trace = w->trace;
    const struct ttp_trace_zones *z = &trace->zone;
    const ttp_str word = ttp_str_from(w->options->parent);
    uint32_t *found = ttp_arena_resize(scratch, NULL, (z->count + 1) * sizeof(*found));
    bool *has = TTP_NEW(scratch, bool, trace->nsources + 1);

    for (size_t i = 0; i < trace->nsources; i++)
        has[i] = ttp_str_has(ttp_sym_name(&trace->names, trace->source[i].name), word);
    for (size_t i = 0; i < z->count; i++) {
        const uint32_t p = z->parent[i];

        found[i] = p == TTP_ZONE_NONE ? TTP_ZONE_NONE : has[z->source[p]] ? p : found[p];
    }
    return found;
}

/* Its text. */
static ttp_str parent_text(const struct ttp_csv_rows *w, uint32_t zone, bool *has)
{
    const struct ttp_trace_zones *z = &w->trace->zone;
    const uint32_t p = w->parent[zone];

    *has =
        p != TTP_ZONE_NONE && z->extra[p] != TTP_ZONE_NONE && z->note[z->extra[p]].text.ptr != NULL;
    return *has ? z->note[z->extra[p]].text : MISSING;
}

static void read_note(struct ttp_csv_rows *w, uint32_t zone)
{
    const struct ttp_trace_zones *z = &w->trace->zone;
    const struct ttp_zone_note *note =
        z->extra[zone] == TTP_ZONE_NONE ? NULL : &z->note[z->extra[zone]];
    bool has = false;

    if (!w->options->sticky_cells) {
        w->zone_name = w->zone_text = w->parent_text = MISSING;
        w->has_text = false;
    }
    if (note && note->name.ptr)
        w->zone_name = note->name;
    if (note && note->text.ptr) {
        w->zone_text = note->text;
        w->has_text = true;
    }
    if (w->special) {
        const ttp_str text = parent_text(w, zone, &has);
        if (has)
            w->parent_text = text;
    } else if (w->is_parent && note && note->text.ptr) {
        w->parent_text = note->text;
    }
}

/* Numbers of a row: three of them, with separators and the end of the line. */
#define NUMBERS_MAX ((size_t)3 * TTP_NUM_MAX)
/* Zones of a source location lie far apart: the next ones are fetched ahead. */
#define AHEAD 12

static void fetch(const struct ttp_trace_zones *z, uint32_t zone)
{
    __builtin_prefetch(&z->start_ns[zone]);
    __builtin_prefetch(&z->end_ns[zone]);
    __builtin_prefetch(&z->thread[zone]);
    __builtin_prefetch(&z->extra[zone]);
}

static char *append(char *to, ttp_str s)
{
    memcpy(to, s.ptr, s.len);
    return to + s.len;
}

static void put_times(const struct ttp_csv_rows *w, uint32_t zone)
{
    const struct ttp_trace_zones *z = &w->trace->zone;
    const int64_t own = ttp_trace_csv_span(z, zone);
    char *start = ttp_sink_room(w->out, NUMBERS_MAX + 3 * w->sep.len), *p = start;

    p += ttp_num_i64(p, z->start_ns[zone]);
    p = append(p, w->sep);
    p += ttp_num_i64(p, w->child_ns ? ttp_wrap_sub(own, w->child_ns[zone]) : own);
    p = append(p, w->sep);
    p += ttp_num_i64(p, w->trace->thread[z->thread[zone]].index);
    w->out->len += (size_t)(p - start);
}

static void put_zone(void *arg, const struct ttp_csv_rows *w, uint32_t zone)
{
    struct ttp_sink *out = arg;

    ttp_sink_put(out, w->head);
    if (w->options->generation != TTP_CSV_UPSTREAM) {
        ttp_capture_trace_csv_put_cell(w, w->zone_name);
        ttp_sink_put(out, w->sep);
        if (w->has_text)
            put_quoted(out, w->zone_text, w->options->raw_cells);
        ttp_sink_put(out, w->sep);
    }
    put_times(w, zone);
    if (w->options->generation != TTP_CSV_0_10) {
        ttp_sink_put(out, w->sep);
        ttp_capture_trace_csv_put_cell(w, w->zone_text);
    }
    if (w->options->generation != TTP_CSV_UPSTREAM) {
        ttp_sink_put(out, w->sep);
        ttp_capture_trace_csv_put_cell(w, w->parent_text);
    }
    ttp_sink_char(out, '\n');
}

static bool is_special(ttp_str name, const struct ttp_csv_options *o)
{
    for (size_t i = 0; o->parent && o->parent[0] && i < o->special.count; i++)
        if (ttp_str_eq(name, ttp_str_from(o->special.word[i])))
            return true;
    return false;
}

void ttp_capture_trace_csv_put_head(struct ttp_csv_rows *w, uint32_t source,
                                    struct ttp_arena *arena)
{
    const struct ttp_trace_source *s = &w->trace->source[source];
    struct ttp_sink head;
    struct ttp_csv_rows cells = *w;

    ttp_sink_to_arena(&head, arena);
    cells.out = &head;
    w->name = ttp_sym_name(&w->trace->names, s->name);
    ttp_capture_trace_csv_put_cell(&cells, w->name);
    ttp_sink_put(&head, w->sep);
    ttp_capture_trace_csv_put_cell(&cells, ttp_sym_name(&w->trace->names, s->file));
    ttp_sink_put(&head, w->sep);
    ttp_sink_u64(&head, s->line);
    ttp_sink_put(&head, w->sep);
    w->head = ttp_sink_text(&head);
    w->special = is_special(w->name, w->options);
    w->is_parent = w->options->generation == TTP_CSV_0_13 && w->options->parent &&
                   w->options->parent[0] && ttp_str_has(w->name, ttp_str_from(w->options->parent));
}

void ttp_capture_trace_csv_put_header(const struct ttp_csv_rows *w, const char *const *columns)
{
    for (size_t i = 0; columns[i]; i++) {
        if (i)
            ttp_sink_put(w->out, w->sep);
        ttp_sink_put(w->out, ttp_str_from(columns[i]));
    }
    ttp_sink_char(w->out, '\n');
}

static void walk_zones(struct ttp_csv_rows *w, ttp_csv_zone_fn *take, void *arg,
                       struct ttp_arena *scratch)
{
    const struct ttp_trace *trace = w->trace;
    const struct ttp_csv_groups g = ttp_capture_trace_csv_group(trace, scratch);
    struct ttp_arena own = {0}; /* the sink may live in `scratch` */

    for (uint32_t source = 0; source < trace->nsources; source++) {
        if (g.first[source] == g.first[source + 1] || !ttp_capture_trace_csv_is_selected(w, source))
            continue;
        w->zone_name = w->zone_text = w->parent_text = MISSING;
        w->has_text = false;
        ttp_capture_trace_csv_put_head(w, source, &own);
        if (w->special && !w->parent)
            w->parent = find_parents(w, scratch);
        for (size_t i = g.first[source], end = g.first[source + 1]; i < end; i++) {
            if (end - i > AHEAD)
                fetch(&trace->zone, g.zone[i + AHEAD]);
            read_note(w, g.zone[i]);
            take(arg, w, g.zone[i]);
        }
        ttp_arena_reset(&own);
    }
    ttp_arena_free(&own);
}

void ttp_capture_trace_each_zone(const struct ttp_trace *trace,
                                 const struct ttp_csv_options *options, ttp_csv_zone_fn *take,
                                 void *arg, struct ttp_arena *scratch)
{
    struct ttp_csv_rows w = ttp_capture_trace_csv_begin(NULL, trace, options);

    walk_zones(&w, take, arg, scratch);
}

void ttp_capture_trace_write_zones(struct ttp_sink *out, const struct ttp_trace *trace,
                                   const struct ttp_csv_options *options, struct ttp_arena *scratch)
{
    static const char *const columns[][12] = {
        [TTP_CSV_0_10] = {"name", "src_file", "src_line", "zone_name", "zone_text",
                          "ns_since_start", "exec_time_ns", "thread", "special_parent_text"},
        [TTP_CSV_0_13] = {"name", "src_file", "src_line", "zone_name", "zone_text",
                          "ns_since_start", "exec_time_ns", "thread", "value",
                          "special_parent_text"},
        [TTP_CSV_UPSTREAM] = {"name", "src_file", "src_line", "ns_since_start", "exec_time_ns",
                              "thread", "value"},
    };
    struct ttp_csv_rows w = ttp_capture_trace_csv_begin(out, trace, options);

    if (options->self_time)
        w.child_ns = ttp_capture_trace_csv_child_times(&trace->zone, scratch);
    ttp_capture_trace_csv_put_header(&w, columns[options->generation]);
    walk_zones(&w, put_zone, out, scratch);
}
