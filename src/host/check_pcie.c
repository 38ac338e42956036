/* SPDX-License-Identifier: Apache-2.0 */
/* check_pcie.c - the link: what it is, what card, slot and board allow, and whether it makes
 * errors. */
#include <stdio.h>

#include "host/checkup.h"
#include "host/machine.h"

/* One property of the link: width in lanes, or speed as a generation. */
struct link {
    int now, card, port; /* 0: unknown */
    int board;           /* by the table; 0: unknown */
    int other;           /* what other chips of a tray have; 0: nothing else */
    const struct ttp_source *source;
};

static int number(const struct ttp_reading *r, bool speed)
{
    int64_t v;

    if (!ttp_reading_number(r, &v))
        return 0;
    return speed ? ttp_host_pcie_gen(v) : (int)v;
}

static int smaller(int a, int b)
{
    return a == 0 || (b && b < a) ? b : a;
}

static bool read_link(struct link *l, const struct ttp_patient *p, bool speed)
{
    const enum ttp_fact fact = speed ? TTP_FACT_PCIE_GEN : TTP_FACT_PCIE_WIDTH;
    const enum ttp_chip_attr now = speed ? TTP_CHIP_LINK_SPEED : TTP_CHIP_LINK_WIDTH;
    const struct ttp_reading *a = p->sample->attr;
    double v;

    *l = (struct link){
        .now = number(&a[now], speed),
        .card = number(&a[speed ? TTP_CHIP_LINK_SPEED_MAX : TTP_CHIP_LINK_WIDTH_MAX], speed),
        .port = number(&a[speed ? TTP_CHIP_PORT_SPEED_MAX : TTP_CHIP_PORT_WIDTH_MAX], speed)};
    /* links slow down when idle: the better of the two samples counts */
    if (p->second && number(&p->second->attr[now], speed) > l->now)
        l->now = number(&p->second->attr[now], speed);
    if (ttp_board_fact(p->board, fact, &v)) {
        l->board = (int)v;
        l->source = p->board->fact[fact].source;
    }
    if (!speed && ttp_board_fact(p->board, TTP_FACT_PCIE_WIDTH_OTHER, &v))
        l->other = (int)v;
    return l->now != 0;
}

static ttp_str limits_text(struct ttp_checkup *c, const struct link *l, const char *unit)
{
    char parts[3][32] = {"", "", ""};
    const int v[3] = {l->board, l->card, l->port};
    static const char *const names[3] = {"board", "card", "slot"};
    size_t n = 0;

    for (size_t i = 0; i < 3; i++)
        if (v[i])
            snprintf(parts[n++], sizeof(parts[0]), "%s %s%d", names[i], unit, v[i]);
    return ttp_check_text(c, "%s%s%s%s%s", parts[0], n > 1 ? ", " : "", parts[1], n > 2 ? ", " : "",
                          parts[2]);
}

static void judge_link(struct ttp_checkup *c, const struct ttp_patient *p, const struct link *l,
                       const char *unit, struct ttp_check *k)
{
    const int possible = smaller(l->card, l->port), wanted = l->board ? l->board : possible;

    k->limit = limits_text(c, l, unit);
    k->origin = l->source ? ttp_check_text(c, "%.*s; card and slot: Linux",
                                           TTP_FMT(ttp_check_origin(c, l->source)))
                          : TTP_STR("card and slot: Linux");
    if ((wanted && l->now >= wanted) || (l->other && l->now == l->other))
        return;
    if (!wanted) {
        k->level = TTP_CHECK_SKIP;
        k->text = TTP_STR("nothing to compare it with");
    } else if (l->port && l->now >= l->port) {
        k->level = TTP_CHECK_WARN;
        k->text = TTP_STR("the slot (or a switch above it) is the limit");
        k->fix = TTP_STR("use another slot; switch bifurcation off in the BIOS; no riser");
    } else if (possible && l->port && l->now < possible) {
        k->level = TTP_CHECK_FAIL;
        k->text = TTP_STR("card and slot can do more: the link has degraded");
        k->fix =
            TTP_STR("reseat the card, clean its contacts, try without riser, then another slot");
    } else {
        k->level = TTP_CHECK_WARN;
        k->text = TTP_STR("less than the board supports; the slot is unknown");
        k->fix = ttp_check_text(c, "lspci -vv -s %s | grep LnkSta", p->chip->bdf);
    }
}

void ttp_check_pcie_width(struct ttp_checkup *c)
{
    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];
        struct link l;

        if (!p->chip)
            continue;
        if (!read_link(&l, p, false)) {
            ttp_check_unread(c, p, &p->sample->attr[TTP_CHIP_LINK_WIDTH], NULL);
            continue;
        }
        struct ttp_check *k = ttp_check_add(c, p, TTP_CHECK_PASS, "x%d", l.now);
        k->source = p->sample->attr[TTP_CHIP_LINK_WIDTH].path;
        judge_link(c, p, &l, "x", k);
    }
}

void ttp_check_pcie_speed(struct ttp_checkup *c)
{
    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];
        struct link l;

        if (!p->chip)
            continue;
        const struct ttp_reading *r = &p->sample->attr[TTP_CHIP_LINK_SPEED];
        if (!read_link(&l, p, true)) {
            ttp_check_unread(c, p, r, NULL);
            continue;
        }
        struct ttp_check *k = ttp_check_add(c, p, TTP_CHECK_PASS, "Gen%d, %.*s", l.now,
                                            TTP_FMT(ttp_str_slice(r->text, 0, 40)));
        k->source = r->path;
        judge_link(c, p, &l, "Gen", k);
        if (k->level == TTP_CHECK_PASS || k->level == TTP_CHECK_SKIP)
            continue;
        if (l.now <= 2) {
            k->level = TTP_CHECK_FAIL;
        } else if (l.now + 1 == (l.board ? l.board : smaller(l.card, l.port))) {
            k->level = TTP_CHECK_WARN;
        }
        k->fix =
            TTP_STR("set the slot's link speed in the BIOS instead of Auto; links may slow down "
                    "when idle, so check again under load");
    }
}

/* Error counts of one device: correctable, nonfatal, fatal. */
struct errors {
    long long total[3], rise[3]; /* since boot; between the samples */
    int known;
};

static struct errors count_errors(const struct ttp_patient *p)
{
    static const enum ttp_chip_attr attrs[] = {TTP_CHIP_AER_CORRECTABLE, TTP_CHIP_AER_NONFATAL,
                                               TTP_CHIP_AER_FATAL};
    struct errors e = {0};

    for (size_t n = 0; n < TTP_COUNT(attrs); n++) {
        int64_t before, after;

        if (!ttp_reading_number(&p->sample->attr[attrs[n]], &before))
            continue;
        e.known++;
        e.total[n] = before;
        if (p->second && ttp_reading_number(&p->second->attr[attrs[n]], &after)) {
            e.total[n] = after;
            e.rise[n] = after - before;
        }
    }
    return e;
}

void ttp_check_pcie_aer(struct ttp_checkup *c)
{
    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];

        if (!p->chip)
            continue;
        const struct errors e = count_errors(p);
        if (e.known == 0) {
            ttp_check_unread(c, p, &p->sample->attr[TTP_CHIP_AER_CORRECTABLE], NULL);
            continue;
        }
        const bool past = e.total[0] || e.total[1] || e.total[2];
        const enum ttp_verdict_level level = e.rise[1] > 0 || e.rise[2] > 0 ? TTP_CHECK_FAIL
                                             : e.rise[0] > 0                ? TTP_CHECK_WARN
                                             : past                         ? TTP_CHECK_INFO
                                                                            : TTP_CHECK_PASS;
        struct ttp_check *k =
            ttp_check_add(c, p, level, "%lld correctable, %lld nonfatal, %lld fatal since boot",
                          e.total[0], e.total[1], e.total[2]);
        k->source = ttp_check_text(c, "%s/aer_dev_*", p->chip->pci_dir);
        const bool two = ttp_host_has_two_samples(c, p);
        k->limit = two ? TTP_STR("none between two samples") : TTP_STR("none");
        k->origin = TTP_STR("Linux");
        if (level >= TTP_CHECK_WARN) {
            k->text = ttp_check_text(c, "%lld, %lld and %lld of them between the samples",
                                     e.rise[0], e.rise[1], e.rise[2]);
            k->fix = TTP_STR("reseat the card, try another slot; on a QuietBox set AER to \"OS "
                             "First\" in the BIOS");
        } else if (past) {
            k->text = two ? TTP_STR("none right now")
                          : TTP_STR("with one sample it is unknown whether they still occur");
        }
    }
}
