/* SPDX-License-Identifier: Apache-2.0 */
/* A worker's share of a device log: rows to runs. */
#include "base/vec.h"
#include "logs/device_log.h"
#include "logs/device_row.h"
#include "logs/meta_data.h"

/* Static id of hardware performance counters (profiler's perf_counters.hpp). */
#define COUNTER_TIMER 9090u

/* Names met just now, by length: a RISC has few, and the rows of its zones are together. */
#define RECENT_ZONES 16u
struct recent_zone {
    ttp_str name;
    ttp_sym sym;
};

struct reader {
    struct ttp_device_block *block;
    size_t text; /* bytes of the block */
    struct ttp_device_cursor at;
    struct ttp_symtab zones; /* names met in this block, and what they mean */
    struct ttp_zone *zone;
    size_t nzones;
    struct recent_zone recent[RECENT_ZONES];
    uint32_t core;              /* in the block's list */
    struct ttp_marker_run *run; /* of the rows at the cursor's place and execution */
};

struct marker {
    uint64_t cycle, timer;
    enum ttp_row_type type;
    bool start, end;
    const struct ttp_zone *zone;
};

static void refuse(struct reader *r, const char *why)
{
    struct ttp_device_block *b = r->block;

    if (b->bad.count++ == 0) {
        b->bad.line = r->at.row.line;
        memcpy(b->why, why, strnlen(why, sizeof(b->why) - 1) + 1);
    }
}

static const struct ttp_zone *zone_of(struct reader *r, ttp_str name)
{
    struct recent_zone *recent = &r->recent[name.len % RECENT_ZONES];

    if (TTP_LIKELY(recent->name.ptr && ttp_str_eq(recent->name, name)))
        return &r->zone[recent->sym];
    const ttp_sym sym = ttp_sym_intern(&r->zones, name);

    if (TTP_UNLIKELY(sym >= r->nzones)) {
        TTP_ROOM(r->block->arena, r->zone, sym);
        r->zone[sym] = ttp_logs_zone_of(name);
        r->nzones = sym + 1;
    }
    *recent = (struct recent_zone){name, sym};
    return &r->zone[sym];
}

/* Text of a run in most logs: what a block is given room for at first. */
#define RUN_TEXT 500

/* Room for more runs, which need not be zero: begin_run() sets all of one. */
static void make_room(struct ttp_device_block *b, size_t text)
{
    const size_t cap = b->run_cap ? 2 * b->run_cap : text / RUN_TEXT + 16;
    struct ttp_marker_run *const grown =
        ttp_arena_raw(b->arena, cap, sizeof(*grown), alignof(struct ttp_marker_run));

    if (b->nruns)
        memcpy(grown, b->run, b->nruns * sizeof(*grown));
    b->run = grown;
    b->run_cap = cap;
}

static void begin_run(struct reader *r)
{
    struct ttp_device_block *b = r->block;

    if (b->nruns == b->run_cap)
        make_room(b, r->text);
    b->run[b->nruns] = (struct ttp_marker_run){.core = r->core,
                                               .risc = (uint8_t)r->at.risc,
                                               .line = r->at.row.line + 1,
                                               .run_id = r->at.run_id,
                                               .trace_id = r->at.trace_id,
                                               .replay = r->at.replay,
                                               .sub_device = TTP_NO_ID,
                                               .first_cycle = UINT64_MAX,
                                               .dm_start_cycle = UINT64_MAX};
    r->run = &b->run[b->nruns++];
}

TTP_INLINE void extend(struct ttp_span *s, uint64_t cycle)
{
    s->first = s->count == 0 || cycle < s->first ? cycle : s->first;
    s->last = s->count == 0 || cycle > s->last ? cycle : s->last;
    s->count++;
}

static void add_kernel(struct ttp_marker_run *run, const struct marker *m, enum ttp_risc risc)
{
    run->data_movement = m->zone->data_movement;
    run->own = ttp_logs_zone_is_own(m->zone, risc);
    extend(&run->kernel, m->cycle);
    if (m->start)
        extend(&run->kernel_starts, m->cycle);
    if (m->start && m->zone->tensix_dm && m->cycle < run->dm_start_cycle)
        run->dm_start_cycle = m->cycle;
    if (m->end && m->cycle > run->kernel_end_cycle)
        run->kernel_end_cycle = m->cycle;
}

static void add_firmware(struct reader *r, const struct marker *m)
{
    struct ttp_marker_run *run = r->run;
    const enum ttp_risc risc = r->at.risc;

    run->has_fw = true;
    if (m->zone->fw)
        extend(&run->fw, m->cycle);
    if (m->zone->trace_fw && risc == TTP_RISC_AGG)
        extend(&run->trace_fw, m->cycle);
    run->has_brisc_fw_start |= m->start && m->zone->iteration;
    if (m->zone->master != risc || risc == TTP_RISC_OTHER)
        return;
    if (m->start && run->fw_starts && !run->repeated_line)
        run->repeated_line = r->at.row.line + 1;
    if (m->start)
        run->fw_start_cycle = m->cycle;
    r->block->odd |= m->start ? run->fw_ends != 0 : m->end && m->cycle < run->fw_start_cycle;
    run->fw_starts += m->start;
    run->fw_ends += m->end;
    if (m->end && m->cycle > run->fw_end_cycle)
        run->fw_end_cycle = m->cycle;
}

static void add_sum(struct reader *r, struct ttp_marker_run *run, const struct marker *m)
{
    uint64_t cycles;

    if (!ttp_device_to_u64(ttp_device_field(&r->at, TTP_COL_DATA), &cycles))
        return;
    if (m->zone->cb_wait && r->at.risc == TTP_RISC_TRISC0)
        run->cb_wait_cycles += cycles;
    if (m->zone->cb_reserve && r->at.risc == TTP_RISC_TRISC2)
        run->cb_reserve_cycles += cycles;
}

static void add_dispatch(struct reader *r, const struct marker *m, ttp_str meta)
{
    struct ttp_device_block *b = r->block;
    struct ttp_dispatch_row row = {.core = r->core,
                                   .zone = m->zone->dispatch,
                                   .subordinate = r->at.risc == TTP_RISC_NCRISC,
                                   .zone_end = m->end,
                                   .command = m->zone->command,
                                   .go = m->zone->go,
                                   .cycle = m->cycle,
                                   .line = r->at.row.line + 1};
    ttp_str command;

    if (r->at.risc != TTP_RISC_BRISC && r->at.risc != TTP_RISC_NCRISC)
        return;
    row.has_worker = ttp_logs_meta_u64(meta, TTP_STR("workers_runtime_id"), &row.worker);
    row.has_command = ttp_logs_meta_text(meta, TTP_STR("dispatch_command_type"), &command);
    if (!m->zone->dispatch && !row.has_worker && !row.has_command)
        return;
    if (row.has_command) {
        const struct ttp_zone zone = ttp_logs_zone_of(command);
        row.command_is_dispatch = zone.command;
        row.command_is_go = zone.go;
        row.command_notifies =
            ttp_str_has(command, TTP_STR("CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL"));
    }
    *TTP_PUSH(b->arena, b->dispatch, b->ndispatch) = row;
}

static void add_counter(struct reader *r, const struct marker *m, ttp_str meta)
{
    struct ttp_device_block *b = r->block;
    uint64_t value = 0, reference = 0;
    ttp_str name;

    if (r->at.risc != TTP_RISC_BRISC)
        return;
    b->odd |= m->type != TTP_ROW_DATA && m->type != TTP_ROW_EVENT;
    if (!ttp_logs_meta_text(meta, TTP_STR("counter type"), &name)) {
        b->odd = true;
        return;
    }
    (void)ttp_logs_meta_u64(meta, TTP_STR("value"), &value);
    (void)ttp_logs_meta_u64(meta, TTP_STR("ref cnt"), &reference);
    if (value > UINT32_MAX || reference > UINT32_MAX) {
        refuse(r, "a performance counter exceeds 32 bits");
        return;
    }
    *TTP_PUSH(b->arena, b->sample, b->nsamples) =
        (struct ttp_block_sample){(uint32_t)(r->run - b->run), ttp_sym_intern(&b->counters, name),
                                  (uint32_t)value, (uint32_t)reference, m->cycle};
}

static void add_sub_device(struct reader *r, ttp_str meta)
{
    struct ttp_marker_run *run = r->run;
    uint64_t id;

    if (!ttp_logs_meta_u64(meta, TTP_STR("sub_device_id"), &id) || id > INT64_MAX)
        return;
    if (run->sub_device != TTP_NO_ID && run->sub_device != (int64_t)id &&
        !run->sub_device_conflict) {
        run->sub_device_conflict = true;
        run->sub_device_line = r->at.row.line + 1;
    }
    run->sub_device = (int64_t)id;
}

static void add_meta(struct reader *r, const struct marker *m, ttp_str meta)
{
    if (m->timer == COUNTER_TIMER)
        add_counter(r, m, meta);
    else
        add_sub_device(r, meta);
}

/* Logs of 2023: four numbers, the same on every RISC (CC_MAIN_START .. CC_MAIN_END of tt-metal's
 * profiler_common.h); what kernels mark themselves has others. */
static ttp_str read_timer(struct marker *m, enum ttp_risc risc)
{
    static const struct {
        ttp_str firmware, kernel;
    } zones[] = {
        [TTP_RISC_BRISC] = {{"BRISC-FW", 8}, {"BRISC-KERNEL", 12}},
        [TTP_RISC_NCRISC] = {{"NCRISC-FW", 9}, {"NCRISC-KERNEL", 13}},
        [TTP_RISC_TRISC0] = {{"TRISC-FW", 8}, {"TRISC-KERNEL", 12}},
        [TTP_RISC_TRISC1] = {{"TRISC-FW", 8}, {"TRISC-KERNEL", 12}},
        [TTP_RISC_TRISC2] = {{"TRISC-FW", 8}, {"TRISC-KERNEL", 12}},
        [TTP_RISC_ERISC] = {{"ERISC-FW", 8}, {"ERISC-KERNEL", 12}},
    };

    m->start = m->timer == 1 || m->timer == 2;
    m->end = m->timer == 3 || m->timer == 4;
    if (risc >= TTP_COUNT(zones) || m->timer < 1 || m->timer > 4)
        return (ttp_str){0};
    return m->timer == 1 || m->timer == 4 ? zones[risc].firmware : zones[risc].kernel;
}

/* Which zone the row is about, and which end of it. */
TTP_INLINE void read_zone(struct reader *r, struct marker *m)
{
    if (TTP_UNLIKELY(r->at.header->timers_only)) {
        m->zone = zone_of(r, read_timer(m, r->at.risc));
        return;
    }
    const enum ttp_row_type type = ttp_device_row_type(ttp_device_field(&r->at, TTP_COL_TYPE));
    m->type = type;
    m->start = type == TTP_ROW_START;
    m->end = type == TTP_ROW_END;
    m->zone = zone_of(r, ttp_str_trim(ttp_device_field(&r->at, TTP_COL_ZONE)));
}

/* Same RISC, core and execution as the row before? Else a run begins. */
TTP_INLINE bool locate(struct reader *r)
{
    const enum ttp_device_step step = ttp_device_locate(&r->at);

    if (TTP_LIKELY(step == TTP_STEP_SAME))
        return true;
    if (step == TTP_STEP_BAD)
        return false;
    if (step == TTP_STEP_PLACE)
        r->core = ttp_logs_block_core_of(&r->block->core, &r->block->ncores, &r->at.core,
                                         r->block->arena);
    begin_run(r);
    return true;
}

static bool looks_like_object(ttp_str meta)
{
    return meta.len > 2 && meta.ptr[0] == '{' && meta.ptr[1] == '"' &&
           meta.ptr[meta.len - 1] == '}';
}

static void add_marker(struct reader *r, const struct marker *m, ttp_str meta)
{
    struct ttp_marker_run *run = r->run;

    if (m->timer != 0) {
        run->first_cycle = m->cycle < run->first_cycle ? m->cycle : run->first_cycle;
        run->last_cycle = m->cycle > run->last_cycle ? m->cycle : run->last_cycle;
        if (m->zone->kernel)
            add_kernel(run, m, r->at.risc);
        else if (m->zone->has_fw)
            add_firmware(r, m);
        else if (m->zone->trace_kernel && r->at.risc == TTP_RISC_AGG)
            extend(&run->trace_kernel, m->cycle);
        else if (m->zone->cb_wait || m->zone->cb_reserve)
            add_sum(r, run, m);
    } else {
        r->block->odd = true;
    }
    if (meta.len)
        r->block->odd |= !looks_like_object(meta);
    if (meta.len > 2)
        add_meta(r, m, meta);
    if (TTP_UNLIKELY(m->zone->dispatch || (meta.len > 2 && m->timer != COUNTER_TIMER)))
        add_dispatch(r, m, meta);
}

static void read_row(struct reader *r)
{
    const struct ttp_device_header *header = r->at.header;
    struct marker m = {.timer = 1};

    if (TTP_UNLIKELY(r->at.row.nfields != header->columns)) {
        refuse(r, r->at.row.nfields < header->columns ? "too few fields" : "too many fields");
        return;
    }
    if (TTP_UNLIKELY(ttp_device_row_has_nul(&r->at)) && !header->strict) {
        refuse(r, "NUL bytes have replaced rows");
        return;
    }
    if (!locate(r)) {
        refuse(r, "device, core, run host ID or trace id is not a number");
        return;
    }
    if (!ttp_device_to_u64(ttp_device_field(&r->at, TTP_COL_TIME), &m.cycle) ||
        (header->at[TTP_COL_TIMER] != TTP_NPOS &&
         !ttp_device_to_u64(ttp_device_field(&r->at, TTP_COL_TIMER), &m.timer))) {
        refuse(r, "time or timer_id is not a number");
        return;
    }
    r->block->rows++;
    read_zone(r, &m);
    if (TTP_UNLIKELY(header->split_firmware) && m.start &&
        (header->split_kernel ? m.zone->kernel : m.zone->fw)) {
        if (r->run->last_cycle) /* it has markers */
            begin_run(r);
        r->run->begins = true;
    }
    add_marker(r, &m, ttp_device_field(&r->at, TTP_COL_META));
}

static void start(struct reader *r, struct ttp_device_block *b, ttp_str text,
                  const struct ttp_device_header *header)
{
    ttp_logs_device_log_cursor_init(&r->at, text, header);
    r->block = b;
    r->text = text.len;
    r->zones = (struct ttp_symtab){.arena = b->arena};
    r->zone = NULL;
    r->nzones = 0;
    memset(r->recent, 0, sizeof(r->recent));
    r->run = NULL;
    b->counters.arena = b->arena;
}

void ttp_logs_device_log_read_rows(struct ttp_device_block *b, ttp_str text,
                                   const struct ttp_device_header *header)
{
    struct reader r;

    start(&r, b, text, header);
    while (ttp_csv_next(&r.at.csv, &r.at.row))
        read_row(&r);
    b->lines = r.at.csv.lines;
}

/* Commas of a line; a loop that compilers make vectors of. */
static size_t count_commas(ttp_str line)
{
    size_t n = 0;

    for (size_t i = 0; i < line.len; i++)
        n += line.ptr[i] == ',';
    return n;
}

/* A cell that begins with a quote, which makes pandas read it by other rules. Quotes are rare, and
 * memchr() is many times as fast as memmem() for two characters. */
static bool has_quoted_cell(ttp_str text)
{
    size_t at = 0;

    for (size_t next;
         (next = ttp_str_find_char(ttp_str_slice(text, at, text.len), '"')) != TTP_NPOS; at++) {
        at += next;
        if (at == 0 || text.ptr[at - 1] == ',' || text.ptr[at - 1] == '\n')
            return true;
    }
    return false;
}

/* One that does not end its line. */
static bool has_lone_return(ttp_str text)
{
    size_t at = 0;

    for (size_t next;
         (next = ttp_str_find_char(ttp_str_slice(text, at, text.len), '\r')) != TTP_NPOS; at++) {
        at += next;
        if (at + 1 < text.len && text.ptr[at + 1] != '\n')
            return true;
    }
    return false;
}

void ttp_logs_device_log_check_rows(struct ttp_device_block *b, ttp_str text, size_t columns)
{
    ttp_str rest = text, line;

    b->odd |= has_quoted_cell(text) || has_lone_return(text);
    while (!b->odd && ttp_str_next_line(&rest, &line)) {
        const char *comma = memrchr(line.ptr, ',', line.len);
        const ttp_str meta =
            comma ? ttp_str_slice(line, (size_t)(comma - line.ptr) + 1, line.len) : line;

        b->odd = count_commas(line) + 1 != columns ||
                 (columns == TTP_DEVICE_COLUMNS && meta.len && !looks_like_object(meta));
    }
}

/* Where the next id is. Few rows have a 'v', and memchr() reads many bytes at once, which memmem()
 * does not. */
static size_t find_sub_device(ttp_str text)
{
    const ttp_str word = TTP_STR("sub_device_id");
    const size_t v = 6;
    ttp_str rest = ttp_str_slice(text, v, text.len);

    for (size_t at; (at = ttp_str_find_char(rest, word.ptr[v])) != TTP_NPOS;
         rest = ttp_str_slice(rest, at + 1, rest.len)) {
        const size_t begin = (size_t)(rest.ptr - text.ptr) + at - v;
        if (ttp_str_starts(ttp_str_slice(text, begin, text.len), word))
            return begin;
    }
    return TTP_NPOS;
}

void ttp_logs_device_log_read_sub_devices(struct ttp_device_block *b, ttp_str text,
                                          const struct ttp_device_header *header)
{
    ttp_str rest = text;
    struct reader r;
    size_t at;

    start(&r, b, (ttp_str){0}, header);
    while ((at = find_sub_device(rest)) != TTP_NPOS) {
        const char *line = at ? memrchr(rest.ptr, '\n', at) : NULL;
        const char *next = memchr(rest.ptr + at, '\n', rest.len - at);
        const char *from = line ? line + 1 : rest.ptr, *to = next ? next : rest.ptr + rest.len;

        r.at.csv = (struct ttp_csv){.text = {from, (size_t)(to - from)}, .sep = ','};
        if (ttp_csv_next(&r.at.csv, &r.at.row) && r.at.row.nfields == header->columns && locate(&r))
            add_sub_device(&r, ttp_device_field(&r.at, TTP_COL_META));
        rest = ttp_str_slice(rest, (size_t)(to - rest.ptr), rest.len);
    }
}
