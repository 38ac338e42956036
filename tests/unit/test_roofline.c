/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "outputs/outputs.h"
#include "outputs/roofline/roofline_drawing.h"
#include "test.h"

static const char header[] =
    "OP CODE,OP TYPE,DEVICE ID,DEVICE ARCH,MATH FIDELITY,CORE COUNT,AVAILABLE WORKER CORE COUNT,"
    "DEVICE KERNEL DURATION [ns],"
    "INPUT_0_W_PAD[LOGICAL],INPUT_0_Z_PAD[LOGICAL],INPUT_0_Y_PAD[LOGICAL],INPUT_0_X_PAD[LOGICAL],"
    "INPUT_0_DATATYPE,INPUT_0_MEMORY,"
    "INPUT_1_W_PAD[LOGICAL],INPUT_1_Z_PAD[LOGICAL],INPUT_1_Y_PAD[LOGICAL],INPUT_1_X_PAD[LOGICAL],"
    "INPUT_1_DATATYPE,INPUT_1_MEMORY,"
    "OUTPUT_0_W_PAD[LOGICAL],OUTPUT_0_Z_PAD[LOGICAL],OUTPUT_0_Y_PAD[LOGICAL],"
    "OUTPUT_0_X_PAD[LOGICAL],OUTPUT_0_DATATYPE,OUTPUT_0_MEMORY\n";

#define DRAM               "DEV_0_DRAM_INTERLEAVED"
#define L1                 "DEV_0_L1_WIDTH_SHARDED"
#define T(y, x, memory)    "1[1],1[1]," #y "[" #y "]," #x "[" #x "],BFLOAT16," memory
#define NO                 ",,,,,"
#define OP(code, arch, ns) code ",tt_dnn_device,0," arch ",HiFi2,64,64," ns ","

struct drawn {
    struct ttp_ops ops;
    struct ttp_report report;
    struct ttp_report_view view;
};

static void draw(struct drawn *d, ttp_str rows, struct ttp_arena *arena)
{
    const struct ttp_ops_read_options reading = {.threads = 1};
    const struct ttp_report_options options = {0};
    const struct ttp_view_options wanted = {.roofline = true, .no_summary = true};
    struct ttp_err err = {0};
    struct ttp_sink text;
    struct test_file file;
    const char *name = file.path;

    ttp_sink_to_arena(&text, arena);
    ttp_sink_put(&text, TTP_STR(header));
    ttp_sink_put(&text, rows);
    test_file_open(&file, ttp_sink_text(&text));
    assert_int_equal(ttp_ops_read_csv(&d->ops, (struct ttp_paths){&name, 1}, &reading, arena, &err),
                     TTP_OK);
    test_file_close(&file);
    assert_int_equal(ttp_analysis_run(&d->report, &d->ops, &options, arena, &err), TTP_OK);
    assert_int_equal(ttp_out_make_view(&d->view, &d->report, &options, &wanted, arena, &err),
                     TTP_OK);
}

static const struct ttp_roof *find_roof(const struct ttp_roofline *r, const char *name)
{
    for (size_t i = 0; i < r->roofs; i++)
        if (strcmp(r->roof[i].name, name) == 0)
            return &r->roof[i];
    return NULL;
}

static void test_roofline__a_decode_matmul_is_held_by_dram(void **state)
{
    struct drawn d;

    /* 2 x 32 x 4096 x 4096 in 200 us; 33.55 MB of weights */
    draw(&d,
         TTP_STR(OP("MatmulDeviceOperation", "wormhole_b0", "200000")
                     T(32, 4096, L1) "," T(4096, 4096, DRAM) "," T(32, 4096, L1) "\n"),
         *state);
    const struct ttp_roofline *r = d.view.roofline;
    assert_int_equal(r->points, 1);
    const struct ttp_roof_point *p = &r->point[0];
    assert_true(fabs(p->tflops - 5.3687) < 0.001);
    assert_true(fabs(p->intensity - 32) < 0.001);
    assert_string_equal(r->roof[p->held_by].name, "DRAM");
    assert_string_equal(r->roof[p->compute].name, "HiFi2");
    assert_true(fabs(p->reached_pct - 33554432 / 200e3 / 288 * 100) < 0.01);
    assert_null(find_roof(r, "one NoC"));
    assert_true(fabs(find_roof(r, "HiFi4")->peak - 1.024 * 64) < 1e-9);
}

static void test_roofline__ops_in_l1_stand_below_the_noc(void **state)
{
    struct drawn d;

    draw(&d,
         TTP_STR(OP("UnaryDeviceOperation", "blackhole", "100000") T(1024, 1024, L1) "," NO "," T(
             1024, 1024, L1) "\n" OP("TilizeDeviceOperation", "blackhole", "50000")
                     T(1024, 1024, L1) "," NO "," T(1024, 1024, L1) "\n" OP("SomethingNew",
                                                                            "blackhole", "25000")
                         T(1024, 1024, L1) "," NO "," T(1024, 1024, L1) "\n"),
         *state);
    const struct ttp_roofline *r = d.view.roofline;
    assert_int_equal(r->points, 1);
    assert_string_equal(r->roof[r->point[0].memory].name, "NoC to L1");
    assert_true(fabs(r->point[0].intensity - 0.25) < 1e-9);
    assert_int_equal(r->moving, 1);
    assert_true(fabs(r->moving_us - 50) < 1e-9);
    assert_int_equal(r->unknown, 1);
    assert_true(fabs(find_roof(r, "one NoC")->peak - 0.7 * 512) < 1e-9);
}

/* Of an attribute: ' x="12.5"'. */
static double number_at(const char *attribute)
{
    const ttp_str text = ttp_str_from(attribute + 4);
    double v = 0;

    assert_true(ttp_str_to_f64(ttp_str_slice(text, 0, ttp_str_find_char(text, '"')), &v));
    return v;
}

/* x and y of the text whose content is that one letter; false: not there. */
static bool find_letter(const char *svg, char letter, double *x, double *y)
{
    char end[] = {'>', letter, '<', '/', 't', 'e', 'x', 't', '>', '\0'};

    for (const char *at = svg; (at = strstr(at, end)) != NULL; at++) {
        const char *from = at;
        while (strncmp(from, "<text", 5) != 0)
            from--;
        if (!strstr(from, "text-anchor=\"middle\"") || strstr(from, "text-anchor") > at)
            continue; /* of the table below */
        *x = number_at(strstr(from, " x=\""));
        *y = number_at(strstr(from, " y=\""));
        return true;
    }
    return false;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

/* Sizes of many kinds, each op different from the others. */
static ttp_str many_rows(size_t count, struct ttp_arena *arena)
{
    struct ttp_sink out;
    uint32_t seed = 1;

    ttp_sink_to_arena(&out, arena);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        const unsigned m = 32 << (seed >> 28 & 3), k = 32 * (1 + (seed >> 16 & 63)),
                       n = 32 * (1 + (seed >> 22 & 63));
        ttp_sink_printf(&out,
                        OP("MatmulDeviceOperation", "wormhole_b0",
                           "%u") "1[1],1[1],%u[%u],%u[%u],BFLOAT16," L1
                                 ",1[1],1[1],%u[%u],%u[%u],BFLOAT16," DRAM
                                 ",1[1],1[1],%u[%u],%u[%u],BFLOAT16," L1 "\n",
                        20000 + (seed >> 8 & 0xffff), m, m, k, k, k, k, n, n, m, m, n, n);
    }
    return ttp_sink_text(&out);
}

static void test_roofline__letters_of_two_thousand_ops_do_not_overlap(void **state)
{
    struct drawn d;
    struct ttp_picture picture;
    struct ttp_sink out;
    double x[10] = {0}, y[10] = {0};

    draw(&d, many_rows(2000, *state), *state);
    ttp_sink_to_arena(&out, *state);
    ttp_out_roofline_picture(&picture, &d.view, *state);
    ttp_picture_svg(&out, &picture);
    ttp_sink_char(&out, '\0');
    const char *svg = out.buf;
    for (int i = 0; i < 10; i++) {
        assert_true(find_letter(svg, (char)('A' + i), &x[i], &y[i]));
        for (int k = 0; k < i; k++)
            assert_true(fabs(x[i] - x[k]) > 6 || fabs(y[i] - y[k]) > 10);
    }
    const size_t discs = count_of(svg, "<circle");
    assert_true(discs > 100 && discs <= 2000);
}

static void test_roofline__text_keeps_within_the_page(void **state)
{
    static const int widths[] = {60, 80, 100, 200};
    struct drawn d;

    draw(&d, many_rows(300, *state), *state);
    for (size_t i = 0; i < TTP_COUNT(widths); i++) {
        struct ttp_sink out;
        struct ttp_show show = {.out = &out, .width = widths[i], .arena = *state};
        ttp_str text, line;
        ttp_sink_to_arena(&out, *state);
        assert_int_equal(ttp_out_roofline(&show, &d.view, NULL), TTP_OK);
        text = ttp_sink_text(&out);
        while (ttp_str_next_line(&text, &line))
            if (ttp_str_code_points(line) > (size_t)widths[i])
                fail_msg("%d columns: %.*s", widths[i], TTP_FMT(line));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_roofline__a_decode_matmul_is_held_by_dram),
        TTP_TEST_ARENA(test_roofline__ops_in_l1_stand_below_the_noc),
        TTP_TEST_ARENA(test_roofline__letters_of_two_thousand_ops_do_not_overlap),
        TTP_TEST_ARENA(test_roofline__text_keeps_within_the_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
