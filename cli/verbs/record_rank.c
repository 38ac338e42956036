/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/record_rank.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

#include "base/file.h"
#include "base/json_write.h"
#include "base/order.h"
#include "base/outsink.h"

const char *ttp_record_rank_folder(const struct ttp_job_rank *rank, const char *dir,
                                   struct ttp_arena *arena)
{
    char name[32];
    ttp_str own = ttp_str_from(dir);

    snprintf(name, sizeof(name), "rank%" PRId64, rank->rank);
    while (own.len > 1 && own.ptr[own.len - 1] == '/')
        own.len--;
    const ttp_str wanted = ttp_str_from(name);
    if (ttp_str_ends(own, wanted) &&
        (own.len == wanted.len || own.ptr[own.len - wanted.len - 1] == '/'))
        return dir; /* as tt-run has it */
    return ttp_file_join(dir, ttp_arena_zstr(arena, wanted), arena);
}

/* Ranks that a line has room for. */
#define MOST_NAMED 16

ttp_str ttp_record_left_over(const struct ttp_job_rank *rank, ttp_str dir, struct ttp_arena *arena)
{
    struct ttp_words names = {0};
    struct ttp_sink list;
    size_t n = 0;

    ttp_sink_to_arena(&list, arena);
    if (rank->size <= 0 || ttp_file_list(&names, ttp_arena_zstr(arena, dir), arena, NULL) != TTP_OK)
        return TTP_STR("");
    for (size_t i = 0; i < names.count; i++) {
        const ttp_str name = ttp_str_from(names.word[i]);
        int64_t number;
        if (ttp_str_starts(name, TTP_STR("rank")) &&
            ttp_str_to_i64(ttp_str_slice(name, 4, name.len), &number) && number >= rank->size &&
            n++ < MOST_NAMED)
            ttp_sink_printf(&list, " %.*s", TTP_FMT(name));
    }
    if (n > MOST_NAMED)
        ttp_sink_put(&list, TTP_STR(" ..."));
    return ttp_sink_text(&list);
}

ttp_str ttp_record_name_ranks(const struct ttp_job_rank *rank, ttp_str dir, struct ttp_arena *arena)
{
    struct ttp_sink list;

    ttp_sink_to_arena(&list, arena);
    for (int64_t r = 0; r < rank->size && r < MOST_NAMED; r++)
        ttp_sink_printf(&list, "%s%.*s/rank%" PRId64, r ? " " : "", TTP_FMT(dir), r);
    if (rank->size > MOST_NAMED)
        ttp_sink_put(&list, TTP_STR(" ..."));
    return ttp_sink_text(&list);
}

/* ---- clocks ---- */

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec t = {0};

    (void)clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* As Tracy counts on this machine. */
static int64_t ticks(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return (int64_t)__rdtsc();
#else
    return nanoseconds(CLOCK_MONOTONIC_RAW);
#endif
}

struct ttp_rank_clock ttp_record_read_clocks(void)
{
    struct ttp_rank_clock best = {.width_ns = INT64_MAX};

    for (int i = 0; i < 5; i++) {
        struct ttp_rank_clock now;
        now.monotonic_raw_ns = nanoseconds(CLOCK_MONOTONIC_RAW);
        now.realtime_ns = nanoseconds(CLOCK_REALTIME);
        now.tsc = ticks();
        now.width_ns = nanoseconds(CLOCK_MONOTONIC_RAW) - now.monotonic_raw_ns;
        if (now.width_ns < best.width_ns)
            best = now;
    }
    return best;
}

/* ---- rank.json ---- */

static void put_key(struct ttp_json_writer *w, const char *key)
{
    ttp_json_put_key(w, ttp_str_from(key));
}

static void put_number(struct ttp_json_writer *w, const char *key, int64_t v)
{
    put_key(w, key);
    ttp_json_put_i64(w, v);
}

static void put_text(struct ttp_json_writer *w, const char *key, ttp_str v)
{
    put_key(w, key);
    ttp_json_put_str(w, v);
}

static void put_clock(struct ttp_json_writer *w, const char *key, const struct ttp_rank_clock *c)
{
    put_key(w, key);
    if (c->realtime_ns == 0) {
        ttp_json_put_null(w);
        return;
    }
    ttp_json_begin_object(w);
    put_number(w, "realtime_ns", c->realtime_ns);
    put_number(w, "monotonic_raw_ns", c->monotonic_raw_ns);
    put_number(w, "tsc", c->tsc);
    put_number(w, "width_ns", c->width_ns);
    ttp_json_end_object(w);
}

static void put_ticks(struct ttp_json_writer *w, const struct ttp_rank_ticks *t)
{
    put_key(w, "host_log");
    if (!(t->ns_per_tick > 0)) {
        ttp_json_put_null(w);
        return;
    }
    ttp_json_begin_object(w);
    put_number(w, "tick_at_0", t->tick_at_0);
    put_key(w, "ns_per_tick");
    ttp_json_put_f64(w, t->ns_per_tick);
    ttp_json_end_object(w);
}

/* What tt-run tells a rank. */
static void put_environment(struct ttp_json_writer *w)
{
    static const char *const names[] = {
        "TT_MESH_ID",         "TT_MESH_HOST_RANK",     "TT_MESH_GRAPH_DESC_PATH",
        "TT_METAL_HOME",      "TT_METAL_RUNTIME_ROOT", "TT_RUN_ORIGINAL_CWD",
        "TT_VISIBLE_DEVICES", "TT_RUN_SUBCONTEXT_ID",  "TT_RUN_SUBCONTEXT_SIZES"};

    put_key(w, "environment");
    ttp_json_begin_object(w);
    for (size_t i = 0; i < TTP_COUNT(names); i++) {
        const char *value = getenv(names[i]);
        if (value)
            put_text(w, names[i], ttp_str_from(value));
    }
    ttp_json_end_object(w);
}

/* "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, ..." is the first line of a device log. The clock is of
 * the device that wrote first, which the first row names; -1: there is none. */
struct log_head {
    ttp_str arch, mhz;
    int64_t first;
};

static bool read_log_head(struct log_head *out, const char *logs, struct ttp_arena *arena)
{
    const char *path = ttp_file_join(logs, "profile_log_device.csv", arena);
    struct ttp_file file;
    ttp_str text, line, part[8];

    *out = (struct log_head){.first = -1};
    if (!ttp_file_exists(path) || ttp_file_map(&file, path, NULL) != TTP_OK)
        return false;
    text = file.text;
    const bool is = ttp_str_next_line(&text, &line) && ttp_str_starts(line, TTP_STR("ARCH:"));
    const size_t n = is ? ttp_str_split(line, ',', part, TTP_COUNT(part)) : 0;
    for (size_t i = 0; i < n && i < TTP_COUNT(part); i++) {
        const size_t colon = ttp_str_find_char(part[i], ':');
        const ttp_str key = ttp_str_trim(ttp_str_slice(part[i], 0, colon)),
                      value = ttp_arena_copy(
                          arena, ttp_str_trim(ttp_str_slice(part[i], colon + 1, part[i].len)));
        if (ttp_str_eq(key, TTP_STR("ARCH")))
            out->arch = value;
        else if (ttp_str_eq(key, TTP_STR("CHIP_FREQ[MHz]")))
            out->mhz = value;
    }
    if (is && ttp_str_next_line(&text, &line) && ttp_str_next_line(&text, &line) &&
        (ttp_str_split(line, ',', part, TTP_COUNT(part)) == 0 ||
         !ttp_str_to_i64(ttp_str_trim(part[0]), &out->first)))
        out->first = -1;
    ttp_file_close(&file);
    return is;
}

/* ---- clocks by device ---- */

/* Below, rounding to a nanosecond is coarser than a megahertz. */
#define LONG_NS 1000

struct rate {
    int64_t device;
    double mhz;
    ttp_str arch;
};

TTP_ORDER(by_rate, struct rate, TTP_UP(device), TTP_UP(mhz))

static size_t list_rates(struct rate *out, const struct ttp_cpp_report *report)
{
    size_t n = 0, arch = 0;

    while (arch < report->ncolumns && !ttp_str_eq(report->column[arch], TTP_STR("DEVICE ARCH")))
        arch++;
    for (size_t i = 0; i < report->nrows; i++) {
        const int64_t *v = report->row[i].number;
        if (v[TTP_CPP_DEVICE] < 0 || v[TTP_CPP_FW_NS] < LONG_NS || v[TTP_CPP_FW_START] < 0 ||
            v[TTP_CPP_FW_END] <= v[TTP_CPP_FW_START])
            continue;
        out[n++] = (struct rate){v[TTP_CPP_DEVICE],
                                 (double)(v[TTP_CPP_FW_END] - v[TTP_CPP_FW_START]) * 1000 /
                                     (double)v[TTP_CPP_FW_NS],
                                 arch < report->ncolumns ? report->row[i].cell[arch] : TTP_STR("")};
    }
    TTP_SORT(out, n, by_rate);
    return n;
}

static void put_device(struct ttp_json_writer *w, const struct rate *r)
{
    ttp_json_begin_object(w);
    put_number(w, "id", r->device);
    put_text(w, "arch", r->arch);
    put_key(w, "mhz");
    ttp_json_put_f64(w, round(r->mhz));
    ttp_json_end_object(w);
}

/* Each row of the C++ report has cycles and nanoseconds of its own device. Without it only the
 * device is known whose clock the log begins with. */
static void put_devices(struct ttp_json_writer *w, const struct log_head *head, const char *logs,
                        struct ttp_arena *arena)
{
    const char *path = ttp_file_join(logs, "cpp_device_perf_report.csv", arena);
    const struct ttp_logs_options options = {.threads = 1};
    struct ttp_arena scratch = {0};
    struct ttp_cpp_report report = {0};
    struct ttp_err ignored = {0};
    double mhz;

    put_key(w, "devices");
    ttp_json_begin_array(w);
    if (ttp_file_exists(path) &&
        ttp_logs_read_cpp_report(&report, path, &options, &scratch, &ignored) == TTP_OK) {
        struct rate *rate = TTP_NEW(&scratch, struct rate, report.nrows + 1);
        const size_t n = list_rates(rate, &report);
        for (size_t i = 0, j; i < n; i = j) {
            for (j = i; j < n && rate[j].device == rate[i].device; j++)
                continue;
            put_device(w, &rate[(i + j) / 2]);
        }
    } else if (head->first >= 0 && ttp_str_to_f64(head->mhz, &mhz) && mhz > 0) {
        put_device(w, &(struct rate){head->first, mhz, head->arch});
    }
    ttp_json_end_array(w);
    ttp_arena_free(&scratch);
}

static void put_device_log(struct ttp_json_writer *w, const char *logs, struct ttp_arena *arena)
{
    struct log_head head;

    if (read_log_head(&head, logs, arena)) {
        put_key(w, "device_log");
        ttp_json_begin_object(w);
        if (head.arch.len)
            put_text(w, "arch", head.arch);
        if (head.mhz.len)
            put_text(w, "mhz", head.mhz);
        ttp_json_end_object(w);
    }
    put_devices(w, &head, logs, arena);
}

ttp_code ttp_record_write_rank(const struct ttp_record_rank_facts *facts, const char *logs,
                               struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_job_rank *r = facts->rank;
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, ttp_file_join(logs, TTP_RANK_FILE, arena), err));
    struct ttp_json_writer w = {.sink = &out.sink, .indent = true};
    ttp_json_begin_object(&w);
    put_text(&w, "schema", TTP_STR("tt-perf.rank/1"));
    put_number(&w, "rank", r->rank);
    put_number(&w, "size", r->size);
    put_number(&w, "local_rank", r->local_rank);
    put_text(&w, "host", facts->host);
    put_text(&w, "boot_id", facts->boot_id);
    put_text(&w, "job", ttp_str_from(r->job ? r->job : ""));
    put_environment(&w);
    put_device_log(&w, logs, arena);
    put_clock(&w, "start", &facts->start);
    put_clock(&w, "end", &facts->end);
    put_ticks(&w, &facts->host_log);
    ttp_json_end_object(&w);
    ttp_sink_own(&out.sink, "\n");
    return ttp_outsink_close(&out, TTP_OK, err);
}

/* ---- mapping files ---- */

static bool is_of_run(const char *path, struct timespec since)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           (st.st_mtim.tv_sec != since.tv_sec ? st.st_mtim.tv_sec > since.tv_sec
                                              : st.st_mtim.tv_nsec >= since.tv_nsec);
}

void ttp_record_copy_mappings(const struct ttp_job_rank *rank, const char *logs,
                              struct timespec since, const struct ttp_ctx *ctx)
{
    static const char *const stems[] = {"physical_chip_mesh_coordinate_mapping",
                                        "asic_to_fabric_node_mapping_rank"};
    const char *base = getenv("TT_METAL_LOGS_PATH");
    const char *dir = ttp_file_join(base && base[0] ? base : ".", "generated/fabric", ctx->arena);

    for (size_t i = 0; i < 2 * TTP_COUNT(stems); i++) {
        const bool numbered =
            i % 2 == 0; /* the other is of one process, before names had numbers */
        char name[128];
        struct ttp_err err = {0};
        if (numbered)
            snprintf(name, sizeof(name), "%s_%" PRId64 "_of_%" PRId64 ".yaml", stems[i / 2],
                     rank->rank + 1, rank->size ? rank->size : 1);
        else
            snprintf(name, sizeof(name), "%s.yaml", stems[i / 2]);
        const char *from = ttp_file_join(dir, name, ctx->arena);
        if ((!numbered && rank->many) || !is_of_run(from, since))
            continue;
        if (ttp_file_copy(ttp_file_join(logs, name, ctx->arena), from, &err) != TTP_OK)
            ttp_ctx_warn(ctx, "cannot keep '%s': %s", from, err.text);
    }
}
