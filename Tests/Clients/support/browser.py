"""Drives Chromium by its DevTools protocol over a pipe, and uses pages by keys only."""

import base64
import hashlib
import itertools
import json
import os
import pathlib
import queue
import shutil
import subprocess
import threading
import time

from .premises import run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# How long anything may take on a busy machine.
PATIENCE = 60

KEYS = {
    "Tab": (9, None), "Enter": (13, "\r"), "Escape": (27, None), "Home": (36, None),
    "End": (35, None), "ArrowDown": (40, None), "ArrowUp": (38, None), "ArrowRight": (39, None),
    "ArrowLeft": (37, None), "Space": (32, " "), "Backspace": (8, None),
}
# What has the focus: the name that a screen reader says, and whether eyes can see the focus.
# Headings get it only by a script.
FOCUS = """(() => {
    const now = document.activeElement;
    if (!now || now === document.body) return ["", true];
    const labels = now.labels ? [...now.labels].map((label) => label.textContent) : [];
    const name = now.getAttribute("aria-label") || labels.join(" ").trim()
        || now.textContent.trim();
    return [name, now.matches("h1, main") || getComputedStyle(now).outlineStyle !== "none"];
})()"""


def key_hash(certificate):
    """The hash by which the browser knows the certificate of the trial's own service."""
    public = run("openssl", "x509", "-in", certificate, "-noout", "-pubkey")
    lines = [line for line in public.splitlines() if not line.startswith("-----")]
    return base64.b64encode(hashlib.sha256(base64.b64decode("".join(lines))).digest()).decode()


class Browser:
    """A browser with a new profile, for which there is no other host than this one."""

    def __init__(self, folder, certificate):
        self.folder = pathlib.Path(folder)
        self.profile, self.downloads = self.folder / "profile", self.folder / "downloads"
        self.downloads.mkdir(parents=True)
        self.numbers, self.answers, self.events = itertools.count(1), {}, queue.Queue()
        self.condition = threading.Condition()
        self._launch(certificate)
        threading.Thread(target=self._read, daemon=True).start()

    def _launch(self, certificate):
        requests, self.requests = os.pipe()
        self.replies, replies = os.pipe()
        command = [
            CHROMIUM, "--headless=new", "--no-sandbox", "--remote-debugging-pipe",
            f"--user-data-dir={self.profile}", "--no-first-run", "--disable-gpu",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-extensions", "--disable-default-apps",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
            f"--ignore-certificate-errors-spki-list={key_hash(certificate)}",
            "about:blank",
        ]
        # The browser reads descriptor 3, and writes descriptor 4.
        self.process = subprocess.Popen(
            ["bash", "-c", 'exec "${@:3}" 3<&"$1" 4>&"$2"', "browser", str(requests),
             str(replies), *command],
            pass_fds=(requests, replies), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=(self.folder / "browser.log").open("wb"), start_new_session=True,
            env={**os.environ, "HOME": str(self.folder), "TMPDIR": str(self.folder)})
        os.close(requests)
        os.close(replies)

    def _read(self):
        rest = b""
        while True:
            more = os.read(self.replies, 1 << 16)
            if not more:
                return
            *messages, rest = (rest + more).split(b"\0")
            for message in messages:
                self._take(json.loads(message))

    def _take(self, message):
        if "id" not in message:
            self.events.put(message)
            return
        with self.condition:
            self.answers[message["id"]] = message
            self.condition.notify_all()

    def ask(self, method, session=None, **parameters):
        """Calls a method of the protocol."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.requests, json.dumps(message).encode() + b"\0")
        with self.condition:
            if not self.condition.wait_for(lambda: number in self.answers, PATIENCE):
                raise AssertionError(f"the browser does not answer {method}")
            answer = self.answers.pop(number)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        return answer["result"]

    def close(self):
        """Ends the browser in its own way, so that it writes all that it writes."""
        if self.process.poll() is None:
            try:
                self.ask("Browser.close")
                self.process.wait(PATIENCE)
            except (AssertionError, OSError, subprocess.TimeoutExpired):
                os.killpg(self.process.pid, 9)
                self.process.wait()


class Page:
    """One page of a browser."""

    def __init__(self, browser):
        self.browser = browser
        # Every request with its address, every body that came, and what went wrong.
        self.addresses, self.bodies, self.faults, self.choosers = [], {}, [], []
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.ask(
            "Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for name in ("Page", "Network", "Log", "Runtime", "DOM"):
            self.ask(f"{name}.enable")
        self.ask("Page.setInterceptFileChooserDialog", enabled=True)
        browser.ask("Browser.setDownloadBehavior", behavior="allow",
                    downloadPath=str(browser.downloads))

    def ask(self, method, **parameters):
        return self.browser.ask(method, self.session, **parameters)

    # What happened.

    def gather(self):
        """Reads the events that have come."""
        while True:
            try:
                event = self.browser.events.get_nowait()
            except queue.Empty:
                return
            if event.get("sessionId") == self.session:
                self._note(event["method"], event["params"])

    def _note(self, method, facts):
        if method == "Network.requestWillBeSent":
            self.addresses.append(facts["request"]["url"])
        elif method == "Network.loadingFinished":
            try:
                body = self.ask("Network.getResponseBody", requestId=facts["requestId"])
                self.bodies[facts["requestId"]] = body["body"]
            except AssertionError:
                pass
        elif method == "Log.entryAdded":
            self.faults.append(facts["entry"]["text"])
        elif method == "Runtime.exceptionThrown":
            self.faults.append(json.dumps(facts["exceptionDetails"])[:600])
        elif method == "Page.fileChooserOpened":
            self.choosers.append(facts["backendNodeId"])

    def eventually(self, condition, what):
        """Waits until a condition holds, and fails if it never does."""
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"it never came: {what}; the page says: {self.text()}")
            time.sleep(0.03)

    def run(self, script):
        """The value of an expression in the page."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True,
                          awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def text(self):
        """What the page shows."""
        return self.run("document.body?.innerText ?? ''")

    def sees(self, *texts):
        """Waits until the page shows these texts, and waits for nothing itself."""
        for text in texts:
            self.eventually(
                lambda text=text: text in self.text() and self.run(
                    "document.readyState === 'complete' && !document.querySelector('[aria-busy]')"),
                text)

    def open(self, address):
        self.ask("Page.navigate", url=address)
        self.eventually(
            lambda: self.run("document.readyState") == "complete"
            and self.run("location.href") != "about:blank", address)

    def reload(self):
        self.run("window.isFormer = true")
        self.ask("Page.reload")
        self.eventually(
            lambda: self.run("document.readyState === 'complete' && !window.isFormer"), "a reload")

    # Keys.

    def press(self, *names):
        for name in names:
            shifted = name.startswith("Shift+")
            name = name.removeprefix("Shift+")
            code, text = KEYS.get(name, (ord(name[0].upper()), name))
            facts = {"key": " " if name == "Space" else name, "code": name,
                     "windowsVirtualKeyCode": code, "modifiers": 8 if shifted else 0}
            if text:
                facts["text"] = text
            self.ask("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **facts)
            facts.pop("text", None)
            self.ask("Input.dispatchKeyEvent", type="keyUp", **facts)

    def type(self, text):
        for letter in text:
            self.ask("Input.dispatchKeyEvent", type="keyDown", text=letter, key=letter)
            self.ask("Input.dispatchKeyEvent", type="keyUp", key=letter)

    def focus(self):
        """The name of what has the focus."""
        return self.run(FOCUS)[0]

    def tab(self, name, limit=80):
        """Presses Tab until something of this name has the focus, which must be visible."""
        seen = []
        for _ in range(limit):
            self.press("Tab")
            found, is_visible = self.run(FOCUS)
            seen.append(found)
            if not is_visible:
                raise AssertionError(f"the focus is not visible on {found}")
            if seen[-1] == name:
                return
        raise AssertionError(f"no Tab leads to {name}: {seen}")

    def enter(self, name):
        """Goes to something by Tab, and presses Enter."""
        self.tab(name)
        self.press("Enter")

    def fill(self, name, text):
        self.tab(name)
        self.type(text)

    def choose(self, path):
        """Gives a file to the control that asks for one after Enter."""
        self.gather()
        count = len(self.choosers)
        self.press("Enter")

        def opened():
            self.gather()
            return len(self.choosers) > count
        self.eventually(opened, "a chooser of files")
        self.ask("DOM.setFileInputFiles", files=[str(path)], backendNodeId=self.choosers[-1])

    # Looks.

    def look(self, width, is_dark, height=900):
        """Gives the page a width and a colour scheme."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def picture(self):
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])
