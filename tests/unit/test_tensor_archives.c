/* SPDX-License-Identifier: Apache-2.0 */
/* Zip files and pickles made by hand: what tensor files may hold, and what is wrong with each that
 * is refused. */
#include "base/sink.h"
#include "tensor/pickle.h"
#include "tensor/tensor_load.h"
#include "tensor/zip.h"
#include "test.h"

#define BYTES(s) ((ttp_str){(s), sizeof(s) - 1})

/* --- pickles --- */

static void test_pickle__values_of_every_kind(void **state)
{
    static const struct {
        ttp_str pickle;
        enum ttp_pickle_kind kind;
        int64_t number; /* of an INT; else how many items */
    } cases[] = {
        {BYTES("\x8a\0."), TTP_PICKLE_INT, 0},
        {BYTES("\x8a\1\xff."), TTP_PICKLE_INT, -1},
        {BYTES("\x8a\2\0\1."), TTP_PICKLE_INT, 256},
        {BYTES("\x8b\x08\0\0\0\1\0\0\0\0\0\0\x80."), TTP_PICKLE_INT, INT64_MIN + 1},
        {BYTES("J\xfe\xff\xff\xff."), TTP_PICKLE_INT, -2},
        {BYTES("K\1N0."), TTP_PICKLE_INT, 1},
        {BYTES("K\1(NN1."), TTP_PICKLE_INT, 1},
        {BYTES("K\1(0."), TTP_PICKLE_INT, 1}, /* POP takes the mark */
        {BYTES("(K\1K\2l."), TTP_PICKLE_LIST, 2},
        {BYTES("]K\1aK\2aK\3aK\4aK\5a."), TTP_PICKLE_LIST, 5},
        {BYTES("(K\1K\2d."), TTP_PICKLE_DICT, 2},
        {BYTES("K\1"
               "2\x86."),
         TTP_PICKLE_TUPLE, 2},
        {BYTES("cm\nf\n)}\x92."), TTP_PICKLE_OBJECT, 0},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_pickle p;

        assert_int_equal(ttp_tensor_pickle_read(&p, cases[i].pickle, *state, NULL), TTP_OK);
        const struct ttp_pickle_node *root = &p.node[p.root];
        assert_int_equal(root->kind, cases[i].kind);
        assert_int_equal(root->kind == TTP_PICKLE_INT ? root->number : root->count,
                         cases[i].number);
    }
}

static void test_pickle__an_object_keeps_what_it_is_built_of(void **state)
{
    struct ttp_pickle p;

    assert_int_equal(ttp_tensor_pickle_read(&p, BYTES("cm\nf\n)RK\7b."), *state, NULL), TTP_OK);
    assert_int_equal(p.node[p.root].kind, TTP_PICKLE_OBJECT);
    assert_int_equal(p.node[p.node[p.root].state].number, 7);
    assert_int_equal(ttp_tensor_pickle_read(&p, BYTES("K\1K\7b."), *state, NULL), TTP_OK);
    assert_int_equal(p.node[p.root].number, 1); /* a number has no state */
}

static void test_pickle__what_is_wrong_is_told(void **state)
{
    static const struct {
        ttp_str pickle;
        const char *text;
    } cases[] = {
        {BYTES(""), "it ends too early"},
        {BYTES("N"), "it ends too early"},
        {BYTES("\x8a\4\1\2"), "it ends too early"},
        {BYTES("cmodule\nname"), "it ends too early"},
        {BYTES("."), "its stack is empty"},
        {BYTES("a."), "its stack is empty"},
        {BYTES("2."), "its stack is empty"},
        {BYTES("q\0."), "its stack is empty"},
        {BYTES("Nb."), "its stack is empty"},
        {BYTES("}\x92."), "its stack is empty"},
        {BYTES("t."), "no mark"},
        {BYTES("1."), "no mark"},
        {BYTES("(K\1d."), "a key without a value"},
        {BYTES("K\1K\2\x93."), "a name that is not text"},
        {BYTES("\xff."), "opcode 0xff"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_pickle p;
        struct ttp_err err = {0};

        assert_int_equal(ttp_tensor_pickle_read(&p, cases[i].pickle, *state, &err), TTP_EPARSE);
        if (!strstr(err.text, cases[i].text))
            fail_msg("case %zu: '%s' does not say '%s'", i, err.text, cases[i].text);
        assert_true(err.offset <= cases[i].pickle.len);
    }
}

/* --- zip --- */

/* A zip file of one member "m", "hello", stored; what is not 0 here is as it says instead. */
struct made_zip {
    uint16_t flags, method, members;
    uint32_t size, packed;
    bool far;      /* the directory is found by the end record of zip64 */
    bool no_place; /* whose locator is wrong */
    bool no_end64; /* which is wrong itself */
    ttp_str extra; /* of the member */
    ttp_str name, content;
};

static void put(struct ttp_sink *out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ttp_sink_char(out, (char)(i < 8 ? value >> (8 * i) : 0));
}

static ttp_str make_zip(const struct made_zip *z, struct ttp_arena *arena)
{
    const ttp_str name = z->name.len ? z->name : TTP_STR("m");
    const ttp_str content = z->content.len ? z->content : TTP_STR("hello");
    const uint32_t size = z->size ? z->size : (uint32_t)content.len;
    const uint32_t packed = z->packed ? z->packed : (uint32_t)content.len;
    const uint16_t members = z->members ? z->members : 1;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, TTP_STR("PK\3\4"));
    put(&out, 0, 22);
    put(&out, name.len, 2);
    put(&out, 0, 2);
    ttp_sink_put(&out, name);
    ttp_sink_put(&out, content);
    const size_t directory = out.len;
    ttp_sink_put(&out, TTP_STR("PK\1\2"));
    put(&out, 0, 4);
    put(&out, z->flags, 2);
    put(&out, z->method, 2);
    put(&out, 0, 8);
    put(&out, packed, 4);
    put(&out, size, 4);
    put(&out, name.len, 2);
    put(&out, z->extra.len, 2);
    put(&out, 0, 14);
    ttp_sink_put(&out, name);
    ttp_sink_put(&out, z->extra);
    const size_t end = out.len;
    if (z->far) {
        ttp_sink_put(&out, z->no_end64 ? TTP_STR("PK\6\5") : TTP_STR("PK\6\6"));
        put(&out, 0, 28);
        put(&out, members, 8);
        put(&out, end - directory, 8);
        put(&out, directory, 8);
        ttp_sink_put(&out, z->no_place ? TTP_STR("PK\6\5") : TTP_STR("PK\6\7"));
        put(&out, 0, 4);
        put(&out, end, 8);
        put(&out, 1, 4);
    }
    ttp_sink_put(&out, TTP_STR("PK\5\6"));
    put(&out, 0, 6);
    put(&out, z->far ? UINT16_MAX : members, 2);
    put(&out, end - directory, 4);
    put(&out, z->far ? UINT32_MAX : directory, 4);
    put(&out, 0, 2);
    return ttp_sink_text(&out);
}

#define EXTRA64(bytes) BYTES("\x99\x99\2\0ab\1\0" bytes)

static void test_zip__members_and_those_of_zip64_are_found(void **state)
{
    static const struct made_zip cases[] = {
        {0},
        {.far = true},
        {.size = UINT32_MAX,
         .packed = UINT32_MAX,
         .extra = EXTRA64("\x10\0\5\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0")},
        {.far = true, .size = UINT32_MAX, .extra = EXTRA64("\x08\0\5\0\0\0\0\0\0\0")},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_zip zip;

        assert_int_equal(ttp_tensor_zip_read(&zip, make_zip(&cases[i], *state), *state, NULL),
                         TTP_OK);
        const struct ttp_zip_member *m = ttp_tensor_zip_find(&zip, TTP_STR("m"));
        assert_non_null(m);
        assert_true(ttp_str_eq(m->raw, TTP_STR("hello")));
        assert_int_equal(m->size, m->raw.len);
    }
}

static void test_zip__what_is_wrong_is_told(void **state)
{
    static const struct {
        struct made_zip zip;
        const char *text;
    } cases[] = {
        {{.flags = 1}, "it is encrypted"},
        {{.method = 12}, "zip member 'm' uses unsupported compression method 12"},
        {{.size = 6}, "a member's sizes do not match"},
        {{.packed = 4}, "a member's sizes do not match"},
        {{.packed = 4000}, "a member's data is out of range"},
        {{.method = 8, .size = 1000000}, "a member's sizes do not match"},
        {{.members = 2}, "its directory is too small for its members"},
        {{.far = true, .members = 9}, "its directory is too small for its members"},
        {{.far = true, .no_place = true}, "its zip64 locator is missing"},
        {{.far = true, .no_end64 = true}, "its zip64 end record is missing"},
        {{.size = UINT32_MAX}, "a member's zip64 sizes are missing"},
        {{.size = UINT32_MAX, .extra = EXTRA64("\4\0\5\0\0\0")},
         "a member's zip64 sizes are missing"},
        {{.size = UINT32_MAX, .extra = EXTRA64("\x80\0\5\0")},
         "a member's zip64 sizes are missing"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const ttp_str bytes = make_zip(&cases[i].zip, *state);
        struct ttp_zip zip;
        struct ttp_err err = {0};

        assert_int_equal(ttp_tensor_zip_read(&zip, bytes, *state, &err), TTP_EPARSE);
        if (!strstr(err.text, cases[i].text))
            fail_msg("case %zu: '%s' does not say '%s'", i, err.text, cases[i].text);
        assert_true(err.offset <= bytes.len);
    }
}

/* --- torch --- */

/* A list of two of a list of two of ...: a few bytes that name a million things. */
static void test_torch__parts_that_share_parts_do_not_multiply(void **state)
{
    enum { LEVELS = 20 };
    struct ttp_tensors list;
    struct ttp_err err = {0};
    struct ttp_sink pickle;

    ttp_sink_to_arena(&pickle, *state);
    ttp_sink_put(&pickle, BYTES("\x80\2]q\0"));
    for (int i = 0; i < LEVELS; i++) {
        const char level[] = {']', '(', 'h', (char)i, 'h', (char)i, 'e', 'q', (char)(i + 1)};

        ttp_sink_put(&pickle, (ttp_str){level, sizeof(level)});
    }
    ttp_sink_char(&pickle, '.');
    const struct made_zip zip = {.name = TTP_STR("x/data.pkl"), .content = ttp_sink_text(&pickle)};
    assert_int_equal(ttp_tensor_read(&list, make_zip(&zip, *state), NULL, *state, &err),
                     TTP_ELIMIT);
    assert_non_null(strstr(err.text, "too many objects"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_pickle__values_of_every_kind),
        TTP_TEST_ARENA(test_pickle__an_object_keeps_what_it_is_built_of),
        TTP_TEST_ARENA(test_pickle__what_is_wrong_is_told),
        TTP_TEST_ARENA(test_zip__members_and_those_of_zip64_are_found),
        TTP_TEST_ARENA(test_zip__what_is_wrong_is_told),
        TTP_TEST_ARENA(test_torch__parts_that_share_parts_do_not_multiply),
    };
    return cmocka_run_group_tests_name("tensor/archives", tests, NULL, NULL);
}
