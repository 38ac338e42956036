/* SPDX-License-Identifier: Apache-2.0 */
/* top_outputs.h - the current state of the boards. Part of outputs.h. */
#ifndef TTP_OUTPUTS_TOP_TOP_OUTPUTS_H
#define TTP_OUTPUTS_TOP_TOP_OUTPUTS_H

#include "host/host.h"
#include "mem/mem.h"
#include "outputs/show/show.h"
#include "startup/startup.h"

/* What a process holds of the chips' memory, and what it does. */
struct ttp_top_process {
    int32_t pid;
    ttp_str name;
    bool alive, has_memory;
    size_t memory_chips; /* on which it holds memory */
    struct ttp_mem_counts bytes;
    struct ttp_activity activity;
};
/* What ran on a chip since the last sample, through the Tracy client of a process. */
struct ttp_top_ran {
    ttp_str name; /* label of its kernels */
    double us, pct;
};
struct ttp_top_busy {
    int64_t chip;
    double busy_pct; /* of the time, in which some program ran */
    uint64_t programs;
    const struct ttp_top_ran *ran; /* the longest first */
    size_t rans;
};

struct ttp_top_live {
    const struct ttp_top_busy *busy;
    size_t busies;
    int64_t attached_pid; /* 0: none */
    struct ttp_top_process *process;
    size_t processes;
    const struct ttp_mem_shm_file *file; /* counters of each chip */
    size_t files;
    double dram_bytes; /* of a chip; 0: unknown, or not the same for all */
};

struct ttp_top_view {
    const struct ttp_host *host;
    const struct ttp_host_sample *first;  /* has the limits */
    const struct ttp_host_sample *before; /* NULL: none yet */
    const struct ttp_host_sample *now;
    uint64_t unix_ns; /* when `now` was taken */
    const struct ttp_top_live *live;
    ttp_str hostname; /* of TTP_FORM_PROMETHEUS */
};

extern const struct ttp_document_spec ttp_top_document;
/* A table of all chips, a line about each process that uses them and one about the host, a JSON
 * document on one line, or metrics for Prometheus. */
TTP_NODISCARD ttp_code ttp_out_top(const struct ttp_show *show, const struct ttp_top_view *view,
                                   struct ttp_err *err);
/* A rate for human readers, "1.2 GB/s"; "-" for NAN. Room: 16 bytes. */
#define TTP_RATE_MAX 16
void ttp_out_rate(char *out, double bytes_s);
/* "500/1000", "41.5/75", "500", "-". Room: 24 bytes. */
#define TTP_OF_MAX 24
void ttp_out_of(char *out, double now, double limit, int digits);
/* One chip for human readers: "chip 0 busy 87 %: matmul 38 %, binary_ng 22 %". */
void ttp_out_top_busy(struct ttp_sink *out, const struct ttp_top_busy *busy);
/* One process for human readers: "DRAM 7.1 GiB of 12 GiB  L1 42 MiB  CB 11 MiB; launching 1,940/s:
 * ...".
 */
void ttp_out_top_process(struct ttp_sink *out, const struct ttp_top_live *live,
                         const struct ttp_top_process *p);

#endif
