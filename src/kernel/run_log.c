/* SPDX-License-Identifier: Apache-2.0 */
/* The text a TT-Lang run printed, back to figures. Sections are known by their titles; a title that
 * comes again begins its section again, since each report holds all that came before it. What is
 * between sections is passed over. Rounded figures stay rounded. docs/formats/run_log.md. */
#include "kernel/run_log.h"

#include "base/input.h"
#include "kernel/flow_graph.h"
#include "kernel/line_text.h"

#define LINE_MAX_BYTES ((size_t)64 << 20)
#define PROGRAMS_MAX   100000

enum state { OUTSIDE, PERF, LINES, THREADS, ROOFLINE, SIGNPOSTS, FLOW, PIPES };

static const struct {
    const char *title;
    enum state state;
} titles[] = {
    {"PERF SUMMARY", PERF},          {"NOC PROFILER SUMMARY", PERF},
    {"THREAD SUMMARY", THREADS},     {"TTLANG AUTO-PROFILE REPORT", LINES},
    {"ROOFLINE ANALYSIS", ROOFLINE}, {"SIGNPOST PROFILE", SIGNPOSTS},
    {"CB FLOW GRAPH", FLOW},         {"DFB FLOW GRAPH", FLOW},
    {"PIPE GRAPH", PIPES},
};

struct reading {
    struct ttp_run_log *out;
    struct ttp_run_log_build build;
    struct ttp_arena *arena;
    enum state state;
    struct ttp_sink line;  /* without escape sequences */
    struct ttp_sink graph; /* JSON of a graph so far */
    int depth;             /* open brackets of it */
    bool in_string, escaped;
};

/* --- graphs --- */

static void end_graph(struct reading *r)
{
    const ttp_str text = ttp_arena_copy(r->arena, ttp_sink_text(&r->graph));
    struct ttp_err ignored = {0};

    if (r->state == FLOW &&
        ttp_kernel_parse_flow(&r->out->flow, text, r->arena, &ignored) == TTP_OK)
        r->out->has_flow = true;
    if (r->state == PIPES &&
        ttp_kernel_parse_pipes(&r->out->pipes, text, r->arena, &ignored) == TTP_OK)
        r->out->has_pipes = true;
    r->graph.len = 0;
    r->state = OUTSIDE;
}

static void add_graph(struct reading *r, ttp_str line)
{
    if (r->graph.len == 0 && !ttp_str_starts(ttp_str_trim(line), TTP_STR("{")))
        return;
    if (r->graph.len + line.len > LINE_MAX_BYTES) {
        r->graph.len = 0;
        r->state = OUTSIDE;
        return;
    }
    ttp_sink_put(&r->graph, line);
    ttp_sink_char(&r->graph, '\n');
    for (size_t i = 0; i < line.len; i++) {
        const char c = line.ptr[i];
        if (r->in_string) {
            r->in_string = r->escaped || c != '"';
            r->escaped = !r->escaped && c == '\\';
        } else if (c == '"') {
            r->in_string = true;
        } else {
            r->depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        }
    }
    if (r->depth <= 0)
        end_graph(r);
}

/* --- lines --- */

/* "=== PERF SUMMARY ===" and "PERF SUMMARY" alike. */
static bool take_title(struct reading *r, ttp_str line)
{
    while (line.len && (line.ptr[0] == '=' || line.ptr[0] == ' '))
        line = ttp_str_slice(line, 1, line.len);
    while (line.len && (line.ptr[line.len - 1] == '=' || line.ptr[line.len - 1] == ' '))
        line.len--;
    for (size_t i = 0; i < TTP_COUNT(titles); i++) {
        if (!ttp_str_eq(line, ttp_str_from(titles[i].title)))
            continue;
        r->state = titles[i].state;
        r->out->sections++;
        r->graph.len = 0;
        r->depth = 0;
        r->in_string = r->escaped = false;
        if (r->state == PERF)
            ttp_kernel_log_begin_perf(&r->build);
        else if (r->state == LINES)
            ttp_kernel_log_begin_lines(&r->build);
        else if (r->state == SIGNPOSTS)
            ttp_kernel_log_begin_signposts(&r->build);
        return true;
    }
    return false;
}

static void read_line(struct reading *r, ttp_str line)
{
    if (take_title(r, line))
        return;
    if (ttp_str_starts(line, TTP_STR("--- Program "))) {
        r->out->sections += r->state != PERF;
        r->state = PERF;
    }
    switch (r->state) {
    case PERF:
        ttp_kernel_log_perf_line(&r->build, line);
        break;
    case LINES:
        ttp_kernel_log_source_line(&r->build, line);
        break;
    case THREADS:
        ttp_kernel_log_thread_line(&r->build, line);
        break;
    case ROOFLINE:
        ttp_kernel_log_roofline_line(&r->build, line);
        break;
    case SIGNPOSTS:
        ttp_kernel_log_signpost_line(&r->build, line);
        break;
    case FLOW:
    case PIPES:
        add_graph(r, line);
        break;
    case OUTSIDE:
        break;
    }
}

/* Without ESC [ ... letter. */
static ttp_str plain(struct reading *r, ttp_str line)
{
    if (ttp_str_find_char(line, '\x1b') == TTP_NPOS)
        return line;
    r->line.len = 0;
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] != '\x1b') {
            ttp_sink_char(&r->line, line.ptr[i]);
            continue;
        }
        i++;
        if (i < line.len && line.ptr[i] == '[')
            for (i++; i < line.len && (line.ptr[i] < '@' || line.ptr[i] > '~'); i++)
                ;
    }
    return ttp_sink_text(&r->line);
}

static size_t cut_lines(ttp_str text, bool last, void *arg)
{
    (void)arg;
    const char *end = last || !text.len ? NULL : memrchr(text.ptr, '\n', text.len);
    return last ? text.len : end ? (size_t)(end - text.ptr) + 1 : 0;
}

static ttp_code read_block(void *arg, ttp_str text, struct ttp_err *err)
{
    struct reading *r = arg;
    ttp_str rest = text, line;

    while (ttp_str_next_line(&rest, &line)) {
        if (line.len && line.ptr[line.len - 1] == '\r')
            line.len--;
        read_line(r, plain(r, line));
        if (r->build.nprograms > PROGRAMS_MAX)
            return ttp_fail(err, TTP_ELIMIT, "more than %d programs", PROGRAMS_MAX);
    }
    return TTP_OK;
}

ttp_code ttp_kernel_read_run_log(struct ttp_run_log *out, const char *path, struct ttp_arena *arena,
                                 struct ttp_err *err)
{
    struct reading r = {.out = out, .build = {.arena = arena}, .arena = arena};

    *out = (struct ttp_run_log){0};
    ttp_sink_to_arena(&r.line, arena);
    ttp_sink_to_arena(&r.graph, arena);
    TTP_TRY(ttp_input_each(path, cut_lines, read_block, &r, err));
    if (out->sections == 0) {
        ttp_fail(err, TTP_ENOTFOUND, "no TT-Lang report in the file");
        ttp_err_hint(err, "run with TTLANG_PERF_DUMP=1, TTLANG_AUTO_PROFILE=1 or "
                          "TTLANG_SIGNPOST_PROFILE=1 to print one");
        ttp_err_where(err, path, 0);
        return TTP_ENOTFOUND;
    }
    ttp_kernel_log_finish(out, &r.build);
    return TTP_OK;
}
