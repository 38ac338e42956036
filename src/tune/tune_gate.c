/* SPDX-License-Identifier: Apache-2.0 */
/* tune_gate.c - checks the outputs of a side. They are always compared with the golden outputs of
 * the beginning: compared with the previous step, errors would add up unseen. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tensor/tensor.h"
#include "tune/tuner.h"

/* ---- golden files ---- */

ttp_code ttp_tune_gate_list(struct ttp_tune_golden **out, size_t *count, const char *dir,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_words names;

    TTP_TRY(ttp_file_list(&names, dir, arena, err));
    *out = TTP_NEW(arena, struct ttp_tune_golden, names.count);
    *count = 0;
    for (size_t i = 0; i < names.count; i++) {
        struct ttp_file file;

        if (names.word[i][0] == '.')
            continue;
        TTP_TRY(ttp_file_map(&file, ttp_file_join(dir, names.word[i], arena), err));
        (*out)[(*count)++] =
            (struct ttp_tune_golden){names.word[i], file.text.len, ttp_crc32(file.text)};
        ttp_file_close(&file);
    }
    if (*count)
        return TTP_OK;
    ttp_fail(err, TTP_EUSAGE, "no golden outputs in '%.150s'", dir);
    ttp_err_hint(err, "put correct outputs of the command there");
    return TTP_EUSAGE;
}

/* Golden files that changed would move the goal. */
static ttp_code check_golden(const struct ttp_tune *t, const struct ttp_tune_golden *g,
                             struct ttp_err *err)
{
    const char *path = ttp_file_join(t->session.setup.golden, g->name, t->arena);
    struct ttp_file file;

    TTP_TRY(ttp_file_map(&file, path, err));
    const bool same = file.text.len == g->bytes && ttp_crc32(file.text) == g->crc;
    ttp_file_close(&file);
    if (same)
        return TTP_OK;
    ttp_fail(err, TTP_EPARSE, "a golden output changed since the session began");
    ttp_err_where(err, path, 0);
    ttp_err_hint(err, "restore it, or start over with 'tt-perf tune init --new'");
    return TTP_EPARSE;
}

ttp_code ttp_tune_gate_check_golden(const struct ttp_tune *t, struct ttp_err *err)
{
    for (size_t i = 0; i < t->session.ngolden; i++)
        TTP_TRY(check_golden(t, &t->session.golden[i], err));
    return TTP_OK;
}

/* ---- comparing ---- */

struct look {
    struct ttp_tune *tune;
    struct ttp_tune_gate *gate;
    const struct ttp_ready *side;
    struct ttp_compare_options compare;
};

static void reject(const struct look *l, const char *reason)
{
    l->gate->pass = false;
    if (!*l->gate->reason)
        l->gate->reason = reason;
}

static const char *describe(const struct look *l, const char *file, const struct ttp_tensor *g,
                            const struct ttp_compare *c)
{
    char name[96], what[128];

    snprintf(name, sizeof(name), "%s%s%.*s", file, g->name.len ? ": " : "",
             TTP_FMT(ttp_str_slice(g->name, 0, 60)));
    if (!c->same_shape)
        snprintf(what, sizeof(what), "wrong shape");
    else if (c->nonfinite_moved)
        snprintf(what, sizeof(what),
                 "%llu NaN or infinite values at other positions than in golden",
                 (unsigned long long)c->nonfinite_moved);
    else if (!c->pcc_ok)
        snprintf(what, sizeof(what), "PCC %.6g is below %g", c->pcc, l->compare.gate);
    else
        snprintf(what, sizeof(what), "relative error norm %.3g exceeds %.3g (PCC %.6g)",
                 c->frobenius, c->frobenius_limit, c->pcc);
    return ttp_tuner_text(l->tune->arena, "wrong result: %s: %s", name, what);
}

/* Where the error is largest. */
static const char *tile_text(const struct look *l, const struct ttp_compare *c)
{
    struct ttp_sink out;

    if (!(c->worst_rms > 0))
        return "";
    ttp_sink_to_arena(&out, l->tune->arena);
    ttp_sink_char(&out, '[');
    for (size_t i = 0; i < c->ndim; i++)
        ttp_sink_printf(&out, "%s%llu", i ? ", " : "", (unsigned long long)c->worst_origin[i]);
    ttp_sink_printf(&out, "], RMS error %.3g", c->worst_rms);
    return ttp_arena_zstr(l->tune->arena, ttp_sink_text(&out));
}

static void note_worst(const struct look *l, const char *file, const struct ttp_tensor *g,
                       const struct ttp_compare *c)
{
    struct ttp_tune_gate *gate = l->gate;

    if (!c->compared || (!isnan(gate->worst_pcc) && !(c->pcc < gate->worst_pcc)))
        return;
    gate->worst_pcc = c->pcc;
    gate->worst = ttp_tuner_text(l->tune->arena, "%s%s%.*s", file, g->name.len ? ": " : "",
                                 TTP_FMT(ttp_str_slice(g->name, 0, 60)));
    gate->tile = tile_text(l, c);
}

static ttp_code compare_pair(const struct look *l, const char *file, const struct ttp_tensor *g,
                             const struct ttp_tensor *a, struct ttp_err *err)
{
    struct ttp_compare *c = TTP_NEW(l->tune->arena, struct ttp_compare, 1);

    TTP_TRY(ttp_tensor_compare(c, g, a, &l->compare, err));
    l->gate->tensors++;
    note_worst(l, file, g, c);
    if (!c->pass)
        reject(l, describe(l, file, g, c));
    return TTP_OK;
}

static ttp_code compare_lists(const struct look *l, const char *file, const struct ttp_tensors *g,
                              const struct ttp_tensors *a, struct ttp_err *err)
{
    if (g->count == 1 && a->count == 1)
        return compare_pair(l, file, &g->item[0], &a->item[0], err);
    for (size_t i = 0; i < g->count; i++) {
        const struct ttp_tensor *other = ttp_tensor_find(a, g->item[i].name);

        if (!other)
            reject(l, ttp_tuner_text(l->tune->arena, "wrong result: %s has no tensor '%.*s'", file,
                                     TTP_FMT(ttp_str_slice(g->item[i].name, 0, 60))));
        else
            TTP_TRY(compare_pair(l, file, &g->item[i], other, err));
    }
    return TTP_OK;
}

static const char *output_path(const struct look *l, const char *name)
{
    struct ttp_arena *arena = l->tune->arena;
    const char *outputs = l->tune->session.setup.outputs;
    const char *dir = l->side->dir;

    if (*outputs)
        dir = outputs[0] == '/' ? outputs : ttp_file_join(dir, outputs, arena);
    return ttp_file_join(dir, name, arena);
}

/* What is not a tensor file must be the same to the byte. */
static ttp_code compare_bytes(const struct look *l, const char *name, const char *golden,
                              const char *actual, struct ttp_err *err)
{
    struct ttp_file a, b;

    TTP_TRY(ttp_file_map(&a, golden, err));
    const ttp_code rc = ttp_file_map(&b, actual, err);
    if (rc == TTP_OK) {
        if (!ttp_str_eq(a.text, b.text))
            reject(l, ttp_tuner_text(l->tune->arena, "wrong result: '%s' differs", name));
        ttp_file_close(&b);
    }
    ttp_file_close(&a);
    return rc;
}

static ttp_code compare_file(const struct look *l, const struct ttp_tune_golden *golden,
                             struct ttp_err *err)
{
    struct ttp_arena *arena = l->tune->arena;
    struct ttp_file file[2];
    struct ttp_tensors list[2];
    struct ttp_err why = {0};
    const char *path = output_path(l, golden->name);

    TTP_TRY(check_golden(l->tune, golden, err));
    if (!ttp_file_exists(path)) {
        reject(l, ttp_tuner_text(arena, "no result: the command did not write '%s'", golden->name));
        return TTP_OK;
    }
    const char *right = ttp_file_join(l->tune->session.setup.golden, golden->name, arena);
    ttp_code rc = ttp_tensor_open(&list[0], &file[0], right, NULL, arena, &why);
    if (rc == TTP_EIO) {
        *err = why;
        return rc;
    }
    if (rc != TTP_OK)
        return compare_bytes(l, golden->name, right, path, err);
    if (ttp_tensor_open(&list[1], &file[1], path, NULL, arena, &why) != TTP_OK) {
        /* it may be read, and yet it could not: no word about the change */
        if (why.code == TTP_EIO && access(path, R_OK) == 0) {
            *err = why;
            rc = TTP_EIO;
        } else {
            reject(l, ttp_tuner_text(arena, "wrong result: '%s': %s", golden->name, why.text));
        }
    } else {
        rc = compare_lists(l, golden->name, &list[0], &list[1], err);
        ttp_file_close(&file[1]);
    }
    ttp_file_close(&file[0]);
    return rc;
}

static ttp_code look_at(const struct look *l, struct ttp_err *err)
{
    const struct ttp_tune_session *s = &l->tune->session;
    struct ttp_child c;

    for (size_t i = 0; i < s->ngolden; i++)
        TTP_TRY(compare_file(l, &s->golden[i], err));
    if (!s->setup.check || !l->gate->pass)
        return TTP_OK;
    TTP_TRY(ttp_tune_side_run(&c, l->tune, l->side,
                              (struct ttp_side_command){s->setup.check, s->setup.timeout_s}, err));
    if (!ttp_tune_side_ended_well(&c))
        reject(l, ttp_tune_side_failure(l->tune, "wrong result: the check", &c));
    return TTP_OK;
}

static struct look begin(struct ttp_tune_gate *out, struct ttp_tune *t,
                         const struct ttp_ready *side)
{
    *out = (struct ttp_tune_gate){
        .ran = true, .pass = true, .worst_pcc = NAN, .worst = "", .tile = "", .reason = ""};
    return (struct look){.tune = t,
                         .gate = out,
                         .side = side,
                         .compare = {.gate = t->session.setup.pcc,
                                     .frobenius = t->session.setup.frobenius,
                                     .rtol = NAN,
                                     .atol = NAN,
                                     .fallback_rtol = NAN,
                                     .fallback_atol = NAN,
                                     .threads = t->options.threads}};
}

ttp_code ttp_tune_gate_look(struct ttp_tune_gate *out, struct ttp_tune *t,
                            const struct ttp_ready *side, struct ttp_err *err)
{
    const struct look l = begin(out, t, side);

    return look_at(&l, err);
}

/* An output of an earlier run must not pass for one of this: its time is set back before, and must
 * have changed after. */
static void set_time(const char *path, struct timespec time)
{
    const struct timespec both[2] = {{.tv_nsec = UTIME_OMIT}, time};

    (void)utimensat(AT_FDCWD, path, both, 0);
}

ttp_code ttp_tune_gate_run(struct ttp_tune_gate *out, struct ttp_tune *t,
                           const struct ttp_ready *side, struct ttp_err *err)
{
    const struct look l = begin(out, t, side);
    const struct timespec long_ago = {.tv_sec = 1};
    const size_t n = t->session.ngolden;
    struct stat *before = TTP_NEW(t->arena, struct stat, n), after;
    struct ttp_err missing = {0};
    struct ttp_child c;

    for (size_t i = 0; i < n; i++) {
        const char *path = output_path(&l, t->session.golden[i].name);

        if (stat(path, &before[i]) < 0)
            before[i].st_nlink = 0;
        else
            set_time(path, long_ago);
    }
    const ttp_code rc = ttp_tune_side_run(
        &c, t, side, (struct ttp_side_command){NULL, t->session.setup.timeout_s}, &missing);
    for (size_t i = 0; i < n; i++) {
        const char *path = output_path(&l, t->session.golden[i].name);

        if (before[i].st_nlink == 0 || stat(path, &after) < 0 ||
            after.st_mtim.tv_sec != long_ago.tv_sec)
            continue;
        set_time(path, before[i].st_mtim);
        reject(&l, ttp_tuner_text(t->arena, "no result: the command did not write '%s'",
                                  t->session.golden[i].name));
    }
    /* a lack of pipes or memory says nothing about the change */
    if (rc == TTP_ENOTFOUND || (rc == TTP_EIO && c.not_executable && !t->options.signals->caught)) {
        out->reason = "";
        reject(&l, ttp_tuner_text(t->arena, "cannot run: %s", missing.text));
        return TTP_OK;
    }
    if (rc != TTP_OK) {
        *err = missing;
        return rc;
    }
    ttp_tuner_step(t);
    if (!ttp_tune_side_ended_well(&c)) {
        out->reason = "";
        reject(&l, ttp_tune_side_failure(t, "the command", &c));
    }
    return out->pass ? look_at(&l, err) : TTP_OK;
}
