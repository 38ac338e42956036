/* SPDX-License-Identifier: Apache-2.0 */
/* Chrome's JSON trace events, for speedscope and chrome://tracing: an event a line. A group at the
 * root is a process, every other track a thread of it; times are microseconds with three digits, so
 * that no nanosecond is lost. */
#include "base/json_write.h"
#include "outputs/trace/trace_writer.h"

static ttp_track process_of(const struct ttp_trace_writer *w, ttp_track track)
{
    while (w->track[track].parent != TTP_TRACK_ROOT)
        track = w->track[track].parent;
    return track;
}

static void put_text(struct ttp_sink *out, ttp_str text)
{
    struct ttp_json_writer json = {.sink = out};

    ttp_json_put_str(&json, text);
}

static void put_us(struct ttp_sink *out, int64_t ns)
{
    char *at;

    ttp_sink_i64(out, ns / 1000);
    at = ttp_sink_room(out, 4);
    at[0] = '.';
    at[1] = (char)('0' + ns / 100 % 10);
    at[2] = (char)('0' + ns / 10 % 10);
    at[3] = (char)('0' + ns % 10);
    out->len += 4;
}

/* {"ph":"X","pid":1,"tid":2 */
static void open_event(struct ttp_trace_writer *w, char phase, ttp_track track)
{
    ttp_sink_put(w->out, w->any ? TTP_STR(",\n{\"ph\":\"") : TTP_STR("{\"ph\":\""));
    ttp_sink_char(w->out, phase);
    ttp_sink_put(w->out, TTP_STR("\",\"pid\":"));
    ttp_sink_u64(w->out, process_of(w, track));
    ttp_sink_put(w->out, TTP_STR(",\"tid\":"));
    ttp_sink_u64(w->out, track);
    w->any = true;
    w->counts.packets++;
}

static void put_ts(struct ttp_trace_writer *w, int64_t ns)
{
    ttp_sink_put(w->out, TTP_STR(",\"ts\":"));
    put_us(w->out, ns);
}

static void put_name(struct ttp_trace_writer *w, ttp_str name)
{
    ttp_sink_put(w->out, TTP_STR(",\"name\":"));
    put_text(w->out, name);
}

static void put_args(struct ttp_trace_writer *w, const struct ttp_trace_slice *s)
{
    struct ttp_json_writer json = {.sink = w->out};

    if (s->nargs == 0)
        return;
    ttp_sink_put(w->out, TTP_STR(",\"args\":"));
    ttp_json_begin_object(&json);
    for (size_t i = 0; i < s->nargs; i++) {
        const struct ttp_trace_arg *a = &s->arg[i];

        ttp_json_put_key(&json, ttp_str_from(ttp_out_trace_key_name((enum ttp_trace_key)a->key)));
        if (a->type == TTP_ARG_UINT)
            ttp_json_put_u64(&json, a->v.u);
        else if (a->type == TTP_ARG_INT)
            ttp_json_put_i64(&json, a->v.i);
        else if (a->type == TTP_ARG_REAL)
            ttp_json_put_f64(&json, a->v.f);
        else if (a->type == TTP_ARG_NAME)
            ttp_json_put_str(&json, ttp_sym_name(&w->names, a->v.name));
        else
            ttp_json_put_str(&json, a->v.text);
    }
    ttp_json_end_object(&json);
}

static ttp_str name_of(const struct ttp_trace_writer *w, const struct ttp_trace_slice *s)
{
    return s->name == TTP_SYM_NONE ? s->text : ttp_sym_name(&w->names, s->name);
}

static void put_meta(struct ttp_trace_writer *w, ttp_track track, const char *what)
{
    open_event(w, 'M', track);
    put_name(w, ttp_str_from(what));
    ttp_sink_put(w->out, TTP_STR(",\"args\":{"));
}

/* "Core (1,2) BRISC": the names from below the process on. */
static void put_path(struct ttp_trace_writer *w, ttp_track track)
{
    struct ttp_arena scratch = {0}; /* its own: the output may grow in the writer's */
    struct ttp_sink path;
    ttp_track step[8];
    size_t depth = 0;

    for (; w->track[track].parent != TTP_TRACK_ROOT && depth < TTP_COUNT(step);
         track = w->track[track].parent)
        step[depth++] = track;
    ttp_sink_to_arena(&path, &scratch);
    while (depth-- > 0) {
        ttp_sink_put(&path, w->track[step[depth]].name);
        if (depth)
            ttp_sink_char(&path, ' ');
    }
    put_text(w->out, ttp_sink_text(&path));
    ttp_arena_free(&scratch);
}

static void declare(struct ttp_trace_writer *w, ttp_track track)
{
    const struct ttp_trace_track *t = &w->track[track];

    if (t->kind == TTP_TRACK_STAGES)
        return;
    if (t->parent == TTP_TRACK_ROOT) {
        put_meta(w, track, "process_name");
        ttp_sink_put(w->out, TTP_STR("\"name\":"));
        put_text(w->out, t->name);
        ttp_sink_put(w->out, TTP_STR("}}"));
        put_meta(w, track, "process_sort_index");
        ttp_sink_printf(w->out, "\"sort_index\":%d}}", t->rank);
        return;
    }
    if (t->kind == TTP_TRACK_GROUP || t->kind == TTP_TRACK_COUNTER)
        return;
    put_meta(w, track, "thread_name");
    ttp_sink_put(w->out, TTP_STR("\"name\":"));
    put_path(w, track);
    ttp_sink_put(w->out, TTP_STR("}}"));
    put_meta(w, track, "thread_sort_index");
    ttp_sink_printf(w->out, "\"sort_index\":%u}}", track);
}

static void put_flow(struct ttp_trace_writer *w, ttp_track track, char phase, uint64_t id,
                     int64_t ns)
{
    open_event(w, phase, track);
    put_ts(w, ns);
    ttp_sink_put(w->out, TTP_STR(",\"cat\":"));
    put_text(w->out, ttp_str_from(w->arrows ? w->arrows : "enqueue"));
    put_name(w, ttp_str_from(w->arrows ? w->arrows : "enqueue"));
    ttp_sink_put(w->out, TTP_STR(",\"id\":"));
    ttp_sink_u64(w->out, id);
    if (phase == 'f')
        ttp_sink_put(w->out, TTP_STR(",\"bp\":\"e\""));
    ttp_sink_char(w->out, '}');
}

static void put_flows(struct ttp_trace_writer *w, ttp_track track, const struct ttp_trace_slice *s)
{
    for (uint32_t i = 0; s->flow_out && i <= s->more_out; i++)
        put_flow(w, track, 's', s->flow_out + i, s->start_ns);
    if (s->flow_in)
        put_flow(w, track, 'f', s->flow_in, s->start_ns);
}

static void begin(struct ttp_trace_writer *w, ttp_track track, const struct ttp_trace_slice *s)
{
    open_event(w, 'X', track);
    put_ts(w, s->start_ns);
    ttp_sink_put(w->out, TTP_STR(",\"dur\":"));
    put_us(w->out, s->end_ns - s->start_ns);
    put_name(w, name_of(w, s));
    put_args(w, s);
    ttp_sink_char(w->out, '}');
    put_flows(w, track, s);
}

static void end(struct ttp_trace_writer *w, ttp_track track, int64_t ns)
{
    (void)w, (void)track, (void)ns; /* the event that began it has it */
}

static void instant(struct ttp_trace_writer *w, ttp_track track, const struct ttp_trace_slice *s)
{
    open_event(w, 'i', track);
    put_ts(w, s->start_ns);
    ttp_sink_put(w->out, TTP_STR(",\"s\":\"t\""));
    put_name(w, name_of(w, s));
    put_args(w, s);
    ttp_sink_char(w->out, '}');
    put_flows(w, track, s);
}

static void counter(struct ttp_trace_writer *w, ttp_track track, int64_t ns, double value)
{
    const struct ttp_trace_track *t = &w->track[track];

    open_event(w, 'C', track);
    put_ts(w, ns);
    put_name(w, t->name);
    ttp_sink_put(w->out, TTP_STR(",\"args\":{"));
    put_text(w->out, ttp_str_from(t->unit ? t->unit : "value"));
    ttp_sink_char(w->out, ':');
    ttp_sink_f64(w->out, value, TTP_NUM_JSON);
    ttp_sink_put(w->out, TTP_STR("}}"));
}

static void stage(struct ttp_trace_writer *w, ttp_track track, const struct ttp_out_trace_stage *s)
{
    (void)w, (void)track, (void)s; /* the ops track shows the same */
}

static void start(struct ttp_trace_writer *w)
{
    ttp_sink_own(w->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
}

static void finish(struct ttp_trace_writer *w)
{
    ttp_sink_own(w->out, "\n]}\n");
}

const struct ttp_trace_form ttp_trace_chrome = {start,   declare, begin, end,
                                                instant, counter, stage, finish};
