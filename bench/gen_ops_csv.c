/* SPDX-License-Identifier: Apache-2.0 */
/* gen_ops_csv - writes an ops_perf_results CSV as a run of a small language model would.
 *
 * Columns are tt-metal's, every value is invented here. A matmul takes the time its data or its
 * arithmetic needs at the chip's peak, divided by the efficiency src/synth/llm_ops.c states for it,
 * so that a report finds DRAM-bound, FLOP-bound and slow ones where they were put. The same options
 * give the same bytes on every machine. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "ops_csv_row.h"

/* Peaks as in tt-perf-report 1.2.4 (its TFLOPs per core and GB/s are flop and bytes per ns, the
 * first after multiplying by 1000); HiFi3, which that version does not know, at 4/3 of HiFi4. */
static const struct gen_chip chips[] = {
    {"wormhole_b0", {64, 8, 8, 12, 288, {3638, 2055, 1370, 1027}}, 1000},
    {"blackhole", {130, 13, 10, 8, 512, {5529, 2764, 1843, 1382}}, 1350},
};

static const struct {
    const char *name;
    enum gen_format format;
} formats[] = {{"v1", GEN_V1}, {"v2", GEN_V2}, {"v2.1", GEN_V21}};

static const char usage[] =
    "usage: gen_ops_csv [--seed N] [--layers N] [--devices N] [--host N] [--repeat N]\n"
    "                   [--arch wormhole_b0|blackhole] [--format v1|v2|v2.1] [--hifi3]\n"
    "                   [-o FILE]\n";

struct options {
    uint64_t seed, layers, devices, host, repeat;
    const struct gen_chip *chip;
    enum gen_format format;
    bool hifi3;
    const char *output;
};

struct run {
    struct gen_file file;
    const struct options *opt;
    struct ttp_arena *scratch;
    uint32_t available_cores;
    int sub_device; /* -1: none */
    uint64_t ops;   /* so far: places the rare long gaps */
    uint64_t host_busy_ns;
};

/* Mostly the device is kept busy; now and then the host is late. */
static uint64_t next_gap(struct run *r)
{
    uint64_t gap_ns = 650 + gen_random(&r->file, 500);

    if (r->ops == 0)
        gap_ns = 0;
    else if (!r->file.cached)
        gap_ns = 180000 + gen_random(&r->file, 120000); /* compiling */
    else if (r->ops % 37 == 0)
        gap_ns = 14000 + gen_random(&r->file, 46000);
    gap_ns += r->host_busy_ns;
    r->host_busy_ns = 0;
    r->ops++;
    return gap_ns;
}

static void write_op(struct run *r, const struct ttp_synth_op *is, bool beside)
{
    const struct gen_op op = {
        .is = *is,
        .available_cores = r->available_cores,
        .sub_device = r->sub_device,
        .beside = beside,
        .gap_ns = next_gap(r),
    };
    gen_write_op(&r->file, &op);
}

static void write_matmul(struct run *r, const struct ttp_synth_matmul *m)
{
    const struct ttp_mark mark = ttp_arena_mark(r->scratch);
    const struct ttp_synth_op op = ttp_synth_describe_matmul(
        m, &r->opt->chip->peaks, (struct ttp_synth_chips){r->file.devices, r->available_cores},
        r->opt->hifi3, r->scratch);

    write_op(r, &op, false);
    ttp_arena_rewind(r->scratch, mark);
}

static void write_plain(struct run *r, const struct ttp_synth_plain *p, bool beside)
{
    const struct ttp_synth_op op = ttp_synth_describe_plain(p, r->available_cores);

    write_op(r, &op, beside);
}

static void write_part(struct run *r, const struct ttp_synth_part *part, uint64_t layer)
{
    for (size_t i = 0; i < part->count; i++) {
        const struct ttp_synth_step *s = &part->step[i];
        if (s->among_devices && r->file.devices == 1)
            continue;
        if (s->every && layer % s->every != s->phase)
            continue;
        if (s->matmul)
            write_matmul(r, s->matmul);
        else
            write_plain(r, s->plain, false);
    }
}

static void write_host_op(struct run *r, const char *code, uint64_t host_ns)
{
    gen_write_host_op(&r->file, code, host_ns);
    r->host_busy_ns += host_ns;
}

static void use_cores(struct run *r, int sub_device, uint32_t cores)
{
    r->sub_device = sub_device;
    r->available_cores = cores;
}

/* The vocabulary: on newer tt-metal a prefetcher on one part of the chip feeds the other part. */
static void write_head(struct run *r)
{
    const uint32_t all = r->opt->chip->peaks.cores, feeders = all / 4;

    if (r->opt->format == GEN_V21) {
        use_cores(r, 0, feeders);
        write_plain(r, &ttp_synth_prefetcher, true);
        use_cores(r, 1, all - feeders);
    }
    write_part(r, &ttp_synth_llm_head, 0);
    use_cores(r, -1, all);
    write_plain(r, &ttp_synth_untilize, false);
    write_host_op(r, "(torch) aten::argmax", 164000 + gen_random(&r->file, 30000));
}

static void write_run(struct run *r)
{
    gen_write_header(&r->file);
    gen_write_signpost(&r->file, "warmup");
    write_part(r, &ttp_synth_llm_warmup, 0);
    write_host_op(r, "(torch) aten::tril", 88000);
    r->file.cached = true;
    gen_write_signpost(&r->file, "start");
    write_part(r, &ttp_synth_llm_prefill, 0);
    for (uint64_t token = 0; token < r->opt->repeat; token++) {
        for (uint64_t layer = 0; layer < r->opt->layers; layer++)
            write_part(r, &ttp_synth_llm_decode, layer);
        write_head(r);
    }
    gen_write_signpost(&r->file, "stop");
    write_part(r, &ttp_synth_llm_tail, 0);
}

static bool set_number(struct options *o, const char *name, const char *value)
{
    const struct {
        const char *name;
        uint64_t *at, min, max;
    } numbers[] = {
        {"--seed", &o->seed, 0, UINT64_MAX},
        {"--layers", &o->layers, 0, 1000},
        {"--devices", &o->devices, 1, GEN_MAX_DEVICES},
        {"--host", &o->host, 0, 1000},
        {"--repeat", &o->repeat, 1, 1000000},
    };
    for (size_t i = 0; i < TTP_COUNT(numbers); i++)
        if (strcmp(name, numbers[i].name) == 0)
            return ttp_str_to_u64(ttp_str_from(value), numbers[i].at) &&
                   *numbers[i].at >= numbers[i].min && *numbers[i].at <= numbers[i].max;
    return false;
}

static bool set_option(struct options *o, const char *name, const char *value)
{
    if (strcmp(name, "--arch") == 0) {
        for (size_t i = 0; i < TTP_COUNT(chips); i++)
            if (strcmp(value, chips[i].name) == 0)
                o->chip = &chips[i];
        return strcmp(value, o->chip->name) == 0;
    }
    if (strcmp(name, "--format") == 0) {
        for (size_t i = 0; i < TTP_COUNT(formats); i++) {
            if (strcmp(value, formats[i].name) == 0) {
                o->format = formats[i].format;
                return true;
            }
        }
        return false;
    }
    if (strcmp(name, "-o") == 0) {
        o->output = value;
        return true;
    }
    return set_number(o, name, value);
}

static bool parse_options(struct options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--hifi3") == 0) {
            o->hifi3 = true;
        } else if (i + 1 < argc && set_option(o, argv[i], argv[i + 1])) {
            i++;
        } else {
            fprintf(stderr, "gen_ops_csv: bad option or value '%s'\n", argv[i]);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct options opt = {
        .seed = 1, .layers = 2, .devices = 1, .repeat = 1, .chip = &chips[0], .format = GEN_V21};
    struct ttp_arena arena = {0};
    struct ttp_sink sink;
    struct ttp_err err = {0};
    int fd = STDOUT_FILENO;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (!parse_options(&opt, argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }
    if (opt.output)
        fd = open(opt.output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        fprintf(stderr, "gen_ops_csv: cannot create '%s'\n", opt.output);
        return 5;
    }
    ttp_sink_to_fd(&sink, fd, &arena);
    struct run run = {
        .file = {.sink = &sink,
                 .chip = opt.chip,
                 .format = opt.format,
                 .devices = (uint32_t)opt.devices,
                 .random = opt.seed * 1000003 + opt.host, /* hosts differ in noise only */
                 .host_ns = 10000000000},
        .opt = &opt,
        .scratch = &arena,
        .available_cores = opt.chip->peaks.cores,
        .sub_device = -1,
    };
    for (uint32_t device = 0; device < run.file.devices; device++)
        run.file.clock_ns[device] = 14000000000000 + device * UINT64_C(731000);
    write_run(&run);
    const ttp_code rc = ttp_sink_finish(&sink, &err);
    if (rc != TTP_OK)
        fprintf(stderr, "gen_ops_csv: %s\n", err.text);
    if (opt.output && close(fd) < 0)
        return 5;
    ttp_arena_free(&arena);
    return rc == TTP_OK ? 0 : 5;
}
