/* SPDX-License-Identifier: Apache-2.0 */
/* mem_files_page.c - memory data other than captures, for human readers: databases, reports, logs,
 * counters and failures. */
#include <stdlib.h>

#include "base/order.h"
#include "base/shell_lines.h"
#include "device/device.h"
#include "outputs/mem/mem_page_parts.h"
#include "outputs/show/columns_text.h"
#include "outputs/show/paint.h"

void ttp_out_mem_put_rows(const struct ttp_show *p, const char *title,
                          const struct ttp_records *rows, size_t top)
{
    struct ttp_records some = *rows;

    some.count = some.count < top ? some.count : top;
    ttp_show_heading(p, title);
    ttp_show_table(p, &(struct ttp_table){.rows = &some, .aside = true});
}

const char *ttp_out_mem_grouped(const struct ttp_show *p, uint64_t v)
{
    char text[TTP_NUM_MAX];

    return ttp_arena_zstr(p->arena, ttp_grouped(text, (int64_t)v));
}

unsigned ttp_out_mem_percent(uint64_t part, uint64_t all)
{
    return all ? (unsigned)(100.0 * (double)part / (double)all + 0.5) : 0;
}

/* --- failures --- */

/* ", tensor 5 of op 1 ttnn.ones": who to free, as far as the capture tells. */
static ttp_str tensors_of(const struct ttp_show *p, const struct ttp_mem_capture *c,
                          const struct ttp_mem_buffer *b)
{
    const int64_t *ids;
    const size_t n = ttp_mem_tensor_ids(&ids, c, b, p->arena);
    struct ttp_sink text;

    ttp_sink_to_arena(&text, p->arena);
    for (size_t i = 0; i < n && i < 4; i++)
        ttp_sink_printf(&text, "%s%lld",
                        i        ? " "
                        : n == 1 ? ", tensor "
                                 : ", tensors ",
                        (long long)ids[i]);
    const struct ttp_mem_op *maker = ttp_mem_maker(c, b);
    if (maker)
        ttp_sink_printf(&text, "%s op %u %.*s", text.len ? " of" : ", of", maker->id,
                        TTP_FMT(maker->name));
    return ttp_sink_text(&text);
}

/* Who has to go: its size, address and tensors. */
static void put_to_free(const struct ttp_show *p, const struct ttp_mem_to_free *to_free,
                        const struct ttp_mem_capture *c, size_t top)
{
    for (size_t i = 0; i < to_free->count && i < top; i++) {
        const struct ttp_mem_buffer *b = &c->buffer[to_free->buffer[i]];

        ttp_show_sentence(p, "    %s B at %lld%.*s", ttp_out_mem_grouped(p, b->bytes),
                          (long long)b->address, TTP_FMT(tensors_of(p, c, b)));
    }
}

static void put_space(const struct ttp_show *p, const struct ttp_mem_failure *f,
                      const struct ttp_mem_to_free *to_free, const struct ttp_mem_capture *c,
                      size_t top)
{
    ttp_show_sentence(p, "out of %.*s: %s B needed in each of %llu banks; %s%s", TTP_FMT(f->pool),
                      ttp_out_mem_grouped(p, f->bytes_per_bank), (unsigned long long)f->banks,
                      f->verdict == TTP_MEM_LARGER_THAN_BANK ? "larger than a bank"
                      : f->verdict == TTP_MEM_FULL           ? "the bank is full"
                      : f->verdict == TTP_MEM_FRAGMENTED     ? "there is space, but fragmented"
                                                             : "the message lacks the free space",
                      f->from_capture ? " (from the capture)" : "");
    if (f->has_short)
        ttp_show_sentence(p, "  short by %s B", ttp_out_mem_grouped(p, f->short_by));
    if (f->has_bank)
        ttp_show_sentence(p, "  bank %s B, allocated %s, free %s, largest free block %s",
                          ttp_out_mem_grouped(p, f->bank_bytes),
                          ttp_out_mem_grouped(p, f->allocated), ttp_out_mem_grouped(p, f->free),
                          ttp_out_mem_grouped(p, f->largest_free));
    if (!to_free->any || !c)
        return;
    ttp_show_sentence(p,
                      "  free %zu buffer%s of %s B in total to get a hole of %s B:", to_free->count,
                      to_free->count == 1 ? "" : "s", ttp_out_mem_grouped(p, to_free->bytes),
                      ttp_out_mem_grouped(p, to_free->hole));
    put_to_free(p, to_free, c, top);
}

static void put_clash(const struct ttp_show *p, const struct ttp_mem_failure *f,
                      const struct ttp_mem_to_free *to_free, const struct ttp_mem_capture *c,
                      size_t top)
{
    ttp_show_sentence(
        p,
        "%.*s buffers of program %llu end at %llu, the lowest L1 tensor begins at %llu: %s B "
        "of overlap, on %.*s",
        TTP_FMT(f->what), (unsigned long long)f->program, (unsigned long long)f->region_end,
        (unsigned long long)f->lowest_l1, ttp_out_mem_grouped(p, f->short_by), TTP_FMT(f->cores));
    if (to_free->any && c) {
        ttp_show_sentence(
            p, "  free %zu buffer%s of %s B in total before the op, which does not use %s:",
            to_free->count, to_free->count == 1 ? "" : "s", ttp_out_mem_grouped(p, to_free->bytes),
            to_free->count == 1 ? "it" : "them");
        put_to_free(p, to_free, c, top);
    }
}

/* The same failure again, in a log that prints the exception as well? */
static bool is_repeated(const struct ttp_mem_failures *all, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (ttp_mem_same_failure(&all->item[k], &all->item[i]))
            return true;
    return false;
}

/* "run.log, line 1 and 4" */
static void put_places(const struct ttp_show *p, const struct ttp_mem_failures *all, size_t i)
{
    const struct ttp_mem_failure *f = &all->item[i];
    struct ttp_sink text;

    ttp_sink_to_arena(&text, p->arena);
    ttp_sink_printf(&text, "  %s", strcmp(f->path, "-") == 0 ? "standard input" : f->path);
    if (f->line)
        ttp_sink_printf(&text, ", line %llu", (unsigned long long)f->line);
    for (size_t k = i + 1; k < all->count; k++)
        if (ttp_mem_same_failure(f, &all->item[k]) && strcmp(f->path, all->item[k].path) == 0)
            ttp_sink_printf(&text, " and %llu", (unsigned long long)all->item[k].line);
    ttp_show_sentence(p, "%.*s", TTP_FMT(ttp_sink_text(&text)));
}

/* What to do, unless the capture shows what to free, or an earlier failure has the same remedies.
 */
static void put_remedies(const struct ttp_show *p, const struct ttp_mem_run *run, size_t at)
{
    const char *const *list = ttp_mem_remedies(&run->failures.item[at]);

    if (run->captures && run->to_free[at].any)
        return;
    for (size_t i = 0; i < at; i++)
        if (ttp_mem_remedies(&run->failures.item[i]) == list &&
            !(run->captures && run->to_free[i].any))
            return;
    for (; *list; list++)
        ttp_paint_wrapped(p->out, ttp_sink_format(p->arena, "  - %s", *list),
                          p->form == TTP_FORM_MARKDOWN ? 0 : p->width, 0, 4);
}

/* The verb that finds blocks which fit what is free at a matmul, with the capture that shows it. */
static void put_next(const struct ttp_show *p, const struct ttp_mem_failure *f,
                     const struct ttp_mem_capture *c)
{
    const bool matmul = ttp_op_has_matmul(f->op) || ttp_str_has(f->op, TTP_STR("linear"));

    if (f->kind == TTP_MEM_OUT_OF_MEMORY || !c || !f->op_id || !matmul)
        return;
    const ttp_str command =
        ttp_sink_format(p->arena, "tt-perf config --mem %s --op %u", c->path, f->op_id);
    ttp_sink_own(p->out, "  or find smaller blocks that fit:\n    ");
    ttp_shell_put_lines(p->out, command,
                        p->form == TTP_FORM_MARKDOWN || p->width < 0 ? 0 : (size_t)p->width, 4, 4);
}

/* Ops that failed for other reasons. */
static void put_failed_ops(const struct ttp_show *p, const struct ttp_mem_run *run, size_t top)
{
    for (size_t i = 0; i < run->faileds && i < top; i++) {
        const struct ttp_mem_error *e = run->failed[i].error;

        if (run->failed[i].unfinished)
            ttp_show_sentence(p, "%.*s never ended", TTP_FMT(e->operation));
        else
            ttp_show_sentence(p, "%.*s failed: %.*s", TTP_FMT(e->operation), TTP_FMT(e->message));
        ttp_show_sentence(p, "  %s", run->failed[i].path);
    }
}

/* No tensor is in the way of circular buffers that are larger than L1, and regions of a fixed size
 * that are too small are so without any. */
static bool depends_on_tensors(const struct ttp_mem_failure *f)
{
    return f->kind != TTP_MEM_CB_TOO_LARGE &&
           !ttp_str_eq(f->pool, ttp_str_from(ttp_mem_pool_name(TTP_MEM_L1_SMALL))) &&
           !ttp_str_eq(f->pool, ttp_str_from(ttp_mem_pool_name(TTP_MEM_TRACE)));
}

static void put_failure(const struct ttp_show *p, const struct ttp_mem_run *run, size_t at,
                        size_t top)
{
    const struct ttp_mem_failure *f = &run->failures.item[at];
    const struct ttp_mem_to_free *to_free = &run->to_free[at];
    const struct ttp_mem_capture *c = run->captures ? &run->capture[to_free->capture] : NULL;

    if (f->op_id)
        ttp_show_sentence(p, "op %u %.*s failed:", f->op_id, TTP_FMT(f->op));
    else if (f->op.len)
        ttp_show_sentence(p, "%.*s failed:", TTP_FMT(f->op));
    if (f->kind == TTP_MEM_OUT_OF_MEMORY)
        put_space(p, f, to_free, c, top);
    else if (f->kind == TTP_MEM_CB_CLASH)
        put_clash(p, f, to_free, c, top);
    else
        ttp_show_sentence(p, "%.*s buffers grow to %s B, %s beyond the %s of L1", TTP_FMT(f->what),
                          ttp_out_mem_grouped(p, f->region_end),
                          ttp_out_mem_grouped(p, f->short_by), ttp_out_mem_grouped(p, f->max_l1));
    put_remedies(p, run, at);
    put_next(p, f, c);
    put_places(p, &run->failures, at);
}

/* A pool that a failure is about and whose contents nothing shows; NULL: none. */
static const char *hidden_pool(const struct ttp_show *p, const struct ttp_mem_run *run,
                               const struct ttp_mem_failure *f)
{
    if (run->captures || run->databases || !depends_on_tensors(f))
        return NULL;
    if (f->kind != TTP_MEM_OUT_OF_MEMORY)
        return "L1";
    return ttp_arena_zstr(p->arena, f->pool.len ? f->pool : TTP_STR("memory"));
}

/* Where the contents of that pool can be seen. */
static void put_what_shows(const struct ttp_show *p, const struct ttp_mem_run *run,
                           const char *hidden)
{
    if (run->beside)
        ttp_show_sentence(p,
                          "a log does not show what fills %s, '%s' next to it does: pass both to "
                          "tt-perf mem",
                          hidden, run->beside);
    else
        ttp_show_sentence(p,
                          "a log does not show what fills %s: capture the graph of the run with "
                          "ttnn.graph.begin_graph_capture() and end_graph_capture_to_file(), put "
                          "the file next to the log and give tt-perf mem the folder",
                          hidden);
}

void ttp_out_mem_put_failures(const struct ttp_show *p, const struct ttp_mem_run *run, size_t top)
{
    const char *hidden = NULL; /* the first such pool */

    if (run->failures.count + run->faileds == 0)
        return;
    if (p->form == TTP_FORM_MARKDOWN)
        ttp_show_heading(p, "Failures");
    for (size_t i = 0; i < run->failures.count && i < top; i++) {
        if (is_repeated(&run->failures, i))
            continue;
        put_failure(p, run, i, top);
        if (!hidden)
            hidden = hidden_pool(p, run, &run->failures.item[i]);
    }
    put_failed_ops(p, run, top);
    if (hidden)
        put_what_shows(p, run, hidden);
    if (run->failures.count)
        ttp_show_sentence(p, "'tt-perf explain out-of-memory' tells more about the remedies");
    if (run->captures + run->databases + run->reports + run->buffer_logs + run->shms)
        ttp_sink_char(p->out, '\n');
}

/* --- databases --- */

struct db_line {
    const struct ttp_mem_row *row;
    const struct ttp_mem_row_device *device;
};

TTP_ORDER(by_row_peak, struct db_line, TTP_DOWN(device->l1_peak), TTP_UP(row))

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
    TTP_INT_COLUMN("largest_free_bytes", "Largest Free at End", "bytes", 1, .get = get_db_free),
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
        ttp_show_sentence(p, "rank %lld:", (long long)r->rank);
    if (n == 0) {
        ttp_show_sentence(p, "%zu ops, no buffers on a device", r->rows);
        return;
    }
    TTP_SORT(line, n, by_row_peak);
    const struct ttp_mem_row_device *fullest = line[0].device;
    const bool tensors = fullest->tensors_at_peak > fullest->cb_at_peak;
    ttp_show_sentence(p, "L1 peak %s B at op %lld %.*s: %u %% is %s",
                      ttp_out_mem_grouped(p, fullest->l1_peak), (long long)line[0].row->id,
                      TTP_FMT(line[0].row->name),
                      ttp_out_mem_percent(tensors ? fullest->tensors_at_peak : fullest->cb_at_peak,
                                          fullest->l1_peak),
                      tensors ? "tensors" : "circular buffers");
    ttp_out_mem_put_rows(p, TTP_MEM_OPS_TITLE,
                         &(struct ttp_records){&db_figures, NULL, line, sizeof(*line), n}, top);
    ttp_show_sentence(
        p, "note: a database lacks buffers older than the capture and their users: use the graph "
           "capture for splits and stale buffers");
}

/* --- what else there is --- */

static void put_report(const struct ttp_show *p, const struct ttp_mem_report *r)
{
    const struct ttp_mem_summary *tight = NULL;

    for (size_t i = 0; i < r->summaries; i++)
        if (!tight || r->summary[i].pool[1].largest_free < tight->pool[1].largest_free)
            tight = &r->summary[i];
    if (tight && tight->has_program)
        ttp_show_sentence(p,
                          "%s: the fullest of %zu programs is %llu: largest free block of L1 %s B",
                          r->path, r->summaries, (unsigned long long)tight->program,
                          ttp_out_mem_grouped(p, tight->pool[1].largest_free));
    else if (tight)
        ttp_show_sentence(p, "%s: largest free block of L1 %s B", r->path,
                          ttp_out_mem_grouped(p, tight->pool[1].largest_free));
    if (r->blocks)
        ttp_show_sentence(p, "%s: blocks of %zu pools", r->path, r->blocks);
}

static void put_shm(const struct ttp_show *p, const struct ttp_mem_shm_file *f)
{
    const struct ttp_mem_shm *s = &f->shm;

    if (f->code != TTP_OK) {
        ttp_show_sentence(
            p, s->version ? "%s: unsupported version %u, 2 and 3 are supported" : "%s: too short",
            f->path, s->version);
        return;
    }
    ttp_show_sentence(
        p, "device %u: DRAM %s B, L1 %s, L1_SMALL %s, trace %s, CB %s, by %zu processes%s",
        s->device, ttp_out_mem_grouped(p, s->bytes.dram), ttp_out_mem_grouped(p, s->bytes.l1),
        ttp_out_mem_grouped(p, s->bytes.l1_small), ttp_out_mem_grouped(p, s->bytes.trace),
        ttp_out_mem_grouped(p, s->bytes.cb), s->processes,
        s->attached ? "" : " (no process is attached)");
}

static void put_logs(const struct ttp_show *p, const struct ttp_mem_run *run)
{
    for (size_t i = 0; i < run->buffer_logs; i++) {
        const struct ttp_mem_buffer_log *l = &run->buffer_log[i];

        for (size_t k = 0; k < l->pools && l->recording; k++)
            ttp_show_sentence(
                p, "%.*s peak %s B over all banks at %.3f s%s%.*s, %s at the end",
                TTP_FMT(l->pool[k].name), ttp_out_mem_grouped(p, l->pool[k].peak_bytes),
                (double)l->pool[k].peak_ns / 1e9, l->pool[k].peak_op.len ? " in " : "",
                TTP_FMT(l->pool[k].peak_op), ttp_out_mem_grouped(p, l->pool[k].bytes));
        for (size_t k = 0; k < l->pools && !l->recording; k++)
            ttp_show_sentence(p, "%.*s peak %s B per device, %s at the end",
                              TTP_FMT(l->pool[k].name),
                              ttp_out_mem_grouped(p, l->pool[k].peak_bytes),
                              ttp_out_mem_grouped(p, l->pool[k].bytes));
        ttp_show_sentence(
            p, "%s allocations, %s live at the end, %s frees of buffers older than the %s",
            ttp_out_mem_grouped(p, l->allocations), ttp_out_mem_grouped(p, l->live_at_end),
            ttp_out_mem_grouped(p, l->unpaired_frees), l->recording ? "recording" : "log");
    }
}

void ttp_out_mem_put_files(const struct ttp_show *p, const struct ttp_mem_run *run, size_t top)
{
    for (size_t i = 0; i < run->databases && run->captures == 0; i++)
        for (size_t r = 0; r < run->database[i].ranks; r++)
            put_rank(p, &run->database[i], &run->database[i].rank[r], top);
    for (size_t i = 0; i < run->reports; i++)
        put_report(p, &run->report[i]);
    put_logs(p, run);
    for (size_t i = 0; i < run->shms; i++)
        put_shm(p, &run->shm[i]);
}
