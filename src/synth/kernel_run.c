/* SPDX-License-Identifier: Apache-2.0 */
/* The three threads are advanced block by block: block i of the reader needs the slot that block
 * i - 2 held, compute needs what the reader pushed, the writer what compute pushed. Every zone
 * costs its two markers some 18 cycles; see tt-lang's own measurement of empty zones. */
#include "synth/kernel_run.h"

enum { MAX_BLOCKS = 16, MARKER_CYCLES = 18, ISSUE_CYCLES = 46, DEPTH = 2, SETUP_CYCLES = 90 };
/* Blocks are read as tiles of BFLOAT16. */
enum { TILE_BYTES = 2048, TILES = 2, TILE_SIDE = 32 };

#define GENERATED(kernel, hash) "/tmp/user/ttlang_kernel_" kernel "_" hash ".cpp"
#define READ_CPP                GENERATED("dm_read", "5d0c71aa")
#define WRITE_CPP               GENERATED("dm_write", "e41f90b3")
#define COMPUTE_CPP             GENERATED("compute", "9b27f6c4")

enum line {
    READ_RESERVE,
    READ_COPY_A,
    READ_COPY_B,
    READ_WAIT_A,
    READ_WAIT_B,
    READ_PUSH,
    WRITE_WAIT_Y,
    WRITE_COPY,
    WRITE_DONE,
    WRITE_POP,
    COMPUTE_WAIT,
    COMPUTE_RESERVE,
    COMPUTE_WORK,
    COMPUTE_PUSH,
    COMPUTE_POP,
    LINES
};

static const struct ttp_synth_zone zones[LINES] = {
    [READ_RESERVE] = {"dm_read_L20_cb_reserve", READ_CPP, 14},
    [READ_COPY_A] = {"dm_read_L21", READ_CPP, 17},
    [READ_COPY_B] = {"dm_read_L22", READ_CPP, 21},
    [READ_WAIT_A] = {"dm_read_L23", READ_CPP, 25},
    [READ_WAIT_B] = {"dm_read_L24", READ_CPP, 28},
    [READ_PUSH] = {"dm_read_L20_implicit_cb_push", READ_CPP, 31},
    [WRITE_WAIT_Y] = {"dm_write_L30_cb_wait", WRITE_CPP, 12},
    [WRITE_COPY] = {"dm_write_L31", WRITE_CPP, 15},
    [WRITE_DONE] = {"dm_write_L32", WRITE_CPP, 19},
    [WRITE_POP] = {"dm_write_L30_implicit_cb_pop", WRITE_CPP, 22},
    [COMPUTE_WAIT] = {"compute_L38_cb_wait", COMPUTE_CPP, 16},
    [COMPUTE_RESERVE] = {"compute_L39_cb_reserve", COMPUTE_CPP, 20},
    [COMPUTE_WORK] = {"compute_L40", COMPUTE_CPP, 24},
    [COMPUTE_PUSH] = {"compute_L39_implicit_cb_push", COMPUTE_CPP, 33},
    [COMPUTE_POP] = {"compute_L38_implicit_cb_pop", COMPUTE_CPP, 36},
};

static const char source[] =
    "# SPDX-License-Identifier: Apache-2.0\n"
    "# Made up by tt-perf synth: y = exp(a * b), block by block.\n"
    "import ttl\n"
    "\n"
    "BLOCKS = 12\n"
    "\n"
    "\n"
    "@ttl.kernel(grid=\"auto\")\n"
    "def fused_exp(a: ttl.Tensor, b: ttl.Tensor, y: ttl.Tensor):\n"
    "    a_dfb = ttl.make_dataflow_buffer_like(a, block_count=2)\n"
    "    b_dfb = ttl.make_dataflow_buffer_like(b, block_count=2)\n"
    "    y_dfb = ttl.make_dataflow_buffer_like(y, block_count=2)\n"
    "    node_x, node_y = ttl.node(dims=2)\n"
    "    first = (node_y * ttl.grid_size(dims=2)[0] + node_x) * BLOCKS\n"
    "\n"
    "    @ttl.datamovement()\n"
    "    def dm_read():\n"
    "        for i in range(BLOCKS):\n"
    "            # both inputs travel at the same time\n"
    "            with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:\n"
    "                a_tx = ttl.copy(a[first + i], a_blk)\n"
    "                b_tx = ttl.copy(b[first + i], b_blk)\n"
    "                a_tx.wait()\n"
    "                b_tx.wait()\n"
    "\n"
    "    @ttl.datamovement()\n"
    "    def dm_write():\n"
    "        for i in range(BLOCKS):\n"
    "            # one result at a time\n"
    "            with y_dfb.wait() as y_blk:\n"
    "                tx = ttl.copy(y_blk, y[first + i])\n"
    "                tx.wait()\n"
    "\n"
    "    @ttl.compute()\n"
    "    def compute():\n"
    "        for i in range(BLOCKS):\n"
    "            # waits for both, then for room\n"
    "            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:\n"
    "                with y_dfb.reserve() as y_blk:\n"
    "                    y_blk.store(ttl.exp(a_blk * b_blk))\n";

#define INPUT(index, copy, wait)                                                                   \
    "{\"cb_index\":" index                                                                         \
    ",\"consumers\":[{\"kernel\":\"compute\",\"line\":38,\"op\":\"cb_wait\",\"thread\":"           \
    "\"compute\"}],\"dfb_id\":" index ",\"dma_ops\":[{\"direction\":\"read\",\"kernel\":"          \
    "\"dm_read\",\"line\":" copy ",\"op\":\"copy\",\"thread\":\"noc\"}],\"producers\":[{"          \
    "\"kernel\":\"dm_read\",\"line\":20,\"op\":\"cb_reserve\",\"thread\":\"noc\"}],"               \
    "\"wait_ops\":[{\"direction\":\"read\",\"kernel\":\"dm_read\",\"line\":" wait                  \
    ",\"op\":\"wait\",\"thread\":\"noc\"}]}"

static const char flow_graph[] = "{\"circular_buffers\":[" INPUT("0", "21", "23") "," INPUT(
    "1", "22",
    "24") ",{\"cb_index\":2,\"consumers\":[{\"kernel\":\"dm_write\",\"line\":30,\"op\":"
          "\"cb_wait\",\"thread\":\"noc\"}],\"dfb_id\":2,\"dma_ops\":[{\"direction\":"
          "\"write\",\"kernel\":\"dm_write\",\"line\":31,\"op\":\"copy\",\"thread\":\"noc\"}],"
          "\"producers\":[{\"kernel\":\"compute\",\"line\":39,\"op\":\"cb_reserve\","
          "\"thread\":\"compute\"}],\"wait_ops\":[{\"direction\":\"write\",\"kernel\":"
          "\"dm_write\",\"line\":32,\"op\":\"wait\",\"thread\":\"noc\"}]}]}";

const char *const ttp_synth_bottleneck_names[] = {"none",      "reader",    "compute", "writer",
                                                  "imbalance", "few-cores", NULL};

const struct ttp_synth_plain *ttp_synth_kernel_op(const struct ttp_synth_kernel *k,
                                                  struct ttp_arena *arena)
{
    const uint32_t blocks = (k->cores - 1) * k->blocks + k->heavy_blocks;
    const struct ttp_synth_tensor tensor = {1, 1,          blocks * TILE_SIDE, TILES * TILE_SIDE,
                                            0, SYNTH_BF16, SYNTH_DRAM,         NULL};
    struct ttp_synth_plain *op = TTP_NEW(arena, struct ttp_synth_plain, 1);

    *op = (struct ttp_synth_plain){
        .code = "GenericOpDeviceOperation",
        .attributes = "{'num_semaphores': '0'; 'program': 'fused_exp'}",
        .compute_kernel = "ttlang_kernel_compute",
        .data_kernel = "ttlang_kernel_dm_read",
        .in = {tensor, tensor},
        .out = tensor,
        .cores = 1024,
        .ns = 1,
    };
    return op;
}

/* The threads' progress: when what they need was pushed or popped. */
struct threads {
    uint64_t now[3]; /* reader, compute, writer */
    uint64_t in_pushed, in_popped[MAX_BLOCKS], out_pushed, out_popped[MAX_BLOCKS];
};

struct recorder {
    struct ttp_synth_marker *out; /* NULL: only the time is wanted */
    size_t n;
    uint64_t start;
};

static void zone(struct recorder *r, enum line line, uint64_t from, uint64_t to)
{
    if (!r->out)
        return;
    const uint16_t id = ttp_synth_zone_id(&zones[line]);
    r->out[r->n++] = (struct ttp_synth_marker){
        .time = r->start + from, .zone = &zones[line], .id = id, .type = SYNTH_ZONE_START};
    r->out[r->n++] = (struct ttp_synth_marker){
        .time = r->start + to, .zone = &zones[line], .id = id, .type = SYNTH_ZONE_END};
}

const struct ttp_synth_kernel *ttp_synth_kernel_new(const struct ttp_synth_plan *p,
                                                    struct ttp_arena *arena)
{
    struct ttp_synth_kernel *k = TTP_NEW(arena, struct ttp_synth_kernel, 1);
    const enum ttp_synth_bottleneck b = p->opt.bottleneck;

    /* Slow enough for the DRAM: all cores together move half of its peak, or less if a thread is
     * made slower. */
    *k = (struct ttp_synth_kernel){
        .cores = p->opt.cores,
        .blocks = 12,
        .heavy_blocks = 12,
        .read_cycles = b == TTP_SYNTH_READER ? 11600 : 3400,
        .compute_cycles = b == TTP_SYNTH_COMPUTE ? 12400 : 3600,
        .write_cycles = b == TTP_SYNTH_WRITER ? 10800 : 3200,
        .noc = p->opt.noc,
        .lines = !p->opt.no_lines,
        .signposts = p->opt.signposts,
    };
    if (p->side) {
        k->cores = k->cores > p->side->kernel_part ? k->cores / p->side->kernel_part : 1;
        k->blocks = k->heavy_blocks = p->side->kernel_blocks;
    }
    if (b == TTP_SYNTH_IMBALANCE) {
        k->blocks = 5;
        k->heavy_blocks = 15;
        k->heavy_core = (uint32_t)(ttp_synth_hash(p, 1, 2) % k->cores);
    }
    if (b == TTP_SYNTH_FEW_CORES) {
        k->cores = k->cores < 4 ? k->cores : 4;
        k->blocks = k->heavy_blocks = MAX_BLOCKS;
    }
    return k;
}

uint32_t ttp_synth_kernel_cores(const struct ttp_synth_kernel *k)
{
    return k->cores;
}

/* Cycles of a transfer or a computation: blocks are not all alike. */
static uint64_t vary(uint64_t cycles, uint32_t rank, uint32_t block, uint32_t what)
{
    uint64_t random = (uint64_t)rank << 16 | (uint64_t)block << 4 | what;
    return cycles + ttp_synth_random(&random) % (cycles / 8);
}

static void read_block(struct threads *t, struct recorder *r, const struct ttp_synth_kernel *k,
                       uint32_t rank, uint32_t i)
{
    const uint64_t begin = t->now[0];
    const uint64_t room = i >= DEPTH ? t->in_popped[i - DEPTH] : 0;
    uint64_t at = (room > begin ? room : begin) + MARKER_CYCLES;

    zone(r, READ_RESERVE, begin, at);
    zone(r, READ_COPY_A, at + 9, at + 9 + ISSUE_CYCLES);
    zone(r, READ_COPY_B, at + 64, at + 64 + ISSUE_CYCLES);
    at += 64 + ISSUE_CYCLES + 9;
    const uint64_t a_there = at + vary(k->read_cycles, rank, i, 0);
    const uint64_t b_there = a_there + 9 + vary(k->read_cycles / 8, rank, i, 1);
    zone(r, READ_WAIT_A, at, a_there);
    zone(r, READ_WAIT_B, a_there + 9, b_there);
    zone(r, READ_PUSH, b_there + 9, b_there + 9 + MARKER_CYCLES);
    t->in_pushed = b_there + 9 + MARKER_CYCLES;
    t->now[0] = t->in_pushed + 30;
}

struct block_place {
    uint32_t rank, i;
};

/* TRISC_0 unpacks and is the one that waits for input, TRISC_2 packs and waits for room, TRISC_1
 * in between is kept waiting within its work. */
static void compute_block(struct threads *t, struct recorder *r, const struct ttp_synth_kernel *k,
                          struct block_place at, enum ttp_synth_risc risc)
{
    const uint64_t begin = t->now[1];
    const uint64_t input = t->in_pushed > begin ? t->in_pushed : begin;
    const uint64_t freed = at.i >= DEPTH ? t->out_popped[at.i - DEPTH] : 0;
    const uint64_t ready = (freed > input ? freed : input) + UINT64_C(2) * MARKER_CYCLES + 18;
    const uint64_t done = ready + vary(k->compute_cycles, at.rank, at.i, 2);
    const uint64_t seen = risc == SYNTH_TRISC_0 ? input + MARKER_CYCLES : begin + MARKER_CYCLES;
    const uint64_t room = risc == SYNTH_TRISC_2 && freed > seen ? freed : seen;

    zone(r, COMPUTE_WAIT, begin, seen);
    zone(r, COMPUTE_RESERVE, seen + 9, room + 9 + MARKER_CYCLES);
    zone(r, COMPUTE_WORK, room + 18 + MARKER_CYCLES, done - (risc == SYNTH_TRISC_0 ? 60 : 0));
    zone(r, COMPUTE_PUSH, done + 9, done + 9 + MARKER_CYCLES);
    zone(r, COMPUTE_POP, done + 36, done + 36 + MARKER_CYCLES);
    t->out_pushed = done + 9 + MARKER_CYCLES;
    t->in_popped[at.i] = done + 36 + MARKER_CYCLES;
    t->now[1] = t->in_popped[at.i] + 24;
}

static void write_block(struct threads *t, struct recorder *r, const struct ttp_synth_kernel *k,
                        uint32_t rank, uint32_t i)
{
    const uint64_t begin = t->now[2];
    const uint64_t at = (t->out_pushed > begin ? t->out_pushed : begin) + MARKER_CYCLES;
    const uint64_t issued = at + 9 + ISSUE_CYCLES;
    const uint64_t done = issued + 9 + vary(k->write_cycles, rank, i, 3);

    zone(r, WRITE_WAIT_Y, begin, at);
    zone(r, WRITE_COPY, at + 9, issued);
    zone(r, WRITE_DONE, issued + 9, done);
    zone(r, WRITE_POP, done + 9, done + 9 + MARKER_CYCLES);
    t->out_popped[i] = done + 9 + MARKER_CYCLES;
    t->now[2] = t->out_popped[i] + 28;
}

/* Thread of a RISC. */
static size_t thread_of(enum ttp_synth_risc risc)
{
    return risc == SYNTH_NCRISC ? 0 : risc == SYNTH_BRISC ? 2 : 1;
}

static struct threads run(struct recorder *r, const struct ttp_synth_kernel *k, uint32_t rank,
                          enum ttp_synth_risc risc)
{
    struct recorder none = {0};
    const size_t mine = thread_of(risc);
    const uint32_t blocks = rank == k->heavy_core ? k->heavy_blocks : k->blocks;
    struct threads t = {.now = {SETUP_CYCLES, SETUP_CYCLES, SETUP_CYCLES}};

    for (uint32_t i = 0; i < blocks; i++) {
        read_block(&t, mine == 0 ? r : &none, k, rank, i);
        compute_block(&t, mine == 1 ? r : &none, k, (struct block_place){rank, i}, risc);
        write_block(&t, mine == 2 ? r : &none, k, rank, i);
    }
    return t;
}

uint64_t ttp_synth_kernel_end(const struct ttp_synth_kernel *k, const struct ttp_synth_core *core,
                              enum ttp_synth_risc risc)
{
    struct recorder none = {0};
    const struct threads t = run(&none, k, core->rank, risc);
    return t.now[thread_of(risc)] + (risc == SYNTH_BRISC ? 40 : risc);
}

uint64_t ttp_synth_kernel_cycles(const struct ttp_synth_kernel *k)
{
    uint64_t most = 0;

    for (uint32_t rank = 0; rank < k->cores; rank++) {
        const struct ttp_synth_core core = {.rank = (uint16_t)rank};
        const uint64_t cycles = ttp_synth_kernel_end(k, &core, SYNTH_BRISC);
        most = cycles > most ? cycles : most;
    }
    return most;
}

/* A transfer for each tile of the copy that zone m begins, and the barrier that a wait is. */
static size_t add_noc(struct ttp_synth_marker *out, const struct ttp_synth_marker *m,
                      const struct ttp_synth_plan *p, uint32_t rank, uint32_t noc)
{
    const enum line line = (enum line)(m->zone - zones);
    const bool copy = line == READ_COPY_A || line == READ_COPY_B || line == WRITE_COPY;
    const bool wait = line == READ_WAIT_A || line == READ_WAIT_B || line == WRITE_DONE;
    const bool write = line == WRITE_COPY || line == WRITE_DONE;
    struct ttp_synth_noc e = {.noc = noc};
    size_t n = 0;

    if (copy && m->type == SYNTH_ZONE_START) {
        e.type = write ? SYNTH_NOC_WRITE : SYNTH_NOC_READ;
        e.bytes = TILE_BYTES;
        e.has_to = true;
        for (uint32_t tile = 0; tile < TILES; tile++) {
            e.to = p->chip.dram[(rank + (uint32_t)(m->time / 7) + tile) % p->chip.ndram];
            out[n++] = ttp_synth_noc_pack(&e, m->time + 4 + tile * UINT64_C(18));
        }
    } else if (wait) {
        const bool start = m->type == SYNTH_ZONE_START;
        const enum ttp_synth_noc_type read =
            start ? SYNTH_NOC_READ_BARRIER_START : SYNTH_NOC_READ_BARRIER_END;
        const enum ttp_synth_noc_type wrote =
            start ? SYNTH_NOC_WRITE_BARRIER_START : SYNTH_NOC_WRITE_BARRIER_END;
        e.type = write ? wrote : read;
        out[n++] = ttp_synth_noc_pack(&e, start ? m->time + 3 : m->time - 3);
    }
    return n;
}

/* `with ttl.signpost("blocks")` around all of them. */
static struct ttp_synth_marker signpost(uint64_t time, enum ttp_synth_marker_type type)
{
    static const struct ttp_synth_zone blocks = {"ttl_blocks", READ_CPP, 9};

    return (struct ttp_synth_marker){
        .time = time, .zone = &blocks, .id = ttp_synth_zone_id(&blocks), .type = type};
}

size_t ttp_synth_kernel_markers(struct ttp_synth_marker out[TTP_SYNTH_MAX_MARKERS],
                                const struct ttp_synth_kernel *k, const struct ttp_synth_plan *p,
                                struct ttp_synth_thread thread, uint64_t start)
{
    struct ttp_synth_marker lines[TTP_SYNTH_MAX_MARKERS];
    struct recorder r = {.out = lines, .start = start};
    const uint32_t noc = thread.risc == SYNTH_BRISC;
    size_t n = 0;

    run(&r, k, thread.core->rank, thread.risc);
    if (k->signposts && r.n)
        out[n++] = signpost(lines[0].time - 5, SYNTH_ZONE_START);
    for (size_t i = 0; i < r.n; i++) {
        if (k->lines && lines[i].type == SYNTH_ZONE_START)
            out[n++] = lines[i];
        if (k->noc)
            n += add_noc(&out[n], &lines[i], p, thread.core->rank, noc);
        if (k->lines && lines[i].type == SYNTH_ZONE_END)
            out[n++] = lines[i];
    }
    if (k->signposts && r.n)
        out[n++] = signpost(lines[r.n - 1].time + 5, SYNTH_ZONE_END);
    return n;
}

const struct ttp_synth_zone *ttp_synth_kernel_zones_of_lines(size_t *count)
{
    *count = LINES;
    return zones;
}

ttp_str ttp_synth_kernel_source(void)
{
    return TTP_STR(source);
}

ttp_str ttp_synth_kernel_flow_graph(void)
{
    return TTP_STR(flow_graph);
}
