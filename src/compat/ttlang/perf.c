/* SPDX-License-Identifier: Apache-2.0 */
/* TT-Lang's PERF SUMMARY byte for byte, as text and as JSON. */
#include "compat/compat.h"

#define KIB 1024.0
#define MIB (1024.0 * 1024.0)

static void put_bytes(struct ttp_sink *out, uint64_t bytes, size_t width)
{
    char room[64];
    const bool large = (double)bytes >= MIB;

    if ((double)bytes >= KIB) {
        size_t n = ttp_num_fixed(room, (double)bytes / (large ? MIB : KIB), 1, false);
        memcpy(room + n, large ? " MB" : " KB", 3);
        ttp_put_right(out, (ttp_str){room, n + 3}, width);
        return;
    }
    size_t n = ttp_num_u64(room, bytes);
    memcpy(room + n, " B", 2);
    ttp_put_right(out, (ttp_str){room, n + 2}, width);
}

static void put_cycles(struct ttp_sink *out, int64_t cycles, uint64_t mhz)
{
    const double us = (double)cycles / (double)mhz;

    ttp_put_grouped(out, cycles);
    ttp_sink_put(out, TTP_STR(" cycles ("));
    ttp_sink_fixed(out, us >= 1000 ? us / 1000 : us, us >= 1000 ? 2 : 1, false);
    ttp_sink_put(out, us >= 1000 ? TTP_STR(" ms)") : TTP_STR(" us)"));
}

static void put_traffic(struct ttp_sink *out, const char *what, uint64_t bytes, uint64_t count,
                        const char *more)
{
    ttp_sink_put(out, ttp_str_from(what));
    put_bytes(out, bytes, 10);
    ttp_sink_printf(out, "  (%llu transfers%s)\n", (unsigned long long)count, more);
}

static void put_sizes(struct ttp_sink *out, const struct ttp_sizes *sizes)
{
    size_t first = sizes->count && sizes->size[0].bytes == 0;
    const size_t n = sizes->count - first;

    if (n == 1) {
        ttp_sink_put(out, TTP_STR("  transfer size:  "));
        put_bytes(out, sizes->size[first].bytes, 0);
        ttp_sink_own(out, " (uniform)\n");
    }
    if (n <= 1)
        return;
    ttp_sink_put(out, TTP_STR("  transfer sizes: "));
    for (size_t i = first; i < sizes->count; i++) {
        put_bytes(out, sizes->size[i].bytes, 0);
        ttp_sink_printf(out, "x%llu%s", (unsigned long long)sizes->size[i].count,
                        i + 1 < sizes->count ? ", " : "\n");
    }
}

static void put_barrier(struct ttp_sink *out, uint64_t barriers, uint64_t transfers,
                        const char *kind)
{
    ttp_sink_printf(out, "%llu %s", (unsigned long long)barriers, kind);
    if (barriers == 0 || transfers == 0)
        return;
    ttp_sink_put(out, TTP_STR(" (1 per "));
    ttp_sink_fixed(out, (double)transfers / (double)barriers, 0, false);
    ttp_sink_printf(out, " %ss)", kind);
}

/* The name of a NoC that a transfer does not name is empty, and sorts first. */
static void put_nocs(struct ttp_sink *out, const char *what, const uint64_t count[TTP_KERNEL_NOCS])
{
    static const size_t order[] = {2, 0, 1};
    static const char *const name[] = {"NOC_0", "NOC_1", ""};
    const char *comma = "";

    ttp_sink_put(out, ttp_str_from(what));
    for (size_t i = 0; i < TTP_COUNT(order); i++)
        if (count[order[i]]) {
            ttp_sink_printf(out, "%s%s=%llu", comma, name[order[i]],
                            (unsigned long long)count[order[i]]);
            comma = ", ";
        }
    ttp_sink_char(out, '\n');
}

static bool any_noc(const uint64_t count[TTP_KERNEL_NOCS])
{
    return count[0] || count[1] || count[2];
}

static void put_l1(struct ttp_sink *out, const struct ttp_original_traffic *t)
{
    size_t cols, rows;

    if (t->l1_read_bytes + t->l1_written_bytes) {
        put_traffic(out, "  L1 read:        ", t->l1_read_bytes, t->l1_reads, "");
        put_traffic(out, "  L1 write:       ", t->l1_written_bytes, t->l1_writes, "");
        if (t->l1_targets.count) {
            ttp_kernel_core_grid(&t->l1_targets, &cols, &rows);
            ttp_sink_printf(out, "  L1 targets:     %zu cores (%zux%zu)\n", t->l1_targets.count,
                            cols, rows);
        }
    }
    if (t->multicasts)
        put_traffic(out, "  L1 multicast:   ", t->multicast_bytes, t->multicasts, ", pipe");
}

static void put_kernel_times(struct ttp_sink *out, const struct ttp_original_program *p,
                             uint64_t mhz)
{
    static const char *const name[] = {"BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2"};
    bool any = false;

    for (size_t i = 0; i < TTP_ORIGINAL_THREADS; i++) {
        const struct ttp_original_durations *d = &p->thread[i];
        if (d->count == 0)
            continue;
        if (!any)
            ttp_sink_own(out, "  kernel time:\n");
        any = true;
        int64_t low = d->cycles[0], high = low;
        for (size_t k = 1; k < d->count; k++) {
            low = d->cycles[k] < low ? d->cycles[k] : low;
            high = d->cycles[k] > high ? d->cycles[k] : high;
        }
        ttp_sink_printf(out, "    %-8s ", name[i]);
        put_cycles(out, low, mhz);
        if (low != high) {
            ttp_sink_put(out, TTP_STR(" - "));
            put_cycles(out, high, mhz);
        }
        ttp_sink_char(out, '\n');
    }
}

static void put_program(struct ttp_sink *out, const struct ttp_original_program *p, uint64_t mhz)
{
    const struct ttp_original_traffic *t = p->traffic;
    const uint64_t reads = t->dram_reads + t->l1_reads;
    const uint64_t writes = t->dram_writes + t->l1_writes + t->multicasts;
    size_t cols, rows;

    ttp_kernel_core_grid(&t->sources, &cols, &rows);
    ttp_sink_printf(out, "--- Program %llu", (unsigned long long)t->program_id);
    if (p->name.len)
        ttp_sink_printf(out, " (%.*s)", TTP_FMT(p->name));
    ttp_sink_printf(out, " ---\ngrid: %zux%zu (%zu cores)\nduration: ", cols, rows,
                    t->sources.count);
    put_cycles(out, (int64_t)t->duration_cycles, mhz);
    ttp_sink_char(out, '\n');
    put_traffic(out, "  DRAM read:      ", t->dram_read_bytes, t->dram_reads, "");
    put_traffic(out, "  DRAM write:     ", t->dram_written_bytes, t->dram_writes, "");
    put_l1(out, t);
    if (t->duration_cycles) {
        const double seconds = (double)t->duration_cycles / ((double)mhz * 1e6);
        const uint64_t bytes = t->dram_read_bytes + t->dram_written_bytes + t->l1_read_bytes +
                               t->l1_written_bytes + t->multicast_bytes;
        ttp_sink_put(out, TTP_STR("  effective BW:   "));
        ttp_sink_fixed(out, (double)bytes / seconds / 1e9, 1, false);
        ttp_sink_own(out, " GB/s (total payload / duration)\n");
    }
    put_sizes(out, &t->sizes);
    if (t->read_barriers || t->write_barriers) {
        ttp_sink_put(out, TTP_STR("  barriers:       "));
        put_barrier(out, t->read_barriers, reads, "read");
        ttp_sink_put(out, TTP_STR(", "));
        put_barrier(out, t->write_barriers, writes, "write");
        ttp_sink_char(out, '\n');
    }
    if (t->semaphores)
        ttp_sink_printf(out, "  semaphores:     %llu events\n", (unsigned long long)t->semaphores);
    if (any_noc(t->noc_reads) || any_noc(t->noc_writes)) {
        put_nocs(out, "  noc reads:      ", t->noc_reads);
        put_nocs(out, "  noc writes:     ", t->noc_writes);
    }
    if (t->dram_targets.count)
        ttp_sink_printf(out, "  DRAM channels:  %zu\n", t->dram_targets.count);
    put_kernel_times(out, p, mhz);
}

void ttp_out_original_perf(struct ttp_sink *out, const struct ttp_original_perf *perf)
{
    ttp_sink_printf(out,
                    "=== PERF SUMMARY ===\narch: %.*s, freq: %llu MHz, max_compute_cores: %lld\n",
                    TTP_FMT(perf->arch), (unsigned long long)perf->mhz, (long long)perf->max_cores);
    ttp_sink_printf(out, "programs: %zu (listed in dispatch order, includes ttnn ops)\n\n",
                    perf->nprograms);
    for (size_t i = 0; i < perf->nprograms; i++) {
        put_program(out, &perf->program[i], perf->mhz);
        ttp_sink_char(out, '\n');
    }
}

/* --- JSON: json.dumps(indent=2) --- */

static void put_number(struct ttp_json_writer *w, const char *key, uint64_t v)
{
    char buf[TTP_NUM_MAX];

    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_raw(w, (ttp_str){buf, ttp_num_u64(buf, v)});
}

/* round(x, 2), written as repr() does. */
static void put_rounded(struct ttp_json_writer *w, const char *key, double v)
{
    char buf[TTP_NUM_FIXED_MAX], repr[TTP_NUM_MAX];
    double rounded = 0;

    (void)ttp_str_to_f64((ttp_str){buf, ttp_num_fixed(buf, v, 2, false)}, &rounded);
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_raw(w, (ttp_str){repr, ttp_num_f64(repr, rounded, TTP_NUM_PYTHON)});
}

static void put_json_sizes(struct ttp_json_writer *w, const struct ttp_sizes *sizes)
{
    bool any = false;

    ttp_json_put_key(w, TTP_STR("transfer_sizes"));
    for (size_t i = 0; i < sizes->count; i++)
        any |= sizes->size[i].bytes > 0;
    if (!any) {
        ttp_json_put_raw(w, TTP_STR("{}"));
        return;
    }
    ttp_json_begin_object(w);
    for (size_t i = 0; i < sizes->count; i++) {
        char key[TTP_NUM_MAX + 1];
        if (sizes->size[i].bytes == 0)
            continue;
        key[ttp_num_u64(key, sizes->size[i].bytes)] = '\0';
        put_number(w, key, sizes->size[i].count);
    }
    ttp_json_end_object(w);
}

static void put_json_program(struct ttp_json_writer *w, const struct ttp_original_program *p,
                             uint64_t mhz)
{
    const struct ttp_original_traffic *t = p->traffic;
    size_t cols, rows;
    char buf[TTP_NUM_MAX];

    ttp_kernel_core_grid(&t->sources, &cols, &rows);
    ttp_json_begin_object(w);
    put_number(w, "program_id", t->program_id);
    ttp_json_put_key(w, TTP_STR("grid"));
    ttp_json_begin_array(w);
    ttp_json_put_raw(w, (ttp_str){buf, ttp_num_u64(buf, cols)});
    ttp_json_put_raw(w, (ttp_str){buf, ttp_num_u64(buf, rows)});
    ttp_json_end_array(w);
    put_number(w, "num_cores", t->sources.count);
    put_number(w, "duration_cycles", t->duration_cycles);
    put_rounded(w, "duration_us", (double)t->duration_cycles / (double)mhz);
    put_number(w, "dram_bytes_read", t->dram_read_bytes);
    put_number(w, "dram_bytes_written", t->dram_written_bytes);
    put_number(w, "l1_bytes_read", t->l1_read_bytes);
    put_number(w, "l1_bytes_written", t->l1_written_bytes);
    put_number(w, "multicast_bytes", t->multicast_bytes);
    put_number(w, "dram_read_count", t->dram_reads);
    put_number(w, "dram_write_count", t->dram_writes);
    put_number(w, "l1_read_count", t->l1_reads);
    put_number(w, "l1_write_count", t->l1_writes);
    put_number(w, "read_barriers", t->read_barriers);
    put_number(w, "write_barriers", t->write_barriers);
    put_number(w, "dram_channels", t->dram_targets.count);
    put_json_sizes(w, &t->sizes);
    if (p->has_name) {
        ttp_json_put_key(w, TTP_STR("name"));
        ttp_json_put_str(w, p->name);
    }
    ttp_json_end_object(w);
}

void ttp_out_original_perf_json(struct ttp_sink *out, const struct ttp_original_perf *perf)
{
    struct ttp_json_writer w = {.sink = out, .indent = true};

    ttp_json_begin_object(&w);
    ttp_json_put_key(&w, TTP_STR("arch"));
    ttp_json_put_str(&w, perf->arch);
    put_number(&w, "freq_mhz", perf->mhz);
    put_number(&w, "max_compute_cores", (uint64_t)perf->max_cores);
    ttp_json_put_key(&w, TTP_STR("programs"));
    ttp_json_begin_array(&w);
    for (size_t i = 0; i < perf->nprograms; i++)
        put_json_program(&w, &perf->program[i], perf->mhz);
    ttp_json_end_array(&w);
    ttp_json_end_object(&w);
    ttp_sink_char(out, '\n');
}
