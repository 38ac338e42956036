/* SPDX-License-Identifier: Apache-2.0 */
/* marker_table.h - a device log as process_device_log.py holds it in memory, row by row, damage
 * included. For damaged logs alone: it costs a hundred bytes for each row. */
#ifndef TTP_COMPAT_MARKER_TABLE_H
#define TTP_COMPAT_MARKER_TABLE_H

#include "logs/logs.h"

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

struct ttp_marker_table_sub_device {
    struct ttp_exec_key key;
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
    size_t nzones;
    struct ttp_marker_table_sub_device
        *sub; /* sorted by all but id; of equal ones the last counts */
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
TTP_NODISCARD ttp_code ttp_compat_marker_table_read(struct ttp_marker_table *out, const char *path,
                                                    enum ttp_table_part part,
                                                    struct ttp_arena *arena, struct ttp_err *err);
/* The symbol of a zone name that the log itself may not have. */
ttp_sym ttp_compat_marker_table_zone(struct ttp_marker_table *t, ttp_str name);
/* The sub-device of an execution, TTP_NO_ID: not given. */
int64_t ttp_marker_table_sub_device(const struct ttp_marker_table *t,
                                    const struct ttp_exec_key *key);

/* What the meta data of a performance counter says. False: not JSON, or no object. */
struct ttp_marker_table_counter {
    ttp_str name;
    uint64_t value, reference;
};
bool ttp_marker_table_counter(struct ttp_marker_table_counter *out, ttp_str meta,
                              struct ttp_arena *arena);
/* The member of a dispatch core's meta data, for which the original calls eval(): what is not both
 * JSON and Python fails. `text` is empty if it is a number. */
struct ttp_table_member {
    bool number;
    int64_t i;
    ttp_str text;
};
bool ttp_compat_marker_table_eval(struct ttp_table_member *out, ttp_str meta, const char *key,
                                  struct ttp_arena *arena);

#endif
