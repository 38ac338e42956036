# SPDX-License-Identifier: Apache-2.0
"""browser.py - what the tests of the pages share: headless Chromium, driven through a pipe with nothing but Python's
standard library and without a network, and the servers of `tt-perf trace`."""
import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

WIDTH, HEIGHT = 1280, 800


def find_chromium():
    """Its path; without Chromium the test ends as skipped."""
    for name in "chromium", "chromium-browser", "google-chrome":
        if shutil.which(name):
            return shutil.which(name)
    print("SKIPPED: no chromium")
    sys.exit(77)


class Browser:
    """Chromium at the other end of a pipe."""

    def __init__(self, program, profile, *more):
        from_us, to_browser = os.pipe()
        from_browser, to_us = os.pipe()

        def pipes():
            # 3 and 4 are where Chromium looks; first out of the way of each other
            a, b = os.dup(from_us), os.dup(to_us)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir=" + profile, *more, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=pipes, close_fds=False)
        os.close(from_us)
        os.close(to_us)
        self.out = to_browser
        self.into = os.fdopen(from_browser, "rb", 0)
        self.rest = b""
        self.number = 0
        self.events = []

    def send(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        return self.number

    def read(self):
        while b"\0" not in self.rest:
            piece = self.into.read(65536)
            if not piece:
                raise RuntimeError("Chromium is gone")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        number = self.send(method, session, **params)
        while True:
            message = self.read()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError("%s: %s" % (method, message["error"]))
                return message["result"]
            self.events.append(message)

    def event(self, method, seconds=20):
        """The next event of that kind, those that came while we asked for something else first."""
        end = time.time() + seconds
        while time.time() < end:
            for i, message in enumerate(self.events):
                if message.get("method") == method:
                    return self.events.pop(i)
            self.events.append(self.read())
        raise RuntimeError("no " + method)

    def close(self):
        self.process.terminate()
        self.process.wait()


class Page:
    def __init__(self, browser, url="about:blank"):
        self.b = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
        if url != "about:blank":
            self.call("Page.navigate", url=url)

    def call(self, method, **params):
        return self.b.call(method, self.session, **params)

    def js(self, text):
        answer = self.call("Runtime.evaluate", expression=text, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError("%s: %s" % (text, answer["exceptionDetails"]))
        return answer["result"].get("value")

    def wait(self, text, seconds=60):
        end = time.time() + seconds
        while time.time() < end:
            value = self.js(text)
            if value:
                return value
            time.sleep(0.05)
        raise RuntimeError("waited in vain for " + text)

    def mouse(self, kind, x, y, button="none", **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, **more)

    def click(self, x, y, count=1):
        self.mouse("mouseMoved", x, y)
        for n in range(1, count + 1):
            self.mouse("mousePressed", x, y, "left", clickCount=n)
            self.mouse("mouseReleased", x, y, "left", clickCount=n)

    def drag(self, x0, y0, x1, y1):
        self.mouse("mouseMoved", x0, y0)
        self.mouse("mousePressed", x0, y0, "left", clickCount=1)
        for k in range(1, 6):
            self.mouse("mouseMoved", x0 + (x1 - x0) * k / 5, y0 + (y1 - y0) * k / 5, "left", buttons=1)
        self.mouse("mouseReleased", x1, y1, "left", clickCount=1)

    def key(self, key, code=None, text=None):
        more = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=code or "", **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code or "")

    def center(self, selector):
        return self.js("(() => { const r = document.querySelector(%s).getBoundingClientRect();"
                       "return [r.x + r.width / 2, r.y + r.height / 2] })()" % json.dumps(selector))

    def press(self, selector):
        self.click(*self.center(selector))

    def ground(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path):
        self.js("new Promise(requestAnimationFrame)")
        self.js("new Promise(requestAnimationFrame)")
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        if path:
            with open(path, "wb") as f:
                f.write(data)
        return data

    def faults(self):
        """Exceptions, and requests to anyone but the page's own server."""
        bad = []
        for message in self.b.events:
            if message.get("sessionId") != self.session:
                continue
            params = message.get("params", {})
            if message["method"] == "Runtime.exceptionThrown":
                bad.append(params["exceptionDetails"])
            if message["method"] == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "data:", "blob:", "about:", "http://127.0.0.1:")):
                    bad.append(url)
        return bad


class Check:
    failed = 0

    @classmethod
    def that(cls, ok, what):
        if not ok:
            print("FAILED: " + what, file=sys.stderr)
            cls.failed = 1


def serve(command):
    """A server, and the address that it prints; with --compat that is within a paragraph, and it reads its input."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for line in process.stdout:
        url = re.search(r"http://\S+", line.decode())
        if url:
            return process, url.group()
    raise RuntimeError("no address from " + " ".join(command))


def stop(process):
    process.send_signal(signal.SIGINT)
    Check.that(process.wait(30) == 0, "the server does not end well")
