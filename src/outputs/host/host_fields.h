/* SPDX-License-Identifier: Apache-2.0 */
/* host_fields.h - figures of a machine and its chips. Private to outputs. */
#ifndef TTP_OUTPUTS_HOST_HOST_FIELDS_H
#define TTP_OUTPUTS_HOST_HOST_FIELDS_H

#include "base/field.h"
#include "base/json_write.h"
#include "host/host.h"

/* Of a struct ttp_fingerprint: processors, kernel, driver, boards. */
extern const struct ttp_fields ttp_machine_fields;
/* Of a struct ttp_host_sample: load and pressure. */
extern const struct ttp_fields ttp_load_fields;
/* Of a struct ttp_chip of `host`, with what `sample` read. */
struct ttp_chip_context {
    const struct ttp_host *host;
    const struct ttp_host_sample *sample;
};
extern const struct ttp_fields ttp_chip_fields;

#endif
