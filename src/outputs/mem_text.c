/* SPDX-License-Identifier: Apache-2.0 */
/* mem_text.c - the memory story of a run, for people. */
#include <stdlib.h>

#include "outputs/cells.h"
#include "outputs/columns_text.h"
#include "outputs/field_table.h"
#include "outputs/outputs.h"

struct printing {
    struct ttp_sink *out;
    const struct ttp_mem_style *style;
    struct ttp_arena *arena;
};

/* A sentence, wrapped. */
static TTP_PRINTF(2, 3) void say(const struct printing *p, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const ttp_str text = ttp_sink_vformat(p->arena, fmt, args);
    va_end(args);
    ttp_paint_wrapped(p->out, text, p->style->markdown ? 0 : p->style->width, 0, 2);
}

static void head(const struct printing *p, const char *title)
{
    ttp_sink_printf(p->out, p->style->markdown ? "\n## %s\n\n" : "\n%s\n", title);
}

static const char *grouped(const struct printing *p, uint64_t v)
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

static void put_verdict(const struct printing *p, const struct ttp_mem_capture *c, uint32_t device)
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

static void put_ops(const struct printing *p, const struct ttp_mem_capture *c)
{
    struct ttp_mem_line *line;
    const size_t n = ttp_mem_lines(&line, c, p->arena);
    const size_t shown = n < p->style->top ? n : p->style->top;
    const struct ttp_records rows = {ttp_mem_fields(), c, line, sizeof(*line), n};

    if (n == 0)
        return;
    qsort_r(line, n, sizeof(*line), by_peak, &(struct sorting){c});
    head(p, "Tightest ops, bytes per bank");
    ttp_field_table(p->out, &rows, NULL, shown, p->style, p->arena);
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

static void put_stale_row(const struct printing *p, struct ttp_cells *cells,
                          const struct ttp_mem_capture *c, const struct ttp_mem_stale *s)
{
    const struct ttp_mem_buffer *b = &c->buffer[s->buffer];
    const int64_t *ids;
    const size_t n = ttp_mem_tensor_ids(&ids, c, b, p->arena);
    struct ttp_sink tensors;

    ttp_sink_to_arena(&tensors, p->arena);
    for (size_t i = 0; i < n && i < 4; i++)
        ttp_sink_printf(&tensors, "%s%lld", i ? " " : "", (long long)ids[i]);
    ttp_cells_add_row(cells);
    ttp_cells_set(cells, 0, ttp_str_from(grouped(p, b->bytes)));
    if (b->has_address)
        ttp_cells_set(cells, 1, ttp_str_from(grouped(p, (uint64_t)b->address)));
    ttp_cells_set(cells, 2, ttp_sink_text(&tensors));
    if (s->last_op == TTP_MEM_NONE)
        ttp_cells_set(cells, 3, TTP_STR("before"));
    else
        ttp_cells_set(cells, 3, ttp_str_from(grouped(p, c->op[s->last_op].id)));
    ttp_cells_set(cells, 4, ttp_str_from(grouped(p, s->ops)));
    ttp_cells_set(cells, 5, ttp_str_from(b->freed == TTP_MEM_NONE ? "never" : "later"));
}

static void put_stale(const struct printing *p, const struct ttp_mem_capture *c)
{
    static const struct ttp_cell_column columns[] = {{"bytes", false, 0},     {"address", false, 2},
                                                     {"tensors", true, 3},    {"last op", false, 0},
                                                     {"ops since", false, 0}, {"freed", true, 1}};
    struct ttp_cells cells;

    if (c->stales == 0)
        return;
    head(p, "Stale: kept although nothing uses it any more");
    ttp_cells_init(&cells, columns, TTP_COUNT(columns), p->arena);
    cells.indent = p->style->markdown ? 0 : 2;
    for (size_t i = 0; i < c->stales && i < p->style->top; i++)
        put_stale_row(p, &cells, c, &c->stale[i]);
    if (p->style->markdown)
        ttp_cells_markdown(p->out, &cells);
    else
        ttp_cells_text(p->out, &cells, p->style->width, p->style->color);
    if (c->stales > p->style->top)
        ttp_sink_printf(p->out, "  and %zu more\n", c->stales - p->style->top);
    for (uint32_t d = 0; d < c->devices; d++) {
        const uint64_t now = c->device[d].peak.l1, then = peak_without_stale(c, d);

        if (then < now)
            say(p, "  freed after their last use, the peak of the ops falls from %s to %s B",
                grouped(p, now), grouped(p, then));
    }
}

/* --- failures --- */

static void put_space(const struct printing *p, const struct ttp_mem_failure *f,
                      const struct ttp_mem_to_free *to_free, const struct ttp_mem_capture *c)
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
    for (size_t i = 0; i < to_free->count && i < p->style->top; i++) {
        const struct ttp_mem_buffer *b = &c->buffer[to_free->buffer[i]];

        say(p, "    %s B at %s", grouped(p, b->bytes), grouped(p, (uint64_t)b->address));
    }
}

static void put_failures(const struct printing *p, const struct ttp_mem_run *run)
{
    if (run->failures.count == 0)
        return;
    head(p, "Failures");
    for (size_t i = 0; i < run->failures.count && i < p->style->top; i++) {
        const struct ttp_mem_failure *f = &run->failures.item[i];

        if (f->kind == TTP_MEM_OUT_OF_MEMORY)
            put_space(p, f, &run->to_free[i],
                      run->captures ? &run->capture[run->to_free[i].capture] : NULL);
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

static void put_dram(const struct printing *p, const struct ttp_mem_capture *c)
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

static void put_sizes(const struct printing *p, const struct ttp_mem_capture *c)
{
    struct ttp_sink line;
    int pool = -1;

    if (c->bins == 0)
        return;
    head(p, "Allocations by size per bank");
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

static void put_notes(const struct printing *p, const struct ttp_mem_capture *c)
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

static void put_map(const struct printing *p, const struct ttp_mem_capture *c)
{
    static const struct ttp_cell_column columns[] = {
        {"from", false, 0}, {"to", false, 0}, {"bytes", false, 0}, {"is", true, 0}};
    struct ttp_cells cells;

    if (c->maps == 0 && c->map_cb_end == 0)
        return;
    head(p, "Addresses at the peak of the op");
    ttp_cells_init(&cells, columns, TTP_COUNT(columns), p->arena);
    cells.indent = p->style->markdown ? 0 : 2;
    const uint64_t base = (uint64_t)c->device[c->map_device].l1_base;
    if (c->map_cb_end > base) {
        ttp_cells_add_row(&cells);
        ttp_cells_set(&cells, 0, ttp_str_from(grouped(p, base)));
        ttp_cells_set(&cells, 1, ttp_str_from(grouped(p, c->map_cb_end)));
        ttp_cells_set(&cells, 2, ttp_str_from(grouped(p, c->map_cb_end - base)));
        ttp_cells_set(&cells, 3, TTP_STR("circular buffers"));
    }
    for (size_t i = 0; i < c->maps; i++) {
        const struct ttp_mem_buffer *b = &c->buffer[c->map[i].buffer];

        ttp_cells_add_row(&cells);
        ttp_cells_set(&cells, 0, ttp_str_from(grouped(p, (uint64_t)b->address)));
        ttp_cells_set(&cells, 1, ttp_str_from(grouped(p, (uint64_t)b->address + b->bytes)));
        ttp_cells_set(&cells, 2, ttp_str_from(grouped(p, b->bytes)));
        ttp_cells_set(&cells, 3,
                      ttp_str_from(ttp_mem_class_name((enum ttp_mem_class)c->map[i].is)));
    }
    if (p->style->markdown)
        ttp_cells_markdown(p->out, &cells);
    else
        ttp_cells_text(p->out, &cells, p->style->width, p->style->color);
}

static void put_capture(const struct printing *p, const struct ttp_mem_capture *c)
{
    for (uint32_t d = 0; d < c->devices; d++)
        if (c->device[d].peak.any)
            put_verdict(p, c, d);
    if (c->devices == 0)
        say(p, "%zu ops, and no buffer on a device", c->ops);
    put_dram(p, c);
    put_ops(p, c);
    put_map(p, c);
    put_stale(p, c);
    put_sizes(p, c);
    put_notes(p, c);
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

static void put_rank_rows(const struct printing *p, const struct db_line *line, size_t n)
{
    static const struct ttp_cell_column columns[] = {
        {"op", false, 0}, {"name", true, 0},     {"peak", false, 0},
        {"cb", false, 0}, {"tensors", false, 0}, {"largest free", false, 1}};
    struct ttp_cells cells;

    head(p, "Tightest ops, bytes per bank");
    ttp_cells_init(&cells, columns, TTP_COUNT(columns), p->arena);
    cells.indent = p->style->markdown ? 0 : 2;
    cells.name = 1;
    cells.name_least = 12;
    for (size_t i = 0; i < n && i < p->style->top; i++) {
        const struct ttp_mem_row_device *d = line[i].device;

        ttp_cells_add_row(&cells);
        ttp_cells_set(&cells, 0, ttp_str_from(grouped(p, (uint64_t)line[i].row->id)));
        ttp_cells_set(&cells, 1, line[i].row->name);
        ttp_cells_set(&cells, 2, ttp_str_from(grouped(p, d->l1_peak)));
        ttp_cells_set(&cells, 3, ttp_str_from(grouped(p, d->cb_at_peak)));
        ttp_cells_set(&cells, 4, ttp_str_from(grouped(p, d->tensors_at_peak)));
        if (d->end.known)
            ttp_cells_set(&cells, 5, ttp_str_from(grouped(p, d->end.largest)));
    }
    if (p->style->markdown)
        ttp_cells_markdown(p->out, &cells);
    else
        ttp_cells_text(p->out, &cells, p->style->width, p->style->color);
}

static void put_rank(const struct printing *p, const struct ttp_mem_database *d,
                     const struct ttp_mem_rank *r)
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
    put_rank_rows(p, line, n);
    say(p, "note: a database does not know buffers that are older than the capture, nor who uses "
           "them: the graph capture itself has splits and stale buffers");
}

/* --- what else there is --- */

static void put_report(const struct printing *p, const struct ttp_mem_report *r)
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

static void put_shm(const struct printing *p, const struct ttp_mem_shm_file *f)
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

static void put_logs(const struct printing *p, const struct ttp_mem_run *run)
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

void ttp_out_mem_text(struct ttp_sink *out, const struct ttp_mem_run *run,
                      const struct ttp_mem_style *style, struct ttp_arena *arena)
{
    const struct printing p = {out, style, arena};

    for (size_t i = 0; i < run->captures; i++) {
        if (i)
            ttp_sink_char(out, '\n');
        if (run->captures > 1)
            say(&p, "%s", run->capture[i].path);
        put_capture(&p, &run->capture[i]);
    }
    for (size_t i = 0; i < run->databases && run->captures == 0; i++)
        for (size_t r = 0; r < run->database[i].ranks; r++)
            put_rank(&p, &run->database[i], &run->database[i].rank[r]);
    for (size_t i = 0; i < run->reports; i++)
        put_report(&p, &run->report[i]);
    put_logs(&p, run);
    for (size_t i = 0; i < run->shms; i++)
        put_shm(&p, &run->shm[i]);
    put_failures(&p, run);
}

void ttp_out_mem_csv(struct ttp_sink *out, const struct ttp_mem_run *run, struct ttp_arena *arena)
{
    for (size_t i = 0; i < run->captures; i++) {
        const struct ttp_mem_capture *c = &run->capture[i];
        struct ttp_mem_line *line;
        const size_t n = ttp_mem_lines(&line, c, arena);
        const struct ttp_records rows = {ttp_mem_fields(), c, line, sizeof(*line), n};

        ttp_field_csv(out, &rows, i == 0);
    }
}

void ttp_out_mem_difference_text(struct ttp_sink *out, const struct ttp_mem_capture *a,
                                 const struct ttp_mem_capture *b,
                                 const struct ttp_mem_difference *d,
                                 const struct ttp_mem_style *style, struct ttp_arena *arena)
{
    const struct printing p = {out, style, arena};
    const struct ttp_records rows = {ttp_mem_change_fields(), NULL, d->change, sizeof(*d->change),
                                     d->changes};

    for (uint32_t i = 0; i < a->devices; i++) {
        const struct ttp_mem_device *x = &a->device[i], *y = NULL;

        for (uint32_t k = 0; k < b->devices; k++)
            if (b->device[k].id == x->id || b->devices == 1)
                y = &b->device[k];
        if (!y)
            continue;
        say(&p, "L1 peak %s -> %s B, of it stale %s -> %s; DRAM peak %s -> %s B per bank",
            grouped(&p, x->peak.l1), grouped(&p, y->peak.l1),
            grouped(&p, x->peak.part[TTP_MEM_STALE]), grouped(&p, y->peak.part[TTP_MEM_STALE]),
            grouped(&p, x->dram_peak), grouped(&p, y->dram_peak));
    }
    say(&p, "ops: %zu in both, %zu only in the first, %zu only in the second; %zu differ",
        d->matched, d->only_before, d->only_after, d->changes);
    if (d->changes == 0)
        return;
    head(&p, "Ops that changed most, bytes per bank");
    ttp_field_table(out, &rows, NULL, d->changes < style->top ? d->changes : style->top, style,
                    arena);
}
