/* SPDX-License-Identifier: Apache-2.0 */
/* csv_rows.h - code shared by tables of zones. Part of the door of capture. */
#ifndef TTP_CAPTURE_CSV_ROWS_H
#define TTP_CAPTURE_CSV_ROWS_H

#include "capture/bytes.h"
#include "capture/capture.h"

/* Rows that are being written. */
struct ttp_csv_rows {
    struct ttp_sink *out;
    const struct ttp_trace *trace;
    const struct ttp_csv_options *options;
    ttp_str sep;
    const int64_t *child_ns;
    const uint32_t *parent; /* for each zone the one around it that -p asks for; NULL: not needed */
    /* of the current source location */
    ttp_str name, head; /* head: name, file and line with separators */
    bool special;
    bool is_parent;                            /* an op's zone counts as its own, since 0.13 */
    ttp_str zone_name, zone_text, parent_text; /* as in the row before, or of this zone */
    bool has_text;
};

/* `w` has the name of the zone and its texts. */
typedef void ttp_csv_zone_fn(void *arg, const struct ttp_csv_rows *w, uint32_t zone);
/* The rows of ttp_capture_trace_write_zones(), in the same order, without writing them. */
void ttp_capture_trace_each_zone(const struct ttp_trace *trace,
                                 const struct ttp_csv_options *options, ttp_csv_zone_fn *take,
                                 void *arg, struct ttp_arena *scratch);

/* Positions of the zones that count, grouped by source location, then by thread, then in order of
 * their begin. */
struct ttp_csv_groups {
    uint32_t *zone;
    size_t *first; /* of each source, and the end after the last */
};

struct ttp_csv_rows ttp_capture_trace_csv_begin(struct ttp_sink *out, const struct ttp_trace *trace,
                                                const struct ttp_csv_options *options);
/* `columns` ends with NULL. */
void ttp_capture_trace_csv_put_header(const struct ttp_csv_rows *w, const char *const *columns);
/* A cell of text, in quotes where it must be; see `raw_cells`. */
void ttp_capture_trace_csv_put_cell(const struct ttp_csv_rows *w, ttp_str s);
/* Begin with a source location; `head` lives in the arena. */
void ttp_capture_trace_csv_put_head(struct ttp_csv_rows *w, uint32_t source,
                                    struct ttp_arena *arena);
/* Is it what -f asks for? */
bool ttp_capture_trace_csv_is_selected(const struct ttp_csv_rows *w, uint32_t source);
struct ttp_csv_groups ttp_capture_trace_csv_group(const struct ttp_trace *trace,
                                                  struct ttp_arena *scratch);
/* ns spent in zones directly inside, per zone. */
int64_t *ttp_capture_trace_csv_child_times(const struct ttp_trace_zones *z,
                                           struct ttp_arena *scratch);

static inline int64_t ttp_trace_csv_span(const struct ttp_trace_zones *z, size_t zone)
{
    return ttp_wrap_sub(z->end_ns[zone], z->start_ns[zone]);
}

#endif
