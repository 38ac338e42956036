/* SPDX-License-Identifier: Apache-2.0 */
/* log_options.h - part of the door of logs: what all readers share. */
#ifndef TTP_LOGS_LOG_OPTIONS_H
#define TTP_LOGS_LOG_OPTIONS_H

#include "base/err.h"
#include "base/sym.h"

struct ttp_logs_options {
    unsigned threads;  /* 0: one per processor */
    bool strict;       /* rows and cells by the rules of Python's readers, and what they refuse is
                          TTP_EPARSE; else bad rows are counted and left out */
    bool progress;     /* show progress on a terminal */
    const char *doing; /* what its line says; NULL: that a file is read */
};

/* A trace id, replay counter or sub-device that is missing. */
#define TTP_NO_ID ((int64_t)-1)

/* Problems that a reader of logs tolerates: their count, and the first place. */
struct ttp_fault {
    uint64_t count;
    uint64_t line; /* of the first, from 1; 0: none */
};

#endif
