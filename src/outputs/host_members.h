/* SPDX-License-Identifier: Apache-2.0 */
/* host_members.h - the machine and its chips in the documents of all verbs. Private to outputs. */
#ifndef TTP_OUTPUTS_HOST_MEMBERS_H
#define TTP_OUTPUTS_HOST_MEMBERS_H

#include "base/json_write.h"
#include "host/host.h"

/* The member "machine": processors, kernel, driver, boards; null for NULL. */
void ttp_member_machine(struct ttp_json_writer *w, const struct ttp_fingerprint *f);
/* The number of a reading under its id, in the unit that id names. */
void ttp_member_reading(struct ttp_json_writer *w, const struct ttp_attr_spec *spec, int64_t value);
/* One chip as an object, with `all` of its readings or the live ones; what could not be read is
 * left out. */
void ttp_put_chip(struct ttp_json_writer *w, const struct ttp_chip *chip,
                  const struct ttp_chip_sample *sample, bool all);

#endif
