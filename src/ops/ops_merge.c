/* SPDX-License-Identifier: Apache-2.0 */
/* ops_merge.c - the rows of several tables as those of one, as if they had been written to one CSV:
 * cells are copied as they were read, and columns get their types when all rows are together. */
#include "ops/ops_block.h"

void ttp_ops_rows_begin(struct ttp_ops_rows *out, const struct ttp_ops_header *header, size_t rows)
{
    struct ttp_ops_header own;

    *out = (struct ttp_ops_rows){0};
    out->name = TTP_NEW(&out->block.arena, ttp_str, TTP_OPS_TEXTS + TTP_OPS_NUMBERS);
    for (size_t c = 0; c < TTP_OPS_TEXTS; c++)
        if (header->text[c] != TTP_NPOS)
            out->name[out->columns++] = ttp_str_from(ttp_ops_text_name((enum ttp_ops_text)c));
    for (size_t c = 0; c < TTP_OPS_NUMBERS; c++)
        if (header->number[c] != TTP_NPOS)
            out->name[out->columns++] = ttp_str_from(ttp_ops_number_name((enum ttp_ops_number)c));
    ttp_ops_match_header(&own, out->name, out->columns);
    out->block.input.last = true;
    out->block.problem_fields = out->columns; /* the last row is whole */
    ttp_ops_block_begin(&out->block);
    ttp_ops_block_reserve(&out->block, &own, rows);
}

/* Columns that some table has; columns that only a merged table has are counted separately. */
static void join_headers(struct ttp_ops_header *out, struct ttp_ops_rows *const *from, size_t parts)
{
    ttp_ops_match_header(out, NULL, 0);
    for (size_t p = 0; p < parts; p++) {
        for (size_t c = 0; c < TTP_OPS_TEXTS; c++)
            if (from[p]->block.text[c])
                out->text[c] = 0;
        for (size_t c = 0; c < TTP_OPS_NUMBERS; c++)
            if (from[p]->block.kind[c])
                out->number[c] = 0;
    }
    out->number[TTP_OPS_RANK] = out->number[TTP_OPS_WAIT_NS] = 0;
    out->number[TTP_OPS_SKEW_NS] = out->text[TTP_OPS_LAST] = 0;
}

static void copy_cells(struct ttp_ops_block *to, const struct ttp_ops_block *from, size_t row,
                       const ttp_sym *map)
{
    const size_t at = to->rows;

    for (size_t c = 0; c < TTP_OPS_TEXTS; c++)
        if (to->text[c] && from->text[c])
            to->text[c][at] = map[from->text[c][row]];
    for (size_t c = 0; c < TTP_OPS_NUMBERS; c++) {
        if (!to->kind[c] || !from->kind[c])
            continue;
        to->kind[c][at] = from->kind[c][row];
        to->value[c][at] = from->value[c][row];
        if (from->kind[c][row] == TTP_CELL_RAW)
            to->value[c][at].text = map[from->value[c][row].text];
    }
}

static void put_own_cells(struct ttp_ops_block *b, const struct ttp_ops_place *place)
{
    char rank[TTP_NUM_MAX];

    ttp_ops_block_put_number(b, TTP_OPS_RANK, (ttp_str){rank, ttp_num_i64(rank, place->rank)});
    ttp_ops_block_put_number(b, TTP_OPS_WAIT_NS, place->wait);
    ttp_ops_block_put_number(b, TTP_OPS_SKEW_NS, place->skew);
    ttp_ops_block_put_text(b, TTP_OPS_LAST, place->last);
}

struct ttp_ops_rows *ttp_ops_merge_rows(struct ttp_ops_rows *const *from, size_t parts,
                                        struct ttp_ops_places places, struct ttp_arena *arena)
{
    struct ttp_ops_rows *out = TTP_NEW(arena, struct ttp_ops_rows, 1);
    struct ttp_ops_block *b = &out->block;
    struct ttp_ops_header header;

    join_headers(&header, from, parts);
    ttp_ops_rows_begin(out, &header, places.count);
    ttp_sym **map = TTP_NEW(&b->arena, ttp_sym *, parts);
    for (size_t p = 0; p < parts; p++) {
        map[p] = TTP_NEW(&b->arena, ttp_sym, from[p]->block.syms.count);
        ttp_sym_merge(&b->syms, &from[p]->block.syms, map[p]);
        b->bad_utf8_cells += from[p]->block.bad_utf8_cells;
    }
    for (size_t i = 0; i < places.count; i++) {
        const struct ttp_ops_place *place = &places.at[i];

        copy_cells(b, &from[place->part]->block, place->row, map[place->part]);
        put_own_cells(b, place);
        b->rows++;
    }
    ttp_ops_block_finish(b);
    return out;
}
