"""A headless Chromium spoken to over its own debugging pipe (DevTools protocol, JSON messages ended
by a zero byte on file descriptors 3 and 4): no driver, no socket, nothing but the standard library.
"""
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def find():
    """The path of a browser that starts, or None. CARAT_CHROMIUM overrides. Asking for the version
    tells a browser from the stub that some systems have in its place.
    """
    wanted = os.environ.get("CARAT_CHROMIUM")
    for path in [wanted] if wanted else filter(None, map(shutil.which, NAMES)):
        try:
            if subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, timeout=60,
                              capture_output=True, check=False).returncode == 0:
                return path
        except (OSError, subprocess.TimeoutExpired):
            continue
    return None


class BrowserError(Exception):
    pass


class Browser:
    """One browser with one page. Everything the page prints or throws is kept in `complaints`, and
    every address it asks for in `requests`."""

    def __init__(self, path, timeout_s=60):
        self.timeout_s = timeout_s
        self.complaints, self.requests, self.events = [], [], []
        self._last, self._unread = 0, b""
        self._profile = tempfile.TemporaryDirectory(prefix="carat-browser-",
                                                    ignore_cleanup_errors=True)
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        flags = ["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
                 "--disable-dev-shm-usage", "--disable-extensions",
                 "--disable-background-networking", "--hide-scrollbars",
                 f"--user-data-dir={self._profile.name}"]
        if os.geteuid() == 0:
            flags.append("--no-sandbox")  # Chromium refuses to start as root otherwise
        # The shell moves the pipes to the two descriptors that the browser expects.
        script = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", path, *flags, "about:blank"],
            pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._session = None
            self.call("Browser.close")
        except (BrowserError, OSError):
            pass
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)
        self._profile.cleanup()

    def _message(self, deadline):
        while b"\0" not in self._unread:
            if not select.select([self._read], [], [], max(0, deadline - time.monotonic()))[0]:
                raise BrowserError("the browser did not answer in time")
            part = os.read(self._read, 1 << 16)
            if not part:
                raise BrowserError("the browser ended")
            self._unread += part
        message, self._unread = self._unread.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event):
        method, what = event.get("method"), event.get("params", {})
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description")
                                   or details.get("text"))
        elif method == "Runtime.consoleAPICalled":
            if what["type"] not in ("error", "warning", "assert"):
                return
            self.complaints.append(f"console.{what['type']}: {what['args']}")
        elif method == "Log.entryAdded":
            self.complaints.append(f"{what['entry']['level']}: {what['entry']['text']}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])

    def call(self, method, **params):
        self._last += 1
        request = {"id": self._last, "method": method, "params": params}
        if self._session:
            request["sessionId"] = self._session
        os.write(self._write, json.dumps(request).encode() + b"\0")
        deadline = time.monotonic() + self.timeout_s
        while True:
            message = self._message(deadline)
            if message.get("id") != self._last:
                self._note(message)
            elif "error" in message:
                raise BrowserError(f"{method}: {message['error']['message']}")
            else:
                return message["result"]

    def view(self, width, height, theme):
        """The size of the window in CSS pixels, and the system's colour scheme."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": theme}])

    def open(self, address):
        """Loads a page, waits for it, and forgets what earlier pages said."""
        self.complaints.clear()
        self.requests.clear()
        self.events.clear()
        self.call("Page.navigate", url=address)
        deadline = time.monotonic() + self.timeout_s
        while "Page.loadEventFired" not in self.events:
            self._note(self._message(deadline))
        self.settle()

    def settle(self):
        """Waits for two frames, after which layout and canvases are done."""
        self.evaluate("new Promise(done => requestAnimationFrame("
                      "() => requestAnimationFrame(done)))")

    def evaluate(self, expression):
        """The value of a JavaScript expression (a promise is awaited)."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            thrown = answer["exceptionDetails"].get("exception", {})
            raise BrowserError(thrown.get("description", expression))
        return answer["result"].get("value")

    def screenshot(self, whole=True):
        """PNG bytes, base64, of the whole page or of the window."""
        options = {"format": "png", "captureBeyondViewport": whole}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            options["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"],
                               "scale": 1}
        return self.call("Page.captureScreenshot", **options)["data"]
