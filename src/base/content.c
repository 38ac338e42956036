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
