/* SPDX-License-Identifier: Apache-2.0 */
#include "compat/compat.h"
#include "test.h"

/* One letter for a record of BRISC on core (x, 1): '(' and ')' are a zone A, '[' and ']' a zone B,
 * '.' is a read. Each digit before it is x, 1 if there is none; records are 10 cycles apart. */
static const struct ttp_noc_rules our_rules = {0};

static void make_trace(struct ttp_noc_trace *t, const char *text, bool strict,
                       struct ttp_arena *arena)
{
    int32_t x = 1;

    *t = (struct ttp_noc_trace){.cut_values = strict, .strict_zones = strict, .names.arena = arena};
    t->event = TTP_NEW(arena, struct ttp_noc_event, strlen(text));
    const ttp_sym a = ttp_sym_intern(&t->names, TTP_STR("A"));
    const ttp_sym b = ttp_sym_intern(&t->names, TTP_STR("B"));
    for (; *text; text++) {
        if (*text >= '0' && *text <= '9') {
            x = *text - '0';
            continue;
        }
        const bool start = *text == '(' || *text == '[', end = *text == ')' || *text == ']';
        t->event[t->nevents] = (struct ttp_noc_event){.cycle = 10 * t->nevents,
                                                      .bytes = 64,
                                                      .fabric = TTP_NOC_NO_FABRIC,
                                                      .name = *text == '(' || *text == ')' ? a : b,
                                                      .sx = x,
                                                      .sy = 1,
                                                      .dx = 0,
                                                      .dy = 0,
                                                      .type = (uint8_t)(start ? TTP_NOC_ZONE_START
                                                                        : end ? TTP_NOC_ZONE_END
                                                                              : TTP_NOC_READ),
                                                      .risc = TTP_NOC_RISC_BRISC};
        t->nevents++;
    }
    t->last_cycle = 10 * t->nevents;
}

/* The zones around the last record: "A0B1". */
static ttp_code walk(char *out, const char *text, bool strict, struct ttp_arena *arena)
{
    struct ttp_noc_trace t;
    struct ttp_noc_zone_walk w;

    make_trace(&t, text, strict, arena);
    ttp_noc_zones_init(&w, &t, arena);
    const ttp_code rc = ttp_noc_zones_enter(&w, t.nevents - 1, NULL);
    for (size_t i = 0; i < w.nopen && !w.away; i++) {
        *out++ = ttp_sym_name(&t.names, w.open[i].name).ptr[0];
        *out++ = (char)('0' + w.open[i].count);
    }
    *out = '\0';
    return rc;
}

static void test_noc_zones__the_zones_around_a_record(void **state)
{
    static const struct {
        const char *text, *open, *strict; /* strict NULL: refused */
    } cases[] = {
        {"(.", "A0", "A0"},        {"([.", "A0B0", "A0B0"},
        {"()([.", "A1B0", "A1B0"}, {"([].", "A0", "A0"},
        {"(].", "A0", NULL},       {"([)].", "A0", NULL},
        {").", "", NULL},          {".", "", NULL},
        {"(.2.", "", "A0"},      /* tt-npe: the zones of the core before */
        {"(.2[.1.", "A0", "A0"}, /* from the beginning of the core's zones */
        {"(.2[.1).", "", ""},      {"2[.1.", "", "B0"},
    };
    char open[32];

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        assert_int_equal(walk(open, cases[i].text, false, *state), TTP_OK);
        assert_string_equal(open, cases[i].open);
        const ttp_code rc = walk(open, cases[i].text, true, *state);
        assert_int_equal(rc, cases[i].strict ? TTP_OK : TTP_EPARSE);
        if (cases[i].strict)
            assert_string_equal(open, cases[i].strict);
    }
}

static void test_noc_zones__what_does_not_pair_up_is_counted(void **state)
{
    static const struct {
        const char *text;
        size_t count;
        uint32_t first, first_end;
    } cases[] = {
        {"([.])", 0, UINT32_MAX, UINT32_MAX},
        {"([.]", 1, 0, UINT32_MAX},
        {"(.]", 2, 0, 2},
        {"()).", 1, 2, 2},
        {"(.)2)1()", 1, 3, 3},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const struct ttp_noc_model *m = ttp_device_noc_model(TTP_STR("wormhole_b0"));
        struct ttp_noc_trace t;
        struct ttp_noc_load load;

        make_trace(&t, cases[i].text, false, *state);
        assert_int_equal(
            ttp_noc_from_trace(&load, (struct ttp_noc_modelling){m, &our_rules}, &t, *state, NULL),
            TTP_OK);
        assert_int_equal(load.unpaired.count, cases[i].count);
        assert_int_equal(load.unpaired.first, cases[i].first);
        assert_int_equal(load.unpaired.first_end, cases[i].first_end);
    }
}

static void test_noc_zones__a_multicast_that_ends_before_it_starts(void **state)
{
    static const struct {
        int32_t sx, sy, ex, ey;
        ttp_code strict;
        size_t ours;
    } cases[] = {
        {2, 2, 4, 3, TTP_OK, 1},
        {4, 2, 2, 3, TTP_OK, 0},
        {2, 3, 4, 2, TTP_OK, 0},
        {4, 3, 2, 2, TTP_EPARSE, 0},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const struct ttp_noc_model *m = ttp_device_noc_model(TTP_STR("wormhole_b0"));
        struct ttp_noc_trace t;
        struct ttp_noc_load load;

        make_trace(&t, "(.)", true, *state);
        t.event[1].type = TTP_NOC_WRITE_MULTICAST;
        t.event[1].mcast_start_x = cases[i].sx;
        t.event[1].mcast_start_y = cases[i].sy;
        t.event[1].mcast_end_x = cases[i].ex;
        t.event[1].mcast_end_y = cases[i].ey;
        assert_int_equal(ttp_noc_from_trace(&load, (struct ttp_noc_modelling){m, &ttp_compat_noc},
                                            &t, *state, NULL),
                         cases[i].strict);
        assert_int_equal(
            ttp_noc_from_trace(&load, (struct ttp_noc_modelling){m, &our_rules}, &t, *state, NULL),
            TTP_OK);
        assert_int_equal(load.ntransfers, cases[i].ours);
        assert_int_equal(load.skipped[TTP_NOC_SKIP_RECT], 1 - cases[i].ours);
        assert_int_equal(load.first_skipped[TTP_NOC_SKIP_RECT], cases[i].ours ? 0 : 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_noc_zones__the_zones_around_a_record),
        TTP_TEST_ARENA(test_noc_zones__what_does_not_pair_up_is_counted),
        TTP_TEST_ARENA(test_noc_zones__a_multicast_that_ends_before_it_starts),
    };
    return cmocka_run_group_tests_name("noc/zones", tests, NULL, NULL);
}
