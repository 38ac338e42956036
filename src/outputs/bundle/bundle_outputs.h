/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_outputs.h - part of the door of outputs: the files of a bundle. */
#ifndef TTP_OUTPUTS_BUNDLE_OUTPUTS_H
#define TTP_OUTPUTS_BUNDLE_OUTPUTS_H

#include "outputs/show/show.h"

struct ttp_bundle;
TTP_NODISCARD ttp_code ttp_out_bundle(const struct ttp_show *show, const struct ttp_bundle *bundle,
                                      struct ttp_err *err);
extern const struct ttp_document_spec ttp_bundle_document;

#endif
