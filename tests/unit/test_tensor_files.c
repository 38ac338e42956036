/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of tensor files: what they accept is in test_tensor_compare.c too; here is what they say
 * of the rest. */
#include <math.h>
#include <stdio.h>

#include "tensor/convert.h"
#include "tensor/pickle.h"
#include "tensor/tensor_load.h"
#include "tensor/zip.h"
#include "tensor_files.h"

#define BYTES(lit) ((ttp_str){lit, sizeof(lit) - 1})

static void assert_refused(ttp_str bytes, ttp_code code, const char *text, struct ttp_arena *arena)
{
    struct ttp_tensors list;
    struct ttp_err err = {0};

    assert_int_equal(ttp_tensor_read(&list, bytes, NULL, arena, &err), code);
    if (!strstr(err.text, text))
        fail_msg("'%s' does not say '%s'", err.text, text);
}

static const struct ttp_tensor *read_one(ttp_str bytes, const struct ttp_tensor_options *options,
                                         struct ttp_arena *arena)
{
    struct ttp_tensors list;
    struct ttp_err err = {0};

    if (ttp_tensor_read(&list, bytes, options, arena, &err) != TTP_OK)
        fail_msg("%s", err.text);
    assert_int_equal(list.count, 1);
    return &list.item[0];
}

/* --- npy --- */

static void test_npy__headers_of_all_kinds(void **state)
{
    static const struct {
        const char *header;
        enum ttp_dtype type;
        uint32_t ndim;
        uint64_t count;
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", TTP_DTYPE_F32, 2, 6},
        {"{\"shape\":(5,),\"fortran_order\":True,\"descr\":\"|b1\"}", TTP_DTYPE_BOOL, 1, 5},
        {"{'descr': '>f8', 'fortran_order': False, 'shape': ()}", TTP_DTYPE_F64, 0, 1},
        {"{'descr': '<u8', 'fortran_order': False, 'shape': (3L, 0)}", TTP_DTYPE_U64, 2, 0},
    };
    static const char data[64];

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const struct ttp_tensor *t =
            read_one(make_npy(cases[i].header, BYTES(data), *state), NULL, *state);

        assert_int_equal(t->dtype, cases[i].type);
        assert_int_equal(t->ndim, cases[i].ndim);
        assert_int_equal(t->count, cases[i].count);
        assert_int_equal(t->data.len, cases[i].count * ttp_tensor_dtype_size(t->dtype));
    }
}

static void test_npy__refusals_name_the_fault(void **state)
{
    static const struct {
        const char *header, *text;
        ttp_code code;
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (20,)}", "truncated", TTP_EPARSE},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "'|O'", TTP_EPARSE},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "'<c8'", TTP_EPARSE},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "structured",
         TTP_EPARSE},
        {"{'descr': '<f4', 'shape': (1,)}", "missing", TTP_EPARSE},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "neither", TTP_EPARSE},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "whole number", TTP_EPARSE},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}", "tuple", TTP_EPARSE},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "too many",
         TTP_ELIMIT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + 1", "unexpected data after",
         TTP_EPARSE},
        {"print('hello')", "not a dict", TTP_EPARSE},
    };
    static const char data[16];

    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        assert_refused(make_npy(cases[i].header, BYTES(data), *state), cases[i].code, cases[i].text,
                       *state);
    assert_refused(BYTES("\x93NUMPY\7\0\0\0\0\0"), TTP_EPARSE, "version 7", *state);
}

static void test_npy__bf16_must_be_said(void **state)
{
    const struct ttp_tensor_options bf16 = {.dtype = TTP_DTYPE_BF16};
    const ttp_str u16 = make_npy("{'descr': '<u2', 'fortran_order': False, 'shape': (1,)}",
                                 BYTES("\x80\x3f"), *state);
    const ttp_str opaque = make_npy("{'descr': '<V2', 'fortran_order': False, 'shape': (1,)}",
                                    BYTES("\x80\x3f"), *state);

    assert_int_equal(read_one(u16, NULL, *state)->dtype, TTP_DTYPE_U16);
    assert_int_equal(read_one(u16, &bf16, *state)->dtype, TTP_DTYPE_BF16);
    assert_int_equal(read_one(opaque, &bf16, *state)->dtype, TTP_DTYPE_BF16);
    assert_refused(opaque, TTP_EPARSE, "'<V2'", *state);
}

/* --- safetensors --- */

static void test_safetensors__refusals_name_the_fault(void **state)
{
    static const struct {
        const char *json, *text;
    } cases[] = {
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", "do not match"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}", "beyond the end"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", "beyond the end"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", "lacks"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", "whole numbers"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
         "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[3,7]}}",
         "overlap"},
        {"{\"a\":3}", "not an object"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        assert_refused(make_safetensors(cases[i].json, BYTES("12345678"), *state), TTP_EPARSE,
                       cases[i].text, *state);
}

static void test_safetensors__an_unknown_type_spoils_only_its_tensor(void **state)
{
    const ttp_str bytes =
        make_safetensors("{\"a\":{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[0,1]},"
                         "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]}}",
                         BYTES("xyz"), *state);
    struct ttp_tensors list;

    assert_int_equal(ttp_tensor_read(&list, bytes, NULL, *state, NULL), TTP_OK);
    assert_int_equal(list.count, 2);
    assert_non_null(list.item[0].unreadable);
    assert_null(list.item[1].unreadable);
}

/* --- zip, torch --- */

static void test_zip__directories_that_lie_are_refused(void **state)
{
    struct ttp_file file;
    struct ttp_tensors list;

    assert_int_equal(ttp_file_map(&file, TENSOR_DATA "pair_deflate.npz", NULL), TTP_OK);
    char *copy = TTP_NEW(*state, char, file.text.len);
    for (size_t i = 0; i < file.text.len; i += 7) { /* any byte wrong: an answer, never a crash */
        memcpy(copy, file.text.ptr, file.text.len);
        copy[i] = (char)(copy[i] ^ 0xff);
        (void)!ttp_tensor_read(&list, (ttp_str){copy, file.text.len}, NULL, *state, NULL);
    }
    for (size_t n = 4; n < file.text.len; n += 101)
        assert_refused((ttp_str){file.text.ptr, n}, TTP_EPARSE, "zip", *state);
    ttp_file_close(&file);
}

static void test_torch__hostile_pickles_do_nothing_but_fail(void **state)
{
    static const struct {
        ttp_str pickle;
        const char *text;
    } cases[] = {
        {BYTES("\x80\2cos\nsystem\nX\4\0\0\0true\x85R."), "'os.system'"},
        {BYTES("\x80\2cposix\nsystem\nX\4\0\0\0true\x85R."), "'posix.system'"},
        {BYTES("\x80\2csubprocess\nPopen\n)R."), "'subprocess.Popen'"},
        {BYTES("\x80\4\x8c\x08"
               "builtins\x8c\4eval\x93\x8c\1x\x85R."),
         "'builtins.eval'"},
        {BYTES("\x80\2c__builtin__\n__import__\n)R."), "'__builtin__.__import__'"},
        {BYTES("\x80\2ios\nsystem\n."), "opcode 0x69"}, /* INST */
        {BYTES("\x80\2Q."), "empty"},
        {BYTES("\x80\2K"), "ends too early"},
        {BYTES("\x80\2Nr\xff\xff\xff\x7f."), "memo"},
        {BYTES("\x80\2h\5."), "unknown memo"},
        {BYTES("\x80\2(\x85."), "empty"},
        {BYTES("\x80\2NNs."), "nothing to add to"},
        {BYTES("\x80\2NNNs."), "not a container"},
        {BYTES("\x80\2X\xff\xff\xff\xff."), "ends too early"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_pickle p;
        struct ttp_err err = {0};

        assert_int_equal(ttp_tensor_pickle_read(&p, cases[i].pickle, *state, &err), TTP_EPARSE);
        if (!strstr(err.text, cases[i].text))
            fail_msg("'%s' does not say '%s'", err.text, cases[i].text);
    }
}

static void test_torch__a_file_without_tensors_says_what_it_has(void **state)
{
    struct ttp_file file;

    assert_int_equal(ttp_file_map(&file, TENSOR_DATA "opaque.pt", NULL), TTP_OK);
    assert_refused(file.text, TTP_EPARSE, "'Thing' is unsupported", *state);
    ttp_file_close(&file);
    assert_refused(BYTES("\x80\2\x8a\nl\xfc\x9c\x46\xf9 \x6a\xa8P\x19.\x80\2M\xe9\3."), TTP_EPARSE,
                   "before version 1.6", *state);
}

/* --- tensorbin --- */

static void test_tensorbin__any_bent_offset_is_caught(void **state)
{
    struct ttp_file file;
    struct ttp_tensors list;

    assert_int_equal(ttp_file_map(&file, TENSOR_DATA "weights_bfp4.tensorbin", NULL), TTP_OK);
    char *copy = TTP_NEW(*state, char, file.text.len);
    for (size_t i = 0; i < 320; i++)
        for (int v = 0; v < 256; v += 51) { /* ASan watches */
            memcpy(copy, file.text.ptr, file.text.len);
            copy[i] = (char)v;
            (void)!ttp_tensor_read(&list, (ttp_str){copy, file.text.len}, NULL, *state, NULL);
        }
    assert_refused(ttp_str_slice(file.text, 0, file.text.len - 8), TTP_EPARSE, "beyond the end",
                   *state);
    ttp_file_close(&file);
}

static void test_raw__size_must_fit(void **state)
{
    const struct ttp_tensor_options o = {
        .dtype = TTP_DTYPE_BF16, .ndim = 2, .shape = {2, 3}, .has_shape = true};
    struct ttp_tensors list;
    struct ttp_err err = {0};

    assert_int_equal(ttp_tensor_read(&list, BYTES("0123456789ab"), &o, *state, NULL), TTP_OK);
    assert_int_equal(ttp_tensor_read(&list, BYTES("0123456789"), &o, *state, &err), TTP_EPARSE);
    assert_non_null(strstr(err.text, "bf16[2, 3] needs 12"));
    assert_refused(BYTES("just some text"), TTP_EPARSE, "unsupported tensor file", *state);
    assert_refused((ttp_str){0}, TTP_EPARSE, "empty", *state);
}

/* --- numbers --- */

static void test_convert__narrow_floats_by_hand(void **state)
{
    static const struct {
        ttp_str bytes;
        enum ttp_dtype type;
        float value;
    } cases[] = {
        {BYTES("\x00\x3c"), TTP_DTYPE_F16, 1},
        {BYTES("\x01\x00"), TTP_DTYPE_F16, 0x1p-24f},
        {BYTES("\xff\x7b"), TTP_DTYPE_F16, 65504},
        {BYTES("\x00\xfc"), TTP_DTYPE_F16, -INFINITY},
        {BYTES("\x80\x3f"), TTP_DTYPE_BF16, 1},
        {BYTES("\x38"), TTP_DTYPE_F8_E4M3, 1},
        {BYTES("\x7e"), TTP_DTYPE_F8_E4M3, 448},
        {BYTES("\x81"), TTP_DTYPE_F8_E4M3, -0x1p-9f},
        {BYTES("\x3c"), TTP_DTYPE_F8_E5M2, 1},
        {BYTES("\x7b"), TTP_DTYPE_F8_E5M2, 57344},
        {BYTES("\xfc"), TTP_DTYPE_F8_E5M2, -INFINITY},
    };
    float v;

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        ttp_tensor_convert_f32(&v, cases[i].bytes.ptr, 1, cases[i].type);
        assert_true(v == cases[i].value);
    }
    ttp_tensor_convert_f32(&v, "\x7f", 1, TTP_DTYPE_F8_E4M3);
    assert_true(isnan(v));
}

static void test_convert__rounding_goes_to_the_nearest_even(void **state)
{
    static const struct {
        enum ttp_dtype type;
        float from, to;
    } cases[] = {
        {TTP_DTYPE_BF16, 1 + 0x1p-8f, 1},     {TTP_DTYPE_BF16, 1 + 3 * 0x1p-8f, 1 + 0x1p-6f},
        {TTP_DTYPE_BF16, 3.4e38f, INFINITY},  {TTP_DTYPE_F16, 1 + 0x1p-11f, 1},
        {TTP_DTYPE_F16, 65519, 65504},        {TTP_DTYPE_F16, 65520, INFINITY},
        {TTP_DTYPE_F16, 0x1p-25f, 0},         {TTP_DTYPE_F16, 3 * 0x1p-25f, 0x1p-23f},
        {TTP_DTYPE_F8_E4M3, 464, 448},        {TTP_DTYPE_F8_E4M3, -17, -16},
        {TTP_DTYPE_F8_E4M3, 19, 20},          {TTP_DTYPE_F8_E5M2, 61439, 57344},
        {TTP_DTYPE_F8_E5M2, 61440, INFINITY},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        assert_true(ttp_tensor_round_one(cases[i].from, cases[i].type) == cases[i].to);
    assert_true(isnan(ttp_tensor_round_one(465, TTP_DTYPE_F8_E4M3)));
    assert_true(isnan(ttp_tensor_round_one(NAN, TTP_DTYPE_BF16)));
}

static void test_convert__f16_there_and_back_for_all_values(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 0x10000; h++) {
        const uint16_t half = (uint16_t)h;
        char bytes[2];
        float v;

        memcpy(bytes, &half, 2);
        ttp_tensor_convert_f32(&v, bytes, 1, TTP_DTYPE_F16);
        assert_true(isnan(v) ? isnan(ttp_tensor_round_f16(v)) : ttp_tensor_round_f16(v) == v);
    }
}

static void test_convert__floats_to_whole_numbers_are_cut(void **state)
{
    (void)state;
    assert_int_equal(ttp_tensor_cut_f64(-2.9, TTP_DTYPE_I32), -2);
    assert_int_equal(ttp_tensor_cut_f64(300, TTP_DTYPE_U8), 255);
    assert_int_equal(ttp_tensor_cut_f64(1e30, TTP_DTYPE_I64), INT64_MAX);
    assert_int_equal(ttp_tensor_cut_f64(NAN, TTP_DTYPE_I16), 0);
    assert_int_equal(ttp_tensor_cut_f64(0.5, TTP_DTYPE_BOOL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_npy__headers_of_all_kinds),
        TTP_TEST_ARENA(test_npy__refusals_name_the_fault),
        TTP_TEST_ARENA(test_npy__bf16_must_be_said),
        TTP_TEST_ARENA(test_safetensors__refusals_name_the_fault),
        TTP_TEST_ARENA(test_safetensors__an_unknown_type_spoils_only_its_tensor),
        TTP_TEST_ARENA(test_zip__directories_that_lie_are_refused),
        TTP_TEST_ARENA(test_torch__hostile_pickles_do_nothing_but_fail),
        TTP_TEST_ARENA(test_torch__a_file_without_tensors_says_what_it_has),
        TTP_TEST_ARENA(test_tensorbin__any_bent_offset_is_caught),
        TTP_TEST_ARENA(test_raw__size_must_fit),
        TTP_TEST_ARENA(test_convert__narrow_floats_by_hand),
        TTP_TEST_ARENA(test_convert__rounding_goes_to_the_nearest_even),
        TTP_TEST_ARENA(test_convert__f16_there_and_back_for_all_values),
        TTP_TEST_ARENA(test_convert__floats_to_whole_numbers_are_cut),
    };
    return cmocka_run_group_tests_name("tensor/files", tests, NULL, NULL);
}
