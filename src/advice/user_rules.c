/* SPDX-License-Identifier: Apache-2.0 */
/* user_rules.c - rules from a text file: docs/formats/rules.md describes it. */
#include <math.h>

#include "advice/advice.h"
#include "base/num.h"
#include "base/vec.h"

#define MAX_RULES 10000

struct reader {
    struct ttp_user_rules *rules;
    const char *path;
    uint64_t line;
    struct ttp_arena *arena;
    struct ttp_err *err;
};

static ttp_code bad(struct reader *r, const char *hint)
{
    ttp_err_where(r->err, r->path, r->line);
    ttp_err_hint(r->err, "%s", hint);
    return TTP_EPARSE;
}

static ttp_code new_rule(struct reader *r, ttp_str id)
{
    bool good = id.len > 0;

    for (size_t i = 0; i < id.len && good; i++)
        good = (id.ptr[i] >= 'a' && id.ptr[i] <= 'z') || (id.ptr[i] >= '0' && id.ptr[i] <= '9') ||
               id.ptr[i] == '-';
    if (!good || r->rules->count == MAX_RULES) {
        ttp_fail(r->err, TTP_EPARSE, good ? "too many rules" : "invalid rule name");
        return bad(r, "use lower-case letters, digits and '-', for example 'rule my-rule'");
    }
    *TTP_PUSH(r->arena, r->rules->item, r->rules->count) =
        (struct ttp_user_rule){.info = {.id = ttp_arena_zstr(r->arena, id),
                                        .step = TTP_STEP_MEMORY,
                                        .title = "",
                                        .why = "one of your rules applies",
                                        .verify = "the ops are faster",
                                        .factor = "remaining time according to the rule",
                                        .risk = "unknown: a rule of your own",
                                        .basis = TTP_BASIS_GUESSED}};
    return TTP_OK;
}

/* "30%" of the op's time, or "5us". */
static ttp_code set_gain(struct reader *r, struct ttp_user_rule *rule, ttp_str text)
{
    const bool part = ttp_str_ends(text, TTP_STR("%")), us = ttp_str_ends(text, TTP_STR("us"));
    double v;

    if ((!part && !us) ||
        !ttp_str_to_f64(ttp_str_trim(ttp_str_slice(text, 0, text.len - (part ? 1 : 2))), &v) ||
        !(v >= 0) || (part && v > 100) || !isfinite(v)) {
        ttp_fail(r->err, TTP_EPARSE, "invalid gain '%.*s'", TTP_FMT(ttp_str_slice(text, 0, 60)));
        return bad(r, "use 'gain 30%' of the op's time, or 'gain 5us'");
    }
    rule->gain_part = part ? v / 100 : 0;
    rule->gain_us = us ? v : 0;
    return TTP_OK;
}

static ttp_code set_step(struct reader *r, struct ttp_user_rule *rule, ttp_str text)
{
    for (size_t s = 0; s < TTP_STEPS; s++)
        if (ttp_str_eq(text, ttp_str_from(ttp_advice_step_id((enum ttp_step)s)))) {
            rule->info.step = (enum ttp_step)s;
            return TTP_OK;
        }
    ttp_fail(r->err, TTP_EPARSE, "unknown step '%.*s'", TTP_FMT(ttp_str_slice(text, 0, 60)));
    return bad(r, "data-formats, layouts, memory-sharding, metal-trace, command-queues, conv2d, "
                  "multi-device, kernel-cores, kernel-dram or kernel-blocks");
}

static ttp_code set_field(struct reader *r, ttp_str name, ttp_str value)
{
    struct ttp_user_rule *rule = &r->rules->item[r->rules->count - 1];

    if (ttp_str_eq(name, TTP_STR("when"))) {
        if (ttp_filter_parse(&rule->when, &ttp_op_fields, value, r->arena, r->err) == TTP_OK)
            return TTP_OK;
        r->err->code = TTP_EPARSE;
        ttp_err_where(r->err, r->path, r->line);
        return TTP_EPARSE;
    }
    if (ttp_str_eq(name, TTP_STR("say"))) {
        rule->info.title = ttp_arena_zstr(r->arena, value);
        return TTP_OK;
    }
    if (ttp_str_eq(name, TTP_STR("gain")))
        return set_gain(r, rule, value);
    if (ttp_str_eq(name, TTP_STR("step")))
        return set_step(r, rule, value);
    ttp_fail(r->err, TTP_EPARSE, "unknown keyword '%.*s' in a rule",
             TTP_FMT(ttp_str_slice(name, 0, 60)));
    return bad(r, "a rule has 'when', 'say', 'gain' and 'step'");
}

/* Is the last rule whole? */
static ttp_code check_rule(struct reader *r)
{
    if (r->rules->count == 0)
        return TTP_OK;
    const struct ttp_user_rule *rule = &r->rules->item[r->rules->count - 1];
    if (rule->when && rule->info.title[0])
        return TTP_OK;
    ttp_fail(r->err, TTP_EPARSE, "rule %s has no '%s'", rule->info.id, rule->when ? "say" : "when");
    return bad(r, "a rule requires 'when EXPRESSION' and 'say WHAT TO DO'");
}

static ttp_code read_line(struct reader *r, ttp_str line)
{
    const size_t blank = ttp_str_find_char(line, ' ');
    const ttp_str name = ttp_str_slice(line, 0, blank == TTP_NPOS ? line.len : blank);
    const ttp_str value = ttp_str_trim(ttp_str_slice(line, name.len, line.len));

    if (ttp_str_eq(name, TTP_STR("rule"))) {
        TTP_TRY(check_rule(r));
        return new_rule(r, value);
    }
    if (r->rules->count)
        return set_field(r, name, value);
    ttp_fail(r->err, TTP_EPARSE, "'%.*s' appears before the first rule",
             TTP_FMT(ttp_str_slice(name, 0, 60)));
    return bad(r, "start with 'rule my-rule'");
}

ttp_code ttp_advice_user_rules_parse(struct ttp_user_rules *out, ttp_str text, const char *path,
                                     struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_err unused = {0};
    struct reader r = {.rules = out, .path = path, .arena = arena, .err = err ? err : &unused};
    ttp_str line;

    *out = (struct ttp_user_rules){0};
    while (ttp_str_next_line(&text, &line)) {
        r.line++;
        line = ttp_str_trim(line);
        if (line.len && line.ptr[0] != '#')
            TTP_TRY(read_line(&r, line));
    }
    return check_rule(&r);
}
