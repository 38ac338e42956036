/* SPDX-License-Identifier: Apache-2.0 */
/* host_members.c - the machine and its chips as JSON. */
#include "outputs/host_members.h"

#include "outputs/json_members.h"

void ttp_member_machine(struct ttp_json_writer *w, const struct ttp_fingerprint *f)
{
    if (!f) {
        ttp_member_null(w, "machine");
        return;
    }
    ttp_member_object(w, "machine");
    ttp_member_str(w, "key", f->key);
    ttp_member_str_or_null(w, "host", f->hostname);
    ttp_member_str_or_null(w, "cpu", f->cpu);
    ttp_member_u64(w, "cpus", f->cpus);
    ttp_member_u64(w, "numa_nodes", f->numa_nodes);
    ttp_member_u64(w, "memory_bytes", f->memory_bytes);
    ttp_member_bool(w, "virtual_machine", f->virtual_machine);
    ttp_member_str_or_null(w, "distribution", f->distro);
    ttp_member_str_or_null(w, "kernel", f->kernel);
    ttp_member_str_or_null(w, "driver", f->driver);
    ttp_member_str_or_null(w, "governor", f->governor);
    ttp_member_str_or_null(w, "iommu", f->iommu);
    ttp_member_array(w, "boards");
    for (size_t i = 0; i < f->nboards; i++) {
        const struct ttp_board_print *b = &f->board[i];

        ttp_json_begin_object(w);
        ttp_member_str(w, "bdf", ttp_str_from(b->bdf));
        ttp_member_str(w, "card", b->card);
        ttp_member_str(w, "arch", ttp_str_from(b->chip));
        ttp_member_str_or_null(w, "serial", b->serial);
        ttp_member_str_or_null(w, "firmware", b->firmware);
        ttp_member_u64(w, "pcie_gen", (uint64_t)b->pcie_gen);
        ttp_member_u64(w, "pcie_width", (uint64_t)b->pcie_width);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

static bool is_text(int attr)
{
    return attr == TTP_CHIP_CARD_TYPE || attr == TTP_CHIP_IOMMU ||
           attr == TTP_CHIP_RUNTIME_STATUS ||
           (attr >= TTP_CHIP_SERIAL && attr <= TTP_CHIP_TTFLASH) ||
           (attr >= TTP_CHIP_PCI_DEVICE && attr <= TTP_CHIP_SUBSYSTEM);
}

void ttp_member_reading(struct ttp_json_writer *w, const struct ttp_attr_spec *spec, int64_t value)
{
    if (spec->divisor > 1)
        ttp_member_f64(w, spec->id, (double)value / spec->divisor);
    else
        ttp_member_i64(w, spec->id, value);
}

static void put_readings(struct ttp_json_writer *w, const struct ttp_chip_sample *s, bool all)
{
    for (int a = all ? 0 : TTP_CHIP_LIVE; a < TTP_CHIP_ATTRS; a++) {
        const struct ttp_reading *r = &s->attr[a];

        if (r->state != TTP_READING_OK)
            continue;
        if (is_text(a))
            ttp_member_str(w, ttp_chip_attrs[a].id, r->text);
        else
            ttp_member_reading(w, &ttp_chip_attrs[a], r->value);
    }
}

void ttp_put_chip(struct ttp_json_writer *w, const struct ttp_chip *chip,
                  const struct ttp_chip_sample *sample, bool all)
{
    ttp_json_begin_object(w);
    ttp_member_str(w, "bdf", ttp_str_from(chip->bdf));
    if (chip->number >= 0)
        ttp_member_u64(w, "number", (uint64_t)chip->number);
    ttp_member_str(w, "arch", ttp_str_from(chip->chip));
    ttp_member_str_or_null(w, "board", ttp_str_from(chip->board ? chip->board->name : ""));
    ttp_member_object(w, "readings");
    put_readings(w, sample, all);
    ttp_json_end_object(w);
    ttp_member_array(w, "holders");
    for (size_t i = 0; i < sample->nholders; i++) {
        const struct ttp_holder *h = &sample->holder[i];

        ttp_json_begin_object(w);
        ttp_member_u64(w, "pid", (uint64_t)h->pid);
        if (h->uid >= 0)
            ttp_member_u64(w, "uid", (uint64_t)h->uid);
        ttp_member_str(w, "name", h->name);
        ttp_member_str(w, "command", h->command);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}
