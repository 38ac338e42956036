/* SPDX-License-Identifier: Apache-2.0 */
/* problem.c - the matmul to compute, from names and values of a command line. */
#include "config/config_parts.h"

static bool truth(ttp_str value, bool *out)
{
    *out = value.len == 0 || ttp_str_eq_any_case(value, TTP_STR("true")) ||
           ttp_str_eq(value, TTP_STR("1"));
    return *out || ttp_str_eq_any_case(value, TTP_STR("false")) || ttp_str_eq(value, TTP_STR("0"));
}

static ttp_code refuse(struct ttp_err *err, const char *name, ttp_str value, const char *hint)
{
    (void)ttp_fail(err, TTP_EUSAGE, "%s cannot be '%.*s'", name,
                   TTP_FMT(ttp_str_slice(value, 0, 60)));
    ttp_err_hint(err, "%s", hint);
    return TTP_EUSAGE;
}

struct setting {
    const char *name;
    const char *title; /* in messages */
    size_t offset;
    enum { TYPE, PLACE, FLAG, FLAG_OFF, NUMBER, TILE, FIDELITY, ACTIVATION, PAIR } kind;
};
#define AT(member) offsetof(struct ttp_matmul, member)
static const struct setting settings[] = {
    {"a", "the type of input 0", AT(a), TYPE},
    {"b", "the type of the weights", AT(b), TYPE},
    {"o", "the type of the output", AT(out), TYPE},
    {"bias", "the type of the bias", AT(bias), TYPE},
    {"am", "the memory of input 0", AT(in0), PLACE},
    {"bm", "the memory of the weights", AT(in1), PLACE},
    {"om", "the memory of the output", AT(out_at), PLACE},
    {"batch", "the batch of input 0", AT(batch), NUMBER},
    {"batch-b", "the batch of input 1", AT(batch_b), NUMBER},
    {"fid", "the fidelity", AT(fidelity), FIDELITY},
    {"fp32", "fp32", AT(fp32_acc), FLAG},
    {"no-l1acc", "no-l1acc", AT(l1_acc), FLAG_OFF},
    {"full-sync", "full-sync", AT(full_sync), FLAG},
    {"act", "the activation", AT(activation), ACTIVATION},
    {"untilize", "untilize", AT(untilize), FLAG},
    {"ta", "ta", AT(transpose_a), FLAG},
    {"tb", "tb", AT(transpose_b), FLAG},
    {"th", "th", AT(tile_h), TILE},
    {"tw", "tw", AT(tile_w), TILE},
    {"bias_h", "bias_h", AT(bias_h), NUMBER},
    {"sparse", "sparse", AT(sparse), FLAG},
    {"swiglu", "swiglu", AT(swiglu), FLAG},
    {"row_major", "row_major", AT(not_tiled), FLAG},
    {"global_cb", "global_cb", AT(global_cb), FLAG},
    {"other_l1", "other_l1", AT(other_l1_bytes), NUMBER},
    {"core_grid", "core_grid", AT(user_x), PAIR},
};

/* Numbers are 64 bits wide except for the height of the bias. */
static ttp_code set_number(const struct setting *s, void *at, ttp_str value, struct ttp_err *err)
{
    uint64_t v;

    if (!ttp_str_to_u64(value, &v) || v > (uint64_t)1 << 30 ||
        (v == 0 && (s->offset == AT(batch) || s->offset == AT(batch_b))))
        return refuse(err, s->title, value, "a whole number");
    if (s->offset == AT(bias_h))
        *(uint32_t *)at = (uint32_t)v;
    else
        *(uint64_t *)at = v;
    return TTP_OK;
}

static ttp_code set_tile(const struct setting *s, uint32_t *at, ttp_str value, struct ttp_err *err)
{
    uint64_t v;

    if (!ttp_str_to_u64(value, &v) || v < 1 || v > 32 || (v & (v - 1)) != 0)
        return refuse(err, s->title, value, "heights are 1 2 4 8 16 32, widths 16 32");
    *at = (uint32_t)v;
    return TTP_OK;
}

static ttp_code set_grid(struct ttp_matmul *p, ttp_str value, struct ttp_err *err)
{
    ttp_str part[3];
    uint64_t x, y;

    if (ttp_str_split(value, 'x', part, 3) != 2 || !ttp_str_to_u64(part[0], &x) ||
        !ttp_str_to_u64(part[1], &y) || x < 1 || y < 1 || x > 256 || y > 256)
        return refuse(err, "core_grid", value, "COLUMNSxROWS, such as 8x8");
    p->user_x = (uint32_t)x;
    p->user_y = (uint32_t)y;
    return TTP_OK;
}

ttp_code ttp_config_matmul_set(struct ttp_matmul *p, const char *name, ttp_str value,
                               struct ttp_err *err)
{
    const struct setting *s = NULL;
    bool on = false;

    for (size_t i = 0; i < TTP_COUNT(settings); i++)
        if (strcmp(settings[i].name, name) == 0)
            s = &settings[i];
    if (!s) {
        (void)ttp_fail(err, TTP_EUSAGE, "unknown property '%.60s'", name);
        ttp_err_hint(err, "untilize, ta, tb (transposes), th, tw (tile), bias_h, core_grid, "
                          "other_l1, sparse, swiglu, row_major, global_cb");
        return TTP_EUSAGE;
    }
    void *const at = (char *)p + s->offset;
    switch (s->kind) {
    case TYPE:
        if (s->offset == AT(bias) && ttp_str_eq(value, TTP_STR("none"))) {
            p->bias = TTP_TILE_NONE;
            return TTP_OK;
        }
        return ttp_cost_tile_type_find(at, value)
                   ? TTP_OK
                   : refuse(err, s->title, value, "f32, bf16, fp8, bfp8, bfp4 or bfp2");
    case PLACE:
        return ttp_config_parse_placement(at, value, err);
    case FLAG:
    case FLAG_OFF:
        if (!truth(value, &on))
            return refuse(err, s->title, value, "true or false");
        *(bool *)at = s->kind == FLAG ? on : !on;
        return TTP_OK;
    case NUMBER:
        return set_number(s, at, value, err);
    case TILE:
        return set_tile(s, at, value, err);
    case FIDELITY:
        return ttp_device_find_fidelity(value, at)
                   ? TTP_OK
                   : refuse(err, s->title, value, "LoFi, HiFi2, HiFi3 or HiFi4");
    case ACTIVATION:
        p->activation = ttp_config_parse_activation(value);
        return TTP_OK;
    default:
        return set_grid(p, value, err);
    }
}

static void leave_l1(struct ttp_matmul *p, uint64_t room)
{
    const uint64_t all =
        p->chip.l1_bytes > p->chip.reserved_bytes ? p->chip.l1_bytes - p->chip.reserved_bytes : 0;

    p->other_l1_bytes = all > room ? all - room : 0;
}

static bool is_interleaved_in_l1(const struct ttp_placement *at)
{
    return at->l1 && !at->nd && at->layout == TTP_LAYOUT_INTERLEAVED;
}

void ttp_config_matmul_leave_room(struct ttp_matmul *p, uint64_t below_tensors,
                                  uint64_t below_others)
{
    const bool interleaved = is_interleaved_in_l1(&p->in0) || is_interleaved_in_l1(&p->in1) ||
                             is_interleaved_in_l1(&p->out_at);

    leave_l1(p, interleaved ? below_tensors : below_others);
}
