/* SPDX-License-Identifier: Apache-2.0 */
/* memory_join.c - the memory of a graph capture for the rows of an ops table.
 *
 * Both know only the order of launches and their names: they are matched by the longest common
 * subsequence. Of a trace the first replay is matched, and the others follow it row by row. */
#include "base/map.h"
#include "mem/mem.h"
#include "run/run.h"

struct rows {
    uint32_t *row; /* of the table, in order */
    ttp_str *name;
    size_t count;
};

static bool number_of(int64_t *out, const struct ttp_ops *ops, enum ttp_ops_number column,
                      size_t row)
{
    const struct ttp_number_column *c = &ops->number[column];

    if (!c->kind || (c->kind[row] != TTP_CELL_INT && c->kind[row] != TTP_CELL_FLOAT))
        return false;
    *out = c->kind[row] == TTP_CELL_INT ? c->value[row].i : (int64_t)c->value[row].f;
    return true;
}

static ttp_str code_of(const struct ttp_ops *ops, size_t row)
{
    const ttp_sym code = ttp_ops_sym(ops, TTP_OPS_CODE, row);

    return code == TTP_SYM_MISSING ? (ttp_str){0} : ttp_sym_name(&ops->syms, code);
}

/* The device with the lowest id: ops run on all of a mesh alike. */
static bool first_device(int64_t *out, const struct ttp_ops *ops)
{
    bool any = false;

    for (size_t r = 0; r < ops->rows; r++) {
        int64_t device;

        if (number_of(&device, ops, TTP_OPS_DEVICE, r) && (!any || device < *out)) {
            *out = device;
            any = true;
        }
    }
    return any;
}

/* Rows of a device that were launched one by one, or by the first replay of their trace. */
static struct rows list_rows(const struct ttp_ops *ops, int64_t device, struct ttp_arena *arena)
{
    struct rows out = {TTP_NEW(arena, uint32_t, ops->rows + 1),
                       TTP_NEW(arena, ttp_str, ops->rows + 1), 0};

    for (size_t r = 0; r < ops->rows; r++) {
        int64_t id, replay;

        if (!number_of(&id, ops, TTP_OPS_DEVICE, r) || id != device ||
            (number_of(&replay, ops, TTP_OPS_REPLAY, r) && replay > 1))
            continue;
        out.row[out.count] = (uint32_t)r;
        out.name[out.count++] = code_of(ops, r);
    }
    return out;
}

static void fill(struct ttp_op_memory *out, const struct ttp_mem_capture *c,
                 const struct ttp_mem_launch *launch, struct ttp_arena *arena)
{
    struct ttp_mem_room room;
    uint32_t device = 0;

    if (launch->op == TTP_MEM_NONE || c->devices == 0)
        return;
    for (uint32_t d = 1; d < c->devices; d++) /* the fullest */
        if (c->use[launch->op * c->devices + d].peak.l1 >
            c->use[launch->op * c->devices + device].peak.l1)
            device = d;
    const struct ttp_mem_use *use = &c->use[launch->op * c->devices + device];
    const int64_t bank = c->device[device].l1_bank_bytes;
    ttp_mem_find_room(&room, c, (struct ttp_mem_line){launch->op, device}, arena);
    *out = (struct ttp_op_memory){
        .has = true,
        .op_id = c->op[launch->op].id,
        .has_bank = bank > 0,
        .has_free = use->has_largest_free,
        .has_headroom = use->has_headroom,
        .peak_bytes = (int64_t)use->peak_inferred,
        .bank_bytes = bank,
        .cb_bytes = (int64_t)use->cb_inferred,
        .stale_bytes = (int64_t)use->peak.part[TTP_MEM_STALE],
        .largest_free_bytes = (int64_t)use->largest_free_min,
        .headroom_bytes = use->headroom_min,
        .estimated = c->op[launch->op].cb_inferred > 0 || c->op[launch->op].cb_unknown > 0,
        .has_room = room.known,
        .banks = (int64_t)room.banks,
        .block_bytes = (int64_t)room.largest_free,
        .block_unstale_bytes = (int64_t)room.without_stale,
        .below_tensors_bytes = (int64_t)room.below_tensors,
        .below_others_bytes = (int64_t)room.below_others,
        .capture = c,
        .op = launch->op,
        .device = device,
    };
}

/* Rows of later replays, and of other devices, have the memory of the row that they repeat. */
static void spread(struct ttp_op_memory *memory, const struct ttp_ops *ops, int64_t device,
                   struct ttp_arena *arena)
{
    struct ttp_map first = {.arena = arena}, turn = {.arena = arena};

    /* the k-th row of a trace and call on the first device, by (trace, k) */
    for (int pass = 0; pass < 2; pass++)
        for (size_t r = 0; r < ops->rows; r++) {
            int64_t id, trace, replay = 1;

            if (!number_of(&id, ops, TTP_OPS_DEVICE, r) ||
                !number_of(&trace, ops, TTP_OPS_TRACE_ID, r))
                continue;
            (void)number_of(&replay, ops, TTP_OPS_REPLAY, r);
            const bool leads = id == device && replay <= 1;
            if (leads != (pass == 0))
                continue;
            const uint64_t session =
                (uint64_t)trace << 40 ^ (uint64_t)replay << 16 ^ (uint64_t)(uint16_t)id;
            const uint32_t seen = ttp_map_get(&turn, session);
            const uint32_t k = seen == UINT32_MAX ? 0 : seen + 1;
            ttp_map_put(&turn, session, k);
            const uint64_t place = (uint64_t)trace << 32 ^ k;
            if (pass == 0) {
                ttp_map_put(&first, place, (uint32_t)r);
                continue;
            }
            const uint32_t from = ttp_map_get(&first, place);
            if (from == UINT32_MAX || !ttp_str_eq(code_of(ops, from), code_of(ops, r)))
                continue;
            memory[r] = memory[from];
            memory[r].estimated = memory[from].has;
        }
}

ttp_code ttp_run_join_memory(struct ttp_memory_join *out, struct ttp_ops *ops, const char *capture,
                             struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_mem_options options = {0};
    struct ttp_mem_run run;
    const char *path[] = {capture};
    int64_t device = 0;

    *out = (struct ttp_memory_join){0};
    TTP_TRY(ttp_mem_load(&run, &(struct ttp_words){path, 1}, &options, arena, err));
    if (run.captures == 0) {
        ttp_fail(err, TTP_EUSAGE, "'%s' has no graph capture, which is required for launches",
                 capture);
        ttp_err_hint(err, "give graph_capture.json, or a folder that contains it");
        return TTP_EUSAGE;
    }
    const struct ttp_mem_capture *c = &run.capture[0];
    struct ttp_op_memory *memory = TTP_NEW(arena, struct ttp_op_memory, ops->rows + 1);
    ttp_str *launch = TTP_NEW(arena, ttp_str, c->launches + 1);

    for (size_t i = 0; i < c->launches; i++)
        launch[i] = c->launch[i].name;
    out->launches = c->launches;
    if (!first_device(&device, ops))
        return TTP_OK;
    const struct rows rows = list_rows(ops, device, arena);
    uint32_t *match = TTP_NEW(arena, uint32_t, rows.count + 1);
    out->rows = rows.count;
    out->matched = ttp_mem_align(match, &(struct ttp_mem_names){rows.name, rows.count},
                                 &(struct ttp_mem_names){launch, c->launches});
    /* below that they are not of the same run, or of another part of it */
    const size_t fewer = out->rows < out->launches ? out->rows : out->launches;
    if (fewer == 0 || out->matched * 5 < fewer * 4)
        return TTP_OK;
    out->joined = true;
    for (size_t i = 0; i < rows.count; i++)
        if (match[i] != TTP_MEM_NONE)
            fill(&memory[rows.row[i]], c, &c->launch[match[i]], arena);
    spread(memory, ops, device, arena);
    ops->memory = memory;
    return TTP_OK;
}
