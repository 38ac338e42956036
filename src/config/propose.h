/* SPDX-License-Identifier: Apache-2.0 */
/* propose.h - the search for configs. Private to config. */
#ifndef TTP_CONFIG_PROPOSE_H
#define TTP_CONFIG_PROPOSE_H

#include "config/config_rules.h"

struct ttp_found {
    struct ttp_matmul_config config;
    double ns;
    uint32_t variant;
};

struct ttp_ranked {
    double ns;
    uint32_t at; /* of `found` */
};

struct ttp_search {
    struct ttp_matmul problem;     /* the variant that is examined */
    struct ttp_matmul_tiles tiles; /* its sizes */
    uint32_t variant;
    size_t tried, legal;
    struct ttp_found *found;          /* as they were tried */
    const struct ttp_ranked *by_time; /* the fastest first, equal ones as they were tried */
    size_t count;
    struct ttp_arena *scratch;
};

/* The problem with its tensors where they are, and where other configs want them. */
struct ttp_variants {
    struct ttp_matmul problem[2];
    uint32_t count;
};
void ttp_config_search_variants(struct ttp_variants *out, const struct ttp_matmul *p,
                                bool keep_placement);
/* Every promising config of the variant. */
void ttp_config_search_all(struct ttp_search *s);
/* Check it, and keep it with its time. False: it does not fit L1, nor will a larger one. */
bool ttp_config_search_add(struct ttp_search *s, const struct ttp_matmul_config *c);
/* Shards that the config needs, where the problem does not say them. */
void ttp_config_place_shards(struct ttp_matmul *p, const struct ttp_matmul_config *c);

#endif
