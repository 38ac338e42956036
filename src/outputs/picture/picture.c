/* SPDX-License-Identifier: Apache-2.0 */
/* picture.c - lists of shapes, the width of texts, colours. */
#include "outputs/picture/picture.h"
#include "base/vec.h"

#define REPLACEMENT "\xef\xbf\xbd"

void ttp_picture_begin(struct ttp_picture *out, double width, double height,
                       struct ttp_arena *arena)
{
    *out = (struct ttp_picture){.width = width, .height = height, .arena = arena};
    ttp_picture_rect(out, (struct ttp_box){0, 0, width, height}, 0xffffff, (ttp_str){0});
}

static void add(struct ttp_picture *p, struct ttp_shape shape)
{
    *TTP_PUSH(p->arena, p->shape, p->count) = shape;
}

void ttp_picture_rect(struct ttp_picture *p, struct ttp_box box, uint32_t rgb, ttp_str tip)
{
    if (box.w > 0 && box.h > 0)
        add(p, (struct ttp_shape){.kind = TTP_SHAPE_RECT, .box = box, .rgb = rgb, .text = tip});
}

void ttp_picture_frame(struct ttp_picture *p, struct ttp_box box, uint32_t rgb, double stroke)
{
    add(p, (struct ttp_shape){.kind = TTP_SHAPE_FRAME, .box = box, .rgb = rgb, .stroke = stroke});
}

void ttp_picture_line(struct ttp_picture *p, struct ttp_box way, uint32_t rgb, double stroke)
{
    add(p, (struct ttp_shape){.kind = TTP_SHAPE_LINE, .box = way, .rgb = rgb, .stroke = stroke});
}

void ttp_picture_text(struct ttp_picture *p, double x, double y, ttp_str text,
                      const struct ttp_font *font)
{
    const struct ttp_box box = {x, y, ttp_picture_measure(text, font), 0};

    if (text.len != 0)
        add(p,
            (struct ttp_shape){
                .kind = TTP_SHAPE_TEXT, .box = box, .rgb = font->rgb, .font = *font, .text = text});
}

void ttp_picture_disc(struct ttp_picture *p, double x, double y, double radius, uint32_t rgb,
                      ttp_str tip)
{
    if (radius > 0)
        add(p, (struct ttp_shape){.kind = TTP_SHAPE_DISC,
                                  .box = {x, y, 2 * radius, 2 * radius},
                                  .rgb = rgb,
                                  .text = tip});
}

/* ---- texts ---- */

/* Bytes of the code point a clean text begins with. */
static size_t step(ttp_str s)
{
    const unsigned char lead = (unsigned char)s.ptr[0];

    if (lead < 0x80)
        return 1;
    return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

static bool is_control(ttp_str point)
{
    const unsigned char *byte = (const unsigned char *)point.ptr;

    if (point.len == 1)
        return byte[0] < ' ' || byte[0] == 0x7f;
    if (point.len == 2)
        return byte[0] == 0xc2 && byte[1] < 0xa0;
    /* U+FFFE and U+FFFF are not characters, and XML refuses them. */
    return point.len == 3 && byte[0] == 0xef && byte[1] == 0xbf && byte[2] >= 0xbe;
}

ttp_str ttp_picture_clean(ttp_str text, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    while (text.len != 0) {
        ttp_str good = ttp_str_slice(text, 0, ttp_str_valid_utf8(text));
        text = ttp_str_slice(text, good.len, text.len);
        while (good.len != 0) {
            const ttp_str point = ttp_str_slice(good, 0, step(good));
            ttp_sink_put(&out, is_control(point) ? TTP_STR(REPLACEMENT) : point);
            good = ttp_str_slice(good, point.len, good.len);
        }
        if (text.len != 0) {
            ttp_sink_put(&out, TTP_STR(REPLACEMENT));
            text = ttp_str_slice(text, 1, text.len);
        }
    }
    return ttp_sink_text(&out);
}

/* Advance widths of U+0020 to U+007E in DejaVu Sans and DejaVu Sans Bold, 1/1000 of the size,
 * rounded up. */
static const uint16_t widths[2][95] = {
    {
        318,  401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337,
        637,  637, 637, 637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 531,
        1000, 685, 687, 699, 771, 632, 576, 775, 752, 295, 295, 656, 558, 863, 749, 788,
        604,  788, 695, 635, 611, 732, 685, 989, 686, 611, 686, 391, 337, 391, 838, 500,
        500,  613, 635, 550, 635, 616, 353, 635, 634, 278, 278, 580, 278, 975, 634, 612,
        635,  635, 412, 521, 393, 634, 592, 818, 592, 592, 525, 637, 337, 637, 838,
    },
    {
        349,  457, 521, 838, 696, 1002, 873, 307,  458, 458, 523, 838, 380, 416,  380, 366,
        696,  696, 696, 696, 696, 696,  696, 696,  696, 696, 400, 400, 838, 838,  838, 581,
        1000, 774, 763, 734, 831, 684,  684, 821,  837, 373, 373, 775, 638, 996,  837, 851,
        733,  851, 771, 721, 683, 813,  774, 1104, 771, 725, 726, 458, 366, 458,  838, 500,
        500,  675, 716, 593, 716, 679,  436, 716,  712, 343, 343, 666, 343, 1042, 712, 688,
        716,  716, 494, 596, 479, 712,  652, 924,  646, 652, 583, 712, 366, 712,  838,
    },
};

/* In 1/1000 of the size. Beyond ASCII the square of an ideograph is the safe guess. */
static unsigned advance(ttp_str point, bool bold)
{
    if (point.len == 1)
        return widths[bold][point.ptr[0] - ' '];
    if (ttp_str_eq(point, TTP_STR("\xce\xbc"))) /* the mu of every label */
        return bold ? 736 : 637;
    return (unsigned char)point.ptr[0] < 0xc4 ? 850 : 1000; /* up to U+00FF: Latin letters, signs */
}

double ttp_picture_measure(ttp_str text, const struct ttp_font *font)
{
    unsigned long sum = 0;

    while (text.len != 0) {
        const ttp_str point = ttp_str_slice(text, 0, step(text));
        sum += advance(point, font->bold);
        text = ttp_str_slice(text, point.len, text.len);
    }
    return (double)sum * font->size / 1000;
}

ttp_str ttp_picture_fit(ttp_str text, const struct ttp_font *font, double width,
                        struct ttp_arena *arena)
{
    double used = ttp_picture_measure(TTP_STR(TTP_ELLIPSIS), font);
    struct ttp_sink out;
    size_t keep = 0;

    if (ttp_picture_measure(text, font) <= width)
        return text;
    while (keep < text.len) {
        const ttp_str rest = ttp_str_slice(text, keep, text.len);
        const size_t n = step(rest);
        used += advance(ttp_str_slice(rest, 0, n), font->bold) * font->size / 1000;
        if (used > width)
            break;
        keep += n;
    }
    while (keep != 0 && text.ptr[keep - 1] == ' ')
        keep--;
    if (keep == 0)
        return (ttp_str){0};
    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, ttp_str_slice(text, 0, keep));
    ttp_sink_put(&out, TTP_STR(TTP_ELLIPSIS));
    return ttp_sink_text(&out);
}

struct ttp_box ttp_picture_extent(const struct ttp_shape *text)
{
    static const double before[] = {
        [TTP_ANCHOR_START] = 0, [TTP_ANCHOR_MIDDLE] = 0.5, [TTP_ANCHOR_END] = 1};
    const double above = 0.76 * text->font.size, below = 0.24 * text->font.size;
    const double lead = before[text->font.anchor] * text->box.w;

    if (text->font.upward)
        return (struct ttp_box){text->box.x - above, text->box.y - (text->box.w - lead),
                                above + below, text->box.w};
    return (struct ttp_box){text->box.x - lead, text->box.y - above, text->box.w, above + below};
}

/* ---- colours ---- */

static unsigned channel(uint32_t rgb, int shift)
{
    return (rgb >> shift) & 0xff;
}

uint32_t ttp_picture_ink(uint32_t ground)
{
    /* Relative luminance with a gamma of 2. The contrasts that WCAG computes meet at 0.18; on the
     * saturated grounds between, white is what people read more easily. */
    const double r = channel(ground, 16) / 255.0, g = channel(ground, 8) / 255.0,
                 b = channel(ground, 0) / 255.0;

    return 0.2126 * r * r + 0.7152 * g * g + 0.0722 * b * b > 0.3 ? 0x1a1a1a : 0xffffff;
}

uint32_t ttp_picture_mix(uint32_t a, uint32_t b, double at)
{
    uint32_t out = 0;

    for (int shift = 16; shift >= 0; shift -= 8) {
        const double from = channel(a, shift), to = channel(b, shift);
        out |= (uint32_t)(from + (to - from) * at + 0.5) << shift;
    }
    return out;
}
