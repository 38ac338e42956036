/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_values.c - parameters of a sweep: which values, and where they go. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "base/sink.h"
#include "measure/measure.h"
#include "measure/measure_internal.h"

static ttp_code fail_range(ttp_str text, struct ttp_err *err)
{
    ttp_fail(err, TTP_EUSAGE, "invalid range '%.*s'", TTP_FMT(ttp_str_slice(text, 0, 80)));
    ttp_err_hint(err, "for example 8..128*2 or 1..9+2");
    return TTP_EUSAGE;
}

/* Twelve digits: 0.1 + 0.1 + 0.1 is 0.3. */
static const char *number_text(double v, struct ttp_arena *arena)
{
    char text[TTP_NUM_MAX];

    snprintf(text, sizeof(text), "%.12g", v);
    return ttp_arena_zstr(arena, ttp_str_from(text));
}

/* "8..128*2": the first and last value and the step. */
struct range {
    double from, to, step;
    bool times;
};

static bool parse_range(struct range *r, ttp_str text, size_t dots)
{
    const ttp_str from = ttp_str_slice(text, 0, dots);
    ttp_str to = ttp_str_slice(text, dots + 2, text.len);
    size_t at = 0;

    while (at < to.len && to.ptr[at] != '*' &&
           !(to.ptr[at] == '+' && at > 0 && !strchr("eE", to.ptr[at - 1])))
        at++;
    r->step = 1;
    r->times = at < to.len && to.ptr[at] == '*';
    if (at < to.len && !ttp_str_to_f64(ttp_str_slice(to, at + 1, to.len), &r->step))
        return false;
    to = ttp_str_slice(to, 0, at);
    if (!ttp_str_to_f64(from, &r->from) || !ttp_str_to_f64(to, &r->to))
        return false;
    if (!isfinite(r->from) || !isfinite(r->to) || !isfinite(r->step))
        return false;
    return r->times ? r->step > 1 && r->from > 0 && r->to > 0 : r->step > 0;
}

static ttp_code expand_range(struct ttp_sweep *out, const struct range *r, ttp_str text,
                             struct ttp_arena *arena, struct ttp_err *err)
{
    const bool down = r->to < r->from;
    /* a step that ends just beyond the last value by rounding still counts */
    const double slack = 1e-9 * fmax(fabs(r->from), fabs(r->to));

    for (size_t i = 0;; i++) {
        const double factor = r->times ? pow(r->step, (double)i) : (double)i * r->step;
        const double v = r->times ? (down ? r->from / factor : r->from * factor)
                                  : (down ? r->from - factor : r->from + factor);

        if (down ? v < r->to - slack : v > r->to + slack)
            return TTP_OK;
        if (out->count == TTP_SWEEP_VALUES_MAX)
            return ttp_fail(err, TTP_ELIMIT, "'%.*s' has more than %d values",
                            TTP_FMT(ttp_str_slice(text, 0, 80)), TTP_SWEEP_VALUES_MAX);
        out->value[out->count++] = number_text(v, arena);
    }
}

static bool is_name(ttp_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!(isalpha((unsigned char)s.ptr[i]) || s.ptr[i] == '_' ||
              (i && isdigit((unsigned char)s.ptr[i]))))
            return false;
    return s.len > 0;
}

ttp_code ttp_measure_sweep_parse(struct ttp_sweep *out, const char *text, struct ttp_arena *arena,
                                 struct ttp_err *err)
{
    const ttp_str all = ttp_str_from(text);
    const size_t sign = ttp_str_find_char(all, '=');
    const ttp_str name = ttp_str_slice(all, 0, sign);
    ttp_str rest = ttp_str_slice(all, sign == TTP_NPOS ? all.len : sign + 1, all.len);
    const size_t dots = ttp_str_find(rest, TTP_STR(".."));
    struct range range;

    *out = (struct ttp_sweep){0};
    if (!is_name(name) || rest.len == 0) {
        ttp_fail(err, TTP_EUSAGE, "invalid sweep '%.80s': use NAME=VALUES", text);
        ttp_err_hint(err, "for example BATCH=8,16,32 or BATCH=8..128*2");
        return TTP_EUSAGE;
    }
    out->name = ttp_arena_zstr(arena, name);
    out->value = TTP_NEW(arena, const char *, TTP_SWEEP_VALUES_MAX);
    if (dots != TTP_NPOS && ttp_str_find_char(rest, ',') == TTP_NPOS) {
        if (!parse_range(&range, rest, dots))
            return fail_range(rest, err);
        return expand_range(out, &range, rest, arena, err);
    }
    for (bool more = true; more;) {
        const size_t comma = ttp_str_find_char(rest, ',');
        const ttp_str value = ttp_str_trim(ttp_str_slice(rest, 0, comma));

        if (value.len == 0)
            return ttp_fail(err, TTP_EUSAGE, "'%.80s' has an empty value", text);
        if (out->count == TTP_SWEEP_VALUES_MAX)
            return ttp_fail(err, TTP_ELIMIT, "'%.80s' has more than %d values", text,
                            TTP_SWEEP_VALUES_MAX);
        out->value[out->count++] = ttp_arena_zstr(arena, value);
        more = comma != TTP_NPOS;
        rest = ttp_str_slice(rest, comma + 1, rest.len);
    }
    return TTP_OK;
}

/* The value of NAME among "NAME=VALUE" words; ptr NULL: none. */
static ttp_str value_of(const struct ttp_words *set, ttp_str name)
{
    for (size_t i = 0; set && i < set->count; i++) {
        const ttp_str one = ttp_str_from(set->word[i]);

        if (ttp_str_starts(one, name) && one.len > name.len && one.ptr[name.len] == '=')
            return ttp_str_slice(one, name.len + 1, one.len);
    }
    return (ttp_str){0};
}

/* "{NAME}" at the start of text, with a value: its length; 0: not one. */
static size_t placeholder(ttp_str *value, ttp_str text, const struct ttp_words *set)
{
    const size_t end = ttp_str_find_char(text, '}');

    if (text.len == 0 || text.ptr[0] != '{' || end == TTP_NPOS)
        return 0;
    *value = value_of(set, ttp_str_slice(text, 1, end));
    return value->ptr ? end + 1 : 0;
}

static const char *fill_word(const char *word, const struct ttp_words *set, struct ttp_arena *arena)
{
    ttp_str rest = ttp_str_from(word), value;
    struct ttp_sink out;
    bool changed = false;

    ttp_sink_to_arena(&out, arena);
    while (rest.len) {
        const size_t n = placeholder(&value, rest, set);

        ttp_sink_put(&out, n ? value : ttp_str_slice(rest, 0, 1));
        rest = ttp_str_slice(rest, n ? n : 1, rest.len);
        changed = changed || n;
    }
    return changed ? ttp_arena_zstr(arena, ttp_sink_text(&out)) : word;
}

const char *const *ttp_measure_sweep_fill(const char *const *argv, const struct ttp_words *set,
                                          struct ttp_arena *arena)
{
    size_t n = 0;

    while (argv[n])
        n++;
    const char **out = TTP_NEW(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        out[i] = fill_word(argv[i], set, arena);
    return out;
}

/* ---- products ---- */

static bool number_with_suffix(double *out, ttp_str text)
{
    static const char letters[] = "kMGT";
    bool binary = false;
    double scale = 1;

    if (ttp_str_ends(text, TTP_STR("B")) && text.len > 1)
        text.len--;
    if (ttp_str_ends(text, TTP_STR("i")) && text.len > 1) {
        binary = true;
        text.len--;
    }
    const int last = text.len ? text.ptr[text.len - 1] : 0;
    const char *letter = last ? strchr(letters, last == 'K' ? 'k' : last) : NULL;
    if (letter) {
        scale = pow(binary ? 1024 : 1000, (double)(letter - letters + 1));
        text.len--;
    }
    if ((binary && !letter) || !ttp_str_to_f64(text, out) || !isfinite(*out) || *out < 0)
        return false;
    *out *= scale;
    return true;
}

ttp_code ttp_measure_sweep_product(double *out, const char *text, const struct ttp_words *set,
                                   struct ttp_err *err)
{
    ttp_str rest = ttp_str_from(text), value;

    *out = 1;
    for (bool more = true; more;) {
        const size_t star = ttp_str_find_char(rest, '*');
        const ttp_str part = ttp_str_trim(ttp_str_slice(rest, 0, star));
        const size_t n = placeholder(&value, part, set);
        double factor;

        if ((n && n != part.len) || !number_with_suffix(&factor, n ? value : part))
            return ttp_fail(err, TTP_EUSAGE, "invalid number or product '%.80s'", text);
        *out *= factor;
        if (!isfinite(*out))
            return ttp_fail(err, TTP_EUSAGE, "'%.80s' is too large", text);
        more = star != TTP_NPOS;
        rest = ttp_str_slice(rest, star + 1, rest.len);
    }
    return TTP_OK;
}
