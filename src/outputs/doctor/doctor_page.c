/* SPDX-License-Identifier: Apache-2.0 */
/* The doctor's findings for human readers: grouped, with the summary last. */
#include "outputs/doctor/doctor_parts.h"
#include "outputs/host/host_fields.h"
#include "outputs/show/paint.h"

struct printing {
    struct ttp_sink *out;
    const struct ttp_doctor_view *view;
    const struct ttp_show *show;
    struct ttp_arena *arena;
};

static void put_painted(const struct printing *p, enum ttp_color color, ttp_str text)
{
    if (p->show->color)
        ttp_paint_themed(p->out, color, text);
    else
        ttp_sink_put(p->out, text);
}

static void put_level(const struct printing *p, enum ttp_verdict_level level)
{
    static const enum ttp_color colors[TTP_CHECK_LEVELS] = {
        [TTP_CHECK_PASS] = TTP_GREEN,  [TTP_CHECK_INFO] = TTP_CYAN, [TTP_CHECK_SKIP] = TTP_GREY,
        [TTP_CHECK_WARN] = TTP_YELLOW, [TTP_CHECK_FAIL] = TTP_RED,
    };

    put_painted(p, colors[level], ttp_str_from(ttp_check_words[level]));
}

/* Words from a column on, wrapped after as many blanks. */
static void put_wrapped(const struct printing *p, size_t column, ttp_str text)
{
    ttp_paint_wrapped(p->out, text, p->show->width, column, column);
}

#define INDENT 8

static void put_detail(const struct printing *p, const char *name, ttp_str text)
{
    const size_t n = strlen(name);

    if (text.len == 0)
        return;
    ttp_sink_repeat(p->out, ' ', INDENT);
    put_painted(p, TTP_GREY, ttp_str_from(name));
    ttp_sink_repeat(p->out, ' ', n < 7 ? 7 - n : 1);
    put_wrapped(p, INDENT + 7, text);
}

static void put_check(const struct printing *p, const struct ttp_check *k)
{
    const bool details = p->view->details || k->level >= TTP_CHECK_WARN;
    struct ttp_sink line;

    ttp_sink_put(p->out, TTP_STR("  "));
    put_level(p, k->level);
    ttp_sink_printf(p->out, "  %-15s ", k->spec->id);
    ttp_sink_to_arena(&line, p->arena);
    if (k->where.len)
        ttp_sink_printf(&line, "%.*s: ", TTP_FMT(k->where));
    ttp_sink_put(&line, k->value);
    if (!details && k->limit.len && k->level != TTP_CHECK_SKIP && !ttp_str_eq(k->limit, k->value))
        ttp_sink_printf(&line, " (%.*s)", TTP_FMT(k->limit));
    if (!details && k->text.len && k->level != TTP_CHECK_PASS)
        ttp_sink_printf(&line, "; %.*s", TTP_FMT(k->text));
    put_wrapped(p, INDENT + 16, ttp_sink_text(&line));
    if (!details)
        return;
    struct ttp_sink limit;
    ttp_sink_to_arena(&limit, p->arena);
    if (k->limit.len)
        ttp_sink_printf(&limit, "%.*s%s%.*s", TTP_FMT(k->limit), k->origin.len ? " - " : "",
                        TTP_FMT(k->origin));
    put_detail(p, "why", k->text);
    put_detail(p, "read", k->source);
    put_detail(p, "limit", ttp_sink_text(&limit));
    put_detail(p, "fix", k->fix);
}

static void put_chips(struct ttp_sink *line, const struct ttp_fingerprint *f, size_t chips)
{
    ttp_sink_printf(line, "%zu chip%s:", chips, chips == 1 ? "" : "s");
    for (size_t i = 0; i < f->nboards && i < 8; i++)
        ttp_sink_printf(line, "%s %.*s at %s", i ? "," : "", TTP_FMT(f->board[i].card),
                        f->board[i].bdf);
    if (f->nboards > 8)
        ttp_sink_printf(line, " and %zu more", f->nboards - 8);
}

#define HANG 2

static void put_title(const struct printing *p)
{
    const struct ttp_host *host = p->view->host;
    const struct ttp_fingerprint *f = &p->view->diagnosis->machine;
    struct ttp_sink chips, machine;

    ttp_sink_to_arena(&chips, p->arena);
    if (host->nchips)
        put_chips(&chips, f, host->nchips);
    else
        ttp_sink_put(&chips, TTP_STR("No Tenstorrent card found; only the machine was checked."));
    ttp_paint_wrapped(p->out, ttp_sink_text(&chips), p->show->width, 0, HANG);
    ttp_sink_to_arena(&machine, p->arena);
    ttp_sink_printf(&machine, "%.*s%s%u processor%s, %.1f GB, %.*s%s%.*s", TTP_FMT(f->cpu),
                    f->cpu.len ? ", " : "", f->cpus, f->cpus == 1 ? "" : "s",
                    (double)f->memory_bytes / 1e9, TTP_FMT(f->distro),
                    f->distro.len ? ", Linux " : "Linux ", TTP_FMT(f->kernel));
    ttp_paint_wrapped(p->out, ttp_sink_text(&machine), p->show->width, 0, HANG);
    if (host->root[0])
        ttp_sink_printf(p->out, "read from %s\n", host->root);
}

static void put_checks(const struct printing *p, const struct ttp_table *table)
{
    const char *group = NULL;

    for (size_t i = 0; i < table->count; i++) {
        const struct ttp_check *check = &p->view->diagnosis->check[table->index[i]];

        if (!group || strcmp(group, check->spec->group) != 0) {
            group = check->spec->group;
            ttp_sink_char(p->out, '\n');
            ttp_sink_put(p->out, ttp_str_from(group));
            ttp_sink_char(p->out, '\n');
        }
        put_check(p, check);
    }
}

static void put_summary(const struct printing *p)
{
    const struct ttp_diagnosis *d = p->view->diagnosis;
    const enum ttp_verdict_level level = d->level[TTP_CHECK_FAIL]   ? TTP_CHECK_FAIL
                                         : d->level[TTP_CHECK_WARN] ? TTP_CHECK_WARN
                                                                    : TTP_CHECK_PASS;

    ttp_sink_char(p->out, '\n');
    put_level(p, level);
    ttp_sink_printf(p->out, "  %zu passed, %zu noted, %zu warned, %zu failed, %zu skipped",
                    d->level[TTP_CHECK_PASS], d->level[TTP_CHECK_INFO], d->level[TTP_CHECK_WARN],
                    d->level[TTP_CHECK_FAIL], d->level[TTP_CHECK_SKIP]);
    if (p->view->quick && p->view->host->nchips)
        ttp_sink_put(p->out, TTP_STR("; one sample only"));
    ttp_sink_char(p->out, '\n');
}

/* --- the question --- */

static const char *step_word(enum ttp_verdict_level level, const struct ttp_why_step *step)
{
    if (level >= TTP_CHECK_WARN)
        return "SUSPECT";
    if (step->unmeasured)
        return "cannot be measured";
    return level == TTP_CHECK_SKIP ? "unknown" : "clear";
}

static void put_step(const struct printing *p, size_t n, const struct ttp_why_step *step)
{
    const struct ttp_diagnosis *d = p->view->diagnosis;
    const enum ttp_verdict_level level = ttp_host_step_level(d, step);
    const bool suspect = level >= TTP_CHECK_WARN;

    ttp_sink_printf(p->out, "\n%zu. %s: ", n, step->cause);
    put_painted(p,
                suspect                                       ? TTP_RED
                : level == TTP_CHECK_SKIP || step->unmeasured ? TTP_YELLOW
                                                              : TTP_GREEN,
                ttp_str_from(step_word(level, step)));
    ttp_sink_char(p->out, '\n');
    for (const char *const *id = step->checks; *id; id++)
        for (size_t i = 0; i < d->count; i++)
            if (strcmp(d->check[i].spec->id, *id) == 0 && ttp_host_step_has(step, &d->check[i]))
                put_check(p, &d->check[i]);
    if (!suspect && level != TTP_CHECK_SKIP && !step->unmeasured)
        return;
    for (size_t i = 0; step->solutions[i]; i++) {
        ttp_sink_printf(p->out, "     %c) ", (char)('a' + i));
        put_wrapped(p, INDENT, ttp_str_from(step->solutions[i]));
    }
}

static void put_why(const struct printing *p)
{
    const struct ttp_why *why = p->view->why;
    size_t suspects = 0;

    ttp_sink_printf(p->out, "\n%s\n", why->title);
    for (size_t i = 0; i < why->steps; i++) {
        put_step(p, i + 1, &why->step[i]);
        suspects += ttp_host_step_level(p->view->diagnosis, &why->step[i]) >= TTP_CHECK_WARN;
    }
    ttp_sink_printf(p->out, "\n%zu of %zu causes %s suspect%s\n", suspects, why->steps,
                    suspects == 1 ? "is" : "are", suspects ? "; start with the first" : "");
}

/* --- the checklist --- */

static void put_guide(const struct printing *p)
{
    static const struct {
        const char *box;
        enum ttp_color color;
    } boxes[] = {
        [TTP_GUIDE_UNKNOWN] = {"[?]", TTP_YELLOW},
        [TTP_GUIDE_FALSE] = {"[ ]", TTP_RED},
        [TTP_GUIDE_PARTLY] = {"[~]", TTP_YELLOW},
        [TTP_GUIDE_TRUE] = {"[x]", TTP_GREEN},
    };
    const struct ttp_diagnosis *d = p->view->diagnosis;

    ttp_sink_char(p->out, '\n');
    ttp_paint_wrapped(p->out,
                      TTP_STR("Checklist of the old tuning guide (third party, Grayskull), with "
                              "current results"),
                      p->show->width, 0, HANG);
    for (const struct ttp_guide_line *g = ttp_guide; g->line; g++) {
        const enum ttp_guide_state state = ttp_host_guide_line_state(d, g);

        put_painted(p, boxes[state].color, ttp_str_from(boxes[state].box));
        ttp_sink_printf(p->out, " %s\n      today: ", g->line);
        put_wrapped(p, 13, ttp_str_from(g->today));
        for (const char *const *id = g->checks; *id; id++)
            for (size_t i = 0; i < d->count; i++)
                if (strcmp(d->check[i].spec->id, *id) == 0)
                    put_check(p, &d->check[i]);
    }
    ttp_sink_own(p->out, "[x] true  [ ] false  [~] true as far as measured  [?] not measured\n");
}

static struct printing printing(const struct ttp_show *show, const void *view)
{
    return (struct printing){show->out, view, show, show->arena};
}

void ttp_out_doctor_put_checks(const struct ttp_show *show, const struct ttp_doctor_view *view,
                               const struct ttp_table *table)
{
    const struct printing p = printing(show, view);

    put_checks(&p, table);
}

void ttp_out_doctor_put_summary(const struct ttp_show *show, const struct ttp_doctor_view *view)
{
    const struct printing p = printing(show, view);

    put_summary(&p);
}

static void put_head(const struct ttp_show *show, const void *arg)
{
    const struct printing p = printing(show, arg);

    put_title(&p);
}

/* What was chosen is a table; all of it reads better in groups, with what to do. */
static void put_body(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    const struct printing p = printing(show, arg);

    (void)part;
    if (show->form == TTP_FORM_MARKDOWN || show->columns) {
        ttp_sink_char(show->out, '\n');
        ttp_show_table(show, table);
    } else if (p.view->why) {
        put_why(&p);
    } else if (p.view->guide) {
        put_guide(&p);
    } else {
        put_checks(&p, table);
    }
}

static void put_foot(const struct ttp_show *show, const void *arg)
{
    const struct printing p = printing(show, arg);

    put_summary(&p);
}

ttp_code ttp_out_doctor(const struct ttp_show *show, const struct ttp_doctor_view *view,
                        struct ttp_err *err)
{
    const struct ttp_page page = {
        .arg = view, .head = put_head, .body = put_body, .foot = put_foot};
    const struct ttp_diagnosis *d = view->diagnosis;
    const struct ttp_chip_context chips = {view->host, view->sample};
    struct ttp_document doc;
    size_t lines = 0;

    if (show->form == TTP_FORM_PROMETHEUS) {
        ttp_out_doctor_prometheus(show->out, view, show->arena);
        return TTP_OK;
    }
    while (ttp_guide[lines].line)
        lines++;
    ttp_document_init(&doc, &ttp_doctor_document, show->arena);
    ttp_document_object(&doc, TTP_DOCTOR_VIEW, view, view);
    ttp_document_object(&doc, TTP_DOCTOR_SUMMARY, view, d);
    ttp_document_object(&doc, TTP_DOCTOR_MACHINE, view, &d->machine);
    ttp_document_rows(&doc, TTP_DOCTOR_CHIPS, &chips, view->host->chip, view->host->nchips);
    ttp_document_rows(&doc, TTP_DOCTOR_CHECKS, view, d->check, d->count);
    if (view->why)
        ttp_document_object(&doc, TTP_DOCTOR_WHY, view, view->why);
    if (view->guide)
        ttp_document_rows(&doc, TTP_DOCTOR_GUIDE, view, ttp_guide, lines);
    if (view->bandwidth)
        ttp_document_object(&doc, TTP_DOCTOR_BANDWIDTH, view, view->bandwidth);
    return ttp_show_document(show, &doc, &page, err);
}
