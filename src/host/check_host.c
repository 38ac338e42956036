/* SPDX-License-Identifier: Apache-2.0 */
/* check_host.c - sources of noise on the host, and the environment. */
#include "base/sink.h"
#include "host/checkup.h"

void ttp_check_host_gov(struct ttp_checkup *c)
{
    const struct ttp_reading *gov = &c->in->first->attr[TTP_HOST_GOVERNOR],
                             *epp = &c->in->first->attr[TTP_HOST_EPP];

    if (gov->state != TTP_READING_OK) {
        struct ttp_check *k = ttp_check_unread(c, NULL, gov, NULL);
        if (gov->state == TTP_READING_ABSENT) {
            k->text = TTP_STR("no frequency control, as usual in virtual machines");
            k->source = TTP_STR("/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor");
        }
        return;
    }
    const bool by_epp =
        epp->state == TTP_READING_OK && ttp_str_eq(epp->text, TTP_STR("performance"));
    const bool good = by_epp || ttp_str_eq(gov->text, TTP_STR("performance"));
    struct ttp_check *k = ttp_check_add(
        c, NULL, good ? TTP_CHECK_PASS : TTP_CHECK_WARN, "%.*s%s%.*s",
        TTP_FMT(ttp_str_slice(gov->text, 0, 40)), epp->state == TTP_READING_OK ? ", " : "",
        TTP_FMT(epp->state == TTP_READING_OK ? ttp_str_slice(epp->text, 0, 40) : (ttp_str){0}));
    k->source = gov->path;
    k->limit = TTP_STR("performance");
    k->origin = TTP_STR("vendor: tt-metal INSTALLING.md");
    if (!good)
        k->fix = TTP_STR("sudo cpupower frequency-set -g performance");
}

void ttp_check_host_load(struct ttp_checkup *c)
{
    const struct ttp_reading *r = &c->in->first->attr[TTP_HOST_LOAD_1];
    int64_t v;

    if (!ttp_reading_number(r, &v) || c->machine.cpus == 0) {
        ttp_check_unread(c, NULL, r, NULL);
        return;
    }
    const double share = (double)v / 1000 / c->machine.cpus;
    struct ttp_check *k =
        ttp_check_add(c, NULL,
                      share < 0.1    ? TTP_CHECK_PASS
                      : share <= 0.5 ? TTP_CHECK_WARN
                                     : TTP_CHECK_FAIL,
                      "%.2f on %u processors, %.2f each", (double)v / 1000, c->machine.cpus, share);
    k->source = r->path;
    k->limit = TTP_STR("below 0.10 each; above 0.50 nothing can be measured");
    k->origin = TTP_STR(TTP_ORIGIN_OURS);
    if (k->level != TTP_CHECK_PASS)
        k->fix =
            TTP_STR("stop other programs (top -o %CPU): a busy host varies results by up to 20 %");
}

void ttp_check_host_pressure(struct ttp_checkup *c)
{
    static const char *const names[] = {"processors", "memory", "disks"};
    double worst = 0;
    const struct ttp_reading *at = NULL;
    const char *name = "";
    int64_t v;

    for (int i = 0; i < 3; i++) {
        const struct ttp_reading *r = &c->in->first->attr[TTP_HOST_PSI_CPU + i];

        if (!ttp_reading_number(r, &v))
            continue;
        if (!at || (double)v / 1000 > worst) {
            at = r;
            worst = (double)v / 1000;
            name = names[i];
        }
    }
    if (!at) {
        ttp_check_unread(c, NULL, &c->in->first->attr[TTP_HOST_PSI_CPU], NULL);
        return;
    }
    struct ttp_check *k = ttp_check_add(c, NULL, worst > 10 ? TTP_CHECK_WARN : TTP_CHECK_PASS,
                                        "%.1f %% of the last 10 s for %s", worst, name);
    k->source = at->path;
    k->limit = TTP_STR("10 %");
    k->origin = TTP_STR(TTP_ORIGIN_OURS);
    if (worst > 10)
        k->fix = TTP_STR("stop other programs before you benchmark");
}

void ttp_check_host_numa_balancing(struct ttp_checkup *c)
{
    const struct ttp_reading *r = &c->machine.numa_balancing;
    int64_t v;

    if (c->machine.nnodes < 2 || !ttp_reading_number(r, &v))
        return;
    struct ttp_check *k = ttp_check_add(c, NULL, v ? TTP_CHECK_WARN : TTP_CHECK_PASS,
                                        "%s on %zu nodes", v ? "on" : "off", c->machine.nnodes);
    k->source = r->path;
    k->limit = TTP_STR("off on machines with several nodes");
    k->origin = TTP_STR(TTP_ORIGIN_OURS);
    if (v)
        k->fix = TTP_STR("echo 0 | sudo tee /proc/sys/kernel/numa_balancing");
}

void ttp_check_host_thp(struct ttp_checkup *c)
{
    const struct ttp_reading *r = &c->machine.thp;

    if (r->state != TTP_READING_OK)
        return;
    const size_t from = ttp_str_find_char(r->text, '['), to = ttp_str_find_char(r->text, ']');
    const ttp_str word = from != TTP_NPOS && to != TTP_NPOS && to > from
                             ? ttp_str_slice(r->text, from + 1, to)
                             : r->text;
    struct ttp_check *k =
        ttp_check_add(c, NULL, TTP_CHECK_INFO, "%.*s", TTP_FMT(ttp_str_slice(word, 0, 40)));
    k->source = r->path;
    k->text = TTP_STR("only for comparing machines; no setting is known to be wrong");
}

/* --- environment --- */

/* The value of a variable; false: not set. */
static bool find_env(ttp_str *out, const struct ttp_checkup *c, const char *name)
{
    const size_t n = strlen(name);

    for (size_t i = 0; i < c->in->env->count; i++) {
        const char *word = c->in->env->word[i];

        if (strncmp(word, name, n) == 0 && word[n] == '=') {
            *out = ttp_str_from(word + n + 1);
            return true;
        }
    }
    return false;
}

static bool env_is_known(struct ttp_checkup *c)
{
    if (c->in->env)
        return true;
    ttp_check_add(c, NULL, TTP_CHECK_SKIP, "unknown")->text =
        TTP_STR("the environment of that machine was not recorded");
    return false;
}

void ttp_check_env_home(struct ttp_checkup *c)
{
    static const char *const names[] = {"TT_METAL_HOME", "TT_METAL_RUNTIME_ROOT"};
    struct ttp_check *k;
    bool any = false;

    if (!env_is_known(c))
        return;
    for (size_t i = 0; i < TTP_COUNT(names); i++) {
        struct ttp_rootdir_stat st;
        ttp_str value;

        if (!find_env(&value, c, names[i]))
            continue;
        any = true;
        const char *path = ttp_arena_zstr(c->arena, value);
        /* of another machine: the folder cannot be looked at from here */
        const bool here = c->in->host->root[0] == '\0';
        const bool good =
            value.len && value.ptr[0] == '/' &&
            (!here || (ttp_rootdir_stat(&st, &c->in->host->tree->root, path) == 0 && st.is_dir));
        k = ttp_check_add(c, NULL, good ? TTP_CHECK_PASS : TTP_CHECK_WARN, "%s=%.*s", names[i],
                          TTP_FMT(ttp_str_slice(value, 0, 120)));
        k->source = TTP_STR("environment");
        k->limit = TTP_STR("an existing folder, or not set");
        k->origin = TTP_STR("vendor: tt-metal documentation");
        if (!good)
            k->fix = ttp_check_text(c, "unset %s", names[i]);
    }
    if (any)
        return;
    k = ttp_check_add(c, NULL, TTP_CHECK_INFO, "not set");
    k->source = TTP_STR("environment");
    k->text = TTP_STR("not needed by the current runtime");
}

void ttp_check_env_arch(struct ttp_checkup *c)
{
    struct ttp_check *k;
    ttp_str value;
    const char *other = NULL;

    if (!env_is_known(c))
        return;
    if (!find_env(&value, c, "ARCH_NAME")) {
        k = ttp_check_add(c, NULL, TTP_CHECK_INFO, "not set");
        k->source = TTP_STR("environment");
        k->text = TTP_STR("now needed only for simulations");
        return;
    }
    /* "wormhole_b0" is a Wormhole */
    for (size_t i = 0; i < c->patients && !other; i++)
        if (!ttp_str_starts(value, ttp_str_from(c->patient[i].chip_name)))
            other = c->patient[i].chip_name;
    const bool known = c->patients > 0;
    k = ttp_check_add(c, NULL,
                      !known  ? TTP_CHECK_SKIP
                      : other ? TTP_CHECK_WARN
                              : TTP_CHECK_PASS,
                      "ARCH_NAME=%.*s", TTP_FMT(ttp_str_slice(value, 0, 60)));
    k->source = TTP_STR("environment");
    k->limit = TTP_STR("the installed chip, or not set");
    k->origin = TTP_STR("vendor: tt-metal, runtime options");
    if (!known)
        k->text = TTP_STR("no chip to compare it with");
    if (other) {
        k->text = ttp_check_text(c, "the chip is %s", other);
        k->fix = TTP_STR("unset ARCH_NAME");
    }
}

/* Names as tt-metal's runtime options have them. */
bool ttp_host_env_is_slow(ttp_str name)
{
    static const char *const exact[] = {"TT_METAL_SLOW_DISPATCH_MODE", "TT_METAL_LLK_ASSERTS",
                                        "TT_METAL_DEVICE_PROFILER", "TT_MM_THROTTLE_PERF",
                                        "TT_METAL_DEVICE_PROFILER_NOC_EVENTS"};
    static const char *const prefix[] = {"TT_METAL_WATCHER", "TT_METAL_DPRINT"};

    for (size_t i = 0; i < TTP_COUNT(exact); i++)
        if (ttp_str_eq(name, ttp_str_from(exact[i])))
            return true;
    for (size_t i = 0; i < TTP_COUNT(prefix); i++)
        if (ttp_str_starts(name, ttp_str_from(prefix[i])))
            return true;
    return false;
}

void ttp_check_env_slow(struct ttp_checkup *c)
{
    struct ttp_sink list, fix;

    if (!env_is_known(c))
        return;
    ttp_sink_to_arena(&list, c->arena);
    ttp_sink_to_arena(&fix, c->arena);
    for (size_t i = 0; i < c->in->env->count; i++) {
        const ttp_str word = ttp_str_from(c->in->env->word[i]);
        const size_t sign = ttp_str_find_char(word, '=');
        const ttp_str name = ttp_str_slice(word, 0, sign);
        const ttp_str value =
            sign == TTP_NPOS ? (ttp_str){0} : ttp_str_slice(word, sign + 1, word.len);

        if (!ttp_host_env_is_slow(name) || value.len == 0 || ttp_str_eq(value, TTP_STR("0")) ||
            list.len > 300)
            continue;
        ttp_sink_printf(&list, "%s%.*s", list.len ? ", " : "", TTP_FMT(name));
        ttp_sink_printf(&fix, "%s%.*s", fix.len ? " " : "unset ", TTP_FMT(name));
    }
    struct ttp_check *k =
        ttp_check_add(c, NULL, list.len ? TTP_CHECK_WARN : TTP_CHECK_PASS, "%.*s",
                      TTP_FMT(list.len ? ttp_sink_text(&list) : TTP_STR("none set")));
    k->source = TTP_STR("environment");
    k->limit = TTP_STR("none set while benchmarking");
    k->origin = TTP_STR("vendor: tt-metal, runtime options");
    if (list.len) {
        k->text = TTP_STR("slow dispatch, watcher, prints, asserts and the profiler cost time");
        k->fix = ttp_sink_text(&fix);
    }
}
