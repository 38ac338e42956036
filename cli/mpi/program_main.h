/* SPDX-License-Identifier: Apache-2.0 */
/* program_main.h - the name of tt-perf's main() inside tt-perf-mpi. */
#ifndef TTP_CLI_PROGRAM_MAIN_H
#define TTP_CLI_PROGRAM_MAIN_H

int ttp_program_main(int argc, char **argv);

#endif
