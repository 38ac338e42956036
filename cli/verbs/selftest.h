/* SPDX-License-Identifier: Apache-2.0 */
/* selftest.h - what the parts of `tt-perf selftest` share. */
#ifndef TTP_CLI_SELFTEST_H
#define TTP_CLI_SELFTEST_H

#include "base/child.h"
#include "core/cmd.h"
#include "host/host.h"
#include "outputs/outputs.h"

struct selftest {
    const struct ttp_ctx *ctx;
    const char *program;             /* this one */
    const char *scratch;             /* a folder that goes away */
    const char *root;                /* of a stand-in for the boards; NULL: this machine */
    const struct ttp_words *command; /* what is recorded; empty: a script of ours */
    struct ttp_signals signals;
    uint64_t end_ns; /* ttp_clock_ns() at which the time is over */
    struct ttp_host host;
    struct ttp_selftest_view view; /* the result */
    struct ttp_diagnosis diagnosis;
    struct ttp_bandwidth bandwidth;
};

/* A result; the caller may fill in the rest before the next one. */
struct ttp_check *selftest_add(struct selftest *t, const struct ttp_check_spec *spec,
                               enum ttp_verdict_level level, ttp_str value);
/* Seconds left, at most `most`; 0: none. */
double selftest_time_left(const struct selftest *t, double most);
/* Run this program in the scratch folder. NULL ends the words. */
TTP_NODISCARD ttp_code selftest_run_own(struct ttp_child *out, struct selftest *t,
                                        const char *const *words, struct ttp_err *err);
/* Run a command there, with these "NAME=VALUE" besides. */
TTP_NODISCARD ttp_code selftest_run(struct ttp_child *out, struct selftest *t,
                                    const char *const *argv, const struct ttp_words *set,
                                    struct ttp_err *err);
/* Run one where the user is. */
TTP_NODISCARD ttp_code selftest_run_here(struct ttp_child *out, struct selftest *t,
                                         const char *const *argv, struct ttp_err *err);
/* "exit status 3: the first line it printed to standard error". */
ttp_str selftest_failure(const struct selftest *t, const struct ttp_child *child);

/* Optional libraries, and a synthetic run through the verbs. */
TTP_NODISCARD ttp_code selftest_installation(struct selftest *t, struct ttp_err *err);
/* What a card and tt-metal can show. */
TTP_NODISCARD ttp_code selftest_device(struct selftest *t, struct ttp_err *err);

#endif
