/* SPDX-License-Identifier: Apache-2.0 */
/* How long an op without a matmul takes on a chip: the slowest of what DRAM, the NoC, Ethernet and
 * the cores must do, at a share of their peaks that such ops usually reach, and what starting it
 * costs. Whole numbers only. */
#include "synth/workload.h"

/* What of an op its tensors do not tell. */
struct kind {
    const char *code;         /* its op code begins so */
    uint32_t cycles_per_tile; /* of compute, for 1024 elements */
    uint32_t read_pct;        /* of what it could read: a cache is longer than what is in it */
    bool rows_only;  /* touches the rows it is given, not the whole of its largest tensor */
    bool multiplies; /* its second input holds weights */
};

static const struct kind kinds[] = {
    {"Embeddings", 0, 100, true, false},
    {"PagedUpdateCache", 0, 100, true, false},
    {"PagedFillCache", 0, 100, true, false},
    {"ScaledDotProductAttention", 420, 14, false, false},
    {"Softmax", 640, 100, false, false},
    {"LayerNorm", 900, 100, false, false},
    {"RotaryEmbedding", 260, 100, false, false},
    {"Conv2d", 90, 100, false, true},
    {"Pool2D", 500, 100, false, false},
    {"BinaryNg", 130, 100, false, false},
    {"", 180, 100, false, false},
};

/* Shares of the peaks in percent; bytes in a cycle; ns. */
enum {
    DRAM_PCT = 72,
    NOC_PCT = 60,
    ETHERNET_PCT = 80,
    FLOP_PCT = 45,
    NOC_BYTES_PER_CYCLE = 32,
    ETHERNET_BYTES_PER_NS = 12, /* 100 Gbit/s of one link */
    LINKS = 2,
    START_NS = 1150,
    HOP_NS = 900,
};

static const struct kind *kind_of(const char *code)
{
    const struct kind *k = kinds;

    while (strncmp(code, k->code, strlen(k->code)) != 0)
        k++;
    return k;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Bytes that move: of all tensors, or of those in DRAM. */
static uint64_t bytes_moved(const struct ttp_synth_op *op, const struct kind *k, bool dram)
{
    const struct ttp_synth_tensor *const t[] = {&op->in[0], &op->in[1], &op->in[2], &op->out};
    uint64_t sum = 0, least = UINT64_MAX;

    for (size_t i = 0; i < TTP_COUNT(t); i++) {
        const uint64_t bytes = t[i]->w ? ttp_synth_tensor_bytes(t[i]) : 0;

        least = bytes && bytes < least ? bytes : least;
        if (bytes && (!dram || strncmp(t[i]->memory, "DRAM", 4) == 0))
            sum += bytes;
    }
    return k->rows_only && sum > 2 * least ? 2 * least : sum * k->read_pct / 100;
}

static uint64_t compute_ns(const struct ttp_synth_op *op, const struct kind *k,
                           const struct ttp_synth_peaks *peaks, uint32_t mhz)
{
    const uint64_t elements = (uint64_t)op->out.w * op->out.z * op->out.y * op->out.x;
    const uint64_t tiles = larger(elements / 1024, 1);
    const uint64_t per_core = (tiles + op->cores - 1) / op->cores;
    const uint64_t flop = k->multiplies && op->in[1].w ? 2 * elements * op->in[1].y : 0;

    if (!op->compute_kernel)
        return 0;
    return larger(per_core * k->cycles_per_tile * 1000 / mhz,
                  flop * 100 /
                      ((uint64_t)peaks->flop_per_ns[TTP_FIDELITY_HIFI4] * op->cores * FLOP_PCT));
}

void ttp_synth_time_plain(struct ttp_synth_op *op, const struct ttp_synth_peaks *peaks,
                          uint32_t mhz, uint32_t devices)
{
    const struct kind *k = kind_of(op->code);
    const uint64_t noc = (uint64_t)NOC_BYTES_PER_CYCLE * mhz * op->cores;
    uint64_t ns = compute_ns(op, k, peaks, mhz);

    ns = larger(ns,
                bytes_moved(op, k, true) * 100 / ((uint64_t)peaks->dram_bytes_per_ns * DRAM_PCT));
    ns = larger(ns, bytes_moved(op, k, false) * 100000 / (noc * NOC_PCT));
    if (devices > 1) { /* each part goes around once */
        const uint64_t bytes =
            larger(ttp_synth_tensor_bytes(&op->in[0]), ttp_synth_tensor_bytes(&op->out));
        ns = larger(ns, bytes * (devices - 1) * 100 /
                            ((uint64_t)devices * LINKS * ETHERNET_BYTES_PER_NS * ETHERNET_PCT));
        ns += (uint64_t)HOP_NS * (devices - 1);
    }
    op->ns = START_NS + ns;
}
