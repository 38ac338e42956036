/* SPDX-License-Identifier: Apache-2.0 */
/* report_rules.h - the parts of ttp_compat_analysis. */
#ifndef TTP_COMPAT_REPORT_REPORT_RULES_H
#define TTP_COMPAT_REPORT_REPORT_RULES_H

#include "compat/compat.h"

TTP_NODISCARD ttp_code ttp_compat_architecture(struct ttp_stage *s, struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_compat_window(struct ttp_stage *s, struct ttp_rows *rows,
                                         struct ttp_err *err);
enum ttp_category ttp_compat_category(ttp_str code);
enum ttp_color ttp_compat_op_color(ttp_str code);

#endif
