/* SPDX-License-Identifier: Apache-2.0 */
/* secret_names.c - which names have secrets for values, and which values may be secrets. */
#include <math.h>

#include "base/secret_parts.h"

#define PARTS_MAX 12

static bool is_in(ttp_str word, const char *list)
{
    ttp_str rest = ttp_str_from(list), field[2];

    while (rest.len) {
        const size_t n = ttp_str_split(rest, ' ', field, 2);

        if (ttp_str_eq_any_case(word, field[0]))
            return true;
        rest = n > 1 ? ttp_str_slice(rest, field[0].len + 1, rest.len) : (ttp_str){0};
    }
    return false;
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "HF_TOKEN", "--api-key" and "apiKey" are two parts each; digits at an end do not count. */
static size_t split_name(ttp_str part[PARTS_MAX], ttp_str name)
{
    size_t n = 0, from = 0;

    for (size_t i = 0; i <= name.len && n < PARTS_MAX; i++) {
        const bool sign =
            i == name.len || name.ptr[i] == '_' || name.ptr[i] == '-' || name.ptr[i] == '.';
        const bool hump = !sign && i > from && is_upper(name.ptr[i]) && is_lower(name.ptr[i - 1]);

        if (!sign && !hump)
            continue;
        ttp_str one = ttp_str_slice(name, from, i);
        while (one.len && is_digit(one.ptr[one.len - 1]))
            one.len--;
        if (one.len)
            part[n++] = one;
        from = hump ? i : i + 1;
    }
    return n;
}

/* "PGPASSWORD", "dbpasswd", "apikey": the end of a word says it. */
static bool ends_as_secret(ttp_str word)
{
    static const char *const ends[] = {"password",    "passwd",    "passphrase", "secret",
                                       "apikey",      "accesskey", "secretkey",  "authtoken",
                                       "accesstoken", "apitoken"};

    for (size_t i = 0; i < TTP_COUNT(ends); i++) {
        const ttp_str end = ttp_str_from(ends[i]);

        if (word.len >= end.len &&
            ttp_str_eq_any_case(ttp_str_slice(word, word.len - end.len, word.len), end))
            return true;
    }
    return false;
}

enum ttp_secret_name ttp_secret_name(ttp_str name)
{
    ttp_str part[PARTS_MAX];
    const size_t n = split_name(part, name);

    if (n == 0)
        return TTP_SECRET_NEVER;
    const ttp_str last = part[n - 1], before = n > 1 ? part[n - 2] : (ttp_str){0};
    /* a thing about the secret, not the secret itself */
    if (is_in(last, "file files path env var variable len length size name names count id ids type "
                    "field min max policy dir folder url uri prompt stdin store manager expiry ttl "
                    "limit ratio dim dims index format mode size required"))
        return TTP_SECRET_NEVER;
    if (is_in(last, "credential credentials secrets authorization bearer jwt cookie passcode"))
        return TTP_SECRET_ALWAYS;
    for (size_t i = 0; i < n; i++)
        if (ends_as_secret(part[i]))
            return TTP_SECRET_ALWAYS;
    if (is_in(last, "key keys") &&
        is_in(before, "api access secret private auth signing encryption account storage master "
                      "service subscription session"))
        return TTP_SECRET_ALWAYS;
    if (is_in(last, "pwd"))
        return n > 1 ? TTP_SECRET_ALWAYS : TTP_SECRET_WORD;
    if (is_in(last, "pass"))
        return n > 1 ? TTP_SECRET_WORD : TTP_SECRET_RANDOM;
    if (is_in(last, "token"))
        /* of language models */
        return is_in(before, "pad eos bos unk sep cls mask image stop end start max min num n per "
                             "first last next special new prompt input output decode prefill "
                             "context vocab draft video audio sos begin user assistant system")
                   ? TTP_SECRET_RANDOM
                   : TTP_SECRET_WORD;
    if (is_in(last, "tokens key keys auth sig signature sas pat"))
        return TTP_SECRET_RANDOM;
    return TTP_SECRET_NEVER;
}

static bool is_number(ttp_str v)
{
    for (size_t i = 0; i < v.len; i++)
        if (!is_digit(v.ptr[i]) && v.ptr[i] != '.')
            return false;
    return true;
}

/* Long, of letters and digits, with as many different ones as random text has. */
static bool looks_random(ttp_str v)
{
    size_t seen[256] = {0}, digits = 0, letters = 0, slashes = 0, dots = 0;
    double bits = 0;

    if (v.len < 16)
        return false;
    for (size_t i = 0; i < v.len; i++) {
        const char c = v.ptr[i];

        if (!is_digit(c) && !is_upper(c) && !is_lower(c) && !strchr("+/_=.~-", c))
            return false;
        digits += is_digit(c);
        letters += is_upper(c) || is_lower(c);
        slashes += c == '/';
        dots += c == '.';
        seen[(unsigned char)c]++;
    }
    /* a path has slashes and an ending */
    if (digits == 0 || letters == 0 || v.ptr[0] == '/' || (slashes && (dots || v.len < 32)))
        return false;
    for (size_t i = 0; i < TTP_COUNT(seen); i++)
        if (seen[i]) {
            const double p = (double)seen[i] / (double)v.len;
            bits -= p * log2(p);
        }
    return bits >= 3.3;
}

bool ttp_secret_value(enum ttp_secret_name name, ttp_str v)
{
    if (v.len == 0 || strchr("$<{[*-", v.ptr[0]) || ttp_str_starts(v, TTP_STR("%(")) ||
        is_in(v, "true false yes no on off none null auto default required optional prompt stdin"))
        return false;
    switch (name) {
    case TTP_SECRET_ALWAYS:
        return true;
    case TTP_SECRET_WORD: /* $PWD is a folder, a token may be counted */
        return !is_number(v) && !strchr("/.~", v.ptr[0]);
    case TTP_SECRET_RANDOM:
        return looks_random(v);
    default:
        return false;
    }
}

/* ---- forms ---- */

enum { DIGITS = 1, UPPER = 2, LOWER = 4, LINE = 8, DASH = 16, DOT = 32 };
#define LETTERS (UPPER | LOWER)
#define WORD    (LETTERS | DIGITS)

static unsigned class_of(char c)
{
    static const struct {
        char sign;
        unsigned class;
    } signs[] = {{'_', LINE}, {'-', DASH}, {'.', DOT}};

    for (size_t i = 0; i < TTP_COUNT(signs); i++)
        if (c == signs[i].sign)
            return signs[i].class;
    if (is_digit(c))
        return DIGITS;
    if (is_upper(c))
        return UPPER;
    return is_lower(c) ? LOWER : 0;
}

static size_t run_of(ttp_str s, size_t from, unsigned set)
{
    size_t i = from;

    while (i < s.len && (class_of(s.ptr[i]) & set))
        i++;
    return i - from;
}

/* A name of a thing has neither digits nor capitals in its middle. */
static bool is_mixed(ttp_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (is_digit(s.ptr[i]) || is_upper(s.ptr[i]))
            return true;
    return false;
}

static size_t private_key(ttp_str s)
{
    static const ttp_str begin = {"-----BEGIN ", 11}, end = {"PRIVATE KEY-----", 16};

    if (!ttp_str_starts(s, begin))
        return 0;
    const size_t first = ttp_str_find(s, end);
    if (first == TTP_NPOS || first > 64)
        return 0;
    const size_t body = first + end.len;
    const size_t second = ttp_str_find(ttp_str_slice(s, body, s.len), end);
    /* without its end: as far as it is base64, also with line ends as JSON has them */
    if (second != TTP_NPOS)
        return body + second + end.len;
    size_t n = body;
    while (n < s.len && s.ptr[n] != '"' && s.ptr[n] != '\'')
        n++;
    return n;
}

size_t ttp_secret_form(ttp_str s)
{
    static const struct {
        ttp_str prefix;
        unsigned set;
        size_t min, max;
    } forms[] = {
#define FORM(prefix, set, min, max) {{prefix, sizeof(prefix) - 1}, set, min, max}
        FORM("AKIA", UPPER | DIGITS, 16, 16),
        FORM("ASIA", UPPER | DIGITS, 16, 16),
        FORM("ghp_", WORD, 16, 255),
        FORM("gho_", WORD, 16, 255),
        FORM("ghu_", WORD, 16, 255),
        FORM("ghs_", WORD, 16, 255),
        FORM("ghr_", WORD, 16, 255),
        FORM("github_pat_", WORD | LINE, 16, 255),
        FORM("hf_", WORD, 16, 255),
        FORM("glpat-", WORD | LINE | DASH, 16, 255),
        FORM("sk-", WORD | LINE | DASH, 20, 255),
        FORM("sk_live_", WORD, 16, 255),
        FORM("rk_live_", WORD, 16, 255),
        FORM("xoxb-", WORD | DASH, 16, 255),
        FORM("xoxp-", WORD | DASH, 16, 255),
        FORM("xoxa-", WORD | DASH, 16, 255),
        FORM("xoxs-", WORD | DASH, 16, 255),
        FORM("AIza", WORD | LINE | DASH, 30, 255),
        FORM("ya29.", WORD | LINE | DASH, 20, 1000),
        FORM("npm_", WORD, 30, 255),
        FORM("pypi-", WORD | LINE | DASH, 30, 1000),
        FORM("dckr_pat_", WORD | LINE | DASH, 16, 255),
        FORM("hvs.", WORD | LINE | DASH, 20, 255),
        FORM("eyJ", WORD | LINE | DASH | DOT, 20, 8000),
#undef FORM
    };

    for (size_t i = 0; i < TTP_COUNT(forms); i++) {
        if (!ttp_str_starts(s, forms[i].prefix))
            continue;
        const size_t n = run_of(s, forms[i].prefix.len, forms[i].set);
        const ttp_str rest = ttp_str_slice(s, forms[i].prefix.len, forms[i].prefix.len + n);

        if (n < forms[i].min || n > forms[i].max || !is_mixed(rest))
            continue;
        if (ttp_str_eq(forms[i].prefix, TTP_STR("eyJ")) && !ttp_str_has(rest, TTP_STR(".")))
            continue; /* three parts, or two */
        return forms[i].prefix.len + n;
    }
    return private_key(s);
}
