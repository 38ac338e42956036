/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/temp_dir.h"
#include "record/record.h"
#include "test.h"

static void assert_says(struct ttp_arena *arena, const struct ttp_record_result *result,
                        const struct ttp_ledger_settings *settings, const char *part)
{
    const char *text = ttp_record_explain(result, settings, arena);

    if (!strstr(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
}

static void test_record_explain__why_no_client_came(void **state)
{
    static const struct {
        struct ttp_record_result result;
        uint16_t port;
        const char *part;
    } cases[] = {
        {{.port_foreign = 8086}, 0, "the program on port 8086 is not a Tracy client: give another"},
        {{.port_foreign = 8086, .foreign_pid = 12, .foreign_name = "httpd"},
         0,
         "port 8086, process 12 (httpd), is not a Tracy client"},
        {{.port_foreign = 8086, .foreign_is_tracy = true},
         0,
         "already connected to another server"},
        {{.apart_pid = 7}, 0, "process 7 has a Tracy client in another network"},
        {{.stranger_port = 8090, .stranger_uid = 1001},
         0,
         "port 8090, of user 1001: it is not a process of the command"},
        {{.deaf = 1, .deaf_pid = 9},
         8500,
         "process 9 has a Tracy client, but port 8500 was in use"},
        {{.deaf = 2, .deaf_pid = 9}, 0, "all ports from 8086 to 8105 were in use"},
        {{.port_changed = true, .saw_tracy = true}, 8500, "a TRACY_PORT other than 8500"},
        {{.saw_tracy = true, .saw_tt_metal = true}, 0, "ended before it accepted the connection"},
        {{.saw_tt_metal = true}, 0, "tt-metal has no Tracy client"},
        {{.unstarted = "no such file"}, 0, "the command did not run"},
        {{0}, 0, "no process of the command had a Tracy client"},
        {{.status = 137}, 0, "the command was ended by signal 9 before any process of it had"},
        {{.status = 3}, 0, "the command ended with status 3 before any process of it had"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        assert_says(*state, &cases[i].result, &(struct ttp_ledger_settings){.port = cases[i].port},
                    cases[i].part);
}

static void test_record_explain__other_ranks_have_clients_of_their_own(void **state)
{
    const struct ttp_record_result result = {.stranger_port = 8090, .status = 137};
    const struct ttp_ledger_settings rank = {.one_of_ranks = true};

    assert_null(strstr(ttp_record_explain(&result, &rank, *state), "8090"));
}

static void test_record_explain__why_a_client_sent_no_ops(void **state)
{
    struct ttp_record_client client[2] = {{.stats = {.known = true, .messages = 3}},
                                          {.stats = {.known = true, .messages = 4}}};
    const struct ttp_record_result result = {.client = client, .nclients = 2};
    const struct ttp_ledger_settings ops = {.ops = true};

    assert_says(*state, &result, &ops, "sent 7 messages, but none about ops");
    client[1].no_op_profiler = true;
    assert_says(*state, &result, &ops, "ran without TTNN_OP_PROFILER=1");
    assert_says(*state, &result, &(struct ttp_ledger_settings){0}, "but none about ops");
    client[1].no_op_profiler = false;
    client[0].stats = (struct ttp_receiver_stats){.protocol = 99};
    assert_says(*state, &result, &ops, "uses unsupported protocol 99");
}

/* An empty program under that name, in a folder that is made. */
static const char *put_tool(const char *root, const char *below, const char *name,
                            struct ttp_arena *arena)
{
    const char *folder = ttp_file_join(root, below, arena);
    const char *tool = ttp_file_join(folder, name, arena);

    assert_int_equal(ttp_file_make_dirs(folder, NULL), TTP_OK);
    FILE *f = fopen(tool, "w");
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(tool, 0755), 0);
    return tool;
}

static void test_record_explain__stock_tools_are_found_where_they_are_built(void **state)
{
    const char *root;

    assert_int_equal(ttp_temp_dir_make(&root, *state, NULL), TTP_OK);
    setenv("PATH", root, 1);
    unsetenv("TT_METAL_HOME");
    unsetenv("TT_METAL_RUNTIME_ROOT");
    assert_null(ttp_record_find_stock(NULL, *state));
    setenv("TT_METAL_HOME", ttp_file_join(root, "metal", *state), 1);
    assert_null(ttp_record_find_stock(NULL, *state));
    const char *built = put_tool(root, "metal/tools/profiler/bin", "capture-release", *state);
    assert_string_equal(ttp_record_find_stock(NULL, *state), built);
    const char *on_path = put_tool(root, "path", "tracy-capture", *state);
    setenv("PATH", ttp_file_join(root, "path", *state), 1);
    assert_string_equal(ttp_record_find_stock(NULL, *state), on_path);
    assert_null(ttp_record_find_stock(root, *state)); /* there or nowhere */
    assert_string_equal(
        ttp_record_find_stock(ttp_file_join(root, "metal/tools/profiler/bin", *state), *state),
        built);
    ttp_temp_dir_end(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_record_explain__why_no_client_came),
        TTP_TEST_ARENA(test_record_explain__other_ranks_have_clients_of_their_own),
        TTP_TEST_ARENA(test_record_explain__why_a_client_sent_no_ops),
        TTP_TEST_ARENA(test_record_explain__stock_tools_are_found_where_they_are_built),
    };
    return cmocka_run_group_tests_name("record/explain", tests, NULL, NULL);
}
