/* SPDX-License-Identifier: Apache-2.0 */
/* The message that describes an op: a line, then JSON, four blanks a level, keys in order. */
#include <inttypes.h>

#include "synth/writers.h"

/* {'a': '1'; 'b': 'f(x;y)'} as JSON, a line for each; commas were semicolons. */
static void put_attributes(struct ttp_sink *out, const char *text)
{
    bool quoted = false;

    for (; *text; text++) {
        if (*text == '\'') {
            ttp_sink_char(out, '"');
            quoted = !quoted;
        } else if (quoted) {
            ttp_sink_char(out, (char)(*text == ';' ? ',' : *text));
        } else if (*text == '{') {
            ttp_sink_put(out, TTP_STR("{\n        "));
        } else if (*text == '}') {
            ttp_sink_put(out, TTP_STR("\n    }"));
        } else if (*text == ';') {
            ttp_sink_put(out, TTP_STR(",\n        "));
            text++; /* the blank */
        } else {
            ttp_sink_char(out, *text);
        }
    }
}

static void put_tensor(struct ttp_sink *out, const struct ttp_synth_tensor *t)
{
    const size_t buffer = ttp_str_find_char(ttp_str_from(t->memory), '_');
    const uint32_t logical_y = t->logical_y ? t->logical_y : t->y;

    ttp_sink_printf(out,
                    "        {\n"
                    "            \"dtype\": \"%s\",\n"
                    "            \"layout\": \"%s\",\n"
                    "            \"shape\": {\n"
                    "                \"W\": \"%u[%u]\",\n"
                    "                \"X\": \"%u[%u]\",\n"
                    "                \"Y\": \"%u[%u]\",\n"
                    "                \"Z\": \"%u[%u]\"\n"
                    "            },\n",
                    ttp_synth_dtype_name(t->dtype), t->layout ? t->layout : "TILE", t->w, t->w,
                    t->x, t->x, t->y, logical_y, t->z, t->z);
    /* In real files, too, this device number does not follow the op's. */
    ttp_sink_printf(out,
                    "            \"storage_type\": {\n"
                    "                \"device_id\": 0,\n"
                    "                \"memory_config\": {\n"
                    "                    \"buffer_type\": \"%.*s\",\n"
                    "                    \"memory_layout\": \"%s\"\n"
                    "                }\n"
                    "            }\n"
                    "        }",
                    (int)buffer, t->memory, t->memory + buffer + 1);
}

static void put_tensors(struct ttp_sink *out, const char *key, const struct ttp_synth_tensor *t,
                        size_t count)
{
    size_t n = 0;

    ttp_sink_printf(out, "    \"%s\": [", key);
    for (size_t i = 0; i < count; i++)
        if (t[i].w) {
            ttp_sink_put(out, n++ ? TTP_STR(",\n") : TTP_STR("\n"));
            put_tensor(out, &t[i]);
        }
    ttp_sink_put(out, n ? TTP_STR("\n    ],\n") : TTP_STR("],\n"));
}

/* Path below the operations of ttnn, or a file that tt-lang generated. */
static void put_kernel(struct ttp_sink *out, const char *path, uint64_t hash, const char *fidelity)
{
    const char *const slash = strrchr(path, '/');
    const char *const name = slash ? slash + 1 : path;

    ttp_sink_put(out, TTP_STR("            {\n"));
    if (fidelity)
        ttp_sink_printf(out, "                \"math_fidelity\": \"%s\",\n", fidelity);
    ttp_sink_printf(out,
                    "                \"name\": \"%s/%" PRIu64 "/\",\n"
                    "                \"source\": \"%s%s.cpp\"\n"
                    "            }",
                    name, ttp_synth_hash_text(hash, name),
                    slash ? "ttnn/cpp/ttnn/operations/" : "/tmp/user/", path);
}

static void put_kernels(struct ttp_sink *out, const char *key, const char *path, uint64_t hash,
                        const char *fidelity)
{
    ttp_sink_printf(out, "        \"%s\": [", key);
    if (path) {
        ttp_sink_char(out, '\n');
        put_kernel(out, path, hash, fidelity);
        ttp_sink_put(out, TTP_STR("\n        "));
    }
    ttp_sink_put(out, TTP_STR("],\n"));
}

static void put_kernel_info(struct ttp_sink *out, const struct ttp_synth_op *op)
{
    static const char *const none[] = {"ACTIVE_ETH_DM_0", "ACTIVE_ETH_DM_1", "IDLE_ETH_DM_0",
                                       "IDLE_ETH_DM_1"};
    uint32_t bytes[TTP_SYNTH_KERNELS];

    ttp_synth_kernel_bytes(bytes, op);
    ttp_sink_put(out, TTP_STR("    \"kernel_info\": {\n"));
    put_kernels(out, "compute_kernels", op->compute_kernel, op->hash, op->math_fidelity);
    put_kernels(out, "datamovement_kernels", op->data_kernel, op->hash, NULL);
    ttp_sink_put(out, TTP_STR("        \"kernel_sizes\": {\n"));
    for (size_t i = 0; i < TTP_COUNT(none); i++)
        ttp_sink_printf(out, "            \"%s_max_kernel_size\": 0,\n", none[i]);
    ttp_sink_printf(out,
                    "            \"TENSIX_COMPUTE_0_max_kernel_size\": %u,\n"
                    "            \"TENSIX_COMPUTE_1_max_kernel_size\": %u,\n"
                    "            \"TENSIX_COMPUTE_2_max_kernel_size\": %u,\n"
                    "            \"TENSIX_DM_0_max_kernel_size\": %u,\n"
                    "            \"TENSIX_DM_1_max_kernel_size\": %u\n"
                    "        }\n    },\n",
                    bytes[2], bytes[3], bytes[4], bytes[0], bytes[1]);
}

struct tensors {
    const struct ttp_synth_tensor *t;
    size_t count;
};

/* Bytes per nanosecond with up to two decimals, as JSON prints a double. */
static void put_rates(struct ttp_sink *out, const char *key, struct tensors of, uint64_t ideal_ns,
                      const char *after)
{
    ttp_sink_printf(out, "        \"%s\": [", key);
    for (size_t i = 0; i < of.count && ideal_ns > 1; i++) {
        const uint64_t hundredths = ttp_synth_tensor_bytes(&of.t[i]) * 100 / ideal_ns;
        ttp_sink_printf(out, "%s\n            %" PRIu64 ".%u", i ? "," : "", hundredths / 100,
                        (unsigned)(hundredths % 100 / 10));
        if (hundredths % 10)
            ttp_sink_u64(out, hundredths % 10);
    }
    ttp_sink_printf(out, "%s]%s\n", ideal_ns > 1 ? "\n        " : "", after);
}

static void put_model(struct ttp_sink *out, const struct ttp_synth_op *op)
{
    const uint64_t compute = op->pm_compute_ns ? op->pm_compute_ns : 1;
    const uint64_t bandwidth = op->pm_bandwidth_ns ? op->pm_bandwidth_ns : 1;
    const uint64_t ideal = compute > bandwidth ? compute : bandwidth;

    ttp_sink_printf(out,
                    "    \"performance_model\": {\n"
                    "        \"bandwidth_ns\": %" PRIu64 ",\n"
                    "        \"compute_ns\": %" PRIu64 ",\n"
                    "        \"ideal_ns\": %" PRIu64 ",\n",
                    bandwidth, compute, ideal);
    put_rates(out, "input_bws", (struct tensors){op->in, 2}, ideal, ",");
    put_rates(out, "output_bws", (struct tensors){&op->out, 1}, ideal, "");
    ttp_sink_put(out, TTP_STR("    },\n"));
}

void ttp_synth_put_message(struct ttp_sink *out, const struct ttp_synth_call *c, uint32_t device)
{
    const struct ttp_synth_op *op = c->op;
    const unsigned id = ttp_synth_id(c, device);

    ttp_sink_printf(out,
                    "TT_DNN_DEVICE_OP: \"%s\", %" PRIu64 ", %u, false, %u ->\n"
                    "{\n"
                    "    \"attributes\": ",
                    op->code, op->hash, device, id);
    put_attributes(out, op->attributes);
    ttp_sink_printf(out,
                    ",\n"
                    "    \"device_id\": %u,\n"
                    "    \"global_call_count\": %u,\n",
                    device, id);
    put_tensors(out, "input_tensors", op->in, TTP_SYNTH_MAX_INPUTS);
    put_kernel_info(out, op);
    ttp_sink_printf(out,
                    "    \"op_code\": \"%s\",\n"
                    "    \"op_hash\": %" PRIu64 ",\n"
                    "    \"op_type\": \"tt_dnn_device\",\n"
                    "    \"optional_input_tensors\": [],\n",
                    op->code, op->hash);
    put_tensors(out, "output_tensors", &op->out, 1);
    put_model(out, op);
    ttp_sink_put(out, TTP_STR("    \"program_cache_hit\": false\n}"));
}
