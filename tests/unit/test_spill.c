/* SPDX-License-Identifier: Apache-2.0 */
/* The rule stale-l1 on either side of its thresholds. */
#include "advice/advice.h"
#include "mem/mem.h"
#include "test.h"

struct run {
    struct ttp_ops ops;
    struct ttp_report report;
    struct ttp_plan plan;
};

/* An output of 131,072 bytes in each of 64 banks. */
static const char spilling[] =
    "OP CODE,OP TYPE,DEVICE ID,DEVICE ARCH,CORE COUNT,AVAILABLE WORKER CORE COUNT,"
    "DEVICE KERNEL DURATION [ns],INPUT_0_W_PAD[LOGICAL],INPUT_0_Z_PAD[LOGICAL],"
    "INPUT_0_Y_PAD[LOGICAL],INPUT_0_X_PAD[LOGICAL],INPUT_0_DATATYPE,INPUT_0_MEMORY,"
    "OUTPUT_0_W_PAD[LOGICAL],OUTPUT_0_Z_PAD[LOGICAL],OUTPUT_0_Y_PAD[LOGICAL],"
    "OUTPUT_0_X_PAD[LOGICAL],OUTPUT_0_DATATYPE,OUTPUT_0_MEMORY\n"
    "UnaryDeviceOperation,tt_dnn_device,0,wormhole_b0,64,64,41600,1[1],1[1],4096[4096],1024[1024],"
    "BFLOAT16,DEV_0_L1_BLOCK_SHARDED,1[1],1[1],4096[4096],1024[1024],BFLOAT16,"
    "DEV_0_DRAM_INTERLEAVED\n";

static void make_plan(struct run *r, struct ttp_arena *arena)
{
    const struct ttp_ops_read_options reading = {.threads = 1};
    const struct ttp_report_options options = {0};
    struct ttp_err err = {0};
    struct test_file file;
    const char *name = file.path;

    test_file_open(&file, ttp_str_from(spilling));
    assert_int_equal(ttp_ops_read_csv(&r->ops, (struct ttp_paths){&name, 1}, &reading, arena, &err),
                     TTP_OK);
    test_file_close(&file);
    assert_int_equal(ttp_analysis_run(&r->report, &r->ops, &options, arena, &err), TTP_OK);
    ttp_plan_make(&r->plan, &r->report, NULL, arena);
}

static const struct ttp_plan_item *find(const struct ttp_plan *plan, const char *rule)
{
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->item[i].rule->id, rule) == 0)
            return &plan->item[i];
    return NULL;
}

static void make_spilling(struct run *r, int64_t block, int64_t unstale, struct ttp_arena *arena)
{
    static uint32_t uses;
    struct ttp_mem_buffer *buffer = TTP_NEW(arena, struct ttp_mem_buffer, 1);
    struct ttp_mem_capture *c = TTP_NEW(arena, struct ttp_mem_capture, 1);
    struct ttp_op_memory *memory = TTP_NEW(arena, struct ttp_op_memory, 1);

    *buffer = (struct ttp_mem_buffer){.alloc = TTP_MEM_NONE,
                                      .freed = TTP_MEM_NONE,
                                      .pool = TTP_MEM_L1,
                                      .has_address = true,
                                      .address = 1000 + block,
                                      .bytes = (uint64_t)(unstale - block)};
    *c = (struct ttp_mem_capture){.buffer = buffer, .buffers = 1, .devices = 1, .ops = 1};
    c->use_at = &uses;
    c->device = TTP_NEW(arena, struct ttp_mem_device, 1);
    c->device[0] = (struct ttp_mem_device){.l1_base = 1000, .l1_bank_bytes = unstale};
    c->op = TTP_NEW(arena, struct ttp_mem_op, 1);
    c->op[0] = (struct ttp_mem_op){.id = 7, .start = 10, .end = 20};
    c->use = TTP_NEW(arena, struct ttp_mem_use, 1);
    c->use[0].peak = (struct ttp_mem_peak){.any = true, .at = 12};
    make_plan(r, arena);
    memory[0] = (struct ttp_op_memory){.has = true,
                                       .op_id = 7,
                                       .stale_bytes = unstale - block,
                                       .has_room = true,
                                       .banks = 64,
                                       .block_bytes = block,
                                       .block_unstale_bytes = unstale,
                                       .capture = c};
    r->ops.memory = memory;
    ttp_plan_make(&r->plan, &r->report, NULL, arena);
}

static void test_spill__stale_buffers_keep_an_output_out_of_l1(void **state)
{
    const struct ttp_plan_item *item;
    struct run r;

    make_plan(&r, *state);
    assert_null(find(&r.plan, "stale-l1")); /* without a capture */
    make_spilling(&r, 1024, 131071, *state);
    assert_null(find(&r.plan, "stale-l1")); /* even then it would not fit */
    make_spilling(&r, 1024, 131072, *state);
    item = find(&r.plan, "stale-l1");
    assert_non_null(item);
    assert_true(item->gain_us > 20 && item->gain_us < 41.6);
    assert_int_equal(item->confidence, TTP_PLAN_MEDIUM);
    assert_true(ttp_str_has(item->evidence, TTP_STR("free the buffer at 2024 (130048 B)")));
    assert_null(find(&r.plan, "placement")); /* there is no room yet */
    make_spilling(&r, 131072, 200000, *state);
    item = find(&r.plan, "stale-l1");
    assert_non_null(item);
    assert_int_equal(item->confidence, TTP_PLAN_TRY);
    assert_true(ttp_str_has(item->evidence, TTP_STR("it would already fit")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_spill__stale_buffers_keep_an_output_out_of_l1),
    };

    return cmocka_run_group_tests_name("advice/spill", tests, NULL, NULL);
}
