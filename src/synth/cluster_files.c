/* SPDX-License-Identifier: Apache-2.0 */
/* Files that describe the machine and the zones rather than the run. Devices are a line, joined by
 * two Ethernet channels. */
#include "base/json_write.h"
#include "synth/kernel_run.h"
#include "synth/writers.h"

static void put_key_number(struct ttp_json_writer *w, const char *key, int64_t value)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_i64(w, value);
}

static void put_device_key(struct ttp_json_writer *w, uint32_t device)
{
    char key[TTP_NUM_MAX];

    ttp_json_put_key(w, (ttp_str){key, ttp_num_u64(key, device)});
}

static void put_pair(struct ttp_json_writer *w, uint32_t a, uint32_t b)
{
    ttp_json_begin_array(w);
    ttp_json_put_i64(w, a);
    ttp_json_put_i64(w, b);
    ttp_json_end_array(w);
}

static const char *board(const struct ttp_synth_plan *p)
{
    for (uint32_t i = 0; i < TTP_COUNT(p->chip.board); i++)
        if (p->opt.devices == 1u << i)
            return p->chip.board[i];
    return "CUSTOM";
}

/* East is the next device, west the one before; each way has its own pair of channels. */
static void put_planes(struct ttp_json_writer *w, const struct ttp_synth_plan *p, uint32_t device)
{
    ttp_json_begin_object(w);
    put_key_number(w, "device_id", device);
    ttp_json_put_key(w, TTP_STR("device_routing_planes"));
    ttp_json_begin_array(w);
    for (uint32_t plane = 0; plane < TTP_SYNTH_LINKS; plane++) {
        ttp_json_begin_object(w);
        put_key_number(w, "routing_plane_id", plane);
        ttp_json_put_key(w, TTP_STR("ethernet_channels"));
        ttp_json_begin_object(w);
        if (device + 1 < p->opt.devices)
            put_key_number(w, "E", plane);
        if (device > 0)
            put_key_number(w, "W", TTP_SYNTH_LINKS + plane);
        ttp_json_end_object(w);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

void ttp_synth_put_topology(struct ttp_sink *out, const struct ttp_synth_plan *p)
{
    const bool fabric = p->opt.devices > 1;
    struct ttp_json_writer w = {.sink = out, .indent = true};

    ttp_json_begin_object(&w);
    ttp_json_put_key(&w, TTP_STR("mesh_shapes"));
    ttp_json_begin_array(&w);
    ttp_json_begin_object(&w);
    put_key_number(&w, "mesh_id", 0);
    ttp_json_put_key(&w, TTP_STR("shape"));
    put_pair(&w, 1, p->opt.devices);
    ttp_json_end_object(&w);
    ttp_json_end_array(&w);
    ttp_json_put_key(&w, TTP_STR("cluster_type"));
    ttp_json_put_str(&w, ttp_str_from(board(p)));
    ttp_json_put_key(&w, TTP_STR("device_id_to_fabric_node_id"));
    ttp_json_begin_object(&w);
    for (uint32_t device = 0; device < p->opt.devices; device++) {
        put_device_key(&w, device);
        put_pair(&w, 0, device);
    }
    ttp_json_end_object(&w);
    ttp_json_put_key(&w, TTP_STR("fabric_config"));
    ttp_json_put_str(&w, fabric ? TTP_STR("FABRIC_1D") : TTP_STR("DISABLED"));
    if (fabric) {
        ttp_json_put_key(&w, TTP_STR("routing_planes"));
        ttp_json_begin_array(&w);
        for (uint32_t device = 0; device < p->opt.devices; device++)
            put_planes(&w, p, device);
        ttp_json_end_array(&w);
    }
    ttp_json_put_key(&w, TTP_STR("eth_chan_to_coord"));
    ttp_json_begin_object(&w);
    for (uint32_t channel = 0; channel < p->chip.neth; channel++) {
        put_device_key(&w, channel);
        put_pair(&w, p->chip.eth[channel].x, p->chip.eth[channel].y);
    }
    ttp_json_end_object(&w);
    ttp_json_end_object(&w);
}

void ttp_synth_put_coordinates(struct ttp_sink *out, const struct ttp_synth_plan *p)
{
    struct ttp_json_writer w = {.sink = out, .indent = true};

    ttp_json_begin_object(&w);
    ttp_json_put_key(&w, TTP_STR("physical_chip_to_eth_coord"));
    ttp_json_begin_object(&w);
    for (uint32_t device = 0; device < p->opt.devices; device++) {
        put_device_key(&w, device);
        ttp_json_begin_object(&w);
        put_key_number(&w, "rack", 0);
        put_key_number(&w, "shelf", 0);
        put_key_number(&w, "x", device);
        put_key_number(&w, "y", 0);
        ttp_json_end_object(&w);
    }
    ttp_json_end_object(&w);
    ttp_json_end_object(&w);
}

/* The compiler's words around the payload that makes a zone's id. */
static void put_source(struct ttp_sink *out, const struct ttp_synth_zone *z)
{
    ttp_sink_printf(out, "%s:%u:9: note: '#pragma message: %s,%s,%u,KERNEL_PROFILER'\n", z->file,
                    z->line, z->name, z->file, z->line);
}

void ttp_synth_put_zone_sources(struct ttp_sink *out, const struct ttp_synth_plan *p)
{
    size_t count;
    const struct ttp_synth_zone *lines = ttp_synth_kernel_zones_of_lines(&count);

    for (size_t risc = 0; risc < SYNTH_RISCS; risc++) {
        if (risc == SYNTH_TRISC_1 || risc == SYNTH_TRISC_2)
            continue; /* as TRISC_0 */
        put_source(out, &ttp_synth_fw_zones[risc]);
        put_source(out, &ttp_synth_kernel_zones[risc]);
    }
    for (size_t i = 0; p->opt.sums && i < TTP_COUNT(ttp_synth_sum_zones); i++)
        put_source(out, &ttp_synth_sum_zones[i]);
    for (size_t i = 0; p->kernel && !p->opt.no_lines && i < count; i++)
        put_source(out, &lines[i]);
}

/* Ten samples of a device, 10 ms apart, then how its clock relates to that of the first. All clocks
 * here run as they should; a tick of the host's is half a nanosecond. */
void ttp_synth_put_sync(struct ttp_sink *out, const struct ttp_synth_plan *p)
{
    enum { SAMPLES = 10, TICKS = 20000000 };
    const uint64_t host_start = UINT64_C(6800000000), cycles = UINT64_C(10000) * p->chip.mhz;

    ttp_sink_put(out, TTP_STR("device id,core_x, core_y,device,host_tracy,host_real,write_overhead,"
                              "host_start,delay,frequency,tracy_ratio,tracy_base_time,"
                              "device_frequency_ratio,device_shift\n"));
    for (uint32_t device = 0; device < p->opt.devices; device++)
        for (uint64_t i = 0; i < SAMPLES; i++)
            ttp_sink_printf(
                out,
                "%5u,%5u,%5u,%20llu,%20llu,%20.2f,%20llu,%20llu,%20.2f,%20.15f,%20.15f,"
                "%20llu,1.0,0\n",
                device, p->chip.column[0], p->chip.row[0],
                (unsigned long long)(p->exec[0].start_cycle - (SAMPLES + 1 - i) * cycles),
                (unsigned long long)(i * TICKS), (double)(i * TICKS) / 2,
                (unsigned long long)(ttp_synth_hash(p, device, i) % 400 + 900),
                (unsigned long long)host_start,
                (double)(p->exec[0].start_cycle - (SAMPLES + 1) * cycles),
                (double)p->chip.mhz / 1000, 0.5, 0ull);
    for (uint32_t device = 1; device < p->opt.devices; device++)
        ttp_sink_printf(out, "%5u,,,,,,,,,,,,%20.15f,%20u\n", device, 1.0, 0u);
}
