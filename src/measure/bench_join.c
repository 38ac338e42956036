/* SPDX-License-Identifier: Apache-2.0 */
/* bench_join.c - results of several files side by side. */
#include <math.h>

#include "base/sink.h"
#include "measure/measure.h"

static size_t find_metric(const struct ttp_bench *b, const char *name)
{
    size_t i = 0;

    while (i < b->nmetrics && strcmp(b->metric[i].name, name) != 0)
        i++;
    return i;
}

static const char *variant_name(const char *file, const struct ttp_bench *part, size_t v,
                                struct ttp_arena *arena)
{
    if (part->nvariants == 1)
        return file;
    return ttp_arena_zstr(arena, ttp_sink_format(arena, "%s: %s", file, part->variant[v].name));
}

static void add_part(struct ttp_bench *out, const struct ttp_bench *part, const char *file,
                     size_t width, struct ttp_arena *arena)
{
    const size_t first = out->nvariants;

    for (size_t v = 0; v < part->nvariants; v++) {
        out->variant[out->nvariants] = part->variant[v];
        if (file)
            out->variant[out->nvariants].name = variant_name(file, part, v, arena);
        out->nvariants++;
    }
    for (size_t i = 0; i < part->ntrials; i++) {
        const struct ttp_trial *from = &part->trial[i];
        struct ttp_trial *to = ttp_measure_bench_add_trial(out, 0, width, arena);
        double *value = to->value;

        *to = *from;
        to->variant += (uint32_t)first;
        to->value = value;
        for (size_t k = 0; k < part->nmetrics; k++)
            value[find_metric(out, part->metric[k].name)] = from->value[k];
    }
}

void ttp_measure_bench_join(struct ttp_bench *out, const struct ttp_bench *part,
                            const char *const *name, size_t parts, struct ttp_arena *arena)
{
    size_t metrics = 0, variants = 0;

    *out = (struct ttp_bench){
        .format = parts ? part[0].format : NULL, .machine_key = "", .looks_planned = 1};
    for (size_t i = 0; i < parts; i++) {
        metrics += part[i].nmetrics;
        variants += part[i].nvariants;
    }
    out->metric = TTP_NEW(arena, struct ttp_metric, metrics);
    out->variant = TTP_NEW(arena, struct ttp_variant, variants);
    for (size_t i = 0; i < parts; i++)
        for (size_t k = 0; k < part[i].nmetrics; k++)
            if (find_metric(out, part[i].metric[k].name) == out->nmetrics)
                out->metric[out->nmetrics++] = part[i].metric[k];
    for (size_t i = 0; i < parts; i++)
        add_part(out, &part[i], parts > 1 ? name[i] : NULL, out->nmetrics, arena);
}
