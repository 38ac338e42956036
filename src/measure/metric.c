/* SPDX-License-Identifier: Apache-2.0 */
/* metric.c - numbers in the output of a command. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <regex.h>

#include "base/num.h"
#include "measure/measure.h"
#include "measure/measure_internal.h"

/* Beyond this a regex is not something a person wrote, and glibc's compiler may take for ever. */
#define REGEX_MAX  1000
#define REPEAT_MAX 4096 /* all repetitions multiplied */
/* Nor is a line longer than this one that a number is read from. */
#define LINE_MAX_BYTES ((size_t)64 << 10)

struct ttp_regex {
    regex_t re;
};

static const char *const take_words[] = {
    [TTP_TAKE_LAST] = "last", [TTP_TAKE_FIRST] = "first", [TTP_TAKE_MIN] = "min",
    [TTP_TAKE_MAX] = "max",   [TTP_TAKE_MEAN] = "mean",   [TTP_TAKE_SUM] = "sum"};

const char *ttp_measure_better_word(enum ttp_better better)
{
    return better == TTP_BETTER_HIGHER ? "higher" : "lower";
}

enum ttp_better ttp_measure_better_of(ttp_str word)
{
    return ttp_str_eq(word, TTP_STR("higher")) ? TTP_BETTER_HIGHER : TTP_BETTER_LOWER;
}

const char *ttp_measure_verdict_word(enum ttp_verdict verdict, enum ttp_better better)
{
    static const char *const words[][2] = {
        [TTP_VERDICT_UNDECIDED] = {"undecided", "undecided"},
        [TTP_VERDICT_SAME] = {"same", "same"},
        [TTP_VERDICT_LESS] = {[TTP_BETTER_LOWER] = "better", [TTP_BETTER_HIGHER] = "worse"},
        [TTP_VERDICT_MORE] = {[TTP_BETTER_LOWER] = "worse", [TTP_BETTER_HIGHER] = "better"},
    };
    return words[verdict][better];
}

enum ttp_better ttp_measure_metric_unit_better(ttp_str unit)
{
    static const char *const rates[] = {"fps",  "flops", "tflops", "gflops", "flop/s", "gbps",
                                        "mbps", "qps",   "rps",    "tps",    "hz",     "t/s/u"};

    unit = ttp_str_trim(unit);
    for (size_t i = 0; i < TTP_COUNT(rates); i++)
        if (ttp_str_eq_any_case(unit, ttp_str_from(rates[i])))
            return TTP_BETTER_HIGHER;
    if (ttp_str_ends(unit, TTP_STR("/s")) || ttp_str_ends(unit, TTP_STR("/sec")) ||
        ttp_str_ends(unit, TTP_STR("/second")) || ttp_str_has(unit, TTP_STR("per sec")) ||
        ttp_str_has(unit, TTP_STR("/s/")))
        return TTP_BETTER_HIGHER;
    return TTP_BETTER_LOWER;
}

/* Its message. */
struct said {
    ttp_str name, unit, better, take;
};

/* ";key=value" at the end of text; cuts it off. */
static bool cut_setting(ttp_str *text, struct said *said)
{
    static const char *const keys[] = {"name=", "unit=", "better=", "take="};
    ttp_str *const slot[] = {&said->name, &said->unit, &said->better, &said->take};
    size_t at = text->len;

    while (at > 0 && text->ptr[at - 1] != ';')
        at--;
    if (at == 0)
        return false;
    const ttp_str tail = ttp_str_slice(*text, at, text->len);
    for (size_t i = 0; i < TTP_COUNT(keys); i++) {
        if (!ttp_str_starts(tail, ttp_str_from(keys[i])))
            continue;
        if (!slot[i]->ptr)
            *slot[i] = ttp_str_slice(tail, strlen(keys[i]), tail.len);
        *text = ttp_str_slice(*text, 0, at - 1);
        return true;
    }
    return false;
}

/* The plain text a regex begins with names it: "latency: ([0-9.]+)" is latency. */
static const char *guess_name(ttp_str regex, struct ttp_arena *arena)
{
    size_t end = 0;

    while (end < regex.len && !strchr("([{.*+?|^$\\", regex.ptr[end]))
        end++;
    if (end < regex.len && end > 0 && strchr("*?{", regex.ptr[end]))
        end--; /* that character is optional */
    ttp_str name = ttp_str_slice(regex, 0, end);
    while (name.len && strchr(" \t:=", name.ptr[name.len - 1]))
        name.len--;
    name = ttp_str_trim(name);
    return name.len ? ttp_arena_zstr(arena, name) : "printed value";
}

/* The last character of the set that begins at c, which is '['. */
static const char *end_of_set(const char *c)
{
    c++;
    if (*c == '^')
        c++;
    if (*c == ']') /* comes first: one of the set */
        c++;
    for (; *c && *c != ']'; c++) {
        if (*c != '[' || !c[1] || !strchr(":.=", c[1]))
            continue;
        const char kind = c[1]; /* [:digit:], [.x.], [=x=] */

        for (c += 2; *c && !(*c == kind && c[1] == ']'); c++)
            ;
        if (!*c)
            return c - 1;
        c++;
    }
    return *c ? c : c - 1;
}

/* Large or many repetitions make glibc need memory without end, back references time without end.
 */
static bool too_much(const char *regex)
{
    size_t product = 1, number = 0, largest = 1;
    bool inside = false; /* braces */

    for (const char *c = regex; *c; c++) {
        if (*c == '\\' && isdigit((unsigned char)c[1]))
            return true;
        if (*c == '[' && (c == regex || c[-1] != '\\'))
            c = end_of_set(c);
        /* glibc turns a+ into aa*, and visits repeated groups many times */
        else if (*c == '+' || (*c == ')' && c[1] && strchr("?*", c[1])))
            product *= 2;
        if (*c == '{' || *c == '}') {
            product *= largest; /* as if each were inside the one before */
            inside = *c == '{';
            largest = 1;
        }
        number = inside && isdigit((unsigned char)*c) ? number * 10 + (size_t)(*c - '0') : 0;
        largest = number > largest ? number : largest;
        if (largest > REPEAT_MAX || product > REPEAT_MAX)
            return true;
    }
    return false;
}

/* Two signs of repetition in a row, such as "*?", mean something elsewhere and nothing in POSIX,
 * and many of them cost glibc minutes: where they are, or NULL. */
static const char *repeated_twice(const char *regex)
{
    bool repeats = false;

    for (const char *c = regex; *c; c++) {
        const bool sign = strchr("*+?", *c) != NULL;

        if (sign && repeats)
            return c - 1;
        repeats = sign || *c == '}';
        if (*c == '[')
            c = end_of_set(c);
        else if (*c == '\\' && c[1])
            c++;
    }
    return NULL;
}

static ttp_code compile(struct ttp_metric *m, ttp_str regex, struct ttp_arena *arena,
                        struct ttp_err *err)
{
    char why[120];

    if (regex.len == 0)
        return ttp_fail(err, TTP_EUSAGE, "a metric needs a regular expression");
    m->regex = ttp_arena_zstr(arena, regex);
    if (regex.len > REGEX_MAX || too_much(m->regex))
        return ttp_fail(err, TTP_EUSAGE, "the regular expression of a metric is too complex");
    const char *twice = repeated_twice(m->regex);
    if (twice) {
        ttp_fail(err, TTP_EUSAGE, "'%.120s': '%.2s' is not a repetition in POSIX extended syntax",
                 m->regex, twice);
        ttp_err_hint(err, "lazy matching is unsupported: use a class such as '[^ ]*' or '[0-9.]+'");
        return TTP_EUSAGE;
    }
    struct ttp_regex *compiled = TTP_NEW(arena, struct ttp_regex, 1);
    const int rc = regcomp(&compiled->re, m->regex, REG_EXTENDED | REG_NEWLINE);
    if (rc == 0) {
        m->compiled = compiled;
        return TTP_OK;
    }
    if (rc == REG_ESPACE)
        ttp_arena_oom();
    regerror(rc, &compiled->re, why, sizeof(why));
    ttp_fail(err, TTP_EUSAGE, "invalid regular expression '%.120s': %s", m->regex, why);
    ttp_err_hint(err, "use POSIX extended syntax, for example 'latency: ([0-9.]+) *(ms|us)'");
    return TTP_EUSAGE;
}

static ttp_code settle(struct ttp_metric *m, const struct said *s, struct ttp_arena *arena,
                       struct ttp_err *err)
{
    m->unit = s->unit.ptr ? ttp_arena_zstr(arena, s->unit) : m->unit;
    m->better = ttp_measure_metric_unit_better(ttp_str_from(m->unit));
    if (s->name.len)
        m->name = ttp_arena_zstr(arena, s->name);
    if (s->better.ptr) {
        if (!ttp_str_eq(s->better, TTP_STR("lower")) && !ttp_str_eq(s->better, TTP_STR("higher")))
            return ttp_fail(err, TTP_EUSAGE, "invalid better='%.40s': use lower or higher",
                            ttp_arena_zstr(arena, s->better));
        m->better = ttp_measure_better_of(s->better);
        m->better_said = true;
    }
    if (!s->take.ptr)
        return TTP_OK;
    for (size_t i = 0; i < TTP_COUNT(take_words); i++)
        if (ttp_str_eq(s->take, ttp_str_from(take_words[i]))) {
            m->take = (enum ttp_take)i;
            return TTP_OK;
        }
    return ttp_fail(err, TTP_EUSAGE, "invalid take='%.40s': use last, first, min, max, mean or sum",
                    ttp_arena_zstr(arena, s->take));
}

bool ttp_measure_metric_is_recorded(const struct ttp_metric *m)
{
    return m->kind == TTP_METRIC_DEVICE || m->kind == TTP_METRIC_CYCLES ||
           m->kind == TTP_METRIC_JSON;
}

/* "json:data.ops[3].device_time_us": words with dots and indexes between them, nothing that a regex
 * would need. */
static bool is_json_path(ttp_str text)
{
    bool word = false;

    if (!ttp_str_starts(text, TTP_STR("json:")))
        return false;
    for (size_t i = strlen("json:"); i < text.len; i++) {
        const char c = text.ptr[i];

        if (c == '.' && !word)
            return false;
        if (c != '.' && c != '[' && c != ']' && c != '_' && c != '-' && !isalnum((unsigned char)c))
            return false;
        word = c != '.';
    }
    return word;
}

/* Units are in the names of keys. */
static const char *unit_of_key(ttp_str path)
{
    static const struct {
        const char *end, *unit;
    } known[] = {{"_us", "us"},         {"_ns", "ns"},       {"_ms", "ms"},
                 {"_s", "s"},           {"_percent", "%"},   {"_pct", "%"},
                 {"_gbs", "GB/s"},      {"_bytes", "bytes"}, {"_cycles", "cycles"},
                 {"_tflops", "TFLOP/s"}};

    for (size_t i = 0; i < TTP_COUNT(known); i++)
        if (ttp_str_ends(path, ttp_str_from(known[i].end)))
            return known[i].unit;
    return "";
}

static const char *last_key(ttp_str path, struct ttp_arena *arena)
{
    size_t from = path.len;

    while (from > 0 && path.ptr[from - 1] != '.')
        from--;
    return ttp_arena_zstr(arena, ttp_str_slice(path, from, path.len));
}

ttp_code ttp_measure_metric_parse(struct ttp_metric *out, const char *text, struct ttp_arena *arena,
                                  struct ttp_err *err)
{
    ttp_str rest = ttp_str_from(text);
    struct said said = {0};

    while (cut_setting(&rest, &said))
        ;
    *out = (struct ttp_metric){.kind = TTP_METRIC_PRINTED, .unit = ""};
    if (ttp_str_eq(rest, TTP_STR("wall"))) {
        *out = (struct ttp_metric){.kind = TTP_METRIC_WALL, .name = "wall", .unit = "s"};
        said.unit = (ttp_str){0};
    } else if (ttp_str_eq(rest, TTP_STR("device-time"))) {
        *out = (struct ttp_metric){.kind = TTP_METRIC_DEVICE, .name = "device-time", .unit = "s"};
        said.unit = (ttp_str){0};
    } else if (ttp_str_eq(rest, TTP_STR("kernel-cycles"))) {
        *out = (struct ttp_metric){
            .kind = TTP_METRIC_CYCLES, .name = "kernel-cycles", .unit = "cycles"};
        said.unit = (ttp_str){0};
    } else if (is_json_path(rest)) {
        const ttp_str path = ttp_str_slice(rest, strlen("json:"), rest.len);

        *out = (struct ttp_metric){.kind = TTP_METRIC_JSON,
                                   .name = last_key(path, arena),
                                   .unit = unit_of_key(path),
                                   .path = ttp_arena_zstr(arena, path)};
    } else {
        TTP_TRY(compile(out, rest, arena, err));
        out->name = guess_name(rest, arena);
    }
    const ttp_code rc = settle(out, &said, arena, err);
    if (rc != TTP_OK)
        ttp_measure_metric_clear(out);
    return rc;
}

void ttp_measure_metric_clear(struct ttp_metric *m)
{
    if (m->compiled)
        regfree(&m->compiled->re);
    m->compiled = NULL;
}

/* Digits with ',' between groups of three lose these. */
static bool to_number(double *out, ttp_str text)
{
    char plain[64];
    size_t n = 0;

    text = ttp_str_trim(text);
    if (text.len >= sizeof(plain))
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != ',')
            plain[n++] = text.ptr[i];
    return ttp_str_to_f64((ttp_str){plain, n}, out) && isfinite(*out);
}

struct tally {
    size_t matches;
    double value, sum;
};

static void count_value(struct tally *t, double v, enum ttp_take take)
{
    const bool first = t->matches++ == 0;

    t->sum += v;
    if (first || take == TTP_TAKE_LAST || (take == TTP_TAKE_MIN && v < t->value) ||
        (take == TTP_TAKE_MAX && v > t->value))
        t->value = v;
    if (take == TTP_TAKE_SUM || take == TTP_TAKE_MEAN)
        t->value = take == TTP_TAKE_SUM ? t->sum : t->sum / (double)t->matches;
}

static void learn_unit(struct ttp_metric *m, ttp_str unit, struct ttp_arena *arena)
{
    if (m->unit[0] || unit.len == 0 || unit.len > 32)
        return;
    m->unit = ttp_arena_zstr(arena, unit);
    if (!m->better_said)
        m->better = ttp_measure_metric_unit_better(unit);
}

static ttp_str group(ttp_str line, const regmatch_t *g)
{
    return g->rm_so < 0 ? (ttp_str){0} : ttp_str_slice(line, (size_t)g->rm_so, (size_t)g->rm_eo);
}

/* All matches in one line, which a NUL follows: not every regexec() heeds the end it is given. */
static ttp_code match_line(struct tally *t, struct ttp_metric *m, ttp_str line,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    size_t at = 0;

    while (at <= line.len) {
        regmatch_t found[3] = {{(regoff_t)at, (regoff_t)line.len}};
        double v;

        errno = 0;
        const int rc = regexec(&m->compiled->re, line.ptr, TTP_COUNT(found), found,
                               REG_STARTEND | (at ? REG_NOTBOL : 0));
        /* the GNU library says "no match" where it has no memory */
        if (rc == REG_ESPACE || (rc != 0 && errno == ENOMEM))
            ttp_arena_oom();
        if (rc != 0)
            break;
        const ttp_str number = group(line, &found[found[1].rm_so < 0 ? 0 : 1]);
        if (!to_number(&v, number))
            return ttp_fail(err, TTP_EPARSE, "metric '%.60s' matched '%.*s', not a number", m->name,
                            TTP_FMT(ttp_str_slice(number, 0, 40)));
        count_value(t, v, m->take);
        learn_unit(m, ttp_str_trim(group(line, &found[2])), arena);
        at = (size_t)found[0].rm_eo + (found[0].rm_eo == found[0].rm_so);
    }
    return TTP_OK;
}

static ttp_code match_lines(struct tally *t, struct ttp_metric *m, ttp_str text,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_arena scratch = {0};
    ttp_code rc = TTP_OK;
    ttp_str line;

    while (rc == TTP_OK && ttp_str_next_line(&text, &line)) {
        const size_t len = line.len < LINE_MAX_BYTES ? line.len : LINE_MAX_BYTES;

        ttp_arena_reset(&scratch);
        line = (ttp_str){ttp_arena_zstr(&scratch, ttp_str_slice(line, 0, len)), len};
        rc = match_line(t, m, line, arena, err);
    }
    ttp_arena_free(&scratch);
    return rc;
}

ttp_code ttp_measure_metric_value(double *out, struct ttp_metric *m,
                                  struct ttp_command_output output, struct ttp_arena *arena,
                                  struct ttp_err *err)
{
    struct tally t = {0};

    TTP_TRY(match_lines(&t, m, output.printed, arena, err));
    if (t.matches == 0)
        TTP_TRY(match_lines(&t, m, output.errors, arena, err));
    if (t.matches == 0)
        return ttp_fail(err, TTP_ENOTFOUND, "its output does not match '%.120s'", m->regex);
    if (!isfinite(t.value))
        return ttp_fail(err, TTP_EPARSE, "the matches of '%.120s' are too large", m->regex);
    *out = t.value;
    return TTP_OK;
}
