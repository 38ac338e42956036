/* SPDX-License-Identifier: Apache-2.0 */
/* A reduced rank: written and read back, refused when damaged, thinned to what may be sent. */
#include "mesh/merge.h"
#include "test.h"

#define DEVICES 32
#define STEPS   2000

/* Two kinds of op, every second one a collective, on all devices. */
static struct ttp_mesh_reduced make_table(struct ttp_arena *arena)
{
    struct ttp_mesh_reduced t = {.rank = 3,
                                 .size = 8,
                                 .mesh_id = -1,
                                 .host = TTP_STR("h"),
                                 .devices = DEVICES,
                                 .kinds = 2,
                                 .steps = STEPS,
                                 .cells = (size_t)STEPS * DEVICES};

    t.device = TTP_NEW(arena, struct ttp_table_device, DEVICES);
    t.order = TTP_NEW(arena, uint32_t, DEVICES);
    t.kind = TTP_NEW(arena, struct ttp_mesh_op, 2);
    t.step = TTP_NEW(arena, struct ttp_table_step, STEPS);
    t.cell = TTP_NEW(arena, struct ttp_table_cell, t.cells);
    for (uint32_t d = 0; d < DEVICES; d++) {
        t.device[d] = (struct ttp_table_device){.id = d, .ghz = 1, .arch = TTP_STR("a")};
        t.order[d] = d;
    }
    t.kind[0] = (struct ttp_mesh_op){.signature = 1, .code = TTP_STR("Matmul"), .axis = -1};
    t.kind[1] = (struct ttp_mesh_op){
        .signature = 2, .code = TTP_STR("AllGather"), .kind = TTP_MESH_ALL_WAIT, .ring = DEVICES};
    for (uint32_t s = 0; s < STEPS; s++) {
        t.step[s] = (struct ttp_table_step){s % 2, s * DEVICES, DEVICES};
        for (uint32_t d = 0; d < DEVICES; d++)
            t.cell[s * DEVICES + d] =
                (struct ttp_table_cell){d, 0, (int64_t)s * 1000 + 1, (int64_t)s * 1000 + 900};
    }
    return t;
}

static ttp_str text_of(const struct ttp_mesh_reduced *t, struct ttp_arena *arena)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    ttp_mesh_write_reduced(&s, t);
    return ttp_sink_text(&s);
}

static void test_ttpart__is_read_back_as_it_was_written(void **state)
{
    struct ttp_arena arena = {0};
    const struct ttp_mesh_reduced t = make_table(&arena);
    const ttp_str text = text_of(&t, &arena);
    struct ttp_mesh_reduced *back;

    (void)state;
    assert_int_equal(ttp_mesh_read_reduced(&back, text, &arena, NULL), TTP_OK);
    assert_int_equal(back->rank, 3);
    assert_int_equal(back->cells, t.cells);
    assert_true(ttp_str_eq(text_of(back, &arena), text));
    ttp_arena_free(&arena);
}

static void test_ttpart__refuses_what_is_cut_or_damaged(void **state)
{
    struct ttp_arena arena = {0};
    const struct ttp_mesh_reduced t = make_table(&arena);
    const ttp_str text = text_of(&t, &arena);
    struct ttp_mesh_reduced *back;
    struct ttp_err err = {0};

    (void)state;
    for (size_t n = 0; n < text.len; n += n < 400 ? 1 : text.len / 50)
        assert_int_equal(ttp_mesh_read_reduced(&back, ttp_str_slice(text, 0, n), &arena, &err),
                         TTP_EPARSE);
    char *more = TTP_NEW(&arena, char, text.len + 1);
    memcpy(more, text.ptr, text.len);
    assert_int_equal(ttp_mesh_read_reduced(&back, (ttp_str){more, text.len + 1}, &arena, &err),
                     TTP_EPARSE);
    more[text.len - 1] = (char)0x80; /* the last end: before its start */
    assert_int_equal(ttp_mesh_read_reduced(&back, (ttp_str){more, text.len}, &arena, &err),
                     TTP_EPARSE);
    ttp_arena_free(&arena);
}

static void test_ttpart__is_thinned_to_what_may_be_sent(void **state)
{
    struct ttp_arena arena = {0};
    const struct ttp_mesh_reduced t = make_table(&arena);
    struct ttp_mesh_reduced thin;
    size_t kept = 0;

    (void)state;
    ttp_mesh_table_thin(&thin, &t, &arena);
    for (size_t s = 0; s < thin.steps; s++) {
        assert_true(thin.step[s].cells == 0 || thin.step[s].kind == 1);
        kept += thin.step[s].cells > 0;
    }
    assert_int_equal(thin.steps, STEPS);
    assert_int_equal(kept, TTP_TABLE_COLLECTIVES);
    assert_true(text_of(&thin, &arena).len <= TTP_TABLE_BYTES);
    ttp_arena_free(&arena);
}

/* a + (b + c) and (c + a) + b are the same rows. */
static void test_ttpart__tables_add_up_in_any_order(void **state)
{
    struct ttp_arena arena = {0};
    struct ttp_merge_meeting row[3];

    (void)state;
    memset(row, 0, sizeof(row));
    for (int i = 0; i < 3; i++) {
        row[i].key = (struct ttp_merge_key){0, 7, 1, 1};
        row[i].first_ns = row[i].last_ns = 100 - 10 * (i % 2);
        row[i].second_ns = INT64_MIN;
        row[i].end_ns = 200 + i;
        row[i].shortest_ns = row[i].total_ns = 100 + i;
        row[i].rank = i;
    }
    const struct ttp_merge_sum *how = &ttp_merge_meetings;
    const ttp_str a = {(char *)&row[0], sizeof(*row)}, b = {(char *)&row[1], sizeof(*row)},
                  c = {(char *)&row[2], sizeof(*row)};
    const ttp_str one = ttp_mesh_merge_add(a, ttp_mesh_merge_add(b, c, how, &arena), how, &arena);
    const ttp_str two = ttp_mesh_merge_add(ttp_mesh_merge_add(c, a, how, &arena), b, how, &arena);
    assert_true(ttp_str_eq(one, two));
    const struct ttp_merge_meeting *m = ttp_mesh_merge_find(one, how, 0, 7, 1);
    assert_non_null(m);
    assert_int_equal(m->key.count, 3);
    assert_int_equal(m->rank, 0); /* of two that are last the first */
    assert_int_equal(m->second_ns, 100);
    assert_int_equal(m->first_ns, 90);
    assert_null(ttp_mesh_merge_find(one, how, 0, 7, 2));
    ttp_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ttpart__is_read_back_as_it_was_written),
        cmocka_unit_test(test_ttpart__refuses_what_is_cut_or_damaged),
        cmocka_unit_test(test_ttpart__is_thinned_to_what_may_be_sent),
        cmocka_unit_test(test_ttpart__tables_add_up_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
