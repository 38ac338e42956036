/* SPDX-License-Identifier: Apache-2.0 */
/* capture_room.h - the L1 that a graph capture leaves to one op, for `fit` and `config`. */
#ifndef TTP_CLI_CAPTURE_ROOM_H
#define TTP_CLI_CAPTURE_ROOM_H

#include "core/cmd.h"
#include "mem/mem.h"

struct ttp_capture_room {
    struct ttp_mem_room room;
    struct ttp_mem_device device; /* on which it has least */
    struct ttp_mem_op op;
    const char *path; /* of the capture */
};
/* Of op `op` of a capture, on the device where it has least. TTP_EUSAGE: there is no such op, or no
 * capture; TTP_ENOTFOUND: the capture has no addresses. */
TTP_NODISCARD ttp_code ttp_capture_room_read(struct ttp_capture_room *out, const char *capture,
                                             int64_t op, const struct ttp_ctx *ctx,
                                             struct ttp_err *err);

/* Sets *board to one with the chip and the grid of the capture; if one is named already, checks
 * that it has that chip. TTP_EUSAGE: it has not, or neither says which. */
TTP_NODISCARD ttp_code ttp_capture_room_board(const struct ttp_board **board,
                                              const struct ttp_capture_room *room,
                                              const struct ttp_ctx *ctx, struct ttp_err *err);

#endif
