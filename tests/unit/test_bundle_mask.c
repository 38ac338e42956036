/* SPDX-License-Identifier: Apache-2.0 */
/* What a bundle masks by its form, and what stays as it is. */
#include "test.h"

#include "bundle/bundle_mask.h"

static const char *users[] = {"carolina", "ty"}, *hosts[] = {"node-b17", "box.corp.example"};
static const struct ttp_bundle_names names = {{users, 2}, {hosts, 2}};

static ttp_str mask(const char *text, struct ttp_arena *arena)
{
    uint64_t masked = 0;
    const ttp_str got = ttp_bundle_mask(ttp_str_from(text), &names, &masked, arena);

    assert_int_equal(masked > 0, !ttp_str_eq(got, ttp_str_from(text)));
    return got;
}

/* '#' means the digits of a digest. */
static bool matches(ttp_str text, const char *pattern)
{
    size_t at = 0;

    for (; *pattern; pattern++) {
        if (*pattern != '#') {
            if (at == text.len || text.ptr[at++] != *pattern)
                return false;
            continue;
        }
        for (int i = 0; i < 4; i++, at++)
            if (at == text.len || !strchr("0123456789abcdef", text.ptr[at]))
                return false;
    }
    return at == text.len;
}

struct pair {
    const char *text, *masked; /* NULL: as it is */
};

static void test_bundle_mask__forms(void **state)
{
    static const struct pair cases[] = {
        /* paths with blanks, in strings, cells and prose */
        {"\"/mnt/data of X/My Project/a.csv\",1", "\"/masked-#/a.csv\",1"},
        {"a,/mnt/data of X/My Project/a.csv,7", "a,/masked-#/a.csv,7"},
        {"/mnt/data of X/My Project/a.cc:43:9: note", "/masked-#/a.cc:43:9: note"},
        {"{\"a\":\"run /mnt/of X/My Project/a.py --n 3\"}", "{\"a\":\"run /masked-#/a.py --n 3\"}"},
        {"'/mnt/of X/My Project/a.py' failed", "'/masked-#/a.py' failed"},
        {"\"/usr/bin/python /srv/x/a.py --o=/srv/y/b\"",
         "\"/usr/bin/python /masked-#/a.py --o=/masked-#/b\""},
        {"at /srv/x/y.py and /srv/x/z.py", "at /masked-#/y.py and /masked-#/z.py"},
        {"/srv/x/a:/srv/y/b", "/masked-#/a:/masked-#/b"},
        {"/srv/My\\ Project/x/a.py", "/masked-#/a.py"},
        {"{\"roots\":[\"/srv/ann/nda-proj\", \"/srv/x/nda.y\"]}",
         "{\"roots\":[\"/masked-#\", \"/masked-#\"]}"},
        {"\"cwd\" : \"/srv/x/nda-proj\"", "\"cwd\" : \"/masked-#\""},
        {"OLDPWD=/srv/x/nda-proj x", "OLDPWD=/masked-# x"},
        {"MODEL_DIR=/srv/x/nda-proj", "MODEL_DIR=/masked-#"},
        {"\"TT_METAL_HOME\":\"/srv/x/tt-metal\"", "\"TT_METAL_HOME\":\"/masked-#/tt-metal\""},
        {"\"files\":[\"/srv/x/a\"]", "\"files\":[\"/masked-#/a\"]"},
        {"/srv/(old)/x's/a.py", "/masked-#/a.py"},
        {"\"/srv/My \\\"big\\\" one/x/a.py\"", "\"/masked-#/a.py\""},
        {"\"/srv/My \"\"big\"\" one/x/a.py\",2", "\"/masked-#/a.py\",2"},
        {"\"{\\\"p\\\":\\\"/srv/My one/x/a.py\\\"}\"", "\"{\\\"p\\\":\\\"/masked-#/a.py\\\"}\""},
        {"\"{\"\"p\"\":\"\"/srv/My one/x/a.py\"\"}\"", "\"{\"\"p\"\":\"\"/masked-#/a.py\"\"}\""},
        {"\"a\":\"/srv/x/a.py on 10.1.2.3\"", "\"a\":\"/masked-#/a.py on ip-#\""},
        {"/export/home/ann", "/masked-#"},
        {"cd /srv/secret/project/", "cd /masked-#"},
        {"/usr/../srv/ann/x.py", "/masked-#/x.py"},
        /* in other forms */
        {"\"\\/export\\/home\\/ann\\/secret\\/a.py\"", "\"/masked-#/a.py\""},
        {"\"\\u002fsrv\\u002Fann\\u002fa.py\"", "\"/masked-#/a.py\""},
        {"x=%2Fsrv%2Fann%2fa.py", "x=/masked-#/a.py"},
        {"file:///srv/ann/My%20Project/a.py", "file:///masked-#/a.py"},
        {"file://nas4/srv/ann/a.py", "file://host-#/masked-#/a.py"},
        {"\"file:\\/\\/\\/srv\\/ann\\/a.py\"", "\"file:\\/\\//masked-#/a.py\""},
        {"C:\\Users\\ann\\My\\a.py", "/masked-#/a.py"},
        {"\"C:\\\\Users\\\\ann b\\\\My c\\\\a.py\"", "\"/masked-#/a.py\""},
        {"D:/data/ann/a.py", "/masked-#/a.py"},
        {"\\\\nas4\\share\\ann\\a.py", "/masked-#/a.py"},
        {"\"\\\\\\\\nas4\\\\share\\\\ann\\\\a.py\"", "\"/masked-#/a.py\""},
        {"ls ~ann ~bob/secret/a.py ~/secret/a.py", "ls /masked-# /masked-#/a.py /masked-#/a.py"},
        /* addresses */
        {"from 10.1.2.3:8086, 192.168.4.5.", "from ip-#:8086, ip-#."},
        {"[2001:db8::7]:80 fe80::1ff:fe23:4567:890a%eth0", "[ip-#]:80 ip-#%eth0"},
        {"2001:0db8:0:0:1:2:3:4 ::ffff:10.1.2.3", "ip-# ip-#"},
        {"00:1A:2b:3c:4d:5e 00-1a-2b-3c-4d-5e", "mac-# mac-#"},
        {"ann.b+x@mail.corp.example, bob@lab7:/x", "user-#@host-#, user-#@host-#:/x"},
        {"http://lab7:8080/ann/secret/x http://me:***@lab7/", "http://host-#:8080/masked-#/x "
                                                              "http://user-#:***@host-#/"},
        {"http://10.1.2.3:80/x", "http://ip-#:80/x"},
        /* fields */
        {"{\"host\": \"lab7\", \"hostname\":\"lab8.corp\"}",
         "{\"host\": \"host-#\", \"hostname\":\"host-#\"}"},
        {"\"{\\\"host\\\":\\\"lab7\\\"}\"", "\"{\\\"host\\\":\\\"host-#\\\"}\""},
        {"host=lab7 hostname: lab8", "host=host-# hostname: host-#"},
        {"\"board_id\":\"0100014511704027\"", "\"board_id\":\"serial-#\""},
        /* known names */
        {"NODE-B17 node-b17.lab.example node-b17.log Node-B17", "host-1 host-1 host-1.log host-1"},
        {"box BOX.corp.example box.corp.example:80", "host-2 host-2 host-2:80"},
        {"carolina@node-b17:/x", "user-1@host-1:/x"},
        {"\"host\":\"node-b17\"", "\"host\":\"host-1\""},
        /* nothing private */
        {"LayerNormType::RMSNORM std::add ab::cd a::b", NULL},
        {"\"fw_bundle_version\":\"19.7.0.0\", firmware 80.14.0.0", NULL},
        {"1.2.3 1.2.3.4.5 v1.2.3.4 256.1.2.3 127.0.0.1:9001 0.0.0.0", NULL},
        {"12:30:45 0000:01:00.0 26-11-18-09-47-29 1:2:3:4:5:6:7:8", NULL},
        {"https://github.com/tenstorrent/tt-metal/issues/1 git@github.com:a/b.git", NULL},
        {"/opt/tt-metal/impl/../x.cpp", NULL},
        {"/usr/include/stdio.h /dev/tenstorrent/0 /sys/devices/cpu*/cpufreq/x", NULL},
        {"~Device() memcpy@plt f@GLIBC_2 a/b ../x/y $HOME/x/y", NULL},
        {"host: 3 us, HOST DURATION [ns] \"host\":null, \"host\":3", NULL},
        {"\"Input a:\\nb\\tc\\n\" \"\\\\d+\\\\w\"", NULL},
        {"\"board_type\":\"n300\",\"serial\":\"n/a\"", NULL},
        {"root@localhost ubuntu", NULL},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_arena arena = {0};
        const ttp_str got = mask(cases[i].text, &arena);

        if (!matches(got, cases[i].masked ? cases[i].masked : cases[i].text))
            fail_msg("'%s' became '%.*s', not '%s'", cases[i].text, TTP_FMT(got),
                     cases[i].masked ? cases[i].masked : cases[i].text);
        ttp_arena_free(&arena);
    }
}

/* Verbs join files by path, so every form of a path has the same mask. */
static void test_bundle_mask__same_text_same_mask(void **state)
{
    static const char *const forms[] = {"\"/srv/ann/My Project/a.py\"",
                                        "\"\\/srv\\/ann\\/My Project\\/a.py\"",
                                        "\"/srv/ann/My%20Project/a.py\"",
                                        "1,/srv/ann/My Project/a.py,2",
                                        "\"{\\\"p\\\":\\\"/srv/ann/My Project/a.py\\\"}\"",
                                        "/srv/ann/My\\ Project/a.py",
                                        "file:///srv/ann/My%20Project/a.py"};
    struct ttp_arena arena = {0};
    ttp_str first = {NULL, 0};

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(forms); i++) {
        const ttp_str got = mask(forms[i], &arena);
        const size_t at = ttp_str_find(got, TTP_STR("/masked-"));
        const ttp_str masked = ttp_str_slice(got, at, at + sizeof("/masked-1234/a.py") - 1);

        assert_true(at != TTP_NPOS);
        if (i == 0)
            first = masked;
        else if (!ttp_str_eq(first, masked))
            fail_msg("%s became %.*s, not %.*s", forms[i], TTP_FMT(masked), TTP_FMT(first));
    }
    ttp_arena_free(&arena);
}

/* A column of host names, in pieces as a file is read. */
static void test_bundle_mask__columns(void **state)
{
    struct ttp_arena arena = {0};
    struct ttp_bundle_table table = {0};
    uint64_t masked = 0;
    const ttp_str head = TTP_STR("RANK,HOST,OP\n0,\"lab7\",a\n"), tail = TTP_STR("1,LAB7,b\n2,,c");

    (void)state;
    assert_true(matches(ttp_bundle_mask_columns(&table, head, &names, &masked, &arena),
                        "RANK,HOST,OP\n0,host-#,a\n"));
    assert_true(matches(ttp_bundle_mask_columns(&table, tail, &names, &masked, &arena),
                        "1,host-#,b\n2,,c"));
    assert_int_equal(masked, 2);
    ttp_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bundle_mask__forms),
        cmocka_unit_test(test_bundle_mask__same_text_same_mask),
        cmocka_unit_test(test_bundle_mask__columns),
    };
    return cmocka_run_group_tests_name("bundle/mask", tests, NULL, NULL);
}
