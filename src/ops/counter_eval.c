/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of one core. Sums and divisions are in the order of perf_counter_analysis.py, so that
 * results are equal to the last bit. With `zero_missing` a
 * counter that the run lacks is 0 instead of missing, and nothing is divided by 0. */
#include <math.h>

#include "ops/counter_tables.h"

bool ttp_ops_counter_captured(const struct ttp_counter_tables *t, const struct device_facts *d,
                              size_t metric, size_t i)
{
    const ttp_sym c = t->counter[metric][i];
    return c != NO_COUNTER && d->present[c];
}

bool ttp_ops_counter_counted(const struct ttp_counter_tables *t, const struct device_facts *d,
                             size_t metric, size_t i)
{
    return ttp_ops_counter_captured(t, d, metric, i) && d->sum[t->counter[metric][i]] > 0;
}

static double value(const struct core_values *v, size_t metric, size_t i)
{
    const ttp_sym c = v->tables->counter[metric][i];

    if (c == NO_COUNTER || !v->device->present[c])
        return v->tables->zero_missing ? 0 : NAN;
    return v->value[c];
}

static double reference(const struct core_values *v, size_t metric, size_t i)
{
    const ttp_sym c = v->tables->counter[metric][i];

    if (c == NO_COUNTER || !v->device->present[c])
        return v->tables->zero_missing ? 0 : NAN;
    return v->reference[c];
}

static double divide(const struct core_values *v, double a, double b)
{
    return v->tables->zero_missing && !(b > 0) ? NAN : a / b;
}

static double at_least_0(double x)
{
    return x < 0 ? 0 : x;
}

static double complement(const struct core_values *v, double part, double all)
{
    return at_least_0(divide(v, all - part, all) * 100);
}

static double difference(const struct core_values *v, double part, double all)
{
    const double x = divide(v, all - part, all) * 100;
    return v->tables->zero_missing ? at_least_0(x) : x;
}

/* The packer's port of bank 0: the unified packer, or what chips without it have. */
static size_t packer_port(const struct core_values *v, size_t metric, size_t unified)
{
    return ttp_ops_counter_captured(v->tables, v->device, metric, unified) ? unified : unified + 1;
}

static double l1_total(const struct core_values *v, size_t m)
{
    static const size_t order[] = {0, 7, 5, 6, 1, 2, 3, 4};
    double total = 0;

    for (size_t i = 0; i < TTP_COUNT(order); i++) {
        const size_t at = order[i] == 7 ? packer_port(v, m, 7) : order[i];
        if (ttp_ops_counter_captured(v->tables, v->device, m, at))
            total += value(v, m, at);
    }
    return divide(v, total, 8 * reference(v, m, 0)) * 100;
}

static double contention(const struct core_values *v, size_t m)
{
    double total = 0;
    size_t n = 0;

    for (size_t i = 0; i < 5; i++) {
        const double grant = value(v, m, i), request = value(v, m, i + 5);

        if (v->tables->zero_missing ? !(request > 0)
                                    : !ttp_ops_counter_captured(v->tables, v->device, m, i) ||
                                          !ttp_ops_counter_captured(v->tables, v->device, m, i + 5))
            continue;
        const double x = complement(v, grant, request);
        total += isinf(x) ? NAN : x;
        n++;
    }
    return n ? total / (double)n : NAN;
}

static double imbalance(const struct core_values *v, size_t m)
{
    double most = value(v, m, 0), least = most;

    for (size_t i = 1; i < 4; i++) {
        most = fmax(most, value(v, m, i));
        least = fmin(least, value(v, m, i));
    }
    return divide(v, most - least, most) * 100;
}

static double overlap(const struct core_values *v, size_t m)
{
    double reasons = 0;

    for (size_t i = 1; i < 10; i++)
        reasons += value(v, m, i);
    return divide(v, reasons, value(v, m, 0));
}

static double share(const struct core_values *v, double a, double b)
{
    return divide(v, a, a + b) * 100;
}

static double either(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : (a + b) / 2;
}

/* Metrics of the memory ports; the others have a case of their own. */
static double evaluate_l1(const struct core_values *v, size_t m)
{
    const double out = value(v, m, 1) + value(v, m, 2), in = value(v, m, 3) + value(v, m, 4);

    switch (ttp_metrics[m].formula) {
    case METRIC_L1_TOTAL:
        return l1_total(v, m);
    case METRIC_L1_READS:
        return share(v, value(v, m, 0) + out, value(v, m, packer_port(v, m, 7)) + in);
    case METRIC_L1_OUTGOING:
        return share(v, out, in);
    case METRIC_L1_TDMA:
        return share(v, value(v, m, 5) + value(v, m, 6), out + in);
    case METRIC_NOC_SHARE:
        return share(v, out + in, value(v, m, 0));
    default:
        return contention(v, m);
    }
}

/* Metrics that depend on what the chip has, or on the rest of the device. */
static double evaluate_choice(const struct core_values *v, size_t m, const double *before)
{
    const double a = value(v, m, 0), b = value(v, m, 1), c = value(v, m, 2);
    const bool busy = ttp_ops_counter_counted(v->tables, v->device, m, 1);
    size_t port;

    switch (ttp_metrics[m].formula) {
    case METRIC_UNPACKER1:
        return divide(v, v->tables->zero_missing ? c : a, b) * 100;
    case METRIC_UNPACKERS:
        return either(before[m - 2], before[m - 1]);
    case METRIC_PACKER:
        return (busy ? divide(v, a, b) : divide(v, c, a)) * 100;
    case METRIC_HANDOFF:
        return (busy ? divide(v, a, b) : divide(v, a, reference(v, m, 0))) * 100;
    case METRIC_PACKER_PORT:
        port = packer_port(v, m, 0);
        return divide(v, value(v, m, port), reference(v, m, port)) * 100;
    case METRIC_PACKER_BACKPRESSURE:
        return complement(v, a, value(v, m, packer_port(v, m, 1)));
    default:
        return evaluate_l1(v, m);
    }
}

double ttp_ops_counter_evaluate(const struct core_values *v, size_t m, const double *before)
{
    const double a = value(v, m, 0), b = value(v, m, 1), c = value(v, m, 2), d = value(v, m, 3);
    const double scale = ttp_metrics[m].rate ? 1 : 100;

    switch (ttp_metrics[m].formula) {
    case METRIC_UTIL:
    case METRIC_ENGINE:
        return divide(v, a, reference(v, m, 0)) * scale;
    case METRIC_RATIO:
    case METRIC_RATIO_IF_ANY:
        return divide(v, a, b) * 100;
    case METRIC_FLOW:
        return divide(v, (a + b) / 2, (c + d) / 2) * 100;
    case METRIC_COMPLEMENT:
    case METRIC_UNPACKER_BACKPRESSURE:
        return complement(v, a, b);
    case METRIC_DIFFERENCE:
    case METRIC_DIFFERENCE_IF_ANY:
        return difference(v, a, b);
    case METRIC_HIFI:
        return divide(v, b + c, a + b + c) * 100;
    case METRIC_HF_CYCLES:
        return divide(v, a + 2 * b + 4 * c, a + b + c);
    case METRIC_CHANNELS:
        return divide(v, (a + b) / 2, reference(v, m, 0)) * 100;
    case METRIC_BACKPRESSURE:
        return at_least_0(divide(v, (a - b) + (c - d), a + c) * 100);
    case METRIC_OVERLAP:
        return overlap(v, m);
    case METRIC_IMBALANCE:
        return imbalance(v, m);
    case METRIC_PER_UNPACK:
        return divide(v, a, b + c) * 100;
    default:
        return evaluate_choice(v, m, before);
    }
}
