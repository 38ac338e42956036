/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/procs.h"
#include "record/record.h"

/* As a Tracy client does, or as a program does that only wants any port that is free. */
static int listen_on(uint16_t port, bool reuse)
{
    const struct sockaddr_in6 any = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_any};
    const struct sockaddr_in any4 = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_ANY)};
    const int yes = 1;
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool six = fd >= 0;

    if (!six)
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    if (reuse)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    const int rc = six ? bind(fd, (const struct sockaddr *)&any, sizeof(any))
                       : bind(fd, (const struct sockaddr *)&any4, sizeof(any4));
    if (rc == 0 && listen(fd, 4) == 0)
        return fd;
    close(fd);
    return -1;
}

static void test_record_port__a_held_one_is_for_clients_only(void **state)
{
    struct ttp_port p, q;

    (void)state;
    assert_int_equal(ttp_record_port_hold(&p, 0, NULL), TTP_OK);
    assert_true(p.number > 0);
    assert_int_equal(listen_on(p.number, false), -1);                    /* others find it taken */
    assert_int_equal(ttp_record_port_hold(&q, p.number, NULL), TTP_EIO); /* so do we, elsewhere */
    assert_int_equal(q.fd, -1);
    const int client = listen_on(p.number, true);
    assert_true(client >= 0);
    close(client);
    const int next = listen_on(p.number, true); /* one after the other */
    assert_true(next >= 0);
    close(next);
    ttp_record_port_release(&p);
    assert_int_equal(ttp_record_port_hold(&q, p.number, NULL), TTP_OK);
    assert_int_equal(q.number, p.number);
    ttp_record_port_release(&q);
}

static void test_record_port__a_taken_one_is_named_with_its_owner(void **state)
{
    struct ttp_port any, p;
    struct ttp_err err = {0};
    char name[64], want[64];

    (void)state;
    assert_int_equal(ttp_record_port_hold(&any, 0, NULL), TTP_OK);
    ttp_record_port_release(&any);
    const int fd = listen_on(any.number, true);
    assert_true(fd >= 0);
    assert_int_equal(ttp_record_port_hold(&p, any.number, &err), TTP_EIO);
    snprintf(want, sizeof(want), "port %u is in use by process %d (", any.number, (int)getpid());
    assert_memory_equal(err.text, want, strlen(want));
    assert_true(err.hint[0] != '\0');
    assert_int_equal(ttp_record_procs_port_owner(any.number, name, sizeof(name)), getpid());
    close(fd);
    assert_int_equal(ttp_record_procs_port_owner(any.number, name, sizeof(name)), 0);
    assert_string_equal(name, "");
}

/* In a network of its own, where all ports are free: others may be running tests. */
static int hold_all(void)
{
    struct ttp_port p[TTP_PORT_LAST - TTP_PORT_FIRST + 1], more;
    struct ttp_err err = {0};

    for (size_t i = 0; i < TTP_COUNT(p); i++) {
        if (ttp_record_port_hold_first(&p[i], NULL) != TTP_OK || p[i].number != 0 || p[i].fd < 0)
            return 1;
        if (listen_on((uint16_t)(TTP_PORT_FIRST + i), false) >= 0)
            return 2; /* not the first that was free */
    }
    if (ttp_record_port_hold_first(&more, &err) != TTP_EIO || more.fd >= 0 || !err.hint[0])
        return 3;
    const int client = listen_on(TTP_PORT_FIRST + 7, true);
    if (client < 0)
        return 4;
    ttp_record_port_release(&p[3]);
    return ttp_record_port_hold_first(&more, NULL) == TTP_OK ? 0 : 5;
}

static void test_record_port__the_first_free_one_of_clients_is_held(void **state)
{
    int status = 0;

    (void)state;
    const pid_t child = fork();
    if (child == 0)
        _exit(unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0 ? 77 : hold_all());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_record_port__descendants_are_found_with_what_they_hold(void **state)
{
    struct ttp_family family;
    struct ttp_port any;
    int ready[2];
    char byte;

    assert_int_equal(ttp_record_port_hold(&any, 0, NULL), TTP_OK);
    ttp_record_port_release(&any);
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        const pid_t grandchild = fork();
        if (grandchild == 0) {
            const int fd = listen_on(any.number, true);
            (void)!write(ready[1], fd >= 0 ? "y" : "n", 1);
            pause();
            _exit(0);
        }
        pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    ttp_record_procs_family(&family, getpid(), *state);
    assert_int_equal(family.count, 3);
    assert_true(ttp_record_family_has(&family, child));
    assert_false(ttp_record_family_has(&family, 1));
    const pid_t holder = ttp_record_family_listener(&family, any.number);
    assert_true(holder > 0 && holder != child && holder != getpid());
    assert_int_equal(ttp_record_procs_group(holder), getpgrp());
    assert_string_equal(ttp_record_procs_variable(getpid(), "RECORD_TEST", *state), "a=b");
    assert_null(ttp_record_procs_variable(getpid(), "RECORD_TES", *state));
    assert_null(ttp_record_procs_variable(0, "RECORD_TEST", *state));
    kill(holder, SIGKILL);
    kill(child, SIGKILL);
    close(ready[0]);
    close(ready[1]);
}

int main(int argc, char **argv)
{
    if (!getenv("RECORD_TEST") && argc > 0) { /* what /proc shows is how we were started */
        setenv("RECORD_TEST", "a=b", 1);
        execv("/proc/self/exe", argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_record_port__a_held_one_is_for_clients_only),
        cmocka_unit_test(test_record_port__a_taken_one_is_named_with_its_owner),
        cmocka_unit_test(test_record_port__the_first_free_one_of_clients_is_held),
        TTP_TEST_ARENA(test_record_port__descendants_are_found_with_what_they_hold),
    };
    return cmocka_run_group_tests_name("record/port", tests, NULL, NULL);
}
