/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/kernel/kernel_fields.h"

/* ---- traffic ---- */

static struct ttp_value get_at_least(const void *context, const void *row)
{
    (void)context;
    return ttp_value_bool(((const struct ttp_transfers *)row)->saturated > 0);
}

#define TRANSFERS(member) TTP_FIGURE(struct ttp_transfers, member)
static const struct ttp_field transfer_fields[] = {
    TTP_INT("bytes", "bytes", TRANSFERS(bytes)),
    TTP_INT("transfers", "", TRANSFERS(count)),
    TTP_INT("saturated_transfers", "", TRANSFERS(saturated),
            .help = "of 8160 bytes or more: the trace does not record the exact size"),
    TTP_FLAG("at_least", .get = get_at_least, .help = "the real number may be larger"),
};
static const struct ttp_fields transfers = {TTP_FIELDS(transfer_fields)};

struct ends {
    struct ttp_transfers at[TTP_TRAFFIC_ENDS];
};
static const struct ttp_field end_fields[] = {
    {.id = "dram", TTP_OBJECT_HERE(struct ends, at[TTP_END_DRAM], transfers)},
    {.id = "l1", TTP_OBJECT_HERE(struct ends, at[TTP_END_L1], transfers)},
    {.id = "eth", TTP_OBJECT_HERE(struct ends, at[TTP_END_ETH], transfers)},
    {.id = "other", TTP_OBJECT_HERE(struct ends, at[TTP_END_OTHER], transfers)},
};
static const struct ttp_fields ends = {TTP_FIELDS(end_fields)};

struct nocs {
    uint64_t n[TTP_KERNEL_NOCS];
};
static const struct ttp_field noc_fields[] = {
    TTP_INT("noc0", "", TTP_FIGURE(struct nocs, n[0])),
    TTP_INT("noc1", "", TTP_FIGURE(struct nocs, n[1])),
    TTP_INT("unsaid", "", TTP_FIGURE(struct nocs, n[2])),
};
static const struct ttp_fields nocs = {TTP_FIELDS(noc_fields)};

static const struct ttp_field size_fields[] = {
    TTP_INT("bytes", "bytes", TTP_FIGURE(struct ttp_size_count, bytes)),
    TTP_INT("transfers", "", TTP_FIGURE(struct ttp_size_count, count)),
};
static const struct ttp_fields sizes = {TTP_FIELDS(size_fields)};

static struct ttp_value get_channels(const void *context, const void *row)
{
    (void)context;
    return ttp_value_i64(__builtin_popcount(((const struct ttp_traffic *)row)->dram_channels));
}

#define TRAFFIC(member) TTP_FIGURE(struct ttp_traffic, member)
static const struct ttp_field traffic_fields[] = {
    {.id = "read",
     TTP_OBJECT_HERE(struct ttp_traffic, read, ends),
     .help = "by the kind of core at the other end"},
    {.id = "write", TTP_OBJECT_HERE(struct ttp_traffic, write, ends)},
    {.id = "multicast", TTP_OBJECT_HERE(struct ttp_traffic, multicast, transfers)},
    TTP_INT("multicast_received_bytes", "bytes", TRAFFIC(multicast_received),
            .help = "over all receivers"),
    {.id = "fabric", TTP_OBJECT_HERE(struct ttp_traffic, fabric, transfers)},
    {.id = "transfer_sizes", TTP_ROWS_AT(struct ttp_traffic, sizes.size, sizes.count, sizes)},
    TTP_INT("read_barriers", "", TRAFFIC(read_barriers)),
    TTP_INT("write_barriers", "", TRAFFIC(write_barriers)),
    TTP_INT("read_barrier_cycles", "cycles", TRAFFIC(read_barrier_cycles)),
    TTP_INT("write_barrier_cycles", "cycles", TRAFFIC(write_barrier_cycles)),
    TTP_INT("semaphores", "", TRAFFIC(semaphores)),
    {.id = "noc_reads", TTP_OBJECT_HERE(struct ttp_traffic, noc_reads, nocs)},
    {.id = "noc_writes", TTP_OBJECT_HERE(struct ttp_traffic, noc_writes, nocs)},
    TTP_INT("dram_channels", "", .get = get_channels),
    TTP_INT("l1_targets", "", TRAFFIC(l1_targets.count)),
    TTP_INT("source_cores", "", TRAFFIC(sources.count)),
    TTP_INT("state_reusing_transfers", "", TRAFFIC(with_state),
            .help = "transfers to the target of an earlier one"),
    TTP_INT("state_unknown_transfers", "", TRAFFIC(lost_state),
            .help = "those whose target is not in the trace"),
};
static const struct ttp_fields traffic = {TTP_FIELDS(traffic_fields)};

/* ---- threads and zones ---- */

static struct ttp_value count_of(const struct ttp_cycle_spread *s)
{
    return ttp_kernel_is_sum(s) ? (struct ttp_value){0} : ttp_value_i64((int64_t)s->count);
}

static struct ttp_value get_count(const void *context, const void *row)
{
    (void)context;
    return count_of(row);
}

static struct ttp_value get_cores(const void *context, const void *row)
{
    (void)context;
    return count_of(&((const struct ttp_kernel_thread_row *)row)->of.kernel_cycles);
}

#define SPREAD(member) TTP_FIGURE(struct ttp_cycle_spread, member)
static const struct ttp_field spread_fields[] = {
    TTP_INT("count", "", .get = get_count, .help = "null: unknown, as of a printed sum"),
    TTP_INT("min", "cycles", SPREAD(min), .above_0 = true, .help = "null: only the sum is known"),
    TTP_INT("median", "cycles", SPREAD(median), .above_0 = true),
    TTP_INT("max", "cycles", SPREAD(max), .above_0 = true),
    TTP_INT("sum", "cycles", SPREAD(sum)),
};
static const struct ttp_fields spread = {TTP_FIELDS(spread_fields)};

#define THREAD(member)   TTP_FIGURE(struct ttp_kernel_thread_row, member)
#define IN_TABLE(member) THREAD(of.kernel_cycles.member), .table_only = true
#define WAITED(member)   THREAD(member), TTP_KNOWN_IF(struct ttp_kernel_thread_row, has_waits)
static const struct ttp_field thread_fields[] = {
    TTP_WORDS_COLUMN("thread", "Thread", 0, THREAD(thread)),
    TTP_WORDS_COLUMN("kernel", "Kernel", 1, THREAD(of.kernel)),
    {.id = "kernel_cycles",
     TTP_OBJECT_HERE(struct ttp_kernel_thread_row, of.kernel_cycles, spread),
     .help = "over cores"},
    TTP_INT_COLUMN("cores", "Cores", "", 0, .get = get_cores, .table_only = true),
    TTP_INT_COLUMN("sum_cycles", "All cores", "cycles", 4, IN_TABLE(sum)),
    TTP_INT_COLUMN("min_cycles", "Min", "cycles", 2, IN_TABLE(min), .above_0 = true),
    TTP_INT_COLUMN("median_cycles", "Median", "cycles", 0, IN_TABLE(median), .above_0 = true),
    TTP_INT_COLUMN("max_cycles", "Max", "cycles", 2, IN_TABLE(max), .above_0 = true),
    TTP_INT("wait_for_data_cycles", "cycles", THREAD(of.wait)),
    TTP_INT("wait_for_room_cycles", "cycles", THREAD(of.reserve)),
    TTP_INT("dma_barrier_cycles", "cycles", THREAD(of.barrier)),
    TTP_REAL_COLUMN("wait_for_data_percent", "Data", "%", 1, 1, WAITED(wait_pct)),
    TTP_REAL_COLUMN("wait_for_room_percent", "Room", "%", 1, 1, WAITED(reserve_pct)),
    TTP_REAL_COLUMN("dma_barrier_percent", "DMA", "%", 1, 1, WAITED(barrier_pct)),
    TTP_INT("zones", "", THREAD(of.zones)),
    TTP_INT("zone_cycles", "cycles", THREAD(of.line_cycles)),
};
const struct ttp_fields ttp_kernel_thread_fields = {TTP_FIELDS(thread_fields)};

#define ZONE(member) TTP_FIGURE(struct ttp_kernel_zone_row, member)
static const struct ttp_field zone_fields[] = {
    TTP_WORDS_COLUMN("name", "Name", 0, ZONE(name)),
    TTP_WORDS_COLUMN("thread", "Thread", 0, ZONE(thread)),
    TTP_REAL_COLUMN("count", "Count", "", 0, 1, ZONE(cycles.count)),
    TTP_INT_COLUMN("total_cycles", "Total", "cycles", 0, ZONE(cycles.sum)),
    TTP_REAL_COLUMN("mean_cycles", "Mean", "cycles", 0, 1, ZONE(mean_cycles)),
    TTP_INT_COLUMN("min_cycles", "Min", "cycles", 2, ZONE(cycles.min)),
    TTP_INT_COLUMN("max_cycles", "Max", "cycles", 2, ZONE(cycles.max)),
};
const struct ttp_fields ttp_kernel_zone_fields = {TTP_FIELDS(zone_fields)};

/* ---- verdict and targets ---- */

#define ROLE(member) TTP_FIGURE(struct ttp_kernel_role_row, member)
static const struct ttp_field role_fields[] = {
    TTP_WORDS("role", ROLE(role)),
    TTP_WORDS("thread", ROLE(thread)),
    TTP_INT("kernel_cycles", "cycles", ROLE(of.cycles), .help = "over all cores"),
    TTP_REAL("busy_percent", "%", 1, ROLE(of.busy), .scale = 100),
    TTP_REAL("wait_for_data_percent", "%", 1, ROLE(of.wait_in), .scale = 100),
    TTP_REAL("wait_for_room_percent", "%", 1, ROLE(of.wait_out), .scale = 100),
    TTP_REAL("dma_barrier_percent", "%", 1, ROLE(of.barrier), .scale = 100),
};
static const struct ttp_fields roles = {TTP_FIELDS(role_fields)};

#define VERDICT(member) TTP_FIGURE(struct ttp_kernel_verdict_row, member)
static const struct ttp_field verdict_fields[] = {
    TTP_WORDS("name", VERDICT(bottleneck),
              .help =
                  "unknown, reader, compute, writer, balanced, imbalance, few-cores, dram, flop, "
                  "both, link, noc, padding or gap"),
    TTP_WORDS("limit", VERDICT(limit), .help = "the bottleneck as report names it"),
    TTP_WORDS("thread", VERDICT(thread), .help = "among reader, compute and writer"),
    TTP_REAL("speedup_limit", "", 2, VERDICT(of.gain),
             .help = "upper bound of the speed-up without the bottleneck"),
    TTP_WORDS("sentence", VERDICT(sentence)),
    TTP_FLAG("from_waits", VERDICT(of.from_waits),
             .help = "false: taken from barriers of the NoC trace, or unknown"),
    {.id = "roles", TTP_ROWS_HERE(struct ttp_kernel_verdict_row, role, roles, roles)},
};
static const struct ttp_fields verdict = {TTP_FIELDS(verdict_fields)};

static struct ttp_value get_growth(const void *context, const void *row)
{
    const uint64_t times = ttp_kernel_block_growth(row);

    (void)context;
    return times ? ttp_value_i64((int64_t)times) : (struct ttp_value){.kind = TTP_VALUE_NONE};
}

#define TARGET(member) TTP_FIGURE(struct ttp_targets, member)
static const struct ttp_field target_fields[] = {
    TTP_INT("cores", "", TARGET(cores_used)),
    TTP_INT("available_cores", "", TARGET(cores_available), .above_0 = true),
    TTP_INT("dram_bytes", "bytes", TARGET(dram_bytes), .above_0 = true),
    TTP_FLAG("dram_bytes_at_least", TARGET(dram_at_least)),
    TTP_INT("ideal_dram_bytes", "bytes", TARGET(ideal_bytes), .above_0 = true,
            .help = "every tensor of the op once"),
    TTP_REAL("dram_gbs", "GB/s", 1, TARGET(dram_gbs)),
    TTP_REAL("peak_dram_gbs", "GB/s", 1, TARGET(peak_gbs)),
    TTP_INT("block_bytes", "bytes", TARGET(block_bytes), .above_0 = true,
            .help = "one block of all buffers of a core"),
    TTP_INT("blocks_per_core", "", TARGET(blocks), .above_0 = true,
            .help = "that a core reads into one buffer"),
    TTP_INT("block_growth", "", .get = get_growth,
            .help = "times as large as blocks could be: two of each buffer in L1, and two for a "
                    "core to read"),
    TTP_INT("buffers", "", TARGET(buffers)),
    TTP_INT("l1_bytes", "bytes", TARGET(l1_bytes), .above_0 = true),
    TTP_INT("buffer_l1_bytes", "bytes", TARGET(buffer_l1_bytes), .above_0 = true,
            .help = "of these for buffers"),
};
static const struct ttp_fields targets = {TTP_FIELDS(target_fields)};

/* ---- one program ---- */

#define CORE(member) TTP_FIGURE(struct ttp_kernel_core_row, member)
static const struct ttp_field core_fields[] = {
    TTP_INT("x", "", CORE(x)),
    TTP_INT("y", "", CORE(y)),
    TTP_INT("cycles", "cycles", CORE(cycles)),
};
static const struct ttp_fields cores = {TTP_FIELDS(core_fields)};

#define ROW(member) TTP_FIGURE(struct ttp_kernel_row, member)
static const struct ttp_field perf_fields[] = {
    {.id = "grid",
     TTP_ARRAY_HERE(struct ttp_kernel_row, grid, ttp_bare_u64),
     .help = "columns and rows"},
    TTP_INT("cores", "", ROW(of.targets.cores_used)),
    TTP_INT("duration_cycles", "cycles", ROW(of.duration_cycles)),
    TTP_REAL("device_us", "us", 1, ROW(device_time_us)),
    {.id = "core_cycles", TTP_OBJECT_HERE(struct ttp_kernel_row, of.core_cycles, spread)},
    {.id = "slowest_core", TTP_OBJECT_AT(struct ttp_kernel_row, slowest, cores)},
    {.id = "each_core", TTP_ROWS_AT(struct ttp_kernel_row, core, of.ncores, cores)},
    {.id = "traffic",
     TTP_OBJECT_AT(struct ttp_kernel_row, of.traffic, traffic),
     .help = "null: no NoC trace"},
};
static const struct ttp_fields perf = {TTP_FIELDS(perf_fields)};

#define FLAT(member) ROW(member), .table_only = true
static const struct ttp_field program_fields[] = {
    TTP_INT_COLUMN("id", "ID", "", 0, ROW(of.op_id), .above_0 = true,
                   .help = "of its op, as report has it"),
    TTP_INT_COLUMN("run_host_id", "Run host id", "", 2, ROW(of.key.run_id)),
    TTP_INT_COLUMN("program", "Program", "", 0, ROW(number)),
    TTP_WORDS_COLUMN("op", "Op", 0, ROW(of.name)),
    TTP_WORDS_COLUMN("kernel", "Kernel", 1, ROW(of.kernel),
                     .help = "name given by its author; empty: not a TT-Lang kernel"),
    TTP_WORDS_COLUMN("tensors", "Tensors", 3, ROW(of.tensors),
                     .help = "shapes without padding, and types: inputs -> outputs"),
    TTP_INT_COLUMN("device", "Device", "", 1, ROW(of.key.device)),
    TTP_INT_COLUMN("trace_id", "Trace", "", 3, ROW(of.key.trace_id), .is_id = true),
    TTP_INT_COLUMN("replay", "Replay", "", 3, ROW(of.key.replay), .is_id = true),
    TTP_INT("full_buffers", "", ROW(full_buffers),
            .help = "RISCs of cores whose marker buffer was full: later zones are lost"),
    TTP_REAL_COLUMN("device_us", "Time", "us", 1, 0, FLAT(device_time_us), .above_0 = true),
    TTP_INT("duration_cycles", "cycles", FLAT(of.duration_cycles), .above_0 = true),
    TTP_INT_COLUMN("cores", "Cores", "", 1, FLAT(of.targets.cores_used), .above_0 = true),
    TTP_INT("available_cores", "", FLAT(of.targets.cores_available), .above_0 = true),
    TTP_INT_COLUMN("dram_bytes", "DRAM", "bytes", 2, FLAT(of.targets.dram_bytes), .above_0 = true,
                   .help = "moved to and from DRAM"),
    TTP_REAL_COLUMN("dram_gbs", "DRAM", "GB/s", 1, 2, FLAT(of.targets.dram_gbs), .above_0 = true),
    TTP_WORDS_COLUMN("limit", "Limit", 0, FLAT(verdict.limit),
                     .help = "bottleneck, as report names it"),
    TTP_REAL_COLUMN("speedup_limit", "At most x", "", 2, 1, FLAT(verdict.of.gain),
                    .help = "upper bound of the speed-up without the bottleneck"),
    TTP_WORDS("sentence", FLAT(verdict.sentence), .help = "bottleneck, with its numbers"),
    {.id = "perf", TTP_OBJECT_AT(struct ttp_kernel_row, perf, perf), .optional = true},
    {.id = "threads",
     TTP_ROWS_AT(struct ttp_kernel_row, thread, threads, ttp_kernel_thread_fields),
     .optional = true},
    {.id = "signposts",
     TTP_ROWS_AT(struct ttp_kernel_row, zone, zones, ttp_kernel_zone_fields),
     .optional = true},
    {.id = "bottleneck",
     TTP_OBJECT_AT(struct ttp_kernel_row, bottleneck, verdict),
     .optional = true},
    {.id = "targets", TTP_OBJECT_AT(struct ttp_kernel_row, targets, targets), .optional = true},
};
static const struct ttp_field_alias aliases[] = {{"time", "device_us"}};
const struct ttp_fields ttp_kernel_fields = {TTP_FIELDS(program_fields), .alias = aliases,
                                             .aliases = TTP_COUNT(aliases),
                                             .hint = "tt-perf kernel --columns help lists them"};

/* ---- graphs ---- */

#define FLOW(member) TTP_FIGURE(struct ttp_flow_op_row, member)
#define FLOW_WAIT(member)                                                                          \
    FLOW(member), TTP_KNOWN_IF(struct ttp_flow_op_row, waits), .optional = true
static const struct ttp_field flow_op_fields[] = {
    TTP_WORDS("kernel", FLOW(of.kernel)),
    TTP_INT("line", "", FLOW(of.line), .is_id = true),
    TTP_WORDS("op", FLOW(of.op)),
    TTP_WORDS("thread", FLOW(of.thread)),
    TTP_WORDS("direction", FLOW(of.direction)),
    TTP_INT("wait_cycles", "cycles", FLOW_WAIT(wait_cycles)),
    TTP_REAL("wait_percent", "%", 1, FLOW_WAIT(wait_pct)),
};
static const struct ttp_fields flow_ops = {TTP_FIELDS(flow_op_fields)};

#define OPS(list) TTP_ROWS_AT(struct ttp_flow_row, op[list], nops[list], flow_ops)
static const struct ttp_field flow_fields[] = {
    TTP_INT("cb_index", "", TTP_FIGURE(struct ttp_flow_row, index), .is_id = true),
    TTP_INT("dfb_id", "", TTP_FIGURE(struct ttp_flow_row, dfb_id), .is_id = true),
    {.id = "producers", OPS(TTP_FLOW_PRODUCERS)},
    {.id = "consumers", OPS(TTP_FLOW_CONSUMERS)},
    {.id = "dma_ops", OPS(TTP_FLOW_DMA)},
    {.id = "wait_ops", OPS(TTP_FLOW_WAITS)},
};
const struct ttp_fields ttp_flow_fields = {TTP_FIELDS(flow_fields)};

#define PIPE(member) TTP_FIGURE(struct ttp_pipe, member)
static const struct ttp_field pipe_fields[] = {
    TTP_INT("src_x", "", PIPE(src_x)),
    TTP_INT("src_y", "", PIPE(src_y)),
    TTP_INT("dst_start_x", "", PIPE(dst_start_x)),
    TTP_INT("dst_start_y", "", PIPE(dst_start_y)),
    TTP_INT("dst_end_x", "", PIPE(dst_end_x)),
    TTP_INT("dst_end_y", "", PIPE(dst_end_y)),
    TTP_INT("net", "", PIPE(net), .is_id = true),
    TTP_INT("receiver_cb_index", "", PIPE(receiver), .is_id = true),
};
const struct ttp_fields ttp_pipe_fields = {TTP_FIELDS(pipe_fields)};
