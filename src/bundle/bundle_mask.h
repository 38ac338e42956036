/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_mask.h - what is masked in a text. Private to bundle. */
#ifndef TTP_BUNDLE_BUNDLE_MASK_H
#define TTP_BUNDLE_BUNDLE_MASK_H

#include "bundle/bundle.h"

/* Text without user names, host names and absolute paths; *masked counts the places. */
ttp_str ttp_bundle_mask(ttp_str text, const struct ttp_bundle_names *names, uint64_t *masked,
                        struct ttp_arena *arena);

#endif
