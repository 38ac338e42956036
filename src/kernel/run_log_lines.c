/* SPDX-License-Identifier: Apache-2.0 */
/* AUTO-PROFILE REPORT, THREAD SUMMARY, ROOFLINE ANALYSIS and SIGNPOST PROFILE, line by line, and
 * what they come to. */
#include "base/vec.h"
#include "kernel/line_text.h"
#include "kernel/run_log.h"

#define BRANCH TTP_STR("├─ ")
#define LAST   TTP_STR("╰─ ")

static void drop_program(struct ttp_run_log_build *b, size_t *which)
{
    if (*which)
        b->program[*which - 1].dropped = true;
    *which = 0;
}

void ttp_kernel_log_begin_lines(struct ttp_run_log_build *b)
{
    drop_program(b, &b->lines);
    b->lines = ttp_kernel_log_add_program(b);
    b->risc = TTP_KERNEL_OTHER;
    b->kernel = TTP_STR("");
    b->parent = 0;
    b->number = 0;
}

void ttp_kernel_log_begin_signposts(struct ttp_run_log_build *b)
{
    drop_program(b, &b->signposts);
    b->signposts = ttp_kernel_log_add_program(b);
    b->signpost_sums = false;
}

static void add_line(struct ttp_run_log_build *b, size_t program, ttp_str zone,
                     enum ttp_kernel_risc risc, const struct ttp_cycle_count *c)
{
    TTP_ROOM(b->arena, b->line, b->nlines);
    b->names.arena = b->arena;
    b->line[b->nlines++] = (struct ttp_log_line){.program = (uint32_t)program - 1,
                                                 .zone = ttp_sym_intern(&b->names, zone),
                                                 .risc = risc,
                                                 .cycles = *c};
}

/* "<kernel>_L<line>[_[implicit_]<op>]" */
static ttp_str zone_name(struct ttp_run_log_build *b, ttp_str op, bool implicit)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, b->arena);
    ttp_sink_printf(&s, "%.*s_L%lld", TTP_FMT(b->kernel.len ? b->kernel : TTP_STR("kernel")),
                    (long long)b->number);
    if (op.len)
        ttp_sink_printf(&s, "_%s%.*s", implicit ? "implicit_" : "", TTP_FMT(op));
    return ttp_sink_text(&s);
}

/* THREAD: NCRISC     [dm_read] (50 ops, 8,622 cycles, 83.9% of total) */
static void begin_thread(struct ttp_run_log_build *b, ttp_str rest)
{
    struct ttp_log_program *p = &b->program[b->lines - 1];
    const ttp_str name = ttp_take_word(&rest);
    uint64_t ops, cycles;

    b->parent = 0;
    b->kernel = TTP_STR("");
    if (!ttp_kernel_log_risc(name, &b->risc))
        b->risc = TTP_KERNEL_OTHER;
    if (ttp_take(&rest, "[")) {
        const size_t end = ttp_str_find_char(rest, ']');
        b->kernel = ttp_arena_copy(b->arena, ttp_str_slice(rest, 0, end));
        rest = ttp_str_slice(rest, end == TTP_NPOS ? rest.len : end + 1, rest.len);
    }
    if (!ttp_take(&rest, "(") || !ttp_take_count(&rest, &ops) || !ttp_take(&rest, "ops,") ||
        !ttp_take_count(&rest, &cycles))
        return;
    p->has_threads = true;
    p->ops[b->risc] = ops;
    p->core.kernel[b->risc] = cycles;
    p->kernel_name[b->risc] = b->kernel;
}

/* What is after the source text: "(x6 = 366 cycles)", "(x6, avg=59.0, total=354)". */
static void read_stats(ttp_str line, struct ttp_cycle_count *c)
{
    size_t at = line.len;
    uint64_t count, sum;

    while (at > 2 &&
           !(line.ptr[at - 3] == ' ' && line.ptr[at - 2] == '(' && line.ptr[at - 1] == 'x'))
        at--;
    ttp_str rest = ttp_str_slice(line, at, line.len);
    if (at <= 2 || !ttp_take_count(&rest, &count))
        return;
    const size_t total = ttp_str_find(rest, TTP_STR("total="));
    if (total != TTP_NPOS)
        rest = ttp_str_slice(rest, total + 6, rest.len);
    else if (!ttp_take(&rest, "="))
        return;
    if (ttp_take_count(&rest, &sum)) {
        c->count = count;
        c->sum = sum;
    }
}

/* 45       4.1%  58-60                  b_tx = ttl.copy(...)  (x6, avg=59.0, total=354) */
static void read_measured(struct ttp_run_log_build *b, ttp_str line)
{
    struct ttp_cycle_count c = {.count = 1};
    ttp_str rest = line;
    uint64_t number;

    b->parent = 0;
    if (line.len == 0 || line.ptr[0] < '0' || line.ptr[0] > '9' || !ttp_take_count(&rest, &number))
        return;
    const ttp_str percent = ttp_take_word(&rest);
    if (!ttp_str_ends(percent, TTP_STR("%")) || !ttp_take_count(&rest, &c.min))
        return;
    c.max = c.sum = c.min;
    if (rest.len && rest.ptr[0] == '-') {
        rest = ttp_str_slice(rest, 1, rest.len);
        (void)ttp_take_count(&rest, &c.max);
    }
    b->number = (int64_t)number;
    read_stats(line, &c);
    add_line(b, b->lines, zone_name(b, TTP_STR(""), false), b->risc, &c);
    b->parent = c.count == 1 ? b->nlines : 0;
}

/* ├─ 487 cb_reserve (x12) */
static void read_part(struct ttp_run_log_build *b, ttp_str rest)
{
    struct ttp_log_program *p = &b->program[b->lines - 1];
    struct ttp_cycle_count c = {.count = 1};

    if (!ttp_take_count(&rest, &c.sum))
        return;
    const ttp_str op = ttp_take_word(&rest);
    if (op.len == 0 || ttp_str_eq(op, TTP_STR("cycles")))
        return;
    const bool implicit = ttp_take(&rest, "(implicit)");
    if (ttp_take(&rest, "(x") && !ttp_take_count(&rest, &c.count))
        return;
    c.min = c.max = c.count ? c.sum / c.count : 0;
    if (b->parent) /* it was the sum of what comes now */
        b->line[b->parent - 1].cycles.count = 0;
    b->parent = 0;
    const ttp_str known = ttp_arena_copy(b->arena, op);
    add_line(b, b->lines,
             zone_name(b, ttp_str_eq(op, TTP_STR("line")) ? TTP_STR("") : known, implicit), b->risc,
             &c);
    if (ttp_str_ends(op, TTP_STR("_wait")))
        p->core.wait[b->risc] += c.sum;
    if (ttp_str_ends(op, TTP_STR("_reserve")))
        p->core.reserve[b->risc] += c.sum;
}

void ttp_kernel_log_source_line(struct ttp_run_log_build *b, ttp_str line)
{
    const size_t branch = ttp_str_find(line, BRANCH), last = ttp_str_find(line, LAST);
    const size_t at = branch < last ? branch : last;

    if (b->lines == 0)
        return;
    if (ttp_take(&line, "THREAD:"))
        begin_thread(b, line);
    else if (at != TTP_NPOS && ttp_str_trim(ttp_str_slice(line, 0, at)).len == 0)
        read_part(b, ttp_str_slice(line, at + BRANCH.len, line.len));
    else
        read_measured(b, line);
}

/* Threads belong to the line profile, or, without one, to the program before them. */
static struct ttp_log_program *threads_of(struct ttp_run_log_build *b)
{
    if (b->perf && (!b->lines || b->perf > b->lines))
        return &b->program[b->perf - 1];
    if (!b->lines)
        b->lines = ttp_kernel_log_add_program(b);
    return &b->program[b->lines - 1];
}

/*   NCRISC                 [dm_read]      8,622 cycles ( 50 ops) [ 83.9%] */
void ttp_kernel_log_thread_line(struct ttp_run_log_build *b, ttp_str line)
{
    const ttp_str name = ttp_take_word(&line);
    enum ttp_kernel_risc risc;
    ttp_str kernel = TTP_STR("");
    uint64_t cycles, ops;

    if (!ttp_kernel_log_risc(name, &risc))
        return;
    if (ttp_take(&line, "[")) {
        const size_t end = ttp_str_find_char(line, ']');
        kernel = ttp_arena_copy(b->arena, ttp_str_slice(line, 0, end));
        line = ttp_str_slice(line, end == TTP_NPOS ? line.len : end + 1, line.len);
    }
    if (!ttp_take_count(&line, &cycles) || !ttp_take(&line, "cycles (") ||
        !ttp_take_count(&line, &ops))
        return;
    struct ttp_log_program *p = threads_of(b);
    p->has_threads = true;
    p->core.kernel[risc] = cycles;
    p->ops[risc] = ops;
    p->kernel_name[risc] = kernel;
}

/*   NCRISC            8,622   -        487   =      8,135 */
void ttp_kernel_log_roofline_line(struct ttp_run_log_build *b, ttp_str line)
{
    const ttp_str name = ttp_take_word(&line);
    enum ttp_kernel_risc risc;
    uint64_t total, sync;

    if (!ttp_kernel_log_risc(name, &risc) || !ttp_take_count(&line, &total) ||
        !ttp_take(&line, "-") || !ttp_take_count(&line, &sync) || !ttp_take(&line, "="))
        return;
    struct ttp_log_program *p = threads_of(b);
    p->has_threads = true;
    p->core.kernel[risc] = total;
    if (p->core.wait[risc] + p->core.reserve[risc])
        return; /* the lines identify them */
    /* readers and packers wait for room, all others for data */
    if (risc == TTP_KERNEL_NCRISC || risc == TTP_KERNEL_TRISC_2)
        p->core.reserve[risc] = sync;
    else
        p->core.wait[risc] = sync;
}

/*   read-all   NCRISC            2        8,000      4,000      4,000      4,000
 * and before 2026-04 one row a zone: name, thread, cycles */
void ttp_kernel_log_signpost_line(struct ttp_run_log_build *b, ttp_str line)
{
    struct ttp_cycle_count c = {0};
    enum ttp_kernel_risc risc;
    uint64_t average;

    if (b->signposts == 0 || !ttp_str_starts(line, TTP_STR("  ")))
        return;
    const ttp_str name = ttp_take_word(&line), thread = ttp_take_word(&line);
    if (ttp_str_eq(name, TTP_STR("NAME"))) {
        b->signpost_sums = ttp_str_has(line, TTP_STR("COUNT"));
        return;
    }
    if (!ttp_kernel_log_risc(thread, &risc))
        return;
    if (b->signpost_sums) {
        if (!ttp_take_count(&line, &c.count) || !ttp_take_count(&line, &c.sum) ||
            !ttp_take_count(&line, &average) || !ttp_take_count(&line, &c.min) ||
            !ttp_take_count(&line, &c.max))
            return;
    } else {
        if (!ttp_take_count(&line, &c.sum))
            return;
        c.count = 1;
        c.min = c.max = c.sum;
    }
    add_line(b, b->signposts, ttp_sink_format(b->arena, "ttl_%.*s", TTP_FMT(name)), risc, &c);
}

/* --- what it comes to --- */

static void finish_sizes(struct ttp_traffic *t)
{
    uint64_t all = t->multicast.count;

    for (size_t i = 0; i < TTP_TRAFFIC_ENDS; i++)
        all += t->read[i].count + t->write[i].count;
    for (size_t i = 0; i < t->sizes.count; i++)
        if (t->sizes.size[i].count == 0)
            t->sizes.size[i].count = all;
}

static void finish_program(struct ttp_kernel_program *m, struct ttp_log_program *p,
                           struct ttp_arena *arena)
{
    *m = (struct ttp_kernel_program){.key = {0, p->run_id, TTP_NO_ID, TTP_NO_ID},
                                     .name = p->name,
                                     .duration_cycles = p->duration,
                                     .payload_gbs = p->duration ? 0 : p->gbs,
                                     .grid_cols = p->cols,
                                     .grid_rows = p->rows};
    if (p->has_traffic) {
        m->traffic = TTP_NEW(arena, struct ttp_traffic, 1);
        *m->traffic = p->traffic;
        m->traffic->dram_channels =
            p->channels >= 32 ? UINT32_MAX : (uint32_t)((UINT64_C(1) << p->channels) - 1);
        m->traffic->sources.count = p->cores;
        finish_sizes(m->traffic);
    }
    for (size_t i = 0; i < TTP_KERNEL_RISCS; i++) {
        struct ttp_kernel_thread *t = &m->thread[i];
        t->kernel = p->kernel_name[i];
        t->zones = p->ops[i];
        t->kernel_cycles = p->kernel[i];
        if (!p->has_threads || p->core.kernel[i] == 0)
            continue;
        const uint64_t sum = p->core.kernel[i];
        /* summed over cores: of one core only its extremes may be known */
        t->kernel_cycles.count = p->cores ? p->cores : 1;
        t->kernel_cycles.sum = sum;
        if (p->cores == 1)
            t->kernel_cycles = (struct ttp_cycle_spread){1, sum, sum, sum, sum};
        t->line_cycles = sum;
        t->wait = p->core.wait[i];
        t->reserve = p->core.reserve[i];
    }
}

static void add_stat(struct ttp_kernel_profile *p, struct ttp_invocation *v, uint32_t invocation,
                     const struct ttp_log_line *l, uint32_t site)
{
    p->line[p->nlines] = (struct ttp_line_stat){.invocation = invocation,
                                                .site = site,
                                                .risc = (uint8_t)l->risc,
                                                .count = l->cycles.count,
                                                .sum = l->cycles.sum,
                                                .min = l->cycles.min,
                                                .max = l->cycles.max,
                                                .next = v->first_line};
    v->first_line = (uint32_t)++p->nlines;
    v->lines++;
}

/* The report adds up the cores. A number of zones that fills whole buffers, on more than one core,
 * is hardly chance: the device keeps no more of them. */
static uint64_t full_buffers_of(const struct ttp_log_program *p)
{
    const uint64_t buffer = TTP_KERNEL_MAX_PAIRS;
    uint64_t full = 0;

    for (size_t i = 0; i < TTP_KERNEL_RISCS; i++)
        if (p->ops[i] >= 2 * buffer && p->ops[i] % buffer == 0)
            full += p->ops[i] / buffer;
    return full;
}

/* Lines of all programs as if zones had been read. */
static void finish_profile(struct ttp_run_log *out, struct ttp_run_log_build *b)
{
    struct ttp_kernel_profile *p = &out->profile;

    p->log.names = b->names;
    p->log.site = TTP_NEW(b->arena, struct ttp_zone_site, b->names.count + 1);
    p->log.nsites = b->names.count;
    p->name = TTP_NEW(b->arena, struct ttp_line_name, b->names.count + 1);
    p->line = TTP_NEW(b->arena, struct ttp_line_stat, b->nlines + 1);
    p->invocation = TTP_NEW(b->arena, struct ttp_invocation, b->nprograms + 1);
    p->ninvocations = b->nprograms;
    for (uint32_t i = 0; i < b->names.count; i++) {
        p->log.site[i] = (struct ttp_zone_site){.name = i, .file = i, .base = i};
        p->name[i] = ttp_kernel_line_name(ttp_sym_name(&b->names, i));
    }
    for (size_t i = 0; i < b->nlines; i++)
        if (b->line[i].cycles.count)
            add_stat(p, &p->invocation[b->line[i].program], b->line[i].program, &b->line[i],
                     b->line[i].zone);
    for (size_t i = 0; i < b->nprograms; i++)
        p->invocation[i].full_buffers = full_buffers_of(&b->program[i]);
}

void ttp_kernel_log_finish(struct ttp_run_log *out, struct ttp_run_log_build *b)
{
    struct ttp_kernel_report *r = &out->report;

    b->names.arena = b->arena;
    out->max_compute_cores = b->cores ? 0 : b->max_compute_cores;
    finish_profile(out, b);
    *r = (struct ttp_kernel_report){.arch = b->arch,
                                    .clock_mhz = b->mhz,
                                    .compute_cores = b->cores ? b->max_compute_cores : 0,
                                    .cores_available = b->cores ? b->cores : b->max_compute_cores,
                                    .profile = &out->profile,
                                    .lines = &out->profile,
                                    .flow = out->has_flow ? &out->flow : NULL,
                                    .pipes = out->has_pipes ? &out->pipes : NULL};
    r->program = TTP_NEW(b->arena, struct ttp_kernel_program, b->nprograms + 1);
    for (size_t i = 0; i < b->nprograms; i++) {
        struct ttp_log_program *p = &b->program[i];
        struct ttp_kernel_program *m = &r->program[r->nprograms];
        const bool lines = out->profile.invocation[i].lines > 0;

        if (p->dropped || (!p->perf && !p->has_threads && !lines))
            continue;
        finish_program(m, p, b->arena);
        m->invocation = lines || p->has_threads ? &out->profile.invocation[i] : NULL;
        m->lines = m->invocation;
        ttp_kernel_judge(m, r, 0);
        r->nprograms++;
    }
}
