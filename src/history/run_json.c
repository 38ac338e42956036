/* SPDX-License-Identifier: Apache-2.0 */
/* run_json.c - runs as JSON, one a line: how a history moves from one store to another. */
#include "history/run_documents.h"

#include <math.h>

#include "base/base64.h"
#include "base/compress.h"
#include "base/json_write.h"
#include "base/sha256.h"

/* A document beyond this is not one of a run. */
#define DOCUMENT_MAX ((uint64_t)1 << 31)

/* ---- writing ---- */

static void put_str(struct ttp_json_writer *w, const char *key, ttp_str v)
{
    if (v.len == 0)
        return;
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_str(w, v);
}

static void put_i64(struct ttp_json_writer *w, const char *key, int64_t v)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_i64(w, v);
}

static void put_f64(struct ttp_json_writer *w, const char *key, double v)
{
    if (!isfinite(v))
        return;
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_f64(w, v);
}

static void begin_list(struct ttp_json_writer *w, const char *key)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_begin_array(w);
}

static void put_number(struct ttp_json_writer *w, const char *key, double v)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_f64(w, v);
}

static void put_measures(struct ttp_json_writer *w, const struct ttp_history_run *r)
{
    begin_list(w, "measurements");
    for (size_t i = 0; i < r->measures; i++) {
        const struct ttp_run_measure *m = &r->measure[i];

        ttp_json_begin_object(w);
        ttp_json_put_key(w, TTP_STR("metric"));
        ttp_json_put_str(w, m->metric);
        ttp_json_put_key(w, TTP_STR("unit"));
        ttp_json_put_str(w, m->unit);
        ttp_json_put_key(w, TTP_STR("variant"));
        if (m->variant.len)
            ttp_json_put_str(w, m->variant);
        else
            ttp_json_put_null(w);
        put_str(w, "better", ttp_str_from(ttp_measure_better_word(m->better)));
        put_number(w, "target", m->target);
        begin_list(w, "samples");
        for (size_t k = 0; k < m->count; k++)
            ttp_json_put_f64(w, m->sample[k]);
        ttp_json_end_array(w);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_readings(struct ttp_json_writer *w, const struct ttp_run_sample *s)
{
    put_number(w, "aiclk_min_mhz", s->aiclk_min_mhz);
    put_number(w, "aiclk_max_mhz", s->aiclk_max_mhz);
    put_number(w, "temperature_c", s->temperature_c);
    put_number(w, "power_w", s->power_w);
    put_number(w, "load", s->load);
}

static void put_samples(struct ttp_json_writer *w, const struct ttp_history_run *r)
{
    begin_list(w, "machine_samples");
    for (size_t i = 0; i < r->samples; i++) {
        ttp_json_begin_object(w);
        put_i64(w, "time_ns", r->sample[i].time_ns);
        put_readings(w, &r->sample[i]);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_ops(struct ttp_json_writer *w, const struct ttp_history_run *r)
{
    begin_list(w, "ops");
    for (size_t i = 0; i < r->ops; i++) {
        const struct ttp_run_op *o = &r->op[i];

        ttp_json_begin_object(w);
        put_str(w, "op", o->name);
        put_str(w, "code", o->code);
        put_str(w, "shapes", o->shapes);
        put_str(w, "datatypes", o->datatypes);
        put_str(w, "memory", o->memory);
        put_str(w, "fidelity", o->fidelity);
        if (o->device >= 0)
            put_i64(w, "device", o->device);
        if (o->cores >= 0)
            put_i64(w, "cores", o->cores);
        put_f64(w, "device_us", o->time_ns / 1e3);
        put_f64(w, "gap_us", o->gap_ns / 1e3);
        put_str(w, "chip", o->chip);
        put_str(w, "program_config", o->config);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_document(struct ttp_json_writer *w, const struct ttp_history_run *r,
                         struct ttp_arena *arena)
{
    ttp_str packed = r->document;
    const bool zstd = ttp_zstd_pack(&packed, r->document, arena, NULL) == TTP_OK;
    char digest[TTP_SHA256_HEX + 1];
    struct ttp_sink text;
    struct ttp_base64 b = {.out = &text};

    ttp_sink_to_arena(&text, arena);
    ttp_base64_put(&b, packed);
    ttp_base64_end(&b);
    ttp_sha256_hex(digest, r->document);
    ttp_json_put_key(w, TTP_STR("document"));
    ttp_json_begin_object(w);
    put_str(w, "name", r->document_name);
    put_i64(w, "size_bytes", (int64_t)r->document.len);
    put_str(w, "sha256", ttp_str_from(digest));
    put_str(w, "packing", zstd ? TTP_STR("zstd") : TTP_STR("none"));
    put_str(w, "base64", ttp_sink_text(&text));
    ttp_json_end_object(w);
}

void ttp_history_run_write_json(struct ttp_sink *out, const struct ttp_history_run *run,
                                struct ttp_arena *arena)
{
    struct ttp_json_writer w = {.sink = out};

    ttp_json_begin_object(&w);
    put_str(&w, "schema", TTP_STR(TTP_RUN_SCHEMA));
    put_i64(&w, "id", run->id);
    put_i64(&w, "time_ns", run->time_ns);
    put_i64(&w, "added_time_ns", run->added_ns);
    put_str(&w, "name", run->name);
    put_str(&w, "kind", run->kind);
    put_str(&w, "source", run->source);
    put_str(&w, "project", run->project);
    put_str(&w, "branch", run->branch);
    put_str(&w, "commit", run->commit);
    put_str(&w, "commit_time", run->commit_time);
    ttp_json_put_key(&w, TTP_STR("dirty"));
    ttp_json_put_bool(&w, run->dirty);
    put_str(&w, "host", run->host);
    put_str(&w, "board", run->board);
    put_str(&w, "machine_key", run->machine_key);
    put_str(&w, "machine_facts", run->machine_facts);
    put_i64(&w, "op_count", run->op_count);
    put_f64(&w, "device_us", run->device_s * 1e6);
    put_f64(&w, "gap_us", run->gap_s * 1e6);
    begin_list(&w, "notes");
    for (size_t i = 0; i < run->notes; i++) {
        ttp_json_begin_object(&w);
        put_i64(&w, "time_ns", run->note[i].time_ns);
        put_str(&w, "text", run->note[i].text);
        ttp_json_end_object(&w);
    }
    ttp_json_end_array(&w);
    put_measures(&w, run);
    put_samples(&w, run);
    put_ops(&w, run);
    if (run->document.len)
        put_document(&w, run, arena);
    ttp_json_end_object(&w);
    ttp_sink_char(out, '\n');
}

/* ---- reading ---- */

static double f64_of(const struct ttp_node *n, const char *key)
{
    const double v = ttp_node_f64_of(n, key);
    return isfinite(v) ? v : NAN;
}

/* A time in nanoseconds. It is written in microseconds, and was in nanoseconds by 0.1; a whole
 * number of them stays one. */
static double ns_of(const struct ttp_node *n, const char *key, const char *former)
{
    const double ns = f64_of(n, key) * 1e3, whole = nearbyint(ns);

    if (!isfinite(ns))
        return f64_of(n, former);
    return fabs(ns - whole) <= 1e-12 * fabs(ns) ? whole : ns;
}

/* A time in seconds, which was written as such by 0.1. */
static double seconds_of(const struct ttp_node *n, const char *key, const char *former)
{
    const double us = f64_of(n, key);

    return isfinite(us) ? us / 1e6 : f64_of(n, former);
}

static int64_t i64_of(const struct ttp_node *n, const char *key, int64_t missing)
{
    const struct ttp_node *v = ttp_node_get(n, key);
    int64_t whole = missing;

    if (v && (v->kind == TTP_JSON_NUMBER || v->kind == TTP_JSON_STRING))
        (void)ttp_json_to_i64(v->text, &whole);
    return whole;
}

static size_t count_of(const struct ttp_node *first)
{
    size_t n = 0;

    for (; first; first = first->next)
        n++;
    return n;
}

static ttp_code read_measures(struct ttp_history_run *out, const struct ttp_node *doc,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    for (const struct ttp_node *n = ttp_node_first_of(doc, "measurements"); n; n = n->next) {
        const struct ttp_node *first = ttp_node_first_of(n, "samples");
        const ttp_str metric = ttp_node_str_of(n, "metric");
        double *v = TTP_NEW(arena, double, count_of(first));
        size_t count = 0;

        for (const struct ttp_node *s = first; s; s = s->next)
            v[count++] = ttp_node_f64(s);
        for (size_t i = 0; i < count; i++)
            if (!isfinite(v[i]))
                return ttp_fail_at(err, TTP_EPARSE, n->offset, "a sample is not a finite number");
        if (metric.len == 0 || count == 0)
            return ttp_fail_at(err, TTP_EPARSE, n->offset,
                               "a measurement without a metric or samples");
        struct ttp_run_measure *m = ttp_history_run_add_measure(out, arena);
        m->metric = metric;
        m->unit = ttp_node_str_of(n, "unit");
        m->variant = ttp_node_str_of(n, "variant");
        m->better = ttp_measure_better_of(ttp_node_str_of(n, "better"));
        m->target = f64_of(n, "target");
        m->sample = v;
        m->count = count;
    }
    return TTP_OK;
}

static void read_lists(struct ttp_history_run *out, const struct ttp_node *doc,
                       struct ttp_arena *arena)
{
    const struct ttp_node *ops = ttp_node_first_of(doc, "ops");
    /* 0.1 wrote the code as `op`, and the name as `name` */
    const bool former = ttp_str_eq(ttp_node_str_of(doc, "schema"), TTP_STR(TTP_RUN_SCHEMA_0_1));

    for (const struct ttp_node *n = ttp_node_first_of(doc, "notes"); n; n = n->next)
        ttp_history_run_add_note(out, i64_of(n, "time_ns", 0), ttp_node_str_of(n, "text"), arena);
    for (const struct ttp_node *n = ttp_node_first_of(doc, "machine_samples"); n; n = n->next)
        *ttp_history_run_add_sample(out, arena) = (struct ttp_run_sample){
            i64_of(n, "time_ns", 0),    f64_of(n, "aiclk_min_mhz"), f64_of(n, "aiclk_max_mhz"),
            f64_of(n, "temperature_c"), f64_of(n, "power_w"),       f64_of(n, "load")};
    out->op = TTP_NEW(arena, struct ttp_run_op, count_of(ops));
    for (const struct ttp_node *n = ops; n; n = n->next)
        out->op[out->ops++] = (struct ttp_run_op){ttp_node_str_of(n, former ? "op" : "code"),
                                                  ttp_node_str_of(n, "shapes"),
                                                  ttp_node_str_of(n, "datatypes"),
                                                  ttp_node_str_of(n, "memory"),
                                                  ttp_node_str_of(n, "fidelity"),
                                                  i64_of(n, "device", -1),
                                                  i64_of(n, "cores", -1),
                                                  ns_of(n, "device_us", "device_time_ns"),
                                                  ns_of(n, "gap_us", "gap_ns"),
                                                  ttp_node_str_of(n, former ? "name" : "op"),
                                                  ttp_node_str_of(n, "chip"),
                                                  ttp_node_str_of(n, "program_config")};
}

static ttp_code read_document(struct ttp_history_run *out, const struct ttp_node *n,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    const int64_t size = i64_of(n, "size_bytes", -1);
    char digest[TTP_SHA256_HEX + 1];
    ttp_str packed = {0};

    if (size < 0 || (uint64_t)size > DOCUMENT_MAX ||
        !ttp_base64_decode(&packed, ttp_node_str_of(n, "base64"), arena))
        return ttp_fail_at(err, TTP_EPARSE, n->offset, "incomplete document");
    out->document = packed;
    if (ttp_str_eq(ttp_node_str_of(n, "packing"), TTP_STR("zstd"))) {
        /* zstd packs at most about 1 to 30000: a size beyond that is a lie, and memory for it */
        if ((uint64_t)size / 32768 > packed.len)
            return ttp_fail_at(err, TTP_ELIMIT, n->offset, "incomplete document");
        const ttp_code rc = ttp_zstd_unpack(&out->document, packed, (size_t)size, arena, err);
        if (rc != TTP_OK) {
            if (err)
                err->offset = n->offset;
            return rc;
        }
    }
    ttp_sha256_hex(digest, out->document);
    if (out->document.len != (uint64_t)size ||
        !ttp_str_eq(ttp_str_from(digest), ttp_node_str_of(n, "sha256")))
        return ttp_fail_at(err, TTP_EPARSE, n->offset, "document does not match its SHA-256");
    out->document_name = ttp_node_str_of(n, "name");
    return TTP_OK;
}

/* Facts are shown as JSON, so they must be. */
static ttp_str facts_of(const struct ttp_node *doc)
{
    const ttp_str text = ttp_node_str_of(doc, "machine_facts");
    struct ttp_json_reader r = {0};
    enum ttp_json_event event = TTP_JSON_END;
    bool object = false;
    ttp_code rc;

    ttp_json_feed(&r, text, true);
    while ((rc = ttp_json_next(&event, &r, NULL)) == TTP_OK && event != TTP_JSON_END)
        object = object || (event == TTP_JSON_OBJECT_BEGIN && r.depth == 1);
    ttp_json_clear(&r);
    return rc == TTP_OK && object ? text : (ttp_str){0};
}

ttp_code ttp_history_run_read_json(struct ttp_history_run *out, const struct ttp_node *doc,
                                   struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_node *document = ttp_node_get(doc, "document");

    *out = (struct ttp_history_run){
        .id = i64_of(doc, "id", 0),
        .time_ns = i64_of(doc, "time_ns", 0),
        .added_ns = i64_of(doc, "added_time_ns", 0),
        .name = ttp_node_str_of(doc, "name"),
        .kind = ttp_node_str_of(doc, "kind"),
        .source = ttp_node_str_of(doc, "source"),
        .project = ttp_node_str_of(doc, "project"),
        .branch = ttp_node_str_of(doc, "branch"),
        .commit = ttp_node_str_of(doc, "commit"),
        .commit_time = ttp_node_str_of(doc, "commit_time"),
        .dirty = ttp_node_true_of(doc, "dirty"),
        .host = ttp_node_str_of(doc, "host"),
        .board = ttp_node_str_of(doc, "board"),
        .machine_key = ttp_node_str_of(doc, "machine_key"),
        .machine_facts = facts_of(doc),
        .op_count = i64_of(doc, "op_count", 0),
        .device_s = seconds_of(doc, "device_us", "device_time_s"),
        .gap_s = seconds_of(doc, "gap_us", "gap_s"),
    };
    if (out->name.len == 0)
        return ttp_fail_at(err, TTP_EPARSE, doc->offset, "a run without a name");
    if (out->time_ns < 0)
        return ttp_fail_at(err, TTP_EPARSE, doc->offset, "a run before 1970");
    TTP_TRY(read_measures(out, doc, arena, err));
    read_lists(out, doc, arena);
    return document ? read_document(out, document, arena, err) : TTP_OK;
}
