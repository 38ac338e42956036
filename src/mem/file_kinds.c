/* SPDX-License-Identifier: Apache-2.0 */
/* file_kinds.c - identifies the kind of a file with memory data. */
#include "base/input.h"
#include "mem/mem_parts.h"

/* How a file begins, compression undone. */
#define HEAD ((size_t)4096)

struct head {
    char text[HEAD];
    size_t len;
};

static ttp_code read_head(struct head *out, const char *path)
{
    struct ttp_input *in;
    struct ttp_block block;
    bool more;

    out->len = 0;
    TTP_TRY(ttp_input_open(&in, path, HEAD, true, NULL));
    ttp_code rc = ttp_input_next(in, &block, &more, (struct ttp_cutter){NULL, NULL}, NULL);
    if (rc == TTP_OK && more) {
        out->len = block.text.len < HEAD ? block.text.len : HEAD;
        memcpy(out->text, block.text.ptr, out->len);
        ttp_input_release(in, &block);
    }
    ttp_input_close(in);
    return rc;
}

static bool ends_in_log(ttp_str name)
{
    return ttp_str_ends(name, TTP_STR(".log")) || ttp_str_ends(name, TTP_STR(".txt"));
}

/* What the first bytes say. */
static enum ttp_mem_file_kind kind_of_text(ttp_str head)
{
    static const struct {
        ttp_str part;
        bool first;
        enum ttp_mem_file_kind kind;
    } marks[] = {
        {TTP_STR("\"node_type\""), false, TTP_MEM_FILE_CAPTURE},
        {TTP_STR("\"address_at_first_l1_cb_buffer\""), false, TTP_MEM_FILE_CAPTURE},
        {TTP_STR("\"buffer_pages"), false, TTP_MEM_FILE_CAPTURE},
        {TTP_STR("- mesh_buffer_allocated:"), true, TTP_MEM_FILE_BUFFER_LOG},
        {TTP_STR("- mesh_buffer_deallocated:"), true, TTP_MEM_FILE_BUFFER_LOG},
        {TTP_STR("This report indicates available space"), true, TTP_MEM_FILE_REPORT},
        {TTP_STR("Total Allocatable Size (B)"), false, TTP_MEM_FILE_REPORT},
        {TTP_STR(",Total allocatable (B):"), false, TTP_MEM_FILE_REPORT},
    };

    for (size_t i = 0; i < TTP_COUNT(marks); i++) {
        const size_t at = ttp_str_find(head, marks[i].part);

        if (at != TTP_NPOS && (!marks[i].first || at == 0))
            return marks[i].kind;
    }
    return TTP_MEM_FILE_OTHER;
}

enum ttp_mem_file_kind ttp_mem_file_kind(const char *path)
{
    const char *slash = strrchr(path, '/');
    const ttp_str name = ttp_str_from(slash ? slash + 1 : path);
    struct head head;

    if (ttp_mem_is_shm_name(name.ptr))
        return TTP_MEM_FILE_SHM;
    if (read_head(&head, path) != TTP_OK)
        return TTP_MEM_FILE_OTHER;
    const ttp_str text = {head.text, head.len};
    if (ttp_str_starts(text, TTP_STR("SQLite format 3")))
        return ttp_mem_is_database(path) ? TTP_MEM_FILE_DATABASE : TTP_MEM_FILE_OTHER;
    const enum ttp_mem_file_kind kind = kind_of_text(text);
    if (kind != TTP_MEM_FILE_OTHER)
        return kind;
    if (ttp_str_eq(name, TTP_STR("mesh_buffers_log.yaml")))
        return TTP_MEM_FILE_BUFFER_LOG;
    if (ttp_str_starts(name, TTP_STR("graph_capture")) && ttp_str_has(name, TTP_STR(".json")))
        return TTP_MEM_FILE_CAPTURE;
    return ends_in_log(name) ? TTP_MEM_FILE_LOG : TTP_MEM_FILE_OTHER;
}
