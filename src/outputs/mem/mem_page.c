/* SPDX-License-Identifier: Apache-2.0 */
/* mem_text.c - the memory story of a run, for people. */
#include <stdlib.h>

#include "outputs/mem/mem_json_parts.h"
#include "outputs/show/columns_text.h"
#include "outputs/show/paint.h"

#define OPS_TITLE  "Tightest ops, L1 per bank"
#define ROWS_SHOWN 10 /* of each list, unless --top says otherwise */

/* One capture, or what there is without any. */
struct page {
    const struct ttp_mem_run *run;
    const struct ttp_mem_difference *difference; /* NULL: none was asked for */
    const struct ttp_mem_capture *capture;       /* NULL: there is none */
    size_t top;
    bool last; /* what is not of a capture follows */
};

/* A sentence, wrapped. */
static TTP_PRINTF(2, 3) void say(const struct ttp_show *p, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const ttp_str text = ttp_sink_vformat(p->arena, fmt, args);
    va_end(args);
    ttp_paint_wrapped(p->out, text, p->form == TTP_FORM_MARKDOWN ? 0 : p->width, 0, 2);
}

/* A table beside the main one: at most `top` rows. */
static void put_rows(const struct ttp_show *p, const char *title, const struct ttp_records *rows,
                     size_t top)
{
    struct ttp_records some = *rows;

    some.count = some.count < top ? some.count : top;
    ttp_show_heading(p, title);
    ttp_show_table(p, &(struct ttp_table){.rows = &some, .aside = true});
}

static const char *grouped(const struct ttp_show *p, uint64_t v)
{
    char text[TTP_NUM_MAX];

    return ttp_arena_zstr(p->arena, ttp_grouped(text, (int64_t)v));
}

static unsigned percent(uint64_t part, uint64_t all)
{
    return all ? (unsigned)(100.0 * (double)part / (double)all + 0.5) : 0;
}

/* --- the verdict --- */

static const char *part_name(int part)
{
    static const char *const names[] = {"inputs of that op",     "its intermediates",
                                        "its outputs",           "stale",
                                        "waiting for later ops", "circular buffers"};

    return names[part];
}

/* Stale buffers that were live at a counter: how many, and between which ops they were last used.
 */
static size_t stale_at(const struct ttp_mem_capture *c, uint32_t counter, uint32_t device,
                       uint32_t op, uint32_t *first, uint32_t *last)
{
    size_t n = 0;

    *first = TTP_MEM_NONE;
    *last = 0;
    for (size_t i = 0; i < c->stales; i++) {
        const struct ttp_mem_stale *s = &c->stale[i];
        const struct ttp_mem_buffer *b = &c->buffer[s->buffer];
        const uint32_t used = s->last_op;

        if (b->device != device || !ttp_mem_is_live(b, counter) ||
            (used != TTP_MEM_NONE && op != TTP_MEM_NONE && used >= op))
            continue;
        n++;
        const uint32_t id = used == TTP_MEM_NONE ? 0 : c->op[used].id;
        *first = id < *first ? id : *first;
        *last = id > *last ? id : *last;
    }
    return n;
}

static int largest_part(const struct ttp_mem_peak *peak)
{
    int best = TTP_MEM_CLASSES;
    uint64_t most = peak->cb;

    for (int k = 0; k < TTP_MEM_CLASSES; k++)
        if (peak->part[k] > most) {
            most = peak->part[k];
            best = k;
        }
    return best;
}

static void put_verdict(const struct ttp_show *p, const struct ttp_mem_capture *c, uint32_t device)
{
    const struct ttp_mem_device *d = &c->device[device];
    const struct ttp_mem_peak *peak = &d->peak;
    struct ttp_sink line;

    ttp_sink_to_arena(&line, p->arena);
    if (c->devices > 1)
        ttp_sink_printf(&line, "device %lld: ", (long long)d->id);
    ttp_sink_printf(&line, "L1 peak %s B", grouped(p, peak->l1));
    if (d->l1_bank_bytes)
        ttp_sink_printf(&line, " of %s (%u %%)", grouped(p, (uint64_t)d->l1_bank_bytes),
                        percent(peak->l1, (uint64_t)d->l1_bank_bytes));
    if (d->peak_op == TTP_MEM_NONE)
        ttp_sink_put(&line, TTP_STR(" outside of any op"));
    else
        ttp_sink_printf(&line, " at op %u %.*s", c->op[d->peak_op].id,
                        TTP_FMT(c->op[d->peak_op].name));
    if (peak->l1) {
        const int part = largest_part(peak);
        const uint64_t bytes = part == TTP_MEM_CLASSES ? peak->cb : peak->part[part];
        uint32_t first, last;

        ttp_sink_printf(&line, ": %u %% is %s", percent(bytes, peak->l1), part_name(part));
        const size_t n =
            part == TTP_MEM_STALE ? stale_at(c, peak->at, device, d->peak_op, &first, &last) : 0;
        if (n)
            ttp_sink_printf(&line, " (%zu buffer%s, unused since op %u%s%.0u)", n,
                            n == 1 ? "" : "s", first, first == last ? "" : " to ",
                            first == last ? 0 : last);
    }
    if (d->peak_inferred > peak->l1)
        ttp_sink_printf(&line, "; with circular buffers as earlier launches had them ~%s B",
                        grouped(p, d->peak_inferred));
    say(p, "%.*s", TTP_FMT(ttp_sink_text(&line)));
}

/* --- ops --- */

struct sorting {
    const struct ttp_mem_capture *capture;
};

static int by_peak(const void *a, const void *b, void *arg)
{
    const struct ttp_mem_capture *c = ((const struct sorting *)arg)->capture;
    const struct ttp_mem_line *x = a, *y = b;
    const uint64_t px = c->use[x->op * c->devices + x->device].peak_inferred,
                   py = c->use[y->op * c->devices + y->device].peak_inferred;

    if (px != py)
        return px > py ? -1 : 1;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    return (x->device > y->device) - (x->device < y->device);
}

/* Every op on every device, the tightest first for people. */
static size_t make_lines(struct ttp_mem_line **line, const struct ttp_mem_capture *c, bool sorted,
                         struct ttp_arena *arena)
{
    const size_t n = ttp_mem_lines(line, c, arena);

    if (sorted)
        qsort_r(*line, n, sizeof(**line), by_peak, &(struct sorting){c});
    return n;
}

/* --- stale buffers --- */

/* The peak if every stale buffer had been freed after its last use. */
static uint64_t peak_without_stale(const struct ttp_mem_capture *c, uint32_t device)
{
    uint64_t most = 0;

    for (size_t i = 0; i < c->ops; i++) {
        const struct ttp_mem_peak *peak = &c->use[i * c->devices + device].peak;
        const uint64_t rest = peak->l1 - peak->part[TTP_MEM_STALE];

        most = rest > most ? rest : most;
    }
    return most;
}

struct stale_context {
    const struct ttp_mem_capture *capture;
    struct ttp_arena *arena;
};

static const struct ttp_mem_buffer *stale_buffer(const struct stale_context *c,
                                                 const struct ttp_mem_stale *s)
{
    return &c->capture->buffer[s->buffer];
}

static struct ttp_value tensors_text(const struct stale_context *c, const struct ttp_mem_buffer *b)
{
    const int64_t *ids;
    const size_t n = ttp_mem_tensor_ids(&ids, c->capture, b, c->arena);
    struct ttp_sink tensors;

    ttp_sink_to_arena(&tensors, c->arena);
    for (size_t i = 0; i < n && i < 4; i++)
        ttp_sink_printf(&tensors, "%s%lld", i ? " " : "", (long long)ids[i]);
    return ttp_value_text(ttp_sink_text(&tensors));
}

static struct ttp_value last_op_text(const struct stale_context *c, const struct ttp_mem_stale *s)
{
    char text[TTP_NUM_MAX];

    if (s->last_op == TTP_MEM_NONE)
        return ttp_value_word("before");
    return ttp_value_text(
        ttp_arena_copy(c->arena, ttp_grouped(text, (int64_t)c->capture->op[s->last_op].id)));
}

#define OF_STALE(name, value) TTP_GET(name, struct stale_context, struct ttp_mem_stale, value)
OF_STALE(get_stale_bytes, ttp_value_i64((int64_t)stale_buffer(c, r)->bytes))
OF_STALE(get_stale_address, stale_buffer(c, r)->has_address
                                ? ttp_value_i64(stale_buffer(c, r)->address)
                                : (struct ttp_value){0})
OF_STALE(get_tensors, tensors_text(c, stale_buffer(c, r)))
OF_STALE(get_last_op, last_op_text(c, r))
OF_STALE(get_ops_since, ttp_value_i64((int64_t)r->ops))
OF_STALE(get_freed, ttp_value_word(stale_buffer(c, r)->freed == TTP_MEM_NONE ? "never" : "later"))
static const struct ttp_field stale_fields[] = {
    TTP_INT_COLUMN("bytes", "Size", "bytes", 0, .get = get_stale_bytes),
    TTP_INT_COLUMN("address", "Address", "", 2, .get = get_stale_address),
    TTP_WORDS_COLUMN("tensors", "Tensors", 3, .get = get_tensors),
    {.id = "last_op", TTP_SHOWN("Last Op"), .type = TTP_TEXT, .get = get_last_op},
    TTP_INT_COLUMN("ops_since", "Ops Since", "", 0, .get = get_ops_since),
    TTP_WORDS_COLUMN("freed", "Freed", 1, .get = get_freed),
};
static const struct ttp_fields stale_figures = {TTP_FIELDS(stale_fields)};

static void put_stale(const struct ttp_show *p, const struct ttp_mem_capture *c, size_t top)
{
    const struct stale_context context = {c, p->arena};
    const struct ttp_records rows = {&stale_figures, &context, c->stale, sizeof(*c->stale),
                                     c->stales};

    if (c->stales == 0)
        return;
    put_rows(p, "Stale: kept although nothing uses it any more", &rows, top);
    if (c->stales > top)
        ttp_sink_printf(p->out, "and %zu more\n", c->stales - top);
    for (uint32_t d = 0; d < c->devices; d++) {
        const uint64_t now = c->device[d].peak.l1, then = peak_without_stale(c, d);

        if (then < now)
            say(p, "freed after their last use, the peak of the ops falls from %s to %s B",
                grouped(p, now), grouped(p, then));
    }
}

/* --- failures --- */

static void put_space(const struct ttp_show *p, const struct ttp_mem_failure *f,
                      const struct ttp_mem_to_free *to_free, const struct ttp_mem_capture *c,
                      size_t top)
{
    say(p, "out of %.*s: %s B needed in each of %llu banks; %s%s", TTP_FMT(f->pool),
        grouped(p, f->bytes_per_bank), (unsigned long long)f->banks,
        f->verdict == TTP_MEM_LARGER_THAN_BANK ? "larger than a bank"
        : f->verdict == TTP_MEM_FULL           ? "the bank is full"
        : f->verdict == TTP_MEM_FRAGMENTED     ? "there is room, but in pieces"
                                               : "the message does not say what was free",
        f->from_capture ? " (by the capture)" : "");
    if (f->has_short)
        say(p, "  short by %s B", grouped(p, f->short_by));
    if (f->has_bank)
        say(p, "  bank %s B, allocated %s, free %s, largest free block %s",
            grouped(p, f->bank_bytes), grouped(p, f->allocated), grouped(p, f->free),
            grouped(p, f->largest_free));
    if (!to_free->any || !c)
        return;
    say(p, "  free %zu buffer%s of %s B in all and there is a hole of %s B:", to_free->count,
        to_free->count == 1 ? "" : "s", grouped(p, to_free->bytes), grouped(p, to_free->hole));
    for (size_t i = 0; i < to_free->count && i < top; i++) {
        const struct ttp_mem_buffer *b = &c->buffer[to_free->buffer[i]];

        say(p, "    %s B at %s", grouped(p, b->bytes), grouped(p, (uint64_t)b->address));
    }
}

static void put_failures(const struct ttp_show *p, const struct ttp_mem_run *run, size_t top)
{
    if (run->failures.count == 0)
        return;
    ttp_show_heading(p, "Failures");
    for (size_t i = 0; i < run->failures.count && i < top; i++) {
        const struct ttp_mem_failure *f = &run->failures.item[i];

        if (f->kind == TTP_MEM_OUT_OF_MEMORY)
            put_space(p, f, &run->to_free[i],
                      run->captures ? &run->capture[run->to_free[i].capture] : NULL, top);
        else if (f->kind == TTP_MEM_CB_CLASH)
            say(p,
                "%.*s buffers of program %llu end at %s, the lowest L1 tensor begins at %s: %s B "
                "too far, on %.*s; free or move what lies lowest",
                TTP_FMT(f->what), (unsigned long long)f->program, grouped(p, f->region_end),
                grouped(p, f->lowest_l1), grouped(p, f->short_by), TTP_FMT(f->cores));
        else
            say(p, "%.*s buffers grow to %s B, %s beyond the %s of L1", TTP_FMT(f->what),
                grouped(p, f->region_end), grouped(p, f->short_by), grouped(p, f->max_l1));
        if (f->line)
            say(p, "  %s, line %llu", f->path, (unsigned long long)f->line);
    }
}

/* --- the rest of a capture --- */

static void put_dram(const struct ttp_show *p, const struct ttp_mem_capture *c)
{
    for (size_t i = 0; i < c->devices; i++) {
        const struct ttp_mem_device *d = &c->device[i];

        if (d->dram_peak == 0)
            continue;
        if (d->dram_peak_op == TTP_MEM_NONE)
            say(p, "DRAM peak %s B per bank, %s in all, outside of any op",
                grouped(p, d->dram_peak), grouped(p, d->dram_peak_total));
        else
            say(p, "DRAM peak %s B per bank, %s in all, at op %u", grouped(p, d->dram_peak),
                grouped(p, d->dram_peak_total), c->op[d->dram_peak_op].id);
    }
}

static void put_sizes(const struct ttp_show *p, const struct ttp_mem_capture *c)
{
    struct ttp_sink line;
    int pool = -1;

    if (c->bins == 0)
        return;
    ttp_show_heading(p, "Allocations by size per bank");
    for (size_t i = 0; i < c->bins; i++) {
        if (c->bin[i].pool != pool) {
            ttp_sink_to_arena(&line, p->arena);
            pool = c->bin[i].pool;
            ttp_sink_printf(&line, "  %-8s", ttp_mem_pool_name((enum ttp_mem_pool)pool));
        }
        ttp_sink_printf(&line, " %llu of %s B+;", (unsigned long long)c->bin[i].count,
                        grouped(p, c->bin[i].from));
        if (i + 1 == c->bins || c->bin[i + 1].pool != pool)
            say(p, "%.*s", (int)line.len - 1, line.buf);
    }
}

static void put_notes(const struct ttp_show *p, const struct ttp_mem_capture *c)
{
    size_t inferred = 0, unknown = 0;

    for (size_t i = 0; i < c->launches; i++) {
        inferred += c->launch[i].source == TTP_MEM_CB_INFERRED;
        unknown += c->launch[i].source == TTP_MEM_CB_UNKNOWN;
    }
    if (inferred)
        say(p,
            "note: %zu launches were of programs laid out before; ~ marks ops whose circular "
            "buffers are those of an earlier launch",
            inferred);
    if (unknown)
        say(p, "note: circular buffers of %zu launches are not known; >= marks ops with more",
            unknown);
    if (c->older)
        say(p, "note: %zu buffers are older than the capture and taken as live from its start",
            c->older);
    if (c->estimated)
        say(p, "note: sizes of %zu of %zu buffers are estimated: their pages or banks are not told",
            c->estimated, c->total);
    if (c->reconciled)
        say(p, "note: %zu buffers differed from what the runtime saw after ops; its list was taken",
            c->reconciled);
    if (c->version > 1)
        say(p, "note: the capture is of version %lld, 1 is known", (long long)c->version);
    if (c->partial)
        say(p, "note: the capture is cut short at byte %zu: %s", c->cut_offset, c->cut);
}

struct map_row {
    uint64_t from, bytes;
    const char *is;
};
TTP_GET(get_map_to, void, struct map_row, ttp_value_i64((int64_t)(r->from + r->bytes)))
static const struct ttp_field map_fields[] = {
    TTP_INT_COLUMN("from", "From", "", 0, TTP_FIGURE(struct map_row, from)),
    TTP_INT_COLUMN("to", "To", "", 0, .get = get_map_to),
    TTP_INT_COLUMN("bytes", "Size", "bytes", 0, TTP_FIGURE(struct map_row, bytes)),
    TTP_WORDS_COLUMN("is", "Is", 0, TTP_FIGURE(struct map_row, is)),
};
static const struct ttp_fields map_figures = {TTP_FIELDS(map_fields)};

static void put_map(const struct ttp_show *p, const struct ttp_mem_capture *c)
{
    struct map_row *row = TTP_NEW(p->arena, struct map_row, c->maps + 1);
    size_t n = 0;

    if (c->maps == 0 && c->map_cb_end == 0)
        return;
    const uint64_t base = (uint64_t)c->device[c->map_device].l1_base;
    if (c->map_cb_end > base)
        row[n++] = (struct map_row){base, c->map_cb_end - base, "circular buffers"};
    for (size_t i = 0; i < c->maps; i++) {
        const struct ttp_mem_buffer *b = &c->buffer[c->map[i].buffer];

        row[n++] = (struct map_row){(uint64_t)b->address, b->bytes,
                                    ttp_mem_class_name((enum ttp_mem_class)c->map[i].is)};
    }
    put_rows(p, "Addresses at the peak of the op",
             &(struct ttp_records){&map_figures, NULL, row, sizeof(*row), n}, n);
}

/* --- databases --- */

struct db_line {
    const struct ttp_mem_row *row;
    const struct ttp_mem_row_device *device;
};

static int by_row_peak(const void *a, const void *b)
{
    const struct db_line *x = a, *y = b;

    if (x->device->l1_peak != y->device->l1_peak)
        return x->device->l1_peak > y->device->l1_peak ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

#define OF_LINE(name, value)  TTP_GET(name, void, struct db_line, value)
#define OF_BYTES(name, value) OF_LINE(name, ttp_value_i64((int64_t)(value)))
OF_LINE(get_db_op, ttp_value_i64(r->row->id))
OF_LINE(get_db_name, ttp_value_text(r->row->name))
OF_BYTES(get_db_peak, r->device->l1_peak)
OF_BYTES(get_db_cb, r->device->cb_at_peak)
OF_BYTES(get_db_tensors, r->device->tensors_at_peak)
OF_LINE(get_db_free, r->device->end.known ? ttp_value_i64((int64_t)r->device->end.largest)
                                          : (struct ttp_value){0})
static const struct ttp_field db_fields[] = {
    TTP_INT_COLUMN("op", "Op", "", 0, .get = get_db_op),
    TTP_WORDS_COLUMN("name", "Name", 0, .get = get_db_name),
    TTP_INT_COLUMN("l1_peak_bytes", "Peak", "bytes", 0, .get = get_db_peak),
    TTP_INT_COLUMN("cb_bytes", "CB", "bytes", 0, .get = get_db_cb),
    TTP_INT_COLUMN("tensors_bytes", "Tensors", "bytes", 0, .get = get_db_tensors),
    TTP_INT_COLUMN("largest_free_bytes", "Largest Free", "bytes", 1, .get = get_db_free),
};
static const struct ttp_fields db_figures = {TTP_FIELDS(db_fields)};

static void put_rank(const struct ttp_show *p, const struct ttp_mem_database *d,
                     const struct ttp_mem_rank *r, size_t top)
{
    struct db_line *line;
    size_t n = 0, room = 1;

    for (size_t i = 0; i < r->rows; i++)
        room += r->row[i].devices;
    line = TTP_NEW(p->arena, struct db_line, room);
    for (size_t i = 0; i < r->rows; i++)
        for (size_t k = 0; k < r->row[i].devices; k++)
            line[n++] = (struct db_line){&r->row[i], &r->row[i].device[k]};
    if (d->ranks > 1)
        say(p, "rank %lld:", (long long)r->rank);
    if (n == 0) {
        say(p, "%zu ops, and no buffer on a device", r->rows);
        return;
    }
    qsort(line, n, sizeof(*line), by_row_peak);
    say(p, "L1 peak %s B at op %lld %.*s: %u %% is circular buffers",
        grouped(p, line[0].device->l1_peak), (long long)line[0].row->id, TTP_FMT(line[0].row->name),
        percent(line[0].device->cb_at_peak, line[0].device->l1_peak));
    put_rows(p, OPS_TITLE, &(struct ttp_records){&db_figures, NULL, line, sizeof(*line), n}, top);
    say(p, "note: a database does not know buffers that are older than the capture, nor who uses "
           "them: the graph capture itself has splits and stale buffers");
}

/* --- what else there is --- */

static void put_report(const struct ttp_show *p, const struct ttp_mem_report *r)
{
    const struct ttp_mem_summary *tight = NULL;

    for (size_t i = 0; i < r->summaries; i++)
        if (!tight || r->summary[i].pool[1].largest_free < tight->pool[1].largest_free)
            tight = &r->summary[i];
    if (tight && tight->has_program)
        say(p, "%s: the tightest of %zu programs is %llu: largest free block of L1 %s B", r->path,
            r->summaries, (unsigned long long)tight->program,
            grouped(p, tight->pool[1].largest_free));
    else if (tight)
        say(p, "%s: largest free block of L1 %s B", r->path,
            grouped(p, tight->pool[1].largest_free));
    if (r->blocks)
        say(p, "%s: blocks of %zu pools", r->path, r->blocks);
}

static void put_shm(const struct ttp_show *p, const struct ttp_mem_shm_file *f)
{
    const struct ttp_mem_shm *s = &f->shm;

    if (f->code != TTP_OK) {
        say(p, s->version ? "%s: of version %u, 2 and 3 are known" : "%s: too short", f->path,
            s->version);
        return;
    }
    say(p, "device %u: DRAM %s B, L1 %s, L1_SMALL %s, trace %s, CB %s, by %zu processes%s",
        s->device, grouped(p, s->bytes.dram), grouped(p, s->bytes.l1),
        grouped(p, s->bytes.l1_small), grouped(p, s->bytes.trace), grouped(p, s->bytes.cb),
        s->processes, s->attached ? "" : " (nobody is attached any more)");
}

static void put_logs(const struct ttp_show *p, const struct ttp_mem_run *run)
{
    for (size_t i = 0; i < run->buffer_logs; i++) {
        const struct ttp_mem_buffer_log *l = &run->buffer_log[i];

        for (size_t k = 0; k < l->pools; k++)
            say(p, "%.*s peak %s B per device, %s at the end", TTP_FMT(l->pool[k].name),
                grouped(p, l->pool[k].peak_bytes), grouped(p, l->pool[k].bytes));
        say(p, "%s allocations, %s live at the end, %s frees of buffers older than the log",
            grouped(p, l->allocations), grouped(p, l->live_at_end), grouped(p, l->unpaired_frees));
    }
}

/* --- pages --- */

static void put_head(const struct ttp_show *p, const void *arg)
{
    const struct page *page = arg;
    const struct ttp_mem_capture *c = page->capture;

    if (!c)
        return;
    if (page->run->captures > 1)
        say(p, "%s", c->path);
    for (uint32_t d = 0; d < c->devices; d++)
        if (c->device[d].peak.any)
            put_verdict(p, c, d);
    if (c->devices == 0)
        say(p, "%zu ops, and no buffer on a device", c->ops);
    put_dram(p, c);
}

static void put_foot(const struct ttp_show *p, const void *arg)
{
    const struct page *page = arg;
    const struct ttp_mem_run *run = page->run;

    if (page->capture) {
        put_map(p, page->capture);
        put_stale(p, page->capture, page->top);
        put_sizes(p, page->capture);
        put_notes(p, page->capture);
    }
    if (!page->last)
        return;
    for (size_t i = 0; i < run->databases && run->captures == 0; i++)
        for (size_t r = 0; r < run->database[i].ranks; r++)
            put_rank(p, &run->database[i], &run->database[i].rank[r], page->top);
    for (size_t i = 0; i < run->reports; i++)
        put_report(p, &run->report[i]);
    put_logs(p, run);
    for (size_t i = 0; i < run->shms; i++)
        put_shm(p, &run->shm[i]);
    put_failures(p, run, page->top);
}

static void put_difference_head(const struct ttp_show *p, const void *arg)
{
    const struct page *page = arg;
    const struct ttp_mem_capture *a = &page->run->capture[0], *b = &page->run->capture[1];
    const struct ttp_mem_difference *d = page->difference;

    for (uint32_t i = 0; i < a->devices; i++) {
        const struct ttp_mem_device *x = &a->device[i], *y = NULL;

        for (uint32_t k = 0; k < b->devices; k++)
            if (b->device[k].id == x->id || b->devices == 1)
                y = &b->device[k];
        if (!y)
            continue;
        say(p, "L1 peak %s -> %s B, of it stale %s -> %s; DRAM peak %s -> %s B per bank",
            grouped(p, x->peak.l1), grouped(p, y->peak.l1), grouped(p, x->peak.part[TTP_MEM_STALE]),
            grouped(p, y->peak.part[TTP_MEM_STALE]), grouped(p, x->dram_peak),
            grouped(p, y->dram_peak));
    }
    say(p, "ops: %zu in both, %zu only in the first, %zu only in the second; %zu differ",
        d->matched, d->only_before, d->only_after, d->changes);
}

/* --- the document --- */

static const struct ttp_part_spec parts[] = {
    {.id = "ops", .title = OPS_TITLE, .fields = &ttp_mem_fields}};
const struct ttp_document_spec ttp_mem_document = {
    .schema = "tt-perf.mem/1",
    .help = "Ops of a graph capture",
    TTP_PARTS(parts),
    .own_json = true,
};
static const struct ttp_part_spec difference_parts[] = {
    {.id = "changes",
     .title = "Ops that changed most, L1 per bank",
     .fields = &ttp_mem_change_fields}};
const struct ttp_document_spec ttp_mem_difference_document = {
    .schema = "tt-perf.mem/1",
    .help = "Ops that differ in two graph captures",
    TTP_PARTS(difference_parts),
    .own_json = true,
};

static void put_json(struct ttp_json_writer *w, const void *arg)
{
    ttp_mem_json(w, arg);
}

static ttp_code show_json(const struct ttp_show *show, const struct ttp_mem_view *view,
                          struct ttp_err *err)
{
    struct ttp_document doc;

    ttp_document_init(&doc, &ttp_mem_document, show->arena);
    doc.put = put_json;
    doc.arg = view;
    return ttp_show_document(show, &doc, NULL, err);
}

static ttp_code show_difference(const struct ttp_show *show, const struct page *about,
                                struct ttp_err *err)
{
    const struct ttp_page page = {.arg = about, .head = put_difference_head};
    const struct ttp_mem_difference *d = about->difference;
    struct ttp_document doc;

    ttp_document_init(&doc, &ttp_mem_difference_document, show->arena);
    ttp_document_rows(&doc, 0, NULL, d->change, d->changes);
    return ttp_show_document(show, &doc, &page, err);
}

static ttp_code show_captures(const struct ttp_show *show, const struct page *about,
                              struct ttp_err *err)
{
    const struct ttp_mem_run *run = about->run;
    const size_t n = run->captures ? run->captures : 1;
    struct ttp_document *doc = TTP_NEW(show->arena, struct ttp_document, n);
    struct ttp_page *page = TTP_NEW(show->arena, struct ttp_page, n);
    struct page *arg = TTP_NEW(show->arena, struct page, n);

    for (size_t i = 0; i < n; i++) {
        struct ttp_mem_line *line;

        arg[i] = *about;
        arg[i].last = i + 1 == n;
        page[i] = (struct ttp_page){.arg = &arg[i], .head = put_head, .foot = put_foot};
        ttp_document_init(&doc[i], &ttp_mem_document, show->arena);
        if (i == run->captures)
            break;
        arg[i].capture = &run->capture[i];
        const size_t lines =
            make_lines(&line, arg[i].capture, show->form != TTP_FORM_CSV, show->arena);
        ttp_document_rows(&doc[i], 0, arg[i].capture, line, lines);
    }
    return ttp_show_documents(show, doc, page, n, err);
}

ttp_code ttp_out_mem(const struct ttp_show *show, const struct ttp_mem_view *view,
                     struct ttp_err *err)
{
    struct page about = {.run = view->run, .difference = view->difference};
    struct ttp_show as = *show;

    as.warnings = &view->run->notes;
    if (show->form == TTP_FORM_JSON)
        return show_json(&as, &(struct ttp_mem_view){view->run, view->difference, show->arena},
                         err);
    if (show->form == TTP_FORM_SVG) {
        ttp_mem_svg(show->out, &view->run->capture[0], show->arena);
        return TTP_OK;
    }
    if (as.selection.top == 0 && show->form != TTP_FORM_CSV)
        as.selection.top = ROWS_SHOWN;
    about.top = as.selection.top;
    return view->difference ? show_difference(&as, &about, err) : show_captures(&as, &about, err);
}
