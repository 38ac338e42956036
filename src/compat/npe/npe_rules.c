/* SPDX-License-Identifier: Apache-2.0 */
#include "compat/compat.h"

/* The others are ours, for clusters that tt-npe refuses. */
static bool has_model(const struct ttp_noc_model *model)
{
    return ttp_str_starts(ttp_str_from(model->source), TTP_STR("tt-npe"));
}

const struct ttp_noc_rules ttp_compat_noc = {
    .strict = true,
    .cut_values = true,
    .few_types = true,
    .shared_state = true,
    .odd_latencies = true,
    .half_inverted = true,
    .plain_fabric = true,
    .lone_blackholes = true,
    .no_old_paths = true,
    .paths_anew = true,
    .path_slips = true,
    .parents_by_place = true,
    .first_is_parent = true,
    .common_channels = true,
    .idle_windows = true,
    .cut_at_jump = true,
    .single_files = true,
    .npe_dram = true,
    .has_model = has_model,
};
