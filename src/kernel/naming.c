/* SPDX-License-Identifier: Apache-2.0 */
/* naming.c - the author's name of a program, and its tensors: to the host,
 * every kernel of TT-Lang is the same generic op. */
#include "base/sink.h"
#include "kernel/kernel.h"
#include "kernel/line_text.h"

/* --- tensors --- */

/* Dimensions above the first that is not 1, without padding: "64[60]" has 60 elements. */
static void put_shape(struct ttp_sink *out, const struct ttp_op_tensor *t)
{
    static const int dims[] = {TTP_TENSOR_W, TTP_TENSOR_Z, TTP_TENSOR_Y, TTP_TENSOR_X};
    bool any = false;

    for (size_t i = 0; i < TTP_COUNT(dims); i++) {
        ttp_str cell = t->cell[dims[i]];
        const size_t open = ttp_str_find_char(cell, '['), close = ttp_str_find_char(cell, ']');

        if (open != TTP_NPOS && close != TTP_NPOS && close > open)
            cell = ttp_str_slice(cell, open + 1, close);
        cell = ttp_str_trim(cell);
        if (!any && ttp_str_eq(cell, TTP_STR("1")) && i + 2 < TTP_COUNT(dims))
            continue;
        ttp_sink_printf(out, "%s%.*s", any ? "x" : "", TTP_FMT(cell));
        any = true;
    }
}

static void put_tensors(struct ttp_sink *out, const struct ttp_op_tensor *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ttp_sink_put(out, i ? TTP_STR(", ") : TTP_STR(""));
        put_shape(out, &t[i]);
        if (t[i].cell[TTP_TENSOR_DTYPE].len)
            ttp_sink_printf(out, " %.*s", TTP_FMT(t[i].cell[TTP_TENSOR_DTYPE]));
    }
}

ttp_str ttp_kernel_tensors(const struct ttp_op_info *info, struct ttp_arena *arena)
{
    struct ttp_sink out;

    if (info->ninputs + info->noutputs == 0)
        return (ttp_str){0};
    ttp_sink_to_arena(&out, arena);
    put_tensors(&out, info->input, info->ninputs);
    ttp_sink_put(&out, TTP_STR(" -> "));
    put_tensors(&out, info->output, info->noutputs);
    return ttp_sink_text(&out);
}

/* --- names --- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void add_name(struct ttp_sink *out, ttp_str name)
{
    if (name.len && !ttp_str_has(ttp_sink_text(out), name))
        ttp_sink_printf(out, "%s%.*s", out->len ? " + " : "", TTP_FMT(name));
}

/* The functions of a list of generated files: ".../ttlang_kernel_NAME_0123abcd.cpp". */
static void add_generated(struct ttp_sink *out, ttp_str sources)
{
    const ttp_str mark = TTP_STR("ttlang_kernel_");

    for (size_t at; (at = ttp_str_find(sources, mark)) != TTP_NPOS;) {
        size_t end = 0, stem;

        sources = ttp_str_slice(sources, at + mark.len, sources.len);
        while (end < sources.len && is_word(sources.ptr[end]))
            end++;
        stem = end;
        while (stem > 0 && sources.ptr[stem - 1] != '_')
            stem--;
        /* a hash of eight digits ends the name */
        add_name(out, ttp_str_slice(sources, 0, stem > 1 && end - stem == 8 ? stem - 1 : end));
    }
}

static ttp_str join_threads(const struct ttp_kernel_program *m, const struct ttp_op_info *info,
                            struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    add_name(&out, m->thread[TTP_KERNEL_NCRISC].kernel);
    for (size_t i = TTP_KERNEL_TRISC_0; i <= TTP_KERNEL_TRISC_2; i++)
        add_name(&out, m->thread[i].kernel);
    add_name(&out, m->thread[TTP_KERNEL_BRISC].kernel);
    if (!out.len && info) {
        add_generated(&out, info->dm_source);
        add_generated(&out, info->compute_source);
    }
    return ttp_sink_text(&out);
}

/* The function around the one that begins in line `def`: the operation that its author wrote. */
static ttp_str enclosing_def(const struct ttp_source_text *s, int64_t def)
{
    size_t depth = ttp_indent_of(s->line[def - 1]);

    for (int64_t i = def - 1; i > 0 && depth > 0; i--) {
        const ttp_str text = ttp_str_trim(s->line[i - 1]);
        const size_t here = ttp_indent_of(s->line[i - 1]);
        size_t end = 4;

        if (text.len == 0 || text.ptr[0] == '#' || here >= depth)
            continue;
        depth = here;
        if (!ttp_str_starts(text, TTP_STR("def ")))
            continue;
        while (end < text.len && is_word(text.ptr[end]))
            end++;
        return ttp_str_slice(text, 4, end);
    }
    return (ttp_str){0};
}

static ttp_str name_in_source(const struct ttp_kernel_program *m, const struct ttp_annotation *a)
{
    for (size_t risc = 0; a && risc < TTP_KERNEL_RISCS; risc++)
        for (size_t i = 0; m->thread[risc].kernel.len && i < a->nthreads; i++) {
            const struct ttp_annotated_thread *t = &a->thread[i];
            if (t->risc != risc || !t->source || !ttp_str_eq(t->kernel, m->thread[risc].kernel))
                continue;
            const ttp_str name = enclosing_def(t->source, t->first_line);
            if (name.len)
                return name;
        }
    return (ttp_str){0};
}

ttp_str ttp_kernel_own_name(const struct ttp_kernel_program *m, const struct ttp_annotation *a,
                            const struct ttp_op_info *info, struct ttp_arena *arena)
{
    const ttp_str name = name_in_source(m, a);

    return name.len ? ttp_arena_copy(arena, name) : join_threads(m, info, arena);
}
