/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sink.h"
#include "host/machine.h"

int ttp_host_pcie_gen(int64_t tenths)
{
    static const int64_t speeds[] = {25, 50, 80, 160, 320, 640, 1280};

    for (int i = 0; i < (int)TTP_COUNT(speeds); i++)
        if (tenths == speeds[i])
            return i + 1;
    return 0;
}

static ttp_str text_of(const struct ttp_reading *r)
{
    return r->state == TTP_READING_OK ? r->text : (ttp_str){0};
}

static void print_board(struct ttp_board_print *out, const struct ttp_chip *chip,
                        const struct ttp_chip_sample *s)
{
    int64_t v;

    *out = (struct ttp_board_print){.bdf = chip->bdf, .chip = chip->chip};
    out->card = ttp_str_from(chip->board ? chip->board->name : chip->chip);
    if (s->attr[TTP_CHIP_CARD_TYPE].state == TTP_READING_OK)
        out->card = s->attr[TTP_CHIP_CARD_TYPE].text;
    out->serial = text_of(&s->attr[TTP_CHIP_SERIAL]);
    out->firmware = text_of(&s->attr[TTP_CHIP_FW_BUNDLE]);
    if (ttp_reading_number(&s->attr[TTP_CHIP_LINK_SPEED], &v))
        out->pcie_gen = ttp_host_pcie_gen(v);
    if (ttp_reading_number(&s->attr[TTP_CHIP_LINK_WIDTH], &v))
        out->pcie_width = (int)v;
}

static void make_key(struct ttp_fingerprint *f, struct ttp_arena *arena)
{
    struct ttp_sink key;

    ttp_sink_to_arena(&key, arena);
    ttp_sink_printf(&key, "cpu=%.*s;cpus=%u;nodes=%u;vm=%d;", TTP_FMT(f->cpu), f->cpus,
                    f->numa_nodes, f->virtual_machine);
    /* in GiB: what the kernel keeps for itself differs from boot to boot */
    ttp_sink_printf(&key, "memory_gib=%llu;kernel=%.*s;distro=%.*s;driver=%.*s;governor=%.*s;",
                    (unsigned long long)((f->memory_bytes + (1u << 29)) >> 30), TTP_FMT(f->kernel),
                    TTP_FMT(f->distro), TTP_FMT(f->driver), TTP_FMT(f->governor));
    ttp_sink_printf(&key, "iommu=%.*s", TTP_FMT(f->iommu));
    for (size_t i = 0; i < f->nboards; i++)
        ttp_sink_printf(&key, ";board=%.*s,%.*s,gen%d,x%d", TTP_FMT(f->board[i].card),
                        TTP_FMT(f->board[i].firmware), f->board[i].pcie_gen,
                        f->board[i].pcie_width);
    f->key = ttp_sink_text(&key);
}

void ttp_host_fingerprint_make(struct ttp_fingerprint *out, const struct ttp_host *host,
                               const struct ttp_host_sample *sample,
                               const struct ttp_machine *machine, struct ttp_arena *arena)
{
    *out = (struct ttp_fingerprint){.hostname = machine->hostname,
                                    .cpu = machine->cpu,
                                    .kernel = machine->kernel,
                                    .distro = machine->distro,
                                    .cpus = machine->cpus,
                                    .numa_nodes = (uint32_t)machine->nnodes,
                                    .memory_bytes = machine->memory_bytes,
                                    .virtual_machine = machine->hypervisor,
                                    .driver = text_of(&host->driver_version),
                                    .governor = text_of(&sample->attr[TTP_HOST_GOVERNOR]),
                                    .nboards = host->nchips};
    out->board = TTP_NEW(arena, struct ttp_board_print, host->nchips);
    for (size_t i = 0; i < host->nchips; i++) {
        print_board(&out->board[i], &host->chip[i], &sample->chip[i]);
        if (out->iommu.len == 0)
            out->iommu = text_of(&sample->chip[i].attr[TTP_CHIP_IOMMU]);
    }
    make_key(out, arena);
}

void ttp_host_fingerprint(struct ttp_fingerprint *out, const struct ttp_host *host,
                          struct ttp_arena *arena)
{
    const struct ttp_sample_options all = {0};
    struct ttp_host_sample sample;
    struct ttp_machine machine;

    ttp_host_machine_read(&machine, host, arena);
    ttp_host_sample(&sample, host, &all, arena);
    ttp_host_fingerprint_make(out, host, &sample, &machine, arena);
}
