/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/capture_room.h"

static ttp_code find_op(uint32_t *out, const struct ttp_mem_capture *c, int64_t id,
                        struct ttp_err *err)
{
    for (uint32_t i = 0; i < c->ops; i++)
        if (c->op[i].id == id) {
            *out = i;
            return TTP_OK;
        }
    ttp_fail(err, TTP_EUSAGE, "'%s' has no op %lld", c->path, (long long)id);
    ttp_err_hint(err, "tt-perf mem %.150s lists them", c->path);
    return TTP_EUSAGE;
}

ttp_code ttp_capture_room_read(struct ttp_capture_room *out, const char *capture, int64_t op,
                               const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const struct ttp_mem_options options = {0};
    struct ttp_mem_run run;
    uint32_t at = 0;

    TTP_TRY(ttp_mem_load(&run, &(struct ttp_words){&capture, 1}, &options, ctx->arena, err));
    if (run.captures == 0) {
        ttp_fail(err, TTP_EUSAGE, "'%s' has no graph capture", capture);
        ttp_err_hint(err, "give graph_capture.json, or a folder that contains it");
        return TTP_EUSAGE;
    }
    const struct ttp_mem_capture *c = &run.capture[0];
    TTP_TRY(find_op(&at, c, op, err));
    *out = (struct ttp_capture_room){.op = c->op[at].name};
    for (uint32_t d = 0; d < c->devices; d++) {
        struct ttp_mem_room room;

        ttp_mem_find_room(&room, c, (struct ttp_mem_line){at, d}, ctx->arena);
        if (!room.known || (out->room.known && room.below_tensors >= out->room.below_tensors))
            continue;
        out->room = room;
        out->base = (uint64_t)c->device[d].l1_base;
        out->bank_bytes = (uint64_t)c->device[d].l1_bank_bytes;
    }
    if (out->room.known)
        return TTP_OK;
    return ttp_fail(err, TTP_ENOTFOUND, "'%s' has no addresses of buffers at op %lld", c->path,
                    (long long)op);
}
