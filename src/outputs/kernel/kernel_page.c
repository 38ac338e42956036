/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel verb for human readers: sections in order, marker words at the start of lines. */
#include <stdlib.h>

#include "base/quantity.h"
#include "base/shell_lines.h"
#include "outputs/kernel/kernel_parts.h"
#include "outputs/show/columns_text.h"
#include "outputs/show/paint.h"

void ttp_out_put_program_title(struct ttp_sink *out, const struct ttp_kernel_program *m)
{
    if (m->op_id)
        ttp_sink_printf(out, "ID %u, ", (unsigned)m->op_id);
    ttp_sink_printf(out, "Program %llu", (unsigned long long)m->key.run_id);
    const ttp_str name = m->kernel.len ? m->kernel : m->name;
    if (name.len)
        ttp_sink_printf(out, " (%.*s)", TTP_FMT(name));
    ttp_sink_printf(out, ", device %lld", (long long)m->key.device);
    if (m->key.trace_id != TTP_NO_ID)
        ttp_sink_printf(out, ", trace %lld, replay %lld", (long long)m->key.trace_id,
                        (long long)m->key.replay);
}

void ttp_out_put_program_heading(const struct ttp_kernel_page *p,
                                 const struct ttp_kernel_program *m)
{
    struct ttp_sink text;

    ttp_sink_to_arena(&text, p->show->arena);
    ttp_sink_put(&text, TTP_STR("--- "));
    ttp_out_put_program_title(&text, m);
    ttp_sink_put(&text, TTP_STR(" ---"));
    ttp_paint_wrapped(p->out, ttp_sink_text(&text), p->show->width, 0, 4);
}

static void put_title(const struct ttp_kernel_page *p, size_t i)
{
    ttp_out_put_program_heading(p, &p->row[i]->of);
}

/* --- PERF SUMMARY --- */

/* `all`: as the log says. tt-metal takes a line of them to dispatch. */
static void put_compute_cores(struct ttp_sink *out, int64_t all, int64_t available)
{
    if (all > available && available > 0)
        ttp_sink_printf(out, "%lld (%lld for programs)\n", (long long)all, (long long)available);
    else if (available)
        ttp_sink_printf(out, "%lld\n", (long long)available);
    else
        ttp_sink_own(out, "unknown\n");
}

static void put_overview(const struct ttp_kernel_page *p)
{
    const struct ttp_kernel_report *r = p->view->report;

    ttp_sink_printf(p->out, "PERF SUMMARY\narch: %.*s, freq: ", r->arch.len ? (int)r->arch.len : 7,
                    r->arch.len ? r->arch.ptr : "unknown");
    if (r->clock_mhz)
        ttp_sink_printf(p->out, "%llu MHz", (unsigned long long)r->clock_mhz);
    else
        ttp_sink_own(p->out, "unknown");
    ttp_sink_own(p->out, ", compute cores: ");
    put_compute_cores(p->out, r->compute_cores, r->cores_available);
    struct ttp_sink text;
    ttp_sink_to_arena(&text, p->show->arena);
    ttp_sink_printf(&text, "programs: %zu", r->nprograms);
    if (p->view->invocations > r->nprograms)
        ttp_sink_printf(&text, " of %zu in the log", p->view->invocations);
    if (p->view->window)
        ttp_sink_printf(&text, ": %s (--window all takes all)", p->view->window);
    if (p->view->shown && p->rows < r->nprograms)
        ttp_sink_printf(&text,
                        "; the longest of each kind (%zu) in order of execution, --program all "
                        "shows the rest",
                        p->rows);
    ttp_paint_wrapped(p->out, ttp_sink_text(&text), p->show->width, 0, 2);
    if (p->alike.len)
        ttp_paint_wrapped(p->out, p->alike, p->show->width, 0, 2);
    ttp_sink_char(p->out, '\n');
}

static bool uneven(const struct ttp_kernel_program *m)
{
    return m->core_cycles.max * 10 > m->core_cycles.median * 11;
}

/* Of a printed line profile only lines and threads are known. */
static bool has_perf(const struct ttp_kernel_program *m)
{
    return m->traffic || m->ncores || m->duration_cycles;
}

static void put_perf_section(const struct ttp_kernel_page *p)
{
    put_overview(p);
    for (size_t i = 0; i < p->rows; i++) {
        const struct ttp_kernel_program *m = &p->row[i]->of;

        if (!has_perf(m))
            continue;
        ttp_out_put_perf(p, p->row[i]);
        if (m->invocation && (p->rows <= 4 || uneven(m)))
            ttp_out_put_heat(p, p->row[i]);
        ttp_sink_char(p->out, '\n');
    }
}

/* --- THREAD SUMMARY --- */

/* Cycles that a thread neither waited for data nor for room, over all cores. */
static uint64_t work_of(const struct ttp_kernel_program *m, enum ttp_kernel_role role)
{
    const struct ttp_role_time *t = &m->verdict.role[role];

    return t->cycles > t->waited ? t->cycles - t->waited : 0;
}

/* Of one core, where each of them was measured. */
static void put_work(struct ttp_sink *out, const char *what, uint64_t cycles,
                     const struct ttp_kernel_program *m, enum ttp_kernel_role role)
{
    const struct ttp_cycle_spread *s = &m->thread[m->verdict.role[role].risc].kernel_cycles;

    ttp_sink_put(out, ttp_str_from(what));
    ttp_put_grouped_right(out, (int64_t)(s->median ? cycles / s->count : cycles), 11);
    ttp_sink_own(out, " cycles of work");
    if (s->median)
        ttp_sink_own(out, " per core");
    else if (s->count > 1)
        ttp_sink_printf(out, " on %zu cores", s->count);
    else if (ttp_kernel_is_sum(s))
        ttp_sink_own(out, " on all cores");
    ttp_sink_printf(out, "  (%s)\n",
                    role == TTP_ROLE_COMPUTE ? "TRISC"
                                             : ttp_kernel_risc_name(m->verdict.role[role].risc));
}

/* "├──●──┤" between compute and memory. */
static void put_balance(struct ttp_sink *out, double compute, double memory)
{
    enum { CELLS = 40 };
    const double sum = compute + memory;
    const int at = sum > 0 ? (int)(memory / sum * (CELLS - 1)) : (CELLS - 1) / 2;

    ttp_sink_put(out, TTP_STR("  Compute ├"));
    for (int i = 0; i < CELLS; i++)
        ttp_sink_put(out, i == at ? TTP_STR("●") : TTP_STR("─"));
    ttp_sink_own(out, "┤ Memory\n");
}

static void put_ratio(struct ttp_sink *out, double memory, double compute)
{
    const bool more = memory > compute;
    const double least = more ? compute : memory;

    if (least > 0)
        ttp_sink_printf(out, "  %s works %.2f times as long as %s\n", more ? "memory" : "compute",
                        (more ? memory : compute) / least, more ? "compute" : "memory");
    else
        ttp_sink_printf(out, "  only %s works\n", more ? "memory" : "compute");
}

static void put_bar(struct ttp_sink *out, const struct ttp_kernel_program *m)
{
    const uint64_t in = work_of(m, TTP_ROLE_READER), to = work_of(m, TTP_ROLE_WRITER);
    const uint64_t memory = in > to ? in : to, compute = work_of(m, TTP_ROLE_COMPUTE);
    const uint64_t more = memory > compute ? memory : compute;

    if (more == 0)
        return;
    put_work(out, "  Memory:  ", memory, m, in >= to ? TTP_ROLE_READER : TTP_ROLE_WRITER);
    put_work(out, "  Compute: ", compute, m, TTP_ROLE_COMPUTE);
    if (!m->verdict.from_waits) {
        ttp_sink_own(out, "  this log lacks waits: all time counts as work\n");
        return;
    }
    if (m->verdict.all_wait) {
        ttp_sink_own(out, "  no thread works half of the time: neither bounds the kernel\n");
        return;
    }
    put_ratio(out, (double)memory, (double)compute);
    put_balance(out, (double)compute, (double)memory);
}

/* Those of which a kernel ran: indexes in the arena. */
static size_t *ran(size_t *count, const struct ttp_kernel_row *row, struct ttp_arena *arena)
{
    size_t *index = TTP_NEW(arena, size_t, row->threads);

    *count = 0;
    for (size_t i = 0; row->of.invocation && i < row->threads; i++)
        if (row->thread[i].of.kernel_cycles.count)
            index[(*count)++] = i;
    return index;
}

static void put_threads_section(const struct ttp_kernel_page *p)
{
    bool any = false;

    for (size_t i = 0; i < p->rows; i++) {
        const struct ttp_kernel_row *row = p->row[i];
        const struct ttp_records threads = {&ttp_kernel_thread_fields, NULL, row->thread,
                                            sizeof(*row->thread), row->threads};
        struct ttp_table table = {.rows = &threads, .indent = 2};

        table.index = ran(&table.count, row, p->show->arena);
        if (table.count == 0)
            continue;
        if (!any)
            ttp_sink_own(p->out, "THREAD SUMMARY\n");
        any = true;
        put_title(p, i);
        ttp_sink_own(p->out, "  kernel cycles on its cores; % of them waiting for data, space, "
                             "DMA\n");
        ttp_show_table(p->show, &table);
        put_bar(p->out, &row->of);
        ttp_sink_char(p->out, '\n');
    }
    if (!any && p->view->asked)
        ttp_sink_own(p->out, "THREAD SUMMARY\n  no zones: profile_log_device.csv is missing\n\n");
}

/* --- SIGNPOST PROFILE --- */

static void put_signposts_section(const struct ttp_kernel_page *p)
{
    bool any = false;

    for (size_t i = 0; i < p->rows; i++) {
        const struct ttp_kernel_row *row = p->row[i];
        const struct ttp_records zones = {&ttp_kernel_zone_fields, NULL, row->zone,
                                          sizeof(*row->zone), row->zones};

        if (row->zones == 0)
            continue;
        if (!any)
            ttp_sink_own(p->out, "SIGNPOST PROFILE\n");
        any = true;
        put_title(p, i);
        ttp_show_table(p->show, &(struct ttp_table){.rows = &zones, .indent = 2});
        ttp_sink_char(p->out, '\n');
    }
    if (!any && p->view->asked)
        ttp_sink_own(p->out, "SIGNPOST PROFILE\n  no signposts and no user-defined zones\n\n");
}

/* --- BOTTLENECK, TARGETS, REPEAT --- */

static void put_bottleneck_section(const struct ttp_kernel_page *p)
{
    if (p->rows)
        ttp_sink_own(p->out, "BOTTLENECK\n");
    for (size_t i = 0; i < p->rows; i++) {
        struct ttp_sink text;

        ttp_sink_to_arena(&text, p->show->arena);
        if (p->rows > 1) {
            ttp_out_put_program_title(&text, &p->row[i]->of);
            ttp_sink_put(&text, TTP_STR(": "));
        }
        ttp_sink_printf(&text, "%s: %.*s", p->row[i]->verdict.bottleneck,
                        TTP_FMT(p->row[i]->verdict.sentence));
        ttp_sink_put(p->out, TTP_STR("  "));
        ttp_paint_wrapped(p->out, ttp_sink_text(&text), p->show->width, 2, 2);
    }
    if (p->rows)
        ttp_sink_char(p->out, '\n');
}

static void put_core_target(struct ttp_sink *out, const struct ttp_targets *t)
{
    const unsigned long long used = t->cores_used, all = t->cores_available;

    if (used == 0)
        ttp_sink_own(out, "unknown: the number of cores is missing");
    else if (all == 0)
        ttp_sink_printf(out, "%llu used; the available number is unknown: --arch", used);
    else if (used >= all)
        ttp_sink_printf(out, "%llu of %llu used: met", used, all);
    else
        ttp_sink_printf(out, "%llu of %llu used: %llu idle, up to %.1f times as fast", used, all,
                        all - used, (double)all / (double)used);
}

static void put_ideal(struct ttp_sink *out, const struct ttp_targets *t)
{
    const double moved = (double)t->dram_bytes, ideal = (double)t->ideal_bytes;

    ttp_sink_own(out, ", ideal ");
    ttp_put_bytes(out, ideal);
    if (moved > ideal) {
        ttp_sink_own(out, ": ");
        ttp_put_bytes(out, moved - ideal);
        ttp_sink_printf(out, " too many, %.2f times the ideal", moved / ideal);
    } else {
        ttp_sink_printf(out, ": met%s",
                        moved < 0.9 * ideal ? ", less than all of the tensors" : "");
    }
}

static void put_dram_target(struct ttp_sink *out, const struct ttp_targets *t)
{
    if (t->dram_bytes == 0) {
        ttp_sink_own(out, "unknown: no NoC trace");
        return;
    }
    ttp_sink_printf(out, "%s", t->dram_at_least ? "at least " : "");
    ttp_put_bytes(out, (double)t->dram_bytes);
    ttp_sink_own(out, " moved");
    if (t->ideal_bytes)
        put_ideal(out, t);
    else
        ttp_sink_own(out, ", the ideal is unknown: --ideal-bytes");
    if (t->dram_gbs > 0 && t->peak_gbs > 0)
        ttp_sink_printf(out, "; %.1f of %.0f GB/s", t->dram_gbs, t->peak_gbs);
    else if (t->dram_gbs > 0)
        ttp_sink_printf(out, "; %.1f GB/s", t->dram_gbs);
}

static void put_block_target(struct ttp_sink *out, const struct ttp_targets *t)
{
    const double two = 2 * (double)t->block_bytes;
    const uint64_t times = ttp_kernel_block_growth(t);

    if (t->block_bytes == 0 || t->l1_bytes == 0) {
        ttp_sink_own(out, "unknown: no NoC trace of the reader");
        return;
    }
    ttp_put_bytes(out, (double)t->block_bytes);
    ttp_sink_own(out, " a block");
    if (t->buffers)
        ttp_sink_printf(out, " of %llu buffers", (unsigned long long)t->buffers);
    ttp_sink_own(out, "; two blocks take ");
    ttp_put_bytes(out, two);
    ttp_sink_own(out, " of ");
    ttp_put_bytes(out, (double)t->l1_bytes);
    ttp_sink_printf(out, " L1 (%.1f %%)", 100 * two / (double)t->l1_bytes);
    if (times > 1)
        ttp_sink_printf(out, ": blocks could be %llu times as large", (unsigned long long)times);
    if (t->blocks)
        ttp_sink_printf(out, "%s (a core reads %llu of each)", times > 1 ? "" : ": met",
                        (unsigned long long)t->blocks);
}

static void put_targets(const struct ttp_kernel_page *p, const struct ttp_targets *t)
{
    enum { COLUMN = 17 };
    static const struct {
        const char *name;
        void (*put)(struct ttp_sink *, const struct ttp_targets *);
    } target[] = {{"1. cores", put_core_target},
                  {"2. DRAM bytes", put_dram_target},
                  {"3. DFB blocks", put_block_target}};

    for (size_t i = 0; i < TTP_COUNT(target); i++) {
        struct ttp_sink line;

        ttp_sink_to_arena(&line, p->show->arena);
        target[i].put(&line, t);
        ttp_sink_printf(p->out, "  %-*s", COLUMN - 2, target[i].name);
        ttp_paint_wrapped(p->out, ttp_sink_text(&line), p->show->width, COLUMN, COLUMN);
    }
}

static void put_targets_section(const struct ttp_kernel_page *p)
{
    if (p->rows == 0)
        return;
    ttp_sink_own(p->out, "TARGETS\n");
    for (size_t i = 0; i < p->rows; i++) {
        if (p->rows > 1)
            put_title(p, i);
        put_targets(p, &p->row[i]->of.targets);
    }
    ttp_sink_char(p->out, '\n');
}

static void put_command(const struct ttp_kernel_page *p, const char *name, const char *command)
{
    enum { COLUMN = 17, HANG = 4 };

    if (!command)
        return;
    ttp_sink_printf(p->out, "  %-*s", COLUMN - 2, name);
    ttp_shell_put_lines(p->out, ttp_str_from(command),
                        p->show->width > 0 ? (size_t)p->show->width : 0, COLUMN, HANG);
}

static void put_next(const struct ttp_kernel_page *p)
{
    const struct ttp_kernel_view *v = p->view;

    if (!v->next_lines && !v->next_advice && !v->next_blocks)
        return;
    ttp_sink_own(p->out, "NEXT\n");
    put_command(p, "line by line:", v->next_lines);
    put_command(p, "advice:", v->next_advice);
    put_command(p, "block sizes:", v->next_blocks);
    ttp_sink_char(p->out, '\n');
}

static void put_repeat_section(const struct ttp_kernel_page *p)
{
    put_next(p);
    ttp_sink_own(p->out, "REPEAT on the machine with the card\n");
    put_command(p, "this summary:", p->view->repeat_perf);
    put_command(p, "line by line:", p->view->repeat_lines);
}

/* --- the page --- */

static void put_body(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    static void (*const sections[TTP_SECTIONS])(const struct ttp_kernel_page *) = {
        [TTP_SECTION_PERF] = put_perf_section,
        [TTP_SECTION_THREADS] = put_threads_section,
        [TTP_SECTION_SIGNPOSTS] = put_signposts_section,
        [TTP_SECTION_FLOW] = ttp_out_put_flow,
        [TTP_SECTION_PIPES] = ttp_out_put_pipes,
        [TTP_SECTION_BOTTLENECK] = put_bottleneck_section,
        [TTP_SECTION_TARGETS] = put_targets_section,
        [TTP_SECTION_REPEAT] = put_repeat_section,
    };
    struct ttp_kernel_page page = *(const struct ttp_kernel_page *)arg;

    (void)part;
    page.show = show;
    page.out = show->out;
    if (show->columns || show->form == TTP_FORM_MARKDOWN) {
        ttp_show_table(show, table);
        return;
    }
    ttp_out_choose_programs(&page, table);
    for (size_t i = 0; i < TTP_SECTIONS; i++)
        if (page.view->sections >> i & 1)
            sections[i](&page);
}

/* --- the document --- */

#define LOST(member) TTP_FIGURE(struct ttp_kernel_profile, log.member)
static const struct ttp_field lost_fields[] = {
    TTP_INT("orphan_starts", "", LOST(orphan_starts)),
    TTP_INT("orphan_ends", "", LOST(orphan_ends)),
    TTP_INT("backward_zones", "", LOST(backward_zones)),
    TTP_INT("repeated_zones", "", TTP_FIGURE(struct ttp_kernel_profile, repeated)),
    TTP_INT("bad_rows", "", LOST(bad_rows.count)),
};
static const struct ttp_fields lost = {TTP_FIELDS(lost_fields)};

#define REPORT(member) TTP_FIGURE(struct ttp_kernel_report, member)
static const struct ttp_field report_fields[] = {
    TTP_WORDS("arch", REPORT(arch)),
    TTP_INT("clock_mhz", "MHz", REPORT(clock_mhz), .above_0 = true),
    TTP_INT("compute_cores", "", REPORT(compute_cores), .above_0 = true,
            .help = "of the chip, those for dispatch included; null: the log lacks it"),
    TTP_INT("available_cores", "", REPORT(cores_available), .above_0 = true,
            .help = "of these for programs"),
    {.id = "lost",
     TTP_OBJECT_AT(struct ttp_kernel_report, profile, lost),
     .help = "null: no device log"},
};
static const struct ttp_fields report_figures = {TTP_FIELDS(report_fields)};

#define VIEW(member) TTP_FIGURE(struct ttp_kernel_view, member)
static const struct ttp_field view_fields[] = {
    TTP_INT("invocations", "", VIEW(invocations), .help = "in the logs, before any selection"),
    TTP_WORDS("window", VIEW(window), .help = "selected part of the run; null: all"),
};
static const struct ttp_fields view_figures = {TTP_FIELDS(view_fields)};
static const struct ttp_field repeat_fields[] = {
    TTP_WORDS("perf", VIEW(repeat_perf)),
    TTP_WORDS("lines", VIEW(repeat_lines)),
};
static const struct ttp_fields repeat_figures = {TTP_FIELDS(repeat_fields)};

enum { PART_REPORT, PART_VIEW, PART_PROGRAMS, PART_FLOW, PART_PIPES, PART_REPEAT };
static const struct ttp_part_spec parts[] = {
    [PART_REPORT] = {.kind = TTP_PART_DATA, .fields = &report_figures, .json_only = true},
    [PART_VIEW] = {.kind = TTP_PART_DATA, .fields = &view_figures, .json_only = true},
    [PART_PROGRAMS] = {.id = "programs", .fields = &ttp_kernel_fields},
    [PART_FLOW] = {.id = "flow",
                   .fields = &ttp_flow_fields,
                   .optional = true,
                   .json_only = true,
                   .help = "dataflow buffers"},
    [PART_PIPES] = {.id = "pipes", .fields = &ttp_pipe_fields, .optional = true, .json_only = true},
    [PART_REPEAT] = {.id = "repeat",
                     .kind = TTP_PART_OBJECT,
                     .fields = &repeat_figures,
                     .optional = true,
                     .json_only = true,
                     .help = "commands that repeat the profile"},
};
const struct ttp_document_spec ttp_kernel_document = {
    .schema = "tt-perf.kernel/2",
    .help = "Kernels on their cores, and their bottlenecks",
    TTP_PARTS(parts),
    .main = PART_PROGRAMS,
};

static const struct ttp_chart charts[] = {{.kind = "bars",
                                           .part = "programs",
                                           .title = "Programs",
                                           .label = "op",
                                           .y = "device_us",
                                           .color = "limit",
                                           .help = "Time of each program, by what limits it."}};
static const struct ttp_html html = {
    .title = "Kernel profile", .chart = charts, .charts = TTP_COUNT(charts)};

ttp_code ttp_out_kernel(const struct ttp_show *show, const struct ttp_kernel_view *view,
                        struct ttp_err *err)
{
    const struct ttp_kernel_report *r = view->report;
    struct ttp_kernel_row *row = TTP_NEW(show->arena, struct ttp_kernel_row, r->nprograms);
    const struct ttp_kernel_page arg = {.show = show,
                                        .out = show->out,
                                        .view = view,
                                        .flow = r->flow ? ttp_out_kernel_flow_rows(r, show->arena)
                                                        : NULL};
    const struct ttp_page page = {.arg = &arg, .body = put_body, .html = &html};
    struct ttp_document doc;

    for (size_t i = 0; i < r->nprograms; i++)
        ttp_out_kernel_make_row(&row[i], view, &r->program[i], show->arena);
    ttp_document_init(&doc, &ttp_kernel_document, show->arena);
    ttp_document_object(&doc, PART_REPORT, NULL, r);
    ttp_document_object(&doc, PART_VIEW, NULL, view);
    ttp_document_rows(&doc, PART_PROGRAMS, NULL, row, r->nprograms);
    if (view->sections >> TTP_SECTION_FLOW & 1)
        ttp_document_rows(&doc, PART_FLOW, NULL, arg.flow, r->flow ? r->flow->nbuffers : 0);
    if (view->sections >> TTP_SECTION_PIPES & 1)
        ttp_document_set(&doc, PART_PIPES, NULL,
                         (struct ttp_document_rows){r->pipes ? r->pipes->pipe : NULL,
                                                    sizeof(struct ttp_pipe),
                                                    r->pipes ? r->pipes->npipes : 0});
    if (view->sections >> TTP_SECTION_REPEAT & 1)
        ttp_document_object(&doc, PART_REPEAT, NULL, view);
    return ttp_show_document(show, &doc, &page, err);
}
