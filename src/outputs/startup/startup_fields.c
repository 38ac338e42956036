/* SPDX-License-Identifier: Apache-2.0 */
/* startup_fields.c - the start of a run as JSON has it. */
#include "outputs/startup/startup_fields.h"

#define PROGRAMS_SHOWN   10
#define OPERATIONS_SHOWN 15
#define GAPS_SHOWN       10
#define KERNELS_SHOWN    10

#define RUN                               struct ttp_startup
#define OF_RUN(name, value)               TTP_GET(name, void, RUN, value)
#define COUNT(name, member)               TTP_INT(name, "", TTP_FIGURE(RUN, member))
#define TIME(name, member)                TTP_INT(name, "ns", TTP_FIGURE(RUN, member))
#define FIRST(most, number)               ((number) < (most) ? (number) : (most))
#define LIST(name, fields, first, number) TTP_LISTER(name, RUN, fields, NULL, first, number)

static struct ttp_value moment(int64_t ns)
{
    return ns == TTP_STARTUP_NONE ? (struct ttp_value){0} : ttp_value_i64(ns);
}

#define OPERATION struct ttp_startup_operation
static const struct ttp_field operation_fields[] = {
    TTP_INT("built", "", TTP_FIGURE(OPERATION, built)),
    TTP_INT("compile_ns", "ns", TTP_FIGURE(OPERATION, compile_ns)),
    TTP_WORDS("label", TTP_FIGURE(OPERATION, label)),
    TTP_INT("programs", "", TTP_FIGURE(OPERATION, programs)),
};
static const struct ttp_fields operations = {TTP_FIELDS(operation_fields)};
LIST(list_operations, operations, r->operation, FIRST(OPERATIONS_SHOWN, r->operations))

#define PROGRAM struct ttp_startup_program
TTP_GET(get_compile, void, PROGRAM, ttp_value_i64(r->end_ns - r->start_ns))
static const struct ttp_field program_fields[] = {
    TTP_INT("built", "", TTP_FIGURE(PROGRAM, built)),
    TTP_INT("compile_ns", "ns", .get = get_compile),
    TTP_INT("kernels", "", TTP_FIGURE(PROGRAM, kernels)),
    TTP_WORDS("label", TTP_FIGURE(PROGRAM, label)),
    TTP_INT("program_id", "", TTP_FIGURE(PROGRAM, id)),
};
static const struct ttp_fields programs = {TTP_FIELDS(program_fields)};
LIST(list_programs, programs, r->program, FIRST(PROGRAMS_SHOWN, r->compiled))

#define PHASE struct ttp_startup_phase
TTP_GET(get_phase, void, PHASE, ttp_value_word(ttp_startup_phase_name(r->kind)))
static const struct ttp_field phase_fields[] = {
    TTP_INT("build_ns", "ns", TTP_FIGURE(PHASE, build_ns)),
    TTP_INT("compile_ns", "ns", TTP_FIGURE(PHASE, compile_ns)),
    TTP_INT("other_ns", "ns", TTP_FIGURE(PHASE, other_ns)),
    TTP_WORDS("phase", .get = get_phase),
    TTP_INT("wall_ns", "ns", TTP_FIGURE(PHASE, wall_ns)),
};
static const struct ttp_fields phases = {TTP_FIELDS(phase_fields)};

#define GAP struct ttp_startup_gap
static const struct ttp_field gap_fields[] = {
    TTP_INT("from_ns", "ns", TTP_FIGURE(GAP, from_ns)),
    TTP_INT("length_ns", "ns", TTP_FIGURE(GAP, length_ns)),
};
static const struct ttp_fields gaps = {TTP_FIELDS(gap_fields)};
LIST(list_gaps, gaps, r->gap, FIRST(GAPS_SHOWN, r->gaps))

/* Only of runs that log runtime entries. */
static const struct ttp_field name_fields[] = {
    TTP_WORDS("name", TTP_FIGURE(struct ttp_startup_name, name)),
    {.type = TTP_I64, TTP_FIGURE(struct ttp_startup_name, count)},
};
static const struct ttp_fields names = {TTP_FIELDS(name_fields)};
LIST(list_names, names, r->runtime_entries ? r->name : NULL, r->names)
LIST(list_ids, ttp_bare_u64, r->runtime_entries ? r->runtime_ids : NULL, TTP_COUNT(r->runtime_ids))
OF_RUN(get_traced,
       r->runtime_entries ? ttp_value_i64((int64_t)r->traced_entries) : (struct ttp_value){0})

/* What text logs of the run say about kernels. */
#define TEXT_LOG struct ttp_startup_log
static const struct ttp_field cache_fields[] = {
    TTP_INT("cached", "", TTP_FIGURE(TEXT_LOG, cached)),
    TTP_INT("dedup", "", TTP_FIGURE(TEXT_LOG, dedup)),
    TTP_INT("hits", "", TTP_FIGURE(TEXT_LOG, hits)),
    TTP_INT("merged_artifacts", "", TTP_FIGURE(TEXT_LOG, merged_artifacts)),
    TTP_INT("merged_genfiles", "", TTP_FIGURE(TEXT_LOG, merged_genfiles)),
    TTP_REAL("percent", "%", 1, TTP_FIGURE(TEXT_LOG, percent)),
    TTP_INT("total", "", TTP_FIGURE(TEXT_LOG, total)),
};
static const struct ttp_fields cache = {TTP_FIELDS(cache_fields)};
LIST(list_cache, cache, r->log.has_cache ? &r->log : NULL, r->log.has_cache)
static const struct ttp_field kernel_fields[] = {
    TTP_WORDS("name", TTP_FIGURE(struct ttp_startup_kernel, name)),
    TTP_INT("ms", "ms", TTP_FIGURE(struct ttp_startup_kernel, ms)),
};
static const struct ttp_fields kernels = {TTP_FIELDS(kernel_fields)};
TTP_LISTER(list_kernels, TEXT_LOG, kernels, NULL, r->kernel, FIRST(KERNELS_SHOWN, r->kernels))
static const struct ttp_field compiled_fields[] = {
    TTP_INT("kernels", "", TTP_FIGURE(TEXT_LOG, kernels)),
    TTP_LISTED("slowest", TTP_ROWS, list_kernels, kernels, .nest = TTP_NEST_TUPLES,
               .help = "names and milliseconds"),
    TTP_INT("sum_ms", "ms", TTP_FIGURE(TEXT_LOG, sum_ms)),
};
static const struct ttp_fields compiled = {TTP_FIELDS(compiled_fields)};
LIST(list_compiled, compiled, r->log.kernels ? &r->log : NULL, r->log.kernels ? 1 : 0)

OF_RUN(get_rank, ttp_value_text(r->rank))
OF_RUN(get_first_launch, moment(r->first_launch_ns))
OF_RUN(get_last_compile, moment(r->last_compile_ns))
OF_RUN(get_steady, moment(r->steady_ns))
static const struct ttp_field run_fields[] = {
    TTP_WORDS("rank", .get = get_rank),
    TIME("build_wall_ns", build_wall_ns),
    TTP_LISTED("by_operation", TTP_ROWS, list_operations, operations),
    TIME("compile_sum_ns", compile_sum_ns),
    TIME("compile_wall_ns", compile_wall_ns),
    TTP_LISTED("jit_cache", TTP_OBJECT, list_cache, cache, .optional = true),
    TTP_LISTED("compiled", TTP_OBJECT, list_compiled, compiled, .optional = true),
    {.id = "devices", TTP_ROWS_AT(RUN, devices.word, devices.count, ttp_bare_cstr)},
    TTP_INT("first_launch_ns", "ns", .get = get_first_launch),
    COUNT("incomplete_records", incomplete),
    COUNT("kernels", kernels),
    COUNT("kernels_built", kernels_built),
    COUNT("kernels_cached", kernels_cached),
    COUNT("kernels_repeated", kernels_repeated),
    TTP_INT("last_compile_ns", "ns", .get = get_last_compile),
    TIME("late_compile_ns", late_compile_ns),
    COUNT("late_compiles", late_compiles),
    COUNT("launches", launches),
    COUNT("launches_after_steady", launches_after_steady),
    {.id = "phases",
     TTP_ROWS_HERE(RUN, phase, phases, phases),
     .help = "before the device is opened, opening it, and until the steady state"},
    COUNT("gap_count", gaps),
    TTP_LISTED("gaps", TTP_ROWS, list_gaps, gaps),
    TIME("gaps_ns", gaps_ns),
    COUNT("programs", programs),
    COUNT("programs_compiled", programs_compiled),
    COUNT("runtime_entries", runtime_entries),
    TTP_LISTED("runtime_id_range", TTP_ROWS, list_ids, ttp_bare_u64, .optional = true),
    TTP_MAP("runtime_names", list_names, names, .optional = true),
    TTP_INT("traced_entries", "", .get = get_traced, .optional = true),
    TTP_LISTED("slowest_programs", TTP_ROWS, list_programs, programs),
    {.id = "programs_unfinished", TTP_ROWS_AT(RUN, unfinished, unfinisheds, ttp_bare_u64)},
    TIME("startup_ns", startup_ns),
    TTP_INT("steady_ns", "ns", .get = get_steady, .help = "null: launches never became steady"),
    TIME("wall_ns", wall_ns),
    COUNT("workloads", workloads),
};
/* Without the rank, which is a key. */
const struct ttp_fields ttp_startup_fields = {.field = run_fields + 1,
                                              .count = TTP_COUNT(run_fields) - 1};
static const struct ttp_fields by_rank = {TTP_FIELDS(run_fields)};

bool ttp_out_startup_has_ranks(const struct ttp_startup_view *view)
{
    return view->ranks > 1 || (view->ranks == 1 && view->run->rank.len);
}

#define VIEW struct ttp_startup_view
static const struct ttp_field finding_fields[] = {
    TTP_WORDS("id", TTP_FIGURE(struct ttp_startup_finding, id)),
    TTP_WORDS("text", TTP_FIGURE(struct ttp_startup_finding, text)),
};
static const struct ttp_fields findings = {TTP_FIELDS(finding_fields)};
TTP_LISTER(list_ranks, VIEW, by_rank, NULL, ttp_out_startup_has_ranks(r) ? r->run : NULL, r->ranks)
TTP_LISTER(list_other, VIEW, ttp_startup_fields, NULL, r->others ? r->other : NULL, r->others)
static const struct ttp_field view_fields[] = {
    TTP_MAP("ranks", list_ranks, by_rank, .optional = true,
            .help = "by rank, if there are several processes"),
    {.id = "findings", TTP_ROWS_AT(VIEW, finding, findings, findings)},
    TTP_LISTED("compared", TTP_OBJECT, list_other, ttp_startup_fields, .optional = true,
               .help = "the second run"),
};
const struct ttp_fields ttp_startup_view_fields = {TTP_FIELDS(view_fields)};
