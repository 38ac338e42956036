/* SPDX-License-Identifier: Apache-2.0 */
/* replays.c - rows of traces. Every replay of an op has the host time of its capture, so by that
 * time all runs of one op are together, after the call that was captured and never ran. Here
 * each replay becomes one piece, and the calls that were only captured are found. */
#include "analysis/phases.h"
#include "base/order.h"

struct placed {
    double session; /* of the replay; 0: none */
    uint32_t at, row;
};

TTP_ORDER(by_session, struct placed, TTP_UP(session), TTP_UP(at))

static double session_of(const struct ttp_stage *s, uint32_t row)
{
    double v;

    return ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_REPLAY, row), &v) && v > 0 ? v : 0;
}

static bool same_start(const struct ttp_stage *s, uint32_t a, uint32_t b)
{
    double x, y;

    return ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_HOST_START, a), &x) &&
           ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_HOST_START, b), &y) && x == y;
}

static bool is_captured(const struct ttp_stage *s, uint32_t row)
{
    double ns;

    return session_of(s, row) == 0 &&
           ttp_stage_traits(s, ttp_ops_sym(s->ops, TTP_OPS_TYPE, row)) & TTP_TRAIT_IS_DEVICE &&
           !ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_KERNEL_NS, row), &ns);
}

/* From `from`, the rows of one call and of its replays; *replayed says whether there are any. */
static size_t end_of_call(const struct ttp_stage *s, const struct ttp_rows *rows, size_t from,
                          bool *replayed)
{
    size_t end = from;

    *replayed = false;
    for (; end < rows->count && (end == from || same_start(s, rows->row[from], rows->row[end]));
         end++)
        *replayed |= session_of(s, rows->row[end]) > 0;
    return end;
}

/* Rows [from, to) are calls with their replays: the captured ones first, then replay by replay. */
static void order_piece(const struct ttp_stage *s, struct ttp_rows *rows, size_t from, size_t to)
{
    const struct ttp_mark mark = ttp_arena_mark(s->arena);
    struct placed *placed = TTP_NEW(s->arena, struct placed, to - from);

    for (size_t i = from; i < to; i++)
        placed[i - from] = (struct placed){session_of(s, rows->row[i]), (uint32_t)i, rows->row[i]};
    TTP_SORT(placed, to - from, by_session);
    for (size_t i = from; i < to; i++)
        rows->row[i] = placed[i - from].row;
    ttp_arena_rewind(s->arena, mark);
}

/* Calls that went into traces, one after another. */
struct capture {
    size_t replayed, only_captured;
};

/* A replay has every call of its capture: calls without one, next to calls that have some, lost the
 * rows. A trace that never ran has none at all. */
static void end_capture(struct ttp_stage *s, struct capture *c)
{
    if (c->replayed)
        s->lost_replays += c->only_captured;
    *c = (struct capture){0};
}

static bool is_off_device(const struct ttp_stage *s, uint32_t row)
{
    return !(ttp_stage_traits(s, ttp_ops_sym(s->ops, TTP_OPS_TYPE, row)) & TTP_TRAIT_IS_DEVICE);
}

/* Rows [from, to) are one call; rows of the host and signposts may be anywhere. */
static void follow_capture(struct ttp_stage *s, const struct ttp_rows *rows, size_t from, size_t to,
                           struct capture *c)
{
    bool replayed = false, captured = true, ran = false;

    for (size_t i = from; i < to; i++) {
        ran |= !is_off_device(s, rows->row[i]);
        replayed |= session_of(s, rows->row[i]) > 0;
        captured &= is_off_device(s, rows->row[i]) || is_captured(s, rows->row[i]);
    }
    if (!ran)
        return;
    if (!replayed && !captured)
        end_capture(s, c);
    c->replayed += replayed;
    c->only_captured += !replayed && captured;
}

void ttp_analysis_stage_replays(struct ttp_stage *s, struct ttp_rows *rows)
{
    size_t piece = 0; /* where the calls with replays before `i` begin */
    struct capture capture = {0};
    bool replayed;

    if (!s->ops->number[TTP_OPS_REPLAY].kind)
        return;
    s->captured = TTP_NEW(s->arena, bool, s->ops->rows);
    for (size_t i = 0, end; i < rows->count; i = end) {
        end = end_of_call(s, rows, i, &replayed);
        follow_capture(s, rows, i, end, &capture);
        if (!replayed) {
            order_piece(s, rows, piece, i);
            piece = end;
            continue;
        }
        for (size_t k = i; k < end; k++)
            s->captured[rows->row[k]] = is_captured(s, rows->row[k]);
    }
    end_capture(s, &capture);
    order_piece(s, rows, piece, rows->count);
}

/* ---- what is between them ---- */

/* What a device waits between two iterations; NaN: there are less than two such waits. Single ones
 * are longer, where the host reads the profiler or does something else: the median counts. */
static double wait_between_us(const struct ttp_passes *passes, size_t device,
                              const struct ttp_phase_facts *facts)
{
    const struct ttp_mark mark = ttp_arena_mark(facts->arena);
    const struct ttp_pass *pass = passes->pass[device];
    double *wait = TTP_NEW(facts->arena, double, passes->count[device]), middle = NAN;
    size_t n = 0;

    for (size_t i = 1; i < passes->count[device]; i++)
        if (pass[i].count && facts->gap_ns[pass[i].row[0]] >= 0)
            wait[n++] = facts->gap_ns[pass[i].row[0]] / 1000;
    if (n > 1)
        middle = ttp_middle(wait, n);
    ttp_arena_rewind(facts->arena, mark);
    return middle;
}

void ttp_analysis_mean_between(struct ttp_window *w, const struct ttp_passes *passes,
                               const struct ttp_phase_facts *facts)
{
    const struct ttp_mark mark = ttp_arena_mark(facts->arena);
    double *us = TTP_NEW(facts->arena, double, facts->devices);
    size_t n = 0;

    w->between_us = NAN;
    for (size_t d = 0; w->kind != TTP_WINDOW_WHOLE && d < facts->devices; d++) {
        us[n] = wait_between_us(passes, d, facts);
        n += us[n] >= 0;
    }
    if (n)
        w->between_us = ttp_middle(us, n);
    ttp_arena_rewind(facts->arena, mark);
}
