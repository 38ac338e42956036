/* SPDX-License-Identifier: Apache-2.0 */
#include "startup/text_logs.h"

#include "base/file.h"
#include "base/input.h"
#include "base/num.h"
#include "base/order.h"
#include "base/vec.h"

/* The number that *rest begins with, which then continues after `after`. */
static bool take(ttp_str *rest, ttp_str after, uint64_t *out)
{
    const size_t at = ttp_str_find(*rest, after);

    if (at == TTP_NPOS || !ttp_str_to_u64(ttp_str_trim(ttp_str_slice(*rest, 0, at)), out))
        return false;
    *rest = ttp_str_slice(*rest, at + after.len, rest->len);
    return true;
}

/* "40/64 hits (62.5%) [31 cached, 9 build-once dedup, 0 merged artifacts, 2 merged genfiles]" */
static bool take_stats(struct ttp_startup_log *out, ttp_str rest)
{
    struct ttp_startup_log log = *out;

    if (!take(&rest, TTP_STR("/"), &log.hits) || !take(&rest, TTP_STR(" hits ("), &log.total))
        return false;
    const size_t percent = ttp_str_find_char(rest, '%');
    if (percent == TTP_NPOS || !ttp_str_to_f64(ttp_str_slice(rest, 0, percent), &log.percent))
        return false;
    const size_t list = ttp_str_find_char(rest, '[');
    rest = ttp_str_slice(rest, list == TTP_NPOS ? rest.len : list + 1, rest.len);
    if (!take(&rest, TTP_STR(" cached, "), &log.cached) ||
        !take(&rest, TTP_STR(" build-once dedup, "), &log.dedup) ||
        !take(&rest, TTP_STR(" merged artifacts, "), &log.merged_artifacts) ||
        !take(&rest, TTP_STR(" merged genfiles"), &log.merged_genfiles))
        return false;
    log.has_cache = true;
    *out = log;
    return true;
}

/* "k0_matmul/1000/ in 412 ms" */
static bool take_kernel(struct ttp_startup_log *out, ttp_str rest, struct ttp_arena *arena)
{
    const size_t in = ttp_str_find(rest, TTP_STR(" in "));
    uint64_t ms;

    if (in == TTP_NPOS || in == 0 || rest.ptr[in - 1] != '/')
        return false;
    ttp_str number = ttp_str_slice(rest, in + 4, rest.len);
    if (!take(&number, TTP_STR(" ms"), &ms) || ms > UINT64_C(1) << 40)
        return false;
    *TTP_PUSH(arena, out->kernel, out->kernels) =
        (struct ttp_startup_kernel){ttp_arena_copy(arena, ttp_str_slice(rest, 0, in)), ms};
    out->sum_ms += ms;
    return true;
}

void ttp_startup_take_line(struct ttp_startup_log *out, ttp_str line, struct ttp_arena *arena)
{
    static const ttp_str stats = TTP_STR("JIT cache stats: "), compiled = TTP_STR("compiled ");
    size_t at = ttp_str_find(line, stats);

    if (at != TTP_NPOS && take_stats(out, ttp_str_slice(line, at + stats.len, line.len)))
        return;
    at = ttp_str_find(line, compiled);
    if (at != TTP_NPOS)
        (void)take_kernel(out, ttp_str_slice(line, at + compiled.len, line.len), arena);
}

struct log_reader {
    struct ttp_startup_log *out;
    struct ttp_arena *arena;
};

static ttp_code read_lines(void *arg, ttp_str text, struct ttp_err *err)
{
    const struct log_reader *r = arg;
    ttp_str line;

    (void)err;
    while (ttp_str_next_line(&text, &line))
        ttp_startup_take_line(r->out, line, r->arena);
    return TTP_OK;
}

TTP_ORDER(by_ms, struct ttp_startup_kernel, TTP_DOWN(ms), ttp_str_cmp(x->name, y->name))

ttp_code ttp_startup_read_logs(struct ttp_startup_log *out, const char *dir,
                               struct ttp_arena *arena, struct ttp_err *err)
{
    struct log_reader r = {out, arena};
    struct ttp_words names;

    TTP_TRY(ttp_file_list(&names, dir, arena, err));
    for (size_t i = 0; i < names.count; i++)
        if (ttp_str_ends(ttp_str_from(names.word[i]), TTP_STR(".log")))
            TTP_TRY(ttp_input_each(ttp_file_join(dir, names.word[i], arena), ttp_input_cut_lines,
                                   read_lines, &r, err));
    TTP_SORT(out->kernel, out->kernels, by_ms);
    return TTP_OK;
}

/* --- when the process began --- */

struct start {
    int64_t *time;
    bool *known;
};

static ttp_code take_start(void *arg, ttp_str text, struct ttp_err *err)
{
    static const ttp_str key = TTP_STR("high_resolution_clock_ns:");
    const struct start *s = arg;
    const size_t at = ttp_str_find(text, key);
    uint64_t t;
    ttp_str line;

    (void)err;
    if (at == TTP_NPOS)
        return TTP_OK;
    ttp_str rest = ttp_str_slice(text, at + key.len, text.len);
    if (ttp_str_next_line(&rest, &line) && ttp_str_to_u64(ttp_str_trim(line), &t) &&
        t <= TTP_STARTUP_LATEST) {
        *s->time = (int64_t)t;
        *s->known = true;
    }
    return TTP_OK;
}

ttp_code ttp_startup_read_start(int64_t *time, bool *known, const char *path, struct ttp_err *err)
{
    struct start s = {time, known};

    return ttp_input_each(path, NULL, take_start, &s, err);
}
