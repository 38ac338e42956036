/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/show/ci.h"

#include "base/iso_time.h"

/* What a byte of a text becomes. The sink's gate writes control characters out. */
struct escape {
    char from;
    const char *to;
};

static ttp_str escaped(ttp_str text, const struct escape *escape, size_t count,
                       struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (size_t i = 0; i < text.len; i++) {
        size_t k = 0;

        while (k < count && escape[k].from != text.ptr[i])
            k++;
        if (k < count)
            ttp_sink_printf(&out, "%s", escape[k].to);
        else
            ttp_sink_char(&out, text.ptr[i]);
    }
    return ttp_sink_text(&out);
}

/* ---- GitHub Actions ---- */

/* Of the message of a workflow command, and of its properties. */
static const struct escape github_escapes[] = {
    {'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}, {':', "%3A"}, {',', "%2C"}};
#define MESSAGE_ESCAPES 3

static void put_github(const struct ttp_show *show, const struct ttp_ci_suite *suite, size_t count)
{
    static const char *const commands[] = {[TTP_CI_NOTE] = "notice",
                                           [TTP_CI_WARN] = "warning",
                                           [TTP_CI_UNDECIDED] = "warning",
                                           [TTP_CI_FAIL] = "error"};

    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < suite[s].count; i++) {
            const struct ttp_ci_case *c = &suite[s].check[i];

            if (!commands[c->level])
                continue;
            ttp_sink_printf(show->out, "::%s title=", commands[c->level]);
            ttp_sink_put(show->out,
                         escaped(c->name, github_escapes, TTP_COUNT(github_escapes), show->arena));
            ttp_sink_own(show->out, "::");
            ttp_sink_put(show->out,
                         escaped(c->message, github_escapes, MESSAGE_ESCAPES, show->arena));
            ttp_sink_own(show->out, "\n");
        }
}

/* ---- JUnit ---- */

/* XML allows no U+FFFE and U+FFFF; other controls are the gate's. */
static void put_escaped(const struct ttp_show *show, ttp_str value)
{
    static const struct escape escapes[] = {
        {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};
    char *text =
        ttp_arena_zstr(show->arena, escaped(value, escapes, TTP_COUNT(escapes), show->arena));

    for (char *at = text; (at = strstr(at, "\xef\xbf")) != NULL; at += 2)
        if ((unsigned char)at[2] >= 0xbe)
            at[2] = '\xbd'; /* U+FFFD, the replacement character */
    ttp_sink_printf(show->out, "%s", text);
}

static void put_attribute(const struct ttp_show *show, const char *name, ttp_str value)
{
    ttp_sink_printf(show->out, " %s=\"", name);
    put_escaped(show, value);
    ttp_sink_own(show->out, "\"");
}

static void put_number(const struct ttp_show *show, const char *name, size_t number)
{
    ttp_sink_printf(show->out, " %s=\"%zu\"", name, number);
}

static void put_counts(const struct ttp_show *show, const struct ttp_ci_suite *suite, size_t count)
{
    size_t tests = 0, of[TTP_CI_FAIL + 1] = {0};

    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < suite[s].count; i++, tests++)
            of[suite[s].check[i].level]++;
    put_number(show, "tests", tests);
    put_number(show, "failures", of[TTP_CI_FAIL]);
    put_number(show, "errors", 0);
    put_number(show, "skipped", of[TTP_CI_UNDECIDED]);
}

static ttp_str value_text(struct ttp_value v, struct ttp_arena *arena)
{
    char time[TTP_ISO_TIME_MAX];
    struct ttp_sink out;

    if (ttp_value_is_text(v))
        return v.v.text;
    ttp_sink_to_arena(&out, arena);
    if (v.kind == TTP_VALUE_INT)
        ttp_sink_i64(&out, v.v.i);
    else if (v.kind == TTP_VALUE_REAL)
        ttp_sink_f64(&out, v.v.f, TTP_NUM_JSON);
    else if (v.kind == TTP_VALUE_MOMENT)
        ttp_sink_put(&out, (ttp_str){time, ttp_iso_time(time, v.v.i)});
    return ttp_sink_text(&out);
}

static void put_properties(const struct ttp_show *show, const struct ttp_ci_case *c)
{
    if (!c->fields)
        return;
    ttp_sink_own(show->out, "      <properties>\n");
    for (size_t i = 0; i < c->fields->count; i++) {
        const struct ttp_field *f = &c->fields->field[i];

        if (ttp_field_is_nested(f))
            continue;
        const ttp_str text = value_text(ttp_field_value(f, NULL, c->row), show->arena);
        if (text.len == 0)
            continue;
        ttp_sink_own(show->out, "        <property");
        put_attribute(show, "name", ttp_str_from(f->id));
        put_attribute(show, "value", text);
        ttp_sink_own(show->out, "/>\n");
    }
    ttp_sink_own(show->out, "      </properties>\n");
}

static void put_case(const struct ttp_show *show, const struct ttp_ci_suite *suite,
                     const struct ttp_ci_case *c)
{
    static const char *const tags[] = {[TTP_CI_UNDECIDED] = "skipped", [TTP_CI_FAIL] = "failure"};
    const char *tag = c->level < TTP_COUNT(tags) ? tags[c->level] : NULL;

    ttp_sink_own(show->out, "    <testcase");
    put_attribute(show, "classname", ttp_sink_format(show->arena, "tt-perf %s", suite->verb));
    put_attribute(show, "name", c->name);
    ttp_sink_own(show->out, ">\n");
    put_properties(show, c);
    if (tag) {
        ttp_sink_printf(show->out, "      <%s", tag);
        put_attribute(show, "message", c->message);
        ttp_sink_own(show->out, "/>\n");
    } else if (c->level == TTP_CI_WARN) {
        ttp_sink_own(show->out, "      <system-out>");
        put_escaped(show, c->message);
        ttp_sink_own(show->out, "</system-out>\n");
    }
    ttp_sink_own(show->out, "    </testcase>\n");
}

static void put_junit(const struct ttp_show *show, const struct ttp_ci_suite *suite, size_t count)
{
    ttp_sink_own(show->out,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tt-perf\"");
    put_counts(show, suite, count);
    ttp_sink_own(show->out, ">\n");
    for (size_t s = 0; s < count; s++) {
        ttp_sink_own(show->out, "  <testsuite");
        put_attribute(show, "name", suite[s].name);
        put_counts(show, &suite[s], 1);
        ttp_sink_own(show->out, ">\n");
        for (size_t i = 0; i < suite[s].count; i++)
            put_case(show, &suite[s], &suite[s].check[i]);
        ttp_sink_own(show->out, "  </testsuite>\n");
    }
    ttp_sink_own(show->out, "</testsuites>\n");
}

static void (*const writers[])(const struct ttp_show *show, const struct ttp_ci_suite *suite,
                               size_t count) = {
    [TTP_FORM_GITHUB] = put_github, [TTP_FORM_JUNIT] = put_junit};

bool ttp_ci_is_form(enum ttp_form form)
{
    return form < TTP_COUNT(writers) && writers[form];
}

void ttp_ci_put(const struct ttp_show *show, const struct ttp_ci_suite *suite, size_t count)
{
    writers[show->form](show, suite, count);
}
