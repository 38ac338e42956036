/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c - checks the machine around each trial, and reports what makes its values doubtful. */
#include <math.h>

#include "base/sink.h"
#include "measure/measure.h"

/* Kinds of taint of one trial; a chip that is hot all the time is reported once. */
#define KINDS_MAX 64

struct ttp_guard {
    struct ttp_host host;
    struct ttp_arena *arena;  /* lasting */
    struct ttp_arena scratch; /* of one trial */
    struct ttp_host_sample before, first, last;
    size_t samples; /* while it runs */
    uint64_t seen[KINDS_MAX];
    size_t nseen;
    struct ttp_sink text; /* of the trial's taints */
    struct ttp_trial_machine machine;
    size_t powers;
};

ttp_code ttp_measure_guard_open(struct ttp_guard **out, const char *root,
                                const struct ttp_boards *boards, struct ttp_arena *arena,
                                struct ttp_err *err)
{
    struct ttp_guard *g = TTP_NEW(arena, struct ttp_guard, 1);

    g->arena = arena;
    TTP_TRY(ttp_host_open(&g->host, root, boards, arena, err));
    *out = g;
    return TTP_OK;
}

void ttp_measure_guard_close(struct ttp_guard *g)
{
    ttp_host_close(&g->host);
    ttp_arena_free(&g->scratch);
}

void ttp_measure_guard_fingerprint(struct ttp_fingerprint *out, const struct ttp_guard *g)
{
    ttp_host_fingerprint(out, &g->host, g->arena);
}

static void sample(struct ttp_host_sample *out, struct ttp_guard *g, struct ttp_arena *arena)
{
    /* the commands are our children, and so is whoever of them holds the device */
    const struct ttp_sample_options o = {.flags = TTP_SAMPLE_LIVE, .own_pid = ttp_child_own_pid()};

    ttp_host_sample(out, &g->host, &o, arena);
}

/* The first text of each kind and chip counts. */
static void note(struct ttp_guard *g, const struct ttp_taints *t)
{
    for (size_t i = 0; i < t->count; i++) {
        const uint64_t key = (uint64_t)(t->item[i].chip + 1) << 16 | (uint64_t)t->item[i].kind;
        bool known = g->nseen == KINDS_MAX;

        for (size_t k = 0; !known && k < g->nseen; k++)
            known = g->seen[k] == key;
        if (known)
            continue;
        g->seen[g->nseen++] = key;
        if (g->text.len)
            ttp_sink_put(&g->text, TTP_STR("; "));
        ttp_sink_put(&g->text, t->item[i].text);
    }
}

static void compare(struct ttp_guard *g, const struct ttp_host_sample *a,
                    const struct ttp_host_sample *b, const struct ttp_compare_samples *o)
{
    struct ttp_taints t;

    ttp_host_compare(&t, &g->host, (struct ttp_host_interval){a, b}, o, &g->scratch);
    note(g, &t);
}

static void keep_figures(struct ttp_guard *g, const struct ttp_host_sample *s)
{
    struct ttp_trial_machine *m = &g->machine;
    double power = 0;
    bool any = false;
    int64_t v;

    for (size_t i = 0; i < s->nchips; i++) {
        const struct ttp_reading *r = s->chip[i].attr;

        if (ttp_reading_number(&r[TTP_CHIP_AICLK_MHZ], &v)) {
            m->aiclk_min_mhz = fmin(m->aiclk_min_mhz, (double)v);
            m->aiclk_max_mhz = fmax(m->aiclk_max_mhz, (double)v);
        }
        if (ttp_reading_number(&r[TTP_CHIP_TEMP_MC], &v))
            m->temperature_max_c = fmax(m->temperature_max_c, (double)v / 1e3);
        if (ttp_reading_number(&r[TTP_CHIP_POWER_UW], &v)) {
            power += (double)v / 1e6;
            any = true;
        }
    }
    if (any) {
        const double n = (double)g->powers++;

        m->power_w = (g->powers == 1 ? power : (m->power_w * n + power) / (n + 1));
    }
    if (ttp_reading_number(&s->attr[TTP_HOST_LOAD_1], &v))
        m->load = (double)v / 1e3;
}

void ttp_measure_guard_before(struct ttp_guard *g)
{
    ttp_arena_reset(&g->scratch);
    g->samples = g->nseen = g->powers = 0;
    g->machine = (struct ttp_trial_machine){NAN, NAN, NAN, NAN, NAN};
    ttp_sink_to_arena(&g->text, &g->scratch);
    sample(&g->before, g, &g->scratch);
}

void ttp_measure_guard_during(struct ttp_guard *g)
{
    const struct ttp_compare_samples busy = {
        .clocks = true, .load_per_cpu = HUGE_VAL, .pressure_pct = HUGE_VAL};

    sample(&g->last, g, &g->scratch);
    keep_figures(g, &g->last);
    if (g->samples++ == 0)
        g->first = g->last;
    else
        compare(g, &g->first, &g->last, &busy);
}

void ttp_measure_guard_after(struct ttp_guard *g, struct ttp_trial *t)
{
    struct ttp_host_sample after;
    const double cpu_s = (double)(t->user_ns + t->system_ns);
    const struct ttp_compare_samples idle = {
        .own_load = t->wall_ns ? fmax(1, cpu_s / (double)t->wall_ns) : 1,
        /* pressure is others' too, but a program that fills the machine makes it itself */
        .pressure_pct = HUGE_VAL,
    };

    sample(&after, g, &g->scratch);
    if (g->samples == 0)
        keep_figures(g, &after);
    compare(g, &g->before, &after, &idle);
    t->machine = g->machine;
    const ttp_str text = ttp_sink_text(&g->text);
    if (text.len)
        t->taint = ttp_arena_zstr(g->arena, text);
}
