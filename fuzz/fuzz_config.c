/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a program config, after a line of settings "NAME VALUE;NAME VALUE\n": no crash; what
 * is accepted reads back as the same config, a refusal says where, a verdict has its rule. */
#include "config/config_parts.h"
#include "fuzz.h"
#include "memfile.h"

/* Settings of the problem before the first line end; invalid ones are ignored. */
static ttp_str set_problem(struct ttp_matmul *p, ttp_str text, struct ttp_arena *arena)
{
    const size_t end = ttp_str_find_char(text, '\n');
    ttp_str word[16], part[2];

    if (end == TTP_NPOS)
        return text;
    const size_t n = ttp_str_split(ttp_str_slice(text, 0, end), ';', word, 16);
    for (size_t i = 0; i < n && i < 16; i++) {
        const size_t blank = ttp_str_find_char(word[i], ' ');
        uint64_t v;

        part[0] = ttp_str_slice(word[i], 0, blank);
        part[1] = blank == TTP_NPOS ? (ttp_str){0} : ttp_str_slice(word[i], blank + 1, word[i].len);
        const bool size = ttp_str_to_u64(part[1], &v) && v <= UINT32_C(1) << 21;
        if (size && ttp_str_eq(part[0], TTP_STR("m")))
            p->m = v;
        else if (size && ttp_str_eq(part[0], TTP_STR("k")))
            p->k = v;
        else if (size && ttp_str_eq(part[0], TTP_STR("n")))
            p->n = v;
        else
            (void)!ttp_config_matmul_set(p, ttp_arena_zstr(arena, part[0]), part[1], NULL);
    }
    return ttp_str_slice(text, end + 1, text.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_arena arena = {0};
    struct ttp_cost_chip chip;
    struct ttp_matmul p;
    struct ttp_matmul_config c, again;
    struct ttp_config_check check;
    struct ttp_err err = {0};

    must(ttp_cost_chip_of(&chip, ttp_board_find(ttp_boards_builtin(), TTP_STR("p150"))));
    ttp_cost_matmul_init(&p, &chip);
    p.m = 32;
    p.k = 4096;
    p.n = 6144;
    const ttp_str text = set_problem(&p, (ttp_str){(const char *)data, size}, &arena);
    const ttp_code rc = ttp_config_parse(&c, text, &err);
    must(rc == TTP_OK || rc == TTP_ENOTFOUND || rc == TTP_EUSAGE);
    if (rc != TTP_OK) {
        must(err.text[0] && err.offset <= text.len);
    } else {
        struct ttp_matmul_time time;

        if (c.activation != TTP_ACT_OTHER && !c.has_hop_cores) { /* those have no text */
            must(ttp_config_parse(&again, ttp_config_text(&c, &arena), &err) == TTP_OK);
            must(ttp_config_same(&c, &again));
        }
        ttp_config_check(&check, &p, &c);
        must((check.verdict == TTP_CONFIG_BROKEN) == (check.rule != NULL));
        must(!check.rule || check.reason[0]);
        if (check.verdict != TTP_CONFIG_BROKEN) {
            must(!ttp_cost_matmul(&time, &p, &c) || time.ns > 0);
            must(ttp_config_python(&p, &c, &arena).len > 0);
        }
        must(ttp_config_line(&c, &arena).len > 0);
    }
    ttp_arena_free(&arena);
    return 0;
}
