/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/zone_log.h"

#include "logs/row_blocks.h"

/* As large as for the device log: few bytes of a large log are in memory at a time. */
#define WINDOW ((size_t)256 << 10)

struct reading {
    struct ttp_zone_log *log;
    const struct ttp_zone_request *request;
    struct ttp_arena *arena;
    struct ttp_device_header header;
    struct ttp_zone_merge merge;
    uint64_t lines; /* before the block that is merged next */
};

struct item {
    struct ttp_row_block text;
    struct ttp_zone_block zones;
};

/* Columns of the newest version, and nothing read of the preamble. */
static ttp_code skip_header(struct reading *r, ttp_str text, size_t *bytes)
{
    ttp_str rest = text, line;

    for (size_t c = 0; c < TTP_DEVICE_COLUMNS; c++)
        r->header.at[c] = c;
    r->header.columns = TTP_DEVICE_COLUMNS;
    r->log->max_compute_cores = TTP_NO_ID;
    for (size_t i = 0; i < r->request->header_lines; i++)
        (void)ttp_str_next_line(&rest, &line);
    *bytes = (size_t)(rest.ptr - text.ptr);
    r->lines = r->request->header_lines;
    return TTP_OK;
}

static ttp_code read_header(void *ctx, ttp_str text, size_t *bytes, struct ttp_err *err)
{
    struct reading *r = ctx;
    struct ttp_device_log device = {0};

    if (r->request->by_position)
        return skip_header(r, text, bytes);
    TTP_TRY(ttp_logs_device_log_read_header(&device, &r->header, text, r->arena, err));
    *bytes = r->header.bytes;
    r->log->arch = device.arch;
    r->log->clock_mhz = device.clock_mhz;
    r->log->max_compute_cores = device.max_compute_cores;
    r->lines = r->header.lines;
    if (r->header.timers_only)
        return ttp_fail(err, TTP_EPARSE, "no zone names: a device log from before 2024-02");
    return TTP_OK;
}

static void work(const void *ctx, void *item)
{
    const struct reading *r = ctx;
    struct item *it = item;

    it->zones.arena = &it->text.arena;
    ttp_logs_zone_read_rows(&it->zones, it->text.rows, &r->header, r->request);
}

static ttp_code merge(void *ctx, void *item, struct ttp_err *err)
{
    struct reading *r = ctx;
    struct item *it = item;
    struct ttp_zone_block *b = &it->zones;
    struct ttp_fault *bad = &r->log->bad_rows;

    if (b->bad.count && bad->count == 0)
        bad->line = r->lines + b->bad.line + 1;
    bad->count += b->bad.count;
    r->log->has_nul |= b->has_nul;
    r->log->truncated |= ttp_row_block_is_cut(&it->text, &b->bad);
    r->log->rows += b->rows;
    r->lines += b->lines;
    return ttp_logs_zone_merge_block(
        &r->merge, (struct ttp_zone_target){r->log, r->request, r->arena}, b, err);
}

ttp_code ttp_logs_stream_zones(struct ttp_zone_log *out, const char *path,
                               const struct ttp_zone_request *request,
                               const struct ttp_logs_options *options, struct ttp_arena *arena,
                               struct ttp_err *err)
{
    static const struct ttp_row_reader reader = {.what = "reading profile_log_device.csv",
                                                 .window = WINDOW,
                                                 .header_lines = 2,
                                                 .item_size = sizeof(struct item),
                                                 .header = read_header,
                                                 .work = work,
                                                 .merge = merge};
    struct reading r = {.log = out, .request = request, .arena = arena};

    *out = (struct ttp_zone_log){.names = {.arena = arena}};
    TTP_TRY(ttp_logs_row_blocks_read(&reader, &r, path, options, err));
    ttp_logs_zone_merge_finish(&r.merge, out);
    return TTP_OK;
}
