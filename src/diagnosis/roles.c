/* SPDX-License-Identifier: Apache-2.0 */
/* roles.c - which of the two RISCs that move data reads, and which writes. */
#include "device/device.h"
#include "diagnosis/diagnosis.h"

/* By words in the name of a kernel or of its file: reader_unary.cpp, dm_write,
 * reader_bmm_in1_sender_writer_padding.cpp. */
static uint8_t by_name(ttp_str name)
{
    static const struct {
        const char *word;
        uint8_t does;
    } words[] = {
        {"reader", TTP_READS}, {"read", TTP_READS}, {"writer", TTP_WRITES}, {"write", TTP_WRITES}};
    uint8_t does = 0;

    for (size_t i = 0; i < TTP_COUNT(words); i++)
        if (ttp_str_has(name, ttp_str_from(words[i].word)))
            does |= words[i].does;
    return does;
}

static ttp_str base_name(ttp_str path)
{
    for (size_t at = ttp_str_find_char(path, '/'); at != TTP_NPOS;
         at = ttp_str_find_char(path, '/'))
        path = ttp_str_slice(path, at + 1, path.len);
    return path;
}

/* A list does not say which RISC runs which file. With a reader and a writer each has its usual
 * one; where all of them read, both bring input and BRISC writes besides. */
static bool by_sources(struct ttp_roles *out, ttp_str list)
{
    size_t files = 0, readers = 0;
    uint8_t all = 0;

    while (list.len) {
        const size_t end = ttp_str_find_char(list, ';');
        const uint8_t does = by_name(base_name(ttp_str_slice(list, 0, end)));
        files++;
        readers += (does & TTP_READS) != 0;
        all |= does;
        list = ttp_str_slice(list, end == TTP_NPOS ? list.len : end + 1, list.len);
    }
    if (files < 2 || !(all & TTP_READS))
        return false;
    *out = (struct ttp_roles){{TTP_READS, TTP_WRITES}};
    if (readers == files)
        out->does[TTP_ACTOR_BRISC] |= TTP_READS;
    return true;
}

struct ttp_roles ttp_diagnose_roles(const struct ttp_role_evidence *e)
{
    struct ttp_roles roles = {{TTP_READS, TTP_WRITES}};

    if (ttp_op_has_matmul(e->op))
        roles.does[TTP_ACTOR_BRISC] |= TTP_READS;
    else
        (void)by_sources(&roles, e->sources);
    for (size_t i = 0; i < TTP_MOVERS; i++) {
        const uint8_t named = by_name(e->kernel[i]);
        if (e->seen[i])
            roles.does[i] = e->seen[i];
        else if (named)
            roles.does[i] = named;
    }
    return roles;
}
