/* SPDX-License-Identifier: Apache-2.0 */
/* original_table.h - rows as tt-perf-report 1.2.4 prints them. */
#ifndef TTP_COMPAT_TABLE_H
#define TTP_COMPAT_TABLE_H

#include "compat/compat.h"

enum {
    COL_ID,
    COL_TOTAL,
    COL_BOUND,
    COL_CODE,
    COL_DEVICE,
    COL_TIME,
    COL_GAP,
    COL_CORES,
    COL_DRAM,
    COL_DRAM_PCT,
    COL_FLOPS,
    COL_FLOPS_PCT,
    COL_FIDELITY,
    COLS
};

/* How a text symbol prints: the same for every row that has it. */
struct ttp_shown_text {
    bool known;
    uint8_t color;
    bool is_torch, is_matmul; /* has that word */
    bool is_split;            /* two parts, coloured separately */
    bool is_number;           /* reads as a number, and is printed as one */
    bool is_marked;           /* has "(signpost)", which becomes a sign in front */
    uint32_t split_at, rest_at;
    uint32_t width;
    uint32_t columns; /* bit of each column it has been seen in */
    double number;
};

struct ttp_original_table {
    const struct ttp_report *report;
    const struct ttp_original_style *style;
    size_t width[COLS];
    size_t room;                  /* bytes a row may take besides its texts */
    size_t usual_row;             /* bytes most rows take at most */
    struct ttp_shown_text *shown; /* by symbol */
};

void ttp_original_table_init(struct ttp_original_table *t, const struct ttp_report *report,
                             const struct ttp_original_style *style, struct ttp_arena *arena);
void ttp_original_table_header(struct ttp_sink *out, const struct ttp_original_table *t);
void ttp_original_table_dashes(struct ttp_sink *out, const struct ttp_original_table *t);
void ttp_original_table_row(struct ttp_sink *out, const struct ttp_original_table *t,
                            const struct ttp_op *op);
void ttp_original_table_totals(struct ttp_sink *out, const struct ttp_original_table *t);
/* Is the row printed in grey because its share is small? */
bool ttp_original_is_grey(const struct ttp_original_table *t, const struct ttp_op *op);

#endif
