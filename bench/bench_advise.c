/* SPDX-License-Identifier: Apache-2.0 */
/* bench_advise.c - all rules over the ops of a run, as a part of reading its file and analysing it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "advice/advice.h"
#include "bench.h"
#include "ops_csv_row.h"

enum { BYTES = 64 << 20, ROUNDS = 9 };

struct subject {
    char path[64];
    size_t bytes;
    struct ttp_ops ops;
    struct ttp_report report;
};

static void read_file(void *arg)
{
    const struct ttp_ops_read_options options = {.threads = 1};
    const struct subject *s = arg;
    const char *path = s->path;
    struct ttp_arena arena = {0};
    struct ttp_ops ops;

    if (ttp_ops_read_csv(&ops, (struct ttp_paths){&path, 1}, &options, &arena, NULL) != TTP_OK)
        abort();
    bench_sink += ops.rows;
    ttp_arena_free(&arena);
}

static void apply_rules(void *arg)
{
    const struct subject *s = arg;
    struct ttp_arena arena = {0};
    struct ttp_plan plan;

    ttp_plan_make(&plan, &s->report, NULL, &arena);
    bench_sink += plan.count;
    ttp_arena_free(&arena);
}

/* Tokens of a language model, one after the other. */
static void write_rows(struct gen_file *f, int fd, struct ttp_arena *scratch)
{
    const struct ttp_synth_part *part = &ttp_synth_llm_decode;

    for (uint64_t layer = 0; lseek(fd, 0, SEEK_CUR) < BYTES; layer++)
        for (size_t i = 0; i < part->count; i++) {
            const struct ttp_synth_step *step = &part->step[i];
            const struct ttp_mark mark = ttp_arena_mark(scratch);
            struct gen_op op = {.available_cores = 64, .sub_device = -1, .gap_ns = 900};
            if (step->among_devices || (step->every && layer % step->every != step->phase))
                continue;
            op.is = step->matmul
                        ? ttp_synth_describe_matmul(step->matmul, &f->chip->peaks,
                                                    (struct ttp_synth_chips){1, 64}, false, scratch)
                        : ttp_synth_describe_plain(step->plain, 64);
            gen_write_op(f, &op);
            ttp_arena_rewind(scratch, mark);
        }
}

static void make_file(struct subject *s)
{
    static const struct gen_chip chip = {"wormhole_b0",
                                         {.cores = 64,
                                          .grid_x = 8,
                                          .grid_y = 8,
                                          .dram_cores = 12,
                                          .dram_bytes_per_ns = 288,
                                          .flop_per_ns = {3638, 2055, 1370, 1027}},
                                         1000};
    struct ttp_arena arena = {0}, scratch = {0};
    struct ttp_sink out;
    const int fd = memfd_create("bench_advise", 0);

    if (fd < 0)
        abort();
    ttp_sink_to_fd(&out, fd, &arena);
    struct gen_file f = {
        .sink = &out, .chip = &chip, .format = GEN_V21, .devices = 1, .random = 1, .cached = true};
    gen_write_header(&f);
    write_rows(&f, fd, &scratch);
    if (ttp_sink_finish(&out, NULL) != TTP_OK)
        abort();
    (void)snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d", fd);
    s->bytes = (size_t)lseek(fd, 0, SEEK_CUR);
    ttp_arena_free(&arena);
    ttp_arena_free(&scratch);
}

int main(void)
{
    static struct subject s;
    const struct ttp_ops_read_options reading = {.threads = 1};
    const struct ttp_report_options options = {0};
    struct ttp_arena arena = {0};
    const char *path = s.path;

    make_file(&s);
    if (ttp_ops_read_csv(&s.ops, (struct ttp_paths){&path, 1}, &reading, &arena, NULL) != TTP_OK ||
        ttp_analysis_run(&s.report, &s.ops, &options, &arena, NULL) != TTP_OK)
        abort();
    const struct bench_pair rules = bench_versus(apply_rules, read_file, &s, ROUNDS);
    printf("{\"bench\":\"advise\",\"ops\":%zu,\"mb\":%.0f,\"rules_ms\":%.2f,\"vs_reading\":%.3f}\n",
           s.report.count, (double)s.bytes / 1e6, rules.subject_s * 1e3, rules.ratio);
    ttp_arena_free(&arena);
    return 0;
}
