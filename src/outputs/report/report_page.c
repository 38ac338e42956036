/* SPDX-License-Identifier: Apache-2.0 */
/* report_page.c - the report for human readers, around the ops: the machine, advice and summary. */
#include "base/quantity.h"
#include "outputs/mesh/mesh_headline.h"
#include "outputs/report/advice_groups.h"
#include "outputs/report/report_parts.h"
#include "outputs/show/paint.h"

#define BAR_MAX 30

/* A paragraph that begins with words in colour, from column `indent` on. */
static void put_lead(const struct ttp_show *show, size_t indent, enum ttp_color color, ttp_str lead,
                     ttp_str rest)
{
    const size_t lead_columns = ttp_sink_columns(show->out, lead), hang = indent ? indent + 4 : 2;
    struct ttp_sink all;

    ttp_sink_repeat(show->out, ' ', indent);
    if (show->width > 0 && indent + lead_columns > (size_t)show->width) {
        ttp_sink_to_arena(&all, show->arena);
        ttp_sink_put(&all, lead);
        ttp_sink_put(&all, rest);
        ttp_paint_wrapped(show->out, ttp_sink_text(&all), show->width, indent, hang);
        return;
    }
    ttp_paint_themed(show->out, show->color ? color : TTP_PLAIN, lead);
    ttp_paint_wrapped(show->out, rest, show->width, indent + lead_columns, hang);
}

static void put_title(const struct ttp_show *show, const char *title)
{
    ttp_sink_char(show->out, '\n');
    if (ttp_report_is_markdown(show))
        ttp_sink_own(show->out, "## ");
    ttp_paint_themed(show->out, show->color ? TTP_MAGENTA : TTP_PLAIN, ttp_str_from(title));
    ttp_sink_repeat(show->out, '\n', ttp_report_is_markdown(show) ? 2 : 1);
}

void ttp_out_report_page_head(const struct ttp_show *show, const void *arg)
{
    const struct ttp_report_view *view = arg;
    const struct ttp_report *r = view->report;
    struct ttp_sink text;

    if (ttp_report_is_markdown(show))
        ttp_sink_own(show->out, "# Performance report\n\n");
    if (view->mesh) {
        ttp_sink_to_arena(&text, show->arena);
        ttp_out_mesh_put_headline(&text, view->mesh, show->arena);
        ttp_paint_wrapped(show->out, ttp_sink_text(&text), show->width, 0, 2);
        if (ttp_report_is_markdown(show))
            ttp_sink_char(show->out, '\n');
    }
    ttp_sink_to_arena(&text, show->arena);
    ttp_sink_printf(&text, ", %lld cores, %g GB/s DRAM", (long long)r->worker_cores,
                    r->arch->dram_gbs);
    if (r->busy_us < r->time_us) {
        ttp_sink_put(&text, TTP_STR("; busy "));
        ttp_put_time_us(&text, r->busy_us);
        ttp_sink_put(&text, TTP_STR(" of "));
        ttp_put_time_us(&text, r->time_us);
        ttp_sink_put(&text, TTP_STR(" op time, because ops overlapped"));
    }
    put_lead(show, 0, TTP_MAGENTA, ttp_str_from(r->arch->name), ttp_sink_text(&text));
    ttp_sink_char(show->out, '\n');
}

/* --- advice --- */

/* "12, 45, 78, ... (40 in all)" */
static void put_ids(struct ttp_sink *text, const struct ttp_report *report,
                    const struct ttp_advice_group *group)
{
    const size_t shown = group->count < 8 ? group->count : 8;

    for (size_t i = 0; i < shown; i++)
        ttp_sink_printf(text, "%s%u", i ? ", " : "", report->op[group->op[i]].row + 2);
    if (group->count > shown)
        ttp_sink_printf(text, ", ... (%zu in total)", group->count);
}

static void put_group(const struct ttp_show *show, const struct ttp_report *report,
                      const struct ttp_advice_group *group)
{
    struct ttp_sink text;

    ttp_sink_to_arena(&text, show->arena);
    if (group->time_pct > 0)
        ttp_sink_printf(&text, "  %.1f %%", group->time_pct);
    ttp_sink_put(&text, TTP_STR("  ID "));
    put_ids(&text, report, group);
    put_lead(show, 2, group->color, group->title, ttp_sink_text(&text));
    for (size_t i = 0; i < group->lines; i++) {
        ttp_sink_own(show->out, "    - ");
        ttp_paint_wrapped(show->out, group->line[i], show->width, 6, 6);
    }
}

static void put_markdown_group(const struct ttp_show *show, const struct ttp_advice_group *g)
{
    ttp_sink_printf(show->out, "- **%.*s**: %zu %s", TTP_FMT(g->title), g->count,
                    g->count == 1 ? "op" : "ops");
    if (g->time_pct > 0)
        ttp_sink_printf(show->out, ", %.1f %%", g->time_pct);
    ttp_sink_char(show->out, '\n');
    for (size_t k = 0; k < g->lines; k++)
        ttp_sink_printf(show->out, "  - %.*s\n", TTP_FMT(g->line[k]));
}

static void put_advice(const struct ttp_show *show, const struct ttp_report_view *view)
{
    struct ttp_advice_groups groups;

    ttp_out_advice_groups_make(&groups, view, show->arena);
    if (groups.count)
        put_title(show, "Advice");
    for (size_t i = 0; i < groups.count; i++)
        if (ttp_report_is_markdown(show))
            put_markdown_group(show, &groups.item[i]);
        else
            put_group(show, view->report, &groups.item[i]);
    if (groups.count == 0)
        return;
    if (ttp_report_is_markdown(show))
        ttp_sink_char(show->out, '\n');
    else
        ttp_sink_own(show->out, "  ");
    ttp_sink_own(show->out, "all changes, by gain: tt-perf advise RUN\n");
}

/* --- the summary --- */

enum ttp_tone ttp_out_report_name_tone(ttp_str code)
{
    static const struct {
        uint32_t traits;
        enum ttp_tone tone;
    } tones[] = {
        {TTP_IS_ANY_MATMUL, TTP_TONE_MAGENTA},
        {TTP_IS_CONV, TTP_TONE_WARN},
        {TTP_IS_NORM | TTP_IS_COLLECTIVE, TTP_TONE_CYAN},
        {TTP_IS_ATTENTION, TTP_TONE_BLUE},
    };
    const struct ttp_op_family family = ttp_op_family_of(code);

    if (family.category == TTP_CATEGORY_HOST)
        return TTP_TONE_BAD;
    for (size_t i = 0; i < TTP_COUNT(tones); i++)
        if (family.traits & tones[i].traits)
            return tones[i].tone;
    return TTP_TONE_PLAIN;
}

struct summing {
    const struct ttp_report_view *view;
    struct ttp_report_hidden hidden; /* groups */
};

static const struct ttp_field bar = {.id = "bar",
                                     .title = "",
                                     .type = TTP_F64,
                                     .drop = TTP_DROP_FIRST,
                                     .left = true,
                                     TTP_FIGURE(struct ttp_group, time_pct)};

static bool group_cell(ttp_str *text, const void *arg, const struct ttp_field *field,
                       const void *row, struct ttp_arena *arena)
{
    const struct ttp_group *g = row;
    struct ttp_sink out;

    (void)arg;
    if (field != &bar && !ttp_report_is_field(field, "key"))
        return false;
    ttp_sink_to_arena(&out, arena);
    if (field == &bar)
        ttp_paint_bar(&out, g->time_pct / 100 * BAR_MAX);
    else
        ttp_sink_put(&out, ttp_analysis_brief_name(g->key, arena));
    *text = ttp_sink_text(&out);
    return true;
}

static enum ttp_tone group_tone(const void *arg, const struct ttp_field *field, const void *row)
{
    (void)arg;
    if (ttp_report_is_field(field, "key"))
        return ttp_out_report_name_tone(((const struct ttp_group *)row)->key);
    return field == &bar ? TTP_TONE_BLUE : TTP_TONE_PLAIN;
}

/* What the groups that are not shown take. */
static struct ttp_value group_total(const void *arg, size_t which, const struct ttp_field *field,
                                    struct ttp_arena *arena)
{
    const struct summing *s = arg;

    (void)which;
    if (ttp_report_is_field(field, "share_percent"))
        return ttp_value_f64(s->hidden.pct);
    if (!ttp_report_is_field(field, "key"))
        return (struct ttp_value){0};
    return ttp_value_text(ttp_sink_format(arena, "%zu more %s below %g %%", s->hidden.rows,
                                          s->hidden.rows == 1 ? "group" : "groups",
                                          s->view->min_percentage));
}

/* A category says what it is itself. */
static size_t choose_group_columns(const struct ttp_field **column, const struct ttp_summary *s,
                                   bool bars)
{
    size_t n = 0;

    for (size_t i = 0; i < ttp_group_fields.count; i++) {
        const struct ttp_field *f = &ttp_group_fields.field[i];
        const bool detail =
            ttp_report_is_field(f, "category") || ttp_report_is_field(f, "flops_percent");

        if (f->in_table && !(detail && s->by >= TTP_GROUP_CATEGORY))
            column[n++] = f;
    }
    if (bars)
        column[n++] = &bar;
    return n;
}

static void put_summary(const struct ttp_show *show, const struct ttp_report_view *view)
{
    static const char *const by[] = {"by op and memory of input 0, shares of device time",
                                     "by op, shares of device time",
                                     "by category, shares of device time",
                                     "by source location, shares of device time",
                                     "const-eval and model, shares of device time",
                                     "by program, shares of device time"};
    const struct ttp_summary *s = view->summary;
    const struct ttp_records groups = {&ttp_group_fields, s, s->group, sizeof(*s->group), s->count};
    const struct ttp_field **column =
        TTP_NEW(show->arena, const struct ttp_field *, ttp_group_fields.count + 1);
    struct summing summing = {.view = view};
    size_t *index = TTP_NEW(show->arena, size_t, s->count), shown = 0;

    for (size_t i = 0; i < s->count; i++) {
        if (s->group[i].time_pct >= view->min_percentage || !(s->group[i].time_us > 0)) {
            index[shown++] = i;
            continue;
        }
        summing.hidden.pct += s->group[i].time_pct;
        summing.hidden.rows++;
    }
    put_title(show, view->rows < view->report->count ? "Summary of the whole run" : "Summary");
    ttp_paint_wrapped(show->out, ttp_str_from(by[s->by]), show->width, 0, 2);
    ttp_sink_repeat(show->out, '\n', ttp_report_is_markdown(show));
    ttp_show_table(show,
                   &(struct ttp_table){
                       .rows = &groups,
                       .index = index,
                       .count = shown,
                       .column = column,
                       .columns = choose_group_columns(column, s, !ttp_report_is_markdown(show)),
                       .may_drop = true,
                       .aside = true,
                       .arg = &summing,
                       .cell = group_cell,
                       .tone = group_tone,
                       .foot = group_total,
                       .feet = summing.hidden.rows > 0,
                   });
}

void ttp_out_report_page_foot(const struct ttp_show *show, const void *arg)
{
    const struct ttp_report_view *view = arg;

    if (view->findings && view->rows)
        put_advice(show, view);
    if (view->summary && !view->summary->empty)
        put_summary(show, view);
}
