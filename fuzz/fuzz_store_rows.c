/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as what a database returns, row for row: no crash, no leak; what is accepted can be
 * shown in every form, a refusal says why. A line is a row, cells are divided by tabs and begin
 * with their type (i, r, t, b); a line "!" is a query that fails, an empty one ends an answer. */
#include "base/json_read.h"
#include "fuzz.h"
#include "memfile.h"
#include "outputs/outputs.h"
#include "store/store_internal.h"

#define COLUMNS ((size_t)24) /* at least as many as any query asks for */
#define ROWS    ((size_t)64)

struct made_db {
    struct ttp_db db;
    ttp_str rest;
};

static struct ttp_db_value made_cell(ttp_str text)
{
    char type = 0;
    int64_t i = 0;
    double f = 0;

    if (text.len) {
        type = text.ptr[0];
        text = ttp_str_slice(text, 1, text.len);
    }
    switch (type) {
    case 'i':
        (void)ttp_json_to_i64(text, &i);
        return ttp_db_int(i);
    case 'r':
        (void)ttp_json_to_f64(text, &f);
        return ttp_db_real(f);
    case 't':
        return (struct ttp_db_value){.type = TTP_DB_TEXT, .s = text};
    case 'b':
        return ttp_db_blob(text);
    default:
        return (struct ttp_db_value){.null = true};
    }
}

static ttp_code query_made(struct ttp_db *db, struct ttp_db_table *out, const struct ttp_sql *sql,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    struct made_db *d = (struct made_db *)db;
    ttp_str line;

    must(sql->text[0] != '\0' && (sql->values == 0 || sql->value));
    if (!out)
        return TTP_OK;
    *out = (struct ttp_db_table){.columns = COLUMNS};
    out->cell = TTP_NEW(arena, struct ttp_db_value, ROWS * COLUMNS);
    while (out->rows < ROWS && ttp_str_next_line(&d->rest, &line) && line.len) {
        ttp_str cell[COLUMNS];
        const size_t n = ttp_str_split(line, '\t', cell, COLUMNS);

        if (ttp_str_eq(line, TTP_STR("!")))
            return ttp_fail(err, TTP_EIO, "the database says no");
        for (size_t c = 0; c < COLUMNS; c++)
            out->cell[out->rows * COLUMNS + c] = made_cell(c < n ? cell[c] : (ttp_str){0});
        out->rows++;
    }
    return TTP_OK;
}

static void close_made(struct ttp_db *db)
{
    (void)db;
}

static void show(const struct ttp_history_runs *runs, const struct ttp_history_run *run,
                 const struct ttp_trend *trend, size_t trends, struct ttp_arena *arena)
{
    const struct ttp_history_about about = {"list", "runs.db", false};
    struct ttp_sink out;
    struct ttp_show how = {.out = &out, .width = 80, .arena = arena};

    ttp_sink_to_arena(&out, arena);
    for (enum ttp_form form = TTP_FORM_TEXT; form <= TTP_FORM_SVG; form++) {
        how.form = form;
        if (form != TTP_FORM_SVG) {
            must(ttp_out_history_list(&how, &about, runs, NULL) == TTP_OK);
            must(!run || ttp_out_history_run(&how, &about, run, NULL) == TTP_OK);
        }
        must(trends == 0 || ttp_out_history_trend(&how, &about, trend, trends, NULL) == TTP_OK);
    }
}

static void ask_all(struct ttp_store *s, struct ttp_arena *arena)
{
    const struct ttp_store_filter filter = {
        .name = TTP_STR("n"), .commit = TTP_STR("abc"), .after_ns = 1, .limit = 2};
    const struct ttp_store_span span = {
        .series = 1, .until_ns = 9, .branch = TTP_STR("main"), .limit = 60};
    const struct ttp_change_options how = {
        .min_segment = 5, .permutations = 9, .significance = 0.05};
    struct ttp_history_runs runs = {0};
    struct ttp_history_run run, commit;
    struct ttp_series_list all;
    struct ttp_series_points points;
    struct ttp_trend trend = {0};
    struct ttp_err err = {0};
    size_t count = 0;
    int64_t *ids;

    if (ttp_store_list(&runs, s, &filter, arena, &err) != TTP_OK)
        must(err.code != TTP_OK && err.text[0]);
    const bool whole = ttp_store_read(&run, s, 1, TTP_PARTS_ALL, arena, &err) == TTP_OK;
    must(whole || (err.code != TTP_OK && err.text[0]));
    (void)!ttp_store_find_commit(&commit, s, TTP_STR("abc"), arena, &err);
    (void)!ttp_store_ids(&ids, &count, s, arena, &err);
    if (ttp_store_series(&all, s, &(struct ttp_series_key){TTP_STR("m"), TTP_STR("n")}, arena,
                         &err) == TTP_OK &&
        all.count && ttp_store_points(&points, s, &span, arena, &err) == TTP_OK)
        ttp_history_trend_make(&trend, &all.series[0], points, &how, arena);
    show(&runs, whole ? &run : NULL, &trend, trend.count ? 1 : 0, arena);
    if (whole) { /* and into another store */
        struct ttp_store_added added;
        (void)!ttp_store_add(&added, s, &run, true, &err);
        (void)!ttp_store_add_note(s, 1, TTP_STR("note"), &err);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ttp_db_kind kind = {
        .name = "made", .begin = "BEGIN", .query = query_made, .close = close_made};
    struct made_db db = {.db = {&kind}, .rest = {(const char *)data, size}};
    struct ttp_arena arena = {0}, own = {0};
    struct ttp_store *s = TTP_NEW(&own, struct ttp_store, 1);

    s->db = &db.db;
    s->salvage = size && data[0] == '#';
    s->arena = own;
    ask_all(s, &arena);
    ttp_store_close(s);
    ttp_arena_free(&arena);
    return 0;
}
