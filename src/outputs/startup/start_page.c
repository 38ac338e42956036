/* SPDX-License-Identifier: Apache-2.0 */
/* start_page.c - the time before the steady state, from zones of the host or ops of a device. */
#include <math.h>

#include "base/quantity.h"
#include "outputs/outputs.h"
#include "outputs/show/paint.h"

#define PROGRAMS_SHOWN 10
#define GAPS_SHOWN     3

#define START   struct ttp_start
#define PROGRAM struct ttp_start_program
#define GAP     struct ttp_start_gap

/* One part of the time, of one run or of two. */
struct part {
    enum ttp_start_part part;
    const START *a, *b; /* b NULL: one run */
};

static double share(const START *s, enum ttp_start_part part)
{
    return s->total_us > 0 ? 100 * s->part_us[part] / s->total_us : NAN;
}

/* As everywhere in startup: whole nanoseconds. */
static struct ttp_value ns(double us)
{
    return isfinite(us) ? ttp_value_i64(llround(us * 1000)) : (struct ttp_value){0};
}

#define OF_PART(name, value) TTP_GET(name, void, struct part, value)
OF_PART(get_part, ttp_value_word(ttp_run_start_part_name(r->part, r->a->source)))
OF_PART(get_time, ns(r->a->part_us[r->part]))
OF_PART(get_share, ttp_value_f64(share(r->a, r->part)))
OF_PART(get_count, ttp_value_i64((int64_t)r->a->count[r->part]))
OF_PART(get_other, ns(r->b ? r->b->part_us[r->part] : NAN))
OF_PART(get_change, ns(r->b ? r->b->part_us[r->part] - r->a->part_us[r->part] : NAN))
static const struct ttp_field part_fields[] = {
    TTP_WORDS_COLUMN("part", "Part", 0, .get = get_part, .help = "use of the time"),
    TTP_INT_COLUMN("wall_ns", "Time", "ns", 0, .get = get_time,
                   .help = "the parts add up to the total"),
    TTP_REAL_COLUMN("share_percent", "Share", "%", 1, 0, .get = get_share, .help = "of the total"),
    TTP_INT_COLUMN("count", "Count", "", 1, .get = get_count,
                   .help = "zones of the host, or ops of the device"),
    TTP_INT_COLUMN("other_wall_ns", "B", "ns", 0, .get = get_other, .help = "of the second run"),
    TTP_INT_COLUMN("wall_change_ns", "B - A", "ns", 0, .get = get_change,
                   .help = "second run less the first"),
};
static const struct ttp_fields part_figures = {TTP_FIELDS(part_fields)},
                               part_of_one = {.field = part_fields,
                                              .count = TTP_COUNT(part_fields) - 2};

TTP_GET(get_from, void, PROGRAM, ns(r->at_us))
TTP_GET(get_compile, void, PROGRAM, ns(r->wait_us))
TTP_GET(get_host, void, PROGRAM, ns(r->host_us))
TTP_GET(get_kind, void, PROGRAM, ttp_value_word(r->kernel ? "kernel" : "program"))
static const struct ttp_field program_fields[] = {
    TTP_INT_COLUMN("id", "ID", "", 0, TTP_FIGURE(PROGRAM, id), .above_0 = true,
                   .help = "of ops: line of the first run in the file"),
    TTP_WORDS_COLUMN("kind", "Kind", 2, .get = get_kind,
                     .help = "program, or one kernel of a program"),
    TTP_WORDS_COLUMN("op", "Op", 0, TTP_FIGURE(PROGRAM, op),
                     .help = "code of the op, zone, or kernel"),
    TTP_INT_COLUMN("from_ns", "From", "ns", 2, .get = get_from,
                   .help = "since the start of the recording, or of the first op"),
    TTP_INT_COLUMN("compile_ns", "Waited", "ns", 0, .get = get_compile,
                   .help = "compiling; of ops: the gap before the first run"),
    TTP_INT_COLUMN("host_ns", "Host Call", "ns", 1, .get = get_host,
                   .help = "length of the call that ran it"),
    TTP_WORDS_COLUMN("cached", "In Cache", 3, TTP_FIGURE(PROGRAM, cached),
                     .help = "whether it was in the program cache, if known"),
    TTP_FLAG("late", TTP_SHOWN("Late"), TTP_FIGURE(PROGRAM, late),
             .help = "after the steady state had begun"),
};
static const struct ttp_fields program_figures = {
    TTP_FIELDS(program_fields), .hint = "tt-perf startup --columns help lists them"};

TTP_GET(get_gap_from, void, GAP, ns(r->at_us))
TTP_GET(get_gap_length, void, GAP, ns(r->us))
static const struct ttp_field gap_fields[] = {
    TTP_INT_COLUMN("from_ns", "From", "ns", 0, .get = get_gap_from, .help = "when it began"),
    TTP_INT_COLUMN("length_ns", "Length", "ns", 0, .get = get_gap_length, .help = "its length"),
    TTP_WORDS_COLUMN("next", "Before", 0, TTP_FIGURE(GAP, next), .help = "next activity"),
};
static const struct ttp_fields gap_figures = {TTP_FIELDS(gap_fields)};

static const char *const sources[] = {"zones", "ops"};
TTP_GET(get_source, void, START, ttp_value_word(sources[r->source]))
TTP_GET(get_rank, void, START,
        r->source == TTP_START_OPS && r->rank >= 0 ? ttp_value_i64(r->rank) : (struct ttp_value){0})
TTP_GET(get_device, void, START,
        r->source == TTP_START_OPS ? ttp_value_i64(r->device) : (struct ttp_value){0})
TTP_GET(get_startup, void, START, ns(r->total_us))
TTP_GET(get_late, void, START, ns(r->late_us))
static const struct ttp_field run_fields[] = {
    TTP_WORDS("run", TTP_FIGURE(START, path), .help = "file or folder"),
    TTP_WORDS("source", .get = get_source, .help = "zones of the host, or ops of a device"),
    TTP_INT("rank", "", .get = get_rank, .help = "of that device, if there are several"),
    TTP_INT("device", "", .get = get_device,
            .help = "of ops: the one that waited longest, or was asked for"),
    TTP_FLAG("steady", TTP_FIGURE(START, steady),
             .help = "whether a steady state was found; otherwise everything counts"),
    TTP_INT("startup_ns", "ns", .get = get_startup, .help = "from the start to the steady state"),
    TTP_INT("program_cache_hits", "", TTP_FIGURE(START, hits), .help = "of ops before it"),
    TTP_INT("program_cache_misses", "", TTP_FIGURE(START, misses), .help = "of ops before it"),
    TTP_INT("late_compiles", "", TTP_FIGURE(START, late), .help = "compiled after it"),
    TTP_INT("late_compile_ns", "ns", .get = get_late, .help = "waited for them"),
};
static const struct ttp_fields run_figures = {TTP_FIELDS(run_fields)};

enum { PART_RUN, PART_PARTS, PART_PROGRAMS, PART_GAPS };
static const struct ttp_part_spec parts[] = {
    [PART_RUN] = {.kind = TTP_PART_DATA, .fields = &run_figures, .json_only = true},
    [PART_PARTS] = {.id = "parts", .fields = &part_figures, .help = "they add up to the total"},
    [PART_PROGRAMS] = {.id = "programs",
                       .title = "Programs and kernels, longest wait first",
                       .fields = &program_figures},
    [PART_GAPS] = {.id = "gaps",
                   .fields = &gap_figures,
                   .json_only = true,
                   .help = "idle periods of half a second or more, longest first"},
};
const struct ttp_document_spec ttp_start_document = {
    .schema = "tt-perf.start/1",
    .help = "Where the time before the steady state went",
    TTP_PARTS(parts),
    .main = PART_PROGRAMS,
};

static ttp_str time_text(const struct ttp_show *p, double us)
{
    struct ttp_sink text;

    ttp_sink_to_arena(&text, p->arena);
    ttp_put_time_us(&text, us);
    return ttp_sink_text(&text);
}

static size_t before_steady(const START *s)
{
    return s->programs - s->kernels - (size_t)s->late;
}

static ttp_str device_name(const struct ttp_show *p, const START *s)
{
    return s->rank >= 0
               ? ttp_sink_format(p->arena, "%lld:%lld", (long long)s->rank, (long long)s->device)
               : ttp_sink_format(p->arena, "%lld", (long long)s->device);
}

static void put_verdict(const struct ttp_show *p, const START *s)
{
    const double part = share(s, TTP_START_COMPILE);
    const ttp_str all = time_text(p, s->total_us),
                  waited = time_text(p, s->part_us[TTP_START_COMPILE]);
    const char *until = s->steady ? "to steady" : "in all, no steady state";
    const size_t programs = before_steady(s);

    if (s->source == TTP_START_ZONES)
        ttp_show_sentence(
            p, "%.*s from the start of the recording %s; compiling %.*s (%.0f %%) of %zu program%s",
            TTP_FMT(all), until, TTP_FMT(waited), isfinite(part) ? part : 0, programs,
            programs == 1 ? "" : "s");
    else
        ttp_show_sentence(
            p,
            "%.*s from the first op %s on device %.*s; %.*s (%.0f %%) waiting for %zu program%s "
            "that ran for the first time",
            TTP_FMT(all), until, TTP_FMT(device_name(p, s)), TTP_FMT(waited),
            isfinite(part) ? part : 0, programs, programs == 1 ? "" : "s");
}

static void put_half(const struct ttp_show *p, const START *s)
{
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < s->programs && sum * 2 < s->part_us[TTP_START_COMPILE]; i++) {
        if (s->program[i].late || s->program[i].kernel)
            continue;
        sum += s->program[i].wait_us;
        n++;
    }
    if (n && before_steady(s) > 1)
        ttp_show_sentence(p, "%zu of these %zu programs took half of that", n, before_steady(s));
}

static void put_notes(const struct ttp_show *p, const START *s)
{
    if (s->hits + s->misses)
        ttp_show_sentence(p, "program cache before it: %llu hits, %llu misses",
                          (unsigned long long)s->hits, (unsigned long long)s->misses);
    if (s->late)
        ttp_show_sentence(p, "%llu program%s ran first after it: %.*s", (unsigned long long)s->late,
                          s->late == 1 ? "" : "s", TTP_FMT(time_text(p, s->late_us)));
    for (size_t i = 0; i < s->gaps && i < GAPS_SHOWN; i++)
        ttp_show_sentence(p, "no activity for %.*s from %.*s on, before %.*s",
                          TTP_FMT(time_text(p, s->gap[i].us)),
                          TTP_FMT(time_text(p, s->gap[i].at_us)), TTP_FMT(s->gap[i].next));
    if (s->source == TTP_START_OPS)
        ttp_show_sentence(
            p, "note: a table of ops lacks everything before the first op, such as opening devices "
               "and reading weights; a recording or the inspector's logs have it");
    else if (s->count[TTP_START_OPEN] == 0)
        ttp_show_sentence(
            p, "note: no zone of opening a device: 'tt-perf record --zones all' keeps them");
}

struct page {
    const START *a, *b;
};

static void put_head(const struct ttp_show *p, const void *arg)
{
    const struct page *page = arg;

    put_verdict(p, page->a);
    if (page->b) {
        put_verdict(p, page->b);
        return;
    }
    put_half(p, page->a);
}

static void put_body(const struct ttp_show *p, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    const struct page *page = arg;
    struct ttp_table of = *table;

    if (part == PART_PARTS) {
        struct ttp_records rows = *table->rows;

        if (!page->b)
            rows.fields = &part_of_one;
        of.rows = &rows;
        of.aside = true;
        ttp_sink_repeat(p->out, '\n', 1);
        ttp_show_table(p, &of);
        if (!page->b)
            put_notes(p, page->a);
        return;
    }
    if (table->rows->count == 0)
        return;
    ttp_show_heading(p, parts[part].title);
    ttp_show_table(p, &of);
}

static const struct ttp_chart charts[] = {
    {.kind = "bar",
     .part = "parts",
     .title = "Where the time went",
     .help = "From the start to the steady state.",
     .label = "part",
     .y = "time_us"},
};
static const struct ttp_html html = {
    .title = "Start-up", .chart = charts, .charts = TTP_COUNT(charts)};

ttp_code ttp_out_start(const struct ttp_show *show, const struct ttp_start *run,
                       const struct ttp_start *other, struct ttp_err *err)
{
    const struct page arg = {run, other};
    const struct ttp_page page = {.arg = &arg, .head = put_head, .body = put_body, .html = &html};
    struct part *row = TTP_NEW(show->arena, struct part, TTP_START_PARTS);
    struct ttp_show as = *show;
    struct ttp_document doc;
    size_t n = 0;

    for (int i = 0; i < TTP_START_PARTS; i++)
        if (run->count[i] || run->part_us[i] > 0 || (other && other->part_us[i] > 0))
            row[n++] = (struct part){(enum ttp_start_part)i, run, other};
    if (as.selection.top == 0 && (as.form == TTP_FORM_TEXT || as.form == TTP_FORM_MARKDOWN))
        as.selection.top = PROGRAMS_SHOWN;
    ttp_document_init(&doc, &ttp_start_document, show->arena);
    ttp_document_object(&doc, PART_RUN, NULL, run);
    ttp_document_rows(&doc, PART_PARTS, NULL, row, n);
    ttp_document_rows(&doc, PART_PROGRAMS, NULL, run->program, run->programs);
    ttp_document_rows(&doc, PART_GAPS, NULL, run->gap, run->gaps);
    return ttp_show_document(&as, &doc, &page, err);
}
