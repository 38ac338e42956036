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
    *out = (struct ttp_capture_room){.op = c->op[at], .path = c->path};
    for (uint32_t d = 0; d < c->devices; d++) {
        struct ttp_mem_room room;

        ttp_mem_find_room(&room, c, (struct ttp_mem_line){at, d}, ctx->arena);
        if (!room.known || (out->room.known && room.below_tensors >= out->room.below_tensors))
            continue;
        out->room = room;
        out->device = c->device[d];
    }
    if (out->room.known)
        return TTP_OK;
    return ttp_fail(err, TTP_ENOTFOUND, "'%s' has no addresses of buffers at op %lld", c->path,
                    (long long)op);
}

/* Same chip, same grid: n150 and n300 differ in nothing else that a capture has. */
static bool has_grid(const struct ttp_board *b, const struct ttp_mem_device *d)
{
    return (int64_t)b->fact[TTP_FACT_GRID_X].value == d->grid_x &&
           (int64_t)b->fact[TTP_FACT_GRID_Y].value == d->grid_y;
}

ttp_code ttp_capture_room_board(const struct ttp_board **board, const struct ttp_capture_room *room,
                                const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const struct ttp_mem_device *d = &room->device;
    const struct ttp_board *any = ttp_board_of(ctx->boards, ttp_str_from(d->arch));

    if (!any && *board)
        return TTP_OK;
    if (!any) {
        ttp_fail(err, TTP_EUSAGE, "'%s' does not name its chip", room->path);
        ttp_err_hint(err, "name its board, such as --arch n150");
        return TTP_EUSAGE;
    }
    if (*board && strcmp((*board)->chip, any->chip) != 0) {
        ttp_fail(err, TTP_EUSAGE, "'%s' was captured on a %s, %s is a %s", room->path, any->chip,
                 (*board)->name, (*board)->chip);
        ttp_err_hint(err, "omit --arch: the capture names its chip");
        return TTP_EUSAGE;
    }
    for (size_t i = 0; !*board && i < ctx->boards->count; i++)
        if (strcmp(ctx->boards->board[i].chip, any->chip) == 0 &&
            has_grid(&ctx->boards->board[i], d))
            *board = &ctx->boards->board[i];
    if (!*board)
        *board = any;
    return TTP_OK;
}
