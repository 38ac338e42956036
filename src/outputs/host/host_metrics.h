/* SPDX-License-Identifier: Apache-2.0 */
/* host_metrics.h - what the chips of a machine report, as metrics for Prometheus. Names are those
 * of the vendor's tt-telemetry, where it has one; those it lacks begin with tt_perf_.
 * docs/formats/prometheus.md lists them. Private to outputs. */
#ifndef TTP_OUTPUTS_HOST_HOST_METRICS_H
#define TTP_OUTPUTS_HOST_HOST_METRICS_H

#include "host/host.h"
#include "outputs/show/prometheus.h"

struct ttp_host_metrics {
    const struct ttp_host *host;
    const struct ttp_host_sample *sample;
    ttp_str hostname;
};

#define TTP_CHIP_LABELS 4
/* Labels of a chip: as many as above. */
void ttp_chip_labels(struct ttp_prom_label *out, const struct ttp_host_metrics *m, size_t chip,
                     struct ttp_arena *arena);
void ttp_host_metrics_put(struct ttp_sink *out, const struct ttp_host_metrics *m,
                          struct ttp_arena *arena);
/* Number of processes that have each chip open. */
void ttp_host_metrics_put_holders(struct ttp_sink *out, const struct ttp_host_metrics *m,
                                  struct ttp_arena *arena);

#endif
