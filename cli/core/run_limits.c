/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run_limits.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/file.h"
#include "core/failure.h"
#include "core/lost_file.h"

/* Long enough for any table, and an endless loop does not block a job for days. */
#define SECONDS_DEFAULT 3600
#define SECONDS_MAX     1e9

/* Where a value comes from: the option, else the variable. */
struct source {
    const char *option, *variable;
    const char *given; /* NULL: not given as an option */
};

static struct ttp_err time_is_up; /* written before the timer runs: a handler cannot be passed it */

static void end_with(const struct ttp_err *err, int by_kind)
{
    const struct ttp_last_words words = ttp_lost_file_words();
    /* verbs that run commands, and drop-ins, have one status for all failures of their own */
    const int status = words.status == TTP_EXIT_IO ? by_kind : words.status;

    ttp_failure_print(words.verb, err, status, words.json);
    _exit(status);
}

static void tell(const struct ttp_err *err)
{
    end_with(err, ttp_exit_status(err->code));
}

static void on_alarm(int number)
{
    (void)number;
    ttp_outfile_tidy();
    end_with(&time_is_up, TTP_EXIT_TIMEOUT);
}

/* The value as given, or NULL; *name is how the user gave it. */
static const char *value_of(const struct source *s, const char **name)
{
    const char *set = getenv(s->variable); /* NOLINT(concurrency-mt-unsafe) */

    *name = s->given ? s->option : s->variable;
    return s->given ? s->given : set && set[0] ? set : NULL;
}

/* "1.5G" -> 1.5 and "G". */
static bool split_number(double *number, ttp_str *unit, const char *text)
{
    const ttp_str all = ttp_str_trim(ttp_str_from(text));
    size_t n = 0;

    while (n < all.len && ((all.ptr[n] >= '0' && all.ptr[n] <= '9') || all.ptr[n] == '.'))
        n++;
    *unit = ttp_str_trim(ttp_str_slice(all, n, all.len));
    return ttp_str_to_f64(ttp_str_slice(all, 0, n), number) && *number > 0;
}

/* Is it one of the words (NULL at the end)? */
static bool is_word(ttp_str text, const char *const *words)
{
    for (; *words; words++) {
        const ttp_str word = ttp_str_from(*words);
        bool same = word.len == text.len;

        for (size_t i = 0; same && i < word.len; i++)
            same = (text.ptr[i] | 0x20) == word.ptr[i];
        if (same)
            return true;
    }
    return false;
}

static ttp_code parse_size(uint64_t *out, const struct source *s, struct ttp_err *err)
{
    static const char *const unit[][5] = {{"", "b", NULL},
                                          {"k", "kb", "kib", NULL},
                                          {"m", "mb", "mib", NULL},
                                          {"g", "gb", "gib", NULL},
                                          {"t", "tb", "tib", NULL}};
    const char *name, *text = value_of(s, &name);
    double n;
    ttp_str u;

    if (!text)
        return TTP_OK;
    if (strcmp(text, "none") == 0) {
        *out = UINT64_MAX;
        return TTP_OK;
    }
    if (split_number(&n, &u, text))
        for (size_t i = 0; i < TTP_COUNT(unit); i++)
            if (is_word(u, unit[i]) && ldexp(n, (int)(10 * i)) < 0x1p62 &&
                ldexp(n, (int)(10 * i)) >= 1) {
                *out = (uint64_t)ldexp(n, (int)(10 * i));
                return TTP_OK;
            }
    ttp_fail(err, TTP_EUSAGE, "%s '%.60s' is not a valid size", name, text);
    ttp_err_hint(err, "use bytes, 512M, 1.5G or none");
    return TTP_EUSAGE;
}

static ttp_code parse_time(double *out, const struct source *s, struct ttp_err *err)
{
    static const char *const seconds[] = {"", "s", NULL}, *const minutes[] = {"m", "min", NULL},
                             *const hours[] = {"h", NULL};
    const char *name, *text = value_of(s, &name);
    double n;
    ttp_str u;

    if (!text)
        return TTP_OK;
    *out = INFINITY;
    if (strcmp(text, "none") == 0)
        return TTP_OK;
    if (split_number(&n, &u, text)) {
        *out = is_word(u, seconds)   ? n
               : is_word(u, minutes) ? n * 60
               : is_word(u, hours)   ? n * 3600
                                     : -1;
        if (*out > 0 && *out <= SECONDS_MAX)
            return TTP_OK;
    }
    ttp_fail(err, TTP_EUSAGE, "%s '%.60s' is not a valid time", name, text);
    ttp_err_hint(err, "use seconds, 10m, 2h or none");
    return TTP_EUSAGE;
}

/* With those of the environment, and of `given` unless that is NULL. */
static ttp_code find_limits(struct ttp_limits *out, const struct ttp_common_opts *given,
                            struct ttp_err *err)
{
    const struct source memory = {"--max-memory", "TT_PERF_MAX_MEMORY",
                                  given ? given->max_memory : NULL},
                        inflate = {"--max-inflate", "TT_PERF_MAX_INFLATE",
                                   given ? given->max_inflate : NULL},
                        output = {"--max-output", "TT_PERF_MAX_OUTPUT",
                                  given ? given->max_output : NULL};

    TTP_TRY(parse_size(&out->memory, &memory, err));
    TTP_TRY(parse_size(&out->inflate, &inflate, err));
    return parse_size(&out->output, &output, err);
}

void ttp_run_limits_begin(void)
{
    struct ttp_limits limits = {.memory = ttp_budget_default_memory()};

    const ttp_code rc = find_limits(&limits, NULL, NULL);
    (void)rc; /* the verb reports it; a drop-in has no words for it */
    ttp_budget_set(&limits, tell);
}

static void start_timer(double seconds, const char *input)
{
    const struct sigaction act = {.sa_handler = on_alarm};
    const struct itimerval when = {
        .it_value = {(time_t)seconds, (suseconds_t)((seconds - floor(seconds)) * 1e6)}};

    ttp_fail(&time_is_up, TTP_ELIMIT, "time limit of %g s exceeded", seconds);
    ttp_err_hint(&time_is_up, "raise the limit with --max-time or TT_PERF_MAX_TIME");
    if (input)
        ttp_err_where(&time_is_up, input, 0);
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &when, NULL);
}

void ttp_run_limits_no_time(void)
{
    setitimer(ITIMER_REAL, &(const struct itimerval){0}, NULL);
}

ttp_code ttp_run_limits_set(const struct ttp_cmd *cmd, const struct ttp_common_opts *given,
                            const char *input, struct ttp_err *err)
{
    struct ttp_limits limits = {.memory = ttp_budget_default_memory(),
                                .output = cmd->takes & TTP_TAKES_NO_INPUT ? UINT64_MAX : 0};
    double seconds = SECONDS_DEFAULT;

    TTP_TRY(find_limits(&limits, given, err));
    ttp_budget_set(&limits, tell);
    if (!(cmd->takes & TTP_TAKES_TIME))
        return TTP_OK;
    const struct source time = {"--max-time", "TT_PERF_MAX_TIME", given->max_time};
    TTP_TRY(parse_time(&seconds, &time, err));
    if (isfinite(seconds))
        start_timer(seconds, input);
    return TTP_OK;
}
