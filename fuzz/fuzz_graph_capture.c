/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a graph capture: no crash, no leak; a refusal says where; every split adds up to its
 * peak, and what is explained and compared refers to existing data. */
#include "fuzz.h"
#include "mem/mem_parts.h"
#include "memfile.h"

static void check_peak(const struct ttp_mem_peak *p)
{
    uint64_t sum = p->cb;

    for (int k = 0; k < TTP_MEM_CLASSES; k++)
        sum += p->part[k];
    must(sum == p->l1);
}

static void check(const struct ttp_mem_capture *c, struct ttp_arena *arena)
{
    struct ttp_mem_difference d;
    struct ttp_mem_line *line;

    for (size_t i = 0; i < c->devices; i++)
        check_peak(&c->device[i].peak);
    for (size_t i = 0; i < c->ops * c->devices; i++) {
        const struct ttp_mem_use *u = &c->use[i];
        const int64_t *ids;

        check_peak(&u->peak);
        must(u->peak_inferred >= u->peak.l1 && u->nlargest <= TTP_MEM_LARGEST);
        for (size_t k = 0; k < u->nlargest; k++) {
            must(u->largest[k].buffer < c->buffers);
            (void)ttp_mem_tensor_ids(&ids, c, &c->buffer[u->largest[k].buffer], arena);
        }
        must(!u->end.known || u->end.largest <= u->end.free);
    }
    for (size_t i = 0; i < c->stales; i++)
        must(c->stale[i].buffer < c->buffers && c->stale[i].ops > 0);
    must(ttp_mem_lines(&line, c, arena) == c->ops * c->devices);
    for (size_t i = 0; i < c->ops * c->devices && i < 64; i++)
        for (size_t f = 0; f < ttp_mem_fields.count; f++)
            (void)ttp_mem_fields.field[f].get(c, &line[i]);
    if (c->ops < 500) {
        ttp_mem_compare(&d, c, c, arena);
        must(d.matched == c->ops && d.changes == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_mem_failure failure = {
        .kind = TTP_MEM_OUT_OF_MEMORY, .pool = TTP_STR("L1"), .bytes_per_bank = 1000};
    const struct ttp_mem_options whole = {.map_op = 1}, part = {.partial = true};
    struct ttp_arena arena = {0};
    struct ttp_mem_to_free to_free;
    struct ttp_mem_capture c;
    struct ttp_err err = {0};
    struct memfile file;

    memfile_open(&file, data, size);
    if (ttp_mem_read_capture(&c, file.path, &whole, &arena, &err) == TTP_OK) {
        check(&c, &arena);
        ttp_mem_explain(&to_free, &failure, &c, &arena);
        for (size_t i = 0; i < to_free.count; i++)
            must(to_free.buffer[i] < c.buffers);
    } else {
        must(err.code != TTP_OK && err.text[0]);
        if (ttp_mem_read_capture(&c, file.path, &part, &arena, &err) == TTP_OK)
            check(&c, &arena);
    }
    close(file.fd);
    ttp_arena_free(&arena);
    return 0;
}
