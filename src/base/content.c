/* SPDX-License-Identifier: Apache-2.0 */
#include "base/content.h"

static const struct {
    ttp_str start;
    const char *what;
} contents[] = {
    {{"tlZ\x04", 4}, "a Tracy capture (.tracy)"},
    {{"tZst", 4}, "a Tracy capture (.tracy)"},
    {{"tr\xFDP", 4}, "a Tracy capture (.tracy)"},
    {{"SQLite format 3", 15}, "an SQLite database"},
    {{"\x7F"
      "ELF",
      4},
     "a program"},
    {{"PK\x03\x04", 4}, "a zip archive or spreadsheet"},
    {{"\x89PNG", 4}, "a picture (PNG)"},
    {{"\xFF\xD8\xFF", 3}, "a picture (JPEG)"},
    {{"<svg", 4}, "a picture (SVG)"},
    {{"%PDF", 4}, "a PDF"},
    {{"#!", 2}, "a script"},
    {{"{", 1}, "JSON"},
    {{"[", 1}, "JSON"},
    {{"<", 1}, "HTML or XML"},
};

const char *ttp_content_kind(ttp_str start)
{
    const ttp_str text = ttp_str_trim(start);

    for (size_t i = 0; i < TTP_COUNT(contents); i++)
        if (ttp_str_starts(text, contents[i].start))
            return contents[i].what;
    return ttp_str_find_char(start, '\0') != TTP_NPOS ? "binary data" : NULL;
}

static uint64_t big_endian(ttp_str text, size_t at, size_t bytes)
{
    uint64_t v = 0;

    for (size_t i = 0; i < bytes; i++)
        v = v << 8 | (unsigned char)text.ptr[at + i];
    return v;
}

/* Offsets are those of the file format; the number of pages is valid if the two counters agree. */
uint64_t ttp_content_sqlite_bytes(ttp_str start)
{
    if (start.len < 100 || !ttp_str_starts(start, TTP_STR("SQLite format 3")) ||
        big_endian(start, 24, 4) != big_endian(start, 92, 4))
        return 0;
    const uint64_t page = big_endian(start, 16, 2);
    return big_endian(start, 28, 4) * (page == 1 ? 65536 : page);
}
