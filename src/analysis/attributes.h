/* SPDX-License-Identifier: Apache-2.0 */
/* attributes.h - parses the ATTRIBUTES text of an op. Private to analysis.
 *
 * Each function works on one text; equal texts are one symbol, so callers keep the answers. */
#ifndef TTP_ANALYSIS_ATTRIBUTES_H
#define TTP_ANALYSIS_ATTRIBUTES_H

#include "base/sink.h"

/* Block sizes of a matmul's program config. */
struct ttp_blocks {
    bool has_width, has_subblock_h, has_subblock_w, dram_sharded;
    int64_t width, subblock_h, subblock_w;              /* INT64_MAX: that or more */
    ttp_str width_digits, height_digits, across_digits; /* as they appear in the text */
};
void ttp_analysis_attributes_blocks(struct ttp_blocks *out, ttp_str text);

/* Kernel window of a convolution, from "window_hw=(7;7); ". */
bool ttp_analysis_attributes_window(ttp_str text, int64_t window[2]);
/* " [ABH=p|a ADB SR]" */
void ttp_analysis_attributes_conv_label(struct ttp_sink *out, ttp_str text);
/* Both of a convolution. */
struct ttp_conv_text {
    bool has_window;
    int64_t window[2];
    ttp_str label;
};
/* " w=A s=B p=C d=D | L" of a halo op. */
void ttp_analysis_attributes_halo_label(struct ttp_sink *out, ttp_str text);

#endif
