/* SPDX-License-Identifier: Apache-2.0 */
/* noc_records.h - the part of the door that is about the NoC; include logs.h. */
#ifndef TTP_LOGS_NOC_RECORDS_H
#define TTP_LOGS_NOC_RECORDS_H

#include "logs/exec_key.h"
#include "logs/host_log.h"

/* ---- noc_trace_dev*.json ---- */

/* What a record of a NoC trace is. tt-metal's NocEventType, and zones. */
enum ttp_noc_type {
    TTP_NOC_NONE, /* neither a zone nor an event */
    TTP_NOC_ZONE_START,
    TTP_NOC_ZONE_END,
    TTP_NOC_READ,
    TTP_NOC_READ_SET_STATE,
    TTP_NOC_READ_SET_TRID,
    TTP_NOC_READ_WITH_STATE,
    TTP_NOC_READ_WITH_STATE_AND_TRID,
    TTP_NOC_READ_BARRIER_START,
    TTP_NOC_READ_BARRIER_END,
    TTP_NOC_READ_BARRIER_WITH_TRID,
    TTP_NOC_READ_DRAM_SHARDED_SET_STATE,
    TTP_NOC_READ_DRAM_SHARDED_WITH_STATE,
    TTP_NOC_WRITE,
    TTP_NOC_WRITE_SET_TRID,
    TTP_NOC_WRITE_WITH_TRID,
    TTP_NOC_WRITE_INLINE,
    TTP_NOC_WRITE_MULTICAST,
    TTP_NOC_WRITE_SET_STATE,
    TTP_NOC_WRITE_WITH_STATE,
    TTP_NOC_WRITE_WITH_TRID_SET_STATE,
    TTP_NOC_WRITE_WITH_TRID_WITH_STATE,
    TTP_NOC_WRITE_BARRIER_START,
    TTP_NOC_WRITE_BARRIER_END,
    TTP_NOC_WRITE_BARRIER_WITH_TRID,
    TTP_NOC_WRITE_FLUSH,
    TTP_NOC_WRITE_FLUSH_WITH_TRID,
    TTP_NOC_FULL_BARRIER,
    TTP_NOC_ATOMIC_BARRIER,
    TTP_NOC_SEMAPHORE_INC,
    TTP_NOC_SEMAPHORE_WAIT,
    TTP_NOC_SEMAPHORE_SET,
    TTP_NOC_FABRIC_UNICAST_WRITE,
    TTP_NOC_FABRIC_UNICAST_INLINE_WRITE,
    TTP_NOC_FABRIC_UNICAST_ATOMIC_INC,
    TTP_NOC_FABRIC_FUSED_UNICAST_ATOMIC_INC,
    TTP_NOC_FABRIC_MULTICAST_WRITE,
    TTP_NOC_FABRIC_MULTICAST_ATOMIC_INC,
    TTP_NOC_FABRIC_UNICAST_SCATTER_WRITE,
    TTP_NOC_FABRIC_ROUTING_FIELDS_1D,
    TTP_NOC_FABRIC_ROUTING_FIELDS_2D,
    TTP_NOC_OTHER, /* its name is ttp_noc_event.name */
    TTP_NOC_TYPES,
};

/* In the order of their names. */
enum ttp_noc_risc {
    TTP_NOC_RISC_NONE, /* not given, or empty */
    TTP_NOC_RISC_BRISC,
    TTP_NOC_RISC_CORE_AGG,
    TTP_NOC_RISC_ERISC,
    TTP_NOC_RISC_NCRISC,
    TTP_NOC_RISC_TRISC_0,
    TTP_NOC_RISC_TRISC_1,
    TTP_NOC_RISC_TRISC_2,
    TTP_NOC_RISC_OTHER,
    TTP_NOC_RISCS,
};

#define TTP_NOC_UNSAID    (-1)       /* of a coordinate, a NoC or a parent */
#define TTP_NOC_FAR       INT16_MIN  /* a coordinate beyond 16 bits */
#define TTP_NOC_NOWHERE   UINT16_MAX /* a device id that cannot be one */
#define TTP_NOC_NO_FABRIC UINT32_MAX
#define TTP_NOC_STRANGE   2 /* a NoC of another name */

/* One record, as is: transfers that set or reuse the state of a command buffer are not
 * resolved. All coordinates are NoC 0's. */
struct ttp_noc_event {
    uint64_t cycle;  /* 0 if not given */
    int64_t bytes;   /* 0 if not given; cut_values: whatever is written */
    uint32_t fabric; /* position in ttp_noc_trace.fabric, TTP_NOC_NO_FABRIC: not of the fabric */
    ttp_sym name;    /* of a zone, or of a type we do not know; TTP_SYM_NONE */
    int32_t sx, sy;  /* the issuing core */
    int32_t dx, dy;  /* the other end */
    int32_t mcast_start_x, mcast_start_y, mcast_end_x, mcast_end_y; /* in the order of travel */
    uint32_t device, dst_device; /* dst_device: as device if not given */
    uint8_t type;                /* enum ttp_noc_type */
    uint8_t risc;                /* enum ttp_noc_risc */
    int8_t noc;                  /* 0, 1, TTP_NOC_UNSAID; cut_values: TTP_NOC_STRANGE */
    int8_t vc;                   /* TTP_NOC_UNSAID: unknown */
    bool device_said;            /* the record names its device */
};

/* A write that leaves the fabric. */
struct ttp_noc_write {
    int16_t dx, dy;
    int8_t noc;
    int64_t bytes; /* TTP_NOC_UNSAID */
};

/* A stretch of a packet's way over one chip, found by whoever merged the traces of a mesh. */
struct ttp_noc_hop {
    int32_t device, parent; /* parent: position in the same path */
    int16_t start_x, start_y, forward_x, forward_y;
    int8_t noc;
    bool has_writes;       /* the key was there */
    bool old;              /* 2025's traces: forward is the end of the stretch, whatever is there */
    uint32_t write, count; /* in ttp_noc_trace.write */
};

/* How a fabric event is sent. Distances that are not given are TTP_NOC_UNSAID. */
struct ttp_noc_fabric {
    int32_t eth_chan;
    int32_t start_distance, range; /* 1D; 2025's `hops` are a start_distance with range 1 */
    int32_t ns_hops, e_hops, w_hops;
    bool is_mcast, has_mux, has_path;
    int16_t mux_x, mux_y;
    int8_t mux_noc;
    uint32_t write, nwrites; /* `dst`, in ttp_noc_trace.write */
    uint32_t hop, nhops;     /* `path`, in ttp_noc_trace.hop */
};

struct ttp_noc_trace {
    struct ttp_noc_event *event; /* in file order */
    size_t nevents;
    struct ttp_noc_fabric *fabric;
    size_t nfabrics;
    struct ttp_noc_hop *hop;
    size_t nhops;
    struct ttp_noc_write *write;
    size_t nwrites;
    struct ttp_symtab names;
    ttp_str op;                       /* name of the first record that has one, or empty */
    uint64_t run_id;                  /* of the first record that has one; 0: none */
    uint64_t first_cycle, last_cycle; /* of all records */
    /* Set by the caller before the first file: values count as tt-npe 1021603 takes them. Only
     * what is written as an integer is one; the first of repeated keys counts; an element that is
     * not an object is a record that says nothing; numbers beyond 64 bits make the file no JSON.
     * Coordinates and devices that do not fit 16 bits are kept modulo 2^16, as tt-npe cuts them,
     * and modulo the size of every grid. */
    bool cut_values;
    bool strict_zones;            /* set by the caller: zones of a core must pair up */
    bool old_phases;              /* zones begin and end, as before 2025: ZONE_START since */
    struct ttp_fault odd_values;  /* of another kind than they should be: taken as not given */
    struct ttp_fault bad_records; /* not objects: left out */

    /* Private: room in the arrays. */
    size_t cap_hops;
};

/* Add the records of a file to *out, which is zero before the first. `device`: the one of records
 * that do not name theirs. TTP_EPARSE: not JSON, or not an array. */
TTP_NODISCARD ttp_code ttp_logs_read_noc_trace(struct ttp_noc_trace *out, const char *path,
                                               uint16_t device, struct ttp_arena *arena,
                                               struct ttp_err *err);
/* "READ", "WRITE_", ...; "" for zones and what is neither. */
const char *ttp_logs_noc_type_name(enum ttp_noc_type type);
const char *ttp_logs_noc_risc_name(enum ttp_noc_risc risc);
/* TTP_NOC_OTHER: none of that name. */
enum ttp_noc_type ttp_logs_noc_type(ttp_str name);

/* One file of a folder: noc_trace_dev<D>[_<op>]_ID<run>[_traceID<n>].json[.gz|.zst] */
struct ttp_noc_file {
    const char *path;
    int64_t device;
    uint64_t run_id;   /* (op id << 10) | device */
    ttp_str op;        /* from the name, or empty */
    int64_t trace_key; /* (trace id << 32) | replay; TTP_NO_ID: not of a metal trace */
};
struct ttp_exec_key ttp_logs_noc_trace_file_key(const struct ttp_noc_file *file);
/* All devices' files of one execution of a program. */
struct ttp_noc_program {
    uint64_t op_id; /* run_id >> 10 */
    int64_t trace_key;
    ttp_str op;
    struct ttp_noc_file *file; /* by device */
    size_t nfiles;
};
struct ttp_noc_folder {
    struct ttp_noc_program *program; /* by op id, then trace */
    size_t nprograms;
    const char *topology;    /* path of topology.json, NULL: none */
    bool has_sync;           /* sync_device_info.csv is there: clocks were synchronised */
    size_t skipped;          /* programs of the profiler itself (run id 0) */
    struct ttp_words unread; /* named like a trace, but not as tt-metal names them */
};
/* What there is in `dir`, or in its `.logs`; merged files of tt-npe are left out. Old traces
 * (before 2025-08) number programs per device: run ids that are not (op << 10) | device are op ids
 * themselves. No program: nothing was found. */
TTP_NODISCARD ttp_code ttp_logs_find_noc_traces(struct ttp_noc_folder *out, const char *dir,
                                                struct ttp_arena *arena, struct ttp_err *err);

/* ---- workload files of tt-npe ---- */

struct ttp_noc_workload_item {
    int64_t packet_size, num_packets;
    int64_t src_x, src_y, dst_x, dst_y; /* dst both TTP_NOC_UNSAID: a multicast */
    int64_t mcast_start_x, mcast_start_y, mcast_end_x, mcast_end_y;
    int64_t phase_cycle_offset, device_id;
    double injection_rate;
    int8_t noc;
    uint8_t type;      /* enum ttp_noc_type */
    ttp_str type_name; /* as written, or empty */
    uint64_t line;
};
struct ttp_noc_workload {
    struct ttp_noc_workload_item *item; /* of all phases, which all begin at cycle 0 */
    size_t nitems;
    bool has_golden;
    uint64_t golden_cycles;
    struct ttp_fault incomplete; /* transfers without a member they need: left out, as in tt-npe */
    struct ttp_fault no_offset;  /* transfers without phase_cycle_offset: they begin at 0 */
};

/* `strict`: only what is written as an integer is one, and TTP_EPARSE is also: a phase without
 * transfers, golden cycles that are not a number. Else TTP_EPARSE: not JSON, or no object with a
 * list of phases. */
TTP_NODISCARD ttp_code ttp_logs_read_noc_workload(struct ttp_noc_workload *out, const char *path,
                                                  bool strict, struct ttp_arena *arena,
                                                  struct ttp_err *err);

enum ttp_noc_content { TTP_NOC_IS_TRACE, TTP_NOC_IS_WORKLOAD, TTP_NOC_IS_OTHER };
/* By the first byte that is not blank: traces are arrays, workloads objects. */
TTP_NODISCARD ttp_code ttp_logs_noc_content(enum ttp_noc_content *out, const char *path,
                                            struct ttp_err *err);
/* By its first record, whatever the file is called. */
bool ttp_logs_is_noc_trace(const char *path);

/* ---- topology.json ---- */

enum ttp_direction { TTP_NORTH, TTP_SOUTH, TTP_EAST, TTP_WEST };
enum ttp_fabric {
    TTP_FABRIC_NONE,
    TTP_FABRIC_1D,
    TTP_FABRIC_1D_RING,
    TTP_FABRIC_2D,
    TTP_FABRIC_2D_TORUS
};

struct ttp_eth_route {
    int32_t device, plane, channel;
    uint8_t direction; /* enum ttp_direction */
};
struct ttp_fabric_node {
    int32_t device, mesh, node;
};
struct ttp_eth_place {
    int32_t channel;
    int16_t x, y;
};
struct ttp_topology {
    ttp_str cluster_type; /* empty: not given */
    ttp_str fabric_config;
    enum ttp_fabric fabric;
    int32_t ns, ew; /* shape of the one mesh; 0: not given */
    size_t nmeshes;
    struct ttp_eth_route *route; /* in file order, of each plane N, S, E, W */
    size_t nroutes;
    struct ttp_fabric_node *node;
    size_t nnodes;
    struct ttp_eth_place *place;
    size_t nplaces;
    bool old; /* of 2025, before clusters were named */
};

/* Comments as in JavaScript are fine. TTP_EPARSE: not JSON, or invalid numbers. TTP_ELIMIT:
 * more than 16 MiB. */
TTP_NODISCARD ttp_code ttp_logs_read_topology(struct ttp_topology *out, const char *path,
                                              struct ttp_arena *arena, struct ttp_err *err);

#endif
