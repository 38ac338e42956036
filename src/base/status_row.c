/* SPDX-License-Identifier: Apache-2.0 */
#include "base/status_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/gate.h"

enum { FIRST_NS = 500000000, EVERY_NS = 250000000, MIN_ROWS = 5, MIN_COLUMNS = 20, MAX_TEXT = 512 };

void ttp_status_row_init(struct ttp_status_row *s, bool wanted)
{
    const char *term = getenv("TERM");

    *s = (struct ttp_status_row){.start_ns = ttp_clock_ns()};
    s->on = wanted && isatty(STDERR_FILENO) && term && term[0] && strcmp(term, "dumb") != 0;
}

bool ttp_status_row_is_due(const struct ttp_status_row *s)
{
    const uint64_t now = s->on ? ttp_clock_ns() : 0;

    return s->on && now - s->start_ns >= FIRST_NS && now - s->drawn_ns >= EVERY_NS;
}

static void put(const char *text, size_t n)
{
    while (n) {
        const ssize_t w = write(STDERR_FILENO, text, n);

        if (w <= 0)
            return; /* no reader is left */
        text += w;
        n -= (size_t)w;
    }
}

/* One row below the cursor, then a region that leaves the last row out. Setting the region moves
 * the cursor, so it is saved around it. */
static void make_region(struct ttp_status_row *s, const struct winsize *size)
{
    char text[64];
    const int n =
        snprintf(text, sizeof(text), "\033D\0337\033[1;%dr\0338\033[1A", size->ws_row - 1);

    put(text, (size_t)n);
    s->rows = size->ws_row;
    s->columns = size->ws_col;
}

static bool is_in_front(void)
{
    return tcgetpgrp(STDERR_FILENO) == getpgrp();
}

void ttp_status_row_draw(struct ttp_status_row *s, ttp_str text)
{
    struct winsize size;
    char out[MAX_TEXT + 64];

    s->drawn_ns = ttp_clock_ns();
    if (!s->on || !is_in_front() || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 ||
        size.ws_row < MIN_ROWS || size.ws_col < MIN_COLUMNS)
        return;
    if (s->rows != size.ws_row || s->columns != size.ws_col)
        make_region(s, &size);
    const size_t room = size.ws_col < MAX_TEXT ? size.ws_col : MAX_TEXT;
    struct ttp_arena arena = {0};
    const ttp_str shown = ttp_str_slice(ttp_gate_text(&arena, text), 0, room);
    const int n =
        snprintf(out, sizeof(out), "\0337\033[%d;1H\033[2K%.*s\0338", s->rows, TTP_FMT(shown));
    put(out, (size_t)n);
    ttp_arena_free(&arena);
}

void ttp_status_row_clear(struct ttp_status_row *s)
{
    char text[64];

    if (!s->on || !s->rows)
        return;
    const int n = snprintf(text, sizeof(text), "\0337\033[r\033[%d;1H\033[2K\0338", s->rows);
    put(text, (size_t)n);
    s->rows = 0;
}
