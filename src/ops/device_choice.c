/* SPDX-License-Identifier: Apache-2.0 */
/* device_choice.c - which rank or device the options --rank and --device mean. */
#include "ops/ops.h"

static ttp_code bad(const char *option, const char *text, const char *form, struct ttp_err *err)
{
    const ttp_code rc =
        ttp_fail(err, TTP_EUSAGE, "option '%s': '%s' is not %s", option, text, form);

    ttp_err_hint(err, "write a device as RANK:ID or ID");
    return rc;
}

ttp_code ttp_ops_parse_choice(struct ttp_device_choice *out, const char *rank, const char *device,
                              struct ttp_err *err)
{
    int64_t of_device = -1;
    ttp_str part[3];

    *out = (struct ttp_device_choice){-1, -1};
    if (rank && (!ttp_str_to_i64(ttp_str_from(rank), &out->rank) || out->rank < 0))
        return bad("--rank", rank, "the number of a rank", err);
    if (!device)
        return TTP_OK;
    const size_t n = ttp_str_split(ttp_str_from(device), ':', part, 3);
    if (n < 1 || n > 2 || !ttp_str_to_i64(part[n - 1], &out->id) || out->id < 0 ||
        (n == 2 && (!ttp_str_to_i64(part[0], &of_device) || of_device < 0)))
        return bad("--device", device, "a device", err);
    if (of_device >= 0 && out->rank >= 0 && out->rank != of_device)
        return ttp_fail(err, TTP_EUSAGE, "'--rank %s' conflicts with '--device %s'", rank, device);
    out->rank = of_device >= 0 ? of_device : out->rank;
    return TTP_OK;
}

bool ttp_ops_is_chosen(const struct ttp_ops *ops, const struct ttp_device_choice *choice,
                       size_t row)
{
    double v;

    if (!ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_DEVICE, row), &v)) {
        /* of the host: with its rank */
        return choice->rank < 0 || !ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_RANK, row), &v) ||
               v == (double)choice->rank;
    }
    struct ttp_ops_device d = {.id = (int64_t)v};
    if (v >= 0 && v < (double)ops->devices)
        d = ops->device[(size_t)v];
    return (choice->rank < 0 || d.rank == choice->rank) && (choice->id < 0 || d.id == choice->id);
}
