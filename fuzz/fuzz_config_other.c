/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a config of a norm, attention or convolution; the first byte chooses which, the next
 * ones its sizes. No crash; what is accepted reads back as the same config, a refusal says why, and
 * every proposal is legal. */
#include "config/config_parts.h"
#include "fuzz.h"
#include "memfile.h"

static void check_one(const struct ttp_other *p, ttp_str text, struct ttp_arena *arena)
{
    struct ttp_other_row row, found[16];
    struct ttp_other_config c, again;
    struct ttp_err err = {0};

    const ttp_code rc = ttp_config_other_parse(&c, p->kind, text, &err);
    must(rc == TTP_OK || (rc == TTP_EUSAGE && err.text[0]));
    if (rc == TTP_OK) {
        must(ttp_config_other_parse(&again, p->kind, ttp_config_other_text(p->kind, &c, arena),
                                    &err) == TTP_OK);
        must(again.a == c.a && again.b == c.b && again.c == c.c);
        ttp_config_other_check(&row, p, &c);
        must((row.verdict == TTP_CONFIG_BROKEN) == (row.rule != NULL));
        must(row.verdict != TTP_CONFIG_BROKEN || row.reason[0]);
        must((row.verdict == TTP_CONFIG_UNDECIDED) <= (row.open != NULL));
    }
    const size_t n = ttp_config_other_propose(found, TTP_COUNT(found), p);
    must(n <= TTP_COUNT(found));
    for (size_t i = 0; i < n; i++)
        must(found[i].verdict == TTP_CONFIG_LEGAL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_arena arena = {0};
    struct ttp_other p = {.type = TTP_TILE_BF16};

    must(ttp_cost_chip_of(&p.chip, ttp_board_find(ttp_boards_builtin(), TTP_STR("p150"))));
    if (size < 8)
        return 0;
    p.kind = (enum ttp_other_kind)(data[0] % TTP_OTHERS);
    for (size_t i = 0; i < TTP_COUNT(p.size); i++)
        p.size[i] = (uint64_t)data[1 + i] * 32 + 1;
    if (data[6] & 1)
        p.in0 = (struct ttp_placement){.layout = data[6] & 2 ? TTP_LAYOUT_WIDTH : TTP_LAYOUT_BLOCK,
                                       .l1 = true,
                                       .has_shard = (data[6] & 4) != 0,
                                       .height = (uint32_t)(data[7] % 8 + 1) * 32,
                                       .width = (uint32_t)(data[7] / 8 + 1) * 32,
                                       .cores = data[7] % 64 + 1U,
                                       .grid_x = data[7] % 8 + 1U,
                                       .grid_y = data[7] / 32 + 1U};
    check_one(&p, (ttp_str){(const char *)data + 8, size - 8}, &arena);
    ttp_arena_free(&arena);
    return 0;
}
