/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the graph of one op, as databases hold it: counters may come in any order; nodes are
 * reported with what they have, and circular buffers can be laid out on a device. */
#include "fuzz.h"
#include "mem/capture_lane.h"
#include "memfile.h"

struct seen {
    struct ttp_mem_lane lane;
    struct ttp_arena arena;
    uint64_t nodes;
};

static ttp_code take(void *arg, const struct ttp_mem_node *n, struct ttp_err *err)
{
    struct seen *s = arg;

    s->nodes++;
    for (size_t i = 0; i < n->connections; i++)
        must(n->connection[i] < UINT32_C(1) << 31);
    if (n->kind == TTP_NODE_FUNCTION_END)
        ttp_mem_lane_clear_frame(&s->lane, 1);
    if (n->kind == TTP_NODE_CB_END)
        ttp_mem_lane_clear_chip(&s->lane, false, ttp_mem_param(n, TTP_PARAM_DEVICE_ID, 0));
    if (n->kind != TTP_NODE_CB || s->lane.cbs > 1000)
        return TTP_OK;
    TTP_TRY(ttp_mem_lane_lay_out(&s->lane, n, (uint32_t)(s->nodes & 1), &s->arena, err));
    const struct ttp_mem_device d = {.l1_base = 1000, .l1_bank_bytes = 100000};
    int64_t room;
    (void)ttp_mem_lane_headroom(&room, &s->lane, NULL, &d);
    return TTP_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ttp_mem_source source = {.text = {(const char *)data, size}};
    struct seen seen = {0};
    const struct ttp_mem_visitor visitor = {.node = take, .arg = &seen};
    struct ttp_err err = {0};

    if (ttp_mem_walk(&source, &visitor, &err) != TTP_OK)
        must(err.text[0] && err.offset <= size);
    ttp_mem_lane_clear_chip(&seen.lane, true, 0);
    must(seen.lane.cb_bytes == 0);
    ttp_arena_free(&seen.arena);
    return 0;
}
