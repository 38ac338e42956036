/* SPDX-License-Identifier: Apache-2.0 */
#include "run/rank_file.h"

#include "base/json_tree.h"
#include "base/vec.h"

/* More chips than any cluster has: beyond it the file is not what it claims to be. */
#define MAX_CHIPS 65536

/* ---- rank.json: docs/formats/rank_json.md ---- */

/* A whole number, written as a number or, beyond 2^53, as a string of digits. */
static int64_t whole_of(const struct ttp_node *n, const char *key, int64_t none)
{
    const struct ttp_node *member = ttp_node_get(n, key);
    int64_t v;

    if (!member || (member->kind != TTP_JSON_NUMBER && member->kind != TTP_JSON_STRING) ||
        !ttp_str_to_i64(member->text, &v))
        return none;
    return v;
}

static struct ttp_rank_clock clock_of(const struct ttp_node *n)
{
    return (struct ttp_rank_clock){.realtime_ns = whole_of(n, "realtime_ns", 0),
                                   .monotonic_raw_ns = whole_of(n, "monotonic_raw_ns", 0),
                                   .tsc = whole_of(n, "tsc", 0),
                                   .width_ns = whole_of(n, "width_ns", 0)};
}

static struct ttp_rank_ticks ticks_of(const struct ttp_node *n)
{
    const struct ttp_node *each = ttp_node_get(n, "ns_per_tick");
    struct ttp_rank_ticks ticks = {.tick_at_0 = whole_of(n, "tick_at_0", 0)};

    if (!each || each->kind != TTP_JSON_NUMBER || !ttp_str_to_f64(each->text, &ticks.ns_per_tick) ||
        !(ticks.ns_per_tick > 0 && ticks.ns_per_tick < 1e6))
        return (struct ttp_rank_ticks){0};
    return ticks;
}

/* "devices": [{"id": 0, "arch": "blackhole", "mhz": 1350}, ...]; files of before have none. */
static void read_devices(struct ttp_rank_facts *out, const struct ttp_node *n,
                         struct ttp_arena *arena)
{
    for (const struct ttp_node *d = ttp_node_first_of(n, "devices"); d; d = d->next) {
        const struct ttp_node *mhz = ttp_node_get(d, "mhz");
        const int64_t id = whole_of(d, "id", -1);
        double v;

        if (id < 0 || !mhz || mhz->kind != TTP_JSON_NUMBER || !ttp_str_to_f64(mhz->text, &v) ||
            !(v > 0 && v < 1e6) || out->nominals == MAX_CHIPS)
            continue;
        *TTP_PUSH(arena, out->nominal, out->nominals) = (struct ttp_mesh_nominal){id, v / 1000};
    }
}

ttp_code ttp_run_rank_parse(struct ttp_rank_facts *out, ttp_str text, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    struct ttp_node *n;

    TTP_TRY(ttp_json_tree(&n, text, arena, err));
    if (!n || n->kind != TTP_JSON_OBJECT_BEGIN)
        return ttp_fail_at(err, TTP_EPARSE, 0, "not a JSON object");
    *out = (struct ttp_rank_facts){.rank = whole_of(n, "rank", -1),
                                   .size = whole_of(n, "size", 0),
                                   .local_rank = whole_of(n, "local_rank", -1),
                                   .mesh_id = -1,
                                   .host = ttp_node_str_of(n, "host"),
                                   .boot_id = ttp_node_str_of(n, "boot_id"),
                                   .job = ttp_node_str_of(n, "job"),
                                   .start = clock_of(ttp_node_get(n, "start")),
                                   .end = clock_of(ttp_node_get(n, "end")),
                                   .host_log = ticks_of(ttp_node_get(n, "host_log"))};
    if (out->rank < 0 || out->rank > TTP_MESH_MAX_RANK)
        return ttp_fail_at(err, TTP_EPARSE, n->offset, "no 'rank' from 0 to %d", TTP_MESH_MAX_RANK);
    if (out->size < 0 || out->size > TTP_MESH_MAX_RANK + 1 || (out->size && out->rank >= out->size))
        return ttp_fail_at(err, TTP_EPARSE, n->offset, "invalid rank %lld of %lld",
                           (long long)out->rank, (long long)out->size);
    read_devices(out, n, arena);
    const struct ttp_node *environment = ttp_node_get(n, "environment");
    if (environment)
        out->mesh_id = whole_of(environment, "TT_MESH_ID", -1);
    return TTP_OK;
}

/* ---- physical_chip_mesh_coordinate_mapping ---- */

static bool number(ttp_str s, int64_t *out)
{
    return ttp_str_to_i64(ttp_str_trim(s), out) && *out >= 0 && *out <= INT32_MAX;
}

/* "[1, 2]" */
static bool coordinates(ttp_str s, int64_t *row, int64_t *column)
{
    ttp_str part[3];

    s = ttp_str_trim(s);
    if (s.len < 2 || s.ptr[0] != '[' || s.ptr[s.len - 1] != ']')
        return false;
    return ttp_str_split(ttp_str_slice(s, 1, s.len - 1), ',', part, 3) == 2 &&
           number(part[0], row) && number(part[1], column);
}

/* A list below a chip, "- 1" a line, one number after the other. */
struct listed {
    bool open;
    size_t count;
};

static bool take_item(struct listed *list, struct ttp_mesh_place *place, ttp_str line)
{
    int64_t v;

    if (!list->open || list->count == 2 || !number(ttp_str_slice(line, 1, line.len), &v))
        return false;
    *(list->count++ ? &place->column : &place->row) = v;
    return true;
}

static bool take_chip(struct listed *list, struct ttp_mesh_place *place, ttp_str line)
{
    const size_t colon = ttp_str_find_char(line, ':');

    if (colon == TTP_NPOS || !number(ttp_str_slice(line, 0, colon), &place->device))
        return false;
    const ttp_str value = ttp_str_trim(ttp_str_slice(line, colon + 1, line.len));
    *list = (struct listed){.open = value.len == 0};
    return list->open || coordinates(value, &place->row, &place->column);
}

ttp_code ttp_run_mapping_parse(struct ttp_mesh_place **out, size_t *count, ttp_str text,
                               struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_mesh_place *place = NULL;
    struct listed list = {.open = false};
    bool in_chips = false;
    uint64_t at = 0;
    ttp_str line;

    *count = 0;
    while (ttp_str_next_line(&text, &line)) {
        const size_t comment = ttp_str_find_char(line, '#');
        const bool indented = line.len && (line.ptr[0] == ' ' || line.ptr[0] == '\t');
        bool fine = true;
        at++;
        line = ttp_str_trim(ttp_str_slice(line, 0, comment == TTP_NPOS ? line.len : comment));
        if (line.len == 0 || ttp_str_eq(line, TTP_STR("---")))
            continue;
        if (!indented) {
            in_chips = ttp_str_eq(line, TTP_STR("chips:"));
            continue;
        }
        if (!in_chips)
            continue;
        if (line.ptr[0] == '-') {
            fine = *count && take_item(&list, &place[*count - 1], line);
        } else if (*count == MAX_CHIPS) {
            return ttp_fail(err, TTP_ELIMIT, "more than %d chips", MAX_CHIPS);
        } else {
            fine = !list.open || list.count == 2;
            fine = fine && take_chip(&list, TTP_PUSH(arena, place, *count), line);
        }
        if (!fine) {
            (void)ttp_fail(err, TTP_EPARSE, "'%.*s' is not 'CHIP: [ROW, COLUMN]'", TTP_FMT(line));
            ttp_err_where(err, "", at);
            return TTP_EPARSE;
        }
    }
    if (list.open && list.count != 2)
        return ttp_fail(err, TTP_EPARSE, "the last chip has no coordinates");
    *out = place;
    return TTP_OK;
}
