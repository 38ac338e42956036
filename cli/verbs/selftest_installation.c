/* SPDX-License-Identifier: Apache-2.0 */
/* selftest_installation.c - optional libraries, and a synthetic run through the verbs. */
#include "base/file.h"
#include "base/json_tree.h"
#include "verbs/selftest.h"

#define LIBRARIES "Libraries"
#define PIPELINE  "Pipeline"

/* --- libraries --- */

static const struct library {
    struct ttp_check_spec spec;
    const char *key; /* in the JSON of `tt-perf version` */
    const char *without;
} libraries[] = {
    {{"lib.zlib", LIBRARIES, "zlib"}, "zlib", "cannot read .gz files"},
    {{"lib.zstd", LIBRARIES, "zstd"}, "zstd", "cannot read or write .zst files and bundles"},
    {{"lib.lz4", LIBRARIES, "LZ4"}, "lz4", "cannot record, nor read recordings of Tracy"},
    {{"lib.cairo", LIBRARIES, "cairo"}, "cairo", "cannot draw PNG"},
    {{"lib.microhttpd", LIBRARIES, "libmicrohttpd"}, "libmicrohttpd", "cannot serve pages"},
    {{"lib.ncurses", LIBRARIES, "ncurses"}, "ncurses", "no live view of 'tt-perf top'"},
    {{"lib.sqlite", LIBRARIES, "SQLite"}, "sqlite", "no history in a file"},
    {{"lib.postgresql", LIBRARIES, "libpq"}, "postgresql", "no history of a team"},
};

struct found {
    bool has[TTP_COUNT(libraries)];
};

static bool is_there(const struct found *f, const char *key)
{
    for (size_t i = 0; key && i < TTP_COUNT(libraries); i++)
        if (strcmp(libraries[i].key, key) == 0)
            return f->has[i];
    return true;
}

static ttp_code check_libraries(struct found *out, struct selftest *t, struct ttp_err *err)
{
    static const char *const words[] = {"version", "--format", "json", NULL};
    struct ttp_node *doc = NULL;
    struct ttp_child child;

    TTP_TRY(selftest_run_own(&child, t, words, err));
    const bool ran = child.end == TTP_CHILD_EXITED && child.code == 0;
    if (ran)
        TTP_TRY(ttp_json_tree(&doc, child.printed, t->ctx->arena, err));
    const struct ttp_node *has = ttp_node_get(ttp_node_get(doc, "data"), "libraries");
    for (size_t i = 0; i < TTP_COUNT(libraries); i++) {
        out->has[i] = ttp_node_true_of(has, libraries[i].key);
        if (!ran) {
            selftest_add(t, &libraries[i].spec, TTP_CHECK_SKIP, selftest_failure(t, &child));
            continue;
        }
        struct ttp_check *k =
            selftest_add(t, &libraries[i].spec, out->has[i] ? TTP_CHECK_PASS : TTP_CHECK_INFO,
                         out->has[i] ? TTP_STR("built in") : TTP_STR("not built in"));
        if (!out->has[i]) {
            k->text = ttp_str_from(libraries[i].without);
            k->fix = TTP_STR("install its development package and build tt-perf again");
        }
    }
    return TTP_OK;
}

/* --- pipeline --- */

#define WORDS_MAX 10
static const struct step {
    struct ttp_check_spec spec;
    const char *library; /* it needs; NULL: none */
    const char *makes;   /* this file, which must not be empty */
    const char *words[WORDS_MAX];
} steps[] = {
    {{"verb.synth", PIPELINE, "write the logs of a synthetic run"},
     NULL,
     "run/.logs/profile_log_device.csv",
     {"synth", "-q", "-o", "run", "--layers", "1"}},
    {{"verb.ops", PIPELINE, "logs to ops CSV"},
     NULL,
     "table/ops_perf_results.csv",
     {"ops", "-q", "run", "-o", "table"}},
    {{"verb.report", PIPELINE, "report as JSON"},
     NULL,
     "report.json",
     {"report", "-q", "run", "-o", "report.json"}},
    {{"verb.same", PIPELINE, "the report of the logs equals that of the CSV"},
     NULL,
     "diff.json",
     {"diff", "-q", "run", "table", "--fail-over", "0.0001%", "-o", "diff.json"}},
    {{"verb.advise", PIPELINE, "advice"},
     NULL,
     "advise.json",
     {"advise", "-q", "run", "-o", "advise.json"}},
    {{"verb.trace", PIPELINE, "timeline for Perfetto"},
     NULL,
     "run.perfetto-trace",
     {"trace", "-q", "run", "-o", "run.perfetto-trace"}},
    {{"verb.page", PIPELINE, "report as a page"},
     NULL,
     "report.html",
     {"report", "-q", "run", "-o", "report.html"}},
    {{"verb.picture", PIPELINE, "summary as a picture"},
     "cairo",
     "summary.png",
     {"report", "-q", "run", "--summary-file", "summary", "-o", "picture.txt"}},
    {{"verb.bundle", PIPELINE, "pack the run"},
     "zstd",
     "run.ttperf.tar.zst",
     {"bundle", "-q", "run", "-o", "run.ttperf.tar.zst"}},
    {{"verb.unpack", PIPELINE, "report of the packed run"},
     "zstd",
     "unpacked.json",
     {"report", "-q", "run.ttperf.tar.zst", "-o", "unpacked.json"}},
    {{"verb.history", PIPELINE, "keep the run in a history"},
     "sqlite",
     "history.db",
     {"history", "add", "-q", "run", "--store", "history.db"}},
};

static ttp_code run_step(struct selftest *t, const struct step *s, const struct found *found,
                         struct ttp_err *err)
{
    const char *path = ttp_file_join(t->scratch, s->makes, t->ctx->arena);
    struct ttp_child child;

    if (!is_there(found, s->library)) {
        selftest_add(t, &s->spec, TTP_CHECK_SKIP, TTP_STR("not checked"))->text =
            ttp_str_from("this build lacks the library");
        return TTP_OK;
    }
    TTP_TRY(selftest_run_own(&child, t, s->words, err));
    if (child.end == TTP_CHILD_TIMED_OUT) {
        selftest_add(t, &s->spec, TTP_CHECK_SKIP, selftest_failure(t, &child));
        return TTP_OK;
    }
    const bool ran = child.end == TTP_CHILD_EXITED && child.code == 0;
    const uint64_t bytes = ttp_file_size(path);
    if (ran && bytes) {
        selftest_add(
            t, &s->spec, TTP_CHECK_PASS,
            ttp_sink_format(t->ctx->arena, "%s, %llu bytes", s->makes, (unsigned long long)bytes));
        return TTP_OK;
    }
    struct ttp_check *k =
        selftest_add(t, &s->spec, TTP_CHECK_FAIL,
                     ran ? ttp_sink_format(t->ctx->arena, "%s is missing or empty", s->makes)
                         : selftest_failure(t, &child));
    struct ttp_sink fix;

    ttp_sink_to_arena(&fix, t->ctx->arena);
    ttp_sink_put(&fix, TTP_STR("repeat it: tt-perf"));
    for (size_t i = 0; s->words[i]; i++)
        ttp_sink_printf(&fix, " %s", s->words[i]);
    k->fix = ttp_sink_text(&fix);
    return TTP_OK;
}

ttp_code selftest_installation(struct selftest *t, struct ttp_err *err)
{
    struct found found;

    TTP_TRY(check_libraries(&found, t, err));
    for (size_t i = 0; i < TTP_COUNT(steps); i++)
        TTP_TRY(run_step(t, &steps[i], &found, err));
    return TTP_OK;
}
