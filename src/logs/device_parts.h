/* SPDX-License-Identifier: Apache-2.0 */
/* device_parts.h - part of the door of logs: the parts of a row of a device log. */
#ifndef TTP_LOGS_DEVICE_PARTS_H
#define TTP_LOGS_DEVICE_PARTS_H

#include "base/sym.h"

enum ttp_device_column {
    TTP_COL_DEVICE,
    TTP_COL_X,
    TTP_COL_Y,
    TTP_COL_RISC,
    TTP_COL_TIMER,
    TTP_COL_TIME,
    TTP_COL_DATA,
    TTP_COL_RUN,
    TTP_COL_TRACE,
    TTP_COL_REPLAY,
    TTP_COL_ZONE,
    TTP_COL_TYPE,
    TTP_COL_LINE,
    TTP_COL_FILE,
    TTP_COL_META,
    TTP_DEVICE_COLUMNS,
};

/* Processors of a core that have a meaning to the analyses; others have only a name. */
enum ttp_risc {
    TTP_RISC_OTHER,
    TTP_RISC_BRISC,
    TTP_RISC_NCRISC,
    TTP_RISC_TRISC0,
    TTP_RISC_TRISC1,
    TTP_RISC_TRISC2,
    TTP_RISC_ERISC,
    TTP_RISC_AGG,
    TTP_RISC_QUASAR_DM0,
};

/* What a zone name means to the analyses. */
struct ttp_zone {
    bool fw, kernel;             /* "<RISC>-FW", "<RISC>-KERNEL" */
    bool trace_fw, trace_kernel; /* of the trace-only profiler */
    bool has_fw;                 /* "FW" somewhere in it */
    bool data_movement;          /* BRISC-, NCRISC- or ERISC-KERNEL */
    bool tensix_dm;              /* BRISC- or NCRISC-KERNEL */
    bool cb_wait, cb_reserve;
    bool dispatch;        /* a dispatch core's zone */
    bool command, go;     /* named after a dispatch command; the go signal's */
    bool iteration;       /* BRISC-FW or DM0-FW: a start begins an op on its core */
    enum ttp_risc master; /* the RISC on which this zone encloses the op */
    enum ttp_risc own;    /* the RISC whose kernel zone this is; TRISC0 for all three */
};
/* Is it the kernel zone that this RISC itself writes? */
bool ttp_logs_zone_is_own(const struct ttp_zone *zone, enum ttp_risc risc);

/* What a row is. */
enum ttp_row_type {
    TTP_ROW_OTHER,
    TTP_ROW_START, /* of a zone */
    TTP_ROW_END,
    TTP_ROW_TOTAL, /* cycles spent in a zone, summed up on the device */
    TTP_ROW_DATA,  /* a time with 64 bits, or more, of data */
    TTP_ROW_EVENT, /* a time */
};

struct ttp_zone ttp_logs_zone_of(ttp_str name);
enum ttp_risc ttp_logs_risc_of(ttp_str name);

#endif
