/* SPDX-License-Identifier: Apache-2.0 */
/* doctor_fields.c - the figures of a diagnosis. */
#include "outputs/doctor/doctor_parts.h"
#include "outputs/host/host_fields.h"

static const char *const levels[] = {"pass", "info", "skip", "warn", "fail"};

static struct ttp_value together(const struct ttp_doctor_view *view, const char *const *checks)
{
    return ttp_value_word(levels[ttp_host_checks_together(view->diagnosis, checks)]);
}

static struct ttp_records list_words(const char *const *words)
{
    size_t n = 0;

    while (words[n])
        n++;
    return (struct ttp_records){&ttp_bare_cstr, NULL, words, sizeof(*words), n};
}

#define LIST(name, row_type, member)                                                               \
    static struct ttp_records list_##name(const void *context, const void *row)                    \
    {                                                                                              \
        (void)context;                                                                             \
        return list_words(((const row_type *)row)->member);                                        \
    }

/* --- checks --- */

enum ttp_tone ttp_out_doctor_tone(enum ttp_verdict_level level)
{
    static const enum ttp_tone tones[TTP_CHECK_LEVELS] = {
        [TTP_CHECK_PASS] = TTP_TONE_GOOD,  [TTP_CHECK_INFO] = TTP_TONE_CYAN,
        [TTP_CHECK_SKIP] = TTP_TONE_FAINT, [TTP_CHECK_WARN] = TTP_TONE_WARN,
        [TTP_CHECK_FAIL] = TTP_TONE_BAD,
    };

    return tones[level];
}

static enum ttp_tone level_tone(const void *context, const void *row)
{
    (void)context;
    return ttp_out_doctor_tone(((const struct ttp_check *)row)->level);
}

#define CHECK(member) TTP_FIGURE(struct ttp_check, member)
TTP_GET(get_id, struct ttp_doctor_view, struct ttp_check, ttp_value_word(r->spec->id))
TTP_GET(get_group, struct ttp_doctor_view, struct ttp_check, ttp_value_word(r->spec->group))
TTP_GET(get_title, struct ttp_doctor_view, struct ttp_check, ttp_value_word(r->spec->title))

static const struct ttp_field check_fields[] = {
    {.id = "level",
     .title = "Level",
     TTP_WORD(struct ttp_check, level, levels),
     .in_table = true,
     .left = true,
     .tone = level_tone,
     .help = "pass, info, skip, warn or fail"},
    TTP_WORDS_COLUMN("id", "Check", 0, .get = get_id, .help = "stable name of the check"),
    TTP_WORDS("group", .title = "Group", .get = get_group, .help = "what it is about"),
    TTP_WORDS("title", .title = "Title", .get = get_title, .help = "the check in a few words"),
    TTP_WORDS_COLUMN("where", "Where", 1, CHECK(where), .help = "bus address; none: the machine"),
    TTP_WORDS_COLUMN("value", "Value", 0, CHECK(value), .help = "as measured"),
    TTP_WORDS_COLUMN("limit", "Limit", 2, CHECK(limit), .help = "limit of the value"),
    TTP_WORDS("origin", .title = "Origin", CHECK(origin), .help = "source of the limit"),
    TTP_WORDS("source", .title = "Source", CHECK(source), .help = "the file it was read from"),
    TTP_WORDS_COLUMN("text", "Meaning", 4, CHECK(text), .help = "what it means"),
    TTP_WORDS_COLUMN("hint", "Fix", 3, CHECK(fix), .help = "what to do"),
};
const struct ttp_fields ttp_doctor_check_fields = {
    TTP_FIELDS(check_fields), .hint = "tt-perf doctor --columns help lists them"};

/* --- the rest --- */

TTP_GET(get_root, struct ttp_doctor_view, struct ttp_doctor_view, ttp_value_word(r->host->root))
TTP_GET(get_samples, struct ttp_doctor_view, struct ttp_doctor_view,
        ttp_value_i64(r->quick || r->host->nchips == 0 || (!r->host->live && !r->host->two_samples)
                          ? 1
                          : 2))

static const struct ttp_field view_fields[] = {
    TTP_WORDS("root", .get = get_root, .help = "folder of --root; null: this machine"),
    TTP_INT("samples", "", .get = get_samples),
};
static const struct ttp_fields view_figures = {TTP_FIELDS(view_fields)};

#define LEVEL(which) TTP_FIGURE(struct ttp_diagnosis, level[TTP_CHECK_##which])
static const struct ttp_field summary_fields[] = {
    TTP_INT("pass", "", LEVEL(PASS)), TTP_INT("info", "", LEVEL(INFO)),
    TTP_INT("skip", "", LEVEL(SKIP)), TTP_INT("warn", "", LEVEL(WARN)),
    TTP_INT("fail", "", LEVEL(FAIL)),
};
const struct ttp_fields ttp_doctor_summary_fields = {TTP_FIELDS(summary_fields)};

TTP_GET(get_step_level, struct ttp_doctor_view, struct ttp_why_step,
        ttp_value_word(levels[ttp_host_step_level(c->diagnosis, r)]))
TTP_GET(get_measurable, struct ttp_doctor_view, struct ttp_why_step, ttp_value_bool(!r->unmeasured))
LIST(checks, struct ttp_why_step, checks)
LIST(solutions, struct ttp_why_step, solutions)

static const struct ttp_field step_fields[] = {
    TTP_WORDS("cause", TTP_FIGURE(struct ttp_why_step, cause)),
    TTP_WORDS("level", .get = get_step_level, .help = "worst result of its checks"),
    TTP_FLAG("measurable", .get = get_measurable),
    {.id = "checks", .type = TTP_ROWS, .sub = &ttp_bare_cstr, .list = list_checks},
    {.id = "solutions",
     .type = TTP_ROWS,
     .sub = &ttp_bare_cstr,
     .list = list_solutions,
     .help = "in the order to check"},
};
static const struct ttp_fields steps = {TTP_FIELDS(step_fields)};

static const struct ttp_field why_fields[] = {
    TTP_WORDS("question", TTP_FIGURE(struct ttp_why, question)),
    {.id = "steps", TTP_ROWS_AT(struct ttp_why, step, steps, steps)},
};
static const struct ttp_fields why = {TTP_FIELDS(why_fields)};

TTP_GET(get_line_level, struct ttp_doctor_view, struct ttp_guide_line, together(c, r->checks))
LIST(line_checks, struct ttp_guide_line, checks)

static struct ttp_value get_line_state(const void *context, const void *row)
{
    static const char *const states[] = {"unknown", "false", "partly", "true"};
    const struct ttp_doctor_view *view = context;

    return ttp_value_word(states[ttp_host_guide_line_state(view->diagnosis, row)]);
}

static const struct ttp_field guide_fields[] = {
    TTP_WORDS("line", TTP_FIGURE(struct ttp_guide_line, line)),
    TTP_WORDS("today", TTP_FIGURE(struct ttp_guide_line, today)),
    TTP_WORDS("level", .get = get_line_level, .help = "worst result of its checks"),
    TTP_WORDS("state", .get = get_line_state,
              .help = "true, false, partly (true as far as measured) or unknown"),
    {.id = "checks", .type = TTP_ROWS, .sub = &ttp_bare_cstr, .list = list_line_checks},
};
static const struct ttp_fields guide = {TTP_FIELDS(guide_fields)};

/* --- bandwidth --- */

#define RATE(member) TTP_FIGURE(struct ttp_bandwidth_rate, member)
TTP_GET(get_rate_name, struct ttp_doctor_view, struct ttp_bandwidth_rate,
        ttp_value_word(ttp_bandwidth_names[r->kind]))

/* Divided, not scaled: 12.5 stays 12.5. */
TTP_GET(get_bare_rate, void, double, ttp_value_f64(*r / 1e9))
TTP_GET(get_median, void, struct ttp_bandwidth_rate, ttp_value_f64(r->median / 1e9))
TTP_GET(get_min, void, struct ttp_bandwidth_rate, ttp_value_f64(r->min / 1e9))
TTP_GET(get_max, void, struct ttp_bandwidth_rate, ttp_value_f64(r->max / 1e9))
static const struct ttp_field bare_rate_field = {
    .unit = "GB/s", .type = TTP_F64, .digits = 2, .get = get_bare_rate};
static const struct ttp_fields bare_rate = {.field = &bare_rate_field, .count = 1};

static struct ttp_records list_samples(const void *context, const void *row)
{
    const struct ttp_bandwidth_rate *r = row;

    (void)context;
    return (struct ttp_records){&bare_rate, NULL, r->sample, sizeof(*r->sample),
                                r->sample ? r->count : 0};
}

static const struct ttp_field rate_fields[] = {
    TTP_WORDS("name", .get = get_rate_name, .help = "memory-copy, host-to-device, ..."),
    TTP_INT("device", "", RATE(device), .is_id = true,
            .help = "as tt-metal counts; null: the machine"),
    TTP_REAL("median_gbs", "GB/s", 2, .get = get_median),
    TTP_REAL("min_gbs", "GB/s", 2, .get = get_min),
    TTP_REAL("max_gbs", "GB/s", 2, .get = get_max),
    TTP_INT("repetitions", "", RATE(count)),
    {.id = "samples_gbs",
     .type = TTP_ROWS,
     .sub = &bare_rate,
     .list = list_samples,
     .help = "in the order they were measured; empty if only a summary is known"},
    TTP_WORDS("source", RATE(source), .help = "what measured it"),
    TTP_WORDS("skipped", RATE(skipped), .help = "why it was not measured"),
    TTP_WORDS("hint", RATE(todo), .help = "how to measure it"),
};
static const struct ttp_fields rates = {TTP_FIELDS(rate_fields)};

#define BANDWIDTH(member) TTP_FIGURE(struct ttp_bandwidth, member)
static const struct ttp_field bandwidth_fields[] = {
    TTP_WHEN("start_time", BANDWIDTH(start_ns)),
    TTP_INT("threads", "", BANDWIDTH(threads)),
    TTP_INT("array_bytes", "bytes", BANDWIDTH(array_bytes), .help = "each of three arrays"),
    TTP_INT("cache_bytes", "bytes", BANDWIDTH(cache_bytes), .help = "last level; 0: unknown"),
    {.id = "rates", TTP_ROWS_AT(struct ttp_bandwidth, rate, count, rates)},
};
const struct ttp_fields ttp_doctor_bandwidth_fields = {TTP_FIELDS(bandwidth_fields)};

static const struct ttp_part_spec parts[] = {
    [TTP_DOCTOR_VIEW] = {.kind = TTP_PART_DATA, .fields = &view_figures, .json_only = true},
    [TTP_DOCTOR_SUMMARY] = {.id = "summary",
                            .kind = TTP_PART_OBJECT,
                            .fields = &ttp_doctor_summary_fields,
                            .json_only = true,
                            .help = "number of checks of each level"},
    [TTP_DOCTOR_MACHINE] = {.id = "machine",
                            .kind = TTP_PART_OBJECT,
                            .fields = &ttp_machine_fields,
                            .json_only = true},
    [TTP_DOCTOR_CHIPS] = {.id = "chips", .fields = &ttp_chip_fields, .json_only = true},
    [TTP_DOCTOR_CHECKS] = {.id = "checks", .fields = &ttp_doctor_check_fields},
    [TTP_DOCTOR_WHY] = {.id = "why",
                        .kind = TTP_PART_OBJECT,
                        .fields = &why,
                        .optional = true,
                        .json_only = true,
                        .help = "only with --why"},
    [TTP_DOCTOR_GUIDE] = {.id = "guide",
                          .fields = &guide,
                          .optional = true,
                          .json_only = true,
                          .help = "only with --guide"},
    [TTP_DOCTOR_BANDWIDTH] = {.id = "bandwidth",
                              .kind = TTP_PART_OBJECT,
                              .fields = &ttp_doctor_bandwidth_fields,
                              .optional = true,
                              .json_only = true,
                              .help = "only with --bandwidth"},
};
const struct ttp_document_spec ttp_doctor_document = {
    .schema = "tt-perf.doctor/2",
    .help = "Checks of a machine and its boards",
    TTP_PARTS(parts),
    .main = TTP_DOCTOR_CHECKS,
};
