/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_time.config - the predicted device time of a matmul.
 *
 * A core works in steps of in0_block_w tiles along K: it gets its part of both inputs, read by the
 * core itself or broadcast by another core, and computes. What overlaps is joined by a norm with a
 * high exponent: mostly its largest part. Constants and their sources:
 * device/cost_constants.config. */
#include <math.h>

#include "cost/cost.h"

/* How many whole blocks there are. */
static double whole(uint64_t size, uint64_t block)
{
    const uint64_t count = block ? size / block : 0;

    return (double)count;
}

static const char *const bound_names[TTP_MATMUL_BOUNDS] = {
    [TTP_MATMUL_COMPUTE] = "compute", [TTP_MATMUL_IN0] = "input 0", [TTP_MATMUL_IN1] = "input 1",
    [TTP_MATMUL_DRAM_RATE] = "DRAM",  [TTP_MATMUL_WRITE] = "write",
};

const char *ttp_cost_matmul_bound_name(enum ttp_matmul_bound bound)
{
    return bound_names[bound];
}

const char *ttp_cost_confidence_name(enum ttp_confidence confidence)
{
    static const char *const names[] = {"none", "low", "medium", "high"};

    return names[confidence];
}

struct model {
    const struct ttp_matmul *problem;
    const struct ttp_matmul_config *config;
    const struct ttp_cost_value *k;
    struct ttp_matmul_tiles tiles;
    struct ttp_matmul_time *out;
};

#define K(name) (m->k[TTP_COST_##name].value)

/* (sum x^q)^(1/q), scaled by the largest so that no power overflows. */
static double join(const struct model *m, const double *x, size_t n)
{
    const double q = K(Q);
    double largest = 0, sum = 0;

    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, x[i]);
    if (!(largest > 0))
        return 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] > 0.01 * largest) /* less adds nothing to the last digit shown: q is 6 and more */
            sum += x[i] == largest ? 1 : exp(q * log(x[i] / largest));
    return largest * (sum == 1 ? 1 : exp(log(sum) / q));
}

/* Cycles of one tile operation: math, or unpack where that takes longer. */
static double tile_cycles(const struct model *m, double h, double w)
{
    const double bytes = (double)(w >= h ? m->tiles.in1 : m->tiles.in0);
    const double phases = 1 + (double)m->problem->fidelity;

    return fmax(16 * phases * K(ALPHA), K(U0) + K(U1) * bytes / 64) + K(O) / (h * w);
}

struct subblock {
    double h, w;
};

/* ns to compute `tiles` of output over `depth` tiles of K in `steps` steps. */
static double compute_ns(const struct model *m, double tiles, double depth, double steps,
                         struct subblock block)
{
    return (tiles * depth * tile_cycles(m, block.h, block.w) +
            tiles * steps * (K(S) / (block.h * block.w) + K(P))) /
           m->problem->chip.ghz;
}

static double activation_ns(const struct model *m)
{
    const enum ttp_activation act =
        m->config->activation != TTP_ACT_NONE ? m->config->activation : m->problem->activation;

    if (act == TTP_ACT_SILU)
        return K(SILU) / m->problem->chip.ghz;
    return act == TTP_ACT_GELU ? K(GELU) / m->problem->chip.ghz : 0; /* others: not measured */
}

static bool sharded(const struct ttp_placement *at)
{
    return at->nd || at->layout != TTP_LAYOUT_INTERLEAVED;
}

/* ns to read one tile. */
static double read_ns(const struct model *m, const struct ttp_placement *at, double bytes)
{
    if (sharded(at))
        return bytes / K(SHBW);
    return (at->l1 ? K(RDL1) : K(RD)) + bytes / K(RBW);
}

/* ns to broadcast one tile to `cores`. */
static double broadcast_ns(const struct model *m, double bytes, double cores)
{
    return cores > 1 ? bytes / K(MBW) * (1 + K(MBC) * cores) : 0;
}

/* A step's part of an input that one core reads and sends to the others. */
static double sent(const struct model *m, double cores, double tiles, double read, double bytes)
{
    return K(LAT) + K(LATC) * cores + tiles * (read + broadcast_ns(m, bytes, cores));
}

/* The same, read by each core separately; data in its own L1 costs nothing. */
static double own(const struct model *m, const struct ttp_placement *at, double tiles, double bytes)
{
    return sharded(at) && at->l1 ? 0 : K(OWN) + tiles * read_ns(m, at, bytes);
}

/* What a step takes for the two inputs. */
static void step_inputs(const struct model *m, double ns[2])
{
    const struct ttp_matmul *p = m->problem;
    const struct ttp_matmul_config *c = m->config;
    const double in0_bytes = (double)m->tiles.in0, in1_bytes = (double)m->tiles.in1;
    const double rows = (double)c->out_block_h * c->block_w;
    const double columns = (double)c->out_block_w * c->block_w;
    const double by = (double)ttp_ceil_div(m->tiles.mf, c->per_core_m);
    const double bx = (double)ttp_ceil_div(m->tiles.n, c->per_core_n);
    /* shards of input 0 are in the L1 of who sends them */
    const double read0 = sharded(&p->in0) && p->in0.l1 ? 0 : read_ns(m, &p->in0, in0_bytes);
    const double read1 = read_ns(m, &p->in1, in1_bytes);

    if (c->type == TTP_MATMUL_2D) {
        ns[0] = sent(m, bx, rows, read0, in0_bytes);
        ns[1] = sent(m, by, columns, read1, in1_bytes);
    } else if (c->type == TTP_MATMUL_REUSE) {
        const double least = (double)(c->per_core_m < m->tiles.m ? c->per_core_m : m->tiles.m);

        ns[0] = own(m, &p->in0, least * c->block_w, in0_bytes);
        ns[1] = own(m, &p->in1, columns, in1_bytes);
    } else if (c->mcast_in0) {
        ns[0] = sent(m, by * bx, rows, read0, in0_bytes);
        ns[1] = own(m, &p->in1, columns, in1_bytes);
    } else {
        ns[0] = own(m, &p->in0, rows, in0_bytes);
        ns[1] = sent(m, by * bx, columns, read1, in1_bytes);
    }
}

static bool in_dram(const struct ttp_placement *at)
{
    return !at->l1;
}

/* DRAM as a whole, each input as often as it is read. */
static double dram_ns(const struct model *m, double batches)
{
    const struct ttp_matmul_config *c = m->config;
    const double k = (double)m->tiles.k;
    const double per_in1 = c->type == TTP_MATMUL_REUSE ? (double)m->tiles.in1 / K(DRB)
                                                       : K(DPG) + (double)m->tiles.in1 / K(DBW);
    double ns = 0;

    if (in_dram(&m->problem->in1))
        ns += batches * k * (double)m->tiles.n * whole(c->per_core_m, c->out_block_h) * per_in1;
    if (in_dram(&m->problem->in0))
        ns += batches * k * (double)m->tiles.mf * whole(c->per_core_n, c->out_block_w) *
              (K(DPG) + (double)m->tiles.in0 / K(DB0));
    return ns;
}

static double write_ns(const struct model *m, double batches)
{
    const struct ttp_matmul_config *c = m->config;
    const struct ttp_placement *at = &m->problem->out_at;

    if (sharded(at))
        return 0;
    return batches * (double)m->tiles.mf * (double)m->tiles.n * (double)m->tiles.out /
               (at->l1 ? K(LWR) : K(DWR)) +
           (double)c->per_core_m * c->per_core_n * K(WRT);
}

/* The largest of the overlapping parts is the bottleneck. */
static enum ttp_matmul_bound bound_of(double compute, const double in[2], double dram, double write)
{
    const double part[TTP_MATMUL_BOUNDS] = {compute, in[0], in[1], dram, write};
    size_t largest = 0;

    for (size_t i = 1; i < TTP_MATMUL_BOUNDS; i++)
        if (part[i] > part[largest])
            largest = i;
    return (enum ttp_matmul_bound)largest;
}

/* 1d, 2d and reuse. */
static void blocked(const struct model *m)
{
    const struct ttp_matmul *p = m->problem;
    const struct ttp_matmul_config *c = m->config;
    const bool reuse = c->type == TTP_MATMUL_REUSE;
    const double block = (double)c->out_block_h * c->out_block_w;
    const double batches = m->tiles.mf != m->tiles.m || (c->fuse_batch && !reuse)
                               ? 1
                               : (double)(p->batch > p->batch_b ? p->batch : p->batch_b);
    const double nb = whole(m->tiles.k, c->block_w);
    const double compute =
        compute_ns(m, block, c->block_w, 1, (struct subblock){c->subblock_h, c->subblock_w});
    double blocks =
        batches * whole(c->per_core_m, c->out_block_h) * whole(c->per_core_n, c->out_block_w);
    double in[2];

    if (reuse) { /* blocks of one core */
        const double all = batches * (double)m->tiles.m * (double)m->tiles.n / block;

        blocks = ceil(all / fmin(all, (double)c->grid_x * c->grid_y));
    }
    step_inputs(m, in);
    const double step[3] = {compute, in[0], in[1]};
    const double steps = blocks * nb;
    const double whole[3] = {steps * join(m, step, 3), dram_ns(m, batches), write_ns(m, batches)};
    const double fill = fmin(compute, fmax(in[0], in[1]));
    const double steps_in[2] = {steps * in[0], steps * in[1]};
    /* The RISC core that writes a batch's output also receives what is broadcast of input 1, and
     * its sender waits for all: no batch begins before the previous one is written. */
    const bool in_turn =
        batches > 1 && (c->type == TTP_MATMUL_2D || (c->type == TTP_MATMUL_1D && !c->mcast_in0));

    m->out->ns = K(T0) + join(m, whole, in_turn ? 2 : 3) + (in_turn ? batches : 1) * fill +
                 (in_turn ? whole[2] : whole[2] / blocks) +
                 blocks * (K(BOV) + block * activation_ns(m));
    m->out->bound = bound_of(steps * compute, steps_in, whole[1], whole[2]);
}

static void dram_sharded(const struct model *m)
{
    const struct ttp_matmul_config *c = m->config;
    struct ttp_dram_split split;

    ttp_cost_matmul_dram_split(&split, m->tiles.n, m->problem->chip.banks, m->problem->fp32_acc);
    const double n = (double)split.n, nb = whole(m->tiles.k, c->block_w);
    const double compute = compute_ns(m, n, c->block_w, 1, (struct subblock){1, split.subblock_w});
    const double step[3] = {compute, K(DLAT) + (double)c->block_w * (double)m->tiles.in0 / K(MBW),
                            n * c->block_w * (double)m->tiles.in1 / K(BANK)};

    m->out->ns = K(DT0) + nb * join(m, step, 3) + fmin(compute, fmax(step[1], step[2])) +
                 n * activation_ns(m) + n * K(WRT) / 4;
    m->out->bound = step[2] >= compute && step[2] >= step[1] ? TTP_MATMUL_DRAM_RATE
                                                             : bound_of(compute, step + 1, 0, 0);
}

/* Rows of a core, those of the last block rounded up to whole subblocks. */
static double rounded(uint64_t rows, uint64_t block, uint64_t sub)
{
    const uint64_t blocks = block ? rows / block : 0;

    return (double)(blocks * block + ttp_ceil_div(rows - blocks * block, sub) * sub);
}

static double least(uint64_t a, uint64_t b)
{
    return (double)(a < b ? a : b);
}

static void minimal(const struct model *m)
{
    const struct ttp_matmul *p = m->problem;
    const struct ttp_matmul_config *c = m->config;
    /* the longer side of the output goes along the rows of cores */
    const bool across = m->tiles.mf * p->tile_h > m->tiles.n * p->tile_w;
    const uint32_t cores_m = across ? c->grid_x : c->grid_y;
    const uint32_t cores_n = across ? c->grid_y : c->grid_x;
    const uint64_t rows = ttp_ceil_div(m->tiles.mf, cores_m),
                   columns = ttp_ceil_div(m->tiles.n, cores_n);
    const double blocks_m = (double)ttp_ceil_div(rows, c->out_block_h);
    const double blocks_n = (double)ttp_ceil_div(columns, c->out_block_w);
    const double depth = (double)m->tiles.k, padded = (double)ttp_ceil_div(m->tiles.k, c->block_w);
    const double in0_bytes = (double)m->tiles.in0, in1_bytes = (double)m->tiles.in1;
    const double compute =
        compute_ns(m,
                   rounded(rows, c->out_block_h, c->subblock_h) *
                       rounded(columns, c->out_block_w, c->subblock_w),
                   depth, padded, (struct subblock){c->subblock_h, c->subblock_w});
    /* reads run far ahead of the compute: three tenths of them show */
    const double in[2] = {
        .3 * (double)rows * padded * c->block_w * blocks_n *
            (read_ns(m, &p->in0, in0_bytes) + broadcast_ns(m, in0_bytes, cores_n)),
        .3 * (double)columns * padded * c->block_w * blocks_m *
            (read_ns(m, &p->in1, in1_bytes) + broadcast_ns(m, in1_bytes, cores_m)),
    };
    double dram = 0;

    if (in_dram(&p->in0))
        dram += (double)m->tiles.mf * depth * blocks_n * (K(DPG) + in0_bytes / K(DBW));
    if (in_dram(&p->in1))
        dram += (double)m->tiles.n * depth * blocks_m * (K(DPG) + in1_bytes / K(DBW));
    if (in_dram(&p->out_at))
        dram += (double)m->tiles.mf * (double)m->tiles.n * (K(DPG) + (double)m->tiles.out / K(DBW));
    const double part[4] = {compute, in[0], in[1], dram};
    m->out->ns = K(T0) + K(MEFF) * join(m, part, 4) +
                 least(rows, c->out_block_h) * least(columns, c->out_block_w) * K(WRT);
    m->out->bound = bound_of(compute, in, dram, 0);
}

/* Errors of fits that left the model out, |log2(predicted / measured)|: p90 by type of config. A
 * type with less than 30 groups is of low confidence, and all of Wormhole, whose constants rest on
 * two models. Source: the report of the fit, 2026-08-22. */
static double error_of(enum ttp_confidence *confidence, const struct ttp_matmul *p,
                       const struct ttp_matmul_config *c)
{
    static const struct {
        double p90;
        enum ttp_confidence confidence;
    } on_blackhole[TTP_MATMUL_TYPES] = {
        [TTP_MATMUL_1D] = {0.127, TTP_CONFIDENCE_HIGH},
        [TTP_MATMUL_2D] = {0.178, TTP_CONFIDENCE_MEDIUM},
        [TTP_MATMUL_DRAM] = {0.117, TTP_CONFIDENCE_HIGH},
        [TTP_MATMUL_MINIMAL] = {0.209, TTP_CONFIDENCE_MEDIUM},
        [TTP_MATMUL_REUSE] = {0.308, TTP_CONFIDENCE_LOW},
    };
    double p90 = on_blackhole[c->type].p90;

    *confidence = on_blackhole[c->type].confidence;
    if (c->type == TTP_MATMUL_1D && !c->mcast_in0) { /* 14 groups; gather was never seen */
        p90 = 0.728;
        *confidence = TTP_CONFIDENCE_LOW;
    }
    if (strcmp(p->chip.board->chip, "wormhole") == 0) {
        p90 = fmax(p90, 0.458); /* one file left out */
        *confidence = TTP_CONFIDENCE_LOW;
    }
    return p90;
}

enum ttp_confidence ttp_cost_matmul_confidence(const struct ttp_matmul *p,
                                               const struct ttp_matmul_config *c)
{
    enum ttp_confidence confidence;

    (void)error_of(&confidence, p, c);
    return confidence;
}

/* Time and bound. */
static bool predict(struct ttp_matmul_time *out, const struct ttp_matmul *p,
                    const struct ttp_matmul_config *c, const struct ttp_matmul_tiles *tiles)
{
    struct ttp_matmul_config whole = *c;
    const struct model model = {
        .problem = p, .config = &whole, .k = p->chip.cost, .tiles = *tiles, .out = out};
    const struct model *m = &model;

    if (!m->k || p->sparse || p->a == TTP_TILE_NONE || p->b == TTP_TILE_NONE ||
        p->out == TTP_TILE_NONE)
        return false;
    if (c->type == TTP_MATMUL_REUSE) { /* its blocks are never split further */
        whole.out_block_h = c->per_core_m;
        whole.out_block_w = c->per_core_n;
    }
    switch (c->type) {
    case TTP_MATMUL_1D:
    case TTP_MATMUL_2D:
    case TTP_MATMUL_REUSE:
        blocked(m);
        break;
    case TTP_MATMUL_DRAM:
        dram_sharded(m);
        break;
    case TTP_MATMUL_MINIMAL:
        minimal(m);
        break;
    default:
        return false;
    }
    return true;
}

bool ttp_cost_matmul_ns(double *ns, const struct ttp_matmul *p, const struct ttp_matmul_config *c,
                        const struct ttp_matmul_tiles *tiles)
{
    struct ttp_matmul_time time = {0};
    const bool has = predict(&time, p, c, tiles);

    *ns = time.ns;
    return has;
}

bool ttp_cost_matmul(struct ttp_matmul_time *out, const struct ttp_matmul *p,
                     const struct ttp_matmul_config *c)
{
    struct ttp_matmul_tiles tiles;

    *out = (struct ttp_matmul_time){0};
    ttp_cost_matmul_measure(&tiles, p, c);
    if (!predict(out, p, c, &tiles))
        return false;
    const double p90 = error_of(&out->confidence, p, c);
    out->cores = ttp_cost_matmul_cores(p, c);
    out->low_ns = out->ns * exp2(-p90);
    out->high_ns = out->ns * exp2(p90);
    return true;
}

/* The largest error of five groups, of two models; the others are within 0.10. Nothing was fitted
 * to them. */
#define SPARSE_P90 0.36

bool ttp_cost_sparse_matmul(struct ttp_matmul_time *out, const struct ttp_matmul *expert,
                            const struct ttp_matmul_config *c, double active, double all)
{
    struct ttp_matmul p = *expert;
    struct ttp_matmul_config turns = *c;
    struct ttp_matmul_time two;

    p.sparse = false;
    p.batch = p.batch_b = 1;
    turns.fuse_batch = false;
    if (c->type != TTP_MATMUL_1D || !c->mcast_in0 || p.m > p.tile_h || !(active >= 1) ||
        !(all >= active) || !ttp_cost_matmul(out, &p, &turns))
        return false;
    p.batch = p.batch_b = 2;
    if (!ttp_cost_matmul(&two, &p, &turns))
        return false;
    /* how often: once, what a second one adds for each further one, and the handshakes */
    const struct ttp_cost_value *k = p.chip.cost;
    const double handshake = k[TTP_COST_LAT].value + k[TTP_COST_LATC].value * out->cores;
    const double ns = out->ns + (active - 1) * (two.ns - out->ns) + (all - active) * handshake;

    out->ns = ns;
    out->low_ns = ns * exp2(-SPARSE_P90);
    out->high_ns = ns * exp2(SPARSE_P90);
    out->confidence = TTP_CONFIDENCE_LOW;
    return true;
}
