/* SPDX-License-Identifier: Apache-2.0 */
/* marker_table.h - part of the door of logs: a device log as process_device_log.py holds it in
 * memory, row by row, damage included. For the compatible mode and damaged logs alone: it costs a
 * hundred bytes for each row. */
#ifndef TTP_LOGS_MARKER_TABLE_H
#define TTP_LOGS_MARKER_TABLE_H

#include "base/err.h"
#include "base/sym.h"

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
bool ttp_zone_is_own(const struct ttp_zone *zone, enum ttp_risc risc);

/* What a row is. */
enum ttp_row_type {
    TTP_ROW_OTHER,
    TTP_ROW_START, /* of a zone */
    TTP_ROW_END,
    TTP_ROW_TOTAL, /* cycles spent in a zone, summed up on the device */
    TTP_ROW_DATA,  /* a time with 64 bits, or more, of data */
    TTP_ROW_EVENT, /* a time */
};

/* A device, coordinate or run id. pandas makes numbers of a column only if all of it is. */
struct ttp_table_value {
    ttp_str text; /* as Python prints it */
    bool number;
    bool whole; /* int() of it works, and gives `i` */
    int64_t i;
};

struct ttp_table_row {
    uint32_t device, core, lane; /* positions in the table's lists */
    uint32_t run;                /* in table->value */
    ttp_sym zone;                /* in table->zones */
    uint8_t type;                /* enum ttp_row_type */
    bool zero_timer, counter;    /* timer_id 0; that of performance counters */
    int64_t time;                /* cycles */
    int64_t trace_id, replay;    /* -1: none */
    double data;
    ttp_str meta;
    uint64_t line;
};

struct ttp_table_core {
    uint32_t device, x, y; /* position in table->device; values */
    bool dispatch;         /* has zones that only dispatch cores have */
};

struct ttp_table_sub_device {
    int64_t device, run, trace_id, replay; /* -1: none */
    int64_t id;
};

/* Lists are in order of first appearance. */
struct ttp_marker_table {
    struct ttp_arena *arena;
    struct ttp_table_value *value;
    size_t nvalues;
    uint32_t *device; /* values */
    size_t ndevices;
    struct ttp_table_core *core;
    size_t ncores;
    enum ttp_risc *lane; /* a RISC of a core */
    size_t nlanes;
    struct ttp_table_row *row; /* in file order */
    size_t nrows;
    struct ttp_symtab zones;
    struct ttp_zone *zone; /* by symbol */
    size_t nzones, cap_zones;
    struct ttp_table_sub_device *sub; /* sorted by all but id; of equal ones the last counts */
    size_t nsubs;
    bool float_times; /* pandas made floats of them: they print with a decimal */
    bool text_data, text_meta;
};

enum ttp_table_part {
    TTP_TABLE_ALL,
    TTP_TABLE_SUB_DEVICES, /* `sub` alone */
};

/* Read it as pandas.read_csv() does: quotes, line ends, short rows and types of columns included.
 * TTP_EPARSE: where that, or what process_ops_logs.py does with each row, fails. The preamble is
 * not looked at. */
TTP_NODISCARD ttp_code ttp_logs_read_table(struct ttp_marker_table *out, const char *path,
                                           enum ttp_table_part part, struct ttp_arena *arena,
                                           struct ttp_err *err);
/* The symbol of a zone name that the log itself may not have. */
ttp_sym ttp_table_zone(struct ttp_marker_table *t, ttp_str name);
/* The sub-device of an execution, TTP_NO_ID: not said. */
int64_t ttp_table_sub_device(const struct ttp_marker_table *t, int64_t device, int64_t run,
                             int64_t trace_id, int64_t replay);

/* What the meta data of a performance counter says. False: not JSON, or no object. */
struct ttp_table_counter {
    ttp_str name;
    uint64_t value, reference;
};
bool ttp_table_counter(struct ttp_table_counter *out, ttp_str meta, struct ttp_arena *arena);
/* The member of a dispatch core's meta data, for which the original calls eval(): what is not both
 * JSON and Python fails. `text` is empty if it is a number. */
struct ttp_table_member {
    bool number;
    int64_t i;
    ttp_str text;
};
bool ttp_table_eval(struct ttp_table_member *out, ttp_str meta, const char *key,
                    struct ttp_arena *arena);

#endif
