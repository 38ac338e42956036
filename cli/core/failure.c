/* SPDX-License-Identifier: Apache-2.0 */
#include "core/failure.h"

#include <unistd.h>

#include "base/json_write.h"
#include "core/cmd.h"
#include "core/message.h"

const struct ttp_exit_code ttp_exit_codes[] = {
    {TTP_EXIT_OK, "ok", "success"},
    {TTP_EXIT_FINDING, "finding", "a check failed, or a regression or difference was found"},
    {TTP_EXIT_USAGE, "usage", "the command line is invalid"},
    {TTP_EXIT_INPUT, "bad-input", "the input is incomplete, damaged or unsupported"},
    {TTP_EXIT_ENVIRONMENT, "environment", "required hardware or software is missing"},
    {TTP_EXIT_IO, "io", "reading or writing failed"},
    {TTP_EXIT_TIMEOUT, "timeout", "a time limit was exceeded"},
    {TTP_EXIT_UNDECIDED, "undecided", "there is not enough evidence to decide"},
    {TTP_EXIT_INTERNAL, "internal", "an internal error of tt-perf"},
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

/* The error object for programs. */
struct failure {
    const char *code;
    const struct ttp_err *err;
};

TTP_GET(get_message, void, struct failure, ttp_value_word(r->err->text))
TTP_GET(get_hint, void, struct failure, ttp_value_word(r->err->hint))
TTP_GET(get_path, void, struct failure, ttp_value_word(r->err->path))
TTP_GET(get_line, void, struct failure,
        r->err->line ? ttp_value_i64((int64_t)r->err->line) : (struct ttp_value){0})

static const struct ttp_field failure_fields[] = {
    TTP_WORDS("code", TTP_FIGURE(struct failure, code),
              .help = "name of the exit status, see tt-perf help exit-codes"),
    TTP_WORDS("message", .get = get_message, .help = "what failed"),
    TTP_WORDS("hint", .get = get_hint, .help = "what to do about it"),
    TTP_WORDS("path", .get = get_path, .help = "file that caused the error"),
    TTP_INT("line", "", .get = get_line, .help = "line in that file"),
};
static const struct ttp_fields failure = {TTP_FIELDS(failure_fields)};

static const struct ttp_part_spec parts[] = {
    {.id = "error", .kind = TTP_PART_OBJECT, .fields = &failure}};
const struct ttp_document_spec ttp_error_document = {
    .schema = "tt-perf.error/1",
    .help = "Error message of any verb on standard error with --format json",
    TTP_PARTS(parts),
    .no_table = true,
    .bare = true,
};

/* Without memory of its own: there may be none left. */
static void print_json(struct ttp_sink *out, const struct ttp_err *err, int status)
{
    struct failure told = {"command", err}; /* bench and record: a status of the command's own */
    const struct ttp_records record = {&failure, NULL, &told, sizeof(told), 1};
    struct ttp_json_writer w = {.sink = out};

    for (size_t i = 0; ttp_exit_codes[i].name; i++)
        if (ttp_exit_codes[i].status == status)
            told.code = ttp_exit_codes[i].name;
    ttp_json_begin_object(&w);
    ttp_json_put_key(&w, ttp_str_from(parts[0].id));
    ttp_json_begin_object(&w);
    ttp_show_json_members(&w, &record, 0);
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

static void put_what(struct ttp_sink *out, const char *verb, const struct ttp_err *err)
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
    ttp_sink_put(out, ttp_str_from(err->text));
}

/* One line for what failed and one for the hint, which programs read; on a terminal as many as they
 * take. `line` is empty and has room for one. */
static void print_text(struct ttp_sink *out, struct ttp_sink *line, const char *verb,
                       const struct ttp_err *err)
{
    const size_t width = ttp_message_width();

    put_what(line, verb, err);
    ttp_message_put(out, ttp_sink_text(line), width);
    if (!err->hint[0])
        return;
    line->len = 0;
    ttp_sink_printf(line, "hint: %s", err->hint);
    ttp_message_put(out, ttp_sink_text(line), width);
}

void ttp_failure_print(const char *verb, const struct ttp_err *err, int status, bool json)
{
    /* room for all of it: there may be no memory left to ask for more */
    char room[8 * sizeof(err->text)], line_room[8 * sizeof(err->text)];
    struct ttp_arena arena = {0};
    struct ttp_sink out, line;

    ttp_sink_to_memory(&out, STDERR_FILENO, &arena); /* printed even if no more output is allowed */
    out.buf = room;
    out.cap = sizeof(room);
    out.gate = TTP_GATE_TEXT;
    ttp_sink_to_arena(&line, &arena);
    line.buf = line_room;
    line.cap = sizeof(line_room);
    line.gate = TTP_GATE_TEXT;
    if (json)
        print_json(&out, err, status);
    else
        print_text(&out, &line, verb, err);
    const ttp_code told = ttp_sink_finish(&out, NULL);
    (void)told; /* nothing can be printed any more */
    ttp_arena_free(&arena);
}
