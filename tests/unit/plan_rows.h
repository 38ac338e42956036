/* SPDX-License-Identifier: Apache-2.0 */
/* plan_rows.h - rows of an ops CSV in short, and the plan for them. */
#ifndef TTP_TESTS_UNIT_PLAN_ROWS_H
#define TTP_TESTS_UNIT_PLAN_ROWS_H

#include <math.h>

#include "advice/advice.h"
#include "test.h"

static const char header[] =
    "OP CODE,OP TYPE,DEVICE ID,DEVICE ARCH,ATTRIBUTES,MATH FIDELITY,CORE COUNT,AVAILABLE WORKER "
    "CORE "
    "COUNT,HOST DURATION [ns],OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns],DEVICE KERNEL "
    "DURATION "
    "PER CORE MAX [ns],DEVICE KERNEL DURATION PER CORE AVG [ns],DEVICE COMPUTE CB WAIT FRONT "
    "[ns],METAL "
    "TRACE ID,PROGRAM CACHE HIT,"
    "INPUT_0_W_PAD[LOGICAL],INPUT_0_Z_PAD[LOGICAL],INPUT_0_Y_PAD[LOGICAL],INPUT_0_X_PAD[LOGICAL],"
    "INPUT_0_DATATYPE,INPUT_0_MEMORY,"
    "INPUT_1_W_PAD[LOGICAL],INPUT_1_Z_PAD[LOGICAL],INPUT_1_Y_PAD[LOGICAL],INPUT_1_X_PAD[LOGICAL],"
    "INPUT_1_DATATYPE,INPUT_1_MEMORY,"
    "OUTPUT_0_W_PAD[LOGICAL],OUTPUT_0_Z_PAD[LOGICAL],OUTPUT_0_Y_PAD[LOGICAL],OUTPUT_0_X_PAD["
    "LOGICAL],"
    "OUTPUT_0_DATATYPE,OUTPUT_0_MEMORY,NPE CONG IMPACT (%),NOC HOT LINK\n";

#define T(y, x, type, memory)  "1[1],1[1]," #y "[" #y "]," #x "[" #x "]," type ",DEV_0_" memory
#define T1(y, x, type, memory) "1[1],1[1]," #y "[1]," #x "[" #x "]," type ",DEV_0_" memory
/* so many users, one row each in a tile of its own */
#define USERS(n, x, memory) "1[1]," #n "[" #n "],32[1]," #x "[" #x "],BFLOAT16,DEV_0_" memory
#define EXPERTS(n, y, x, type)                                                                     \
    "1[1]," #n "[" #n "]," #y "[" #y "]," #x "[" #x "]," type ",DEV_0_DRAM_INTERLEAVED"
#define NO   ",,,,,"
#define BF16 "BFLOAT16"
#define BFP8 "BFLOAT8_B"
#define BFP4 "BFLOAT4_B"
#define DRAM "DRAM_INTERLEAVED"
#define L1   "L1_WIDTH_SHARDED"
/* code, attributes, fidelity, cores, gap, time, max-avg-wait, trace id, cache hit, tensors */
#define OP_NOC(code, attrs, fid, cores, gap, ns, more, trace, hit, in0, in1, out, noc)             \
    code ",tt_dnn_device,0,wormhole_b0," attrs "," fid "," cores ",64,1000," gap "," ns "," more   \
         "," trace "," hit "," in0 "," in1 "," out "," noc "\n"
#define OP(code, attrs, fid, cores, gap, ns, more, trace, hit, in0, in1, out)                      \
    OP_NOC(code, attrs, fid, cores, gap, ns, more, trace, hit, in0, in1, out, ",")
#define PLAIN(code, ns, in0, out) OP(code, "", "", "64", "900", ns, ",,", "", "True", in0, NO, out)
/* something else, so that no rule has the whole run */
#define REST                                                                                       \
    PLAIN("PagedUpdateCacheDeviceOperation", "100000", T(32, 32, BF16, L1), T(32, 32, BF16, L1))
#define MATMUL(attrs, fid, cores, ns, in0, weights)                                                \
    OP("MatmulDeviceOperation", attrs, fid, cores, "900", ns, ",,", "", "True", in0, weights,      \
       T(32, 4096, BF16, L1))
#define WEIGHTS(type) T(4096, 4096, type, DRAM)
#define DRAM_SHARDED                                                                               \
    "{'program_config': 'MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(in0_block_w=8)'}"
#define BLOCKS(w, h, v)                                                                            \
    "{'program_config': 'Config(in0_block_w=" w ";out_subblock_h=" h ";out_subblock_w=" v ")'}"
#define BIG(memory) T(4096, 1024, BF16, memory)
/* configs that are complete, so that the cost model knows them */
#define ONE_D(block, subblock, per_core, fused)                                                    \
    "{'program_config': 'MatmulMultiCoreReuseMultiCast1DProgramConfig("                            \
    "compute_with_storage_grid_size=8-8;in0_block_w=" block                                        \
    ";out_subblock_h=1;out_subblock_w=" subblock ";out_block_h=1;out_block_w=" per_core            \
    ";per_core_M=1;per_core_N=" per_core ";fuse_batch=" fused                                      \
    ";fused_activation=std::nullopt;mcast_in0=1;gather_in0=0;num_global_cb_receivers=1;"           \
    "untilize_out=0)'}"
#define TWO_D(block, h, v)                                                                         \
    "{'program_config': 'MatmulMultiCoreReuseMultiCastProgramConfig("                              \
    "compute_with_storage_grid_size=8-8;in0_block_w=" block ";out_subblock_h=" h                   \
    ";out_subblock_w=" v ";out_block_h=8;out_block_w=16;per_core_M=8;per_core_N=16;"               \
    "transpose_mcast=0;fused_activation=std::nullopt;fuse_batch=1)'}"
#define BANKED(block, per_core)                                                                    \
    "{'program_config': 'MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(in0_block_w=" block \
    ";per_core_M=1;per_core_N=" per_core ";fused_activation=std::nullopt)'}"
#define FULL_OP(code, attrs, fid, cores, ns, in0, in1, out)                                        \
    OP(code, attrs, fid, cores, "900", ns, ",,", "", "True", in0, in1, out)
#define SHARDS(width)                                                                              \
    "{'memory_config': 'MemoryConfig(shard_spec=ShardSpec{shape=[32; " width "]})'}"
#define CHUNKS "{'program_config': 'SDPAProgramConfig(q_chunk_size=256;k_chunk_size=256)'}"
#define BANKS  "DRAM_WIDTH_SHARDED"

struct run {
    struct ttp_ops ops;
    struct ttp_report report;
    struct ttp_plan plan;
};

static void make_plan(struct run *r, const char *rows, const struct ttp_user_rules *user,
                      struct ttp_arena *arena)
{
    const struct ttp_ops_read_options reading = {.threads = 1};
    const struct ttp_report_options options = {0};
    struct ttp_err err = {0};
    struct ttp_sink text;
    struct test_file file;
    const char *name = file.path;

    ttp_sink_to_arena(&text, arena);
    ttp_sink_put(&text, TTP_STR(header));
    ttp_sink_put(&text, ttp_str_from(rows));
    test_file_open(&file, ttp_sink_text(&text));
    assert_int_equal(ttp_ops_read_csv(&r->ops, (struct ttp_paths){&name, 1}, &reading, arena, &err),
                     TTP_OK);
    test_file_close(&file);
    assert_int_equal(ttp_analysis_run(&r->report, &r->ops, &options, arena, &err), TTP_OK);
    ttp_plan_make(&r->plan, &r->report, &(struct ttp_plan_sources){.user = user}, arena);
}

static const struct ttp_plan_item *find(const struct ttp_plan *plan, const char *rule)
{
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->item[i].rule->id, rule) == 0)
            return &plan->item[i];
    return NULL;
}

#endif
