/* SPDX-License-Identifier: Apache-2.0 */
/* top_live.c - what processes hold of the chips' memory, and what they do. */
#include "outputs/columns_text.h"
#include "outputs/json_members.h"
#include "outputs/outputs.h"

static void put_bytes(struct ttp_sink *out, double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    size_t unit = 0;

    while (bytes >= 999.5 && unit + 1 < TTP_COUNT(units)) {
        bytes /= 1000;
        unit++;
    }
    ttp_sink_printf(out, bytes < 10 && unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

static void put_memory(struct ttp_sink *out, const struct ttp_top_live *live,
                       const struct ttp_top_process *p)
{
    ttp_sink_own(out, "DRAM ");
    put_bytes(out, (double)p->bytes.dram);
    if (live->dram_bytes > 0) {
        ttp_sink_own(out, " of ");
        put_bytes(out, live->dram_bytes * (double)p->memory_chips);
    }
    ttp_sink_own(out, "  L1 ");
    put_bytes(out, (double)p->bytes.l1);
    ttp_sink_own(out, "  CB ");
    put_bytes(out, (double)p->bytes.cb);
}

/* "matmul" of "operations/matmul". */
static ttp_str brief(ttp_str label)
{
    size_t at = label.len;

    while (at > 0 && label.ptr[at - 1] != '/')
        at--;
    return ttp_str_slice(label, at, label.len);
}

static void put_activity(struct ttp_sink *out, const struct ttp_activity *a)
{
    char rate[TTP_NUM_MAX];

    switch (a->kind) {
    case TTP_ACTIVITY_COMPILING:
        ttp_sink_printf(out, "compiling %.*s for %.1f s", TTP_FMT(brief(a->what)), a->compiling_s);
        break;
    case TTP_ACTIVITY_LAUNCHING:
        ttp_sink_printf(out, "launching %.*s/s",
                        TTP_FMT(ttp_grouped(rate, (int64_t)(a->launches_per_s + 0.5))));
        for (size_t i = 0; i < a->shares; i++)
            ttp_sink_printf(out, "%s %.*s %.0f %%", i ? "," : ":", TTP_FMT(brief(a->share[i].name)),
                            100.0 * (double)a->share[i].count / (double)a->launches);
        break;
    case TTP_ACTIVITY_QUIET:
        ttp_sink_own(out, "quiet: idle, in a trace, or stuck");
        break;
    default:
        ttp_sink_char(out, '-');
        break;
    }
    if (a->late_compiles)
        ttp_sink_printf(out, ", %llu late compiles", (unsigned long long)a->late_compiles);
}

void ttp_out_top_process(struct ttp_sink *out, const struct ttp_top_live *live,
                         const struct ttp_top_process *p)
{
    ttp_sink_printf(out, "%d %.*s%s: ", p->pid, TTP_FMT(p->name), p->alive ? "" : " (gone)");
    if (p->has_memory)
        put_memory(out, live, p);
    else
        ttp_sink_char(out, '-');
    ttp_sink_own(out, "; ");
    put_activity(out, &p->activity);
}

/* --- JSON --- */

static void put_counts(struct ttp_json_writer *w, const struct ttp_mem_counts *c)
{
    ttp_member_u64(w, "dram_bytes", c->dram);
    ttp_member_u64(w, "l1_bytes", c->l1);
    ttp_member_u64(w, "l1_small_bytes", c->l1_small);
    ttp_member_u64(w, "trace_bytes", c->trace);
    ttp_member_u64(w, "cb_bytes", c->cb);
}

static void put_file(struct ttp_json_writer *w, const struct ttp_mem_shm_file *f)
{
    ttp_json_begin_object(w);
    ttp_member_text(w, "path", f->path);
    if (f->code == TTP_OK) {
        ttp_member_u64(w, "device", f->shm.device);
        ttp_member_u64(w, "attached", f->shm.attached);
        ttp_member_u64(w, "updated_ns", f->shm.updated_ns);
        put_counts(w, &f->shm.bytes);
    } else {
        ttp_member_text(w, "error",
                        f->code == TTP_EIO ? "unreadable"
                        : f->shm.version   ? "version"
                                           : "short");
    }
    ttp_json_end_object(w);
}

static void put_process(struct ttp_json_writer *w, const struct ttp_top_process *p)
{
    const struct ttp_activity *a = &p->activity;

    ttp_json_begin_object(w);
    ttp_member_i64(w, "pid", p->pid);
    ttp_member_str(w, "name", p->name);
    ttp_member_bool(w, "alive", p->alive);
    if (p->has_memory) {
        ttp_member_object(w, "memory");
        put_counts(w, &p->bytes);
        ttp_json_end_object(w);
    }
    ttp_member_text(w, "state", ttp_activity_name(a->kind));
    if (a->kind == TTP_ACTIVITY_COMPILING) {
        ttp_member_str(w, "compiling", a->what);
        ttp_member_f64(w, "compiling_s", a->compiling_s);
    }
    if (a->kind != TTP_ACTIVITY_UNKNOWN) {
        ttp_member_f64(w, "launches_per_s", a->launches_per_s);
        ttp_member_u64(w, "late_compiles", a->late_compiles);
        ttp_member_array(w, "ops");
        for (size_t i = 0; i < a->shares; i++) {
            ttp_json_begin_object(w);
            ttp_member_str(w, "name", a->share[i].name);
            ttp_member_u64(w, "launches", a->share[i].count);
            ttp_json_end_object(w);
        }
        ttp_json_end_array(w);
    }
    ttp_json_end_object(w);
}

void ttp_out_top_live_members(struct ttp_json_writer *w, const struct ttp_top_live *live)
{
    ttp_member_array(w, "memory");
    for (size_t i = 0; i < live->files; i++)
        put_file(w, &live->file[i]);
    ttp_json_end_array(w);
    ttp_member_array(w, "activity");
    for (size_t i = 0; i < live->processes; i++)
        put_process(w, &live->process[i]);
    ttp_json_end_array(w);
}
