/* SPDX-License-Identifier: Apache-2.0 */
/* timeline.c - tt-npe's timeline, version 1 (and 0), for ttnn-visualizer.
 *
 * Written as it comes: the summary and the transfers are known after the estimate, steps are shown
 * by a second run of it and go straight to the file. Keys are in alphabetical order, as in tt-npe's
 * files; indented by two blanks, or without any blank when compressed. */
#include "compat/npe/timeline.h"

#include <stdio.h>

#include "base/compress.h"
#include "base/file.h"
#include "base/order.h"

/* Compressed in pieces of that size. */
#define PIECE ((size_t)1 << 20)

/* ---- what goes out ---- */

static ttp_code drain(struct ttp_npeviz *t, bool last, struct ttp_err *err)
{
    if (!t->encoder || (!last && t->sink.len < PIECE))
        return TTP_OK;
    TTP_TRY(ttp_encoder_put(t->encoder, ttp_sink_text(&t->sink), last, err));
    t->sink.len = 0;
    return TTP_OK;
}

void ttp_npeviz_key(struct ttp_npeviz *t, const char *key)
{
    ttp_json_put_key(&t->w, ttp_str_from(key));
}

static void put_u64(struct ttp_npeviz *t, const char *key, uint64_t v)
{
    char text[TTP_NUM_MAX];

    ttp_npeviz_key(t, key);
    ttp_json_put_raw(&t->w, (ttp_str){text, ttp_num_u64(text, v)});
}

static void put_f64(struct ttp_npeviz *t, const char *key, double v)
{
    ttp_npeviz_key(t, key);
    ttp_json_put_f64(&t->w, v);
}

static void put_text(struct ttp_npeviz *t, const char *key, const char *text)
{
    ttp_npeviz_key(t, key);
    ttp_json_put_str(&t->w, ttp_str_from(text));
}

/* [device, row, column] and, if there is one, a name; version 0 knows no devices. */
static void put_place(struct ttp_npeviz *t, unsigned device, int x, int y, const char *name)
{
    ttp_json_begin_array(&t->w);
    if (t->version > 0)
        ttp_json_put_u64(&t->w, device);
    ttp_json_put_i64(&t->w, y);
    ttp_json_put_i64(&t->w, x);
    if (name)
        ttp_json_put_str(&t->w, ttp_str_from(name));
    ttp_json_end_array(&t->w);
}

static void put_numbered(struct ttp_npeviz *t, uint32_t number, const char *name)
{
    const struct ttp_noc_grid *g = t->view->load->model->grid;
    const uint32_t core = number / 4, chip = (uint32_t)g->cols * g->rows;

    put_place(t, core / chip, (int)(core % chip % g->cols), (int)(core % chip / g->cols), name);
}

/* ---- head ---- */

static void put_chip(struct ttp_npeviz *t, const char *id, int32_t x, int32_t y)
{
    ttp_npeviz_key(t, id);
    ttp_json_begin_array(&t->w);
    ttp_json_put_i64(&t->w, x);
    ttp_json_put_i64(&t->w, y);
    ttp_json_put_i64(&t->w, 0);
    ttp_json_put_i64(&t->w, 0);
    ttp_json_end_array(&t->w);
}

/* Where the topology puts each chip; without one they are in a row. */
static void put_chips(struct ttp_npeviz *t)
{
    const struct ttp_topology *topology = t->topology;
    const unsigned chips = t->view->load->model->chips;
    const bool known = topology && topology->nnodes && topology->ew > 0 && chips > 1;
    const size_t n = known ? topology->nnodes : chips;
    const char **id = TTP_NEW(&t->arena, const char *, n);
    char text[16];

    for (size_t i = 0; i < n; i++) {
        snprintf(text, sizeof(text), "%d", known ? topology->node[i].device : (int)i);
        id[i] = ttp_arena_zstr(&t->arena, ttp_str_from(text));
    }
    TTP_SORT(id, n, ttp_by_text);
    ttp_npeviz_key(t, "chips");
    ttp_json_begin_object(&t->w);
    for (size_t i = 0; i < n; i++) {
        if (i && strcmp(id[i], id[i - 1]) == 0)
            continue;
        int32_t x = 0, y = 0;
        for (size_t k = 0; k < n; k++) {
            snprintf(text, sizeof(text), "%d", known ? topology->node[k].device : (int)k);
            if (strcmp(text, id[i]) != 0)
                continue;
            x = known ? topology->node[k].node % topology->ew : (int32_t)k;
            y = known ? topology->node[k].node / topology->ew : 0;
        }
        put_chip(t, id[i], x, y);
    }
    ttp_json_end_object(&t->w);
}

static void put_noc(struct ttp_npeviz *t, const char *name, double demand, double util, double max)
{
    ttp_npeviz_key(t, name);
    ttp_json_begin_object(&t->w);
    put_f64(t, "avg_link_demand", demand);
    put_f64(t, "avg_link_util", util);
    put_f64(t, "max_link_demand", max);
    ttp_json_end_object(&t->w);
}

static void put_common(struct ttp_npeviz *t)
{
    const struct ttp_noc_view *v = t->view;
    const struct ttp_noc_stats *s = &v->estimate->mesh;
    const struct ttp_noc_model *m = v->load->model;

    ttp_npeviz_key(t, "common_info");
    ttp_json_begin_object(&t->w);
    if (t->version > 0)
        put_text(t, "arch", m->grid->arch);
    put_text(t, "congestion_model_name", v->options->no_congestion ? "none" : "fast");
    put_u64(t, "cycles_per_timestep", v->options->cycles_per_step);
    if (t->version == 0)
        put_text(t, "device_name", m->name);
    put_f64(t, "dram_bw_util", s->dram_bw_util);
    put_f64(t, "link_demand", s->overall_avg_link_demand);
    put_f64(t, "link_util", s->overall_avg_link_util);
    put_f64(t, "max_link_demand", s->overall_max_link_demand);
    put_f64(t, "mcast_write_link_util", s->overall_avg_mcast_write_link_util);
    if (t->version > 0) {
        put_text(t, "mesh_device", m->name);
        ttp_npeviz_key(t, "noc");
        ttp_json_begin_object(&t->w);
        put_noc(t, "NOC0", s->overall_avg_noc0_link_demand, s->overall_avg_noc0_link_util,
                s->overall_max_noc0_link_demand);
        put_noc(t, "NOC1", s->overall_avg_noc1_link_demand, s->overall_avg_noc1_link_util,
                s->overall_max_noc1_link_demand);
        ttp_json_end_object(&t->w);
    }
    put_u64(t, "num_cols", m->grid->cols);
    put_u64(t, "num_rows", m->grid->rows);
    if (t->version > 0)
        put_text(t, "version", "1.0.0");
    ttp_json_end_object(&t->w);
}

/* ---- transfers ---- */

/* Those that receive it, each with `name` if there is one. */
static void put_receivers(struct ttp_npeviz *t, const struct ttp_noc_transfer *tr, const char *name)
{
    if (!tr->multicast) {
        put_place(t, tr->device, tr->dx, tr->dy, name);
        return;
    }
    for (int y = tr->dy; y <= ttp_noc_last_y(tr); y++)
        for (int x = tr->dx; x <= ttp_noc_last_x(tr); x++)
            if (ttp_device_core_kind(t->view->load->model->grid, x, y) == TTP_CORE_WORKER)
                put_place(t, tr->device, x, y, name);
}

static void put_dst(struct ttp_npeviz *t, const struct ttp_noc_transfer *tr)
{
    ttp_npeviz_key(t, "dst");
    ttp_json_begin_array(&t->w);
    put_receivers(t, tr, NULL);
    ttp_json_end_array(&t->w);
}

static void put_src(struct ttp_npeviz *t, const struct ttp_noc_transfer *tr)
{
    ttp_npeviz_key(t, "src");
    put_place(t, tr->device, tr->sx, tr->sy, NULL);
}

static void put_links(struct ttp_npeviz *t, const char *key, const struct ttp_noc_transfer *tr)
{
    const struct ttp_mark mark = ttp_arena_mark(&t->arena);
    uint32_t *link;
    const size_t n = ttp_noc_route(&link, t->view->load->model, tr, &t->arena);

    ttp_npeviz_key(t, key);
    ttp_json_begin_array(&t->w);
    put_place(t, tr->device, tr->sx, tr->sy, ttp_noc_port_names[tr->noc * (size_t)2]);
    for (size_t i = 0; i < n; i++)
        put_numbered(t, link[i], ttp_noc_link_names[link[i] % 4]);
    put_receivers(t, tr, ttp_noc_port_names[tr->noc * (size_t)2 + 1]);
    ttp_json_end_array(&t->w);
    ttp_arena_rewind(&t->arena, mark);
}

static void put_segment(struct ttp_npeviz *t, size_t i)
{
    const struct ttp_noc_transfer *tr = &t->view->load->transfer[i];

    ttp_json_begin_object(&t->w);
    put_u64(t, "device_id", tr->device);
    put_dst(t, tr);
    put_u64(t, "end_cycle", t->view->estimate->end_cycle[i]);
    put_f64(t, "injection_rate", (double)t->view->estimate->inject[i]);
    put_links(t, "links", tr);
    put_text(t, "noc_type", tr->noc ? "NOC1" : "NOC0");
    put_src(t, tr);
    put_u64(t, "start_cycle", t->view->estimate->start_cycle[i]);
    ttp_json_end_object(&t->w);
}

static bool is_fabric(const struct ttp_npeviz *t, const struct ttp_noc_transfer *tr)
{
    const struct ttp_noc_workload_item *item = t->view->load->item;
    const uint8_t type = tr->type;

    if (item)
        return ttp_str_starts(item[tr->event].type_name, TTP_STR("FABRIC_"));
    return type >= TTP_NOC_FABRIC_UNICAST_WRITE && type <= TTP_NOC_FABRIC_ROUTING_FIELDS_2D;
}

/* As a workload spells it; a trace has only types that we know. */
static void put_type(struct ttp_npeviz *t, const struct ttp_noc_transfer *tr)
{
    const struct ttp_noc_workload_item *item = t->view->load->item;
    const ttp_str known = ttp_str_from(ttp_logs_noc_type_name((enum ttp_noc_type)tr->type));

    ttp_npeviz_key(t, "noc_event_type");
    ttp_json_put_str(&t->w, item ? item[tr->event].type_name : known);
}

/* Transfers [first, end) are one: a packet of the fabric, or a single one. */
static void put_transfer(struct ttp_npeviz *t, uint64_t id, size_t first, size_t end)
{
    const struct ttp_noc_view *v = t->view;
    const struct ttp_noc_transfer *tr = &v->load->transfer[first];

    ttp_json_begin_object(&t->w);
    put_dst(t, &v->load->transfer[end - 1]);
    put_u64(t, "end_cycle", v->estimate->end_cycle[end - 1]);
    ttp_npeviz_key(t, "fabric_event_type");
    ttp_json_put_bool(&t->w, is_fabric(t, tr));
    put_u64(t, "id", id);
    put_type(t, tr);
    ttp_npeviz_key(t, "route");
    ttp_json_begin_array(&t->w);
    for (size_t i = first; i < end; i++)
        put_segment(t, i);
    ttp_json_end_array(&t->w);
    put_src(t, tr);
    put_u64(t, "start_cycle", v->estimate->start_cycle[first]);
    put_u64(t, "total_bytes", ttp_noc_bytes(tr));
    ttp_npeviz_key(t, "zones");
    ttp_json_put_str(&t->w, ttp_npeviz_zone_path(t, tr->event));
    ttp_json_end_object(&t->w);
}

static void put_old_transfer(struct ttp_npeviz *t, size_t i)
{
    const struct ttp_noc_transfer *tr = &t->view->load->transfer[i];

    ttp_json_begin_object(&t->w);
    put_dst(t, tr);
    put_u64(t, "end_cycle", t->view->estimate->end_cycle[i]);
    put_u64(t, "id", i);
    put_f64(t, "injection_rate", (double)t->view->estimate->inject[i]);
    put_type(t, tr);
    put_text(t, "noc_type", tr->noc ? "NOC1" : "NOC0");
    put_links(t, "route", tr);
    put_src(t, tr);
    put_u64(t, "start_cycle", t->view->estimate->start_cycle[i]);
    put_u64(t, "total_bytes", ttp_noc_bytes(tr));
    ttp_json_end_object(&t->w);
}

static size_t end_of_group(const struct ttp_noc_load *load, size_t first)
{
    size_t end = first + 1;

    while (end < load->ntransfers && load->transfer[end].group == load->transfer[first].group)
        end++;
    return end;
}

/* Groups come first, under their numbers, then what is alone. */
static ttp_code put_transfers(struct ttp_npeviz *t, struct ttp_err *err)
{
    const struct ttp_noc_load *load = t->view->load;
    uint64_t id = load->ngroups;

    ttp_npeviz_key(t, "noc_transfers");
    ttp_json_begin_array(&t->w);
    for (size_t i = 0, end; i < load->ntransfers; i = end) {
        const bool grouped = load->transfer[i].group != TTP_NOC_NO_GROUP && t->version > 0;

        end = grouped ? end_of_group(load, i) : i + 1;
        if (grouped)
            put_transfer(t, load->transfer[i].group, i, end);
        TTP_TRY(drain(t, false, err));
    }
    ttp_npeviz_rewind_zones(t);
    for (size_t i = 0; i < load->ntransfers; i++) {
        if (t->version == 0)
            put_old_transfer(t, i);
        else if (load->transfer[i].group == TTP_NOC_NO_GROUP)
            put_transfer(t, id++, i, i + 1);
        TTP_TRY(drain(t, false, err));
    }
    ttp_json_end_array(&t->w);
    return TTP_OK;
}

/* ---- steps ---- */

/* Which number each transfer has in the timeline. */
static void number_transfers(struct ttp_npeviz *t)
{
    const struct ttp_noc_load *load = t->view->load;
    uint32_t id = load->ngroups;

    t->number = TTP_NEW(&t->arena, uint32_t, load->ntransfers);
    t->active = TTP_NEW(&t->arena, uint32_t, load->ntransfers);
    for (size_t i = 0; i < load->ntransfers; i++) {
        const uint32_t group = load->transfer[i].group;
        if (t->version == 0)
            t->number[i] = (uint32_t)i;
        else
            t->number[i] = group != TTP_NOC_NO_GROUP ? group : id++;
    }
}

static void put_active(struct ttp_npeviz *t, const struct ttp_noc_step *step)
{
    for (size_t i = 0; i < step->nlive; i++)
        t->active[i] = t->number[step->live[i]];
    TTP_SORT(t->active, step->nlive, ttp_by_u32);
    ttp_npeviz_key(t, "active_transfers");
    ttp_json_begin_array(&t->w);
    for (size_t i = 0; i < step->nlive; i++)
        if (i == 0 || t->active[i] != t->active[i - 1])
            ttp_json_put_u64(&t->w, t->active[i]);
    ttp_json_end_array(&t->w);
}

#define LEAST_DEMAND 0.001F

static void put_demand(struct ttp_npeviz *t, const float *value, const bool *busy,
                       const char *const *names)
{
    const struct ttp_noc_model *m = t->view->load->model;
    const uint32_t chip = (uint32_t)m->grid->cols * m->grid->rows, n = chip * m->chips * 4;
    char text[64 + TTP_NUM_MAX];

    for (uint32_t i = 0; i < n; i++) {
        if (i % (chip * 4) == 0 && !busy[i / (chip * 4)]) {
            i += chip * 4 - 1; /* to the next chip */
            continue;
        }
        if (!(value[i] > LEAST_DEMAND))
            continue;
        const uint32_t core = i / 4, x = core % chip % m->grid->cols,
                       y = core % chip / m->grid->cols;
        size_t len = 0;
        if (t->w.indent) {
            ttp_json_begin_array(&t->w);
            if (t->version > 0)
                ttp_json_put_u64(&t->w, core / chip);
            ttp_json_put_u64(&t->w, y);
            ttp_json_put_u64(&t->w, x);
            ttp_json_put_str(&t->w, ttp_str_from(names[i % 4]));
            ttp_json_put_f64(&t->w, (double)value[i]);
            ttp_json_end_array(&t->w);
            continue;
        }
        /* nine tenths of a timeline are this */
        text[len++] = '[';
        if (t->version > 0) {
            len += ttp_num_u64(text + len, core / chip);
            text[len++] = ',';
        }
        len += ttp_num_u64(text + len, y);
        text[len++] = ',';
        len += ttp_num_u64(text + len, x);
        text[len++] = ',';
        text[len++] = '"';
        const size_t name = strlen(names[i % 4]);
        memcpy(text + len, names[i % 4], name);
        len += name;
        text[len++] = '"';
        text[len++] = ',';
        len += ttp_num_f64(text + len, (double)value[i], TTP_NUM_JSON);
        text[len++] = ']';
        ttp_json_put_raw(&t->w, (ttp_str){text, len});
    }
}

static ttp_code put_step(void *ctx, const struct ttp_noc_step *step, struct ttp_err *err)
{
    struct ttp_npeviz *t = ctx;
    const struct ttp_noc_step_stats *m = &step->mesh;

    ttp_json_begin_object(&t->w);
    put_active(t, step);
    put_f64(t, "avg_link_demand", m->avg_link_demand);
    put_f64(t, "avg_link_util", m->avg_link_util);
    put_u64(t, "end_cycle", step->end_cycle);
    ttp_npeviz_key(t, "link_demand");
    ttp_json_begin_array(&t->w);
    put_demand(t, step->port, step->busy, ttp_noc_port_names);
    put_demand(t, step->link, step->busy, ttp_noc_link_names);
    ttp_json_end_array(&t->w);
    put_f64(t, "mcast_write_link_util", m->mcast_write_link_util);
    if (t->version > 0) {
        ttp_npeviz_key(t, "noc");
        ttp_json_begin_object(&t->w);
        put_noc(t, "NOC0", m->noc_demand[0], m->noc_util[0], m->noc_max[0]);
        put_noc(t, "NOC1", m->noc_demand[1], m->noc_util[1], m->noc_max[1]);
        ttp_json_end_object(&t->w);
    }
    put_u64(t, "start_cycle", step->start_cycle);
    ttp_json_end_object(&t->w);
    return drain(t, false, err);
}

static ttp_code put_all(struct ttp_npeviz *t, struct ttp_err *err)
{
    ttp_json_begin_object(&t->w);
    if (t->version > 0)
        put_chips(t);
    put_common(t);
    TTP_TRY(put_transfers(t, err));
    number_transfers(t);
    ttp_npeviz_key(t, "timestep_data");
    ttp_json_begin_array(&t->w);
    TTP_TRY(ttp_noc_steps(t->view->load, t->view->options, t->view->estimate, put_step, t, err));
    ttp_json_end_array(&t->w);
    if (t->version > 0)
        ttp_npeviz_zones(t);
    ttp_json_end_object(&t->w);
    if (t->encoder)
        return drain(t, true, err);
    return ttp_sink_finish(&t->sink, err);
}

ttp_code ttp_npe_write_timeline(const char *path, const struct ttp_noc_view *view,
                                const struct ttp_topology *topology, int version,
                                struct ttp_err *err)
{
    struct ttp_npeviz t = {.view = view, .topology = topology, .version = version};
    const bool packed = ttp_str_ends(ttp_str_from(path), TTP_STR(".zst"));
    struct ttp_arena buffer = {0};
    struct ttp_outfile file;
    ttp_code rc = TTP_OK;

    /* tt-npe writes the list of zones only here */
    if (view->options->rules.strict && view->trace && view->load->unpaired.first_end != UINT32_MAX)
        return ttp_noc_zones_refuse_end(view->trace, view->load->unpaired.first_end, err);
    TTP_TRY(ttp_outfile_open(&file, path, err));
    if (packed) {
        rc = ttp_encoder_open(&t.encoder, file.fd, err);
        ttp_sink_to_arena(&t.sink, &buffer);
    } else {
        ttp_sink_to_fd(&t.sink, file.fd, &buffer);
    }
    t.w = (struct ttp_json_writer){.sink = &t.sink, .indent = !packed};
    ttp_npeviz_rewind_zones(&t);
    if (rc == TTP_OK)
        rc = put_all(&t, err);
    if (rc == TTP_EIO)
        ttp_err_where(err, path, 0);
    if (rc == TTP_OK)
        rc = ttp_outfile_commit(&file, err);
    else
        ttp_outfile_abort(&file);
    ttp_encoder_close(t.encoder);
    ttp_arena_free(&t.arena);
    ttp_arena_free(&t.zone_arena);
    ttp_arena_free(&buffer);
    return rc;
}
