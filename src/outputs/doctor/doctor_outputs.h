/* SPDX-License-Identifier: Apache-2.0 */
/* doctor_outputs.h - the checks of a machine. Part of outputs.h. */
#ifndef TTP_OUTPUTS_DOCTOR_DOCTOR_OUTPUTS_H
#define TTP_OUTPUTS_DOCTOR_DOCTOR_OUTPUTS_H

#include "host/host.h"
#include "outputs/show/show.h"

struct ttp_doctor_view {
    const struct ttp_host *host;
    const struct ttp_host_sample *sample;
    const struct ttp_diagnosis *diagnosis;
    const struct ttp_smi *smi;             /* NULL: none */
    const struct ttp_why *why;             /* NULL: no question was asked */
    const struct ttp_bandwidth *bandwidth; /* NULL: not measured */
    bool guide;                            /* the checklist instead of the checks */
    bool quick;                            /* one sample only */
    bool details;                          /* also of what passed */
};

extern const struct ttp_document_spec ttp_doctor_document;
/* Also TTP_FORM_PROMETHEUS: metrics under the names of the vendor's exporter where it has one. */
TTP_NODISCARD ttp_code ttp_out_doctor(const struct ttp_show *show,
                                      const struct ttp_doctor_view *view, struct ttp_err *err);

/* A matmul of the run that selftest recorded. */
struct ttp_selftest_matmul {
    uint64_t id, m, k, n;
    double predicted_us, low_us, high_us, measured_us, ratio;
};
struct ttp_selftest_view {
    const struct ttp_diagnosis *diagnosis;
    struct ttp_fingerprint machine; /* with a device */
    struct ttp_selftest_matmul *matmul;
    size_t matmuls;
    const struct ttp_bandwidth *bandwidth; /* NULL: without a device */
    bool details;                          /* also of what passed */
};
extern const struct ttp_document_spec ttp_selftest_document;
TTP_NODISCARD ttp_code ttp_out_selftest(const struct ttp_show *show,
                                        const struct ttp_selftest_view *view, struct ttp_err *err);

#endif
