/* SPDX-License-Identifier: Apache-2.0 */
/* prometheus.h - metrics in Prometheus' text format: the head of a metric, then its samples, each
 * with other labels. Private to outputs. */
#ifndef TTP_OUTPUTS_SHOW_PROMETHEUS_H
#define TTP_OUTPUTS_SHOW_PROMETHEUS_H

#include "base/sink.h"

enum ttp_prom_kind { TTP_PROM_GAUGE, TTP_PROM_COUNTER };

struct ttp_prom_label {
    const char *name;
    ttp_str text; /* any bytes */
};

/* `help` is ours: without backslashes and line ends. */
void ttp_prom_head(struct ttp_sink *out, const char *name, const char *help,
                   enum ttp_prom_kind kind);
/* Labels between braces: different texts that a terminal must not get may look the same. */
void ttp_prom_labels(struct ttp_sink *out, const struct ttp_prom_label *label, size_t count);
/* A blank, the number, and the end of the line. */
void ttp_prom_int(struct ttp_sink *out, int64_t v);
void ttp_prom_real(struct ttp_sink *out, double v);
/* The same in seconds, to the millisecond. */
void ttp_prom_seconds(struct ttp_sink *out, uint64_t ns);

#endif
