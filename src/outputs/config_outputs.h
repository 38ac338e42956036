/* SPDX-License-Identifier: Apache-2.0 */
/* config_outputs.h - the part of the door that is about program configs; include outputs.h. */
#ifndef TTP_OUTPUTS_CONFIG_OUTPUTS_H
#define TTP_OUTPUTS_CONFIG_OUTPUTS_H

#include "base/json_write.h"
#include "base/sink.h"
#include "config/config.h"

struct ttp_config_view {
    const char *action; /* "check", "auto", "propose" */
    ttp_str op;         /* of a run; empty: the problem was typed */
    const struct ttp_matmul *problem;
    const struct ttp_config_row *row;
    size_t rows;
    size_t tried, legal;    /* of a search */
    const char *const *why; /* of what ttnn picks */
    size_t nwhy;
    bool depends_on_l1;
    ttp_str python; /* of the row to paste; empty: none */
    enum ttp_config_origin pasted;
    bool color;
    int width; /* 0: no limit */
    struct ttp_arena *arena;
};

void ttp_out_config_text(struct ttp_sink *out, const struct ttp_config_view *view);
void ttp_out_config_markdown(struct ttp_sink *out, const struct ttp_config_view *view);
void ttp_out_config_csv(struct ttp_sink *out, const struct ttp_config_view *view);
/* The value of "data" in the JSON envelope. */
void ttp_out_config_json(struct ttp_json_writer *w, const struct ttp_config_view *view);

/* Records of whatever kind, with a line above them: the matmuls of a run, constants. */
struct ttp_config_list_view {
    const char *action; /* "check", "calibrate" */
    const char *key;    /* of the rows in JSON */
    struct ttp_records rows;
    ttp_str title;
    bool color;
    int width;
    struct ttp_arena *arena;
};
void ttp_out_config_list_text(struct ttp_sink *out, const struct ttp_config_list_view *view);
void ttp_out_config_list_markdown(struct ttp_sink *out, const struct ttp_config_list_view *view);
void ttp_out_config_list_csv(struct ttp_sink *out, const struct ttp_config_list_view *view);
void ttp_out_config_list_json(struct ttp_json_writer *w, const struct ttp_config_list_view *view);

#endif
