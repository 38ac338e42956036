/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/noc/noc_fields.h"

#include <math.h>

void ttp_out_noc_put_link(struct ttp_sink *out, const struct ttp_noc_model *m, uint32_t link)
{
    const uint32_t core = link / 4, chip = (uint32_t)m->grid->cols * m->grid->rows;

    if (m->chips > 1)
        ttp_sink_printf(out, "dev %u ", core / chip);
    ttp_sink_printf(out, "(%u,%u) %s", core % chip % m->grid->cols, core % chip / m->grid->cols,
                    ttp_noc_link_names[link % 4]);
}

static void make_links(struct ttp_noc_row *row, struct ttp_arena *arena)
{
    const struct ttp_noc_model *m = row->view->load->model;
    const uint32_t cols = (uint32_t)m->grid->cols, chip = cols * (uint32_t)m->grid->rows;

    row->link = TTP_NEW(arena, struct ttp_noc_link_row, row->profile.ntop);
    for (size_t i = 0; i < row->profile.ntop; i++) {
        const struct ttp_noc_busy_link *busy = &row->profile.top[i];
        const uint32_t core = busy->link / 4;
        struct ttp_noc_link_row *l = &row->link[i];
        struct ttp_sink name;

        *l = (struct ttp_noc_link_row){.device = core / chip,
                                       .x = core % chip % cols,
                                       .y = core % chip / cols,
                                       .kind = busy->link % 4,
                                       .bytes = busy->bytes,
                                       .busy_pct = busy->busy_pct};
        ttp_sink_to_arena(&name, arena);
        ttp_out_noc_put_link(&name, m, busy->link);
        l->name = ttp_sink_text(&name);
    }
    row->hot_link_pct = NAN;
    if (row->profile.ntop) {
        row->hot_link = row->link[0].name;
        row->hot_link_pct = row->link[0].busy_pct;
    }
}

static void make_skipped(struct ttp_noc_row *row)
{
    const struct ttp_noc_load *load = row->view->load;

    for (size_t k = 0; k < TTP_NOC_SKIPS; k++)
        if (load->skipped[k])
            row->skipped[row->nskipped++] = (struct ttp_noc_skipped_row){
                ttp_noc_skip_name((enum ttp_noc_skip)k), load->skipped[k], load->skipped_bytes[k]};
}

/* "-" is tt-npe's word for none, and a chip without records has a window that ends before it
 * begins.
 */
static bool clean_stats(struct ttp_noc_stats *s, const struct ttp_noc_load *load)
{
    ttp_str *text[] = {&s->dram_per_ctrl, &s->eth_per_core};

    for (size_t i = 0; i < TTP_COUNT(text); i++)
        if (ttp_str_eq(*text[i], TTP_STR("-")))
            *text[i] = (ttp_str){0};
    return load->has_window && s->golden_cycles <= INT64_MAX;
}

void ttp_out_noc_make_row(struct ttp_noc_row *row, const struct ttp_noc_view *view,
                          struct ttp_arena *arena)
{
    const struct ttp_noc_model *m = view->load->model;
    const bool of_trace = view->trace_key != TTP_NO_ID;

    *row = (struct ttp_noc_row){
        .view = view,
        .of = *view,
        .of_folder = view->op_id > 0,
        .of_trace = of_trace,
        .trace_id = of_trace ? view->trace_key >> 32 : 0,
        .replay = of_trace ? view->trace_key & UINT32_MAX : 0,
        .board = m->name,
        .model = m->source,
        .cycles_per_step = view->options->cycles_per_step,
        .full_counters = view->load->full_counters,
        .mesh = view->estimate->mesh,
        .device = TTP_NEW(arena, struct ttp_noc_chip_row, m->chips),
        .devices = m->chips,
        .profile = *view->profile,
        .channels = (size_t)m->grid->dram_channels * m->chips,
        .mean_hops = view->profile->transfers
                         ? (double)view->profile->hops / (double)view->profile->transfers
                         : 0,
    };
    row->measured = clean_stats(&row->mesh, view->load);
    for (size_t i = 0; i < row->devices; i++) {
        row->device[i].mesh = view->estimate->device[i];
        row->device[i].measured = clean_stats(&row->device[i].mesh, view->load);
    }
    make_links(row, arena);
    make_skipped(row);
}

/* ---- one link ---- */

#define LINK(member) TTP_FIGURE(struct ttp_noc_link_row, member)
static const char *const link_words[] = {"NOC0_EAST", "NOC0_SOUTH", "NOC1_NORTH", "NOC1_WEST"};
static const struct ttp_field link_fields[] = {
    TTP_INT("device", "", LINK(device)),
    TTP_INT("x", "", LINK(x)),
    TTP_INT("y", "", LINK(y)),
    {.id = "link", TTP_WORD(struct ttp_noc_link_row, kind, link_words)},
    TTP_REAL_COLUMN("busy_percent", "Busy", "%", 1, 0, LINK(busy_pct)),
    TTP_INT_COLUMN("bytes", "Carried", "bytes", 0, LINK(bytes)),
    TTP_WORDS_COLUMN("name", "Link", 0, LINK(name)),
};
const struct ttp_fields ttp_noc_link_fields = {TTP_FIELDS(link_fields)};

/* ---- one program ---- */

#define SKIPPED(member) TTP_FIGURE(struct ttp_noc_skipped_row, member)
static const struct ttp_field skipped_fields[] = {
    TTP_WORDS("reason", SKIPPED(why)),
    TTP_INT("count", "", SKIPPED(count)),
    TTP_INT("bytes", "bytes", SKIPPED(bytes)),
};
static const struct ttp_fields skipped = {TTP_FIELDS(skipped_fields)};

/* Offered demand as tt-npe computes it; `help` has its own names. Of all
 * chips in `mesh` of a row, and of one chip. What the program took and what congestion cost stay to
 * the last. */
#define MESH(row, member) TTP_FIGURE(row, mesh.member)
#define DEMAND(row, name, member)                                                                  \
    TTP_REAL(name, "%", 1, MESH(row, member), .help = "tt-npe's " #member)
#define MEASURED(row, member) MESH(row, member), TTP_KNOWN_IF(row, measured)
#define SHOWN_STATS(row)                                                                           \
    TTP_INT_COLUMN("golden_cycles", "Traced", "cycles", 0, MEASURED(row, golden_cycles),           \
                   .help = "from the first event of the trace to the last, as tt-npe counts; the " \
                           "program's own time is in kernel and report"),                          \
        TTP_INT_COLUMN("estimated_cycles", "Estimated", "cycles", 0, MESH(row, estimated_cycles),  \
                       .help = "estimated cycles of its transfers"),                               \
        TTP_INT_COLUMN("estimated_cong_free_cycles", "Uncongested", "cycles", 3,                   \
                       MESH(row, estimated_cong_free_cycles),                                      \
                       .help = "the same without waits of transfers for each other"),              \
        TTP_REAL_COLUMN("congestion_percent", "Congestion", "%", 1, 0, MESH(row, cong_impact),     \
                        .help = "share of the estimated time lost to NoC congestion"),             \
        TTP_REAL_COLUMN("noc_percent", "Offered", "%", 1, 5, MESH(row, overall_avg_link_util),     \
                        .help = "offered load of NoC links, as tt-npe counts it"),                 \
        TTP_REAL_COLUMN("dram_percent", "DRAM", "%", 1, 1, MESH(row, dram_bw_util),                \
                        .help = "part of the DRAM peak of the board that was used"),               \
        TTP_REAL_COLUMN("eth_percent", "ETH", "%", 1, 4, MESH(row, eth_bw_util_agg),               \
                        .help = "tt-npe's use of ethernet links")
#define OTHER_STATS(row)                                                                           \
    TTP_REAL("prediction_error_percent", "%", 1, MEASURED(row, cycle_prediction_error)),           \
        DEMAND(row, "mean_link_demand_percent", overall_avg_link_demand),                          \
        DEMAND(row, "max_link_demand_percent", overall_max_link_demand),                           \
        DEMAND(row, "max_noc_percent", overall_max_link_util),                                     \
        DEMAND(row, "mean_niu_demand_percent", overall_avg_niu_demand),                            \
        DEMAND(row, "max_niu_demand_percent", overall_max_niu_demand),                             \
        DEMAND(row, "mean_noc0_demand_percent", overall_avg_noc0_link_demand),                     \
        DEMAND(row, "noc0_percent", overall_avg_noc0_link_util),                                   \
        DEMAND(row, "max_noc0_demand_percent", overall_max_noc0_link_demand),                      \
        DEMAND(row, "mean_noc1_demand_percent", overall_avg_noc1_link_demand),                     \
        DEMAND(row, "noc1_percent", overall_avg_noc1_link_util),                                   \
        DEMAND(row, "max_noc1_demand_percent", overall_max_noc1_link_demand),                      \
        DEMAND(row, "multicast_percent", overall_avg_mcast_write_link_util),                       \
        DEMAND(row, "dram_sim_percent", dram_bw_util_sim),                                         \
        TTP_INT("num_timesteps", "", MESH(row, num_timesteps)),                                    \
        TTP_REAL("peak_dram_gbs", "GB/s", 1, MESH(row, dram_peak_gbs), .help = "of a chip"),       \
        TTP_WORDS("dram_per_ctrl", MESH(row, dram_per_ctrl)),                                      \
        TTP_WORDS("eth_per_core", MESH(row, eth_per_core))

static const struct ttp_field chip_fields[] = {
    SHOWN_STATS(struct ttp_noc_chip_row),
    OTHER_STATS(struct ttp_noc_chip_row),
};
static const struct ttp_fields chip = {TTP_FIELDS(chip_fields)};

static const char *const clock_words[] = {[TTP_NOC_CLOCKS_ONE] = "one",
                                          [TTP_NOC_CLOCKS_AGREE] = "agree",
                                          [TTP_NOC_CLOCKS_ALIGNED] = "aligned",
                                          [TTP_NOC_CLOCKS_CUT] = "cut"};

TTP_GET(get_op_code, void, struct ttp_noc_row,
        ttp_value_text(r->of.op_code.len ? r->of.op_code : r->of.op))

#define ROW(member)     TTP_FIGURE(struct ttp_noc_row, member)
#define REPLAY(member)  ROW(member), TTP_KNOWN_IF(struct ttp_noc_row, of_trace)
#define PROFILE(member) ROW(profile.member)
#define COUNT(member)   TTP_INT(#member, "", PROFILE(member))
#define CYCLES(member)  TTP_INT(#member, "cycles", PROFILE(member))
#define BYTES(member)   TTP_INT(#member, "bytes", PROFILE(member))
#define LIST(member)    TTP_ARRAY_HERE(struct ttp_noc_row, profile.member, ttp_bare_u64)
static const struct ttp_field program_fields[] = {
    TTP_INT_COLUMN("id", "ID", "", 1, ROW(of.report_id), .above_0 = true,
                   .help = "id of the op in report"),
    TTP_INT_COLUMN("program", "Number", "", 2, ROW(of.op_id),
                   TTP_KNOWN_IF(struct ttp_noc_row, of_folder),
                   .help = "number of the program in its folder"),
    TTP_WORDS_COLUMN("op", "Program", 0, ROW(of.op), .help = "as in a report of the folder"),
    TTP_WORDS("code", .get = get_op_code),
    TTP_INT("trace_id", "", REPLAY(trace_id), .help = "null: not in a metal trace"),
    TTP_INT("replay", "", REPLAY(replay), .help = "replay of that metal trace"),
    TTP_WORDS("input", ROW(of.input), .help = "the first file"),
    TTP_WORDS("board", ROW(board)),
    TTP_WORDS("model", ROW(model), .help = "source of the model"),
    SHOWN_STATS(struct ttp_noc_row),
    TTP_REAL_COLUMN("carried_percent", "Carried", "%", 1, 2, PROFILE(carried_pct),
                    .help = "byte_hops relative to the capacity of all links of the busy chips"),
    TTP_INT_COLUMN("bytes", "Moved", "bytes", 1, PROFILE(bytes)),
    TTP_REAL_COLUMN("mean_hops", "Hops", "", 1, 6, ROW(mean_hops), .help = "of a transfer"),
    TTP_WORDS_COLUMN("hot_link", "Hot link", 5, ROW(hot_link),
                     .help = "NoC link that carried most"),
    TTP_REAL_COLUMN("hot_link_percent", "Busy", "%", 1, 5, ROW(hot_link_pct),
                    .help = "how busy that link was"),
    COUNT(transfers),
    COUNT(hops),
    COUNT(byte_hops),
    COUNT(chips),
    TTP_INT("cycles_per_timestep", "cycles", ROW(cycles_per_step)),
    {.id = "clocks",
     TTP_WORD(struct ttp_noc_row, of.timing.clocks, clock_words),
     .help = "clocks of the devices: single, consistent, aligned, or cut at jumps"},
    TTP_INT("dropped_records", "", ROW(of.timing.dropped_records)),
    TTP_INT("closed_gap_cycles", "cycles", ROW(of.timing.closed_cycles)),
    TTP_INT("full_counters", "", ROW(full_counters),
            .help = "transfers recorded as 8160 bytes, the limit of the counter: they may be "
                    "longer"),
    OTHER_STATS(struct ttp_noc_row),
    CYCLES(span_cycles),
    BYTES(read_bytes),
    BYTES(write_bytes),
    BYTES(fabric_bytes),
    BYTES(local_bytes),
    TTP_INT("longer_way_bytes", "bytes", PROFILE(longer_way_bytes),
            .help = "bytes of unicasts with fewer hops on the other NoC"),
    TTP_REAL("dram_imbalance", "", 2, PROFILE(dram_imbalance),
             .help = "bytes of the busiest controller over the mean; 0: DRAM is not used"),
    COUNT(multicasts),
    BYTES(multicast_bytes),
    COUNT(multicast_receivers),
    COUNT(multicast_links),
    TTP_INT("multicast_links_as_unicasts", "", PROFILE(unicast_links)),
    TTP_INT("active_cores", "", PROFILE(issuing_cores), .help = "that moved data"),
    TTP_REAL("core_imbalance", "", 2, PROFILE(core_imbalance),
             .help = "bytes of the busiest core over the mean"),
    COUNT(kernels),
    CYCLES(kernel_cycles),
    CYCLES(kernel_longest_cycles),
    CYCLES(kernel_start_skew_cycles),
    COUNT(read_barriers),
    TTP_INT("read_barrier_cycles", "cycles", PROFILE(read_wait_cycles)),
    COUNT(write_barriers),
    TTP_INT("write_barrier_cycles", "cycles", PROFILE(write_wait_cycles)),
    {.id = "noc_bytes", LIST(noc_bytes), .help = "on NoC 0 and NoC 1"},
    {.id = "dram_read_bytes",
     TTP_ROWS_AT(struct ttp_noc_row, profile.dram_read, channels, ttp_bare_u64),
     .help = "by chip and channel"},
    {.id = "dram_written_bytes",
     TTP_ROWS_AT(struct ttp_noc_row, profile.dram_written, channels, ttp_bare_u64)},
    {.id = "size_count", LIST(size_count), .help = "packets up to 32, 64, .. 8192 bytes, and more"},
    {.id = "size_bytes", LIST(size_bytes)},
    {.id = "fanout_count",
     LIST(fanout_count),
     .help = "multicasts to 1, 2, up to 4, .. 128 cores, and more"},
    {.id = "top_links",
     TTP_ROWS_AT(struct ttp_noc_row, link, profile.ntop, ttp_noc_link_fields),
     .help = "the busiest first"},
    {.id = "skipped",
     TTP_ROWS_HERE(struct ttp_noc_row, skipped, nskipped, skipped),
     .help = "invalid transfers"},
    {.id = "devices",
     TTP_ROWS_AT(struct ttp_noc_row, device, devices, chip),
     .help = "tt-npe's figures of each chip"},
};
static const struct ttp_field_alias aliases[] = {{"measured", "golden_cycles"},
                                                 {"estimated", "estimated_cycles"},
                                                 {"carried", "carried_percent"}};
const struct ttp_fields ttp_noc_fields = {TTP_FIELDS(program_fields), .alias = aliases,
                                          .aliases = TTP_COUNT(aliases),
                                          .hint = "tt-perf noc --columns help lists them"};
