/* SPDX-License-Identifier: Apache-2.0 */
/* The layout is tested on the list of shapes, which both back ends draw; of the back ends only what
 * is their own. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "outputs/picture/picture.h"

static struct ttp_group group(const char *key, enum ttp_category category, double time_us,
                              size_t count)
{
    return (struct ttp_group){
        .key = ttp_str_from(key), .category = category, .time_us = time_us, .count = count};
}

static struct ttp_summary summary_of(struct ttp_group *g, size_t count)
{
    struct ttp_summary s = {.group = g, .count = count, .by = TTP_GROUP_OP};

    for (size_t i = 0; i < count; i++)
        s.time_us += g[i].time_us;
    return s;
}

/* `count` groups on each device, of all categories, from large to tiny, some with FLOPs. */
static struct ttp_summary many(size_t count, size_t devices, struct ttp_arena *arena)
{
    struct ttp_group *g = TTP_NEW(arena, struct ttp_group, count * devices);
    char name[80];

    for (size_t i = 0; i < count * devices; i++) {
        const size_t k = i % count, device = i / count;
        snprintf(name, sizeof(name), "Operation%zuDeviceOperation (in0:dram_interleaved)", k);
        g[i] = group(ttp_arena_zstr(arena, ttp_str_from(name)),
                     (enum ttp_category)(k % TTP_CATEGORIES),
                     10000.0 / (double)((k + 1) * (k + 1)) + 3 * (double)device, k + 1);
        g[i].device = (int64_t)device;
        g[i].has_flops = g[i].has_std = g[i].has_weighted = k % 3 == 0;
        g[i].flops_min = 12.25;
        g[i].flops_max = 88.5;
        g[i].flops_mean = g[i].flops_weighted = 40;
        g[i].flops_std = 7.75;
    }
    struct ttp_summary s = summary_of(g, count * devices);
    s.per_device = devices > 1;
    return s;
}

static bool overlap(struct ttp_box a, struct ttp_box b)
{
    return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/* Everything is on the page, and no text lies on another. */
static void check_layout(const struct ttp_picture *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct ttp_shape *s = &p->shape[i];
        const bool is_text = s->kind == TTP_SHAPE_TEXT;
        const struct ttp_box box = is_text ? ttp_picture_extent(s) : s->box;
        if (!(box.x >= 0 && box.y >= 0 && box.x + box.w <= p->width + 1e-9 &&
              box.y + box.h <= p->height + 1e-9))
            fail_msg("outside the page: %.*s at %g %g %g %g", TTP_FMT(s->text), box.x, box.y, box.w,
                     box.h);
        for (size_t k = 0; is_text && k < i; k++)
            if (p->shape[k].kind == TTP_SHAPE_TEXT &&
                overlap(box, ttp_picture_extent(&p->shape[k])))
                fail_msg("'%.*s' lies on '%.*s'", TTP_FMT(s->text), TTP_FMT(p->shape[k].text));
    }
}

/* Labels stay inside the segment below them: the last one drawn that their middle lies on. Counts
 * are never cut. */
static void check_labels(const struct ttp_picture *p)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->shape[i].kind != TTP_SHAPE_TEXT)
            continue;
        const struct ttp_box t = ttp_picture_extent(&p->shape[i]);
        if (ttp_str_has(p->shape[i].text, TTP_STR(" more")))
            assert_true(ttp_str_ends(p->shape[i].text, TTP_STR(" %")));
        for (size_t k = i; k-- > 1;) {
            const struct ttp_box *b = &p->shape[k].box;
            const double x = t.x + t.w / 2, y = t.y + t.h / 2;
            if (p->shape[k].kind != TTP_SHAPE_RECT || x < b->x || x > b->x + b->w || y < b->y ||
                y > b->y + b->h)
                continue;
            assert_true(t.x >= b->x && t.x + t.w <= b->x + b->w);
            break;
        }
    }
}

static const struct ttp_shape *find_text(const struct ttp_picture *p, const char *part)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->shape[i].kind == TTP_SHAPE_TEXT && ttp_str_has(p->shape[i].text, ttp_str_from(part)))
            return &p->shape[i];
    return NULL;
}

static struct ttp_picture draw(const struct ttp_summary *s, bool classic, struct ttp_arena *arena)
{
    const struct ttp_picture_style style = {.classic_colors = classic};
    struct ttp_picture p;

    ttp_picture_summary(&p, s, &style, arena);
    return p;
}

static void test_picture__texts_stay_on_the_page_and_apart(void **state)
{
    static const size_t groups[] = {1, 2, 7, 30, 200}, devices[] = {1, 2, 3, 32};

    for (size_t g = 0; g < TTP_COUNT(groups); g++)
        for (size_t d = 0; d < TTP_COUNT(devices); d++)
            for (int classic = 0; classic < 2; classic++) {
                const struct ttp_summary s = many(groups[g], devices[d], *state);
                const struct ttp_picture p = draw(&s, classic, *state);
                check_layout(&p);
                check_labels(&p);
            }
}

static void test_picture__areas_are_proportional_to_times(void **state)
{
    const struct ttp_summary s = many(40, 3, *state);
    const struct ttp_picture p = draw(&s, false, *state);
    double area = 0, total = 0;
    size_t seen = 0;

    for (size_t i = 1; i < p.count; i++)
        if (p.shape[i].kind == TTP_SHAPE_RECT)
            area += p.shape[i].box.w * p.shape[i].box.h;
    for (size_t i = 0; i < s.count; i++)
        total += s.group[i].time_us;
    for (size_t i = 1; i < p.count; i++) {
        if (p.shape[i].kind != TTP_SHAPE_RECT)
            continue;
        const double us = p.shape[i].box.w * p.shape[i].box.h / area * total;
        double nearest = INFINITY;
        for (size_t k = 0; k < s.count; k++)
            if (ttp_str_starts(p.shape[i].text, s.group[k].key))
                nearest = fmin(nearest, fabs(us - s.group[k].time_us));
        assert_true(nearest < 1e-6);
        seen++;
    }
    assert_int_equal(seen, s.count);
}

static void test_picture__categories_are_stacked_in_their_order(void **state)
{
    struct ttp_group g[] = {
        group("last", TTP_CATEGORY_OTHER, 500, 1),    group("moved", TTP_CATEGORY_DM, 90, 1),
        group("second", TTP_CATEGORY_COMPUTE, 20, 1), group("first", TTP_CATEGORY_COMPUTE, 30, 1),
        group("shaped", TTP_CATEGORY_TM, 60, 1),      group("sent", TTP_CATEGORY_CCL, 70, 1),
        group("hosted", TTP_CATEGORY_HOST, 40, 1),
    };
    static const char *const order[] = {"first", "second", "sent", "shaped",
                                        "moved", "hosted", "last"};
    const struct ttp_summary s = summary_of(g, TTP_COUNT(g));
    const struct ttp_picture p = draw(&s, false, *state);
    size_t at = 0;

    for (size_t i = 1; i < p.count; i++)
        if (p.shape[i].kind == TTP_SHAPE_RECT)
            assert_true(ttp_str_starts(p.shape[i].text, ttp_str_from(order[at++])));
    assert_int_equal(at, TTP_COUNT(order));
}

static void test_picture__classic_colors_have_no_categories(void **state)
{
    const struct ttp_summary s = many(30, 1, *state);
    const struct ttp_picture p = draw(&s, true, *state);

    assert_null(find_text(&p, "Compute"));
    assert_int_equal(p.shape[0].rgb, 0xffffff);
    for (size_t i = 0; i < p.count; i++)
        assert_int_not_equal(p.shape[i].kind, TTP_SHAPE_FRAME);
    assert_non_null(find_text(&p, "more below 2 %"));
}

static void test_picture__a_key_has_one_color_on_all_devices(void **state)
{
    struct ttp_group g[] = {
        group("a", TTP_CATEGORY_TM, 60, 1),
        group("b", TTP_CATEGORY_TM, 40, 1),
        group("a", TTP_CATEGORY_TM, 30, 1),
        group("b", TTP_CATEGORY_TM, 70, 1),
    };
    g[2].device = g[3].device = 1;
    struct ttp_summary s = summary_of(g, TTP_COUNT(g));
    s.per_device = true;
    const struct ttp_picture p = draw(&s, false, *state);
    uint32_t rgb[2] = {0};

    for (size_t i = 1; i < p.count; i++) {
        const struct ttp_shape *r = &p.shape[i];
        if (r->kind != TTP_SHAPE_RECT)
            continue;
        uint32_t *mine = &rgb[r->text.ptr[0] - 'a'];
        assert_true(*mine == 0 || *mine == r->rgb);
        *mine = r->rgb;
    }
    assert_int_not_equal(rgb[0], rgb[1]);
}

static void test_picture__no_device_time_is_said(void **state)
{
    struct ttp_group g[] = {group("(torch) add", TTP_CATEGORY_HOST, 0, 4),
                            group("odd", TTP_CATEGORY_TM, NAN, 1),
                            group("back", TTP_CATEGORY_TM, -3, 1)};

    for (size_t n = 0; n <= TTP_COUNT(g); n++) {
        struct ttp_summary s = summary_of(g, n);
        for (int per_device = 0; per_device < 2; per_device++) {
            s.per_device = per_device;
            const struct ttp_picture p = draw(&s, false, *state);
            check_layout(&p);
            assert_non_null(find_text(&p, "no device time"));
        }
    }
}

static void test_picture__long_names_are_shortened(void **state)
{
    char name[2000];
    memset(name, 'W', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    struct ttp_group g[] = {group(name, TTP_CATEGORY_COMPUTE, 70, 1),
                            group(name, TTP_CATEGORY_TM, 3, 1000000)};
    struct ttp_summary s = summary_of(g, TTP_COUNT(g));

    for (int per_device = 0; per_device < 2; per_device++) {
        s.per_device = per_device;
        const struct ttp_picture p = draw(&s, false, *state);
        check_layout(&p);
        check_labels(&p);
        assert_non_null(find_text(&p, "W\xe2\x80\xa6"));
    }
}

static void test_picture__odd_sizes_of_time_have_an_axis(void **state)
{
    static const double times[] = {1e-190, 1e-30, 1e-9, 0.004, 0.1, 1, 8, 1e6, 1e12, 1e18, 1e190};

    for (size_t i = 0; i < TTP_COUNT(times); i++) {
        struct ttp_group g[] = {group("x", TTP_CATEGORY_DM, times[i], 1),
                                group("y", TTP_CATEGORY_DM, times[i] / 7, 1)};
        const struct ttp_summary s = summary_of(g, times[i] < 1e100 ? 2 : 1);
        const struct ttp_picture p = draw(&s, false, *state);
        size_t ticks = 0;
        for (size_t k = 0; k < p.count; k++)
            ticks += p.shape[k].kind == TTP_SHAPE_TEXT && p.shape[k].font.size == 7;
        assert_in_range(ticks, 3, 9);
        if (times[i] < 1e100)
            check_layout(&p);
    }
}

static void test_picture__text_is_made_clean(void **state)
{
    static const struct {
        ttp_str in, out;
    } cases[] = {
        {TTP_STR(""), TTP_STR("")},
        {TTP_STR("Matmul"), TTP_STR("Matmul")},
        {TTP_STR("a\nb\x7f"), TTP_STR("a\xef\xbf\xbd"
                                      "b\xef\xbf\xbd")},
        {TTP_STR("\xc3\xa9\xff"
                 "e"),
         TTP_STR("\xc3\xa9\xef\xbf\xbd"
                 "e")},
        {TTP_STR("\xc2\x85"), TTP_STR("\xef\xbf\xbd")},
        {TTP_STR("\xef\xbf\xbf"), TTP_STR("\xef\xbf\xbd")},
        {TTP_STR("\xe6\x97\xa5\xf0\x9f\x98\x80"), TTP_STR("\xe6\x97\xa5\xf0\x9f\x98\x80")},
        {TTP_STR("\xe6\x97"), TTP_STR("\xef\xbf\xbd\xef\xbf\xbd")},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        assert_true(ttp_str_eq(ttp_picture_clean(cases[i].in, *state), cases[i].out));
}

static void test_picture__shortening_keeps_whole_characters(void **state)
{
    const struct ttp_font font = {.size = 10};
    const ttp_str text = TTP_STR("\xe6\x97\xa5\xe6\x97\xa5 \xe6\x97\xa5");

    /* 10 points per ideograph and for the ellipsis, 3.18 for the blank */
    assert_true(ttp_str_eq(ttp_picture_fit(text, &font, 34, *state), text));
    assert_true(ttp_str_eq(ttp_picture_fit(text, &font, 33, *state),
                           TTP_STR("\xe6\x97\xa5\xe6\x97\xa5\xe2\x80\xa6")));
    assert_true(
        ttp_str_eq(ttp_picture_fit(text, &font, 25, *state), TTP_STR("\xe6\x97\xa5\xe2\x80\xa6")));
    assert_int_equal(ttp_picture_fit(text, &font, 15, *state).len, 0);
}

/* ---- back ends ---- */

/* Small, with what XML must escape and what is not ASCII. */
static struct ttp_summary small_summary(struct ttp_group *g)
{
    g[0] = group("Matmul<32 & \"64\">", TTP_CATEGORY_COMPUTE, 700.25, 12);
    g[0].has_flops = g[0].has_std = g[0].has_weighted = true;
    g[0].flops_min = 10;
    g[0].flops_max = 30.5;
    g[0].flops_mean = 20;
    g[0].flops_weighted = 22.5;
    g[0].flops_std = 4.5;
    g[1] = group("Transpose \xc3\xa9\xe6\x97\xa5", TTP_CATEGORY_TM, 200, 1);
    g[2] = group("Tilize", TTP_CATEGORY_TM, 10, 2);
    g[3] = group("Copy", TTP_CATEGORY_DM, 5, 1);
    return summary_of(g, 4);
}

static ttp_str svg_of(const struct ttp_summary *s, struct ttp_arena *arena)
{
    const struct ttp_picture_style style = {0};
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_out_summary_svg(&out, s, &style, arena);
    return ttp_sink_text(&out);
}

static void test_picture__svg_of_a_small_summary(void **state)
{
    struct ttp_group g[4];
    const struct ttp_summary s = small_summary(g);

    assert_golden(svg_of(&s, *state), "picture_small.svg");
}

static void test_picture__svg_is_the_same_each_time(void **state)
{
    const struct ttp_summary s = many(50, 4, *state);

    assert_true(ttp_str_eq(svg_of(&s, *state), svg_of(&s, *state)));
}

static void test_picture__svg_is_well_formed(void **state)
{
    struct ttp_group g[4];
    const struct ttp_summary s = small_summary(g);
    const ttp_str svg = svg_of(&s, *state);

    /* NOLINTNEXTLINE(cert-env33-c): a fixed command */
    FILE *lint = popen("if command -v xmllint >/dev/null; then xmllint --noout -; "
                       "else cat >/dev/null; exit 77; fi",
                       "w");
    assert_non_null(lint);
    assert_int_equal(fwrite(svg.ptr, 1, svg.len, lint), svg.len);
    const int status = pclose(lint);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        print_message("SKIPPED: no xmllint (libxml2-utils) to read the SVG with\n");
        skip();
    }
    assert_int_equal(status, 0);
}

/* Skips the test, aloud, where the library is missing. */
static ttp_str png_of(const struct ttp_summary *s, struct ttp_arena *arena)
{
    const struct ttp_picture_style style = {0};
    struct ttp_err err = {0};
    struct ttp_sink out;

    ttp_test_needs("cairo");
    ttp_sink_to_arena(&out, arena);
    const ttp_code rc = ttp_out_summary_png(&out, s, &style, arena, &err);
    if (rc == TTP_EMISSING) {
        print_message("SKIPPED: %s (%s)\n", err.text, err.hint);
        skip();
    }
    assert_int_equal(rc, TTP_OK);
    return ttp_sink_text(&out);
}

static uint32_t big_endian(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;

    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void check_png(ttp_str png, uint32_t width, uint32_t height)
{
    static const char signature[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

    assert_true(png.len > 24);
    assert_memory_equal(png.ptr, signature, sizeof(signature) - 1);
    assert_int_equal(big_endian(png.ptr + 16), width);
    assert_int_equal(big_endian(png.ptr + 20), height);
    assert_true(ttp_str_ends(png, TTP_STR("IEND\xae\x42\x60\x82")));
}

static void test_picture__png_has_300_dots_per_inch(void **state)
{
    struct ttp_group g[4];
    const struct ttp_summary s = small_summary(g), none = summary_of(g, 0);
    const struct ttp_summary devices = many(5, 4, *state);
    const ttp_str png = png_of(&s, *state), empty = png_of(&none, *state);

    check_png(png, 1800, 2400);
    check_png(empty, 1800, 2400);
    check_png(png_of(&devices, *state), 2400, 2400);
    assert_true(png.len > empty.len + 10000); /* an even page would compress to the same */
}

static void test_picture__png_of_very_many_devices_has_fewer_dots(void **state)
{
    const struct ttp_summary s = many(1, 128, *state);

    check_png(png_of(&s, *state), 32767, 1024);
}

static void test_picture__png_needs_its_library(void **state)
{
    struct ttp_group g[4];
    const struct ttp_summary s = small_summary(g);
    const struct ttp_picture p = draw(&s, false, *state);
    struct ttp_err err = {0};
    struct ttp_sink out;

    ttp_sink_to_arena(&out, *state);
    assert_int_equal(ttp_picture_png(&out, &p, "libcairo.so.missing", &err), TTP_EMISSING);
    assert_int_equal(ttp_sink_text(&out).len, 0);
    assert_non_null(strstr(err.hint, "install libcairo2"));
#ifdef TTP_HAVE_CAIRO
    assert_string_equal(err.text, "cannot load 'libcairo.so.missing'");
    /* A library of that name with other contents. */
    assert_int_equal(ttp_picture_png(&out, &p, "libc.so.6", &err), TTP_EMISSING);
    assert_string_equal(err.text, "'libc.so.6' has no 'cairo_image_surface_create'");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_picture__texts_stay_on_the_page_and_apart),
        TTP_TEST_ARENA(test_picture__areas_are_proportional_to_times),
        TTP_TEST_ARENA(test_picture__categories_are_stacked_in_their_order),
        TTP_TEST_ARENA(test_picture__classic_colors_have_no_categories),
        TTP_TEST_ARENA(test_picture__a_key_has_one_color_on_all_devices),
        TTP_TEST_ARENA(test_picture__no_device_time_is_said),
        TTP_TEST_ARENA(test_picture__long_names_are_shortened),
        TTP_TEST_ARENA(test_picture__odd_sizes_of_time_have_an_axis),
        TTP_TEST_ARENA(test_picture__text_is_made_clean),
        TTP_TEST_ARENA(test_picture__shortening_keeps_whole_characters),
        TTP_TEST_ARENA(test_picture__svg_of_a_small_summary),
        TTP_TEST_ARENA(test_picture__svg_is_the_same_each_time),
        TTP_TEST_ARENA(test_picture__svg_is_well_formed),
        TTP_TEST_ARENA(test_picture__png_has_300_dots_per_inch),
        TTP_TEST_ARENA(test_picture__png_of_very_many_devices_has_fewer_dots),
        TTP_TEST_ARENA(test_picture__png_needs_its_library),
    };
    return ttp_test_end(cmocka_run_group_tests_name("outputs/picture", tests, NULL, NULL));
}
