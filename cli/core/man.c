/* SPDX-License-Identifier: Apache-2.0 */
/* man.c - the parts of the manual that come from the tables, as mdoc.
 *
 * The pages themselves are written by hand; tests/man.sh compares these parts with what is between
 * the marker comments there, and puts it there with TTP_UPDATE_GOLDEN=1. */
#include "base/wrap.h"
#include "core/failure.h"
#include "core/help.h"

/* Text that mdoc takes literally: backslashes escaped; a line that would begin with a control
 * character is protected. */
static void put_text(struct ttp_sink *out, ttp_str text)
{
    if (text.len && (text.ptr[0] == '.' || text.ptr[0] == '\''))
        ttp_sink_put(out, TTP_STR("\\&"));
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\\')
            ttp_sink_put(out, TTP_STR("\\e"));
        else if (text.ptr[i] == '-')
            ttp_sink_put(out, TTP_STR("\\-"));
        else
            ttp_sink_char(out, text.ptr[i]);
    }
}

/* Help is a phrase; the manual has sentences. */
static void put_sentence(struct ttp_sink *out, const char *text, struct ttp_arena *arena)
{
    ttp_str copy = ttp_wrap_squeeze(ttp_str_from(text), arena);
    struct ttp_sink s, wrapped;

    ttp_sink_to_arena(&s, arena);
    ttp_sink_to_arena(&wrapped, arena);
    ttp_sink_put(&s, copy);
    ttp_sink_char(&s, '.');
    if (s.buf[0] >= 'a' && s.buf[0] <= 'z')
        s.buf[0] = (char)(s.buf[0] - 'a' + 'A');
    ttp_put_wrapped(&wrapped, ttp_sink_text(&s), (struct ttp_wrap){.width = 78});
    ttp_str rest = ttp_sink_text(&wrapped);
    for (ttp_str line; ttp_str_next_line(&rest, &line);) {
        put_text(out, line);
        ttp_sink_char(out, '\n');
    }
}

static void put_item(struct ttp_sink *out, const struct ttp_opt *o, struct ttp_arena *arena)
{
    const ttp_str value = ttp_opts_metavar(o, arena);

    ttp_sink_put(out, TTP_STR(".It "));
    if (o->letter) {
        ttp_sink_printf(out, "Fl %c", o->letter);
        if (value.len)
            ttp_sink_printf(out, " Ar %.*s", TTP_FMT(value));
        ttp_sink_put(out, TTP_STR(" , "));
    }
    ttp_sink_printf(out, "Fl \\-%s", o->name);
    if (value.len)
        ttp_sink_printf(out, " Ar %.*s", TTP_FMT(value));
    ttp_sink_char(out, '\n');
}

static void put_heading(struct ttp_sink *out, const char *text, struct ttp_arena *arena)
{
    ttp_sink_put(out, TTP_STR(".Ss "));
    put_sentence(out, text, arena);
    out->len -= 2; /* a heading ends without the full stop */
    ttp_sink_char(out, '\n');
}

void ttp_man_options(struct ttp_sink *out, const struct ttp_cmd *cmd, struct ttp_arena *arena)
{
    size_t n;
    const struct ttp_opt *opt = ttp_cmd_options(&n, cmd, arena);
    bool open = false;

    for (size_t i = 0; i < n; i++) {
        if (opt[i].hidden || opt[i].alias_of)
            continue;
        if (open && opt[i].group) {
            ttp_sink_own(out, ".El\n");
            open = false;
        }
        if (opt[i].group)
            put_heading(out, opt[i].group, arena);
        if (!open)
            ttp_sink_own(out, ".Bl -tag -width Ds\n");
        open = true;
        put_item(out, &opt[i], arena);
        put_sentence(out, ttp_opts_help(&opt[i], arena), arena);
    }
    if (open)
        ttp_sink_own(out, ".El\n");
}

void ttp_man_commands(struct ttp_sink *out, struct ttp_arena *arena)
{
    for (size_t i = 0; ttp_commands[i]; i++) {
        const char *group = ttp_cmd_group(ttp_commands[i]);

        if (ttp_commands[i]->hidden)
            continue;
        if (group) {
            if (i)
                ttp_sink_own(out, ".El\n");
            put_heading(out, group, arena);
            ttp_sink_own(out, ".Bl -tag -width Ds\n");
        }
        ttp_sink_printf(out, ".It Xr tt-perf-%s 1\n", ttp_commands[i]->name);
        put_sentence(out, ttp_commands[i]->summary, arena);
    }
    ttp_sink_own(out, ".El\n");
}

void ttp_man_exit_codes(struct ttp_sink *out, struct ttp_arena *arena)
{
    ttp_sink_own(out, ".Bl -tag -width Ds\n");
    for (const struct ttp_exit_code *e = ttp_exit_codes; e->name; e++) {
        ttp_sink_printf(out, ".It %d ( %s )\n", e->status, e->name);
        put_sentence(out, e->meaning, arena);
    }
    ttp_sink_own(out, ".El\n");
}
