/* SPDX-License-Identifier: Apache-2.0 */
/* topology.c - which chips a cluster has and how their ethernet connects them. Small, so that it is
 * read whole: comments are blanked first. */
#include "base/file.h"
#include "base/input.h"
#include "base/json_read.h"
#include "base/sink.h"
#include "base/vec.h"
#include "logs/device_log.h"
#include "logs/logs.h"

#define MAX_BYTES ((size_t)16 << 20)

struct reading {
    struct ttp_topology *out;
    struct ttp_json_reader json;
    enum ttp_json_event event;
    struct ttp_arena *arena;
    struct ttp_eth_route route;
    int32_t channel[4]; /* of the plane being read, by direction; -1: none */
    bool known;         /* a member that topologies have was there */
    struct ttp_err *err;
};

/* The end of the comment that begins at `at`, or `at` if none does. */
static size_t end_of_comment(ttp_str text, size_t at)
{
    const ttp_str rest = ttp_str_slice(text, at, text.len);
    size_t found;

    if (ttp_str_starts(rest, TTP_STR("//"))) {
        found = ttp_str_find_char(rest, '\n');
        return found == TTP_NPOS ? text.len : at + found;
    }
    if (!ttp_str_starts(rest, TTP_STR("/*")))
        return at;
    found = ttp_str_find(ttp_str_slice(rest, 2, rest.len), TTP_STR("*/"));
    return found == TTP_NPOS ? text.len : at + found + 4;
}

/* Comments become blanks, so that offsets stay true. */
static void blank_comments(char *text, size_t len)
{
    bool string = false;

    for (size_t i = 0; i < len;) {
        const size_t end = string ? i : end_of_comment((ttp_str){text, len}, i);

        if (end > i) {
            for (; i < end; i++)
                text[i] = (char)(text[i] == '\n' ? '\n' : ' ');
        } else if (string && text[i] == '\\') {
            i += 2;
        } else {
            string = (text[i] == '"') != string;
            i++;
        }
    }
}

static ttp_code next(struct reading *r)
{
    return ttp_json_next(&r->event, &r->json, r->err);
}

static ttp_code leave(struct reading *r)
{
    if (r->event != TTP_JSON_OBJECT_BEGIN && r->event != TTP_JSON_ARRAY_BEGIN)
        return TTP_OK;
    const uint32_t depth = r->json.depth;
    while (r->json.depth >= depth)
        TTP_TRY(next(r));
    return TTP_OK;
}

static ttp_code skip(struct reading *r)
{
    return ttp_json_skip(&r->event, &r->json, r->err);
}

static bool is_key(const struct reading *r, const char *name)
{
    return ttp_str_eq(r->json.text, ttp_str_from(name));
}

/* A whole number, here or as a key. */
static ttp_code read_i32(struct reading *r, int32_t *out)
{
    int64_t value;

    if ((r->event != TTP_JSON_NUMBER && r->event != TTP_JSON_KEY) ||
        !ttp_json_to_i64(r->json.text, &value) || value < INT32_MIN || value > INT32_MAX)
        return ttp_fail_at(r->err, TTP_EPARSE, r->json.offset, "expected a 32-bit number");
    *out = (int32_t)value;
    return TTP_OK;
}

static ttp_code read_pair(struct reading *r, int32_t out[2])
{
    if (r->event != TTP_JSON_ARRAY_BEGIN)
        return ttp_fail_at(r->err, TTP_EPARSE, r->json.offset, "expected a list of two numbers");
    for (int i = 0; i < 2; i++) {
        TTP_TRY(next(r));
        TTP_TRY(read_i32(r, &out[i]));
    }
    TTP_TRY(next(r));
    if (r->event != TTP_JSON_ARRAY_END)
        return ttp_fail_at(r->err, TTP_EPARSE, r->json.offset, "more than two numbers");
    return TTP_OK;
}

typedef ttp_code part_fn(struct reading *r);

/* Objects of an array, and members of an object: what is something else is passed over. */
static ttp_code read_array(struct reading *r, part_fn *element)
{
    if (r->event != TTP_JSON_ARRAY_BEGIN)
        return leave(r);
    TTP_TRY(next(r));
    while (r->event != TTP_JSON_ARRAY_END) {
        TTP_TRY(r->event == TTP_JSON_OBJECT_BEGIN ? element(r) : leave(r));
        TTP_TRY(next(r));
    }
    return TTP_OK;
}

static ttp_code read_object(struct reading *r, part_fn *member)
{
    if (r->event != TTP_JSON_OBJECT_BEGIN)
        return leave(r);
    TTP_TRY(next(r));
    while (r->event != TTP_JSON_OBJECT_END) {
        TTP_TRY(member(r));
        TTP_TRY(next(r));
    }
    return TTP_OK;
}

static ttp_code mesh_member(struct reading *r)
{
    int32_t shape[2] = {0};

    if (!is_key(r, "shape"))
        return skip(r);
    TTP_TRY(next(r));
    TTP_TRY(read_pair(r, shape));
    if (shape[0] <= 0 || shape[1] <= 0 || shape[0] > 4096 || shape[1] > 4096)
        return ttp_fail_at(r->err, TTP_EPARSE, r->json.offset, "a mesh of %d by %d chips", shape[0],
                           shape[1]);
    r->out->ns = shape[0];
    r->out->ew = shape[1];
    return TTP_OK;
}

static ttp_code read_mesh(struct reading *r)
{
    r->out->nmeshes++;
    return read_object(r, mesh_member);
}

static ttp_code channel_member(struct reading *r)
{
    static const char names[] = "NSEW";
    const char *found = r->json.text.len == 1 ? strchr(names, r->json.text.ptr[0]) : NULL;

    if (!found || !*found)
        return skip(r);
    TTP_TRY(next(r));
    if (r->event == TTP_JSON_NULL)
        return TTP_OK;
    return read_i32(r, &r->channel[found - names]);
}

static ttp_code plane_member(struct reading *r)
{
    const bool id = is_key(r, "routing_plane_id"), channels = is_key(r, "ethernet_channels");

    if (!id && !channels)
        return skip(r);
    TTP_TRY(next(r));
    return id ? read_i32(r, &r->route.plane) : read_object(r, channel_member);
}

static ttp_code read_plane(struct reading *r)
{
    struct ttp_topology *t = r->out;

    r->route.plane = 0;
    for (int k = 0; k < 4; k++)
        r->channel[k] = -1;
    TTP_TRY(read_object(r, plane_member));
    for (uint8_t k = 0; k < 4; k++) {
        if (r->channel[k] < 0)
            continue;
        *TTP_PUSH(r->arena, t->route, t->nroutes) =
            (struct ttp_eth_route){r->route.device, r->route.plane, r->channel[k], k};
    }
    return TTP_OK;
}

static ttp_code device_member(struct reading *r)
{
    const bool id = is_key(r, "device_id"), planes = is_key(r, "device_routing_planes");

    if (!id && !planes)
        return skip(r);
    TTP_TRY(next(r));
    return id ? read_i32(r, &r->route.device) : read_array(r, read_plane);
}

/* The id may come after the planes. */
static ttp_code read_device(struct reading *r)
{
    const size_t first = r->out->nroutes;

    r->route.device = -1;
    TTP_TRY(read_object(r, device_member));
    for (size_t i = first; i < r->out->nroutes; i++)
        r->out->route[i].device = r->route.device;
    return TTP_OK;
}

static ttp_code node_member(struct reading *r)
{
    struct ttp_topology *t = r->out;
    struct ttp_fabric_node node;
    int32_t place[2] = {0};

    TTP_TRY(read_i32(r, &node.device));
    TTP_TRY(next(r));
    TTP_TRY(read_pair(r, place));
    node.mesh = place[0];
    node.node = place[1];
    *TTP_PUSH(r->arena, t->node, t->nnodes) = node;
    return TTP_OK;
}

static ttp_code place_member(struct reading *r)
{
    struct ttp_topology *t = r->out;
    struct ttp_eth_place place;
    int32_t at[2] = {0};

    TTP_TRY(read_i32(r, &place.channel));
    TTP_TRY(next(r));
    TTP_TRY(read_pair(r, at));
    if (at[0] < 0 || at[1] < 0 || at[0] > INT16_MAX || at[1] > INT16_MAX)
        return ttp_fail_at(r->err, TTP_EPARSE, r->json.offset, "no core is at (%d, %d)", at[0],
                           at[1]);
    place.x = (int16_t)at[0];
    place.y = (int16_t)at[1];
    *TTP_PUSH(r->arena, t->place, t->nplaces) = place;
    return TTP_OK;
}

/* The value that comes next. */
static ttp_code read_text(struct reading *r, ttp_str *out)
{
    TTP_TRY(next(r));
    if (r->event == TTP_JSON_STRING)
        *out = ttp_arena_copy(r->arena, r->json.text);
    return leave(r);
}

static ttp_code top_member(struct reading *r)
{
    static const struct {
        const char *name;
        part_fn *element, *member;
    } parts[] = {
        {"mesh_shapes", read_mesh, NULL},
        {"routing_planes", read_device, NULL},
        {"device_id_to_fabric_node_id", NULL, node_member},
        {"eth_chan_to_coord", NULL, place_member},
    };

    const bool cluster = is_key(r, "cluster_type"), fabric = is_key(r, "fabric_config");

    r->known |= cluster || fabric;
    if (cluster || fabric)
        return read_text(r, cluster ? &r->out->cluster_type : &r->out->fabric_config);
    for (size_t i = 0; i < TTP_COUNT(parts); i++)
        if (is_key(r, parts[i].name)) {
            r->known = true;
            TTP_TRY(next(r));
            return parts[i].element ? read_array(r, parts[i].element)
                                    : read_object(r, parts[i].member);
        }
    r->out->old |= is_key(r, "inter_device_channel_pairs") || is_key(r, "eth_channel_info");
    r->known |= r->out->old || is_key(r, "physical_chip_mesh_coordinate_mapping");
    return skip(r);
}

static ttp_code parse(struct reading *r, ttp_str text)
{
    static const char *const configs[] = {[TTP_FABRIC_NONE] = "DISABLED",
                                          [TTP_FABRIC_1D] = "FABRIC_1D",
                                          [TTP_FABRIC_1D_RING] = "FABRIC_1D_RING",
                                          [TTP_FABRIC_2D] = "FABRIC_2D",
                                          [TTP_FABRIC_2D_TORUS] = "FABRIC_2D_TORUS"};

    ttp_json_feed(&r->json, text, true);
    TTP_TRY(next(r));
    if (r->event != TTP_JSON_OBJECT_BEGIN)
        return ttp_fail_at(r->err, TTP_EPARSE, r->json.offset,
                           "not a topology file: no JSON object");
    TTP_TRY(read_object(r, top_member));
    TTP_TRY(next(r)); /* nothing may follow */
    if (!r->known) {
        ttp_fail_at(r->err, TTP_EPARSE, 0,
                    "not a topology file: it has neither cluster_type nor mesh_shapes");
        ttp_err_hint(r->err, "use the topology.json that tt-metal writes next to the NoC traces");
        return TTP_EPARSE;
    }
    for (size_t i = 0; i < TTP_COUNT(configs); i++)
        if (ttp_str_eq(r->out->fabric_config, ttp_str_from(configs[i])))
            r->out->fabric = (enum ttp_fabric)i;
    return TTP_OK;
}

static ttp_code read_all(struct ttp_sink *text, const char *path, struct ttp_err *err)
{
    struct ttp_input *in;
    struct ttp_block block;
    bool more = true;
    ttp_code rc;

    TTP_TRY(ttp_input_open(&in, path, 0, true, err));
    while ((rc = ttp_input_next(in, &block, &more, NULL, NULL, err)) == TTP_OK && more) {
        ttp_sink_put(text, block.text);
        ttp_input_release(in, &block);
        if (text->len > MAX_BYTES) {
            rc = ttp_fail(err, TTP_ELIMIT, "larger than 16 MiB: not a topology file");
            break;
        }
    }
    ttp_input_close(in);
    return rc;
}

ttp_code ttp_logs_read_topology(struct ttp_topology *out, const char *path, struct ttp_arena *arena,
                                struct ttp_err *err)
{
    struct ttp_err own = {0};
    struct reading r = {.out = out, .arena = arena, .err = err ? err : &own};
    struct ttp_arena scratch = {0};
    struct ttp_sink text;
    uint64_t line = 0;

    *out = (struct ttp_topology){0};
    ttp_sink_to_arena(&text, &scratch);
    ttp_code rc = read_all(&text, path, r.err);
    if (rc == TTP_OK) {
        blank_comments(text.buf, text.len);
        rc = parse(&r, ttp_sink_text(&text));
        line = 1;
        for (size_t i = 0; i < r.err->offset && i < text.len; i++)
            line += text.buf[i] == '\n';
    }
    if (rc != TTP_OK)
        ttp_err_where(r.err, path, line);
    ttp_json_clear(&r.json);
    ttp_arena_free(&scratch);
    return rc;
}
