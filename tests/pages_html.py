#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""pages_html.py BIN_DIR SOURCE_DIR AXE_JS [PICTURES] - the pages that verbs write with -o x.html, in headless Chromium:
each is opened from its file, sorted, filtered and clicked, light and dark; the console stays empty, nothing is
requested, axe-core finds no violation, nothing is wider than a phone; filters give what --where gives; hostile text of
every field stays text; large runs keep their budgets; and light, dark and print look like the references of
tests/data/pages. With PICTURES, a folder, screenshots are kept there; with TTP_UPDATE_GOLDEN=1 the references are
written. Exits 77 (skipped) without Chromium."""
import base64
import csv
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

from browser import HEIGHT, WIDTH, Browser, Check, Page, find_chromium
from page_budget import BUDGETS, READY, ROWS_MAX, measure, write_run

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
WHERES = ["op~matmul", "device_us>10 and bound=DRAM", "not (cores>=32 or gap_us<1)", "bound=none", "fidelity!=none and op!~mat",
          "id<=40", "op='no such op'", "dram_sharded=True", "time>5 AND cores<64", "category=TM or category=DM"]
BAD_WHERES = ["op", "op=", "nothing=1", "cores=many", "(op~a", "cores<none", "op~a or", "op='a"]
NARROW = 390
# The top of a page is compared at a quarter of its size, block by block, by how light its blocks are: fonts and edges may
# differ a little. Pages with measured times are not compared.
TOP, SCALE, BLOCK, NEAR, FAR_SHARE = 1600, 0.25, 8, 40, 0.04
TIMED = ["trend", "bench"]
HASHED = ["report", "campaign", "ranks", "diff", "kernel", "mesh", "mem"]


class Pages:
    def __init__(self, program, axe, pictures, scratch):
        self.program, self.pictures, self.scratch = program, pictures, scratch
        with open(axe, encoding="utf-8") as f:
            self.axe = f.read()
        self.browser = Browser(find_chromium(), os.path.join(scratch, "profile"))
        self.looks = 0

    def write(self, name, *command):
        path = os.path.join(self.scratch, name + ".html")
        done = subprocess.run([self.program, command[0], "-q", "-o", path, *command[1:]], capture_output=True, text=True, check=False,
                              env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        Check.that(done.returncode == 0, "%s: exit %d: %s" % (" ".join(command), done.returncode, done.stderr))
        if name == "report":
            with open(path, encoding="utf-8") as f:
                plain = f.read().split("<noscript>", 1)[1].split("</noscript>", 1)[0]
            Check.that(plain.count("\n") > 5 and "\\n" not in plain, "without scripts the headline is one line")
        return path

    def open(self, path):
        page = Page(self.browser)
        page.call("Page.navigate", url="file://" + path)
        page.wait(READY)
        return page

    def console(self, page, name):
        for message in self.browser.events:
            if message.get("sessionId") == page.session and message["method"] in ("Log.entryAdded", "Runtime.consoleAPICalled"):
                Check.that(False, "%s: the console says %s" % (name, json.dumps(message["params"])[:400]))
        for fault in page.faults():
            Check.that(False, "%s: %s" % (name, fault))
        for message in self.browser.events:
            if message.get("sessionId") == page.session and message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                Check.that(url.startswith(("file://", "data:")), "%s: requests %s" % (name, url))

    def look(self, page, name):
        for scheme in "light", "dark":
            page.ground(scheme)
            page.picture(self.pictures and os.path.join(self.pictures, "%s-%s.png" % (name, scheme)))
            if not page.js("!!window.axe"):
                page.js(self.axe + "; true")
            found = page.js("axe.run(document, { resultTypes: ['violations'], runOnly: { type: 'tag', values: %s } })"
                            ".then((r) => ({ passes: r.passes.length, violations: r.violations.map((v) => [v.id, v.help,"
                            " v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + ' ' + n.failureSummary)]) }))" % json.dumps(TAGS))
            Check.that(found["passes"] > 10, "%s, %s: only %d rules of axe-core applied" % (name, scheme, found["passes"]))
            for rule, text, nodes in found["violations"]:
                Check.that(False, "%s, %s: %s (%s)\n    %s" % (name, scheme, rule, text, "\n    ".join(nodes)))
            self.looks += 1
        page.ground("light")

    def narrow(self, page, name):
        """On a phone tables scroll, the page does not."""
        page.call("Emulation.setDeviceMetricsOverride", width=NARROW, height=HEIGHT, deviceScaleFactor=1, mobile=False)
        page.js("new Promise((done) => setTimeout(done, 50))")
        page.picture(self.pictures and os.path.join(self.pictures, "%s-narrow.png" % name))
        wide = page.js("document.documentElement.scrollWidth")
        Check.that(wide <= NARROW, "%s: %d pixels wide on a screen of %d" % (name, wide, NARROW))
        drawn = page.js("Math.max(0, ...[...document.querySelectorAll('figure svg')].map((s) => s.viewBox.baseVal.width))")
        Check.that(drawn <= NARROW, "%s: charts of %d pixels are not drawn again for a screen of %d" % (name, drawn, NARROW))
        page.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)

    def use(self, page, name):
        """Everything on the page is used once: folds, columns, sorting, filters, rows, charts, keys, the theme."""
        page.js("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        page.wait("new Promise((done) => setTimeout(() => done(true), 50))")
        wrong = page.js("""[...tables.values()].flatMap((t) => t.shown.map((f) => {
            t.sort(f); const a = t.rows.map((r) => t.part.value(f, r));
            t.sort(f); const b = t.rows.map((r) => t.part.value(f, r));
            const numbers = (v) => v.filter((x) => typeof x === 'number'), up = (v) => v.every((x, i) => !i || v[i - 1] <= x);
            const [low, high] = t.direction > 0 ? [b, a] : [a, b];
            return up(numbers(low)) && up(numbers(high).reverse()) && a.length === t.rows.length ? null : t.part.spec.id + '.' + f.id })).filter(Boolean)""")
        Check.that(not wrong, "%s: not in order: %s" % (name, wrong))
        count = page.js("""[...tables.values()].map((t) => { const f = t.part.fields.find((x) => x.type === 't' && x.shown);
            t.filter(f ? f.id + '!=none' : ''); const n = t.rows.length; t.filter('('); const bad = t.error.textContent; t.filter('');
            return [n <= t.part.count, bad.length > 0, t.rows.length === t.part.count] }).flat()""")
        Check.that(all(count), name + ": filters do not work")
        page.js("document.querySelectorAll('button.open[aria-expanded=false]').forEach((b, i) => { if (i < 40 && b.isConnected) b.click(); })")
        Check.that(page.js("document.querySelectorAll('tr.detail').length > 0 || tables.size === 0"), name + ": no row opens")
        Check.that(page.js("[...document.querySelectorAll('section')].every((s) => s.children.length > 1)"), name + ": a section is empty")
        Check.that(page.js("new Set([...document.querySelectorAll('[id]')].map((e) => e.id)).size === document.querySelectorAll('[id]').length"),
                   name + ": two elements have the same id")
        for i in range(page.js("document.querySelectorAll('figure svg[tabindex]').length")):
            page.js("document.querySelectorAll('figure svg[tabindex]')[%d].focus()" % i)
            page.key("ArrowRight", "ArrowRight")
            Check.that(page.js("!document.getElementById('tip').hidden && document.getElementById('tip').textContent.length > 3"),
                       "%s: chart %d says nothing" % (name, i))
            page.key("End", "End")
            page.key("Escape", "Escape")
            Check.that(page.js("document.getElementById('tip').hidden"), "%s: chart %d keeps its tip" % (name, i))
        page.js("document.getElementById('theme').click()")
        Check.that(page.js("document.documentElement.dataset.theme") == "dark", name + ": the theme does not change")
        page.js("delete document.documentElement.dataset.theme; window.scrollTo(0, 0)")


def check_report(pages, page, source):
    """What is on the page of a report, and that its filter is that of --where."""
    titles = page.js("[...document.querySelectorAll('h2')].map((h) => h.textContent)")
    for title in "Summary", "Time budget", "Phases", "Groups", "Advice", "Roofline", "Ranges and layers", "Operations", "Run":
        Check.that(title in titles, "the report has no section '%s': %s" % (title, titles))
    for where in WHERES:
        done = subprocess.run([pages.program, "report", source, "-q", "--where", where, "--format", "csv"],
                              capture_output=True, text=True, check=False)
        wanted = [int(row["ID"]) for row in csv.DictReader(io.StringIO(done.stdout))]
        page.js("tables.get('ops').filter(%s)" % json.dumps(where))
        got = page.js("(() => { const t = tables.get('ops'), f = t.part.field('id'); return [t.error.textContent, t.rows.map((r) => t.part.value(f, r))] })()")
        Check.that(got[0] == "" and sorted(got[1]) == sorted(wanted), "--where %s: %d rows, the page has %d (%s)" % (where, len(wanted), len(got[1]), got[0]))
    for where in BAD_WHERES:
        status = subprocess.run([pages.program, "report", source, "-q", "--where", where], capture_output=True, check=False).returncode
        page.js("tables.get('ops').filter(%s)" % json.dumps(where))
        Check.that(status == 2 and page.js("tables.get('ops').error.textContent.length > 0"),
                   "--where %s: exit %d, the page says '%s'" % (where, status, page.js("tables.get('ops').error.textContent")))
    page.js("tables.get('ops').filter('')")
    # a group leads to its rows, a piece of advice to its operation, a dot to the row below it
    page.js("document.querySelector('#s-groups button.open').click()")
    page.js("[...document.querySelectorAll('#s-groups tr.detail button')].at(-1).click()")
    Check.that(page.js("(() => { const g = tables.get('groups'), o = tables.get('ops'); return o.rows.length === g.part.value(g.part.field('op_count'), 0) })()"),
               "a group does not lead to its rows")
    page.js("document.querySelector('#s-advice button.open').click()")
    page.js("document.querySelector('#s-advice tr.detail button.link').click()")
    Check.that(page.js("tables.get('ops').rows.length") == 1, "a piece of advice does not lead to its operation")
    page.js("document.querySelector('#s-roofline svg[tabindex]').focus()")
    page.key("Home", "Home")
    page.key("Enter", "Enter", "\r")
    Check.that(page.js("tables.get('ops').rows.length") == 1, "a dot does not lead to its operation")
    page.js("tables.get('ops').filterTo('', false)")


def check_memory(page):
    """L1 of each op, below the size of a bank; a column leads to its op."""
    titles = page.js("[...document.querySelectorAll('h2')].map((h) => h.textContent)")
    Check.that("Memory" in titles, "a report with a capture has no memory: %s" % titles)
    page.js("document.querySelectorAll('#s-memory details').forEach((d) => { d.open = true; })")
    page.wait("tables.has('memory')")
    wrong = page.js("""(() => { const t = tables.get('memory').part, v = (n, i) => t.value(t.field(n), i), rows = [...Array(t.count).keys()];
        return rows.filter((i) => ['cb', 'input', 'output', 'intermediate', 'waiting', 'stale'].reduce((a, n) => a + v(n + '_bytes', i), 0) !== v('l1_peak_bytes', i)).length })()""")
    Check.that(wrong == 0, "%s ops have parts of L1 that do not add up" % wrong)
    Check.that(page.js("document.querySelectorAll('#s-memory svg .column').length === tables.get('memory').part.count"), "not every op has its column")
    page.js("document.querySelector('#s-memory svg[tabindex]').focus()")
    page.key("Home", "Home")
    page.key("Enter", "Enter", "\r")
    Check.that(page.js("tables.get('ops').rows.length") == 1, "a column of memory does not lead to its operation")


def check_devices(pages, page, source):
    """The time of each device is the sum of its operations in one iteration."""
    done = subprocess.run([pages.program, "report", source, "-q", "--window", "all", "--no-merge-devices", "--format", "csv"],
                          capture_output=True, text=True, check=False)
    wanted = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        if row["Device"] and row["Device Time"]:
            wanted[row["Device"]] = wanted.get(row["Device"], 0) + float(row["Device Time"])
    page.js("document.querySelectorAll('#s-devices details').forEach((d) => { d.open = true; })")
    page.wait("tables.has('devices')")
    got = dict(page.js("(() => { const t = tables.get('devices').part; return [...Array(t.count).keys()].map((i) =>"
                       " [t.value(t.field('device'), i), t.value(t.field('device_us'), i)]) })()"))
    Check.that(len(wanted) > 1 and wanted.keys() == got.keys() and all(abs(got[d] - us) <= 0.001 * us for d, us in wanted.items()),
               "times of devices: %s, not %s" % (got, wanted))
    Check.that(page.js("new Set([...document.querySelectorAll('#s-operations figure svg[tabindex] rect')].map((r) => r.getAttribute('y'))).size") == 1,
               "the operations of a merged run are in several lanes")


def check_cold(pages, campaign):
    """Waiting for programs that run for the first time has its part of the whole run, and none of a steady iteration."""
    for window, cold in ("all", True), ("auto", False):
        page = pages.open(pages.write("cold-" + window, "report", campaign, "--window", window))
        page.js("document.querySelectorAll('#s-time-budget details').forEach((d) => { d.open = true; })")
        page.wait("tables.has('budget')")
        parts = page.js("(() => { const t = tables.get('budget').part; return [...Array(t.count).keys()].map((i) => t.value(t.field('part'), i)) })()")
        Check.that(("cold start" in parts) == cold, "--window %s: the budget has %s" % (window, parts))


HOSTILE = ["</script><img src=x onerror=alert(1)>", "<b>bold</b>", "\"'`${1}{{title}}", "\u202eevil\u2066", "\x1b[31mred\x07", "--><!--<script>", "&lt;x&gt;"]
KEPT = ["OP TYPE", "DEVICE ARCH"]  # without which a row is not an operation of a known chip


def write_hostile(demo, path):
    """Every text of every row is hostile."""
    with open(demo, encoding="utf-8", newline="") as f:
        rows = list(csv.reader(f))
    next_name = 0
    for row in rows[1:]:
        for i, cell in enumerate(row):
            try:
                float(cell or 0)
            except ValueError:
                if rows[0][i] not in KEPT and not cell[0].isdigit():
                    row[i] = HOSTILE[next_name % len(HOSTILE)]
                    next_name += 1
    with open(path, "w", encoding="utf-8", newline="") as f:
        csv.writer(f).writerows(rows)


def check_hostile(pages, demo, lines):
    path = os.path.join(pages.scratch, "hostile <i>.csv")
    write_hostile(demo, path)
    shutil.copytree(lines, os.path.join(pages.scratch, "<b>&\"x"))
    kernel = os.path.join(pages.scratch, "<b>&\"x")
    log = os.path.join(kernel, ".logs", "profile_log_device.csv")
    with open(log, encoding="utf-8") as f:
        text = f.read()
    with open(log, "w", encoding="utf-8") as f:
        f.write(text.replace("dm_read", "<img src=x onerror=alert(1)>\u202e"))
    for verb in ["report", path, "--window", "all"], ["diff", path, path], ["advise", path], ["info", path], ["kernel", kernel], ["annotate", kernel], ["noc", kernel]:
        page = pages.open(pages.write("hostile-" + verb[0], *verb))
        page.js("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        page.js("document.querySelectorAll('button.open').forEach((b, i) => { if (i < 20 && b.isConnected) b.click(); })")
        page.js("[...tables.values()].forEach((t) => { t.shown = t.part.fields.filter((f) => f.type !== 'r' && f.type !== 'o'); t.draw(); })")
        Check.that(page.js("document.querySelectorAll('img[onerror], i, b, script[src]').length") == 0, verb[0] + ": a name became markup")
        Check.that(not page.js(r"/[\u0000-\u0008\u001b\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText)"), verb[0] + ": a name acts on the text around it")
        if verb[0] == "report":
            Check.that(page.js("document.body.innerText.includes('<b>bold</b>')"), "a name with markup is not shown")
        pages.console(page, "hostile " + verb[0])


def check_large(pages, demo):
    for count, most, budget in BUDGETS:
        path = os.path.join(pages.scratch, "large-%d.csv" % count)
        write_run(demo, count, path)
        html = pages.write("large-%d" % count, "report", path, "--window", "all")
        size = os.path.getsize(html)
        Check.that(most is None or size < most, "%d ops: the page has %d bytes" % (count, size))
        best, took = None, float("inf")
        for _ in range(4):  # the machine may be busy: then what the page computes counts
            now = measure(pages.browser, html)
            if min(now["interactive_ms"], now["cpu_ms"]) < took:
                best, took = now, min(now["interactive_ms"], now["cpu_ms"])
            if took < budget:
                break
        Check.that(took < budget, "%d ops: interactive after %d ms, not %d" % (count, took, budget))
        Check.that(best["rows_at_first"] <= ROWS_MAX, "%d ops: %d rows are made at once" % (count, best["rows_at_first"]))
        print("%d ops: %d bytes, %s" % (count, size, best))


def read_png(data):
    """Width, height, and rows of grey values of a PNG as Chromium writes it."""
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    size = {2: 3, 6: 4}[kind]
    assert depth == 8
    packed, at = b"", 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    raw, rows, before = zlib.decompress(packed), [], bytearray(width * size)
    for y in range(height):
        line = raw[y * (width * size + 1):(y + 1) * (width * size + 1)]
        now = bytearray(line[1:])
        if line[0] == 1:
            for i in range(size, len(now)):
                now[i] = (now[i] + now[i - size]) & 255
        elif line[0] == 2:
            now = bytearray((a + b) & 255 for a, b in zip(now, before))
        elif line[0] == 3:
            for i in range(len(now)):
                now[i] = (now[i] + ((now[i - size] if i >= size else 0) + before[i]) // 2) & 255
        elif line[0] == 4:
            for i in range(len(now)):
                a, b, c = (now[i - size] if i >= size else 0), before[i], (before[i - size] if i >= size else 0)
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                now[i] = (now[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
        rows.append([(now[i] * 2 + now[i + 1] * 5 + now[i + 2]) // 8 for i in range(0, len(now), size)])
        before = now
    return width, height, rows


def blocks(data):
    """How light each block of a picture is, as lines of hexadecimal numbers."""
    width, height, rows = read_png(data)
    return [[sum(sum(row[x:x + BLOCK]) for row in rows[y:y + BLOCK]) // (BLOCK * BLOCK) for x in range(0, width - BLOCK + 1, BLOCK)]
            for y in range(0, height - BLOCK + 1, BLOCK)]


def check_looks(pages, page, name, folder):
    """Light, dark and print, beside references that were looked at."""
    for look in "light", "dark", "print":
        media = "print" if look == "print" else "screen"
        page.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": "dark" if look == "dark" else "light"}])
        page.js("new Promise((done) => setTimeout(done, 100))")
        data = base64.b64decode(page.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                                          clip={"x": 0, "y": 0, "width": WIDTH, "height": TOP, "scale": SCALE})["data"])
        now, path = blocks(data), os.path.join(folder, "%s-%s.txt" % (name, look))
        if os.environ.get("TTP_UPDATE_GOLDEN"):
            os.makedirs(folder, exist_ok=True)
            with open(path, "w", encoding="ascii") as f:
                f.writelines("".join("%02x" % v for v in row) + "\n" for row in now)
        with open(path, encoding="ascii") as f:
            wanted = [[int(line[i:i + 2], 16) for i in range(0, len(line.strip()), 2)] for line in f]
        pairs = [(a, b) for left, right in zip(now, wanted) for a, b in zip(left, right)]
        far = sum(abs(a - b) > NEAR for a, b in pairs)
        Check.that(len(now) == len(wanted) and far <= FAR_SHARE * len(pairs), "%s, %s: %d of %d blocks look different" % (name, look, far, len(pairs)))
    Check.that(page.js("matchMedia('print').matches && [...document.querySelectorAll('.tools')].every((t) => getComputedStyle(t).display === 'none')"),
               name + ": controls are printed")
    pdf = base64.b64decode(page.call("Page.printToPDF")["data"])
    Check.that(pdf.startswith(b"%PDF") and len(pdf) > 10000, name + ": the page cannot be printed")
    page.call("Emulation.setEmulatedMedia", media="", features=[])


def make_inputs(program, source, scratch):
    """Runs of every kind, by name."""
    def run(*command):
        subprocess.run([program, *command], check=True, stdout=subprocess.DEVNULL)
    made = {name: os.path.join(scratch, name) for name in ("run", "lines", "stale", "ranks", "host", "history.db", "capture.json")}
    run("synth", "-o", made["run"], "--ops", "40", "--layers", "1", "--noc", "-q")
    run("synth", "-o", made["lines"], "--model", "tt-lang-kernel", "--bottleneck", "reader", "--noc", "-q")
    run("synth", "-o", made["stale"], "--arch", "wormhole_b0", "--plant", "stale-l1", "-q")
    run("synth", "-o", made["ranks"], "--ranks", "4", "--mesh", "4x8", "--straggler", "2:3", "-q")
    for seconds in "0.01", "0.02":
        path = os.path.join(scratch, seconds + ".json")
        run("bench", "--no-guard", "--runs", "3", "--warmup", "0", "-q", "--format", "json", "-o", path, "--", "sleep", seconds)
        run("history", "add", "--store", made["history.db"], "--name", "sleep", "-q", path)
    subprocess.run(["sh", os.path.join(source, "tests", "data", "host", "unpack.sh"), os.path.join(source, "tests", "data", "host", "galaxy.tree"), made["host"]], check=True)
    made["tune"] = shutil.copytree(os.path.join(source, "tests", "golden", "tune_report", "state"), os.path.join(scratch, "tune"))
    subprocess.run(["tar", "-C", scratch, "--zstd", "-xf", os.path.join(source, "tests", "campaigns", "runs.tar.zst")], check=True)
    for folder, _, names in os.walk(scratch):
        for name in names:
            if name in ("l8wh-12_before.csv", "l8wh-12_after.csv"):
                made[name[8:-4]] = os.path.join(folder, name)
    return made


def commands(made, source):
    """The command of each page."""
    golden, data = (os.path.join(source, "tests", name) for name in ("golden", "data"))
    demo, two = (os.path.join(data, name) for name in ("demo_ops_perf_results.csv", "demo_two_devices.csv"))
    return {
        "report": ["report", demo], "devices": ["report", two, "--window", "all"], "campaign": ["report", made["before"]],
        "ranks": ["report", made["ranks"]], "memory": ["report", made["stale"], "--mem", made["stale"]],
        "diff": ["diff", made["before"], made["after"]], "kernel": ["kernel", made["run"]], "kernel-lines": ["kernel", made["lines"]],
        "annotate": ["annotate", made["lines"]], "noc": ["noc", made["run"]], "advise": ["advise", demo],
        "mesh": ["mesh", made["ranks"]], "mem": ["mem", made["stale"]], "startup": ["startup", os.path.join(golden, "startup", "crash")],
        "config": ["config", "32", "4096", "4096", "--board", "n150"], "doctor": ["doctor", "--quick", "--root", made["host"]],
        "tune": ["tune", "report", "--state", made["tune"], "--run", demo],
        "trend": ["history", "trend", "wall", "--store", made["history.db"]],
        "bench": ["bench", "--no-guard", "--runs", "3", "--warmup", "0", "--", "sleep", "0.01"]}


def main():
    program, source = os.path.join(os.path.abspath(sys.argv[1]), "tt-perf"), os.path.abspath(sys.argv[2])
    data = os.path.join(source, "tests", "data")
    demo, two = (os.path.join(data, name) for name in ("demo_ops_perf_results.csv", "demo_two_devices.csv"))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        pages = Pages(program, sys.argv[3], os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None, scratch)
        made = make_inputs(program, source, scratch)
        for name, command in commands(made, source).items():
            html = pages.write(name, *command)
            page = pages.open(html)
            pages.look(page, name)
            pages.narrow(page, name)
            pages.use(page, name)
            pages.console(page, name)
            footer = page.js("document.getElementById('footer').textContent")
            Check.that("Commandtt-perf " + command[0] in footer and "Date2" in footer, "%s: the footer lacks command or date: %s" % (name, footer))
            Check.that(name not in HASHED or "SHA-256" in footer, "%s: the footer has no hash of an input: %s" % (name, footer))
            if name not in TIMED:
                check_looks(pages, pages.open(html), name, os.path.join(data, "pages"))
            if name == "report":
                check_report(pages, pages.open(html), demo)
            if name == "devices":
                check_devices(pages, pages.open(html), two)
            if name == "memory":
                check_memory(pages.open(html))
        check_cold(pages, made["before"])
        check_hostile(pages, demo, made["lines"])
        check_large(pages, demo)
        pages.browser.close()
    print("%d looks" % pages.looks)
    sys.exit(Check.failed)


main()
