/* SPDX-License-Identifier: Apache-2.0 */
/* top_processes.c - memory and activity of processes on the chips. */
#include "outputs/top/top_processes.h"

#include "base/quantity.h"
#include "outputs/show/columns_text.h"
#include "outputs/top/top_outputs.h"

static void put_memory(struct ttp_sink *out, const struct ttp_top_live *live,
                       const struct ttp_top_process *p)
{
    ttp_sink_own(out, "DRAM ");
    ttp_put_bytes(out, (double)p->bytes.dram);
    if (live->dram_bytes > 0) {
        ttp_sink_own(out, " of ");
        ttp_put_bytes(out, live->dram_bytes * (double)p->memory_chips);
    }
    ttp_sink_own(out, "  L1 ");
    ttp_put_bytes(out, (double)p->bytes.l1);
    ttp_sink_own(out, "  CB ");
    ttp_put_bytes(out, (double)p->bytes.cb);
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

/* --- figures --- */

static const struct ttp_field count_fields[] = {
    TTP_INT("dram_bytes", "bytes", TTP_FIGURE(struct ttp_mem_counts, dram)),
    TTP_INT("l1_bytes", "bytes", TTP_FIGURE(struct ttp_mem_counts, l1)),
    TTP_INT("l1_small_bytes", "bytes", TTP_FIGURE(struct ttp_mem_counts, l1_small)),
    TTP_INT("trace_bytes", "bytes", TTP_FIGURE(struct ttp_mem_counts, trace)),
    TTP_INT("cb_bytes", "bytes", TTP_FIGURE(struct ttp_mem_counts, cb), .help = "circular buffers"),
};
static const struct ttp_fields count_figures = {TTP_FIELDS(count_fields)};

#define FILE_ROW struct ttp_mem_shm_file
/* Figures of a file that could be read. */
#define OF_FILE(name, member)                                                                      \
    TTP_GET(name, void, FILE_ROW,                                                                  \
            r->code == TTP_OK ? ttp_value_i64((int64_t)r->shm.member) : (struct ttp_value){0})
OF_FILE(get_device, device)
OF_FILE(get_attached, attached)
OF_FILE(get_updated, updated_ns)
OF_FILE(get_dram, bytes.dram)
OF_FILE(get_l1, bytes.l1)
OF_FILE(get_l1_small, bytes.l1_small)
OF_FILE(get_trace, bytes.trace)
OF_FILE(get_cb, bytes.cb)
TTP_GET(get_error, void, FILE_ROW,
        ttp_value_word(r->code == TTP_OK    ? NULL
                       : r->code == TTP_EIO ? "unreadable"
                       : r->shm.version     ? "version"
                                            : "short"))
#define OPTIONAL(name, of, getter, ...)                                                            \
    TTP_INT(name, of, .get = getter, .optional = true, __VA_ARGS__)
static const struct ttp_field memory_fields[] = {
    TTP_WORDS("path", TTP_FIGURE(FILE_ROW, path)),
    OPTIONAL("device", "", get_device, .help = "id of the chip"),
    OPTIONAL("attached", "", get_attached, .help = "processes"),
    OPTIONAL("updated_ns", "ns", get_updated, .help = "since 1970, UTC"),
    OPTIONAL("dram_bytes", "bytes", get_dram),
    OPTIONAL("l1_bytes", "bytes", get_l1),
    OPTIONAL("l1_small_bytes", "bytes", get_l1_small),
    OPTIONAL("trace_bytes", "bytes", get_trace),
    OPTIONAL("cb_bytes", "bytes", get_cb, .help = "circular buffers"),
    TTP_WORDS("error", .get = get_error, .optional = true,
              .help = "reason for missing figures: unreadable, version or short"),
};
const struct ttp_fields ttp_top_memory_fields = {TTP_FIELDS(memory_fields)};

static const struct ttp_field share_fields[] = {
    TTP_WORDS("name", TTP_FIGURE(struct ttp_startup_name, name)),
    TTP_INT("launches", "", TTP_FIGURE(struct ttp_startup_name, count),
            .help = "of the last second"),
};
static const struct ttp_fields share_figures = {TTP_FIELDS(share_fields)};

#define PROCESS struct ttp_top_process
static struct ttp_records list_memory(const void *context, const void *row)
{
    const PROCESS *p = row;

    return (struct ttp_records){&count_figures, context, p->has_memory ? &p->bytes : NULL,
                                sizeof(p->bytes), p->has_memory};
}

static struct ttp_records list_ops(const void *context, const void *row)
{
    const struct ttp_activity *a = &((const PROCESS *)row)->activity;
    const bool known = a->kind != TTP_ACTIVITY_UNKNOWN;

    return (struct ttp_records){&share_figures, context, known ? a->share : NULL,
                                sizeof(a->share[0]), known ? a->shares : 0};
}

#define OF_PROCESS(name, known, value)                                                             \
    TTP_GET(name, void, PROCESS, (known) ? (value) : (struct ttp_value){0})
OF_PROCESS(get_state, true, ttp_value_word(ttp_startup_activity_name(r->activity.kind)))
OF_PROCESS(get_compiling, r->activity.kind == TTP_ACTIVITY_COMPILING,
           ttp_value_text(r->activity.what))
OF_PROCESS(get_compiling_s, r->activity.kind == TTP_ACTIVITY_COMPILING,
           ttp_value_f64(r->activity.compiling_s))
OF_PROCESS(get_launches, r->activity.kind != TTP_ACTIVITY_UNKNOWN,
           ttp_value_f64(r->activity.launches_per_s))
OF_PROCESS(get_late, r->activity.kind != TTP_ACTIVITY_UNKNOWN,
           ttp_value_i64((int64_t)r->activity.late_compiles))
static const struct ttp_field activity_fields[] = {
    TTP_INT("pid", "", TTP_FIGURE(PROCESS, pid)),
    TTP_WORDS("name", TTP_FIGURE(PROCESS, name)),
    TTP_FLAG("alive", TTP_FIGURE(PROCESS, alive)),
    {.id = "memory",
     .type = TTP_OBJECT,
     .list = list_memory,
     .sub = &count_figures,
     .optional = true,
     .help = "what it holds on all chips"},
    TTP_WORDS("state", .get = get_state, .help = "unknown, compiling, launching or quiet"),
    TTP_WORDS("compiling", .get = get_compiling, .optional = true, .help = "label of the program"),
    TTP_REAL("compiling_s", "s", 1, .get = get_compiling_s, .optional = true),
    TTP_REAL("launches_per_s", "", 1, .get = get_launches, .optional = true),
    OPTIONAL("late_compiles", "", get_late, .help = "since tt-perf started"),
    {.id = "ops",
     .type = TTP_ROWS,
     .list = list_ops,
     .sub = &share_figures,
     .optional = true,
     .help = "most frequent launch in the last second"},
};
const struct ttp_fields ttp_top_activity_fields = {TTP_FIELDS(activity_fields)};

#define RAN(member) TTP_FIGURE(struct ttp_top_ran, member)
static const struct ttp_field ran_fields[] = {
    TTP_WORDS("name", RAN(name), .help = "label of its kernels"),
    TTP_REAL("device_us", "us", 1, RAN(us)),
    TTP_REAL("share_percent", "%", 1, RAN(pct), .help = "share of all programs of the chip"),
};
static const struct ttp_fields ran_figures = {TTP_FIELDS(ran_fields)};

#define BUSY(member) TTP_FIGURE(struct ttp_top_busy, member)
static const struct ttp_field busy_fields[] = {
    TTP_INT("chip", "", BUSY(chip), .help = "as the runtime numbers them"),
    TTP_REAL("busy_percent", "%", 1, BUSY(busy_pct), .help = "of the time since the last sample"),
    TTP_INT("programs", "", BUSY(programs)),
    {.id = "ops",
     TTP_ROWS_AT(struct ttp_top_busy, ran, rans, ran_figures),
     .help = "the longest first"},
};
const struct ttp_fields ttp_top_busy_fields = {TTP_FIELDS(busy_fields)};

#define SHOWN 4 /* names */

void ttp_out_top_busy(struct ttp_sink *out, const struct ttp_top_busy *busy)
{
    ttp_sink_printf(out, "chip %lld busy %.0f %%", (long long)busy->chip, busy->busy_pct);
    for (size_t i = 0; i < busy->rans && i < SHOWN; i++)
        ttp_sink_printf(out, "%s%.*s %.0f %%", i ? ", " : ": ", TTP_FMT(busy->ran[i].name),
                        busy->ran[i].pct);
}
