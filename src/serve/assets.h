/* SPDX-License-Identifier: Apache-2.0 */
/* assets.h - private to serve: its pages, which are built into the program. */
#ifndef TTP_SERVE_ASSETS_H
#define TTP_SERVE_ASSETS_H

#include "base/template.h"

extern const struct ttp_asset ttp_assets[]; /* ends with a NULL name */

#endif
