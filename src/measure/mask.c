/* SPDX-License-Identifier: Apache-2.0 */
/* mask.c - masks secrets in results before they are stored or shown. */
#include "base/secrets.h"
#include "measure/measure.h"

static struct ttp_words masked(const struct ttp_words *settings, struct ttp_arena *arena)
{
    struct ttp_words out = {0};

    for (size_t i = 0; i < settings->count; i++)
        ttp_words_add(&out, ttp_secrets_mask_setting(settings->word[i], arena), arena);
    return out;
}

void ttp_measure_bench_mask(struct ttp_bench *b, struct ttp_arena *arena)
{
    for (size_t i = 0; i < b->nvariants; i++) {
        struct ttp_variant *v = &b->variant[i];

        v->name = ttp_secrets_mask_string(v->name, arena);
        v->argv = v->argv ? ttp_secrets_mask_words(v->argv, arena) : NULL;
        v->env = masked(&v->env, arena);
    }
    for (size_t i = 0; i < b->ntrials; i++)
        b->trial[i].failure = ttp_secrets_mask_string(b->trial[i].failure, arena);
}

void ttp_measure_sweep_mask(struct ttp_sweep_result *r, struct ttp_arena *arena)
{
    for (size_t i = 0; i < r->npoints; i++) {
        r->point[i].set = masked(&r->point[i].set, arena);
        r->point[i].failure = ttp_secrets_mask_string(r->point[i].failure, arena);
        ttp_measure_bench_mask(&r->point[i].bench, arena);
    }
}
