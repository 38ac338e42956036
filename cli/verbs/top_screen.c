/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/top_screen.h"

#ifndef TTP_HAVE_NCURSES

bool ttp_top_has_screen(void)
{
    return false;
}

struct ttp_top_screen *ttp_top_screen_open(bool color, size_t chips, struct ttp_arena *arena)
{
    (void)color, (void)chips, (void)arena;
    return NULL;
}

void ttp_top_screen_close(struct ttp_top_screen *s)
{
    (void)s;
}

void ttp_top_screen_show(struct ttp_top_screen *s, const struct ttp_top_view *view)
{
    (void)s, (void)view;
}

bool ttp_top_screen_wait(struct ttp_top_screen *s, const struct ttp_top_view *view, uint64_t ns)
{
    (void)s, (void)view, (void)ns;
    return false;
}

#else

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>

#include "base/clock.h"
#include "base/gate.h"

/* What is remembered of each chip: as many values as the widest terminal shows. */
#define HISTORY      256
/* Full height of the PCIe bars, by their square root: 16 lanes of the fourth generation. */
#define LINK_BYTES_S 32e9

enum line { LINE_CLOCK, LINE_TEMP, LINE_POWER, LINE_TRAFFIC, LINES_KEPT };

struct past {
    float value[LINES_KEPT][HISTORY]; /* as a share of the limit, 0 to 1; NAN: unknown */
};

enum sort { SORT_BUS, SORT_CLOCK, SORT_TEMP, SORT_POWER, SORT_TRAFFIC, SORTS };
static const char *const sort_names[SORTS] = {"bus", "clock", "temperature", "power", "traffic"};

enum color { COLOR_GOOD = 1, COLOR_NEAR, COLOR_BAD, COLOR_HEAD, COLOR_BAR };

struct ttp_top_screen {
    SCREEN *terminal;
    locale_t locale, before;
    bool color, unicode, help;
    enum sort sort;
    size_t top; /* first chip shown: a Galaxy has more than fit */
    struct past *past;
    size_t chips, samples;
    struct ttp_chip_view *now;
    size_t *order;
};

bool ttp_top_has_screen(void)
{
    return true;
}

static void start_colors(struct ttp_top_screen *s)
{
    s->color = s->color && has_colors();
    if (!s->color)
        return;
    start_color();
    use_default_colors();
    init_pair(COLOR_GOOD, -1, -1); /* the terminal's own: readable on any ground */
    init_pair(COLOR_NEAR, COLOR_YELLOW, -1);
    init_pair(COLOR_BAD, COLOR_RED, -1);
    init_pair(COLOR_HEAD, COLOR_CYAN, -1);
    init_pair(COLOR_BAR, COLOR_GREEN, -1);
}

struct ttp_top_screen *ttp_top_screen_open(bool color, size_t chips, struct ttp_arena *arena)
{
    struct ttp_top_screen *s = TTP_NEW(arena, struct ttp_top_screen, 1);

    *s = (struct ttp_top_screen){.color = color, .chips = chips};
    /* characters only, and for this thread: numbers are printed the same everywhere */
    s->locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    s->before = s->locale ? uselocale(s->locale) : (locale_t)0;
    s->unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    s->terminal = newterm(NULL, stdout, stdin);
    if (!s->terminal) {
        ttp_top_screen_close(s);
        return NULL;
    }
    set_term(s->terminal);
    use_legacy_coding(0); /* ncurses asks the process's locale, which stays "C" */
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
    start_colors(s);
    s->past = TTP_NEW(arena, struct past, chips);
    s->now = TTP_NEW(arena, struct ttp_chip_view, chips);
    s->order = TTP_NEW(arena, size_t, chips);
    return s;
}

void ttp_top_screen_close(struct ttp_top_screen *s)
{
    if (s->terminal) {
        endwin();
        delscreen(s->terminal);
        s->terminal = NULL;
    }
    if (s->locale) {
        uselocale(s->before);
        freelocale(s->locale);
        s->locale = (locale_t)0;
    }
}

/* --- drawing --- */

/* Bytes of the first `columns` characters; all we show is one column wide. */
static int bytes_of(const char *text, int columns)
{
    int n = 0;

    for (; text[n] && (columns > 0 || ((unsigned char)text[n] & 0xc0) == 0x80); n++)
        columns -= ((unsigned char)text[n] & 0xc0) != 0x80;
    return n;
}

static void paint(const struct ttp_top_screen *s, enum color color, bool on)
{
    if (s->color)
        (void)(on ? attron(COLOR_PAIR(color)) : attroff(COLOR_PAIR(color)));
    else if (color == COLOR_BAD) /* never colour alone */
        (void)(on ? attron(A_REVERSE) : attroff(A_REVERSE));
}

static enum color color_of(double now, double limit)
{
    if (isnan(now) || isnan(limit) || now < 0.8 * limit)
        return COLOR_GOOD;
    return now < limit ? COLOR_NEAR : COLOR_BAD;
}

static void put(const struct ttp_top_screen *s, int y, int x, enum color color, const char *text)
{
    struct ttp_arena arena = {0};

    if (y >= LINES || x >= COLS)
        return;
    text = ttp_arena_zstr(&arena, ttp_gate_text(&arena, ttp_str_from(text)));
    paint(s, color, true);
    mvaddnstr(y, x, text, bytes_of(text, COLS - x));
    paint(s, color, false);
    ttp_arena_free(&arena);
}

struct spark_place {
    int y, x, width;
};

static void put_spark(const struct ttp_top_screen *s, struct spark_place at, size_t chip,
                      enum line line)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};

    for (int i = 0; i < at.width && at.x + i < COLS && at.y < LINES; i++) {
        const size_t age = (size_t)(at.width - 1 - i);

        if (age >= s->samples || age >= HISTORY)
            continue;
        const float v = s->past[chip].value[line][(s->samples - 1 - age) % HISTORY];
        if (isnan(v))
            continue;
        const int step = v <= 0 ? 1 : v >= 1 ? 8 : 1 + (int)(v * 7.999f);
        const enum color color = v >= 1 ? COLOR_BAD : v >= 0.8f ? COLOR_NEAR : COLOR_BAR;
        put(s, at.y, at.x + i, line == LINE_CLOCK || line == LINE_TRAFFIC ? COLOR_HEAD : color,
            s->unicode ? blocks[step] : plain[step]);
    }
}

static bool is_wide(void)
{
    return COLS >= 76;
}

static void put_chip(const struct ttp_top_screen *s, const struct ttp_top_view *view, size_t i,
                     int y)
{
    const struct ttp_chip *chip = &view->host->chip[i];
    const struct ttp_chip_sample *sample = &view->now->chip[i];
    const struct ttp_chip_view *v = &s->now[i];
    char text[200], clock[TTP_OF_MAX], temp[TTP_OF_MAX], power[TTP_OF_MAX], to[TTP_RATE_MAX],
        from[TTP_RATE_MAX];

    ttp_out_of(clock, v->clock_mhz, v->clock_max_mhz, 0);
    ttp_out_of(temp, v->temperature_c, v->temperature_limit_c, 1);
    ttp_out_of(power, v->power_w, v->power_limit_w, 0);
    ttp_out_rate(to, v->to_chip_bytes_s);
    ttp_out_rate(from, v->from_chip_bytes_s);
    snprintf(text, sizeof(text), "%2d %s %s", chip->number, chip->bdf,
             chip->board ? chip->board->name : chip->chip);
    put(s, y, 0, COLOR_HEAD, text);
    snprintf(text, sizeof(text), "beat %s",
             v->beat == TTP_BEAT_MOVES    ? "ok"
             : v->beat == TTP_BEAT_FROZEN ? "FROZEN"
                                          : "-");
    put(s, y, 36, v->beat == TTP_BEAT_FROZEN ? COLOR_BAD : COLOR_GOOD, text);
    snprintf(text, sizeof(text), "limited by %s", *v->throttle ? v->throttle : "-");
    put(s, y, 50, *v->throttle ? COLOR_BAD : COLOR_GOOD, text);
    if (sample->nholders) {
        snprintf(text, sizeof(text), "held by %d %.*s%s", sample->holder[0].pid,
                 TTP_FMT(ttp_str_slice(sample->holder[0].name, 0, 40)),
                 sample->nholders > 1 ? " ..." : "");
        put(s, y, 70, COLOR_GOOD, text);
    }
    const struct {
        const char *name, *value, *unit;
        enum color color;
    } rows[LINES_KEPT] = {
        [LINE_CLOCK] = {"clock", clock, "MHz", COLOR_GOOD},
        [LINE_TEMP] = {"temp", temp, "C", color_of(v->temperature_c, v->temperature_limit_c)},
        [LINE_POWER] = {"power", power, "W", color_of(v->power_w, v->power_limit_w)},
        [LINE_TRAFFIC] = {"PCIe", to, "in", COLOR_GOOD},
    };
    const int half = is_wide() ? COLS / 2 : COLS;
    for (int r = 0; r < LINES_KEPT; r++) { /* two next to each other, if there is room */
        const int x = is_wide() && r % 2 ? half : 0, line = y + 1 + (is_wide() ? r / 2 : r);
        int label = 24;

        snprintf(text, sizeof(text), "%-6s%11s %-3s", rows[r].name, rows[r].value, rows[r].unit);
        put(s, line, x + 3, rows[r].color, text);
        if (r == LINE_TRAFFIC) {
            snprintf(text, sizeof(text), "%9s out", from);
            put(s, line, x + 23, COLOR_GOOD, text);
            label = 37;
        }
        put_spark(s, (struct spark_place){line, x + label, half - label - 2}, i, (enum line)r);
    }
}

static double sort_key(const struct ttp_top_screen *s, size_t i)
{
    const struct ttp_chip_view *v = &s->now[i];
    const double key = s->sort == SORT_CLOCK   ? v->clock_mhz
                       : s->sort == SORT_TEMP  ? v->temperature_c
                       : s->sort == SORT_POWER ? v->power_w
                                               : v->to_chip_bytes_s + v->from_chip_bytes_s;

    return isnan(key) ? -1 : key;
}

/* Largest first; few enough for the plainest way, which keeps equals in order. */
static void sort_chips(struct ttp_top_screen *s)
{
    for (size_t i = 0; i < s->chips; i++) {
        size_t at = i;

        while (s->sort != SORT_BUS && at > 0 && sort_key(s, s->order[at - 1]) < sort_key(s, i)) {
            s->order[at] = s->order[at - 1];
            at--;
        }
        s->order[at] = i;
    }
}

static void put_head(const struct ttp_top_screen *s, const struct ttp_top_view *view)
{
    char text[200];
    int64_t load = 0, cpu = 0;

    (void)ttp_reading_number(&view->now->attr[TTP_HOST_LOAD_1], &load);
    (void)ttp_reading_number(&view->now->attr[TTP_HOST_PSI_CPU], &cpu);
    snprintf(text, sizeof(text),
             "tt-perf top - %zu chip%s, load %.2f, waiting for cpu %.1f %%, sorted by %s", s->chips,
             s->chips == 1 ? "" : "s", (double)load / 1000, (double)cpu / 1000,
             sort_names[s->sort]);
    attron(A_BOLD);
    put(s, 0, 0, COLOR_HEAD, text);
    attroff(A_BOLD);
    if (s->chips == 0)
        put(s, 2, 0, COLOR_NEAR, "No Tenstorrent card found.");
}

static void put_help(const struct ttp_top_screen *s)
{
    static const char *const lines[] = {
        "q, F10, Esc   quit",
        "h, F1, ?      this help",
        "s, F6         sort by the next column: bus, clock, temperature, power, traffic",
        "up, down      scroll",
        "",
        "clock, temp and power are now/limit; power is the core's, not the board's",
        "bars: share of the limit, newest on the right",
        "PCIe bars: square root of the share of 32 GB/s",
        "processes: memory from tt-metal's counters in /dev/shm, activity from its inspector logs",
        "a '-' there: another user's, disabled, or an older tt-metal",
        "only sysfs, procfs and those files are read: no device is opened",
        "",
        "press any key to return",
    };

    for (size_t i = 0; i < TTP_COUNT(lines); i++)
        put(s, 2 + (int)i, 2, COLOR_GOOD, lines[i]);
}

/* The last lines above the keys; how many. */
static int put_processes(const struct ttp_top_screen *s, const struct ttp_top_view *view)
{
    struct ttp_arena arena = {0};
    const size_t busies = view->live ? view->live->busies : 0;
    const size_t all = busies + (view->live ? view->live->processes : 0);
    const int room = LINES / 4, lines = all < (size_t)room ? (int)all : room;

    for (int i = 0; i < lines; i++) {
        struct ttp_sink text;

        ttp_sink_to_arena(&text, &arena);
        if ((size_t)i < busies)
            ttp_out_top_busy(&text, &view->live->busy[i]);
        else
            ttp_out_top_process(&text, view->live, &view->live->process[(size_t)i - busies]);
        put(s, LINES - 1 - lines + i, 0, COLOR_GOOD, ttp_arena_zstr(&arena, ttp_sink_text(&text)));
    }
    ttp_arena_free(&arena);
    return lines;
}

static void draw(struct ttp_top_screen *s, const struct ttp_top_view *view)
{
    erase();
    put_head(s, view);
    if (s->help) {
        put_help(s);
    } else {
        const int each = is_wide() ? 4 : 6; /* lines of a chip */
        const int room = LINES - 3 - put_processes(s, view);
        const size_t fit = room > 0 ? (size_t)(room / each) : 0;

        sort_chips(s);
        if (s->top + fit > s->chips)
            s->top = s->chips > fit ? s->chips - fit : 0;
        for (size_t n = 0; n < (fit ? fit : 1) && s->top + n < s->chips; n++)
            put_chip(s, view, s->order[s->top + n], 2 + (int)n * each);
    }
    put(s, LINES - 1, 0, COLOR_HEAD, "q quit  h help  s sort");
    refresh();
}

/* --- what is remembered --- */

static void remember(struct ttp_top_screen *s, const struct ttp_top_view *view)
{
    for (size_t i = 0; i < s->chips; i++) {
        struct ttp_chip_view *v = &s->now[i];
        float(*kept)[HISTORY] = s->past[i].value;

        ttp_host_chip_view(v, view->host, view->first,
                           (struct ttp_host_interval){view->before, view->now}, i);
        const size_t at = s->samples % HISTORY;
        kept[LINE_CLOCK][at] = (float)(v->clock_mhz / v->clock_max_mhz * 0.999);
        kept[LINE_TEMP][at] = (float)(v->temperature_c / v->temperature_limit_c);
        kept[LINE_POWER][at] = (float)(v->power_w / v->power_limit_w * 0.98);
        kept[LINE_TRAFFIC][at] =
            (float)(sqrt((v->to_chip_bytes_s + v->from_chip_bytes_s) / LINK_BYTES_S) * 0.999);
    }
    s->samples++;
}

void ttp_top_screen_show(struct ttp_top_screen *s, const struct ttp_top_view *view)
{
    remember(s, view);
    draw(s, view);
}

/* False: quit. */
static bool obey(struct ttp_top_screen *s, int key)
{
    if (s->help) { /* a new size is not a key */
        s->help = key == KEY_RESIZE;
        return true;
    }
    switch (key) {
    case 'q':
    case 'Q':
    case KEY_F(10):
    case 27:
        return false;
    case 'h':
    case '?':
    case KEY_F(1):
        s->help = true;
        break;
    case 's':
    case KEY_F(6):
        s->sort = (enum sort)((s->sort + 1) % SORTS);
        break;
    case KEY_UP:
        s->top -= s->top > 0;
        break;
    case KEY_DOWN:
        s->top++;
        break;
    default: /* KEY_RESIZE too: drawn again in the new size */
        break;
    }
    return true;
}

bool ttp_top_screen_wait(struct ttp_top_screen *s, const struct ttp_top_view *view, uint64_t ns)
{
    const uint64_t end = ttp_clock_ns() + ns;

    for (;;) {
        const uint64_t now = ttp_clock_ns();
        if (now >= end)
            return true;
        timeout((int)((end - now) / 1000000) + 1);
        const int key = getch();
        if (key == ERR)
            continue;
        if (!obey(s, key))
            return false;
        draw(s, view);
    }
}

#endif
