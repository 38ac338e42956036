/* SPDX-License-Identifier: Apache-2.0 */
/* config_rules.h - tt-metal's checks of a matmul's program config. Private to config.
 *
 * Each function goes through a group of rules in tt-metal's order and returns false at the first
 * that is broken, which is then stored in the result. */
#ifndef TTP_CONFIG_CONFIG_RULES_H
#define TTP_CONFIG_CONFIG_RULES_H

#include "config/config_parts.h"

struct ttp_ruling {
    const struct ttp_matmul *problem;
    const struct ttp_matmul_config *config;
    struct ttp_matmul_tiles tiles;
    uint64_t by, bx; /* blocks of the output along M and N; 0: the config has none */
    bool quick;      /* only the verdict is wanted, the rule and L1 */
    struct ttp_config_check *out;
};

/* The verdict, the rule and L1 only, for a search through many configs: `tiles` are those of p and
 * c. */
void ttp_config_check_quickly(struct ttp_config_check *out, const struct ttp_matmul *p,
                              const struct ttp_matmul_config *c,
                              const struct ttp_matmul_tiles *tiles);

/* Note the rule and why; false. */
bool ttp_config_rule_broken(const struct ttp_ruling *r, const char *rule, const char *fmt, ...)
    TTP_PRINTF(3, 4);
/* What the given facts do not say. */
void ttp_config_rule_open(const struct ttp_ruling *r, const char *what);

/* The rule holds, or this function ends. */
#define NEED(holds, rule, ...)                                                                     \
    if (!(holds))                                                                                  \
    return ttp_config_rule_broken(r, rule, __VA_ARGS__)
#define NUM(v) ((unsigned long long)(v))

bool ttp_config_rules_1d(const struct ttp_ruling *r);
bool ttp_config_rules_2d(const struct ttp_ruling *r);
bool ttp_config_rules_reuse(const struct ttp_ruling *r);
bool ttp_config_rules_dram(const struct ttp_ruling *r);
bool ttp_config_rules_batched(const struct ttp_ruling *r);
bool ttp_config_rules_multicore(const struct ttp_ruling *r);
bool ttp_config_rules_minimal(const struct ttp_ruling *r);
/* Of 1d and 2d: an output in shards is written row by row of blocks. */
bool ttp_config_rules_sharded_output(const struct ttp_ruling *r);

static inline bool ttp_is_sharded(const struct ttp_placement *at)
{
    return at->nd || at->layout != TTP_LAYOUT_INTERLEAVED;
}

/* Sizes of a shard in tiles; 0: unknown. */
static inline uint64_t ttp_shard_rows(const struct ttp_ruling *r, const struct ttp_placement *at)
{
    return at->has_shard ? ttp_ceil_div(at->height, r->problem->tile_h) : 0;
}

/* Of input 0, whose tiles are 32 elements wide. */
static inline uint64_t ttp_shard_columns(const struct ttp_placement *in0)
{
    return in0->has_shard ? ttp_ceil_div(in0->width, 32) : 0;
}

/* Of input 1 or the output. */
static inline uint64_t ttp_weight_shard_columns(const struct ttp_ruling *r,
                                                const struct ttp_placement *at)
{
    return at->has_shard ? ttp_ceil_div(at->width, r->problem->tile_w) : 0;
}

/* Same buffer type and layout? */
static inline bool ttp_same_place(const struct ttp_placement *a, const struct ttp_placement *b)
{
    return a->l1 == b->l1 && a->layout == b->layout && a->nd == b->nd;
}

static inline bool ttp_has_bias(const struct ttp_ruling *r)
{
    return r->problem->bias != TTP_TILE_NONE;
}

#endif
