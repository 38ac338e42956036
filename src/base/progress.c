/* SPDX-License-Identifier: Apache-2.0 */
#include "base/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/gate.h"

#define FIRST_NS    300000000u
#define INTERVAL_NS 100000000u
#define CLEAR       "\r\033[K"

void ttp_progress_init(struct ttp_progress *p, const char *what, uint64_t total, bool wanted)
{
    *p = (struct ttp_progress){.what = what, .total = total};
    if (!wanted || !isatty(STDERR_FILENO))
        return;
    const char *term = getenv("TERM");
    if (term && strcmp(term, "dumb") == 0)
        return;
    p->on = true;
    p->start_ns = ttp_clock_ns();
}

/* A line that wraps could not be removed, so the last column stays free. */
static size_t line_room(size_t most)
{
    struct winsize size = {0};

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
        size.ws_col = 80;
    return size.ws_col - 1u < most ? size.ws_col - 1u : most;
}

static void write_stderr(const char *text, size_t len)
{
    const ssize_t n = write(STDERR_FILENO, text, len);
    (void)n; /* a lost progress line does not matter */
}

/* At most `room` bytes, no half of a character, nothing that moves the cursor; returns the end. */
static char *put_name(char *at, const char *name, size_t room)
{
    struct ttp_arena arena = {0};
    const ttp_str shown = ttp_gate_text(&arena, ttp_str_from(name));
    size_t len = shown.len;

    if (len > room)
        for (len = room; len > 0 && ((unsigned char)shown.ptr[len] & 0xc0) == 0x80;)
            len--;
    memcpy(at, shown.ptr, len);
    ttp_arena_free(&arena);
    return at + len;
}

static void draw(struct ttp_progress *p, uint64_t done, uint64_t now_ns)
{
    char facts[96], line[sizeof(CLEAR) + 512] = CLEAR;
    const double elapsed_s = (double)(now_ns - p->start_ns) / 1e9;
    const double rate = (double)done / elapsed_s;
    double clock_s = elapsed_s;
    int n;

    if (p->total) {
        if (done > p->total) /* the file has grown */
            done = p->total;
        clock_s = rate > 0 ? (double)(p->total - done) / rate : 0;
        n = snprintf(facts, sizeof(facts), "  %2.0f%%", 100.0 * (double)done / (double)p->total);
    } else {
        n = snprintf(facts, sizeof(facts), "  %.0f MB", (double)done / 1e6);
    }
    const unsigned seconds = clock_s < 359999 ? (unsigned)clock_s : 359999; /* 99:59:59 */
    n += snprintf(facts + n, sizeof(facts) - (size_t)n, "  %.0f MB/s  ", rate / 1e6);
    if (seconds >= 3600)
        n += snprintf(facts + n, sizeof(facts) - (size_t)n, "%u:", seconds / 3600);
    n += snprintf(facts + n, sizeof(facts) - (size_t)n, seconds >= 3600 ? "%02u:%02u" : "%u:%02u",
                  seconds / 60 % 60, seconds % 60);

    /* the name is shortened to fit: the numbers matter more */
    const size_t room = line_room(512), facts_len = (size_t)n < room ? (size_t)n : room;
    char *at = put_name(line + strlen(CLEAR), p->what, room - facts_len);
    memcpy(at, facts, facts_len);
    write_stderr(line, (size_t)(at - line) + facts_len);
    p->drawn = true;
    p->drawn_ns = now_ns;
}

static bool due(const struct ttp_progress *p, uint64_t now_ns)
{
    return p->on && now_ns - p->start_ns >= FIRST_NS && now_ns - p->drawn_ns >= INTERVAL_NS;
}

void ttp_progress_say(struct ttp_progress *p, const char *text)
{
    char line[sizeof(CLEAR) + 512] = CLEAR;
    const uint64_t now_ns = p->on ? ttp_clock_ns() : 0;

    if (!due(p, now_ns))
        return;
    const char *end = put_name(line + strlen(CLEAR), text, line_room(512));
    write_stderr(line, (size_t)(end - line));
    p->drawn = true;
    p->drawn_ns = now_ns;
}

void ttp_progress_update(struct ttp_progress *p, uint64_t done)
{
    const uint64_t now_ns = p->on ? ttp_clock_ns() : 0;

    if (due(p, now_ns))
        draw(p, done, now_ns);
}

void ttp_progress_clear(struct ttp_progress *p)
{
    if (p->drawn)
        write_stderr(CLEAR, strlen(CLEAR));
    p->drawn = false;
}
