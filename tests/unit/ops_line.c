/* SPDX-License-Identifier: Apache-2.0 */
#include "ops_line.h"

#include "test.h"

#define MAX_FILES 4

const struct ttp_report_options ops_compat = {.rules = &ttp_compat_analysis};
const struct ttp_report_options ops_ours = {0};
const struct ttp_ops_rules ops_read_ours = {0};

ttp_code ops_read(struct ttp_ops *out, const ttp_str *text, size_t count,
                  const struct ttp_ops_rules *rules, struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_ops_read_options options = {.threads = 1, .rules = *rules};
    struct test_file file[MAX_FILES];
    const char *path[MAX_FILES];

    assert_true(count <= MAX_FILES);
    for (size_t i = 0; i < count; i++) {
        test_file_open(&file[i], text[i]);
        path[i] = file[i].path;
    }
    const ttp_code rc =
        ttp_ops_read_csv(out, (struct ttp_paths){path, count}, &options, arena, err);
    for (size_t i = 0; i < count; i++)
        test_file_close(&file[i]);
    return rc;
}

void ops_line_try(struct ops_line *out, const char *text, const struct ttp_report_options *options,
                  struct ttp_arena *arena)
{
    const ttp_str file = ttp_str_from(text);

    *out = (struct ops_line){0};
    out->code = ops_read(&out->ops, &file, 1, options->rules ? &ttp_compat_reading : &ops_read_ours,
                         arena, &out->err);
    if (out->code == TTP_OK)
        out->code = ttp_analysis_run(&out->report, &out->ops, options, arena, &out->err);
}

void ops_line_run(struct ops_line *out, const char *text, const struct ttp_report_options *options,
                  struct ttp_arena *arena)
{
    ops_line_try(out, text, options, arena);
    if (out->code != TTP_OK)
        fail_msg("%s", out->err.text);
}

ttp_str ops_line_code(const struct ops_line *line, size_t op)
{
    assert_true(op < line->report.count);
    return ttp_sym_name(line->report.syms, line->report.op[op].code);
}

void assert_text(ttp_str got, const char *want)
{
    if (!ttp_str_eq(got, ttp_str_from(want)))
        fail_msg("'%.*s' instead of '%s'", TTP_FMT(got), want);
}

void assert_codes(const struct ops_line *line, const char *codes)
{
    struct ttp_arena arena = {0};
    struct ttp_sink all;

    ttp_sink_to_arena(&all, &arena);
    for (size_t i = 0; i < line->report.count; i++) {
        if (i)
            ttp_sink_char(&all, ' ');
        ttp_sink_put(&all, ops_line_code(line, i));
    }
    assert_text(ttp_sink_text(&all), codes);
    ttp_arena_free(&arena);
}

static bool has_note(const struct ttp_notes *notes, const char *text)
{
    for (size_t i = 0; i < notes->count; i++)
        if (ttp_str_has(notes->item[i].text, ttp_str_from(text)))
            return true;
    return false;
}

void assert_note(const struct ttp_notes *notes, const char *text)
{
    if (!has_note(notes, text))
        fail_msg("no note says '%s'", text);
}

void assert_no_note(const struct ttp_notes *notes, const char *text)
{
    if (has_note(notes, text))
        fail_msg("a note says '%s'", text);
}
