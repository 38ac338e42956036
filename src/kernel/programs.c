/* SPDX-License-Identifier: Apache-2.0 */
#include "base/order.h"

#include "kernel/kernel.h"

/* The number that would be at `at` if they were in order, by parting them around one of them until
 * only that is left. The order of v changes. */
static uint64_t select_nth(uint64_t *v, size_t n, size_t at)
{
    size_t from = 0, to = n - 1;

    while (from < to) {
        const uint64_t pivot = v[from + (to - from) / 2];
        size_t low = from, high = to;

        for (;; low++, high--) {
            while (v[low] < pivot)
                low++;
            while (v[high] > pivot)
                high--;
            if (low >= high)
                break;
            const uint64_t swapped = v[low];
            v[low] = v[high];
            v[high] = swapped;
        }
        if (at <= high)
            to = high;
        else
            from = high + 1;
    }
    return v[at];
}

/* The order of v changes on the way. */
static struct ttp_cycle_spread spread_of(uint64_t *v, size_t n)
{
    struct ttp_cycle_spread s = {.count = n};

    if (n == 0)
        return s;
    s.min = s.max = v[0];
    for (size_t i = 0; i < n; i++) {
        s.sum += v[i];
        s.min = v[i] < s.min ? v[i] : s.min;
        s.max = v[i] > s.max ? v[i] : s.max;
    }
    s.median = select_nth(v, n, (n - 1) / 2);
    return s;
}

static const struct ttp_core *place_of(const struct ttp_kernel_profile *p,
                                       const struct ttp_kernel_core *c)
{
    return &p->log.core[c->core];
}

struct placed {
    const struct ttp_kernel_core *core;
    int32_t x, y;
};

TTP_ORDER(by_place, struct placed, TTP_UP(y), TTP_UP(x))

static void collect_cores(struct ttp_kernel_program *m, const struct ttp_kernel_profile *p,
                          struct ttp_arena *arena)
{
    const struct ttp_invocation *v = m->invocation;
    struct ttp_core_set set = {0};
    size_t n = 0;

    m->core = TTP_NEW(arena, const struct ttp_kernel_core *, v->cores);
    struct ttp_arena scratch = {0};
    struct placed *placed = TTP_NEW(&scratch, struct placed, v->cores);
    for (uint32_t at = v->first_core; at; at = p->core[at - 1].next) {
        const struct ttp_kernel_core *c = &p->core[at - 1];
        if (c->first_cycle > c->last_cycle)
            continue; /* nothing but firmware ran there */
        const struct ttp_core *place = place_of(p, c);
        placed[n++] = (struct placed){c, place->x, place->y};
        ttp_kernel_add_core(&set, place->x, place->y, &scratch);
    }
    TTP_SORT(placed, n, by_place);
    for (size_t i = 0; i < n; i++)
        m->core[i] = placed[i].core;
    m->ncores = n;
    ttp_kernel_core_grid(&set, &m->grid_cols, &m->grid_rows);
    ttp_arena_free(&scratch);
}

static void measure_cores(struct ttp_kernel_program *m)
{
    struct ttp_arena scratch = {0};
    uint64_t *v = TTP_NEW(&scratch, uint64_t, m->ncores);
    uint64_t first = UINT64_MAX, last = 0;

    for (size_t i = 0; i < m->ncores; i++) {
        const struct ttp_kernel_core *c = m->core[i];
        v[i] = c->last_cycle - c->first_cycle;
        first = c->first_cycle < first ? c->first_cycle : first;
        last = c->last_cycle > last ? c->last_cycle : last;
        if (!m->slowest || v[i] > m->slowest->last_cycle - m->slowest->first_cycle)
            m->slowest = c;
    }
    m->core_cycles = spread_of(v, m->ncores);
    m->first_cycle = m->ncores ? first : 0;
    m->duration_cycles = m->ncores ? last - first : 0;
    for (size_t risc = 0; risc < TTP_KERNEL_RISCS; risc++) {
        struct ttp_kernel_thread *t = &m->thread[risc];
        size_t n = 0;
        for (size_t i = 0; i < m->ncores; i++) {
            const struct ttp_kernel_core *c = m->core[i];
            t->wait += c->wait[risc];
            t->reserve += c->reserve[risc];
            t->barrier += c->barrier[risc];
            if (c->kernel[risc])
                v[n++] = c->kernel[risc];
        }
        t->kernel_cycles = spread_of(v, n);
    }
    ttp_arena_free(&scratch);
}

/* A RISC runs the kernel that most of its line cycles name. */
static void measure_lines(struct ttp_kernel_program *m, const struct ttp_kernel_profile *p)
{
    uint64_t most[TTP_KERNEL_RISCS] = {0};

    for (uint32_t at = m->invocation->first_line; at; at = p->line[at - 1].next) {
        const struct ttp_line_stat *l = &p->line[at - 1];
        struct ttp_kernel_thread *t = &m->thread[l->risc];

        t->zones += l->count;
        t->line_cycles += l->sum;
        if (p->name[l->site].kernel.len && l->count >= most[l->risc]) {
            most[l->risc] = l->count;
            t->kernel = p->name[l->site].kernel;
        }
    }
}

void ttp_kernel_list_programs(struct ttp_kernel_report *out,
                              const struct ttp_kernel_profile *profile, struct ttp_arena *arena)
{
    out->profile = out->lines = profile;
    out->program = TTP_NEW(arena, struct ttp_kernel_program, profile->ninvocations);
    for (size_t i = 0; i < profile->ninvocations; i++) {
        const struct ttp_invocation *v = &profile->invocation[i];
        struct ttp_kernel_program *m = &out->program[out->nprograms];

        *m = (struct ttp_kernel_program){.key = v->key, .invocation = v, .lines = v};
        collect_cores(m, profile, arena);
        if (m->ncores == 0)
            continue;
        measure_cores(m);
        measure_lines(m, profile);
        out->nprograms++;
    }
    ttp_kernel_sort_programs(out);
}

void ttp_kernel_take_lines(struct ttp_kernel_report *report, const struct ttp_kernel_report *pass)
{
    report->lines = pass->profile;
    for (size_t i = 0; i < report->nprograms; i++) {
        struct ttp_kernel_program *m = &report->program[i];
        const struct ttp_kernel_program *other = ttp_kernel_find_program(pass, &m->key);

        m->lines = other ? other->invocation : NULL;
        for (size_t risc = 0; other && risc < TTP_KERNEL_RISCS; risc++) {
            const struct ttp_cycle_spread own = m->thread[risc].kernel_cycles;
            m->thread[risc] = other->thread[risc];
            m->thread[risc].pass_cycles = other->thread[risc].kernel_cycles.sum;
            m->thread[risc].kernel_cycles = own;
        }
    }
}

void ttp_kernel_make_room(struct ttp_kernel_report *report, size_t extra, struct ttp_arena *arena)
{
    struct ttp_kernel_program *wider =
        TTP_NEW(arena, struct ttp_kernel_program, report->nprograms + extra);

    if (report->nprograms)
        memcpy(wider, report->program, report->nprograms * sizeof(*wider));
    report->program = wider;
}

struct ttp_kernel_program *ttp_kernel_find_program(const struct ttp_kernel_report *report,
                                                   const struct ttp_exec_key *key)
{
    for (size_t i = 0; i < report->nprograms; i++)
        if (ttp_exec_key_eq(&report->program[i].key, key))
            return &report->program[i];
    return NULL;
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Programs are numbered as they are dispatched; the device is in the low bits of the run id. */
TTP_ORDER(by_program, struct ttp_kernel_program, compare(x->key.run_id >> 10, y->key.run_id >> 10),
          compare((uint64_t)(x->key.trace_id + 1), (uint64_t)(y->key.trace_id + 1)),
          compare((uint64_t)(x->key.replay + 1), (uint64_t)(y->key.replay + 1)),
          compare((uint64_t)x->key.device, (uint64_t)y->key.device),
          compare(x->key.run_id, y->key.run_id))

void ttp_kernel_sort_programs(struct ttp_kernel_report *report)
{
    TTP_SORT(report->program, report->nprograms, by_program);
}

/* --- selection --- */

/* What a word may be, in the order of what counts first. A number that report prints as the ID of
 * an op is that op, whatever else has this number. */
enum meaning { IS_OP_ID, IS_RUN_ID, IS_NUMBER, IS_NAME, IS_IN_NAME, MEANINGS };

static bool matches(const struct ttp_kernel_program *m, ttp_str which, enum meaning meaning)
{
    uint64_t id;

    if (ttp_str_to_u64(which, &id) != (meaning <= IS_NUMBER))
        return false;
    switch (meaning) {
    case IS_OP_ID:
        return m->op_id && m->op_id == id;
    case IS_RUN_ID:
        return m->key.run_id == id;
    case IS_NUMBER:
        return m->key.run_id >> 10 == id;
    case IS_NAME:
        return ttp_str_eq(m->name, which) || ttp_str_eq(m->kernel, which);
    default:
        break;
    }
    if ((m->name.len && ttp_str_has(m->name, which)) ||
        (m->kernel.len && ttp_str_has(m->kernel, which)))
        return true;
    for (size_t i = 0; i < TTP_KERNEL_RISCS; i++)
        if (ttp_str_eq(m->thread[i].kernel, which))
            return true;
    return false;
}

static void keep(struct ttp_kernel_report *r, ttp_str which, enum meaning meaning)
{
    size_t n = 0;

    for (size_t i = 0; i < r->nprograms; i++)
        if (matches(&r->program[i], which, meaning))
            r->program[n++] = r->program[i];
    r->nprograms = n;
}

static bool any(const struct ttp_kernel_report *r, ttp_str which, enum meaning meaning)
{
    for (size_t i = 0; i < r->nprograms; i++)
        if (matches(&r->program[i], which, meaning))
            return true;
    return false;
}

/* The last program on every device it ran on. */
static void keep_last(struct ttp_kernel_report *r)
{
    const struct ttp_kernel_program *last = &r->program[r->nprograms - 1];
    const uint64_t number = last->key.run_id >> 10;
    const int64_t trace = last->key.trace_id, replay = last->key.replay;
    size_t n = 0;

    for (size_t i = 0; i < r->nprograms; i++)
        if (r->program[i].key.run_id >> 10 == number && r->program[i].key.trace_id == trace &&
            r->program[i].key.replay == replay)
            r->program[n++] = r->program[i];
    r->nprograms = n;
}

/* IDs of ops, where all have one, else run host IDs; programs are in the order of the latter. */
static ttp_code no_program(const struct ttp_kernel_report *r, const char *which,
                           struct ttp_err *err)
{
    const size_t n = r->nprograms;
    uint64_t low = UINT64_MAX, high = 0;

    for (size_t i = 0; i < n; i++) {
        const uint64_t id = r->program[i].op_id;
        low = id < low ? id : low;
        high = id > high ? id : high;
    }
    const bool ids = low > 0;
    if (!ids) {
        low = r->program[0].key.run_id;
        high = r->program[n - 1].key.run_id;
    }
    ttp_fail(err, TTP_ENOTFOUND, "no program '%.80s'", which);
    if (n == 1)
        ttp_err_hint(err, "the log has one program, %s %llu", ids ? "ID" : "run host ID",
                     (unsigned long long)low);
    else
        ttp_err_hint(
            err, "the log has %zu programs, %s %llu to %llu; --program last selects the last", n,
            ids ? "IDs" : "run host IDs", (unsigned long long)low, (unsigned long long)high);
    return TTP_ENOTFOUND;
}

ttp_code ttp_kernel_select(struct ttp_kernel_report *report, const char *which, struct ttp_err *err)
{
    const ttp_str word = ttp_str_from(which);

    if (!which || ttp_str_eq(word, TTP_STR("all")) || report->nprograms == 0)
        return TTP_OK;
    if (ttp_str_eq(word, TTP_STR("last"))) {
        keep_last(report);
        return TTP_OK;
    }
    for (enum meaning meaning = IS_OP_ID; meaning < MEANINGS; meaning++)
        if (any(report, word, meaning)) {
            keep(report, word, meaning);
            return TTP_OK;
        }
    return no_program(report, which, err);
}
