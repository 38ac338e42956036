/* SPDX-License-Identifier: Apache-2.0 */
#include "failure.h"

#include <unistd.h>

#include "base/json_write.h"
#include "cmd.h"

const struct ttp_exit_code ttp_exit_codes[] = {
    {TTP_EXIT_OK, "ok", "the command did what was asked"},
    {TTP_EXIT_FINDING, "finding", "a check failed, or there is a regression or a difference"},
    {TTP_EXIT_USAGE, "usage", "the command line makes no sense"},
    {TTP_EXIT_INPUT, "bad-input", "the input is missing something, damaged or not supported"},
    {TTP_EXIT_ENVIRONMENT, "environment", "hardware or software that is needed is missing"},
    {TTP_EXIT_IO, "io", "reading or writing failed"},
    {TTP_EXIT_TIMEOUT, "timeout", "something took too long"},
    {TTP_EXIT_UNDECIDED, "undecided", "there is not enough evidence for an answer"},
    {TTP_EXIT_INTERNAL, "internal", "a fault of the program itself"},
    {0, NULL, NULL},
};

int ttp_exit_status(ttp_code code)
{
    switch (code) {
    case TTP_OK:
        return TTP_EXIT_OK;
    case TTP_EUSAGE:
        return TTP_EXIT_USAGE;
    case TTP_EPARSE:
    case TTP_ELIMIT:
    case TTP_ENOTFOUND:
        return TTP_EXIT_INPUT;
    case TTP_EMISSING:
        return TTP_EXIT_ENVIRONMENT;
    case TTP_EIO:
    case TTP_ENOMEM:
        return TTP_EXIT_IO;
    case TTP_ETIMEOUT:
        return TTP_EXIT_TIMEOUT;
    }
    return TTP_EXIT_INTERNAL;
}

static void put_member(struct ttp_json_writer *w, ttp_str key, const char *text)
{
    ttp_json_put_key(w, key);
    if (text[0])
        ttp_json_put_str(w, ttp_str_from(text));
    else
        ttp_json_put_null(w);
}

static void print_json(struct ttp_sink *out, const struct ttp_err *err, int status)
{
    struct ttp_json_writer w = {.sink = out};
    const char *name = "command"; /* bench and record: it failed with a status of its own */

    for (size_t i = 0; ttp_exit_codes[i].name; i++)
        if (ttp_exit_codes[i].status == status)
            name = ttp_exit_codes[i].name;
    ttp_json_begin_object(&w);
    ttp_json_put_key(&w, TTP_STR("error"));
    ttp_json_begin_object(&w);
    put_member(&w, TTP_STR("code"), name);
    put_member(&w, TTP_STR("message"), err->text);
    put_member(&w, TTP_STR("hint"), err->hint);
    put_member(&w, TTP_STR("path"), err->path);
    ttp_json_put_key(&w, TTP_STR("line"));
    if (err->line)
        ttp_json_put_u64(&w, err->line);
    else
        ttp_json_put_null(&w);
    ttp_json_end_object(&w);
    ttp_json_end_object(&w);
    ttp_sink_char(out, '\n');
}

static bool names_path(const char *text, const char *path)
{
    const size_t n = strlen(path);

    for (const char *at = strstr(text, path); at; at = strstr(at + 1, path))
        if (at > text && at[-1] == '\'' && at[n] == '\'')
            return true;
    return false; /* a folder may be called like a part of any word */
}

static void print_text(struct ttp_sink *out, const char *verb, const struct ttp_err *err)
{
    ttp_sink_put(out, TTP_STR("tt-perf: "));
    if (verb)
        ttp_sink_printf(out, "%s: ", verb);
    if (err->path[0] && (err->line || !names_path(err->text, err->path))) {
        ttp_sink_put(out, ttp_str_from(err->path));
        if (err->line)
            ttp_sink_printf(out, ":%llu", (unsigned long long)err->line);
        ttp_sink_put(out, TTP_STR(": "));
    }
    ttp_sink_printf(out, "%s\n", err->text);
    if (err->hint[0])
        ttp_sink_printf(out, "hint: %s\n", err->hint);
}

void ttp_failure_print(const char *verb, const struct ttp_err *err, int status, bool json)
{
    /* room for all of it: there may be no memory left to ask for more */
    char room[8 * sizeof(err->text)];
    struct ttp_arena arena = {0};
    struct ttp_sink out;

    ttp_sink_to_memory(&out, STDERR_FILENO, &arena); /* said even when no more output is allowed */
    out.buf = room;
    out.cap = sizeof(room);
    out.gate = TTP_GATE_TEXT;
    if (json)
        print_json(&out, err, status);
    else
        print_text(&out, verb, err);
    const ttp_code told = ttp_sink_finish(&out, NULL);
    (void)told; /* nobody is left to tell */
    ttp_arena_free(&arena);
}
