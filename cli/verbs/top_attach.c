/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/top_attach.h"

#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/sym.h"
#include "capture/capture.h"
#include "record/record.h"

#define CHIPS_MAX  64
#define LABELS_MAX 1024
/* A client that does not answer in that time is none, or has another server. */
#define CONNECT_NS UINT64_C(5000000000)
/* What was before is sent without such a pause. */
#define PAUSE_MS 5
/* For its last words. */
#define LEAVE_NS UINT64_C(2000000000)

/* One chip since the last look. */
struct chip {
    int64_t number;
    double covered_ns, busy_ns; /* end of what is counted; union of the zones */
    uint64_t programs;
    double label_ns[LABELS_MAX];
};

struct ttp_top_attach {
    struct ttp_receiver *receiver;
    struct ttp_arena *arena;
    int64_t pid;
    uint64_t max_backlog, looked_ns;
    bool caught_up; /* what was sent before we came is over */
    struct chip *chip[CHIPS_MAX];
    size_t chips;
    struct ttp_symtab labels;
};

/* "Device 3:" and what may follow. */
static bool chip_of(int64_t *out, ttp_str context)
{
    const ttp_str rest = ttp_str_starts(context, TTP_STR("Device "))
                             ? ttp_str_slice(context, 7, context.len)
                             : (ttp_str){0};
    uint64_t number;

    if (!ttp_str_to_u64(ttp_str_slice(rest, 0, ttp_str_find_char(rest, ':')), &number) ||
        number > INT32_MAX)
        return false;
    *out = (int64_t)number;
    return true;
}

static struct chip *find_chip(struct ttp_top_attach *a, int64_t number)
{
    for (size_t i = 0; i < a->chips; i++)
        if (a->chip[i]->number == number)
            return a->chip[i];
    if (a->chips == CHIPS_MAX)
        return NULL;
    struct chip *c = TTP_NEW(a->arena, struct chip, 1);
    c->number = number;
    return a->chip[a->chips++] = c;
}

/* Kernels are named by their sources, joined by commas: the first says what the program is. */
static ttp_sym label_of(struct ttp_top_attach *a, const struct ttp_device_zone *zone)
{
    const size_t end = ttp_str_find_char(zone->file, ',');
    const ttp_str label = ttp_startup_label(ttp_str_slice(zone->file, 0, end));
    const ttp_sym at =
        ttp_sym_intern(&a->labels, a->labels.count + 1 < LABELS_MAX ? label : TTP_STR("others"));

    return at < LABELS_MAX ? at : 0;
}

static void take_zone(void *arg, const struct ttp_device_zone *zone)
{
    struct ttp_top_attach *a = arg;
    int64_t number;

    /* markers of clocks are not programs, and small negative lengths are normal at the start */
    if (!a->caught_up || !ttp_str_starts(zone->name, TTP_STR("Program_")) ||
        !(zone->end_ns > zone->start_ns) || !chip_of(&number, zone->context))
        return;
    struct chip *c = find_chip(a, number);
    if (!c)
        return;
    const double from = zone->start_ns > c->covered_ns ? zone->start_ns : c->covered_ns;
    if (zone->end_ns > from) {
        c->busy_ns += zone->end_ns - from;
        c->covered_ns = zone->end_ns;
    }
    c->programs++;
    c->label_ns[label_of(a, zone)] += zone->end_ns - zone->start_ns;
}

static ttp_code refuse(const struct ttp_top_attach *a, const struct ttp_receiver_stats *s,
                       struct ttp_err *err)
{
    if (s->end == TTP_END_REFUSED) {
        (void)ttp_fail(err, TTP_ENOTFOUND, "process %lld already had a server", (long long)a->pid);
        ttp_err_hint(err, "a Tracy client takes one connection in the life of its process");
        return TTP_ENOTFOUND;
    }
    if (s->end == TTP_END_NORMAL)
        return ttp_fail(err, TTP_ENOTFOUND, "process %lld ended", (long long)a->pid);
    return ttp_fail(err, TTP_ENOTFOUND, "process %lld: %s", (long long)a->pid,
                    s->state == TTP_RECEIVER_DONE ? ttp_capture_end_text(s->end)
                                                  : "its Tracy client does not answer");
}

static ttp_code step(struct ttp_top_attach *a, uint64_t until, struct ttp_err *err)
{
    struct ttp_receiver_stats s;
    struct pollfd fd;
    const uint64_t now = ttp_clock_ns();
    const int wants = ttp_receiver_wants(a->receiver, &fd);
    const int left = until > now ? (int)((until - now) / 1000000) + 1 : 0;

    (void)poll(&fd, 1, wants >= 0 && wants < left ? wants : left);
    ttp_receiver_step(a->receiver);
    ttp_receiver_get_stats(&s, a->receiver);
    if (s.state == TTP_RECEIVER_DONE)
        return refuse(a, &s, err);
    if (!a->caught_up && s.wire_bytes > a->max_backlog) {
        (void)ttp_fail(err, TTP_ENOTFOUND,
                       "process %lld sends more than %llu MiB of earlier events", (long long)a->pid,
                       (unsigned long long)(a->max_backlog >> 20));
        ttp_err_hint(err, "raise it with --max-backlog");
        return TTP_ENOTFOUND;
    }
    if (!a->caught_up && s.state == TTP_RECEIVER_RECEIVING && s.wire_bytes &&
        ttp_receiver_wants(a->receiver, &fd) >= 0 && poll(&fd, 1, PAUSE_MS) == 0) {
        a->caught_up = true;
        a->looked_ns = ttp_clock_ns();
    }
    return TTP_OK;
}

ttp_code ttp_top_attach_wait(struct ttp_top_attach *a, uint64_t ns, struct ttp_err *err)
{
    const uint64_t until = ttp_clock_ns() + ns;

    do
        TTP_TRY(step(a, until, err));
    while (ttp_clock_ns() < until);
    return TTP_OK;
}

static ttp_code connect_to(struct ttp_top_attach *a, struct ttp_err *err)
{
    const uint64_t until = ttp_clock_ns() + CONNECT_NS;
    struct ttp_receiver_stats s;

    do {
        TTP_TRY(step(a, ttp_clock_ns() + 50000000, err));
        ttp_receiver_get_stats(&s, a->receiver);
        if (s.state == TTP_RECEIVER_CONNECTING && ttp_clock_ns() > until)
            return refuse(a, &s, err);
    } while (!a->caught_up);
    return TTP_OK;
}

ttp_code ttp_top_attach_open(struct ttp_top_attach **out, int *status, int64_t pid,
                             uint64_t max_backlog, struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_top_attach *a = TTP_NEW(arena, struct ttp_top_attach, 1);
    const struct ttp_receiver_options options = {
        .zones = TTP_ZONES_NONE, .device_zone = take_zone, .device_zone_arg = a};
    const uint16_t port = ttp_record_tracy_port(pid);

    *a = (struct ttp_top_attach){
        .arena = arena, .pid = pid, .max_backlog = max_backlog, .labels = {.arena = arena}};
    *out = NULL;
    if (port == 0) {
        *status = TTP_EXIT_ENVIRONMENT;
        (void)ttp_fail(err, TTP_ENOTFOUND, "process %lld has no Tracy port", (long long)pid);
        ttp_err_hint(err, "it needs a build of tt-metal with Tracy, and the same user");
        return TTP_ENOTFOUND;
    }
    TTP_TRY(ttp_receiver_open(&a->receiver, "/dev/null", &options, err));
    ttp_receiver_connect(a->receiver, port);
    const ttp_code rc = connect_to(a, err);
    if (rc != TTP_OK) {
        *status = TTP_EXIT_ENVIRONMENT;
        ttp_top_attach_close(a);
        return rc;
    }
    *out = a;
    return TTP_OK;
}

static int by_time(const void *pa, const void *pb)
{
    const struct ttp_top_ran *a = pa, *b = pb;

    return (a->us < b->us) - (a->us > b->us);
}

static void look_at(struct ttp_top_busy *out, const struct ttp_top_attach *a, struct chip *c,
                    double window_ns, struct ttp_arena *arena)
{
    struct ttp_top_ran *ran = TTP_NEW(arena, struct ttp_top_ran, a->labels.count + 1);
    const double pct = window_ns > 0 ? 100 * c->busy_ns / window_ns : 0;
    double sum = 0;

    *out = (struct ttp_top_busy){
        .chip = c->number, .busy_pct = pct < 100 ? pct : 100, .programs = c->programs, .ran = ran};
    for (ttp_sym i = 0; i < a->labels.count && i < LABELS_MAX; i++) {
        if (!(c->label_ns[i] > 0))
            continue;
        ran[out->rans++] =
            (struct ttp_top_ran){ttp_sym_name(&a->labels, i), c->label_ns[i] / 1e3, 0};
        sum += c->label_ns[i] / 1e3;
    }
    for (size_t i = 0; i < out->rans; i++)
        ran[i].pct = 100 * ran[i].us / sum;
    if (out->rans)
        qsort(ran, out->rans, sizeof(*ran), by_time);
    memset(c->label_ns, 0, sizeof(c->label_ns));
    c->busy_ns = 0;
    c->programs = 0;
}

void ttp_top_attach_look(struct ttp_top_live *out, struct ttp_top_attach *a,
                         struct ttp_arena *arena)
{
    const uint64_t now = ttp_clock_ns();
    struct ttp_top_busy *busy = TTP_NEW(arena, struct ttp_top_busy, a->chips + 1);

    for (size_t i = 0; i < a->chips; i++)
        look_at(&busy[i], a, a->chip[i], (double)(now - a->looked_ns), arena);
    out->busy = busy;
    out->busies = a->chips;
    out->attached_pid = a->pid;
    a->looked_ns = now;
}

void ttp_top_attach_close(struct ttp_top_attach *a)
{
    struct ttp_receiver_stats s;

    if (!a || !a->receiver)
        return;
    const uint64_t until = ttp_clock_ns() + LEAVE_NS;
    ttp_receiver_stop(a->receiver);
    do {
        struct pollfd fd;

        (void)poll(&fd, ttp_receiver_wants(a->receiver, &fd) >= 0 ? 1 : 0, 10);
        ttp_receiver_step(a->receiver);
        ttp_receiver_get_stats(&s, a->receiver);
    } while (s.state != TTP_RECEIVER_DONE && ttp_clock_ns() < until);
    struct ttp_err ignored;
    if (ttp_receiver_close(a->receiver, &ignored) != TTP_OK)
        return; /* nothing was to be kept */
}
