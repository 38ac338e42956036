/* SPDX-License-Identifier: Apache-2.0 */
#include "core/help.h"

#include "base/shell_lines.h"
#include "base/wrap.h"
#include "core/failure.h"

#define COLUMNS_DEFAULT 80
#define COLUMNS_MIN     40
#define COLUMNS_MAX     100 /* longer lines are hard to read */
#define LABEL_MAX       30  /* a longer label gets a line of its own */
#define LABEL_HANG      10  /* where a label continues that does not fit a line */

struct page {
    struct ttp_sink *out;
    struct ttp_arena *arena;
    size_t columns;
};

static struct page page_begin(struct ttp_sink *out, int columns, struct ttp_arena *arena)
{
    size_t n = columns > 0 ? (size_t)columns : COLUMNS_DEFAULT;

    n = n < COLUMNS_MIN ? COLUMNS_MIN : n;
    return (struct page){out, arena, n > COLUMNS_MAX ? COLUMNS_MAX : n};
}

/* Words from column `indent` on. */
static void put_wrapped(const struct page *p, ttp_str text, size_t indent)
{
    ttp_put_wrapped(p->out, ttp_wrap_squeeze(text, p->arena),
                    (struct ttp_wrap){p->columns, indent, indent});
}

/* A label, then text in its own column. A label that does not fit the page ends a line after one
 * of its bars. */
static void put_entry(const struct page *p, ttp_str label, const char *text, size_t column)
{
    while (label.len > p->columns) {
        size_t end = p->columns;

        while (end > LABEL_HANG && label.ptr[end - 1] != '|')
            end--;
        if (end == LABEL_HANG)
            break;
        ttp_sink_put(p->out, ttp_str_slice(label, 0, end));
        ttp_sink_char(p->out, '\n');
        struct ttp_sink rest;
        ttp_sink_to_arena(&rest, p->arena);
        ttp_sink_repeat(&rest, ' ', LABEL_HANG);
        ttp_sink_put(&rest, ttp_str_slice(label, end, label.len));
        label = ttp_sink_text(&rest);
    }
    ttp_sink_put(p->out, label);
    if (label.len + 2 > column) {
        ttp_sink_char(p->out, '\n');
        ttp_sink_repeat(p->out, ' ', column);
    } else {
        ttp_sink_repeat(p->out, ' ', column - label.len);
    }
    put_wrapped(p, ttp_str_from(text), column);
}

/* Paragraphs separated by empty lines, each wrapped, with an empty line after each. */
static void put_paragraphs(const struct page *p, ttp_str text)
{
    while (text.len) {
        const size_t end = ttp_str_find(text, TTP_STR("\n\n"));

        put_wrapped(p, ttp_str_slice(text, 0, end), 0);
        ttp_sink_char(p->out, '\n');
        if (end == TTP_NPOS)
            break;
        text = ttp_str_slice(text, end + 2, text.len);
    }
}

static ttp_str option_label(const struct ttp_opt *o, struct ttp_arena *arena)
{
    const ttp_str value = ttp_opts_metavar(o, arena);
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    if (o->letter)
        ttp_sink_printf(&s, "  -%c, --%s", o->letter, o->name);
    else
        ttp_sink_printf(&s, "      --%s", o->name);
    if (value.len)
        ttp_sink_printf(&s, " %.*s", TTP_FMT(value));
    return ttp_sink_text(&s);
}

static void put_options(const struct page *p, const struct ttp_cmd *cmd)
{
    size_t n, column = 0;
    const struct ttp_opt *opt = ttp_cmd_options(&n, cmd, p->arena);
    ttp_str *label = TTP_NEW(p->arena, ttp_str, n);
    bool some = false;

    for (size_t i = 0; i < n; i++) {
        if (opt[i].hidden || opt[i].alias_of)
            continue;
        label[i] = option_label(&opt[i], p->arena);
        if (label[i].len + 2 > column && label[i].len + 2 <= LABEL_MAX)
            column = label[i].len + 2;
    }
    for (size_t i = 0; i < n; i++) {
        if (!label[i].len)
            continue;
        if (opt[i].group && some)
            ttp_sink_char(p->out, '\n');
        if (opt[i].group || !some)
            ttp_sink_printf(p->out, "%s:\n", opt[i].group ? opt[i].group : "options");
        some = true;
        put_entry(p, label[i], ttp_opts_help(&opt[i], p->arena), column);
    }
}

static void put_example(const struct page *p, const struct ttp_example *e)
{
    ttp_sink_put(p->out, TTP_STR("  "));
    ttp_shell_put_lines(p->out, ttp_str_from(e->command), p->columns, 2, 4);
    ttp_sink_repeat(p->out, ' ', 6);
    put_wrapped(p, ttp_str_from(e->effect), 6);
}

void ttp_help_command(struct ttp_sink *out, const struct ttp_cmd *cmd, int columns,
                      struct ttp_arena *arena)
{
    const struct page p = page_begin(out, columns, arena);
    struct ttp_sink usage;

    ttp_sink_to_arena(&usage, arena);
    ttp_sink_printf(&usage, "tt-perf %s [options]%s%s", cmd->name, cmd->args ? " " : "",
                    cmd->args ? cmd->args : "");
    ttp_sink_put(out, TTP_STR("usage: "));
    put_wrapped(&p, ttp_sink_text(&usage), 7);
    ttp_sink_char(out, '\n');
    put_paragraphs(&p, ttp_str_from(cmd->description));
    put_options(&p, cmd);
    const struct ttp_imitation *other = ttp_imitation_of(cmd);
    const struct ttp_example *more = other ? other->examples : NULL;
    if (cmd->examples)
        ttp_sink_own(out, "\nexamples:\n");
    for (const struct ttp_example *e = cmd->examples; e && e->command; e++)
        put_example(&p, e);
    for (; more && more->command; more++)
        put_example(&p, more);
    const char *notes = other && other->exit_notes ? other->exit_notes : NULL;
    if (cmd->exit_notes || notes) {
        struct ttp_sink text;

        ttp_sink_to_arena(&text, arena);
        ttp_sink_printf(&text, "%s%s%s", cmd->exit_notes ? cmd->exit_notes : "",
                        cmd->exit_notes && notes ? " " : "", notes ? notes : "");
        ttp_sink_own(out, "\nexit status:\n  ");
        put_wrapped(&p, ttp_sink_text(&text), 2);
    }
}

static const struct ttp_example first_steps[] = {
    {"tt-perf synth -o demo && tt-perf report demo",
     "try tt-perf without a card, on a synthetic run"},
    {"tt-perf record -- python3 model.py", "run a model and print a report of its ops"},
    {"tt-perf advise demo", "what to change first, and the expected gain"},
    {NULL, NULL},
};

void ttp_help_program(struct ttp_sink *out, int columns, struct ttp_arena *arena)
{
    const struct page p = page_begin(out, columns, arena);
    size_t widest = 0;

    ttp_sink_own(out, "usage: tt-perf VERB [options] [inputs]\n"
                      "       tt-perf --help | --version\n\n");
    put_paragraphs(&p, TTP_STR("Performance analysis for Tenstorrent accelerators."));
    for (size_t i = 0; ttp_commands[i]; i++)
        if (!ttp_commands[i]->hidden && strlen(ttp_commands[i]->name) > widest)
            widest = strlen(ttp_commands[i]->name);
    for (size_t i = 0; ttp_commands[i]; i++) {
        if (ttp_commands[i]->hidden)
            continue;
        if (ttp_cmd_group(ttp_commands[i]) && i)
            ttp_sink_char(out, '\n');
        if (ttp_cmd_group(ttp_commands[i]))
            ttp_sink_printf(out, "%s:\n", ttp_cmd_group(ttp_commands[i]));
        put_entry(&p, ttp_sink_format(arena, "  %s", ttp_commands[i]->name),
                  ttp_commands[i]->summary, widest + 4);
    }
    ttp_sink_own(out, "\ngetting started:\n");
    for (const struct ttp_example *e = first_steps; e->command; e++)
        put_example(&p, e);
    ttp_sink_char(out, '\n');
    put_wrapped(&p,
                TTP_STR("'tt-perf help VERB' explains a verb, 'tt-perf help exit-codes' the exit "
                        "status."),
                0);
}

void ttp_help_exit_codes(struct ttp_sink *out, int columns, struct ttp_arena *arena)
{
    const struct page p = page_begin(out, columns, arena);

    for (const struct ttp_exit_code *e = ttp_exit_codes; e->name; e++) {
        put_entry(&p, ttp_sink_format(arena, "%4d  %s", e->status, e->name), e->meaning, 20);
    }
}
