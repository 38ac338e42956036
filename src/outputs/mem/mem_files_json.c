/* SPDX-License-Identifier: Apache-2.0 */
/* mem_files_json.c - what tells memory besides captures and databases, as JSON. */
#include <math.h>

#include "outputs/mem/mem_page_parts.h"
#include "outputs/show/json_members.h"

static void member_known(struct ttp_json_writer *w, const char *key, bool known, int64_t v)
{
    if (known)
        ttp_member_i64(w, key, v);
    else
        ttp_member_null(w, key);
}

ttp_str ttp_mem_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    ttp_str name = ttp_str_from(slash ? slash + 1 : path);

    if (ttp_str_ends(name, TTP_STR(".gz")))
        name.len -= 3;
    else if (ttp_str_ends(name, TTP_STR(".zst")))
        name.len -= 4;
    return name;
}

static void put_pool_state(struct ttp_json_writer *w, const char *name,
                           const struct ttp_mem_pool_state *p)
{
    const double used = p->free ? (double)p->largest_free / (double)p->free : 1;

    ttp_member_object(w, name);
    ttp_member_u64(w, "allocated", p->allocated);
    ttp_member_u64(w, "bank", p->bank);
    ttp_member_f64(w, "fragmentation", round((1 - used) * 1e6) / 1e6);
    ttp_member_u64(w, "free", p->free);
    ttp_member_u64(w, "largest_free", p->largest_free);
    ttp_json_end_object(w);
}

static void put_program(struct ttp_json_writer *w, bool has, uint64_t program)
{
    member_known(w, "program_id", has, (int64_t)program);
}

static void put_summary(struct ttp_json_writer *w, const struct ttp_mem_summary *s)
{
    ttp_json_begin_object(w);
    put_pool_state(w, "DRAM", &s->pool[0]);
    put_pool_state(w, "L1", &s->pool[1]);
    put_pool_state(w, "L1_SMALL", &s->pool[2]);
    put_program(w, s->has_program, s->program);
    ttp_json_end_object(w);
}

static void put_blocks(struct ttp_json_writer *w, const struct ttp_mem_blocks *b)
{
    ttp_json_begin_object(w);
    ttp_member_u64(w, "allocated", b->allocated);
    ttp_member_u64(w, "allocated_blocks", b->allocated_blocks);
    ttp_member_u64(w, "blocks", b->blocks);
    ttp_member_u64(w, "free", b->free);
    ttp_member_u64(w, "free_blocks", b->free_blocks);
    ttp_member_u64(w, "largest_free", b->largest_free);
    ttp_member_str(w, "pool", b->pool);
    put_program(w, b->has_program, b->program);
    ttp_json_end_object(w);
}

static void put_reports(struct ttp_json_writer *w, const struct ttp_mem_run *run)
{
    ttp_member_object(w, "csv");
    for (size_t i = 0; i < run->reports; i++) {
        const struct ttp_mem_report *r = &run->report[i];

        if (r->kind == TTP_MEM_REPORT_L1)
            continue;
        ttp_json_put_key(w, ttp_mem_file_name(r->path));
        ttp_json_begin_array(w);
        for (size_t k = 0; k < r->summaries; k++)
            put_summary(w, &r->summary[k]);
        for (size_t k = 0; k < r->blocks; k++)
            put_blocks(w, &r->block[k]);
        ttp_json_end_array(w);
    }
    ttp_json_end_object(w);
}

static void put_l1_reports(struct ttp_json_writer *w, const struct ttp_mem_run *run)
{
    ttp_member_object(w, "l1_summaries");
    for (size_t i = 0; i < run->reports; i++) {
        const struct ttp_mem_report *r = &run->report[i];

        if (r->kind != TTP_MEM_REPORT_L1)
            continue;
        ttp_json_put_key(w, ttp_mem_file_name(r->path));
        ttp_json_begin_array(w);
        for (size_t k = 0; k < r->summaries; k++) {
            ttp_json_begin_object(w);
            put_program(w, r->summary[k].has_program, r->summary[k].program);
            ttp_member_u64(w, "largest_free_bytes", r->summary[k].pool[1].largest_free);
            ttp_member_u64(w, "free_all_banks_bytes", r->summary[k].pool[1].free);
            ttp_json_end_object(w);
        }
        ttp_json_end_array(w);
    }
    ttp_json_end_object(w);
}

static void put_buffer_log(struct ttp_json_writer *w, const struct ttp_mem_buffer_log *l)
{
    ttp_member_object(w, "mesh_buffers");
    ttp_member_u64(w, "allocations", l->allocations);
    ttp_member_object(w, "end_bytes");
    for (size_t i = 0; i < l->pools; i++) {
        ttp_json_put_key(w, l->pool[i].name);
        ttp_json_put_u64(w, l->pool[i].bytes);
    }
    ttp_json_end_object(w);
    ttp_member_u64(w, "live_at_end", l->live_at_end);
    ttp_member_object(w, "peak_bytes");
    for (size_t i = 0; i < l->pools; i++) {
        ttp_json_put_key(w, l->pool[i].name);
        ttp_json_begin_object(w);
        ttp_member_u64(w, "bytes", l->pool[i].peak_bytes);
        ttp_member_u64(w, "timestamp_ns", l->pool[i].peak_ns);
        ttp_json_end_object(w);
    }
    ttp_json_end_object(w);
    ttp_member_u64(w, "unpaired_frees", l->unpaired_frees);
    ttp_json_end_object(w);
}

static void put_counts(struct ttp_json_writer *w, const struct ttp_mem_counts *c)
{
    ttp_member_u64(w, "dram", c->dram);
    ttp_member_u64(w, "l1", c->l1);
    ttp_member_u64(w, "l1_small", c->l1_small);
    ttp_member_u64(w, "trace", c->trace);
    ttp_member_u64(w, "cb", c->cb);
}

static void put_shm(struct ttp_json_writer *w, const struct ttp_mem_shm_file *f)
{
    const struct ttp_mem_shm *s = &f->shm;

    ttp_json_begin_object(w);
    if (f->code != TTP_OK) {
        ttp_member_text(w, "error", s->version ? "version" : "short");
        if (s->version)
            ttp_member_u64(w, "version", s->version);
        ttp_json_end_object(w);
        return;
    }
    ttp_member_u64(w, "asic_id", s->asic);
    ttp_member_u64(w, "attached", s->attached);
    ttp_member_array(w, "chips");
    for (size_t i = 0; i < s->chips; i++) {
        ttp_json_begin_object(w);
        ttp_member_u64(w, "chip", s->chip[i].chip);
        ttp_member_u64(w, "remote", s->chip[i].remote);
        put_counts(w, &s->chip[i].bytes);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_member_u64(w, "device_id", s->device);
    put_counts(w, &s->bytes);
    ttp_member_array(w, "processes");
    for (size_t i = 0; i < s->processes; i++) {
        ttp_json_begin_object(w);
        put_counts(w, &s->process[i].bytes);
        ttp_member_text(w, "name", s->process[i].name);
        ttp_member_i64(w, "pid", s->process[i].pid);
        ttp_member_u64(w, "updated_ns", s->process[i].updated_ns);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_member_u64(w, "processes_counted", s->counted);
    ttp_member_u64(w, "updated_ns", s->updated_ns);
    ttp_member_u64(w, "version", s->version);
    ttp_json_end_object(w);
}

void ttp_mem_files_members(struct ttp_json_writer *w, const struct ttp_mem_run *run)
{
    if (run->reports) {
        put_reports(w, run);
        put_l1_reports(w, run);
    }
    if (run->buffer_logs)
        put_buffer_log(w, &run->buffer_log[0]);
    if (run->shms) {
        ttp_member_object(w, "shm");
        for (size_t i = 0; i < run->shms; i++) {
            ttp_json_put_key(w, ttp_mem_file_name(run->shm[i].path));
            put_shm(w, &run->shm[i]);
        }
        ttp_json_end_object(w);
    }
}
