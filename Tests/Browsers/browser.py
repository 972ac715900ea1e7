"""Pages for browsers, a server for these pages, and the browsers."""

import contextlib
import http.server
import json
import mimetypes
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import threading
import time

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PACKAGE / "Tests/PrivateDesktop"))
from desktop import HUNG, Failure  # noqa: E402

HERE = pathlib.Path(__file__).parent
#: The names of the programs on Debian, then on Fedora.
PROGRAMS = {"chromium": ("chromium", "chromium-browser"), "firefox": ("firefox-esr", "firefox")}
#: The microphone may be used and sound may play without a click, and Firefox shows no page of its own first.
FIREFOX_SETTINGS = {
    "media.navigator.permission.disabled": True, "media.autoplay.default": 0, "media.autoplay.blocking_policy": 0,
    "browser.shell.checkDefaultBrowser": False, "browser.aboutwelcome.enabled": False,
    "browser.startup.homepage_override.mstone": "ignore", "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.enabled": False, "app.update.enabled": False, "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
}


def program(name):
    for known in PROGRAMS[name]:
        if found := shutil.which(known):
            return found
    raise Failure(f"there is no {' or '.join(PROGRAMS[name])}; install/dependencies --browsers installs it")


def release(name):
    """The browser's name and version, as it says them."""
    said = subprocess.run([program(name), "--version"], capture_output=True, text=True).stdout.split()
    # "Chromium 156.0 built on Debian", "Mozilla Firefox 153.7.0esr".
    version = next((word for word in said if word[:1].isdigit()), "of an unknown version")
    return f"{name.capitalize()} {version}"


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers for the server of pages."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, kind="text/plain", body=b""):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def details(self):
        """What a page has sent."""
        return self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()


class LocalServer:
    """A server of pages for browsers on this machine. What a page tells of its steps is in `told`."""

    def __init__(self, handler):
        self.told = queue.Queue()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        # A browser that ends breaks its connections.
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def address(self, page):
        # Pages have microphones on secure connections and on the host of this name only.
        return f"http://localhost:{self.server.server_address[1]}/{page}.html"


class PageServer(LocalServer):
    """Serves the pages of this folder and the sound of their film, and holds what they tell until it is answered."""

    def __init__(self, film):
        outer = self

        class Pages(Handler):
            def do_GET(self):
                name = self.path.lstrip("/")
                path = film if name == "film.wav" else HERE / name
                if "/" in name or not path.is_file():
                    return self.answer(404)
                return self.answer(200, mimetypes.guess_type(name)[0] or "text/plain", path.read_bytes())

            def do_POST(self):
                may_go_on = threading.Event()
                outer.told.put((self.path.rpartition("/")[2], self.details(), may_go_on))
                may_go_on.wait()
                self.answer(200)

        super().__init__(Pages)


class Browser:
    """A browser that has just been installed, with one page."""

    def __init__(self, name, desktop, pages, page):
        self.name, self.desktop, self.pages, self.page = name, desktop, pages, page
        self.profile = desktop.folder / f"{name}-{page}"
        self.profile.mkdir()
        self.log = desktop.logs / f"{name}-{page}"
        if name == "chromium":
            options = [
                "--headless=new", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={self.profile}",
                # Answers yes when a page asks for the microphone; the microphone is the desktop's.
                "--use-fake-ui-for-media-stream", "--autoplay-policy=no-user-gesture-required",
                # Chromium refuses to start its sandbox as root.
                *(["--no-sandbox"] if os.getuid() == 0 else []),
            ]
        else:
            options = ["--headless", "--no-remote", "--profile", self.profile]
            (self.profile / "user.js").write_text("".join(
                f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in FIREFOX_SETTINGS.items()))
        # What an earlier page has told is not from this one.
        while not pages.told.empty():
            pages.told.get()
        with open(self.log, "wb") as output:
            self.process = desktop.spawn([program(name), *options, pages.address(page)], stdout=output, stderr=output)

    def wait_for(self, step):
        """Waits until the page tells that it is so far; returns what lets it go on."""
        last = time.monotonic() + HUNG
        while time.monotonic() < last:
            with contextlib.suppress(queue.Empty):
                told, details, may_go_on = self.pages.told.get(timeout=0.1)
                if told != step:
                    raise Failure(f"the page {self.page} in {self.name} {told}: {details}")
                return may_go_on
            if self.process.poll() is not None:
                raise Failure(f"{self.name} has ended: {self.log.read_text(errors='replace')[-1000:]}")
        raise Failure(f"the page {self.page} in {self.name} has not {step}")

    def end(self):
        """Ends the browser with all its processes, which are a group of their own."""
        self.desktop.end_group(self.process)
        shutil.rmtree(self.profile, ignore_errors=True)
