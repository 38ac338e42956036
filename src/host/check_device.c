/* SPDX-License-Identifier: Apache-2.0 */
/* check_device.c - checks of boards, driver, nodes, and processes that use them. */
#include "base/sink.h"
#include "host/checkup.h"

void ttp_check_pci_present(struct ttp_checkup *c)
{
    const struct ttp_host *host = c->in->host;
    const int64_t expect = c->in->expect;
    const size_t n = host->nchips;
    const enum ttp_verdict_level level = n == 0                          ? TTP_CHECK_FAIL
                                         : expect && (int64_t)n < expect ? TTP_CHECK_WARN
                                                                         : TTP_CHECK_PASS;
    struct ttp_check *k = ttp_check_add(c, NULL, level, "%zu among %zu PCI devices", n,
                                        host->pci_devices > n ? host->pci_devices : n);

    k->source = TTP_STR("/sys/bus/pci/devices/*/vendor");
    k->limit = expect ? ttp_check_text(c, "%lld expected", (long long)expect)
                      : TTP_STR("at least one of vendor 0x1e52");
    k->origin = expect ? TTP_STR("--expect") : TTP_STR("tt-kmd");
    if (level == TTP_CHECK_PASS)
        return;
    k->text = n == 0 ? TTP_STR("this machine has no Tenstorrent card, or the bus does not see it")
                     : TTP_STR("the bus does not see all cards");
    k->fix = TTP_STR("lspci -d 1e52: ; reseat the card, check its power connector, set the slot to "
                     "Gen4 or Gen5 instead of Auto in the BIOS");
}

void ttp_check_kmd_loaded(struct ttp_checkup *c)
{
    const struct ttp_reading *v = &c->in->host->driver_version;
    const bool there = v->state != TTP_READING_ABSENT;
    struct ttp_check *k = ttp_check_add(c, NULL, there ? TTP_CHECK_PASS : TTP_CHECK_FAIL,
                                        there ? "loaded" : "absent");

    k->source = v->path;
    if (!there)
        k->fix =
            TTP_STR("install tt-kmd (dkms), then: sudo modprobe tenstorrent ; with Secure Boot "
                    "the module must be signed");
}

/* The newest driver any of the boards asks for; NULL: no board says. */
static const struct ttp_fact_value *driver_fact(const struct ttp_checkup *c, enum ttp_fact fact)
{
    const struct ttp_fact_value *found = NULL;

    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_board *b = c->patient[i].board;

        if (!b && c->patient[i].chip) /* an unknown product still has a known chip */
            b = ttp_board_by_pci(c->in->host->boards, c->patient[i].chip->pci_device);
        if (b && b->fact[fact].source && (!found || b->fact[fact].value > found->value))
            found = &b->fact[fact];
    }
    return found;
}

/* What a driver of that age does not show. */
static ttp_str lacking(struct ttp_checkup *c, uint32_t version)
{
    static const struct {
        uint32_t since;
        const char *what;
    } news[] = {
        {0x02000000, "PCIe counters, fan speed"},
        {0x02010000, "tt_asic_id of Blackhole"},
        {0x02030000, "tt_asic_id of Wormhole"},
        {0x02050000, "/proc/driver/tenstorrent/N/pids"},
        {0x02060000, "power states, by-id nodes"},
        {0x02070000, "tt_heartbeat, tt_therm_trip_count"},
        {0x02080000, "fixed numbers on Galaxy"},
        {0x02090000, "limits of Blackhole in hwmon"},
    };
    struct ttp_sink text;

    ttp_sink_to_arena(&text, c->arena);
    for (size_t i = 0; i < TTP_COUNT(news); i++)
        if (version < news[i].since)
            ttp_sink_printf(&text, "%s%s", text.len ? "; " : "not in this version: ", news[i].what);
    return ttp_sink_text(&text);
}

void ttp_check_kmd_version(struct ttp_checkup *c)
{
    const struct ttp_reading *v = &c->in->host->driver_version;
    const struct ttp_fact_value *min = driver_fact(c, TTP_FACT_KMD_MIN),
                                *advised = driver_fact(c, TTP_FACT_KMD_ADVISED);
    char text[TTP_VERSION_MAX];

    if (v->state != TTP_READING_OK) {
        ttp_check_unread(c, NULL, v, NULL);
        return;
    }
    if (!advised) { /* no card, or only ones that no driver of today supports */
        struct ttp_check *k =
            ttp_check_add(c, NULL, TTP_CHECK_SKIP, "%.*s", TTP_FMT(ttp_str_slice(v->text, 0, 40)));
        k->source = v->path;
        k->text = TTP_STR("no device requires a version");
        return;
    }
    const bool old = min && (double)v->value < min->value,
               dated = (double)v->value < advised->value;
    struct ttp_check *k = ttp_check_add(c, NULL,
                                        old     ? TTP_CHECK_FAIL
                                        : dated ? TTP_CHECK_WARN
                                                : TTP_CHECK_PASS,
                                        "%.*s", TTP_FMT(ttp_str_slice(v->text, 0, 40)));
    const struct ttp_fact_value *limit = old ? min : advised;
    k->source = v->path;
    k->limit = ttp_check_text(c, "at least %.*s",
                              TTP_FMT(ttp_device_version_text(text, (uint32_t)limit->value)));
    k->origin = ttp_check_origin(c, limit->source);
    k->text = lacking(c, (uint32_t)v->value);
    if (old)
        k->text = TTP_STR("the user-mode driver rejects it");
    if (old || dated)
        k->fix = TTP_STR("update tt-kmd: https://github.com/tenstorrent/tt-kmd");
}

void ttp_check_kmd_bound(struct ttp_checkup *c)
{
    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];

        if (!p->chip)
            continue;
        const char *driver = p->chip->driver;
        const bool good = driver && strcmp(driver, "tenstorrent") == 0;
        struct ttp_check *k = ttp_check_add(c, p, good ? TTP_CHECK_PASS : TTP_CHECK_FAIL, "%s",
                                            driver ? driver : "none");
        k->source = ttp_check_text(c, "%s/driver", p->chip->pci_dir);
        k->limit = TTP_STR("tenstorrent");
        k->origin = TTP_STR("tt-kmd");
        if (good)
            continue;
        if (strcmp(p->chip_name, "grayskull") == 0 &&
            c->in->host->driver_version.value >= 0x02020000) {
            k->text = TTP_STR("Grayskull is not supported any more: tt-kmd stopped binding it in "
                              "2.2.0");
            k->fix = TTP_STR("use tt-kmd 1.31 with firmware 80.14.0.0 and tt-metal v0.55, the "
                             "last that support it");
        } else {
            k->fix = ttp_check_text(c, "echo %s | sudo tee /sys/bus/pci/drivers/tenstorrent/bind",
                                    p->chip->bdf);
            if (c->in->host->driver_version.state == TTP_READING_ABSENT)
                k->fix = TTP_STR("sudo modprobe tenstorrent: the driver binds to its devices when "
                                 "it is loaded (kmd.loaded)");
            else if (driver)
                k->fix = ttp_check_text(
                    c,
                    "echo %s | sudo tee /sys/bus/pci/drivers/%s/unbind ; echo %s | sudo tee "
                    "/sys/bus/pci/drivers/tenstorrent/bind",
                    p->chip->bdf, driver, p->chip->bdf);
        }
    }
}

void ttp_check_dev_node(struct ttp_checkup *c)
{
    const struct ttp_host *host = c->in->host;

    for (size_t i = 0; i < host->nchips; i++) {
        const struct ttp_chip *chip = &host->chip[i];
        const struct ttp_patient at = {.where = ttp_str_from(chip->bdf)};
        struct ttp_check *k;

        if (chip->number < 0) {
            k = ttp_check_add(c, &at, TTP_CHECK_SKIP, "no node");
            k->text = TTP_STR("the driver is not bound");
            continue;
        }
        const ttp_str path = ttp_check_text(c, "/dev/tenstorrent/%d", chip->number);
        if (!chip->node && host->nodes > 0) {
            k = ttp_check_add(c, &at, TTP_CHECK_SKIP, "not accessible");
            k->text = TTP_STR("in sysfs, but not in /dev, as in a container with some of the "
                              "host's devices; not checked further");
        } else if (!chip->node) {
            k = ttp_check_add(c, &at, TTP_CHECK_FAIL, "absent");
            k->fix = ttp_check_text(c,
                                    "sudo udevadm trigger ; in a container: docker run --device "
                                    "%.*s",
                                    TTP_FMT(path));
        } else if (!chip->accessible) {
            k = ttp_check_add(c, &at, TTP_CHECK_FAIL, "no permission");
            k->fix = ttp_check_text(c,
                                    "install tt-kmd's udev rule (mode 0666), or: sudo chmod 666 "
                                    "%.*s",
                                    TTP_FMT(path));
        } else {
            k = ttp_check_add(c, &at, TTP_CHECK_PASS, "readable and writable");
        }
        k->source = path;
        k->limit = TTP_STR("readable and writable");
        k->origin = TTP_STR("tt-umd");
    }
}

static ttp_str holders_text(struct ttp_checkup *c, const struct ttp_chip_sample *s)
{
    struct ttp_sink who;

    ttp_sink_to_arena(&who, c->arena);
    for (size_t h = 0; h < s->nholders && h < 4; h++) {
        const struct ttp_holder *x = &s->holder[h];

        ttp_sink_printf(&who, "%spid %d", h ? ", " : "", x->pid);
        if (x->uid >= 0)
            ttp_sink_printf(&who, " uid %lld", (long long)x->uid);
        if (x->name.len)
            ttp_sink_printf(&who, " (%.*s)", TTP_FMT(x->name));
    }
    if (s->nholders > 4)
        ttp_sink_printf(&who, " and %zu more", s->nholders - 4);
    return s->nholders ? ttp_sink_text(&who) : TTP_STR("none");
}

void ttp_check_dev_busy(struct ttp_checkup *c)
{
    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];

        if (!p->chip || p->chip->number < 0)
            continue;
        if (p->sample->holders.state == TTP_READING_ABSENT ||
            p->sample->holders.state == TTP_READING_UNREADABLE) {
            ttp_check_unread(c, p, &p->sample->holders, "2.5.0");
            continue;
        }
        struct ttp_check *k =
            ttp_check_add(c, p, p->sample->nholders ? TTP_CHECK_WARN : TTP_CHECK_PASS, "%.*s",
                          TTP_FMT(holders_text(c, p->sample)));
        k->source = p->sample->holders.path;
        k->limit = TTP_STR("none");
        k->origin = TTP_STR(TTP_ORIGIN_OURS);
        if (p->sample->nholders == 0)
            continue;
        if (p->sample->holder[0].pid == 0)
            k->text = TTP_STR("pid 0 is a process outside this container");
        k->fix = TTP_STR("stop them before you benchmark");
    }
}

void ttp_check_chip_remote(struct ttp_checkup *c)
{
    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];
        double chips = 1;
        struct ttp_check *k;

        if (!p->chip) {
            k = ttp_check_add(c, p, TTP_CHECK_SKIP, "no PCIe view");
            k->source = TTP_STR("tt-smi: device_info");
            k->text =
                ttp_smi_text(p->smi, "board_info", "bus_id").len
                    ? TTP_STR("not on this machine's PCI bus: only the data of tt-smi can "
                              "be checked")
                    : TTP_STR("reached over Ethernet: only the data of tt-smi can be checked");
            continue;
        }
        /* both chips of a p300 have PCIe; of an n300 and of a Wormhole Galaxy not all */
        if (c->in->smi || strcmp(p->chip_name, "wormhole") != 0 ||
            !ttp_board_fact(p->board, TTP_FACT_CHIPS, &chips) || chips != 2)
            continue;
        k = ttp_check_add(c, p, TTP_CHECK_SKIP, "one more chip on this %s", p->board->name);
        k->source = TTP_STR("board table");
        k->text = TTP_STR("it has no PCIe function, so Linux does not see it");
        k->fix = TTP_STR("tt-smi -s --snapshot_no_tty | tt-perf doctor --smi -");
    }
}
