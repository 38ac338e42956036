/* SPDX-License-Identifier: Apache-2.0 */
/* tuner.c - an open session: its lock, its ledger, and pending work. */
#include "tune/tuner.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "tune/ledger.h"

bool ttp_tuner_there(const char *path)
{
    return ttp_file_exists(path) || ttp_file_is_dir(path);
}

const char *ttp_tuner_text(struct ttp_arena *arena, const char *fmt, ...)
{
    char text[4096];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return ttp_arena_zstr(arena, ttp_str_from(text));
}

static void tell(void (*how)(void *, const char *), void *arg, const char *fmt, va_list ap)
{
    char text[512];

    if (!how)
        return;
    vsnprintf(text, sizeof(text), fmt, ap);
    how(arg, text);
}

void ttp_tuner_say(const struct ttp_tune *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    tell(t->options.hooks.say, t->options.hooks.arg, fmt, ap);
    va_end(ap);
}

void ttp_tuner_warn(const struct ttp_tune *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    tell(t->options.hooks.warn, t->options.hooks.arg, fmt, ap);
    va_end(ap);
}

void ttp_tuner_step(struct ttp_tune *t)
{
    if (++t->step == t->die_at)
        (void)raise(SIGKILL);
}

/* ---- git ---- */

/* Seconds that one call of git may take in a tree of any size. */
#define GIT_TIMEOUT_S 600

struct ttp_git ttp_tuner_git(const struct ttp_tune *t)
{
    static const char *identity[] = {
        "GIT_AUTHOR_NAME=tt-perf tune",
        "GIT_AUTHOR_EMAIL=tt-perf@localhost",
        "GIT_COMMITTER_NAME=tt-perf tune",
        "GIT_COMMITTER_EMAIL=tt-perf@localhost",
    };
    static const struct ttp_words set = {identity, TTP_COUNT(identity)};

    return (struct ttp_git){.dir = t->place.top,
                            .set = &set,
                            .timeout_s = GIT_TIMEOUT_S,
                            .signals = t->options.signals,
                            .arena = t->arena};
}

struct ttp_git ttp_tuner_git_writes(const struct ttp_tune *t, const char *dir)
{
    struct ttp_git git = ttp_tuner_git(t);

    git.dir = dir;
    git.writes = true;
    return git;
}

/* ---- records ---- */

void ttp_tuner_record(struct ttp_ledger_record *r, struct ttp_tune *t, const char *event)
{
    ttp_ledger_begin(r, t->session.records + 1, event, ttp_clock_unix_ns(), t->arena);
    r->secrets = &t->secrets;
}

/* For tests: as if the power had failed in the middle of a record. */
static void step_inside(struct ttp_tune *t, ttp_str line)
{
    if (t->step + 1 == t->die_at) {
        const ttp_code rc =
            ttp_append_log_add(t->ledger, ttp_str_slice(line, 0, line.len / 2), NULL);
        (void)rc;
    }
    ttp_tuner_step(t);
}

ttp_code ttp_tuner_append(struct ttp_tune *t, struct ttp_ledger_record *r, struct ttp_err *err)
{
    const ttp_str line = ttp_ledger_end(r);
    struct ttp_node *node;

    if (t->secrets.rc != TTP_OK) { /* a record that could not be run again */
        if (err)
            *err = t->secrets.err;
        return t->secrets.rc;
    }
    step_inside(t, line);
    TTP_TRY(ttp_append_log_add(t->ledger, line, err));
    ttp_tuner_step(t);
    /* what is read later is what holds now */
    TTP_TRY(ttp_json_tree(&node, line, t->arena, err));
    TTP_TRY(ttp_ledger_apply(&t->session, node, t->arena, err));
    ttp_tune_secrets_restore(&t->session, &t->secrets);
    t->session.records++;
    return TTP_OK;
}

/* What was cut off stays where it is; a record after it says how much that is. */
static ttp_code mend(struct ttp_tune *t, struct ttp_err *err)
{
    struct ttp_ledger_record r;
    struct ttp_sink both;

    if (t->session.torn_bytes == 0)
        return TTP_OK;
    ttp_tuner_record(&r, t, "recovered");
    ttp_ledger_u64(&r, "torn_bytes", t->session.torn_bytes);
    ttp_sink_to_arena(&both, t->arena);
    ttp_sink_char(&both, '\n');
    ttp_sink_put(&both, ttp_ledger_end(&r));
    step_inside(t, ttp_sink_text(&both));
    TTP_TRY(ttp_append_log_add(t->ledger, ttp_sink_text(&both), err));
    ttp_tuner_step(t);
    ttp_tuner_warn(t, "the last record of the ledger was truncated (%zu bytes) and is ignored",
                   t->session.torn_bytes);
    t->session.records++;
    t->session.torn_bytes = 0;
    t->session.torn_before++;
    return TTP_OK;
}

/* ---- open and close ---- */

static ttp_code read_ledger(struct ttp_tune_session *out, struct ttp_tune_secrets *secrets,
                            const char *state, struct ttp_arena *arena, struct ttp_err *err)
{
    const char *path = ttp_file_join(state, "ledger.jsonl", arena);
    ttp_str text;

    ttp_tune_secrets_load(secrets, ttp_file_join(state, "secrets.jsonl", arena), arena);
    TTP_TRY(ttp_append_log_read(&text, path, TTP_TUNE_LEDGER_MAX, arena, err));
    const ttp_code rc = ttp_tune_read(out, text, arena, err);
    if (rc == TTP_OK)
        ttp_tune_secrets_restore(out, secrets);
    else
        ttp_err_where(err, path, err ? err->line : 0);
    return rc;
}

static ttp_code not_begun(struct ttp_err *err)
{
    ttp_fail(err, TTP_EUSAGE, "no tuning session here");
    ttp_err_hint(err, "start one with 'tt-perf tune init --cmd CMD --golden DIR'");
    return TTP_EUSAGE;
}

ttp_code ttp_tune_look(struct ttp_tune_session *out, const struct ttp_tune_place *place,
                       struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_tune_secrets secrets;

    TTP_TRY(read_ledger(out, &secrets, place->state, arena, err));
    return out->measured ? TTP_OK : not_begun(err);
}

static ttp_code take_lock(struct ttp_tune *t, struct ttp_err *err)
{
    int64_t holder;
    const ttp_code rc =
        ttp_lock_take(&t->lock, ttp_file_join(t->place.state, "lock", t->arena), &holder, err);

    if (rc != TTP_ENOTFOUND)
        return rc;
    if (holder > 0)
        ttp_fail(err, TTP_ENOTFOUND, "another tune is running here: process %lld",
                 (long long)holder);
    else
        ttp_fail(err, TTP_ENOTFOUND, "another tune is running here");
    ttp_err_hint(err, "wait for it, or stop it; two at once would disturb each other");
    return TTP_ENOTFOUND;
}

ttp_code ttp_tune_open(struct ttp_tune **out, const struct ttp_tune_place *place,
                       const struct ttp_tune_open_options *o, struct ttp_arena *arena,
                       struct ttp_err *err)
{
    struct ttp_tune *t = TTP_NEW(arena, struct ttp_tune, 1);
    const char *die_at = getenv("TT_PERF_TUNE_DIE_AT_STEP");

    *t = (struct ttp_tune){.place = *place, .options = *o, .arena = arena, .lock = {-1}};
    if (die_at && !ttp_str_to_u64(ttp_str_from(die_at), &t->die_at))
        t->die_at = 0;
    t->ledger = ttp_file_join(place->state, "ledger.jsonl", arena);
    if (!o->create && !ttp_file_exists(t->ledger))
        return not_begun(err);
    TTP_TRY(ttp_file_make_dirs(place->state, err));
    TTP_TRY(take_lock(t, err));
    ttp_code rc = read_ledger(&t->session, &t->secrets, place->state, arena, err);
    if (o->start_over) {
        t->session = (struct ttp_tune_session){.machine = "", .branch = "", .prefix = ""};
        rc = rc == TTP_EIO ? rc : TTP_OK;
    } else {
        if (rc == TTP_OK)
            rc = mend(t, err);
        if (rc == TTP_OK)
            rc = ttp_tuner_settle(t, err);
        if (rc == TTP_OK && !o->create && !t->session.measured)
            rc = not_begun(err);
    }
    if (rc != TTP_OK) {
        ttp_lock_release(&t->lock);
        return rc;
    }
    *out = t;
    return TTP_OK;
}

void ttp_tune_close(struct ttp_tune *t)
{
    if (t)
        ttp_lock_release(&t->lock);
}

const struct ttp_tune_session *ttp_tune_session(const struct ttp_tune *t)
{
    return &t->session;
}

ttp_code ttp_tuner_check_signal(const struct ttp_tune *t, struct ttp_err *err)
{
    if (!ttp_signals_check(t->options.signals))
        return TTP_OK;
    return ttp_fail(err, TTP_EIO, "interrupted");
}
