/* SPDX-License-Identifier: Apache-2.0 */
/* check_power.c - temperature, power, and the DRAM of the chip. */
#include "base/sink.h"
#include "host/checkup.h"
#include "host/machine.h"

#define AIR                                                                                        \
    "increase the air flow: at least 30 CFM through passive cards, or a fan kit; clean filters"

/* How near to the limit is near, in degrees: a proposal. */
#define MARGIN_C 15

/* A temperature in C, where it was read, and where its limit is from. */
struct heat {
    double now, limit;
    ttp_str source, origin;
};

static void judge_heat(struct ttp_checkup *c, const struct ttp_patient *p, struct heat heat)
{
    const double now = heat.now, limit = heat.limit;
    const enum ttp_verdict_level level = now >= limit              ? TTP_CHECK_FAIL
                                         : now >= limit - MARGIN_C ? TTP_CHECK_WARN
                                                                   : TTP_CHECK_PASS;
    struct ttp_check *k = ttp_check_add(c, p, level, "%.1f C", now);

    k->source = heat.source;
    k->limit = ttp_check_text(c, "throttles at %.0f C", limit);
    k->origin = heat.origin;
    if (level == TTP_CHECK_PASS)
        return;
    k->text = level == TTP_CHECK_FAIL ? TTP_STR("it throttles")
                                      : ttp_check_text(c, "within %d C of it", MARGIN_C);
    k->fix = TTP_STR(AIR);
}

void ttp_check_temp_asic(struct ttp_checkup *c)
{
    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];
        const struct ttp_source *table = NULL;
        double now, limit;
        int64_t mc;
        ttp_str source = TTP_STR("tt-smi: telemetry.asic_temperature"), origin;

        if (p->sample && ttp_reading_number(&p->sample->attr[TTP_CHIP_TEMP_MC], &mc)) {
            now = (double)mc / 1000;
            source = p->sample->attr[TTP_CHIP_TEMP_MC].path;
        } else if (!ttp_smi_number(&now, p->smi, "telemetry", "asic_temperature")) {
            if (p->sample)
                ttp_check_unread(c, p, &p->sample->attr[TTP_CHIP_TEMP_MC],
                                 strcmp(p->chip_name, "blackhole") == 0 ? "1.32" : "1.27");
            continue;
        }
        if (p->sample && ttp_host_throttle_mc(&mc, &table, p->chip, p->sample)) {
            limit = (double)mc / 1000;
            origin = table ? ttp_check_origin(c, table) : TTP_STR("firmware: hwmon temp1_max");
        } else if (strcmp(p->chip_name, "blackhole") == 0 &&
                   ttp_smi_number(&limit, p->smi, "limits", "therm_trip_l1_limit") && limit > 0) {
            origin = TTP_STR("firmware: tt-smi limits.therm_trip_l1_limit");
        } else if (ttp_board_fact(p->board, TTP_FACT_THROTTLE_C, &limit)) {
            origin = ttp_check_origin(c, p->board->fact[TTP_FACT_THROTTLE_C].source);
        } else {
            struct ttp_check *k = ttp_check_add(c, p, TTP_CHECK_INFO, "%.1f C", now);
            k->source = source;
            k->text = TTP_STR("no known limit for this product");
            continue;
        }
        judge_heat(c, p, (struct heat){now, limit, source, origin});
    }
}

void ttp_check_temp_gddr(struct ttp_checkup *c)
{
    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];
        double now, limit = 89;

        if (!ttp_smi_number(&now, p->smi, "smbus_telem|telemetry",
                            "MAX_GDDR_TEMP|gddr_temperature") ||
            now <= 0) {
            ttp_check_needs_smi(c, p);
            continue;
        }
        const bool known = ttp_board_fact(p->board, TTP_FACT_GDDR_MAX_C, &limit);
        const enum ttp_verdict_level level = now >= limit ? TTP_CHECK_FAIL
                                             : now >= 80  ? TTP_CHECK_WARN
                                                          : TTP_CHECK_PASS;
        struct ttp_check *k = ttp_check_add(c, p, level, "%.0f C", now);
        k->source = TTP_STR("tt-smi: smbus_telem.MAX_GDDR_TEMP");
        k->limit = ttp_check_text(c, "throttles at %.0f C", limit);
        k->origin = known ? ttp_check_origin(c, p->board->fact[TTP_FACT_GDDR_MAX_C].source)
                          : TTP_STR("the limit of Blackhole boards");
        if (level != TTP_CHECK_PASS)
            k->fix = TTP_STR(AIR);
    }
}

static bool core_power(const struct ttp_patient *p, double *now, ttp_str *source)
{
    int64_t v;

    if (p->sample && ttp_reading_number(&p->sample->attr[TTP_CHIP_POWER_UW], &v)) {
        *now = (double)v / 1e6;
        *source = p->sample->attr[TTP_CHIP_POWER_UW].path;
        return true;
    }
    *source = TTP_STR("tt-smi: telemetry.power");
    return ttp_smi_number(now, p->smi, "telemetry", "power");
}

static bool core_limit(struct ttp_checkup *c, const struct ttp_patient *p, double *limit,
                       ttp_str *origin)
{
    int64_t v;

    *origin = TTP_STR("firmware: hwmon power1_max");
    if (p->sample && ttp_reading_number(&p->sample->attr[TTP_CHIP_POWER_MAX_UW], &v)) {
        *limit = (double)v / 1e6;
        return true;
    }
    *origin = TTP_STR("firmware: tt-smi limits.tdp_limit");
    if (ttp_smi_number(limit, p->smi, "limits", "tdp_limit") && *limit > 0)
        return true;
    if (!ttp_board_fact(p->board, TTP_FACT_TDP_W, limit))
        return false;
    *origin = ttp_check_origin(c, p->board->fact[TTP_FACT_TDP_W].source);
    return true;
}

/* Above the limit in both samples is more than a peak. */
static bool stays_above(const struct ttp_checkup *c, const struct ttp_patient *p, double now,
                        double limit)
{
    int64_t later;

    return now > limit && ttp_host_has_two_samples(c, p) &&
           ttp_reading_number(&p->second->attr[TTP_CHIP_POWER_UW], &later) &&
           (double)later / 1e6 > limit;
}

void ttp_check_power_core(struct ttp_checkup *c)
{
    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];
        double now, limit;
        ttp_str source, origin;
        struct ttp_check *k;

        if (!core_power(p, &now, &source)) {
            if (p->sample)
                ttp_check_unread(c, p, &p->sample->attr[TTP_CHIP_POWER_UW],
                                 strcmp(p->chip_name, "blackhole") == 0 ? "1.32" : "1.27");
            continue;
        }
        if (!core_limit(c, p, &limit, &origin)) {
            k = ttp_check_add(c, p, TTP_CHECK_INFO, "%.0f W", now);
            k->source = source;
            k->text = TTP_STR("no known limit; this is core power, not board power");
            continue;
        }
        const enum ttp_verdict_level level = stays_above(c, p, now, limit) ? TTP_CHECK_FAIL
                                             : now >= 0.9 * limit          ? TTP_CHECK_WARN
                                                                           : TTP_CHECK_PASS;
        k = ttp_check_add(c, p, level, "%.0f W, %.0f %% of the limit", now, 100 * now / limit);
        k->source = source;
        k->limit = ttp_check_text(c, "%.0f W of core power", limit);
        k->origin = origin;
        if (level == TTP_CHECK_PASS)
            continue;
        k->held = TTP_HELD_POWER;
        k->text =
            level == TTP_CHECK_FAIL
                ? TTP_STR("above the limit in two samples: the firmware does not hold it")
            : now > limit
                ? TTP_STR("one sample above the limit may be a peak; the clock is reduced to "
                          "stay below it")
                : TTP_STR("normal at full load; the clock is reduced to stay below the limit");
        k->fix = TTP_STR("accept it, or use a lower math fidelity, which draws less");
    }
}

void ttp_check_power_psu(struct ttp_checkup *c)
{
    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];
        double limit, needed;
        struct ttp_check *k;

        if (ttp_board_fact(p->board, TTP_FACT_PSU_W, &needed)) { /* Grayskull: nothing reports it */
            k = ttp_check_add(c, p, TTP_CHECK_INFO, "not measured");
            k->limit = ttp_check_text(c, "a power supply of %.0f W", needed);
            k->origin = ttp_check_origin(c, p->board->fact[TTP_FACT_PSU_W].source);
            continue;
        }
        if (!ttp_smi_number(&limit, p->smi, "limits|smbus_telem",
                            "board_power_limit|BOARD_POWER_LIMIT")) {
            ttp_check_needs_smi(c, p);
            continue;
        }
        if (limit <= 0 || !ttp_board_fact(p->board, TTP_FACT_BOARD_POWER_W, &needed)) {
            k = ttp_check_add(c, p, TTP_CHECK_SKIP, "%.0f W", limit);
            k->source = TTP_STR("tt-smi: limits.board_power_limit");
            k->text = limit <= 0 ? TTP_STR("the firmware has no limit")
                                 : TTP_STR("no figure for this product");
            continue;
        }
        k = ttp_check_add(c, p, limit < needed ? TTP_CHECK_WARN : TTP_CHECK_PASS, "%.0f W", limit);
        k->source = TTP_STR("tt-smi: limits.board_power_limit");
        k->limit = ttp_check_text(c, "%.0f W", needed);
        k->origin = ttp_check_origin(c, p->board->fact[TTP_FACT_BOARD_POWER_W].source);
        if (limit >= needed)
            continue;
        k->text = TTP_STR("the supply or its cable cannot deliver what the board may draw: the "
                          "clock stays low");
        k->fix =
            TTP_STR("use a 12V-2x6 cable rated 600 W, seated fully, and a supply that has one");
    }
}

/* --- DRAM --- */

/* Two bits per channel on Blackhole (trained, error), sixteen more of the self test on newer
 * firmware; a nibble per channel on Wormhole (1 failed, 2 passed). */
struct training {
    int channels, trained, failed, off;
};

static struct training blackhole_training(uint32_t status)
{
    struct training t = {.channels = 8};

    for (int ch = 0; ch < 8; ch++) {
        const uint32_t bits = status >> (2 * ch) & 3, test = status >> (16 + 2 * ch) & 3;

        if (bits & 2 || test & 2)
            t.failed++;
        else if (bits & 1)
            t.trained++;
        else
            t.off++;
    }
    return t;
}

static struct training wormhole_training(uint32_t status)
{
    struct training t = {.channels = 6};

    for (int ch = 0; ch < 6; ch++) {
        const uint32_t nibble = status >> (4 * ch) & 0xf;

        t.trained += nibble == 2;
        t.failed += nibble == 1;
        t.off += nibble != 1 && nibble != 2;
    }
    return t;
}

/* "16G", "12G", or a number of MT/s. */
static bool dram_speed(const struct ttp_patient *p, double *mts)
{
    const ttp_str text = ttp_smi_text(p->smi, "board_info", "dram_speed");
    uint64_t g;

    if (text.len > 1 && (ttp_str_ends(text, TTP_STR("G")) || ttp_str_ends(text, TTP_STR("g"))) &&
        ttp_str_to_u64(ttp_str_slice(text, 0, text.len - 1), &g) && g < 1000) {
        *mts = (double)g * 1000;
        return true;
    }
    return ttp_smi_number(mts, p->smi, "smbus_telem", "GDDR_SPEED") && *mts > 0;
}

static void judge_training(struct ttp_checkup *c, const struct ttp_patient *p,
                           const struct training *t, double raw)
{
    double expected = t->channels, mts = 0, table = 0;

    (void)ttp_board_fact(p->board, TTP_FACT_DRAM_CHANNELS, &expected);
    const bool bad = t->failed > 0 || t->trained < (int)expected;
    const bool has_speed = dram_speed(p, &mts);
    const bool slow =
        has_speed && ttp_board_fact(p->board, TTP_FACT_DRAM_MTS, &table) && mts < table;
    struct ttp_check *k = ttp_check_add(c, p,
                                        bad    ? TTP_CHECK_FAIL
                                        : slow ? TTP_CHECK_WARN
                                               : TTP_CHECK_PASS,
                                        "%d of %.0f channels trained (0x%08x)", t->trained,
                                        expected, (unsigned)(uint32_t)raw);

    if (has_speed)
        k->value = ttp_check_text(c, "%.*s, %.0f MT/s", TTP_FMT(k->value), mts);
    k->source = TTP_STR("tt-smi: smbus_telem.GDDR_STATUS or DDR_STATUS");
    k->limit = slow ? ttp_check_text(c, "%.0f channels at %.0f MT/s", expected, table)
                    : ttp_check_text(c, "%.0f channels", expected);
    k->origin = p->board ? ttp_check_text(c, "board table: %s", p->board->name)
                         : TTP_STR("number of channels of the chip");
    if (bad) {
        k->text = ttp_check_text(c, "%d failed, %d untrained", t->failed,
                                 t->off - (t->channels - (int)expected));
        k->fix = TTP_STR(
            "power cycle the machine (not only reboot); if the error remains, return the board");
    } else if (slow) {
        k->text = strncmp(p->board->name, "galaxy", 6) == 0
                      ? TTP_STR("normal on Galaxy revisions A and B")
                      : TTP_STR("the memory is slower than specified for the board");
    }
}

void ttp_check_dram_train(struct ttp_checkup *c)
{
    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];
        const ttp_str word = ttp_smi_text(p->smi, "board_info", "dram_status");
        const bool wormhole = strcmp(p->chip_name, "wormhole") == 0;
        double raw;

        if (ttp_smi_number(&raw, p->smi, "smbus_telem", "GDDR_STATUS|DDR_STATUS") && raw >= 0 &&
            raw <= UINT32_MAX && (wormhole || strcmp(p->chip_name, "blackhole") == 0)) {
            const struct training t =
                wormhole ? wormhole_training((uint32_t)raw) : blackhole_training((uint32_t)raw);
            judge_training(c, p, &t, raw);
            continue;
        }
        if (word.len == 0) {
            ttp_check_needs_smi(c, p);
            continue;
        }
        const bool good = ttp_str_eq_any_case(word, TTP_STR("true"));
        struct ttp_check *k = ttp_check_add(c, p, good ? TTP_CHECK_PASS : TTP_CHECK_FAIL, "%s",
                                            good ? "trained" : "not trained");
        k->source = TTP_STR("tt-smi: board_info.dram_status");
        k->limit = TTP_STR("trained");
        k->origin = TTP_STR("firmware");
        if (!good)
            k->fix = TTP_STR("power cycle the machine (not only reboot); if the error remains, "
                             "return the board");
    }
}

void ttp_check_dram_errs(struct ttp_checkup *c)
{
    static const char *const corrected[] = {"GDDR_0_1_CORR_ERRS", "GDDR_2_3_CORR_ERRS",
                                            "GDDR_4_5_CORR_ERRS", "GDDR_6_7_CORR_ERRS"};

    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];
        double v, lost = 0;
        uint32_t sum = 0;
        bool any = ttp_smi_number(&lost, p->smi, "smbus_telem", "GDDR_UNCORR_ERRS");

        for (size_t n = 0; n < TTP_COUNT(corrected); n++) {
            if (!ttp_smi_number(&v, p->smi, "smbus_telem", corrected[n]) || v < 0 || v > UINT32_MAX)
                continue;
            any = true;
            for (int byte = 0; byte < 4; byte++) /* write and read errors of two modules */
                sum += (uint32_t)v >> (8 * byte) & 0xff;
        }
        if (!any) {
            ttp_check_needs_smi(c, p);
            continue;
        }
        struct ttp_check *k =
            ttp_check_add(c, p,
                          lost > 0 ? TTP_CHECK_FAIL
                          : sum    ? TTP_CHECK_WARN
                                   : TTP_CHECK_PASS,
                          "%u corrected, %s uncorrected", sum, lost > 0 ? "some" : "none");
        k->source = TTP_STR("tt-smi: smbus_telem.GDDR_*_ERRS");
        k->limit = TTP_STR("none");
        k->origin = TTP_STR("firmware");
        if (k->level != TTP_CHECK_PASS)
            k->fix = TTP_STR(
                "cool the board (temp.gddr), power cycle; if the errors return, replace it");
    }
}
