/* SPDX-License-Identifier: Apache-2.0 */
/* docs/schemas/tt-perf.startup-1.json describes what is written here. */
#include "outputs/startup/startup_json.h"

#include "outputs/show/json_members.h"

#define PROGRAMS_SHOWN   10
#define OPERATIONS_SHOWN 15
#define GAPS_SHOWN       10
#define KERNELS_SHOWN    10

static void member_time(struct ttp_json_writer *w, const char *key, int64_t ns)
{
    if (ns == TTP_STARTUP_NONE)
        ttp_member_null(w, key);
    else
        ttp_member_i64(w, key, ns);
}

static void put_operations(struct ttp_json_writer *w, const struct ttp_startup *s)
{
    ttp_member_array(w, "by_operation");
    for (size_t i = 0; i < s->operations && i < OPERATIONS_SHOWN; i++) {
        const struct ttp_startup_operation *o = &s->operation[i];

        ttp_json_begin_object(w);
        ttp_member_u64(w, "built", o->built);
        ttp_member_u64(w, "compile_ns", o->compile_ns);
        ttp_member_str_or_null(w, "label", o->label);
        ttp_member_u64(w, "programs", o->programs);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_programs(struct ttp_json_writer *w, const struct ttp_startup *s)
{
    ttp_member_array(w, "slowest_programs");
    for (size_t i = 0; i < s->compiled && i < PROGRAMS_SHOWN; i++) {
        const struct ttp_startup_program *p = &s->program[i];

        ttp_json_begin_object(w);
        ttp_member_u64(w, "built", p->built);
        ttp_member_i64(w, "compile_ns", p->end_ns - p->start_ns);
        ttp_member_u64(w, "kernels", p->kernels);
        ttp_member_str_or_null(w, "label", p->label);
        ttp_member_u64(w, "program_id", p->id);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_member_array(w, "programs_unfinished");
    for (size_t i = 0; i < s->unfinisheds; i++)
        ttp_json_put_u64(w, s->unfinished[i]);
    ttp_json_end_array(w);
}

static void put_phases(struct ttp_json_writer *w, const struct ttp_startup *s)
{
    ttp_member_array(w, "phases");
    for (size_t i = 0; i < s->phases; i++) {
        const struct ttp_startup_phase *p = &s->phase[i];

        ttp_json_begin_object(w);
        ttp_member_i64(w, "build_ns", p->build_ns);
        ttp_member_i64(w, "compile_ns", p->compile_ns);
        ttp_member_i64(w, "other_ns", p->other_ns);
        ttp_member_text(w, "phase", ttp_startup_phase_name(p->kind));
        ttp_member_i64(w, "wall_ns", p->wall_ns);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_member_u64(w, "gap_count", s->gaps);
    ttp_member_array(w, "gaps");
    for (size_t i = 0; i < s->gaps && i < GAPS_SHOWN; i++) {
        ttp_json_begin_object(w);
        ttp_member_i64(w, "from_ns", s->gap[i].from_ns);
        ttp_member_i64(w, "length_ns", s->gap[i].length_ns);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_member_i64(w, "gaps_ns", s->gaps_ns);
}

static void put_entries(struct ttp_json_writer *w, const struct ttp_startup *s)
{
    ttp_member_u64(w, "runtime_entries", s->runtime_entries);
    if (s->runtime_entries == 0)
        return;
    ttp_member_array(w, "runtime_id_range");
    ttp_json_put_u64(w, s->first_runtime_id);
    ttp_json_put_u64(w, s->last_runtime_id);
    ttp_json_end_array(w);
    ttp_member_object(w, "runtime_names");
    for (size_t i = 0; i < s->names; i++) {
        ttp_json_put_key(w, s->name[i].name);
        ttp_json_put_u64(w, s->name[i].count);
    }
    ttp_json_end_object(w);
    ttp_member_u64(w, "traced_entries", s->traced_entries);
}

static void put_log(struct ttp_json_writer *w, const struct ttp_startup_log *log)
{
    if (log->has_cache) {
        ttp_member_object(w, "jit_cache");
        ttp_member_u64(w, "cached", log->cached);
        ttp_member_u64(w, "dedup", log->dedup);
        ttp_member_u64(w, "hits", log->hits);
        ttp_member_u64(w, "merged_artifacts", log->merged_artifacts);
        ttp_member_u64(w, "merged_genfiles", log->merged_genfiles);
        ttp_member_f64(w, "percent", log->percent);
        ttp_member_u64(w, "total", log->total);
        ttp_json_end_object(w);
    }
    if (log->kernels == 0)
        return;
    ttp_member_object(w, "compiled");
    ttp_member_u64(w, "kernels", log->kernels);
    ttp_member_array(w, "slowest");
    for (size_t i = 0; i < log->kernels && i < KERNELS_SHOWN; i++) {
        ttp_json_begin_array(w);
        ttp_json_put_str(w, log->kernel[i].name);
        ttp_json_put_u64(w, log->kernel[i].ms);
        ttp_json_end_array(w);
    }
    ttp_json_end_array(w);
    ttp_member_u64(w, "sum_ms", log->sum_ms);
    ttp_json_end_object(w);
}

static void put_members(struct ttp_json_writer *w, const struct ttp_startup *s)
{
    ttp_member_i64(w, "build_wall_ns", s->build_wall_ns);
    put_operations(w, s);
    ttp_member_i64(w, "compile_sum_ns", s->compile_sum_ns);
    ttp_member_i64(w, "compile_wall_ns", s->compile_wall_ns);
    put_log(w, &s->log);
    ttp_member_array(w, "devices");
    for (size_t i = 0; i < s->devices.count; i++)
        ttp_json_put_str(w, ttp_str_from(s->devices.word[i]));
    ttp_json_end_array(w);
    member_time(w, "first_launch_ns", s->first_launch_ns);
    ttp_member_u64(w, "incomplete_records", s->incomplete);
    ttp_member_u64(w, "kernels", s->kernels);
    ttp_member_u64(w, "kernels_built", s->kernels_built);
    ttp_member_u64(w, "kernels_cached", s->kernels_cached);
    ttp_member_u64(w, "kernels_repeated", s->kernels_repeated);
    member_time(w, "last_compile_ns", s->last_compile_ns);
    ttp_member_i64(w, "late_compile_ns", s->late_compile_ns);
    ttp_member_u64(w, "late_compiles", s->late_compiles);
    ttp_member_u64(w, "launches", s->launches);
    ttp_member_u64(w, "launches_after_steady", s->launches_after_steady);
    put_phases(w, s);
    ttp_member_u64(w, "programs", s->programs);
    ttp_member_u64(w, "programs_compiled", s->programs_compiled);
    put_entries(w, s);
    put_programs(w, s);
    ttp_member_i64(w, "startup_ns", s->startup_ns);
    member_time(w, "steady_ns", s->steady_ns);
    ttp_member_i64(w, "wall_ns", s->wall_ns);
    ttp_member_u64(w, "workloads", s->workloads);
}

void ttp_startup_json(struct ttp_json_writer *w, const struct ttp_startup_view *view)
{
    const struct ttp_startup *s = view->run;
    const bool ranks = view->ranks > 1 || (view->ranks == 1 && s->rank.len);

    ttp_json_begin_object(w);
    if (ranks) {
        ttp_member_object(w, "ranks");
        for (size_t i = 0; i < view->ranks; i++) {
            ttp_json_put_key(w, s[i].rank);
            ttp_json_begin_object(w);
            put_members(w, &s[i]);
            ttp_json_end_object(w);
        }
        ttp_json_end_object(w);
    } else if (view->ranks) {
        put_members(w, s);
    }
    ttp_member_array(w, "findings");
    for (size_t i = 0; i < view->findings; i++) {
        ttp_json_begin_object(w);
        ttp_member_text(w, "id", view->finding[i].id);
        ttp_member_text(w, "text", view->finding[i].text);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    if (view->others) {
        ttp_member_object(w, "compared");
        put_members(w, view->other);
        ttp_json_end_object(w);
    }
    ttp_json_end_object(w);
}
