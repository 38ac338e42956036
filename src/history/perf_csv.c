/* SPDX-License-Identifier: Apache-2.0 */
/* perf_csv.c - tt-metal's tables of model performance: docs/formats/device_perf.md. */
#include <math.h>

#include "base/csv.h"
#include "base/iso_time.h"
#include "base/num.h"
#include "base/vec.h"
#include "history/run_documents.h"

#define COLUMNS_MAX 256
#define ROWS_MAX    100000

enum role {
    ROLE_METRIC,
    ROLE_MODEL,
    ROLE_SETTING,
    ROLE_BATCH,
    ROLE_LOWER,
    ROLE_UPPER,
    ROLE_EXPECTED
};

struct column {
    ttp_str title; /* without what the role says */
    ttp_str unit;
    enum role role;
};

struct table {
    struct column column[COLUMNS_MAX];
    size_t columns;
    ttp_str branch, hash;
    ttp_str cell[COLUMNS_MAX]; /* of the current row */
    size_t cells;
    size_t row_offset;
};

/* The lines before the titles: "branch: main", "hash: abc". */
static ttp_str skip_head(struct table *t, ttp_str text)
{
    ttp_str rest = text, line;

    while (ttp_str_next_line(&rest, &line)) {
        const ttp_str trimmed = ttp_str_trim(line);

        if (ttp_str_starts(trimmed, TTP_STR("branch:")))
            t->branch = ttp_str_trim(ttp_str_slice(trimmed, 7, trimmed.len));
        else if (ttp_str_starts(trimmed, TTP_STR("hash:")))
            t->hash = ttp_str_trim(ttp_str_slice(trimmed, 5, trimmed.len));
        else if (trimmed.len)
            break;
        text = rest;
    }
    return text;
}

static bool next_row(struct table *t, struct ttp_csv *csv, struct ttp_arena *arena)
{
    uint32_t end[COLUMNS_MAX];
    struct ttp_csv_row row = {.end = end, .max = COLUMNS_MAX};

    if (!ttp_csv_next(csv, &row))
        return false;
    t->cells = row.nfields < COLUMNS_MAX ? row.nfields : COLUMNS_MAX;
    t->row_offset = row.start;
    for (size_t i = 0; i < t->cells; i++)
        t->cell[i] = ttp_str_trim(ttp_csv_field(csv, &row, i, arena));
    return true;
}

static ttp_str unit_of(ttp_str title)
{
    static const struct {
        const char *end, *unit;
    } units[] = {{"[ns]", "ns"}, {"SAMPLES/S", "samples/s"},
                 {"(sec)", "s"}, {"inf/sec)", "samples/s"},
                 {"(ms)", "ms"}, {"FPS", "fps"}};

    for (size_t i = 0; i < TTP_COUNT(units); i++)
        if (ttp_str_ends(title, ttp_str_from(units[i].end)))
            return ttp_str_from(units[i].unit);
    return (ttp_str){0};
}

static struct column column_of(ttp_str title)
{
    static const struct {
        const char *start;
        enum role role;
        bool whole;
    } roles[] = {
        {"Model", ROLE_MODEL, true},
        {"Setting", ROLE_SETTING, true},
        {"Batch", ROLE_BATCH, true},
        {"Lower Threshold ", ROLE_LOWER, false},
        {"Upper Threshold ", ROLE_UPPER, false},
        {"Expected ", ROLE_EXPECTED, false},
    };

    for (size_t i = 0; i < TTP_COUNT(roles); i++) {
        const ttp_str start = ttp_str_from(roles[i].start);

        if (roles[i].whole ? ttp_str_eq(title, start) : ttp_str_starts(title, start))
            return (struct column){
                .title = roles[i].whole ? title : ttp_str_slice(title, start.len, title.len),
                .role = roles[i].role};
    }
    return (struct column){.title = title, .unit = unit_of(title)};
}

static ttp_str cell_of(const struct table *t, enum role role)
{
    for (size_t i = 0; i < t->columns && i < t->cells; i++)
        if (t->column[i].role == role)
            return t->cell[i];
    return (ttp_str){0};
}

/* What the row says about that column besides its value; NAN: nothing. */
static double said_of(const struct table *t, ttp_str title, enum role role)
{
    double v = NAN;

    for (size_t i = 0; i < t->columns && i < t->cells; i++)
        if (t->column[i].role == role && ttp_str_eq(t->column[i].title, title) &&
            !(ttp_str_to_f64(t->cell[i], &v) && isfinite(v)))
            v = NAN;
    return v;
}

static double target_of(const struct table *t, ttp_str title)
{
    const double lower = said_of(t, title, ROLE_LOWER), upper = said_of(t, title, ROLE_UPPER);

    /* the band is the expected value plus and minus a margin */
    return isfinite(lower) && isfinite(upper) ? (lower + upper) / 2
                                              : said_of(t, title, ROLE_EXPECTED);
}

static ttp_str variant_of(const struct table *t, struct ttp_arena *arena)
{
    const ttp_str setting = cell_of(t, ROLE_SETTING), batch = cell_of(t, ROLE_BATCH);
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, setting);
    if (batch.len)
        ttp_sink_printf(&out, "%sbatch %.*s", setting.len ? ", " : "", TTP_FMT(batch));
    return ttp_sink_text(&out);
}

static void take_row(struct ttp_history_run *run, const struct table *t, struct ttp_arena *arena)
{
    const ttp_str variant = variant_of(t, arena);

    for (size_t i = 0; i < t->columns && i < t->cells; i++) {
        double *v = TTP_NEW(arena, double, 1);

        if (t->column[i].role != ROLE_METRIC || !ttp_str_to_f64(t->cell[i], v) || !isfinite(*v))
            continue;
        struct ttp_run_measure *m = ttp_history_run_add_measure(run, arena);
        m->metric = ttp_arena_copy(arena, t->column[i].title);
        m->unit = t->column[i].unit;
        m->better = ttp_measure_metric_unit_better(m->unit);
        m->variant = variant;
        m->sample = v;
        m->count = 1;
        m->target = target_of(t, t->column[i].title);
    }
}

/* "device_perf_bert_b8_2026_11_15.csv": its day; 0: none. */
static int64_t day_of(const char *name)
{
    const ttp_str s = ttp_str_from(name);
    const size_t dot = s.len > 4 ? s.len - 4 : 0;
    char day[11];
    int64_t ns = 0;

    if (dot < 10)
        return 0;
    memcpy(day, s.ptr + dot - 10, 10);
    if (day[4] != '_' || day[7] != '_')
        return 0;
    day[4] = day[7] = '-';
    return ttp_iso_parse(&ns, (ttp_str){day, 10}) ? ns : 0;
}

static bool read_titles(struct table *t, struct ttp_csv *csv, struct ttp_arena *arena)
{
    if (!next_row(t, csv, arena))
        return false;
    t->columns = t->cells;
    for (size_t i = 0; i < t->columns; i++)
        t->column[i] = column_of(t->cell[i]);
    return t->columns > 2 && t->column[0].role == ROLE_MODEL && t->column[1].role == ROLE_SETTING;
}

bool ttp_history_is_perf_csv(ttp_str text)
{
    struct ttp_arena scratch = {0};
    struct table *t = TTP_NEW(&scratch, struct table, 1);
    ttp_str line = {0}, rest = skip_head(t, ttp_str_slice(text, 0, 1u << 16));

    (void)ttp_str_next_line(&rest, &line);
    struct ttp_csv csv = {.text = line, .sep = ','};
    const bool is = read_titles(t, &csv, &scratch);
    ttp_arena_free(&scratch);
    return is;
}

static struct ttp_history_run *run_of(struct ttp_history_runs *runs, const struct table *t,
                                      ttp_str text, const char *name, struct ttp_arena *arena)
{
    const ttp_str model = cell_of(t, ROLE_MODEL);

    for (size_t i = 0; i < runs->count; i++)
        if (ttp_str_eq(runs->run[i].name, model))
            return &runs->run[i];
    struct ttp_history_run *run = TTP_PUSH(arena, runs->run, runs->count);
    *run = (struct ttp_history_run){
        .name = ttp_arena_copy(arena, model),
        .kind = TTP_STR("device-perf"),
        .source = ttp_str_from(name),
        .branch = ttp_arena_copy(arena, t->branch),
        .commit = ttp_arena_copy(arena, t->hash),
        .time_ns = day_of(name),
        .document = text,
        .document_name = ttp_str_from(name),
        .device_s = NAN,
        .gap_s = NAN,
    };
    return run;
}

ttp_code ttp_history_runs_from_perf_csv(struct ttp_history_runs *out, ttp_str text,
                                        const char *name, struct ttp_arena *arena,
                                        struct ttp_err *err)
{
    struct table *t = TTP_NEW(arena, struct table, 1);
    struct ttp_csv csv = {.text = skip_head(t, text), .sep = ','};
    const size_t skipped = text.len - csv.text.len;
    size_t rows = 0;

    *out = (struct ttp_history_runs){0};
    if (csv.text.len >= UINT32_MAX)
        return ttp_fail_at(err, TTP_ELIMIT, 0, "more than 4 GiB");
    if (!read_titles(t, &csv, arena))
        return ttp_fail_at(err, TTP_EPARSE, skipped,
                           "a performance table must have the columns Model, Setting, ...");
    while (next_row(t, &csv, arena)) {
        if (t->cells != t->columns)
            return ttp_fail_at(err, TTP_EPARSE, skipped + t->row_offset,
                               "%zu cells, but %zu columns", t->cells, t->columns);
        if (cell_of(t, ROLE_MODEL).len == 0)
            return ttp_fail_at(err, TTP_EPARSE, skipped + t->row_offset, "a row without a model");
        if (++rows > ROWS_MAX)
            return ttp_fail_at(err, TTP_ELIMIT, skipped + t->row_offset, "more than %d rows",
                               ROWS_MAX);
        take_row(run_of(out, t, text, name, arena), t, arena);
    }
    if (out->count == 0)
        return ttp_fail_at(err, TTP_EPARSE, text.len, "no rows after the header");
    for (size_t i = 0; i < out->count; i++)
        if (out->run[i].measures == 0)
            return ttp_fail_at(err, TTP_EPARSE, skipped, "no number in the rows of '%.*s'",
                               TTP_FMT(ttp_str_slice(out->run[i].name, 0, 80)));
    return TTP_OK;
}
