/* SPDX-License-Identifier: Apache-2.0 */
/* Column names and their order are those of tt-metal's report writer as seen in real files: v1 from
 * before 2025-08, v2 with padded and logical sizes, v2.1 of 2026-06 with architecture, worker count
 * and sub-device. A line is filled into a struct row, then printed column by column. */
#include "ops_csv_row.h"

#include <inttypes.h>
#include <stdio.h>

enum { ALL_FORMATS = GEN_V1 | GEN_V2 | GEN_V21 };
enum row_kind { ON_DEVICE = 1, ON_HOST = 2, ON_SIGNPOST = 4, ON_ALL = 7 };
enum cell_type { CELL_EMPTY, CELL_TEXT, CELL_NUMBER };

struct row {
    const char *code, *type, *arch, *attributes, *fidelity;
    const char *sub_device, *compute_source, *compute_hash, *data_source, *data_hash, *cache_hit;
    const char *request_in, *request_out, *fpu_util;
    uint64_t call_count, device, cores, available_cores;
    uint64_t host_start, host_end, host_ns;
    uint64_t fw_start_cycle, fw_end_cycle, gap_ns, gap_risc_ns, fw_ns, kernel_ns, kernel_dm_ns;
    uint64_t first_to_last_ns, brisc_ns, ncrisc_ns, trisc0_ns, trisc1_ns, trisc2_ns;
    uint64_t program_hash, dm0_bytes, dm1_bytes, compute0_bytes, compute1_bytes, compute2_bytes;
    uint64_t none; /* kernels that are missing have size 0 */
    uint64_t pm_ideal_ns, pm_compute_ns, pm_bandwidth_ns;
};

struct column {
    const char *name;
    enum cell_type type;
    size_t offset; /* in struct row */
    unsigned formats;
    unsigned rows; /* the kinds of row that have a value */
};

#define TEXT(name, field, formats, rows)                                                           \
    {                                                                                              \
        name, CELL_TEXT, offsetof(struct row, field), formats, rows                                \
    }
#define NUMBER(name, field, formats, rows)                                                         \
    {                                                                                              \
        name, CELL_NUMBER, offsetof(struct row, field), formats, rows                              \
    }
#define EMPTY(name, formats)                                                                       \
    {                                                                                              \
        name, CELL_EMPTY, 0, formats, 0                                                            \
    }

static const struct column before_tensors[] = {
    TEXT("OP CODE", code, ALL_FORMATS, ON_ALL),
    TEXT("OP TYPE", type, ALL_FORMATS, ON_ALL),
    NUMBER("GLOBAL CALL COUNT", call_count, ALL_FORMATS, ON_DEVICE | ON_HOST),
    NUMBER("DEVICE ID", device, ALL_FORMATS, ON_DEVICE),
    TEXT("DEVICE ARCH", arch, GEN_V21, ON_DEVICE),
    TEXT("ATTRIBUTES", attributes, ALL_FORMATS, ON_DEVICE),
    TEXT("MATH FIDELITY", fidelity, ALL_FORMATS, ON_DEVICE),
    NUMBER("CORE COUNT", cores, ALL_FORMATS, ON_DEVICE),
    NUMBER("AVAILABLE WORKER CORE COUNT", available_cores, GEN_V21, ON_DEVICE),
    TEXT("SUB DEVICE ID", sub_device, GEN_V21, ON_DEVICE),
    EMPTY("PARALLELIZATION STRATEGY", ALL_FORMATS),
    NUMBER("HOST START TS", host_start, ALL_FORMATS, ON_ALL),
    NUMBER("HOST END TS", host_end, ALL_FORMATS, ON_DEVICE | ON_HOST),
    NUMBER("HOST DURATION [ns]", host_ns, ALL_FORMATS, ON_DEVICE | ON_HOST),
    NUMBER("DEVICE FW START CYCLE", fw_start_cycle, ALL_FORMATS, ON_DEVICE),
    NUMBER("DEVICE FW END CYCLE", fw_end_cycle, ALL_FORMATS, ON_DEVICE),
    NUMBER("OP TO OP LATENCY [ns]", gap_ns, ALL_FORMATS, ON_DEVICE),
    NUMBER("OP TO OP LATENCY BR/NRISC START [ns]", gap_risc_ns, ALL_FORMATS, ON_DEVICE),
    NUMBER("DEVICE FW DURATION [ns]", fw_ns, ALL_FORMATS, ON_DEVICE),
    NUMBER("DEVICE KERNEL DURATION [ns]", kernel_ns, ALL_FORMATS, ON_DEVICE),
    NUMBER("DEVICE KERNEL DURATION DM START [ns]", kernel_dm_ns, ALL_FORMATS, ON_DEVICE),
    EMPTY("DEVICE KERNEL DURATION PER CORE MIN [ns]", ALL_FORMATS),
    EMPTY("DEVICE KERNEL DURATION PER CORE MAX [ns]", ALL_FORMATS),
    EMPTY("DEVICE KERNEL DURATION PER CORE AVG [ns]", ALL_FORMATS),
    NUMBER("DEVICE KERNEL FIRST TO LAST START [ns]", first_to_last_ns, ALL_FORMATS, ON_DEVICE),
    NUMBER("DEVICE BRISC KERNEL DURATION [ns]", brisc_ns, ALL_FORMATS, ON_DEVICE),
    NUMBER("DEVICE NCRISC KERNEL DURATION [ns]", ncrisc_ns, ALL_FORMATS, ON_DEVICE),
    NUMBER("DEVICE TRISC0 KERNEL DURATION [ns]", trisc0_ns, ALL_FORMATS, ON_DEVICE),
    NUMBER("DEVICE TRISC1 KERNEL DURATION [ns]", trisc1_ns, ALL_FORMATS, ON_DEVICE),
    NUMBER("DEVICE TRISC2 KERNEL DURATION [ns]", trisc2_ns, ALL_FORMATS, ON_DEVICE),
    EMPTY("DEVICE ERISC KERNEL DURATION [ns]", ALL_FORMATS),
    EMPTY("DEVICE COMPUTE CB WAIT FRONT [ns]", ALL_FORMATS),
    EMPTY("DEVICE COMPUTE CB RESERVE BACK [ns]", ALL_FORMATS),
    EMPTY("DISPATCH TOTAL CQ CMD OP TIME [ns]", ALL_FORMATS),
    EMPTY("DISPATCH GO SEND WAIT TIME [ns]", ALL_FORMATS),
};

static const struct column after_tensors[] = {
    EMPTY("METAL TRACE ID", ALL_FORMATS),
    EMPTY("METAL TRACE REPLAY SESSION ID", ALL_FORMATS),
    TEXT("COMPUTE KERNEL SOURCE", compute_source, ALL_FORMATS, ON_DEVICE),
    TEXT("COMPUTE KERNEL HASH", compute_hash, ALL_FORMATS, ON_DEVICE),
    TEXT("DATA MOVEMENT KERNEL SOURCE", data_source, ALL_FORMATS, ON_DEVICE),
    TEXT("DATA MOVEMENT KERNEL HASH", data_hash, ALL_FORMATS, ON_DEVICE),
    NUMBER("PROGRAM HASH", program_hash, GEN_V21, ON_DEVICE),
    TEXT("PROGRAM CACHE HIT", cache_hit, GEN_V21, ON_DEVICE),
    NUMBER("BRISC MAX KERNEL SIZE [B]", dm0_bytes, GEN_V1, ON_DEVICE),
    NUMBER("NCRISC MAX KERNEL SIZE [B]", dm1_bytes, GEN_V1, ON_DEVICE),
    NUMBER("TRISC 0 MAX KERNEL SIZE [B]", compute0_bytes, GEN_V1, ON_DEVICE),
    NUMBER("TRISC 1 MAX KERNEL SIZE [B]", compute1_bytes, GEN_V1, ON_DEVICE),
    NUMBER("TRISC 2 MAX KERNEL SIZE [B]", compute2_bytes, GEN_V1, ON_DEVICE),
    NUMBER("ERISC MAX KERNEL SIZE [B]", none, GEN_V1, ON_DEVICE),
    NUMBER("TENSIX DM 0 MAX KERNEL SIZE [B]", dm0_bytes, GEN_V2 | GEN_V21, ON_DEVICE),
    NUMBER("TENSIX DM 1 MAX KERNEL SIZE [B]", dm1_bytes, GEN_V2 | GEN_V21, ON_DEVICE),
    NUMBER("TENSIX COMPUTE 0 MAX KERNEL SIZE [B]", compute0_bytes, GEN_V2 | GEN_V21, ON_DEVICE),
    NUMBER("TENSIX COMPUTE 1 MAX KERNEL SIZE [B]", compute1_bytes, GEN_V2 | GEN_V21, ON_DEVICE),
    NUMBER("TENSIX COMPUTE 2 MAX KERNEL SIZE [B]", compute2_bytes, GEN_V2 | GEN_V21, ON_DEVICE),
    NUMBER("ACTIVE ETH DM 0 MAX KERNEL SIZE [B]", none, GEN_V2 | GEN_V21, ON_DEVICE),
    NUMBER("ACTIVE ETH DM 1 MAX KERNEL SIZE [B]", none, GEN_V2 | GEN_V21, ON_DEVICE),
    NUMBER("IDLE ETH DM 0 MAX KERNEL SIZE [B]", none, GEN_V2 | GEN_V21, ON_DEVICE),
    NUMBER("IDLE ETH DM 1 MAX KERNEL SIZE [B]", none, GEN_V2 | GEN_V21, ON_DEVICE),
    NUMBER("PM IDEAL [ns]", pm_ideal_ns, ALL_FORMATS, ON_DEVICE),
    NUMBER("PM COMPUTE [ns]", pm_compute_ns, ALL_FORMATS, ON_DEVICE),
    NUMBER("PM BANDWIDTH [ns]", pm_bandwidth_ns, ALL_FORMATS, ON_DEVICE),
    TEXT("PM REQ I BW", request_in, ALL_FORMATS, ON_DEVICE),
    TEXT("PM REQ O BW", request_out, ALL_FORMATS, ON_DEVICE),
    TEXT("PM FPU UTIL (%)", fpu_util, ALL_FORMATS, ON_DEVICE),
    EMPTY("NOC UTIL (%)", ALL_FORMATS),
    EMPTY("MULTICAST NOC UTIL (%)", GEN_V21),
    EMPTY("DRAM BW UTIL (%)", ALL_FORMATS),
    EMPTY("DRAM BW UTIL PER CTRL (%)", GEN_V21),
    EMPTY("ETH BW UTIL (%)", GEN_V21),
    EMPTY("NPE CONG IMPACT (%)", ALL_FORMATS),
};

uint64_t gen_random(struct gen_file *f, uint64_t below)
{
    return ttp_synth_random(&f->random) % below;
}

/* v with a random change of at most `per_mille`, either way. */
static uint64_t jitter(struct gen_file *f, uint64_t v, uint32_t per_mille)
{
    const uint64_t reach = v * per_mille / 1000;
    return v - reach + gen_random(f, 2 * reach + 1);
}

static uint64_t percent_of(uint64_t v, uint64_t percent)
{
    return v * percent / 100;
}

/* Between the cells of a line, not before its first. */
static void put_comma(struct gen_file *f)
{
    if (f->in_line)
        ttp_sink_char(f->sink, ',');
    f->in_line = true;
}

static void end_line(struct gen_file *f)
{
    ttp_sink_char(f->sink, '\n');
    f->in_line = false;
}

static void put_columns(struct gen_file *f, const struct column *column, size_t count,
                        const struct row *row, unsigned kind)
{
    for (size_t i = 0; i < count; i++) {
        const struct column *c = &column[i];
        const char *at = (const char *)row + c->offset;
        if (!(c->formats & f->format))
            continue;
        put_comma(f);
        if (c->rows & kind && c->type == CELL_NUMBER) {
            ttp_sink_printf(f->sink, "%" PRIu64, *(const uint64_t *)(const void *)at);
        } else if (c->rows & kind && c->type == CELL_TEXT) {
            ttp_sink_put(f->sink, ttp_str_from(*(const char *const *)(const void *)at));
        }
    }
}

static void put_size(struct gen_file *f, uint32_t padded, uint32_t logical)
{
    if (f->format == GEN_V1)
        ttp_sink_printf(f->sink, ",%" PRIu32, padded);
    else
        ttp_sink_printf(f->sink, ",%" PRIu32 "[%" PRIu32 "]", padded, logical);
}

static void put_tensor(struct gen_file *f, const struct ttp_synth_tensor *t)
{
    if (t == NULL || t->w == 0) {
        ttp_sink_put(f->sink, TTP_STR(",,,,,,,"));
        return;
    }
    put_size(f, t->w, t->w);
    put_size(f, t->z, t->z);
    put_size(f, t->y, t->logical_y ? t->logical_y : t->y);
    put_size(f, t->x, t->x);
    /* In real files, too, this number does not follow DEVICE ID. */
    ttp_sink_printf(f->sink, ",%s,%s,DEV_0_%s", t->layout ? t->layout : "TILE",
                    ttp_synth_dtype_name(t->dtype), t->memory);
}

static void put_row(struct gen_file *f, const struct row *row, unsigned kind,
                    const struct gen_op *op)
{
    put_columns(f, before_tensors, TTP_COUNT(before_tensors), row, kind);
    for (size_t i = 0; i < TTP_SYNTH_MAX_INPUTS; i++)
        put_tensor(f, op ? &op->is.in[i] : NULL);
    put_tensor(f, op ? &op->is.out : NULL);
    put_columns(f, after_tensors, TTP_COUNT(after_tensors), row, kind);
    end_line(f);
}

static void put_names(struct gen_file *f, const struct column *column, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (column[i].formats & f->format) {
            put_comma(f);
            ttp_sink_put(f->sink, ttp_str_from(column[i].name));
        }
    }
}

static void put_tensor_names(struct gen_file *f, const char *tensor)
{
    const char *const suffix = f->format == GEN_V1 ? "" : "_PAD[LOGICAL]";
    for (const char *axis = "WZYX"; *axis; axis++)
        ttp_sink_printf(f->sink, ",%s_%c%s", tensor, *axis, suffix);
    ttp_sink_printf(f->sink, ",%s_LAYOUT,%s_DATATYPE,%s_MEMORY", tensor, tensor, tensor);
}

void gen_write_header(struct gen_file *f)
{
    put_names(f, before_tensors, TTP_COUNT(before_tensors));
    put_tensor_names(f, "INPUT_0");
    put_tensor_names(f, "INPUT_1");
    put_tensor_names(f, "INPUT_2");
    put_tensor_names(f, "OUTPUT_0");
    put_names(f, after_tensors, TTP_COUNT(after_tensors));
    end_line(f);
}

struct kernel_text {
    char source[160], hash[96];
};

/* "['path/name.cpp']" and "['name/123/']", as tt-metal prints lists; "[]" without a kernel. */
static void name_kernel(struct kernel_text *out, const char *path, uint64_t hash)
{
    if (path == NULL) {
        snprintf(out->source, sizeof(out->source), "[]");
        snprintf(out->hash, sizeof(out->hash), "[]");
        return;
    }
    const char *const slash = strrchr(path, '/');
    const char *const name = slash ? slash + 1 : path;
    snprintf(out->source, sizeof(out->source), "['ttnn/cpp/ttnn/operations/%s.cpp']", path);
    snprintf(out->hash, sizeof(out->hash), "['%s/%" PRIu64 "/']", name,
             ttp_synth_hash_text(hash, name));
}

static uint64_t to_cycles(const struct gen_file *f, uint64_t ns)
{
    return ns * f->chip->mhz / 1000;
}

static void fill_times(struct gen_file *f, struct row *row, const struct gen_op *op,
                       uint32_t device)
{
    const uint64_t gap_ns = jitter(f, op->gap_ns, 150);
    const uint64_t start_ns = f->clock_ns[device] + gap_ns;

    row->kernel_ns =
        jitter(f, op->is.ns, 12) + gen_random(f, op->is.ns * op->is.device_spread / 1000 + 1);
    row->fw_ns = row->kernel_ns + 900 + gen_random(f, 500);
    row->fw_start_cycle = to_cycles(f, start_ns);
    row->fw_end_cycle = to_cycles(f, start_ns + row->fw_ns);
    row->gap_ns = gap_ns;
    row->gap_risc_ns = gap_ns + gen_random(f, 40);
    row->kernel_dm_ns = row->kernel_ns - gen_random(f, 6);
    row->first_to_last_ns = 80 + gen_random(f, 350);
    row->brisc_ns = percent_of(row->kernel_ns, 97) + gen_random(f, row->kernel_ns / 50 + 1);
    row->ncrisc_ns = percent_of(row->kernel_ns, 95) + gen_random(f, row->kernel_ns / 30 + 1);
    row->trisc0_ns = percent_of(row->kernel_ns, 96) + gen_random(f, row->kernel_ns / 50 + 1);
    row->trisc1_ns = row->trisc0_ns + gen_random(f, 60);
    row->trisc2_ns = row->trisc1_ns + gen_random(f, 160);
    if (!op->beside)
        f->clock_ns[device] = start_ns + row->fw_ns;
}

struct pm_text {
    char in[64], out[32], util[32];
};

/* The performance model: what the data needs per nanosecond of the ideal time, and how near we are.
 */
static void fill_model(struct row *row, const struct gen_op *op, struct pm_text *text)
{
    const uint64_t compute = op->is.pm_compute_ns ? op->is.pm_compute_ns : 1;
    const uint64_t bandwidth = op->is.pm_bandwidth_ns ? op->is.pm_bandwidth_ns : 1;
    const uint64_t ideal = compute > bandwidth ? compute : bandwidth;
    const uint64_t in0 = ttp_synth_tensor_bytes(&op->is.in[0]) * 100 / ideal;
    const uint64_t in1 = ttp_synth_tensor_bytes(&op->is.in[1]) * 100 / ideal;
    const uint64_t out = ttp_synth_tensor_bytes(&op->is.out) * 100 / ideal;
    const uint64_t util = compute * 100000 / row->kernel_ns;

    row->pm_ideal_ns = ideal;
    row->pm_compute_ns = compute;
    row->pm_bandwidth_ns = bandwidth;
    snprintf(text->in, sizeof(text->in), "[%" PRIu64 ".%02u; %" PRIu64 ".%02u]", in0 / 100,
             (unsigned)(in0 % 100), in1 / 100, (unsigned)(in1 % 100));
    snprintf(text->out, sizeof(text->out), "[%" PRIu64 ".%02u]", out / 100, (unsigned)(out % 100));
    if (ideal == 1) { /* not modelled */
        snprintf(text->in, sizeof(text->in), "[]");
        snprintf(text->out, sizeof(text->out), "[]");
    }
    snprintf(text->util, sizeof(text->util), "%" PRIu64 ".%03u", util / 1000,
             (unsigned)(util % 1000));
    row->request_in = text->in;
    row->request_out = text->out;
    row->fpu_util = text->util;
}

static void fill_program(struct gen_file *f, struct row *row, const struct gen_op *op)
{
    uint32_t bytes[TTP_SYNTH_KERNELS];

    ttp_synth_kernel_bytes(bytes, &op->is);
    row->program_hash = op->is.hash;
    row->cache_hit = f->cached ? "True" : "False";
    row->dm0_bytes = bytes[0];
    row->dm1_bytes = bytes[1];
    row->compute0_bytes = bytes[2];
    row->compute1_bytes = bytes[3];
    row->compute2_bytes = bytes[4];
}

void gen_write_op(struct gen_file *f, const struct gen_op *op)
{
    struct kernel_text compute, data;
    struct pm_text pm;
    char sub_device[16] = "";
    const uint64_t hash = op->is.hash;
    const uint64_t host_ns = f->cached ? 3000 + gen_random(f, 9000) : 90000 + gen_random(f, 90000);

    name_kernel(&compute, op->is.compute_kernel, hash);
    name_kernel(&data, op->is.data_kernel, hash);
    if (op->sub_device >= 0)
        snprintf(sub_device, sizeof(sub_device), "%d", op->sub_device);
    f->runtime_id++;
    for (uint32_t device = 0; device < f->devices; device++) {
        struct row row = {
            .code = op->is.code,
            .type = "tt_dnn_device",
            .arch = f->chip->name,
            .attributes = op->is.attributes,
            .fidelity = op->is.math_fidelity,
            .sub_device = sub_device,
            .compute_source = compute.source,
            .compute_hash = compute.hash,
            .data_source = data.source,
            .data_hash = data.hash,
            .call_count = f->runtime_id << 10 | device, /* as tt-metal joins the two numbers */
            .device = device,
            .cores = op->is.cores,
            .available_cores = op->available_cores,
            .host_start = f->host_ns,
            .host_end = f->host_ns + host_ns,
            .host_ns = host_ns,
        };
        fill_times(f, &row, op, device);
        fill_model(&row, op, &pm);
        fill_program(f, &row, op);
        put_row(f, &row, ON_DEVICE, op);
        f->host_ns += 200 + gen_random(f, 300);
    }
    f->host_ns += host_ns + gen_random(f, 2000);
}

void gen_write_host_op(struct gen_file *f, const char *code, uint64_t host_ns)
{
    f->runtime_id++;
    const struct row row = {
        .code = code,
        .type = "python_fallback",
        .call_count = f->runtime_id << 10,
        .host_start = f->host_ns,
        .host_end = f->host_ns + host_ns,
        .host_ns = host_ns,
    };
    put_row(f, &row, ON_HOST, NULL);
    f->host_ns = row.host_end + 500;
}

void gen_write_signpost(struct gen_file *f, const char *name)
{
    const struct row row = {.code = name, .type = "signpost", .host_start = f->host_ns};
    put_row(f, &row, ON_SIGNPOST, NULL);
    f->host_ns += 1500;
}
