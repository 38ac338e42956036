/* SPDX-License-Identifier: Apache-2.0 */
/* config_outputs.h - the part of the door that is about program configs; include outputs.h. */
#ifndef TTP_OUTPUTS_CONFIG_CONFIG_OUTPUTS_H
#define TTP_OUTPUTS_CONFIG_CONFIG_OUTPUTS_H

#include "config/config.h"
#include "outputs/show/show.h"

struct ttp_config_view {
    const char *action; /* "check", "auto", "propose" */
    ttp_str op;         /* of a run; empty: the problem was typed */
    const struct ttp_matmul *problem;
    const struct ttp_config_row *row;
    size_t rows;
    uint64_t tried, legal;  /* of a search */
    double scale, model_us; /* of predicted times, 0: none; the model's own for the config in use */
    const char *const *why; /* of what ttnn picks */
    size_t nwhy;
    bool depends_on_l1;
    ttp_str python; /* of the row to paste; empty: none */
    enum ttp_config_origin pasted;
    size_t pasted_rank;
    struct ttp_arena *arena;
};
TTP_NODISCARD ttp_code ttp_out_config(const struct ttp_show *show,
                                      const struct ttp_config_view *view, struct ttp_err *err);

/* How predicted times were scaled, in a line. */
void ttp_out_config_put_scale(const struct ttp_show *show, double scale, double model_us);

/* Records with a line above them: the matmuls of a run, constants, configs of other ops. */
struct ttp_config_list_view {
    const struct ttp_document_spec *spec; /* one of those below */
    const char *action;                   /* "check", "propose", "calibrate" */
    ttp_str title;
    const void *context, *row;
    size_t row_size, rows;
};
TTP_NODISCARD ttp_code ttp_out_config_list(const struct ttp_show *show,
                                           const struct ttp_config_list_view *view,
                                           struct ttp_err *err);

extern const struct ttp_document_spec ttp_config_document, ttp_config_ops_document,
    ttp_config_constants_document, ttp_config_other_document;

#endif
