/* SPDX-License-Identifier: Apache-2.0 */
/* diff_mesh_page.c - what changed between the devices of two runs. */
#include <math.h>

#include "base/order.h"
#include "base/quantity.h"
#include "outputs/diff/diff_fields.h"

/* Devices in text and Markdown; the other formats have all. */
#define MAX_DEVICES 12

static enum ttp_tone tone_of(double change)
{
    return change < 0 ? TTP_TONE_GOOD : change > 0 ? TTP_TONE_BAD : TTP_TONE_PLAIN;
}

static double percent(double base, double other)
{
    return base > 0 ? (other - base) / base * 100 : NAN;
}

/* ---- figures ---- */

#define FIGURE struct ttp_diff_mesh_figure
#define MESH   struct ttp_diff_mesh
#define DEVICE struct ttp_diff_mesh_device

TTP_GET(get_change, void, FIGURE, ttp_value_f64(r->other_us - r->base_us))
TTP_GET(get_percent, void, FIGURE, ttp_value_f64(percent(r->base_us, r->other_us)))

/* Compute that hides communication is what should grow. */
static enum ttp_tone figure_tone(const void *context, const void *row)
{
    const FIGURE *f = row;

    (void)context;
    return strcmp(f->name, "hidden") == 0 ? TTP_TONE_PLAIN : tone_of(f->other_us - f->base_us);
}

static const struct ttp_field figure_fields[] = {
    TTP_WORDS_COLUMN("figure", "Figure", 0, TTP_FIGURE(FIGURE, name)),
    TTP_REAL_COLUMN("base_us", "Base", "us", 1, 0, TTP_FIGURE(FIGURE, base_us)),
    TTP_REAL_COLUMN("other_us", "Other", "us", 1, 0, TTP_FIGURE(FIGURE, other_us)),
    TTP_REAL_COLUMN("change_us", "Change", "us", 1, 0, .get = get_change, .plus = true,
                    .tone = figure_tone),
    TTP_REAL_COLUMN("change_percent", "Change", "%", 1, 0, .get = get_percent, .plus = true,
                    .tone = figure_tone),
    TTP_WORDS_COLUMN("help", "What it is", 3, TTP_FIGURE(FIGURE, help)),
};
const struct ttp_fields ttp_diff_mesh_figure_fields = {TTP_FIELDS(figure_fields)};

#define SIDE struct ttp_diff_mesh_side
static const struct ttp_field side_fields[] = {
    TTP_INT("ranks", "", TTP_FIGURE(SIDE, ranks)),
    TTP_INT("missing_ranks", "", TTP_FIGURE(SIDE, missing)),
    TTP_INT("devices", "", TTP_FIGURE(SIDE, devices)),
    TTP_INT("iterations", "", TTP_FIGURE(SIDE, iterations)),
    TTP_WORDS("critical_device", TTP_FIGURE(SIDE, critical),
              .help = "the one that computes longest"),
    TTP_WORDS("straggler", TTP_FIGURE(SIDE, straggler),
              .help = "device that computes longer than the median by more than 2 %; null: none"),
    TTP_REAL("straggler_us", "us", 1, TTP_FIGURE(SIDE, straggler_us),
             .help = "its excess per iteration"),
    TTP_WORDS("straggler_op", TTP_FIGURE(SIDE, op), .help = "op with the largest excess"),
    TTP_REAL("straggler_op_us", "us", 1, TTP_FIGURE(SIDE, op_us)),
};
static const struct ttp_fields side_figures = {TTP_FIELDS(side_fields)};

TTP_GET(get_straggler, void, MESH,
        ttp_value_text(ttp_str_from(ttp_diff_straggler_name(r->straggler))))

static const struct ttp_field mesh_fields[] = {
    TTP_WORDS("straggler", .get = get_straggler, .help = "none, same, moved, new or gone"),
    {.id = "base", TTP_OBJECT_HERE(MESH, base, side_figures), .help = "its first run"},
    {.id = "other", TTP_OBJECT_HERE(MESH, other, side_figures)},
};
const struct ttp_fields ttp_diff_mesh_fields = {TTP_FIELDS(mesh_fields)};

/* ---- devices ---- */

#define CHANGE_OF(name, member)                                                                    \
    TTP_GET(name, void, DEVICE, ttp_value_f64(r->other.member - r->base.member))
CHANGE_OF(get_compute_change, compute_us)
CHANGE_OF(get_wait_change, wait_us)
CHANGE_OF(get_transfer_change, transfer_us)

static enum ttp_tone compute_tone(const void *context, const void *row)
{
    const DEVICE *d = row;

    (void)context;
    return tone_of(d->other.compute_us - d->base.compute_us);
}

/* Which of several devices a figure of a rank is of. */
#define DEVICE_FIELDS(most, mean)                                                                  \
    TTP_REAL_COLUMN("base_compute_us", "Compute base", "us", 1, 0,                                 \
                    TTP_FIGURE(DEVICE, base.compute_us), .help = "time in compute ops" most),      \
        TTP_REAL_COLUMN("other_compute_us", "other", "us", 1, 0,                                   \
                        TTP_FIGURE(DEVICE, other.compute_us)),                                     \
        TTP_REAL_COLUMN("compute_change_us", "change", "us", 1, 0, .get = get_compute_change,      \
                        .plus = true, .tone = compute_tone),                                       \
        TTP_REAL_COLUMN("base_excess_us", "Excess base", "us", 1, 3,                               \
                        TTP_FIGURE(DEVICE, base.excess_us),                                        \
                        .help = "compute beyond the median of all devices" most),                  \
        TTP_REAL_COLUMN("other_excess_us", "other", "us", 1, 3,                                    \
                        TTP_FIGURE(DEVICE, other.excess_us)),                                      \
        TTP_REAL("base_idle_us", "us", 1, TTP_FIGURE(DEVICE, base.idle_us),                        \
                 .help = "idle time beyond the median of all devices" mean),                       \
        TTP_REAL("other_idle_us", "us", 1, TTP_FIGURE(DEVICE, other.idle_us)),                     \
        TTP_REAL_COLUMN("base_wait_us", "Wait base", "us", 1, 1, TTP_FIGURE(DEVICE, base.wait_us), \
                        .help = "in collectives, for others" mean),                                \
        TTP_REAL_COLUMN("other_wait_us", "other", "us", 1, 1, TTP_FIGURE(DEVICE, other.wait_us)),  \
        TTP_REAL("wait_change_us", "us", 1, .get = get_wait_change, .plus = true),                 \
        TTP_REAL_COLUMN("base_transfer_us", "Transfer base", "us", 1, 2,                           \
                        TTP_FIGURE(DEVICE, base.transfer_us),                                      \
                        .help = "in collectives after all arrived" mean),                          \
        TTP_REAL_COLUMN("other_transfer_us", "other", "us", 1, 2,                                  \
                        TTP_FIGURE(DEVICE, other.transfer_us)),                                    \
        TTP_REAL("transfer_change_us", "us", 1, .get = get_transfer_change, .plus = true),         \
        TTP_REAL("base_last", "", 1, TTP_FIGURE(DEVICE, base.last),                                \
                 .help = "collectives at which it was last"),                                      \
        TTP_REAL("other_last", "", 1, TTP_FIGURE(DEVICE, other.last))

static const struct ttp_field rank_fields[] = {
    TTP_INT_COLUMN("rank", "Rank", "", 0, TTP_FIGURE(DEVICE, rank)),
    TTP_WORDS_COLUMN("host", "Host", 6, TTP_FIGURE(DEVICE, host)),
    DEVICE_FIELDS(", of its slowest device", ", mean of its devices"),
};
const struct ttp_fields ttp_diff_mesh_rank_fields = {TTP_FIELDS(rank_fields)};

static const struct ttp_field device_fields[] = {
    TTP_WORDS_COLUMN("device", "Device", 0, TTP_FIGURE(DEVICE, name), .help = "rank:id"),
    TTP_WORDS_COLUMN("coord", "Coord", 4, TTP_FIGURE(DEVICE, place)),
    TTP_WORDS("host", TTP_FIGURE(DEVICE, host)),
    DEVICE_FIELDS("", ""),
};
const struct ttp_fields ttp_diff_mesh_device_fields = {TTP_FIELDS(device_fields)};

/* ---- in a document ---- */

void ttp_out_diff_add_mesh(struct ttp_document *doc, const struct ttp_diff_mesh *mesh)
{
    if (!mesh->known)
        return;
    ttp_document_object(doc, TTP_DIFF_PART_MESH, NULL, mesh);
    ttp_document_rows(doc, TTP_DIFF_PART_MESH_FIGURES, NULL, mesh->figure, mesh->figures);
    ttp_document_rows(doc, TTP_DIFF_PART_MESH_RANKS, NULL, mesh->rank, mesh->ranks);
    ttp_document_rows(doc, TTP_DIFF_PART_MESH_DEVICES, NULL, mesh->device, mesh->devices);
}

static void put_us(struct ttp_sink *out, double us)
{
    ttp_sink_put(out, TTP_STR(" "));
    ttp_put_time_us(out, us);
}

static void put_straggler(struct ttp_sink *out, const struct ttp_diff_mesh_side *side)
{
    ttp_sink_printf(out, "%.*s (%.*s", TTP_FMT(side->straggler), TTP_FMT(side->op));
    put_us(out, side->op_us);
    ttp_sink_put(out, TTP_STR(" beyond the median)"));
}

/* Who was the straggler, and who is it now. */
static void put_stragglers(const struct ttp_show *show, const struct ttp_diff_mesh *m)
{
    struct ttp_sink *out = show->out;
    const bool before = m->base.straggler.len > 0, now = m->other.straggler.len > 0;

    if (show->form == TTP_FORM_MARKDOWN)
        ttp_sink_char(out, '\n');
    ttp_sink_printf(out, "computes longest: device %.*s, then %.*s\n", TTP_FMT(m->base.critical),
                    TTP_FMT(m->other.critical));
    if (show->form == TTP_FORM_MARKDOWN)
        ttp_sink_char(out, '\n');
    ttp_sink_put(out, TTP_STR("straggler: "));
    if (!before && !now)
        ttp_sink_put(out, TTP_STR("none"));
    if (before)
        put_straggler(out, &m->base);
    if (before && now)
        ttp_sink_put(out, m->straggler == TTP_STRAGGLER_MOVED ? TTP_STR("; moved to ")
                                                              : TTP_STR("; still "));
    else if (now)
        ttp_sink_put(out, TTP_STR("none; new: "));
    else if (before)
        ttp_sink_put(out, TTP_STR("; gone"));
    if (now)
        put_straggler(out, &m->other);
    ttp_sink_char(out, '\n');
}

struct changed {
    double us;
    size_t at;
};
TTP_ORDER(by_change, struct changed, TTP_DOWN(us), TTP_UP(at))

static double change_of(const DEVICE *d)
{
    const double us = fabs(d->other.compute_us - d->base.compute_us) +
                      fabs(d->other.wait_us - d->base.wait_us) +
                      fabs(d->other.transfer_us - d->base.transfer_us);

    return isnan(us) ? INFINITY : us; /* one side lacks it */
}

static void put_devices(const struct ttp_show *show, const struct ttp_diff_mesh *m,
                        const struct ttp_table *all)
{
    struct changed *order = TTP_NEW(show->arena, struct changed, m->devices + 1);
    size_t *index = TTP_NEW(show->arena, size_t, m->devices + 1);
    struct ttp_table table = *all;

    for (size_t d = 0; d < m->devices; d++)
        order[d] = (struct changed){change_of(&m->device[d]), d};
    TTP_SORT(order, m->devices, by_change);
    for (size_t d = 0; d < m->devices; d++)
        index[d] = order[d].at;
    table.index = index;
    table.count = m->devices < MAX_DEVICES ? m->devices : MAX_DEVICES;
    ttp_show_table(show, &table);
    if (table.count < m->devices)
        ttp_sink_printf(show->out, "%s%zu more devices (--format json has all)\n",
                        show->form == TTP_FORM_TEXT ? "... and " : "\n", m->devices - table.count);
}

bool ttp_out_diff_put_mesh(const struct ttp_show *show, const struct ttp_diff_mesh *mesh,
                           size_t part, const struct ttp_table *table)
{
    static const char *const titles[] = {
        [TTP_DIFF_PART_MESH_FIGURES] = "Devices, per iteration",
        [TTP_DIFF_PART_MESH_RANKS] = "Ranks: compute of their slowest device, mean of the rest",
        [TTP_DIFF_PART_MESH_DEVICES] = "Devices that changed most",
    };
    struct ttp_table aside = *table;

    if (part < TTP_DIFF_PART_MESH || part > TTP_DIFF_PART_MESH_DEVICES)
        return false;
    if (!mesh || part == TTP_DIFF_PART_MESH ||
        (part == TTP_DIFF_PART_MESH_RANKS && mesh->ranks < 2))
        return true;
    aside.aside = true;
    ttp_sink_printf(show->out, show->form == TTP_FORM_MARKDOWN ? "\n### %s\n\n" : "\n%s\n",
                    titles[part]);
    if (part == TTP_DIFF_PART_MESH_DEVICES)
        put_devices(show, mesh, &aside);
    else
        ttp_show_table(show, &aside);
    if (part == TTP_DIFF_PART_MESH_FIGURES)
        put_stragglers(show, mesh);
    return true;
}
