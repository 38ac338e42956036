/* SPDX-License-Identifier: Apache-2.0 */
/* docs/schemas/tt-perf.doctor-1.json describes what is written here. */
#include "outputs/host_members.h"
#include "outputs/json_members.h"
#include "outputs/outputs.h"

static const char *level_word(enum ttp_verdict_level level)
{
    static const char *const words[] = {"pass", "info", "skip", "warn", "fail"};

    return words[level];
}

static void put_check(struct ttp_json_writer *w, const struct ttp_check *k)
{
    ttp_json_begin_object(w);
    ttp_member_str(w, "id", ttp_str_from(k->spec->id));
    ttp_member_str(w, "group", ttp_str_from(k->spec->group));
    ttp_member_str(w, "title", ttp_str_from(k->spec->title));
    ttp_member_str(w, "level", ttp_str_from(level_word(k->level)));
    ttp_member_str(w, "where", k->where);
    ttp_member_str(w, "value", k->value);
    ttp_member_str(w, "source", k->source);
    ttp_member_str(w, "limit", k->limit);
    ttp_member_str(w, "origin", k->origin);
    ttp_member_str(w, "text", k->text);
    ttp_member_str(w, "fix", k->fix);
    ttp_json_end_object(w);
}

static void put_ids(struct ttp_json_writer *w, const char *key, const char *const *words)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_begin_array(w);
    for (; *words; words++)
        ttp_json_put_str(w, ttp_str_from(*words));
    ttp_json_end_array(w);
}

static void put_why(struct ttp_json_writer *w, const struct ttp_doctor_view *view)
{
    ttp_json_put_key(w, TTP_STR("why"));
    ttp_json_begin_object(w);
    ttp_member_str(w, "question", ttp_str_from(view->why->question));
    ttp_json_put_key(w, TTP_STR("steps"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < view->why->steps; i++) {
        const struct ttp_why_step *step = &view->why->step[i];

        ttp_json_begin_object(w);
        ttp_member_str(w, "cause", ttp_str_from(step->cause));
        ttp_member_str(
            w, "level",
            ttp_str_from(level_word(ttp_checks_together(view->diagnosis, step->checks))));
        ttp_member_bool(w, "measurable", !step->unmeasured);
        put_ids(w, "checks", step->checks);
        put_ids(w, "solutions", step->solutions);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

static void put_guide(struct ttp_json_writer *w, const struct ttp_doctor_view *view)
{
    ttp_json_put_key(w, TTP_STR("guide"));
    ttp_json_begin_array(w);
    for (const struct ttp_guide_line *g = ttp_guide; g->line; g++) {
        ttp_json_begin_object(w);
        ttp_member_str(w, "line", ttp_str_from(g->line));
        ttp_member_str(w, "today", ttp_str_from(g->today));
        ttp_member_str(w, "level",
                       ttp_str_from(level_word(ttp_checks_together(view->diagnosis, g->checks))));
        put_ids(w, "checks", g->checks);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

void ttp_out_doctor_json(struct ttp_json_writer *w, const struct ttp_doctor_view *view)
{
    const struct ttp_diagnosis *d = view->diagnosis;

    ttp_json_begin_object(w);
    ttp_member_str(w, "root", ttp_str_from(view->host->root));
    ttp_member_u64(w, "samples", view->quick || view->host->nchips == 0 ? 1 : 2);
    ttp_json_put_key(w, TTP_STR("summary"));
    ttp_json_begin_object(w);
    for (int l = 0; l < TTP_CHECK_LEVELS; l++)
        ttp_member_u64(w, level_word((enum ttp_verdict_level)l), d->level[l]);
    ttp_json_end_object(w);
    ttp_member_machine(w, &d->machine);
    ttp_json_put_key(w, TTP_STR("chips"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < view->host->nchips; i++)
        ttp_put_chip(w, &view->host->chip[i], &view->sample->chip[i], true);
    ttp_json_end_array(w);
    ttp_json_put_key(w, TTP_STR("checks"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < d->count; i++)
        put_check(w, &d->check[i]);
    ttp_json_end_array(w);
    if (view->why)
        put_why(w, view);
    if (view->guide)
        put_guide(w, view);
    ttp_json_end_object(w);
}
