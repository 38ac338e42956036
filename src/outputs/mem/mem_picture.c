/* SPDX-License-Identifier: Apache-2.0 */
/* mem_picture.c - memory over ops, addresses and lifetimes of buffers, and the addresses of one op.
 */
#include "base/order.h"
#include "base/quantity.h"
#include "outputs/mem/mem_page_parts.h"
#include "outputs/picture/picture.h"

#define WIDTH     960.0
#define MARGIN    64.0
#define PLOT      220.0
#define BETWEEN   56.0
#define LEGEND    18.0
#define OPS_MAX   2000 /* more than there are points; beyond it neighbours share a bar */
#define TITLE_RGB 0x202020u
#define AXIS_RGB  0x808080u

static const uint32_t class_rgb[TTP_MEM_CLASSES] = {
    [TTP_MEM_INPUT] = 0x4e79a7, [TTP_MEM_INTERMEDIATE] = 0xb07aa1, [TTP_MEM_OUTPUT] = 0x59a14f,
    [TTP_MEM_STALE] = 0xe15759, [TTP_MEM_WAITING] = 0xbab0ac,
};
#define CB_RGB 0xf28e2bu

struct drawing {
    struct ttp_picture *picture;
    const struct ttp_mem_capture *capture;
    uint32_t device;
    struct ttp_arena *arena;
    double y; /* where the next part begins */
};

static void put_text(const struct drawing *d, double x, double y, ttp_str text, double size,
                     enum ttp_anchor anchor)
{
    const struct ttp_font font = {.size = size, .anchor = anchor, .rgb = TITLE_RGB};

    ttp_picture_text(d->picture, x, y, text, &font);
}

static void put_frame(const struct drawing *d, const char *title, double height, uint64_t top)
{
    const struct ttp_box axis = {MARGIN, d->y + height, WIDTH - 2 * MARGIN, 0};

    put_text(d, MARGIN, d->y - 8, ttp_str_from(title), 12, TTP_ANCHOR_START);
    ttp_picture_line(d->picture, axis, AXIS_RGB, 1);
    ttp_picture_line(d->picture, (struct ttp_box){MARGIN, d->y, 0, height}, AXIS_RGB, 1);
    put_text(d, MARGIN - 4, d->y + 8, ttp_bytes_text((double)top, d->arena), 9, TTP_ANCHOR_END);
    put_text(d, MARGIN - 4, d->y + height, TTP_STR("0"), 9, TTP_ANCHOR_END);
}

static void put_legend(const struct drawing *d)
{
    double x = MARGIN;
    const double y = d->y + PLOT + LEGEND;

    for (int k = -1; k < TTP_MEM_CLASSES; k++) {
        const char *name = k < 0 ? "circular buffers" : ttp_mem_class_name((enum ttp_mem_class)k);

        ttp_picture_rect(d->picture, (struct ttp_box){x, y, 10, 10}, k < 0 ? CB_RGB : class_rgb[k],
                         (ttp_str){0});
        put_text(d, x + 14, y + 9, ttp_str_from(name), 10, TTP_ANCHOR_START);
        x += 130;
    }
}

/* One bar: circular buffers below, as they are in memory. */
static void put_bar(const struct drawing *d, struct ttp_box box, const struct ttp_mem_op *op,
                    const struct ttp_mem_peak *peak, double scale)
{
    static const enum ttp_mem_class order[] = {TTP_MEM_STALE, TTP_MEM_WAITING, TTP_MEM_INPUT,
                                               TTP_MEM_INTERMEDIATE, TTP_MEM_OUTPUT};
    double y = box.y + box.h;

    for (int k = -1; k < (int)TTP_COUNT(order); k++) {
        const uint64_t bytes = k < 0 ? peak->cb : peak->part[order[k]];
        const double height = (double)bytes * scale;

        if (bytes == 0)
            continue;
        y -= height;
        ttp_picture_rect(d->picture, (struct ttp_box){box.x, y, box.w, height},
                         k < 0 ? CB_RGB : class_rgb[order[k]],
                         ttp_sink_format(d->arena, "op %u %.*s: %s %llu B", op->id,
                                         TTP_FMT(op->name),
                                         k < 0 ? "circular buffers" : ttp_mem_class_name(order[k]),
                                         (unsigned long long)bytes));
    }
}

static void put_ops(struct drawing *d)
{
    const struct ttp_mem_capture *c = d->capture;
    const struct ttp_mem_device *device = &c->device[d->device];
    const uint64_t bank = (uint64_t)device->l1_bank_bytes;
    const uint64_t top = bank > device->peak.l1 ? bank : device->peak.l1 ? device->peak.l1 : 1;
    const size_t step = (c->ops + OPS_MAX - 1) / OPS_MAX,
                 bars = c->ops ? (c->ops - 1) / step + 1 : 0;
    const double width = bars ? (WIDTH - 2 * MARGIN) / (double)bars : 0;

    put_frame(d, "L1 at the peak of each op, per bank", PLOT, top);
    for (size_t i = 0; i < bars; i++) {
        size_t most = i * step;

        for (size_t k = i * step; k < (i + 1) * step && k < c->ops; k++)
            if (c->use[k * c->devices + d->device].peak.l1 >
                c->use[most * c->devices + d->device].peak.l1)
                most = k;
        put_bar(d, (struct ttp_box){MARGIN + (double)i * width, d->y, width, PLOT}, &c->op[most],
                &c->use[most * c->devices + d->device].peak, PLOT / (double)top);
    }
    put_legend(d);
    d->y += PLOT + LEGEND + BETWEEN;
}

/* --- lifetimes --- */

static double op_x(const struct ttp_mem_capture *c, uint32_t counter, bool end)
{
    size_t lo = 0;

    if (counter == TTP_MEM_NONE)
        return end ? WIDTH - MARGIN : MARGIN;
    TTP_BISECT(lo, c->ops, mid, c->op[mid].start <= counter);
    return MARGIN + (WIDTH - 2 * MARGIN) * (double)lo / (double)(c->ops + 1);
}

static void put_lifetimes(struct drawing *d)
{
    const struct ttp_mem_capture *c = d->capture;
    const struct ttp_mem_device *device = &c->device[d->device];
    const double scale = device->l1_bank_bytes ? PLOT / (double)device->l1_bank_bytes : 0;

    if (scale == 0)
        return;
    put_frame(d, "L1 buffers over ops, by address; red after their last use", PLOT,
              (uint64_t)device->l1_bank_bytes);
    for (size_t i = 0; i < c->buffers && i < OPS_MAX; i++) {
        const struct ttp_mem_buffer *b = &c->buffer[i];

        if (b->pool != TTP_MEM_L1 || b->device != d->device || b->address < device->l1_base)
            continue;
        const uint32_t last = b->uses ? c->use_at[b->use + b->uses - 1] : b->alloc;
        const double from = op_x(c, b->alloc, false), to = op_x(c, b->freed, true);
        const double used = last == TTP_MEM_NONE ? from : op_x(c, last, true);
        const double height = (double)b->bytes * scale;
        const double y = d->y + PLOT - (double)(b->address - device->l1_base) * scale - height;
        const ttp_str tip = ttp_sink_format(d->arena, "%llu B at %lld",
                                            (unsigned long long)b->bytes, (long long)b->address);

        ttp_picture_rect(d->picture, (struct ttp_box){from, y, used - from, height},
                         class_rgb[TTP_MEM_INPUT], tip);
        ttp_picture_rect(d->picture, (struct ttp_box){used, y, to - used, height},
                         class_rgb[TTP_MEM_STALE], tip);
    }
    d->y += PLOT + BETWEEN;
}

/* --- one op --- */

static void put_map(struct drawing *d)
{
    const struct ttp_mem_capture *c = d->capture;
    const struct ttp_mem_device *device = &c->device[c->map_device];
    const double bank = (double)device->l1_bank_bytes, width = WIDTH - 2 * MARGIN;

    if ((c->maps == 0 && c->map_cb_end == 0) || bank == 0)
        return;
    put_text(d, MARGIN, d->y - 8,
             ttp_sink_format(d->arena, "Addresses of op %u %.*s at its peak", c->op[c->map_op].id,
                             TTP_FMT(c->op[c->map_op].name)),
             12, TTP_ANCHOR_START);
    ttp_picture_frame(d->picture, (struct ttp_box){MARGIN, d->y, width, 40}, AXIS_RGB, 1);
    if (c->map_cb_end > (uint64_t)device->l1_base)
        ttp_picture_rect(
            d->picture,
            (struct ttp_box){MARGIN, d->y,
                             (double)(c->map_cb_end - (uint64_t)device->l1_base) / bank * width,
                             40},
            CB_RGB, TTP_STR("circular buffers"));
    for (size_t i = 0; i < c->maps; i++) {
        const struct ttp_mem_buffer *b = &c->buffer[c->map[i].buffer];

        if (b->address < device->l1_base)
            continue;
        ttp_picture_rect(
            d->picture,
            (struct ttp_box){MARGIN + (double)(b->address - device->l1_base) / bank * width, d->y,
                             (double)b->bytes / bank * width, 40},
            class_rgb[c->map[i].is],
            ttp_sink_format(d->arena, "%s: %llu B at %lld",
                            ttp_mem_class_name((enum ttp_mem_class)c->map[i].is),
                            (unsigned long long)b->bytes, (long long)b->address));
    }
    put_text(d, MARGIN, d->y + 54, ttp_sink_format(d->arena, "%lld", (long long)device->l1_base), 9,
             TTP_ANCHOR_START);
    put_text(d, WIDTH - MARGIN, d->y + 54,
             ttp_sink_format(d->arena, "%llu",
                             (unsigned long long)device->l1_base +
                                 (unsigned long long)device->l1_bank_bytes),
             9, TTP_ANCHOR_END);
    d->y += 40 + BETWEEN;
}

void ttp_out_mem_picture(struct ttp_picture *out, const struct ttp_mem_capture *c,
                         struct ttp_arena *arena)
{
    struct drawing d = {.picture = out, .capture = c, .arena = arena, .y = 60};

    for (uint32_t i = 1; i < c->devices; i++)
        if (c->device[i].peak.l1 > c->device[d.device].peak.l1)
            d.device = i;
    ttp_picture_begin(out, WIDTH, 2 * PLOT + 4 * BETWEEN + 120, arena);
    out->title = TTP_STR("Memory of a run");
    out->description =
        TTP_STR("L1 at the peak of each op, and addresses of buffers over their lifetime");
    put_text(&d, MARGIN, 30, ttp_sink_format(arena, "%s", c->path), 14, TTP_ANCHOR_START);
    if (c->devices) {
        put_ops(&d);
        put_lifetimes(&d);
        put_map(&d);
    }
    out->height = out->shape[0].box.h = d.y; /* the ground is the first shape */
}
