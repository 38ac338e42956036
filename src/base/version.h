/* SPDX-License-Identifier: Apache-2.0 */
/* version.h - which tt-perf this is. */
#ifndef TTP_BASE_VERSION_H
#define TTP_BASE_VERSION_H

/* "0.1.0"; of the program and the library alike. */
extern const char ttp_version[];

#endif
