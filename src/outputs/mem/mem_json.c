/* SPDX-License-Identifier: Apache-2.0 */
/* docs/schemas/tt-perf.mem-1.json describes what is written here. */
#include "outputs/mem/mem_page_parts.h"
#include "outputs/show/json_members.h"

#define STALE_SHOWN 20

static void member_counter(struct ttp_json_writer *w, const char *key, uint32_t v)
{
    if (v == TTP_MEM_NONE)
        ttp_member_null(w, key);
    else
        ttp_member_u64(w, key, v);
}

static void member_known(struct ttp_json_writer *w, const char *key, bool known, int64_t v)
{
    if (known)
        ttp_member_i64(w, key, v);
    else
        ttp_member_null(w, key);
}

static void number_key(struct ttp_json_writer *w, int64_t v)
{
    char text[TTP_NUM_MAX];

    ttp_json_put_key(w, (ttp_str){text, ttp_num_i64(text, v)});
}

/* --- captures --- */

static void put_split(struct ttp_json_writer *w, const struct ttp_mem_peak *peak)
{
    ttp_member_object(w, "split");
    ttp_member_u64(w, "cb", peak->cb);
    for (int k = 0; k < TTP_MEM_CLASSES; k++)
        ttp_member_u64(w, ttp_mem_class_name((enum ttp_mem_class)k), peak->part[k]);
    ttp_json_end_object(w);
}

static uint32_t op_id(const struct ttp_mem_capture *c, uint32_t op)
{
    return op == TTP_MEM_NONE ? TTP_MEM_NONE : c->op[op].id;
}

static void put_run_devices(struct ttp_json_writer *w, const struct ttp_mem_capture *c)
{
    ttp_member_object(w, "devices");
    for (size_t i = 0; i < c->devices; i++) {
        const struct ttp_mem_device *d = &c->device[i];

        if (!d->peak.any)
            continue;
        number_key(w, d->id);
        ttp_json_begin_object(w);
        member_counter(w, "dram_peak_op", op_id(c, d->dram_peak_op));
        ttp_member_u64(w, "dram_peak_per_bank", d->dram_peak);
        ttp_member_u64(w, "dram_peak_total", d->dram_peak_total);
        member_known(w, "l1_bank_bytes", d->l1_bank_bytes > 0, d->l1_bank_bytes);
        ttp_member_u64(w, "l1_peak", d->peak.l1);
        ttp_member_u64(w, "l1_peak_counter", d->peak.at);
        member_counter(w, "l1_peak_op", op_id(c, d->peak_op));
        put_split(w, &d->peak);
        ttp_json_end_object(w);
    }
    ttp_json_end_object(w);
}

static void put_largest(struct ttp_json_writer *w, const struct ttp_mem_capture *c,
                        const struct ttp_mem_use *use, struct ttp_arena *arena)
{
    ttp_member_array(w, "largest");
    for (size_t i = 0; i < use->nlargest; i++) {
        const struct ttp_mem_buffer *b = &c->buffer[use->largest[i]];
        const int64_t *ids;
        const size_t n = ttp_mem_tensor_ids(&ids, c, b, arena);

        ttp_json_begin_object(w);
        member_known(w, "address", b->has_address, b->address);
        member_counter(w, "alloc_counter", b->alloc);
        ttp_member_u64(w, "bytes", b->bytes);
        ttp_member_text(w, "class", ttp_mem_class_name((enum ttp_mem_class)use->largest_class[i]));
        ttp_member_array(w, "tensor_ids");
        for (size_t k = 0; k < n; k++)
            ttp_json_put_i64(w, ids[k]);
        ttp_json_end_array(w);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_use(struct ttp_json_writer *w, const struct ttp_mem_capture *c,
                    const struct ttp_mem_use *use, struct ttp_arena *arena)
{
    const struct ttp_mem_gaps *end = &use->end;

    ttp_json_begin_object(w);
    ttp_member_u64(w, "at_counter", use->peak.at);
    ttp_member_object(w, "end");
    ttp_member_u64(w, "dram", use->end_dram);
    member_known(w, "free", end->known, (int64_t)end->free);
    member_known(w, "largest", end->known, (int64_t)end->largest);
    member_known(w, "segments", end->known, (int64_t)end->segments);
    ttp_member_u64(w, "small", use->end_small);
    ttp_member_u64(w, "tensors", use->end_l1);
    ttp_json_end_object(w);
    member_known(w, "headroom_min", use->has_headroom, use->headroom_min);
    ttp_member_u64(w, "l1_peak", use->peak.l1);
    put_largest(w, c, use, arena);
    member_known(w, "largest_free_min", use->has_largest_free, (int64_t)use->largest_free_min);
    put_split(w, &use->peak);
    ttp_json_end_object(w);
}

static void put_ops(struct ttp_json_writer *w, const struct ttp_mem_capture *c,
                    struct ttp_arena *arena)
{
    ttp_member_array(w, "ops");
    for (size_t i = 0; i < c->ops; i++) {
        const struct ttp_mem_op *op = &c->op[i];
        const struct ttp_mark mark = ttp_arena_mark(arena);

        ttp_json_begin_object(w);
        member_known(w, "duration_ns", op->finished, (int64_t)op->duration_ns);
        ttp_member_bool(w, "finished", op->finished);
        ttp_member_object(w, "memory");
        for (size_t d = 0; d < c->devices; d++) {
            number_key(w, c->device[d].id);
            put_use(w, c, &c->use[i * c->devices + d], arena);
        }
        ttp_json_end_object(w);
        ttp_member_str(w, "name", op->name);
        ttp_member_u64(w, "op_id", op->id);
        ttp_member_u64(w, "start_counter", op->start);
        ttp_json_end_object(w);
        ttp_arena_rewind(arena, mark);
    }
    ttp_json_end_array(w);
    ttp_member_array(w, "unfinished");
    for (size_t i = 0; i < c->ops; i++)
        if (!c->op[i].finished)
            ttp_json_put_u64(w, c->op[i].id);
    ttp_json_end_array(w);
}

static void put_launches(struct ttp_json_writer *w, const struct ttp_mem_capture *c)
{
    ttp_member_array(w, "device_ops");
    for (size_t i = 0; i < c->launches; i++) {
        const struct ttp_mem_launch *l = &c->launch[i];

        ttp_json_begin_object(w);
        ttp_member_text(w, "cb_source", ttp_mem_cb_source_name(l->source));
        ttp_member_u64(w, "cbs", l->cbs);
        ttp_member_u64(w, "counter", l->counter);
        ttp_member_object(w, "launches");
        for (uint32_t k = l->first; k != TTP_MEM_NONE; k = c->launched[k].next) {
            if (c->launched[k].has_device)
                number_key(w, c->launched[k].device);
            else
                ttp_json_put_key(w, TTP_STR("None"));
            ttp_json_put_u64(w, c->launched[k].count);
        }
        ttp_json_end_object(w);
        ttp_member_str(w, "name", l->name);
        member_counter(w, "op_id", op_id(c, l->op));
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_stale(struct ttp_json_writer *w, const struct ttp_mem_capture *c)
{
    ttp_member_array(w, "stale");
    for (size_t i = 0; i < c->stales && i < STALE_SHOWN; i++) {
        const struct ttp_mem_stale *s = &c->stale[i];
        const struct ttp_mem_buffer *b = &c->buffer[s->buffer];

        ttp_json_begin_object(w);
        member_known(w, "address", b->has_address, b->address);
        member_counter(w, "alloc_counter", b->alloc);
        ttp_member_u64(w, "byte_ops", s->byte_ops);
        ttp_member_u64(w, "bytes_per_bank", b->bytes);
        ttp_member_i64(w, "device", c->device[b->device].id);
        member_counter(w, "freed_counter", b->freed);
        member_counter(w, "last_use_op", op_id(c, s->last_op));
        ttp_member_u64(w, "stale_ops", s->ops);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_member_u64(w, "stale_count", c->stales);
}

static void put_histogram(struct ttp_json_writer *w, const struct ttp_mem_capture *c)
{
    ttp_member_object(w, "histogram");
    for (size_t i = 0; i < c->bins; i++) {
        if (i == 0 || c->bin[i].pool != c->bin[i - 1].pool)
            ttp_member_object(w, ttp_mem_pool_name((enum ttp_mem_pool)c->bin[i].pool));
        number_key(w, (int64_t)c->bin[i].from);
        ttp_json_put_u64(w, c->bin[i].count);
        if (i + 1 == c->bins || c->bin[i + 1].pool != c->bin[i].pool)
            ttp_json_end_object(w);
    }
    ttp_json_end_object(w);
}

/* --- failures --- */

static void put_failure(struct ttp_json_writer *w, const struct ttp_mem_failure *f,
                        const struct ttp_mem_to_free *to_free, const struct ttp_mem_capture *c)
{
    ttp_json_begin_object(w);
    ttp_member_text(w, "kind", ttp_mem_failure_name(f->kind));
    ttp_member_text(w, "verdict", ttp_mem_verdict_name(f->verdict));
    if (f->kind == TTP_MEM_OUT_OF_MEMORY) {
        ttp_member_u64(w, "bytes", f->bytes);
        ttp_member_u64(w, "banks", f->banks);
        ttp_member_u64(w, "bytes_per_bank", f->bytes_per_bank);
        ttp_member_str(w, "pool", f->pool);
        member_known(w, "bank_bytes", f->has_bank, (int64_t)f->bank_bytes);
        member_known(w, "allocated", f->has_bank, (int64_t)f->allocated);
        member_known(w, "free", f->has_bank, (int64_t)f->free);
        member_known(w, "largest_free", f->has_bank, (int64_t)f->largest_free);
    } else {
        ttp_member_str(w, "what", f->what);
        ttp_member_str(w, "core_range", f->cores);
        ttp_member_u64(w, "program_id", f->program);
        ttp_member_u64(w, "cb_region_end", f->region_end);
        if (f->kind == TTP_MEM_CB_CLASH)
            ttp_member_u64(w, "lowest_l1_address", f->lowest_l1);
        else
            ttp_member_u64(w, "max_l1_bytes", f->max_l1);
    }
    if (f->has_short)
        ttp_member_u64(w, "short_by", f->short_by);
    if (to_free && to_free->any) {
        ttp_member_object(w, "free_to_fit");
        ttp_member_array(w, "buffers");
        for (size_t i = 0; i < to_free->count; i++) {
            const struct ttp_mem_buffer *b = &c->buffer[to_free->buffer[i]];

            ttp_json_begin_object(w);
            ttp_member_i64(w, "address", b->address);
            member_counter(w, "alloc_counter", b->alloc);
            ttp_member_u64(w, "bytes_per_bank", b->bytes);
            ttp_json_end_object(w);
        }
        ttp_json_end_array(w);
        ttp_member_u64(w, "hole", to_free->hole);
        ttp_json_end_object(w);
    }
    ttp_json_end_object(w);
}

static void put_captures(struct ttp_json_writer *w, const struct ttp_mem_run *run,
                         struct ttp_arena *arena)
{
    ttp_member_object(w, "graphs");
    for (size_t i = 0; i < run->captures; i++) {
        const struct ttp_mem_capture *c = &run->capture[i];
        const size_t n = run->failures.count;

        ttp_json_put_key(w, ttp_mem_file_name(c->path));
        ttp_json_begin_object(w);
        ttp_member_object(w, "buffers");
        ttp_member_u64(w, "estimated", c->estimated);
        ttp_member_u64(w, "never_freed", c->never_freed);
        ttp_member_u64(w, "older_than_capture", c->older);
        ttp_member_u64(w, "total", c->total);
        ttp_json_end_object(w);
        put_launches(w, c);
        put_run_devices(w, c);
        if (n && i == run->to_free[n - 1].capture) { /* the last one told is what ended the run */
            ttp_member_key(w, "failure");
            put_failure(w, &run->failures.item[n - 1], &run->to_free[n - 1], c);
        }
        put_histogram(w, c);
        put_ops(w, c, arena);
        if (c->has_rank)
            ttp_member_i64(w, "rank", c->rank);
        put_stale(w, c);
        ttp_json_end_object(w);
    }
    ttp_json_end_object(w);
}

/* --- databases --- */

static void put_ids(struct ttp_json_writer *w, const char *key, const int64_t *id, size_t n)
{
    ttp_member_array(w, key);
    for (size_t i = 0; i < n; i++)
        ttp_json_put_i64(w, id[i]);
    ttp_json_end_array(w);
}

static void put_row_device(struct ttp_json_writer *w, const struct ttp_mem_row_device *d)
{
    number_key(w, d->device);
    ttp_json_begin_object(w);
    ttp_member_u64(w, "cb_at_peak", d->cb_at_peak);
    ttp_member_u64(w, "dram_end", d->dram_end);
    if (d->end.known) {
        ttp_member_u64(w, "free", d->end.free);
        ttp_member_u64(w, "largest_free", d->end.largest);
        ttp_member_u64(w, "segments", d->end.segments);
    }
    ttp_member_u64(w, "l1_end", d->l1_end);
    ttp_member_u64(w, "l1_peak", d->l1_peak);
    ttp_member_u64(w, "small_end", d->small_end);
    ttp_member_u64(w, "tensors_at_peak", d->tensors_at_peak);
    ttp_json_end_object(w);
}

static void put_rank(struct ttp_json_writer *w, const struct ttp_mem_rank *r)
{
    number_key(w, r->rank);
    ttp_json_begin_object(w);
    ttp_member_array(w, "errors");
    for (size_t i = 0; i < r->errors; i++) {
        ttp_json_begin_object(w);
        ttp_member_i64(w, "operation_id", r->error[i].op);
        ttp_member_str(w, "operation_name", r->error[i].operation);
        ttp_member_str(w, "error_type", r->error[i].type);
        ttp_member_str(w, "error_message", r->error[i].message);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_member_array(w, "ops");
    for (size_t i = 0; i < r->rows; i++) {
        const struct ttp_mem_row *row = &r->row[i];

        ttp_json_begin_object(w);
        ttp_member_known(w, "duration_s", row->has_duration, row->duration_s);
        put_ids(w, "inputs", row->input, row->inputs);
        ttp_member_object(w, "memory");
        for (size_t d = 0; d < row->devices; d++)
            put_row_device(w, &row->device[d]);
        ttp_json_end_object(w);
        ttp_member_str(w, "name", row->name);
        ttp_member_i64(w, "op_id", row->id);
        put_ids(w, "outputs", row->output, row->outputs);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

static void put_databases(struct ttp_json_writer *w, const struct ttp_mem_run *run)
{
    ttp_member_object(w, "databases");
    for (size_t i = 0; i < run->databases; i++) {
        const struct ttp_mem_database *d = &run->database[i];

        ttp_json_put_key(w, ttp_mem_file_name(d->path));
        ttp_json_begin_object(w);
        ttp_member_object(w, "ranks");
        for (size_t r = 0; r < d->ranks; r++)
            put_rank(w, &d->rank[r]);
        ttp_json_end_object(w);
        ttp_member_object(w, "schema");
        ttp_member_u64(w, "errors_columns", d->error_columns);
        ttp_member_bool(w, "lifetime", d->lifetime);
        ttp_member_text(w, "pages", d->chunks ? "chunks" : "pages");
        ttp_member_bool(w, "rank_column", d->rank_column);
        ttp_member_str_or_null(w, "version", d->version);
        ttp_json_end_object(w);
        ttp_json_end_object(w);
    }
    ttp_json_end_object(w);
}

/* --- what is beyond the figures of one file --- */

static void put_capture_notes(struct ttp_json_writer *w, const struct ttp_mem_capture *c)
{
    ttp_json_begin_object(w);
    ttp_member_str(w, "input", ttp_mem_file_name(c->path));
    ttp_member_bool(w, "partial", c->partial);
    if (c->partial)
        ttp_member_u64(w, "cut_at_offset", c->cut_offset);
    ttp_member_u64(w, "snapshots", c->snapshots);
    ttp_member_u64(w, "reconciled", c->reconciled);
    ttp_member_object(w, "l1_peak_inferred");
    for (size_t i = 0; i < c->devices; i++) {
        number_key(w, c->device[i].id);
        ttp_json_put_u64(w, c->device[i].peak_inferred);
    }
    ttp_json_end_object(w);
    ttp_member_array(w, "ops_inferred");
    for (size_t i = 0; i < c->ops; i++) {
        const struct ttp_mem_op *op = &c->op[i];

        for (size_t d = 0; d < c->devices && (op->cb_inferred || op->cb_unknown); d++) {
            ttp_json_begin_object(w);
            ttp_member_u64(w, "op_id", op->id);
            ttp_member_i64(w, "device", c->device[d].id);
            ttp_member_u64(w, "l1_peak_inferred", c->use[i * c->devices + d].peak_inferred);
            ttp_member_text(w, "mark", op->cb_unknown ? ">=" : "~");
            ttp_json_end_object(w);
        }
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

static void put_difference(struct ttp_json_writer *w, const struct ttp_mem_difference *d)
{
    ttp_member_object(w, "difference");
    ttp_member_u64(w, "matched", d->matched);
    ttp_member_u64(w, "only_before", d->only_before);
    ttp_member_u64(w, "only_after", d->only_after);
    ttp_member_array(w, "changes");
    for (size_t i = 0; i < d->changes; i++) {
        const struct ttp_mem_change *c = &d->change[i];

        ttp_json_begin_object(w);
        ttp_member_u64(w, "op_before", c->op_before);
        ttp_member_u64(w, "op_after", c->op_after);
        ttp_member_str(w, "name", c->name);
        ttp_member_i64(w, "l1_peak_before_bytes", c->peak_before);
        ttp_member_i64(w, "l1_peak_after_bytes", c->peak_after);
        ttp_member_i64(w, "stale_before_bytes", c->stale_before);
        ttp_member_i64(w, "stale_after_bytes", c->stale_after);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

void ttp_mem_json(struct ttp_json_writer *w, const struct ttp_mem_view *view)
{
    const struct ttp_mem_run *run = view->run;

    ttp_json_begin_object(w);
    if (run->captures)
        put_captures(w, run, view->arena);
    if (run->databases)
        put_databases(w, run);
    ttp_mem_files_members(w, run);
    if (run->failures.count) {
        ttp_member_array(w, "failures");
        for (size_t i = 0; i < run->failures.count; i++)
            put_failure(w, &run->failures.item[i], NULL, NULL);
        ttp_json_end_array(w);
    }
    if (run->captures) {
        ttp_member_array(w, "captures");
        for (size_t i = 0; i < run->captures; i++)
            put_capture_notes(w, &run->capture[i]);
        ttp_json_end_array(w);
    }
    if (view->difference)
        put_difference(w, view->difference);
    ttp_json_end_object(w);
}
