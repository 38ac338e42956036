/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_html.c - a page of its own: the map of devices by each figure, and what the text says. */
#include "outputs/mesh/mesh_map.h"

#define HEAD                                                                                       \
    "<!DOCTYPE html>\n"                                                                            \
    "<html lang=\"en\">\n"                                                                         \
    "<head>\n"                                                                                     \
    "<meta charset=\"utf-8\">\n"                                                                   \
    "<meta name=\"viewport\" content=\"width=device-width\">\n"                                    \
    "<title>tt-perf mesh</title>\n"                                                                \
    "<style>\n"                                                                                    \
    "body { font: 15px/1.4 system-ui, sans-serif; margin: 1.5em; color: #333; }\n"                 \
    "figure { display: inline-block; margin: 0 1em 1em 0; overflow-x: auto; }\n"                   \
    "pre { overflow-x: auto; }\n"                                                                  \
    "</style>\n"                                                                                   \
    "</head>\n"                                                                                    \
    "<body>\n"                                                                                     \
    "<h1>Many devices as one run</h1>\n"

/* Text of the page, which has been through the gate, as text of HTML. */
static void put_escaped(struct ttp_sink *out, ttp_str text)
{
    for (size_t i = 0; i < text.len; i++)
        switch (text.ptr[i]) {
        case '&':
            ttp_sink_own(out, "&amp;");
            break;
        case '<':
            ttp_sink_own(out, "&lt;");
            break;
        case '>':
            ttp_sink_own(out, "&gt;");
            break;
        default:
            ttp_sink_char(out, text.ptr[i]);
        }
}

/* The picture inside the page: without the line that begins a file of its own. */
static void put_picture(struct ttp_sink *out, const struct ttp_mesh_view *view,
                        struct ttp_arena *scratch)
{
    struct ttp_sink file;

    ttp_sink_beside(&file, out, scratch);
    ttp_mesh_svg(&file, view, scratch);
    const ttp_str text = ttp_sink_text(&file);
    const size_t from = ttp_str_find(text, TTP_STR("<svg"));
    for (size_t i = from == TTP_NPOS ? text.len : from; i < text.len; i++)
        ttp_sink_char(out, text.ptr[i]);
}

void ttp_mesh_html(struct ttp_sink *out, const struct ttp_mesh_view *view, ttp_str text,
                   struct ttp_arena *scratch)
{
    struct ttp_mesh_view each = *view;

    ttp_sink_own(out, HEAD);
    /* the one that was asked for comes first */
    for (int k = 0; k <= TTP_MAP_EXPOSED; k++) {
        each.map = (enum ttp_mesh_map)(((int)view->map + k) % (TTP_MAP_EXPOSED + 1));
        ttp_sink_own(out, "<figure>\n");
        put_picture(out, &each, scratch);
        ttp_sink_own(out, "</figure>\n");
    }
    ttp_sink_own(out, "<pre>\n");
    put_escaped(out, text);
    ttp_sink_own(out, "</pre>\n</body>\n</html>\n");
}
