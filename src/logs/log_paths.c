/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/input.h"
#include "capture/capture.h"
#include "logs/logs.h"

bool ttp_logs_is_recording(const char *path)
{
    return ttp_capture_trace_detect_file(path) != TTP_TRACE_NONE;
}

static const char *file_in(const char *folder, const char *name, struct ttp_arena *arena)
{
    static const char *const packed[] = {"", ".gz", ".zst"};
    const char *plain = ttp_file_join(folder, name, arena);

    for (size_t i = 0; i < TTP_COUNT(packed); i++) {
        char *path = TTP_NEW(arena, char, strlen(plain) + strlen(packed[i]) + 1);

        memcpy(path, plain, strlen(plain));
        memcpy(path + strlen(plain), packed[i], strlen(packed[i]));
        if (ttp_file_exists(path))
            return path;
    }
    return NULL;
}

static bool is_capture(const char *path, const char *name, void *arg)
{
    return ttp_str_ends(ttp_str_from(name), TTP_STR(".ttcap")) &&
           strlen(path) == strlen((const char *)arg) + strlen(name) + 1;
}

/* The newest capture file of the folder itself. */
static const char *capture_in(const char *folder, struct ttp_arena *arena)
{
    char *arg = ttp_arena_zstr(arena, ttp_str_from(folder));
    const char *found = NULL;

    return ttp_file_find_newest(&found, folder, (struct ttp_file_matcher){is_capture, arg}, arena,
                                NULL) == TTP_OK
               ? found
               : NULL;
}

static const char *folder_of(const char *file, struct ttp_arena *arena)
{
    const char *slash = strrchr(file, '/');

    if (!slash)
        return ".";
    return slash == file ? "/" : ttp_arena_zstr(arena, (ttp_str){file, (size_t)(slash - file)});
}

/* Is it a log by its usual name? Then it represents its folder. */
static bool is_log(const char *path)
{
    static const char *const names[] = {"profile_log_device.csv", "cpp_device_perf_report.csv",
                                        "tracy_ops_times.csv", "tracy_ops_data.csv"};
    const char *slash = strrchr(path, '/');
    ttp_str name = ttp_str_from(slash ? slash + 1 : path);

    if (ttp_str_ends(name, TTP_STR(".gz")) || ttp_str_ends(name, TTP_STR(".zst")))
        name = ttp_str_slice(name, 0, (size_t)(strrchr(name.ptr, '.') - name.ptr));
    for (size_t i = 0; i < TTP_COUNT(names); i++)
        if (ttp_str_eq(name, ttp_str_from(names[i])))
            return ttp_file_exists(path);
    return false;
}

/* Is it a device log, whatever its name? */
static bool is_device_log(const char *path)
{
    struct ttp_input *in;
    struct ttp_block start;
    struct stat st;
    bool is = false, more = true;

    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
        ttp_input_open(&in, path, 4096, true, NULL) != TTP_OK)
        return false;
    if (ttp_input_next(in, &start, &more, (struct ttp_cutter){NULL, NULL}, NULL) == TTP_OK &&
        more) {
        is = ttp_str_starts(start.text, TTP_STR("ARCH:"));
        ttp_input_release(in, &start);
    }
    ttp_input_close(in);
    return is;
}

/* TTP_EIO: the system does not tell whether it is a folder. */
static ttp_code look_for_folder(bool *is, const char *path, struct ttp_err *err)
{
    struct stat st;

    *is = false;
    if (stat(path, &st) == 0)
        *is = S_ISDIR(st.st_mode);
    else if (errno != ENOENT && errno != ENOTDIR)
        return ttp_fail_errno(err, "cannot open '%s'", path);
    return TTP_OK;
}

ttp_code ttp_logs_find(struct ttp_log_paths *out, const char *dir, struct ttp_arena *arena,
                       struct ttp_err *err)
{
    const char *recording = NULL;
    bool is_folder;

    if (!ttp_file_is_dir(dir) && ttp_logs_is_recording(dir)) {
        recording = dir;
        dir = folder_of(dir, arena);
    } else if (is_log(dir)) {
        dir = folder_of(dir, arena);
    } else if (is_device_log(dir)) {
        const char *folder = folder_of(dir, arena);

        *out = (struct ttp_log_paths){.root = folder, .folder = folder, .device = dir};
        return TTP_OK;
    }
    *out = (struct ttp_log_paths){.root = dir};
    TTP_TRY(look_for_folder(&is_folder, dir, err));
    if (!is_folder) {
        const ttp_code rc = access(dir, F_OK) < 0
                                ? ttp_fail_errno(err, "cannot open '%s'", dir)
                                : ttp_fail(err, TTP_ENOTFOUND, "'%s' is not a folder", dir);

        ttp_err_hint(err, "give the folder that contains '.logs', usually generated/profiler of "
                          "tt-metal");
        return rc;
    }
    out->folder = ttp_file_join(dir, ".logs", arena);
    TTP_TRY(look_for_folder(&is_folder, out->folder, err));
    if (!is_folder) {
        out->folder = dir;
        if (ttp_file_is_same(dir, ttp_file_join(dir, "../.logs", arena)))
            out->root = ttp_file_join(dir, "..", arena);
    }
    out->device = file_in(out->folder, "profile_log_device.csv", arena);
    out->cpp = file_in(out->folder, "cpp_device_perf_report.csv", arena);
    out->zones = file_in(out->folder, "tracy_ops_times.csv", arena);
    out->messages = file_in(out->folder, "tracy_ops_data.csv", arena);
    out->tracy = file_in(out->folder, "tracy_profile_log_host.tracy", arena);
    out->zone_sources = file_in(out->folder, "zone_src_locations.log", arena);
    out->sync = file_in(out->folder, "sync_device_info.csv", arena);
    out->topology = file_in(out->folder, "topology.json", arena);
    out->capture = capture_in(out->folder, arena);
    if (!recording && !out->zones && !out->messages)
        recording = out->capture                                      ? out->capture
                    : out->tracy && ttp_logs_is_recording(out->tracy) ? out->tracy
                                                                      : NULL;
    if (recording)
        out->zones = out->messages = recording;
    return TTP_OK;
}

const char *ttp_logs_path_of(const struct ttp_log_paths *paths, const char *usual_name)
{
    const struct ttp_log_paths none = {0}, *p = paths ? paths : &none;
    const struct {
        const char *name, *path;
    } file[] = {{"tracy_ops_data.csv", p->messages},
                {"tracy_ops_times.csv", p->zones},
                {"profile_log_device.csv", p->device},
                {"cpp_device_perf_report.csv", p->cpp}};

    for (size_t i = 0; i < TTP_COUNT(file); i++)
        if (file[i].path && strcmp(file[i].name, usual_name) == 0)
            return file[i].path;
    return usual_name;
}
