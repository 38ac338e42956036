/* SPDX-License-Identifier: Apache-2.0 */
/* run_handle.c - ttperf_run_*(): files in, the operations as they are there. */
#include "library/handles.h"
#include "run/run.h"

/* The unit that a name carries: "DEVICE FW DURATION [ns]", "DEVICE FW START CYCLE". */
static const char *unit_of(const char *name)
{
    const ttp_str n = ttp_str_from(name);

    if (ttp_str_ends(n, TTP_STR(" [ns]")) || ttp_str_ends(n, TTP_STR(" TS")))
        return "ns";
    return ttp_str_ends(n, TTP_STR(" CYCLE")) ? "cycles" : "";
}

static enum ttperf_type type_of(const struct ttp_ops *ops, enum ttp_ops_number column)
{
    const struct ttp_number_column *c = &ops->number[column];

    if (c->text)
        return TTPERF_TYPE_TEXT;
    for (size_t r = 0; r < ops->rows; r++)
        if (c->kind[r] != TTP_CELL_MISSING)
            return c->kind[r] == TTP_CELL_INT ? TTPERF_TYPE_INT : TTPERF_TYPE_REAL;
    return TTPERF_TYPE_INT;
}

static struct ttp_run_column *add_column(struct ttperf_run *run, const char *name,
                                         enum ttperf_type type)
{
    struct ttp_run_column *c = &run->column[run->columns++];

    c->seen = (struct ttperf_column){
        .id = name, .title = name, .unit = unit_of(name), .help = "", .type = type};
    return c;
}

static void list_columns(struct ttperf_run *run)
{
    run->column = TTP_NEW(&run->arena, struct ttp_run_column, TTP_OPS_TEXTS + TTP_OPS_NUMBERS);
    for (int t = 0; t < TTP_OPS_TEXTS; t++)
        if (run->ops.text[t].sym) {
            const enum ttp_ops_text text = (enum ttp_ops_text)t;
            add_column(run, ttp_ops_text_name(text), TTPERF_TYPE_TEXT)->from.text = text;
        }
    for (int n = 0; n < TTP_OPS_NUMBERS; n++)
        if (run->ops.number[n].kind) {
            const enum ttp_ops_number number = (enum ttp_ops_number)n;
            struct ttp_run_column *c =
                add_column(run, ttp_ops_number_name(number), type_of(&run->ops, number));
            c->number = true;
            c->from.number = number;
        }
}

static ttp_code read_files(struct ttperf_run *run, const struct ttp_run_sources *from,
                           struct ttp_err *err)
{
    const struct ttp_ops_read_options reading = {.threads = run->threads,
                                                 .rules = run->rules.reading};

    for (size_t i = 0; i < from->name.count; i++) /* names may be the caller's */
        ttp_words_add(&run->files, ttp_arena_zstr(&run->arena, ttp_str_from(from->name.word[i])),
                      &run->arena);
    return ttp_run_read_ops(&run->ops, from, &reading, &run->arena, err);
}

static ttp_code read_run(struct ttperf_run *run, const char *const *path, size_t npaths,
                         const struct ttperf_read_options *options, struct ttp_err *err)
{
    TTP_TRY(ttp_library_choose_rules(&run->rules, options->flags, err));
    run->threads = options->threads;
    if (npaths == 0)
        return ttp_fail(err, TTP_EUSAGE, "no file or folder given");
    const struct ttp_run_plan plan = {.reading = {.threads = run->threads},
                                      .noc = !run->rules.analysis,
                                      .texts = run->rules.reading.data_frame};
    struct ttp_run_sources from;
    TTP_TRY(ttp_run_open_sources(&from, (struct ttp_paths){path, npaths}, &plan, &run->arena, err));
    const ttp_code rc = read_files(run, &from, err);
    ttp_run_close_sources(&from);
    if (rc == TTP_OK)
        list_columns(run);
    return rc;
}

struct opening {
    struct ttperf_run *run; /* NULL: failed */
    struct ttp_budget *budget;
    const char *const *path;
    size_t npaths;
    struct ttperf_read_options options;
};

static ttp_code open_run(void *arg, struct ttp_err *err)
{
    struct opening *o = arg;
    struct ttp_arena arena = {0};
    struct ttperf_run *run = TTP_NEW(&arena, struct ttperf_run, 1);

    run->arena = arena;
    run->budget = o->budget;
    run->users = 1;
    const ttp_code rc = read_run(run, o->path, o->npaths, &o->options, err);
    if (rc == TTP_OK) {
        o->run = run;
    } else {
        arena = run->arena;
        ttp_arena_free(&arena);
    }
    return rc;
}

static ttp_code take_read_options(struct ttperf_read_options *out,
                                  const struct ttperf_read_options *given, struct ttp_err *err)
{
    TTP_TRY(ttp_library_take_options(out, sizeof(*out), given, "TTPERF_READ_OPTIONS_INIT", err));
    return ttp_library_check_flags(out->flags, TTPERF_READ_COMPAT, err);
}

enum ttperf_code ttperf_run_open(struct ttperf_run **out, const char *const *path, size_t npaths,
                                 const struct ttperf_read_options *options,
                                 struct ttperf_error *error)
{
    struct opening o = {.path = path, .npaths = npaths, .options = TTPERF_READ_OPTIONS_INIT};
    struct ttp_err err = {0};

    *out = NULL;
    if (take_read_options(&o.options, options, &err) != TTP_OK)
        return ttp_library_fail(error, &err);
    o.budget = ttp_budget_new(
        &(struct ttp_limits){.memory = o.options.max_memory,
                             .inflate = o.options.max_inflate,
                             .output = UINT64_MAX}); /* where it goes is the caller's */
    if (!o.budget)
        return ttp_library_no_memory(error);
    const enum ttperf_code rc = ttp_library_call(o.budget, open_run, &o, NULL, error);
    if (rc == TTPERF_OK)
        *out = o.run;
    else
        ttp_budget_free(o.budget);
    return rc;
}

void ttp_library_release_run(struct ttperf_run *run)
{
    if (--run->users)
        return;
    struct ttp_arena arena = run->arena; /* the run lies in it */
    struct ttp_budget *budget = run->budget;
    ttp_arena_free(&arena);
    ttp_budget_free(budget);
}

void ttperf_run_close(struct ttperf_run *run)
{
    if (run)
        ttp_library_release_run(run);
}

size_t ttperf_run_files(const struct ttperf_run *run)
{
    return run->files.count;
}

const char *ttperf_run_file(const struct ttperf_run *run, size_t i)
{
    return i < run->files.count ? run->files.word[i] : NULL;
}

size_t ttperf_run_rows(const struct ttperf_run *run)
{
    return run->ops.rows;
}

size_t ttperf_run_columns(const struct ttperf_run *run)
{
    return run->columns;
}

const struct ttperf_column *ttperf_run_column(const struct ttperf_run *run, size_t i)
{
    return i < run->columns ? &run->column[i].seen : NULL;
}

size_t ttperf_run_find_column(const struct ttperf_run *run, const char *id)
{
    for (size_t i = 0; i < run->columns; i++)
        if (strcmp(run->column[i].seen.id, id) == 0)
            return i;
    return TTPERF_NONE;
}

static struct ttperf_value number_value(const struct ttp_ops *ops, struct ttp_cell cell)
{
    struct ttperf_value v = {.type = TTPERF_TYPE_MISSING};

    if (cell.kind == TTP_CELL_TEXT)
        return ttp_library_text(ttp_sym_name(&ops->syms, cell.v.text));
    if (cell.kind == TTP_CELL_INT)
        v = (struct ttperf_value){TTPERF_TYPE_INT, {.i = cell.v.i}};
    else if (ttp_cell_f64(cell, &v.as.f))
        v.type = TTPERF_TYPE_REAL;
    return v;
}

struct ttperf_value ttperf_run_value(const struct ttperf_run *run, size_t row, size_t column)
{
    const struct ttp_ops *ops = &run->ops;

    if (row >= ops->rows || column >= run->columns)
        return (struct ttperf_value){.type = TTPERF_TYPE_MISSING};
    const struct ttp_run_column *c = &run->column[column];
    if (c->number)
        return number_value(ops, ttp_ops_cell(ops, c->from.number, row));
    const ttp_sym sym = ttp_ops_sym(ops, c->from.text, row);
    if (sym == TTP_SYM_MISSING)
        return (struct ttperf_value){.type = TTPERF_TYPE_MISSING};
    return ttp_library_text(ttp_sym_name(&ops->syms, sym));
}
