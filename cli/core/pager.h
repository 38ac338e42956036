/* SPDX-License-Identifier: Apache-2.0 */
/* pager.h - pipes output to a terminal through a pager, as git does. */
#ifndef TTP_CLI_PAGER_H
#define TTP_CLI_PAGER_H

#include <stdint.h>

struct ttp_ctx;
struct ttp_common_opts;

struct ttp_pager {
    int64_t pid;
    int terminal; /* what standard output was; -1: there is no pager */
};

/* Start it if the output is text for people on a terminal: standard output leads to it then. */
void ttp_pager_begin(struct ttp_pager *p, const struct ttp_ctx *ctx,
                     const struct ttp_common_opts *common);
/* Wait until the user has read it; standard output is the terminal again. */
void ttp_pager_end(struct ttp_pager *p);

#endif
