/* SPDX-License-Identifier: Apache-2.0 */
/* boards_file.c - a user's figures over the table. docs/formats/boards.md describes the file. */
#include <math.h>

#include "base/file.h"
#include "base/num.h"
#include "device/boards_text.h"

#define FILE_MAX   ((size_t)1 << 20)
#define BOARDS_MAX 256

struct loading {
    struct ttp_board *board; /* copies, BOARDS_MAX of them */
    size_t count;
    struct ttp_board *current; /* of the section we are in; NULL: none yet */
    const char *file;
    struct ttp_arena *arena;
    size_t offset; /* of the line, for messages */
    struct ttp_err *err;
};

#define SHOWN_MAX 60
#define SHOWN(s)  TTP_FMT(ttp_str_slice(s, 0, SHOWN_MAX))

static ttp_code open_section(struct loading *l, ttp_str name)
{
    const struct ttp_boards all = {.board = l->board, .count = l->count};

    if (name.len == 0 || name.len > SHOWN_MAX)
        return ttp_fail_at(l->err, TTP_EPARSE, l->offset,
                           "a section requires a board name of at most 60 letters");
    const struct ttp_board *found = ttp_board_find(&all, name);
    if (found) {
        l->current = &l->board[found - l->board];
        return TTP_OK;
    }
    if (l->count == BOARDS_MAX)
        return ttp_fail_at(l->err, TTP_ELIMIT, l->offset, "more than %d boards", BOARDS_MAX);
    l->current = &l->board[l->count++];
    *l->current = (struct ttp_board){.name = ttp_arena_zstr(l->arena, name)};
    return TTP_OK;
}

static bool parse_id(uint16_t *out, ttp_str text)
{
    uint64_t v;

    if (!ttp_str_starts(text, TTP_STR("0x")) ||
        !ttp_str_hex_to_u64(ttp_str_slice(text, 2, text.len), &v) || v > UINT16_MAX)
        return false;
    *out = (uint16_t)v;
    return true;
}

/* "base = p150a": start from what is known about that one. */
static ttp_code copy_base(struct loading *l, ttp_str name)
{
    const struct ttp_boards all = {.board = l->board, .count = l->count};
    const struct ttp_board *base = ttp_board_find(&all, name);

    if (!base)
        return ttp_fail_at(l->err, TTP_EPARSE, l->offset, "unknown board '%.*s'", SHOWN(name));
    const char *own_name = l->current->name;
    *l->current = *base;
    l->current->name = own_name;
    l->current->upi = 0;
    return TTP_OK;
}

static ttp_code set_chip(struct loading *l, ttp_str name)
{
    static const char *const chips[] = {"grayskull", "wormhole", "blackhole"};

    for (size_t i = 0; i < TTP_COUNT(chips); i++)
        if (ttp_str_eq_any_case(name, ttp_str_from(chips[i]))) {
            l->current->chip = chips[i];
            if (ttp_device_find_arch(name, false))
                l->current->report_arch = chips[i];
            return TTP_OK;
        }
    return ttp_fail_at(l->err, TTP_EPARSE, l->offset,
                       "chip must be grayskull, wormhole or blackhole");
}

static ttp_code set_fact(struct loading *l, enum ttp_fact fact, ttp_str text, ttp_str comment)
{
    const struct ttp_fact_spec *spec = &ttp_fact_specs[fact];
    struct ttp_source *source = TTP_NEW(l->arena, struct ttp_source, 1);
    uint32_t version;
    double v;

    if (spec->kind == TTP_FACT_VERSION) {
        if (!ttp_device_version_parse(&version, text))
            return ttp_fail_at(l->err, TTP_EPARSE, l->offset,
                               "invalid version '%.*s': use a form like 1.2.3", SHOWN(text));
        v = version;
    } else if (!ttp_str_to_f64(text, &v) || !isfinite(v) || v < 0 || v > 1e15) {
        return ttp_fail_at(l->err, TTP_EPARSE, l->offset, "'%.*s' is not a number for %s",
                           SHOWN(text), spec->id);
    }
    source->name = l->file;
    source->date = "";
    if (comment.len) {
        char *name = ttp_arena_bytes(l->arena, strlen(l->file) + 2 + comment.len + 1);
        const size_t len = strlen(l->file);

        memcpy(name, l->file, len);
        memcpy(name + len, ": ", 2);
        memcpy(name + len + 2, comment.ptr, comment.len);
        name[len + 2 + comment.len] = '\0';
        source->name = name;
    }
    l->current->fact[fact] = (struct ttp_fact_value){v, source};
    return TTP_OK;
}

/* Constants of a board: its own, or those of the chip. */
struct constants {
    const struct ttp_cost_spec *spec;
    size_t count;
    const struct ttp_cost_value **own, *known;
};

/* All of them are copied with the first that is the user's. */
static ttp_code set_constant(struct loading *l, const struct constants *of, size_t which,
                             ttp_str text)
{
    struct ttp_source *source = TTP_NEW(l->arena, struct ttp_source, 1);
    double v;

    if (!of->known)
        return ttp_fail_at(l->err, TTP_EPARSE, l->offset, "%s: no cost model for the chip of '%s'",
                           of->spec[which].id, l->current->name);
    if (!ttp_str_to_f64(text, &v) || !isfinite(v) || v <= 0 || v > 1e9)
        return ttp_fail_at(l->err, TTP_EPARSE, l->offset, "'%.*s' is not a number above 0 for %s",
                           SHOWN(text), of->spec[which].id);
    struct ttp_cost_value *own = TTP_NEW(l->arena, struct ttp_cost_value, of->count);
    memcpy(own, of->known, of->count * sizeof(*own));
    *source = (struct ttp_source){.name = l->file, .date = ""};
    own[which] = (struct ttp_cost_value){.value = v, .source = source};
    *of->own = own;
    return TTP_OK;
}

static ttp_code set_figure(struct loading *l, ttp_str key, ttp_str value, ttp_str comment)
{
    const struct constants kinds[] = {
        {ttp_cost_specs, TTP_COSTS, &l->current->cost, ttp_board_costs(l->current)},
        {ttp_op_constant_specs, TTP_OP_CONSTANTS, &l->current->op_constant,
         ttp_board_op_constants(l->current)},
    };

    for (size_t i = 0; i < TTP_FACTS; i++)
        if (ttp_str_eq(key, ttp_str_from(ttp_fact_specs[i].id)))
            return set_fact(l, (enum ttp_fact)i, value, comment);
    for (size_t k = 0; k < TTP_COUNT(kinds); k++)
        for (size_t i = 0; i < kinds[k].count; i++)
            if (ttp_str_eq(key, ttp_str_from(kinds[k].spec[i].id)))
                return set_constant(l, &kinds[k], i, value);
    return ttp_fail_at(l->err, TTP_EPARSE, l->offset, "unknown figure '%.*s'", SHOWN(key));
}

static ttp_code set_member(struct loading *l, ttp_str key, ttp_str value, ttp_str comment)
{
    uint16_t id;

    if (!l->current)
        return ttp_fail_at(l->err, TTP_EPARSE, l->offset, "a [board] must come before its figures");
    if (ttp_str_eq(key, TTP_STR("base")))
        return copy_base(l, value);
    if (ttp_str_eq(key, TTP_STR("chip")))
        return set_chip(l, value);
    if (ttp_str_eq(key, TTP_STR("pci_device")) || ttp_str_eq(key, TTP_STR("upi"))) {
        if (!parse_id(&id, value))
            return ttp_fail_at(l->err, TTP_EPARSE, l->offset,
                               "%.*s must be a number such as 0xb140", SHOWN(key));
        *(key.ptr[0] == 'p' ? &l->current->pci_device : &l->current->upi) = id;
        return TTP_OK;
    }
    return set_figure(l, key, value, comment);
}

static ttp_code read_line(struct loading *l, ttp_str line)
{
    const size_t hash = ttp_str_find_char(line, '#');
    const ttp_str comment =
        hash == TTP_NPOS ? (ttp_str){0} : ttp_str_trim(ttp_str_slice(line, hash + 1, line.len));
    const ttp_str text = ttp_str_trim(ttp_str_slice(line, 0, hash));

    if (text.len == 0)
        return TTP_OK;
    if (text.ptr[0] == '[' && ttp_str_ends(text, TTP_STR("]")))
        return open_section(l, ttp_str_trim(ttp_str_slice(text, 1, text.len - 1)));
    const size_t sign = ttp_str_find_char(text, '=');
    if (sign == TTP_NPOS)
        return ttp_fail_at(l->err, TTP_EPARSE, l->offset, "expected [board] or name = value");
    return set_member(l, ttp_str_trim(ttp_str_slice(text, 0, sign)),
                      ttp_str_trim(ttp_str_slice(text, sign + 1, text.len)), comment);
}

/* No rate can be 0: treat it as missing. */
static const struct ttp_fact_value *users_fact(const struct ttp_board *b, enum ttp_fact fact)
{
    const struct ttp_fact_value *v = &b->fact[fact];

    return v->source && v->source->date[0] == '\0' && v->value > 0 ? v : NULL;
}

/* How the user's figure compares with that of the table; 1: none of them. */
static double change(const struct ttp_board *b, const struct ttp_board *known, enum ttp_fact fact)
{
    const struct ttp_fact_value *own = users_fact(b, fact);
    double v;

    return own && ttp_board_fact(known, fact, &v) && v > 0 ? own->value / v : 1;
}

/* Peak rates as reports see them, with what the user says about that board. False: nothing. */
static bool apply_board(struct ttp_arch *arch, const struct ttp_board *b)
{
    const struct ttp_board *known =
        arch->board ? ttp_board_find(ttp_boards_builtin(), ttp_str_from(arch->board)) : NULL;
    const double rate =
        change(b, known, TTP_FACT_AICLK_MAX_MHZ) * change(b, known, TTP_FACT_FLOP_PER_CYCLE);
    const struct ttp_fact_value *gbs = users_fact(b, TTP_FACT_DRAM_GBS);
    const struct ttp_fact_value *banks = users_fact(b, TTP_FACT_DRAM_BANKS);
    const struct ttp_fact_value *link = users_fact(b, TTP_FACT_LINK_GBS);
    const struct ttp_fact_value *hop = users_fact(b, TTP_FACT_HOP_NS);
    const bool grid = users_fact(b, TTP_FACT_GRID_X) || users_fact(b, TTP_FACT_GRID_Y);
    double x, y;
    bool changed = gbs || banks || link || hop || rate != 1;

    for (size_t i = 0; i < TTP_FIDELITIES; i++)
        arch->tflops_per_core[i] *= rate;
    if (gbs)
        arch->dram_gbs = gbs->value;
    if (link)
        arch->link_gbs = link->value;
    if (hop)
        arch->hop_ns = hop->value;
    if (banks && banks->value >= 1 && banks->value <= INT16_MAX)
        arch->dram_workers = (int)banks->value;
    if (grid && ttp_board_fact(b, TTP_FACT_GRID_X, &x) && ttp_board_fact(b, TTP_FACT_GRID_Y, &y) &&
        x >= 1 && y >= 1 && x * y <= INT16_MAX) {
        arch->worker_cores = (int)(x * y);
        changed = true;
    }
    return changed;
}

/* Architectures represent boards: what the user says about a board holds for them too. */
static void apply_to_archs(struct ttp_boards *out, struct ttp_arena *arena)
{
    size_t n = 0;

    while (ttp_device_arch_at(n))
        n++;
    struct ttp_arch *arch = TTP_NEW(arena, struct ttp_arch, n);
    const struct ttp_arch **board_arch = TTP_NEW(arena, const struct ttp_arch *, out->count);
    for (size_t i = 0; i < n; i++) {
        arch[i] = *ttp_device_arch_at(i);
        const struct ttp_board *b =
            arch[i].board ? ttp_board_find(out, ttp_str_from(arch[i].board)) : NULL;
        if (b)
            (void)apply_board(&arch[i], b);
    }
    out->arch = arch;
    out->board_arch = board_arch;
    for (size_t i = 0; i < out->count; i++) {
        const struct ttp_arch *base =
            out->board[i].report_arch
                ? ttp_device_find_arch(ttp_str_from(out->board[i].report_arch), false)
                : NULL;
        struct ttp_arch own;

        if (!base)
            continue;
        own = *base;
        if (!apply_board(&own, &out->board[i]))
            continue;
        struct ttp_arch *kept = TTP_NEW(arena, struct ttp_arch, 1);
        *kept = own;
        kept->board = out->board[i].name;
        board_arch[i] = kept;
    }
}

ttp_code ttp_boards_read(struct ttp_boards *out, ttp_str text, const char *name,
                         struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_boards *builtin = ttp_boards_builtin();
    struct loading l = {.file = name, .arena = arena, .err = err};
    ttp_str rest = text, line;
    uint64_t number = 0;

    if (text.len > FILE_MAX)
        return ttp_fail(err, TTP_ELIMIT, "larger than %zu bytes", FILE_MAX);
    l.board = TTP_NEW(arena, struct ttp_board, BOARDS_MAX);
    l.count = builtin->count;
    memcpy(l.board, builtin->board, builtin->count * sizeof(*builtin->board));
    while (ttp_str_next_line(&rest, &line)) {
        number++;
        l.offset = (size_t)(line.ptr - text.ptr);
        if (memchr(line.ptr, '\0', line.len))
            return ttp_fail_at(err, TTP_EPARSE, l.offset, "not a text file");
        const ttp_code rc = read_line(&l, line);
        if (rc != TTP_OK) {
            ttp_err_where(err, name, number);
            return rc;
        }
    }
    for (size_t i = builtin->count; i < l.count; i++)
        if (!l.board[i].chip)
            return ttp_fail_at(err, TTP_EPARSE, text.len,
                               "board '%s' requires 'base = BOARD' or 'chip = CHIP'",
                               l.board[i].name);
    *out = (struct ttp_boards){.board = l.board, .count = l.count};
    apply_to_archs(out, arena);
    return TTP_OK;
}

ttp_code ttp_boards_read_file(const struct ttp_boards **out, const char *path,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_file file;

    *out = ttp_boards_builtin();
    if (!path)
        return TTP_OK;
    TTP_TRY(ttp_file_map(&file, path, err));
    struct ttp_boards *table = TTP_NEW(arena, struct ttp_boards, 1);
    const ttp_code rc = ttp_boards_read(table, file.text, path, arena, err);
    *out = table;
    if (rc != TTP_OK && err && !err->path[0])
        ttp_err_where(err, path, 0);
    ttp_file_close(&file);
    return rc;
}
