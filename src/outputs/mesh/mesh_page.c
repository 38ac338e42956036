/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_page.c - a run of many devices: its tables, headlines and notes. */
#include <math.h>
#include <stdio.h>

#include "advice/advice.h"
#include "base/quantity.h"
#include "outputs/mesh/mesh_headline.h"
#include "outputs/mesh/mesh_map.h"
#include "outputs/show/paint.h"

/* ---- the document ---- */

/* The critical path, with the rows of it that were chosen. */
struct shown_path {
    struct ttp_mesh_path path;
    struct ttp_records ops;
};

static struct ttp_records list_ops(const void *context, const void *row)
{
    (void)context;
    return ((const struct shown_path *)row)->ops;
}

#define PATH struct shown_path
static const struct ttp_field path_fields[] = {
    TTP_REAL("path_us", "us", 0, TTP_FIGURE(PATH, path.length_us)),
    TTP_REAL("compute_us", "us", 0, TTP_FIGURE(PATH, path.compute_us)),
    TTP_REAL("idle_us", "us", 0, TTP_FIGURE(PATH, path.idle_us)),
    TTP_REAL("transfer_us", "us", 0, TTP_FIGURE(PATH, path.transfer_us)),
    TTP_INT("turns", "", TTP_FIGURE(PATH, path.turns),
            .help = "number of switches to another device"),
    TTP_LISTED("ops", TTP_ROWS, list_ops, ttp_mesh_worth_fields),
};
static const struct ttp_fields path_figures = {TTP_FIELDS(path_fields)};

enum {
    PART_RUN,
    PART_RANKS,
    PART_GROUPS,
    PART_CLASSES,
    PART_COLLECTIVES,
    PART_DEVICES,
    PART_STRAGGLERS,
    PART_PATH,
    PART_PATH_OPS,
};
static const struct ttp_part_spec parts[] = {
    [PART_RUN] = {.kind = TTP_PART_DATA, .fields = &ttp_mesh_run_fields, .json_only = true},
    [PART_RANKS] = {.id = "ranks", .title = "Ranks", .fields = &ttp_mesh_rank_fields},
    [PART_GROUPS] = {.id = "groups", .title = "Groups", .fields = &ttp_mesh_axis_fields},
    [PART_CLASSES] = {.id = "classes", .title = "Collectives", .fields = &ttp_mesh_class_fields},
    [PART_COLLECTIVES] = {.id = "collectives",
                          .title = "Every collective",
                          .fields = &ttp_mesh_collective_fields},
    [PART_DEVICES] = {.id = "devices",
                      .title = "Devices, the slowest in compute first, per iteration",
                      .fields = &ttp_mesh_device_fields},
    [PART_STRAGGLERS] = {.id = "stragglers",
                         .fields = &ttp_mesh_straggler_fields,
                         .title = "Stragglers, over the run",
                         .help = "devices, the slowest in compute first",
                         .json_only = true},
    [PART_PATH] = {.id = "critical_path",
                   .kind = TTP_PART_OBJECT,
                   .fields = &path_figures,
                   .json_only = true},
    [PART_PATH_OPS] = {.id = "path",
                       .title = "Critical path of the run",
                       .fields = &ttp_mesh_worth_fields,
                       .table_only = true},
};
const struct ttp_document_spec ttp_mesh_document = {
    .schema = "tt-perf.mesh/1",
    .help = "Many ranks and devices as one run",
    TTP_PARTS(parts),
    .main = PART_COLLECTIVES,
};
static const size_t part_of_table[] = {
    [TTP_MESH_TABLE_USUAL] = PART_COLLECTIVES, [TTP_MESH_TABLE_COLLECTIVES] = PART_COLLECTIVES,
    [TTP_MESH_TABLE_CLASSES] = PART_CLASSES,   [TTP_MESH_TABLE_DEVICES] = PART_DEVICES,
    [TTP_MESH_TABLE_GROUPS] = PART_GROUPS,     [TTP_MESH_TABLE_PATH] = PART_PATH_OPS,
    [TTP_MESH_TABLE_RANKS] = PART_RANKS,
};

size_t ttp_out_mesh_part(enum ttp_mesh_table table)
{
    return part_of_table[table];
}

/* ---- the page ---- */

struct printing {
    const struct ttp_show *show;
    struct ttp_sink *out;
    const struct ttp_mesh_view *view;
    const struct ttp_mesh *m;
    bool markdown;
};

static struct printing begin(const struct ttp_show *show, const void *arg)
{
    const struct ttp_mesh_view *view = arg;

    return (struct printing){show, show->out, view, view->mesh, show->form == TTP_FORM_MARKDOWN};
}

/* In the unit that suits it. */
static ttp_str us(const struct printing *p, double v)
{
    return ttp_time_us_text(v, p->show->arena);
}

/* A sentence, wrapped. */
TTP_PRINTF(2, 3) static void say(const struct printing *p, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const ttp_str text = ttp_sink_vformat(p->show->arena, fmt, args);
    va_end(args);
    ttp_paint_wrapped(p->out, text, p->markdown ? 0 : p->show->width, 0, 2);
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void put_size(const struct printing *p)
{
    struct ttp_sink line;

    ttp_sink_to_arena(&line, p->show->arena);
    ttp_out_mesh_put_headline(&line, p->m, p->show->arena);
    say(p, "%.*s", TTP_FMT(ttp_sink_text(&line)));
}

static double each(const struct ttp_mesh *m, double time)
{
    return time / (double)m->window.iterations;
}

/* ", mostly in Matmul (15.0 % longer), since op 204, 2.1 ms after its start" */
static ttp_str tell_where(const struct printing *p, const struct ttp_mesh_device *s)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, p->show->arena);
    if (s->op.len)
        ttp_sink_printf(&out, ", mostly in %.*s",
                        TTP_FMT(ttp_analysis_brief_name(s->op, p->show->arena)));
    if (s->op.len && isfinite(s->op_pct))
        ttp_sink_printf(&out, " (%.1f %% longer)", s->op_pct);
    if (s->since_op)
        ttp_sink_printf(&out, ", since op %u, %.*s after its start", s->since_op,
                        TTP_FMT(us(p, s->since_us)));
    return ttp_sink_text(&out);
}

/* Why not: it is not slow enough, or too many are. */
static void put_none(const struct printing *p, const struct ttp_mesh_device *s, double part)
{
    const size_t slow = ttp_mesh_slow_devices(p->m);
    const double time = ttp_mesh_device_time(s), least = TTP_MESH_STRAGGLER_PART * 100;

    if (slow)
        say(p,
            "no single device stands out: %zu of %zu lose more than %.0f %% of their time to "
            "compute that others have less of; the slowest, %.*s%s%.*s, computes %.1f %% longer "
            "than the median",
            slow, p->m->devices, least, TTP_FMT(s->name), s->place.len ? " at " : "",
            TTP_FMT(s->place), part);
    else
        say(p,
            "no device stands out: the slowest, %.*s%s%.*s, computes %.1f %% longer than the "
            "median, which is %.1f %% of its time (a slow device: more than %.0f %%)",
            TTP_FMT(s->name), s->place.len ? " at " : "", TTP_FMT(s->place), part,
            time > 0 ? fmax(s->excess_us, 0) / time * 100 : 0, least);
}

/* Idle time is a large part of the critical path from here on. */
#define IDLE_PART 0.10

static void put_idle(const struct printing *p)
{
    const struct ttp_mesh_window *w = &p->m->window;

    if (p->m->reference == TTP_MESH_NONE || !(w->path_idle_us > IDLE_PART * w->path_us))
        return;
    say(p,
        "idle: %.0f %% of the critical path (%.*s per iteration), the devices that all wait for "
        "have nothing to run: host or dispatch is late (see 'tt-perf advise' and 'tt-perf mesh "
        "--map idle')",
        w->path_idle_us / w->path_us * 100, TTP_FMT(us(p, each(p->m, w->path_idle_us))));
}

/* The device that delays the others, or that none does. */
static void put_slowest(const struct printing *p)
{
    const struct ttp_mesh *m = p->m;
    const struct ttp_mesh_device *of = m->window.device;
    uint32_t slow = 0;

    for (uint32_t d = 1; d < m->devices; d++)
        if (of[d].excess_us > of[slow].excess_us)
            slow = d;
    if (m->devices < 2 || !(of[slow].busy_us > 0))
        return;
    const struct ttp_mesh_device *s = &of[slow];
    const double part = fmax(s->excess_us / (s->busy_us - s->excess_us) * 100, 0);
    if (ttp_mesh_is_straggler(m, slow))
        say(p,
            "slow: device %.*s%s%.*s computes %.*s longer per iteration than the median of all "
            "devices (%.1f %%)%.*s",
            TTP_FMT(s->name), s->place.len ? " at " : "", TTP_FMT(s->place),
            TTP_FMT(us(p, each(m, s->excess_us))), part, TTP_FMT(tell_where(p, s)));
    else
        put_none(p, s, part);
}

/* A share above 100 % cannot be true: say so where it is printed. */
static void put_over_peak(const struct printing *p)
{
    size_t over = 0;

    for (size_t i = 0; i < p->m->class_rows; i++)
        over += p->m->class_row[i].link_share > 1;
    if (over)
        say(p,
            "note: %zu kind%s of collectives would need more than 100 %% of their links (column "
            "Link); they use more links than the run reports, or the transfer began before the "
            "last "
            "arrival",
            over, plural(over));
}

#define MOST_NAMED 4

/* Rows that are not used: which ones, as far as a line has room. */
static void put_unused_rows(const struct printing *p)
{
    const struct ttp_mesh *m = p->m;
    struct ttp_sink list;
    size_t named = 0;

    ttp_sink_to_arena(&list, p->show->arena);
    for (size_t o = 0; o < m->ops && named < MOST_NAMED; o++)
        for (uint32_t k = m->op[o].cells_at;
             k < m->op[o].cells_at + m->op[o].cells && named < MOST_NAMED; k++)
            if (m->cell[k].aside)
                ttp_sink_printf(&list, "%s op %zu of %.*s", named++ ? "," : "", o,
                                TTP_FMT(m->device[m->cell[k].device].name));
    if (named)
        say(p, "note: rows set aside, because they contradict the others:%.*s%s",
            TTP_FMT(ttp_sink_text(&list)), m->rows_aside > named ? ", ..." : "");
    ttp_sink_to_arena(&list, p->show->arena);
    named = 0;
    for (size_t d = 0; d < m->devices; d++)
        if (m->device[d].rows_without_times && named++ < MOST_NAMED)
            ttp_sink_printf(&list, "%s %zu of %.*s", named > 1 ? "," : "",
                            m->device[d].rows_without_times, TTP_FMT(m->device[d].name));
    if (named)
        say(p, "note: %zu row%s without usable cycles:%.*s%s", m->rows_without_times,
            plural(m->rows_without_times), TTP_FMT(ttp_sink_text(&list)),
            named > MOST_NAMED ? ", ..." : "");
}

static bool related_lines(const struct ttp_mesh *m)
{
    for (size_t c = 0; c < m->components; c++)
        if (!m->timeline[c].related)
            return false;
    return true;
}

static void put_head(const struct ttp_show *show, const void *arg)
{
    const struct printing it = begin(show, arg), *p = &it;
    const struct ttp_mesh *m = p->m;

    put_size(p);
    const struct ttp_mesh_window *w = &m->window;
    if (w->inside)
        say(p,
            "%zu ops, %.*s from the first start to the last end; figures per iteration are of "
            "%zu iteration%s with %zu ops, as in 'tt-perf report'",
            m->ops, TTP_FMT(us(p, m->span_us)), w->iterations, plural(w->iterations), w->ops);
    else
        say(p, "%zu ops in %zu iteration%s, %.*s from the first start to the last end", m->ops,
            w->iterations, plural(w->iterations), TTP_FMT(us(p, m->span_us)));
    put_slowest(p);
    put_idle(p);
    if (m->components > 1)
        say(p, "%zu time lines: %s", m->components,
            related_lines(m) ? "only clocks of hosts relate them"
                             : "clocks of different time lines are unrelated");
    if (m->inconsistency_ns > 0)
        say(p, "inconsistent by %.*s%s", TTP_FMT(us(p, m->inconsistency_ns / 1000)),
            m->inconsistency_ns > 1000 ? ": do not trust the bounds" : "");
    for (size_t i = 0; i < m->notes.count; i++)
        say(p, "note: %s", m->notes.word[i]);
    put_unused_rows(p);
    put_over_peak(p);
    if (m->waits && m->waits_differ * 20 > m->waits)
        say(p,
            "note: waits from clocks and from durations differ by more than the bound in %zu of "
            "%zu rows",
            m->waits_differ, m->waits);
}

static void put_figure(const struct printing *p, const char *name, double time, const char *more)
{
    if (p->markdown)
        ttp_sink_printf(p->out, "- %s: %.*s%s\n", name, TTP_FMT(us(p, time)), more);
    else
        ttp_sink_printf(p->out, "  %-26s %.*s%s\n", name, TTP_FMT(us(p, time)), more);
}

/* Below this part of communication, rows that were set aside explain it. */
#define OTHER_LEAST 0.01

/* " (Dispatch, Combine)": ops that talk to other chips and are not collectives of all. */
static const char *exchange_names(const struct printing *p)
{
    const struct ttp_mesh *m = p->m;
    struct ttp_sink list;
    ttp_str named[MOST_NAMED];
    size_t n = 0;

    ttp_sink_to_arena(&list, p->show->arena);
    for (size_t o = 0; o < m->ops && n < MOST_NAMED; o++) {
        bool seen = m->op[o].kind == TTP_MESH_COMPUTE || m->op[o].kind == TTP_MESH_ALL_WAIT;
        for (size_t i = 0; i < n && !seen; i++)
            seen = ttp_str_eq(named[i], m->op[o].code);
        if (seen)
            continue;
        ttp_sink_printf(&list, "%s%.*s", n ? ", " : " (",
                        TTP_FMT(ttp_analysis_brief_name(m->op[o].code, p->show->arena)));
        named[n++] = m->op[o].code;
    }
    ttp_sink_printf(&list, "%s", n ? ")" : "");
    return ttp_arena_zstr(p->show->arena, ttp_sink_text(&list));
}

static void put_cost(const struct printing *p)
{
    const struct ttp_mesh *m = p->m;
    const struct ttp_mesh_device *of = m->window.device;
    double hidden = 0, exposed = 0, wait = 0, transfer = 0;

    for (size_t d = 0; d < m->devices; d++) {
        hidden += of[d].hidden_us / (double)m->devices;
        exposed += of[d].exposed_us / (double)m->devices;
        wait += of[d].wait_us / (double)m->devices;
        transfer += of[d].transfer_us / (double)m->devices;
    }
    ttp_show_heading(p->show, "Cost of communication, per iteration and device");
    put_figure(p, "waiting for others", each(m, wait), "");
    put_figure(p, "of it due to the last", each(m, m->window.last_wait_us),
               " (if it came with the one before)");
    put_figure(p, "transfers", each(m, transfer), "");
    /* time in ops that talk to other chips, but are not collectives of all of them */
    const double other = exposed + hidden - wait - transfer;
    if (other > OTHER_LEAST * (exposed + hidden))
        put_figure(p, "in other exchanges", each(m, other), exchange_names(p));
    put_figure(p, "exposed", each(m, exposed), "");
    put_figure(p, "hidden by compute", each(m, hidden), "");
}

static void put_path(const struct printing *p)
{
    const struct ttp_mesh_path *path = &p->m->path;

    say(p, "%s%.*s: compute %.*s, idle %.*s, transfers %.*s; it changes the device %zu times",
        p->markdown ? "" : "  ", TTP_FMT(us(p, path->length_us)), TTP_FMT(us(p, path->compute_us)),
        TTP_FMT(us(p, path->idle_us)), TTP_FMT(us(p, path->transfer_us)), path->turns);
    ttp_sink_repeat(p->out, '\n', p->markdown);
}

/* ---- tables ---- */

static bool is_wanted(const struct printing *p, size_t part)
{
    if (p->view->table != TTP_MESH_TABLE_USUAL)
        return part == part_of_table[p->view->table];
    return part != PART_COLLECTIVES && (part != PART_RANKS || p->m->parts > 1);
}

/* Op codes as reports have them, and shares of links in a hundred. */
static bool put_cell(ttp_str *text, const void *arg, const struct ttp_field *field, const void *row,
                     struct ttp_arena *arena)
{
    const struct printing *p = arg;
    const struct ttp_value v = ttp_field_value(field, p->m, row);

    if (v.kind == TTP_VALUE_TEXT &&
        (strcmp(field->id, "code") == 0 || strcmp(field->id, "op") == 0 ||
         strcmp(field->id, "iteration_op") == 0)) {
        *text = ttp_analysis_brief_name(v.v.text, arena);
        return true;
    }
    if (v.kind == TTP_VALUE_REAL && strcmp(field->id, "link_share") == 0 && isfinite(v.v.f)) {
        *text = ttp_sink_format(arena, "%.*f %%", v.v.f < 0.0995, v.v.f * 100);
        return true;
    }
    return false;
}

/* Its first rows. */
static void put_table(const struct printing *p, const struct ttp_table *all)
{
    const size_t top = p->view->top;
    struct ttp_table table = *all;

    table.indent = p->markdown ? 0 : 2;
    table.arg = p;
    table.cell = put_cell;
    table.count = top && top < all->count ? top : all->count;
    ttp_show_table(p->show, &table);
    if (table.count < all->count)
        ttp_show_more(p->show, all->count - table.count);
}

static void put_part(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    const struct printing p = begin(show, arg);
    const bool usual = p.view->table == TTP_MESH_TABLE_USUAL;

    if (!is_wanted(&p, part) || (table->count == 0 && part != PART_PATH_OPS))
        return;
    if (part == PART_PATH_OPS && usual && p.m->collectives)
        put_cost(&p);
    ttp_show_heading(show, parts[part].title);
    if (part == PART_PATH_OPS)
        put_path(&p);
    if (table->count)
        put_table(&p, table);
    if (part == PART_DEVICES)
        ttp_out_mesh_put_map(show, p.view);
}

/* The slowest first, as in the headline, unless the user chose an order. */
#define DEVICE_ORDER "iteration_excess_us:desc"

static void draw_map(struct ttp_sink *out, const void *arg, struct ttp_arena *arena)
{
    struct ttp_picture map;

    ttp_out_mesh_picture(&map, arg, arena);
    ttp_picture_svg(out, &map);
}

static const struct ttp_html html = {
    .title = "Devices and ranks", .picture_title = "Map", .picture = draw_map};

/* Those that one of the chosen devices takes part in, and their kinds. */
static void put_collectives(struct ttp_document *doc, const struct ttp_mesh_view *view,
                            struct ttp_arena *arena)
{
    const struct ttp_mesh *m = view->mesh;
    struct ttp_mesh_collective *chosen;
    size_t n = 0;

    if (view->devices == m->devices) {
        ttp_document_rows(doc, PART_COLLECTIVES, m, m->collective, m->collectives);
        ttp_document_rows(doc, PART_CLASSES, m, m->class_row, m->class_rows);
        return;
    }
    chosen = TTP_NEW(arena, struct ttp_mesh_collective, m->collectives + 1);
    for (size_t k = 0; k < m->collectives; k++) {
        bool wanted = false;
        for (size_t i = 0; i < m->collective[k].members; i++)
            wanted |= m->collective[k].member[i].device - view->first_device < view->devices;
        if (wanted)
            chosen[n++] = m->collective[k];
    }
    ttp_document_rows(doc, PART_COLLECTIVES, m, chosen, n);
    struct ttp_mesh_class_row *kind = NULL;
    const size_t kinds = ttp_mesh_list_classes(&kind, m, chosen, n, arena);
    ttp_document_rows(doc, PART_CLASSES, m, kind, kinds);
}

static ttp_code order_stragglers(struct ttp_document *doc, const struct ttp_mesh_view *view,
                                 struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_mesh *m = view->mesh;
    static const struct ttp_selection order = {.sort = "excess_us:desc"};
    size_t *index, count;

    ttp_document_rows(doc, PART_STRAGGLERS, m, m->device + view->first_device, view->devices);
    TTP_TRY(
        ttp_records_select(&index, &count, &doc->part[PART_STRAGGLERS].rows, &order, arena, err));
    ttp_document_choose(doc, PART_STRAGGLERS, index, count);
    return TTP_OK;
}

static ttp_code show_tables(struct ttp_show *show, const struct ttp_mesh_view *view,
                            const struct ttp_document_spec *spec, struct ttp_err *err)
{
    const struct ttp_page page = {.arg = view, .head = put_head, .body = put_part, .html = &html};
    const struct ttp_mesh *m = view->mesh;
    struct shown_path path = {.path = m->path};
    struct ttp_document doc;

    ttp_document_init(&doc, spec, show->arena);
    ttp_document_object(&doc, PART_RUN, m, m);
    ttp_document_rows(&doc, PART_RANKS, m, m->rank, m->parts);
    ttp_document_rows(&doc, PART_GROUPS, m, m->axis, m->axes);
    put_collectives(&doc, view, show->arena);
    ttp_document_rows(&doc, PART_DEVICES, m, m->device + view->first_device, view->devices);
    TTP_TRY(order_stragglers(&doc, view, show->arena, err));
    ttp_document_object(&doc, PART_PATH, m, &path);
    ttp_document_rows(&doc, PART_PATH_OPS, m, m->path.worth, m->path.worths);
    path.ops = doc.part[PART_PATH_OPS].rows;
    if (spec->main == PART_PATH_OPS && show->form == TTP_FORM_JSON)
        TTP_TRY(ttp_show_choose(&path.ops, show, &doc.part[PART_PATH_OPS].rows, err));
    if (show->form == TTP_FORM_TEXT || show->form == TTP_FORM_MARKDOWN) {
        show->selection.top = 0; /* the page has a limit for all tables */
        TTP_TRY(ttp_document_order(&doc, PART_DEVICES, DEVICE_ORDER, show, err));
    }
    return ttp_show_document(show, &doc, &page, err);
}

ttp_code ttp_out_mesh(const struct ttp_show *show, const struct ttp_mesh_view *view,
                      struct ttp_err *err)
{
    struct ttp_document_spec spec = ttp_mesh_document;
    struct ttp_show own = *show;

    if (ttp_form_is_picture(show->form)) {
        struct ttp_picture map;
        ttp_out_mesh_picture(&map, view, show->arena);
        return ttp_picture_show(show, &map, err);
    }
    spec.main = ttp_out_mesh_part(view->table);
    return show_tables(&own, view, &spec, err);
}
