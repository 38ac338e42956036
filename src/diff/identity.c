/* SPDX-License-Identifier: Apache-2.0 */
#include "diff/identity.h"
#include "device/device.h"

#define TENSORS 3 /* input 0, input 1, output 0 */
#define DIMS    12

void ttp_diff_identity_names_init(struct ttp_identity_names *names, struct ttp_arena *arena)
{
    *names = (struct ttp_identity_names){.arena = arena};
    names->text.arena = names->tuple.arena = arena;
    for (size_t i = 0; i < TTP_ALIGN_LEVELS; i++)
        names->key[i].arena = arena;
}

/* Numbers of one run's symbols in the common table, found when first asked for. */
struct cache {
    ttp_sym *number; /* 0: not asked for, else number + 1 */
};

enum form { FORM_PLAIN, FORM_CODE, FORM_PADDED, FORM_LOGICAL, FORM_MEMORY, FORM_TYPE, FORMS };

struct walk {
    const struct ttp_diff_run *run;
    struct ttp_identity_names *names;
    struct cache cache[FORMS];
    size_t syms;       /* as many as the caches have room for */
    ttp_sym no_shapes; /* the tuple of empty dimensions */
};

/* "ttnn::operations::x::MatmulDeviceOperation" and "Matmul" are the same op. */
ttp_str ttp_diff_bare_code(ttp_str code)
{
    static const ttp_str suffix[] = {{"DeviceOperation", 15}, {"Operation", 9}};

    for (size_t at = ttp_str_find(code, TTP_STR("::")); at != TTP_NPOS;
         at = ttp_str_find(code, TTP_STR("::")))
        code = ttp_str_slice(code, at + 2, code.len);
    for (size_t i = 0; i < TTP_COUNT(suffix); i++)
        if (ttp_str_ends(code, suffix[i]) && code.len > suffix[i].len)
            return ttp_str_slice(code, 0, code.len - suffix[i].len);
    return code;
}

/* "32" of "32[7]". */
static ttp_str padded_dim(ttp_str dim)
{
    const size_t at = ttp_str_find_char(dim, '[');

    return ttp_str_trim(at == TTP_NPOS ? dim : ttp_str_slice(dim, 0, at));
}

/* "7" of "32[7]", of "7" too. */
static ttp_str logical_dim(ttp_str dim)
{
    const size_t from = ttp_str_find_char(dim, '['), to = ttp_str_find_char(dim, ']');

    if (from == TTP_NPOS || to == TTP_NPOS || to < from)
        return ttp_str_trim(dim);
    return ttp_str_slice(dim, from + 1, to);
}

/* "DRAM_INTERLEAVED" of "DEV_1_DRAM_INTERLEAVED": on which device is not what the op is. */
static ttp_str place(ttp_str memory)
{
    size_t i = 4;

    if (!ttp_str_starts(memory, TTP_STR("DEV_")))
        return memory;
    while (i < memory.len && memory.ptr[i] >= '0' && memory.ptr[i] <= '9')
        i++;
    return i > 4 && i < memory.len && memory.ptr[i] == '_'
               ? ttp_str_slice(memory, i + 1, memory.len)
               : memory;
}

/* "BFLOAT8_B" of "DataType::BFLOAT8_B". */
static ttp_str bare_type(ttp_str type)
{
    const size_t at = ttp_str_find(type, TTP_STR("::"));

    return at == TTP_NPOS ? type : ttp_str_slice(type, at + 2, type.len);
}

static ttp_sym number_of(struct walk *w, enum form form, ttp_sym sym)
{
    const ttp_str text = ttp_sym_name(&w->run->ops->syms, sym);
    ttp_sym *known = sym < w->syms ? &w->cache[form].number[sym] : NULL;

    if (known && *known)
        return *known - 1;
    const ttp_str shown = form == FORM_CODE      ? ttp_diff_bare_code(text)
                          : form == FORM_PADDED  ? padded_dim(text)
                          : form == FORM_LOGICAL ? logical_dim(text)
                          : form == FORM_MEMORY  ? place(text)
                          : form == FORM_TYPE    ? bare_type(text)
                                                 : text;
    const ttp_sym number = ttp_sym_intern(&w->names->text, shown);
    if (known)
        *known = number + 1;
    return number;
}

static ttp_sym tuple_of(struct walk *w, const ttp_sym *part, size_t count)
{
    return ttp_sym_intern(&w->names->tuple, (ttp_str){(const char *)part, count * sizeof(*part)});
}

/* The same column of all three tensors. */
static ttp_sym of_tensors(struct walk *w, enum form form, enum ttp_ops_text first, uint32_t row)
{
    const struct ttp_ops *ops = w->run->ops;
    ttp_sym part[TENSORS];
    bool any = false;

    for (unsigned t = 0; t < TENSORS; t++) {
        any |= ops->text[first + t].sym != NULL;
        part[t] = number_of(w, form, ttp_ops_sym(ops, first + t, row));
    }
    return any ? tuple_of(w, part, TENSORS) : TTP_IDENTITY_UNKNOWN;
}

static ttp_sym shapes_of(struct walk *w, enum form form, uint32_t row)
{
    const struct ttp_ops *ops = w->run->ops;
    const enum ttp_ops_text first =
        ops->format == TTP_FORMAT_V1 ? TTP_OPS_LEGACY_DIMS : TTP_OPS_DIMS;
    ttp_sym part[DIMS];

    for (unsigned d = 0; d < DIMS; d++)
        part[d] = number_of(w, form, ttp_ops_sym(ops, first + d, row));
    return tuple_of(w, part, DIMS);
}

static ttp_sym one(struct walk *w, enum ttp_ops_text column, uint32_t row)
{
    const struct ttp_ops *ops = w->run->ops;

    return ops->text[column].sym ? number_of(w, FORM_PLAIN, ttp_ops_sym(ops, column, row))
                                 : TTP_IDENTITY_UNKNOWN;
}

/* Traits that an op shares with what replaces it. */
#define KIN_TRAITS                                                                                 \
    (TTP_IS_ANY_MATMUL | TTP_IS_CONV | TTP_IS_ELTWISE | TTP_IS_ATTENTION | TTP_IS_SOFTMAX |        \
     TTP_IS_NORM | TTP_IS_COLLECTIVE | TTP_IS_LAYOUT | TTP_IS_RESHARD | TTP_IS_MOVE | TTP_IS_OWN)

/* Ops of one family with the same shapes; ops without shapes have no kin. */
static ttp_sym kin_of(struct walk *w, const struct ttp_op *op, ttp_sym padded)
{
    const struct ttp_op_family f = ttp_op_family_of(ttp_sym_name(&w->run->ops->syms, op->raw_code));
    const ttp_sym part[] = {op->kind, (op->has & TTP_HAS_TIME) != 0, f.category,
                            f.traits & KIN_TRAITS, padded};

    return padded == w->no_shapes ? TTP_IDENTITY_UNKNOWN : tuple_of(w, part, TTP_COUNT(part));
}

static void identify_op(struct walk *w, struct ttp_identity *out, const struct ttp_op *op)
{
    const struct ttp_ops *ops = w->run->ops;
    double cores;

    *out = (struct ttp_identity){
        .name = number_of(w, FORM_PLAIN, op->raw_code),
        .code = number_of(w, FORM_CODE, op->raw_code),
        .padded = shapes_of(w, FORM_PADDED, op->row),
        .logical = ops->format == TTP_FORMAT_V1 ? TTP_IDENTITY_UNKNOWN
                                                : shapes_of(w, FORM_LOGICAL, op->row),
        .types = of_tensors(w, FORM_TYPE, TTP_OPS_IN0_DATATYPE, op->row),
        .layout = of_tensors(w, FORM_PLAIN, TTP_OPS_IN0_LAYOUT, op->row),
        .memory = of_tensors(w, FORM_MEMORY, TTP_OPS_IN0_MEMORY, op->row),
        .fidelity = one(w, TTP_OPS_FIDELITY, op->row),
        .program = one(w, TTP_OPS_ATTRIBUTES, op->row),
        .cores = ttp_cell_f64(op->cores, &cores) && cores >= 0 && cores < INT32_MAX ? (int64_t)cores
                                                                                    : -1,
    };
    const ttp_sym all[] = {out->name,     out->padded,  out->logical,
                           out->types,    out->layout,  out->memory,
                           out->fidelity, out->program, (ttp_sym)out->cores};
    out->kin = kin_of(w, op, out->padded);
    out->whole = tuple_of(w, all, TTP_COUNT(all));
}

bool ttp_diff_is_traced(const struct ttp_report *r)
{
    double id;

    for (size_t i = 0; i < r->count; i++)
        if (ttp_analysis_cell(r, &r->op[i], TTP_OPS_TRACE_ID, &id))
            return true;
    return false;
}

/* Calls that were only captured into a trace have no times: what ran is not to be paired with them.
 */
#define ONLY_CAPTURED (UINT32_C(1) << 31)

static ttp_sym code_of(const struct ttp_identity *id, const struct ttp_op *op,
                       const struct ttp_report *report)
{
    double session;
    const bool captured = op->kind == TTP_OP_DEVICE && !(op->has & TTP_HAS_TIME) &&
                          !ttp_analysis_cell(report, op, TTP_OPS_REPLAY, &session);

    return id->code | (captured ? ONLY_CAPTURED : 0);
}

void ttp_diff_identify(struct ttp_identities *out, const struct ttp_diff_run *run,
                       struct ttp_identity_names *names)
{
    const struct ttp_report *report = run->report;
    struct walk w = {.run = run, .names = names, .syms = run->ops->syms.count};
    ttp_sym *key[TTP_ALIGN_LEVELS];
    const bool traced = ttp_diff_is_traced(report);

    for (size_t i = 0; i < FORMS; i++)
        w.cache[i].number = TTP_NEW(names->arena, ttp_sym, w.syms);
    for (size_t i = 0; i < TTP_ALIGN_LEVELS; i++)
        out->sequence.key[i] = key[i] = TTP_NEW(names->arena, ttp_sym, report->count);
    ttp_sym none[DIMS];
    for (unsigned d = 0; d < DIMS; d++)
        none[d] = ttp_sym_intern(&names->text, TTP_STR(""));
    w.no_shapes = tuple_of(&w, none, DIMS);
    out->item = TTP_NEW(names->arena, struct ttp_identity, report->count);
    out->sequence.count = report->count;
    for (size_t i = 0; i < report->count; i++) {
        struct ttp_identity *id = &out->item[i];
        identify_op(&w, id, &report->op[i]);
        /* a column that only one of the runs has must not keep equal ops apart: layouts are young
         */
        const ttp_sym part[] = {traced ? code_of(id, &report->op[i], report) : id->code, id->padded,
                                id->types, id->memory};
        for (size_t level = 0; level < TTP_ALIGN_LEVELS; level++) {
            static const size_t parts[TTP_ALIGN_LEVELS] = {4, 2, 1};
            key[level][i] = ttp_sym_intern(
                &names->key[level], (ttp_str){(const char *)part, parts[level] * sizeof(*part)});
        }
    }
}

static bool differ(ttp_sym a, ttp_sym b)
{
    return a != b && a != TTP_IDENTITY_UNKNOWN && b != TTP_IDENTITY_UNKNOWN;
}

unsigned ttp_diff_identity_changes(const struct ttp_identity *a, const struct ttp_identity *b)
{
    return (a->name != b->name ? TTP_CHANGED_NAME : 0U) |
           (differ(a->logical, b->logical) || a->padded != b->padded ? TTP_CHANGED_SHAPE : 0U) |
           (differ(a->types, b->types) ? TTP_CHANGED_TYPES : 0U) |
           (differ(a->layout, b->layout) ? TTP_CHANGED_LAYOUT : 0U) |
           (differ(a->memory, b->memory) ? TTP_CHANGED_MEMORY : 0U) |
           (differ(a->fidelity, b->fidelity) ? TTP_CHANGED_FIDELITY : 0U) |
           (a->cores != b->cores && a->cores >= 0 && b->cores >= 0 ? TTP_CHANGED_CORES : 0U) |
           (differ(a->program, b->program) ? TTP_CHANGED_PROGRAM : 0U);
}
