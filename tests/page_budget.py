# SPDX-License-Identifier: Apache-2.0
"""page_budget.py - pages of large runs: what they may cost, how they are made and timed. For tests/pages_html.py and
bench/pages.sh; `page_budget.py BIN_DIR SOURCE_DIR ROUNDS` prints a JSON line for each size."""
import csv
import json
import os
import subprocess
import sys
import tempfile

from browser import Browser, Page, find_chromium

# operations, bytes of the file, milliseconds until the page can be used
BUDGETS = [(10000, 5 << 20, 1000), (100000, None, 3000)]
ROWS_MAX = 1000  # in the document at first: the rest is made when it is asked for
READY = "document.readyState === 'complete' && document.documentElement.dataset.ready !== undefined"


def write_run(demo, count, path):
    """A run of `count` operations: those of a real one again and again, each with another duration."""
    with open(demo, encoding="utf-8", newline="") as f:
        rows = list(csv.reader(f))
    ops = [row for row in rows[1:] if row[1] == "tt_dnn_device"]
    duration, calls = rows[0].index("DEVICE KERNEL DURATION [ns]"), rows[0].index("GLOBAL CALL COUNT")
    with open(path, "w", encoding="utf-8", newline="") as f:
        out = csv.writer(f)
        out.writerow(rows[0])
        for i in range(count):
            row = list(ops[i % len(ops)])
            row[duration] = str(1000 + i * 7919 % 50021)
            row[calls] = str(1024 + i)
            out.writerow(row)


def cpu_ms(browser):
    """Of all renderers, all threads."""
    return sum(1000 * p["cpuTime"] for p in browser.call("SystemInfo.getProcessInfo")["processInfo"] if p["type"] == "renderer")


def measure(browser, html):
    """Opens the page in a tab of its own: when it can be used, what a sort and a filter take, and rows in the document. The
    CPU time until then does not depend on what else the machine does."""
    page = Page(browser)
    before = cpu_ms(browser)
    page.call("Page.navigate", url="file://" + html)
    page.wait(READY)
    cpu = cpu_ms(browser) - before
    took = page.js("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    rows = page.js("document.querySelectorAll('tr').length")
    sort_ms = page.js("(() => { const t = tables.get('ops'), a = performance.now(); t.sort(t.part.field('device_us')); return performance.now() - a })()")
    filter_ms = page.js("(() => { const t = tables.get('ops'), a = performance.now(); t.filter('op~matmul and device_us>10'); return performance.now() - a })()")
    browser.call("Target.closeTarget", targetId=page.target)
    return {"interactive_ms": round(took), "cpu_ms": round(cpu), "sort_ms": round(sort_ms), "filter_ms": round(filter_ms), "rows_at_first": rows}


def main():
    program, source = os.path.join(os.path.abspath(sys.argv[1]), "tt-perf"), os.path.abspath(sys.argv[2])
    demo = os.path.join(source, "tests", "data", "demo_ops_perf_results.csv")
    met = True
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        browser = Browser(find_chromium(), os.path.join(scratch, "profile"))
        for count, most, budget in BUDGETS:
            run, html = (os.path.join(scratch, "%d.%s" % (count, suffix)) for suffix in ("csv", "html"))
            write_run(demo, count, run)
            subprocess.run([program, "report", "-q", run, "--window", "all", "-o", html], check=True)
            rounds = sorted((measure(browser, html) for _ in range(int(sys.argv[3]))), key=lambda m: m["interactive_ms"])
            result = rounds[len(rounds) // 2]
            size = os.path.getsize(html)
            met &= result["interactive_ms"] <= budget and (most is None or size <= most) and result["rows_at_first"] <= ROWS_MAX
            print(json.dumps({"bench": "page", "ops": count, "mb": round(size / 1e6, 2), **result}), flush=True)
        browser.close()
    sys.exit(not met)


if __name__ == "__main__":
    main()
