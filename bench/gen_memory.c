/* SPDX-License-Identifier: Apache-2.0 */
/* gen_memory capture|programs MIB FILE - what memory and start-up are read from, of that size: a
 * graph capture of which nine tenths are page records, or the inspector's log of programs.
 * gen_memory counters PID FILE - the allocator's counters of one process. The same arguments give
 * the same bytes.
 * gen_memory launches RATE DIR - be a process that logs RATE launches a second in DIR, each with a
 * write of its own as the runtime does, until it is killed; it holds its log of programs open. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/outsink.h"
#include "base/str.h"

#define START_NS UINT64_C(1767225600000000000)

/* ---- a graph capture ---- */

enum { BASE = 103712, BANK = 1370848, BANKS = 64, TENSOR_BYTES = 65536 };

struct capture {
    struct ttp_sink *out;
    unsigned counter, tensor; /* tensor: node of the last output, 0: none */
    unsigned kept, kept_at;   /* buffer that is freed late, 0: none */
};

static uint64_t written(const struct ttp_sink *out)
{
    return out->written + out->len;
}

static void node(struct capture *c, const char *type, unsigned level)
{
    ttp_sink_printf(c->out,
                    "%s    {\n      \"arguments\": [],\n      \"counter\": %u,\n      "
                    "\"node_type\": \"%s\",\n      \"stacking_level\": %u,\n      ",
                    c->counter ? ",\n" : "", c->counter, type, level);
    c->counter++;
}

static void function(struct capture *c, const char *type, const char *name, unsigned level)
{
    node(c, type, level);
    if (c->tensor && strcmp(type, "function_start") == 0)
        ttp_sink_printf(c->out, "\"input_tensors\": [%u],\n      ", c->tensor);
    ttp_sink_printf(c->out,
                    "\"connections\": [],\n      \"params\": {\n        \"name\": \"%s\"\n      "
                    "}\n    }",
                    name);
}

static void put_free(struct capture *c, unsigned buffer, unsigned address)
{
    node(c, "buffer_deallocate", 0);
    ttp_sink_printf(c->out,
                    "\"connections\": [%u],\n      \"params\": {\n        \"address\": %u,\n       "
                    " \"buffer_type\": 1,\n        \"device_id\": 1,\n        \"size\": %u\n      "
                    "}\n    }",
                    buffer, address, TENSOR_BYTES * BANKS);
}

/* An op that reads the last tensor and makes the next; every sixteenth tensor is freed late. */
static void op(struct capture *c, unsigned i)
{
    const unsigned address = BASE + BANK - (i % 16 + i / 16 % 2 + 1) * TENSOR_BYTES;

    function(c, "function_start", "ttnn.linear", 1);
    function(c, "function_start", "MatmulDeviceOperation", 2);
    const unsigned buffer = c->counter;
    node(c, "buffer", 2);
    ttp_sink_printf(c->out,
                    "\"connections\": [%u],\n      \"params\": {\n        \"buffer_type\": 1,\n    "
                    "    \"device_id\": 1,\n        \"size\": %u,\n        \"type\": \"L1\"\n      "
                    "}\n    }",
                    buffer + 2, TENSOR_BYTES * BANKS);
    node(c, "buffer_allocate", 2);
    ttp_sink_printf(
        c->out,
        "\"connections\": [%u],\n      \"params\": {\n        \"address\": %u,\n        "
        "\"buffer_type\": 1,\n        \"device_id\": 1,\n        \"max_size_per_bank\": %u,\n      "
        "  \"num_cores\": 64,\n        \"page_size\": 2048,\n        \"size\": %u,\n        "
        "\"type\": \"L1\"\n      }\n    }",
        buffer, address, TENSOR_BYTES, TENSOR_BYTES * BANKS);
    node(c, "tensor", 2);
    ttp_sink_printf(c->out,
                    "\"connections\": [],\n      \"params\": {\n        \"address\": %u,\n        "
                    "\"buffer_type\": 1,\n        \"device_id\": 1,\n        \"tensor_id\": %u\n   "
                    "   }\n    }",
                    address, i + 1);
    c->tensor = c->counter - 1;
    node(c, "circular_buffer_deallocate_all", 2);
    ttp_sink_put(c->out, TTP_STR("\"connections\": [],\n      \"params\": {\n        "
                                 "\"device_id\": 1\n      }\n    }"));
    function(c, "function_end", "MatmulDeviceOperation", 2);
    function(c, "function_end", "ttnn.linear", 1);
    if (i % 16 != 15) {
        put_free(c, buffer, address);
        return;
    }
    if (c->kept)
        put_free(c, c->kept, c->kept_at);
    c->kept = buffer;
    c->kept_at = address;
}

static void put_pages(struct ttp_sink *out, uint64_t until)
{
    ttp_sink_put(out, TTP_STR("\"buffer_pages_by_address\": {\n"));
    for (unsigned i = 0; written(out) < until; i++) {
        ttp_sink_printf(out, "%s  \"%u\": [{\"alloc_counter\": %u, \"pages\": [", i ? ",\n" : "",
                        BASE + i * 32, i);
        for (unsigned k = 0; k < 64; k++)
            ttp_sink_printf(out,
                            "%s{\"address\": %u, \"bank_id\": %u, \"buffer_type\": 1, \"core_x\": "
                            "%u, \"core_y\": %u, \"device_id\": 1, \"page_address\": %u, "
                            "\"page_index\": %u, \"page_size\": 2048}",
                            k ? ", " : "", BASE + i * 32, k, k % 8, k / 8, BASE + k * 2048, k);
        ttp_sink_put(out, TTP_STR("]}]"));
    }
    ttp_sink_put(out, TTP_STR("},\n"));
}

static void put_capture(struct ttp_sink *out, uint64_t bytes)
{
    struct capture c = {.out = out};

    ttp_sink_put(out, TTP_STR("{\n"));
    put_pages(out, bytes / 10 * 9);
    ttp_sink_printf(out,
                    "\"devices\": [{\"device_id\": 1, \"l1_num_banks\": %d, \"l1_bank_size\": %d, "
                    "\"address_at_first_l1_cb_buffer\": %d, \"num_dram_channels\": 12}],\n"
                    "\"graph\": [\n",
                    BANKS, BANK, BASE);
    for (unsigned i = 0; written(out) < bytes; i++)
        op(&c, i);
    ttp_sink_put(out, TTP_STR("],\n\"metadata\": {\"rank\": 0, \"world_size\": 1}, \"version\": "
                              "1\n}\n"));
}

/* ---- logs of the inspector ---- */

static void put_programs(struct ttp_sink *out, uint64_t bytes)
{
    unsigned long long ns = START_NS;

    for (unsigned id = 1; written(out) < bytes; id++) {
        ttp_sink_printf(out, "- program_created:\n    id: %u\n    timestamp_ns: %llu\n", id, ns);
        ttp_sink_printf(out, "- program_compile_started:\n    id: %u\n    timestamp_ns: %llu\n", id,
                        ns + 1000);
        for (unsigned k = 0; k < 5; k++)
            ttp_sink_printf(
                out,
                "- program_kernel_compile_finished:\n    id: %u\n    timestamp_ns: %llu\n    "
                "duration_ns: %u\n    watcher_kernel_id: %u\n    name: kernel_%u\n    path: "
                "/cache/tt-metal-cache/0123456789/kernels/kernel_%u/%u/\n    source: "
                "ttnn/cpp/ttnn/operations/matmul/device/kernels/dataflow/reader_%u.cpp\n",
                id, ns + 200000, 199000, id * 5 + k, k, k, id % 4096, k);
        ttp_sink_printf(out,
                        "- program_compile_finished:\n    id: %u\n    timestamp_ns: %llu\n    "
                        "duration_ns: 299000\n",
                        id, ns + 300000);
        ns += 400000;
    }
}

/* ---- the allocator's counters ---- */

/* One chip, one process, whose id is `pid`. */
static void put_counters(struct ttp_sink *out, uint64_t pid)
{
    static unsigned char bytes[8576];
    const uint32_t id = (uint32_t)pid, version = 3, one = 1;

    memcpy(bytes, &version, sizeof(version));
    memcpy(bytes + 4, &one, sizeof(one));  /* processes */
    memcpy(bytes + 16, &one, sizeof(one)); /* attached */
    memset(bytes + 88, 0xff, sizeof(one)); /* no other chip */
    memcpy(bytes + 856, &id, sizeof(id));
    memcpy(bytes + 912, "bench", 5);
    ttp_sink_put(out, (ttp_str){(const char *)bytes, sizeof(bytes)});
}

/* ---- launches ---- */

#define PROGRAMS 20

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int open_log(const char *dir, const char *name)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

static bool put_launch(int log, unsigned program)
{
    char record[256];
    const int n = snprintf(record, sizeof(record),
                           "- mesh_workload_set_program_binary_status:\n    mesh_workload_id: %u\n"
                           "    mesh_id: 0\n    status: Committed\n    timestamp_ns: %lld\n",
                           program, (long long)now_ns(CLOCK_REALTIME));

    return write(log, record, (size_t)n) == n;
}

/* Late wake-ups are compensated: the rate holds on a busy machine, too. */
static int launch(uint64_t rate, const char *dir)
{
    const int programs = open_log(dir, "programs_log.yaml");
    const int launches = open_log(dir, "mesh_workloads_log.yaml");
    const int64_t start = now_ns(CLOCK_MONOTONIC);

    if (programs < 0 || launches < 0 || rate == 0 || rate > 1000000)
        return 5;
    for (uint64_t done = 0;;) {
        const int64_t passed = now_ns(CLOCK_MONOTONIC) - start;

        for (; done * 1000000000 <= (uint64_t)passed * rate; done++)
            if (!put_launch(launches, 1 + (unsigned)(done % PROGRAMS)))
                return 5;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *word;
        void (*put)(struct ttp_sink *out, uint64_t bytes);
    } kinds[] = {{"capture", put_capture}, {"programs", put_programs}, {"counters", put_counters}};
    struct ttp_outsink out;
    struct ttp_err err = {0};
    uint64_t number;

    if (argc == 4 && strcmp(argv[1], "launches") == 0 &&
        ttp_str_to_u64(ttp_str_from(argv[2]), &number))
        return launch(number, argv[3]);
    for (size_t i = 0; argc == 4 && i < TTP_COUNT(kinds); i++) {
        if (strcmp(argv[1], kinds[i].word) != 0 || !ttp_str_to_u64(ttp_str_from(argv[2]), &number))
            continue;
        ttp_code rc = ttp_outsink_open(&out, argv[3], &err);
        if (rc == TTP_OK) {
            kinds[i].put(&out.sink, kinds[i].put == put_counters ? number : number << 20);
            rc = ttp_outsink_close(&out, TTP_OK, &err);
        }
        if (rc == TTP_OK)
            return 0;
        fprintf(stderr, "gen_memory: %s\n", err.text);
        return 5;
    }
    fputs("usage: gen_memory capture|programs|counters|launches NUMBER FILE\n", stderr);
    return 2;
}
