/* SPDX-License-Identifier: Apache-2.0 */
/* What is masked, and what stays as it is. */
#include "test.h"

#include <stdlib.h>

#include "base/secrets.h"

struct pair {
    const char *text, *masked; /* NULL: as it is */
};

static void check_text(const struct pair *p, ttp_str got)
{
    const char *want = p->masked ? p->masked : p->text;

    if (!ttp_str_eq(got, ttp_str_from(want)))
        fail_msg("'%s' became '%.*s', not '%s'", p->text, TTP_FMT(got), want);
}

static void test_secrets__texts(void **state)
{
    static const struct pair cases[] = {
        {"python run.py --token abc123 --batch 32", "python run.py --token *** --batch 32"},
        {"python run.py --token=abc123 --batch 32", "python run.py --token=*** --batch 32"},
        {"run --password 'two words' --n 1", "run --password '***' --n 1"},
        {"run --password=\"two words\" --n 1", "run --password=\"***\" --n 1"},
        {"run --api-key k3y", "run --api-key ***"},
        {"HF_TOKEN=xyz run", "HF_TOKEN=*** run"},
        {"sh -c 'export DB_PASSWORD=hunter2; run'", "sh -c 'export DB_PASSWORD=***; run'"},
        {"PGPASSWORD=a psql", "PGPASSWORD=*** psql"},
        {"curl -H 'Authorization: Bearer abc.def' https://x",
         "curl -H 'Authorization: Bearer ***' https://x"},
        {"curl -H \"X-Api-Key: abc\" https://x", "curl -H \"X-Api-Key: ***\" https://x"},
        {"clone https://me:pa55@host/x.git", "clone https://me:***@host/x.git"},
        {"postgresql://u:p%40ss@h/db", "postgresql://u:***@h/db"},
        {"get https://x/y?token=abc&n=1", "get https://x/y?token=***&n=1"},
        {"AKIAIOSFODNN7EXAMPLE", "***"},
        {"x ghp_16C7e42F292c6912E7710c838347Ae178B4a y", "x *** y"},
        {"login hf_AbCdEfGhIjKlMnOpQrStUvWxYz", "login ***"},
        {"use sk-proj-abcDEF1234567890abcdef", "use ***"},
        {"jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_1", "jwt ***"},
        {"--key 9f86d081884c7d659a2feaa0c55ad015", "--key ***"},
        {"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY run",
         "AWS_SECRET_ACCESS_KEY=*** run"},
        {"clientSecret: abcd", "clientSecret: ***"},
        /* no secrets */
        {"python run.py --max-tokens 128 --batch 32", NULL},
        {"run --tokens 2048 --max-token 17 --token 5", NULL},
        {"run --pad-token '<pad>' --eos-token </s>", NULL},
        {"run --password-file /run/secrets/x", NULL},
        {"run --token $HF_TOKEN --password ${P}", NULL},
        {"PWD=/srv/me make", NULL},
        {"./model --key-len 128 --key attention.key.weight", NULL},
        {"pytest tests/secrets/test_key.py -k 'token and not password'", NULL},
        {"run hf_transformers_model_for_causal_lm sk-learn-pipeline-of-the-year", NULL},
        {"https://host:8080/path?x=1@2", NULL},
        {"git@github.com:tenstorrent/tt-metal.git", NULL},
        {"--pass 3 --passes 4", NULL},
        {"", NULL},
        {"--token", NULL},
        {"--password --verbose", NULL},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        check_text(&cases[i], ttp_secrets_mask_text(ttp_str_from(cases[i].text), *state));
}

static void test_secrets__json_stays_json(void **state)
{
    static const struct pair cases[] = {
        {"{\"command\":\"run --token abc -n 1\"}", "{\"command\":\"run --token *** -n 1\"}"},
        {"{\"command\":[\"run\",\"--password\",\"a b\",\"-n\"]}",
         "{\"command\":[\"run\",\"--password\",\"***\",\"-n\"]}"},
        {"[\"--password\",\n  \"a b\"]", "[\"--password\",\n  \"***\"]"},
        {"{\"env\":{\"HF_TOKEN\": \"abc\"}}", "{\"env\":{\"HF_TOKEN\": \"***\"}}"},
        {"{\"e\":\"sh -c \\\"TOKEN=abc run\\\"\"}", "{\"e\":\"sh -c \\\"TOKEN=*** run\\\"\"}"},
        {"{\"password\":1234,\"token\":null,\"secret\":[1],\"api_key\":true}", NULL},
        {"{\"a\":\"--token\",\"b\":5}", NULL},
        {"{\"tokens\":\"128\",\"ms_per_token\":[1.5,2]}", NULL},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        check_text(&cases[i], ttp_secrets_mask_json(ttp_str_from(cases[i].text), *state));
}

static void test_secrets__settings_are_masked_whole(void **state)
{
    static const struct pair cases[] = {
        {"TOKEN=a,b c;d", "TOKEN=***"},
        {"--password=a b", "--password=***"},
        {"BATCH=32", NULL},
        {"URL=http://u:p@h", "URL=http://u:***@h"},
        {"NAME", NULL},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        check_text(&cases[i], ttp_str_from(ttp_secrets_mask_setting(cases[i].text, *state)));
}

static void test_secrets__words_of_a_command(void **state)
{
    static const char *const argv[] = {"env",
                                       "TOKEN=a;b",
                                       "curl",
                                       "-u",
                                       "me:pw",
                                       "--secret",
                                       "two words",
                                       "--number",
                                       "5",
                                       "-H",
                                       "Authorization: Basic dXNlcg==",
                                       "sh",
                                       "-c",
                                       "KEY=1 PASSWORD=x run -u a:b",
                                       "1000:1000",
                                       NULL};
    static const char *const want[] = {"env",
                                       "TOKEN=***",
                                       "curl",
                                       "-u",
                                       "me:***",
                                       "--secret",
                                       "***",
                                       "--number",
                                       "5",
                                       "-H",
                                       "Authorization: Basic ***",
                                       "sh",
                                       "-c",
                                       "KEY=1 PASSWORD=*** run -u a:b",
                                       "1000:1000",
                                       NULL};
    const char *const *got = ttp_secrets_mask_words(argv, *state);

    for (size_t i = 0; want[i]; i++)
        assert_string_equal(got[i], want[i]);
    assert_null(got[TTP_COUNT(want) - 1]);
}

/* Whatever the bytes: no crash, and nothing but masks is new. */
static void test_secrets__any_bytes(void **state)
{
    static const char letters[] = "-=: \"'\\tokenpasswordkey/@,{}[]$AKIA019_.&\n";
    char text[200];
    unsigned seed = 7;

    for (size_t round = 0; round < 20000; round++) {
        const size_t n = round % sizeof(text);

        for (size_t i = 0; i < n; i++) {
            seed = seed * 1103515245u + 12345u;
            text[i] = letters[(seed >> 16) % (sizeof(letters) - 1)];
        }
        char *exact = malloc(n + 1); /* so that reading after it is found */
        memcpy(exact, text, n);
        ttp_secrets_mask_text((ttp_str){exact, n}, *state);
        ttp_secrets_mask_json((ttp_str){exact, n}, *state);
        free(exact);
        ttp_arena_reset(*state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_secrets__texts),
        TTP_TEST_ARENA(test_secrets__json_stays_json),
        TTP_TEST_ARENA(test_secrets__settings_are_masked_whole),
        TTP_TEST_ARENA(test_secrets__words_of_a_command),
        TTP_TEST_ARENA(test_secrets__any_bytes),
    };
    return cmocka_run_group_tests_name("base/secrets", tests, NULL, NULL);
}
