#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""pages_axe.py BIN_DIR SOURCE_DIR AXE_JS [PICTURES] - every page that `tt-perf trace` serves or writes, in headless
Chromium, light and dark, and in each of its states: axe-core finds nothing against WCAG 2.2 A and AA or its own best practices; what is
painted on the canvas, where axe-core cannot look, has contrast too; keys reach every control and the focus never gets
lost. Exits 77 (skipped) where Chromium is not installed. With PICTURES, a folder, screenshots are kept there."""
import json
import os
import re
import subprocess
import sys
import tempfile

from browser import Browser, Check, Page, find_chromium, serve, stop

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
DRAWN = "!!window.timeline && timeline.view.drawn > 0"

# Contrast of what the timeline paints, for a thousand names: [what, ratio] below what WCAG asks of text or graphics.
PAINTED = """(() => {
    const v = timeline.view, p = v.paint, pixel = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const light = (color) => { pixel.fillStyle = '#000'; pixel.fillStyle = color; pixel.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...pixel.getImageData(0, 0, 1, 1).data].map((x) => x / 255).map((x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05; };
    const bad = [], ratio = (a, b) => Math.max(light(a) / light(b), light(b) / light(a));
    const check = (what, a, b, least) => { if (ratio(a, b) < least) bad.push([what, Number(ratio(a, b).toFixed(2)), a, b]); };
    for (const ground of [p.ground, p.panel]) {
        for (const name of ['text', 'quiet']) check(name, p[name], ground, 4.5);
        for (const name of ['accent', 'hit', 'counter']) check(name, p[name], ground, 3);
    }
    const first = v.trace.names.length;
    for (let k = 0; k < 1000; k++) v.trace.names.push('operation ' + k);
    for (let k = 0; k < v.trace.names.length; k++) {
        check('text of a slice', p.sliceText, v.color(k), 4.5);
        for (const ground of [p.ground, p.panel]) check('slice', v.color(k), ground, 3);
    }
    v.trace.names.length = first;
    v.colors.length = 0;
    return bad })()"""

FOCUS = """(() => { const e = document.activeElement, o = getComputedStyle(e);
    return { id: e.id || e.textContent, tag: e.tagName, ring: o.outlineStyle !== 'none' && parseFloat(o.outlineWidth) >= 1 } })()"""


class Axe:
    def __init__(self, path, pictures):
        with open(path, encoding="utf-8") as f:
            self.source = f.read()
        self.pictures = pictures
        self.looks = 0

    def run(self, page):
        if not page.js("!!window.axe"):
            page.js(self.source + "; true")
        return page.js("axe.run(document, { resultTypes: ['violations'], runOnly: { type: 'tag', values: %s } })"
                       ".then((r) => ({ passes: r.passes.length, violations: r.violations.map((v) => [v.id, v.help,"
                       " v.nodes.map((n) => n.html.slice(0, 200) + ' ' + n.failureSummary)]) }))" % json.dumps(TAGS))

    def sees_a_fault(self, page):
        """Nothing found means something only of an instrument that finds."""
        page.js("document.documentElement.removeAttribute('lang'); document.getElementById('facts').style.color = '#999'")
        found = {rule for rule, _, _ in self.run(page)["violations"]}
        Check.that({"html-has-lang", "color-contrast"} <= found, "axe-core sees only %s of what was planted" % found)

    def look(self, page, name):
        """The page as it is now, in both colour schemes."""
        for scheme in "light", "dark":
            page.ground(scheme)
            page.picture(self.pictures and os.path.join(self.pictures, "axe-%s-%s.png" % (name, scheme)))
            found = self.run(page)
            Check.that(found["passes"] > 10, "%s, %s: only %d rules of axe-core applied" % (name, scheme, found["passes"]))
            for rule, text, nodes in found["violations"]:
                Check.that(False, "%s, %s: %s (%s)\n    %s" % (name, scheme, rule, text, "\n    ".join(nodes)))
            self.looks += 1
        page.ground("light")


def tab_through(page, name, wanted):
    """The first of these has the focus, the Tab key reaches the others in this order, and each shows its focus."""
    seen = []
    for _ in wanted:
        if seen:
            page.key("Tab", "Tab")
        at = page.js(FOCUS)
        seen.append(at["id"])
        Check.that(at["ring"], "%s: no ring around '%s' with the focus" % (name, at["id"]))
    Check.that(seen == wanted, "%s: Tab leads to %s, not to %s" % (name, seen, wanted))


def look_at_timeline(axe, page, name):
    page.wait(DRAWN)
    axe.look(page, name)
    page.js("document.getElementById('word').focus()")
    tab_through(page, name, ["word", "previous", "next", "whole", "unfold", "theme", "keys", "view"])
    page.press("#keys")
    axe.look(page, name + "-help")
    page.press("#keys")
    # a search, the match selected, its details shown; then along the arrow to the host
    page.press("#word")
    page.call("Input.insertText", text="matmul")
    page.key("Enter", "Enter", "\r")
    page.wait("!document.getElementById('details').hidden")
    axe.look(page, name + "-selected")
    page.js("timeline.select(timeline.found.find((r) => timeline.trace.flowsOf(r.lane, r.i).length), true)")
    page.js("document.querySelector('#details button').focus()")
    page.key("Enter", "Enter", "\r")
    Check.that(page.js("document.activeElement !== document.body"), name + ": the focus is lost behind an arrow")
    axe.look(page, name + "-arrow")
    # the button, over what the system wants
    for theme in "dark", "light":
        page.press("#theme")
        Check.that(page.js("document.documentElement.dataset.theme") == theme, name + ": the theme does not change")
        axe.look(page, "%s-theme-%s" % (name, theme))
    page.js("delete document.documentElement.dataset.theme")
    for scheme in "light", "dark":
        page.ground(scheme)
        page.js("timeline.view.theme()")
        bad = page.js(PAINTED)
        Check.that(not bad, "%s, %s: %d colours without contrast: %s" % (name, scheme, len(bad), bad[:5]))


def look_at_opener(axe, page, name, builtin):
    page.wait("document.readyState === 'complete' && document.activeElement.id === 'go'")
    axe.look(page, name)
    direct = page.js("location.port === '9001'")
    page.js("document.activeElement.blur()")
    page.key("Tab", "Tab", "")  # a ring is shown around what a key has reached
    page.js("document.getElementById('go').focus()")
    tab_through(page, name, ["go"] + builtin * ["Built-in timeline"] + direct * ["link"] + ["file"])


def main():
    chromium = find_chromium()
    program = os.path.join(os.path.abspath(sys.argv[1]), "tt-perf")
    axe = Axe(sys.argv[3], os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        run, html, damaged = (os.path.join(scratch, name) for name in ("demo", "demo.html", "damaged.html"))
        subprocess.run([program, "synth", "-o", run, "--ops", "40", "--layers", "1", "--devices", "2", "--replays", "1",
                        "--cores", "12", "-q"], check=True)
        subprocess.run([program, "trace", run, "--offline", "-q", "-o", html], check=True)
        with open(html, encoding="utf-8") as f, open(damaged, "w", encoding="utf-8") as g:
            g.write(re.sub(r'(data-packed=")[^"]*(">)[^<]*', r'\1\2AAAAAAAA', f.read()))
        browser = Browser(chromium, os.path.join(scratch, "profile"))
        try:
            look_at_timeline(axe, Page(browser, "file://" + html), "file")
            page = Page(browser, "file://" + damaged)
            page.wait("document.getElementById('facts')?.textContent.startsWith('not a trace')")
            axe.look(page, "damaged")
            axe.sees_a_fault(page)
            process, url = serve([program, "trace", run, "--offline", "-q"])
            look_at_timeline(axe, Page(browser, url), "served")
            stop(process)
            events = os.path.join(sys.argv[2], "tests", "golden", "trace_compat")
            for name, more in ("open", [run]), ("open-json", [run, "--format", "chrome-json"]), \
                    ("open-compat", [events, "--compat"]):
                process, url = serve([program, "trace", "--serve", "-q", *more])
                look_at_opener(axe, Page(browser, url), name, name == "open")
                if name == "open":
                    look_at_timeline(axe, Page(browser, url + "timeline"), "open-timeline")
                stop(process)
        finally:
            browser.close()
    print("%d looks" % axe.looks)
    return Check.failed


if __name__ == "__main__":
    sys.exit(main())
