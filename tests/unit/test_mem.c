/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "mem/mem_parts.h"
#include "test.h"

#define DEVICE                                                                                     \
    "\"devices\":[{\"device_id\":1,\"l1_num_banks\":2,\"l1_bank_size\":4000,"                      \
    "\"address_at_first_l1_cb_buffer\":1000,\"num_dram_channels\":2}],"
#define START(n, name)                                                                             \
    "{\"counter\":" #n ",\"node_type\":\"function_start\",\"params\":{\"name\":\"" name "\"}"
#define ALLOC(n, node, at, bytes)                                                                  \
    "{\"counter\":" #n ",\"node_type\":\"buffer_allocate\",\"connections\":[" #node                \
    "],\"params\":{\"address\":" #at ",\"max_size_per_bank\":" #bytes                              \
    ",\"size\":100,\"buffer_type\":1,\"device_id\":1}}"
#define FREE(n, node, at)                                                                          \
    "{\"counter\":" #n ",\"node_type\":\"buffer_deallocate\",\"connections\":[" #node              \
    "],\"params\":{\"address\":" #at ",\"buffer_type\":1,\"device_id\":1}}"
#define END(n) "{\"counter\":" #n ",\"node_type\":\"function_end\",\"params\":{\"name\":\"x\"}}"

static ttp_code read_text(struct ttp_mem_capture *c, const char *json,
                          const struct ttp_mem_options *options, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    const char *path;
    int fd;

    assert_int_equal(ttp_file_in_memory(&fd, &path, arena, NULL), TTP_OK);
    assert_int_equal(write(fd, json, strlen(json)), (ssize_t)strlen(json));
    const ttp_code rc = ttp_mem_read_capture(c, path, options, arena, err);
    ttp_file_close_memory(path);
    return rc;
}

static void read_good(struct ttp_mem_capture *c, const char *json, struct ttp_arena *arena)
{
    const struct ttp_mem_options options = {0};
    struct ttp_err err = {0};

    if (read_text(c, json, &options, arena, &err) != TTP_OK)
        fail_msg("%s", err.text);
}

#define TENSOR(n, shape, dtype, memory)                                                            \
    "{\"counter\":" #n ",\"node_type\":\"tensor\",\"params\":{\"shape\":\"Shape([" shape           \
    "])\",\"dtype\":\"DataType::" dtype "\",\"layout\":\"Layout::TILE\",\"memory_config\":"        \
    "\"MemoryConfig(" memory ",nd_shard_spec=std::nullopt,created_with_nd_shard_spec=0)\"}}"
#define IN_DRAM                                                                                    \
    "memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::DRAM,"                  \
    "shard_spec=std::nullopt"
#define IN_SHARDS                                                                                  \
    "memory_layout=TensorMemoryLayout::BLOCK_SHARDED,buffer_type=BufferType::L1,"                  \
    "shard_spec=ShardSpec(grid={[(x=0,y=0) - (x=7,y=1)], [(x=0,y=2) - (x=3,y=2)]},"                \
    "shape={32, 64},orientation=ShardOrientation::COL_MAJOR)"

#define COMPUTES                                                                                   \
    "[" START(                                                                                     \
        0,                                                                                         \
        "ttnn.linear") "},{\"counter\":1,\"node_type\":\"function_start\","                        \
                       "\"input_tensors\":[2,3],\"params\":{\"name\":\"MatmulDeviceOperation\"}},"
#define COMPUTED                                                                                   \
    ",{\"counter\":4,\"node_type\":\"function_end\",\"connections\":[5],"                          \
    "\"params\":{\"name\":\"MatmulDeviceOperation\"}},"

static void test_mem__tensors_of_an_op_are_those_of_the_function_that_computes(void **state)
{
    static const char json[] = COMPUTES TENSOR(
        2, "1, 2, 64, 128", "BFLOAT16", IN_SHARDS) "," TENSOR(3, "128, 256", "BFLOAT8_B", IN_DRAM)
        COMPUTED TENSOR(5, "1, 2, 64, 256", "FLOAT32", IN_DRAM) "," END(6) "]";
    struct ttp_mem_op_tensors got;
    struct ttp_arena arena = {0};
    struct ttp_mem_capture c;
    const char *path;
    int fd;

    (void)state;
    read_good(&c, json, &arena);
    assert_int_equal(ttp_file_in_memory(&fd, &path, &arena, NULL), TTP_OK);
    assert_int_equal(write(fd, json, strlen(json)), (ssize_t)strlen(json));
    assert_int_equal(ttp_mem_read_op_tensors(&got, path, &c.op[0], &arena, NULL), TTP_OK);
    ttp_file_close_memory(path);
    assert_int_equal(got.inputs, 2);
    assert_true(ttp_str_eq(got.function, TTP_STR("MatmulDeviceOperation")));
    assert_int_equal(got.input[0].dims, 4);
    assert_int_equal(got.input[0].shape[3], 128);
    assert_true(ttp_str_eq(got.input[0].memory, TTP_STR("L1_BLOCK_SHARDED")));
    assert_int_equal(got.input[0].shard_cores, 20);
    assert_int_equal(got.input[0].shard_h, 32);
    assert_int_equal(got.input[0].shard_w, 64);
    assert_true(got.input[0].shard_col_major);
    assert_true(ttp_str_eq(got.input[1].type, TTP_STR("BFLOAT8_B")));
    assert_int_equal(got.input[1].shard_cores, 0);
    assert_true(ttp_str_eq(got.output.type, TTP_STR("FLOAT32")));
    assert_true(ttp_str_eq(got.output.memory, TTP_STR("DRAM_INTERLEAVED")));
    ttp_arena_free(&arena);
}

static void test_mem__one_node_has_many_tenants(void **state)
{
    struct ttp_arena arena = {0};
    struct ttp_mem_capture c;

    (void)state;
    read_good(&c,
              "{" DEVICE "\"graph\":[" START(0, "ttnn.a") "}," ALLOC(1, 9, 2000, 100) "," FREE(
                  2, 9, 2000) "," ALLOC(3, 9, 3000, 200) "," END(4) "]}",
              &arena);
    assert_int_equal(c.total, 2);
    assert_int_equal(c.never_freed, 1);
    assert_int_equal(c.use[0].peak.l1, 200);
    assert_int_equal(c.use[0].peak.part[TTP_MEM_OUTPUT], 200);
    ttp_arena_free(&arena);
}

static void test_mem__a_view_uses_its_tensor_and_has_no_bytes(void **state)
{
    struct ttp_arena arena = {0};
    struct ttp_mem_capture c;

    (void)state;
    read_good(&c,
              "{" DEVICE "\"graph\":[" START(0, "ttnn.a") "}," ALLOC(1, 9, 2000, 100) "," END(
                  2) "," START(3, "ttnn.b") "},"
                                            "{\"counter\":4,\"node_type\":\"circular_buffer_"
                                            "allocate\",\"params\":{\"address\":"
                                            "2000,\"size\":64,\"core_range_set\":\"{[(x=0,y=0) - "
                                            "(x=1,y=1)]}\",\"device_id\":1,"
                                            "\"globally_allocated\":\"1\"}}," END(5) "]}",
              &arena);
    assert_int_equal(c.use[1].peak.cb, 0);
    assert_int_equal(c.use[1].peak.part[TTP_MEM_INPUT], 100);
    assert_int_equal(c.stales, 0);
    ttp_arena_free(&arena);
}

static void test_mem__cores_do_not_add_up_but_buffers_of_one_do(void **state)
{
    static const char cb[] =
        "{\"counter\":%d,\"node_type\":\"circular_buffer_allocate\",\"params\":{\"address\":1000,"
        "\"size\":%d,\"core_range_set\":\"{[(x=%d,y=0) - (x=1,y=0)]}\",\"device_id\":0}}";
    char json[2048];
    struct ttp_arena arena = {0};
    struct ttp_mem_capture c;
    int n;

    (void)state;
    /* chip 0 belongs to the only memory device */
    n = snprintf(json, sizeof(json),
                 "{" DEVICE "\"graph\":[" START(0, "ttnn.a") "}," ALLOC(1, 9, 4500, 500) ",");
    n += snprintf(json + n, sizeof(json) - (size_t)n, cb, 2, 300, 0);
    json[n++] = ',';
    n += snprintf(json + n, sizeof(json) - (size_t)n, cb, 3, 50, 1);
    snprintf(json + n, sizeof(json) - (size_t)n, "," END(4) "]}");
    read_good(&c, json, &arena);
    assert_int_equal(c.use[0].peak.cb, 350);
    assert_int_equal(c.use[0].peak.l1, 850);
    assert_true(c.use[0].has_headroom);
    assert_int_equal(c.use[0].headroom_min, 4500 - 1300);
    assert_int_equal(c.use[0].largest_free_min, 3500);
    ttp_arena_free(&arena);
}

static void test_mem__what_the_runtime_saw_replaces_what_is_known(void **state)
{
    struct ttp_arena arena = {0};
    struct ttp_mem_capture c;

    (void)state;
    read_good(&c,
              "{" DEVICE "\"graph\":[" START(0, "ttnn.a") "}," ALLOC(1, 9, 2000, 100) "," END(
                  2) "],\"per_operation_buffers\":{\"0\":[{\"device_id\":1,\"address\":2500,"
                     "\"max_size_per_bank\":32,\"buffer_type\":1}]}}",
              &arena);
    assert_int_equal(c.snapshots, 1);
    assert_int_equal(c.reconciled, 2);
    assert_int_equal(c.use[0].end_l1, 32);
    ttp_arena_free(&arena);
}

static void test_mem__refusals_tell_the_byte(void **state)
{
    static const struct {
        const char *json;
        ttp_code code;
        size_t offset;
    } cases[] = {
        {"", TTP_EPARSE, 0},
        {"{\"a\":1}", TTP_EPARSE, 6},
        {"[{\"counter\":0},{\"counter\":0}]", TTP_EPARSE, 26},
        {"{\"graph\":[{\"counter\":0,\"node_ty", TTP_EPARSE, 31},
        {"{\"graph\":5}", TTP_EPARSE, 9},
        {"[{\"counter\":2147483648}]", TTP_ELIMIT, 12},
    };
    const struct ttp_mem_options options = {0};

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_arena arena = {0};
        struct ttp_mem_capture c;
        struct ttp_err err = {0};

        assert_int_equal(read_text(&c, cases[i].json, &options, &arena, &err), cases[i].code);
        assert_int_equal(err.offset, cases[i].offset);
        ttp_arena_free(&arena);
    }
}

static void test_mem__a_cut_capture_is_told_up_to_the_cut(void **state)
{
    const struct ttp_mem_options options = {.partial = true};
    struct ttp_arena arena = {0};
    struct ttp_mem_capture c;

    (void)state;
    assert_int_equal(
        read_text(&c,
                  "{" DEVICE "\"graph\":[" START(0, "ttnn.a") "}," ALLOC(1, 9, 2000, 100) ",{\"cou",
                  &options, &arena, NULL),
        TTP_OK);
    assert_true(c.partial);
    assert_int_equal(c.ops, 1);
    assert_false(c.op[0].finished);
    assert_int_equal(c.use[0].end_l1, 100);
    ttp_arena_free(&arena);
}

static void test_mem__failures_are_judged_by_what_was_free(void **state)
{
#define SPACE(need, bank, free, largest)                                                           \
    "Out of Memory: Not enough space to allocate 64 B L1 buffer across 2 banks, where each bank "  \
    "needs to store " #need " B, but bank size is " #bank " B (allocated: 1 B, free: " #free       \
    " B, largest free block: " #largest " B)"
    static const struct {
        const char *text;
        enum ttp_mem_verdict verdict;
        uint64_t short_by;
    } cases[] = {
        {SPACE(101, 100, 90, 80), TTP_MEM_LARGER_THAN_BANK, 1},
        {SPACE(91, 100, 90, 80), TTP_MEM_FULL, 1},
        {SPACE(90, 100, 90, 80), TTP_MEM_FRAGMENTED, 10},
        {SPACE(80, 100, 90, 80), TTP_MEM_VERDICT_UNKNOWN, 0},
        {"x Statically allocated dataflow buffers in program 7 clash with L1 buffers on core range "
         "[(x=0,y=0) - (x=0,y=0)]. L1 buffer allocated at 100 and static dataflow buffer region "
         "ends at 130",
         TTP_MEM_VERDICT_CLASH, 30},
        {"Statically allocated circular buffers on core range [(x=0,y=0) - (x=0,y=0)] grow to 12 B "
         "which is beyond max L1 size of 10 B",
         TTP_MEM_VERDICT_TOO_LARGE, 2},
    };
    struct ttp_arena arena = {0};
    struct ttp_mem_failure f;

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        assert_true(ttp_mem_parse_failure(&f, ttp_str_from(cases[i].text), &arena));
        assert_int_equal(f.verdict, cases[i].verdict);
        assert_int_equal(f.has_short ? f.short_by : 0, cases[i].short_by);
    }
    assert_false(ttp_mem_parse_failure(&f, TTP_STR("Out of Memory: x"), &arena));
    ttp_arena_free(&arena);
}

static void test_mem__stale_neighbours_make_room(void **state)
{
    struct ttp_arena arena = {0};
    struct ttp_mem_capture c;
    struct ttp_mem_to_free to_free;
    struct ttp_mem_room room;
    const struct ttp_mem_line at = {1, 0};

    (void)state;
    /* 1000..5000: stale 1500-2000 and 3000-3400, an output at 4000-5000; the buffer at 2000 is used
     * later, through its tensor */
    read_good(
        &c,
        "{" DEVICE
        "\"graph\":[" START(0, "ttnn.a") "}," ALLOC(1, 20, 1500, 500) "," ALLOC(2, 21, 2000, 100) "," ALLOC(3, 22, 3000, 400) "," END(
            4) "," START(5,
                         "ttnn.b") "}," ALLOC(6, 23, 4000,
                                              1000) "," END(7) "," START(8,
                                                                         "ttnn.c") ",\"input_"
                                                                                   "tensors\":[11]}"
                                                                                   "," END(9) ",{"
                                                                                              "\"co"
                                                                                              "unte"
                                                                                              "r\":"
                                                                                              "10,"
                                                                                              "\"no"
                                                                                              "de_"
                                                                                              "type"
                                                                                              "\":"
                                                                                              "\"bu"
                                                                                              "ffer"
                                                                                              "\","
                                                                                              "\"pa"
                                                                                              "rams"
                                                                                              "\":{"
                                                                                              "}},"
                                                                                              "{\"c"
                                                                                              "ount"
                                                                                              "er\""
                                                                                              ":11,"
                                                                                              "\"no"
                                                                                              "de_"
                                                                                              "type"
                                                                                              "\":"
                                                                                              "\"te"
                                                                                              "nsor"
                                                                                              "\","
                                                                                              "\"pa"
                                                                                              "rams"
                                                                                              "\":{"
                                                                                              "\"te"
                                                                                              "nsor"
                                                                                              "_id"
                                                                                              "\":"
                                                                                              "7,"
                                                                                              "\"ad"
                                                                                              "dres"
                                                                                              "s\":"
                                                                                              "2000"
                                                                                              ",\"b"
                                                                                              "uffe"
                                                                                              "r_"
                                                                                              "type"
                                                                                              "\":"
                                                                                              "1,"
                                                                                              "\"de"
                                                                                              "vice"
                                                                                              "_id"
                                                                                              "\":"
                                                                                              "1}}"
                                                                                              ",{"
                                                                                              "\"co"
                                                                                              "unte"
                                                                                              "r\":"
                                                                                              "21,"
                                                                                              "\"no"
                                                                                              "de_"
                                                                                              "type"
                                                                                              "\":"
                                                                                              "\"bu"
                                                                                              "ffer"
                                                                                              "\","
                                                                                              "\"co"
                                                                                              "nnec"
                                                                                              "tion"
                                                                                              "s\":"
                                                                                              "[11]"
                                                                                              ",\"p"
                                                                                              "aram"
                                                                                              "s\":"
                                                                                              "{"
                                                                                              "\"bu"
                                                                                              "ffer"
                                                                                              "_typ"
                                                                                              "e\":"
                                                                                              "1,"
                                                                                              "\"de"
                                                                                              "vice"
                                                                                              "_id"
                                                                                              "\":"
                                                                                              "1}}]"
                                                                                              "}",
        &arena);
    ttp_mem_find_room(&room, &c, at, &arena);
    assert_true(room.known);
    assert_int_equal(room.largest_free, 900);   /* 2100..3000 */
    assert_int_equal(room.without_stale, 1900); /* 2100..4000 */
    assert_int_equal(room.below_tensors, 500);
    assert_int_equal(room.below_others, 500);
    ttp_mem_make_room(&to_free, &c, at, 1900, &arena);
    assert_int_equal(to_free.count, 1);
    assert_int_equal(c.buffer[to_free.buffer[0]].address, 3000);
    assert_int_equal(to_free.hole, 1900);
    ttp_mem_make_room(&to_free, &c, at, 1000, &arena); /* 1500-2000 has more bytes than 3000-3400 */
    assert_int_equal(c.buffer[to_free.buffer[0]].address, 3000);
    ttp_mem_make_room(&to_free, &c, at, 1901, &arena);
    assert_false(to_free.any);
    ttp_arena_free(&arena);
}

static void test_mem__names_are_aligned_by_their_order(void **state)
{
    const ttp_str a[] = {TTP_STR("t"), TTP_STR("m"), TTP_STR("u"), TTP_STR("m"), TTP_STR("z")};
    const ttp_str b[] = {TTP_STR("m"), TTP_STR("u"), TTP_STR("x"), TTP_STR("m")};
    uint32_t match[5];

    (void)state;
    assert_int_equal(
        ttp_mem_align(match, &(struct ttp_mem_names){a, 5}, &(struct ttp_mem_names){b, 4}), 3);
    assert_int_equal(match[0], TTP_MEM_NONE);
    assert_int_equal(match[1], 0);
    assert_int_equal(match[2], 1);
    assert_int_equal(match[3], 3);
    assert_int_equal(match[4], TTP_MEM_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mem__one_node_has_many_tenants),
        cmocka_unit_test(test_mem__tensors_of_an_op_are_those_of_the_function_that_computes),
        cmocka_unit_test(test_mem__a_view_uses_its_tensor_and_has_no_bytes),
        cmocka_unit_test(test_mem__cores_do_not_add_up_but_buffers_of_one_do),
        cmocka_unit_test(test_mem__what_the_runtime_saw_replaces_what_is_known),
        cmocka_unit_test(test_mem__refusals_tell_the_byte),
        cmocka_unit_test(test_mem__a_cut_capture_is_told_up_to_the_cut),
        cmocka_unit_test(test_mem__failures_are_judged_by_what_was_free),
        cmocka_unit_test(test_mem__stale_neighbours_make_room),
        cmocka_unit_test(test_mem__names_are_aligned_by_their_order),
    };
    return cmocka_run_group_tests_name("mem", tests, NULL, NULL);
}
