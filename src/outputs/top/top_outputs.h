/* SPDX-License-Identifier: Apache-2.0 */
/* top_outputs.h - what boards do right now. Part of outputs.h. */
#ifndef TTP_OUTPUTS_TOP_TOP_OUTPUTS_H
#define TTP_OUTPUTS_TOP_TOP_OUTPUTS_H

#include "host/host.h"
#include "outputs/show/show.h"

struct ttp_top_view {
    const struct ttp_host *host;
    const struct ttp_host_sample *first;  /* has the limits */
    const struct ttp_host_sample *before; /* NULL: none yet */
    const struct ttp_host_sample *now;
    uint64_t unix_ns; /* when `now` was taken */
};

extern const struct ttp_document_spec ttp_top_document;
/* A table of all chips and a line about the host, or a JSON document on one line. */
TTP_NODISCARD ttp_code ttp_out_top(const struct ttp_show *show, const struct ttp_top_view *view,
                                   struct ttp_err *err);
/* A rate for people, "1.2 GB/s"; "-" for NAN. Room: 16 bytes. */
#define TTP_RATE_MAX 16
void ttp_out_rate(char *out, double bytes_s);
/* "500/1000", "41.5/75", "500", "-". Room: 24 bytes. */
#define TTP_OF_MAX 24
void ttp_out_of(char *out, double now, double limit, int digits);

#endif
