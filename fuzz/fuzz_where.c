/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as --where: no crash; a refusal says why and where; what is accepted decides every op,
 * the same when parsed again, and "not (...)" around it decides the opposite. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "fuzz.h"

#define OPS 4

/* A matmul with every number, a host op with none, a signpost, and a device op with odd values, of
 * a table without columns. */
static void make_ops(struct ttp_report *report, struct ttp_op op[OPS], struct ttp_symtab *syms)
{
    static const struct ttp_ops table;

    ttp_sym_intern(syms, (ttp_str){0});
    const ttp_sym matmul = ttp_sym_intern(syms, TTP_STR("Matmul 32 x 64 x 32"));
    const ttp_sym host = ttp_sym_intern(syms, TTP_STR("add (torch)"));
    const ttp_sym fidelity = ttp_sym_intern(syms, TTP_STR("HiFi2 BF16 x BFP8 => BF16"));

    op[0] = (struct ttp_op){.row = 7,
                            .has = UINT32_MAX,
                            .raw_code = matmul,
                            .code = matmul,
                            .fidelity_text = fidelity,
                            .device = 1,
                            .cores = {TTP_CELL_INT, {.i = 8}},
                            .calls = {TTP_CELL_FLOAT, {.f = 1024}},
                            .available_cores = 64,
                            .time_us = 12.5,
                            .gap_us = -0.5,
                            .dram_pct = 70,
                            .flops_pct = 3,
                            .bound = TTP_BOUND_DRAM,
                            .analysed = TTP_ANALYSED_FULL};
    op[1] = (struct ttp_op){
        .code = host, .kind = TTP_OP_HOST, .bound = TTP_BOUND_HOST, .category = TTP_CATEGORY_HOST};
    op[2] = (struct ttp_op){.code = fidelity, .kind = TTP_OP_SIGNPOST};
    op[3] = (struct ttp_op){.row = UINT32_MAX,
                            .has = TTP_HAS_TIME | TTP_HAS_DEVICE,
                            .device = INT64_MIN,
                            .cores = {TTP_CELL_TEXT, {.text = host}},
                            .time_us = 1e300};
    *report = (struct ttp_report){.ops = &table, .syms = syms, .op = op, .count = OPS};
}

static ttp_str negated(ttp_str text, struct ttp_arena *arena)
{
    static const char before[] = "not (", after[] = ")";
    const size_t head = sizeof(before) - 1;
    char *out = TTP_NEW(arena, char, text.len + head + 1);

    memcpy(out, before, head);
    if (text.len)
        memcpy(out + head, text.ptr, text.len);
    out[head + text.len] = after[0];
    return (ttp_str){out, text.len + head + 1};
}

static void check(ttp_str text, struct ttp_arena *arena)
{
    struct ttp_symtab syms = {.arena = arena};
    struct ttp_filter *filter[3] = {0};
    struct ttp_op op[OPS];
    struct ttp_report report;
    struct ttp_err err = {0};

    if (ttp_filter_parse(&filter[0], &ttp_op_fields, text, arena, &err) != TTP_OK) {
        if (err.code != TTP_EUSAGE || err.text[0] == '\0' || err.offset > text.len)
            abort();
        return;
    }
    if (ttp_filter_parse(&filter[1], &ttp_op_fields, text, arena, &err) != TTP_OK)
        abort();
    /* may be too long or too deep by now */
    const bool opposite =
        ttp_filter_parse(&filter[2], &ttp_op_fields, negated(text, arena), arena, NULL) == TTP_OK;
    make_ops(&report, op, &syms);
    for (size_t i = 0; i < OPS; i++) {
        const bool keeps = ttp_filter_keeps(filter[0], &report, &op[i]);

        if (keeps != ttp_filter_keeps(filter[1], &report, &op[i]))
            abort();
        if (opposite && keeps == ttp_filter_keeps(filter[2], &report, &op[i]))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_arena arena = {0};

    check((ttp_str){(const char *)data, size}, &arena);
    ttp_arena_free(&arena);
    return 0;
}
