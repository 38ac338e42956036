/* SPDX-License-Identifier: Apache-2.0 */
#include "core/opts.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/num.h"

struct parser {
    char *opts; /* the options struct, as bytes */
    const struct ttp_opt *opt;
    size_t nopt;
    struct ttp_arena *arena;
    char **argv;
    int argc, next; /* next: first word not yet taken */
};

/* How the user wrote an option, for messages: "--name" or "-n". */
struct spelling {
    const char *dashes;
    ttp_str word;
};

#define SPELLED     "'%s%.*s'"
#define SPELLING(s) (s).dashes, TTP_FMT((s).word)

const struct ttp_opt *ttp_opts_expand(size_t *count, const struct ttp_opt *opt, size_t nopt,
                                      struct ttp_arena *arena)
{
    size_t all = 0, n = 0;

    for (size_t i = 0; i < nopt; i++)
        all += opt[i].table ? opt[i].table->count : 1;
    struct ttp_opt *out = TTP_NEW(arena, struct ttp_opt, all);
    for (size_t i = 0; i < nopt; i++) {
        const struct ttp_opt_table *table = opt[i].table;

        if (!table) {
            out[n++] = opt[i];
            continue;
        }
        for (size_t k = 0; k < table->count; k++) {
            out[n + k] = table->opt[k];
            out[n + k].offset += opt[i].offset;
        }
        if (opt[i].group)
            out[n].group = opt[i].group;
        n += table->count;
    }
    *count = n;
    return out;
}

const struct ttp_opt *ttp_opts_target(const struct ttp_opt *opt, size_t nopt, size_t i)
{
    if (!opt[i].alias_of)
        return &opt[i];
    for (size_t k = 0; k < nopt; k++)
        if (!opt[k].alias_of && strcmp(opt[k].name, opt[i].alias_of) == 0)
            return &opt[k];
    assert(!"an alias of nothing");
    return &opt[i];
}

int ttp_opts_choice(const char *const *choices, ttp_str word)
{
    for (int i = 0; choices[i]; i++)
        if (ttp_str_eq(ttp_str_from(choices[i]), word))
            return i;
    return -1;
}

/* As in the name of a variable: '_' for '-'. */
static char upper(char c)
{
    if (c == '-')
        return '_';
    if (c >= 'a' && c <= 'z')
        return (char)(c - 'a' + 'A');
    return c;
}

ttp_str ttp_opts_metavar(const struct ttp_opt *o, struct ttp_arena *arena)
{
    struct ttp_sink s;

    if (o->type == TTP_OPT_FLAG)
        return TTP_STR("");
    if (o->metavar)
        return ttp_str_from(o->metavar);
    ttp_sink_to_arena(&s, arena);
    if (o->type == TTP_OPT_CHOICE) {
        for (size_t i = 0; o->choices[i]; i++)
            ttp_sink_printf(&s, "%s%s", i ? "|" : "", o->choices[i]);
    } else {
        for (const char *p = o->name; *p; p++)
            ttp_sink_char(&s, upper(*p));
    }
    return ttp_sink_text(&s);
}

const char *ttp_opts_help(const struct ttp_opt *o, struct ttp_arena *arena)
{
    struct ttp_sink s;

    if (o->type != TTP_OPT_CHOICE || !o->metavar)
        return o->help;
    ttp_sink_to_arena(&s, arena);
    ttp_sink_printf(&s, "%s; %s is one of ", o->help, o->metavar);
    for (size_t i = 0; o->choices[i]; i++)
        ttp_sink_printf(&s, "%s%s", i ? ", " : "", o->choices[i]);
    return ttp_arena_zstr(arena, ttp_sink_text(&s));
}

/* Longer words are not misspellings. */
#define NEAREST_MAX 40

/* Insertions, deletions, substitutions and swaps of neighbours that turn a into b. */
static size_t edit_distance(ttp_str a, ttp_str b)
{
    size_t row[3][NEAREST_MAX + 1] = {0};
    size_t *before = row[0], *above = row[1], *here = row[2];

    for (size_t k = 0; k <= b.len; k++)
        above[k] = k;
    for (size_t i = 1; i <= a.len; i++) {
        here[0] = i;
        for (size_t k = 1; k <= b.len; k++) {
            size_t best = above[k - 1] + (a.ptr[i - 1] != b.ptr[k - 1]);

            if (above[k] + 1 < best)
                best = above[k] + 1;
            if (here[k - 1] + 1 < best)
                best = here[k - 1] + 1;
            if (i > 1 && k > 1 && a.ptr[i - 1] == b.ptr[k - 2] && a.ptr[i - 2] == b.ptr[k - 1] &&
                before[k - 2] + 1 < best)
                best = before[k - 2] + 1;
            here[k] = best;
        }
        size_t *const oldest = before;
        before = above;
        above = here;
        here = oldest;
    }
    return above[b.len];
}

const char *ttp_opts_nearest(const char *word, const char *const *candidates)
{
    const ttp_str w = ttp_str_from(word);
    const char *best = NULL;
    size_t best_distance = w.len / 3 + 2; /* further away is a different word */

    if (w.len == 0 || w.len > NEAREST_MAX)
        return NULL;
    for (size_t i = 0; candidates[i]; i++) {
        const ttp_str c = ttp_str_from(candidates[i]);
        /* a word that keeps less than half of its letters is not suggested: 'md' for 'xml' */
        const size_t distance = c.len > NEAREST_MAX ? NEAREST_MAX : edit_distance(w, c);

        if (distance < best_distance && distance * 2 <= w.len) {
            best_distance = distance;
            best = candidates[i];
        }
    }
    return best;
}

static ttp_code set_int(int64_t *out, const struct ttp_opt *o, const char *value,
                        struct spelling as, struct ttp_err *err)
{
    int64_t v;

    if (!ttp_str_to_i64(ttp_str_from(value), &v))
        return ttp_fail(err, TTP_EUSAGE, "option " SPELLED ": '%s' is not a whole number",
                        SPELLING(as), value);
    if ((o->min || o->max) && (v < o->min || v > o->max))
        return ttp_fail(err, TTP_EUSAGE, "option " SPELLED ": %s is not between %lld and %lld",
                        SPELLING(as), value, (long long)o->min, (long long)o->max);
    *out = v;
    return TTP_OK;
}

ttp_code ttp_opts_fail_choice(const char *const *choices, const char *word, const char *prefix,
                              struct ttp_err *err)
{
    const char *near = ttp_opts_nearest(word, choices);
    char list[sizeof(err->text)] = "";
    size_t n = 0;

    for (size_t i = 0; choices[i] && n < sizeof(list); i++)
        n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "", choices[i]);
    /* what does not fit next to the word is reported after it */
    if (strlen(prefix) + strlen(word) + strlen(list) + 32 < sizeof(err->text)) {
        ttp_fail(err, TTP_EUSAGE, "%s'%s' is not one of %s", prefix, word, list);
    } else {
        ttp_fail(err, TTP_EUSAGE, "%s'%s' is not a valid value", prefix, word);
        ttp_err_hint(err, "use one of %s", list);
    }
    if (near)
        ttp_err_hint(err, "did you mean '%s'?", near);
    return TTP_EUSAGE;
}

/* More is a typing mistake. */
#define PERCENT_MAX 1000

static ttp_code set_percent(double *out, const char *value, struct spelling as, struct ttp_err *err)
{
    ttp_str text = ttp_str_trim(ttp_str_from(value));
    double percent;

    if (ttp_str_ends(text, TTP_STR("%")))
        text = ttp_str_trim(ttp_str_slice(text, 0, text.len - 1));
    if (!ttp_str_to_f64(text, &percent) || !(percent >= 0 && percent <= PERCENT_MAX)) {
        ttp_fail(err, TTP_EUSAGE, "option " SPELLED ": '%.60s' is not a percentage", SPELLING(as),
                 value);
        ttp_err_hint(err, "for example 2%% or 0.5");
        return TTP_EUSAGE;
    }
    *out = percent / 100;
    return TTP_OK;
}

static ttp_code set_choice(int *out, const struct ttp_opt *o, const char *value, struct spelling as,
                           struct ttp_err *err)
{
    const int i = ttp_opts_choice(o->choices, ttp_str_from(value));
    char prefix[sizeof(err->text)];

    if (i >= 0) {
        *out = i;
        return TTP_OK;
    }
    snprintf(prefix, sizeof(prefix), "option " SPELLED ": ", SPELLING(as));
    return ttp_opts_fail_choice(o->choices, value, prefix, err);
}

static ttp_code set_value(struct parser *p, const struct ttp_opt *o, const char *value,
                          struct spelling as, struct ttp_err *err)
{
    void *field = p->opts + o->offset;
    double number;

    switch (o->type) {
    case TTP_OPT_FLAG: /* has no value */
        break;
    case TTP_OPT_STR:
        *(const char **)field = value;
        break;
    case TTP_OPT_INT:
        return set_int(field, o, value, as, err);
    case TTP_OPT_FLOAT:
        if (!ttp_str_to_f64(ttp_str_from(value), &number) || isnan(number))
            return ttp_fail(err, TTP_EUSAGE, "option " SPELLED ": '%s' is not a number",
                            SPELLING(as), value);
        *(double *)field = number;
        break;
    case TTP_OPT_PERCENT:
        return set_percent(field, value, as, err);
    case TTP_OPT_CHOICE:
        return set_choice(field, o, value, as, err);
    case TTP_OPT_LIST:
        ttp_words_add(field, value, p->arena);
        break;
    }
    return TTP_OK;
}

struct ttp_words ttp_opts_split_words(const char *list, struct ttp_arena *arena)
{
    ttp_str rest = ttp_str_from(list);
    struct ttp_words out = {0};

    while (rest.len) {
        const size_t comma = ttp_str_find_char(rest, ',');
        const ttp_str word = ttp_str_trim(ttp_str_slice(rest, 0, comma));

        if (word.len)
            ttp_words_add(&out, ttp_arena_zstr(arena, word), arena);
        rest = ttp_str_slice(rest, comma == TTP_NPOS ? rest.len : comma + 1, rest.len);
    }
    return out;
}

static ttp_code unknown_long(const struct parser *p, ttp_str name, struct ttp_err *err)
{
    const char **names = TTP_NEW(p->arena, const char *, p->nopt + 1);
    char word[NEAREST_MAX + 2];
    size_t n = 0;

    for (size_t i = 0; i < p->nopt; i++)
        if (!p->opt[i].hidden)
            names[n++] = p->opt[i].name;
    ttp_fail(err, TTP_EUSAGE, "unknown option '--%.*s'", TTP_FMT(name));
    if (name.len < sizeof(word)) {
        memcpy(word, name.ptr, name.len);
        word[name.len] = '\0';
        const char *near = ttp_opts_nearest(word, names);
        if (near)
            ttp_err_hint(err, "did you mean '--%s'?", near);
    }
    return TTP_EUSAGE;
}

static bool begins(ttp_str name, const struct ttp_opt *o)
{
    return strncmp(o->name, name.ptr, name.len) == 0;
}

static ttp_code ambiguous(const struct parser *p, ttp_str name, struct ttp_err *err)
{
    struct ttp_sink list;
    bool some = false;

    ttp_sink_to_arena(&list, p->arena);
    for (size_t i = 0; i < p->nopt; i++) {
        if (p->opt[i].hidden || !begins(name, &p->opt[i]))
            continue;
        ttp_sink_printf(&list, "%s'--%s'", some ? ", " : "", p->opt[i].name);
        some = true;
    }
    ttp_fail(err, TTP_EUSAGE, "option '--%.*s' is ambiguous", TTP_FMT(name));
    ttp_err_hint(err, "it could be %.*s", TTP_FMT(ttp_sink_text(&list)));
    return TTP_EUSAGE;
}

/* An exact name, else the only option it begins. Hidden ones want to be written in full. */
static ttp_code find_long(const struct ttp_opt **out, const struct parser *p, ttp_str name,
                          struct ttp_err *err)
{
    const struct ttp_opt *found = NULL;
    bool several = false;

    for (size_t i = 0; i < p->nopt; i++) {
        if (!begins(name, &p->opt[i]))
            continue;
        const struct ttp_opt *target = ttp_opts_target(p->opt, p->nopt, i);
        if (p->opt[i].name[name.len] == '\0') {
            *out = target;
            return TTP_OK;
        }
        if (p->opt[i].hidden)
            continue;
        several = several || (found && found != target);
        found = target;
    }
    if (several)
        return ambiguous(p, name, err);
    if (!found)
        return unknown_long(p, name, err);
    *out = found;
    return TTP_OK;
}

static ttp_code take_value(struct parser *p, const struct ttp_opt *o, struct spelling as,
                           struct ttp_err *err)
{
    if (o->type == TTP_OPT_FLAG) {
        *(bool *)(p->opts + o->offset) = true;
        return TTP_OK;
    }
    if (p->next == p->argc)
        return ttp_fail(err, TTP_EUSAGE, "option " SPELLED " needs a value", SPELLING(as));
    return set_value(p, o, p->argv[p->next++], as, err);
}

static ttp_code parse_long(struct parser *p, const char *word, struct ttp_err *err)
{
    const char *equals = strchr(word, '=');
    const ttp_str name = equals ? (ttp_str){word, (size_t)(equals - word)} : ttp_str_from(word);
    const struct ttp_opt *o;

    TTP_TRY(find_long(&o, p, name, err));
    const struct spelling as = {"--", ttp_str_from(o->name)};
    if (!equals)
        return take_value(p, o, as, err);
    if (o->type == TTP_OPT_FLAG)
        return ttp_fail(err, TTP_EUSAGE, "option " SPELLED " takes no value", SPELLING(as));
    return set_value(p, o, equals + 1, as, err);
}

static ttp_code parse_letters(struct parser *p, const char *word, struct ttp_err *err)
{
    for (; *word; word++) {
        const struct spelling as = {"-", {word, 1}};
        const struct ttp_opt *o = NULL;

        for (size_t i = 0; i < p->nopt && !o; i++)
            if (p->opt[i].letter == *word)
                o = ttp_opts_target(p->opt, p->nopt, i);
        if (!o)
            return ttp_fail(err, TTP_EUSAGE, "unknown option " SPELLED, SPELLING(as));
        if (o->type != TTP_OPT_FLAG && word[1])
            return set_value(p, o, word + 1, as, err);
        TTP_TRY(take_value(p, o, as, err));
        if (o->type != TTP_OPT_FLAG)
            break;
    }
    return TTP_OK;
}

ttp_code ttp_opts_parse(struct ttp_opts_given *out, const struct ttp_opts_grammar *grammar,
                        struct ttp_arguments given, struct ttp_arena *arena, struct ttp_err *err)
{
    struct parser p = {out->opts, grammar->opt, grammar->count, arena, given.word, given.count, 0};
    struct ttp_words *operands = &out->operands;
    ttp_code first = TTP_OK;

    *operands = (struct ttp_words){TTP_NEW(arena, const char *, (size_t)given.count + 1), 0};
    out->dashdash = TTP_NPOS;
    while (p.next < p.argc) {
        const char *word = p.argv[p.next++];
        ttp_code rc = TTP_OK;
        struct ttp_err *const where =
            first == TTP_OK ? err : NULL; /* the first mistake is reported */

        if (out->dashdash != TTP_NPOS || (grammar->command && operands->count) || word[0] != '-' ||
            word[1] == '\0')
            operands->word[operands->count++] = word;
        else if (word[1] != '-')
            rc = parse_letters(&p, word + 1, where);
        else if (word[2] != '\0')
            rc = parse_long(&p, word + 2, where);
        else
            out->dashdash = operands->count;
        if (first == TTP_OK)
            first = rc;
    }
    if (out->dashdash == TTP_NPOS)
        out->dashdash = operands->count;
    return first;
}
