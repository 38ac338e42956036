/* SPDX-License-Identifier: Apache-2.0 */
/* A .tracy file from a recording, section by section in the order of docs/formats/tracy_file.md. */
#include "capture/tracy_write.h"

/* Viewers refuse files that are newer than they are. 0.10.0 is what Tenstorrent's fork wrote until
 * June 2026, and what viewers up to 0.14.0 read; 0.13.2 is the first with all that later ones know
 * of what we write. */
static const unsigned versions[] = {TTP_TRACY_VERSION(0, 10, 0), TTP_TRACY_VERSION(0, 13, 2)};
#define FIRST_NEW_PROTOCOL 77 /* of Tracy 0.13.2 */

static void put_text(struct ttp_tracy_out *out, ttp_str s)
{
    ttp_tracy_put64(out, s.len);
    ttp_tracy_put(out, s.ptr, s.len);
}

/* Readers have room for 1,024 bytes. */
static void put_short_text(struct ttp_tracy_out *out, ttp_str s)
{
    put_text(out, ttp_str_slice(s, 0, 1023));
}

static uint64_t period_ns(const struct ttp_welcome *w, uint64_t ticks)
{
    const double ns = (double)ticks * w->timer_mul;

    return ns >= 0 && ns < 1e18 ? (uint64_t)ns : 0;
}

/* Sections 2 to 6. */
static void write_head(struct ttp_tracy_file *f)
{
    const struct ttp_welcome *w = &f->plan->keep->welcome;
    const struct ttp_trace *t = f->plan->trace;
    struct ttp_tracy_out *out = f->out;

    if (f->version < TTP_TRACY_VERSION(0, 12, 3))
        ttp_tracy_put64(out, period_ns(w, w->delay));
    ttp_tracy_put64(out, period_ns(w, w->resolution));
    ttp_tracy_put_f64(out, w->timer_mul > 0 ? w->timer_mul : 1);
    ttp_tracy_put64(out, (uint64_t)f->plan->last_ns);
    ttp_tracy_put64(out, 0); /* frames before the first one */
    ttp_tracy_put64(out, t->pid);
    ttp_tracy_put64(out, (uint64_t)w->sampling_period);
    ttp_tracy_put8(out, w->processor[0]);
    ttp_tracy_put(out, w->processor + 13, 4);
    ttp_tracy_put(out, w->processor + 1, 12);
    ttp_tracy_put8(out, w->on_demand);
    put_short_text(out, t->program); /* of the capture, and of the program */
    put_short_text(out, t->program);
    ttp_tracy_put64(out, t->epoch_s);
    ttp_tracy_put64(out, w->exec_s);
    put_short_text(out, t->host);
    ttp_tracy_put64(out, 0);      /* topology */
    ttp_tracy_put_zeros(out, 28); /* crash */
}

static void put_frame(struct ttp_tracy_file *f, int64_t *last, int64_t ns)
{
    ttp_tracy_put_time(f->out, last, ttp_tracy_fit(f->plan, ns));
}

static void write_frame_set(struct ttp_tracy_file *f, const struct ttp_kept_frames *set,
                            uint64_t id)
{
    int64_t last = 0;

    ttp_tracy_put64(f->out, id);
    ttp_tracy_put8(f->out, set->continuous);
    ttp_tracy_put64(f->out, set->count);
    for (size_t i = 0; i < set->count; i++) {
        put_frame(f, &last, set->frame[i].start_ns);
        if (!set->continuous)
            put_frame(f, &last, set->frame[i].end_ns);
        ttp_tracy_put32(f->out, UINT32_MAX); /* no image */
    }
}

/* Frames of the program: the start of the client, then the rest, then what it marks. */
static void write_own_frames(struct ttp_tracy_file *f, const struct ttp_kept_frames *set)
{
    const struct ttp_welcome *w = &f->plan->keep->welcome;
    const uint64_t start = (uint64_t)ttp_wrap_sub(w->init_end, w->init_begin);
    int64_t last = 0;

    ttp_tracy_put64(f->out, 0);
    ttp_tracy_put8(f->out, 1);
    ttp_tracy_put64(f->out, 2 + (set ? set->count : 0));
    put_frame(f, &last, 0);
    ttp_tracy_put32(f->out, UINT32_MAX);
    put_frame(f, &last, (int64_t)period_ns(w, start));
    ttp_tracy_put32(f->out, UINT32_MAX);
    for (size_t i = 0; set && i < set->count; i++) {
        put_frame(f, &last, set->frame[i].start_ns);
        ttp_tracy_put32(f->out, UINT32_MAX);
    }
}

/* Section 7. */
static void write_frames(struct ttp_tracy_file *f)
{
    const struct ttp_wire_keep *k = f->plan->keep;
    const struct ttp_kept_frames *own = NULL;
    uint64_t others = 0;

    for (size_t i = 0; i < k->nframes; i++) {
        if (k->frames[i].key == 0 && k->frames[i].continuous)
            own = &k->frames[i];
        others += k->frames[i].key != 0;
    }
    ttp_tracy_put64(f->out, 1 + others);
    write_own_frames(f, own);
    for (size_t i = 0; i < k->nframes; i++)
        if (k->frames[i].key)
            write_frame_set(f, &k->frames[i], f->plan->frames_id[i]);
}

/* Sections 8 to 12. What a text is called by elsewhere is its number plus one. */
static void write_names(struct ttp_tracy_file *f)
{
    const struct ttp_tracy_plan *plan = f->plan;
    const struct ttp_trace *t = plan->trace;
    struct ttp_tracy_out *out = f->out;
    uint64_t named = 0;

    ttp_tracy_put64(out, plan->texts.count);
    for (uint32_t i = 0; i < plan->texts.count; i++) {
        ttp_tracy_put64(out, (uint64_t)i + 1);
        put_text(out, ttp_sym_name(&plan->texts, i));
    }
    ttp_tracy_put64(out, plan->nnamed);
    for (size_t i = 0; i < plan->nnamed; i++) {
        ttp_tracy_put64(out, i + 1);
        ttp_tracy_put64(out, (uint64_t)plan->named[i] + 1);
    }
    for (size_t i = 0; i < t->nthreads; i++)
        named += t->thread[i].name.len != 0;
    ttp_tracy_put64(out, named);
    for (size_t i = 0; i < t->nthreads; i++) {
        if (t->thread[i].name.len == 0)
            continue;
        ttp_tracy_put64(out, t->thread[i].tid);
        ttp_tracy_put64(out, (uint64_t)plan->thread_name[i] + 1);
    }
    ttp_tracy_put64(out, 0); /* external names */
    ttp_tracy_put64(out, plan->ntids);
    for (size_t i = 0; i < plan->ntids; i++)
        ttp_tracy_put64(out, plan->tid[i]);
    ttp_tracy_put64(out, 1); /* external threads: the first is taken */
    ttp_tracy_put64(out, 0);
}

static void put_ref(struct ttp_tracy_out *out, ttp_sym text, bool is_there)
{
    enum { BY_NUMBER = 1, THERE = 2 };

    ttp_tracy_put64(out, is_there ? text : 0);
    ttp_tracy_put8(out, is_there ? BY_NUMBER | THERE : 0);
}

static void put_source(struct ttp_tracy_file *f, size_t at)
{
    const struct ttp_tracy_plan *plan = f->plan;
    const struct ttp_wire_keep *k = plan->keep;

    put_ref(f->out, plan->source_name[at], plan->source_name[at] != plan->source_function[at]);
    put_ref(f->out, plan->source_function[at], true);
    put_ref(f->out, plan->source_file[at], true);
    ttp_tracy_put32(f->out, plan->trace->source[at].line);
    ttp_tracy_put32(f->out, at < k->ncolors ? k->color[at] : 0);
}

/* Those that have some, or all. */
static void write_counts(struct ttp_tracy_file *f, const uint64_t *zones, bool all)
{
    const struct ttp_tracy_plan *plan = f->plan;
    uint64_t n = 0;

    for (size_t i = 0; i < plan->nsources; i++)
        n += all || zones[i];
    ttp_tracy_put64(f->out, n);
    for (size_t i = 0; i < plan->nsources; i++) {
        if (!all && !zones[i])
            continue;
        ttp_tracy_put16(f->out, (uint16_t)ttp_tracy_source_id(plan, (uint32_t)i));
        ttp_tracy_put64(f->out, zones[i]);
    }
}

/* Sections 13 to 18. */
static void write_sources(struct ttp_tracy_file *f)
{
    const struct ttp_tracy_plan *plan = f->plan;
    const size_t first = plan->nsources < TTP_TRACY_STATIC ? plan->nsources : TTP_TRACY_STATIC;

    ttp_tracy_put64(f->out, first);
    for (size_t i = 0; i < first; i++) {
        ttp_tracy_put64(f->out, i + 1);
        put_source(f, i);
    }
    ttp_tracy_put64(f->out, first + 1);
    for (size_t i = 0; i <= first; i++)
        ttp_tracy_put64(f->out, i);
    ttp_tracy_put64(f->out, plan->nsources - first);
    for (size_t i = first; i < plan->nsources; i++)
        put_source(f, i);
    write_counts(f, plan->source_zones, true);
    write_counts(f, plan->source_device_zones, false);
    ttp_tracy_put64(f->out, 0); /* locks */
}

/* Section 19. */
static void write_messages(struct ttp_tracy_file *f)
{
    enum { USER = 0, INFO = 2 };
    const struct ttp_tracy_plan *plan = f->plan;
    int64_t last = 0;

    ttp_tracy_put64(f->out, plan->trace->nmessages);
    for (size_t i = 0; i < plan->trace->nmessages; i++) {
        ttp_tracy_put64(f->out, i + 1);
        ttp_tracy_put_time(f->out, &last, plan->message[i]->ns);
        put_ref(f->out, plan->message_text[i], true);
        ttp_tracy_put32(f->out, ttp_tracy_color(plan->message[i]->color));
        ttp_tracy_put_zeros(f->out, 3); /* call stack */
        if (f->version >= TTP_TRACY_VERSION(0, 13, 2)) {
            ttp_tracy_put8(f->out, USER);
            ttp_tracy_put8(f->out, INFO);
        }
    }
}

static void put_24(struct ttp_tracy_out *out, uint32_t v)
{
    unsigned char b[4];

    ttp_set32(b, v);
    ttp_tracy_put(out, b, 3);
}

/* Section 20: the first is that of zones without any. */
static void write_extras(struct ttp_tracy_file *f)
{
    const struct ttp_tracy_plan *plan = f->plan;
    const size_t n = plan->trace->zone.nnotes;

    ttp_tracy_put64(f->out, n + 1);
    ttp_tracy_put_zeros(f->out, 12);
    for (size_t i = 0; i < n; i++) {
        put_24(f->out, 0); /* call stack */
        put_24(f->out, plan->note[i].text);
        put_24(f->out, plan->note[i].name);
        put_24(f->out, plan->note[i].color);
    }
}

/* Sections 25 to 37, of which a recording has nothing. */
static void write_rest(struct ttp_tracy_file *f)
{
    ttp_tracy_put_zeros(f->out, 3 * (size_t)8);           /* call stacks, their frames, notes */
    ttp_tracy_put_zeros(f->out, 4 + 8);                   /* images: dictionary, count */
    ttp_tracy_put_zeros(f->out, 8 + 8 + 256 * (size_t)8); /* context switches, and by processor */
    ttp_tracy_put_zeros(f->out, 2 * (size_t)8);           /* processes of threads, their time */
    ttp_tracy_put_zeros(f->out, 3 * (size_t)8);           /* symbols */
    ttp_tracy_put_zeros(f->out, 4 * (size_t)8);           /* code, its map, samples, sources */
}

ttp_code ttp_tracy_write_file(struct ttp_tracy_plan *plan, const char *path, unsigned version,
                              struct ttp_err *err)
{
    struct ttp_tracy_out out;
    struct ttp_tracy_file f = {.out = &out, .plan = plan, .version = version};

    TTP_TRY(ttp_tracy_out_open(&out, path, version, err));
    write_head(&f);
    write_frames(&f);
    write_names(&f);
    write_sources(&f);
    write_messages(&f);
    write_extras(&f);
    ttp_tracy_write_threads(&f);
    ttp_tracy_write_devices(&f);
    ttp_tracy_write_plots(&f);
    ttp_tracy_write_memory(&f);
    write_rest(&f);
    return ttp_tracy_out_close(&out, TTP_OK, err);
}

/* ---- which one ---- */

static unsigned version_for(const struct ttp_trace *t, enum ttp_tracy_form form)
{
    if (form == TTP_TRACY_OWN)
        form = t->protocol >= FIRST_NEW_PROTOCOL ? TTP_TRACY_0_13 : TTP_TRACY_0_10;
    return versions[form == TTP_TRACY_0_13];
}

static void sum_up(struct ttp_tracy_written *out, const struct ttp_tracy_plan *plan)
{
    const struct ttp_wire_keep *k = plan->keep;

    out->whole = k->filled;
    out->zones = plan->trace->zone.count;
    out->messages = plan->trace->nmessages;
    out->device_zones = k->nzones;
    out->devices = k->ncontexts;
    for (size_t i = 0; i < k->nplots; i++)
        out->points += k->plot[i].count;
    for (size_t i = 0; i < k->nframes; i++)
        out->frames += k->frames[i].count;
    out->allocations = plan->allocations;
    out->stacks = k->stacks;
    out->samples = k->samples;
    out->lock_events = k->lock_events;
    out->switches = k->switches;
    out->folded = plan->folded;
    out->texts_dropped = plan->dropped;
    out->times_clamped = plan->clamped;
}

static ttp_code already(const char *path, struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE, "this is already a .tracy file");
    ttp_err_where(err, path, 0);
    ttp_err_hint(err, "open it in Tracy; Tracy's 'tracy-update' converts it to a newer version");
    return TTP_EPARSE;
}

ttp_code ttp_tracy_write(struct ttp_tracy_written *out, const struct ttp_tracy_writing *what,
                         struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_wire_keep keep = {.arena = arena};
    struct ttp_tracy_plan plan = {.trace = &out->trace, .keep = &keep, .arena = arena};

    *out = (struct ttp_tracy_written){0};
    if (ttp_capture_trace_detect_file(what->recording) == TTP_TRACE_TRACY)
        return already(what->recording, err);
    ttp_capture_keep_init(&keep);
    TTP_TRY(ttp_capture_trace_read_whole(&out->trace, &keep, what->recording, arena, err));
    TTP_TRY(ttp_tracy_plan_make(&plan, err));
    const unsigned version = version_for(&out->trace, what->form);
    TTP_TRY(ttp_tracy_write_file(&plan, what->output, version, err));
    out->version[0] = (unsigned char)(version >> 16);
    out->version[1] = (unsigned char)(version >> 8);
    out->version[2] = (unsigned char)version;
    sum_up(out, &plan);
    return TTP_OK;
}
