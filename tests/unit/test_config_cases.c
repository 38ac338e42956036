/* SPDX-License-Identifier: Apache-2.0 */
/* test_config_cases.c - every line of tests/data/config/cases.tsv: what tt-metal accepts, what ttnn
 * picked in real runs, and what engineers used in the end. */
#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "config/config_parts.h"
#include "test.h"

#define FIELDS 20
/* The column has what the cost model of the specification says. */
#define TOLERANCE 0.005

struct line {
    ttp_str field[FIELDS];
    size_t fields;
};

static struct ttp_arena arena;
static struct ttp_file file;
static struct line *lines;
static size_t nlines;

static int load(void **state)
{
    ttp_str rest, text;

    (void)state;
    assert_int_equal(ttp_file_map(&file, TTP_SOURCE_DIR "/tests/data/config/cases.tsv", NULL),
                     TTP_OK);
    rest = file.text;
    lines = TTP_NEW(&arena, struct line, 1000);
    while (ttp_str_next_line(&rest, &text) && nlines < 1000)
        if (text.len && text.ptr[0] != '#') {
            lines[nlines].fields = ttp_str_split(text, '\t', lines[nlines].field, FIELDS);
            nlines++;
        }
    return 0;
}

static int unload(void **state)
{
    (void)state;
    ttp_file_close(&file);
    ttp_arena_free(&arena);
    return 0;
}

static void start(struct ttp_matmul *p, ttp_str board)
{
    struct ttp_cost_chip chip;

    assert_true(ttp_cost_chip_of(&chip, ttp_board_find(ttp_boards_builtin(), board)));
    ttp_cost_matmul_init(p, &chip);
}

static bool next_word(ttp_str *rest, ttp_str *word)
{
    *rest = ttp_str_trim(*rest);
    const size_t end = ttp_str_find_char(*rest, ' ');
    *word = ttp_str_slice(*rest, 0, end);
    *rest = ttp_str_slice(*rest, end == TTP_NPOS ? rest->len : end + 1, rest->len);
    return word->len > 0;
}

static void number(ttp_str *rest, uint64_t *out)
{
    ttp_str word;

    assert_true(next_word(rest, &word));
    assert_true(ttp_str_to_u64(word, out));
}

/* "M K N --option value ...", then "name=value ..." or "-". */
static void read_problem(struct ttp_matmul *p, ttp_str text, ttp_str extra)
{
    const size_t at = ttp_str_find(text, TTP_STR("--board "));
    ttp_str board = TTP_STR("p150"), word, value, rest;

    if (at != TTP_NPOS) {
        rest = ttp_str_slice(text, at + 8, text.len);
        (void)next_word(&rest, &board);
    }
    start(p, board);
    rest = text;
    number(&rest, &p->m);
    number(&rest, &p->k);
    number(&rest, &p->n);
    while (next_word(&rest, &word)) {
        const char *name = ttp_arena_zstr(&arena, ttp_str_slice(word, 2, word.len));

        value = (ttp_str){0};
        if (rest.len && !ttp_str_starts(rest, TTP_STR("--")))
            (void)next_word(&rest, &value);
        if (strcmp(name, "board") != 0)
            assert_int_equal(ttp_config_matmul_set(p, name, value, NULL), TTP_OK);
    }
    rest = extra;
    while (!ttp_str_eq(extra, TTP_STR("-")) && next_word(&rest, &word)) {
        const size_t sign = ttp_str_find_char(word, '=');

        assert_int_equal(ttp_config_matmul_set(p,
                                               ttp_arena_zstr(&arena, ttp_str_slice(word, 0, sign)),
                                               ttp_str_slice(word, sign + 1, word.len), NULL),
                         TTP_OK);
    }
}

static double real(ttp_str text)
{
    double v;

    assert_true(ttp_str_to_f64(text, &v));
    return v;
}

static bool near(double got, double wanted)
{
    return fabs(got / wanted - 1) <= TOLERANCE;
}

static void test_config_cases__verdict_rule_l1_and_time_are_as_expected(void **state)
{
    size_t seen = 0, wrong = 0;

    (void)state;
    for (size_t i = 0; i < nlines; i++) {
        const struct line *l = &lines[i];
        struct ttp_config_check check;
        struct ttp_matmul_config c;
        struct ttp_matmul_time time;
        struct ttp_matmul p;
        uint64_t bytes;

        if (!ttp_str_eq(l->field[0], TTP_STR("legal")))
            continue;
        seen++;
        read_problem(&p, l->field[2], l->field[3]);
        assert_int_equal(ttp_config_parse(&c, l->field[4], NULL), TTP_OK);
        ttp_config_check(&check, &p, &c);
        const char *got = check.rule ? check.rule : "accept";
        bool ok = ttp_str_eq(l->field[5], ttp_str_from(got));
        if (l->fields > 6 && l->field[6].len) {
            assert_true(ttp_str_to_u64(l->field[6], &bytes));
            ok = ok && check.has_l1 && check.l1_bytes == bytes;
        }
        const bool timed = ttp_cost_matmul(&time, &p, &c);
        if (l->fields > 7 && l->field[7].len)
            ok = ok && timed && near(time.ns / 1e3, real(l->field[7]));
        if (ok)
            continue;
        wrong++;
        print_message("%.*s: %s (%s), %llu bytes, %.2f us\n", TTP_FMT(l->field[1]), got,
                      check.reason, (unsigned long long)check.l1_bytes, time.ns / 1e3);
    }
    assert_true(seen > 70);
    assert_int_equal(wrong, 0);
}

static void test_config_cases__ttnn_picks_what_it_picked_in_real_runs(void **state)
{
    size_t seen = 0, wrong = 0;

    (void)state;
    for (size_t i = 0; i < nlines; i++) {
        const struct line *l = &lines[i];
        struct ttp_config_auto got;
        struct ttp_matmul_config wanted;
        struct ttp_matmul p;

        if (!ttp_str_eq(l->field[0], TTP_STR("auto")))
            continue;
        seen++;
        read_problem(&p, l->field[2], TTP_STR("-"));
        assert_int_equal(ttp_config_parse(&wanted, l->field[3], NULL), TTP_OK);
        wanted.fuse_batch = false; /* ttnn never fuses on its own; the column does not state it */
        if (ttp_config_auto(&got, &p, false) && ttp_config_same(&got.config, &wanted))
            continue;
        wrong++;
        print_message("%.*s: %.*s\n", TTP_FMT(l->field[1]),
                      TTP_FMT(ttp_config_text(&got.config, &arena)));
    }
    assert_true(seen >= 19);
    assert_int_equal(wrong, 0);
}

static uint64_t number_after(ttp_str text, ttp_str key)
{
    const size_t at = ttp_str_find(text, key) + key.len;
    size_t end = at;
    uint64_t v;

    while (end < text.len && text.ptr[end] >= '0' && text.ptr[end] <= '9')
        end++;
    assert_true(ttp_str_to_u64(ttp_str_slice(text, at, end), &v));
    return v;
}

/* "M=32 K=2880 N=1280 batch=1/1", "BFLOAT16,BFLOAT8_B->BFLOAT16 LoFi fp32acc",
 * "L1_WIDTH_SHARDED | DRAM_INTERLEAVED | L1_WIDTH_SHARDED" */
static void read_rank(struct ttp_matmul *p, const struct line *l)
{
    char type[3][32], fidelity[16], memory[3][32];

    start(p, l->field[2]);
    p->m = number_after(l->field[3], TTP_STR("M="));
    p->k = number_after(l->field[3], TTP_STR("K="));
    p->n = number_after(l->field[3], TTP_STR("N="));
    p->batch = number_after(l->field[3], TTP_STR("batch="));
    p->batch_b = number_after(l->field[3], TTP_STR("/"));
    assert_int_equal(sscanf(ttp_arena_zstr(&arena, l->field[4]), "%31[^,],%31[^-]->%31s %15s",
                            type[0], type[1], type[2], fidelity),
                     4);
    assert_true(ttp_cost_tile_type_find(&p->a, ttp_str_from(type[0])));
    assert_true(ttp_cost_tile_type_find(&p->b, ttp_str_from(type[1])));
    assert_true(ttp_cost_tile_type_find(&p->out, ttp_str_from(type[2])));
    assert_true(ttp_device_find_fidelity(ttp_str_from(fidelity), &p->fidelity));
    p->fp32_acc = ttp_str_has(l->field[4], TTP_STR("fp32acc"));
    assert_int_equal(sscanf(ttp_arena_zstr(&arena, l->field[5]), "%31s | %31s | %31s", memory[0],
                            memory[1], memory[2]),
                     3);
    assert_int_equal(ttp_config_parse_placement(&p->in0, ttp_str_from(memory[0]), NULL), TTP_OK);
    assert_int_equal(ttp_config_parse_placement(&p->in1, ttp_str_from(memory[1]), NULL), TTP_OK);
    assert_int_equal(ttp_config_parse_placement(&p->out_at, ttp_str_from(memory[2]), NULL), TTP_OK);
}

static void test_config_cases__configs_that_engineers_used_are_accepted_and_predicted(void **state)
{
    size_t seen = 0, wrong = 0;

    (void)state;
    for (size_t i = 0; i < nlines; i++) {
        const struct line *l = &lines[i];
        struct ttp_config_check check;
        struct ttp_matmul_config c;
        struct ttp_matmul_time time;
        struct ttp_matmul p;

        if (!ttp_str_eq(l->field[0], TTP_STR("rank")))
            continue;
        seen++;
        read_rank(&p, l);
        assert_int_equal(ttp_config_parse(&c, l->field[6], NULL), TTP_OK);
        if (p.batch > 1) /* the column does not state it: batches were not folded */
            c.fuse_batch = false;
        ttp_config_check(&check, &p, &c);
        const bool timed = ttp_cost_matmul(&time, &p, &c);
        if (check.verdict == TTP_CONFIG_LEGAL && timed && near(time.ns / 1e3, real(l->field[9])))
            continue;
        wrong++;
        print_message("%.*s %.*s: %s %s, %.2f us\n", TTP_FMT(l->field[3]), TTP_FMT(l->field[6]),
                      ttp_config_verdict_name(check.verdict), check.reason, time.ns / 1e3);
    }
    assert_true(seen >= 29);
    assert_int_equal(wrong, 0);
}

static void test_config_cases__the_search_finds_what_the_specification_found(void **state)
{
    size_t seen = 0, wrong = 0;

    (void)state;
    for (size_t i = 0; i < nlines; i++) {
        const struct line *l = &lines[i];
        const struct ttp_config_request request = {.keep_placement = true};
        struct ttp_config_proposals found;
        const struct ttp_config_row *best = NULL;
        struct ttp_matmul p;

        if (!ttp_str_eq(l->field[0], TTP_STR("rank")))
            continue;
        seen++;
        read_rank(&p, l);
        ttp_config_propose(&found, &p, &request, &arena);
        for (size_t r = 0; r < found.count && !best; r++)
            if (found.row[r].origin == TTP_ORIGIN_PROPOSED)
                best = &found.row[r];
        /* equal within 2 %, and the one that asks least of those */
        if (best && best->check.verdict == TTP_CONFIG_LEGAL &&
            best->time.ns / 1e3 <= real(l->field[14]) * 1.025)
            continue;
        wrong++;
        print_message("%.*s %.*s: %.*s of %zu takes %.1f us, not %.*s us\n", TTP_FMT(l->field[3]),
                      TTP_FMT(l->field[4]),
                      TTP_FMT(best ? ttp_config_line(&best->config, &arena) : TTP_STR("nothing")),
                      found.legal, best ? best->time.ns / 1e3 : 0, TTP_FMT(l->field[14]));
    }
    assert_true(seen >= 29);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_config_cases__verdict_rule_l1_and_time_are_as_expected),
        cmocka_unit_test(test_config_cases__ttnn_picks_what_it_picked_in_real_runs),
        cmocka_unit_test(test_config_cases__configs_that_engineers_used_are_accepted_and_predicted),
        cmocka_unit_test(test_config_cases__the_search_finds_what_the_specification_found),
    };

    return cmocka_run_group_tests(tests, load, unload);
}
