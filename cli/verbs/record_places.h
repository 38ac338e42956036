/* SPDX-License-Identifier: Apache-2.0 */
/* record_places.h - from the clients of a run to a folder of logs for each, and their reports. */
#ifndef TTP_CLI_RECORD_PLACES_H
#define TTP_CLI_RECORD_PLACES_H

#include <time.h>

#include "logs/logs.h"
#include "verbs/record_job.h"

/* One folder with the logs of one client. */
struct ttp_record_place {
    const char *root, *logs;
    const char *shared;   /* logs of the folder that its device logs are in; NULL: they are here */
    bool rank;            /* its folder is rank<N>: one of several that ran one after the other */
    const char *disputed; /* why its ownership of these is unknown; NULL: it owns them */
};

/* The run as a whole. */
struct ttp_record_whole {
    struct ttp_record_place place;
    struct ttp_holds holds;
    struct ttp_run_facts facts;
    struct ttp_port port;           /* that clients connect to */
    struct timespec since;          /* files that are older are of an earlier run */
    struct ttp_rank_clock start;    /* before the command */
    struct ttp_rank_ticks host_log; /* of the client with the most ops; all 0: unknown */
};

/* Logs and reports of all clients. */
TTP_NODISCARD ttp_code ttp_record_process_clients(const struct ttp_record_job *job,
                                                  const struct ttp_record_result *r,
                                                  struct ttp_record_whole *run,
                                                  const struct ttp_ctx *ctx, struct ttp_err *err);
/* TTP_EIO, TTP_ELIMIT: not all that a client sent was kept. */
TTP_NODISCARD ttp_code ttp_record_check_whole(const struct ttp_record_result *r,
                                              struct ttp_err *err);

#endif
