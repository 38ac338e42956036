/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/trace/trace_writer.h"
#include "base/vec.h"

#include <assert.h>

static const char *const key_names[] = {
    [TTP_KEY_START_CYCLE] = "start cycle",
    [TTP_KEY_CYCLES] = "cycles",
    [TTP_KEY_OP_ID] = "op id",
    [TTP_KEY_CALL_COUNT] = "global call count",
    [TTP_KEY_REPORT_ID] = "report id",
    [TTP_KEY_OP_CODE] = "op code",
    [TTP_KEY_OP_TYPE] = "op type",
    [TTP_KEY_CORES] = "cores",
    [TTP_KEY_KERNEL_NS] = "kernel ns",
    [TTP_KEY_FIDELITY] = "math fidelity",
    [TTP_KEY_ATTRIBUTES] = "attributes",
    [TTP_KEY_TRACE_ID] = "trace id",
    [TTP_KEY_REPLAY] = "replay",
    [TTP_KEY_SUB_DEVICE] = "sub-device",
    [TTP_KEY_BOUND] = "bound",
    [TTP_KEY_DRAM_PCT] = "DRAM %",
    [TTP_KEY_FLOPS_PCT] = "FLOPs %",
    [TTP_KEY_SOURCE] = "source",
    [TTP_KEY_TEXT] = "text",
    [TTP_KEY_BYTES] = "bytes",
    [TTP_KEY_TARGET] = "target",
    [TTP_KEY_NOC] = "NoC",
    [TTP_KEY_DATA] = "data",
    [TTP_KEY_ORDINAL] = "op ordinal",
    [TTP_KEY_ALIGNMENT_ERROR] = "alignment error ns",
    [TTP_KEY_ESTIMATE_ERROR] = "statistical error ns",
    [TTP_KEY_WAIT] = "wait ns",
    [TTP_KEY_SKEW] = "skew ns",
    [TTP_KEY_LAST] = "last device",
};

const char *ttp_out_trace_key_name(enum ttp_trace_key key)
{
    return key_names[key];
}

void ttp_out_trace_start(struct ttp_trace_writer *w, struct ttp_sink *out,
                         enum ttp_trace_format format, struct ttp_trace_devices devices,
                         struct ttp_arena *arena)
{
    static const struct ttp_trace_form *const forms[] = {
        [TTP_TRACE_PERFETTO] = &ttp_trace_perfetto,
        [TTP_TRACE_CHROME] = &ttp_trace_chrome,
        [TTP_TRACE_FOLDED] = &ttp_trace_folded,
        [TTP_TRACE_SPEEDSCOPE] = &ttp_trace_speedscope,
    };

    *w = (struct ttp_trace_writer){
        .out = out,
        .arena = arena,
        .form = forms[format],
        .names = {.arena = arena},
        .packet = {.arena = arena},
        .device = devices.device,
        .ndevices = devices.count,
    };
    (void)ttp_out_trace_add_track(w, &(struct ttp_trace_track){.open = true}); /* the root */
    w->form->start(w);
}

void ttp_out_trace_finish(struct ttp_trace_writer *w)
{
    w->form->finish(w);
}

ttp_track ttp_out_trace_add_track(struct ttp_trace_writer *w, const struct ttp_trace_track *spec)
{
    TTP_ROOM(w->arena, w->track, w->ntracks);
    struct ttp_trace_track *t = &w->track[w->ntracks];
    *t = *spec;
    t->name = ttp_arena_copy(w->arena, spec->name);
    t->note = ttp_arena_copy(w->arena, spec->note);
    return (ttp_track)w->ntracks++;
}

/* Levels of groups are few: device, core, RISC. */
static void open_track(struct ttp_trace_writer *w, ttp_track track)
{
    ttp_track path[8];
    size_t depth = 0;

    for (; !w->track[track].open; track = w->track[track].parent) {
        assert(depth < TTP_COUNT(path));
        path[depth++] = track;
    }
    while (depth-- > 0) {
        w->track[path[depth]].open = true;
        w->form->declare(w, path[depth]);
        w->counts.tracks++;
    }
}

void ttp_out_trace_begin(struct ttp_trace_writer *w, ttp_track track,
                         const struct ttp_trace_slice *s)
{
    if (TTP_UNLIKELY(!w->track[track].open))
        open_track(w, track);
    w->counts.slices++;
    w->counts.flows += s->flow_in != 0;
    w->form->begin(w, track, s);
}

void ttp_out_trace_end(struct ttp_trace_writer *w, ttp_track track, int64_t ns)
{
    w->form->end(w, track, ns);
}

void ttp_out_trace_instant(struct ttp_trace_writer *w, ttp_track track,
                           const struct ttp_trace_slice *s)
{
    if (!w->track[track].open)
        open_track(w, track);
    w->counts.instants++;
    w->form->instant(w, track, s);
}

void ttp_out_trace_counter(struct ttp_trace_writer *w, ttp_track track, int64_t ns, double value)
{
    if (!w->track[track].open)
        open_track(w, track);
    w->counts.samples++;
    w->form->counter(w, track, ns, value);
}

void ttp_out_trace_stage(struct ttp_trace_writer *w, ttp_track track,
                         const struct ttp_out_trace_stage *s)
{
    if (!w->track[track].open)
        open_track(w, track);
    w->form->stage(w, track, s);
}
