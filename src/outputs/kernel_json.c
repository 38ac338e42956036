/* SPDX-License-Identifier: Apache-2.0 */
/* docs/schemas/tt-perf.kernel-1.json describes what is written here. */
#include "outputs/json_members.h"
#include "outputs/kernel_parts.h"

static bool wants(const struct ttp_kernel_view *v, enum ttp_kernel_section s)
{
    return v->sections >> s & 1;
}

static void put_id(struct ttp_json_writer *w, const char *key, int64_t id)
{
    if (id == TTP_NO_ID)
        ttp_member_null(w, key);
    else
        ttp_member_i64(w, key, id);
}

static void put_spread(struct ttp_json_writer *w, const char *key, const struct ttp_cycle_spread *s)
{
    ttp_member_object(w, key);
    ttp_member_u64(w, "count", s->count);
    ttp_member_u64(w, "min", s->min);
    ttp_member_u64(w, "median", s->median);
    ttp_member_u64(w, "max", s->max);
    ttp_member_u64(w, "sum", s->sum);
    ttp_json_end_object(w);
}

/* --- perf --- */

static void put_transfers(struct ttp_json_writer *w, const char *key, const struct ttp_transfers *t)
{
    ttp_member_object(w, key);
    ttp_member_u64(w, "bytes", t->bytes);
    ttp_member_u64(w, "transfers", t->count);
    ttp_member_u64(w, "saturated_transfers", t->saturated);
    ttp_member_bool(w, "at_least", t->saturated > 0);
    ttp_json_end_object(w);
}

static void put_ends(struct ttp_json_writer *w, const char *key,
                     const struct ttp_transfers t[TTP_TRAFFIC_ENDS])
{
    static const char *const end[TTP_TRAFFIC_ENDS] = {"dram", "l1", "eth", "other"};

    ttp_member_object(w, key);
    for (size_t i = 0; i < TTP_TRAFFIC_ENDS; i++)
        put_transfers(w, end[i], &t[i]);
    ttp_json_end_object(w);
}

static void put_nocs(struct ttp_json_writer *w, const char *key, const uint64_t n[TTP_KERNEL_NOCS])
{
    ttp_member_object(w, key);
    ttp_member_u64(w, "noc0", n[0]);
    ttp_member_u64(w, "noc1", n[1]);
    ttp_member_u64(w, "unsaid", n[2]);
    ttp_json_end_object(w);
}

static void put_traffic(struct ttp_json_writer *w, const struct ttp_traffic *t)
{
    if (!t) {
        ttp_member_null(w, "traffic");
        return;
    }
    ttp_member_object(w, "traffic");
    put_ends(w, "read", t->read);
    put_ends(w, "write", t->write);
    put_transfers(w, "multicast", &t->multicast);
    ttp_member_u64(w, "multicast_received_bytes", t->multicast_received);
    put_transfers(w, "fabric", &t->fabric);
    ttp_member_array(w, "transfer_sizes");
    for (size_t i = 0; i < t->sizes.count; i++) {
        ttp_json_begin_object(w);
        ttp_member_u64(w, "bytes", t->sizes.size[i].bytes);
        ttp_member_u64(w, "transfers", t->sizes.size[i].count);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_member_u64(w, "read_barriers", t->read_barriers);
    ttp_member_u64(w, "write_barriers", t->write_barriers);
    ttp_member_u64(w, "read_barrier_cycles", t->read_barrier_cycles);
    ttp_member_u64(w, "write_barrier_cycles", t->write_barrier_cycles);
    ttp_member_u64(w, "semaphores", t->semaphores);
    put_nocs(w, "noc_reads", t->noc_reads);
    put_nocs(w, "noc_writes", t->noc_writes);
    ttp_member_u64(w, "dram_channels", (uint64_t)__builtin_popcount(t->dram_channels));
    ttp_member_u64(w, "l1_targets", t->l1_targets.count);
    ttp_member_u64(w, "source_cores", t->sources.count);
    ttp_member_u64(w, "state_reusing_transfers", t->with_state);
    ttp_member_u64(w, "state_unknown_transfers", t->lost_state);
    ttp_json_end_object(w);
}

static void put_cores(struct ttp_json_writer *w, const struct ttp_kernel_report *r,
                      const struct ttp_kernel_program *m)
{
    ttp_member_array(w, "cores");
    for (size_t i = 0; i < m->ncores; i++) {
        const struct ttp_core *c = &r->profile->log.core[m->core[i]->core];
        ttp_json_begin_object(w);
        ttp_member_i64(w, "x", c->x);
        ttp_member_i64(w, "y", c->y);
        ttp_member_u64(w, "cycles", m->core[i]->last_cycle - m->core[i]->first_cycle);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_perf(struct ttp_json_writer *w, const struct ttp_kernel_report *r,
                     const struct ttp_kernel_program *m)
{
    ttp_member_object(w, "perf");
    ttp_member_array(w, "grid");
    ttp_json_put_u64(w, m->grid_cols);
    ttp_json_put_u64(w, m->grid_rows);
    ttp_json_end_array(w);
    ttp_member_u64(w, "cores_used", m->targets.cores_used);
    ttp_member_u64(w, "duration_cycles", m->duration_cycles);
    ttp_member_fixed(w, "duration_us", (double)m->duration_cycles / (double)r->clock_mhz, 3);
    put_spread(w, "core_cycles", &m->core_cycles);
    if (m->slowest) {
        const struct ttp_core *c = &r->profile->log.core[m->slowest->core];
        ttp_member_array(w, "slowest_core");
        ttp_json_put_i64(w, c->x);
        ttp_json_put_i64(w, c->y);
        ttp_json_end_array(w);
    } else {
        ttp_member_null(w, "slowest_core");
    }
    put_cores(w, r, m);
    put_traffic(w, m->traffic);
    ttp_json_end_object(w);
}

/* --- threads, signposts --- */

static void put_threads(struct ttp_json_writer *w, const struct ttp_kernel_program *m)
{
    ttp_member_array(w, "threads");
    for (size_t i = 0; i < TTP_KERNEL_RISCS; i++) {
        const struct ttp_kernel_thread *t = &m->thread[i];
        if (t->kernel_cycles.count == 0 && t->zones == 0)
            continue;
        ttp_json_begin_object(w);
        ttp_member_str(w, "thread", ttp_str_from(ttp_kernel_risc_name((enum ttp_kernel_risc)i)));
        ttp_member_str_or_null(w, "kernel", t->kernel);
        put_spread(w, "kernel_cycles", &t->kernel_cycles);
        ttp_member_u64(w, "wait_for_data_cycles", t->wait);
        ttp_member_u64(w, "wait_for_room_cycles", t->reserve);
        ttp_member_u64(w, "dma_barrier_cycles", t->barrier);
        ttp_member_u64(w, "zones", t->zones);
        ttp_member_u64(w, "zone_cycles", t->line_cycles);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_signposts(struct ttp_json_writer *w, const struct ttp_kernel_report *r,
                          const struct ttp_kernel_program *m, struct ttp_arena *arena)
{
    struct ttp_user_zone *zone;
    const size_t n = ttp_kernel_user_zones(&zone, r, m, arena);

    ttp_member_array(w, "signposts");
    for (size_t i = 0; i < n; i++) {
        ttp_json_begin_object(w);
        ttp_member_str(w, "name", zone[i].name);
        ttp_member_str(w, "thread", ttp_str_from(ttp_kernel_risc_name(zone[i].risc)));
        ttp_member_u64(w, "count", zone[i].stat->count);
        ttp_member_u64(w, "total_cycles", zone[i].stat->sum);
        ttp_member_u64(w, "min_cycles", zone[i].stat->min);
        ttp_member_u64(w, "max_cycles", zone[i].stat->max);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

/* --- verdict --- */

static void put_bottleneck(struct ttp_json_writer *w, const struct ttp_kernel_program *m,
                           struct ttp_arena *arena)
{
    const struct ttp_kernel_verdict *v = &m->verdict;

    ttp_member_object(w, "bottleneck");
    ttp_member_str(w, "name", ttp_str_from(ttp_kernel_bottleneck_name(v->bottleneck)));
    ttp_member_str(w, "thread", ttp_str_from(ttp_kernel_bottleneck_name(v->thread)));
    ttp_member_fixed(w, "at_most_times_faster", v->gain, 3);
    ttp_member_str(w, "sentence", ttp_kernel_sentence(m, arena));
    ttp_member_bool(w, "from_waits", v->from_waits);
    ttp_member_array(w, "roles");
    for (size_t i = 0; i < TTP_KERNEL_ROLES; i++) {
        const struct ttp_role_time *t = &v->role[i];
        if (!t->known)
            continue;
        ttp_json_begin_object(w);
        ttp_member_str(w, "role", ttp_str_from(ttp_kernel_role_name((enum ttp_kernel_role)i)));
        ttp_member_str(w, "thread", ttp_str_from(ttp_kernel_risc_name(t->risc)));
        ttp_member_u64(w, "kernel_cycles", t->cycles);
        ttp_member_fixed(w, "busy_pct", 100 * t->busy, 2);
        ttp_member_fixed(w, "wait_for_data_pct", 100 * t->wait_in, 2);
        ttp_member_fixed(w, "wait_for_room_pct", 100 * t->wait_out, 2);
        ttp_member_fixed(w, "dma_barrier_pct", 100 * t->barrier, 2);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

static void put_known(struct ttp_json_writer *w, const char *key, uint64_t v)
{
    if (v)
        ttp_member_u64(w, key, v);
    else
        ttp_member_null(w, key);
}

static void put_targets(struct ttp_json_writer *w, const struct ttp_targets *t)
{
    ttp_member_object(w, "targets");
    ttp_member_u64(w, "cores_used", t->cores_used);
    put_known(w, "available_cores", t->cores_available);
    put_known(w, "dram_bytes", t->dram_bytes);
    ttp_member_bool(w, "dram_bytes_at_least", t->dram_at_least);
    put_known(w, "ideal_dram_bytes", t->ideal_bytes);
    ttp_member_fixed(w, "dram_gbs", t->dram_gbs, 3);
    ttp_member_fixed(w, "peak_dram_gbs", t->peak_gbs, 3);
    put_known(w, "block_bytes", t->block_bytes);
    ttp_member_u64(w, "buffers", t->buffers);
    put_known(w, "l1_bytes", t->l1_bytes);
    ttp_json_end_object(w);
}

static void put_program(struct ttp_json_writer *w, const struct ttp_kernel_view *v,
                        const struct ttp_kernel_program *m, struct ttp_arena *arena)
{
    ttp_json_begin_object(w);
    ttp_member_u64(w, "run_host_id", m->run_id);
    ttp_member_u64(w, "program", m->run_id >> 10);
    ttp_member_str_or_null(w, "op", m->name);
    ttp_member_i64(w, "device", m->device);
    put_id(w, "trace_id", m->trace_id);
    put_id(w, "replay", m->replay);
    ttp_member_u64(w, "full_buffers", m->invocation ? m->invocation->full_buffers : 0);
    if (wants(v, TTP_SECTION_PERF))
        put_perf(w, v->report, m);
    if (wants(v, TTP_SECTION_THREADS))
        put_threads(w, m);
    if (wants(v, TTP_SECTION_SIGNPOSTS))
        put_signposts(w, v->report, m, arena);
    if (wants(v, TTP_SECTION_BOTTLENECK))
        put_bottleneck(w, m, arena);
    if (wants(v, TTP_SECTION_TARGETS))
        put_targets(w, &m->targets);
    ttp_json_end_object(w);
}

/* --- graphs --- */

static void put_wait(struct ttp_json_writer *w, const struct ttp_kernel_report *r,
                     const struct ttp_flow_op *op, const char *wait)
{
    struct ttp_line_wait found;

    if (!ttp_kernel_line_wait(&found, r, op->kernel, op->line, wait))
        return;
    ttp_member_u64(w, "wait_cycles", found.cycles);
    ttp_member_fixed(w, "wait_pct", 100 * found.part, 2);
}

static void put_flow(struct ttp_json_writer *w, const struct ttp_kernel_report *r)
{
    static const char *const list[TTP_FLOW_LISTS] = {"producers", "consumers", "dma_ops",
                                                     "wait_ops"};
    static const char *const wait[TTP_FLOW_LISTS] = {"reserve", "wait", "", ""};

    ttp_member_array(w, "flow");
    for (size_t i = 0; r->flow && i < r->flow->nbuffers; i++) {
        const struct ttp_flow_buffer *b = &r->flow->buffer[i];
        ttp_json_begin_object(w);
        put_id(w, "cb_index", b->index);
        put_id(w, "dfb_id", b->dfb_id);
        for (size_t k = 0; k < TTP_FLOW_LISTS; k++) {
            ttp_member_array(w, list[k]);
            for (size_t n = 0; n < b->nops[k]; n++) {
                const struct ttp_flow_op *op = &b->op[k][n];
                ttp_json_begin_object(w);
                ttp_member_str(w, "kernel", op->kernel);
                ttp_member_i64(w, "line", op->line);
                ttp_member_str_or_null(w, "op", op->op);
                ttp_member_str_or_null(w, "thread", op->thread);
                ttp_member_str_or_null(w, "direction", op->direction);
                put_wait(w, r, op, wait[k]);
                ttp_json_end_object(w);
            }
            ttp_json_end_array(w);
        }
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_pipes(struct ttp_json_writer *w, const struct ttp_pipe_graph *g)
{
    ttp_member_array(w, "pipes");
    for (size_t i = 0; g && i < g->npipes; i++) {
        const struct ttp_pipe *p = &g->pipe[i];
        ttp_json_begin_object(w);
        ttp_member_i64(w, "src_x", p->src_x);
        ttp_member_i64(w, "src_y", p->src_y);
        ttp_member_i64(w, "dst_start_x", p->dst_start_x);
        ttp_member_i64(w, "dst_start_y", p->dst_start_y);
        ttp_member_i64(w, "dst_end_x", p->dst_end_x);
        ttp_member_i64(w, "dst_end_y", p->dst_end_y);
        put_id(w, "net", p->net);
        put_id(w, "receiver_cb_index", p->receiver);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_lost(struct ttp_json_writer *w, const struct ttp_kernel_report *r)
{
    const struct ttp_zone_log *log = r->profile ? &r->profile->log : NULL;

    ttp_member_object(w, "lost");
    ttp_member_u64(w, "orphan_starts", log ? log->orphan_starts : 0);
    ttp_member_u64(w, "orphan_ends", log ? log->orphan_ends : 0);
    ttp_member_u64(w, "backward_zones", log ? log->backward_zones : 0);
    ttp_member_u64(w, "bad_rows", log ? log->bad_rows.count : 0);
    ttp_json_end_object(w);
}

void ttp_out_kernel_json(struct ttp_json_writer *w, const struct ttp_kernel_view *v,
                         struct ttp_arena *arena)
{
    const struct ttp_kernel_report *r = v->report;

    ttp_json_begin_object(w);
    ttp_member_str_or_null(w, "arch", r->arch);
    ttp_member_u64(w, "clock_mhz", r->clock_mhz);
    put_known(w, "available_cores", (uint64_t)(r->cores_available > 0 ? r->cores_available : 0));
    ttp_member_u64(w, "invocations", v->invocations);
    put_lost(w, r);
    ttp_member_array(w, "programs");
    for (size_t i = 0; i < r->nprograms; i++)
        put_program(w, v, &r->program[i], arena);
    ttp_json_end_array(w);
    if (wants(v, TTP_SECTION_FLOW))
        put_flow(w, r);
    if (wants(v, TTP_SECTION_PIPES))
        put_pipes(w, r->pipes);
    if (wants(v, TTP_SECTION_REPEAT)) {
        ttp_member_object(w, "repeat");
        ttp_member_str(w, "perf", ttp_str_from(v->repeat_perf));
        ttp_member_str(w, "lines", ttp_str_from(v->repeat_lines));
        ttp_json_end_object(w);
    }
    ttp_json_end_object(w);
}
