/* SPDX-License-Identifier: Apache-2.0 */
#include "base/version.h"

const char ttp_version[] = TTP_VERSION;
