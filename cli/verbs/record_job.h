/* SPDX-License-Identifier: Apache-2.0 */
/* record_job.h - a recording and what is made of it, for the three command lines that ask for one:
 * record, tracy and the drop-in name tt_profile. */
#ifndef TTP_CLI_RECORD_JOB_H
#define TTP_CLI_RECORD_JOB_H

#include "core/cmd.h"
#include "record/record.h"

enum { TTP_PORT_ANY = -1 }; /* TRACY_PORT, else as 0 */

struct ttp_record_job {
    struct ttp_ledger_settings settings; /* `dir` and `port` are filled in */
    struct ttp_words command;
    const char *dir;           /* artifacts folder, NULL: where tt-metal would put it */
    int64_t port;              /* TTP_PORT_ANY, 0: each client its own, or a number */
    const char *name;          /* of the report, or NULL */
    struct ttp_words children; /* zones to keep below ops, besides the usual two */
    enum ttp_zones zones;
    bool tracy_file;
    bool raw;                   /* keep the stream itself too */
    const char *tools;          /* folder of Tracy's own tools, or NULL */
    bool process;               /* make the ops CSV */
    bool print;                 /* and show the report */
    bool device_only;           /* of device logs alone */
    const char *report_file;    /* where the ops CSV goes, NULL: a new folder below reports */
    bool report_named;          /* by the user, who wants it there and nowhere else */
    bool mlir_columns;          /* with those of tt-mlir, also if it sent none */
    const struct ttp_cmd *then; /* a further verb for the folder, or NULL */
    struct ttp_words analysis;  /* of the device log, only these */
    bool unless_failed;         /* process nothing if the command fails */
    bool require_capture;       /* a run of which nothing is received is a failure */
    const struct ttp_common_opts *common; /* how the report is shown; NULL: as by default */
    unsigned threads;
    const char *host_root; /* where the boards are read that are sampled; NULL: this machine */
    int64_t sample_hz;     /* 0: none are */
};

/* Run it. *status is the command's; a failure of ours is returned. */
TTP_NODISCARD ttp_code ttp_record_job_run(int *status, const struct ttp_record_job *job,
                                          const struct ttp_ctx *ctx, struct ttp_err *err);

struct ttp_record_whole;
/* Before the first pass: can the machine and the environment do all of them? */
TTP_NODISCARD ttp_code ttp_record_job_check(const struct ttp_record_passes *passes,
                                            const struct ttp_ctx *ctx, struct ttp_err *err);
/* Run it, and keep what it holds in run->holds, for the caller to release. */
TTP_NODISCARD ttp_code ttp_record_job_hold(int *status, struct ttp_record_job *job,
                                           struct ttp_record_whole *run, const struct ttp_ctx *ctx,
                                           struct ttp_err *err);

/* Only the ops and the report, of the logs that are in its folder. */
TTP_NODISCARD ttp_code ttp_record_job_process(const struct ttp_record_job *job,
                                              const struct ttp_ctx *ctx, struct ttp_err *err);

/* Only what follows the run: of a capture file (or .tracy, or wire recording), or of all captures
 * in a folder. */
TTP_NODISCARD ttp_code ttp_record_job_repeat(const char *from, const struct ttp_record_job *job,
                                             const struct ttp_ctx *ctx, struct ttp_err *err);

#endif
