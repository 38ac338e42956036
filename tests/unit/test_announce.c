/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "record/announce.h"

static void put16(char *to, uint16_t v)
{
    memcpy(to, &v, sizeof(v));
}
static void put32(char *to, uint32_t v)
{
    memcpy(to, &v, sizeof(v));
}

/* As the clients of each time send it, for a program "model" on port 8090 that speaks 66. */
static ttp_str make(char *buf, unsigned version, int32_t active)
{
    const uint64_t pid = 4711;
    size_t name;

    memset(buf, 0, 64);
    if (version < 2)
        put32(buf, version);
    else
        put16(buf, (uint16_t)version);
    put32(buf + 4, 66);
    switch (version) {
    case 0:
        put32(buf + 8, (uint32_t)active);
        name = 12;
        break;
    case 1:
        put32(buf + 8, 8090);
        put32(buf + 12, (uint32_t)active);
        name = 16;
        break;
    case 2:
        put16(buf + 2, 8090);
        put32(buf + 8, (uint32_t)active);
        name = 12;
        break;
    default:
        put16(buf + 2, 8090);
        memcpy(buf + 8, &pid, 8);
        put32(buf + 16, (uint32_t)active);
        name = 20;
        break;
    }
    memcpy(buf + name, "model", 6);
    return (ttp_str){buf, name + 6};
}

static void test_announce__every_version_is_understood(void **state)
{
    char buf[64];

    (void)state;
    for (unsigned version = 0; version < 4; version++) {
        struct ttp_announcement a;

        assert_true(ttp_record_announce_parse(&a, make(buf, version, 3)));
        assert_int_equal(a.port, version ? 8090 : 8086);
        assert_int_equal(a.protocol, 66);
        assert_int_equal(a.pid, version == 3 ? 4711 : 0);
        assert_false(a.leaving);
        assert_true(ttp_str_eq(a.program, TTP_STR("model")));
        assert_true(ttp_record_announce_parse(&a, make(buf, version, -1)));
        assert_true(a.leaving);
    }
}

static void test_announce__other_datagrams_are_not(void **state)
{
    char buf[64];
    struct ttp_announcement a;

    (void)state;
    for (unsigned version = 0; version < 4; version++) {
        ttp_str bytes = make(buf, version, 3);

        for (size_t len = 0; len < bytes.len - 6; len++)
            assert_false(ttp_record_announce_parse(&a, (ttp_str){buf, len}));
    }
    (void)make(buf, 3, 0);
    put16(buf, 4); /* of the future */
    assert_false(ttp_record_announce_parse(&a, (ttp_str){buf, 26}));
    (void)make(buf, 3, 0);
    put16(buf + 2, 0);
    assert_false(ttp_record_announce_parse(&a, (ttp_str){buf, 26}));
    (void)make(buf, 1, 0);
    put32(buf + 8, 65536 + 8090);
    assert_false(ttp_record_announce_parse(&a, (ttp_str){buf, 22}));
}

static void test_announce__two_may_listen_and_both_hear(void **state)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(8086), .sin_addr.s_addr = htonl(0x7fffffff)};
    const int yes = 1, one = ttp_record_announce_open(), two = ttp_record_announce_open();
    const int out = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ttp_announcement a;
    char buf[64], got[512];

    (void)state;
    if (one < 0 || two < 0)
        skip(); /* somebody has the port for himself */
    setsockopt(out, SOL_SOCKET, SO_BROADCAST, &yes, sizeof(yes));
    const ttp_str bytes = make(buf, 3, 7);
    if (sendto(out, bytes.ptr, bytes.len, 0, (const struct sockaddr *)&to, sizeof(to)) < 0)
        skip(); /* no broadcasts here */
    usleep(50000);
    for (int i = 0; i < 2; i++) {
        enum ttp_announce_kind kind;
        bool found = false;

        while ((kind = ttp_record_announce_next(&a, i ? two : one, got, sizeof(got))) !=
               TTP_ANNOUNCE_NONE)
            found = found || (kind == TTP_ANNOUNCE_CLIENT && a.pid == 4711 && a.port == 8090);
        assert_true(found);
    }
    close(one);
    close(two);
    close(out);
}

/* Clients announce themselves on every network; from our own addresses they are ours. */
static void test_announce__what_comes_from_an_address_of_this_machine_counts(void **state)
{
    const int in = ttp_record_announce_open(), out = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in to = {0};
    struct ttp_announcement a;
    struct ifaddrs *all = NULL;
    char buf[64], got[512];
    bool found = false;

    (void)state;
    assert_int_equal(getifaddrs(&all), 0);
    for (const struct ifaddrs *i = all; i && !to.sin_port; i = i->ifa_next)
        if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET && !(i->ifa_flags & IFF_LOOPBACK)) {
            memcpy(&to, i->ifa_addr, sizeof(to));
            to.sin_port = htons(8086);
        }
    freeifaddrs(all);
    if (in < 0 || !to.sin_port)
        skip(); /* somebody has the port for himself, or there is no network */
    const ttp_str bytes = make(buf, 3, 7);
    assert_int_equal(sendto(out, bytes.ptr, bytes.len, 0, (const struct sockaddr *)&to, sizeof(to)),
                     bytes.len);
    usleep(50000);
    for (enum ttp_announce_kind kind;
         (kind = ttp_record_announce_next(&a, in, got, sizeof(got))) != TTP_ANNOUNCE_NONE;)
        found = found || (kind == TTP_ANNOUNCE_CLIENT && a.pid == 4711 && a.port == 8090);
    assert_true(found);
    close(in);
    close(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_announce__every_version_is_understood),
        cmocka_unit_test(test_announce__other_datagrams_are_not),
        cmocka_unit_test(test_announce__two_may_listen_and_both_hear),
        cmocka_unit_test(test_announce__what_comes_from_an_address_of_this_machine_counts),
    };
    return cmocka_run_group_tests_name("record/announce", tests, NULL, NULL);
}
