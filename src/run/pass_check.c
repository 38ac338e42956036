/* SPDX-License-Identifier: Apache-2.0 */
/* pass_check.c - did two passes run the same programs, and did those take equally long? */
#include <inttypes.h>
#include <math.h>

#include "device/device.h"
#include "run/run_passes.h"

/* Runs of one program differ by that part of their cycles. */
#define NOISE 0.1
/* A marker costs some 9 cycles, half of what an empty zone takes; twice that with what it keeps
 * from overlapping. */
#define MARK_CYCLES 20
/* Programs beyond that may have this part of the time: collectives wait for other devices. */
#define TOLERATED 0.05

static void differ(struct ttp_pass_check *out, ttp_str text, struct ttp_arena *arena)
{
    ttp_words_add(&out->differences, ttp_arena_zstr(arena, text), arena);
}

/* --- ops --- */

static ttp_str code_of(const struct ttp_op_info *info)
{
    for (size_t i = 0; i < info->nfields; i++)
        if (ttp_str_eq(info->field[i].key, TTP_STR("op_code")))
            return info->field[i].text;
    return (ttp_str){0};
}

static bool same_tensors(const struct ttp_op_tensor *a, size_t na, const struct ttp_op_tensor *b,
                         size_t nb)
{
    for (size_t i = 0; na == nb && i < na; i++)
        for (size_t c = 0; c < TTP_TENSOR_CELLS; c++)
            if (!ttp_str_eq(a[i].cell[c], b[i].cell[c]))
                return false;
    return na == nb;
}

/* Is its program made of text that a compiler generates? Then its hash covers that text, which
 * has more in it when lines are measured. */
static bool is_generated(const struct ttp_op_info *info)
{
    return (ttp_op_family_of(code_of(info)).traits & TTP_IS_OWN) ||
           ttp_str_has(info->dm_source, TTP_STR("ttlang_kernel")) ||
           ttp_str_has(info->compute_source, TTP_STR("ttlang_kernel"));
}

/* Which hash of one pass represents which of the other. */
struct hashes {
    struct ttp_symtab here, there;
    uint32_t *to, *from; /* plus one; 0: not seen yet */
};

static bool same_hash(struct hashes *h, const struct ttp_op_info *a, const struct ttp_op_info *b)
{
    if (!a->has_hash || !b->has_hash)
        return true;
    if (!is_generated(a))
        return ttp_str_eq(a->hash, b->hash);
    const ttp_sym x = ttp_sym_intern(&h->here, a->hash), y = ttp_sym_intern(&h->there, b->hash);
    const bool fits = (!h->to[x] || h->to[x] == y + 1) && (!h->from[y] || h->from[y] == x + 1);
    h->to[x] = y + 1;
    h->from[y] = x + 1;
    return fits;
}

/* What is different about two ops; NULL: nothing. */
static const char *compare_ops(struct hashes *h, const struct ttp_host_op *a,
                               const struct ttp_host_op *b)
{
    const struct ttp_op_info *x = a->info, *y = b->info;

    if (!ttp_str_eq(code_of(x), code_of(y)))
        return "another op";
    if (a->id != b->id)
        return "another id";
    if (!same_tensors(x->input, x->ninputs, y->input, y->ninputs) ||
        !same_tensors(x->output, x->noutputs, y->output, y->noutputs))
        return "other tensors";
    return same_hash(h, x, y) ? NULL : "another program hash";
}

static void compare_hosts(struct ttp_pass_check *out, const struct ttp_pass_facts *a,
                          const struct ttp_pass_facts *b, struct ttp_arena *arena)
{
    const size_t n = a->host.nops < b->host.nops ? a->host.nops : b->host.nops;
    struct hashes h = {.here.arena = arena,
                       .there.arena = arena,
                       .to = TTP_NEW(arena, uint32_t, n + 1),
                       .from = TTP_NEW(arena, uint32_t, n + 1)};

    for (size_t i = 0; i < n; i++) {
        const struct ttp_host_op *x = &a->host.op[i], *y = &b->host.op[i];
        const char *what = compare_ops(&h, x, y);
        if (!what)
            continue;
        differ(out,
               ttp_sink_format(arena,
                               "op %zu is %s: %.*s (id %" PRIu64 ") in '%s', %.*s (id %" PRIu64
                               ") in '%s'",
                               i + 1, what, TTP_FMT(code_of(x->info)), x->id, a->name,
                               TTP_FMT(code_of(y->info)), y->id, b->name),
               arena);
        return;
    }
    if (a->host.nops != b->host.nops)
        differ(out,
               ttp_sink_format(arena, "'%s' ran %zu ops, '%s' ran %zu", a->name, a->host.nops,
                               b->name, b->host.nops),
               arena);
}

/* --- programs on the device --- */

static bool same_key(const struct ttp_pass_program *a, const struct ttp_pass_program *b)
{
    return ttp_exec_key_eq(&a->key, &b->key);
}

/* False: they did not run the same. */
static bool compare_programs(struct ttp_pass_check *out, const struct ttp_pass_facts *a,
                             const struct ttp_pass_facts *b, struct ttp_arena *arena)
{
    const size_t n = a->nprograms < b->nprograms ? a->nprograms : b->nprograms;
    size_t i = 0;

    while (i < n && same_key(&a->program[i], &b->program[i]))
        i++;
    if (i == n && a->nprograms == b->nprograms)
        return true;
    const struct ttp_pass_facts *longer = i == b->nprograms ? a : b;
    differ(out,
           ttp_sink_format(arena,
                           "the device log of '%s' has %zu executions, that of '%s' %zu: run host "
                           "ID %" PRIu64 " on device %" PRId64 " is the first without a partner",
                           a->name, a->nprograms, b->name, b->nprograms,
                           longer->program[i].key.run_id, longer->program[i].key.device),
           arena);
    return false;
}

static uint64_t cycles_of(const struct ttp_pass_program *p)
{
    return p->last > p->first ? p->last - p->first : 0;
}

static void compare_cycles(struct ttp_pass_check *out, const struct ttp_pass_facts *a,
                           const struct ttp_pass_facts *b, struct ttp_arena *arena)
{
    const struct ttp_pass_program *worst = NULL, *partner = NULL;
    double all = 0, beyond = 0, most = 0;
    size_t count = 0;

    for (size_t i = 0; i < a->nprograms; i++) {
        const struct ttp_pass_program *x = &a->program[i], *y = &b->program[i];
        const double p = (double)cycles_of(x), q = (double)cycles_of(y), less = fmin(p, q);
        const double marks = (double)(x->marks > y->marks ? x->marks : y->marks);
        const double apart = fabs(p - q), part = less > 0 ? apart / less : apart > 0;

        all += fmax(p, q);
        out->worst_pct = fmax(out->worst_pct, part * 100);
        if (apart <= NOISE * less + MARK_CYCLES * marks)
            continue;
        beyond += fmax(p, q);
        count++;
        if (part >= most) {
            most = part;
            worst = x;
            partner = y;
        }
    }
    if (!worst || beyond <= TOLERATED * all)
        return;
    differ(out,
           ttp_sink_format(arena,
                           "%zu of %zu executions took longer or shorter than noise and markers "
                           "explain; run host ID %" PRIu64 " on device %" PRId64 ": %" PRIu64
                           " cycles in '%s', %" PRIu64 " in '%s'",
                           count, a->nprograms, worst->key.run_id, worst->key.device,
                           cycles_of(worst), a->name, cycles_of(partner), b->name),
           arena);
}

void ttp_run_pass_compare(struct ttp_pass_check *out, const struct ttp_pass_facts *a,
                          const struct ttp_pass_facts *b, struct ttp_arena *arena)
{
    const size_t before = out->differences.count;

    out->executions = a->nprograms;
    if (a->has_host && b->has_host)
        compare_hosts(out, a, b, arena);
    if (compare_programs(out, a, b, arena) && out->differences.count == before)
        compare_cycles(out, a, b, arena);
}
