/* SPDX-License-Identifier: Apache-2.0 */
/* config_parts.h - what the files of config share. Private to config. */
#ifndef TTP_CONFIG_CONFIG_PARTS_H
#define TTP_CONFIG_CONFIG_PARTS_H

#include "config/config.h"

/* "dram", "l1", "ws", "hs", "bs", "dram_ws", "dram_hs", with :HEIGHTxWIDTH:CORES[:COLUMNSxROWS]
 * [:COL_MAJOR] after it, or the memory of an ops CSV: "DEV_0_L1_WIDTH_SHARDED". TTP_EUSAGE. */
TTP_NODISCARD ttp_code ttp_config_parse_placement(struct ttp_placement *out, ttp_str text,
                                                  struct ttp_err *err);

/* "SILU", "silu", "UnaryWithParam(op_type=UnaryOpType::SILU)", "None". What cannot be fused is
 * TTP_ACT_OTHER. */
enum ttp_activation ttp_config_parse_activation(ttp_str text);
const char *ttp_config_activation_name(enum ttp_activation activation); /* "SILU" */

/* "2d" and "MatmulMultiCoreReuseMultiCastProgramConfig". */
const char *ttp_config_matmul_type_name(enum ttp_matmul_type type);
const char *ttp_config_matmul_type_class(enum ttp_matmul_type type);

/* The line for human readers, as in tables: "1d 11x9 block_w 2 subblock 1x2 per_core 1x2". */
ttp_str ttp_config_line(const struct ttp_matmul_config *c, struct ttp_arena *arena);

/* Bytes of a core's L1. The config must be legal except for the rule L1. */
uint64_t ttp_config_l1_bytes(const struct ttp_matmul *p, const struct ttp_matmul_config *c);
/* The same with the tiles of p and c, which the caller has. */
uint64_t ttp_config_l1_bytes_of(const struct ttp_matmul *p, const struct ttp_matmul_config *c,
                                const struct ttp_matmul_tiles *tiles);

/* Do they describe the same program? */
bool ttp_config_same(const struct ttp_matmul_config *a, const struct ttp_matmul_config *b);

const char *ttp_config_origin_name(enum ttp_config_origin origin);

/* Is it an op whose config this module knows? */
bool ttp_config_is_matmul(ttp_str op_code);

/* "block_h=1 block_w=4 subblock_w=4" */
ttp_str ttp_config_other_text(enum ttp_other_kind kind, const struct ttp_other_config *c,
                              struct ttp_arena *arena);

#endif
