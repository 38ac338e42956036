#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""timeline_browser.py BIN_DIR SOURCE_DIR [PICTURES] - the pages of `tt-perf trace` in headless Chromium, with
real clicks and keys: the built-in timeline (served and as one file), and the page that hands a trace to
Perfetto, whose own page is played by a stand-in. Exits 77 (skipped) where Chromium is not installed. With PICTURES,
a folder, screenshots are kept there."""
import http.server
import json
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from browser import Browser, Check, Page, find_chromium, serve, stop

LABELS = 230  # width of the names in timeline_view.js

STATE = """(() => { const v = timeline.view, s = v.selected;
    return { from: v.from, to: v.to, start: v.trace.start, end: v.trace.end, scroll: v.scroll, rows: v.rows.length,
             slices: v.trace.slices, frames: v.drawn,
             name: s && v.trace.names[s.lane.n.a[s.i]], track: s && v.trace.path(s.lane.track),
             span: s && s.lane.e.a[s.i] - s.lane.s.a[s.i] } })()"""

# The middle of the first slice of a track on screen that is wide enough to be hit, in the page's coordinates.
FIND = """((name, wide) => { const v = timeline.view, box = v.canvas.getBoundingClientRect();
    for (const row of v.rows) { if (!row.t.lanes[0] || !v.trace.path(row.t).match(name)) continue;
        const l = row.t.lanes[0];
        for (let i = 0; i < l.s.n; i++) { const x0 = Math.max(v.xAt(l.s.a[i]), %d), x1 = Math.min(v.xAt(l.e.a[i]), box.width);
            const y = 26 + row.y - v.scroll + 3 + 8;
            if (x1 - x0 >= wide && y > 30 && y < box.height) return [box.x + (x0 + x1) / 2, box.y + y, v.trace.names[l.n.a[i]]] } }
    return null })""" % LABELS


def look_at_timeline(page, pictures, name):
    page.wait("!!window.timeline && timeline.view.drawn > 0")
    before = page.js(STATE)
    Check.that(before["slices"] > 1000, "%s: %d slices" % (name, before["slices"]))
    canvas = page.js("(() => { const r = document.getElementById('view').getBoundingClientRect();"
                     "return [r.x, r.y, r.width, r.height] })()")
    x, y = canvas[0] + LABELS + 400, canvas[1] + 200
    page.ground("light")
    light = page.picture(pictures and os.path.join(pictures, name + "-light.png"))
    page.ground("dark")
    page.wait("timeline.view.paint.ground === '#14181f'")
    dark = page.picture(pictures and os.path.join(pictures, name + "-dark.png"))
    Check.that(light != dark, name + ": light and dark look the same")
    page.ground("light")

    # keys zoom where the mouse is, and pan
    page.click(canvas[0] + LABELS + 400, canvas[1] + 10)
    page.mouse("mouseMoved", x, y)
    for _ in range(4):
        page.key("w", "KeyW", "w")
    near = page.js(STATE)
    ratio = (before["to"] - before["from"]) / (near["to"] - near["from"])
    Check.that(4.9 < ratio < 5.2, "%s: four times W zooms by %.2f" % (name, ratio))
    page.key("d", "KeyD", "d")
    right = page.js(STATE)
    Check.that(right["from"] > near["from"], name + ": D does not move to the right")
    page.key("a", "KeyA", "a")
    page.key("s", "KeyS", "s")
    Check.that(page.js(STATE)["to"] - page.js(STATE)["from"] > near["to"] - near["from"], name + ": S does not zoom out")
    # the wheel, with Ctrl and without
    span = near["to"] - near["from"]
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-400, modifiers=2)
    Check.that(page.js(STATE)["to"] - page.js(STATE)["from"] < span * 1.5, name + ": Ctrl and wheel do not zoom")
    page.press("#unfold")
    opened = page.js(STATE)
    Check.that(opened["rows"] > before["rows"], name + ": cores do not open")
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=300)
    Check.that(page.js(STATE)["scroll"] > 0, name + ": the wheel does not scroll")
    page.picture(pictures and os.path.join(pictures, name + "-cores.png"))
    # dragging pans, the whole run comes back
    at = page.js(STATE)["from"]
    page.drag(x, y, x - 200, y)
    Check.that(page.js(STATE)["from"] > at, name + ": dragging does not pan")
    page.press("#unfold")
    page.press("#whole")
    Check.that(abs(page.js(STATE)["from"] - before["from"]) < 1, name + ": the whole run does not come back")
    # a part of the ruler
    page.drag(canvas[0] + LABELS + 300, canvas[1] + 8, canvas[0] + LABELS + 500, canvas[1] + 8)
    part = page.js(STATE)
    Check.that(0.1 < (part["to"] - part["from"]) / (before["to"] - before["from"]) < 0.3, name + ": the ruler does not zoom")
    page.key("Home", "Home")

    # search, hover, click, details, arrows
    page.press("#word")
    page.call("Input.insertText", text="matmul")
    page.wait("document.getElementById('hits').textContent.endsWith('found')")
    count = page.js("timeline.found.length")
    Check.that(count > 0, name + ": no matmul found")
    page.key("Enter", "Enter", "\r")
    found = page.js(STATE)
    Check.that("matmul" in (found["name"] or "").lower(), "%s: search selects %s" % (name, found["name"]))
    page.picture(pictures and os.path.join(pictures, name + "-search.png"))
    page.js("document.activeElement.blur()")
    page.key("Escape", "Escape")
    Check.that(page.js(STATE)["name"] is None, name + ": Esc leaves a selection")
    page.key("Home", "Home")
    spot = page.js(FIND + "(/Device 0.*Ops/, 6)")
    if not spot:
        for _ in range(6):
            page.key("w", "KeyW", "w")
        spot = page.js(FIND + "(/Device 0.*Ops/, 6)")
    Check.that(bool(spot), name + ": no op on screen")
    if spot:
        page.mouse("mouseMoved", spot[0], spot[1])
        Check.that(page.js("!document.getElementById('tip').hidden && document.getElementById('tip').textContent.includes(%s)"
                           % json.dumps(spot[2])), name + ": no tooltip over an op")
        page.click(spot[0], spot[1])
        chosen = page.js(STATE)
        Check.that(chosen["name"] == spot[2], "%s: a click on %s selects %s" % (name, spot[2], chosen["name"]))
        details = page.js("document.getElementById('details').innerText")
        for word in "start cycle", "cycles", "Device 0", "duration", "op id":
            Check.that(word in details, "%s: details lack '%s'" % (name, word))
        if page.js("timeline.trace.flowsOf(timeline.view.selected.lane, timeline.view.selected.i).length"):
            page.picture(pictures and os.path.join(pictures, name + "-selected.png"))
            page.js("document.querySelector('#details button').scrollIntoView()")
            page.press("#details button")
            Check.that("Host" in page.js(STATE)["track"], name + ": the arrow does not lead to the host")
            page.picture(pictures and os.path.join(pictures, name + "-arrow.png"))
        page.key("f", "KeyF", "f")
        fitted = page.js(STATE)
        Check.that(fitted["to"] - fitted["from"] < fitted["span"] * 1.5 + 20, name + ": F does not fit the selection")
        page.key("ArrowRight", "ArrowRight")
        page.key("Escape", "Escape")
    # a closed group opens by a click on its name
    page.key("Home", "Home")
    rows = page.js(STATE)["rows"]
    core = page.js("(() => { const v = timeline.view, b = v.canvas.getBoundingClientRect(), r = v.rows.find((r) => /^Core \\(/.test(r.t.name));"
                   "v.scroll = Math.max(0, r.y - 100); v.draw(); return [b.x + 60, b.y + 26 + r.y - v.scroll + 8] })()")
    page.click(*core)
    Check.that(page.js(STATE)["rows"] > rows, "%s: a click on a core does not open it (%s)" % (name, core))
    page.press("#keys")
    Check.that(page.js("!document.getElementById('help').hidden"), name + ": no help")
    page.press("#theme")
    Check.that(page.js("document.documentElement.dataset.theme") == "dark", name + ": the theme does not change")
    bad = page.faults()
    Check.that(not bad, "%s: %s" % (name, bad))


# Stands in for Perfetto's page, under its own name: answers when asked, and keeps what it is given.
STAND_IN = b"""<!DOCTYPE html><title>stand-in</title><script>
window.addEventListener('message', (e) => {
  if (e.data === 'PING') { e.source.postMessage('PONG', e.origin); return; }
  if (e.data && e.data.perfetto) { const p = e.data.perfetto;
    window.got = { size: p.buffer.byteLength, title: p.title, file: p.fileName, first: new Uint8Array(p.buffer)[0] }; }
});</script>"""


class StandIn(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(STAND_IN)

    def log_message(self, *_):
        pass


def stand_in(scratch):
    """A server that Chromium takes for https://ui.perfetto.dev; None where openssl is not installed."""
    if not shutil.which("openssl"):
        return None
    pem = os.path.join(scratch, "stand-in.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=ui.perfetto.dev",
                    "-keyout", pem, "-out", pem + ".crt"], check=True, stderr=subprocess.DEVNULL)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem + ".crt", pem)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def look_at_perfetto(browser, url, size, pictures):
    page = Page(browser)
    page.call("Page.navigate", url=url)
    page.wait("document.readyState === 'complete' && !!document.getElementById('go')")
    page.picture(pictures and os.path.join(pictures, "open.png"))
    Check.that(page.js("document.getElementById('direct').hidden") is not (":9001/" in url), "the link for Perfetto itself")
    if ":9001/" in url:
        Check.that("?url=http%3A%2F%2F127.0.0.1%3A9001%2F" in page.js("document.getElementById('link').href"), "where it leads")
    page.press("#go")
    other = got = None
    for _ in range(200):
        for target in browser.call("Target.getTargets")["targetInfos"]:
            if not other and target["url"].startswith("https://ui.perfetto.dev/"):
                other = browser.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        if other:
            got = browser.call("Runtime.evaluate", other, expression="window.got", returnByValue=True)["result"].get("value")
        if got:
            break
        time.sleep(0.05)
    Check.that(bool(got) and got["size"] == size and got["first"] == 10, "Perfetto got %s, not %d bytes" % (got, size))
    page.wait("document.getElementById('state').textContent.startsWith('Perfetto has the trace')")


def look_at_large(browser, program, scratch):
    """A million slices: how long a frame takes."""
    run, page_file = os.path.join(scratch, "large"), os.path.join(scratch, "large.html")
    subprocess.run([program, "synth", "-o", run, "--ops", "3300", "--host-zones", "0", "-q"], check=True)
    subprocess.run([program, "trace", run, "--offline", "-q", "-o", page_file], check=True)
    page = Page(browser, "file://" + page_file)
    started = time.time()
    page.wait("!!window.timeline && timeline.view.drawn > 0", 300)
    ready = time.time() - started
    slices = page.js("timeline.trace.slices")
    page.press("#unfold")
    frame = page.js("""(() => { const v = timeline.view, times = [];
        for (const part of [1, 0.3, 0.1, 0.01, 0.0001]) { const span = (v.trace.end - v.trace.start) * part;
            v.show(v.trace.start, v.trace.start + span); v.scroll = part * 4000; const t = performance.now(); v.draw();
            times.push(performance.now() - t); }
        return Math.max(...times) })()""")
    print("%d slices: ready after %.1f s, slowest frame %.0f ms" % (slices, ready, frame))
    Check.that(slices > 400000, "too few slices to tell")
    Check.that(frame < 250, "a frame takes %.0f ms" % frame)


def main():
    chromium = find_chromium()
    program = os.path.join(os.path.abspath(sys.argv[1]), "tt-perf")
    pictures = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        run, trace, html = (os.path.join(scratch, name) for name in ("demo", "demo.pftrace", "demo.html"))
        subprocess.run([program, "synth", "-o", run, "--ops", "40", "--layers", "1", "--devices", "2", "--replays", "1",
                        "--cores", "12", "-q"], check=True)
        subprocess.run([program, "trace", run, "-q", "-o", trace], check=True)
        subprocess.run([program, "trace", run, "--offline", "-q", "-o", html], check=True)
        perfetto = stand_in(scratch)
        rules = ["--host-resolver-rules=MAP ui.perfetto.dev 127.0.0.1:%d" % perfetto.server_port,
                 "--ignore-certificate-errors"] if perfetto else []
        browser = Browser(chromium, os.path.join(scratch, "profile"), *rules)
        try:
            look_at_timeline(Page(browser, "file://" + html), pictures, "file")
            process, url = serve([program, "trace", run, "--offline", "-q"])
            look_at_timeline(Page(browser, url), pictures, "served")
            stop(process)
            process, url = serve([program, "trace", run, "--serve", "-q"])
            if perfetto:
                look_at_perfetto(browser, url, os.path.getsize(trace), pictures)
            stop(process)
            if os.environ.get("TTP_LARGE"):
                look_at_large(browser, program, scratch)
        finally:
            browser.close()
    return Check.failed


if __name__ == "__main__":
    sys.exit(main())
