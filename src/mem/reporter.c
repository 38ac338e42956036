/* SPDX-License-Identifier: Apache-2.0 */
/* reporter.c - files of tt-metal's memory reporter: two CSVs and one text table. */
#include "base/input.h"
#include "base/vec.h"
#include "mem/mem.h"

#define POOLS 3

struct reader {
    struct ttp_mem_report *out;
    struct ttp_arena *arena;
    uint64_t line;
    int pool;      /* of a summary: which of the three lines comes next */
    bool in_table; /* below "Block table:" and its header */
    bool begun, has_program;
    uint64_t program;
    int header; /* lines of a heading that are still to come */
};

static ttp_code refuse(const struct reader *r, const char *why, struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE, "%s", why);
    ttp_err_where(err, r->out->path, r->line);
    return TTP_EPARSE;
}

/* --- the summaries --- */

static ttp_code read_summary(struct reader *r, ttp_str line, struct ttp_err *err)
{
    struct ttp_mem_report *out = r->out;
    ttp_str field[6];
    uint64_t v[5] = {0};

    if (ttp_str_split(line, ',', field, TTP_COUNT(field)) != 5)
        return refuse(r, "a line of the memory summary does not have five fields", err);
    const bool named = ttp_str_trim(field[0]).len > 0;
    for (int i = named ? 0 : 1; i < 5; i++)
        if (!ttp_str_to_u64(ttp_str_trim(field[i]), &v[i]))
            return refuse(r, "a figure of the memory summary is not a number", err);
    if (named || r->pool == POOLS || out->summaries == 0) {
        *TTP_PUSH(r->arena, out->summary, out->summaries) =
            (struct ttp_mem_summary){.has_program = named, .program = v[0]};
        r->pool = 0;
    }
    out->summary[out->summaries - 1].pool[r->pool++] =
        (struct ttp_mem_pool_state){v[1], v[2], v[3], v[4]};
    return TTP_OK;
}

static ttp_code read_l1(struct reader *r, ttp_str line, struct ttp_err *err)
{
    ttp_str field[4];
    uint64_t v[3] = {0};

    if (ttp_str_split(line, ',', field, TTP_COUNT(field)) != 3)
        return refuse(r, "a line of the L1 summary does not have three fields", err);
    const bool named = ttp_str_trim(field[0]).len > 0;
    for (int i = named ? 0 : 1; i < 3; i++)
        if (!ttp_str_to_u64(ttp_str_trim(field[i]), &v[i]))
            return refuse(r, "a figure of the L1 summary is not a number", err);
    struct ttp_mem_summary *s = TTP_PUSH(r->arena, r->out->summary, r->out->summaries);
    *s = (struct ttp_mem_summary){.has_program = named, .program = v[0]};
    s->pool[1].largest_free = v[1];
    s->pool[1].free = v[2];
    return TTP_OK;
}

/* --- blocks --- */

static bool is_pool(ttp_str name)
{
    return ttp_str_eq(name, TTP_STR("DRAM")) || ttp_str_eq(name, TTP_STR("L1")) ||
           ttp_str_eq(name, TTP_STR("L1_SMALL"));
}

/* "12,DRAM" or ",L1": a new table. */
static bool begin_pool(struct reader *r, ttp_str line)
{
    ttp_str field[3];
    uint64_t program = 0;

    if (ttp_str_split(line, ',', field, TTP_COUNT(field)) != 2 || !is_pool(ttp_str_trim(field[1])))
        return false;
    const ttp_str id = ttp_str_trim(field[0]);
    if (id.len && !ttp_str_to_u64(id, &program))
        return false;
    if (id.len) {
        r->has_program = true;
        r->program = program;
    }
    *TTP_PUSH(r->arena, r->out->block, r->out->blocks) =
        (struct ttp_mem_blocks){.has_program = r->has_program,
                                .program = r->program,
                                .pool = ttp_arena_copy(r->arena, ttp_str_trim(field[1]))};
    r->in_table = false;
    return true;
}

/* Block, Address, Size, PrevID, NextID, Allocated, with blanks between them. */
static ttp_code read_block(struct reader *r, ttp_str line, struct ttp_err *err)
{
    struct ttp_mem_blocks *b = &r->out->block[r->out->blocks - 1];
    ttp_str word[6];
    size_t words = 0;
    uint64_t bytes;

    line = ttp_str_trim(line);
    while (line.len && words < TTP_COUNT(word)) {
        size_t n = ttp_str_find_char(line, ' ');

        n = n == TTP_NPOS ? line.len : n;
        word[words++] = ttp_str_slice(line, 0, n);
        line = ttp_str_trim(ttp_str_slice(line, n, line.len));
    }
    if (words < TTP_COUNT(word) || line.len || !ttp_str_to_u64(word[2], &bytes) ||
        bytes >= UINT64_C(1) << 48)
        return refuse(r, "a line of the block table does not have six columns", err);
    const bool taken = ttp_str_eq(word[5], TTP_STR("yes"));
    if (!taken && !ttp_str_eq(word[5], TTP_STR("no")))
        return refuse(r, "the state of a block is invalid", err);
    b->blocks++;
    if (taken) {
        b->allocated_blocks++;
        b->allocated += bytes;
    } else {
        b->free_blocks++;
        b->free += bytes;
        b->largest_free = bytes > b->largest_free ? bytes : b->largest_free;
    }
    return TTP_OK;
}

static ttp_code read_detail(struct reader *r, ttp_str line, struct ttp_err *err)
{
    if (begin_pool(r, line))
        return TTP_OK;
    if (r->out->blocks == 0)
        return refuse(r, "a memory block report must begin with a pool", err);
    if (ttp_str_starts(line, TTP_STR("Block table:"))) {
        r->in_table = true;
        r->header = 1;
        return TTP_OK;
    }
    if (!r->in_table)
        return TTP_OK;
    if (r->header > 0) {
        r->header--;
        return TTP_OK;
    }
    return read_block(r, line, err);
}

/* --- which of them it is --- */

static ttp_code begin(struct reader *r, ttp_str line, struct ttp_err *err)
{
    r->begun = true;
    if (ttp_str_starts(line, TTP_STR("This report indicates available space"))) {
        r->out->kind = TTP_MEM_REPORT_L1;
        r->header = 1;
        return TTP_OK;
    }
    if (ttp_str_has(line, TTP_STR("Total Allocatable Size (B)"))) {
        r->out->kind = TTP_MEM_REPORT_SUMMARY;
        return TTP_OK;
    }
    r->out->kind = TTP_MEM_REPORT_DETAILED;
    return read_detail(r, line, err);
}

static ttp_code read_line(struct reader *r, ttp_str line, struct ttp_err *err)
{
    if (ttp_str_trim(line).len == 0)
        return TTP_OK;
    if (!r->begun)
        return begin(r, line, err);
    if (r->out->kind == TTP_MEM_REPORT_DETAILED)
        return read_detail(r, line, err);
    if (r->header > 0 || ttp_str_has(line, TTP_STR("(B)"))) {
        r->header -= r->header > 0; /* appended files repeat their heading */
        return TTP_OK;
    }
    return r->out->kind == TTP_MEM_REPORT_L1 ? read_l1(r, line, err) : read_summary(r, line, err);
}

static ttp_code read_lines(void *arg, ttp_str text, struct ttp_err *err)
{
    struct reader *r = arg;
    ttp_str line;

    while (ttp_str_next_line(&text, &line)) {
        r->line++;
        TTP_TRY(read_line(r, line, err));
    }
    return TTP_OK;
}

ttp_code ttp_mem_read_report(struct ttp_mem_report *out, const char *path, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    struct reader r = {.out = out, .arena = arena};

    *out = (struct ttp_mem_report){.path = path};
    TTP_TRY(ttp_input_each(path, ttp_input_cut_lines, read_lines, &r, err));
    if (!r.begun)
        return refuse(&r, "the file is empty", err);
    return TTP_OK;
}
