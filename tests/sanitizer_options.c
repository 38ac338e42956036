/* SPDX-License-Identifier: Apache-2.0 */
/* sanitizer_options.c - part of every program that a build with ASan makes.
 *
 * UBSan's checks end in a trap there (CMakeLists.txt): ASan reports it like an invalid access, with
 * file, line and stack, and lets no handler of a test hide it. */

/* ASan calls it. NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming) */
const char *__asan_default_options(void);
/* NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming) */
const char *__asan_default_options(void)
{
    return "handle_sigill=2";
}
