/* SPDX-License-Identifier: Apache-2.0 */
/* field_filter.c - expressions over fields: "bound=DRAM and (cores<10 or time>100)". */
#include "base/field.h"
#include "base/iso_time.h"
#include "base/num.h"

/* Deep nesting is rejected, because parsing recurses on it. */
#define MAX_DEPTH 64

enum node_kind { NODE_AND, NODE_OR, NODE_NOT, NODE_COMPARE };
enum comparison { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_HAS, CMP_LACKS };

struct ttp_filter {
    enum node_kind kind;
    struct ttp_filter *left, *right;
    /* of NODE_COMPARE */
    const struct ttp_field *field;
    enum comparison comparison;
    ttp_str text;
    double number;
    bool is_number, is_none;
};

struct parser {
    const struct ttp_fields *fields;
    ttp_str text;
    size_t at;
    int depth;
    struct ttp_arena *arena;
    struct ttp_err *err;
};

static void skip_blanks(struct parser *p)
{
    while (p->at < p->text.len && (p->text.ptr[p->at] == ' ' || p->text.ptr[p->at] == '\t'))
        p->at++;
}

static bool is_word_char(char c)
{
    return c && !memchr(" \t()=!<>~'\"", c, 12);
}

/* The word at the current place, not consumed. */
static ttp_str peek_word(struct parser *p)
{
    size_t end;

    skip_blanks(p);
    for (end = p->at; end < p->text.len && is_word_char(p->text.ptr[end]);)
        end++;
    return ttp_str_slice(p->text, p->at, end);
}

static bool has_any_case(ttp_str s, ttp_str part)
{
    for (size_t i = 0; i + part.len <= s.len; i++)
        if (ttp_str_eq_any_case(ttp_str_slice(s, i, i + part.len), part))
            return true;
    return false;
}

static bool take_keyword(struct parser *p, ttp_str keyword)
{
    const ttp_str word = peek_word(p);

    if (!ttp_str_eq_any_case(word, keyword))
        return false;
    p->at += word.len;
    return true;
}

static bool take_char(struct parser *p, char c)
{
    skip_blanks(p);
    if (p->at >= p->text.len || p->text.ptr[p->at] != c)
        return false;
    p->at++;
    return true;
}

static ttp_code fail_here(struct parser *p, const char *expected)
{
    const ttp_str rest = ttp_str_slice(p->text, p->at, p->at + 20);

    if (rest.len)
        return ttp_fail_at(p->err, TTP_EUSAGE, p->at, "%s expected at '%.*s'", expected,
                           TTP_FMT(rest));
    return ttp_fail_at(p->err, TTP_EUSAGE, p->at, "%s expected at the end of '%.*s'", expected,
                       (int)(p->text.len < 80 ? p->text.len : 80), p->text.ptr);
}

static ttp_code take_field(struct parser *p, struct ttp_filter *node)
{
    const ttp_str word = peek_word(p);

    if (word.len == 0)
        return fail_here(p, "a column name");
    node->field = ttp_fields_find(p->fields, word);
    if (!node->field) {
        const ttp_code rc = ttp_fields_unknown(p->fields, word, p->err);
        if (p->err)
            p->err->offset = p->at;
        return rc;
    }
    p->at += word.len;
    return TTP_OK;
}

static ttp_code take_comparison(struct parser *p, struct ttp_filter *node)
{
    static const struct {
        const char *sign;
        enum comparison comparison;
    } signs[] = {{"==", CMP_EQ}, {"!=", CMP_NE}, {"<=", CMP_LE}, {">=", CMP_GE}, {"!~", CMP_LACKS},
                 {"=", CMP_EQ},  {"<", CMP_LT},  {">", CMP_GT},  {"~", CMP_HAS}};

    skip_blanks(p);
    for (size_t i = 0; i < TTP_COUNT(signs); i++) {
        const ttp_str sign = ttp_str_from(signs[i].sign);
        if (ttp_str_starts(ttp_str_slice(p->text, p->at, p->text.len), sign)) {
            p->at += sign.len;
            node->comparison = signs[i].comparison;
            return TTP_OK;
        }
    }
    return fail_here(p, "one of = != < <= > >= ~ !~");
}

static ttp_code take_value(struct parser *p, struct ttp_filter *node)
{
    skip_blanks(p);
    char quote = 0;
    if (p->at < p->text.len)
        quote = p->text.ptr[p->at];
    if (quote == '\'' || quote == '"') {
        const size_t end = ttp_str_find_char(ttp_str_slice(p->text, p->at + 1, p->text.len), quote);
        if (end == TTP_NPOS)
            return fail_here(p, "a closing quote");
        node->text = ttp_str_slice(p->text, p->at + 1, p->at + 1 + end);
        p->at += end + 2;
        return TTP_OK;
    }
    node->text = peek_word(p);
    if (node->text.len == 0)
        return fail_here(p, "a value");
    p->at += node->text.len;
    node->is_number = ttp_str_to_f64(node->text, &node->number);
    node->is_none = ttp_str_eq_any_case(node->text, TTP_STR("none"));
    return TTP_OK;
}

/* A moment is compared with one that is written as ISO 8601 has it. */
static ttp_code take_moment(struct parser *p, struct ttp_filter *node)
{
    int64_t ns;

    if (node->is_none)
        return TTP_OK;
    if (!ttp_iso_parse(&ns, node->text))
        return ttp_fail_at(p->err, TTP_EUSAGE, p->at,
                           "'%s' is a time, '%.*s' is not: use 2026-11-15 or 2026-11-15T23:47",
                           node->field->id, (int)(node->text.len < 60 ? node->text.len : 60),
                           node->text.ptr);
    node->is_number = true;
    node->number = (double)ns;
    return TTP_OK;
}

static ttp_code check_types(struct parser *p, struct ttp_filter *node)
{
    const bool ordered = node->comparison != CMP_EQ && node->comparison != CMP_NE &&
                         node->comparison != CMP_HAS && node->comparison != CMP_LACKS;
    const bool text = node->field->type == TTP_TEXT || node->field->type == TTP_BOOL;

    if (node->is_none && ordered)
        return ttp_fail_at(p->err, TTP_EUSAGE, p->at,
                           "'none' cannot be ordered: compare it with = or !=");
    if (node->field->type == TTP_MOMENT)
        return take_moment(p, node);
    if (!text && !node->is_number && !node->is_none)
        return ttp_fail_at(p->err, TTP_EUSAGE, p->at, "'%s' is a number, '%.*s' is not",
                           node->field->id, (int)(node->text.len < 60 ? node->text.len : 60),
                           node->text.ptr);
    return TTP_OK;
}

/* Nesting is limited, so these may call each other. NOLINTBEGIN(misc-no-recursion) */
static ttp_code parse_or(struct parser *p, struct ttp_filter **out);

static ttp_code parse_term(struct parser *p, struct ttp_filter **out)
{
    ttp_code rc = TTP_OK;

    if (++p->depth > MAX_DEPTH)
        return ttp_fail_at(p->err, TTP_EUSAGE, p->at, "more than %d levels of nesting", MAX_DEPTH);
    *out = TTP_NEW(p->arena, struct ttp_filter, 1);
    if (take_keyword(p, TTP_STR("not"))) {
        (*out)->kind = NODE_NOT;
        rc = parse_term(p, &(*out)->left);
    } else if (take_char(p, '(')) {
        rc = parse_or(p, out);
        if (rc == TTP_OK && !take_char(p, ')'))
            rc = fail_here(p, "')'");
    } else {
        (*out)->kind = NODE_COMPARE;
        rc = take_field(p, *out);
        if (rc == TTP_OK)
            rc = take_comparison(p, *out);
        if (rc == TTP_OK)
            rc = take_value(p, *out);
        if (rc == TTP_OK)
            rc = check_types(p, *out);
    }
    p->depth--;
    return rc;
}

static ttp_code parse_chain(struct parser *p, struct ttp_filter **out, enum node_kind kind)
{
    const ttp_str keyword = kind == NODE_AND ? TTP_STR("and") : TTP_STR("or");

    TTP_TRY(kind == NODE_AND ? parse_term(p, out) : parse_chain(p, out, NODE_AND));
    while (take_keyword(p, keyword)) {
        struct ttp_filter *node = TTP_NEW(p->arena, struct ttp_filter, 1);
        node->kind = kind;
        node->left = *out;
        *out = node;
        TTP_TRY(kind == NODE_AND ? parse_term(p, &node->right)
                                 : parse_chain(p, &node->right, NODE_AND));
    }
    return TTP_OK;
}

static ttp_code parse_or(struct parser *p, struct ttp_filter **out)
{
    return parse_chain(p, out, NODE_OR);
}
/* NOLINTEND(misc-no-recursion) */

/* Longer chains than this are not expression anyone typed; evaluation recurses on the left side. */
#define MAX_LENGTH 4096

ttp_code ttp_filter_parse(struct ttp_filter **out, const struct ttp_fields *fields, ttp_str text,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    struct parser p = {.fields = fields, .text = text, .arena = arena, .err = err};

    if (text.len > MAX_LENGTH)
        return ttp_fail(err, TTP_EUSAGE, "the expression is longer than %d bytes", MAX_LENGTH);
    ttp_code rc = parse_or(&p, out);
    skip_blanks(&p);
    if (rc == TTP_OK && p.at != text.len)
        rc = fail_here(&p, "'and', 'or' or the end");
    if (rc != TTP_OK && err && !err->hint[0])
        ttp_err_hint(err, "use comparisons such as bound=DRAM or time>100, combined with and, "
                          "or, not and parentheses");
    return rc;
}

static bool compare_order(enum comparison c, int order)
{
    switch (c) {
    case CMP_EQ:
        return order == 0;
    case CMP_NE:
        return order != 0;
    case CMP_LT:
        return order < 0;
    case CMP_LE:
        return order <= 0;
    case CMP_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

static bool compare_text(const struct ttp_filter *f, ttp_str s)
{
    if (f->comparison == CMP_HAS || f->comparison == CMP_LACKS)
        return has_any_case(s, f->text) == (f->comparison == CMP_HAS);
    if (f->comparison == CMP_EQ || f->comparison == CMP_NE)
        return ttp_str_eq_any_case(s, f->text) == (f->comparison == CMP_EQ);
    return compare_order(f->comparison, ttp_str_cmp(s, f->text));
}

static bool compare_value(const struct ttp_filter *f, const void *context, const void *row)
{
    const struct ttp_value v = ttp_field_value(f->field, context, row);

    if (f->is_none)
        return (v.kind == TTP_VALUE_NONE) == (f->comparison == CMP_EQ);
    if (v.kind == TTP_VALUE_NONE)
        return f->comparison == CMP_NE || f->comparison == CMP_LACKS;
    if (ttp_value_is_text(v))
        return compare_text(f, v.v.text);
    const double number = ttp_value_number(v);
    return compare_order(f->comparison, (number > f->number) - (number < f->number));
}

/* As deep as the expression, whose length is limited. NOLINTNEXTLINE(misc-no-recursion) */
bool ttp_filter_keeps(const struct ttp_filter *f, const void *context, const void *row)
{
    switch (f->kind) {
    case NODE_AND:
        return ttp_filter_keeps(f->left, context, row) && ttp_filter_keeps(f->right, context, row);
    case NODE_OR:
        return ttp_filter_keeps(f->left, context, row) || ttp_filter_keeps(f->right, context, row);
    case NODE_NOT:
        return !ttp_filter_keeps(f->left, context, row);
    default:
        return compare_value(f, context, row);
    }
}
