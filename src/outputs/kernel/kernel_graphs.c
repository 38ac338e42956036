/* SPDX-License-Identifier: Apache-2.0 */
/* DFB FLOW GRAPH and PIPE GRAPH drawn with text. */
#include "outputs/kernel/kernel_parts.h"
#include "outputs/show/columns_text.h"
#include "outputs/show/paint.h"

/* Lines on one side of a buffer. */
struct side {
    ttp_str *line;
    size_t n, width;
};

static void add_line(struct side *s, ttp_str text)
{
    const size_t n = ttp_str_code_points(text);

    s->line[s->n++] = text;
    s->width = n > s->width ? n : s->width;
}

/* "dm_read:20 3.2% for room" */
static ttp_str describe(const struct ttp_flow_op_row *op, const char *what, const char *reason,
                        struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, ttp_str_from(what));
    ttp_sink_put(&out, op->of.kernel.len ? op->of.kernel : TTP_STR("?"));
    if (op->of.line > 0)
        ttp_sink_printf(&out, ":%lld", (long long)op->of.line);
    if (op->waits)
        ttp_sink_printf(&out, " %.1f%% %s", op->wait_pct, reason);
    return ttp_sink_text(&out);
}

/* Which ops of a buffer are on a side, and how they are called. */
struct ops {
    enum ttp_flow_list list;
    const char *direction, *what, *reason;
};
static const struct ops fills[] = {{TTP_FLOW_PRODUCERS, "", "", "for space"},
                                   {TTP_FLOW_DMA, "read", "read ", "issue"},
                                   {TTP_FLOW_WAITS, "read", "barrier ", "DMA"}};
static const struct ops empties[] = {{TTP_FLOW_CONSUMERS, "", "", "for data"},
                                     {TTP_FLOW_DMA, "write", "write ", "issue"},
                                     {TTP_FLOW_WAITS, "write", "barrier ", "DMA"}};

static void add_ops(struct side *s, const struct ttp_flow_row *b, const struct ops *o,
                    struct ttp_arena *arena)
{
    for (size_t i = 0; i < b->nops[o->list]; i++) {
        const struct ttp_flow_op_row *op = &b->op[o->list][i];
        bool seen = false;

        if (o->direction[0] && !ttp_str_eq(op->of.direction, ttp_str_from(o->direction)))
            continue;
        const ttp_str text = describe(op, o->what, o->reason, arena);
        for (size_t k = 0; k < s->n; k++)
            seen |= ttp_str_eq(s->line[k], text);
        if (!seen)
            add_line(s, text);
    }
}

static struct side make_side(const struct ttp_flow_row *b, const struct ops *o, size_t count,
                             ttp_str none, struct ttp_arena *arena)
{
    size_t n = 1;

    for (size_t i = 0; i < TTP_FLOW_LISTS; i++)
        n += b->nops[i];
    struct side s = {.line = TTP_NEW(arena, ttp_str, n)};
    for (size_t i = 0; i < count; i++)
        add_ops(&s, b, &o[i], arena);
    if (s.n == 0)
        add_line(&s, none);
    return s;
}

static ttp_str side_text(const struct side *s, size_t i, size_t width, struct ttp_arena *arena)
{
    return i < s->n ? ttp_paint_shorten(s->line[i], width, arena) : TTP_STR("");
}

static void put_label(struct ttp_sink *out, const struct ttp_flow_row *b, size_t i)
{
    char text[32];
    size_t n = 0;

    if (i == 0) {
        memcpy(text, "DFB ", 4);
        n = 4 + ttp_num_i64(text + 4, b->dfb_id >= 0 ? b->dfb_id : b->index);
    } else if (i == 1 && b->dfb_id >= 0 && b->dfb_id != b->index) {
        memcpy(text, "in CB ", 6);
        n = 6 + ttp_num_i64(text + 6, b->index);
    }
    ttp_put_left(out, (ttp_str){text, n}, 8);
}

/* in ──► │ DFB 0 │ ──► out, as many rows as the longer side has. */
/* A buffer, and who is on its sides. */
struct drawn_buffer {
    const struct ttp_flow_row *row;
    const struct side *in, *to;
    size_t left, right; /* widths of the sides */
};

static void put_buffer(struct ttp_sink *out, const struct drawn_buffer *b, struct ttp_arena *arena)
{
    const struct side *in = b->in, *to = b->to;
    const size_t left = b->left, right = b->right;
    const size_t rows = in->n > to->n ? in->n : to->n;

    ttp_sink_repeat(out, ' ', left + 6);
    ttp_sink_own(out, "┌──────────┐\n");
    for (size_t i = 0; i < rows; i++) {
        ttp_sink_put(out, TTP_STR("  "));
        ttp_put_right(out, side_text(in, i, left, arena), left);
        ttp_sink_put(out, i == 0 ? TTP_STR(" ──►│ ") : TTP_STR("    │ "));
        put_label(out, b->row, i);
        ttp_sink_put(out, i == 0 ? TTP_STR(" │──► ") : TTP_STR(" │"));
        if (i > 0 && i < to->n)
            ttp_sink_put(out, TTP_STR("    "));
        ttp_sink_put(out, side_text(to, i, right, arena));
        ttp_sink_char(out, '\n');
    }
    ttp_sink_repeat(out, ' ', left + 6);
    ttp_sink_own(out, "└──────────┘\n");
}

enum {
    FRAME = 22, /* columns that are not text of a side */
    WIDTH_LEAST = 60,
};

/* Shorten what is wider than half of the room, by no more than necessary. */
static void share_width(size_t *left, size_t *right, size_t width)
{
    const size_t room = width - FRAME, half = room / 2;

    if (*left + *right <= room)
        return;
    if (*left > half)
        *left = *right < half ? room - *right : half;
    *right = room - *left;
}

void ttp_out_put_flow(const struct ttp_kernel_page *p)
{
    const struct ttp_flow_graph *g = p->view->report->flow;
    struct ttp_arena *arena = p->show->arena;
    struct ttp_sink *out = p->out;
    size_t left = 0, right = 0;

    if (!g) {
        if (p->view->asked)
            ttp_sink_own(out, "DFB FLOW GRAPH\n  no cb_flow_graph.json next to the log\n\n");
        return;
    }
    struct side *in = TTP_NEW(arena, struct side, g->nbuffers);
    struct side *to = TTP_NEW(arena, struct side, g->nbuffers);
    for (size_t i = 0; i < g->nbuffers; i++) {
        const struct ttp_flow_row *b = &p->flow[i];

        in[i] = make_side(b, fills, TTP_COUNT(fills), TTP_STR("(no producer)"), arena);
        to[i] = make_side(b, empties, TTP_COUNT(empties), TTP_STR("(no consumer)"), arena);
        left = in[i].width > left ? in[i].width : left;
        right = to[i].width > right ? to[i].width : right;
    }
    if (p->show->width > 0)
        share_width(&left, &right,
                    p->show->width > WIDTH_LEAST ? (size_t)p->show->width : WIDTH_LEAST);
    ttp_sink_own(out, "DFB FLOW GRAPH\n");
    for (size_t i = 0; i < g->nbuffers; i++)
        put_buffer(out, &(struct drawn_buffer){&p->flow[i], &in[i], &to[i], left, right}, arena);
    if (p->view->asked) { /* one long line, for programs */
        ttp_sink_own(out, "\nCB FLOW GRAPH\n");
        ttp_sink_put(out, ttp_str_trim(g->json));
        ttp_sink_own(out, "\n");
    }
    ttp_sink_own(out, "\n");
}

/* --- pipes --- */

#define MAP_MAX 40

static bool receives(const struct ttp_pipe *p, int64_t x, int64_t y)
{
    return x >= p->dst_start_x && x <= p->dst_end_x && y >= p->dst_start_y && y <= p->dst_end_y;
}

static const char *node_mark(const struct ttp_pipe_graph *g, int64_t x, int64_t y)
{
    bool from = false, to = false;

    for (size_t i = 0; i < g->npipes; i++) {
        from |= g->pipe[i].src_x == x && g->pipe[i].src_y == y;
        to |= receives(&g->pipe[i], x, y);
    }
    return from && to ? "  B" : from ? "  S" : to ? "  R" : "  ·";
}

static void put_map(struct ttp_sink *out, const struct ttp_pipe_graph *g)
{
    int64_t cols = 0, rows = 0;

    for (size_t i = 0; i < g->npipes; i++) {
        const struct ttp_pipe *p = &g->pipe[i];
        const int64_t x = p->src_x > p->dst_end_x ? p->src_x : p->dst_end_x;
        const int64_t y = p->src_y > p->dst_end_y ? p->src_y : p->dst_end_y;
        cols = x + 1 > cols ? x + 1 : cols;
        rows = y + 1 > rows ? y + 1 : rows;
    }
    if (cols <= 0 || rows <= 0 || cols > MAP_MAX || rows > MAP_MAX)
        return;
    ttp_sink_put(out, TTP_STR("      x"));
    for (int64_t x = 0; x < cols; x++)
        ttp_sink_printf(out, "%3d", (int)x);
    ttp_sink_char(out, '\n');
    for (int64_t y = 0; y < rows; y++) {
        ttp_sink_printf(out, "  y %3d", (int)y);
        for (int64_t x = 0; x < cols; x++)
            ttp_sink_put(out, ttp_str_from(node_mark(g, x, y)));
        ttp_sink_char(out, '\n');
    }
    ttp_sink_own(out, "  S sends, R receives, B both\n");
}

void ttp_out_put_pipes(const struct ttp_kernel_page *p)
{
    const struct ttp_pipe_graph *g = p->view->report->pipes;
    struct ttp_sink *out = p->out;

    if (!g) {
        if (p->view->asked)
            ttp_sink_own(out, "PIPE GRAPH\n"
                              "  no pipe_graph.json next to the log; TT-Lang writes it to the "
                              "path in TTLANG_PIPE_GRAPH_JSON\n\n");
        return;
    }
    ttp_sink_own(out, "PIPE GRAPH\n");
    for (size_t i = 0; i < g->npipes; i++) {
        const struct ttp_pipe *pipe = &g->pipe[i];
        const int64_t w = pipe->dst_end_x - pipe->dst_start_x + 1,
                      h = pipe->dst_end_y - pipe->dst_start_y + 1;
        const int64_t n = w > 0 && h > 0 && w < INT32_MAX && h < INT32_MAX ? w * h : 0;

        ttp_sink_printf(out, "  (%lld,%lld) ──► (%lld,%lld)", (long long)pipe->src_x,
                        (long long)pipe->src_y, (long long)pipe->dst_start_x,
                        (long long)pipe->dst_start_y);
        if (n != 1)
            ttp_sink_printf(out, "-(%lld,%lld)  multicast to %lld nodes",
                            (long long)pipe->dst_end_x, (long long)pipe->dst_end_y, (long long)n);
        else
            ttp_sink_put(out, TTP_STR("  unicast"));
        if (pipe->receiver >= 0)
            ttp_sink_printf(out, ", into DFB %lld", (long long)pipe->receiver);
        if (pipe->net >= 0)
            ttp_sink_printf(out, ", net %lld", (long long)pipe->net);
        ttp_sink_char(out, '\n');
    }
    if (g->npipes == 0)
        ttp_sink_own(out, "  no pipes\n");
    put_map(out, g);
    ttp_sink_char(out, '\n');
}
