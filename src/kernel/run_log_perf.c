/* SPDX-License-Identifier: Apache-2.0 */
/* PERF SUMMARY, line by line. */
#include "base/vec.h"
#include "kernel/kernel.h"
#include "kernel/line_text.h"
#include "kernel/run_log.h"

size_t ttp_kernel_log_add_program(struct ttp_run_log_build *b)
{
    *TTP_PUSH(b->arena, b->program, b->nprograms) = (struct ttp_log_program){0};
    return b->nprograms;
}

void ttp_kernel_log_begin_perf(struct ttp_run_log_build *b)
{
    for (size_t i = 0; i < b->nprograms; i++)
        b->program[i].dropped |= b->program[i].perf;
    b->perf = 0;
}

bool ttp_kernel_log_risc(ttp_str name, enum ttp_kernel_risc *out)
{
    for (size_t i = 0; i < TTP_KERNEL_OTHER; i++)
        if (ttp_str_eq(name, ttp_str_from(ttp_kernel_risc_name((enum ttp_kernel_risc)i)))) {
            *out = (enum ttp_kernel_risc)i;
            return true;
        }
    return false;
}

static void begin_program(struct ttp_run_log_build *b, ttp_str rest)
{
    uint64_t id;

    if (!ttp_take_count(&rest, &id))
        return;
    b->perf = ttp_kernel_log_add_program(b);
    struct ttp_log_program *p = &b->program[b->perf - 1];
    p->perf = true;
    p->run_id = id;
    if (ttp_take(&rest, "(")) {
        const size_t end = ttp_str_find(rest, TTP_STR(") ---"));
        const size_t comma = ttp_str_find(rest, TTP_STR("), device"));
        p->name = ttp_arena_copy(b->arena, ttp_str_slice(rest, 0, end < comma ? end : comma));
    }
}

static void read_chip(struct ttp_run_log_build *b, ttp_str rest)
{
    const size_t comma = ttp_str_find_char(rest, ',');
    uint64_t v;

    if (comma == TTP_NPOS)
        return;
    const ttp_str arch = ttp_str_trim(ttp_str_slice(rest, 0, comma));
    b->arch = ttp_str_eq(arch, TTP_STR("unknown")) ? TTP_STR("") : ttp_arena_copy(b->arena, arch);
    rest = ttp_str_slice(rest, comma + 1, rest.len);
    if (ttp_take(&rest, "freq:") && ttp_take_count(&rest, &v))
        b->mhz = v;
    if (!ttp_take(&rest, "MHz,"))
        return;
    const bool lang = ttp_take(&rest, "max_compute_cores:");
    if (!lang && !ttp_take(&rest, "compute cores:"))
        return;
    if (!ttp_take_count(&rest, &v) || v > INT32_MAX)
        return;
    *(lang ? &b->max_compute_cores : &b->cores) = (int64_t)v;
    if (lang || !ttp_take(&rest, "(") || !ttp_take_count(&rest, &v) || v > INT32_MAX)
        return;
    b->max_compute_cores = b->cores;
    b->cores = (int64_t)v;
}

static bool take_transfers(ttp_str rest, struct ttp_transfers *t)
{
    t->saturated = ttp_take(&rest, "at least");
    return ttp_take_volume(&rest, &t->bytes) && ttp_take(&rest, "(") &&
           ttp_take_count(&rest, &t->count);
}

static void read_nocs(ttp_str rest, uint64_t n[TTP_KERNEL_NOCS])
{
    uint64_t v;

    for (;;) {
        const bool noc_0 = ttp_take(&rest, "NOC_0=");
        if (!noc_0 && !ttp_take(&rest, "NOC_1="))
            return;
        if (!ttp_take_count(&rest, &v))
            return;
        n[noc_0 ? 0 : 1] = v;
        (void)ttp_take(&rest, ",");
    }
}

static void read_sizes(struct ttp_run_log_build *b, struct ttp_traffic *t, ttp_str rest)
{
    uint64_t bytes, count;

    while (ttp_take_volume(&rest, &bytes)) {
        count = 0;
        if (ttp_take(&rest, "x") && !ttp_take_count(&rest, &count))
            return;
        ttp_kernel_add_size(&t->sizes, bytes, b->arena);
        for (size_t i = 0; i < t->sizes.count; i++)
            if (t->sizes.size[i].bytes == bytes)
                t->sizes.size[i].count = count; /* 0: all of them, filled in at the end */
        (void)ttp_take(&rest, ",");
    }
}

static void read_kernel_time(struct ttp_log_program *p, ttp_str line)
{
    const ttp_str name = ttp_take_word(&line);
    enum ttp_kernel_risc risc;
    struct ttp_cycle_spread s = {.count = 1};

    if (!ttp_kernel_log_risc(name, &risc) || !ttp_take_count(&line, &s.min))
        return;
    s.max = s.min;
    const size_t dash = ttp_str_find(line, TTP_STR(") - "));
    if (dash != TTP_NPOS) {
        ttp_str rest = ttp_str_slice(line, dash + 4, line.len);
        (void)ttp_take_count(&rest, &s.max);
    }
    if (s.min == s.max)
        s.median = s.min;
    s.sum = s.max;
    p->kernel[risc] = s;
}

static void read_barriers(struct ttp_traffic *t, ttp_str rest)
{
    uint64_t v;

    if (ttp_take_count(&rest, &v))
        t->read_barriers = v;
    /* the count is before the word */
    for (size_t comma; (comma = ttp_str_find(rest, TTP_STR(", "))) != TTP_NPOS;) {
        rest = ttp_str_slice(rest, comma + 2, rest.len);
        ttp_str count = rest;
        if (ttp_take_count(&count, &v) && ttp_take(&count, "write"))
            t->write_barriers = v;
    }
}

static void read_figures(struct ttp_run_log_build *b, struct ttp_log_program *p, ttp_str line)
{
    struct ttp_traffic *t = &p->traffic;
    const struct {
        const char *label;
        struct ttp_transfers *to;
    } transfers[] = {
        {"DRAM read:", &t->read[TTP_END_DRAM]},   {"DRAM write:", &t->write[TTP_END_DRAM]},
        {"L1 read:", &t->read[TTP_END_L1]},       {"L1 write:", &t->write[TTP_END_L1]},
        {"eth read:", &t->read[TTP_END_ETH]},     {"eth write:", &t->write[TTP_END_ETH]},
        {"other read:", &t->read[TTP_END_OTHER]}, {"other write:", &t->write[TTP_END_OTHER]},
        {"L1 multicast:", &t->multicast},         {"fabric write:", &t->fabric}};

    for (size_t i = 0; i < TTP_COUNT(transfers); i++)
        if (ttp_take(&line, transfers[i].label)) {
            p->has_traffic |= take_transfers(line, transfers[i].to);
            return;
        }
    if (ttp_take(&line, "transfer size:") || ttp_take(&line, "transfer sizes:"))
        read_sizes(b, t, line);
    else if (ttp_take(&line, "barriers:"))
        read_barriers(t, line);
    else if (ttp_take(&line, "semaphores:"))
        (void)ttp_take_count(&line, &t->semaphores);
    else if (ttp_take(&line, "noc reads:"))
        read_nocs(line, t->noc_reads);
    else if (ttp_take(&line, "noc writes:"))
        read_nocs(line, t->noc_writes);
    else if (ttp_take(&line, "DRAM channels:"))
        (void)ttp_take_count(&line, &p->channels);
    else
        read_kernel_time(p, line);
}

/* 395.4 GB/s (total payload / duration) */
static void read_rate(struct ttp_log_program *p, ttp_str rest)
{
    double gbs;

    (void)ttp_take(&rest, "at least");
    if (ttp_str_to_f64(ttp_take_word(&rest), &gbs) && gbs > 0 && gbs < 1e9 &&
        ttp_take(&rest, "GB/s"))
        p->gbs = gbs;
}

static void read_grid(struct ttp_log_program *p, ttp_str rest)
{
    uint64_t cols, rows;

    if (!ttp_take_count(&rest, &cols) || !ttp_take(&rest, "x") || !ttp_take_count(&rest, &rows) ||
        !ttp_take(&rest, "(") || !ttp_take_count(&rest, &p->cores))
        return;
    p->cols = (size_t)cols;
    p->rows = (size_t)rows;
}

void ttp_kernel_log_perf_line(struct ttp_run_log_build *b, ttp_str line)
{
    if (ttp_take(&line, "--- Program")) {
        begin_program(b, line);
        return;
    }
    if (ttp_take(&line, "arch:")) {
        read_chip(b, line);
        return;
    }
    if (b->perf == 0)
        return;
    struct ttp_log_program *p = &b->program[b->perf - 1];
    if (ttp_take(&line, "grid:"))
        read_grid(p, line);
    else if (ttp_take(&line, "duration:"))
        (void)ttp_take_count(&line, &p->duration);
    else if (ttp_take(&line, "effective BW:"))
        read_rate(p, line);
    else
        read_figures(b, p, line);
}
