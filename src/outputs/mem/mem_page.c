/* SPDX-License-Identifier: Apache-2.0 */
/* mem_text.c - the memory of a run, for human readers. */
#include <stdlib.h>

#include "outputs/mem/mem_page_parts.h"
#include "outputs/mem/mem_records.h"
#include "outputs/show/columns_text.h"
#include "outputs/show/paint.h"

#define ROWS_SHOWN 10 /* of each list, unless --top says otherwise */

/* One capture, or what there is without any. */
struct page {
    const struct ttp_mem_run *run;
    const struct ttp_mem_difference *difference; /* NULL: none was asked for */
    const struct ttp_mem_capture *capture;       /* NULL: none */
    size_t top;
    bool first; /* failures come before it */
    bool last;  /* what is not of a capture follows */
};

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
struct stales {
    size_t count;
    uint32_t first, last;
};

static struct stales stale_at(const struct ttp_mem_capture *c, uint32_t counter, uint32_t device,
                              uint32_t op)
{
    struct stales out = {.first = TTP_MEM_NONE};

    for (size_t i = 0; i < c->stales; i++) {
        const struct ttp_mem_stale *s = &c->stale[i];
        const struct ttp_mem_buffer *b = &c->buffer[s->buffer];
        const uint32_t used = s->last_op;

        if (b->device != device || !ttp_mem_is_live(b, counter) ||
            (used != TTP_MEM_NONE && op != TTP_MEM_NONE && used >= op))
            continue;
        out.count++;
        const uint32_t id = used == TTP_MEM_NONE ? 0 : c->op[used].id;
        out.first = id < out.first ? id : out.first;
        out.last = id > out.last ? id : out.last;
    }
    return out;
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
    const uint64_t bank = (uint64_t)d->l1_bank_bytes;
    const bool over = bank && peak->l1 > bank; /* only an op that failed can need that */
    ttp_sink_printf(&line, "L1 %s %s B", over ? "needed" : "peak",
                    ttp_out_mem_grouped(p, peak->l1));
    if (over)
        ttp_sink_printf(&line, ", %s more than the %s of a bank,",
                        ttp_out_mem_grouped(p, peak->l1 - bank), ttp_out_mem_grouped(p, bank));
    else if (bank)
        ttp_sink_printf(&line, " of %s (%u %%)", ttp_out_mem_grouped(p, bank),
                        ttp_out_mem_percent(peak->l1, bank));
    if (d->peak_op == TTP_MEM_NONE)
        ttp_sink_put(&line, TTP_STR(" outside any op"));
    else
        ttp_sink_printf(&line, " at op %u %.*s", c->op[d->peak_op].id,
                        TTP_FMT(c->op[d->peak_op].name));
    if (peak->l1) {
        const int part = largest_part(peak);
        const uint64_t bytes = part == TTP_MEM_CLASSES ? peak->cb : peak->part[part];
        struct stales s = {0};

        ttp_sink_printf(&line, ": %u %% is %s", ttp_out_mem_percent(bytes, peak->l1),
                        part_name(part));
        if (part == TTP_MEM_STALE)
            s = stale_at(c, peak->at, device, d->peak_op);
        if (s.count)
            ttp_sink_printf(&line, " (%zu buffer%s, unused since op %u%s%.0u)", s.count,
                            s.count == 1 ? "" : "s", s.first, s.first == s.last ? "" : " to ",
                            s.first == s.last ? 0 : s.last);
    }
    if (d->peak_inferred > peak->l1)
        ttp_sink_printf(&line, "; with circular buffers of earlier launches ~%s B",
                        ttp_out_mem_grouped(p, d->peak_inferred));
    ttp_show_sentence(p, "%.*s", TTP_FMT(ttp_sink_text(&line)));
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

/* Every op on every device, the tightest first for human readers. */
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

/* Context of the rows of stale buffers that outlives the caller. */
static const struct stale_context *stale_rows(const struct ttp_mem_capture *c,
                                              struct ttp_arena *arena)
{
    struct stale_context *context = TTP_NEW(arena, struct stale_context, 1);

    *context = (struct stale_context){c, arena};
    return context;
}

static void put_stale(const struct ttp_show *p, const struct ttp_mem_capture *c, size_t top)
{
    const struct stale_context context = {c, p->arena};
    const struct ttp_records rows = {&stale_figures, &context, c->stale, sizeof(*c->stale),
                                     c->stales};

    if (c->stales == 0)
        return;
    ttp_out_mem_put_rows(p, TTP_MEM_STALE_TITLE, &rows, top);
    if (c->stales > top)
        ttp_sink_printf(p->out, "and %zu more\n", c->stales - top);
    for (uint32_t d = 0; d < c->devices; d++) {
        const uint64_t now = c->device[d].peak.l1, then = peak_without_stale(c, d);

        if (then < now)
            ttp_show_sentence(
                p, "if freed after their last use, the peak of the ops falls from %s to %s B",
                ttp_out_mem_grouped(p, now), ttp_out_mem_grouped(p, then));
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
            ttp_show_sentence(p, "DRAM peak %s B per bank, %s in total, outside any op",
                              ttp_out_mem_grouped(p, d->dram_peak),
                              ttp_out_mem_grouped(p, d->dram_peak_total));
        else
            ttp_show_sentence(p, "DRAM peak %s B per bank, %s in total, at op %u",
                              ttp_out_mem_grouped(p, d->dram_peak),
                              ttp_out_mem_grouped(p, d->dram_peak_total),
                              c->op[d->dram_peak_op].id);
    }
}

/* "32-64 KiB": the range of a bin. */
static void put_bin(struct ttp_sink *line, const struct ttp_mem_bin *b)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    uint64_t from = b->from;
    size_t unit = 0;

    for (; from >= 1024 && unit + 1 < TTP_COUNT(units); unit++)
        from /= 1024;
    ttp_sink_printf(line, " %llu of %llu-%llu %s;", (unsigned long long)b->count,
                    (unsigned long long)from, (unsigned long long)from * 2, units[unit]);
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
        put_bin(&line, &c->bin[i]);
        if (i + 1 == c->bins || c->bin[i + 1].pool != pool)
            ttp_show_sentence(p, "%.*s", (int)line.len - 1, line.buf);
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
        ttp_show_sentence(
            p,
            "note: %zu launches reuse programs; ~ marks ops whose circular buffers come from an "
            "earlier launch",
            inferred);
    if (unknown)
        ttp_show_sentence(
            p, "note: circular buffers of %zu launches are unknown; >= marks ops with more",
            unknown);
    if (c->older)
        ttp_show_sentence(
            p, "note: %zu buffers are older than the capture and counted from its start", c->older);
    if (c->estimated)
        ttp_show_sentence(
            p, "note: sizes of %zu of %zu buffers are estimated: their pages or banks are unknown",
            c->estimated, c->total);
    if (c->reconciled)
        ttp_show_sentence(
            p, "note: %zu buffers differed from the runtime's list after ops; using that list",
            c->reconciled);
    if (c->version > 1)
        ttp_show_sentence(p, "note: the capture has version %lld, 1 is supported",
                          (long long)c->version);
    if (c->partial)
        ttp_show_sentence(p, "note: the capture is truncated at byte %zu: %s", c->cut_offset,
                          c->cut);
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
    ttp_out_mem_put_rows(p, "Addresses at the peak of the op",
                         &(struct ttp_records){&map_figures, NULL, row, sizeof(*row), n}, n);
}

/* --- pages --- */

static void put_head(const struct ttp_show *p, const void *arg)
{
    const struct page *page = arg;
    const struct ttp_mem_capture *c = page->capture;

    if (page->first)
        ttp_out_mem_put_failures(p, page->run, page->top);
    if (!c)
        return;
    if (page->run->captures > 1)
        ttp_show_sentence(p, "%s", c->path);
    for (uint32_t d = 0; d < c->devices; d++)
        if (c->device[d].peak.any)
            put_verdict(p, c, d);
    if (c->devices == 0)
        ttp_show_sentence(p, "%zu ops, no buffers on a device", c->ops);
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
    ttp_out_mem_put_files(p, run, page->top);
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
        ttp_show_sentence(
            p, "L1 peak %s -> %s B, stale part %s -> %s; DRAM peak %s -> %s B per bank",
            ttp_out_mem_grouped(p, x->peak.l1), ttp_out_mem_grouped(p, y->peak.l1),
            ttp_out_mem_grouped(p, x->peak.part[TTP_MEM_STALE]),
            ttp_out_mem_grouped(p, y->peak.part[TTP_MEM_STALE]),
            ttp_out_mem_grouped(p, x->dram_peak), ttp_out_mem_grouped(p, y->dram_peak));
    }
    ttp_show_sentence(p,
                      "ops: %zu in both, %zu only in the first, %zu only in the second; %zu differ",
                      d->matched, d->only_before, d->only_after, d->changes);
}

/* --- the document --- */

static const struct ttp_part_spec parts[] = {
    {.id = "ops", .title = TTP_MEM_OPS_TITLE, .fields = &ttp_mem_fields, .table_only = true},
    {.kind = TTP_PART_DATA, .fields = &ttp_mem_data_fields, .json_only = true},
    /* text has it in its own words, after the map */
    {.id = "stale", .title = TTP_MEM_STALE_TITLE, .fields = &stale_figures, .table_only = true},
};
const struct ttp_document_spec ttp_mem_document = {
    .schema = "tt-perf.mem/1",
    .help = "Memory of a run; bytes are per bank unless a name says otherwise",
    TTP_PARTS(parts),
    .whole_json = true,
};
static const struct ttp_part_spec difference_parts[] = {
    {.id = "changes",
     .title = "Ops that changed most, L1 per bank",
     .fields = &ttp_mem_change_fields}};
const struct ttp_document_spec ttp_mem_difference_document = {
    .schema = "tt-perf.mem/1",
    .help = "Ops that differ in two graph captures",
    TTP_PARTS(difference_parts),
};

static ttp_code show_json(const struct ttp_show *show, const struct ttp_mem_view *view,
                          struct ttp_err *err)
{
    struct ttp_document doc;

    ttp_document_init(&doc, &ttp_mem_document, show->arena);
    ttp_document_object(&doc, 1, NULL, view);
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

/* L1 over the ops, and lifetimes of buffers. */
static void draw_memory(struct ttp_sink *out, const void *arg, struct ttp_arena *arena)
{
    const struct page *about = arg;

    struct ttp_picture picture;

    if (!about->capture)
        return;
    ttp_out_mem_picture(&picture, about->capture, arena);
    ttp_picture_svg(out, &picture);
}

static const struct ttp_html html = {
    .title = "Memory of a run", .picture_title = "L1 over operations", .picture = draw_memory};

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
        arg[i].first = i == 0;
        arg[i].last = i + 1 == n;
        page[i] =
            (struct ttp_page){.arg = &arg[i], .head = put_head, .foot = put_foot, .html = &html};
        ttp_document_init(&doc[i], &ttp_mem_document, show->arena);
        if (i == run->captures)
            break;
        arg[i].capture = &run->capture[i];
        const size_t lines =
            make_lines(&line, arg[i].capture, !ttp_form_flat(show->form), show->arena);
        ttp_document_rows(&doc[i], 0, arg[i].capture, line, lines);
        if (show->form == TTP_FORM_HTML && run->capture[i].stales)
            ttp_document_rows(&doc[i], 2, stale_rows(&run->capture[i], show->arena),
                              run->capture[i].stale, run->capture[i].stales);
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
    if (ttp_form_is_picture(show->form)) {
        struct ttp_picture picture;
        ttp_out_mem_picture(&picture, &view->run->capture[0], show->arena);
        return ttp_picture_show(show, &picture, err);
    }
    if (as.selection.top == 0 && !ttp_form_flat(show->form))
        as.selection.top = ROWS_SHOWN;
    about.top = as.selection.top;
    return view->difference ? show_difference(&as, &about, err) : show_captures(&as, &about, err);
}
