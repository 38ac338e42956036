/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sink_format.h"

#include <stdint.h>
#include <stdio.h>

#define SPEC_MAX   16
#define NUMBER_MAX 512

/* One conversion: "%-*.3lld". A star is replaced by its argument. */
struct spec {
    const char *flags;
    size_t flag_count;
    int width, precision; /* -1: none */
    char size[3];         /* "", "h", "hh", "l", "ll", "z", "j" */
    char conversion;
};

static int take_number(const char **fmt, va_list *args)
{
    int v = 0;

    if (**fmt == '*') {
        ++*fmt;
        return va_arg(*args, int);
    }
    for (; **fmt >= '0' && **fmt <= '9'; ++*fmt)
        v = v * 10 + (**fmt - '0');
    return v;
}

static void take_spec(struct spec *out, const char **fmt, va_list *args)
{
    *out = (struct spec){.flags = *fmt, .width = -1, .precision = -1};
    while (**fmt && strchr("-+ #0'", **fmt))
        ++*fmt;
    out->flag_count = (size_t)(*fmt - out->flags);
    if (**fmt == '*' || (**fmt >= '1' && **fmt <= '9'))
        out->width = take_number(fmt, args);
    if (**fmt == '.') {
        ++*fmt;
        out->precision = take_number(fmt, args);
    }
    for (size_t n = 0; n < 2 && **fmt && strchr("hlzj", **fmt); n++)
        out->size[n] = *(*fmt)++;
    out->conversion = *(*fmt)++;
}

static bool is_left(const struct spec *spec)
{
    return memchr(spec->flags, '-', spec->flag_count) != NULL;
}

/* A text of others, with blanks on one side. */
static void put_text(struct ttp_sink *s, const struct spec *spec, ttp_str text)
{
    struct ttp_arena arena = {0};
    struct ttp_sink shown;

    if (spec->width <= 0) {
        ttp_sink_put(s, text);
        return;
    }
    ttp_sink_beside(&shown, s, &arena);
    ttp_sink_put(&shown, text);
    const size_t pad = (size_t)spec->width > shown.len ? (size_t)spec->width - shown.len : 0;
    ttp_sink_repeat(s, ' ', is_left(spec) ? 0 : pad);
    ttp_sink_join(s, &shown);
    ttp_sink_repeat(s, ' ', is_left(spec) ? pad : 0);
    ttp_arena_free(&arena);
}

/* The whole number that the arguments have next, with its sign extended as its type asks. */
static intmax_t take_whole(const struct spec *spec, va_list *args)
{
    const bool is_signed = spec->conversion == 'd' || spec->conversion == 'i';

    switch (spec->size[0]) {
    case 'l':
        if (spec->size[1] == 'l')
            return is_signed ? va_arg(*args, long long)
                             : (intmax_t)va_arg(*args, unsigned long long);
        return is_signed ? va_arg(*args, long) : (intmax_t)va_arg(*args, unsigned long);
    case 'z':
        return (intmax_t)va_arg(*args, size_t);
    case 'j':
        return va_arg(*args, intmax_t);
    default:
        return is_signed ? va_arg(*args, int) : (intmax_t)va_arg(*args, unsigned);
    }
}

/* The conversion on its own, for snprintf(): width and precision as arguments. */
static void write_spec(char out[SPEC_MAX], const struct spec *spec, const char *size)
{
    snprintf(out, SPEC_MAX, "%%%.*s*.*%s%c", (int)(spec->flag_count < 6 ? spec->flag_count : 6),
             spec->flags, size, spec->conversion);
}

/* The format is made of one that the compiler has checked. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_number(struct ttp_sink *s, const struct spec *spec, va_list *args)
{
    const int width = spec->width < 0 ? 0 : spec->width;
    char one[SPEC_MAX], text[NUMBER_MAX];
    int n;

    if (strchr("diouxX", spec->conversion)) {
        write_spec(one, spec, "j");
        n = snprintf(text, sizeof(text), one, width, spec->precision, take_whole(spec, args));
    } else if (spec->conversion == 'p') {
        n = snprintf(text, sizeof(text), "%p", va_arg(*args, void *));
    } else {
        write_spec(one, spec, "");
        n = snprintf(text, sizeof(text), one, width, spec->precision, va_arg(*args, double));
    }
    if (n > 0)
        ttp_sink_trusted(s,
                         (ttp_str){text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1});
}
#pragma GCC diagnostic pop

void ttp_sink_put_gated(struct ttp_sink *s, const char *fmt, va_list given)
{
    va_list args;

    va_copy(args, given);
    while (*fmt) {
        const size_t plain = strcspn(fmt, "%");
        struct spec spec;

        ttp_sink_trusted(s, (ttp_str){fmt, plain});
        fmt += plain;
        if (!*fmt)
            break;
        fmt++;
        take_spec(&spec, &fmt, &args);
        if (spec.conversion == '%') {
            ttp_sink_char(s, '%');
        } else if (spec.conversion == 's') {
            const char *text = va_arg(args, const char *);
            const size_t most = spec.precision < 0 ? SIZE_MAX : (size_t)spec.precision;
            put_text(s, &spec, (ttp_str){text, text ? strnlen(text, most) : 0});
        } else if (spec.conversion == 'c') {
            const char c = (char)va_arg(args, int);
            put_text(s, &spec, (ttp_str){&c, 1});
        } else {
            put_number(s, &spec, &args);
        }
    }
    va_end(args);
}
