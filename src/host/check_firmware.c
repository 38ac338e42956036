/* SPDX-License-Identifier: Apache-2.0 */
/* check_firmware.c - firmware versions, heartbeat, and the clock. */
#include "base/sink.h"
#include "host/checkup.h"

/* The bundle's version from sysfs, else from tt-smi. */
static bool bundle_of(uint32_t *out, ttp_str *source, const struct ttp_patient *p)
{
    int64_t v;

    if (p->sample && ttp_reading_number(&p->sample->attr[TTP_CHIP_FW_BUNDLE], &v)) {
        *out = (uint32_t)v;
        *source = p->sample->attr[TTP_CHIP_FW_BUNDLE].path;
        return true;
    }
    *source = TTP_STR("tt-smi: firmwares.fw_bundle_version");
    return ttp_device_version_parse(out, ttp_smi_text(p->smi, "firmwares", "fw_bundle_version"));
}

static bool version_fact(const struct ttp_patient *p, enum ttp_fact fact, uint32_t *out)
{
    double v;

    if (!ttp_board_fact(p->board, fact, &v))
        return false;
    *out = (uint32_t)v;
    return true;
}

static void judge_bundle(struct ttp_checkup *c, const struct ttp_patient *p, uint32_t v,
                         ttp_str source)
{
    uint32_t min = 0, advised = 0, tested = 0;
    const bool has_min = version_fact(p, TTP_FACT_FW_MIN, &min);
    const bool has_advised = version_fact(p, TTP_FACT_FW_ADVISED, &advised);
    const bool has_tested = version_fact(p, TTP_FACT_FW_TESTED, &tested);
    const uint32_t newest = has_advised && advised > tested ? advised : tested;
    enum ttp_verdict_level level = TTP_CHECK_PASS;
    enum ttp_fact limit = has_advised ? TTP_FACT_FW_ADVISED : TTP_FACT_FW_MIN;
    char text[TTP_VERSION_MAX], shown[TTP_VERSION_MAX];

    if (has_min && v < min) {
        level = TTP_CHECK_FAIL;
        limit = TTP_FACT_FW_MIN;
    } else if (has_advised && v < advised) {
        level = TTP_CHECK_WARN;
    } else if (has_tested && v > newest) {
        level = TTP_CHECK_INFO;
        limit = newest == tested ? TTP_FACT_FW_TESTED : limit;
    }
    struct ttp_check *k =
        ttp_check_add(c, p, level, "%.*s", TTP_FMT(ttp_device_version_text(shown, v)));
    k->source = source;
    if (!p->board || !p->board->fact[limit].source) {
        k->level = TTP_CHECK_INFO;
        k->text = TTP_STR("no known minimum version for this product");
        return;
    }
    k->limit = ttp_check_text(
        c, "%s %.*s", limit == TTP_FACT_FW_TESTED ? "tested up to" : "at least",
        TTP_FMT(ttp_device_version_text(text, (uint32_t)p->board->fact[limit].value)));
    k->origin = ttp_check_origin(c, p->board->fact[limit].source);
    if (level == TTP_CHECK_INFO)
        k->text = TTP_STR("newer than the version the user-mode driver was tested with");
    if (level >= TTP_CHECK_WARN)
        k->fix = TTP_STR("tt-flash flash --fw-tar fw_pack-VERSION.fwbundle "
                         "(https://github.com/tenstorrent/tt-firmware), after stopping all jobs");
}

void ttp_check_fw_bundle(struct ttp_checkup *c)
{
    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];
        uint32_t v;
        ttp_str source;

        if (bundle_of(&v, &source, p))
            judge_bundle(c, p, v, source);
        else if (p->sample)
            ttp_check_unread(c, p, &p->sample->attr[TTP_CHIP_FW_BUNDLE],
                             strcmp(p->chip_name, "blackhole") == 0 ? "1.32" : "1.29");
    }
}

/* The newest version that is known to have been tested; false: none is known. */
static bool newest_of(uint32_t *out, enum ttp_fact *fact, const struct ttp_patient *p)
{
    uint32_t tested = 0, advised = 0;

    (void)version_fact(p, TTP_FACT_FW_TESTED, &tested);
    (void)version_fact(p, TTP_FACT_FW_ADVISED, &advised);
    *fact = advised > tested ? TTP_FACT_FW_ADVISED : TTP_FACT_FW_TESTED;
    *out = advised > tested ? advised : tested;
    return *out != 0;
}

/* Of all chips, the one with the oldest version. Newer than tested is fine here:
 * ttp_check_fw_bundle() reports it. */
void ttp_check_fw_newest(struct ttp_checkup *c)
{
    const struct ttp_patient *oldest = NULL;
    uint32_t oldest_v = 0;
    size_t known = 0, older = 0;
    ttp_str source = {0};

    for (size_t i = 0; i < c->patients; i++) {
        uint32_t v, newest;
        enum ttp_fact fact;

        if (!newest_of(&newest, &fact, &c->patient[i]) || !bundle_of(&v, &source, &c->patient[i]))
            continue;
        const bool behind = v < newest;
        if (!oldest || (behind && !older) || (behind == (older > 0) && v < oldest_v)) {
            oldest = &c->patient[i];
            oldest_v = v;
        }
        known++;
        older += behind;
    }
    if (!oldest)
        return;
    char now[TTP_VERSION_MAX], best[TTP_VERSION_MAX];
    uint32_t newest;
    enum ttp_fact fact;
    struct ttp_check *k = ttp_check_add(c, oldest, older ? TTP_CHECK_INFO : TTP_CHECK_PASS, "%.*s",
                                        TTP_FMT(ttp_device_version_text(now, oldest_v)));
    (void)newest_of(&newest, &fact, oldest);
    k->limit =
        ttp_check_text(c, "newest tested %.*s", TTP_FMT(ttp_device_version_text(best, newest)));
    k->origin = ttp_check_origin(c, oldest->board->fact[fact].source);
    k->source = TTP_STR("tt_fw_bundle_ver");
    if (older)
        k->text = ttp_check_text(c, "%zu of %zu chips are older than that", older, known);
}

void ttp_check_fw_same(struct ttp_checkup *c)
{
    uint32_t first = 0, v;
    size_t known = 0, different = 0;
    ttp_str source, odd = {0};
    char a[TTP_VERSION_MAX], b[TTP_VERSION_MAX];

    for (size_t i = 0; i < c->patients; i++) {
        if (!bundle_of(&v, &source, &c->patient[i]))
            continue;
        if (known++ == 0)
            first = v;
        else if (v != first && different++ == 0)
            odd = ttp_check_text(c, "%.*s has %.*s", TTP_FMT(c->patient[i].where),
                                 TTP_FMT(ttp_device_version_text(b, v)));
    }
    if (known < 2)
        return;
    struct ttp_check *k = ttp_check_add(
        c, NULL, different ? TTP_CHECK_WARN : TTP_CHECK_PASS,
        different ? "%zu of %zu differ from %.*s" : "%zu of %zu have %.*s",
        different ? different : known, known, TTP_FMT(ttp_device_version_text(a, first)));
    k->source = TTP_STR("tt_fw_bundle_ver");
    k->limit = TTP_STR("the same on all");
    k->origin = TTP_STR("tt-umd");
    k->text = odd;
    if (different)
        k->fix = TTP_STR("tt-flash flash --fw-tar fw_pack-VERSION.fwbundle on all of them");
}

void ttp_check_fw_alive(struct ttp_checkup *c)
{
    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];
        struct ttp_check *k;
        int64_t a, b;

        if (!p->sample)
            continue;
        const struct ttp_reading *r = &p->sample->attr[TTP_CHIP_HEARTBEAT];
        if (!ttp_reading_number(r, &a)) {
            k = ttp_check_unread(c, p, r, "2.7.0");
            if (r->state == TTP_READING_ABSENT && p->chip->class_dir)
                k->level = TTP_CHECK_WARN;
            continue;
        }
        if (!p->second) {
            k = ttp_check_add(c, p, TTP_CHECK_SKIP, "%lld", (long long)a);
            k->text = TTP_STR("one sample is not enough: --quick was given");
        } else if (!ttp_reading_number(&p->second->attr[TTP_CHIP_HEARTBEAT], &b)) {
            k = ttp_check_add(c, p, TTP_CHECK_FAIL, "%lld, then nothing", (long long)a);
            k->text = TTP_STR("the heartbeat can no longer be read: the chip was lost or reset");
        } else if (a != b) {
            k = ttp_check_add(c, p, TTP_CHECK_PASS, "%lld, then %lld", (long long)a, (long long)b);
        } else if (!c->in->host->live && !c->in->host->two_samples) {
            k = ttp_check_add(c, p, TTP_CHECK_SKIP, "%lld", (long long)a);
            k->text = TTP_STR("a copied tree is static; recordings have two samples");
        } else {
            k = ttp_check_add(c, p, TTP_CHECK_FAIL, "%lld, and the same a second later",
                              (long long)a);
            k->text = TTP_STR("the firmware hangs");
            k->fix = TTP_STR("stop all jobs, then: tt-smi -r");
        }
        k->source = r->path;
        k->limit = TTP_STR("must change within a second");
        k->origin = TTP_STR("tt-kmd");
    }
}

/* --- clock --- */

static bool clock_limit(struct ttp_checkup *c, const struct ttp_patient *p, double *out,
                        ttp_str *origin)
{
    if (ttp_smi_number(out, p->smi, "limits", "asic_fmax") && *out > 0) {
        *origin = TTP_STR("firmware: tt-smi limits.asic_fmax");
        return true;
    }
    if (!ttp_board_fact(p->board, TTP_FACT_AICLK_MAX_MHZ, out))
        return false;
    *origin = ttp_check_origin(c, p->board->fact[TTP_FACT_AICLK_MAX_MHZ].source);
    return true;
}

static bool clock_now(const struct ttp_patient *p, double *out, ttp_str *source)
{
    int64_t v;

    if (p->sample && ttp_reading_number(&p->sample->attr[TTP_CHIP_AICLK_MHZ], &v)) {
        *out = (double)v;
        *source = p->sample->attr[TTP_CHIP_AICLK_MHZ].path;
        return true;
    }
    *source = TTP_STR("tt-smi: telemetry.aiclk");
    return ttp_smi_number(out, p->smi, "telemetry", "aiclk");
}

/* The limit at which the chip is, which explains a low clock; NULL: none. */
static const char *limited_by(enum ttp_held_by *held, const struct ttp_patient *p)
{
    const struct ttp_source *source;
    int64_t v, limit;

    *held = TTP_HELD_UNKNOWN;
    if (!p->sample)
        return NULL;
    if (ttp_reading_number(&p->sample->attr[TTP_CHIP_TEMP_MC], &v) &&
        ttp_host_throttle_mc(&limit, &source, p->chip, p->sample) && v + 2000 >= limit) {
        *held = TTP_HELD_HEAT;
        return "at its temperature limit: throttled by temperature";
    }
    *held = TTP_HELD_POWER;
    if (ttp_reading_number(&p->sample->attr[TTP_CHIP_POWER_UW], &v) &&
        ttp_reading_number(&p->sample->attr[TTP_CHIP_POWER_MAX_UW], &limit) &&
        v * 100 >= limit * 95)
        return "at its core power limit: throttled by power";
    if (ttp_reading_number(&p->sample->attr[TTP_CHIP_CURRENT_MA], &v) &&
        ttp_reading_number(&p->sample->attr[TTP_CHIP_CURRENT_MAX_MA], &limit) &&
        v * 100 >= limit * 95)
        return "at its current limit: throttled by current";
    *held = TTP_HELD_UNKNOWN;
    return NULL;
}

static void judge_clock(struct ttp_checkup *c, const struct ttp_patient *p, double now, double max,
                        struct ttp_check *k)
{
    double idle = 0;
    const bool at_idle = ttp_board_fact(p->board, TTP_FACT_AICLK_IDLE_MHZ, &idle) && now <= idle;

    if (now >= 0.99 * max)
        return;
    const char *limit = limited_by(&k->held, p);
    const char *why = limit ? limit
                            : "not explained by temperature or power: check clk.reason, the power "
                              "cable, firmware";
    k->level = now >= 0.9 * max ? TTP_CHECK_WARN : TTP_CHECK_FAIL;
    k->text = ttp_str_from(why);
    if (at_idle && !limit)
        k->text = ttp_check_text(c, "stuck at its lowest clock while busy; %s", why);
    k->fix = c->in->host->live
                 ? TTP_STR("see clk.reason (tt-smi -s --snapshot_no_tty | tt-perf doctor --smi -), "
                           "temp.asic, power.core and power.psu")
                 : TTP_STR("see clk.reason, temp.asic, power.core and power.psu");
}

static ttp_str idle_text(const struct ttp_patient *p)
{
    if (p->sample && p->sample->nholders)
        return TTP_STR("a process has it open, but it draws little power and moves no data");
    if (p->sample && p->sample->holders.state != TTP_READING_OK)
        return TTP_STR("whether it is busy is unknown: check again under load");
    return TTP_STR("idle: check again under load");
}

void ttp_check_clk_max(struct ttp_checkup *c)
{
    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];
        double now, max;
        ttp_str source, origin;

        if (!clock_now(p, &now, &source)) {
            if (p->sample)
                ttp_check_unread(c, p, &p->sample->attr[TTP_CHIP_AICLK_MHZ], "1.28");
            continue;
        }
        enum ttp_held_by held;
        /* a chip at a limit is not idle, whatever else is known */
        const bool known = clock_limit(c, p, &max, &origin),
                   busy = ttp_host_patient_is_busy(c, p) || limited_by(&held, p);
        struct ttp_check *k =
            ttp_check_add(c, p, known && busy ? TTP_CHECK_PASS : TTP_CHECK_SKIP, "%.0f MHz", now);
        k->source = source;
        if (known) {
            k->limit = ttp_check_text(c, "%.0f MHz under load", max);
            k->origin = origin;
        }
        if (known && busy)
            judge_clock(c, p, now, max, k);
        else if (!busy)
            k->text = idle_text(p);
    }
}

void ttp_check_clk_reason(struct ttp_checkup *c)
{
    /* order of the firmware's arbiters, telemetry tag 66 */
    static const char *const arbiters[] = {
        "not limited",      "core power (TDP)", "fast current (TDC)",
        "current (TDC)",    "temperature",      "board power",
        "voltage",          "DRAM temperature", "slow doppler",
        "critical doppler",
    };

    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];
        double raw;

        if (!ttp_smi_number(&raw, p->smi, "smbus_telem", "AICLK_ARB_MAX|EFFECTIVE_MAX_ARB|66") ||
            raw < 0 || raw > UINT32_MAX) {
            ttp_check_needs_smi(c, p);
            continue;
        }
        const uint32_t arbiter = (uint32_t)raw >> 16, mhz = (uint32_t)raw & 0xffff;
        const enum ttp_verdict_level level = arbiter == 0   ? TTP_CHECK_PASS
                                             : arbiter >= 9 ? TTP_CHECK_FAIL
                                                            : TTP_CHECK_WARN;
        struct ttp_check *k = ttp_check_add(
            c, p, level, "%s, at most %u MHz",
            arbiter < TTP_COUNT(arbiters) ? arbiters[arbiter] : "unknown arbiter", mhz);
        k->source = TTP_STR("tt-smi: smbus_telem.AICLK_ARB_MAX");
        k->limit = TTP_STR("arbiter 0 (highest frequency)");
        k->origin = TTP_STR("firmware");
        if (arbiter == 4 || arbiter == 7)
            k->fix = TTP_STR(
                "increase the air flow: at least 30 CFM through passive cards, or a fan kit");
        else if (arbiter == 5)
            k->fix = TTP_STR("check the power supply and its 12V-2x6 cable, see power.psu");
        else if (arbiter)
            k->fix = TTP_STR("expected at full load; a lower math fidelity draws less");
    }
}

/* The count from sysfs, else from tt-smi; NULL: neither has it. */
static struct ttp_check *count_trips(struct ttp_checkup *c, const struct ttp_patient *p)
{
    const struct ttp_reading *r = p->sample ? &p->sample->attr[TTP_CHIP_THERM_TRIPS] : NULL;
    struct ttp_check *k = NULL;
    int64_t a, b = 0;
    double raw;

    if (r && ttp_reading_number(r, &a)) {
        const bool rose =
            p->second && ttp_reading_number(&p->second->attr[TTP_CHIP_THERM_TRIPS], &b) && b > a;
        k = ttp_check_add(c, p,
                          rose ? TTP_CHECK_FAIL
                          : a  ? TTP_CHECK_WARN
                               : TTP_CHECK_PASS,
                          "%lld since power-on%s", (long long)(rose ? b : a),
                          rose ? ", one more just now" : "");
        k->source = r->path;
    } else if (ttp_smi_number(&raw, p->smi, "smbus_telem", "THERM_TRIP_COUNT")) {
        k = ttp_check_add(c, p, raw > 0 ? TTP_CHECK_WARN : TTP_CHECK_PASS, "%.0f since power-on",
                          raw);
        k->source = TTP_STR("tt-smi: smbus_telem.THERM_TRIP_COUNT");
    } else if (r && strcmp(p->chip_name, "blackhole") == 0) { /* Wormhole does not count them */
        ttp_check_unread(c, p, r, "2.7.0");
    }
    return k;
}

void ttp_check_clk_trip(struct ttp_checkup *c)
{
    for (size_t i = 0; i < c->patients; i++) {
        struct ttp_check *k = count_trips(c, &c->patient[i]);

        if (!k)
            continue;
        k->limit = TTP_STR("none");
        k->origin = TTP_STR("firmware");
        if (k->level == TTP_CHECK_PASS)
            continue;
        k->text = TTP_STR("the chip shut down because it was too hot");
        k->fix =
            TTP_STR("increase the air flow: at least 30 CFM through passive cards, or a fan kit");
    }
}
