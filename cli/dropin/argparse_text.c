/* SPDX-License-Identifier: Apache-2.0 */
/* argparse_text.c - usage and help laid out as argparse does it, for any width. */
#include "dropin/argparse_text.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/wrap.h"
#include "dropin/textwrap.h"

/* Layout constants of argparse.HelpFormatter. */
#define INDENT        2
#define HELP_POSITION 24
#define MIN_POSITION  4
#define MIN_WIDTH     11
#define COLUMNS_ELSE  80

static const struct ttp_opt help_option = {
    .name = "help", .letter = 'h', .type = TTP_OPT_FLAG, .help = "show this help message and exit"};

bool ttp_argparse_option(const struct ttp_opt **out, const struct ttp_argparse *p, size_t index)
{
    if (index > p->nopt)
        return false;
    *out = index == TTP_ARGPARSE_HELP_INDEX ? &help_option : &p->opt[index - 1];
    return true;
}

static bool shown(const struct ttp_opt *o)
{
    return !o->hidden && !o->alias_of;
}

int ttp_argparse_columns(void)
{
    uint64_t columns;
    struct winsize size;

    if (ttp_str_to_u64(ttp_str_from(getenv("COLUMNS")), &columns) && columns > 0 &&
        columns <= INT16_MAX)
        return (int)columns;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return COLUMNS_ELSE;
}

void ttp_argparse_str(struct ttp_sink *out, ttp_str text)
{
    while (text.len) {
        const size_t valid = ttp_str_valid_utf8(text);

        ttp_sink_put(out, ttp_str_slice(text, 0, valid));
        if (valid < text.len)
            ttp_sink_printf(out, "\\udc%02x", (unsigned char)text.ptr[valid]);
        text = ttp_str_slice(text, valid + 1, text.len);
    }
}

static void put_value_name(struct ttp_sink *out, const struct ttp_opt *o, struct ttp_arena *arena)
{
    if (o->type == TTP_OPT_FLAG)
        return;
    ttp_sink_char(out, ' ');
    if (o->metavar || o->type != TTP_OPT_CHOICE) {
        ttp_sink_put(out, ttp_opts_metavar(o, arena));
        return;
    }
    for (size_t i = 0; o->choices[i]; i++)
        ttp_sink_printf(out, "%c%s", i ? ',' : '{', o->choices[i]);
    ttp_sink_char(out, '}');
}

/* "[--csv FILE]" */
static ttp_str usage_part(const struct ttp_opt *o, struct ttp_arena *arena)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    if (o->letter)
        ttp_sink_printf(&s, "[-%c", o->letter);
    else
        ttp_sink_printf(&s, "[--%s", o->name);
    put_value_name(&s, o, arena);
    ttp_sink_char(&s, ']');
    return ttp_sink_text(&s);
}

struct line_room {
    long used, indent, width;
};

/* A paragraph of parts that are never cut; `used` columns of the first line are taken. */
static void put_parts(struct ttp_sink *out, const ttp_str *part, size_t n, struct line_room room)
{
    bool empty = room.used == 0;

    if (empty) {
        ttp_sink_repeat(out, ' ', (size_t)room.indent);
        room.used = room.indent - 1;
    }
    for (size_t i = 0; i < n; i++) {
        if (!empty && room.used + 1 + (long)part[i].len > room.width) {
            ttp_sink_char(out, '\n');
            ttp_sink_repeat(out, ' ', (size_t)room.indent);
            room.used = room.indent - 1;
            empty = true;
        }
        if (!empty)
            ttp_sink_char(out, ' ');
        ttp_sink_put(out, part[i]);
        room.used += (long)part[i].len + 1;
        empty = false;
    }
    ttp_sink_char(out, '\n');
}

void ttp_argparse_usage(struct ttp_sink *out, const struct ttp_argparse *p, int columns,
                        struct ttp_arena *arena)
{
    ttp_str *part = TTP_NEW(arena, ttp_str, p->nopt + 2);
    const ttp_str prefix = TTP_STR("usage: ");
    const long width = columns - 2, prog = (long)(prefix.len + strlen(p->prog));
    const struct ttp_opt *o;
    struct ttp_sink tail;
    size_t n = 0;
    long whole = prog;

    for (size_t i = 0; ttp_argparse_option(&o, p, i); i++)
        if (shown(o))
            part[n++] = usage_part(o, arena);
    ttp_sink_to_arena(&tail, arena);
    ttp_sink_put(&tail, ttp_str_from(p->positional));
    if (!p->one_positional)
        ttp_sink_printf(&tail, " [%s ...]", p->positional);
    part[n] = ttp_sink_text(&tail);
    for (size_t i = 0; i <= n; i++)
        whole += (long)part[i].len + 1;

    ttp_sink_put(out, prefix);
    ttp_sink_put(out, ttp_str_from(p->prog));
    if (whole <= width) {
        put_parts(out, part, n + 1, (struct line_room){prog, 0, width});
    } else if (prog * 4 <= width * 3) { /* a short name: options follow it, positionals below */
        put_parts(out, part, n, (struct line_room){prog, prog + 1, width});
        put_parts(out, &part[n], 1, (struct line_room){0, prog + 1, width});
    } else if ((long)prefix.len + whole - prog - 1 <= width) { /* a long name: a line of its own */
        ttp_sink_char(out, '\n');
        put_parts(out, part, n + 1, (struct line_room){0, (long)prefix.len, width});
    } else {
        ttp_sink_char(out, '\n');
        put_parts(out, part, n, (struct line_room){0, (long)prefix.len, width});
        put_parts(out, &part[n], 1, (struct line_room){0, (long)prefix.len, width});
    }
}

/* One entry of help: "  label" and wrapped text from `position` on. */
static void put_entry(struct ttp_sink *out, ttp_str label, const char *help, size_t position,
                      long width, struct ttp_arena *arena)
{
    const long room = width - (long)position;
    struct ttp_textwrap w = {.text = ttp_wrap_squeeze(ttp_str_from(help ? help : ""), arena),
                             .width = room < MIN_WIDTH ? MIN_WIDTH : (size_t)room};
    size_t at = INDENT + label.len;
    ttp_str line;

    ttp_sink_repeat(out, ' ', INDENT);
    ttp_sink_put(out, label);
    if (w.text.len == 0 || at + INDENT > position) {
        ttp_sink_char(out, '\n');
        at = 0;
    }
    while (ttp_textwrap_next(&w, &line)) {
        ttp_sink_repeat(out, ' ', position - at);
        ttp_sink_put(out, line);
        ttp_sink_char(out, '\n');
        at = 0;
    }
}

void ttp_argparse_help(struct ttp_sink *out, const struct ttp_argparse *p, int columns,
                       struct ttp_arena *arena)
{
    ttp_str *label = TTP_NEW(arena, ttp_str, p->nopt + 1);
    const long width = columns - 2, limit = width - 20 > MIN_POSITION ? width - 20 : MIN_POSITION;
    size_t position = INDENT + strlen(p->positional) + 2;
    const struct ttp_opt *o;
    struct ttp_textwrap w = {
        .text = ttp_wrap_squeeze(ttp_str_from(p->description ? p->description : ""), arena),
        .width = width < MIN_WIDTH ? MIN_WIDTH : (size_t)width};
    ttp_str line;

    for (size_t i = 0; ttp_argparse_option(&o, p, i); i++) {
        struct ttp_sink s;

        ttp_sink_to_arena(&s, arena);
        if (o->letter)
            ttp_sink_printf(&s, "-%c, ", o->letter);
        ttp_sink_printf(&s, "--%s", o->name);
        put_value_name(&s, o, arena);
        label[i] = ttp_sink_text(&s);
        if (shown(o) && label[i].len + INDENT + 2 > position)
            position = label[i].len + INDENT + 2;
    }
    if (position > HELP_POSITION)
        position = HELP_POSITION;
    if (position > (size_t)limit)
        position = (size_t)limit;

    ttp_argparse_usage(out, p, columns, arena);
    if (w.text.len)
        ttp_sink_char(out, '\n');
    while (ttp_textwrap_next(&w, &line))
        ttp_sink_printf(out, "%.*s\n", TTP_FMT(line));
    ttp_sink_own(out, "\npositional arguments:\n");
    put_entry(out, ttp_str_from(p->positional), p->positional_help, position, width, arena);
    ttp_sink_own(out, "\noptions:\n");
    for (size_t i = 0; ttp_argparse_option(&o, p, i); i++)
        if (shown(o))
            put_entry(out, label[i], o->help, position, width, arena);
}
