/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about meshes, with figures on either side of their thresholds. */
#include <inttypes.h>
#include <math.h>

#include "advice/advice.h"
#include "test.h"

#define HEADER                                                                                     \
    "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,ATTRIBUTES,CORE COUNT,DEVICE FW "     \
    "START CYCLE,DEVICE FW END CYCLE,DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns],SUB "     \
    "DEVICE ID,INPUT_0_W_PAD[LOGICAL],INPUT_0_Z_PAD[LOGICAL],INPUT_0_Y_PAD[LOGICAL],"              \
    "INPUT_0_X_PAD[LOGICAL],INPUT_0_LAYOUT,INPUT_0_DATATYPE,INPUT_0_MEMORY,"                       \
    "OUTPUT_0_W_PAD[LOGICAL],OUTPUT_0_Z_PAD[LOGICAL],OUTPUT_0_Y_PAD[LOGICAL],"                     \
    "OUTPUT_0_X_PAD[LOGICAL],OUTPUT_0_LAYOUT,OUTPUT_0_DATATYPE,OUTPUT_0_MEMORY\n"

enum { DEVICES = 8, ROUNDS = 12 };

/* A round: a matmul, an all-gather of its output, maybe an op next to it. Figures in us. */
struct made {
    double matmul[DEVICES]; /* beyond 100 */
    double noise;           /* by which matmuls of every device vary */
    size_t slow_from;       /* round from which `matmul` counts */
    double late;            /* a device in turn is idle for so long before the all-gather */
    double transfer;        /* 0: 20 */
    uint32_t width;         /* of what is sent; 0: 8192 */
    double side;            /* op after the all-gather; 0: none */
    uint32_t side_width;
    bool hidden; /* it runs at the same time, on another sub-device */
};

struct writer {
    const struct made *m;
    struct ttp_sink csv;
    double now[DEVICES];
    uint64_t program;
};

static void put_op(struct writer *w, const char *code, const double *start, const double *end,
                   uint32_t in, uint32_t out, int sub)
{
    w->program++;
    for (unsigned d = 0; d < DEVICES; d++) {
        const double ns = (end[d] - start[d]) * 1000;
        ttp_sink_printf(&w->csv, "%s,tt_dnn_device,%" PRIu64 ",%u,wormhole_b0,", code,
                        w->program << 10 | d, d);
        if (strcmp(code, "AllGatherDeviceOperation") == 0)
            ttp_sink_printf(&w->csv,
                            "\"{'num_links': '1'; 'ring_size': '%d'; 'topology': "
                            "'Topology::Linear'}\"",
                            DEVICES);
        ttp_sink_printf(&w->csv, ",64,%.0f,%.0f,%.0f,%.0f,%d,", start[d] * 1000 + d * 7e6,
                        end[d] * 1000 + d * 7e6, ns, ns, sub);
        ttp_sink_printf(&w->csv, "1,1,32[32],%u[%u],TILE,BFLOAT16,DEV_0_DRAM_INTERLEAVED,", in, in);
        ttp_sink_printf(&w->csv, "1,1,32[32],%u[%u],TILE,BFLOAT16,DEV_0_DRAM_INTERLEAVED\n", out,
                        out);
    }
}

static void put_round(struct writer *w, size_t round)
{
    const struct made *m = w->m;
    const uint32_t width = m->width ? m->width : 8192;
    double start[DEVICES], end[DEVICES], from[DEVICES], last = 0;

    for (unsigned d = 0; d < DEVICES; d++) {
        start[d] = w->now[d] + 1;
        end[d] = start[d] + 100 + (round >= m->slow_from ? m->matmul[d] : 0) +
                 m->noise * ((double)((round * 5 + (size_t)d * 3) % 7) / 3 - 1);
    }
    put_op(w, "MatmulDeviceOperation", start, end, 4096, width, 0);
    for (unsigned d = 0; d < DEVICES; d++) {
        from[d] = end[d] + 1 + (d == round % DEVICES ? m->late : 0);
        last = fmax(last, from[d]);
    }
    for (unsigned d = 0; d < DEVICES; d++)
        w->now[d] = end[d] = last + (m->transfer > 0 ? m->transfer : 20);
    put_op(w, "AllGatherDeviceOperation", from, end, width, width * DEVICES, 0);
    if (!(m->side > 0))
        return;
    for (unsigned d = 0; d < DEVICES; d++) {
        start[d] = m->hidden ? last : w->now[d] + 1;
        end[d] = start[d] + m->side;
        w->now[d] = fmax(w->now[d], end[d]);
    }
    put_op(w, "UnaryDeviceOperation", start, end, m->side_width, m->side_width, m->hidden);
}

struct run {
    struct ttp_ops ops;
    struct ttp_report report;
    struct ttp_mesh mesh;
    struct ttp_plan plan;
};

static void make_plan(struct run *r, const struct made *m, struct ttp_arena *arena)
{
    const struct ttp_ops_read_options reading = {.threads = 1};
    const struct ttp_report_options options = {0};
    const struct ttp_mesh_options how = {0};
    struct writer w = {.m = m};
    struct ttp_err err = {0};
    struct test_file file;
    const char *name = file.path;

    ttp_sink_to_arena(&w.csv, arena);
    ttp_sink_put(&w.csv, TTP_STR(HEADER));
    for (size_t k = 0; k < ROUNDS; k++)
        put_round(&w, k);
    test_file_open(&file, ttp_sink_text(&w.csv));
    assert_int_equal(ttp_ops_read_csv(&r->ops, (struct ttp_paths){&name, 1}, &reading, arena, &err),
                     TTP_OK);
    test_file_close(&file);
    assert_int_equal(ttp_analysis_run(&r->report, &r->ops, &options, arena, &err), TTP_OK);
    const struct ttp_mesh_part part = {.mesh_id = -1, .name = "run", .ops = &r->ops};
    assert_int_equal(ttp_mesh_make(&r->mesh, (struct ttp_mesh_parts){&part, 1}, &how, arena, &err),
                     TTP_OK);
    uint32_t *line = TTP_NEW(arena, uint32_t, r->mesh.cells);
    for (size_t c = 0; c < r->mesh.cells; c++)
        line[c] = r->mesh.cell[c].row + 2;
    const struct ttp_plan_sources from = {.mesh = &r->mesh, .line = line};
    ttp_plan_make(&r->plan, &r->report, &from, arena);
}

static const struct ttp_plan_item *find(const struct ttp_plan *plan, const char *rule)
{
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->item[i].rule->id, rule) == 0)
            return &plan->item[i];
    return NULL;
}

static const struct {
    const char *rule;
    struct made above, below;
    double saves_us; /* in a round */
    const char *says;
} cases[] = {
    /* 2 % of 121 us and more are 2.5 */
    {"straggler", {.matmul = {[5] = 4}}, {.matmul = {[5] = 2}}, 4, "device 0:5"},
    /* every second one: half of it is above the mean, and 2 % of 121 us and more are 2.5 */
    {"device-imbalance",
     {.matmul = {0, 24, 0, 24, 0, 24, 0, 24}},
     {.matmul = {0, 4, 0, 4, 0, 4, 0, 4}},
     12,
     "the mean of 8 devices"},
    /* what executions vary by more than that is chance */
    {"device-imbalance",
     {.matmul = {0, 8, 0, 8, 0, 8, 0, 8}, .noise = 1},
     {.matmul = {0, 8, 0, 8, 0, 8, 0, 8}, .noise = 30},
     4.2,
     "the mean of 8 devices"},
    /* the mean wait is 7/8 of it: above and below the transfer of 20 us */
    {"late-start", {.late = 26}, {.late = 20}, 26, "because devices were idle before it"},
    /* 7 x 8192 x 64 B over 12.5 GB/s are 293.6 us: 29 % and 31 % */
    {"slow-transfer", {.transfer = 1010}, {.transfer = 950}, 31.4, "line of 8 devices"},
    /* an op with other sizes, and one that may use the output */
    {"overlap-collectives",
     {.side = 15, .side_width = 256},
     {.side = 15, .side_width = 8192 * DEVICES},
     15,
     "tensors of other sizes"},
    {"overlap-collectives",
     {.side = 15, .side_width = 256},
     {.side = 15, .side_width = 256, .hidden = true},
     15,
     "0 % of it hidden"},
};

static void test_plan_mesh__each_rule_keeps_to_its_threshold(void **state)
{
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct run r;

        make_plan(&r, &cases[i].above, *state);
        const struct ttp_plan_item *item = find(&r.plan, cases[i].rule);
        if (!item) {
            fail_msg("%s is not found", cases[i].rule);
            return;
        }
        const double rounds = (double)item->ops;
        if (fabs(item->gain_us / rounds - cases[i].saves_us) > cases[i].saves_us / 10)
            fail_msg("%s: %.1f us estimated, %.1f saved", cases[i].rule, item->gain_us / rounds,
                     cases[i].saves_us);
        if (!ttp_str_has(item->evidence, ttp_str_from(cases[i].says)))
            fail_msg("%s: %.*s", cases[i].rule, TTP_FMT(item->evidence));
        make_plan(&r, &cases[i].below, *state);
        if (find(&r.plan, cases[i].rule))
            fail_msg("%s is found below its threshold", cases[i].rule);
    }
}

static void test_plan_mesh__a_straggler_is_dated(void **state)
{
    const struct made late = {.matmul = {[2] = 40}, .slow_from = 7};
    struct run r;

    make_plan(&r, &late, *state);
    const struct ttp_plan_item *item = find(&r.plan, "straggler");
    assert_non_null(item);
    assert_true(ttp_str_has(item->evidence, TTP_STR("device 0:2")));
    assert_true(ttp_str_has(item->evidence, TTP_STR("since op 14 of the run")));
    const struct made always = {.matmul = {[2] = 40}};
    make_plan(&r, &always, *state);
    item = find(&r.plan, "straggler");
    assert_non_null(item);
    assert_true(ttp_str_has(item->evidence, TTP_STR("since the start of the run")));
}

static void test_plan_mesh__several_slow_devices_are_no_straggler(void **state)
{
    const struct made two = {.matmul = {[2] = 40, [6] = 40}};
    struct run r;

    make_plan(&r, &two, *state);
    assert_null(find(&r.plan, "straggler"));
    assert_non_null(find(&r.plan, "device-imbalance"));
}

static void test_plan_mesh__no_mesh_no_rule(void **state)
{
    const struct made slow = {.matmul = {[5] = 40}};
    struct run r;

    make_plan(&r, &slow, *state);
    ttp_plan_make(&r.plan, &r.report, NULL, *state);
    assert_null(find(&r.plan, "straggler"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_plan_mesh__each_rule_keeps_to_its_threshold),
        TTP_TEST_ARENA(test_plan_mesh__a_straggler_is_dated),
        TTP_TEST_ARENA(test_plan_mesh__several_slow_devices_are_no_straggler),
        TTP_TEST_ARENA(test_plan_mesh__no_mesh_no_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
