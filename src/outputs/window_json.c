/* SPDX-License-Identifier: Apache-2.0 */
/* window_json.c - the part of a run that a document is about, for programs. */
#include "outputs/json_members.h"
#include "outputs/outputs.h"
#include "outputs/report_writers.h"

static void put_phases(struct ttp_json_writer *w, const struct ttp_window *window)
{
    ttp_member_key(w, "phases");
    ttp_json_begin_object(w);
    for (unsigned p = 0; p < TTP_PHASES; p++) {
        ttp_member_key(w, ttp_analysis_phase_name((enum ttp_phase)p));
        ttp_json_begin_object(w);
        ttp_member_u64(w, "ops", window->phase[p].ops);
        ttp_member_f64(w, "device_time_us", window->phase[p].time_us);
        ttp_json_end_object(w);
    }
    ttp_json_end_object(w);
}

void ttp_out_window_json(struct ttp_json_writer *w, const struct ttp_window *window)
{
    ttp_member_key(w, "window");
    ttp_out_window_object(w, window);
}

void ttp_out_window_object(struct ttp_json_writer *w, const struct ttp_window *window)
{
    ttp_json_begin_object(w);
    ttp_member_text(w, "kind", ttp_analysis_window_kind_name(window->kind));
    ttp_member_key(w, "name");
    if (window->name.len)
        ttp_json_put_str(w, window->name);
    else
        ttp_json_put_null(w);
    ttp_member_u64(w, "iterations", window->iterations);
    ttp_member_u64(w, "warmup_iterations", window->warmups);
    ttp_member_f64(w, "device_us", window->device_us);
    ttp_member_f64(w, "min_us", window->min_us);
    ttp_member_f64(w, "max_us", window->max_us);
    ttp_member_key(w, "wait_us"); /* of collectives: unknown until ranks are aligned */
    ttp_json_put_null(w);
    ttp_member_f64(w, "gap_us", window->gap_us);
    ttp_member_u64(w, "ops", window->ops);
    ttp_member_u64(w, "devices", window->devices);
    ttp_member_key(w, "first_id");
    if (window->devices)
        ttp_json_put_u64(w, (uint64_t)window->first_row + 2);
    else
        ttp_json_put_null(w);
    ttp_member_key(w, "last_id");
    if (window->devices)
        ttp_json_put_u64(w, (uint64_t)window->last_row + 2);
    else
        ttp_json_put_null(w);
    ttp_member_f64(w, "share_pct", window->share_pct);
    ttp_member_f64(w, "cold_s", window->cold_s);
    ttp_member_u64(w, "compiled_programs", window->compiled_programs);
    put_phases(w, window);
    ttp_json_end_object(w);
}
