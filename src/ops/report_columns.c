/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/report_columns.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/order.h"
#include "base/vec.h"
#include "ops/counters.h"

/* On Quasar a column may be replaced by two, or left out. */
static const struct {
    enum ttp_ops_field stock;
    int by[2]; /* -1: left out */
} quasar[] = {
    {FIELD_GAP, {FIELD_QUASAR_DM_GAP, FIELD_QUASAR_TRISC_GAP}},
    {FIELD_FW, {FIELD_QUASAR_DM_FW, FIELD_QUASAR_TRISC_FW}},
    {FIELD_BRISC, {FIELD_QUASAR_DM_KERNEL, FIELD_QUASAR_TRISC_KERNEL}},
    {FIELD_DM_GAP, {-1, -1}},
    {FIELD_NCRISC, {-1, -1}},
    {FIELD_TRISC0, {-1, -1}},
    {FIELD_TRISC1, {-1, -1}},
    {FIELD_TRISC2, {-1, -1}},
    {FIELD_ERISC, {-1, -1}},
};

static const char *const tensor_cells[] = {"W_PAD[LOGICAL]", "Z_PAD[LOGICAL]", "Y_PAD[LOGICAL]",
                                           "X_PAD[LOGICAL]", "LAYOUT",         "DATATYPE",
                                           "MEMORY"};

static const char *const mlir_columns[] = {"LOC", "CONST_EVAL_OP", "INPUT_LAYOUT_CONVERSION_OP",
                                           "PROGRAM_METADATA"};

int ttp_ops_field_of_member(ttp_str key)
{
    char name[64];

    if (key.len > sizeof(name))
        return -1;
    for (size_t i = 0; i < key.len; i++) {
        const char c = key.ptr[i];
        name[i] = (char)(c == '_' ? ' ' : c >= 'a' && c <= 'z' ? c - 32 : c);
    }
    const int found = ttp_ops_find_field((ttp_str){name, key.len});
    return found < FIELDS_STOCK ? found : -1;
}

struct choosing {
    struct ttp_columns *out;
    const struct ttp_ops_report *report;
    const bool *present;
    struct ttp_arena *arena;
};

static void add(struct choosing *c, struct ttp_column column)
{
    *TTP_PUSH(c->arena, c->out->column, c->out->ncolumns) = column;
}

static void add_field(struct choosing *c, int field)
{
    if (field >= 0 && (!c->present || c->present[field]))
        add(c, (struct ttp_column){.kind = COLUMN_FIELD,
                                   .name = ttp_ops_field_name((enum ttp_ops_field)field),
                                   .index = (uint32_t)field});
}

static void add_stock(struct choosing *c, int from, int to)
{
    for (int i = from; i < to; i++) {
        const int *by = NULL;

        for (size_t q = 0; q < TTP_COUNT(quasar) && c->report->quasar && i < FIELD_TRACE_ID; q++)
            if ((int)quasar[q].stock == i)
                by = quasar[q].by;
        if (!by) {
            add_field(c, i);
            continue;
        }
        add_field(c, by[0]);
        add_field(c, by[1]);
    }
}

static void add_tensors(struct choosing *c, bool input)
{
    size_t most = 0;

    for (size_t r = 0; r < c->report->nrows; r++) {
        const struct ttp_host_op *op = c->report->row[r].op;
        const size_t n = !op ? 0 : input ? op->info->ninputs : op->info->noutputs;
        most = n > most ? n : most;
    }
    for (size_t t = 0; t < most; t++) {
        for (uint32_t k = 0; k < TTP_TENSOR_CELLS; k++) {
            char name[64];
            const int n = snprintf(name, sizeof(name), "%s_%zu_%s", input ? "INPUT" : "OUTPUT", t,
                                   tensor_cells[k]);
            add(c, (struct ttp_column){.kind = input ? COLUMN_INPUT : COLUMN_OUTPUT,
                                       .name = ttp_arena_copy(c->arena, (ttp_str){name, (size_t)n}),
                                       .index = (uint32_t)t,
                                       .cell = k});
        }
    }
}

struct size_column {
    ttp_str name;
    size_t rank;
    int64_t index;
};

TTP_ORDER(by_rank, struct size_column, TTP_UP(rank), TTP_UP(index), ttp_str_cmp(x->name, y->name))

/* "TENSIX DM 0 MAX KERNEL SIZE [B]": by processor class, then by number. */
static bool parse_size(struct size_column *out, ttp_str name)
{
    static const char *const order[] = {"TENSIX DM", "TENSIX COMPUTE", "ACTIVE ETH DM",
                                        "IDLE ETH DM"};
    const ttp_str suffix = TTP_STR(" MAX KERNEL SIZE [B]");

    if (!ttp_str_ends(name, suffix))
        return false;
    const ttp_str head = ttp_str_slice(name, 0, name.len - suffix.len);
    size_t blank = head.len;
    while (blank > 0 && head.ptr[blank - 1] != ' ')
        blank--;
    *out = (struct size_column){.name = name, .rank = TTP_COUNT(order)};
    if (!ttp_str_to_i64(ttp_str_slice(head, blank, head.len), &out->index))
        return false;
    for (size_t i = 0; i < TTP_COUNT(order); i++)
        if (blank > 0 && ttp_str_eq(ttp_str_slice(head, 0, blank - 1), ttp_str_from(order[i])))
            out->rank = i;
    return true;
}

static void add_kernel_sizes(struct choosing *c)
{
    struct ttp_symtab names = {.arena = c->arena};
    const struct ttp_op_info *last = NULL;

    for (size_t r = 0; r < c->report->nrows; r++) {
        const struct ttp_host_op *op = c->report->row[r].op;
        if (!op || op->info == last)
            continue;
        last = op->info;
        for (size_t i = 0; i < last->nkernel_sizes; i++)
            ttp_sym_intern(&names, last->kernel_size[i].key);
    }
    struct size_column *list = TTP_NEW(c->arena, struct size_column, names.count);
    size_t n = 0;
    for (ttp_sym s = 0; s < names.count; s++)
        n += parse_size(&list[n], ttp_sym_name(&names, s));
    TTP_SORT(list, n, by_rank);
    for (size_t i = 0; i < n; i++)
        add(c, (struct ttp_column){.kind = COLUMN_KERNEL_SIZE, .name = list[i].name});
}

TTP_ORDER(by_name, struct ttp_column, ttp_str_cmp(x->name, y->name))

static void add_children(struct choosing *c)
{
    const struct ttp_symtab *names = &c->report->logs.host->names;
    bool *seen = TTP_NEW(c->arena, bool, names->count);

    for (size_t r = 0; r < c->report->nrows; r++) {
        const struct ttp_host_op *op = c->report->row[r].op;
        for (size_t i = 0; op && i < op->nchildren; i++)
            seen[op->child[i].name] = true;
    }
    const size_t first = c->out->ncolumns;
    for (ttp_sym s = 0; s < names->count; s++) {
        const ttp_str name = ttp_sym_name(names, s), suffix = TTP_STR("_TT_HOST_FUNC [ns]");
        if (!seen[s])
            continue;
        char *text = TTP_NEW(c->arena, char, name.len + suffix.len);
        memcpy(text, name.ptr, name.len);
        memcpy(text + name.len, suffix.ptr, suffix.len);
        add(c, (struct ttp_column){
                   .kind = COLUMN_CHILD, .name = {text, name.len + suffix.len}, .index = s});
    }
    if (c->out->ncolumns > first)
        qsort(c->out->column + first, c->out->ncolumns - first, sizeof(*c->out->column), by_name);
}

/* A metric that an earlier pass has is not shown again. */
static void add_counters(struct choosing *c, const struct ttp_counter_tables *t, uint32_t pass)
{
    for (size_t i = 0; i < ttp_ops_counter_columns(t); i++) {
        const ttp_str name = ttp_ops_counter_column_name(t, i);
        bool known = false;

        for (size_t k = 0; pass && !known && k < c->out->ncolumns; k++)
            known = ttp_str_eq(c->out->column[k].name, name);
        if (!known)
            add(c, (struct ttp_column){
                       .kind = COLUMN_COUNTER, .name = name, .index = (uint32_t)i, .cell = pass});
    }
}

void ttp_ops_columns_choose(struct ttp_columns *out, const struct ttp_ops_report *report,
                            const bool *present, struct ttp_arena *arena)
{
    struct choosing c = {.out = out, .report = report, .present = present, .arena = arena};

    *out = (struct ttp_columns){0};
    add_stock(&c, 0, FIELD_TRACE_ID);
    if (!report->device_only) {
        add_tensors(&c, true);
        add_tensors(&c, false);
    }
    add_stock(&c, FIELD_TRACE_ID, FIELD_CACHE_HIT + 1);
    if (!report->device_only)
        add_kernel_sizes(&c);
    add_stock(&c, FIELD_CACHE_HIT + 1, FIELDS_STOCK);
    if (report->nnocs && !report->rules.stock_columns)
        add_field(&c, FIELD_HOT_LINK);
    add_counters(&c, report->counters, 0);
    for (size_t i = 0; i < report->ncounted; i++)
        add_counters(&c, report->counted[i].tables, (uint32_t)i + 1);
    if (report->device_only)
        return;
    add_children(&c);
    for (uint32_t i = 0; i < TTP_COUNT(mlir_columns) && report->mlir; i++)
        add(&c, (struct ttp_column){
                    .kind = COLUMN_MLIR, .name = ttp_str_from(mlir_columns[i]), .index = i});
}
