/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of meshes to plant: runs of four chips in a row that differ in one figure only, so that
 * noise is the same on both sides. */
#include "synth/planted.h"

#define CHIPS                                                                                      \
    .ranks = 2, .rows = 1, .columns = 4, .iterations = 6, .layers = 5, .offset_s = 44,             \
    .drift_ppm = 100

static const struct {
    const char *rule;
    struct ttp_synth_mesh problem, mended;
} plantings[] = {
    {"straggler",
     {CHIPS, .has_straggler = true, .straggler_rank = 1, .straggler_id = 1, .slow = 0.25},
     {CHIPS}},
    {"device-imbalance", {CHIPS, .uneven = 0.4}, {CHIPS, .more = 0.2}},
    {"late-start", {CHIPS, .skew_us = 400}, {CHIPS}},
    {"slow-transfer", {CHIPS, .link_share = 0.10}, {CHIPS, .link_share = 0.33}},
    {"overlap-collectives", {CHIPS, .side_ns = 30000}, {CHIPS, .side_ns = 30000, .overlap = true}},
};

const char *ttp_synth_mesh_plant_name(size_t i)
{
    return i < TTP_COUNT(plantings) ? plantings[i].rule : NULL;
}

const struct ttp_synth_mesh *ttp_synth_find_mesh_planting(const char *rule, bool mended)
{
    for (size_t i = 0; rule && i < TTP_COUNT(plantings); i++)
        if (strcmp(plantings[i].rule, rule) == 0)
            return mended ? &plantings[i].mended : &plantings[i].problem;
    return NULL;
}
