/* SPDX-License-Identifier: Apache-2.0 */
/* devices.c - one row per op although several devices ran it: the slowest device's; of collectives
 * the first device's with the transfer, and the wait apart, or, where durations are taken as they
 * are written, with the mean. */
#include <math.h>
#include <stdlib.h>

#include "analysis/device_merge.h"
#include "base/order.h"
#include "base/sink.h"

/* More devices than any cluster has: the file is damaged. */
#define MAX_DEVICES 65536
/* Maximum number of warnings, and of devices in one warning. */
#define MAX_WARNINGS 100
#define MAX_LISTED   64

static bool device_id(const struct ttp_stage *s, uint32_t row, int64_t *out)
{
    double v;
    const struct ttp_cell c = ttp_ops_cell(s->ops, TTP_OPS_DEVICE, row);

    if (!ttp_cell_f64(c, &v) || !(v >= -0x1p63 && v < 0x1p63))
        return false;
    *out = c.kind == TTP_CELL_INT ? c.v.i : (int64_t)v;
    return true;
}

static bool is_device_op(const struct ttp_stage *s, uint32_t row)
{
    return ttp_stage_traits(s, ttp_ops_sym(s->ops, TTP_OPS_TYPE, row)) & TTP_TRAIT_IS_DEVICE;
}

TTP_ORDER(by_device, struct ttp_device_queue, TTP_UP(device))

/* Device ids of the rows where they change: into `id`, or only counted if it is NULL. */
static size_t list_changes(const struct ttp_stage *s, const struct ttp_rows *rows, double *id)
{
    double v, last = 0;
    size_t n = 0;

    for (size_t i = 0; i < rows->count; i++) {
        if (!ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_DEVICE, rows->row[i]), &v) ||
            (n && v == last))
            continue;
        last = v;
        if (id)
            id[n] = v;
        n++;
    }
    return n;
}

/* Distinct device ids among the rows. Ids come in runs, so only changes are collected. */
static size_t count_devices(const struct ttp_stage *s, const struct ttp_rows *rows)
{
    const size_t n = list_changes(s, rows, NULL);
    double *id = TTP_NEW(s->arena, double, n);
    size_t distinct = 0;

    (void)list_changes(s, rows, id);
    TTP_SORT(id, n, ttp_by_f64);
    for (size_t i = 0; i < n; i++)
        distinct += i == 0 || id[i] != id[i - 1];
    return distinct;
}

static struct ttp_device_queue *find_queue(struct ttp_merger *m, int64_t device)
{
    const struct ttp_device_queue key = {.device = device};
    return bsearch(&key, m->queue, m->nqueues, sizeof(key), by_device);
}

/* Device ids of device ops where they change: into `id`, or only counted if it is NULL. False if
 * one has none. */
static bool list_ids(const struct ttp_merger *m, const struct ttp_rows *rows,
                     struct ttp_device_queue *id, size_t *ids, size_t *ops)
{
    int64_t device = 0, before = 0;

    *ids = *ops = 0;
    for (size_t i = 0; i < rows->count; i++) {
        if (!is_device_op(m->stage, rows->row[i]))
            continue;
        if (!device_id(m->stage, rows->row[i], &device))
            return false;
        if (*ids == 0 || device != before) {
            if (id)
                id[*ids].device = device;
            before = device;
            (*ids)++;
        }
        (*ops)++;
    }
    return true;
}

/* Count the ops of each queue, and put them there where it has room. */
static void fill_queues(struct ttp_merger *m, const struct ttp_rows *rows)
{
    struct ttp_device_queue *last = NULL;
    int64_t id = 0;

    for (size_t i = 0; i < rows->count; i++) {
        if (!is_device_op(m->stage, rows->row[i]))
            continue;
        (void)device_id(m->stage, rows->row[i], &id);
        if (!last || last->device != id)
            last = find_queue(m, id);
        if (last->row)
            last->row[last->count] = rows->row[i];
        last->count++;
    }
}

/* Make one queue per device id; false if a device op has none. */
static bool make_queues(struct ttp_merger *m, const struct ttp_rows *rows)
{
    size_t n, ops;

    if (!list_ids(m, rows, NULL, &n, &ops))
        return false;
    m->queue = TTP_NEW(m->stage->arena, struct ttp_device_queue, n);
    (void)list_ids(m, rows, m->queue, &n, &ops);
    TTP_SORT(m->queue, n, by_device);
    for (size_t i = 0; i < n; i++)
        if (m->nqueues == 0 || m->queue[m->nqueues - 1].device != m->queue[i].device)
            m->queue[m->nqueues++].device = m->queue[i].device;
    fill_queues(m, rows);
    uint32_t *room = TTP_NEW(m->stage->arena, uint32_t, ops);
    for (size_t q = 0; q < m->nqueues; q++) {
        m->queue[q].row = room;
        room += m->queue[q].count;
        m->queue[q].count = 0;
    }
    fill_queues(m, rows);
    return true;
}

static const char *prefix(const struct ttp_merger *m)
{
    return m->stage->rules->talk ? m->stage->rules->talk->warning : "";
}

static ttp_str shown_name(const struct ttp_ops *ops, ttp_sym name)
{
    return name == TTP_SYM_MISSING ? TTP_STR("nan") : ttp_sym_name(&ops->syms, name);
}

/* Is this one more than anyone reads? */
static bool has_warned_enough(struct ttp_merger *m)
{
    return ++m->warnings > MAX_WARNINGS && !m->stage->rules->talk;
}

/* Queues with ops left whose next one has another name than the round's. */
static void warn_aside(struct ttp_merger *m, ttp_str name, size_t index, size_t naside)
{
    const size_t most = m->stage->rules->talk ? naside : MAX_LISTED;
    struct ttp_sink list;
    size_t n = 0;

    if (has_warned_enough(m))
        return;
    ttp_sink_to_arena(&list, m->stage->arena);
    for (size_t q = m->first; q < m->nqueues && n < naside && n < most; q++) {
        const struct ttp_device_queue *queue = &m->queue[q];

        if (queue->in_block || queue->next == queue->count)
            continue;
        if (n++)
            ttp_sink_put(&list, TTP_STR(", "));
        ttp_sink_i64(&list, queue->device);
    }
    ttp_analysis_note_add(
        m->stage->notes, TTP_NOTE_WARNING,
        "%s%.*s at index %zu not present in CSV for %zu devices [%.*s%s] - do not "
        "trust data for this op or directly subsequent ops with the same name",
        prefix(m), TTP_FMT(name), index, naside, TTP_FMT(ttp_sink_text(&list)),
        n < naside ? ", ..." : "");
}

/* Queues that have none left. */
static void warn_missing(struct ttp_merger *m, ttp_str name, size_t index)
{
    for (size_t q = 0, n = m->nqueues - m->active; n > 0; q++) {
        const struct ttp_device_queue *queue = &m->queue[q];

        if (queue->next < queue->count)
            continue;
        n--;
        if (has_warned_enough(m)) {
            m->warnings += n;
            return;
        }
        ttp_analysis_note_add(m->stage->notes, TTP_NOTE_WARNING,
                              "%sDevice %lld is missing operation %.*s at index %zu", prefix(m),
                              (long long)queue->device,
                              TTP_FMT(q > m->first ? name : TTP_STR("None")), index);
    }
}

/* One row for the block of a round. */
static ttp_code reduce(struct ttp_merger *m, ttp_sym name, size_t nblock, struct ttp_err *err)
{
    const struct ttp_analysis_rules *rules = m->stage->rules;
    uint32_t best;
    bool fine = true;

    const uint32_t first = m->block[0]->row[m->block[0]->next];
    if (rules->strict &&
        (name == TTP_SYM_MISSING || ttp_ops_is_numeric(m->stage->ops, TTP_OPS_CODE, first)))
        return ttp_fail(err, TTP_EPARSE, "a device op has no name in 'OP CODE'");
    if (rules->strict && !m->stage->ops->number[TTP_OPS_KERNEL_NS].kind)
        return ttp_analysis_stage_missing(ttp_ops_number_name(TTP_OPS_KERNEL_NS), err);
    const unsigned traits = ttp_stage_traits(m->stage, name);
    if ((traits & TTP_TRAIT_ALL_WAIT) && !rules->plain_times) {
        ttp_analysis_devices_split_wait(m, nblock);
    } else if ((traits & TTP_TRAIT_AVERAGED) && rules->plain_times) {
        fine = ttp_analysis_devices_average(m, nblock);
    } else if (rules->plain_times) {
        fine = ttp_analysis_devices_slowest_as_written(m, nblock, &best);
        m->keep[best] = true;
    } else {
        m->keep[ttp_analysis_devices_slowest_valid(m, nblock)] = true;
    }
    return fine ? TTP_OK : ttp_fail(err, TTP_EPARSE, "a kernel duration is not a number");
}

static int by_place(const void *pa, const void *pb)
{
    const struct ttp_device_queue *a = *(struct ttp_device_queue *const *)pa,
                                  *b = *(struct ttp_device_queue *const *)pb;
    return (a > b) - (a < b);
}

/* Put it among those whose next op has the same name. */
static void file_queue(struct ttp_merger *m, struct ttp_device_queue *queue)
{
    if (queue->next == queue->count) {
        m->active--;
        return;
    }
    const ttp_sym name = ttp_ops_sym(m->stage->ops, TTP_OPS_CODE, queue->row[queue->next]);
    if (name == TTP_SYM_MISSING) /* equals no other, not even a missing one */
        return;
    queue->alike = m->alike[name];
    m->alike[name] = queue;
}

/* The first queue with ops left, and those whose next op has the same name, in order. */
static size_t take_block(struct ttp_merger *m, ttp_sym *name)
{
    size_t n = 0;

    while (m->queue[m->first].next == m->queue[m->first].count)
        m->first++;
    struct ttp_device_queue *first = &m->queue[m->first];
    *name = ttp_ops_sym(m->stage->ops, TTP_OPS_CODE, first->row[first->next]);
    if (*name == TTP_SYM_MISSING) {
        m->block[n++] = first;
    } else {
        for (struct ttp_device_queue *q = m->alike[*name]; q; q = q->alike)
            m->block[n++] = q;
        m->alike[*name] = NULL;
        qsort(m->block, n, sizeof(struct ttp_device_queue *), by_place);
    }
    for (size_t i = 0; i < n; i++)
        m->block[i]->in_block = true;
    return n;
}

/* One round: every device whose next op has the round's name gives it. */
static ttp_code merge_round(struct ttp_merger *m, size_t index, struct ttp_err *err)
{
    ttp_sym name;
    const size_t nblock = take_block(m, &name), naside = m->active - nblock;

    warn_missing(m, shown_name(m->stage->ops, name), index);
    if (naside)
        warn_aside(m, shown_name(m->stage->ops, name), index, naside);
    TTP_TRY(reduce(m, name, nblock, err));
    if (m->mesh)
        ttp_analysis_devices_look_at_mesh(m, nblock);
    for (size_t i = 0; i < nblock; i++) {
        m->block[i]->in_block = false;
        m->block[i]->next++;
        file_queue(m, m->block[i]);
    }
    return TTP_OK;
}

static void make_room(struct ttp_merger *m)
{
    const struct ttp_stage *s = m->stage;

    m->mean_ns = TTP_NEW(s->arena, double, s->ops->rows);
    m->wait_ns = TTP_NEW(s->arena, double, s->ops->rows);
    m->averaged = TTP_NEW(s->arena, bool, s->ops->rows);
}

static ttp_code merge_rounds(struct ttp_merger *m, struct ttp_err *err)
{
    struct ttp_stage *s = m->stage;

    m->block = TTP_NEW(s->arena, struct ttp_device_queue *, m->nqueues);
    m->alike = TTP_NEW(s->arena, struct ttp_device_queue *, s->ops->syms.count);
    if (!m->averaged)
        make_room(m);
    m->active = m->nqueues;
    for (size_t q = 0; q < m->nqueues; q++)
        file_queue(m, &m->queue[q]);
    for (size_t index = 0; m->active; index++)
        TTP_TRY(merge_round(m, index, err));
    if (m->warnings > MAX_WARNINGS && !s->rules->talk)
        ttp_analysis_note_add(s->notes, TTP_NOTE_WARNING,
                              "%zu more warnings about ops that are missing on some devices",
                              m->warnings - MAX_WARNINGS);
    return TTP_OK;
}

/* Chosen rows and everything that is not a device op, by row number. */
static void collect(struct ttp_merger *m, struct ttp_rows *rows)
{
    bool averaged = false;
    size_t n = 0;

    for (size_t i = 0; i < rows->count; i++)
        if (!is_device_op(m->stage, rows->row[i]))
            m->keep[rows->row[i]] = true;
    for (size_t r = 0; r < m->stage->ops->rows; r++) {
        if (!m->keep[r])
            continue;
        if (m->averaged) {
            averaged |= m->averaged[r];
            m->mean_ns[n] = m->mean_ns[r]; /* from row of the table to position: n <= r */
            m->averaged[n] = m->averaged[r];
        }
        rows->row[n++] = (uint32_t)r;
    }
    rows->count = n;
    if (averaged) {
        rows->mean_ns = m->mean_ns;
        rows->averaged = m->averaged;
    }
}

/* The same in the order of time. */
static void collect_in_order(struct ttp_merger *m, struct ttp_rows *rows)
{
    size_t n = 0;

    if (!m->averaged) /* one device: all rows stay */
        return;
    double *mean_ns = TTP_NEW(m->stage->arena, double, rows->count);
    double *wait_ns = TTP_NEW(m->stage->arena, double, rows->count);
    bool *averaged = TTP_NEW(m->stage->arena, bool, rows->count);
    rows->mesh = m->mesh ? TTP_NEW(m->stage->arena, struct ttp_row_mesh, rows->count) : NULL;

    for (size_t i = 0; i < rows->count; i++) {
        const uint32_t row = rows->row[i];
        if (!m->keep[row] && is_device_op(m->stage, row))
            continue;
        mean_ns[n] = m->mean_ns[row];
        wait_ns[n] = m->wait_ns[row];
        averaged[n] = m->averaged[row];
        if (m->mesh)
            rows->mesh[n] = m->mesh[row];
        rows->row[n++] = row;
    }
    rows->count = n;
    rows->mean_ns = mean_ns;
    rows->wait_ns = wait_ns;
    rows->averaged = averaged;
}

/* Nothing to choose from; what others made it wait is known all the same. */
static void keep_queue(struct ttp_merger *m, struct ttp_device_queue *queue)
{
    const bool split = m->averaged && !m->stage->rules->plain_times;
    double wait;

    m->block = &queue;
    for (; queue->next < queue->count; queue->next++) {
        const uint32_t row = queue->row[queue->next];
        const ttp_sym name = ttp_ops_sym(m->stage->ops, TTP_OPS_CODE, row);
        m->keep[row] = true;
        if (m->mesh)
            m->mesh[row] = (struct ttp_row_mesh){NAN, TTP_SYM_MISSING, 1, 1};
        if (split && ttp_stage_traits(m->stage, name) & TTP_TRAIT_ALL_WAIT &&
            ttp_analysis_mean_wait(m->stage, row, &wait))
            ttp_analysis_devices_split_wait(m, 1);
    }
    m->block = NULL;
}

static ttp_code merge_queues(struct ttp_merger *m, struct ttp_err *err)
{
    if (m->nqueues > 1)
        return merge_rounds(m, err);
    keep_queue(m, &m->queue[0]);
    return TTP_OK;
}

static int64_t rank_of(const struct ttp_merger *m, const struct ttp_device_queue *queue)
{
    return queue->device >= 0 && (size_t)queue->device < m->stage->ops->devices
               ? m->stage->ops->device[queue->device].rank
               : -1;
}

/* The devices of each rank on their own; queues are in the order of ranks. */
static ttp_code merge_by_rank(struct ttp_merger *all, struct ttp_err *err)
{
    struct ttp_device_queue *const queue = all->queue;
    const size_t count = all->nqueues;

    make_room(all);
    for (size_t from = 0, to; from < count; from = to) {
        to = from + 1;
        while (to < count && rank_of(all, &queue[to]) == rank_of(all, &queue[from]))
            to++;
        all->queue = &queue[from];
        all->nqueues = to - from;
        all->first = all->active = 0;
        TTP_TRY(merge_queues(all, err));
    }
    return TTP_OK;
}

static ttp_code merge_devices(struct ttp_stage *s, struct ttp_rows *rows, struct ttp_err *err)
{
    struct ttp_merger m = {.stage = s};

    if (!s->ops->text[TTP_OPS_TYPE].sym)
        return ttp_analysis_stage_missing(ttp_ops_text_name(TTP_OPS_TYPE), err);
    if (!s->ops->text[TTP_OPS_CODE].sym)
        return ttp_analysis_stage_missing(ttp_ops_text_name(TTP_OPS_CODE), err);
    if (!make_queues(&m, rows))
        return ttp_fail(err, TTP_EPARSE, "a device op has no 'DEVICE ID'");
    if (m.nqueues > MAX_DEVICES)
        return ttp_fail(err, TTP_ELIMIT, "more than %d device ids", MAX_DEVICES);
    if (m.nqueues == 0) {
        if (s->rules->file_order)
            rows->count = 0;
        return TTP_OK;
    }
    m.keep = TTP_NEW(s->arena, bool, s->ops->rows);
    if (m.nqueues == 1 && !s->rules->file_order)
        make_room(&m);
    else if (s->ops->devices && !s->rules->file_order)
        m.mesh = TTP_NEW(s->arena, struct ttp_row_mesh, s->ops->rows);
    const size_t devices = m.nqueues;
    TTP_TRY(s->options->by_rank && s->ops->devices ? merge_by_rank(&m, err)
                                                   : merge_queues(&m, err));
    if (s->rules->file_order)
        collect(&m, rows);
    else
        collect_in_order(&m, rows);
    s->report->merged = devices > 1;
    return TTP_OK;
}

/* Without an id a device op cannot be matched with other devices' ones; it stays as it is. */
static bool all_have_ids(const struct ttp_stage *s, const struct ttp_rows *rows)
{
    int64_t id;

    for (size_t i = 0; i < rows->count; i++)
        if (is_device_op(s, rows->row[i]) && !device_id(s, rows->row[i], &id))
            return false;
    return true;
}

ttp_code ttp_analysis_stage_devices(struct ttp_stage *s, struct ttp_rows *rows, struct ttp_err *err)
{
    const size_t devices = count_devices(s, rows);

    if (s->rules->file_order) { /* also of a single device */
        const bool apart = s->options->no_merge_devices && devices > 1;

        if (s->rules->talk)
            s->rules->talk->devices(s->notes, devices, apart);
        return apart || devices == 0 ? TTP_OK : merge_devices(s, rows, err);
    }
    if (s->options->no_merge_devices)
        return TTP_OK;
    if (devices < 2) /* waits of a device that is one of several */
        return devices && !s->options->median_device &&
                       (s->ops->devices || s->options->device || s->options->rank) &&
                       all_have_ids(s, rows)
                   ? merge_devices(s, rows, err)
                   : TTP_OK;
    if (!all_have_ids(s, rows)) {
        ttp_analysis_note_add(s->notes, TTP_NOTE_WARNING,
                              "some device ops have no device id: devices are not merged");
        return TTP_OK;
    }
    if (s->report->middle.devices) {
        ttp_analysis_keep_middle(s, rows);
        return TTP_OK;
    }
    if (s->options->by_rank && s->ops->devices)
        ttp_analysis_note_add(
            s->notes, TTP_NOTE_STATUS,
            "%zu devices: each op is shown once per rank, with its slowest device", devices);
    else
        ttp_analysis_note_add(
            s->notes, TTP_NOTE_STATUS,
            "%zu devices: each op is shown once, with its slowest device; collectives with "
            "their transfer and, separately, the wait for others (--no-merge-devices shows "
            "all)",
            devices);
    return merge_devices(s, rows, err);
}
