/* SPDX-License-Identifier: Apache-2.0 */
/* version.h - the version of tt-perf. */
#ifndef TTP_BASE_VERSION_H
#define TTP_BASE_VERSION_H

/* "0.2.0"; of the program and the library alike. */
extern const char ttp_version[];

#endif
